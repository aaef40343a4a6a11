//! Queries whose answers nobody waits for: MYSQLI_ASYNC, `mysqli_poll` and `mysqli_reap_async_query`.

use super::link::Status;
use super::link::{Link, finish};
use super::query::give_result;
use crate::session::Session;
use crate::zend::call::Call;
use crate::zend::error::{
    Outcome, throw_error, throw_plain_value_error, throw_type_error, throw_value_error, warning,
};
use crate::zend::object::Object;
use crate::zend::objects::{Element, Objects};
use crate::zend::slot::Value;
use crate::zend::string::Str;
use crate::zend::version;
use core::cell::Cell;
use std::io;
use std::time::Duration;
use vaquita_client::{Pollable, poll as poll_connections};

/// What a link has to remember of its query, and of the last poll it was part of.
#[derive(Default)]
pub(crate) struct Asynchronous {
    /// How the result is to be read: MYSQLI_STORE_RESULT or MYSQLI_USE_RESULT.
    how: Cell<i64>,
    read: Cell<Polled>,
    error: Cell<Polled>,
}

/// What a poll came to for a link.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Polled {
    /// Nothing was due from its server.
    #[default]
    Rejected,
    NotReady,
    Ready,
}

impl Polled {
    fn of(is_ready: bool) -> Polled {
        if is_ready { Polled::Ready } else { Polled::NotReady }
    }
}

/// Sends a query and returns true.
pub(super) fn send(
    call: &mut Call<'_>,
    link: Object<'_, Link>,
    session: &Session,
    sql: &[u8],
    how: i64,
) -> Outcome {
    let sent = session.send_query(sql).is_ok();
    if sent {
        link.asynchronous.how.set(how);
    }
    finish(call, session, sent)
}

/// `mysqli_reap_async_query`.
pub(crate) fn reap_async_query(call: &mut Call<'_>) -> Outcome {
    let link = call.receiver::<Link>(0, 0)?;
    let session = Link::session(link, Status::Valid)?;
    if !session.is_answer_due() {
        warning(&[b"Connection not opened, clear or has been closed"]);
        return finish(call, session, false);
    }
    if session.next_result().is_err() {
        return finish(call, session, false);
    }
    if session.field_count() == 0 {
        call.returns().bool(true);
        return Ok(());
    }
    give_result(call, link, link.asynchronous.how.get(), None)
}

type Links<'a> = Option<Objects<'a, Link>>;

/// `mysqli_poll`.
pub(crate) fn poll(call: &mut Call<'_>) -> Outcome {
    call.arity(4, 5)?;
    let read = call.optional_array_or_null()?;
    let error = call.optional_array_or_null()?;
    let rejected = call.array()?;
    let seconds = call.long()?;
    let microseconds = call.long_or(0)?;
    for (position, value) in [(4, seconds), (5, microseconds)] {
        if value < 0 {
            return Err(throw_value_error(position, c"must be greater than or equal to 0"));
        }
    }
    if read.is_none() && error.is_none() {
        if version::is_at_least(804) {
            return Err(throw_plain_value_error(c"No stream arrays were passed"));
        }
        warning(&[b"No stream arrays were passed"]);
        call.returns().bool(false);
        return Ok(());
    }
    let timeout = Duration::from_secs(seconds.unsigned_abs())
        .saturating_add(Duration::from_micros(microseconds.unsigned_abs()));
    let (read_links, error_links): (Links<'_>, Links<'_>) =
        (read.map(Objects::of), error.map(Objects::of));
    check(&read_links)?;
    check(&error_links)?;
    let count = wait(&read_links, &error_links, timeout);
    match &count {
        Ok(count) => call.returns().long(*count),
        Err(Failure::NothingToPoll { are_rejected: true }) => {
            warning(&[b"All arrays passed are clear"]);
        }
        Err(Failure::NothingToPoll { are_rejected: false }) => {
            warning(&[b"No stream arrays were passed"]);
        }
        Err(Failure::System(errno)) => warn_of_system(*errno),
    }
    if count.is_err() {
        call.returns().bool(false);
    }
    give_back(&read_links, rejected, |it| it.read.get() == Polled::Rejected);
    if let (Some(links), Some(place)) = (&read_links, read) {
        links.put_into(place, |link| link.asynchronous.read.get() == Polled::Ready);
    }
    if let (Some(links), Some(place)) = (&error_links, error) {
        links.put_into(place, |link| link.asynchronous.error.get() == Polled::Ready);
    }
    Ok(())
}

