//! The functions that send one plain command.

use super::link::{Link, Status, finish, only_argument};
use super::transaction::up_to_nul;
use crate::zend::call::Call;
use crate::zend::error::{Outcome, throw_error};
use std::time::Duration;
use vaquita_client::{Charset, Connection, codes};

pub(crate) fn set_charset(call: &mut Call<'_>) -> Outcome {
    let link = call.receiver::<Link>(1, 1)?;
    let name = call.bytes()?;
    let session = Link::session(link, Status::Valid)?;
    let set = match Charset::by_name(name) {
        Some(charset) => session.drive(|connection| connection.set_charset(charset)).is_ok(),
        None => {
            session.error.set(
                codes::CANT_FIND_CHARSET,
                *b"HY000",
                b"Invalid character set was provided".to_vec(),
            );
            false
        }
    };
    finish(call, session, set)
}

pub(crate) fn select_db(call: &mut Call<'_>) -> Outcome {
    let link = call.receiver::<Link>(1, 1)?;
    let name = up_to_nul(call.bytes()?);
    let session = Link::session(link, Status::Valid)?;
    let selected = session.drive(|connection| connection.init_db(name)).is_ok();
    finish(call, session, selected)
}

pub(crate) fn ping(call: &mut Call<'_>) -> Outcome {
    let session = only_argument(call)?;
    let answered = session.drive(Connection::ping).is_ok();
    finish(call, session, answered)
}

pub(crate) fn real_escape_string(call: &mut Call<'_>) -> Outcome {
    let link = call.receiver::<Link>(1, 1)?;
    let text = call.bytes()?;
    let session = Link::session(link, Status::Valid)?;
    match session.escape(text) {
        Some(escaped) => call.returns().str(escaped),
        // After a real_connect that failed; no text at all could be taken for the escaped one.
        None => return Err(throw_error(&[b"MySQL server has gone away"])),
    }
    Ok(())
}

/// `mysqli_stat`: the text, or false; as in stock no failure is reported.
pub(crate) fn stat(call: &mut Call<'_>) -> Outcome {
    let session = only_argument(call)?;
    match session.statistics() {
        Some(text) => call.returns().str(text),
        None => call.returns().bool(false),
    }
    Ok(())
}

/// `mysqli_dump_debug_info`; as in stock no failure is reported.
pub(crate) fn dump_debug_info(call: &mut Call<'_>) -> Outcome {
    let session = only_argument(call)?;
    let dumped = session.drive(Connection::debug).is_ok();
    call.returns().bool(dumped);
    Ok(())
}

/// `mysqli_debug`: of use in stock's debug builds only.
pub(crate) fn debug(call: &mut Call<'_>) -> Outcome {
    call.arity(1, 1)?;
    call.bytes()?;
    call.returns().bool(true);
    Ok(())
}

/// `mysqli_refresh`; as in stock no failure is reported, and a link that is not connected yet may ask.
pub(crate) fn refresh(call: &mut Call<'_>) -> Outcome {
    let link = call.receiver::<Link>(1, 1)?;
    let [bits, ..] = call.long()?.to_le_bytes();
    let session = Link::session(link, Status::Initialised)?;
    let flushed = session.drive(|connection| connection.refresh(bits)).is_ok();
    call.returns().bool(flushed);
    Ok(())
}

/// `mysqli_kill`.
pub(crate) fn kill(call: &mut Call<'_>) -> Outcome {
    let link = call.receiver::<Link>(1, 1)?;
    let id = call.long()?;
    let Some(id) = u64::try_from(id).ok().filter(|id| *id > 0) else {
        return Err(call.value_error(1, c"must be greater than 0"));
    };
    let session = Link::session(link, Status::Valid)?;
    let killed = session.drive(|connection| connection.process_kill(id)).is_ok();
    finish(call, session, killed)
}

/// `mysqli_change_user`.
pub(crate) fn change_user(call: &mut Call<'_>) -> Outcome {
    let link = call.receiver::<Link>(3, 3)?;
    let user = call.bytes()?;
    let password = call.bytes()?;
    let database = call.optional_bytes()?.unwrap_or_default();
    let session = Link::session(link, Status::Valid)?;
    let changed =
        session.drive(|connection| connection.change_user(user, password, database)).is_ok();
    finish(call, session, changed)
}

/// `Vaquita\set_query_timeout`.
pub(crate) fn set_query_timeout(call: &mut Call<'_>) -> Outcome {
    let link = call.receiver::<Link>(1, 1)?;
    let Ok(milliseconds) = u64::try_from(call.long()?) else {
        return Err(call.value_error(1, c"must be greater than or equal to 0"));
    };
    let session = Link::session(link, Status::Valid)?;
    let timeout = (milliseconds > 0).then(|| Duration::from_millis(milliseconds));
    match session.drive(|connection| connection.set_query_timeout(timeout)) {
        Ok(()) => Ok(()),
        Err(_) => session.error.report(),
    }
}
