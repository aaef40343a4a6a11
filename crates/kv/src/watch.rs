//! What a connection's own statements do to tables and to what was prepared: for whoever keeps something of either.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use vaquita_client::{Effect, Onlooker, Session};

/// Counts; of one connection.
#[derive(Debug)]
pub struct Watch {
    /// No other one's: a connection may get another one in the middle of a session, which has not seen what was before.
    number: u64,
    tables: AtomicU64,
    ends: AtomicU64,
}

impl Default for Watch {
    fn default() -> Watch {
        static WATCHES: AtomicU64 = AtomicU64::new(0);
        let number = WATCHES.fetch_add(1, Relaxed);
        Watch { number, tables: AtomicU64::new(0), ends: AtomicU64::new(0) }
    }
}

impl Watch {
    /// Which one this is.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// How often tables may have been changed.
    pub(crate) fn table_changes(&self) -> u64 {
        self.tables.load(Relaxed)
    }

    /// How often the session has ended, and all that was prepared with it.
    pub(crate) fn ends(&self) -> u64 {
        self.ends.load(Relaxed)
    }

    /// A command is about to be sent that does this.
    pub(crate) fn note(&self, effect: Effect) {
        match effect {
            Effect::Tables | Effect::Anything => self.tables.fetch_add(1, Relaxed),
            Effect::End => self.ends.fetch_add(1, Relaxed),
            _ => return,
        };
    }
}

impl Onlooker for Watch {
    fn before(&self, effect: Effect, _session: &Session) {
        self.note(effect);
    }

    fn epoch(&self) -> u64 {
        0
    }
}
