//! Statements: `mysqli_query` and its parts, and the results of several statements in one.

use super::asynchronous;
use super::link::Status;
use super::link::{Link, finish};
use super::report::EARLIER_STATEMENT;
use super::result::{self, ResultSet, STORE_RESULT, USE_RESULT};
use crate::session::Session;
use crate::vaquita::memcache;
use crate::zend::call::Call;
use crate::zend::error::{Outcome, Thrown, deprecated, is_pending};
use crate::zend::object::{Object, make};
use crate::zend::version;
use std::rc::Rc;
use vaquita_client::panic_point;

/// `MYSQLI_ASYNC`.
const ASYNC: i64 = 8;
/// `MYSQLI_STORE_RESULT_COPY_DATA`, which has no meaning any more.
const STORE_RESULT_COPY_DATA: i64 = 16;

/// `mysqli_query`.
pub(crate) fn query(call: &mut Call<'_>) -> Outcome {
    let link = call.receiver::<Link>(1, 2)?;
    memcache::telling_call(call, &link.state().session, |call| run_query(call, link))
}

fn run_query(call: &mut Call<'_>, link: Object<'_, Link>) -> Outcome {
    panic_point("php/mysqli/query");
    let sql = call.bytes()?;
    let mode = call.long_or(STORE_RESULT)?;
    if sql.is_empty() {
        return Err(call.empty_error(1));
    }
    let how = mode & !ASYNC;
    if how != USE_RESULT && how & !STORE_RESULT_COPY_DATA != STORE_RESULT {
        let what = c"must be either MYSQLI_USE_RESULT or MYSQLI_STORE_RESULT with MYSQLI_ASYNC as an optional bitmask flag";
        return Err(call.value_error(2, what));
    }
    let session = Link::session(link, Status::Valid)?;
    session.allow_multi_statements(false);
    if mode & ASYNC != 0 {
        return asynchronous::send(call, link, session, sql, how);
    }
    if session.query(sql).is_err() {
        return finish(call, session, false);
    }
    if session.field_count() == 0 {
        session.report_index(sql)?;
        call.returns().bool(true);
        return Ok(());
    }
    give_result(call, link, how, Some(sql))
}

/// `mysqli_real_query`.
pub(crate) fn real_query(call: &mut Call<'_>) -> Outcome {
    let link = call.receiver::<Link>(1, 1)?;
    memcache::telling_call(call, &link.state().session, |call| run_real_query(call, link))
}

fn run_real_query(call: &mut Call<'_>, link: Object<'_, Link>) -> Outcome {
    let sql = call.bytes()?;
    let session = Link::session(link, Status::Valid)?;
    session.allow_multi_statements(false);
    let sent = session.query(sql).is_ok();
    if sent && session.field_count() == 0 {
        session.report_index(sql)?;
    }
    finish(call, session, sent)
}

/// `mysqli_multi_query`.
pub(crate) fn multi_query(call: &mut Call<'_>) -> Outcome {
    let link = call.receiver::<Link>(1, 1)?;
    let sql = call.bytes()?;
    let session = Link::session(link, Status::Valid)?;
    session.allow_multi_statements(true);
    let sent = session.query(sql).is_ok();
    if !sent {
        let reported = session.error.report();
        // The statement that failed keeps the last word: its error stays the session's.
        session.keeping_failure(|session| session.allow_multi_statements(false));
        reported?;
    }
    call.returns().bool(sent);
    Ok(())
}

/// `mysqli_more_results`.
pub(crate) fn more_results(call: &mut Call<'_>) -> Outcome {
    let link = call.receiver::<Link>(0, 0)?;
    let more = Link::session(link, Status::Valid)?.more_results();
    call.returns().bool(more);
    Ok(())
}

/// `mysqli_next_result`.
pub(crate) fn next_result(call: &mut Call<'_>) -> Outcome {
    let link = call.receiver::<Link>(0, 0)?;
    let session = Link::session(link, Status::Valid)?;
    session.error.clear();
    // As in stock it is no error to ask for one too many.
    let read = session.is_result_pending() && session.next_result().is_ok();
    finish(call, session, read)
}

/// `mysqli_store_result`.
pub(crate) fn store_result(call: &mut Call<'_>) -> Outcome {
    let link = call.receiver::<Link>(0, 1)?;
    ignore_mode(call)?;
    Link::session(link, Status::Valid)?;
    give_result(call, link, STORE_RESULT, Some(EARLIER_STATEMENT))
}

/// Reads the argument that has had no meaning since PHP 8.1.
fn ignore_mode(call: &mut Call<'_>) -> Outcome {
    if call.is_read() {
        return Ok(());
    }
    call.long()?;
    if version::is_at_least(804) {
        deprecated(
            c"Passing the $mode parameter is deprecated since 8.4, as it has been ignored since 8.1",
        );
        if is_pending() {
            return Err(Thrown);
        }
    }
    Ok(())
}

/// `mysqli_use_result`.
pub(crate) fn use_result(call: &mut Call<'_>) -> Outcome {
    let link = call.receiver::<Link>(0, 0)?;
    Link::session(link, Status::Valid)?;
    give_result(call, link, USE_RESULT, Some(EARLIER_STATEMENT))
}

/// Returns the announced result as an object, or false; then reports a missing index of the statement, if that is given.
pub(super) fn give_result(
    call: &mut Call<'_>,
    link: Object<'_, Link>,
    how: i64,
    sql: Option<&[u8]>,
) -> Outcome {
    let session: &Rc<Session> = &link.state().session;
    if !result::can_open(session) {
        return finish(call, session, false);
    }
    let set = make::<ResultSet>(call.returns());
    if !result::open(set.state(), session, how == USE_RESULT) {
        call.drop_returned();
        return finish(call, session, false);
    }
    sql.map_or(Ok(()), |sql| session.report_index(sql))
}
