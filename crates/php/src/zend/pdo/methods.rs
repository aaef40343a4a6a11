//! The tables of C functions by which PDO calls a driver: each finds the state, and calls the method of its trait.

use super::super::ffi;
use super::super::guarded::cross;
use super::super::held::{self, Held};
use super::super::slot::{self, Slot, Value};
use super::super::string::Str;
#[cfg(php_pdo_classes)]
use super::scanner::scan;
use super::{Attribute, Bound, Database, Handle, Options, Running, Statement};
use core::ffi::{c_int, c_void};
use core::{mem, ptr};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The events for which nothing is to be done: PDO need not tell them.
const SKIPPED_EVENTS: u32 = 1 << ffi::pdo_param_event_PDO_PARAM_EVT_FREE
    | 1 << ffi::pdo_param_event_PDO_PARAM_EVT_EXEC_POST
    | 1 << ffi::pdo_param_event_PDO_PARAM_EVT_FETCH_PRE
    | 1 << ffi::pdo_param_event_PDO_PARAM_EVT_FETCH_POST
    | 1 << ffi::pdo_param_event_PDO_PARAM_EVT_NORMALIZE;

/// What a character becomes at the most when it is quoted, in bytes.
const MOST_ESCAPED_BYTES: u32 = 2;

struct Tables<T>(T);

impl<T: Database> Tables<T> {
    const HANDLE: ffi::pdo_dbh_methods = ffi::pdo_dbh_methods {
        closer: Some(close::<T>),
        preparer: Some(prepare::<T>),
        doer: Some(run::<T>),
        quoter: Some(quote::<T>),
        begin: Some(begin::<T>),
        commit: Some(commit::<T>),
        rollback: Some(roll_back::<T>),
        set_attribute: Some(set_attribute::<T>),
        last_id: Some(last_id::<T>),
        fetch_err: Some(fetch_error::<T>),
        get_attribute: Some(get_attribute::<T>),
        check_liveness: Some(check_liveness::<T>),
        get_driver_methods: None,
        persistent_shutdown: None,
        in_transaction: Some(in_transaction::<T>),
        get_gc: None,
        #[cfg(php_pdo_classes)]
        scanner: Some(scan),
    };
}

struct StatementTables<S>(S);

impl<S: Statement> StatementTables<S> {
    const STATEMENT: ffi::pdo_stmt_methods = ffi::pdo_stmt_methods {
        dtor: Some(free_statement::<S>),
        executer: Some(execute::<S>),
        fetcher: Some(fetch::<S>),
        describer: Some(describe::<S>),
        get_col: Some(get_column::<S>),
        param_hook: Some(parameter_event::<S>),
        set_attribute: None,
        get_attribute: None,
        get_column_meta: Some(get_column_meta::<S>),
        next_rowset: Some(next_rowset::<S>),
        cursor_closer: Some(close_cursor::<S>),
    };
}

/// What PDO keeps of a connection.
struct State<T> {
    database: T,
    /// What stood here before a script called the constructor again, oldest first. They stay where they are to the end:
    /// their statements know them, and so may a call in whose middle that happened.
    replaced: Vec<Box<State<T>>>,
}

/// The connection's state.
///
/// # Safety
/// `dbh` must be one that [`factory`] prepared and that is not closed; `'a` must end with the call of PDO's.
pub(super) unsafe fn database<'a, T: Database>(dbh: *mut ffi::pdo_dbh_t) -> &'a T {
    // SAFETY: the caller's promise.
    unsafe { &(*(*dbh).driver_data.cast::<State<T>>()).database }
}

/// Takes the connection's state from PDO; `None`: there is none, or it is another driver's.
///
/// # Safety
/// `dbh` must be alive.
unsafe fn take_state<T: Database>(dbh: *mut ffi::pdo_dbh_t) -> Option<Box<State<T>>> {
    // SAFETY: the caller's promise; who has this closer has a state of this type.
    unsafe {
        let closer = (*dbh).methods.as_ref()?.closer?;
        let is_ours =
            ptr::fn_addr_eq(closer, close::<T> as unsafe extern "C" fn(*mut ffi::pdo_dbh_t));
        let state = (*dbh).driver_data.cast::<State<T>>();
        if !is_ours || state.is_null() {
            return None;
        }
        (*dbh).driver_data = ptr::null_mut();
        Some(Box::from_raw(state))
    }
}

