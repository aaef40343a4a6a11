//! Running a prepared statement.

use super::link::Link;
use super::link::Status;
use super::prepare::Goodbye;
use super::statement::{Phase, Said, Statement};
use crate::session::counting::Ending;
use crate::session::failure::Failed;
use crate::session::prepared::{Executed, with_parameters};
use crate::zend::call::Call;
use crate::zend::error::Outcome;
use crate::zend::object::{Object, Temporary};
use crate::zend::version;
use vaquita_client::{Columns, UNKNOWN_ROWS, codes};

impl Statement {
    pub(super) fn clear_errors(&self) {
        self.error.clear();
        if let Some(session) = self.session().filter(|session| self.is_of(session)) {
            session.error.clear();
        }
    }

    /// Runs it, with what is bound.
    ///
    /// # Errors
    /// The outer: an exception is pending. The inner: the error is recorded.
    fn execute(&self) -> Outcome<Result<(), Failed>> {
        let Some(session) = self.session() else {
            return Ok(Err(self.fail_out_of_sync()));
        };
        self.said.set(Said { affected_rows: UNKNOWN_ROWS, ..self.said.get() });
        if self.is_of(session) {
            session.adjust(|connection| connection.set_affected_rows(UNKNOWN_ROWS));
        }
        if self.phase.get() < Phase::Prepared {
            return Ok(Err(self.fail_out_of_sync()));
        }
        self.end_run();
        let count = usize::from(self.param_count());
        if count > 0 && !self.parameters.is_there() {
            let message = b"No data supplied for parameters in prepared statement";
            return Ok(Err(self.fail(codes::PARAMS_NOT_BOUND, message)));
        }
        if self.convert()?.is_err() {
            return Ok(Err(Failed));
        }
        let wants_cursor = self.wants_cursor.get();
        self.runs.set(self.runs.get() + 1);
        let mut was_sent = false;
        // No Zend call from here to the reply: what the parameters borrow stays.
        let executed = self.ask(|session, it| {
            let parameter = |number| self.parameter(number);
            with_parameters(count, parameter, |parameters| {
                session.send_execute(&it.prepared, parameters, wants_cursor)?;
                was_sent = true;
                session.first_executed(&it.prepared, parameters, wants_cursor)
            })
        });
        self.values.clear();
        let _ = self.sent.with(Vec::clear);
        Ok(self.executed(executed, was_sent))
    }

    /// Reads what is left of the last run, before the next.
    pub(super) fn end_run(&self) {
        if self.has_result.get() && self.field_count() > 0 {
            let took_next = self.flush();
            let _ = self.rows.with(|rows| drop(rows.take()));
            self.tells_columns.set(false);
            self.phase.set(Phase::Prepared);
            if took_next {
                self.results.clear();
            }
        }
    }

    /// Notes what a run, or the next result, came to, and whether the server was asked at all.
    pub(super) fn executed(
        &self,
        executed: Result<Executed, Failed>,
        was_asked: bool,
    ) -> Result<(), Failed> {
        let Some(session) = self.session() else {
            return Err(self.fail_out_of_sync());
        };
        let executed = match executed {
            Ok(executed) => executed,
            Err(Failed) => {
                self.phase.set(Phase::Prepared);
                if was_asked {
                    self.said.set(Said::nothing());
                }
                return Err(Failed);
            }
        };
        self.clear_errors();
        self.said.set(session.last(Said::default(), Said::of));
        self.phase.set(Phase::Executed);
        self.has_cursor.set(matches!(executed, Executed::Cursor(_)));
        self.lacks_cursor.set(self.wants_cursor.get() && !self.has_cursor.get());
        if let Executed::Rows(columns) | Executed::Cursor(columns) = executed {
            let _ = self.on_server.with(|it| {
                if let Some(it) = it {
                    it.columns = columns;
                }
            });
            self.has_result.set(true);
            self.tells_columns.set(true);
            self.phase.set(Phase::Waiting);
        } else if version::forgets_columns() {
            let _ = self.on_server.with(|it| {
                if let Some(it) = it {
                    it.columns = Columns::default();
                }
            });
        }
        Ok(())
    }
}

