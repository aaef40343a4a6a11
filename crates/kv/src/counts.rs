//! What became of statements.

use crate::plan::{Reason, Reasons};

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
