//! A limit on how long queries take: told to the server where it keeps one itself, and kept from here where it does not.
//!
//! MariaDB stops any statement (`max_statement_time`), MySQL a SELECT (`max_execution_time`); they are told once a session, when the
//! limit is set, unless they have a stricter one already, and their errors (1969, 3024) pass as they are. For what they don't stop, and
//! for servers that know neither, [`crate::watch`] waits a little longer and then sends KILL QUERY over a connection of its own. That is
//! done only if that connection reached the server of this one: behind a balancer the same id may be a stranger's. It waits for the OK, so
//! that the kill can hit nothing later, and the answer to the query is read to its end. Where any of this fails, the connection is closed
//! (2013); so it is where the server does not even read all of the query, for then there is nothing to be killed.

use std::time::Duration;

use vaquita_protocol::{Command, ErrPacket, Malformed};
use vaquita_sys::Block;

use crate::connection::Connection;
use crate::error::Error;
use crate::killer::{KILLER_TIMEOUT, Spent};
use crate::memory::Memory;
use crate::own::Own;
use crate::packet_stream::MAX_ANSWER_BYTES;
use crate::query::QueryResponse;
use crate::server_identity::Identity;
use crate::state::Call;
use crate::statistics::PacketKind;
use crate::watch::Watch;

/// What a server that keeps the limit itself has more before we do.
const GRACE: Duration = Duration::from_millis(250);

/// What a server is asked before it is told of a limit, each question if it refuses the one before: its own limit in microseconds (0:
/// none), and what [`Identity`] takes. The last one is for servers that say nothing of themselves, and for all that have said it.
const MYSQL_QUESTIONS: &[&[u8]] = &[
    b"SELECT @@SESSION.max_execution_time * 1000, CONNECTION_ID(), UNIX_TIMESTAMP() - VARIABLE_VALUE, \
    @@server_uuid, @@hostname, @@port, @@datadir FROM performance_schema.global_status \
    WHERE VARIABLE_NAME = 'UPTIME'",
    // Before 5.7 there is no such table, and no such limit.
    b"SELECT NULL, CONNECTION_ID(), UNIX_TIMESTAMP() - VARIABLE_VALUE, \
    @@server_uuid, @@hostname, @@port, @@datadir FROM information_schema.GLOBAL_STATUS \
    WHERE VARIABLE_NAME = 'UPTIME'",
    b"SELECT @@SESSION.max_execution_time * 1000",
];
const MARIADB_QUESTIONS: &[&[u8]] = &[
    b"SELECT CAST(ROUND(@@SESSION.max_statement_time * 1000000) AS UNSIGNED), \
    CONNECTION_ID(), UNIX_TIMESTAMP() - VARIABLE_VALUE, @@hostname, @@port, @@datadir \
    FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = 'UPTIME'",
    b"SELECT CAST(ROUND(@@SESSION.max_statement_time * 1000000) AS UNSIGNED)",
];

/// What is known of the server's side. A time of zero is no limit, as servers have it.
#[derive(Debug, Default)]
pub(crate) struct ServerSide {
    /// `None`: it does not tell, or was not asked.
    pub(crate) identity: Option<Identity>,
    /// The session's limit before we told one.
    found: Duration,
    /// What we told; `None`: nothing.
    told: Option<Duration>,
    /// What the connections have counted that were made to stop queries of this one.
    pub(crate) killers: Spent,
}

impl ServerSide {
    /// A session begins anew, on the same connection of the same server.
    fn begin_again(&mut self) {
        self.told = None;
    }
}

/// No memory but the read buffer: who is asked for a few words does not get the memory of a result to answer with.
struct NoMore;

impl Memory for NoMore {
    fn rows(&self, _bytes: usize) -> Option<Block> {
        None
    }

    fn value(&self, _bytes: usize) -> Option<Block> {
        None
    }

    fn has_room(&self, _bytes: usize) -> bool {
        false
    }
}

/// The stricter one of two limits.
fn stricter(one: Duration, other: Duration) -> Duration {
    if one.is_zero() || other.is_zero() { one.max(other) } else { one.min(other) }
}

impl Connection {
    /// How long queries may take.
    pub fn query_timeout(&self) -> Option<Duration> {
        self.options.query_timeout
    }

