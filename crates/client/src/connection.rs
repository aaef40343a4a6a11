//! A connection to a server: what is known of it, how commands go out, and how it ends.

use std::sync::Arc;
use std::time::{Duration, Instant};

use vaquita_protocol::panic_point;
use vaquita_protocol::{Capabilities, Charset, Command, Malformed, StatusFlags};
use zeroize::Zeroize;

use crate::buffered::Storage;
use crate::columns::Columns;
use crate::elsewhere::{Elsewhere, Look, Onlooker};
use crate::error::Error;
use crate::escape::escape_into;
use crate::handshake::Greeting;
use crate::known_columns::KnownColumns;
use crate::local_infile::Names;
use crate::memory::Memory;
use crate::options::{Address, ConnectOptions};
use crate::packet_stream::{MAX_PAYLOAD_BYTES, PacketStream, Span};
use crate::query_timeout::ServerSide;
use crate::result_set::Rows;
use crate::reuse::Reuse;
use crate::row::Layout;
use crate::session::{Session, UNKNOWN_ROWS};
use crate::state::{Call, State};
use crate::statement_cache::{Effect, StatementCache};
use crate::statistics::Statistics;
use crate::tls::TlsOptions;

/// Longer bodies of commands are not kept for their memory.
pub(crate) const MAX_KEPT_BODY_BYTES: usize = 4 << 10;

/// What the answer to a query is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// Rows of text.
    Text,
    /// Rows of a prepared statement.
    Binary,
    /// Rows of a prepared statement, which may stay behind a cursor. A procedure's own cursors set the same flag unasked.
    Cursor,
}

/// A connection to a server.
///
/// Dropping it closes it as [`Connection::close`] does.
#[derive(Debug)]
pub struct Connection {
    pub(crate) stream: PacketStream,
    pub(crate) state: State,
    pub(crate) session: Session,
    pub(crate) capabilities: Capabilities,
    /// The columns of the result set that is being read.
    pub(crate) columns: Columns,
    /// How its rows are laid out.
    pub(crate) layout: Layout,
    /// Those of the results before.
    pub(crate) known_columns: KnownColumns,
    /// What the answer to the last query is.
    pub(crate) answer: Answer,
    /// The last command's body, where it had to be written, for its memory.
    pub(crate) body: Vec<u8>,
    /// The ids of the prepared statements that nobody needs any more and the server still has.
    pub(crate) statements_to_close: Vec<u32>,
    /// Those that are kept for whoever prepares the same text again.
    pub(crate) statement_cache: StatementCache,
    /// Whether the statement that was sent last was kept, and runs for the first time since.
    pub(crate) runs_lent: bool,
    /// Whether a statement has run here by being the one that was prepared last.
    pub(crate) knows_last_prepared: bool,
    /// The statement that the server has prepared last, if it may write and may still be there.
    pub(crate) last_prepared: Option<u32>,
    /// Where the row stands that was read last, while it is there.
    pub(crate) row: Option<Span>,
    /// Where it and the rows stand that were read before it in one piece.
    pub(crate) rows: Option<Rows>,
    /// What it takes to store a result, kept for the next one.
    pub(crate) storage: Storage,
    /// Whether a row that can't be read is an error when it arrives.
    pub(crate) refuses_spoilt_rows: bool,
    /// What was wrong with such a row, if there was one: the server hears goodbyes from then on, and nothing else.
    pub(crate) spoilt: Option<Malformed>,
    pub(crate) allows_local_infile: bool,
    /// Whether the server takes several statements in one query.
    pub(crate) multi_statements: bool,
    /// The local files that the last query names and the server has not asked for.
    pub(crate) local_infiles: Names,
    pub(crate) charset: &'static Charset,
    /// The collation that it was asked for with.
    pub(crate) collation_id: u8,
    pub(crate) greeting: Greeting,
    /// What it was made with; the user, the password and the database are those of now.
    pub(crate) options: Box<ConnectOptions>,
    /// What the server knows of the limit of queries.
    pub(crate) server_side: ServerSide,
    /// Whether others were sent behind the command whose reply is due.
    pub(crate) is_followed: bool,
    pub(crate) reuse: Reuse,
    /// What the server does not know of the statements of its session.
    pub(crate) elsewhere: Elsewhere,
    /// Who is told what statements do to others.
    pub(crate) onlooker: Option<Arc<dyn Onlooker>>,
    /// Whether that is to be told when what was sent is done.
    pub(crate) tells_end: bool,
    /// What the last command does to others.
    pub(crate) last_effect: Effect,
    /// Whether the server tells of changes of the session that statements don't show.
    pub(crate) tracks_changes: bool,
    pub(crate) begun: Instant,
}

