//! What a session does with prepared statements of its connection; which those are is for the statements to know.

use super::Session;
use super::failure::Failed;
use vaquita_client::{Buffered, Columns, Connection, Parameter, QueryResponse, Statement};
use vaquita_kv::may_be_by_key;

/// What a prepared statement's run, or one of its results, came to.
pub(crate) enum Executed {
    /// No rows.
    Done,
    /// Rows of these columns are on their way.
    Rows(Columns),
    /// Rows of these columns are behind the statement's cursor.
    Cursor(Columns),
}

/// Works with so many parameters; a few take no memory.
pub(crate) fn with_parameters<'p, R>(
    count: usize,
    parameter: impl Fn(usize) -> Parameter<'p>,
    work: impl FnOnce(&[Parameter<'p>]) -> R,
) -> R {
    const FEW: usize = 16;
    let mut few = [Parameter::Null; FEW];
    if let Some(few) = few.get_mut(..count) {
        few.iter_mut().enumerate().for_each(|(number, it)| *it = parameter(number));
        return work(few);
    }
    work(&(0..count).map(parameter).collect::<Vec<_>>())
}

/// The columns of a result, if a reply begins one.
fn columns_of(response: &QueryResponse) -> Option<&Columns> {
    match response {
        QueryResponse::ResultSet(columns) => Some(columns),
        _ => None,
    }
}

impl Session {
    /// Has the server prepare a statement.
    pub(crate) fn prepare(&self, sql: &[u8]) -> Result<Statement, Failed> {
        self.drive(|connection| connection.prepare(sql))
    }

    /// Has the server prepare a statement and run it, in one go where it takes that; how the run went.
    pub(crate) fn prepare_and_execute(
        &self,
        sql: &[u8],
        parameters: &[Parameter<'_>],
    ) -> Result<(Statement, Result<Executed, Failed>), Failed> {
        if let Some(statement) = self.prepare_to_look_at(sql)? {
            let executed = self.execute(&statement, parameters);
            return Ok((statement, executed));
        }
        let begun = self.begin_unlooked();
        let prepared = self.drive(|connection| connection.prepare_and_execute(sql, parameters));
        let (statement, executed) = prepared?;
        if let Ok(response) = &executed {
            self.note_unlooked(sql, columns_of(response), begun);
        }
        let executed = self.drive(|_| executed).and_then(|response| self.executed(response));
        Ok((statement, executed))
    }

    /// Prepares a statement whose run may be answered without the server; `None`: it is to be prepared and run in one go.
    fn prepare_to_look_at(&self, sql: &[u8]) -> Result<Option<Statement>, Failed> {
        if !self.has_access.get() || !may_be_by_key(sql) {
            return Ok(None);
        }
        self.drive(|connection| {
            // There one go is one round trip.
            if connection.is_mariadb() {
                return Ok(connection.take_kept(sql));
            }
            connection.prepare(sql).map(Some)
        })
    }

    fn execute(
        &self,
        statement: &Statement,
        parameters: &[Parameter<'_>],
    ) -> Result<Executed, Failed> {
        self.send_execute(statement, parameters, false)?;
        self.first_executed(statement, parameters, false)
    }

    /// Sends a prepared statement's run, whose replies are read by [`Session::next_executed`].
    pub(crate) fn send_execute(
        &self,
        statement: &Statement,
        parameters: &[Parameter<'_>],
        opens_cursor: bool,
    ) -> Result<(), Failed> {
        let answered = self.drive(|connection| {
            let answered = if opens_cursor {
                None
            } else {
                self.answer_execute(connection, statement, parameters)?
            };
            if answered.is_none() {
                connection.send_execute(statement, parameters, opens_cursor)?;
            }
            Ok(answered)
        })?;
        if self.has_access.get() {
            let _ = self.announced.with(|announced| *announced = answered);
        }
        Ok(())
    }

    /// Reads the first reply to a run that [`Session::send_execute`] has sent with the same arguments.
    pub(crate) fn first_executed(
        &self,
        statement: &Statement,
        parameters: &[Parameter<'_>],
        opens_cursor: bool,
    ) -> Result<Executed, Failed> {
        if self.has_access.get()
            && let Some(columns) = self.take_announced()
        {
            return Ok(Executed::Rows(columns));
        }
        let read = self.drive(|it| it.read_executed(statement, parameters, opens_cursor))?;
        if !opens_cursor {
            self.note_executed(statement, columns_of(&read));
        }
        self.executed(read)
    }

    /// Reads what the next result of a prepared statement's run begins with.
    pub(crate) fn next_executed(&self) -> Result<Executed, Failed> {
        let read = self.drive(Connection::read_query_response)?;
        self.executed(read)
    }

    fn executed(&self, response: QueryResponse) -> Result<Executed, Failed> {
        match response {
            QueryResponse::ResultSet(columns) => Ok(Executed::Rows(columns)),
            QueryResponse::Cursor(columns) => Ok(Executed::Cursor(columns)),
            other => self.note(other).map(|()| Executed::Done),
        }
    }

    /// The columns of a statement that has not run yet, as the server knows them now; with `counts_only` only their number matters.
    pub(crate) fn describe_statement(
        &self,
        statement: &Statement,
        counts_only: bool,
    ) -> Option<Columns> {
        let described = self.work(|slot| {
            let connection = slot.as_deref_mut()?;
            let described =
                self.counting(connection, |it| it.describe_statement(statement, counts_only));
            described.ok()
        });
        described.ok().flatten()
    }

    /// Receives the next rows behind a statement's cursor.
    pub(crate) fn fetch(
        &self,
        statement: &Statement,
        columns: &Columns,
        rows: u32,
    ) -> Result<Buffered, Failed> {
        self.drive(|connection| {
            connection.send_fetch(statement, columns, rows)?;
            connection.store_result()
        })
    }

    /// Sends a part of a parameter.
    pub(crate) fn send_long_data(
        &self,
        statement: &Statement,
        parameter: u16,
        data: &[u8],
    ) -> Result<(), Failed> {
        self.drive(|connection| connection.send_long_data(statement, parameter, data))
    }

    /// Forgets a statement's long data and cursor.
    pub(crate) fn reset_statement(&self, statement: &Statement) -> Result<(), Failed> {
        self.drive(|connection| connection.reset_statement(statement))
    }

    /// Has the server forget a statement, at once or with the next command.
    pub(crate) fn close_statement(&self, statement: &Statement, later: bool) {
        if later {
            self.adjust(|connection| connection.close_statement_later(statement));
        } else if self.is_connected() {
            let _ = self.drive(|connection| connection.close_statement(statement));
            self.error.clear();
        }
    }
}
