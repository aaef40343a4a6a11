//! `Guarded`: what the driver owns, inside a PHP object, borrowed by no one while user code runs.

use core::cell::{Cell, UnsafeCell};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// How often PHP has come over the border: on each thread, where it has threads.
#[cfg(php_zts)]
mod crossings {
    use core::cell::Cell;

    thread_local! {
        static CROSSINGS: Cell<u64> = const { Cell::new(1) };
    }

    #[inline]
    pub(super) fn now() -> u64 {
        CROSSINGS.with(Cell::get)
    }

    #[inline]
    pub(super) fn next() {
        CROSSINGS.with(|crossings| crossings.set(crossings.get().wrapping_add(1)));
    }
}

/// The same without threads: finding a thread's own takes as long as reading a property.
#[cfg(not(php_zts))]
mod crossings {
    use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

    static CROSSINGS: AtomicU64 = AtomicU64::new(1);

    #[inline]
    pub(super) fn now() -> u64 {
        CROSSINGS.load(Relaxed)
    }

    #[inline]
    pub(super) fn next() {
        CROSSINGS.store(now().wrapping_add(1), Relaxed);
    }
}

/// Notes that PHP calls in: no borrow of an earlier call may be alive any more, for no call makes Zend run user code under
/// a borrow. What looks borrowed still was left so by a long jump.
#[inline]
pub(super) fn cross() {
    crossings::next();
}

/// A bug of ours: the driver panicked, or the glue borrowed twice. What it worked on is to be thrown away.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bug;

/// A value of the driver's that belongs to a PHP object.
pub(crate) struct Guarded<T> {
    value: UnsafeCell<T>,
    /// The crossing during which somebody borrows it; 0: nobody.
    borrowed: Cell<u64>,
}

impl<T> Guarded<T> {
    pub(crate) const fn new(value: T) -> Guarded<T> {
        Guarded { value: UnsafeCell::new(value), borrowed: Cell::new(0) }
    }

    /// Works on the value exclusively. **Make no Zend call inside that may long-jump**, that is, allocate, raise or run anything:
    /// a long jump over `catch_unwind` is undefined.
    ///
    /// # Errors
    /// `Bug` if the work panicked or the value is borrowed already.
    pub(crate) fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> Result<R, Bug> {
        let crossing = crossings::now();
        if self.borrowed.get() == crossing {
            debug_assert!(false, "borrowed twice");
            return Err(Bug);
        }
        self.borrowed.set(crossing);
        let worked = catch_unwind(AssertUnwindSafe(|| {
            // SAFETY: nobody else borrows it: within this crossing the mark says so, and a borrow of an earlier one
            // has ended, as `cross` explains. It does not leave this thread: `UnsafeCell` is not Sync.
            work(unsafe { &mut *self.value.get() })
        }));
        self.borrowed.set(0);
        worked.map_err(|_| Bug)
    }

    /// Looks at the value; Zend calls that allocate are welcome inside, **such that run user code are not**.
    ///
    /// A long jump out of it is harmless: the mark that stays is of a crossing that never comes back.
    ///
    /// # Errors
    /// `Bug` if the value is borrowed already.
    pub(crate) fn peek<R>(&self, look: impl FnOnce(&T) -> R) -> Result<R, Bug> {
        let crossing = crossings::now();
        if self.borrowed.get() == crossing {
            debug_assert!(false, "borrowed twice");
            return Err(Bug);
        }
        self.borrowed.set(crossing);
        // SAFETY: as in `with`.
        let seen = look(unsafe { &*self.value.get() });
        self.borrowed.set(0);
        Ok(seen)
    }
}
