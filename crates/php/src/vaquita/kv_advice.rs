//! `Vaquita\Kv::advice`: what a key-value port would be good for.

use super::kv::session;
use crate::zend::array::{List, Map};
use crate::zend::call::Call;
use crate::zend::error::Outcome;
use crate::zend::slot::Slot;
use crate::zend::string::Str;
use vaquita_kv::{AdviceLine, Wanted};

/// `Vaquita\Kv::advice`.
pub(crate) fn advice(call: &mut Call<'_>) -> Outcome {
    let session = session(call)?;
    session.sort_advice();
    let mut lines = List::new(call.returns(), 8);
    // What the access owns stays where it is: nothing here runs user code.
    session.look_at_access(|access| {
        let Some(advice) = access.advice() else { return };
        let all = advice.time().as_secs_f64();
        for (shape, line) in advice.lines() {
            write_line(lines.push(), shape, line, all);
        }
    });
    Ok(())
}

fn write_line(slot: Slot<'_>, shape: &[u8], line: &AdviceLine, all: f64) {
    let count = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    let seconds = line.time.as_secs_f64();
    let mut map = Map::new(slot, 7);
    map.insert_named(b"shape").bytes(shape);
    map.insert_named(b"statements").long(count(line.statements));
    map.insert_named(b"seconds").double(seconds);
    map.insert_named(b"share").double(if all > 0.0 { seconds / all } else { 0.0 });
    map.insert_named(b"eligible").bool(line.is_eligible);
    let mut reasons = Map::new(map.insert_named(b"reasons"), 8);
    for (reason, number) in line.reasons() {
        reasons.insert_named(reason.name().as_bytes()).long(count(number));
    }
    let table = map.insert_named(b"table");
    match &line.wanted {
        None => table.null(),
        Some(wanted) => write_wanted(table, wanted),
    }
}

fn write_wanted(slot: Slot<'_>, wanted: &Wanted) {
    let mut map = Map::new(slot, 4);
    map.insert_named(b"name").str(Str::concat(&[&wanted.database, b".", &wanted.table]));
    for (name, columns) in [(&b"key"[..], &wanted.key), (b"values", &wanted.values)] {
        let mut list = List::new(map.insert_named(name), 8);
        columns.iter().for_each(|column| list.push().bytes(column));
    }
    let unique = map.insert_named(b"unique");
    match wanted.is_unique {
        None => unique.null(),
        Some(is_unique) => unique.bool(is_unique),
    }
}
