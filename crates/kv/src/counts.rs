//! What became of statements.

use std::cell::Cell;

use crate::plan::{Reason, Reasons};

thread_local! {
    /// What became of the statements of connections that are no more.
    static ENDED: Cell<Counts> = const { Cell::new(Counts::new()) };
}

/// What became of a connection's statements.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// All that were looked at.
    pub statements: u64,
    /// Those that a port could have answered.
    pub eligible: u64,
    /// How often a port was asked: for some statements twice.
    pub asked: u64,
    /// Those that it answered.
    pub answered: u64,
    /// Those that went to the server so that the columns of their shape became known; they are eligible.
    pub learnt: u64,
    /// Those that the port had no row for.
    pub misses: u64,
    /// Those for which the port failed.
    pub errors: u64,
    reasons: Reasons,
    /// Why the last one went to the server; `None`: a port could have answered it.
    pub(crate) last: Option<Reason>,
}

impl Counts {
    /// None yet.
    pub const fn new() -> Self {
        Counts {
            statements: 0,
            eligible: 0,
            asked: 0,
            answered: 0,
            learnt: 0,
            misses: 0,
            errors: 0,
            reasons: Reasons::new(),
            last: None,
        }
    }

    /// What became of the statements of this thread's connections that are no more.
    pub fn ended() -> Self {
        ENDED.get()
    }

    /// Adds those of another connection.
    pub fn add(&mut self, other: &Counts) {
        let Counts { statements, eligible, asked, answered, learnt, misses, errors, .. } = other;
        self.statements += statements;
        self.eligible += eligible;
        self.asked += asked;
        self.answered += answered;
        self.learnt += learnt;
        self.misses += misses;
        self.errors += errors;
        other.reasons().for_each(|(reason, count)| self.reasons.add(reason, count));
    }

    /// The connection is no more.
    pub(crate) fn end(&self) {
        // Where the thread ends, too, nobody will ask.
        let _ = ENDED.try_with(|ended| {
            let mut all = ended.get();
            all.add(self);
            ended.set(all);
        });
    }

    /// Counts one that is looked at.
    pub(crate) fn look(&mut self) {
        self.statements += 1;
        self.last = None;
    }

    /// Counts one for which a port is asked.
    pub(crate) fn ask(&mut self) {
        self.eligible += 1;
        self.asked += 1;
    }

    /// Counts that it is asked for the same one again.
    pub(crate) fn ask_again(&mut self) {
        self.asked += 1;
    }

    /// Counts one that went to the server.
    pub(crate) fn refuse(&mut self, reason: Reason) {
        self.reasons.add(reason, 1);
        self.last = Some(reason);
    }

    /// How many went to the server, by reason.
    pub fn reasons(&self) -> impl Iterator<Item = (Reason, u64)> + '_ {
        self.reasons.iter()
    }
}
