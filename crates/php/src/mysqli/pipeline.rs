//! `Vaquita\pipeline`: many statements, or many runs of one, are sent at once, and each has its own outcome.

use super::done::Done;
use super::link::{Link, Status};
use super::report;
use super::result::{self, ResultSet};
use super::statement::{Phase, Said, Statement};
use crate::convert::Format;
use crate::session::Session;
use crate::session::failure::{Failed, LastError};
use crate::session::pipelined::Kind;
use crate::session::rows::Rows;
use crate::statistics::Key;
use crate::zend::call::Call;
use crate::zend::conversion::Wanted;
use crate::zend::error::{Outcome, throw_element_type_error, throw_value_error};
use crate::zend::given::{Alike, Either, Elements};
use crate::zend::held::{Held, Scalar};
use crate::zend::memory::is_memory_exhausted;
use crate::zend::object::make;
use crate::zend::slot::Value;
use crate::zend::string::Str;
use std::rc::Rc;
use vaquita_client::{Data, Parameter, Pipelined, Until};

/// `Vaquita\pipeline`.
pub(crate) fn pipeline(call: &mut Call<'_>) -> Outcome {
    call.arity(2, 3)?;
    let target = call.either::<Link, Statement>(c"of type mysqli|mysqli_stmt")?;
    let given = call.array()?;
    let stops = if call.is_read() { false } else { call.bool()? };
    let until = if stops { Until::FirstError } else { Until::End };
    match target {
        Either::First(link) => {
            Link::session(link, Status::Valid)?;
            check_queries(given)?;
            let session = &link.state().session;
            match run_queries(session, given, until) {
                Ok(()) => give(call, session, given, Format::Text),
                Err(Failed) => return give_failure(call, &session.error, given),
            }
        }
        Either::Second(object) => {
            let statement = Statement::of(object, Status::Valid)?;
            check_rows(given, statement.param_count())?;
            if let Err(Failed) = statement.run_rows(given, until)? {
                return give_failure(call, &statement.error, given);
            }
            let Some(session) = statement.session() else { return Ok(()) };
            give(call, session, given, Format::Binary);
            statement.error.put(session.error.copy());
        }
    }
    Ok(())
}

/// Throws unless all elements are queries: nothing is sent if one isn't.
fn check_queries(given: Value<'_>) -> Outcome {
    for query in Elements::of(given) {
        match query.bytes() {
            None => {
                return Err(throw_element_type_error(2, c"must be an array of strings", query));
            }
            Some(b"") => return Err(throw_value_error(2, c"must not have an empty query")),
            Some(_) => {}
        }
    }
    Ok(())
}

/// Throws unless all elements are lists of so many values.
fn check_rows(given: Value<'_>, params: u16) -> Outcome {
    for row in Elements::of(given) {
        if !row.is_array() {
            return Err(throw_element_type_error(2, c"must be an array of lists", row));
        }
        if !row.is_list() || row.count() != params.into() {
            let number = Str::decimal(params.into());
            let what = Str::concat(&[
                b"must be an array of lists of exactly ",
                number.bytes(),
                b" values",
            ]);
            let thrown = throw_value_error(2, what.as_c_str());
            number.release();
            what.release();
            return Err(thrown);
        }
    }
    Ok(())
}

fn run_queries(session: &Session, given: Value<'_>, until: Until) -> Result<(), Failed> {
    if given.count() == 0 {
        session.error.clear();
        return Ok(());
    }
    session.allow_multi_statements(false);
    let queries = Elements::of(given).filter_map(Value::bytes).map(Pipelined::Query);
    session.pipeline(queries, until)
}

impl Statement {
    /// Runs it with each row of parameters.
    ///
    /// # Errors
    /// The outer: an exception is pending. The inner: nothing was sent, and why is recorded.
    fn run_rows(&self, given: Value<'_>, until: Until) -> Outcome<Result<(), Failed>> {
        self.clear_errors();
        if self.phase.get() < Phase::Prepared {
            return Ok(Err(self.fail_out_of_sync()));
        }
        self.end_run();
        let (rows, params) = (given.count(), usize::from(self.param_count()));
        let flat = Held::nothing();
        flat.hold_elements_of_each(given);
        let converted = self.values.hold_converted(&flat, |_| Wanted::Bytes);
        flat.clear();
        converted?;
        // User code may have prepared another statement meanwhile.
        if usize::from(self.param_count()) != params || self.values.len() != rows * params {
            self.values.clear();
            return Ok(Err(self.fail_out_of_sync()));
        }
        if rows == 0 {
            return Ok(Ok(()));
        }
        self.runs.set(self.runs.get() + rows as u64);
        // No Zend call from here to the replies: what the parameters borrow stays.
        let parameter = |number| match self.values.scalar(number) {
            Scalar::Bytes(bytes) => Parameter::Text(Data::Bytes(bytes)),
            _ => Parameter::Text(Data::Null),
        };
        let forgets = self.sent.with(std::mem::take).is_ok_and(|sent| sent.contains(&true));
        let begun = self.ask(|session, it| {
            if forgets {
                session.reset_statement(&it.prepared)?;
            }
            let run = |row| (row * params..(row + 1) * params).map(parameter).collect();
            let runs = (0..rows).map(|row| Pipelined::Execute(&it.prepared, run(row)));
            session.pipeline(runs, until)
        });
        self.values.clear();
        if let Some(session) = self.session().filter(|session| self.is_of(session)) {
            self.said.set(session.last(Said::default(), Said::of));
        }
        Ok(begun)
    }
}

/// Returns what became of each command, with the keys that they were given with.
fn give(call: &mut Call<'_>, session: &Rc<Session>, given: Value<'_>, format: Format) {
    let mut outcomes = Alike::new(call.returns(), given);
    while let Some(kind) = session.next_kind() {
        let Some(slot) = outcomes.push() else { break };
        // Each object is there before its state is taken: its memory may be refused by a long jump.
        match kind {
            Kind::Rows => {
                let set = make::<ResultSet>(slot);
                if let Ok(vaquita_client::Done { rows: Some(rows), .. }) = session.next_outcome() {
                    session.count(Key::buffered_sets, 1);
                    session.count(key_of_rows(format), rows.rows());
                    let columns = rows.columns().clone();
                    result::fill(set.state(), Rows::buffered(session, columns, format, rows));
                }
            }
            Kind::Done => {
                let done = make::<Done>(slot);
                if let Ok(outcome) = session.next_outcome() {
                    done.fill(outcome);
                }
            }
            Kind::Failed => {
                let _ = session.next_outcome().map(drop);
                report::write_exception(&session.error, slot);
            }
        }
        if is_memory_exhausted() {
            // PHP ends the script as soon as it gets control.
            session.forget_outcomes();
            break;
        }
    }
}

/// Reports, as any error is, why nothing was sent; where that does not throw, it is what became of each command.
fn give_failure(call: &mut Call<'_>, error: &LastError, given: Value<'_>) -> Outcome {
    if !report::throws_errors() {
        // Before it is reported: the handler of a warning may use the link, whose last error is another one then.
        let mut outcomes = Alike::new(call.returns(), given);
        while let Some(slot) = outcomes.push() {
            report::write_exception(error, slot);
            if is_memory_exhausted() {
                return Ok(());
            }
        }
    }
    error.report()
}

fn key_of_rows(format: Format) -> Key {
    match format {
        Format::Text => Key::rows_buffered_from_client_normal,
        Format::Binary => Key::rows_buffered_from_client_ps,
    }
}
