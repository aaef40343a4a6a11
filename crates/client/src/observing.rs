//! Who observes a connection.

use std::time::Duration;

use crate::connection::Connection;
use crate::normalised::keeps_dialect;
use crate::options::Watched;
use crate::pipeline::Pipelined;
use crate::waits::Observer;

impl Connection {
    /// Says how the server will read a command of a pipeline that is about to be queued: before the replies to those before it nobody knows
    /// that, if they may change it; from then on `keeps_reading` is false.
    pub(crate) fn tell_dialect_of_queued(
        &mut self,
        command: &Pipelined<'_>,
        keeps_reading: &mut bool,
    ) {
        self.stream.set_dialect(Some(self.session.dialect()).filter(|_| *keeps_reading));
        // A statement that is prepared has parameters where its values were.
        if let Pipelined::Query(sql) = command {
            let is_one = !self.multi_statements || !sql.contains(&b';');
            *keeps_reading &= is_one && keeps_dialect(sql);
        }
    }

    /// Tells this observer of its replies and waits from now on, or nobody.
    pub fn set_observer(&mut self, observer: Option<&'static dyn Observer>) {
        self.options.observer = Watched(observer);
        self.stream.set_observer(observer, self.greeting.thread_id);
    }

    /// Its number in this process, by which its observer knows it.
    pub fn number(&self) -> u64 {
        self.stream.number()
    }

    /// Has its observer told at once of the reply that came last, as far as it has come.
    pub fn tell_reply(&mut self) {
        self.stream.tell_reply();
    }

    /// Whether its observer wants to be told of single waits.
    pub fn tells_waits(&self) -> bool {
        self.stream.tells_waits()
    }

    /// Tells its observer that somebody else was asked for what a statement wants, and that it took so long.
    pub fn tell_of_asking(&mut self, statement: &[u8], took: Duration, has_failed: bool) {
        self.stream.set_dialect(Some(self.session.dialect()));
        self.stream.asked_elsewhere(statement, took, has_failed);
    }
}
