//! PDO's side of a connection and of a statement, as the driver sees them.

use super::super::ffi;
use super::super::held;
use super::super::slot::Value;
use super::super::string::Str;
use super::bound::Bound;
use super::library::library;
use super::treatment::Treatment;
use core::ffi::{CStr, c_char, c_int};
use core::marker::PhantomData;
use core::ptr;

/// A connection of PDO's: a `pdo_dbh_t`.
#[derive(Clone, Copy)]
pub(crate) struct Handle<'a>(pub(super) *mut ffi::pdo_dbh_t, PhantomData<&'a ffi::pdo_dbh_t>);

impl<'a> Handle<'a> {
    /// # Safety
    /// `dbh` must be alive for `'a`.
    pub(super) unsafe fn new(dbh: *mut ffi::pdo_dbh_t) -> Handle<'a> {
        Handle(dbh, PhantomData)
    }

    /// Whether it outlives the request.
    pub(crate) fn is_persistent(self) -> bool {
        // SAFETY: `new` promised a live one.
        unsafe { (*self.0).is_persistent() != 0 }
    }

    /// How many know it: the objects that share it, and PDO's list of persistent ones.
    pub(crate) fn references(self) -> u32 {
        // SAFETY: as above.
        unsafe { (*self.0).refcount }
    }

    /// Whether the script wants an exception for each error.
    pub(crate) fn throws(self) -> bool {
        // SAFETY: as above.
        unsafe { (*self.0).error_mode == ffi::pdo_error_mode_PDO_ERRMODE_EXCEPTION }
    }

    /// Whether the script wants a warning of each error.
    pub(crate) fn warns(self) -> bool {
        // SAFETY: as above.
        unsafe { (*self.0).error_mode == ffi::pdo_error_mode_PDO_ERRMODE_WARNING }
    }

    /// Whether each statement is a transaction of its own, as PDO has it.
    pub(crate) fn autocommits(self) -> bool {
        // SAFETY: as above.
        unsafe { (*self.0).auto_commit() != 0 }
    }

    /// Sets whether each statement is a transaction of its own.
    pub(crate) fn set_autocommits(self, on: bool) {
        // SAFETY: as above.
        unsafe { (*self.0).set_auto_commit(on.into()) };
    }

    /// Whether numbers are to come as strings.
    pub(crate) fn stringifies(self) -> bool {
        // SAFETY: as above.
        unsafe { (*self.0).stringify() != 0 }
    }

    /// The user's name that the script gave.
    pub(crate) fn user(self) -> Option<&'a [u8]> {
        // SAFETY: as above; a C string, or null.
        unsafe { c_bytes((*self.0).username) }
    }

    /// The password that the script gave.
    pub(crate) fn password(self) -> Option<&'a [u8]> {
        // SAFETY: as above.
        unsafe { c_bytes((*self.0).password) }
    }

    /// The values by these names of the data source's name (`host=...;dbname=...`), by PDO's own rules.
    pub(crate) fn data_source<const N: usize>(self, names: [&CStr; N]) -> [Option<Str>; N] {
        let mut parsed = names.map(|name| ffi::pdo_data_src_parser {
            optname: name.as_ptr(),
            optval: ptr::null_mut(),
            freeme: 0,
        });
        let Some(library) = library() else { return [None; N] };
        // SAFETY: the source is a C string of that length; each value that PDO found is one, which is ours to give back.
        unsafe {
            let (source, length) = ((*self.0).data_source, (*self.0).data_source_len);
            let count = c_int::try_from(N).unwrap_or_default();
            (library.php_pdo_parse_data_source)(
                source,
                length as ffi::zend_ulong,
                parsed.as_mut_ptr(),
                count,
            );
            parsed.map(|value| {
                let string = c_bytes(value.optval).map(Str::new);
                if value.freeme != 0 {
                    super::super::memory::release(value.optval.cast());
                }
                string
            })
        }
    }

    /// Sets the SQLSTATE that PDO reports of the connection.
    pub(crate) fn set_sqlstate(self, sqlstate: [u8; 5]) {
        // SAFETY: as above.
        unsafe { (*self.0).error_code = error_type(sqlstate) };
    }

    /// Throws a `PDOException`, as a constructor does that can't connect.
    pub(crate) fn throw(self, code: u16, sqlstate: [u8; 5], message: Str) {
        throw(code, sqlstate, message);
    }
}

