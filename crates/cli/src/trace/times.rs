//! Times, as they are read most easily.

use std::fmt;

/// A time in microseconds, in three figures and its unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Micros(pub(super) u64);

impl fmt::Display for Micros {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Each with what it has more than the one before, and from which figure on that has no more than three digits.
        let units = [("µs", 1_u64), ("ms", 1_000), ("s", 1_000_000)];
        let (unit, size) =
            units.into_iter().rev().find(|(_, size)| self.0 >= *size).unwrap_or(("µs", 1));
        let whole = self.0 / size;
        let thousandths = self.0 % size * 1000 / size;
        let text = match whole {
            _ if size == 1 => format!("{whole} {unit}"),
            0..10 => format!("{whole}.{:02} {unit}", thousandths / 10),
            10..100 => format!("{whole}.{} {unit}", thousandths / 100),
            _ => format!("{whole} {unit}"),
        };
        to.pad(&text)
    }
}

/// A part of a whole, in percent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Share {
    pub(super) part: u64,
    pub(super) whole: u64,
}

impl Share {
    /// In tenths of a percent, rounded.
    pub(super) fn permille(self) -> u64 {
        let (part, whole) = (u128::from(self.part), u128::from(self.whole.max(1)));
        u64::try_from((part * 1000 + whole / 2) / whole).unwrap_or(u64::MAX)
    }

    /// Without digits behind the point.
    pub(super) fn rough(self) -> String {
        format!("{} %", (self.permille() + 5) / 10)
    }
}

impl fmt::Display for Share {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let permille = self.permille();
        to.pad(&format!("{}.{} %", permille / 10, permille % 10))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_three_figures() {
        for (micros, expected) in [
            (0, "0 µs"),
            (999, "999 µs"),
            (1_000, "1.00 ms"),
            (1_239, "1.23 ms"),
            (12_399, "12.3 ms"),
            (999_999, "999 ms"),
            (1_000_000, "1.00 s"),
            (3_600_000_000, "3600 s"),
        ] {
            assert_eq!(Micros(micros).to_string(), expected);
        }
        assert_eq!(format!("{:>8}|", Micros(5)), "    5 µs|");
    }

    #[test]
    fn shares_are_percent() {
        for (part, whole, expected, rough) in [
            (1, 3, "33.3 %", "33 %"),
            (2, 3, "66.7 %", "67 %"),
            (3, 1000, "0.3 %", "0 %"),
            (0, 0, "0.0 %", "0 %"),
            (u64::MAX, u64::MAX, "100.0 %", "100 %"),
        ] {
            let share = Share { part, whole };
            assert_eq!((share.to_string(), share.rough()), (expected.to_owned(), rough.to_owned()));
        }
    }
}
