//! Running a prepared statement: its parameters, from the variables of a script to the wire.

use super::link::Link;
use super::link::Status;
use super::prepare::Goodbye;
use super::statement::{Phase, Said, Statement};
use crate::session::counting::Ending;
use crate::session::failure::Failed;
use crate::session::prepared::{Executed, with_parameters};
use crate::zend::call::Call;
use crate::zend::conversion::Wanted;
use crate::zend::error::{Outcome, throw_argument_count_error};
use crate::zend::held::Scalar;
use crate::zend::object::{Object, Temporary};
use crate::zend::slot::Value;
use crate::zend::string::Str;
use vaquita_client::{Data, Parameter, UNKNOWN_ROWS, codes};

/// `mysqli_stmt_bind_param`.
pub(crate) fn bind_param(call: &mut Call<'_>) -> Outcome {
    let object = call.receiver::<Statement>(1, Call::ANY)?;
    let types = call.bytes()?;
    let statement = Statement::of(object, Status::Valid)?;
    if types.is_empty() {
        return Err(call.empty_error(1));
    }
    if types.len() != call.left() {
        let what = c"The number of elements in the type definition string must match the number of bind variables";
        return Err(throw_argument_count_error(what));
    }
    if types.len() != statement.param_count().into() {
        let what = c"The number of variables must match the number of parameters in the prepared statement";
        return Err(throw_argument_count_error(what));
    }
    if !types.iter().all(|letter| matches!(letter, b'b' | b'd' | b'i' | b's')) {
        let what = c"must only contain the \"b\", \"d\", \"i\", \"s\" type specifiers";
        return Err(call.value_error(1, what));
    }
    statement.clear_errors();
    statement.set_types(types.iter().copied());
    statement.parameters.hold_arguments(call);
    call.returns().bool(true);
    Ok(())
}

/// `mysqli_stmt_send_long_data`; as in stock no failure is reported.
pub(crate) fn send_long_data(call: &mut Call<'_>) -> Outcome {
    let object = call.receiver::<Statement>(2, 2)?;
    let number = call.long()?;
    let data = call.bytes()?;
    let statement = Statement::of(object, Status::Valid)?;
    if number < 0 {
        return Err(call.value_error(1, c"must be greater than or equal to 0"));
    }
    let sent = statement.send_long_data(number, data).is_ok();
    call.returns().bool(sent);
    Ok(())
}

impl Statement {
    pub(super) fn clear_errors(&self) {
        self.error.clear();
        if let Some(session) = self.session().filter(|session| self.is_of(session)) {
            session.error.clear();
        }
    }

    /// Other variables are bound from now on, of these types.
    pub(super) fn set_types(&self, letters: impl Iterator<Item = u8> + Clone) {
        let _ = self.types.with(|types| {
            if !letters.clone().eq(types.iter().copied()) {
                self.retypings.set(self.retypings.get() + 1);
                types.clear();
                types.extend(letters);
            }
        });
        let _ = self.sent.with(Vec::clear);
    }

    fn send_long_data(&self, number: i64, data: &[u8]) -> Result<(), Failed> {
        self.clear_errors();
        let Some(session) = self.session().filter(|_| self.phase.get() >= Phase::Prepared) else {
            return Err(self.fail(NO_PREPARE_STMT, b"Statement not prepared"));
        };
        if !self.parameters.is_there() || self.param_count() == 0 {
            return Err(self.fail_out_of_sync());
        }
        let number = match u16::try_from(number) {
            Ok(number) if number < self.param_count() => number,
            _ => return Err(self.fail(INVALID_PARAMETER_NO, b"Invalid parameter number")),
        };
        let index = usize::from(number);
        let is_blob = self.types.peek(|types| types.get(index) == Some(&b'b')).unwrap_or(false);
        if !is_blob {
            let message = b"Can't send long data for non-string/non-binary data types";
            return Err(self.fail(INVALID_BUFFER_USE, message));
        }
        // As in stock without a word: of a connection that was replaced, too.
        if !self.is_of(session) || !session.is_ready() {
            return Err(Failed);
        }
        self.ask(|session, it| session.send_long_data(&it.prepared, number, data))?;
        let _ = self.sent.with(|sent| {
            sent.resize(sent.len().max(index + 1), false);
            if let Some(sent) = sent.get_mut(index) {
                *sent = true;
            }
        });
        Ok(())
    }

