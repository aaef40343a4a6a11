//! `Vaquita\kv` and the class of what it returns: a connection's access by key.

use crate::mysqli::link::{Link, Status};
use crate::pdo::database::Database;
use crate::session::Session;
use crate::zend::array::Map;
use crate::zend::call::Call;
use crate::zend::error::{Outcome, Thrown, throw_error, throw_type_error};
use crate::zend::object::{Class, ClassSlot, Object, make};
use crate::zend::pdo;
use crate::zend::property::Property;
use core::cell::OnceCell;
use std::rc::Rc;
use vaquita_kv::{Access, Counts, Mode};

/// An object of class `Vaquita\Kv`.
pub(crate) struct Kv {
    /// Empty until the call that makes the object puts it in.
    session: OnceCell<Rc<Session>>,
}

static CLASS: ClassSlot = ClassSlot::new();

impl Class for Kv {
    fn new() -> Kv {
        Kv { session: OnceCell::new() }
    }

    fn class() -> &'static ClassSlot {
        &CLASS
    }

    const PROPERTIES: &'static [Property<Kv>] = &[];
}

/// The session of the connection that is the next argument.
pub(super) fn given_session<'a>(call: &mut Call<'a>) -> Outcome<&'a Rc<Session>> {
    let Some(value) = call.value() else { return Err(Thrown) };
    if let Some(link) = Object::<Link>::given(value) {
        Link::session(link, Status::Valid)?;
        return Ok(&link.state().session);
    }
    match pdo::database_of::<Database>(value) {
        Some(Some(database)) => Ok(&database.session),
        Some(None) => Err(call.value_error(0, c"must be a connection to MySQL")),
        None => Err(throw_type_error(1, c"of type mysqli|PDO", value)),
    }
}

/// `Vaquita\kv`.
pub(crate) fn kv(call: &mut Call<'_>) -> Outcome {
    call.arity(1, 1)?;
    let session = Rc::clone(given_session(call)?);
    let object = make::<Kv>(call.returns());
    let _ = object.state().session.set(session);
    Ok(())
}

/// `Vaquita\Kv::__construct`, which nobody can call.
pub(crate) fn construct(_: &mut Call<'_>) -> Outcome {
    Err(throw_error(&[b"Vaquita\\kv() makes objects of class Vaquita\\Kv"]))
}

/// The session of a method's object.
pub(super) fn session<'a>(call: &mut Call<'a>) -> Outcome<&'a Session> {
    let object = call.receiver::<Kv>(0, 0)?;
    object.state().session.get().map(|session| &**session).ok_or(Thrown)
}

/// `Vaquita\Kv::refresh`.
pub(crate) fn refresh(call: &mut Call<'_>) -> Outcome {
    session(call)?.refresh_access();
    Ok(())
}

/// `Vaquita\Kv::mapping`.
pub(crate) fn mapping(call: &mut Call<'_>) -> Outcome {
    let session = session(call)?;
    let text = session.mapping();
    call.returns().str(text);
    Ok(())
}

/// `Vaquita\Kv::statistics`.
pub(crate) fn statistics(call: &mut Call<'_>) -> Outcome {
    let session = session(call)?;
    let figures = session.look_at_access(Figures::of);
    let mut map = Map::new(call.returns(), 11);
    let Some(Figures { mode, port, counts }) = figures else {
        map.insert_named(b"mode").bytes(b"off");
        return Ok(());
    };
    map.insert_named(b"mode").bytes(mode);
    map.insert_named(b"port").bytes(port.as_bytes());
    let number = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let all: [(&[u8], u64); 7] = [
        (b"statements", counts.statements),
        (b"eligible", counts.eligible),
        (b"asked", counts.asked),
        (b"answered", counts.answered),
        (b"learnt", counts.learnt),
        (b"misses", counts.misses),
        (b"errors", counts.errors),
    ];
    for (name, count) in all {
        map.insert_named(name).long(number(count));
    }
    let mut reasons = Map::new(map.insert_named(b"reasons"), 8);
    for (reason, count) in counts.reasons() {
        reasons.insert_named(reason.name().as_bytes()).long(number(count));
    }
    Ok(())
}

/// What statistics are made of, without anything to be dropped.
struct Figures {
    mode: &'static [u8],
    port: &'static str,
    counts: Counts,
}

impl Figures {
    fn of(access: &Access) -> Figures {
        let mode: &[u8] = match access.settings().mode {
            Mode::On => b"on",
            Mode::Advise => b"advise",
        };
        Figures { mode, port: access.port_name(), counts: *access.counts() }
    }
}
