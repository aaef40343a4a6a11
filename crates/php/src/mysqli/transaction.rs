//! Transactions: statements that these functions put together.

use super::link::Status;
use super::link::{Link, finish};
use crate::session::Session;
use crate::zend::call::Call;
use crate::zend::error::{Outcome, warning};
use crate::zend::version;

/// The flags of `mysqli_commit` and `mysqli_rollback` (`MYSQLI_TRANS_COR_*`).
const AND_CHAIN: i64 = 1;
const AND_NO_CHAIN: i64 = 2;
const RELEASE: i64 = 4;
const NO_RELEASE: i64 = 8;
/// The flags of `mysqli_begin_transaction` (`MYSQLI_TRANS_START_*`).
const WITH_CONSISTENT_SNAPSHOT: i64 = 1;
const READ_WRITE: i64 = 2;
const READ_ONLY: i64 = 4;

/// `mysqli_autocommit`.
pub(crate) fn autocommit(call: &mut Call<'_>) -> Outcome {
    let link = call.receiver::<Link>(1, 1)?;
    let on = call.bool()?;
    let session = Link::session(link, Status::Valid)?;
    let sql: &[u8] = if on { b"SET AUTOCOMMIT=1" } else { b"SET AUTOCOMMIT=0" };
    let set = session.query(sql).is_ok();
    finish(call, session, set)
}

/// `mysqli_begin_transaction`.
pub(crate) fn begin_transaction(call: &mut Call<'_>) -> Outcome {
    let link = call.receiver::<Link>(0, 2)?;
    let flags = call.long_or(0)?;
    let name = call.optional_bytes()?.map(up_to_nul);
    let session = Link::session(link, Status::Valid)?;
    if flags < 0 {
        return Err(call.value_error(1, c"must be one of the MYSQLI_TRANS_* constants"));
    }
    if name.is_some_and(<[u8]>::is_empty) {
        return Err(call.empty_error(2));
    }
    let access: &[u8] = if flags & READ_WRITE != 0 {
        b"READ WRITE"
    } else if flags & READ_ONLY != 0 {
        b"READ ONLY"
    } else {
        b""
    };
    let snapshot: &[u8] =
        if flags & WITH_CONSISTENT_SNAPSHOT != 0 { b"WITH CONSISTENT SNAPSHOT" } else { b"" };
    warn_of_name(name);
    let begun = run(session, b"START TRANSACTION", name, &[snapshot, access], b", ");
    finish_unless_unreported(call, session, begun)
}

/// `mysqli_commit`.
pub(crate) fn commit(call: &mut Call<'_>) -> Outcome {
    end(call, b"COMMIT")
}

/// `mysqli_rollback`.
pub(crate) fn rollback(call: &mut Call<'_>) -> Outcome {
    end(call, b"ROLLBACK")
}

fn end(call: &mut Call<'_>, verb: &[u8]) -> Outcome {
    let link = call.receiver::<Link>(0, 2)?;
    let flags = call.long_or(0)?;
    let name = call.optional_bytes()?.map(up_to_nul);
    let session = Link::session(link, Status::Valid)?;
    let chain: &[u8] = match (flags & AND_CHAIN != 0, flags & AND_NO_CHAIN != 0) {
        (true, false) => b"AND CHAIN",
        (false, true) => b"AND NO CHAIN",
        _ => b"",
    };
    let release: &[u8] = match (flags & RELEASE != 0, flags & NO_RELEASE != 0) {
        (true, false) => b"RELEASE",
        (false, true) => b"NO RELEASE",
        _ => b"",
    };
    warn_of_name(name);
    let done = run(session, verb, name, &[chain, release], b" ");
    finish(call, session, done)
}

/// `mysqli_savepoint`.
pub(crate) fn savepoint(call: &mut Call<'_>) -> Outcome {
    on_savepoint(call, b"SAVEPOINT `")
}

/// `mysqli_release_savepoint`.
pub(crate) fn release_savepoint(call: &mut Call<'_>) -> Outcome {
    on_savepoint(call, b"RELEASE SAVEPOINT `")
}

fn on_savepoint(call: &mut Call<'_>, verb: &[u8]) -> Outcome {
    let link = call.receiver::<Link>(1, 1)?;
    let name = up_to_nul(call.bytes()?);
    let session = Link::session(link, Status::Valid)?;
    if name.is_empty() {
        return Err(call.empty_error(1));
    }
    // As in stock the name is not escaped.
    let done = session.query(&[verb, name, b"`"].concat()).is_ok();
    finish_unless_unreported(call, session, done)
}

/// Returns whether a statement was carried out. As in stock its failure is reported since PHP 8.4; before that the caller sees false
/// and asks.
fn finish_unless_unreported(call: &mut Call<'_>, session: &Session, done: bool) -> Outcome {
    if version::is_at_least(804) {
        return finish(call, session, done);
    }
    call.returns().bool(done);
    Ok(())
}

/// A name as C reads it, which is how stock does.
pub(super) fn up_to_nul(name: &[u8]) -> &[u8] {
    name.split(|byte| *byte == 0).next().unwrap_or_default()
}

/// Whether a transaction's name may keep this byte: it travels in a comment.
fn is_allowed_in_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b' ' | b'=')
}

/// Warns where a name would lose something.
fn warn_of_name(name: Option<&[u8]>) {
    let name = name.unwrap_or_default();
    if !name.iter().all(|byte| is_allowed_in_name(*byte)) {
        warning(&[
            b"Transaction name has been truncated, since it can only contain the A-Z, a-z, 0-9, \"\\\", \"-\", \"_\", and \"=\" characters",
        ]);
    }
}

/// Runs `VERB /*name*/ WORDS`. No Zend call happens in here, for it owns the statement's text.
fn run(
    session: &Session,
    verb: &[u8],
    name: Option<&[u8]>,
    words: &[&[u8]],
    separator: &[u8],
) -> bool {
    let mut sql = verb.to_vec();
    if let Some(name) = name {
        sql.extend_from_slice(b" /*");
        sql.extend(name.iter().filter(|byte| is_allowed_in_name(**byte)));
        sql.extend_from_slice(b"*/");
    }
    sql.push(b' ');
    let words: Vec<&[u8]> = words.iter().copied().filter(|word| !word.is_empty()).collect();
    sql.extend_from_slice(&words.join(separator));
    session.query(&sql).is_ok()
}
