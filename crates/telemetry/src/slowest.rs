//! The statements that have taken longest: one row for all that differ in literals only, and no more rows than a page shows.

use vaquita_client::SlowReply;

use crate::trace::{digest, put_digested};

/// How many there are at the most: those that were slower than the others, each once.
pub const MAX_SHAPES: usize = 32;

/// Statements that differ in their literals only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// What it is found by in a trace, too.
    pub digest: u64,
    /// Its text, without literals; as long as a thousand bytes at the most.
    pub sql: Box<[u8]>,
    /// How many of them were slow.
    pub count: u64,
    /// How long these took together, in nanoseconds.
    pub sum_ns: u64,
    /// How long the slowest one took.
    pub max_ns: u64,
}

/// The slowest ones.
#[derive(Debug, Default)]
pub struct Slowest {
    shapes: Vec<Shape>,
    normalised: Vec<u8>,
}

impl Slowest {
    /// None yet.
    pub const fn new() -> Self {
        Slowest { shapes: Vec::new(), normalised: Vec::new() }
    }

    /// Counts a reply that was slow. Where there is no room for another shape, the one that was quicker than all others makes it, if it was quicker than this.
    pub fn count(&mut self, slow: &SlowReply<'_>) {
        self.normalised.clear();
        put_digested(slow.statement, Some(slow.dialect), &mut self.normalised);
        let digest = digest(&self.normalised);
        let took = slow.took_ns;
        if let Some(shape) = self.shapes.iter_mut().find(|it| it.digest == digest) {
            shape.count += 1;
            shape.sum_ns = shape.sum_ns.saturating_add(took);
            shape.max_ns = shape.max_ns.max(took);
            return;
        }
        let sql = self.normalised.as_slice().into();
        let new = Shape { digest, sql, count: 1, sum_ns: took, max_ns: took };
        if self.shapes.len() < MAX_SHAPES {
            self.shapes.push(new);
        } else if let Some(quickest) = self.shapes.iter_mut().min_by_key(|it| it.max_ns)
            && quickest.max_ns < took
        {
            *quickest = new;
        }
    }

    /// Has the slowest come first.
    pub fn sort(&mut self) {
        self.shapes.sort_unstable_by_key(|it| std::cmp::Reverse(it.max_ns));
    }

    /// All of them.
    pub fn shapes(&self) -> &[Shape] {
        &self.shapes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vaquita_client::{Dialect, Encoding};

    fn count(slowest: &mut Slowest, sql: &str, took_ns: u64) {
        let dialect = Dialect { encoding: Encoding::SingleByte, no_backslash_escapes: false };
        slowest.count(&SlowReply { took_ns, statement: sql.as_bytes(), dialect });
    }

    fn shown(slowest: &mut Slowest) -> Vec<(String, u64, u64, u64)> {
        slowest.sort();
        let shapes = slowest.shapes().iter();
        let text = |shape: &Shape| String::from_utf8(shape.sql.to_vec()).unwrap();
        shapes.map(|it| (text(it), it.count, it.sum_ns, it.max_ns)).collect()
    }

    #[test]
    fn those_that_differ_in_literals_are_one_and_have_none() {
        let mut slowest = Slowest::new();
        count(&mut slowest, "SELECT a FROM t WHERE name = 'secret' AND b = 7", 5);
        count(&mut slowest, "SELECT b FROM t", 6);
        count(&mut slowest, "SELECT  a FROM t WHERE name = 'other' AND b = 8 /* here */", 9);
        let first = "SELECT a FROM t WHERE name = ? AND b = ?";
        let expected = [(first.to_owned(), 2, 14, 9), ("SELECT b FROM t".to_owned(), 1, 6, 6)];
        assert_eq!(shown(&mut slowest), expected);
        assert_eq!(slowest.shapes()[0].digest, digest(first.as_bytes()));
    }

    #[test]
    fn the_quickest_make_room() {
        let mut slowest = Slowest::new();
        for number in 0..100 {
            count(&mut slowest, &format!("SELECT c{number}"), 1000 + number);
        }
        count(&mut slowest, "SELECT quick", 1);
        count(&mut slowest, "SELECT c99", 1);
        let shown = shown(&mut slowest);
        assert_eq!(shown.len(), MAX_SHAPES);
        assert_eq!(shown[0], ("SELECT c99".to_owned(), 2, 1100, 1099));
        assert_eq!(shown[MAX_SHAPES - 1].0, "SELECT c68");
    }

    #[test]
    fn a_long_one_takes_little_room() {
        let mut slowest = Slowest::new();
        count(&mut slowest, &format!("SELECT {}", "a, ".repeat(100_000)), 1);
        assert!(slowest.shapes()[0].sql.len() < 1100);
    }
}
