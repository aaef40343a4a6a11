//! A limit on how long queries take: told to the server where it keeps one itself, and kept from here where it does not.
//!
//! MariaDB stops any statement (`max_statement_time`), MySQL a SELECT (`max_execution_time`); they are told once a session, when the
//! limit is set, and their errors (1969, 3024) pass as they are. For what they don't stop, and for servers that know neither,
//! [`crate::watch`] waits a little longer and then sends KILL QUERY over a connection of its own. That is done only if that
//! connection reached the server of this one: behind a balancer the same id may be a stranger's. It waits for the OK, so that the kill can
//! hit nothing later, and the answer to the query is read to its end. Where any of this fails, the connection is closed (2013).

use std::time::{Duration, Instant};

use vaquita_protocol::{Capabilities, Command, ErrPacket, Malformed};

use crate::connection::Connection;
use crate::error::Error;
use crate::options::ConnectOptions;
use crate::packet_stream::MAX_ANSWER_BYTES;
use crate::query::QueryResponse;
use crate::watch::{Stop, Stopped, Watch};

/// What a server that keeps the limit itself has more before we do.
const GRACE: Duration = Duration::from_millis(250);

/// How long the connection that kills may take in all.
const KILLER_TIMEOUT: Duration = Duration::from_secs(5);

/// What a start time, which a server tells as a difference of two clocks of whole seconds, may differ by.
const START_TOLERANCE_SECONDS: i64 = 2;

/// The id of this connection, and what only this server has: MySQL a UUID and a place (who copies a server's files may copy its UUID;
/// the second of its start would cost the table of all its counters), MariaDB a place and the second of its start.
const MYSQL_IDENTITY: &[u8] =
    b"SELECT CONNECTION_ID(), 0, @@server_uuid, @@hostname, @@port, @@datadir";
const MARIADB_IDENTITY: &[u8] = b"SELECT CONNECTION_ID(), UNIX_TIMESTAMP() - VARIABLE_VALUE, \
    @@hostname, @@port, @@datadir FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = 'UPTIME'";

/// Which connection of which server.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Identity {
    connection_id: u64,
    started: i64,
    names: Vec<Vec<u8>>,
}

impl Identity {
    /// Reads the row of one of the queries.
    fn parse(row: &[Vec<u8>]) -> Option<Self> {
        let [connection_id, started, names @ ..] = row else { return None };
        let number = |text: &[u8]| std::str::from_utf8(text).ok()?.trim().parse::<f64>().ok();
        #[expect(clippy::cast_possible_truncation, reason = "a time in seconds; a float saturates")]
        let started = number(started)? as i64;
        let connection_id = std::str::from_utf8(connection_id).ok()?.parse().ok()?;
        // Servers that only speak like MySQL have a UUID of zeros.
        let is_telling = |byte: &u8| !matches!(byte, b'0' | b'-');
        let is_known = names.first().is_some_and(|name| name.iter().any(is_telling));
        is_known.then(|| Identity { connection_id, started, names: names.to_vec() })
    }

    /// A greeting has room for the lower half of an id.
    fn has_thread_id(&self, thread_id: u32) -> bool {
        self.connection_id & u64::from(u32::MAX) == u64::from(thread_id)
    }

    fn is_same_server(&self, other: &Identity) -> bool {
        self.names == other.names
            && self.started.abs_diff(other.started) <= START_TOLERANCE_SECONDS.unsigned_abs()
    }
}

/// Kills the query of one connection over another.
#[derive(Debug)]
struct Killer {
    options: ConnectOptions,
    /// The victim's; `None`: its server did not tell, so nothing can be killed.
    victim: Option<Identity>,
}

