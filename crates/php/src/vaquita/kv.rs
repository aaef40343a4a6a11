//! `Vaquita\kv` and the class of what it returns: a connection's access by key, and its table if it has one (`by_key`).

use super::by_key::Shown;
use super::statistics::write_key_value;
use crate::mysqli::link::{Link, Status};
use crate::pdo::database::Database;
use crate::session::Session;
use crate::session::key_value::max_stale;
use crate::zend::array::Map;
use crate::zend::call::Call;
use crate::zend::error::{
    Outcome, Thrown, throw_element_type_error, throw_error, throw_type_error,
};
use crate::zend::guarded::Guarded;
use crate::zend::held::Held;
use crate::zend::object::{Class, ClassSlot, Object, make};
use crate::zend::pdo;
use crate::zend::property::Property;
use crate::zend::slot::Value;
use core::cell::{Cell, OnceCell};
use std::rc::Rc;
use vaquita_kv::{Access, Counts, Mode, NamedTable};

/// What a primary key is called.
const PRIMARY: &[u8] = b"PRIMARY";

/// An object of class `Vaquita\Kv`.
pub(crate) struct Kv {
    /// Empty until the call that makes the object puts it in.
    session: OnceCell<Rc<Session>>,
    /// The connection's object, which errors are reported to.
    pub(super) link: Held,
    pub(super) table: Guarded<Option<NamedTable>>,
    /// Which of the session's connections has prepared the table's statements.
    pub(super) generation: Cell<u64>,
    pub(super) shown: Shown,
}

static CLASS: ClassSlot = ClassSlot::new();

impl Class for Kv {
    fn new() -> Kv {
        Kv {
            session: OnceCell::new(),
            link: Held::nothing(),
            table: Guarded::new(None),
            generation: Cell::new(0),
            shown: Shown::new(),
        }
    }

    fn class() -> &'static ClassSlot {
        &CLASS
    }

    fn held(&self) -> [Option<&Held>; 3] {
        [Some(&self.link), None, None]
    }

    const PROPERTIES: &'static [Property<Kv>] = &[];
}

/// The session of the connection that is the next argument, and its object.
fn given_link<'a>(call: &mut Call<'a>) -> Outcome<(&'a Rc<Session>, Value<'a>)> {
    let Some(value) = call.value() else { return Err(Thrown) };
    if let Some(link) = Object::<Link>::given(value) {
        Link::session(link, Status::Valid)?;
        return Ok((&link.state().session, value));
    }
    match pdo::database_of::<Database>(value) {
        Some(Some((database, _))) => Ok((&database.session, value)),
        Some(None) => Err(call.value_error(0, c"must be a connection to MySQL")),
        None => Err(throw_type_error(1, c"of type mysqli|PDO", value)),
    }
}

/// The session of the connection that is the next argument.
pub(super) fn given_session<'a>(call: &mut Call<'a>) -> Outcome<&'a Rc<Session>> {
    given_link(call).map(|(session, _)| session)
}

impl Kv {
    pub(super) fn session(&self) -> Outcome<&Session> {
        self.session.get().map(|session| &**session).ok_or(Thrown)
    }
}

impl Drop for Kv {
    fn drop(&mut self) {
        let Some(session) = self.session.get() else { return };
        let _ = self.table.with(|table| {
            if let Some(table) = table {
                session.close_table(table, self.generation.get());
            }
        });
    }
}

/// `Vaquita\kv`.
pub(crate) fn kv(call: &mut Call<'_>) -> Outcome {
    call.arity(1, 4)?;
    let (session, value) = given_link(call)?;
    let table = call.optional_bytes()?;
    let columns = call.optional_array_or_null()?;
    let index = if call.is_read() { PRIMARY } else { call.bytes()? };
    let other = columns.and_then(|it| it.entries().find(|(_, name)| name.bytes().is_none()));
    if let Some((_, name)) = other {
        return Err(throw_element_type_error(3, c"must be an array of strings", name));
    }
    let object = make::<Kv>(call.returns());
    let kv = object.state();
    let _ = kv.session.set(Rc::clone(session));
    kv.link.hold_nulls(1);
    kv.link.put(0, value);
    let Some(name) = table else { return Ok(()) };
    let max_stale = max_stale();
    let is_table = kv.table.with(|table| {
        let columns = columns.map(|it| it.entries().filter_map(|(_, name)| name.bytes()));
        *table = NamedTable::new(name, columns, index, max_stale);
        table.is_some()
    });
    if is_table.unwrap_or(false) {
        return Ok(());
    }
    call.drop_returned();
    Err(call.value_error(
        1,
        c"must be the name of a table, or of a database and a table: t, d.t, `d`.`t`",
    ))
}

/// `Vaquita\Kv::__construct`, which nobody can call.
pub(crate) fn construct(_: &mut Call<'_>) -> Outcome {
    Err(throw_error(&[b"Vaquita\\kv() makes objects of class Vaquita\\Kv"]))
}

/// The session of a method's object.
pub(super) fn session<'a>(call: &mut Call<'a>) -> Outcome<&'a Session> {
    call.receiver::<Kv>(0, 0)?.state().session()
}

/// `Vaquita\Kv::refresh`.
pub(crate) fn refresh(call: &mut Call<'_>) -> Outcome {
    let kv = call.receiver::<Kv>(0, 0)?.state();
    kv.session()?.refresh_access();
    let _ = kv.table.with(|table| table.as_mut().map(NamedTable::refresh));
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
    write_key_value(&mut map, &counts);
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
