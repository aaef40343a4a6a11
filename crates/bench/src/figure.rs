//! Figures as reports show them.

use std::fmt;

/// A figure with about three digits that say something; `None`: there is none.
pub(crate) struct Figure(pub(crate) Option<f64>);

impl Figure {
    /// A count as a number with a fraction, which is exact far beyond what is counted here.
    pub(crate) fn of(count: u64) -> f64 {
        u32::try_from(count).map_or_else(
            |_| (count >> 16).try_into().map_or(f64::MAX, |it: u32| f64::from(it) * 65536.0),
            f64::from,
        )
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |it: f64| match it.abs() {
            size if size >= 100.0 => format!("{it:.0}"),
            size if size >= 10.0 => format!("{it:.1}"),
            size if size >= 1.0 => format!("{it:.2}"),
            0.0 => "0".to_owned(),
            _ => format!("{it:.3}"),
        };
        f.pad(&self.0.map_or("-".to_owned(), shown))
    }
}

/// A ratio, cut off after two digits: never rounded up to what was asked for.
pub(crate) struct Ratio(pub(crate) Option<f64>);

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cut = |it: f64| match it.is_finite() {
            true => format!("{:.2}", (it * 100.0).floor() / 100.0),
            false => "none left".to_owned(),
        };
        f.pad(&self.0.map_or("-".to_owned(), cut))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_say_something() {
        let shown =
            [0.0, 0.012_34, 1.234, 12.34, 123.4, 123_456.7].map(|it| Figure(Some(it)).to_string());
        assert_eq!(shown, ["0", "0.012", "1.23", "12.3", "123", "123457"]);
        assert_eq!(format!("{:>4}", Figure(None)), "   -");
    }

    #[test]
    fn counts_keep_their_size() {
        assert_eq!(Figure::of(4_294_967_295), 4_294_967_295.0);
        assert_eq!(Figure::of(1 << 40), 1_099_511_627_776.0);
    }

    #[test]
    fn a_ratio_is_cut_off() {
        let shown = [2.9999, 1.0, f64::INFINITY].map(|it| Ratio(Some(it)).to_string());
        assert_eq!(shown, ["2.99", "1.00", "none left"]);
    }
}