    /// Limits how long queries may take from now on; `None`: no limit but what the server has of its own. It costs two round trips here,
    /// and none later. A stricter limit of the session's stays, and so does one that was set before this one.
    ///
    /// A query that takes longer fails with the server's own error (1969, 3024), or with 3024 where it had to be killed from here;
    /// then the connection goes on. Only time spent waiting for the server counts here, to take the query as well as to answer it, anew for
    /// each result; a server that keeps the limit itself also counts the time in which it waits for rows to be fetched. What does not fail
    /// when it is interrupted (a bare `SELECT SLEEP(60)` on MySQL answers 1) does not fail here either.
    ///
    /// An answer that is on its way when the time is up gets the same time once more. Killing may take 5 seconds, and a server that was told
    /// to stop has 10 seconds of waiting to let go of the query; then the connection is closed (2013).
    ///
    /// # Errors
    /// The connection failed or is in the middle of something else; or the server, which has taken a limit before, refuses to change it.
    pub fn set_query_timeout(&mut self, timeout: Option<Duration>) -> Result<(), Error> {
        self.state.allow(Call::Command)?;
        let said = self.session.clone();
        let set = self.tell_query_timeout(timeout);
        let status = self.session.status;
        self.session = crate::session::Session { status, ..said };
        set
    }

    /// Tells the server again, for the session began anew.
    pub(crate) fn tell_query_timeout_again(&mut self) -> Result<(), Error> {
        self.server_side.begin_again();
        match self.query_timeout() {
            None => Ok(()),
            timeout => self.set_query_timeout(timeout),
        }
    }

    fn tell_query_timeout(&mut self, timeout: Option<Duration>) -> Result<(), Error> {
        let mut keeps_it = false;
        if (timeout.is_some() || self.server_side.told.is_some())
            && let Some(current) = self.ask()?
        {
            keeps_it = self.tell(current, timeout)?;
        }
        if self.stream.transport().end_watch()? {
            self.absorb_kill()?;
        }
        let watch = timeout.map(|timeout| {
            let grace = if keeps_it { GRACE } else { Duration::ZERO };
            Watch::new(timeout, timeout.saturating_add(grace), Box::new(self.killer()))
        });
        self.options.query_timeout = timeout;
        self.stream.transport().set_watch(watch);
        Ok(())
    }

    /// Asks the server who it is, unless that is known, and for the session's limit; `None`: it has none, or does not tell.
    pub(crate) fn ask(&mut self) -> Result<Option<Duration>, Error> {
        let questions = if self.is_mariadb() { MARIADB_QUESTIONS } else { MYSQL_QUESTIONS };
        let known = if self.server_side.identity.is_some() { questions.len() - 1 } else { 0 };
        for (number, question) in questions.iter().enumerate().skip(known) {
            let is_last = number + 1 == questions.len();
            let row = match self.only_row(Own::AskLimit, question) {
                // Who does not tell who it is may tell the limit.
                Err(Error::Server { .. }) if !is_last => continue,
                Err(error) if self.is_no(&error) => continue,
                answered => answered?,
            };
            let [limit, identity @ ..] = &*row else { continue };
            if self.server_side.identity.is_none() {
                // Somebody between may count connections otherwise.
                let is_this = |it: &Identity| it.has_thread_id(self.greeting.thread_id);
                self.server_side.identity = Identity::parse(identity).filter(is_this);
            }
            let microseconds = std::str::from_utf8(limit).ok().and_then(|text| text.parse().ok());
            return Ok(microseconds.map(Duration::from_micros));
        }
        Ok(None)
    }

    /// Tells the server, whose session has the `current` limit, unless it has a stricter one; whether it keeps one now.
    fn tell(&mut self, current: Duration, timeout: Option<Duration>) -> Result<bool, Error> {
        // Whatever is not ours was set by the server, for this user, or by the script.
        let is_ours = self.server_side.told == Some(current);
        let found = if is_ours { self.server_side.found } else { current };
        let asked = timeout.map_or(Duration::ZERO, |timeout| {
            let milliseconds = timeout.as_millis().clamp(1, u32::MAX.into());
            Duration::from_millis(u64::try_from(milliseconds).unwrap_or_default())
        });
        let limit = stricter(found, asked);
        if limit != current {
            match self.run_own(Own::Limit, self.own_limit(limit).as_bytes()) {
                Err(error) if self.is_no(&error) => return Ok(false),
                told => told?,
            }
        }
        self.server_side.found = found;
        self.server_side.told = (limit != found).then_some(limit);
        Ok(true)
    }

