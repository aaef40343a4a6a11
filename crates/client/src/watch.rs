//! How long a query may keep us waiting, and what is done then.

use std::fmt::Debug;
use std::time::Duration;
use std::{io, mem};

use crate::error::Error;
use crate::timed_wire::timed_out;

/// What the server has, after it was told to stop a query, to answer it: far more than a server that runs needs.
const STOPPING_TIME: Duration = Duration::from_secs(10);

/// Less than this is nothing: a timeout of zero would mean none.
pub(crate) const MIN_TIME: Duration = Duration::from_millis(1);

/// ER_QUERY_INTERRUPTED and ER_FILSORT_ABORT: what a query that was stopped ends with.
const INTERRUPTED: [u16; 2] = [1317, 1028];

/// ER_QUERY_TIMEOUT.
const QUERY_TIMEOUT: u16 = 3024;

/// A way to stop the query that a server is busy with.
pub(crate) trait Stop: Debug + Send {
    /// Stops it unless `is_answered` says at the last moment that there is no need; when this comes back, it is stopped or over.
    ///
    /// # Errors
    /// It could not be stopped, and why.
    fn stop(&self, is_answered: &dyn Fn() -> bool) -> Result<Stopped, String>;
}

/// Whether the server was told to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stopped {
    Yes,
    /// It has begun to answer.
    No,
}

/// What is being waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Phase {
    /// Nothing that has a limit.
    Off,
    /// The server to take a query and to answer it; this much time is left.
    Query(Duration),
    /// The end of a query that was stopped; this much time is left.
    End(Duration),
    /// Nothing any more, and why.
    GivenUp(String),
}

/// The limit of a connection's queries.
///
/// Only time that is spent waiting for the server counts, not what the caller does between two rows. So no deadline is kept, but what
/// is left.
#[derive(Debug)]
pub(crate) struct Watch {
    timeout: Duration,
    patience: Duration,
    phase: Phase,
    /// Whether the query's time was up once, and its answer was there at the last moment: it got the same time again to be read.
    was_answered: bool,
    /// Whether the server has the whole statement, as one that asks for a file has.
    is_read: bool,
    /// Whether the server may still have to notice that the query before was stopped.
    lingers: bool,
    /// Whether others were sent behind the query, one of which might be stopped in its place.
    is_followed: bool,
    stop: Box<dyn Stop>,
}

impl Watch {
    /// `timeout` is what errors tell of, `patience` how long is waited before the query is stopped from here.
    pub(crate) fn new(timeout: Duration, patience: Duration, stop: Box<dyn Stop>) -> Self {
        Watch {
            timeout,
            patience,
            phase: Phase::Off,
            was_answered: false,
            is_read: false,
            lingers: false,
            is_followed: false,
            stop,
        }
    }

    /// A query is being sent, or its next result is due.
    pub(crate) fn begin(&mut self) {
        self.phase = Phase::Query(self.patience);
        self.was_answered = false;
        self.is_read = false;
    }

    /// Others were sent behind the query that is waited for, or not any more.
    pub(crate) fn set_followed(&mut self, is_followed: bool) {
        self.is_followed = is_followed;
    }

    /// The server has the statement, and waits for a file.
    pub(crate) fn note_read(&mut self) {
        self.is_read = true;
    }

    /// Nothing that has a limit is waited for; whether something was, and whether a stop may linger on the server.
    pub(crate) fn end(&mut self) -> (bool, bool) {
        let was_on = mem::replace(&mut self.phase, Phase::Off) != Phase::Off;
        (was_on, mem::take(&mut self.lingers))
    }

    /// How long to wait now; `None`: as long as without a limit.
    pub(crate) fn time_left(&self) -> Option<Duration> {
        match self.phase {
            Phase::Query(left) | Phase::End(left) => Some(left.max(MIN_TIME)),
            Phase::Off | Phase::GivenUp(_) => None,
        }
    }

    /// So much time was spent waiting.
    pub(crate) fn spend(&mut self, time: Duration) {
        if let Phase::Query(left) | Phase::End(left) = &mut self.phase {
            *left = left.saturating_sub(time);
        }
    }

    /// A read has timed out: if the query's time is up, it is stopped, and waiting goes on for its end; or for the rest of its answer,
    /// if `is_answered` says that there is something to read by then: that gets the query's time once more.
    ///
    /// # Errors
    /// Nothing is left to wait for.
    pub(crate) fn timed_out(&mut self, is_answered: &dyn Fn() -> bool) -> io::Result<()> {
        let stopped = match self.phase {
            Phase::Query(_) if self.is_up() => self.stop_unless(is_answered),
            Phase::End(_) if self.is_up() => Err("the server did not let go of it".to_owned()),
            _ => return Err(timed_out()),
        };
        self.go_on(stopped)
    }

