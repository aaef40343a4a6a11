//! What a port would be good for: the statements by their shapes, how much of the time each takes, and why a port could not answer it.

mod file;
mod shape;

use std::collections::HashMap;
use std::time::Duration;

use vaquita_client::{Columns, Dialect};

use crate::plan::{Reason, Reasons};
use crate::select::KeySelect;
use crate::table::{Table, is_same_name};

pub(crate) use file::add;
pub use file::write_advice;

/// How many shapes are told apart; the statements of others are summed.
const MAX_SHAPES: usize = 500;

/// What stands in the place of their shapes.
const OTHERS: &[u8] = b"(others)";

/// How many columns a line names: a `SELECT *` may have thousands.
const MAX_VALUES: usize = 100;

/// The longest name that a server has, of 64 characters; advice names nothing that is longer.
const MAX_NAME_BYTES: usize = 64 * 4;

/// What stands in the place of the others.
const MORE: &[u8] = b"...";

/// What is known of statements, by their shapes. No literal is in it.
#[derive(Debug, Default)]
pub struct Advice {
    lines: HashMap<Box<[u8]>, Line>,
    others: Line,
    /// The shapes, what takes the most of the time first, as [`Advice::sort`] has left them.
    order: Vec<Box<[u8]>>,
    shape: Vec<u8>,
}

/// What is known of the statements of one shape.
#[derive(Clone, Debug, Default)]
pub struct Line {
    /// How many have run.
    pub statements: u64,
    /// How long that took: from the sending to the beginning of the reply.
    pub time: Duration,
    /// Whether a port could have answered any of them.
    pub is_eligible: bool,
    reasons: Reasons,
    /// What a port would have to know, of statements that ask for a row by its key.
    pub wanted: Option<Wanted>,
}

/// The table that a port would have to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The database.
    pub database: Box<[u8]>,
    /// The table.
    pub table: Box<[u8]>,
    /// The columns that are the key.
    pub key: Box<[Box<[u8]>]>,
    /// The others that are asked for; behind so many of them `...`.
    pub values: Box<[Box<[u8]>]>,
    /// Whether the key finds one row, as a port's has to; `None`: the table was not looked at.
    pub is_unique: Option<bool>,
}

impl Line {
    /// Why a port could not answer them, and how many of them.
    pub fn reasons(&self) -> impl Iterator<Item = (Reason, u64)> + '_ {
        self.reasons.iter()
    }

    fn add(&mut self, other: &Line) {
        self.statements += other.statements;
        self.time += other.time;
        self.is_eligible |= other.is_eligible;
        other.reasons().for_each(|(reason, count)| self.reasons.add(reason, count));
        if self.lacks_wanted() {
            self.wanted = other.wanted.clone().or(self.wanted.take());
        }
    }

    /// Whether there is more to know of what is wanted.
    pub(crate) fn lacks_wanted(&self) -> bool {
        self.wanted.as_ref().is_none_or(|wanted| wanted.is_unique.is_none())
    }
}

impl Wanted {
    /// What such a statement wants, whose result has these columns; `table` is what the server says of its table, if it was asked.
    pub(crate) fn of(
        select: &KeySelect<'_>,
        columns: &Columns,
        table: Option<&Table>,
    ) -> Option<Wanted> {
        let first = columns.first()?;
        let (database, name) = (first.schema(), first.org_table());
        let is_of_it = columns.iter().all(|column| column.org_table() == name);
        let is_name = |name: &[u8]| name.len() <= MAX_NAME_BYTES;
        let has_names = is_name(database) && columns.iter().all(|it| is_name(it.org_name()));
        if name.is_empty() || !is_name(name) || !is_of_it || !has_names {
            return None;
        }
        let key: Box<[Box<[u8]>]> = select.conditions().map(|it| it.column.into()).collect();
        let mut values: Vec<Box<[u8]>> = Vec::new();
        for column in columns.iter().map(|column| column.org_name()) {
            let is_there = key.iter().chain(&values).any(|it| is_same_name(it, column));
            if is_there {
                continue;
            }
            if values.len() == MAX_VALUES {
                values.push(MORE.into());
                break;
            }
            values.push(column.into());
        }
        let is_unique = table.map(|table| table.has_unique(&key));
        let (database, table) = (database.into(), name.into());
        Some(Wanted { database, table, key, values: values.into(), is_unique })
    }
}

impl Advice {
    /// The line of a statement of this text, which ran so long; `reason`: why a port could not have answered it. Without a `dialect` it is not known
    /// how the server has read it, and what of the text is a literal.
    pub(crate) fn note(
        &mut self,
        sql: &[u8],
        dialect: Option<Dialect>,
        time: Duration,
        reason: Option<Reason>,
    ) -> &mut Line {
        shape::put_shape(sql, dialect, &mut self.shape);
        let line = line(&mut self.lines, &mut self.others, &self.shape);
        line.statements += 1;
        line.time += time;
        match reason {
            Some(reason) => line.reasons.add(reason, 1),
            None => line.is_eligible = true,
        }
        line
    }

