//! PDO's border: a driver of PDO's is two Rust types, one for connections and one for statements; here are the tables of C functions that
//! PDO calls them by.
//!
//! The state of both is boxed, and PDO keeps the box (`driver_data`) before anything of it is used: whatever Zend jumps over, PDO still
//! frees it. A connection's state may outlive the request, so it holds nothing of Zend's.

mod bound;
mod handle;
mod library;
mod methods;
#[cfg(php_pdo_classes)]
mod scanner;
mod statement_methods;
mod treatment;
mod values;

use super::call::Call;
use super::error::{Outcome, Thrown, startup_warning, throw_error};
use super::ffi;
use super::globals;
use super::held::Held;
use super::slot::{Slot, Value};
use super::string::Str;
#[cfg(php_pdo_classes)]
use super::tables::pdo_mysql as tables;
pub(crate) use bound::Bound;
use core::ffi::CStr;
pub(crate) use handle::{Handle, Options, Running, to_bool, to_long};
use library::library;
use methods::{database, factory, known_database};
use statement_methods::known_statement;
pub(crate) use treatment::Treatment;
pub(crate) use values::Values;

/// What a driver could say of an attribute.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Attribute {
    /// It was written.
    Known,
    /// It could not be had; the error is set.
    Failed,
    /// There is no such attribute.
    Unknown,
}

