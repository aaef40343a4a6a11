//! Prepared statements that nobody uses now, kept on the server for whoever prepares the same text again: that costs no round trip then.
//!
//! Nobody is to notice. So a statement is kept only if it is of a [`shape`] that means the same whenever it is prepared; only until this session
//! does anything that is not known to leave tables, variables and names as they are ([`effects`]); only for the database that it was
//! prepared in, which the server has to tell of; and only if it is as if it had never run. One that ran in a way that leaves something (with
//! parameters of other types than the server [`derived`], a cursor, parts of a parameter, a failure) is closed instead.

mod derived;
mod effects;
mod lending;
mod shape;

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use vaquita_protocol::ColumnDefinition41;

use crate::statement::Statement;
use derived::Derived;
pub use effects::Effect;

/// How long the definitions of a statement's columns are, in bytes of their packets, at the most: those of some thousand columns. A server can send 32
/// MiB of them for each statement.
const MAX_COLUMNS_BYTES: usize = 128 << 10;

/// The statements of a session that are kept, and what is to be known of those that may be.
#[derive(Debug, Default)]
pub(crate) struct StatementCache {
    /// Those that nobody uses; the one used last comes last.
    idle: Vec<Statement>,
    /// The numbers of those that the server is to forget; their users have closed them already.
    evicted: Vec<u32>,
    /// How often a text may have changed its meaning.
    epoch: u64,
    /// How often the server had told of another value of a variable then.
    changes_told: u64,
    /// Whether there are statements of this epoch.
    is_live: bool,
}

/// What a statement that may be kept is known by, and how it has been used.
#[derive(Clone, Debug)]
pub(crate) struct Kept {
    text: Arc<[u8]>,
    /// The database that was current when it was prepared.
    database: Arc<[u8]>,
    epoch: u64,
    /// What the server has derived of its parameters, if it goes by that.
    derived: RefCell<Option<Arc<[Derived]>>>,
    /// Whether it is to be closed instead of kept.
    is_spent: Cell<bool>,
    /// Whether it was taken from those that are kept and the server has been asked nothing of it since.
    is_lent: Cell<bool>,
}

impl Kept {
    /// It is to be closed instead of kept.
    pub(crate) fn spend(&self) {
        self.is_spent.set(true);
    }

    /// Goes on as another of the same text, which has just been prepared; `None`: that is not to be kept.
    pub(crate) fn renew(&self, other: Option<&Kept>) {
        self.is_lent.set(false);
        self.is_spent.set(other.is_none());
        if let Some(other) = other {
            self.derived.replace(other.derived.borrow().clone());
        }
    }
}

impl StatementCache {
    /// Takes the statement used last of those of this text that were prepared in this database.
    fn take(&mut self, text: &[u8], database: &[u8]) -> Option<Statement> {
        let is_it = |kept: &Kept| *kept.text == *text && *kept.database == *database;
        let at = self.idle.iter().rposition(|it| it.kept.as_deref().is_some_and(is_it))?;
        let taken = self.idle.remove(at);
        taken.kept.as_ref()?.is_lent.set(true);
        Some(taken)
    }

    /// Keeps a statement, if it may be; with more than `most` the one that was not used for longest goes.
    fn keep(&mut self, statement: &Statement, most: usize) -> bool {
        if self.idle.iter().any(|it| it.id() == statement.id()) {
            return true;
        }
        let is_small = |it: &ColumnDefinition41| it.block_bytes() <= MAX_COLUMNS_BYTES;
        let is_short = statement.columns().first().is_none_or(is_small);
        let may_be_kept = self.may_be_kept(statement) && is_short && most > 0;
        if may_be_kept {
            self.idle.push(statement.clone());
            if self.idle.len() > most {
                self.evicted.push(self.idle.remove(0).id());
            }
        }
        may_be_kept
    }

    /// Whether a statement means still what it meant when it was prepared, and nothing was left in it.
    fn may_be_kept(&self, statement: &Statement) -> bool {
        let kept = statement.kept.as_ref();
        kept.is_some_and(|kept| kept.epoch == self.epoch && !kept.is_spent.get())
    }

    /// Lets go of all that nobody uses; whether there were any.
    fn give_up(&mut self) -> bool {
        let had_idle = !self.idle.is_empty();
        self.evicted.extend(self.idle.drain(..).map(|it| it.id()));
        had_idle
    }

    /// A text may mean something else from now on.
    fn drop_all(&mut self) {
        self.give_up();
        self.epoch += 1;
        self.is_live = false;
    }

    /// The session has ended, and the statements with it.
    pub(crate) fn forget_all(&mut self) {
        self.drop_all();
        self.evicted.clear();
    }

    /// The numbers of the statements that the server may forget.
    pub(crate) fn take_evicted(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.evicted)
    }

    /// Whether the server is still to be told that it may forget this one.
    pub(crate) fn is_evicted(&self, id: u32) -> bool {
        self.evicted.contains(&id)
    }

    /// Whether there is something to be said to the server.
    #[inline]
    pub(crate) fn has_evicted(&self) -> bool {
        !self.evicted.is_empty()
    }

    /// Whether commands are to be looked at for what they do to statements.
    #[inline]
    pub(crate) fn is_live(&self) -> bool {
        self.is_live
    }
}
