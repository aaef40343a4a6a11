//! Prepared statements: made once on the server, run often, with parameters apart from the SQL.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use vaquita_protocol::panic_point;
use vaquita_protocol::{ComStmtExecute, ComStmtPrepareOk, Command, ErrPacket, Parameter};

use crate::columns::Columns;
use crate::connection::{Answer, Connection};
use crate::elsewhere::Look;
use crate::error::{Error, codes};
use crate::local_infile::{Names, may_ask};
use crate::own::Own;
use crate::packet_stream::MAX_ANSWER_BYTES;
use crate::query::QueryResponse;
use crate::session::UNKNOWN_ROWS;
use crate::state::{Call, State};
use crate::statement_cache::{Effect, Kept};
use crate::statistics::PacketKind;

/// A statement that the server has prepared, in the session that it was prepared in.
///
/// It costs the server memory until [`Connection::close_statement`], or until the session ends.
#[derive(Clone, Debug)]
pub struct Statement {
    id: Cell<u32>,
    params: u16,
    columns: RefCell<Columns>,
    warnings: u16,
    /// The local files that its text names.
    local_infiles: Names,
    /// Whether the server may ask for a file when it runs.
    may_ask_for_file: bool,
    /// Whether its rows were behind a cursor once.
    had_cursor: Cell<bool>,
    /// What its run does to those that are kept.
    pub(crate) effect: Effect,
    /// What of the last statement its run looks at.
    look: Look,
    /// Its text, and the onlooker's epoch, if there was one when it was prepared.
    pub(crate) text: Option<(Arc<[u8]>, u64)>,
    /// Of what kinds the parameters of its runs were.
    kinds: Cell<Kinds>,
    /// What it is known by where it may be kept.
    pub(crate) kept: Option<Box<Kept>>,
}

/// Of what kinds the parameters of runs were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Kinds {
    /// There was none.
    #[default]
    None,
    /// The same in all, which is this.
    Of(u64),
    Several,
}

impl Statement {
    /// Its number in the session; another one where it was prepared again without a word ([`crate::ConnectOptions::statement_cache`]).
    pub fn id(&self) -> u32 {
        self.id.get()
    }

    /// How many `?` it has.
    pub fn params(&self) -> u16 {
        self.params
    }

    /// The columns of its result as far as they are known before it runs; none if it has no result, or is a CALL.
    pub fn columns(&self) -> Columns {
        self.columns.borrow().clone()
    }

    /// Notes of what kinds the parameters of a run are; whether those of all runs before were of the same ones. Where they were not, MySQL
    /// from 8.0.22 on may make of a value what an earlier one was.
    pub fn keeps_kinds(&self, parameters: &[Parameter<'_>]) -> bool {
        let kinds = parameters.iter().fold(1, |kinds: u64, parameter| {
            let kind = match parameter {
                Parameter::Null => 0,
                Parameter::Tiny(_) | Parameter::Integer(_) => 1,
                Parameter::Unsigned(_) => 2,
                Parameter::Double(_) => 3,
                Parameter::Text(_) => 4,
                Parameter::Blob(_) => 5,
            };
            kinds.wrapping_mul(31).wrapping_add(kind)
        });
        let kept = match self.kinds.get() {
            Kinds::None => Kinds::Of(kinds),
            Kinds::Of(before) if before == kinds => Kinds::Of(kinds),
            _ => Kinds::Several,
        };
        self.kinds.set(kept);
        kept != Kinds::Several
    }

    /// Its text and the [`crate::Onlooker::epoch`] in which it was prepared, where the connection had an onlooker.
    pub fn text(&self) -> Option<(&[u8], u64)> {
        self.text.as_ref().map(|(text, epoch)| (&**text, *epoch))
    }

    /// Whether the server may ask for a file when it runs.
    pub(crate) fn may_ask_for_file(&self) -> bool {
        self.may_ask_for_file
    }

    /// How many warnings preparing it caused.
    pub fn warnings(&self) -> u16 {
        self.warnings
    }

    /// Goes on as another statement of the same text, which has just been prepared.
    pub(crate) fn become_another(&self, other: &Statement) {
        self.id.set(other.id());
        self.columns.replace(other.columns());
        self.had_cursor.set(other.had_cursor.get());
        if let Some(kept) = &self.kept {
            kept.renew(other.kept.as_deref());
        }
    }

    /// It is not to be kept.
    pub(crate) fn spend(&self) {
        if let Some(kept) = &self.kept {
            kept.spend();
        }
    }
}

impl Connection {
    /// Has the server prepare a statement, with `?` for what comes when it runs; or takes one of the same text that was closed and kept
    /// ([`crate::ConnectOptions::statement_cache`]).
    ///
    /// # Errors
    /// The server refused it, or the connection failed or is in the middle of something else.
    pub fn prepare(&mut self, sql: &[u8]) -> Result<Statement, Error> {
        self.state.allow(Call::Command)?; // else the files are those of what is still to come
        if let Some(kept) = self.take_kept(sql) {
            return Ok(kept);
        }
        self.prepare_afresh(sql)
    }

