//! What a session does with pipelines: all that became of their commands is kept here, until each is made a value of PHP's.

use super::Session;
use super::failure::Failed;
use std::collections::VecDeque;
use vaquita_client::{Done, Error, Pipelined, Until};

/// What became of commands, the first of them in front.
pub(super) type Outcomes = VecDeque<Result<Done, Error>>;

/// What the next outcome is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Rows,
    /// No rows.
    Done,
    Failed,
}

impl Session {
    /// Runs commands; what becomes of each is there for [`Session::next_outcome`].
    ///
    /// # Errors
    /// None was sent.
    pub(crate) fn pipeline<'a>(
        &self,
        commands: impl Iterator<Item = Pipelined<'a>>,
        until: Until,
    ) -> Result<(), Failed> {
        let outcomes = self.drive(|connection| {
            let mut outcomes = Outcomes::new();
            connection.pipeline(commands, until, |done| outcomes.push_back(done))?;
            Ok(outcomes)
        })?;
        self.forget_announced();
        let _ = self.outcomes.with(|kept| *kept = outcomes);
        Ok(())
    }

    /// What the next outcome is, if there is one.
    pub(crate) fn next_kind(&self) -> Option<Kind> {
        let kind = |outcomes: &Outcomes| {
            outcomes.front().map(|outcome| match outcome {
                Ok(Done { rows: Some(_), .. }) => Kind::Rows,
                Ok(_) => Kind::Done,
                Err(_) => Kind::Failed,
            })
        };
        self.outcomes.peek(kind).ok().flatten()
    }

    /// Takes the next outcome; a failure is the session's last error then, beside those before it.
    pub(crate) fn next_outcome(&self) -> Result<Done, Failed> {
        match self.outcomes.with(VecDeque::pop_front).ok().flatten() {
            Some(outcome) => self.error.settle(outcome),
            None => Err(Failed),
        }
    }

    /// Throws away what nobody took.
    pub(crate) fn forget_outcomes(&self) {
        let _ = self.outcomes.with(std::mem::take);
    }
}
