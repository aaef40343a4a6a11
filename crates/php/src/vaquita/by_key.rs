//! The methods of `Vaquita\Kv` that find and write rows of its table by their keys.
//!
//! What a script gives is borrowed until the driver has answered, and no user code runs meanwhile; what was found belongs to the object while PHP's
//! arrays are made of it.

use super::kv::Kv;
use crate::convert::{Format, Layout, Shape};
use crate::mysqli::link::{Link, Status};
use crate::pdo::database::Database;
use crate::session::Session;
use crate::session::failure::Failed;
use crate::session::key_value::ByKey;
use crate::statistics;
use crate::zend::array::Map;
use crate::zend::call::Call;
use crate::zend::error::{
    Outcome, Thrown, throw_element_type_error, throw_error, throw_type_error,
};
use crate::zend::guarded::Guarded;
use crate::zend::held::Scalar;
use crate::zend::memory::is_memory_exhausted;
use crate::zend::object::Object;
use crate::zend::pdo::{self, Handle};
use crate::zend::slot::{Kind, Slot, Value};
use crate::zend::string::Str;
use vaquita_client::{Columns, Data, Parameter};
use vaquita_kv::{Does, Found, KeyValue, KeyedTable, TableError, Written};

/// How many kinds of results are remembered: that of one key, that of many, that of a port.
const MOST_LAYOUTS: usize = 4;

/// What was found, and how rows of such columns become arrays.
pub(super) struct Shown {
    found: Guarded<Option<Found>>,
    layouts: Guarded<Vec<(Columns, Layout)>>,
}

impl Shown {
    pub(super) const fn new() -> Shown {
        Shown { found: Guarded::new(None), layouts: Guarded::new(Vec::new()) }
    }

    /// Looks at what was found as long as it is written. Zend calls that allocate are welcome inside, user code is not.
    fn with(&self, found: Found, write: impl FnOnce(&Rows<'_>)) {
        let _ = self.layouts.with(|layouts| {
            for result in found.results() {
                let columns = result.columns();
                if layouts.iter().any(|(known, _)| known.is_same(columns)) {
                    continue;
                }
                if layouts.len() == MOST_LAYOUTS {
                    tell(&layouts.remove(0).1);
                }
                let shown = columns.get(..found.values()).unwrap_or_default();
                layouts.push((columns.clone(), Layout::new(shown, Format::Binary, true)));
            }
        });
        let _ = self.found.with(|kept| *kept = Some(found));
        let _ = self.found.peek(|found| {
            let Some(found) = found else { return };
            let _ = self.layouts.peek(|layouts| write(&Rows { found, layouts }));
        });
        let _ = self.found.with(|kept| *kept = None);
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        let _ = self.layouts.with(|layouts| layouts.iter().for_each(|(_, layout)| tell(layout)));
    }
}

/// Counts what was read.
fn tell(layout: &Layout) {
    if statistics::is_collecting() {
        statistics::with_ended(|ended| layout.tell(|key, number| ended.add(key, number)));
    }
}

/// Rows that were found, by the places of their keys.
struct Rows<'a> {
    found: &'a Found,
    layouts: &'a [(Columns, Layout)],
}

impl Rows<'_> {
    fn has(&self, key: usize) -> bool {
        self.found.row(key).is_some()
    }

    /// Writes a key's row as an array; nothing if there is none.
    fn write(&self, key: usize, slot: Slot<'_>) {
        let (Some(row), Some(columns)) = (self.found.row(key), self.found.columns(key)) else {
            return;
        };
        let is_it = |known: &&(Columns, Layout)| known.0.as_ptr() == columns.as_ptr();
        if let Some((_, layout)) = self.layouts.iter().find(is_it) {
            layout.write(row, columns, Shape::Map, slot, None);
        }
    }
}

/// Whose errors they are, and how they are reported.
enum Reporter<'a> {
    Mysqli,
    Pdo(&'a Database, Handle<'a>),
}

/// A method's object, whose connection can be asked.
struct Receiver<'a> {
    kv: &'a Kv,
    session: &'a Session,
    reporter: Reporter<'a>,
}