impl Stop for Killer {
    fn stop(&self, is_answered: &dyn Fn() -> bool) -> Result<Stopped, String> {
        let begun = Instant::now();
        let victim = self.victim.as_ref().ok_or("the server does not tell which one it is")?;
        let mut killer = Connection::connect(&self.options)
            .map_err(|error| format!("no second connection: {error}"))?;
        let left = KILLER_TIMEOUT.saturating_sub(begun.elapsed());
        killer.stream.transport().finish_within(Some(left));
        let reached = killer.identity().map_err(|error| error.to_string())?;
        if !reached.is_some_and(|reached| reached.is_same_server(victim)) {
            return Err("a second connection reached another server".to_owned());
        }
        if is_answered() {
            return Ok(Stopped::No);
        }
        let sql = format!("KILL QUERY {}", victim.connection_id);
        killer.run_own(sql.as_bytes()).map_err(|error| error.to_string())?;
        Ok(Stopped::Yes)
    }
}

impl Connection {
    /// How long queries may take.
    pub fn query_timeout(&self) -> Option<Duration> {
        self.options.query_timeout
    }

    /// Limits how long queries may take from now on; `None`: no limit. It costs two round trips here, and none later.
    ///
    /// A query that takes longer fails with the server's own error (1969, 3024), or with 3024 where it had to be killed from here;
    /// then the connection goes on. Only time spent waiting for the server counts here, anew for each result; a server that keeps the
    /// limit itself also counts the time in which it waits for rows to be fetched. What does not fail when it is interrupted (a bare
    /// `SELECT SLEEP(60)` on MySQL answers 1) does not fail here either.
    ///
    /// # Errors
    /// The connection failed or is in the middle of something else.
    pub fn set_query_timeout(&mut self, timeout: Option<Duration>) -> Result<(), Error> {
        let said = self.session.clone();
        let set = self.tell_query_timeout(timeout);
        let status = self.session.status;
        self.session = crate::session::Session { status, ..said };
        set
    }

    /// Tells the server again, for the session began anew.
    pub(crate) fn tell_query_timeout_again(&mut self) -> Result<(), Error> {
        match self.query_timeout() {
            None => Ok(()),
            timeout => self.set_query_timeout(timeout),
        }
    }

    fn tell_query_timeout(&mut self, timeout: Option<Duration>) -> Result<(), Error> {
        let keeps_it = match self.run_own(self.own_limit(timeout).as_bytes()) {
            // Whatever the reason is (an old server, a password that has expired), it is none to be without a connection.
            Err(Error::Server { .. }) => false,
            told => told.map(|()| true)?,
        };
        let watch = match timeout {
            None => None,
            Some(timeout) => {
                let grace = if keeps_it { GRACE } else { Duration::ZERO };
                let killer = Killer { options: self.killer_options(), victim: self.identity()? };
                Some(Watch::new(timeout, timeout.saturating_add(grace), Box::new(killer)))
            }
        };
        self.options.query_timeout = timeout;
        self.stream.transport().set_watch(watch, self.options.read_timeout)
    }

    /// The statement that tells the server.
    fn own_limit(&self, timeout: Option<Duration>) -> String {
        let milliseconds = timeout.map(|timeout| timeout.as_millis().clamp(1, u32::MAX.into()));
        match (self.is_mariadb(), milliseconds) {
            (true, Some(time)) => {
                format!("SET SESSION max_statement_time = {}.{:03}", time / 1000, time % 1000)
            }
            (true, None) => "SET SESSION max_statement_time = DEFAULT".to_owned(),
            (false, Some(time)) => format!("SET SESSION max_execution_time = {time}"),
            (false, None) => "SET SESSION max_execution_time = DEFAULT".to_owned(),
        }
    }

    /// MariaDB says so by a bit that it leaves unset; its version is whatever its owner likes. The bit of a proxy is its own.
    fn is_mariadb(&self) -> bool {
        let name = b"MariaDB";
        let is_mysql = self.greeting.capabilities.contains(Capabilities::LONG_PASSWORD);
        !is_mysql || self.server_version().windows(name.len()).any(|part| part == name)
    }

