//! The functions that send one plain command.

use super::link::{Link, finish, only_argument};
use super::session::Status;
use crate::zend::call::Call;
use crate::zend::error::Outcome;
use vaquita_client::{Charset, Connection, codes};

pub(crate) fn set_charset(call: &mut Call<'_>) -> Outcome {
    let link = call.receiver::<Link>(1, 1)?;
    let name = call.bytes()?;
    let session = Link::session(link, Status::Valid)?;
    let set = match Charset::by_name(name) {
        Some(charset) => session.drive(|connection| connection.set_charset(charset)).is_ok(),
        None => {
            session.fail(
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
    let name = call.bytes()?;
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
    let escaped = session.escape(text);
    call.returns().str(escaped);
    Ok(())
}
