//! The life of a prepared statement: how it is made, made again, reset, and forgotten by the server.

use super::link::Link;
use super::link::Status;
use super::report;
use super::statement::{OnServer, Phase, Said, Statement, only_argument};
use crate::session::Session;
use crate::session::counting::Ending;
use crate::session::failure::Failed;
use crate::session::prepared::with_parameters;
use crate::statistics::Key;
use crate::zend::call::Call;
use crate::zend::error::{Outcome, throw_error};
use crate::zend::object::make;
use std::rc::Rc;
use vaquita_client::{Statement as Prepared, UNKNOWN_ROWS};

/// When the server is told that a statement is not needed any more.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Goodbye {
    /// At once, which forgets the link's error and number of rows, as stock does.
    Now,
    /// With the next command.
    Later,
}

impl Statement {
    /// Has the server prepare it, in place of what was prepared before.
    pub(super) fn prepare(&self, sql: &[u8]) -> Result<(), Failed> {
        let session = self.begin_to_prepare()?;
        let prepared = self.settle(session, session.prepare(sql))?;
        self.prepared(sql, prepared);
        Ok(())
    }

    /// Has the server prepare it and run it, with the values that are ready for it; how the run went.
    ///
    /// # Errors
    /// The server did not prepare it.
    pub(super) fn prepare_and_execute(&self, sql: &[u8]) -> Result<Result<(), Failed>, Failed> {
        let session = self.begin_to_prepare()?;
        // No Zend call from here to the reply: what the parameters borrow stays.
        let parameter = |number| self.parameter(number);
        let done = with_parameters(self.values.len(), parameter, |parameters| {
            session.prepare_and_execute(sql, parameters)
        });
        let (prepared, executed) = self.settle(session, done)?;
        self.prepared(sql, prepared);
        self.runs.set(u64::from(self.values.len() == usize::from(self.param_count())));
        let executed = self.settle(session, executed);
        Ok(self.executed(executed, true))
    }

    /// Lets go of what was prepared before.
    fn begin_to_prepare(&self) -> Result<&Rc<Session>, Failed> {
        let Some(session) = self.session() else {
            return Err(self.fail_out_of_sync());
        };
        if self.is_of(session) {
            session.adjust(|connection| connection.set_affected_rows(UNKNOWN_ROWS));
        }
        // As in stock a statement begins anew where it was one before, whatever becomes of it.
        let is_again = self.phase.get() > Phase::Initialised;
        if is_again {
            self.forget(Goodbye::Now, Ending::Implicit);
            self.wants_cursor.set(false);
            self.updates_max_length.set(false);
        }
        self.error.clear();
        self.said.set(if is_again { Said::default() } else { Said::nothing() });
        self.runs.set(0);
        if !self.is_of(session) {
            return Err(self.error.set_absence());
        }
        Ok(session)
    }

    /// Notes what the server has prepared.
    fn prepared(&self, sql: &[u8], prepared: Prepared) {
        self.said.set(Said::default());
        self.has_result.set(!prepared.columns().is_empty());
        self.tells_columns.set(self.has_result.get());
        let columns = prepared.columns();
        let on_server = OnServer { prepared, columns };
        let _ = self.on_server.with(|it| *it = Some(on_server));
        let _ = self.text.with(|text| {
            text.clear();
            if report::reports_index() {
                text.extend_from_slice(sql);
            }
        });
        self.phase.set(Phase::Prepared);
    }

    /// Reads what is left of its last run, so that the connection can be used again. As in stock that includes results which are not its
    /// own: scripts leave a procedure's last one and go on with a statement. Whether there were further results, for which nothing is bound.
    pub(super) fn flush(&self) -> bool {
        let Some(session) = self.session().filter(|session| self.is_of(session)) else {
            return false;
        };
        let mut took_next = false;
        loop {
            if self.phase.get() == Phase::Waiting {
                if self.due().is_some() {
                    self.clear_errors();
                }
                self.phase.set(Phase::Fetching);
                self.count(Key::ps_unbuffered_sets);
                if !self.has_cursor.get() {
                    let _ = self.settle(session, session.skip());
                }
            }
            let skipped = self.rows.peek(|rows| rows.as_ref().map_or(Ok(()), |rows| rows.skip()));
            let _ = self.settle(session, skipped.unwrap_or(Ok(())));
            if !self.has_result.get() || !session.is_result_pending() {
                return took_next;
            }
            took_next = true;
            if self.take_next().is_err() {
                return took_next;
            }
        }
    }

    /// Reads what the connection's next result begins with, in the place of the one before.
    pub(super) fn take_next(&self) -> Result<(), Failed> {
        let _ = self.rows.with(|rows| drop(rows.take()));
        self.has_result.set(false);
        let next = self.ask(|session, _| session.next_executed());
        self.executed(next, true)
    }