    /// Something was read: if the query's time is up all the same, that is as when a read has timed out.
    ///
    /// # Errors
    /// As [`Watch::timed_out`].
    pub(crate) fn was_read(&mut self) -> io::Result<()> {
        if self.is_up() { self.timed_out(&|| true) } else { Ok(()) }
    }

    pub(crate) fn is_up(&self) -> bool {
        self.time_left().is_some_and(|left| left <= MIN_TIME)
    }

    fn stop_unless(&self, is_answered: &dyn Fn() -> bool) -> Result<Stopped, String> {
        if is_answered() && !self.was_answered {
            return Ok(Stopped::No);
        }
        if self.is_followed {
            return Err(
                "others were sent behind it, which might have been stopped in its place".to_owned()
            );
        }
        if self.was_answered {
            return self.stop.stop(&|| false);
        }
        match self.stop.stop(is_answered) {
            // Who has an answer needs nobody stopped.
            Err(_) if is_answered() => Ok(Stopped::No),
            stopped => stopped,
        }
    }

    fn go_on(&mut self, stopped: Result<Stopped, String>) -> io::Result<()> {
        match stopped {
            Ok(Stopped::No) => {
                self.phase = Phase::Query(self.patience);
                self.was_answered = true;
                Ok(())
            }
            Ok(Stopped::Yes) => {
                self.phase = Phase::End(STOPPING_TIME);
                self.lingers = true;
                Ok(())
            }
            Err(reason) => {
                self.phase = Phase::GivenUp(reason);
                Err(timed_out())
            }
        }
    }

    /// A write has timed out: if the query's time is up, it is given up, for a server that has not read it can't be told to stop it. One
    /// that waits for a file has read it: it is stopped, and goes on to take the file, of which it makes no use.
    ///
    /// # Errors
    /// Nothing is left to wait for.
    pub(crate) fn timed_out_in_writing(&mut self) -> io::Result<()> {
        let stopped = match self.phase {
            Phase::Query(_) if self.is_up() && self.is_read => self.stop.stop(&|| false),
            Phase::Query(_) if self.is_up() => Err("the server has not read all of it".to_owned()),
            Phase::End(_) if self.is_up() => Err("the server did not let go of it".to_owned()),
            _ => return Err(timed_out()),
        };
        self.go_on(stopped)
    }