    /// Has the server prepare a statement; if it has too many, those that are kept are given up.
    pub(crate) fn prepare_afresh(&mut self, sql: &[u8]) -> Result<Statement, Error> {
        panic_point("client/statement");
        match self.prepare_on_server(sql) {
            Err(Error::Server { code: codes::TOO_MANY_STATEMENTS, .. }) if self.give_up_kept() => {
                self.by_itself(Own::Again, |it| it.prepare_on_server(sql))
            }
            prepared => prepared,
        }
    }

    /// Has the server prepare a statement.
    pub(crate) fn prepare_on_server(&mut self, sql: &[u8]) -> Result<Statement, Error> {
        self.note_local_infiles(sql);
        self.send_command(Command::StmtPrepare(sql))?;
        let prepared = self.read_prepared(sql);
        self.settle(prepared)
    }

    pub(crate) fn read_prepared(&mut self, sql: &[u8]) -> Result<Statement, Error> {
        let payload = self.stream.read_packet(PacketKind::PrepareOk, MAX_ANSWER_BYTES)?;
        if ErrPacket::is_err(payload) {
            self.elsewhere.preparing_failed();
            let error = Error::server(&ErrPacket::parse(payload)?);
            self.stream.note_refused();
            return Err(error);
        }
        let ok = ComStmtPrepareOk::parse(payload)?;
        let (parameters, _) = self.read_definitions(ok.params.into())?;
        let (columns, _) = self.read_definitions(ok.columns.into())?;
        self.session.field_count = columns.len();
        self.session.warnings = ok.warnings;
        if ok.warnings > 0 {
            self.elsewhere.preparing_warned();
        }
        self.note_prepared(ok.statement_id, sql);
        self.stream.note_prepared(ok.statement_id, sql);
        Ok(Statement {
            id: Cell::new(ok.statement_id),
            params: ok.params,
            columns: RefCell::new(columns),
            warnings: ok.warnings,
            local_infiles: std::mem::take(&mut self.local_infiles),
            may_ask_for_file: may_ask(sql, self.session.dialect(), false, self.is_mariadb()),
            had_cursor: Cell::new(false),
            effect: Effect::of_statement(sql, self.session.dialect()),
            look: self
                .onlooker
                .as_ref()
                .map_or(Look::Any, |_| Look::at(sql, self.session.dialect())),
            kinds: Cell::default(),
            text: self.onlooker.as_ref().map(|it| (sql.into(), it.epoch())),
            // A statement that is not prepared has no warnings to show.
            kept: if ok.warnings == 0 { self.kept(sql, &parameters) } else { None },
        })
    }