/// `mysqli_stmt_execute`.
pub(crate) fn execute(call: &mut Call<'_>) -> Outcome {
    let object = call.receiver::<Statement>(0, 1)?;
    let elements = call.optional_array_or_null()?;
    let statement = Statement::of(object, Status::Valid)?;
    if let Some(elements) = elements {
        statement.bind_elements(call, elements, 1)?;
    }
    let executed = statement.execute()?;
    call.returns().bool(executed.is_ok());
    // As in stock both are reported: an exception about an index follows one about the error.
    let reported = if executed.is_err() { statement.error.report() } else { Ok(()) };
    reported.and(statement.report_index())
}

/// `mysqli_execute_query`: prepares, runs and forgets a statement; its result, true, or false.
pub(crate) fn execute_query(call: &mut Call<'_>) -> Outcome {
    let link = call.receiver::<Link>(1, 2)?;
    let sql = call.bytes()?;
    let elements = call.optional_array_or_null()?;
    Link::session(link, Status::Valid)?;
    once(call, link, |call, statement| {
        let bind = |call: &Call<'_>| match elements {
            Some(elements) => statement.bind_elements(call, elements, 2),
            None => Ok(()),
        };
        // As in stock user code runs when the statement is prepared.
        if elements.is_none_or(|it| it.is_list() && it.entries().all(|(_, it)| it.is_plain())) {
            if let Some(elements) = elements {
                statement.hold_strings(elements);
            }
            return run_at_once(call, statement, sql, bind);
        }
        if statement.prepare(sql).is_err() {
            call.returns().bool(false);
            return statement.error.report();
        }
        bind(call)?;
        run_prepared(call, statement)
    })
}

/// Does something with a statement of its own, which is forgotten then.
pub(super) fn once(
    call: &mut Call<'_>,
    link: Object<'_, Link>,
    run: impl FnOnce(&mut Call<'_>, &Statement) -> Outcome,
) -> Outcome {
    let temporary = Temporary::<Statement>::make();
    let statement = temporary.object().state();
    statement.begin(link.state());
    let outcome = run(call, statement);
    let session = &link.state().session;
    let rows = session.last(UNKNOWN_ROWS, |said| said.affected_rows);
    let failures = statement.error.copy();
    statement.forget(Goodbye::Later, Ending::Explicit);
    statement.status.set(Status::Closed);
    temporary.release();
    session.adjust(|connection| connection.set_affected_rows(rows));
    session.error.put(failures);
    outcome
}

/// Prepares a statement and runs it with what is bound, in one go; returns its result, true, or false. If it has more or fewer parameters
/// than that, it has not run: then `bind` tries.
pub(super) fn run_at_once(
    call: &mut Call<'_>,
    statement: &Statement,
    sql: &[u8],
    bind: impl FnOnce(&Call<'_>) -> Outcome,
) -> Outcome {
    let prepared = match statement.convert()? {
        Ok(()) => statement.prepare_and_execute(sql),
        Err(Failed) => Err(Failed),
    };
    let given = statement.values.len();
    statement.values.clear();
    let Ok(executed) = prepared else {
        call.returns().bool(false);
        return statement.error.report();
    };
    if given != usize::from(statement.param_count()) {
        statement.clear_errors();
        bind(call)?;
        return run_prepared(call, statement);
    }
    give_executed(call, statement, executed)
}

/// Runs a statement and returns its result, true, or false.
pub(super) fn run_prepared(call: &mut Call<'_>, statement: &Statement) -> Outcome {
    let executed = statement.execute()?;
    give_executed(call, statement, executed)
}

fn give_executed(
    call: &mut Call<'_>,
    statement: &Statement,
    executed: Result<(), Failed>,
) -> Outcome {
    if executed.is_err() {
        call.returns().bool(false);
        let reported = statement.error.report();
        return reported.and(statement.report_index());
    }
    if statement.phase.get() != Phase::Waiting {
        call.returns().bool(true);
        return Ok(());
    }
    // As in stock the result is taken all the same.
    let reported = statement.report_index();
    statement.give_result(call)?;
    if reported.is_err() {
        call.drop_returned();
    }
    reported
}
