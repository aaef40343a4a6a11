//! The class `mysqli`: its state, its properties, and the functions that only look at it.

use super::asynchronous::Asynchronous;
use super::report;
use crate::session::Session;
use crate::zend::array::Plain;
use crate::zend::call::Call;
use crate::zend::error::{Outcome, Thrown, deprecated_call, throw_error, warning};
use crate::zend::held::Held;
use crate::zend::object::{Class, ClassSlot, Object};
use crate::zend::property::{Property, Reading};
use crate::zend::slot::Slot;
use crate::zend::string::Str;
use core::cell::Cell;
use std::rc::Rc;
use vaquita_client::panic_point;
use vaquita_client::{UNKNOWN_ROWS, collation_name};

/// How far a link has come.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Status {
    /// No constructor ran, or it was closed.
    Closed,
    /// An attempt to connect failed and left nothing.
    Emptied,
    /// `mysqli_init` ran; options may be set.
    Initialised,
    /// It was connected.
    Valid,
}

/// An object of class `mysqli`.
pub(crate) struct Link {
    /// Shared with the unbuffered results that read from it.
    pub(crate) session: Rc<Session>,
    pub(super) asynchronous: Asynchronous,
    pub(super) status: Cell<Status>,
    /// Whether it is among the thread's open links.
    pub(super) is_counted: Cell<bool>,
}

static CLASS: ClassSlot = ClassSlot::new();

impl Class for Link {
    fn new() -> Link {
        Link {
            session: Session::new(),
            asynchronous: Asynchronous::default(),
            status: Cell::new(Status::Closed),
            is_counted: Cell::new(false),
        }
    }

    fn class() -> &'static ClassSlot {
        &CLASS
    }

    fn held(&self) -> [Option<&Held>; 3] {
        [Some(&self.session.memcache), None, None]
    }

    const PROPERTIES: &'static [Property<Link>] = &[
        property("affected_rows", |link, reading| {
            allowed(link, &reading, Status::Valid)?;
            write_affected_rows(&link.session, reading.slot);
            Ok(())
        }),
        property("client_info", |_, reading| {
            super::write_client_info(reading.slot);
            Ok(())
        }),
        property("client_version", |_, reading| {
            reading.slot.long(super::client_version());
            Ok(())
        }),
        property("connect_errno", |_, reading| {
            reading.slot.long(report::connect_errno());
            Ok(())
        }),
        property("connect_error", |_, reading| {
            report::write_connect_error(reading.slot);
            Ok(())
        }),
        property("errno", |link, reading| {
            open(link, &reading, Status::Initialised)?;
            reading.slot.long(link.session.error.errno().into());
            Ok(())
        }),
        property("error", |link, reading| {
            open(link, &reading, Status::Initialised)?;
            link.session.error.write_text(reading.slot);
            Ok(())
        }),
        property("error_list", |link, reading| {
            allowed(link, &reading, Status::Valid)?;
            link.session.error.write_list(reading.slot);
            Ok(())
        }),
        property("field_count", |link, reading| {
            open(link, &reading, Status::Valid)?;
            reading.slot.long(field_count_of(&link.session));
            Ok(())
        }),
        property("host_info", |link, reading| {
            open(link, &reading, Status::Valid)?;
            link.session.write_host_info(reading.slot);
            Ok(())
        }),
        property("info", |link, reading| {
            open(link, &reading, Status::Valid)?;
            write_info(&link.session, reading.slot);
            Ok(())
        }),
        property("insert_id", |link, reading| {
            open(link, &reading, Status::Valid)?;
            reading.slot.unsigned(link.session.last(0, |said| said.last_insert_id));
            Ok(())
        }),
        property("server_info", |link, reading| {
            open(link, &reading, Status::Valid)?;
            link.session.write_server_info(reading.slot);
            Ok(())
        }),
        property("server_version", |link, reading| {
            open(link, &reading, Status::Valid)?;
            reading.slot.long(server_version(&link.session));
            Ok(())
        }),
        property("sqlstate", |link, reading| {
            open(link, &reading, Status::Valid)?;
            reading.slot.bytes(&link.session.error.sqlstate());
            Ok(())
        }),
        property("protocol_version", |link, reading| {
            open(link, &reading, Status::Valid)?;
            reading.slot.long(protocol_version(&link.session));
            Ok(())
        }),
        property("thread_id", |link, reading| {
            open(link, &reading, Status::Valid)?;
            reading.slot.long(thread_id_of(&link.session));
            Ok(())
        }),
        property("warning_count", |link, reading| {
            open(link, &reading, Status::Valid)?;
            reading.slot.long(link.session.last(0, |said| said.warnings).into());
            Ok(())
        }),
    ];
}