/// Puts those links that are `wanted` into another array.
fn give_back(links: &Links<'_>, place: Value<'_>, wanted: impl Fn(&Asynchronous) -> bool) {
    let nothing = Objects::<Link>::of(place);
    match links {
        Some(links) => links.put_into(place, |link| wanted(&link.asynchronous)),
        None => nothing.put_into(place, |_| false),
    }
}

/// Throws unless all elements are connected links.
fn check(links: &Links<'_>) -> Outcome {
    let Some(links) = links else { return Ok(()) };
    links.each(|number, element| match element {
        // As in stock the number is that of the element.
        Element::Other(value) => Err(throw_type_error(number, c"an instance of mysqli", value)),
        Element::Object(link) => match link.status.get() {
            Status::Closed => Err(throw_error(&[link.class_name(), b" object is already closed"])),
            Status::Valid => Ok(()),
            _ => Err(throw_error(&[link.class_name(), b" object is not fully initialized"])),
        },
    })
}

/// Why there was no poll.
enum Failure {
    NothingToPoll {
        are_rejected: bool,
    },
    /// The system's error number.
    System(i32),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::System(error.raw_os_error().unwrap_or_default())
    }
}

fn warn_of_system(errno: i32) {
    let number = Str::decimal(errno.unsigned_abs().into());
    let words: &[u8] =
        if errno == EINTR { b"Interrupted system call" } else { b"the system refuses" };
    warning(&[b"Unable to select [", number.bytes(), b"]: ", words]);
    number.release();
}

/// A signal came.
const EINTR: i32 = 4;

/// Polls, and tells each link what came of it. No Zend call is made here: what is owned meanwhile is freed.
fn wait(read: &Links<'_>, error: &Links<'_>, timeout: Duration) -> Result<i64, Failure> {
    let mut are_rejected = false;
    let mut collect =
        |links: &Links<'_>, cell: fn(&Asynchronous) -> &Cell<Polled>, rejects: bool| {
            let mut pollables: Vec<Pollable> = Vec::new();
            let mut failed: io::Result<()> = Ok(());
            let collected = links.as_ref().map_or(Ok(()), |links| {
                links.each(|_, element| {
                    if let Element::Object(link) = element {
                        let is_wanted = !rejects || link.session.is_answer_due();
                        match link.session.pollable() {
                            Ok(Some(pollable)) if is_wanted => {
                                // Until something is known it stays where it is.
                                cell(&link.asynchronous).set(Polled::Ready);
                                pollables.push(pollable);
                            }
                            Ok(_) => {
                                cell(&link.asynchronous).set(Polled::Rejected);
                                are_rejected |= rejects;
                            }
                            Err(error) => failed = Err(error),
                        }
                    }
                    Ok(())
                })
            });
            debug_assert!(collected.is_ok());
            failed.map(|()| pollables)
        };
    let read_pollables = collect(read, |it| &it.read, true)?;
    let error_pollables = collect(error, |it| &it.error, false)?;
    if read_pollables.is_empty() && error_pollables.is_empty() {
        return Err(Failure::NothingToPoll { are_rejected });
    }
    let polled = poll_connections(&read_pollables, &error_pollables, timeout)?;
    let tell = |links: &Links<'_>, cell: fn(&Asynchronous) -> &Cell<Polled>, ready: &[bool]| {
        let mut ready = ready.iter();
        let told = links.as_ref().map_or(Ok(()), |links| {
            links.each(|_, element| {
                if let Element::Object(link) = element
                    && cell(&link.asynchronous).get() != Polled::Rejected
                {
                    let is_ready = ready.next().copied().unwrap_or(false);
                    cell(&link.asynchronous).set(Polled::of(is_ready));
                }
                Ok(())
            })
        });
        debug_assert!(told.is_ok());
    };
    tell(read, |it| &it.read, &polled.read);
    tell(error, |it| &it.error, &polled.error);
    let count = polled.read.iter().chain(&polled.error).filter(|is_ready| **is_ready).count();
    Ok(i64::try_from(count).unwrap_or(i64::MAX))
}
