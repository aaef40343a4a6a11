//! What a table's rows were compared with: a port may be another server's, or give columns in another order than its tables say. Only the server's
//! own rows show it, so a port answers from a table where one of its rows was the server's, to the byte; and of several values without
//! names, as long as no other one is in a wanted one's place that was the same then and is not now.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use rustc_hash::FxHashSet;

/// The most runs in a row of a shape that go to the server because those before were in vain.
const MOST_LEFT_OUT: u32 = 64;

/// What was seen of a table at the port.
#[derive(Debug, Default)]
pub(crate) struct Proof {
    /// Whether a row was another one than the server's.
    differs: Cell<bool>,
    /// The places whose values were those of their columns.
    agreed: RefCell<FxHashSet<usize>>,
    /// Such a place, and another one, in which something else stood.
    told_apart: RefCell<FxHashSet<(usize, usize)>>,
}

impl Proof {
    /// Whether a row was another one than the server's.
    pub(crate) fn differs(&self) -> bool {
        self.differs.get()
    }

    pub(crate) fn set_differs(&self) {
        self.differs.set(true);
    }
}

/// What of a table's proof the rows of one plan need.
#[derive(Debug)]
pub(crate) struct Needed {
    pub(crate) table: Rc<Proof>,
    /// The places of the wanted values among those that the port gives.
    places: Box<[usize]>,
    /// How many it gives; those with a name of their own are one.
    values: usize,
    /// Whether no row has to be looked at any more.
    is_done: Cell<bool>,
}

impl Needed {
    pub(crate) fn new(table: Rc<Proof>, places: Box<[usize]>, values: usize) -> Needed {
        Needed { table, places, values, is_done: Cell::new(false) }
    }

    /// Whether no row has to be looked at any more.
    #[inline]
    pub(crate) fn is_done(&self) -> bool {
        self.is_done.get()
    }

    /// Whether a row of these values has its columns' ones, as far as that is known.
    pub(crate) fn is_sure_of(&self, values: &[&[u8]]) -> bool {
        let told_apart = self.table.told_apart.borrow();
        let (mut is_sure, mut is_done) = (true, true);
        for place in &self.places {
            let has_agreed = self.table.agreed.borrow().contains(place);
            (is_sure, is_done) = (is_sure && has_agreed, is_done && has_agreed);
            for other in (0..self.values).filter(|other| other != place) {
                let is_told = told_apart.contains(&(*place, other));
                is_done &= is_told;
                is_sure &= is_told || values.get(*place) == values.get(other);
            }
        }
        self.is_done.set(is_done);
        is_sure
    }

    /// The wanted ones of these values were the server's; whether that has told anything new.
    pub(crate) fn agree(&self, values: &[&[u8]]) -> bool {
        let mut agreed = self.table.agreed.borrow_mut();
        let mut told_apart = self.table.told_apart.borrow_mut();
        let before = agreed.len() + told_apart.len();
        for place in &self.places {
            agreed.insert(*place);
            let is_other = |other: &usize| values.get(*place) != values.get(*other);
            told_apart.extend((0..self.values).filter(is_other).map(|other| (*place, other)));
        }
        agreed.len() + told_apart.len() > before
    }
}

/// How often the port was asked in vain for rows of one shape: twice as many of the next runs go to the server each time.
#[derive(Debug, Default)]
pub(crate) struct InVain {
    in_a_row: Cell<u32>,
    left_out: Cell<u32>,
}

impl InVain {
    /// It was.
    pub(crate) fn add(&self) {
        let runs = (self.in_a_row.get() * 2).clamp(1, MOST_LEFT_OUT);
        self.in_a_row.set(runs);
        self.left_out.set(runs);
    }

    /// It was not.
    #[inline]
    pub(crate) fn end(&self) {
        self.in_a_row.set(0);
    }

    /// Whether one is to be left out.
    pub(crate) fn is_pending(&self) -> bool {
        self.left_out.get() > 0
    }

    /// Whether the next run is left out.
    #[inline]
    pub(crate) fn leaves_out(&self) -> bool {
        let left = self.left_out.get();
        if left > 0 {
            self.left_out.set(left - 1);
        }
        left > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_the_same_by_chance_is_not_told_apart() {
        let table = Rc::new(Proof::default());
        let first = Needed::new(Rc::clone(&table), [0].into(), 3);
        assert!(!first.is_sure_of(&[b"a", b"b", b"c"]));
        assert!(first.agree(&[b"0", b"0", b"5"]));
        // The third is another one, the second may be the first.
        assert!(first.is_sure_of(&[b"7", b"7", b"7"]) && first.is_sure_of(&[b"7", b"7", b"8"]));
        assert!(!first.is_sure_of(&[b"7", b"8", b"7"]) && !first.is_done());
        assert!(!first.agree(&[b"1", b"1", b"1"]));
        assert!(first.agree(&[b"1", b"2", b"1"]));
        assert!(first.is_sure_of(&[b"7", b"8", b"9"]) && first.is_done());
        let both = Needed::new(Rc::clone(&table), [0, 1].into(), 3);
        assert!(!both.is_sure_of(&[b"7", b"8", b"9"]));
        let again = Needed::new(table, [0].into(), 3);
        assert!(again.is_sure_of(&[b"7", b"8", b"9"]) && again.is_done());
    }

    #[test]
    fn what_is_in_vain_is_tried_ever_less() {
        let in_vain = InVain::default();
        let mut tried = 0;
        for _ in 0..1000 {
            if !in_vain.leaves_out() {
                tried += 1;
                in_vain.add();
            }
        }
        assert!((15..25).contains(&tried), "{tried}");
        in_vain.end();
        while in_vain.leaves_out() {}
        in_vain.add();
        assert!(in_vain.leaves_out() && !in_vain.leaves_out());
    }
}
