//! What a prepared statement gives back: rows into variables, results as objects.

use super::link::Status;
use super::result::{self, ResultSet};
use super::statement::{Phase, Said, Statement, only_argument};
use crate::convert::Format;
use crate::session::advanced::{Advanced, warn_of};
use crate::session::failure::Failed;
use crate::session::rows::Rows;
use crate::statistics::Key;
use crate::zend::call::Call;
use crate::zend::error::{Outcome, throw_argument_count_error};
use crate::zend::object::make;
use vaquita_client::Columns;

impl Statement {
    /// The columns of the result that waits to be read, if it still can be.
    pub(super) fn due(&self) -> Option<Columns> {
        let columns = self.columns().filter(|_| self.phase.get() == Phase::Waiting);
        let is_due = self.session().is_some_and(|session| {
            self.is_of(session)
                && if self.has_cursor.get() { session.is_ready() } else { session.is_fetching() }
        });
        columns.filter(|_| is_due)
    }

    /// Receives all rows that wait.
    fn store(&self, how: Key) -> Result<Rows, Failed> {
        let columns = self.due().ok_or_else(|| self.fail_out_of_sync())?;
        let Some(session) = self.session() else {
            return Err(self.fail_out_of_sync());
        };
        self.clear_errors();
        session.count(how, 1);
        let has_cursor = self.has_cursor.get();
        let stored = self.ask(|session, it| match has_cursor {
            true => session.fetch(&it.prepared, &columns, u32::MAX),
            false => session.store(),
        });
        let stored = stored.inspect_err(|_| {
            self.phase.set(Phase::Prepared);
            // What the statement was to keep is gone.
            self.has_result.set(how != Key::ps_buffered_sets);
        })?;
        session.count(Key::rows_buffered_from_client_ps, stored.rows());
        let mut said = self.said.get();
        said.affected_rows = stored.rows();
        self.said.set(said);
        Ok(Rows::buffered(session, columns, Format::Binary, stored))
    }

    fn keep(&self, rows: Rows, phase: Phase) {
        let _ = self.rows.with(|kept| *kept = Some(rows));
        self.phase.set(phase);
    }

    /// Begins to read the rows that wait as is usual for them: a cursor row by row, what was to have a cursor and has none at once.
    fn begin_fetching(&self) -> Result<(), Failed> {
        if self.lacks_cursor.get() {
            let rows = self.store(Key::ps_buffered_sets)?;
            self.keep(rows, Phase::Fetching);
            return Ok(());
        }
        let (Some(columns), Some(session)) = (self.due(), self.session()) else {
            // As in stock nobody is told that the rows went with their connection.
            return Ok(());
        };
        session.count(Key::ps_unbuffered_sets, 1);
        let prepared = self.on_server.peek(|it| it.as_ref().map(|it| it.prepared.clone()));
        let rows = match prepared.ok().flatten().filter(|_| self.has_cursor.get()) {
            Some(prepared) => {
                self.said.set(Said { affected_rows: 0, ..self.said.get() });
                Rows::behind_cursor(session, columns, prepared)
            }
            None => Rows::unbuffered(session, columns, Format::Binary),
        };
        self.keep(rows, Phase::Fetching);
        Ok(())
    }

    /// Goes on to the next row; it waits in `values` then, if variables are bound.
    fn advance(&self) -> Result<Advanced, Failed> {
        if !self.has_result.get() || self.phase.get() < Phase::Waiting {
            return Err(self.fail_out_of_sync());
        }
        if self.phase.get() == Phase::Waiting {
            self.begin_fetching()?;
        }
        self.phase.set(Phase::Fetching);
        self.clear_errors();
        let Some(session) = self.session() else {
            return Err(self.fail_out_of_sync());
        };
        let advanced =
            self.rows.peek(|rows| rows.as_ref().map_or(Ok(Advanced::End), |rows| rows.advance()));
        let advanced = self.settle(session, advanced.unwrap_or(Err(Failed)))?;
        if advanced == Advanced::Gone {
            return Err(self.error.set_absence());
        }
        if advanced == Advanced::Row && self.results.is_there() {
            self.fetches.set(self.fetches.get() + 1);
            let _ = self.rows.peek(|rows| {
                if let Some(rows) = rows {
                    rows.row(|row| rows.layout.write_each(row, |n| self.values.slot(n)));
                }
            });
        }
        Ok(advanced)
    }

    /// Returns the rows that wait as an object.
    pub(super) fn give_result(&self, call: &mut Call<'_>) -> Outcome {
        let stored = self.store(Key::buffered_sets);
        let Ok(rows) = stored else {
            call.returns().bool(false);
            return self.error.report();
        };
        self.phase.set(Phase::Prepared);
        // The new object's memory may be refused by a long jump: until then the rows are the statement's.
        let _ = self.rows.with(|kept| *kept = Some(rows));
        let set = make::<ResultSet>(call.returns());
        if let Some(rows) = self.rows.with(Option::take).ok().flatten() {
            result::fill(set.state(), rows);
        }
        Ok(())
    }

    /// Skips what is left of the rows, and gives them back.
    fn free(&self) {
        if !self.has_result.get() {
            return;
        }
        let phase = self.phase.get();
        let is_due = self.due().is_some();
        if is_due {
            // As in stock this begins to read them, and that well.
            self.count(Key::ps_unbuffered_sets);
            self.clear_errors();
        }
        let has_rows = is_due || phase > Phase::Waiting;
        if has_rows {
            let session = self.session().filter(|session| self.is_of(session));
            if let Some(session) = session.filter(|_| !self.has_cursor.get()) {
                let _ = self.settle(session, session.skip());
            }
            let _ = self.rows.with(|rows| drop(rows.take()));
            self.tells_columns.set(false);
        }
        if phase > Phase::Prepared {
            self.phase.set(Phase::Prepared);
        }
        if has_rows {
            self.results.clear();
        }
    }
}

