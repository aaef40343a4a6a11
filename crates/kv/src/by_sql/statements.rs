//! The prepared statements of a table, held from one call to the next.

use vaquita_client::{
    Buffered, Connection, Done, Error, Own, Parameter, Pipelined, QueryResponse, Statement, codes,
};

use super::error::TableError;
use crate::plan::has_ascii;

/// How many are held; the one that was not used for longest goes. The limit is our own: each combination of columns that are written has its own two.
const MOST: usize = 16;

/// What a statement does, or all those of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Does {
    /// It reads.
    Read,
    /// It may have written, whatever error it gives.
    Write,
}

/// Prepared statements, each with its text; the one used last comes last. They are of one session.
#[derive(Debug, Default)]
pub(super) struct Statements {
    held: Vec<(Box<[u8]>, Statement)>,
}

impl Statements {
    /// Prepares a statement, if it is not held.
    pub(super) fn hold(
        &mut self,
        connection: &mut Connection,
        sql: &[u8],
    ) -> Result<&Statement, TableError> {
        match self.held.iter().position(|(text, _)| **text == *sql) {
            Some(at) => self.held.get_mut(at..).unwrap_or_default().rotate_left(1),
            None => {
                // Names of the server are read as their character set says.
                let charset = connection.session().character_set_client.name.as_bytes();
                if !sql.is_ascii() && !has_ascii(charset) {
                    return Err(TableError::Charset);
                }
                if self.held.len() >= MOST {
                    let (_, oldest) = self.held.remove(0);
                    connection.close_statement(&oldest)?;
                }
                let prepared = connection.prepare(sql)?;
                self.held.push((sql.into(), prepared));
            }
        }
        // It is the last one now.
        self.held.last().map(|(_, it)| it).ok_or(TableError::Sql(Error::OutOfSync))
    }

    /// Runs a statement: its rows, if it has any. One that the server has lost is prepared again.
    pub(super) fn run(
        &mut self,
        connection: &mut Connection,
        sql: &[u8],
        parameters: &[Parameter<'_>],
        does: Does,
    ) -> Result<Option<Buffered>, TableError> {
        let statement = self.hold(connection, sql)?;
        match run(connection, statement, parameters) {
            Err(error) if is_lost(&error) => {
                // A trigger can give the same error. But the server knows the statement then.
                let did_not_run = does == Does::Read || is_unknown(connection, statement);
                self.forget(sql);
                if !did_not_run {
                    return Err(error.into());
                }
                let statement = self.hold(connection, sql)?;
                Ok(run(connection, statement, parameters)?)
            }
            ran => Ok(ran?),
        }
    }

    /// Runs a statement that reads: its rows.
    pub(super) fn read(
        &mut self,
        connection: &mut Connection,
        sql: &[u8],
        parameters: &[Parameter<'_>],
    ) -> Result<Buffered, TableError> {
        let rows = self.run(connection, sql, parameters, Does::Read)?;
        rows.ok_or_else(|| unasked().into())
    }

    /// Runs statements that read, without waiting for one before the next is sent; what each has found.
    pub(super) fn run_all(
        &mut self,
        connection: &mut Connection,
        commands: &[(&[u8], Vec<Parameter<'_>>)],
    ) -> Result<Vec<Result<Buffered, Error>>, TableError> {
        let ran = self.pipeline(connection, commands)?;
        if !ran.iter().any(|found| found.as_ref().is_err_and(is_lost)) {
            return Ok(ran);
        }
        commands.iter().for_each(|(sql, _)| self.forget(sql));
        self.pipeline(connection, commands)
    }

    fn pipeline(
        &mut self,
        connection: &mut Connection,
        commands: &[(&[u8], Vec<Parameter<'_>>)],
    ) -> Result<Vec<Result<Buffered, Error>>, TableError> {
        for (sql, _) in commands {
            self.hold(connection, sql)?;
        }
        let held = |sql: &[u8]| self.held.iter().find(|(text, _)| **text == *sql);
        let sent = commands.iter().filter_map(|(sql, parameters)| {
            held(sql).map(|(_, it)| Pipelined::Execute(it, parameters.clone()))
        });
        let mut all = Vec::with_capacity(commands.len());
        connection.pipeline_reading(sent, |done: Result<Done, Error>| {
            let rows = done.and_then(|done| done.rows.ok_or_else(unasked).and_then(whole));
            all.push(rows);
        })?;
        if all.len() == commands.len() { Ok(all) } else { Err(unasked().into()) }
    }

    fn forget(&mut self, sql: &[u8]) {
        self.held.retain(|(text, _)| **text != *sql);
    }

    /// The session that they are of has ended.
    pub(super) fn forget_all(&mut self) {
        self.held.clear();
    }

    /// Has the server forget them.
    pub(super) fn close_all(&mut self, connection: &mut Connection) {
        for (_, statement) in self.held.drain(..) {
            connection.close_statement_later(&statement);
        }
    }
}

fn run(
    connection: &mut Connection,
    statement: &Statement,
    parameters: &[Parameter<'_>],
) -> Result<Option<Buffered>, Error> {
    connection.send_execute(statement, parameters, false)?;
    match connection.read_executed(statement, parameters, false)? {
        QueryResponse::ResultSet(_) => whole(connection.store_result()?).map(Some),
        QueryResponse::Ok | QueryResponse::Cursor(_) => Ok(None),
        QueryResponse::LocalInfile(_) => connection.refuse_local_infile().map(|()| None),
    }
}

/// Rows all of which can be read.
fn whole(rows: Buffered) -> Result<Buffered, Error> {
    match rows.spoilt_row() {
        Some(malformed) => Err(malformed.into()),
        None => Ok(rows),
    }
}

/// Whether this says that the statement is not there any more, or that what it is about changes too fast.
fn is_lost(error: &Error) -> bool {
    matches!(error, Error::Server { code: codes::UNKNOWN_STATEMENT | codes::NEED_REPREPARE, .. })
}

/// Whether the server does not know a statement.
fn is_unknown(connection: &mut Connection, statement: &Statement) -> bool {
    matches!(
        connection.by_itself(Own::IsKnown, |it| it.reset_statement(statement)),
        Err(Error::Server { code: codes::UNKNOWN_STATEMENT, .. })
    )
}

/// A SELECT without rows, not even none.
pub(super) fn unasked() -> Error {
    Error::Unsupported("the server answered a SELECT without a result")
}