impl Connection {
    /// Has results stand in this memory from now on: what is stored, and values of [`crate::LONG_VALUE_BYTES`] or more.
    pub fn set_memory(&mut self, memory: &'static dyn Memory) {
        self.stream.set_memory(memory);
    }

    /// Hands on a row that is malformed in itself, as the last one of its result, instead of an error that takes the rows before it
    /// along; [`Connection::spoilt_row`] and [`crate::Buffered::spoilt_row`] tell. The connection can't be used any more either way.
    pub fn keep_spoilt_rows(&mut self) {
        self.refuses_spoilt_rows = false;
    }

    /// What the connection is in the middle of.
    pub fn state(&self) -> State {
        self.state
    }

    /// What was counted of this connection so far, and of those that were made to stop its queries.
    pub fn counted(&self) -> Statistics {
        let mut counted = self.stream.statistics();
        counted.add(&self.server_side.killers.lock());
        counted
    }

    /// Goes on counting from other numbers: from none, or from those of a moment ago, if what came since is not to count.
    pub fn set_counted(&mut self, statistics: Statistics) {
        *self.server_side.killers.lock() = Statistics::default();
        self.stream.set_statistics(statistics);
    }

    /// What the server last said about the session.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Whether another result of the same query follows; it is read by [`Connection::read_query_response`].
    pub fn more_results(&self) -> bool {
        self.state == State::NextResultPending
    }

    /// The connection's id on the server.
    pub fn thread_id(&self) -> u32 {
        self.reuse.observe();
        self.greeting.thread_id
    }

    /// The protocol's version: 10.
    pub fn protocol_version(&self) -> u8 {
        self.greeting.protocol_version
    }

    /// What both sides agreed upon.
    pub fn capabilities(&self) -> Capabilities {
        self.capabilities
    }

