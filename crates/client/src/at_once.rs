//! Preparing a statement and running it in one write, where the server takes it: one round trip instead of two.
//!
//! MariaDB runs the statement that it prepared last where the number is -1. It does so too if it has just refused to prepare another one: not
//! always does it forget the one before (measured on 10.11: not when it has too many, error 1461). So nothing is sent together while the
//! one before could write and is still there. And what the server would count other parameters in than are sent is not sent together either, for
//! it would run with anything.
//!
//! <https://mariadb.com/docs/server/reference/clientserver-protocol/3-binary-protocol-prepared-statements/com_stmt_execute>

use vaquita_protocol::{Capabilities, ComStmtExecute, Command, Parameter};

use crate::columns::Columns;
use crate::connection::{Answer, Connection};
use crate::elsewhere::Look;
use crate::error::{Error, codes};
use crate::local_infile::Names;
use crate::own::Own;
use crate::query::QueryResponse;
use crate::reuse::cannot_write;
use crate::state::{Call, State};
use crate::statement::Statement;
use crate::statement_cache::Effect;
use crate::template::Placeholders;

/// The number of the statement that was prepared last.
const LAST_PREPARED: u32 = u32::MAX;
/// No statement has this number: what was prepared last is not known.
const ANY: u32 = 0;
/// The first MariaDB that knows it.
const FIRST_VERSION: u64 = 100_200;
/// The most that is sent together: what a socket takes whether the server reads or not. While the server says what it prepared, nobody listens.
const MAX_TOGETHER_BYTES: usize = 8 << 10;

