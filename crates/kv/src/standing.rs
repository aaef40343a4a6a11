//! What a session's own statements have done to what is known of it: seen before each is sent.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use vaquita_client::{Effect, Onlooker, Session};

use crate::plan::Reason;
use crate::port::Port;
use crate::shared::{Changes, Shared};
use crate::watch::Watch;

/// What one begins to count at: what was prepared under the eyes of another one is not taken for its own.
static FIRST: AtomicU64 = AtomicU64::new(0);
const A_STANDING: u64 = 1 << 40;

/// Whether a session is as it was when it was asked.
///
/// A session is of one thread; that this is made of atomics is for its connection, which may be handed on.
#[derive(Debug)]
pub(crate) struct Standing {
    /// How often it may have become another one, in a way that it can be asked for.
    changes: AtomicU64,
    /// How often the same text may have come to mean something else.
    meanings: AtomicU64,
    /// Whether it may be another one in a way that it can't be asked for: temporary tables, the next transaction.
    is_in_doubt: AtomicBool,
    is_locked: AtomicBool,
    /// How often the server had told of changes before the last statement.
    told: AtomicU64,
    /// Whether the last statement is known for what it changes.
    is_known: AtomicBool,
    /// Its tables may not be changed while the port has them open.
    port: Arc<Port>,
    /// What is done to the server's tables; and whether a statement of this session's may be at it.
    tables: Arc<Changes>,
    is_at_tables: AtomicBool,
    pub(crate) watch: Arc<Watch>,
}

impl Standing {
    pub(crate) fn new(shared: &Shared, session: &Session) -> Standing {
        let first = FIRST.fetch_add(A_STANDING, Relaxed);
        Standing {
            changes: AtomicU64::new(first),
            meanings: AtomicU64::new(first),
            is_in_doubt: AtomicBool::new(false),
            is_locked: AtomicBool::new(false),
            told: AtomicU64::new(session.state_changes),
            is_known: AtomicBool::new(true),
            port: Arc::clone(&shared.port),
            tables: Arc::clone(&shared.changes),
            is_at_tables: AtomicBool::new(false),
            watch: Arc::default(),
        }
    }

    /// How often it may have become another one.
    ///
    /// # Errors
    /// It can't be known what it is.
    pub(crate) fn changes(&self, session: &Session) -> Result<u64, Reason> {
        self.heed_told(session);
        if self.is_in_doubt.load(Relaxed) {
            Err(Reason::Session)
        } else if self.is_locked.load(Relaxed) {
            Err(Reason::Locks)
        } else {
            Ok(self.changes.load(Relaxed))
        }
    }

    /// It is not known what was done before.
    pub(crate) fn doubt(&self) {
        self.is_in_doubt.store(true, Relaxed);
    }

    /// What the server has told of is known: who asks the session has told it something itself.
    pub(crate) fn accept_told(&self, session: &Session) {
        self.told.store(session.state_changes, Relaxed);
    }

    /// A statement is about to change tables: nobody relies on them until it is done, and the port has none open.
    fn begin_tables(&self) {
        if !self.is_at_tables.swap(true, Relaxed) {
            self.tables.begin();
        }
        self.port.close();
    }

    /// A statement that looks as if it changed nothing may have called something that does.
    fn heed_told(&self, session: &Session) {
        let before = self.told.swap(session.state_changes, Relaxed);
        if before != session.state_changes && !self.is_known.load(Relaxed) {
            self.is_in_doubt.store(true, Relaxed);
        }
    }
}

impl Onlooker for Standing {
    fn before(&self, effect: Effect, session: &Session) {
        self.heed_told(session);
        self.watch.note(effect);
        self.is_known.store(effect != Effect::Nothing, Relaxed);
        match effect {
            Effect::Nothing => return,
            Effect::Transactions | Effect::OtherDatabase | Effect::Settings => {}
            Effect::Tables => self.begin_tables(),
            Effect::Locks => {
                self.is_locked.store(true, Relaxed);
                self.port.close();
            }
            Effect::Unlocks => self.is_locked.store(false, Relaxed),
            Effect::NextTransaction => self.is_in_doubt.store(true, Relaxed),
            Effect::Anything => {
                self.is_in_doubt.store(true, Relaxed);
                self.begin_tables();
            }
            Effect::End => {
                self.is_in_doubt.store(false, Relaxed);
                self.is_locked.store(false, Relaxed);
            }
        }
        self.changes.fetch_add(1, Relaxed);
        // The server prepares a statement anew whose tables have changed.
        if matches!(
            effect,
            Effect::OtherDatabase | Effect::Settings | Effect::Anything | Effect::End
        ) {
            self.meanings.fetch_add(1, Relaxed);
        }
    }

    fn after(&self) {
        if self.is_at_tables.swap(false, Relaxed) {
            self.tables.end();
        }
    }

    fn epoch(&self) -> u64 {
        self.meanings.load(Relaxed)
    }
}

impl Drop for Standing {
    fn drop(&mut self) {
        self.after();
    }
}
