//! Who observes a connection.

use std::time::Duration;

use crate::connection::Connection;
use crate::options::Watched;
use crate::waits::Observer;

impl Connection {
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
        self.stream.set_dialect(self.session.dialect());
        self.stream.asked_elsewhere(statement, took, has_failed);
    }
}
