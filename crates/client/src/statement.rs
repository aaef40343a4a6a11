//! Prepared statements: made once on the server, run often, with parameters apart from the SQL.

use vaquita_protocol::{ComStmtExecute, ComStmtPrepareOk, Command, ErrPacket, Parameter};

use crate::connection::{Answer, Connection};
use crate::error::Error;
use crate::local_infile::{Names, may_ask};
use crate::packet_stream::MAX_ANSWER_BYTES;
use crate::result_set::Columns;
use crate::row::Layout;
use crate::state::{Call, State};
use crate::statistics::PacketKind;

/// A statement that the server has prepared, in the session that it was prepared in.
///
/// It costs the server memory until [`Connection::close_statement`], or until the session ends.
#[derive(Clone, Debug)]
pub struct Statement {
    id: u32,
    params: u16,
    columns: Columns,
    warnings: u16,
    /// The local files that its text names.
    local_infiles: Names,
    /// Whether the server may ask for a file when it runs.
    may_ask_for_file: bool,
}

impl Statement {
    /// Its number in the session.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// How many `?` it has.
    pub fn params(&self) -> u16 {
        self.params
    }

    /// The columns of its result as far as they are known before it runs; none if it has no result, or is a CALL.
    pub fn columns(&self) -> &Columns {
        &self.columns
    }

    /// Whether the server may ask for a file when it runs.
    pub(crate) fn may_ask_for_file(&self) -> bool {
        self.may_ask_for_file
    }

    /// How many warnings preparing it caused.
    pub fn warnings(&self) -> u16 {
        self.warnings
    }
}

impl Connection {
    /// Has the server prepare a statement, with `?` for what comes when it runs.
    ///
    /// # Errors
    /// The server refused it, or the connection failed or is in the middle of something else.
    pub fn prepare(&mut self, sql: &[u8]) -> Result<Statement, Error> {
        self.state.allow(Call::Command)?; // else the files are those of what is still to come
        self.note_local_infiles(sql);
        self.send_command(Command::StmtPrepare(sql))?;
        let may_ask_for_file = may_ask(sql, self.session.dialect(), false, self.is_mariadb());
        let prepared = self.read_prepared(may_ask_for_file);
        self.settle(prepared)
    }

    fn read_prepared(&mut self, may_ask_for_file: bool) -> Result<Statement, Error> {
        let payload = self.stream.read_packet(PacketKind::PrepareOk, MAX_ANSWER_BYTES)?;
        if ErrPacket::is_err(payload) {
            return Err(Error::server(&ErrPacket::parse(payload)?));
        }
        let ok = ComStmtPrepareOk::parse(payload)?;
        // The definitions of parameters say nothing: the servers send the same for each.
        self.read_definitions(ok.params.into())?;
        let (columns, _) = self.read_definitions(ok.columns.into())?;
        self.session.field_count = columns.len();
        self.session.warnings = ok.warnings;
        Ok(Statement {
            id: ok.statement_id,
            params: ok.params,
            columns: columns.into(),
            warnings: ok.warnings,
            local_infiles: std::mem::take(&mut self.local_infiles),
            may_ask_for_file,
        })
    }

    /// Runs a statement and does not wait for its response, which [`Connection::read_query_response`] reads. The values of its rows
    /// come as [`vaquita_protocol::binary_value`] reads them.
    ///
    /// With `opens_cursor` the rows of a query stay at the server, if it can keep them: then the response is a
    /// [`crate::QueryResponse::Cursor`], and [`Connection::send_fetch`] asks for the rows.
    ///
    /// # Errors
    /// There are more or fewer parameters than `?`, the command is too large, or the connection is gone or in the middle of
    /// something else.
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
        self.local_infiles = Names::default();
        if self.allows_local_infile {
            self.local_infiles = statement.local_infiles.clone();
        }
        let execute = ComStmtExecute { statement_id: statement.id, opens_cursor, parameters };
        self.send_command(Command::StmtExecute(execute))?;
        self.answer = if opens_cursor { Answer::Cursor } else { Answer::Binary };
        self.state = State::QuerySent;
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
        self.send_command(Command::StmtSendLongData { statement_id: statement.id, parameter, data })
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
        self.send_command(Command::StmtFetch { statement_id: statement.id, rows })?;
        self.columns = columns.clone();
        self.layout = Layout::of(columns, true);
        self.state = State::FetchingData;
        Ok(())
    }

    /// Forgets a statement's long data and closes its cursor.
    ///
    /// # Errors
    /// The server refused it, or the connection failed or is in the middle of something else.
    pub fn reset_statement(&mut self, statement: &Statement) -> Result<(), Error> {
        self.send_command(Command::StmtReset(statement.id))?;
        self.read_command_ok()
    }

    /// Has the server forget a statement; it says nothing to that. In the middle of something else it is told with the next command.
    ///
    /// # Errors
    /// The connection is gone.
    pub fn close_statement(&mut self, statement: &Statement) -> Result<(), Error> {
        match self.state.allow(Call::Command) {
            Err(_) if self.spoilt.is_some() => {
                let command = Command::StmtClose(statement.id);
                self.stream.write_goodbye(command.code(), &command.body())
            }
            Ok(()) => self.send_command(Command::StmtClose(statement.id)),
            Err(Error::OutOfSync) => {
                self.close_statement_later(statement);
                Ok(())
            }
            Err(gone) => Err(gone),
        }
    }

    /// Has the server forget a statement with the next command.
    pub fn close_statement_later(&mut self, statement: &Statement) {
        self.statements_to_close.push(statement.id);
    }

    /// Tells the server which statements it may forget, where that had to wait.
    #[cold]
    pub(crate) fn close_statements(&mut self) -> Result<(), Error> {
        for id in std::mem::take(&mut self.statements_to_close) {
            let command = Command::StmtClose(id);
            self.stream.write_command(command.code(), &command.body())?;
        }
        Ok(())
    }
}
