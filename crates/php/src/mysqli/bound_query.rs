//! `Vaquita\query`: a statement and its values, which never stand in its text.

use super::execute::{once, run_at_once};
use super::link::{Link, Status};
use super::statement::Statement;
use crate::zend::call::Call;
use crate::zend::entries::Entries;
use crate::zend::error::{Outcome, Thrown, throw_type_error};
use crate::zend::slot::{Kind, Value};
use crate::zend::string::Str;
use vaquita_client::{Dialect, Placeholders, Shape, expand, unknown_name};

/// The most placeholders that a statement can have: servers count them with 16 bits.
const MAX_VALUES: usize = u16::MAX as usize;

/// A statement whose arrays have become placeholders.
#[derive(Default)]
pub(super) struct Expansion {
    /// How many values each of the script's placeholders has.
    shapes: Vec<Shape>,
    text: Vec<u8>,
}

/// What a script has written, and what it gives.
#[derive(Clone, Copy)]
struct Given<'a> {
    sql: &'a [u8],
    dialect: Dialect,
    /// `None`: an empty array.
    params: Option<Value<'a>>,
}

/// A placeholder, for messages.
#[derive(Clone, Copy)]
struct Label<'a> {
    name: Option<&'a [u8]>,
    number: usize,
}

impl Label<'_> {
    fn text(self) -> Str {
        if let Some(name) = self.name {
            return Str::concat(&[b":", name]);
        }
        let number = Str::decimal(self.number as u64);
        let text = Str::concat(&[b"? number ", number.bytes()]);
        number.release();
        text
    }
}

/// `Vaquita\query`.
pub(crate) fn query(call: &mut Call<'_>) -> Outcome {
    let link = call.receiver::<Link>(1, 2)?;
    let sql = call.bytes()?;
    let params = call.optional_array()?;
    if sql.is_empty() {
        return Err(call.empty_error(1));
    }
    let session = Link::session(link, Status::Valid)?;
    let Some(dialect) = session.dialect() else {
        session.error.set_absence();
        call.returns().bool(false);
        return session.error.report();
    };
    let given = Given { sql, dialect, params };
    once(call, link, |call, statement| {
        bind(call, statement, given)?;
        let text = statement.expansion.peek(|expansion| Str::new(&expansion.text));
        let text = text.unwrap_or_else(|_| Str::new(b""));
        let outcome = run_at_once(call, statement, text.bytes(), |call| {
            let what =
                c"must not have placeholders that only some servers see, in executable comments";
            Err(call.value_error(1, what))
        });
        text.release();
        outcome
    })
}

/// Holds the values in the order of their placeholders, and notes the text that has one for each.
fn bind(call: &Call<'_>, statement: &Statement, given: Given<'_>) -> Outcome {
    check_keys(call, given)?;
    let mut values = 0;
    for (label, value) in pairs(given) {
        let shape = shape(call, label, value)?;
        values += shape.values();
        let _ = statement.expansion.with(|it| it.shapes.push(shape));
    }
    if values > MAX_VALUES {
        return Err(call.value_error(2, c"must not have more than 65535 values in all"));
    }
    statement.parameters.hold_nulls(values);
    let mut number = 0;
    for (_, value) in pairs(given) {
        each_value(value, &mut |value| {
            statement.parameters.put(number, value);
            number += 1;
        });
    }
    statement.set_types(core::iter::repeat_n(super::parameters::AS_IT_IS, values));
    let _ = statement.expansion.with(|it| {
        it.text = expand(given.sql, given.dialect, &it.shapes);
    });
    Ok(())
}

/// The placeholders with their values. That each has one was checked.
fn pairs<'a>(given: Given<'a>) -> impl Iterator<Item = (Label<'a>, Value<'a>)> {
    let mut elements = given.params.map(Value::entries);
    Placeholders::new(given.sql, given.dialect).zip(1..).filter_map(move |(placeholder, number)| {
        let value = match placeholder.name {
            Some(name) => given.params.and_then(|params| params.named(name)),
            None => elements.as_mut().and_then(Iterator::next).map(|(_, value)| value),
        };
        value.map(|value| (Label { name: placeholder.name, number }, value))
    })
}

/// Calls with each scalar of a value, of a list, or of a list of lists.
fn each_value<'a>(value: Value<'a>, with: &mut impl FnMut(Value<'a>)) {
    if value.kind() != Kind::Array {
        return with(value);
    }
    for (_, element) in value.entries() {
        if element.kind() != Kind::Array {
            with(element);
        } else {
            element.entries().for_each(|(_, it)| with(it));
        }
    }
}