/// A connection of the driver's.
pub(crate) trait Database: Sized + 'static {
    /// Its statements.
    type Statement: Statement;
    /// A connection that is not there yet.
    fn new() -> Self;
    /// Connects; false: the reason was thrown.
    fn connect(&self, handle: Handle<'_>, options: Options<'_>) -> bool;
    /// The PHP values in the state that go with it.
    fn held(&self) -> &Held;
    /// The state of a new statement.
    fn statement(&self) -> Self::Statement;
    /// Prepares a new statement; false: the connection has the error.
    fn prepare(
        &self,
        handle: Handle<'_>,
        statement: &Self::Statement,
        running: Running<'_>,
        sql: Str,
    ) -> bool;
    /// Runs a statement whose rows nobody wants: how many it changed; `None`: the connection has the error.
    fn run(&self, handle: Handle<'_>, sql: &[u8]) -> Option<i64>;
    /// A text as a literal; `kind` is a `PDO::PARAM_` type with its flags. `None`: the connection has the error.
    fn quote(&self, handle: Handle<'_>, text: &[u8], kind: u32) -> Option<Str>;
    fn begin(&self, handle: Handle<'_>) -> bool;
    fn commit(&self, handle: Handle<'_>) -> bool;
    fn roll_back(&self, handle: Handle<'_>) -> bool;
    fn is_in_transaction(&self) -> bool;
    /// Sets an attribute; false: it can't be.
    fn set_attribute(&self, handle: Handle<'_>, attribute: i64, value: Value<'_>) -> bool;
    /// Writes an attribute.
    fn attribute(&self, handle: Handle<'_>, attribute: i64, slot: Slot<'_>) -> Attribute;
    fn last_insert_id(&self) -> Str;
    /// The number and the text of the last error, if there was one.
    fn error(&self) -> Option<(u16, Str)>;
    /// The end of one of the objects that share a persistent connection.
    fn object_ends(&self, handle: Handle<'_>);
    /// Whether a persistent connection can be used again, by another object.
    fn is_alive(&self, handle: Handle<'_>) -> bool;
}

/// A statement of the driver's.
pub(crate) trait Statement: Sized + 'static {
    /// It is about to be freed. `has_database`: PDO still counts it among those of its connection.
    fn give_up(&self, has_database: bool);
    /// The PHP values in the state that go after it.
    fn held(&self) -> &Held;
    /// The values of the current row.
    fn values(&self) -> &Values;
    /// Runs it; false: it has the error. `is_replaced`: by now the PDO object has another connection, by which PDO has quoted parameters.
    fn execute(&self, running: Running<'_>, is_replaced: bool) -> bool;
    /// Goes on to the next row; false: there is none, or it has the error.
    fn fetch(&self, running: Running<'_>) -> bool;
    /// Tells PDO of all columns.
    fn describe(&self, running: Running<'_>) -> bool;
    /// Has the values of the current row back that were given away, if they can be had.
    fn restore_values(&self);
    /// A parameter was bound.
    fn bind(&self, running: Running<'_>, bound: Bound<'_>) -> bool;
    /// A parameter is about to be sent.
    fn send(&self, running: Running<'_>, bound: Bound<'_>) -> bool;
    /// Writes what is known of a column besides its name; false: there is none.
    fn write_column_meta(&self, running: Running<'_>, column: i64, slot: Slot<'_>) -> bool;
    /// Goes on to the next result.
    fn next_rowset(&self, running: Running<'_>) -> bool;
    /// Gives up what is left of the results.
    fn close_cursor(&self, running: Running<'_>) -> bool;
    /// As [`Database::error`].
    fn error(&self) -> Option<(u16, Str)>;
}

/// PDO's description of the driver `T`.
fn driver<T: Database>(name: &'static CStr) -> ffi::pdo_driver_t {
    ffi::pdo_driver_t {
        driver_name: name.as_ptr(),
        driver_name_len: name.count_bytes(),
        api_version: ffi::PDO_DRIVER_API.into(),
        db_handle_factory: Some(factory::<T>),
    }
}

/// Registers `T` as PDO's driver of this name, with the class that PDO has for it since PHP 8.4.
pub(crate) fn register<T: Database>(name: &'static CStr) {
    let driver: &'static ffi::pdo_driver_t = Box::leak(Box::new(driver::<T>(name)));
    // SAFETY: PDO has started, so its class is there; the description lives for ever.
    let is_registered = library().is_some_and(|library| unsafe {
        let is_taken = |outcome| outcome == ffi::ZEND_RESULT_CODE_SUCCESS;
        #[cfg(not(php_pdo_classes))]
        let add_class = || true;
        #[cfg(php_pdo_classes)]
        let add_class = || {
            let class = tables::register_class_pdo_mysql((library.php_pdo_get_dbh_ce)());
            is_taken((library.php_pdo_register_driver_specific_ce)(driver, class))
        };
        is_taken((library.php_pdo_register_driver)(driver)) && add_class()
    });
    if !is_registered {
        startup_warning(c"Vaquita: PDO did not take its driver for MySQL");
    }
}

/// Takes the driver back.
pub(crate) fn unregister<T: Database>(name: &'static CStr) {
    let driver = driver::<T>(name);
    if let Some(library) = library() {
        // SAFETY: PDO has not stopped yet; it looks for the name only.
        unsafe { (library.php_pdo_unregister_driver)(&raw const driver) };
    }
}

/// Gives the class PDO a constant.
pub(crate) fn add_constant(name: &CStr, value: i64) {
    if let Some(library) = library() {
        // SAFETY: PDO has started, no request has; the name is a C string of that length.
        unsafe {
            let class = (library.php_pdo_get_dbh_ce)();
            ffi::zend_declare_class_constant_long(class, name.as_ptr(), name.count_bytes(), value);
        }
    }
}

/// The state of the connection whose method is called.
pub(crate) fn receiver<'a, T: Database>(call: &mut Call<'a>) -> Outcome<&'a T> {
    call.arity(0, 0)?;
    // SAFETY: a method of a class runs that is derived from PDO: the object is PDO's, which has the connection before it; a driver is noted
    // there once it has connected.
    unsafe {
        let object = call.this();
        let offset = core::mem::offset_of!(ffi::pdo_dbh_object_t, std);
        let dbh = (*object.byte_sub(offset).cast::<ffi::pdo_dbh_object_t>()).inner;
        if (*dbh).driver.is_null() {
            let class = Str((*(*object).ce).name);
            return Err(throw_error(&[class.bytes(), b" object is uninitialized"]));
        }
        Ok(database(dbh))
    }
}

/// What a script gave where a statement was asked for.
pub(crate) enum Given<'a, S> {
    /// One of this driver's.
    Ours(&'a S, Running<'a>),
    /// One of another driver's, which is called so; empty: of none, for PDO did not make it.
    Others(&'a [u8]),
    /// Something else.
    Nothing,
}

/// The statement that a value is.
pub(crate) fn statement_of<'a, S: Statement>(value: Value<'a>) -> Given<'a, S> {
    // SAFETY: the type is looked at before the object is; one of PDO's class, which a script can't have made where PDO is there, stands at
    // the end of PDO's statement. A driver is one of PDO's, and its name a C string.
    unsafe {
        if library().is_none() || value.raw_type() != ffi::IS_OBJECT {
            return Given::Nothing;
        }
        let object = (*value.as_ptr()).value.obj;
        let class = statement_class();
        if class.is_null()
            || ((*object).ce != class && !ffi::instanceof_function_slow((*object).ce, class))
        {
            return Given::Nothing;
        }
        let offset = core::mem::offset_of!(ffi::pdo_stmt_t, std);
        let stmt = object.byte_sub(offset).cast::<ffi::pdo_stmt_t>();
        if let Some(statement) = known_statement(stmt) {
            return Given::Ours(statement, Running::new(stmt));
        }
        let driver = (*stmt).dbh.as_ref().and_then(|dbh| dbh.driver.as_ref());
        Given::Others(driver.map_or(b"", |it| CStr::from_ptr(it.driver_name).to_bytes()))
    }
}

/// The connection that a value is, and PDO's part of it. The outer `None`: it is something else; the inner: one of another driver's, or of
/// none.
pub(crate) fn database_of<'a, T: Database>(
    value: Value<'a>,
) -> Option<Option<(&'a T, Handle<'a>)>> {
    // SAFETY: the type is looked at before the object is; an object of PDO's class stands at the end of PDO's own.
    unsafe {
        if library().is_none() || value.raw_type() != ffi::IS_OBJECT {
            return None;
        }
        let object = (*value.as_ptr()).value.obj;
        let class = class(c"pdo");
        if class.is_null()
            || ((*object).ce != class && !ffi::instanceof_function_slow((*object).ce, class))
        {
            return None;
        }
        let offset = core::mem::offset_of!(ffi::pdo_dbh_object_t, std);
        let inner = (*object.byte_sub(offset).cast::<ffi::pdo_dbh_object_t>()).inner;
        Some(known_database(inner).map(|database| (database, Handle::new(inner))))
    }
}

/// PDO's class of statements; null: there is none.
fn statement_class() -> *mut ffi::zend_class_entry {
    class(c"pdostatement")
}

/// The class of this name in small letters; null: there is none.
fn class(name: &CStr) -> *mut ffi::zend_class_entry {
    // SAFETY: the table of classes lives as long as PHP, and its values are pointers to classes.
    unsafe {
        let classes = (*globals::compiler()).class_table;
        let found = ffi::zend_hash_str_find(classes, name.as_ptr(), name.count_bytes());
        if found.is_null() { core::ptr::null_mut() } else { (*found).value.ptr.cast() }
    }
}

/// Throws a `PDOException`.
pub(crate) fn throw(code: u16, sqlstate: [u8; 5], message: Str) -> Thrown {
    handle::throw(code, sqlstate, message);
    Thrown
}
