//! The commands besides queries.

use vaquita_protocol::{
    Capabilities, Charset, Command, EofPacket, ErrPacket, OkPacket, SetOption, StatusFlags,
};

use crate::connection::Connection;
use crate::error::{Error, codes};
use crate::packet_stream::{MAX_ANSWER_BYTES, Span};
use crate::session::UNKNOWN_ROWS;
use crate::state::State;
use crate::statistics::PacketKind;

/// What COM_REFRESH can flush, and the statements that do the same where the server does not know the command any more, in the order
/// in which a server does it. The threads kept for new connections (32) have no statement; nobody sees them.
///
/// <https://dev.mysql.com/doc/dev/mysql-server/8.0/mysql__com_8h.html>
const REFRESH: [(u8, &[u8]); 7] = [
    (1, b"FLUSH PRIVILEGES"),
    (2, b"FLUSH LOGS"),
    (4, b"FLUSH TABLES"),
    (8, b"TRUNCATE TABLE performance_schema.host_cache"),
    (16, b"FLUSH STATUS"),
    (64, b"RESET REPLICA"),
    (128, b"RESET BINARY LOGS AND GTIDS"),
];

impl Connection {
    /// Asks whether the server is there.
    ///
    /// # Errors
    /// It is not, or the connection is in the middle of something else.
    pub fn ping(&mut self) -> Result<(), Error> {
        self.session.affected_rows = UNKNOWN_ROWS;
        self.send_command(Command::Ping)?;
        if self.reuse.is_first() {
            return self.read_first_ok();
        }
        self.read_command_ok()
    }

    /// Makes a database the one that unqualified names refer to.
    ///
    /// # Errors
    /// The server refused it, or the connection failed or is in the middle of something else.
    pub fn init_db(&mut self, database: &[u8]) -> Result<(), Error> {
        self.session.affected_rows = UNKNOWN_ROWS;
        self.send_command(Command::InitDb(database))?;
        self.read_command_ok()?;
        database.clone_into(&mut self.session.database);
        Ok(())
    }

    /// Changes the connection's character set, by SET NAMES.
    ///
    /// # Errors
    /// As a query.
    pub fn set_charset(&mut self, charset: &'static Charset) -> Result<(), Error> {
        self.run_own(format!("SET NAMES {}", charset.name).as_bytes())?;
        self.charset = charset;
        self.collation_id = charset.default_collation_id;
        self.session.character_set_client = charset;
        self.session.character_set_connection = charset;
        Ok(())
    }

    /// Allows or forbids several statements in one query.
    ///
    /// # Errors
    /// The server refused it, or the connection failed or is in the middle of something else.
    pub fn set_multi_statements(&mut self, on: bool) -> Result<(), Error> {
        self.send_command(Command::SetOption(SetOption::multi_statements(on)))?;
        self.read_command_ok()?;
        self.multi_statements = on;
        Ok(())
    }

    /// Whether the server takes several statements in one query.
    pub fn multi_statements(&self) -> bool {
        self.multi_statements
    }

    /// What the server tells of itself in one line: uptime, threads, questions.
    ///
    /// # Errors
    /// The server refused it, or the connection failed or is in the middle of something else.
    pub fn statistics(&mut self) -> Result<Vec<u8>, Error> {
        self.send_command(Command::Statistics)?;
        let answer =
            self.stream.read_packet(PacketKind::Other, MAX_ANSWER_BYTES).and_then(|payload| {
                if ErrPacket::is_err(payload) {
                    return Err(Error::server(&ErrPacket::parse(payload)?));
                }
                Ok(payload.to_vec())
            });
        self.settle(answer)
    }

    /// Has the server write what it knows of itself to its log.
    ///
    /// # Errors
    /// The server refused it, or the connection failed or is in the middle of something else.
    pub fn debug(&mut self) -> Result<(), Error> {
        self.send_command(Command::Debug)?;
        self.read_command_ok()
    }

    /// Flushes what the bits of `MYSQLI_REFRESH_*` (the protocol's REFRESH_*) name.
    ///
    /// A server that does not know the command any more is asked by statements.
    ///
    /// # Errors
    /// The server refused it, or the connection failed or is in the middle of something else.
    pub fn refresh(&mut self, bits: u8) -> Result<(), Error> {
        self.send_command(Command::Refresh(bits))?;
        let answered = self.read_command_ok();
        if !is_unknown_command(&answered) {
            return answered;
        }
        for (bit, sql) in REFRESH {
            if bits & bit != 0 {
                self.run_own(sql)?;
            }
        }
        self.session.affected_rows = UNKNOWN_ROWS;
        Ok(())
    }

