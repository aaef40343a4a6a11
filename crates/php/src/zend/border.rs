//! Where Zend calls in: what was borrowed by a call that never came back is free again, and a panic goes no further.
//!
//! A panic here is one of the glue's: it had borrowed nothing of the driver's to change, for there [`guarded::Guarded::with`] catches. Zend
//! may jump over this catch, to its own, where a request ends by a fatal error. Rust promises nothing of that; where we build for, it does no
//! harm: a catch is an entry in a table of the object file, which is read by who unwinds, and the compiler takes the call that jumped for one
//! that never comes back. Without it, a slip of the glue would be the end of the worker, whatever the request.

use super::error::throw_bug;
use super::guarded;
use core::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::OnceLock;

/// Does the work of a call of Zend's; if it panics, an `Error` is thrown and the call comes to `instead`.
#[inline(always)]
pub(super) fn enter<R>(instead: R, work: impl FnOnce() -> R) -> R {
    guarded::cross();
    // What the work was about to change is thrown away, or was Zend's, which keeps it whole.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        guarded::cross(); // what was being looked at is so no longer
        if let Some(give_up) = GIVE_UP.get() {
            give_up();
        }
        throw_bug();
        instead
    })
}

thread_local! {
    /// Where the last panic was that PHP's log has nothing of.
    static UNLOGGED: Cell<Option<String>> = const { Cell::new(None) };
}

/// Keeps in mind where a panic was: its own words go to the standard error stream, which a worker of PHP-FPM may not have.
pub(crate) fn note_panics() {
    let before = take_hook();
    set_hook(Box::new(move |panic| {
        let place = panic.location().map(ToString::to_string);
        // A thread that is about to end has nowhere to keep it.
        let _ = UNLOGGED.try_with(|kept| kept.set(place));
        before(panic);
    }));
}

/// Where the last panic was, once.
pub(super) fn take_unlogged() -> Option<String> {
    UNLOGGED.try_with(Cell::take).ok().flatten()
}

static GIVE_UP: OnceLock<fn()> = OnceLock::new();

/// Says what is to be given up when the glue has panicked: nobody can tell what it was about. That may not panic, nor run user code.
pub(crate) fn set_give_up(give_up: fn()) {
    let _ = GIVE_UP.set(give_up);
}