    /// What an error is, knowing that the query was stopped, or could not be.
    pub(crate) fn explain(&self, error: Error) -> Error {
        let what = "Query execution was interrupted: it took longer than the query timeout of";
        let milliseconds = self.timeout.as_millis();
        match (&self.phase, error) {
            (Phase::GivenUp(reason), Error::Io { .. }) => {
                Error::QueryNotStopped { milliseconds, reason: reason.clone() }
            }
            (_, Error::Server { code, .. }) if self.lingers && INTERRUPTED.contains(&code) => {
                Error::Server {
                    code: QUERY_TIMEOUT,
                    sqlstate: *b"HY000",
                    message: format!("{what} {milliseconds} ms").into_bytes(),
                }
            }
            (_, error) => error,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Stopper(Result<Stopped, String>);

    impl Stop for Stopper {
        fn stop(&self, _: &dyn Fn() -> bool) -> Result<Stopped, String> {
            self.0.clone()
        }
    }

    fn watch(stopped: Result<Stopped, String>) -> Watch {
        let second = Duration::from_secs(1);
        Watch::new(second, second, Box::new(Stopper(stopped)))
    }

    fn interrupted() -> Error {
        Error::Server { code: 1317, sqlstate: *b"70100", message: Vec::new() }
    }

    #[test]
    fn only_waiting_counts_and_each_query_begins_anew() {
        let mut watch = watch(Ok(Stopped::Yes));
        assert_eq!(watch.time_left(), None);
        for _ in 0..2 {
            watch.begin();
            watch.spend(Duration::from_millis(600));
            assert_eq!(watch.time_left(), Some(Duration::from_millis(400)));
            // The read timeout of the connection is shorter: nothing is stopped.
            assert!(watch.timed_out(&|| false).is_err());
            assert_eq!(watch.end(), (true, false));
        }
        assert_eq!(watch.end(), (false, false));
    }

    #[test]
    fn a_query_whose_time_is_up_is_stopped_once_and_waited_for() {
        let mut watch = watch(Ok(Stopped::Yes));
        watch.begin();
        assert_eq!(watch.explain(interrupted()).code(), 1317, "somebody else stopped it");
        watch.spend(Duration::from_secs(2));
        watch.timed_out(&|| false).unwrap();
        assert_eq!(watch.explain(interrupted()).code(), 3024);
        assert_eq!(watch.explain(Error::OutOfSync).code(), 2014);
        watch.spend(STOPPING_TIME);
        assert!(watch.timed_out(&|| false).is_err());
        let error = watch.explain(Error::lost(timed_out(), false));
        assert_eq!((error.code(), error.breaks_connection()), (2013, true));
        assert_eq!(watch.end(), (true, true));
    }

    #[test]
    fn each_result_has_its_own_time_and_a_late_kill_may_hit_the_next() {
        let mut watch = watch(Ok(Stopped::Yes));
        watch.begin();
        watch.spend(Duration::from_secs(2));
        watch.timed_out(&|| false).unwrap();
        watch.begin();
        assert_eq!(watch.time_left(), Some(Duration::from_secs(1)));
        assert_eq!(watch.explain(interrupted()).code(), 3024);
        assert_eq!(watch.end(), (true, true));
    }

    #[test]
    fn a_query_that_has_its_answer_is_read_on() {
        let mut watch = watch(Ok(Stopped::No));
        watch.begin();
        watch.spend(Duration::from_secs(2));
        watch.timed_out(&|| true).unwrap();
        assert_eq!(watch.time_left(), Some(Duration::from_secs(1)));
        assert_eq!(watch.explain(interrupted()).code(), 1317);
        assert_eq!(watch.end(), (true, false));
    }

    #[test]
    fn a_query_that_streams_gets_its_time_twice() {
        let mut watch = watch(Ok(Stopped::Yes));
        watch.begin();
        for _ in 0..2 {
            watch.spend(Duration::from_millis(600));
            watch.was_read().unwrap();
        }
        assert_eq!(watch.time_left(), Some(Duration::from_secs(1)), "once more");
        watch.spend(Duration::from_secs(1));
        watch.was_read().unwrap();
        assert_eq!(watch.explain(interrupted()).code(), 3024, "stopped");
        watch.spend(STOPPING_TIME);
        assert!(watch.was_read().is_err(), "it streams on");
        assert_eq!(watch.end(), (true, true));
    }

    #[test]
    fn an_answer_that_is_there_counts_more_than_a_stop_that_failed() {
        let mut watch = watch(Err("no way".to_owned()));
        watch.begin();
        watch.spend(Duration::from_secs(1));
        let asked = std::cell::Cell::new(0);
        let is_answered = || asked.replace(asked.get() + 1) > 0;
        watch.timed_out(&is_answered).unwrap();
        assert_eq!(watch.time_left(), Some(Duration::from_secs(1)));
    }

    #[test]
    fn a_server_that_waits_for_a_file_is_told() {
        let mut watch = watch(Ok(Stopped::Yes));
        watch.begin();
        watch.note_read();
        watch.spend(Duration::from_secs(1));
        watch.timed_out_in_writing().unwrap();
        assert_eq!(watch.explain(interrupted()).code(), 3024);
        watch.spend(STOPPING_TIME);
        assert!(watch.timed_out_in_writing().is_err());
    }

    #[test]
    fn a_query_that_is_not_read_is_given_up_and_not_stopped() {
        let mut watch = watch(Ok(Stopped::Yes));
        watch.begin();
        watch.spend(Duration::from_millis(600));
        // The write timeout of the connection is shorter.
        assert!(watch.timed_out_in_writing().is_err());
        assert_eq!(watch.explain(Error::lost(timed_out(), false)).code(), 2006);
        watch.spend(Duration::from_millis(400));
        assert!(watch.timed_out_in_writing().is_err());
        let error = watch.explain(Error::lost(timed_out(), false));
        assert_eq!(error.code(), 2013);
        assert!(error.to_string().contains("has not read"), "{error}");
        assert_eq!(watch.end(), (true, false));
    }

    #[test]
    fn a_query_that_cannot_be_stopped_ends_the_connection() {
        let mut watch = watch(Err("no way".to_owned()));
        watch.begin();
        watch.spend(Duration::from_secs(1));
        assert!(watch.timed_out(&|| false).is_err());
        let error = watch.explain(Error::lost(timed_out(), false));
        assert_eq!(error.code(), 2013);
        assert!(error.to_string().contains("no way"), "{error}");
    }
}