/// `mysqli_stmt_bind_result`.
pub(crate) fn bind_result(call: &mut Call<'_>) -> Outcome {
    let object = call.receiver::<Statement>(1, Call::ANY)?;
    let statement = Statement::of(object, Status::Valid)?;
    let count = call.left();
    statement.refresh_columns(true);
    if count != statement.field_count() {
        let what = c"Number of bind variables doesn't match number of fields in prepared statement";
        return Err(throw_argument_count_error(what));
    }
    if statement.phase.get() < Phase::Prepared {
        statement.fail(super::parameters::NO_PREPARE_STMT, b"Statement not prepared");
        call.returns().bool(false);
        return Ok(());
    }
    statement.clear_errors();
    statement.results.hold_arguments(call);
    call.returns().bool(true);
    Ok(())
}

/// `mysqli_stmt_fetch`: true, NULL at the end, or false.
pub(crate) fn fetch(call: &mut Call<'_>) -> Outcome {
    let statement = only_argument(call, Status::Valid)?;
    let count = statement.field_count();
    if statement.results.is_there() && statement.values.len() != count {
        statement.values.hold_nulls(count);
    }
    match statement.advance() {
        Ok(Advanced::Row) => {
            let fetches = statement.fetches.get();
            for number in 0..count {
                statement.values.give(number, &statement.results);
                // User code that has fetched a further row has that in the variables, as in stock.
                if statement.fetches.get() != fetches {
                    break;
                }
            }
            call.returns().bool(true);
        }
        Ok(Advanced::Spoilt(malformed)) => {
            call.returns().bool(false);
            warn_of(malformed);
        }
        Ok(Advanced::End | Advanced::Gone) => {}
        Err(Failed) => {
            call.returns().bool(false);
            return statement.error.report();
        }
    }
    Ok(())
}

/// `mysqli_stmt_store_result`.
pub(crate) fn store_result(call: &mut Call<'_>) -> Outcome {
    let statement = only_argument(call, Status::Valid)?;
    // As in stock there is nothing wrong with a statement that has no rows.
    let mut done = statement.field_count() == 0;
    if statement.has_result.get()
        && !done
        && let Ok(rows) = statement.store(Key::ps_buffered_sets)
    {
        statement.keep(rows, Phase::Stored);
        done = true;
    }
    call.returns().bool(done);
    if done { Ok(()) } else { statement.error.report() }
}

/// `mysqli_stmt_get_result`.
pub(crate) fn get_result(call: &mut Call<'_>) -> Outcome {
    let statement = only_argument(call, Status::Valid)?;
    if statement.has_result.get() && statement.field_count() > 0 {
        return statement.give_result(call);
    }
    call.returns().bool(false);
    statement.error.report()
}

/// `mysqli_stmt_result_metadata`: a result without rows, or false.
pub(crate) fn result_metadata(call: &mut Call<'_>) -> Outcome {
    let statement = only_argument(call, Status::Valid)?;
    statement.refresh_columns(false);
    let can_tell = statement.has_result.get() && statement.tells_columns.get();
    let columns = statement.columns().filter(|columns| can_tell && !columns.is_empty());
    let (Some(columns), Some(session)) = (columns, statement.session()) else {
        call.returns().bool(false);
        return statement.error.report();
    };
    let rows = Rows::none(session, columns);
    result::fill(make::<ResultSet>(call.returns()).state(), rows);
    Ok(())
}

/// `mysqli_stmt_free_result`.
pub(crate) fn free_result(call: &mut Call<'_>) -> Outcome {
    only_argument(call, Status::Valid)?.free();
    Ok(())
}

/// `mysqli_stmt_data_seek`.
pub(crate) fn data_seek(call: &mut Call<'_>) -> Outcome {
    let object = call.receiver::<Statement>(1, 1)?;
    let offset = call.long()?;
    let Ok(row) = u64::try_from(offset) else {
        return Err(call.value_error(1, c"must be greater than or equal to 0"));
    };
    let statement = Statement::of(object, Status::Valid)?;
    let _ = statement.rows.peek(|rows| rows.as_ref().map(|rows| rows.seek_or_end(row)));
    Ok(())
}

/// `mysqli_stmt_more_results`.
pub(crate) fn more_results(call: &mut Call<'_>) -> Outcome {
    let statement = only_argument(call, Status::Valid)?;
    let session = statement.session().filter(|session| statement.is_of(session));
    let more = session.is_some_and(|session| session.more_results());
    call.returns().bool(more);
    Ok(())
}

/// `mysqli_stmt_next_result`.
pub(crate) fn next_result(call: &mut Call<'_>) -> Outcome {
    let statement = only_argument(call, Status::Valid)?;
    let mut done = false;
    let session = statement.session().filter(|session| statement.is_of(session));
    if statement.has_result.get() && session.is_some_and(|session| session.is_result_pending()) {
        statement.error.clear();
        done = statement.take_next().is_ok();
        // What was bound were the columns of the result before.
        statement.results.clear();
    }
    call.returns().bool(done);
    if done { Ok(()) } else { statement.error.report() }
}
