//! The table of C functions by which PDO calls a driver about a statement: each finds the state, and calls the method of its trait.

use super::super::border::enter;
use super::super::ffi;
use super::super::held;
use super::super::memory::{self, allocate};
use super::super::slot::{self, Slot};
use super::{Bound, Running, Statement};
use core::ffi::{c_int, c_void};
use core::ptr;
use std::panic::{AssertUnwindSafe, catch_unwind};

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

/// What PDO keeps of a statement.
struct StatementState<S> {
    statement: S,
    /// The state of the connection that it was made for.
    made_for: *const c_void,
}

/// The statement's state.
///
/// # Safety
/// `stmt` must be one that [`give_state`] gave its state and that is not freed; `'a` must end with the call of PDO's.
unsafe fn statement<'a, S>(stmt: *mut ffi::pdo_stmt_t) -> &'a S {
    // SAFETY: the caller's promise.
    unsafe { &(*(*stmt).driver_data.cast::<StatementState<S>>()).statement }
}

/// The state of a statement that PDO names; `None`: it is another driver's, for which its object was constructed before, or freed.
///
/// # Safety
/// As [`statement`], but for that.
pub(super) unsafe fn known_statement<'a, S: Statement>(
    stmt: *mut ffi::pdo_stmt_t,
) -> Option<&'a S> {
    let ours = execute::<S> as unsafe extern "C" fn(*mut ffi::pdo_stmt_t) -> c_int;
    // SAFETY: the caller's promise; who has this function has a state of this type.
    unsafe {
        let executer = (*stmt).methods.as_ref()?.executer?;
        let is_known = ptr::fn_addr_eq(executer, ours) && !(*stmt).driver_data.is_null();
        is_known.then(|| statement(stmt))
    }
}

/// Gives a statement that PDO is about to prepare its state, in the request's memory: the statement is an object.
///
/// # Safety
/// `stmt` must be alive, with its connection, and without a state; `'a` must end with the call of PDO's.
pub(super) unsafe fn give_state<'a, S: Statement>(
    stmt: *mut ffi::pdo_stmt_t,
    make: impl FnOnce() -> S,
) -> &'a S {
    const { assert!(align_of::<StatementState<S>>() <= 8, "as far as memory is aligned") };
    // SAFETY: the caller's promise. The memory, which may be refused by a long jump, is taken while there is no state. The table of methods is
    // what has PDO free the state.
    unsafe {
        let state = allocate(size_of::<StatementState<S>>()).cast::<StatementState<S>>();
        state.write(StatementState { statement: make(), made_for: (*(*stmt).dbh).driver_data });
        (*stmt).driver_data = state.cast();
        (*stmt).methods = &raw const *const { &StatementTables::<S>::STATEMENT };
        statement(stmt)
    }
}

// SAFETY of all below: PDO calls them, with a statement of ours that is alive during the call; arguments are as
// php_pdo_driver.h says.

unsafe extern "C" fn free_statement<S: Statement>(stmt: *mut ffi::pdo_stmt_t) -> c_int {
    enter(1, || {
        // SAFETY: see above; nobody uses the state afterwards. What it held goes last, for its destructors may run user code, or jump away.
        unsafe {
            let state = ptr::replace(&raw mut (*stmt).driver_data, ptr::null_mut())
                .cast::<StatementState<S>>();
            if !state.is_null() {
                let database = &raw const (*stmt).database_object_handle;
                let statement = &(*state).statement;
                statement.give_up(slot::type_of(database) != ffi::IS_UNDEF);
                let held = statement.held().take();
                let dropped = catch_unwind(AssertUnwindSafe(|| ptr::drop_in_place(state)));
                debug_assert!(dropped.is_ok());
                memory::release(state.cast());
                held::release(held);
            }
        }
        1
    })
}

