//! What a script sees of the statistics: of one connection, and of all together.

use super::link::{self, Link};
use super::result::ResultSet;
use super::rows::Rows;
use super::session::Session;
use super::statement::Statement;
use crate::statistics::{self, Counters, Key, Totals};
use crate::zend::call::Call;
use crate::zend::error::Outcome;
use crate::zend::object::each_living;
use vaquita_client::{Connection, Statistics};

/// `mysqli_get_client_stats`.
pub(crate) fn get_client_stats(call: &mut Call<'_>) -> Outcome {
    call.arity(0, 0)?;
    let mut totals = Totals::new();
    totals.add_ended();
    each_living::<Link>(|link| add_session(&mut totals, &link.session));
    add_results(&mut totals, |_| true);
    totals.write(call.returns());
    Ok(())
}

/// `mysqli_get_connection_stats`.
pub(crate) fn get_connection_stats(call: &mut Call<'_>) -> Outcome {
    let session = link::only_argument(call)?;
    let mut totals = Totals::new();
    add_session(&mut totals, session);
    add_results(&mut totals, |rows| rows.belong_to(session));
    totals.write(call.returns());
    Ok(())
}

/// Adds what was counted of a session's connection, if it has one.
fn add_session(totals: &mut Totals, session: &Session) {
    totals.add_counters(&session.counters);
    if let Some(counted) = session.look(Connection::counted) {
        totals.add_driver(&counted);
    }
}

/// Adds what was fetched from the results that are there and wanted.
fn add_results(totals: &mut Totals, is_wanted: impl Fn(&Rows) -> bool) {
    let mut add = |rows: &Rows| {
        if is_wanted(rows) {
            rows.tell(|key, number| totals.add(key, number));
        }
    };
    each_living::<ResultSet>(|result| result.look(&mut add));
    each_living::<Statement>(|statement| statement.look_at_rows(&mut add));
}

impl Session {
    /// Lets the driver work on the connection; if statistics are not collected, its counters are afterwards what they were before.
    pub(super) fn counting<R>(
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
    pub(super) fn count(&self, key: Key, number: u64) {
        if statistics::is_collecting() {
            self.counters_now(|counters| counters.add(key, number));
        }
    }

    /// Counts what was fetched of rows, which are going; it was collected at its time.
    pub(super) fn count_fetched(&self, rows: &Rows) {
        self.counters_now(|counters| rows.tell(|key, number| counters.add(key, number)));
    }

    /// The counters of the connection, or those of the thread if it is no more.
    fn counters_now(&self, count: impl FnOnce(&Counters)) {
        if self.is_counting.get() { count(&self.counters) } else { statistics::with_ended(count) }
    }

    /// Gives what was counted of the connection to the thread; it is no more.
    pub(super) fn end_counting(&self, counted: &Statistics) {
        self.is_counting.set(false);
        self.counters.end(counted);
    }

    pub(super) fn count_connect(&self, is_connected: bool) {
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
    pub(super) fn count_reuse(&self) {
        self.is_collecting.set(statistics::is_collecting());
        self.is_counting.set(true);
        if !self.is_collecting.get() {
            self.adjust(|connection| connection.set_counted(Statistics::default()));
        }
        self.count(Key::connection_reused, 1);
        self.count(Key::active_connections, 1);
    }

    /// Counts the end of the connection, which is being worked on.
    pub(super) fn count_close(&self, how: Key, is_busy: bool) {
        self.is_collecting.set(statistics::is_collecting());
        if self.is_collecting.get() {
            self.counters.add(how, 1);
            self.counters.add(Key::in_middle_of_command_close, is_busy.into());
        }
    }
}
