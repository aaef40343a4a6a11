//! Prepared statements that nobody uses now, kept on the server for whoever prepares the same text again: that costs no round trip then.
//!
//! Nobody is to notice. So a statement is kept only where the same text would mean the same ([`effects`]): until this session does
//! anything that is not known to leave tables, variables and names as they are, and only in the database that it was prepared in, which the server
//! has to tell of. One that ran in a way that leaves something (a cursor, parts of a parameter, a failure) is closed instead.
//!
//! A statement that is lent again has been asked nothing of the server yet. Where it turns out before its first run that it will not do, it is
//! prepared afresh in silence: MySQL from 8.0.22 on keeps the types of the first parameters that a statement ran with (`SELECT ?` answers
//! `'abc'` with 0 after it ran with a 5), so others take another statement ([`types`]); nobody but the server knows the columns since another
//! session's ALTER; and a server may have lost it (1243). What would change its meaning meanwhile waits until that is done.

mod effects;
mod lending;
mod types;

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use crate::statement::Statement;
pub(crate) use effects::Effect;
use types::{Types, fit};

/// The statements of a session that are kept, and what is to be known of those that may be.
#[derive(Debug, Default)]
pub(crate) struct StatementCache {
    /// Those that nobody uses; the one used last comes last.
    idle: Vec<Statement>,
    /// Those that were taken from here and have not run yet.
    lent: Vec<Statement>,
    /// Those of them that were prepared afresh before their user noticed: the number that the user knows, and what is used instead.
    renewed: Vec<(u32, Statement)>,
    /// The numbers of those that the server is to forget; their users have closed them already.
    evicted: Vec<u32>,
    /// How often a text may have changed its meaning.
    epoch: u64,
    /// How often the server had told of another value of a variable then.
    changes_told: u64,
    /// Whether there are statements of this epoch.
    is_live: bool,
    /// Whether the statement that was sent last was lent and runs for the first time.
    runs_lent: bool,
}

/// What a statement that may be kept is known by, and how it has been used.
#[derive(Clone, Debug)]
pub(crate) struct Kept {
    text: Arc<[u8]>,
    /// The database that was current when it was prepared.
    database: Arc<[u8]>,
    epoch: u64,
    /// The types that it ran with last, where the server keeps them.
    types: RefCell<Option<Types>>,
    /// Whether it is to be closed instead of kept.
    is_spent: Cell<bool>,
}

impl Kept {
    /// It is to be closed instead of kept.
    pub(crate) fn spend(&self) {
        self.is_spent.set(true);
    }

    /// Goes on with the history of another.
    pub(crate) fn take_over(&self, other: &Kept) {
        self.types.replace(other.types.borrow().clone());
        self.is_spent.set(other.is_spent.get());
    }
}

impl StatementCache {
    /// Takes a statement of this text, the one used last; with `types` only one that is for such parameters as if it had not run.
    fn take(&mut self, text: &[u8], database: &[u8], types: Option<&Types>) -> Option<Statement> {
        let fits = |kept: &Kept| {
            let ran_with = kept.types.borrow();
            *kept.text == *text
                && *kept.database == *database
                && types.is_none_or(|types| ran_with.as_ref().is_none_or(|it| fit(it, types)))
        };
        let at = self.idle.iter().rposition(|it| it.kept.as_deref().is_some_and(fits))?;
        Some(self.idle.remove(at))
    }

    /// Keeps a statement, if it may be; with more than `most` the one that was not used for longest goes.
    fn keep(&mut self, statement: &Statement, most: usize) -> bool {
        let may_be_kept = statement
            .kept
            .as_ref()
            .is_some_and(|kept| kept.epoch == self.epoch && !kept.is_spent.get());
        if !may_be_kept || most == 0 || self.idle.iter().any(|it| it.id() == statement.id()) {
            return false;
        }
        self.idle.push(statement.clone());
        if self.idle.len() > most {
            self.evicted.push(self.idle.remove(0).id());
        }
        true
    }

    /// A text may mean something else from now on. Whether there was anything to forget.
    fn drop_all(&mut self) -> bool {
        let had_idle = !self.idle.is_empty();
        self.evicted.extend(self.idle.drain(..).map(|it| it.id()));
        self.lent.clear();
        self.epoch += 1;
        self.is_live = false;
        had_idle
    }

    /// The session has ended, and the statements with it.
    pub(crate) fn forget_all(&mut self) {
        self.drop_all();
        self.evicted.clear();
        self.renewed.clear();
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

    fn is_lent(&self, statement: &Statement) -> bool {
        self.lent.iter().any(|it| it.id() == statement.id())
    }

    /// A statement is not one any more that has only been lent; whether it was.
    fn end_loan(&mut self, id: u32) -> bool {
        let before = self.lent.len();
        self.lent.retain(|it| it.id() != id);
        self.lent.len() < before
    }
}