impl Connection {
    /// Prepares a statement, and runs it with these parameters, of which it needs as many. Where the server is a MariaDB both travel in one
    /// write, if that is safe. The response is that of [`Connection::read_query_response`].
    ///
    /// # Errors
    /// The outer: as [`Connection::prepare`]; it has not run. The inner: as [`Connection::send_execute`] and
    /// [`Connection::read_query_response`].
    pub fn prepare_and_execute(
        &mut self,
        sql: &[u8],
        parameters: &[Parameter<'_>],
    ) -> Result<(Statement, Result<QueryResponse, Error>), Error> {
        self.state.allow(Call::Command)?;
        if let Some(kept) = self.take_kept(sql) {
            let executed = self.execute(&kept, parameters);
            return Ok((kept, executed));
        }
        let encoded =
            ComStmtExecute { statement_id: LAST_PREPARED, opens_cursor: false, parameters };
        if self.elsewhere.is_owed() {
            self.tell_before(Look::at(sql, self.session.dialect()))?;
        }
        if !self.may_go_together(sql, encoded) {
            let statement = self.prepare(sql)?;
            let executed = self.execute(&statement, parameters);
            return Ok((statement, executed));
        }
        self.note_local_infiles(sql);
        let sent = self.gathering(|it| {
            it.send_command(Command::StmtPrepare(sql))?;
            it.heed(Effect::of_statement(sql, it.session.dialect()));
            let command = Command::StmtExecute(encoded);
            it.stream.write_behind(command.code(), &command.body())
        });
        if let Err(error) = sent {
            let is_known = self.state == State::Broken;
            return Err(if is_known { error } else { self.lost_in_writing(error) });
        }
        self.stream.expect_reply();
        let prepared = self.read_prepared(sql);
        match self.settle(prepared) {
            Ok(statement) => {
                let executed = self.read_run(sql, &statement, parameters);
                Ok((statement, executed))
            }
            Err(error) if self.state == State::Ready => {
                self.skip_refused_run()?;
                match error {
                    Error::Server { code: codes::TOO_MANY_STATEMENTS, .. }
                        if self.give_up_kept() =>
                    {
                        self.by_itself(Own::Again, |it| {
                            let statement = it.prepare_on_server(sql)?;
                            let executed = it.execute(&statement, parameters);
                            Ok((statement, executed))
                        })
                    }
                    error => Err(error),
                }
            }
            Err(lost) => Err(lost),
        }
    }

    fn execute(
        &mut self,
        statement: &Statement,
        parameters: &[Parameter<'_>],
    ) -> Result<QueryResponse, Error> {
        self.send_execute(statement, parameters, false)?;
        self.read_executed(statement, parameters, false)
    }

    fn may_go_together(&mut self, sql: &[u8], execute: ComStmtExecute<'_>) -> bool {
        let is_known = self.is_mariadb() && self.version_number() >= FIRST_VERSION;
        let is_plain = self.options.statement_cache > 0
            && !self.reuse.is_first()
            && !self.reuse.is_owed()
            && self.options.query_timeout.is_none()
            && !self.capabilities.contains(Capabilities::COMPRESS)
            && !self.capabilities.contains(Capabilities::ZSTD_COMPRESSION);
        let has_mark = |mark: &[u8]| sql.windows(mark.len()).any(|it| it == mark);
        // In the mode of Oracle a colon begins a parameter; a comment may be executed.
        let is_read_in_one_way = || !sql.contains(&b':') && !has_mark(b"/*");
        let counts = || {
            let placeholders = Placeholders::new(sql, self.session.dialect());
            placeholders.count() == execute.parameters.len()
        };
        // Of one that fails nobody would know whether it has run: the same error can be a trigger's.
        let may_fail = || self.knows_last_prepared || cannot_write(sql, self.session.dialect());
        is_known
            && is_plain
            && may_fail()
            && self.last_prepared.is_none_or(|id| self.is_about_to_close(id))
            && sql.len() + execute.most_bytes() <= MAX_TOGETHER_BYTES
            && is_read_in_one_way()
            && counts()
    }

    /// Whether the server is told to forget a statement before the next command.
    fn is_about_to_close(&self, id: u32) -> bool {
        self.statements_to_close.contains(&id) || self.statement_cache.is_evicted(id)
    }

    /// Reads how a run went that was sent together with its statement, which is prepared now.
    fn read_run(
        &mut self,
        sql: &[u8],
        statement: &Statement,
        parameters: &[Parameter<'_>],
    ) -> Result<QueryResponse, Error> {
        self.expect_run();
        match self.read_query_response() {
            // Somebody between does not know what was prepared last: it has not run, and could not write.
            Err(Error::Server { code: codes::UNKNOWN_STATEMENT, .. })
                if cannot_write(sql, self.session.dialect()) =>
            {
                self.by_itself(Own::Again, |it| it.execute(statement, parameters))
            }
            read => {
                self.knows_last_prepared |= read.is_ok();
                read.inspect_err(|_| statement.spend())
            }
        }
    }

    fn expect_run(&mut self) {
        self.stream.has_answered();
        self.stream.expect_reply();
        self.local_infiles = Names::default();
        self.answer = Answer::Binary;
        self.columns = Columns::default();
        self.state = State::QuerySent;
    }

    /// Reads away what the server says to the run of a statement that it has refused to prepare: a refusal, or what an earlier one gives that
    /// can't write.
    fn skip_refused_run(&mut self) -> Result<(), Error> {
        let said = self.session.clone();
        self.expect_run();
        loop {
            match self.read_query_response() {
                Ok(QueryResponse::ResultSet(_)) => self.discard_result()?,
                Ok(QueryResponse::LocalInfile(_)) => self.refuse_local_infile()?,
                Ok(QueryResponse::Ok | QueryResponse::Cursor(_)) | Err(Error::Server { .. }) => {}
                Err(lost) => return Err(lost),
            }
            if !self.more_results() {
                self.session.keep_statement(said);
                self.session.error();
                return Ok(());
            }
        }
    }

    /// Notes what the server forgets by a command: whether the end of a session makes it forget what it prepared last, nobody says.
    #[inline]
    pub(crate) fn note_forgotten(&mut self, command: &Command<'_>) {
        match command {
            Command::StmtClose(id) => {
                self.stream.forget_prepared(*id);
                if self.last_prepared == Some(*id) {
                    self.last_prepared = None;
                }
            }
            Command::ChangeUser(_) | Command::ResetConnection => {
                self.stream.forget_all_prepared();
                self.last_prepared = Some(ANY);
            }
            _ => {}
        }
    }

    /// Notes which statement the server has prepared last.
    pub(crate) fn note_prepared(&mut self, id: u32, sql: &[u8]) {
        let may_write = !cannot_write(sql, self.session.dialect());
        self.last_prepared = may_write.then_some(id);
    }
}
