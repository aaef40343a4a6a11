//! The table of C functions by which PDO calls a driver about a connection: each finds the state, and calls the method of its trait.

use super::super::border::enter;
use super::super::ffi;
use super::super::guarded::cross;
use super::super::held;
use super::super::slot::{Slot, Value};
use super::super::string::Str;
#[cfg(php_pdo_classes)]
use super::scanner::scan;
use super::statement_methods::{give_state, known_statement};
use super::{Attribute, Database, Handle, Options, Running, Statement};
use core::ffi::c_int;
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
        persistent_shutdown: Some(object_ends::<T>),
        in_transaction: Some(in_transaction::<T>),
        get_gc: None,
        #[cfg(php_pdo_classes)]
        scanner: Some(scan),
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

/// The state of a connection that PDO names; `None`: it is another driver's, or none was made.
///
/// # Safety
/// `dbh` must be alive for `'a`, or null.
pub(super) unsafe fn known_database<'a, T: Database>(dbh: *mut ffi::pdo_dbh_t) -> Option<&'a T> {
    let ours = close::<T> as unsafe extern "C" fn(*mut ffi::pdo_dbh_t);
    // SAFETY: the caller's promise; who has this closer has a state of this type.
    unsafe {
        let closer = dbh.as_ref()?.methods.as_ref()?.closer?;
        let is_known = ptr::fn_addr_eq(closer, ours) && !(*dbh).driver_data.is_null();
        is_known.then(|| database(dbh))
    }
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

// SAFETY of all below: PDO calls them, with a connection or a statement of ours that is alive during the call; arguments are as
// php_pdo_driver.h says.

pub(super) unsafe extern "C" fn factory<T: Database>(
    dbh: *mut ffi::pdo_dbh_t,
    options: *mut ffi::zval,
) -> c_int {
    enter(0, || {
        // SAFETY: see above. The table of methods is what has PDO free the state. What was given for the connection before goes while that is still
        // there, for user code may run.
        unsafe {
            if let Some(database) = known_database::<T>(dbh) {
                database.held().clear();
            }
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
    })
}

unsafe extern "C" fn close<T: Database>(dbh: *mut ffi::pdo_dbh_t) {
    cross();
    // SAFETY: see above; nobody uses the state afterwards. No Zend call happens under `catch_unwind`.
    unsafe {
        let state = take_state::<T>(dbh);
        let held = state.as_ref().map_or(ptr::null_mut(), |state| state.database.held().take());
        let dropped = catch_unwind(AssertUnwindSafe(|| drop(state)));
        debug_assert!(dropped.is_ok());
        held::release(held);
    }
}

unsafe extern "C" fn prepare<T: Database>(
    dbh: *mut ffi::pdo_dbh_t,
    sql: *mut ffi::zend_string,
    stmt: *mut ffi::pdo_stmt_t,
    _options: *mut ffi::zval,
) -> bool {
    enter(false, || {
        // SAFETY: see above.
        unsafe {
            let database = database::<T>(dbh);
            let statement = give_state(stmt, || database.statement());
            database.prepare(Handle::new(dbh), statement, Running::new(stmt), Str(sql))
        }
    })
}

unsafe extern "C" fn run<T: Database>(
    dbh: *mut ffi::pdo_dbh_t,
    sql: *const ffi::zend_string,
) -> ffi::zend_long {
    enter(-1, || {
        // SAFETY: see above.
        unsafe {
            database::<T>(dbh).run(Handle::new(dbh), Str(sql.cast_mut()).bytes()).unwrap_or(-1)
        }
    })
}

unsafe extern "C" fn quote<T: Database>(
    dbh: *mut ffi::pdo_dbh_t,
    text: *const ffi::zend_string,
    kind: ffi::pdo_param_type,
) -> *mut ffi::zend_string {
    enter(ptr::null_mut(), || {
        // SAFETY: see above.
        let quoted = unsafe {
            database::<T>(dbh).quote(Handle::new(dbh), Str(text.cast_mut()).bytes(), kind)
        };
        quoted.map_or(ptr::null_mut(), |quoted| quoted.0)
    })
}

unsafe extern "C" fn begin<T: Database>(dbh: *mut ffi::pdo_dbh_t) -> bool {
    enter(false, || {
        // SAFETY: see above.
        unsafe { database::<T>(dbh).begin(Handle::new(dbh)) }
    })
}

unsafe extern "C" fn commit<T: Database>(dbh: *mut ffi::pdo_dbh_t) -> bool {
    enter(false, || {
        // SAFETY: see above.
        unsafe { database::<T>(dbh).commit(Handle::new(dbh)) }
    })
}

unsafe extern "C" fn roll_back<T: Database>(dbh: *mut ffi::pdo_dbh_t) -> bool {
    enter(false, || {
        // SAFETY: see above.
        unsafe { database::<T>(dbh).roll_back(Handle::new(dbh)) }
    })
}

unsafe extern "C" fn in_transaction<T: Database>(dbh: *mut ffi::pdo_dbh_t) -> bool {
    enter(false, || {
        // SAFETY: see above.
        unsafe { database::<T>(dbh).is_in_transaction() }
    })
}

unsafe extern "C" fn set_attribute<T: Database>(
    dbh: *mut ffi::pdo_dbh_t,
    attribute: ffi::zend_long,
    value: *mut ffi::zval,
) -> bool {
    enter(false, || {
        // SAFETY: see above.
        unsafe { database::<T>(dbh).set_attribute(Handle::new(dbh), attribute, Value::new(value)) }
    })
}

unsafe extern "C" fn get_attribute<T: Database>(
    dbh: *mut ffi::pdo_dbh_t,
    attribute: ffi::zend_long,
    slot: *mut ffi::zval,
) -> c_int {
    enter(0, || {
        // SAFETY: see above.
        match unsafe { database::<T>(dbh).attribute(Handle::new(dbh), attribute, Slot::new(slot)) }
        {
            Attribute::Known => 1,
            Attribute::Failed => -1,
            Attribute::Unknown => 0,
        }
    })
}

unsafe extern "C" fn last_id<T: Database>(
    dbh: *mut ffi::pdo_dbh_t,
    _name: *const ffi::zend_string,
) -> *mut ffi::zend_string {
    enter(ptr::null_mut(), || {
        // SAFETY: see above.
        unsafe { database::<T>(dbh).last_insert_id().0 }
    })
}

unsafe extern "C" fn fetch_error<T: Database>(
    dbh: *mut ffi::pdo_dbh_t,
    stmt: *mut ffi::pdo_stmt_t,
    info: *mut ffi::zval,
) {
    enter((), || {
        // SAFETY: see above; `info` is an array that nobody else has, and that takes the string's reference.
        unsafe {
            let error = if stmt.is_null() {
                database::<T>(dbh).error()
            } else {
                known_statement::<T::Statement>(stmt).and_then(Statement::error)
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
    })
}

unsafe extern "C" fn object_ends<T: Database>(dbh: *mut ffi::pdo_dbh_t) {
    enter((), || {
        // SAFETY: see above; but the state may be gone already, after a constructor that failed.
        unsafe {
            if !(*dbh).driver_data.is_null() {
                database::<T>(dbh).object_ends(Handle::new(dbh));
            }
        }
    })
}

unsafe extern "C" fn check_liveness<T: Database>(dbh: *mut ffi::pdo_dbh_t) -> ffi::zend_result {
    enter(ffi::ZEND_RESULT_CODE_FAILURE, || {
        // SAFETY: see above. PDO forgets a handle that is dead and that nobody uses, without closing it.
        unsafe {
            let handle = Handle::new(dbh);
            if database::<T>(dbh).is_alive(handle) {
                return ffi::ZEND_RESULT_CODE_SUCCESS;
            }
            if handle.references() == 1 {
                close::<T>(dbh);
            }
        }
        ffi::ZEND_RESULT_CODE_FAILURE
    })
}
