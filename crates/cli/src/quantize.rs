//! A histogram by powers of two, drawn with letters.

use std::collections::BTreeMap;
use std::fmt;

/// How long a bar for all of it is.
const BAR: u64 = 40;

/// How often what: by the least value of each power of two, and 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Quantized(BTreeMap<u64, u64>);

impl Quantized {
    /// Adds what came `times` with values from `least` up to the next power of two.
    pub(crate) fn add(&mut self, least: u64, times: u64) {
        *self.0.entry(least).or_default() += times;
    }
}

impl Quantized {
    /// The same of nanoseconds.
    pub(crate) fn times(&self) -> impl fmt::Display {
        fmt::from_fn(|to| self.draw(to, time))
    }

    /// A line for each power of two between the first and the last that came, which `name` names.
    fn draw(&self, to: &mut fmt::Formatter<'_>, name: impl Fn(u64) -> String) -> fmt::Result {
        let all: u64 = self.0.values().sum();
        let present = || self.0.iter().filter(|(_, times)| **times > 0).map(|(least, _)| *least);
        let (Some(first), Some(last)) = (present().next(), present().next_back()) else {
            return Ok(());
        };
        let powers = (0..u64::BITS).map(|power| 1_u64 << power);
        let values = std::iter::once(0).chain(powers).filter(|it| (first..=last).contains(it));
        for least in values {
            let times = self.0.get(&least).copied().unwrap_or_default();
            // What came has a mark, however seldom.
            let bar = (times.saturating_mul(BAR) / all).max(u64::from(times > 0));
            let bar = "@".repeat(usize::try_from(bar).unwrap_or_default());
            writeln!(to, "{:>14} |{bar:<40} {}", name(least), Grouped(times))?;
        }
        Ok(())
    }
}

/// Of sizes.
impl fmt::Display for Quantized {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.draw(to, |least| Unit(least).to_string())
    }
}

/// A power of two in nanoseconds: the next is twice as long, so that two figures tell them apart.
fn time(nanoseconds: u64) -> String {
    let (size, unit) = match nanoseconds {
        0..1_000 => return format!("{nanoseconds} ns"),
        1_000..1_000_000 => (1_000, "µs"),
        1_000_000..1_000_000_000 => (1_000_000, "ms"),
        _ => (1_000_000_000, "s"),
    };
    let tenths = nanoseconds / (size / 10);
    if tenths < 100 {
        format!("{}.{} {unit}", tenths / 10, tenths % 10)
    } else {
        format!("{} {unit}", tenths / 10)
    }
}

/// A size as it is read most easily: powers of two by their unit.
struct Unit(u64);

impl fmt::Display for Unit {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = ["", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"];
        let power = (self.0.max(1).ilog2() / 10).min(6);
        let unit = units.get(power as usize).copied().unwrap_or_default();
        to.pad(&format!("{}{unit}", self.0 >> (10 * power)))
    }
}

/// A number with its digits in groups of three.
pub(crate) struct Grouped(pub(crate) u64);

impl fmt::Display for Grouped {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.0.to_string();
        let mut grouped = String::with_capacity(digits.len() * 4 / 3);
        for (at, digit) in digits.chars().enumerate() {
            if at > 0 && (digits.len() - at).is_multiple_of(3) {
                grouped.push(',');
            }
            grouped.push(digit);
        }
        to.pad(&grouped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_power_of_two() {
        let mut drawn = Quantized::default();
        for (least, times) in [(0, 1), (4, 1_000), (1, 0), (1 << 11, 3_000)] {
            drawn.add(least, times);
        }
        let lines: Vec<String> = drawn.to_string().lines().map(str::to_owned).collect();
        assert_eq!(lines.len(), 13);
        assert_eq!(lines[0], format!("             0 |@{} 1", " ".repeat(39)));
        assert_eq!(lines[1], format!("             1 |{} 0", " ".repeat(40)));
        assert_eq!(lines[3], format!("             4 |{}{} 1,000", "@".repeat(9), " ".repeat(31)));
        assert_eq!(
            lines[12],
            format!("         2 KiB |{}{} 3,000", "@".repeat(29), " ".repeat(11))
        );
    }

    #[test]
    fn nothing_has_no_lines() {
        assert_eq!(Quantized::default().to_string(), "");
        let mut drawn = Quantized::default();
        drawn.add(8, 0);
        assert_eq!(drawn.to_string(), "");
    }

    #[test]
    fn the_largest_values_have_lines_too() {
        let mut drawn = Quantized::default();
        drawn.add(1 << 63, u64::MAX / 2);
        assert!(drawn.to_string().starts_with("         8 EiB |@"));
    }

    #[test]
    fn times_have_their_own_units() {
        let mut drawn = Quantized::default();
        (9..12).for_each(|power| drawn.add(1 << power, 1));
        let lines: Vec<String> =
            drawn.times().to_string().lines().map(|it| it[..16].to_owned()).collect();
        assert_eq!(
            lines,
            ["        512 ns |", "        1.0 µs |", "        2.0 µs |"]
                .map(|it| it[..16].to_owned())
        );
        let expected = ["0 ns", "16 µs", "1.0 ms", "67 ms", "1.0 s", "137 s"];
        assert_eq!([0, 1 << 14, 1 << 20, 1 << 26, 1 << 30, 1 << 37].map(time), expected);
    }

    #[test]
    fn digits_stand_in_groups() {
        let grouped = |number: u64| Grouped(number).to_string();
        let expected = ["0", "999", "1,000", "1,234,567"];
        assert_eq!([0, 999, 1_000, 1_234_567].map(grouped), expected);
    }
}