/// Throws a `PDOException`.
pub(super) fn throw(code: u16, sqlstate: [u8; 5], message: Str) {
    let Some(library) = library() else { return };
    let mut state = error_type(sqlstate);
    // SAFETY: both are C strings, which PDO copies.
    unsafe {
        (library.pdo_throw_exception)(code.into(), message.as_ptr().cast_mut(), &raw mut state);
    }
}

/// A statement of PDO's: a `pdo_stmt_t`.
#[derive(Clone, Copy)]
pub(crate) struct Running<'a>(pub(super) *mut ffi::pdo_stmt_t, PhantomData<&'a ffi::pdo_stmt_t>);

impl<'a> Running<'a> {
    /// # Safety
    /// `stmt` must be alive for `'a`.
    pub(super) unsafe fn new(stmt: *mut ffi::pdo_stmt_t) -> Running<'a> {
        Running(stmt, PhantomData)
    }

    /// The statement's text, with its parameters in it.
    pub(crate) fn text(self) -> &'a [u8] {
        // SAFETY: `new` promised a live one; PDO sets the text before it has a statement run, and keeps it meanwhile.
        unsafe {
            let text = (*self.0).active_query_string;
            if text.is_null() { b"" } else { Str(text).bytes() }
        }
    }

    /// The text as the server prepares it, each placeholder a `?`: a new string, or `None` if it is as it was.
    ///
    /// # Errors
    /// PDO did not understand it, and has said so.
    pub(crate) fn number_placeholders(self, sql: Str) -> Result<Option<Str>, ()> {
        let library = library().ok_or(())?;
        let mut rewritten = ptr::null_mut();
        // SAFETY: as above; the new string is ours.
        let outcome = unsafe {
            (*self.0)
                .set_supports_placeholders(ffi::pdo_placeholder_support_PDO_PLACEHOLDER_POSITIONAL);
            (library.pdo_parse_params)(self.0, sql.0, &raw mut rewritten)
        };
        match outcome {
            -1 => {
                // SAFETY: both are alive; the connection is where the script looks.
                unsafe { (*(*self.0).dbh).error_code = (*self.0).error_code };
                Err(())
            }
            _ if rewritten.is_null() => Ok(None),
            _ => Ok(Some(Str(rewritten))),
        }
    }

    /// Has PDO put the parameters into the text.
    pub(crate) fn emulate_placeholders(self) {
        // SAFETY: as above.
        unsafe {
            (*self.0).set_supports_placeholders(ffi::pdo_placeholder_support_PDO_PLACEHOLDER_NONE);
        }
    }

    /// How many parameters are bound.
    pub(crate) fn bound_parameters(self) -> usize {
        // SAFETY: as above; the table is PDO's, or null.
        unsafe {
            let bound = (*self.0).bound_params;
            if bound.is_null() { 0 } else { (*bound).nNumOfElements as usize }
        }
    }

    /// Whether a parameter is still bound.
    pub(super) fn has_bound(self, bound: Bound<'_>) -> bool {
        let mut is_there = false;
        // SAFETY: as above; the table's values are pointers.
        unsafe {
            let table = (*self.0).bound_params;
            if !table.is_null() {
                held::each(table, |value| is_there |= (*value).value.ptr == bound.0.cast());
            }
        }
        is_there
    }

    /// Sets what `rowCount()` tells.
    pub(crate) fn set_row_count(self, rows: u64) {
        // SAFETY: as above.
        unsafe { (*self.0).row_count = rows.cast_signed() };
    }

    /// How many columns PDO knows of.
    pub(crate) fn column_count(self) -> usize {
        // SAFETY: as above.
        usize::try_from(unsafe { (*self.0).column_count }).unwrap_or_default()
    }

    /// Tells PDO how many columns there are.
    pub(crate) fn set_column_count(self, columns: usize) {
        let Some(library) = library() else { return };
        let columns = c_int::try_from(columns).unwrap_or(c_int::MAX);
        // SAFETY: as above.
        unsafe { (library.php_pdo_stmt_set_column_count)(self.0, columns) };
    }

    /// Tells PDO of a column: its name, whose reference it takes over, its length and its decimals.
    pub(crate) fn describe(self, column: usize, name: Str, length: u32, decimals: u8) {
        // SAFETY: PDO has made room for as many columns as it was told of, and there is nothing there yet.
        unsafe {
            if column < self.column_count() && !(*self.0).columns.is_null() {
                let place = (*self.0).columns.add(column);
                (*place).name = name.0;
                (*place).maxlen = length as usize;
                (*place).precision = decimals.into();
            } else {
                name.release();
            }
        }
    }

    /// Whether PDO was told of the columns.
    pub(crate) fn is_described(self) -> bool {
        // SAFETY: as above.
        unsafe {
            let columns = (*self.0).columns;
            !columns.is_null() && !(*columns).name.is_null()
        }
    }

    /// The name of a column, as PDO has it; `None`: PDO was not told of it.
    pub(crate) fn column_name(self, column: usize) -> Option<&'a [u8]> {
        // SAFETY: as above; PDO has as many columns as it counts, with a name each or none.
        unsafe {
            if column >= self.column_count() || (*self.0).columns.is_null() {
                return None;
            }
            let name = (*(*self.0).columns.add(column)).name;
            (!name.is_null()).then(|| Str(name).bytes())
        }
    }

    /// What PDO makes of the values that it gets.
    pub(crate) fn treatment(self) -> Treatment {
        // SAFETY: as above; a statement of ours has a connection.
        unsafe { Treatment::of((*self.0).dbh) }
    }

    /// Sets the SQLSTATE that PDO reports of the statement.
    pub(crate) fn set_sqlstate(self, sqlstate: [u8; 5]) {
        // SAFETY: as above.
        unsafe { (*self.0).error_code = error_type(sqlstate) };
    }

    /// Reports an error of the driver's own, without a number.
    pub(crate) fn raise(self, sqlstate: [u8; 5], what: &CStr) {
        let Some(library) = library() else { return };
        let mut state = error_type(sqlstate);
        // SAFETY: as above; PDO copies both.
        unsafe {
            let dbh = (*self.0).dbh;
            (library.pdo_raise_impl_error)(dbh, self.0, state.as_mut_ptr(), what.as_ptr());
        }
    }
}