    /// Has the server forget it, with all that belongs to it but the variables.
    pub(super) fn forget(&self, goodbye: Goodbye, ending: Ending) {
        if self.status.get() > Status::Closed {
            let is_prepared = self.phase.get() > Phase::Initialised;
            if let Some(session) = self.session() {
                session.count_statement(ending, is_prepared, self.runs.get());
            }
            if goodbye == Goodbye::Now {
                self.clear_errors();
            }
        }
        if self.phase.get() > Phase::Initialised {
            self.flush();
        }
        let _ = self.rows.with(|rows| drop(rows.take()));
        let on_server = self.on_server.with(Option::take).ok().flatten();
        if let (Some(session), Some(it)) = (self.session(), on_server)
            && self.is_of(session)
        {
            session.close_statement(&it.prepared, goodbye == Goodbye::Later);
        }
        let _ = self.sent.with(Vec::clear);
        self.has_result.set(false);
        self.tells_columns.set(false);
        self.has_cursor.set(false);
        self.phase.set(Phase::Initialised);
    }

    /// Lets go of the variables; user code may run.
    fn release_variables(&self) {
        self.parameters.clear();
        self.retypings.set(self.retypings.get() + 1);
        self.results.clear();
        self.values.clear();
    }
}

impl Drop for Statement {
    fn drop(&mut self) {
        self.forget(Goodbye::Now, Ending::Implicit);
    }
}

/// `mysqli_stmt_init`.
pub(crate) fn init(call: &mut Call<'_>) -> Outcome {
    let link = call.receiver::<Link>(0, 0)?;
    Link::session(link, Status::Valid)?;
    make::<Statement>(call.returns()).begin(link.state());
    Ok(())
}

/// `mysqli_stmt::__construct`.
pub(crate) fn construct(call: &mut Call<'_>) -> Outcome {
    let object = call.receiver::<Statement>(1, 2)?;
    let link = call.object::<Link>()?;
    let sql = call.optional_bytes()?;
    Link::session(link, Status::Valid)?;
    if object.session().is_some() {
        return Err(throw_error(&[object.class_name(), b" object has a link already"]));
    }
    object.begin(link.state());
    let Some(sql) = sql else { return Ok(()) };
    if object.prepare(sql).is_err() {
        return object.error.report();
    }
    object.status.set(Status::Valid);
    Ok(())
}

/// `mysqli_prepare`: an object, or false.
pub(crate) fn prepare_on_link(call: &mut Call<'_>) -> Outcome {
    let link = call.receiver::<Link>(1, 1)?;
    let sql = call.bytes()?;
    let session = Link::session(link, Status::Valid)?;
    let statement = make::<Statement>(call.returns());
    statement.begin(link.state());
    if statement.prepare(sql).is_err() {
        session.keeping_failure(|_| statement.forget(Goodbye::Now, Ending::Explicit));
        statement.status.set(Status::Closed);
        call.drop_returned();
        call.returns().bool(false);
        return session.error.report();
    }
    statement.status.set(Status::Valid);
    Ok(())
}

/// `mysqli_stmt_prepare`.
pub(crate) fn prepare(call: &mut Call<'_>) -> Outcome {
    let object = call.receiver::<Statement>(1, 1)?;
    let sql = call.bytes()?;
    let statement = Statement::of(object, Status::Initialised)?;
    let prepared = statement.prepare(sql).is_ok();
    if prepared {
        statement.status.set(Status::Valid);
    } else {
        statement.error.report()?;
    }
    // What was bound belongs to the statement of before.
    statement.release_variables();
    call.returns().bool(prepared);
    Ok(())
}

/// `mysqli_stmt_close`.
pub(crate) fn close(call: &mut Call<'_>) -> Outcome {
    let statement = only_argument(call, Status::Valid)?;
    statement.forget(Goodbye::Now, Ending::Explicit);
    statement.status.set(Status::Closed);
    statement.release_variables();
    call.returns().bool(true);
    Ok(())
}

/// `mysqli_stmt_reset`; as in stock no failure is reported.
pub(crate) fn reset(call: &mut Call<'_>) -> Outcome {
    let statement = only_argument(call, Status::Valid)?;
    let mut done = true;
    statement.clear_errors();
    if let (Some(session), true) = (statement.session(), statement.phase.get() > Phase::Initialised)
    {
        let _ = statement.sent.with(Vec::clear);
        if statement.flush() {
            statement.results.clear();
        }
        // As in stock there is nothing to reset where the server can't be asked.
        let is_live = statement.is_of(session);
        if is_live && session.is_ready() {
            done = statement.ask(|session, it| session.reset_statement(&it.prepared)).is_ok();
        }
        let unknown = Said { affected_rows: UNKNOWN_ROWS, ..statement.said.get() };
        let said = if is_live { session.last(unknown, Said::of) } else { unknown };
        statement.said.set(said);
    }
    call.returns().bool(done);
    Ok(())
}