    /// Ends the connection with this id, whosever it is. One's own is closed, by the command without waiting for an answer.
    ///
    /// The command has 32 bits for the id, as MySQL has; MariaDB has 64. A larger one, and a server that does not know the command any
    /// more, takes a statement. A greeting tells the lower half of an id: whether one with the same half is one's own, its end tells.
    ///
    /// # Errors
    /// The server refused it, or the connection failed or is in the middle of something else.
    pub fn process_kill(&mut self, thread_id: u64) -> Result<(), Error> {
        if thread_id != u64::from(self.thread_id()) {
            self.session.affected_rows = UNKNOWN_ROWS;
        }
        if let Ok(thread_id) = u32::try_from(thread_id) {
            self.send_command(Command::ProcessKill(thread_id))?;
            if thread_id == self.thread_id() {
                self.end_by_kill();
                return Ok(());
            }
            let answered = self.read_command_ok();
            if !is_unknown_command(&answered) {
                return answered;
            }
        }
        let may_be_own = thread_id & u64::from(u32::MAX) == u64::from(self.thread_id());
        match self.run_own(format!("KILL {thread_id}").as_bytes()) {
            Err(error) if may_be_own && is_end_by_kill(&error) => self.end_by_kill(),
            killed => killed?,
        }
        self.session.affected_rows = UNKNOWN_ROWS;
        Ok(())
    }

    /// The server closes this connection, because it was told to.
    fn end_by_kill(&mut self) {
        self.state = State::QuitSent;
        self.stream.close();
    }

    /// Begins a fresh session for the same user: temporary tables, variables, locks and prepared statements are gone, an open transaction
    /// is rolled back. The current database stays, and so does the character set, which is asked for again because MySQL would go
    /// back to the server's own.
    ///
    /// # Errors
    /// The server refused it (MySQL before 5.7.3 and MariaDB before 10.2.4 do not know it: 1047, and nothing has changed), or the connection
    /// failed or is in the middle of something else.
    pub fn reset_connection(&mut self) -> Result<(), Error> {
        self.send_command(Command::ResetConnection)?;
        self.read_command_ok()?;
        self.session.last_insert_id = 0;
        self.session.warnings = 0;
        self.session.field_count = 0;
        self.set_charset(self.charset)?;
        self.begin_tracking()?;
        self.tell_query_timeout_again()
    }

    /// Reads the answer to a command that has nothing more to tell than OK.
    pub(crate) fn read_command_ok(&mut self) -> Result<(), Error> {
        let answer = self.receive_command_ok();
        self.settle(answer)
    }

    pub(crate) fn receive_command_ok(&mut self) -> Result<(), Error> {
        let span = self.stream.receive(MAX_ANSWER_BYTES)?;
        self.command_answer(span)
    }

    /// What an answer says that has been received.
    pub(crate) fn command_answer(&mut self, span: Span) -> Result<(), Error> {
        let payload = self.stream.payload(span);
        let is_eof = EofPacket::is_eof(payload);
        let kind = if is_eof { PacketKind::Eof } else { PacketKind::Ok };
        self.stream.counted().packet(kind, span.end - span.start);
        let payload = self.stream.payload(span);
        if ErrPacket::is_err(payload) {
            let error = Error::server(&ErrPacket::parse(payload)?);
            self.stream.note_refused();
            return Err(error);
        }
        if is_eof && !self.capabilities.contains(Capabilities::DEPRECATE_EOF) {
            self.session.status = EofPacket::parse(payload)?.status;
        } else {
            self.session.command_ok(&OkPacket::parse(payload, self.capabilities)?)?;
        }
        // Only statements have several results, whatever a server says; a script that asked for the next one would never end.
        self.session.status = self.session.status.without(StatusFlags::MORE_RESULTS_EXISTS);
        Ok(())
    }
}

/// Whether this is how a connection ends that kills itself by a statement: MySQL says so by ER_QUERY_INTERRUPTED, MariaDB by
/// ER_CONNECTION_KILLED, and either may be gone before.
fn is_end_by_kill(error: &Error) -> bool {
    matches!(error, Error::Server { code: 1317 | 1927, .. } | Error::Io { .. })
}

fn is_unknown_command(answered: &Result<(), Error>) -> bool {
    matches!(answered, Err(Error::Server { code: codes::UNKNOWN_COMMAND, .. }))
}
