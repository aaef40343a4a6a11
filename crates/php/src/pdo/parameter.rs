//! Parameters of a statement that the server has prepared: from what PDO has bound to what the driver sends.

use super::statement::{INVALID_PARAMETER_NUMBER, Statement};
use super::{PARAM_LOB, PARAM_NULL, PARAM_STMT};
use crate::zend::held::Scalar;
use crate::zend::pdo::{Bound, Running};
use vaquita_client::{Data, Parameter};

/// What PDO reports of a parameter of the wrong type.
const INVALID_PARAMETER_TYPE: [u8; 5] = *b"HY105";

impl Statement {
    /// Whether the server asks for such a parameter; if not, says so.
    pub(super) fn knows_parameter(&self, running: Running<'_>, bound: Bound<'_>) -> bool {
        let is_known = usize::try_from(bound.number()).is_ok_and(|it| it < self.parameter_count());
        if !is_known {
            running.set_sqlstate(INVALID_PARAMETER_NUMBER);
        }
        is_known
    }

    /// Takes what is bound as a parameter of the next run; false: it is none, which is said.
    pub(super) fn take_parameter(&self, running: Running<'_>, bound: Bound<'_>) -> bool {
        let Ok(number) = usize::try_from(bound.number()) else { return true };
        self.last.clear();
        let kind = bound.kind();
        if kind == PARAM_NULL || bound.value().is_null() {
            self.parameters.put_null(number);
            return true;
        }
        if kind == PARAM_STMT {
            return false;
        }
        if kind == PARAM_LOB && bound.read_stream(running).is_err() {
            running.raise(INVALID_PARAMETER_TYPE, c"Expected a stream resource");
            return false;
        }
        self.parameters.put(number, bound.value());
        if matches!(self.parameters.scalar(number), Scalar::Other) {
            self.parameters.put_null(number);
            return false;
        }
        true
    }

    /// A parameter of the next run, as the driver takes it.
    pub(super) fn parameter(&self, number: usize) -> Parameter<'_> {
        match self.parameters.scalar(number) {
            Scalar::Long(value) => Parameter::Integer(Some(value)),
            Scalar::Double(value) => Parameter::Double(Some(value)),
            Scalar::Bool(value) => Parameter::Tiny(value.into()),
            Scalar::Bytes(bytes) => Parameter::Text(Data::Bytes(bytes)),
            Scalar::Null | Scalar::Other => Parameter::Null,
        }
    }
}