/// Checks that each placeholder has a value, and each value a placeholder.
fn check_keys(call: &Call<'_>, given: Given<'_>) -> Outcome {
    let placeholders = || Placeholders::new(given.sql, given.dialect);
    let elements = || given.params.map(Value::entries).into_iter().flatten();
    let marks = placeholders().filter(|it| it.name.is_none()).count();
    let has_names = placeholders().any(|it| it.name.is_some());
    if marks > 0 && has_names {
        return Err(call.value_error(1, c"must not have both ? and :name placeholders"));
    }
    if !has_names {
        let count = elements().count();
        if let Some(name) = elements().find_map(|(name, _)| name).filter(|_| marks > 0) {
            let what =
                b"must be a list, for the statement has ? placeholders, but it has the key \"";
            return Err(wrong(call, &[what, name, b"\""]));
        }
        if count != marks {
            let (marks, count) = (Str::decimal(marks as u64), Str::decimal(count as u64));
            let thrown = wrong(
                call,
                &[
                    b"must have as many values as the statement has placeholders, ",
                    marks.bytes(),
                    b", but has ",
                    count.bytes(),
                ],
            );
            marks.release();
            count.release();
            return Err(thrown);
        }
        return Ok(());
    }
    for name in placeholders().filter_map(|it| it.name) {
        if given.params.and_then(|params| params.named(name)).is_none() {
            let what: [&[u8]; 5] =
                [b"must have a value for :", name, b", with the key \"", name, b"\""];
            return Err(wrong(call, &what));
        }
    }
    if elements().any(|(key, _)| key.is_none()) {
        let what = b"must have the names of the placeholders as its keys, without their colons";
        return Err(wrong(call, &[what]));
    }
    let names = elements().filter_map(|(name, _)| name);
    if let Some(name) = unknown_name(given.sql, given.dialect, names) {
        let what: [&[u8]; 3] =
            [b"must not have a value for \"", name, b"\", which no placeholder is called"];
        return Err(wrong(call, &what));
    }
    Ok(())
}

/// What becomes of a placeholder with this value.
fn shape(call: &Call<'_>, label: Label<'_>, value: Value<'_>) -> Outcome<Shape> {
    if value.kind() != Kind::Array {
        check_scalar(call, label, value)?;
        return Ok(Shape::Value);
    }
    let count = value.count();
    if count == 0 {
        let why =
            b": it stands for no value, which SQL has no word for; run another statement, or none";
        return Err(about(call, b"must not have an empty array for ", label, &[why]));
    }
    let rows = value.entries().filter(|(_, it)| it.kind() == Kind::Array).count();
    if rows == 0 {
        check_scalars(call, label, value.entries())?;
        return Ok(Shape::List(count));
    }
    if rows < count {
        return Err(about(call, b"must have either values or rows for ", label, &[b", not both"]));
    }
    let mut columns = None;
    for ((_, row), number) in value.entries().zip(1..) {
        let values = row.count();
        if values == 0 {
            return Err(about(call, b"must not have an empty row for ", label, &[]));
        }
        if !row.is_list() {
            let why = b": nobody knows the columns that its keys mean";
            return Err(about(call, b"must have a list as each row for ", label, &[why]));
        }
        let first = *columns.get_or_insert(values);
        if values != first {
            let numbers = [number, values as u64, first as u64].map(Str::decimal);
            let [number, values, first] = numbers.map(Str::bytes);
            let why: [&[u8]; 6] =
                [b": number ", number, b" has ", values, b" values, the first ", first];
            let thrown = about(call, b"must have rows of the same length for ", label, &why);
            numbers.into_iter().for_each(Str::release);
            return Err(thrown);
        }
        check_scalars(call, label, row.entries())?;
    }
    Ok(Shape::Rows(count, columns.unwrap_or_default()))
}

fn check_scalars(call: &Call<'_>, label: Label<'_>, mut values: Entries<'_>) -> Outcome {
    values.try_for_each(|(_, value)| check_scalar(call, label, value))
}

fn check_scalar(call: &Call<'_>, label: Label<'_>, value: Value<'_>) -> Outcome {
    if value.is_plain() || value.is_stringable() {
        return Ok(());
    }
    let name = label.text();
    let what = Str::concat(&[
        b"an array with int, float, bool, string, null or Stringable, or arrays of those, for ",
        name.bytes(),
    ]);
    let thrown = throw_type_error(call.position(2), what.as_c_str(), value);
    name.release();
    what.release();
    Err(thrown)
}

/// Throws what is wrong with the values of a placeholder.
#[cold]
fn about(call: &Call<'_>, what: &[u8], label: Label<'_>, why: &[&[u8]]) -> Thrown {
    let name = label.text();
    let why = Str::concat(why);
    let thrown = wrong(call, &[what, name.bytes(), why.bytes()]);
    name.release();
    why.release();
    thrown
}

/// Throws what is wrong with the values.
#[cold]
fn wrong(call: &Call<'_>, parts: &[&[u8]]) -> Thrown {
    let message = Str::concat(parts);
    let thrown = call.value_error(2, message.as_c_str());
    message.release();
    thrown
}
