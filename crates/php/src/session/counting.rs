//! What of a session's doings goes into the statistics.

use super::Session;
use super::rows::Reading;
use crate::observing::{self, tracing};
use crate::statistics::{self, Counters, Key, Totals};
use crate::zend::string::Str;
use vaquita_client::{Connection, Statistics};

/// Who ends a statement.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The script.
    Explicit,
    /// The end of its object, or another statement in its place.
    Implicit,
}

impl Session {
    /// Lets the driver work on the connection; if statistics are not collected, what it counts is nobody's.
    pub(crate) fn counting<R>(
        &self,
        connection: &mut Connection,
        work: impl FnOnce(&mut Connection) -> R,
    ) -> R {
        if self.is_collecting.get() == self.counts_in_vain.get() {
            self.turn(connection);
        }
        work(connection)
    }

    /// Statistics are collected from now on, or no more: what the driver counts meanwhile is nobody's, and costs less than to count nothing.
    #[cold]
    fn turn(&self, connection: &mut Connection) {
        if self.counts_in_vain.replace(!self.is_collecting.get()) {
            connection.set_counted(*self.counted_before.take().unwrap_or_default());
        } else {
            self.counted_before.set(Some(Box::new(connection.counted())));
        }
    }

    /// What was counted of the connection while statistics were collected.
    pub(super) fn counted(&self, connection: &Connection) -> Statistics {
        if !self.counts_in_vain.get() {
            return connection.counted();
        }
        let before = self.counted_before.take();
        let counted = before.as_deref().cloned().unwrap_or_default();
        self.counted_before.set(before);
        counted
    }

    /// Counts something of the connection, or of one that is no more.
    pub(crate) fn count(&self, key: Key, number: u64) {
        if statistics::is_collecting() {
            self.counters_now(|counters| counters.add(key, number));
        }
    }

    /// Adds all that was counted of the connection, and of rows that came over it and are still there.
    pub(crate) fn add_to(&self, totals: &mut Totals) {
        totals.add_counters(&self.counters);
        if let Some(counted) = self.look(|connection| self.counted(connection)) {
            totals.add_driver(&counted);
        }
        self.readings.each(|reading| reading.tell(|key, number| totals.add(key, number)));
    }

    /// Adds what the driver has counted of all connections that this thread has; replies that have come are told.
    pub(crate) fn add_all_driver_to(all: &mut Statistics) {
        Session::each_of_thread(|session| {
            session.adjust(Connection::tell_reply);
            if let Some(counted) = session.look(|connection| session.counted(connection)) {
                all.add(&counted);
            }
        });
    }

    /// Adds what was counted of all connections that this thread has.
    pub(crate) fn add_all_to(totals: &mut Totals) {
        Session::each_of_thread(|session| session.add_to(totals));
    }

    /// Counts what was fetched of rows, which are going; it was collected at its time.
    pub(super) fn count_fetched(&self, reading: &Reading) {
        self.counters_now(|counters| reading.tell(|key, number| counters.add(key, number)));
    }

    /// The counters of the connection, or those of the thread if it is no more.
    fn counters_now(&self, count: impl FnOnce(&Counters)) {
        if self.is_counting.get() { count(&self.counters) } else { statistics::with_ended(count) }
    }

    /// Gives what was counted of the connection to the thread; it is no more.
    pub(crate) fn end_counting(&self, counted: &Statistics) {
        self.readings.settle(self);
        self.is_counting.set(false);
        self.counts_in_vain.set(false);
        self.counted_before.set(None);
        self.counters.end(counted);
    }

    /// Counts the end of a statement that ran so often.
    pub(crate) fn count_statement(&self, ending: Ending, is_prepared: bool, runs: u64) {
        let (closed, freed) = match ending {
            Ending::Explicit => (Key::explicit_stmt_close, Key::explicit_free_result),
            Ending::Implicit => (Key::implicit_stmt_close, Key::implicit_free_result),
        };
        self.count(closed, 1);
        self.count(freed, is_prepared.into());
        self.count(Key::ps_prepared_never_executed, (runs == 0).into());
        self.count(Key::ps_prepared_once_executed, (runs == 1).into());
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
        self.is_counting.set(true);
        self.observe_anew();
        if !self.is_collecting.get() {
            self.adjust(|connection| connection.set_counted(Statistics::default()));
        }
        self.count(Key::connection_reused, 1);
        self.count(Key::active_connections, 1);
    }

    /// Has those told of the connection who are now: settings may be others than at its last use.
    pub(super) fn observe_anew(&self) {
        self.is_collecting.set(statistics::is_collecting());
        self.adjust(|connection| connection.set_observer(observing::observer()));
    }

    /// Traces the connection to a file of its own from now on, or no more; false: it can't be.
    pub(crate) fn trace(&self, path: Option<Str>) -> bool {
        let Some(number) = self.look(Connection::number) else { return false };
        // What has come belongs to those who were told so far.
        self.adjust(Connection::tell_reply);
        let is_traced = match path {
            None => {
                tracing::stop_link(number);
                false
            }
            Some(path) => tracing::trace_link(number, path),
        };
        self.adjust(|connection| {
            connection.set_observer(if is_traced {
                Some(tracing::observer_of_traced())
            } else {
                observing::observer()
            });
        });
        is_traced
    }

    /// Whoever uses the connection next is not traced where this one wanted it.
    pub(super) fn stop_own_trace(&self) {
        if tracing::are_links_traced() {
            self.trace(None);
        }
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
