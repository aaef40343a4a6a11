//! The parameters of a prepared statement: from the variables of a script to what the wire takes.

use super::link::Status;
use super::statement::{Phase, Statement};
use crate::session::failure::Failed;
use crate::zend::call::Call;
use crate::zend::conversion::Wanted;
use crate::zend::error::{Outcome, throw_argument_count_error};
use crate::zend::held::Scalar;
use crate::zend::slot::Value;
use crate::zend::string::Str;
use vaquita_client::{Data, Parameter};

/// The letter of our own, beside those of `bind_param`: of whatever type the value is.
pub(super) const AS_IT_IS: u8 = b'*';
/// CR_NO_PREPARE_STMT.
pub(super) const NO_PREPARE_STMT: u16 = 2030;
/// CR_INVALID_PARAMETER_NO.
const INVALID_PARAMETER_NO: u16 = 2034;
/// CR_INVALID_BUFFER_USE.
const INVALID_BUFFER_USE: u16 = 2035;

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
    pub(super) fn bind_elements(&self, call: &Call<'_>, array: Value<'_>, number: u32) -> Outcome {
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
    pub(super) fn hold_strings(&self, array: Value<'_>) {
        self.set_types(core::iter::repeat_n(b's', array.count()));
        self.parameters.hold_elements(array);
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

    /// A parameter of the next run, as it was got ready.
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
}
