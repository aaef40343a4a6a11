//! Statements by their shapes: what is told of a bounded number of them.

use std::collections::HashMap;

use vaquita_telemetry::Distribution;
use vaquita_telemetry::trace::{Line, digest, put_shown};

use super::times::Micros;

/// How many shapes are told apart; each takes about 4 KB.
pub(super) const MAX_SHAPES: usize = 5_000;

/// The longest text of one that is kept.
const MAX_TEXT_BYTES: usize = 1_100;

/// Whose the statements are that have no shape of their own.
const OTHERS: u64 = 0;

/// A statement under way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Statement {
    shape: u64,
    us: u64,
    has_reply: bool,
    has_failed: bool,
}

impl Statement {
    /// Whether this line is of another one.
    pub(super) fn ends_before(&self, line: &Line<'_>) -> bool {
        match line.event {
            "more_rows" => false,
            "first_byte" => self.has_reply || self.shape != shape_of(line),
            _ => true,
        }
    }

    /// Adds a wait of it.
    pub(super) fn add(&mut self, line: &Line<'_>) {
        self.us = self.us.saturating_add(line.us);
        self.has_reply |= matches!(line.event, "first_byte" | "kv_get");
        self.has_failed |= line.has_failed;
    }
}

/// What is known of the statements of a shape.
#[derive(Debug, Default)]
pub(super) struct Shape {
    /// As it is shown: its digest and its text, or its command.
    pub(super) digest: Option<u64>,
    pub(super) text: String,
    /// How long each took: its waits together.
    pub(super) times: Distribution,
    pub(super) failed: u64,
    /// What was written without a reply of its own.
    unanswered_us: u64,
}

impl Shape {
    /// How long all of them took, in microseconds.
    pub(super) fn total_us(&self) -> u64 {
        (self.times.summary().sum_ns / 1000).saturating_add(self.unanswered_us)
    }

    fn end(&mut self, statement: Statement) {
        if statement.has_reply || statement.has_failed {
            self.times.add(statement.us.saturating_mul(1000));
            self.failed += u64::from(statement.has_failed);
        } else {
            self.unanswered_us = self.unanswered_us.saturating_add(statement.us);
        }
    }
}

/// The shapes.
#[derive(Debug, Default)]
pub(super) struct Shapes {
    shapes: HashMap<u64, Shape>,
    others: Shape,
}

impl Shapes {
    /// A statement begins with this line.
    pub(super) fn begin(&mut self, line: &Line<'_>) -> Statement {
        let mut shape = shape_of(line);
        if !self.shapes.contains_key(&shape) {
            if self.shapes.len() < MAX_SHAPES {
                self.shapes.insert(shape, new_shape(line));
            } else {
                shape = OTHERS;
            }
        }
        Statement { shape, us: 0, has_reply: false, has_failed: false }
    }

    /// A statement is over.
    pub(super) fn end(&mut self, statement: Statement) {
        self.shapes.get_mut(&statement.shape).unwrap_or(&mut self.others).end(statement);
    }

    /// How long all statements took, in microseconds.
    pub(super) fn total_us(&self) -> u64 {
        let sum = |sum: u64, shape: &Shape| sum.saturating_add(shape.total_us());
        self.shapes.values().fold(self.others.total_us(), sum)
    }

    /// Those that ran, what took the most of the time first.
    pub(super) fn sorted(&self) -> Vec<&Shape> {
        let mut sorted: Vec<_> = self.shapes.values().filter(|it| it.times.count() > 0).collect();
        sorted.sort_by_cached_key(|it| (std::cmp::Reverse(it.total_us()), it.text.clone()));
        sorted
    }

    /// What was left out, in words.
    pub(super) fn left_out(&self) -> Option<String> {
        let Shape { times, .. } = &self.others;
        (times.count() > 0).then(|| {
            format!(
                "{MAX_SHAPES} shapes are told apart; of others there were {} more, which took {}",
                times.count(),
                Micros(self.others.total_us())
            )
        })
    }
}