impl<'a> Receiver<'a> {
    fn of(call: &mut Call<'a>, arguments: u32) -> Outcome<Receiver<'a>> {
        let kv = call.receiver::<Kv>(arguments, arguments)?.state();
        let session = kv.session()?;
        let Some(link) = kv.link.value(0) else { return Err(Thrown) };
        let reporter = if let Some(link) = Object::<Link>::given(link) {
            Link::session(link, Status::Valid)?;
            Reporter::Mysqli
        } else {
            match pdo::database_of::<Database>(link) {
                Some(Some((database, handle))) => Reporter::Pdo(database, handle),
                _ => return Err(Thrown),
            }
        };
        if !kv.table.peek(Option::is_some).unwrap_or(false) {
            return Err(throw_error(&[b"Vaquita\\kv() was given no table"]));
        }
        Ok(Receiver { kv, session, reporter })
    }

    /// Lets the driver work on the table. `None`: it failed, which was reported, but not thrown.
    fn run<R>(
        &self,
        call: &Call<'_>,
        does: Does,
        work: impl FnMut(ByKey<'_>) -> Result<R, TableError>,
    ) -> Outcome<Option<R>> {
        if let Reporter::Pdo(database, handle) = self.reporter {
            database.begin_call(handle);
        }
        self.kv.generation.set(self.session.generation());
        let run = |table: &mut Option<_>| Some(self.session.by_key(table.as_mut()?, does, work));
        match self.kv.table.with(run) {
            Ok(Some(Ok(Ok(done)))) => Ok(Some(done)),
            Ok(Some(Ok(Err(error)))) => Err(self.throw(call, error)),
            Ok(Some(Err(Failed))) => match self.reporter {
                Reporter::Mysqli => self.session.error.report(),
                Reporter::Pdo(database, handle) => database.report(handle),
            }
            .map(|()| None),
            _ => Err(throw_error(&[b"Vaquita\\Kv is in use"])),
        }
    }

    /// Throws what is wrong with what the script gave.
    fn throw(&self, call: &Call<'_>, error: TableError) -> Thrown {
        let begin: &[u8] = match &error {
            TableError::KeyLength { .. } | TableError::KeyName(_) | TableError::KeyValue(_) => {
                b"must be a key of the table: "
            }
            TableError::Column(_) => b"must have columns of the table: ",
            _ => b"Vaquita\\kv(): ",
        };
        let argument = match &error {
            TableError::Column(_) => Some(2),
            TableError::KeyLength { .. } | TableError::KeyName(_) | TableError::KeyValue(_) => {
                Some(1)
            }
            _ => None,
        };
        let why = self.session.text_of(error);
        let Some(argument) = argument else {
            let thrown = throw_error(&[begin, why.bytes()]);
            why.release();
            return thrown;
        };
        let what = Str::concat(&[begin, why.bytes()]);
        why.release();
        let thrown = call.value_error(argument, what.as_c_str());
        what.release();
        thrown
    }
}

/// The next argument, a key: an integer, a string, or an array of those.
fn key<'a>(call: &mut Call<'a>) -> Outcome<Value<'a>> {
    let Some(value) = call.value() else { return Err(Thrown) };
    if !is_key(value) {
        return Err(match other_part(value) {
            Some(other) => {
                throw_element_type_error(1, c"must be an array of int and string", other)
            }
            None => throw_type_error(1, c"of type array|string|int", value),
        });
    }
    Ok(value)
}

fn is_key(value: Value<'_>) -> bool {
    match value.kind() {
        Kind::Long | Kind::String => true,
        Kind::Array => other_part(value).is_none(),
        Kind::Other => false,
    }
}

/// What of a key of several values is none.
fn other_part(value: Value<'_>) -> Option<Value<'_>> {
    let mut parts = value.entries().map(|(_, part)| part);
    parts.find(|part| !matches!(part.kind(), Kind::Long | Kind::String))
}

/// The next argument, an array of values by the names of their columns.
fn values<'a>(call: &mut Call<'a>) -> Outcome<Value<'a>> {
    let values = call.array()?;
    if values.entries().any(|(name, _)| name.is_none()) {
        return Err(call.value_error(2, c"must have the names of columns as its keys"));
    }
    match values.entries().find(|(_, value)| !value.is_plain()) {
        Some((_, other)) => {
            Err(throw_element_type_error(2, c"must be an array of scalars and null", other))
        }
        None => Ok(values),
    }
}

/// Appends the values of a key.
fn put_key<'a>(
    table: &KeyedTable,
    key: Value<'a>,
    parts: &mut Vec<KeyValue<'a>>,
) -> Result<(), TableError> {
    let mut put = |value: Value<'a>| {
        parts.push(match value.bytes() {
            Some(bytes) => KeyValue::Bytes(bytes),
            None => KeyValue::Integer(value.to_long()),
        });
    };
    let (expected, given) = (table.key_length(), if key.is_array() { key.count() } else { 1 });
    if expected != given {
        return Err(TableError::KeyLength { expected, given });
    }
    if !key.is_array() {
        put(key);
    } else if key.is_list() {
        key.entries().for_each(|(_, part)| put(part));
    } else {
        for name in table.key_columns() {
            put(key.named(name).ok_or_else(|| TableError::KeyName(name.into()))?);
        }
    }
    Ok(())
}