/// The driver's options that a script gave with its call: an array, or none.
#[derive(Clone, Copy)]
pub(crate) struct Options<'a>(Option<Value<'a>>);

impl<'a> Options<'a> {
    /// # Safety
    /// `options` must be null, or an array for `'a`.
    pub(super) unsafe fn new(options: *mut ffi::zval) -> Options<'a> {
        // SAFETY: the caller's promise.
        Options((!options.is_null()).then(|| unsafe { Value::new(options) }))
    }

    /// Whether there are any.
    pub(crate) fn are_given(self) -> bool {
        self.0.is_some()
    }

    fn find(self, attribute: i64) -> Option<Value<'a>> {
        let options = self.0?;
        // SAFETY: an array, by the promise of `new`; what is found in it stays as long as it does.
        unsafe {
            let array = (*options.as_ptr()).value.arr;
            let found = ffi::zend_hash_index_find(array, attribute.cast_unsigned());
            (!found.is_null()).then(|| Value::new(found))
        }
    }

    /// An attribute as an integer.
    pub(crate) fn long(self, attribute: i64) -> Option<i64> {
        self.find(attribute).map(Value::to_long)
    }

    /// An attribute as a string; also `None` where it can't be one: then an exception is pending.
    pub(crate) fn string(self, attribute: i64) -> Option<Str> {
        self.find(attribute).and_then(Value::to_str)
    }
}

/// A value that a script set an attribute to, as a truth value; `None`: it is none, and PDO has said so.
pub(crate) fn to_bool(value: Value<'_>) -> Option<bool> {
    let mut is_on = false;
    // SAFETY: the place is this frame's own.
    unsafe { (library()?.pdo_get_bool_param)(&raw mut is_on, value.as_ptr()).then_some(is_on) }
}

/// The same as an integer.
pub(crate) fn to_long(value: Value<'_>) -> Option<i64> {
    let mut number = 0;
    // SAFETY: as above.
    unsafe { (library()?.pdo_get_long_param)(&raw mut number, value.as_ptr()).then_some(number) }
}

/// # Safety
/// `string` must be null or a C string that stays for `'a`.
unsafe fn c_bytes<'a>(string: *const c_char) -> Option<&'a [u8]> {
    // SAFETY: the caller's promise.
    (!string.is_null()).then(|| unsafe { CStr::from_ptr(string) }.to_bytes())
}

fn error_type(sqlstate: [u8; 5]) -> ffi::pdo_error_type {
    let [a, b, c, d, e] = sqlstate.map(u8::cast_signed);
    [a, b, c, d, e, 0]
}