type Read = fn(Object<'_, Link>, Reading<'_>) -> Outcome;

const fn property(name: &'static str, read: Read) -> Property<Link> {
    Property { name, read, write: None }
}

/// Lets a property be read from `least` on; a closed link has another message.
fn open(link: Object<'_, Link>, reading: &Reading<'_>, least: Status) -> Outcome {
    match link.status.get() {
        Status::Closed if reading.quiet => Err(Thrown),
        Status::Closed => Err(throw_error(&[link.class_name(), b" object is already closed"])),
        _ => allowed(link, reading, least),
    }
}

/// Lets a property be read from `least` on.
fn allowed(link: Object<'_, Link>, reading: &Reading<'_>, least: Status) -> Outcome {
    panic_point("php/mysqli/link");
    match link.status.get() >= least {
        true => Ok(()),
        false if reading.quiet => Err(Thrown),
        false => Err(throw_error(&[b"Property access is not allowed yet"])),
    }
}

impl Link {
    /// The session of a link that has come as far as `least`; else throws what is wrong.
    pub(crate) fn session(link: Object<'_, Link>, least: Status) -> Outcome<&Session> {
        match link.status.get() {
            Status::Closed => Err(throw_error(&[link.class_name(), b" object is already closed"])),
            status if status < least => {
                Err(throw_error(&[link.class_name(), b" object is not fully initialized"]))
            }
            _ => Ok(&link.state().session),
        }
    }
}

/// The session of a connected link that a call without further arguments is about.
pub(super) fn only_argument<'a>(call: &mut Call<'a>) -> Outcome<&'a Session> {
    let link = call.receiver::<Link>(0, 0)?;
    Link::session(link, Status::Valid)
}

fn write_affected_rows(session: &Session, slot: Slot<'_>) {
    match session.last(UNKNOWN_ROWS, |said| said.affected_rows) {
        UNKNOWN_ROWS => slot.long(-1),
        rows => slot.unsigned(rows),
    }
}

fn field_count_of(session: &Session) -> i64 {
    i64::try_from(session.field_count()).unwrap_or(i64::MAX)
}

fn write_info(session: &Session, slot: Slot<'_>) {
    match session.look(|connection| Str::new(&connection.session().info)) {
        Some(info) if !info.bytes().is_empty() => slot.str(info),
        _ => slot.null(),
    }
}

fn server_version(session: &Session) -> i64 {
    let number = session.look(|connection| connection.server_version_number());
    number.map_or(0, |number| i64::try_from(number).unwrap_or(i64::MAX))
}

fn protocol_version(session: &Session) -> i64 {
    session.look(|connection| connection.protocol_version().into()).unwrap_or(0)
}

fn thread_id_of(session: &Session) -> i64 {
    session.look(|connection| connection.thread_id().into()).unwrap_or(0)
}

pub(crate) fn affected_rows(call: &mut Call<'_>) -> Outcome {
    let session = only_argument(call)?;
    write_affected_rows(session, call.returns());
    Ok(())
}

pub(crate) fn insert_id(call: &mut Call<'_>) -> Outcome {
    let session = only_argument(call)?;
    call.returns().unsigned(session.last(0, |said| said.last_insert_id));
    Ok(())
}

pub(crate) fn errno(call: &mut Call<'_>) -> Outcome {
    let session = only_argument(call)?;
    call.returns().long(session.error.errno().into());
    Ok(())
}

pub(crate) fn error(call: &mut Call<'_>) -> Outcome {
    let session = only_argument(call)?;
    session.error.write_text(call.returns());
    Ok(())
}