fn parts<'a>(table: &KeyedTable, key: Value<'a>) -> Result<Vec<KeyValue<'a>>, TableError> {
    let mut parts = Vec::with_capacity(table.key_length());
    put_key(table, key, &mut parts)?;
    Ok(parts)
}

fn written<'a>(values: Value<'a>) -> Vec<Written<'a>> {
    let parameter = |value: Value<'a>| match value.scalar() {
        Scalar::Long(number) => Parameter::Integer(Some(number)),
        Scalar::Double(number) => Parameter::Double(Some(number)),
        Scalar::Bool(is_true) => Parameter::Tiny(is_true.into()),
        Scalar::Bytes(bytes) => Parameter::Text(Data::Bytes(bytes)),
        Scalar::Null | Scalar::Other => Parameter::Null,
    };
    values.entries().map(|(name, value)| (name.unwrap_or_default(), parameter(value))).collect()
}

/// `Vaquita\Kv::get`.
pub(crate) fn get(call: &mut Call<'_>) -> Outcome {
    let receiver = Receiver::of(call, 1)?;
    let key = key(call)?;
    let found = receiver.run(call, Does::Read, |by| {
        let parts = parts(by.table, key)?;
        by.table.get_by(by.connection, by.access, &parts)
    })?;
    if let Some(found) = found {
        receiver.kv.shown.with(found, |rows| rows.write(0, call.returns()));
    }
    Ok(())
}

/// `Vaquita\Kv::getMulti`.
pub(crate) fn get_multi(call: &mut Call<'_>) -> Outcome {
    let receiver = Receiver::of(call, 1)?;
    let keys = call.array()?;
    if let Some((_, other)) = keys.entries().find(|(_, key)| !is_key(*key)) {
        let what = c"must be an array of keys: int, string, or an array of those";
        return Err(throw_element_type_error(1, what, other));
    }
    let mut is_of_one = true;
    let found = receiver.run(call, Does::Read, |by| {
        is_of_one = by.table.key_length() == 1;
        let mut all = Vec::with_capacity(keys.count() * by.table.key_length());
        keys.entries().try_for_each(|(_, key)| put_key(by.table, key, &mut all))?;
        by.table.get_many_by(by.connection, by.access, &all)
    })?;
    let Some(found) = found else {
        Map::new(call.returns(), 0);
        return Ok(());
    };
    receiver.kv.shown.with(found, |rows| {
        let mut all = Map::new(call.returns(), u32::try_from(keys.count()).unwrap_or(0));
        let mut elements = keys.entries();
        for place in 0.. {
            let Some((index, key)) = elements.next_keyed() else { return };
            if !rows.has(place) {
                continue;
            }
            let only = key.entries().next().map_or(key, |(_, only)| only);
            let its = Some(only).filter(|_| is_of_one).and_then(Value::as_key).unwrap_or(index);
            rows.write(place, all.insert_at(its));
            if is_memory_exhausted() {
                return;
            }
        }
    });
    Ok(())
}

/// `Vaquita\Kv::set`.
pub(crate) fn set(call: &mut Call<'_>) -> Outcome {
    let receiver = Receiver::of(call, 2)?;
    let (key, values) = (key(call)?, values(call)?);
    let set = receiver.run(call, Does::Write, |by| {
        by.table.set(by.connection, &parts(by.table, key)?, &written(values))
    });
    set.map(|_| ())
}

/// `Vaquita\Kv::add`.
pub(crate) fn add(call: &mut Call<'_>) -> Outcome {
    let receiver = Receiver::of(call, 2)?;
    let (key, values) = (key(call)?, values(call)?);
    let added = receiver.run(call, Does::Write, |by| {
        by.table.add(by.connection, &parts(by.table, key)?, &written(values))
    })?;
    call.returns().bool(added == Some(true));
    Ok(())
}

/// `Vaquita\Kv::replace`.
pub(crate) fn replace(call: &mut Call<'_>) -> Outcome {
    let receiver = Receiver::of(call, 2)?;
    let (key, values) = (key(call)?, values(call)?);
    let replaced = receiver.run(call, Does::Write, |by| {
        by.table.replace(by.connection, &parts(by.table, key)?, &written(values))
    })?;
    call.returns().bool(replaced == Some(true));
    Ok(())
}

/// `Vaquita\Kv::delete`.
pub(crate) fn delete(call: &mut Call<'_>) -> Outcome {
    let receiver = Receiver::of(call, 1)?;
    let key = key(call)?;
    let deleted = receiver
        .run(call, Does::Write, |by| by.table.delete(by.connection, &parts(by.table, key)?))?;
    call.returns().bool(deleted == Some(true));
    Ok(())
}