    /// Whether a server only has no such thing. Whatever its reason is (an old server, a password that has expired), it is none to be
    /// without a connection. But a server that took a limit before has another one; without a word a wrong limit would stay.
    fn is_no(&self, error: &Error) -> bool {
        matches!(error, Error::Server { .. }) && self.server_side.told.is_none()
    }

    /// The statement that tells the server again, where the session began anew.
    pub(crate) fn told_query_timeout(&self) -> Option<String> {
        self.server_side.told.map(|limit| self.own_limit(limit))
    }

    /// The statement that tells the server.
    fn own_limit(&self, limit: Duration) -> String {
        if self.is_mariadb() {
            let (seconds, microseconds) = (limit.as_secs(), limit.subsec_micros());
            format!("SET SESSION max_statement_time = {seconds}.{microseconds:06}")
        } else {
            format!("SET SESSION max_execution_time = {}", limit.as_millis())
        }
    }

    /// The values of a query of the driver's own that has one row, all of them short.
    pub(crate) fn only_row(&mut self, own: Own, sql: &[u8]) -> Result<Vec<Vec<u8>>, Error> {
        self.by_itself(own, |it| it.send_query(sql))?;
        let memory = self.stream.memory();
        self.stream.set_memory(&NoMore);
        let row = self.read_only_row();
        self.stream.set_memory(memory);
        match row {
            Ok(Some(values)) => Ok(values),
            Ok(None) | Err(Error::OutOfMemory { .. }) => {
                self.settle(Err(Malformed::new("COM_QUERY Response", "rows").into()))
            }
            Err(error) => Err(error),
        }
    }

    /// The values of the only row of a result; `None`: it is none, or has others.
    fn read_only_row(&mut self) -> Result<Option<Vec<Vec<u8>>>, Error> {
        let mut values = Vec::new();
        if let QueryResponse::ResultSet(_) = self.read_query_response()? {
            let has_row = self.next_row()?.map(|row| {
                values.extend(row.values().map(|value| value.unwrap_or_default().to_vec()));
            });
            let is_over = has_row.is_none() || self.next_row()?.is_none();
            if is_over && !self.more_results() {
                return Ok(Some(values));
            }
        }
        Ok(None)
    }

    /// Has a kill that the query before did not notice hit nothing: some servers keep it for the next command.
    ///
    /// COM_STATISTICS is the command that changes nothing of what the script may still ask for, ROW_COUNT() and warnings. MySQL before 8.0
    /// may keep a kill until the next statement.
    #[cold]
    pub(crate) fn absorb_kill(&mut self) -> Result<(), Error> {
        let is_old = !self.is_mariadb() && self.version_number() < 80_000;
        self.stream.transport().finish_within(Some(KILLER_TIMEOUT));
        let (own, harmless) = if is_old {
            (Own::AbsorbOldKill, Command::Query(b"DO 0"))
        } else {
            (Own::AbsorbKill, Command::Statistics)
        };
        let sent =
            self.by_itself(own, |it| it.stream.write_command(harmless.code(), &harmless.body()));
        sent.map_err(|error| self.lost_in_writing(error))?;
        let answer =
            self.stream.read_packet(PacketKind::Other, MAX_ANSWER_BYTES).and_then(|payload| {
                if ErrPacket::is_err(payload) {
                    ErrPacket::parse(payload)?;
                }
                Ok(())
            });
        self.settle(answer)?;
        let (read_timeout, write_timeout) = (self.options.read_timeout, self.options.write_timeout);
        self.stream.transport().set_timeouts(read_timeout, write_timeout)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stricter_limit_counts_and_zero_is_none() {
        let [none, short, long] = [0, 1, 2].map(Duration::from_millis);
        for (one, other, stricter_one) in [
            (none, none, none),
            (none, long, long),
            (short, none, short),
            (short, long, short),
            (long, short, short),
        ] {
            assert_eq!(stricter(one, other), stricter_one, "{one:?} {other:?}");
        }
    }
}