    /// Adds what is known from elsewhere.
    fn add(&mut self, other: &Advice) {
        for (shape, its) in &other.lines {
            line(&mut self.lines, &mut self.others, shape).add(its);
        }
        self.others.add(&other.others);
    }

    /// Puts first what takes the most of the time, for [`Advice::lines`].
    pub fn sort(&mut self) {
        let mut order: Vec<_> = self.lines.iter().collect();
        order.sort_by(|(shape, line), (other, its)| {
            its.time.cmp(&line.time).then_with(|| shape.cmp(other))
        });
        self.order = order.into_iter().map(|(shape, _)| shape.clone()).collect();
    }

    /// The shapes that there were when they were sorted last, with what is known of each.
    pub fn lines(&self) -> impl Iterator<Item = (&[u8], &Line)> {
        let known = self.order.iter().filter_map(|shape| self.lines.get_key_value(shape));
        let lines = known.map(|(shape, line)| (&**shape, line));
        lines.chain((self.others.statements > 0).then_some((OTHERS, &self.others)))
    }

    /// How long all of them took.
    pub fn time(&self) -> Duration {
        self.lines.values().map(|line| line.time).sum::<Duration>() + self.others.time
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }
}

/// The line of a shape.
fn line<'a>(
    lines: &'a mut HashMap<Box<[u8]>, Line>,
    others: &'a mut Line,
    shape: &[u8],
) -> &'a mut Line {
    if lines.len() >= MAX_SHAPES && !lines.contains_key(shape) {
        return others;
    }
    lines.entry(shape.into()).or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use vaquita_client::{Charset, ColumnDefinition41, ColumnType};
    use vaquita_fake_server::packets::column;

    fn note(advice: &mut Advice, sql: &str, micros: u64, reason: Option<Reason>) {
        let dialect =
            Dialect { encoding: Charset::utf8mb4().encoding, no_backslash_escapes: false };
        advice.note(sql.as_bytes(), Some(dialect), Duration::from_micros(micros), reason);
    }

    fn shown(advice: &mut Advice) -> Vec<String> {
        advice.sort();
        let shown = advice.lines().map(|(shape, line)| {
            let reasons: Vec<_> = line
                .reasons()
                .map(|(reason, count)| format!("{} {count}", reason.name()))
                .collect();
            let (shape, micros) = (String::from_utf8_lossy(shape), line.time.as_micros());
            let is_eligible = if line.is_eligible { "yes" } else { "no" };
            format!("{shape} | {} {micros} {is_eligible} {}", line.statements, reasons.join(","))
        });
        shown.collect()
    }

    #[test]
    fn statements_are_summed_by_their_shapes() {
        let mut advice = Advice::default();
        note(&mut advice, "SELECT a FROM t WHERE k = 1", 10, None);
        note(&mut advice, "SELECT a FROM t WHERE k = 'x'", 20, Some(Reason::KeyValue));
        note(&mut advice, "UPDATE t SET a = 1", 100, Some(Reason::Form));
        let mut sum = Advice::default();
        sum.add(&advice);
        sum.add(&advice);
        assert_eq!(
            shown(&mut sum),
            ["UPDATE | 2 200 no form 2", "SELECT a FROM t WHERE k = ? | 4 60 yes key_value 2"]
        );
        assert_eq!(sum.time(), Duration::from_micros(260));
    }

    #[test]
    fn beyond_the_limit_all_are_one() {
        let mut advice = Advice::default();
        for number in 0..MAX_SHAPES + 7 {
            note(&mut advice, &format!("SELECT a{number} FROM t"), 1, Some(Reason::Form));
        }
        note(&mut advice, "SELECT a3 FROM t", 1, Some(Reason::Form));
        let shown = shown(&mut advice);
        assert_eq!(shown.len(), MAX_SHAPES + 1);
        assert_eq!(shown.last().map(String::as_str), Some("(others) | 7 7 no form 7"));
        assert_eq!(shown.first().map(String::as_str), Some("SELECT a3 FROM t | 2 2 no form 2"));
    }

    #[test]
    fn what_is_longer_than_a_name_is_not_named() {
        let dialect =
            Dialect { encoding: Charset::utf8mb4().encoding, no_backslash_escapes: false };
        let select = KeySelect::parse(b"SELECT a FROM t WHERE k = 1", dialect).unwrap();
        let wanted = |length: usize| {
            let definition = column(&"x".repeat(length), ColumnType::VAR_STRING).bytes();
            let columns =
                Columns::from(Arc::from([ColumnDefinition41::parse(&definition).unwrap()]));
            Wanted::of(&select, &columns, None).is_some()
        };
        assert!(wanted(MAX_NAME_BYTES) && !wanted(MAX_NAME_BYTES + 1));
    }
}