    /// Binds the elements of an array, each as a string; `number` is that of the argument which it is.
    fn bind_elements(&self, call: &Call<'_>, array: Value<'_>, number: u32) -> Outcome {
        if !array.is_list() {
            return Err(call.value_error(number, c"must be a list array"));
        }
        let (expected, given) = (self.param_count(), array.count());
        if given != expected.into() {
            let expected = Str::decimal(expected.into());
            let given = Str::decimal(given as u64);
            let words: [&[u8]; 5] = [
                b"must consist of exactly ",
                expected.bytes(),
                b" elements, ",
                given.bytes(),
                b" present",
            ];
            let message = Str::concat(&words);
            let thrown = call.value_error(number, message.as_c_str());
            for string in [expected, given, message] {
                string.release();
            }
            return Err(thrown);
        }
        self.clear_errors();
        self.hold_strings(array);
        Ok(())
    }

    /// Holds the elements of an array, each to be a string.
    fn hold_strings(&self, array: Value<'_>) {
        self.set_types(core::iter::repeat_n(b's', array.count()));
        self.parameters.hold_elements(array);
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

    /// Gets the values ready that the parameters have now; user code may run.
    ///
    /// # Errors
    /// As [`Statement::execute`].
    pub(super) fn convert(&self) -> Outcome<Result<(), Failed>> {
        let retypings = self.retypings.get();
        let types = |number| self.types.peek(|it| it.get(number).copied()).ok().flatten();
        let converted =
            self.values.hold_converted(&self.parameters, |number| match types(number) {
                Some(b'i') => Wanted::Long,
                Some(b'd') => Wanted::Double,
                Some(b's') => Wanted::Bytes,
                // An object that was found to have a text.
                Some(AS_IT_IS) if matches!(self.parameters.scalar(number), Scalar::Other) => {
                    Wanted::Bytes
                }
                _ => Wanted::Anything,
            });
        // The exception is all that is wrong then.
        converted.inspect_err(|_| self.clear_errors())?;
        if self.retypings.get() != retypings {
            // User code has bound others meanwhile, of other types; stock sends a mixture of both.
            self.values.clear();
            return Ok(Err(self.fail_out_of_sync()));
        }
        Ok(Ok(()))
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

    pub(super) fn parameter(&self, number: usize) -> Parameter<'_> {
        let letter = self.types.peek(|types| types.get(number).copied()).ok().flatten();
        match (letter, self.values.scalar(number)) {
            (Some(b'i'), Scalar::Long(value)) => Parameter::Integer(Some(value)),
            (Some(b'i'), Scalar::Null) => Parameter::Integer(None),
            (Some(b'd'), Scalar::Double(value)) => Parameter::Double(Some(value)),
            (Some(b'd'), _) => Parameter::Double(None),
            (Some(b'b'), value) => {
                let is_sent = |sent: &Vec<bool>| sent.get(number).copied().unwrap_or(false);
                if self.sent.peek(is_sent).unwrap_or(false) {
                    Parameter::Blob(Data::Sent)
                } else if matches!(value, Scalar::Null) {
                    Parameter::Blob(Data::Null)
                } else {
                    Parameter::Blob(Data::Bytes(b""))
                }
            }
            (Some(AS_IT_IS), Scalar::Long(value)) => Parameter::Integer(Some(value)),
            (Some(AS_IT_IS), Scalar::Double(value)) => Parameter::Double(Some(value)),
            (Some(AS_IT_IS), Scalar::Bool(value)) => Parameter::Tiny(value.into()),
            (Some(AS_IT_IS), Scalar::Null) => Parameter::Null,
            (_, Scalar::Bytes(bytes)) => Parameter::Text(Data::Bytes(bytes)),
            _ => Parameter::Text(Data::Null),
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
        }
        Ok(())
    }
}

/// The letter of our own, beside those of `bind_param`: of whatever type the value is.
pub(super) const AS_IT_IS: u8 = b'*';
/// CR_NO_PREPARE_STMT.
pub(super) const NO_PREPARE_STMT: u16 = 2030;
/// CR_INVALID_PARAMETER_NO.
const INVALID_PARAMETER_NO: u16 = 2034;
/// CR_INVALID_BUFFER_USE.
const INVALID_BUFFER_USE: u16 = 2035;

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
