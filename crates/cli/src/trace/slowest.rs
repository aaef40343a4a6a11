//! The slowest waits, with their lines.

/// So many of them, the slowest first.
#[derive(Debug)]
pub(super) struct Slowest {
    most: usize,
    waits: Vec<(u64, Box<[u8]>)>,
}

impl Slowest {
    pub(super) fn new(most: usize) -> Slowest {
        Slowest { most, waits: Vec::new() }
    }

    /// Adds one, if it is slow enough; those that came before are before those that took as long.
    pub(super) fn add(&mut self, us: u64, line: &[u8]) {
        let is_full = self.waits.len() == self.most;
        if is_full && self.waits.last().is_none_or(|(last, _)| us <= *last) {
            return;
        }
        if is_full {
            self.waits.pop();
        }
        let at = self.waits.partition_point(|(other, _)| *other >= us);
        self.waits.insert(at, (us, line.into()));
    }

    /// Their lines.
    pub(super) fn lines(&self) -> impl Iterator<Item = &[u8]> {
        self.waits.iter().map(|(_, line)| &**line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slowest_come_first() {
        let mut slowest = Slowest::new(3);
        for (us, line) in [(5, "a"), (1, "b"), (5, "c"), (9, "d"), (2, "e"), (5, "f")] {
            slowest.add(us, line.as_bytes());
        }
        assert_eq!(slowest.lines().collect::<Vec<_>>(), [b"d", b"a", b"c"]);
    }
}