    /// The connection's character set, as it was asked for: when connecting, or by [`Connection::set_charset`].
    ///
    /// SET NAMES in a query does not change it, only [`Session::character_set_client`].
    pub fn charset(&self) -> &'static Charset {
        self.charset
    }

    /// The id of that character set's collation: the server's own where nobody asked for a set, else the set's default.
    pub fn collation_id(&self) -> u8 {
        self.collation_id
    }

    /// Where the server listens.
    pub fn address(&self) -> &Address {
        &self.options.address
    }

    /// The TLS that it was made with; `None`: it has none.
    pub fn tls(&self) -> Option<&TlsOptions> {
        self.options.tls.as_ref()
    }

    /// What it was made with; the user, the password and the database are those of now.
    pub fn options(&self) -> &ConnectOptions {
        &self.options
    }

    /// Whether it was made so long ago; those made at once get there one after the other, within a tenth of that time.
    pub(crate) fn is_older_than(&self, time: Duration, now: Instant) -> bool {
        let sooner = time / 10 / 16 * (self.greeting.thread_id % 16);
        now.duration_since(self.begun) >= time.saturating_sub(sooner)
    }

    /// The connection in the words that users know: `127.0.0.1 via TCP/IP` or `Localhost via UNIX socket`.
    pub fn host_info(&self) -> String {
        match &self.options.address {
            Address::Tcp { host, .. } => format!("{host} via TCP/IP"),
            Address::Unix(_) => "Localhost via UNIX socket".to_owned(),
        }
    }

    /// What the server was told of this connection under this name: one of [`ConnectOptions::attributes`].
    pub fn attribute(&self, name: &[u8]) -> Option<&[u8]> {
        let told = self.options.attributes.iter().find(|(told, _)| told == name);
        told.map(|(_, value)| &**value)
    }

    /// A value made safe inside the quotes of a string literal on this connection.
    ///
    /// What counts is the character set in which the server reads statements now, [`Session::character_set_client`].
    pub fn escape(&self, value: &[u8]) -> Vec<u8> {
        let mut escaped = Vec::new();
        self.escape_into(value, &mut escaped);
        escaped
    }

    /// Appends a value as [`Connection::escape`] makes it.
    pub fn escape_into(&self, value: &[u8], out: &mut Vec<u8>) {
        let no_backslash_escapes = self.session.status.contains(StatusFlags::NO_BACKSLASH_ESCAPES);
        escape_into(self.session.character_set_client, no_backslash_escapes, value, out);
    }

    /// Says goodbye if nothing is pending, and closes the connection. Nothing happens if it was closed before.
    pub fn close(&mut self) {
        panic_point("client/connection close");
        if self.state == State::Ready && (self.reuse.is_owed() || self.reuse.is_first()) {
            let _ = self.stream.write_goodbye(Command::Quit.code(), &[]);
        } else if self.state == State::Ready {
            // A server that is gone needs no goodbye.
            let _ = self.send_command(Command::Quit);
        } else if self.spoilt.is_some() && self.state == State::Broken {
            let _ = self.stream.write_goodbye(Command::Quit.code(), &[]);
        } else if !matches!(self.state, State::Broken | State::QuitSent) {
            self.stream.count_unanswered();
        }
        self.state = State::QuitSent;
        self.stream.close();
    }

    /// Lets go of the connection without a byte, for it is another process that goes on with it.
    pub fn abandon(&mut self) {
        self.state = State::Broken;
        self.stream.rest();
        self.stream.transport().abandon();
    }

    /// Lets go of the connection behind a panic: nobody knows what was sent in part, so nothing more is, nor is anybody told. The server sees
    /// the end.
    pub fn give_up(&mut self) {
        self.stream.fall_silent();
        self.abandon();
    }

    /// Tells another number of affected rows: that of before, after results that nobody asked for were skipped, or none.
    pub fn set_affected_rows(&mut self, rows: u64) {
        self.session.affected_rows = rows;
    }

    /// Sends a command to a server that waits for one.
    pub(crate) fn send_command(&mut self, command: Command<'_>) -> Result<(), Error> {
        self.state.allow(Call::Command)?;
        if self.elsewhere.is_owed() {
            match command {
                Command::Query(sql) => self.tell_before(Look::at(sql, self.session.dialect()))?,
                Command::StmtPrepare(sql) => {
                    self.tell_before_preparing(Look::at(sql, self.session.dialect()))?;
                }
                // Of a statement's run that has been seen to; the others change nothing of it.
                Command::StmtExecute(_)
                | Command::StmtSendLongData { .. }
                | Command::StmtClose(_)
                | Command::SetOption(_)
                | Command::Statistics
                | Command::Debug
                | Command::Quit => {}
                // Their answers count as a statement's.
                _ => self.tell_before_answer()?,
            }
        }
        // Of a statement's run that has been told.
        if self.heeds_commands() && !matches!(command, Command::StmtExecute(_)) {
            self.heed_command(&command);
        }
        if self.reuse.is_first() {
            return self.send_first_command(command);
        }
        self.send_now(command)
    }

    /// Sends a command, whatever is owed of those before.
    pub(crate) fn send_now(&mut self, command: Command<'_>) -> Result<(), Error> {
        self.session.affected_rows = UNKNOWN_ROWS;
        self.session.has_failed = false;
        self.row = None;
        let mut written = std::mem::take(&mut self.body);
        written.clear();
        let sent = self.send_body(command, &mut written);
        // It may have the password in it, whatever became of it.
        if matches!(command, Command::ChangeUser(_)) {
            written.zeroize();
            self.stream.wipe_written();
        }
        if written.capacity() <= MAX_KEPT_BODY_BYTES {
            self.body = written;
        }
        sent
    }

    #[inline]
    fn send_body(&mut self, command: Command<'_>, written: &mut Vec<u8>) -> Result<(), Error> {
        let body = command.put_body(written).unwrap_or(written);
        if body.len() >= MAX_PAYLOAD_BYTES {
            return Err(Error::TooLarge);
        }
        if self.stream.transport().end_watch()? && command != Command::Quit {
            self.absorb_kill()?;
        }
        if !self.statements_to_close.is_empty() || self.statement_cache.has_evicted() {
            let closed = self.close_statements();
            closed.map_err(|error| self.lost_in_writing(error))?;
        }
        self.note_forgotten(&command);
        // A server that does not read a query keeps us waiting as much as one that does not answer it.
        if matches!(
            command,
            Command::Query(_) | Command::StmtExecute(_) | Command::StmtFetch { .. }
        ) {
            self.stream.transport().begin_watch();
        }
        if self.options.is_persistent {
            self.reuse.note(&command, self.session.dialect(), self.multi_statements);
        } else {
            self.reuse.note_unseen(&command, self.session.dialect(), self.multi_statements);
        }
        if self.stream.tells_waits() {
            self.stream.set_dialect(Some(self.session.dialect()));
        }
        let sent = if self.reuse.is_owed() {
            self.stream.write_behind(command.code(), body)
        } else {
            self.stream.write_command(command.code(), body)
        };
        self.stream.sent_in(self.session.dialect());
        sent.map_err(|error| self.lost_in_writing(error))
    }

    /// Gives up a connection to which not everything could be written; the server may have said why before it closed.
    #[cold]
    pub(crate) fn lost_in_writing(&mut self, error: Error) -> Error {
        let error = self.stream.last_words(error);
        let error = self.stream.transport().explain(error);
        self.session.error();
        self.break_off();
        error
    }

    /// Where the end of a result leaves the connection.
    pub(crate) fn state_after_result(&mut self) -> State {
        if self.session.more_results() { State::NextResultPending } else { self.end_of_statement() }
    }

    /// A statement is done: nothing of its reply is due any more.
    #[inline]
    pub(crate) fn end_of_statement(&mut self) -> State {
        if self.tells_end {
            self.tell_end();
        }
        if self.stream.tells_waits() {
            self.stream.tell_wait();
        }
        State::Ready
    }

    /// Passes an outcome on; an error is noted in the session, and one that leaves nothing to go on with breaks the connection.
    #[inline]
    pub(crate) fn settle<T>(&mut self, outcome: Result<T, Error>) -> Result<T, Error> {
        outcome.map_err(|error| self.settle_error(error))
    }

    #[cold]
    fn settle_error(&mut self, error: Error) -> Error {
        let error = self.stream.transport().explain(error);
        // The server did what it does with an empty file, and said so; the next result may follow.
        if matches!(error, Error::LocalInfileRefused(_)) {
            return error;
        }
        self.session.error();
        if error.breaks_connection() {
            self.break_off();
        }
        error
    }

    pub(crate) fn break_off(&mut self) {
        self.is_followed = false;
        self.end_of_statement();
        self.state = State::Broken;
        self.stream.count_unanswered();
        self.stream.close();
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.give_up(); // another panic would be the end of the process
        } else {
            self.close();
        }
    }
}