unsafe extern "C" fn execute<S: Statement>(stmt: *mut ffi::pdo_stmt_t) -> c_int {
    enter(0, || {
        // SAFETY: see above.
        unsafe {
            let made_for = (*(*stmt).driver_data.cast::<StatementState<S>>()).made_for;
            let is_replaced = !ptr::eq((*(*stmt).dbh).driver_data, made_for);
            statement::<S>(stmt).execute(Running::new(stmt), is_replaced).into()
        }
    })
}

unsafe extern "C" fn fetch<S: Statement>(
    stmt: *mut ffi::pdo_stmt_t,
    _orientation: ffi::pdo_fetch_orientation,
    _offset: ffi::zend_long,
) -> c_int {
    enter(0, || {
        // SAFETY: see above.
        unsafe { statement::<S>(stmt).fetch(Running::new(stmt)).into() }
    })
}

unsafe extern "C" fn describe<S: Statement>(stmt: *mut ffi::pdo_stmt_t, column: c_int) -> c_int {
    enter(0, || {
        // SAFETY: see above. All are described at once, when PDO asks for the first.
        unsafe {
            let running = Running::new(stmt);
            let is_known = usize::try_from(column).is_ok_and(|it| it < running.column_count());
            (is_known && (running.is_described() || statement::<S>(stmt).describe(running))).into()
        }
    })
}

unsafe extern "C" fn get_column<S: Statement>(
    stmt: *mut ffi::pdo_stmt_t,
    column: c_int,
    result: *mut ffi::zval,
    kind: *mut ffi::pdo_param_type,
) -> c_int {
    // SAFETY: see above. No border is crossed for a value that is here; a negative number is that of no column.
    unsafe {
        if statement::<S>(stmt).values().give(column.cast_unsigned(), Slot::new(result)) {
            return 1;
        }
        share_column::<S>(stmt, column, result, kind)
    }
}

/// Gives the value of a column that is not the next one. Called as [`get_column`] is, which so needs none of the registers that this saves.
#[inline(never)]
unsafe extern "C" fn share_column<S: Statement>(
    stmt: *mut ffi::pdo_stmt_t,
    column: c_int,
    result: *mut ffi::zval,
    _kind: *mut ffi::pdo_param_type,
) -> c_int {
    enter(0, || {
        // SAFETY: see above.
        unsafe {
            let (statement, column) = (statement::<S>(stmt), column.cast_unsigned());
            if statement.values().has_given(column) {
                statement.restore_values();
            }
            statement.values().share(column, Slot::new(result)).into()
        }
    })
}

unsafe extern "C" fn parameter_event<S: Statement>(
    stmt: *mut ffi::pdo_stmt_t,
    bound: *mut ffi::pdo_bound_param_data,
    event: ffi::pdo_param_event,
) -> c_int {
    enter(0, || {
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
    })
}

unsafe extern "C" fn get_column_meta<S: Statement>(
    stmt: *mut ffi::pdo_stmt_t,
    column: ffi::zend_long,
    result: *mut ffi::zval,
) -> c_int {
    enter(0, || {
        // SAFETY: see above.
        let known = unsafe {
            statement::<S>(stmt).write_column_meta(Running::new(stmt), column, Slot::new(result))
        };
        if known { ffi::ZEND_RESULT_CODE_SUCCESS } else { ffi::ZEND_RESULT_CODE_FAILURE }
    })
}

unsafe extern "C" fn next_rowset<S: Statement>(stmt: *mut ffi::pdo_stmt_t) -> c_int {
    enter(0, || {
        // SAFETY: see above.
        unsafe { statement::<S>(stmt).next_rowset(Running::new(stmt)).into() }
    })
}

unsafe extern "C" fn close_cursor<S: Statement>(stmt: *mut ffi::pdo_stmt_t) -> c_int {
    enter(0, || {
        // SAFETY: see above.
        unsafe { statement::<S>(stmt).close_cursor(Running::new(stmt)).into() }
    })
}
