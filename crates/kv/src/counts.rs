//! What became of statements.

use crate::plan::Reason;

/// What became of a connection's statements.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// All that were looked at.
    pub statements: u64,
    /// Those that a port could have answered.
    pub eligible: u64,
    /// Those for which a port was asked.
    pub asked: u64,
    /// Those that it answered.
    pub answered: u64,
    /// Those that went to the server so that the columns of their shape became known; they are eligible.
    pub learnt: u64,
    /// Those that the port had no row for.
    pub misses: u64,
    /// Those for which the port failed.
    pub errors: u64,
    reasons: [u64; Reason::ALL.len()],
}

impl Counts {
    /// Counts one for which a port is asked.
    pub(crate) fn ask(&mut self) {
        self.eligible += 1;
        self.asked += 1;
    }

    /// Counts one that went to the server.
    pub(crate) fn refuse(&mut self, reason: Reason) {
        let place = Reason::ALL.iter().position(|it| *it == reason);
        if let Some(count) = place.and_then(|place| self.reasons.get_mut(place)) {
            *count += 1;
        }
    }

    /// How many went to the server, by reason.
    pub fn reasons(&self) -> impl Iterator<Item = (Reason, u64)> + '_ {
        Reason::ALL.into_iter().zip(self.reasons).filter(|(_, count)| *count > 0)
    }
}