/// What PDO keeps of a statement.
struct StatementState<S> {
    statement: S,
    /// The state of the connection that it was made for.
    made_for: *const c_void,
}

/// The statement's state.
///
/// # Safety
/// `stmt` must be one that [`prepare`] prepared and that is not freed; `'a` must end with the call of PDO's.
unsafe fn statement<'a, S>(stmt: *mut ffi::pdo_stmt_t) -> &'a S {
    // SAFETY: the caller's promise.
    unsafe { &(*(*stmt).driver_data.cast::<StatementState<S>>()).statement }
}

/// Whether it is a statement of ours that is not freed: an object may have been constructed for another driver before.
///
/// # Safety
/// `stmt` must be alive.
unsafe fn is_ours<S: Statement>(stmt: *mut ffi::pdo_stmt_t) -> bool {
    // SAFETY: the caller's promise.
    let executer = unsafe { (*stmt).methods.as_ref().and_then(|methods| methods.executer) };
    let ours = execute::<S> as unsafe extern "C" fn(*mut ffi::pdo_stmt_t) -> c_int;
    // SAFETY: the same.
    let is_freed = unsafe { (*stmt).driver_data.is_null() };
    !is_freed && executer.is_some_and(|executer| ptr::fn_addr_eq(executer, ours))
}

// SAFETY of all below: PDO calls them, with a connection or a statement of ours that is alive during the call; arguments are as
// php_pdo_driver.h says.

pub(super) unsafe extern "C" fn factory<T: Database>(
    dbh: *mut ffi::pdo_dbh_t,
    options: *mut ffi::zval,
) -> c_int {
    cross();
    // SAFETY: see above. The table of methods is what has PDO free the state.
    unsafe {
        let replaced = take_state::<T>(dbh).map_or_else(Vec::new, |mut state| {
            let mut replaced = mem::take(&mut state.replaced);
            replaced.push(state);
            replaced
        });
        let state = State { database: T::new(), replaced };
        (*dbh).driver_data = Box::into_raw(Box::new(state)).cast();
        (*dbh).methods = &raw const *const { &Tables::<T>::HANDLE };
        (*dbh).set_skip_param_evt(SKIPPED_EVENTS);
        (*dbh).set_alloc_own_columns(1);
        (*dbh).set_max_escaped_char_length(MOST_ESCAPED_BYTES);
        database::<T>(dbh).connect(Handle::new(dbh), Options::new(options)).into()
    }
}

unsafe extern "C" fn close<T: Database>(dbh: *mut ffi::pdo_dbh_t) {
    cross();
    // SAFETY: see above; nobody uses the state afterwards. No Zend call happens under `catch_unwind`.
    unsafe {
        let state = take_state::<T>(dbh);
        let dropped = catch_unwind(AssertUnwindSafe(|| drop(state)));
        debug_assert!(dropped.is_ok());
    }
}

unsafe extern "C" fn prepare<T: Database>(
    dbh: *mut ffi::pdo_dbh_t,
    sql: *mut ffi::zend_string,
    stmt: *mut ffi::pdo_stmt_t,
    _options: *mut ffi::zval,
) -> bool {
    cross();
    // SAFETY: see above.
    unsafe {
        let database = database::<T>(dbh);
        let state =
            StatementState { statement: database.statement(), made_for: (*dbh).driver_data };
        (*stmt).driver_data = Box::into_raw(Box::new(state)).cast();
        (*stmt).methods = &raw const *const { &StatementTables::<T::Statement>::STATEMENT };
        database.prepare(Handle::new(dbh), statement(stmt), Running::new(stmt), Str(sql))
    }
}

unsafe extern "C" fn run<T: Database>(
    dbh: *mut ffi::pdo_dbh_t,
    sql: *const ffi::zend_string,
) -> ffi::zend_long {
    cross();
    // SAFETY: see above.
    unsafe { database::<T>(dbh).run(Handle::new(dbh), Str(sql.cast_mut()).bytes()).unwrap_or(-1) }
}

