//! How the rows of a result are read, and what was fetched of them. It is made once for many results of the same columns.

use crate::convert::{Format, Layout};
use crate::session::Session;
use crate::session::living::Living;
use crate::statistics::Key;
use core::cell::Cell;
use std::rc::Rc;
use vaquita_client::Columns;

/// The part of rows that their session knows, too.
pub(crate) struct Reading {
    pub(crate) columns: Columns,
    pub(crate) layout: Layout,
    pub(super) format: Format,
    /// The session's connection that the rows come from.
    pub(super) generation: Cell<u64>,
    /// How many rows were fetched of the result that has it.
    pub(super) fetched: Cell<u64>,
    /// How many of the results before do not count anywhere yet; below zero, how many of this one do.
    fetched_before: Cell<u64>,
    /// As what they count; `None`: nothing counts.
    key: Cell<Option<Key>>,
}

impl Reading {
    /// Tells what was fetched, unless that does not count.
    pub(crate) fn tell(&self, mut tell: impl FnMut(Key, u64)) {
        if let Some(key) = self.key.get() {
            tell(key, self.fetched_before.get().wrapping_add(self.fetched.get()));
            self.layout.tell(tell);
        }
    }

    /// Has what was fetched count among the session's counters, and begins anew.
    fn settle(&self, session: &Session) {
        session.count_fetched(self);
        self.fetched_before.set(0_u64.wrapping_sub(self.fetched.get()));
        self.layout.forget_tallies();
    }

    /// Whether rows can still come.
    pub(super) fn is_live(&self, session: &Session) -> bool {
        self.is_current(session) && session.is_connected()
    }

    /// Whether the connection is still the session's.
    pub(super) fn is_current(&self, session: &Session) -> bool {
        self.generation.get() == session.generation()
    }
}

thread_local! {
    /// Whether a request is running: then there is the memory in which a layout keeps what rows are made from.
    static IS_REQUEST: Cell<bool> = const { Cell::new(false) };
}

/// Begins a request.
pub(crate) fn begin_request() {
    IS_REQUEST.set(true);
}

/// Ends a request: from now on nothing of it is kept.
pub(crate) fn end_request() {
    IS_REQUEST.set(false);
    Session::each_of_thread(|session| {
        session.readings.settle(session);
        drop(session.readings.spare.take());
    });
}

/// How the results of a session are read: those that are there, and those that are gone, for others of the same columns.
pub(crate) struct Readings {
    living: Living<Reading>,
    /// Nobody uses these; the one that was given back last is the last one.
    spare: Cell<Vec<Rc<Reading>>>,
}

/// So many are spared, as long as they have no more columns than this.
const MAX_SPARE: usize = 16;
const MAX_SPARE_COLUMNS: usize = 64;

impl Readings {
    pub(crate) const fn none() -> Readings {
        Readings { living: Living::none(), spare: Cell::new(Vec::new()) }
    }

    /// Lends one for rows of these columns, which come from the connection with this number; `counts`: as what those that are fetched
    /// count.
    pub(super) fn lend(
        &self,
        session: &Session,
        columns: Columns,
        format: Format,
        is_native: bool,
        generation: u64,
        counts: Option<Key>,
    ) -> Rc<Reading> {
        let mut spare = self.spare.take();
        let known = spare
            .iter()
            .rposition(|it| it.format == format && it.columns.is_same(&columns))
            .map(|index| spare.remove(index));
        self.spare.set(spare);
        let reading = known.unwrap_or_else(|| {
            let layout = Layout::new(&columns, format, is_native);
            let new = Rc::new(Reading {
                columns,
                layout,
                format,
                generation: Cell::default(),
                fetched: Cell::default(),
                fetched_before: Cell::default(),
                key: Cell::default(),
            });
            self.living.add(&new);
            new
        });
        if reading.layout.is_native() != is_native {
            reading.layout.set_native(&reading.columns, is_native);
        }
        reading.generation.set(generation);
        if reading.key.get() != counts {
            reading.settle(session);
            reading.key.set(counts);
        }
        reading
    }

    /// Takes one back that the caller does not use any more. What was fetched counts later, once for many results, while it is spared.
    pub(super) fn take_back(&self, session: &Session, reading: &Rc<Reading>) {
        let fetched = reading.fetched.take();
        reading.fetched_before.set(reading.fetched_before.get().wrapping_add(fetched));
        let is_spared = IS_REQUEST.get() && reading.columns.len() <= MAX_SPARE_COLUMNS;
        if !is_spared || !session.is_counting.get() {
            reading.settle(session);
            reading.key.set(None);
        }
        if !is_spared {
            return;
        }
        let mut spare = self.spare.take();
        if spare.len() == MAX_SPARE {
            spare.remove(0).settle(session);
        }
        spare.push(Rc::clone(reading));
        self.spare.set(spare);
    }

    /// Has all that was fetched count, of results that are there, too.
    pub(crate) fn settle(&self, session: &Session) {
        self.living.each(|reading| reading.settle(session));
    }

    /// Looks at those of all results that are there.
    pub(crate) fn each(&self, look: impl FnMut(&Reading)) {
        self.living.each(look);
    }
}