    fn killer_options(&self) -> ConnectOptions {
        ConnectOptions {
            database: None,
            init_commands: Vec::new(),
            connect_timeout: Some(KILLER_TIMEOUT),
            read_timeout: Some(KILLER_TIMEOUT),
            write_timeout: Some(KILLER_TIMEOUT),
            query_timeout: None,
            ..(*self.options).clone()
        }
    }

    /// Which connection of which server this is; `None`: the server does not tell, or somebody between counts connections otherwise.
    fn identity(&mut self) -> Result<Option<Identity>, Error> {
        let sql = if self.is_mariadb() { MARIADB_IDENTITY } else { MYSQL_IDENTITY };
        match self.only_row(sql) {
            Ok(row) => {
                let is_this = |it: &Identity| it.has_thread_id(self.thread_id());
                Ok(Identity::parse(&row).filter(is_this))
            }
            Err(Error::Server { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The values of a query that has one row.
    fn only_row(&mut self, sql: &[u8]) -> Result<Vec<Vec<u8>>, Error> {
        let unexpected = Malformed { packet: "COM_QUERY Response", field: "rows" };
        self.send_query(sql)?;
        let mut values = Vec::new();
        if let QueryResponse::ResultSet(_) = self.read_query_response()? {
            if let Some(row) = self.next_row()? {
                values.extend(row.values().map(|value| value.unwrap_or_default().to_vec()));
            }
            if self.next_row()?.is_none() && !self.more_results() {
                return Ok(values);
            }
        }
        self.settle(Err(unexpected.into()))
    }

    /// Has a kill that the query before did not notice hit nothing: some servers keep it for the next statement.
    #[cold]
    pub(crate) fn absorb_kill(&mut self) -> Result<(), Error> {
        let harmless = Command::Query(b"DO 0");
        let sent = self.stream.write_command(harmless.code(), &harmless.body());
        sent.map_err(|error| self.lost_in_writing(error))?;
        let answer = self.stream.read_packet(MAX_ANSWER_BYTES).and_then(|payload| {
            if ErrPacket::is_err(payload) {
                ErrPacket::parse(payload)?;
            }
            Ok(())
        });
        self.settle(answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(row: &[&str]) -> Option<Identity> {
        let row: Vec<Vec<u8>> = row.iter().map(|value| value.as_bytes().to_vec()).collect();
        Identity::parse(&row)
    }

    #[test]
    fn a_server_is_known_by_its_names_and_its_start() {
        let mysql = identity(&["7", "0", "a-uuid"]).unwrap();
        assert_eq!(mysql.connection_id, 7);
        assert!(mysql.is_same_server(&identity(&["9", "0", "a-uuid"]).unwrap()));
        assert!(!mysql.is_same_server(&identity(&["7", "0", "b-uuid"]).unwrap()));
        let mariadb = |start, port| identity(&["7", start, "host", port, "/data"]).unwrap();
        assert!(mariadb("1700000000", "1").is_same_server(&mariadb("1700000002", "1")));
        assert!(!mariadb("1700000000", "1").is_same_server(&mariadb("1700000003", "1")));
        assert!(!mariadb("1700000000", "1").is_same_server(&mariadb("1700000000", "2")));
    }

    #[test]
    fn a_greeting_tells_half_of_an_id() {
        assert!(identity(&["4294967303", "0", "u"]).unwrap().has_thread_id(7));
        assert!(!identity(&["77", "0", "u"]).unwrap().has_thread_id(7));
    }

    #[test]
    fn what_tells_nothing_is_no_identity() {
        let zeros = "00000000-0000-0000-0000-000000000000";
        for row in [
            &[][..],
            &["7"],
            &["7", "0"],
            &["7", "0", ""],
            &["7", "0", zeros, "host"],
            &["x", "0", "u"],
            &["7", "", "u"],
        ] {
            assert_eq!(identity(row), None, "{row:?}");
        }
    }
}