unsafe extern "C" fn quote<T: Database>(
    dbh: *mut ffi::pdo_dbh_t,
    text: *const ffi::zend_string,
    kind: ffi::pdo_param_type,
) -> *mut ffi::zend_string {
    cross();
    // SAFETY: see above.
    let quoted =
        unsafe { database::<T>(dbh).quote(Handle::new(dbh), Str(text.cast_mut()).bytes(), kind) };
    quoted.map_or(ptr::null_mut(), |quoted| quoted.0)
}

unsafe extern "C" fn begin<T: Database>(dbh: *mut ffi::pdo_dbh_t) -> bool {
    cross();
    // SAFETY: see above.
    unsafe { database::<T>(dbh).begin(Handle::new(dbh)) }
}

unsafe extern "C" fn commit<T: Database>(dbh: *mut ffi::pdo_dbh_t) -> bool {
    cross();
    // SAFETY: see above.
    unsafe { database::<T>(dbh).commit(Handle::new(dbh)) }
}

unsafe extern "C" fn roll_back<T: Database>(dbh: *mut ffi::pdo_dbh_t) -> bool {
    cross();
    // SAFETY: see above.
    unsafe { database::<T>(dbh).roll_back(Handle::new(dbh)) }
}

unsafe extern "C" fn in_transaction<T: Database>(dbh: *mut ffi::pdo_dbh_t) -> bool {
    cross();
    // SAFETY: see above.
    unsafe { database::<T>(dbh).is_in_transaction() }
}

unsafe extern "C" fn set_attribute<T: Database>(
    dbh: *mut ffi::pdo_dbh_t,
    attribute: ffi::zend_long,
    value: *mut ffi::zval,
) -> bool {
    cross();
    // SAFETY: see above.
    unsafe { database::<T>(dbh).set_attribute(Handle::new(dbh), attribute, Value::new(value)) }
}

unsafe extern "C" fn get_attribute<T: Database>(
    dbh: *mut ffi::pdo_dbh_t,
    attribute: ffi::zend_long,
    slot: *mut ffi::zval,
) -> c_int {
    cross();
    // SAFETY: see above.
    match unsafe { database::<T>(dbh).attribute(Handle::new(dbh), attribute, Slot::new(slot)) } {
        Attribute::Known => 1,
        Attribute::Failed => -1,
        Attribute::Unknown => 0,
    }
}

unsafe extern "C" fn last_id<T: Database>(
    dbh: *mut ffi::pdo_dbh_t,
    _name: *const ffi::zend_string,
) -> *mut ffi::zend_string {
    cross();
    // SAFETY: see above.
    unsafe { database::<T>(dbh).last_insert_id().0 }
}

unsafe extern "C" fn fetch_error<T: Database>(
    dbh: *mut ffi::pdo_dbh_t,
    stmt: *mut ffi::pdo_stmt_t,
    info: *mut ffi::zval,
) {
    cross();
    // SAFETY: see above; `info` is an array that nobody else has, and that takes the string's reference.
    unsafe {
        let error = if stmt.is_null() {
            database::<T>(dbh).error()
        } else if is_ours::<T::Statement>(stmt) {
            statement::<T::Statement>(stmt).error()
        } else {
            None
        };
        if let Some((number, text)) = error {
            let (mut first, mut second) = (Slot::undefined(), Slot::undefined());
            Slot::new(&raw mut first).long(number.into());
            Slot::new(&raw mut second).str(text);
            for value in [&raw mut first, &raw mut second] {
                ffi::zend_hash_next_index_insert((*info).value.arr, value);
            }
        }
    }
}

unsafe extern "C" fn check_liveness<T: Database>(dbh: *mut ffi::pdo_dbh_t) -> ffi::zend_result {
    cross();
    // SAFETY: see above.
    if unsafe { database::<T>(dbh).is_alive() } {
        ffi::ZEND_RESULT_CODE_SUCCESS
    } else {
        ffi::ZEND_RESULT_CODE_FAILURE
    }
}

unsafe extern "C" fn free_statement<S: Statement>(stmt: *mut ffi::pdo_stmt_t) -> c_int {
    cross();
    // SAFETY: see above; nobody uses the state afterwards. What it held goes last, for its destructors may run user code, or jump away.
    unsafe {
        let state =
            ptr::replace(&raw mut (*stmt).driver_data, ptr::null_mut()).cast::<StatementState<S>>();
        if !state.is_null() {
            let database = &raw const (*stmt).database_object_handle;
            let statement = &(*state).statement;
            statement.give_up(slot::type_of(database) != ffi::IS_UNDEF);
            let held = statement.held().map(Held::take);
            let dropped = catch_unwind(AssertUnwindSafe(|| drop(Box::from_raw(state))));
            debug_assert!(dropped.is_ok());
            for list in held {
                held::release(list);
            }
        }
    }
    1
}

