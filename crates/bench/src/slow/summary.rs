//! What a summary of `vaquita trace summary` says: read as its reader does, from its text.

/// The text of a summary.
pub(super) struct Summary<'a>(pub(super) &'a str);

/// What is said of connecting: the whole line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Connecting<'a> {
    Matters(&'a str),
    DoesNotMatter(&'a str),
}

/// A bar of a histogram: from when on, and how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bar<'a> {
    pub(super) from: &'a str,
    pub(super) count: u64,
}

impl<'a> Summary<'a> {
    /// Whose most of the time was (`server`, `network` or `client`), and how much of it, in percent.
    pub(super) fn whose(&self) -> Option<(&'a str, u64)> {
        let verdicts = ["Most of the time went to: ", "The largest part of the time went to: "];
        let verdict =
            self.0.lines().find_map(|line| verdicts.iter().find_map(|it| line.strip_prefix(it)))?;
        let (name, percent) = verdict.strip_suffix(" %)")?.split_once(" (")?;
        Some((name, percent.parse().ok()?))
    }

    /// Whether connecting matters.
    pub(super) fn connecting(&self) -> Option<Connecting<'a>> {
        self.0.lines().find_map(|line| {
            if line.starts_with("Connecting does not matter") {
                Some(Connecting::DoesNotMatter(line))
            } else if line.starts_with("Connecting is ") && line.contains("p: would save") {
                Some(Connecting::Matters(line))
            } else {
                None
            }
        })
    }

    /// The histogram of the statement that has this in it.
    pub(super) fn bars(&self, statement: &str) -> Option<Vec<Bar<'a>>> {
        let mut lines = self.0.lines();
        lines.find(|line| line.starts_with("How long each took: ") && line.contains(statement))?;
        let bar = |line: &'a str| {
            let (from, bar) = line.split_once('|')?;
            let count = bar.trim_start_matches(['@', ' ']).replace(',', "").parse().ok()?;
            Some(Bar { from: from.trim(), count })
        };
        Some(lines.map_while(bar).collect())
    }
}

/// The tallest bars of two groups, each of at least a third of all, between which a bar is at most a tenth as tall as either.
pub(super) fn modes<'a>(bars: &[Bar<'a>]) -> Option<[&'a str; 2]> {
    let all: u64 = bars.iter().map(|bar| bar.count).sum();
    let tallest = |group: &[Bar<'a>]| {
        let sum: u64 = group.iter().map(|bar| bar.count).sum();
        group.iter().copied().max_by_key(|bar| bar.count).filter(|_| sum * 3 >= all && all > 0)
    };
    (0..bars.len()).find_map(|at| {
        let (fast, rest) = bars.split_at_checked(at)?;
        let (valley, slow) = rest.split_first()?;
        let (fast, slow) = (tallest(fast)?, tallest(slow)?);
        let is_low = valley.count * 10 <= fast.count.min(slow.count);
        is_low.then_some([fast.from, slow.from])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SUMMARY: &str = "\
Whose the time was
  server     9.00 ms     90 %
Most of the time went to: server (90 %)
Connecting is 34 % of a request: p: would save about 312 µs

How long each took: 0123 SELECT 1 | 2
        131 µs |@@@@@@@@@@@@@@@@@@@                      1,200
        262 µs |                                         0
        524 µs |@@@@@@@@@@@@@@@@@@@                      900

Slowest waits
";

    #[test]
    fn a_summary_is_read() {
        let summary = Summary(SUMMARY);
        assert_eq!(summary.whose(), Some(("server", 90)));
        let line = "Connecting is 34 % of a request: p: would save about 312 µs";
        assert_eq!(summary.connecting(), Some(Connecting::Matters(line)));
        let bars = summary.bars("SELECT 1").unwrap();
        let expected = [("131 µs", 1_200), ("262 µs", 0), ("524 µs", 900)];
        assert_eq!(bars, expected.map(|(from, count)| Bar { from, count }));
        assert_eq!(modes(&bars), Some(["131 µs", "524 µs"]));
        assert_eq!(summary.bars("SELECT 2"), None);
        let line = "Connecting does not matter (0.3 %)";
        assert_eq!(Summary(line).connecting(), Some(Connecting::DoesNotMatter(line)));
        assert_eq!(Summary("").connecting(), None);
        assert_eq!(Summary("").whose(), None);
    }

    #[test]
    fn two_modes_are_two_groups_apart() {
        let check = |counts: &[u64], is_two: bool| {
            let bars: Vec<_> = counts.iter().map(|count| Bar { from: "", count: *count }).collect();
            assert_eq!(modes(&bars).is_some(), is_two, "{counts:?}");
        };
        check(&[20, 20, 0, 10, 30], true);
        check(&[40, 0, 0, 40], true);
        check(&[38, 2, 2, 38], true);
        check(&[40, 40], false);
        check(&[40, 10, 40], false);
        // Some that are late are no mode.
        check(&[60, 0, 0, 3], false);
        check(&[20, 40, 20], false);
        check(&[], false);
        check(&[0], false);
    }
}
