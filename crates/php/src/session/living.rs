//! `Living`: those of its kind that are still there, for whoever wants to sum them up.

use core::cell::Cell;
use std::rc::{Rc, Weak};

/// A list of what others own. Those that went leave it when it would grow.
pub(super) struct Living<T>(Cell<Vec<Weak<T>>>);

impl<T> Living<T> {
    pub(super) const fn none() -> Living<T> {
        Living(Cell::new(Vec::new()))
    }

    pub(super) fn add(&self, one: &Rc<T>) {
        let mut list = self.0.take();
        if list.len() == list.capacity() {
            list.retain(|one| one.strong_count() > 0);
        }
        list.push(Rc::downgrade(one));
        self.0.set(list);
    }

    /// Looks at each that is still there; nobody may be added meanwhile.
    pub(super) fn each(&self, mut look: impl FnMut(&T)) {
        let borrowed = Borrowed { from: self, list: self.0.take() };
        for one in borrowed.list.iter().filter_map(Weak::upgrade) {
            look(&one);
        }
    }
}

/// The list while somebody looks at it. It goes back behind a panic, too: who gives all connections up then has to find them.
struct Borrowed<'a, T> {
    from: &'a Living<T>,
    list: Vec<Weak<T>>,
}

impl<T> Drop for Borrowed<'_, T> {
    fn drop(&mut self) {
        self.from.0.set(std::mem::take(&mut self.list));
    }
}
