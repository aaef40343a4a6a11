//! What of a session's doings goes into the statistics.

use super::Session;
use super::rows::Rows;
use crate::statistics::{self, Counters, Key};
use vaquita_client::{Connection, Statistics};

impl Session {
    /// Lets the driver work on the connection; if statistics are not collected, its counters are afterwards what they were before.
    pub(crate) fn counting<R>(
        &self,
        connection: &mut Connection,
        work: impl FnOnce(&mut Connection) -> R,
    ) -> R {
        let kept = (!self.is_collecting.get()).then(|| connection.counted());
        let worked = work(connection);
        if let Some(kept) = kept {
            connection.set_counted(kept);
        }
        worked
    }

    /// Counts something of the connection, or of one that is no more.
    pub(crate) fn count(&self, key: Key, number: u64) {
        if statistics::is_collecting() {
            self.counters_now(|counters| counters.add(key, number));
        }
    }

    /// Counts what was fetched of rows, which are going; it was collected at its time.
    pub(crate) fn count_fetched(&self, rows: &Rows) {
        self.counters_now(|counters| rows.tell(|key, number| counters.add(key, number)));
    }

    /// The counters of the connection, or those of the thread if it is no more.
    fn counters_now(&self, count: impl FnOnce(&Counters)) {
        if self.is_counting.get() { count(&self.counters) } else { statistics::with_ended(count) }
    }

    /// Gives what was counted of the connection to the thread; it is no more.
    pub(crate) fn end_counting(&self, counted: &Statistics) {
        self.is_counting.set(false);
        self.counters.end(counted);
    }

    pub(crate) fn count_connect(&self, is_connected: bool) {
        self.is_collecting.set(statistics::is_collecting());
        self.is_counting.set(is_connected);
        if is_connected {
            self.count(Key::connect_success, 1);
            self.count(Key::active_connections, 1);
        } else {
            self.count(Key::connect_failure, 1);
        }
    }

    /// Counts a persistent connection that is used again.
    pub(crate) fn count_reuse(&self) {
        self.is_collecting.set(statistics::is_collecting());
        self.is_counting.set(true);
        if !self.is_collecting.get() {
            self.adjust(|connection| connection.set_counted(Statistics::default()));
        }
        self.count(Key::connection_reused, 1);
        self.count(Key::active_connections, 1);
    }

    /// Counts the end of the connection, which is being worked on.
    pub(crate) fn count_close(&self, how: Key, is_busy: bool) {
        self.is_collecting.set(statistics::is_collecting());
        if self.is_collecting.get() {
            self.counters.add(how, 1);
            self.counters.add(Key::in_middle_of_command_close, is_busy.into());
        }
    }
}