unsafe extern "C" fn execute<S: Statement>(stmt: *mut ffi::pdo_stmt_t) -> c_int {
    cross();
    // SAFETY: see above.
    unsafe {
        let made_for = (*(*stmt).driver_data.cast::<StatementState<S>>()).made_for;
        let is_replaced = !ptr::eq((*(*stmt).dbh).driver_data, made_for);
        statement::<S>(stmt).execute(Running::new(stmt), is_replaced).into()
    }
}

unsafe extern "C" fn fetch<S: Statement>(
    stmt: *mut ffi::pdo_stmt_t,
    _orientation: ffi::pdo_fetch_orientation,
    _offset: ffi::zend_long,
) -> c_int {
    cross();
    // SAFETY: see above.
    unsafe { statement::<S>(stmt).fetch(Running::new(stmt)).into() }
}

unsafe extern "C" fn describe<S: Statement>(stmt: *mut ffi::pdo_stmt_t, column: c_int) -> c_int {
    cross();
    // SAFETY: see above. All are described at once, when PDO asks for the first.
    unsafe {
        let running = Running::new(stmt);
        let is_known = usize::try_from(column).is_ok_and(|it| it < running.column_count());
        (is_known && (running.is_described() || statement::<S>(stmt).describe(running))).into()
    }
}

unsafe extern "C" fn get_column<S: Statement>(
    stmt: *mut ffi::pdo_stmt_t,
    column: c_int,
    result: *mut ffi::zval,
    _kind: *mut ffi::pdo_param_type,
) -> c_int {
    cross();
    // SAFETY: see above.
    unsafe {
        let column = usize::try_from(column).unwrap_or(usize::MAX);
        statement::<S>(stmt).write_column(column, Slot::new(result)).into()
    }
}

unsafe extern "C" fn parameter_event<S: Statement>(
    stmt: *mut ffi::pdo_stmt_t,
    bound: *mut ffi::pdo_bound_param_data,
    event: ffi::pdo_param_event,
) -> c_int {
    cross();
    // SAFETY: see above.
    unsafe {
        // Of a parameter that goes nothing is read: after an error's handler has run the statement PDO may tell of one that is gone.
        let (ffi::pdo_param_event_PDO_PARAM_EVT_ALLOC
        | ffi::pdo_param_event_PDO_PARAM_EVT_EXEC_PRE) = event
        else {
            return 1;
        };
        let bound = Bound::new(bound);
        if !bound.is_parameter() || (*stmt).driver_data.is_null() {
            return 1;
        }
        let (statement, running) = (statement::<S>(stmt), Running::new(stmt));
        let is_done = match event {
            ffi::pdo_param_event_PDO_PARAM_EVT_ALLOC => statement.bind(running, bound),
            _ => statement.send(running, bound),
        };
        is_done.into()
    }
}

unsafe extern "C" fn get_column_meta<S: Statement>(
    stmt: *mut ffi::pdo_stmt_t,
    column: ffi::zend_long,
    result: *mut ffi::zval,
) -> c_int {
    cross();
    // SAFETY: see above.
    let known = unsafe {
        statement::<S>(stmt).write_column_meta(Running::new(stmt), column, Slot::new(result))
    };
    if known { ffi::ZEND_RESULT_CODE_SUCCESS } else { ffi::ZEND_RESULT_CODE_FAILURE }
}

unsafe extern "C" fn next_rowset<S: Statement>(stmt: *mut ffi::pdo_stmt_t) -> c_int {
    cross();
    // SAFETY: see above.
    unsafe { statement::<S>(stmt).next_rowset(Running::new(stmt)).into() }
}

unsafe extern "C" fn close_cursor<S: Statement>(stmt: *mut ffi::pdo_stmt_t) -> c_int {
    cross();
    // SAFETY: see above.
    unsafe { statement::<S>(stmt).close_cursor(Running::new(stmt)).into() }
}