    /// Runs a statement and does not wait for its response, which [`Connection::read_query_response`] reads. The values of its rows
    /// come as [`vaquita_protocol::binary_value`] reads them.
    ///
    /// With `opens_cursor` the rows of a query stay at the server, if it can keep them: then the response is a
    /// [`crate::QueryResponse::Cursor`], and [`Connection::send_fetch`] asks for the rows.
    ///
    /// # Errors
    /// There are more or fewer parameters than `?`, the server can't run it without a cursor any more, the command is too large, or the
    /// connection is gone or in the middle of something else.
    pub fn send_execute(
        &mut self,
        statement: &Statement,
        parameters: &[Parameter<'_>],
        opens_cursor: bool,
    ) -> Result<(), Error> {
        if parameters.len() != usize::from(statement.params) {
            return Err(Error::Parameters { expected: statement.params, given: parameters.len() });
        }
        self.state.allow(Call::Command)?;
        if !opens_cursor {
            self.check_without_cursor(statement)?;
        }
        if self.elsewhere.is_owed() {
            self.tell_before(statement.look)?;
        }
        self.runs_lent = false;
        self.prepare_run(statement, parameters, opens_cursor)?;
        self.local_infiles = Names::default();
        if self.allows_local_infile {
            self.local_infiles = statement.local_infiles.clone();
        }
        let execute = ComStmtExecute { statement_id: statement.id(), opens_cursor, parameters };
        self.send_command(Command::StmtExecute(execute))?;
        self.answer = if opens_cursor { Answer::Cursor } else { Answer::Binary };
        self.state = State::QuerySent;
        Ok(())
    }

    /// Reads the response to a run that [`Connection::send_execute`] has sent with the same arguments, as
    /// [`Connection::read_query_response`] does. Where the server has lost a statement that was kept and can't write, it is prepared and run here.
    ///
    /// # Errors
    /// As [`Connection::read_query_response`].
    pub fn read_executed(
        &mut self,
        statement: &Statement,
        parameters: &[Parameter<'_>],
        opens_cursor: bool,
    ) -> Result<QueryResponse, Error> {
        let was_lent = std::mem::take(&mut self.runs_lent);
        match self.read_query_response() {
            Err(error) if was_lent && self.may_run_afresh(statement, &error) => {
                self.prepare_again(statement)?;
                self.by_itself(Own::Again, |it| {
                    it.send_execute(statement, parameters, opens_cursor)
                })?;
                self.read_query_response()
            }
            read => read,
        }
        .inspect(|response| {
            if matches!(response, QueryResponse::Cursor(_)) {
                statement.had_cursor.set(true);
            }
        })
        .inspect_err(|_| statement.spend())
    }

    /// Whether a statement may run without a cursor. If it has run with one, MySQL 8.0 and 9.7 send its columns then, and an OK packet in place
    /// of the rows, also after COM_STMT_RESET; 5.6 and MariaDB send the rows.
    pub(crate) fn check_without_cursor(&self, statement: &Statement) -> Result<(), Error> {
        if statement.had_cursor.get() && !self.is_mariadb() && self.version_number() >= 80_000 {
            return Err(Error::Unsupported(
                "MySQL sends no rows of a statement without a cursor once it has run with one; prepare it again",
            ));
        }
        Ok(())
    }

    /// Appends to the bytes of a parameter, for the next run; the server says nothing to that until then.
    ///
    /// # Errors
    /// The command is too large, or the connection is gone or in the middle of something else.
    pub fn send_long_data(
        &mut self,
        statement: &Statement,
        parameter: u16,
        data: &[u8],
    ) -> Result<(), Error> {
        self.state.allow(Call::Command)?;
        self.prepare_long_data(statement)?;
        let statement_id = statement.id();
        self.send_command(Command::StmtSendLongData { statement_id, parameter, data })
    }

    /// Asks for the next rows of a statement's cursor, at most so many; they are read as those of any result of its columns.
    ///
    /// # Errors
    /// The connection is gone or in the middle of something else.
    pub fn send_fetch(
        &mut self,
        statement: &Statement,
        columns: &Columns,
        rows: u32,
    ) -> Result<(), Error> {
        self.send_command(Command::StmtFetch { statement_id: statement.id(), rows })?;
        self.columns = columns.clone();
        self.layout = self.known_columns.layout(columns, true);
        self.state = State::FetchingData;
        Ok(())
    }

    /// Forgets a statement's long data and closes its cursor.
    ///
    /// # Errors
    /// The server refused it, or the connection failed or is in the middle of something else.
    pub fn reset_statement(&mut self, statement: &Statement) -> Result<(), Error> {
        self.state.allow(Call::Command)?;
        self.send_command(Command::StmtReset(statement.id()))?;
        self.read_command_ok()
    }

    /// Has the server forget a statement; it says nothing to that. In the middle of something else it is told with the next command.
    /// One that is kept for the next who prepares the same text is not forgotten.
    ///
    /// # Errors
    /// The connection is gone.
    pub fn close_statement(&mut self, statement: &Statement) -> Result<(), Error> {
        match self.state.allow(Call::Command) {
            Err(_) if self.spoilt.is_some() => {
                let command = Command::StmtClose(statement.id());
                self.stream.write_goodbye(command.code(), &command.body())
            }
            Ok(()) if self.keep(statement) => {
                self.session.affected_rows = UNKNOWN_ROWS;
                self.row = None;
                Ok(())
            }
            Ok(()) => self.send_command(Command::StmtClose(statement.id())),
            Err(Error::OutOfSync) => {
                self.close_statement_later(statement);
                Ok(())
            }
            Err(gone) => Err(gone),
        }
    }

    /// Has the server forget a statement with the next command, or keeps it.
    pub fn close_statement_later(&mut self, statement: &Statement) {
        if !self.keep(statement) {
            self.statements_to_close.push(statement.id());
        }
    }

    /// Tells the server which statements it may forget, where that had to wait.
    #[cold]
    pub(crate) fn close_statements(&mut self) -> Result<(), Error> {
        // What was to be closed is no part of what the next command is for.
        let counts_as = self.stream.count_as(None);
        let closed = self.write_closes();
        self.stream.count_as(counts_as);
        closed
    }

    fn write_closes(&mut self) -> Result<(), Error> {
        let mut ids = std::mem::take(&mut self.statements_to_close);
        for id in ids.drain(..) {
            let command = Command::StmtClose(id);
            self.note_forgotten(&command);
            self.stream.write_command(command.code(), &id.to_le_bytes())?;
        }
        self.statements_to_close = ids;
        self.stream.count_as(Some(Own::CloseKept));
        for id in self.statement_cache.take_evicted() {
            let command = Command::StmtClose(id);
            self.note_forgotten(&command);
            self.stream.write_goodbye(command.code(), &command.body())?;
        }
        Ok(())
    }
}