pub(crate) fn error_list(call: &mut Call<'_>) -> Outcome {
    let session = only_argument(call)?;
    session.error.write_list(call.returns());
    Ok(())
}

pub(crate) fn sqlstate(call: &mut Call<'_>) -> Outcome {
    let session = only_argument(call)?;
    call.returns().bytes(&session.error.sqlstate());
    Ok(())
}

pub(crate) fn info(call: &mut Call<'_>) -> Outcome {
    let session = only_argument(call)?;
    write_info(session, call.returns());
    Ok(())
}

pub(crate) fn warning_count(call: &mut Call<'_>) -> Outcome {
    let session = only_argument(call)?;
    call.returns().long(session.last(0, |said| said.warnings).into());
    Ok(())
}

pub(crate) fn field_count(call: &mut Call<'_>) -> Outcome {
    let session = only_argument(call)?;
    call.returns().long(field_count_of(session));
    Ok(())
}

pub(crate) fn thread_id(call: &mut Call<'_>) -> Outcome {
    let session = only_argument(call)?;
    call.returns().long(thread_id_of(session));
    Ok(())
}

pub(crate) fn thread_safe(call: &mut Call<'_>) -> Outcome {
    call.arity(0, 0)?;
    // Stock's driver is, whatever the PHP around it.
    call.returns().bool(true);
    Ok(())
}

pub(crate) fn get_client_info(call: &mut Call<'_>) -> Outcome {
    if call.is_method() {
        call.receiver::<Link>(0, 0)?;
    } else {
        // The function takes a link and has no use for it.
        call.arity(0, 1)?;
        if call.optional_object::<Link>()? {
            deprecated_call(c"Passing connection object as an argument is deprecated");
        }
    }
    super::write_client_info(call.returns());
    Ok(())
}

pub(crate) fn get_client_version(call: &mut Call<'_>) -> Outcome {
    call.arity(0, 0)?;
    call.returns().long(super::client_version());
    Ok(())
}

pub(crate) fn get_host_info(call: &mut Call<'_>) -> Outcome {
    let session = only_argument(call)?;
    session.write_host_info(call.returns());
    Ok(())
}

pub(crate) fn get_proto_info(call: &mut Call<'_>) -> Outcome {
    let session = only_argument(call)?;
    call.returns().long(protocol_version(session));
    Ok(())
}

pub(crate) fn get_server_info(call: &mut Call<'_>) -> Outcome {
    let session = only_argument(call)?;
    session.write_server_info(call.returns());
    Ok(())
}

pub(crate) fn get_server_version(call: &mut Call<'_>) -> Outcome {
    let session = only_argument(call)?;
    call.returns().long(server_version(session));
    Ok(())
}

pub(crate) fn character_set_name(call: &mut Call<'_>) -> Outcome {
    let session = only_argument(call)?;
    let name = session.look(|connection| connection.charset().name);
    call.returns().bytes(name.unwrap_or_default().as_bytes());
    Ok(())
}

/// `mysqli_get_charset`.
pub(crate) fn get_charset(call: &mut Call<'_>) -> Outcome {
    let session = only_argument(call)?;
    let known = session.look(|connection| (connection.charset(), connection.collation_id()));
    let Some((charset, number)) = known else {
        warning(&[b"The connection has no charset associated"]);
        return Ok(());
    };
    let collation = collation_name(number).unwrap_or(charset.default_collation);
    // Stock describes these and no others.
    let comment: &[u8] = if matches!(number, 33 | 45 | 46 | 83) { b"UTF-8 Unicode" } else { b"" };
    let mut object = Plain::new(call.returns());
    object.bytes("charset", charset.name.as_bytes());
    object.bytes("collation", collation.as_bytes());
    object.bytes("dir", b"");
    object.long("min_length", charset.min_bytes.into());
    object.long("max_length", charset.max_bytes.into());
    object.long("number", number.into());
    object.long("state", 1);
    object.bytes("comment", comment);
    Ok(())
}

/// Ends a call that returns whether something was done: on failure the session's error is reported.
pub(crate) fn finish(call: &mut Call<'_>, session: &Session, done: bool) -> Outcome {
    if !done {
        session.error.report()?;
    }
    call.returns().bool(done);
    Ok(())
}