/// What a line's statement is told by: its digest and its command, so that preparing is not running.
fn shape_of(line: &Line<'_>) -> u64 {
    let of_command = digest(line.command.as_bytes());
    // Two shapes that are one by chance, or of OTHERS, are as rare as two statements of the same digest.
    line.digest.map_or(of_command, |digest| digest.rotate_left(1) ^ of_command)
}

fn new_shape(line: &Line<'_>) -> Shape {
    let mut text = Vec::new();
    let is_told = matches!(line.command, "" | "query" | "stmt_execute");
    if !is_told || line.sql.is_none() {
        let command = if line.command.is_empty() { line.event } else { line.command };
        text.push(b'(');
        put_shown(command.as_bytes(), &mut text);
        text.extend_from_slice(if line.sql.is_some() { b") " } else { b")" });
    }
    let sql = line.sql.unwrap_or_default();
    put_shown(sql.get(..MAX_TEXT_BYTES).unwrap_or(sql), &mut text);
    let text = String::from_utf8_lossy(&text).into_owned();
    Shape { digest: line.digest, text, ..Shape::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line<'a>(event: &'a str, command: &'a str, sql: &'a str, us: u64) -> Line<'a> {
        let (digest, sql) = (Some(digest(sql.as_bytes())), Some(sql.as_bytes()));
        Line { event, command, digest, sql, us, ..Line::default() }
    }

    /// Plays the lines of a connection; what is told of each shape: how many, and how long.
    fn check(lines: &[Line<'_>], expected: &[(&str, u64, u64)]) {
        let mut shapes = Shapes::default();
        let mut running: Option<Statement> = None;
        for line in lines {
            if let Some(statement) = running.take_if(|it| it.ends_before(line)) {
                shapes.end(statement);
            }
            running.get_or_insert_with(|| shapes.begin(line)).add(line);
        }
        running.map(|statement| shapes.end(statement)).unwrap_or_default();
        let sorted = shapes.sorted();
        let found: Vec<_> =
            sorted.iter().map(|it| (&*it.text, it.times.count(), it.total_us())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn the_waits_of_a_statement_are_one_time() {
        check(
            &[
                line("write", "query", "a", 1),
                line("first_byte", "query", "a", 100),
                line("more_rows", "query", "a", 10),
                line("more_rows", "query", "a", 10),
                line("write", "query", "a", 1),
                line("first_byte", "query", "a", 100),
                line("write", "ping", "", 1),
                line("first_byte", "ping", "", 5),
                line("kv_get", "", "a", 3),
            ],
            &[("a", 2, 222), ("(ping) ", 1, 6), ("a", 1, 3)],
        );
    }

    #[test]
    fn preparing_is_not_running() {
        check(
            &[
                line("write", "stmt_prepare", "a", 1),
                line("first_byte", "stmt_prepare", "a", 2),
                line("write", "stmt_execute", "a", 1),
                line("first_byte", "stmt_execute", "a", 9),
                // It has no reply.
                line("write", "stmt_close", "a", 1),
            ],
            &[("a", 1, 10), ("(stmt_prepare) a", 1, 3)],
        );
    }

    #[test]
    fn commands_in_one_write_are_counted_once_each() {
        check(
            &[
                line("write", "query", "a", 1),
                line("write", "query", "b", 1),
                line("first_byte", "query", "a", 50),
                line("first_byte", "query", "b", 20),
            ],
            &[("a", 1, 51), ("b", 1, 21)],
        );
    }

    #[test]
    fn shapes_take_bounded_memory() {
        let mut shapes = Shapes::default();
        for number in 0..2 * MAX_SHAPES {
            let sql = format!("{number} \x1B[31m{}", "x".repeat(10_000));
            let line = line("first_byte", "query", &sql, 2);
            let mut statement = shapes.begin(&line);
            statement.add(&line);
            shapes.end(statement);
        }
        assert_eq!(shapes.sorted().len(), MAX_SHAPES);
        assert!(
            shapes.sorted().iter().all(|it| it.text.len() < 1_200 && !it.text.contains('\x1B'))
        );
        assert_eq!(
            shapes.left_out().unwrap(),
            "5000 shapes are told apart; of others there were 5000 more, which took 10.0 ms"
        );
        assert_eq!(shapes.total_us(), 4 * 5_000);
    }
}
