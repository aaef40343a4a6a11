//! `Vaquita\trace`: the trace of one connection.

use super::kv::given_session;
use crate::zend::call::Call;
use crate::zend::error::Outcome;
use crate::zend::files;
use crate::zend::string::Str;

/// `Vaquita\trace`.
pub(crate) fn trace(call: &mut Call<'_>) -> Outcome {
    call.arity(2, 2)?;
    let session = given_session(call)?;
    let path = call.optional_bytes()?;
    if path.is_some_and(|path| path.contains(&0)) {
        return Err(call.value_error(1, c"must not contain any null bytes"));
    }
    let Some(path) = path else {
        session.trace(None);
        call.returns().bool(true);
        return Ok(());
    };
    let path = Str::new(path);
    let is_allowed = path.bytes() == b"stderr" || files::warn_unless_allowed(path);
    let is_traced = is_allowed && session.trace(Some(path));
    path.release();
    call.returns().bool(is_traced);
    Ok(())
}
