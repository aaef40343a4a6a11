//! Whether a promise is held: a figure beside what it may be.

use crate::promise::Promise;
use crate::statistics::median;

/// A figure that may not be larger.
pub(super) fn at_most(what: &str, figure: Option<f64>, most: f64) -> Promise {
    promise(what, figure, "at most", most, figure.is_some_and(|it| it <= most))
}

/// A figure that may not be smaller.
pub(super) fn at_least(what: &str, figure: Option<f64>, least: f64) -> Promise {
    promise(what, figure, "at least", least, figure.is_some_and(|it| it >= least))
}

fn promise(what: &str, figure: Option<f64>, word: &str, limit: f64, is_held: bool) -> Promise {
    // As many digits as it takes to see on which side it is.
    let digits = |it: f64| match (it - limit).abs() {
        0.0 => 2,
        near if near < 0.005 => 5,
        near if near < 0.05 => 3,
        _ => 2,
    };
    let figure = figure.map_or("not measured".to_owned(), |it| format!("{it:.*}", digits(it)));
    let limit = format!("{limit:.3}");
    let limit = limit.trim_end_matches('0').trim_end_matches('.');
    Promise { what: format!("{what}: {figure}, {word} {limit}"), is_held }
}

/// The median of the ratios of two figures, round by round; `None`: one was not measured.
pub(super) fn paired(of: &[f64], to: &[f64]) -> Option<f64> {
    let ratios: Vec<f64> = of.iter().zip(to).map(|(of, to)| of / to).collect();
    (!ratios.is_empty()).then(|| median(ratios))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_held_up_to_itself() {
        let says = |promise: Promise| (promise.what, promise.is_held);
        assert_eq!(
            says(at_most("wall", Some(1.08), 1.08)),
            ("wall: 1.08, at most 1.08".to_owned(), true)
        );
        assert_eq!(
            says(at_most("wall", Some(1.081), 1.08)),
            ("wall: 1.08100, at most 1.08".to_owned(), false)
        );
        assert_eq!(
            says(at_least("rows", Some(3.456), 3.0)),
            ("rows: 3.46, at least 3".to_owned(), true)
        );
        assert_eq!(
            says(at_least("rows", None, 3.0)),
            ("rows: not measured, at least 3".to_owned(), false)
        );
    }

    #[test]
    fn pairs_are_those_of_a_round() {
        assert_eq!(paired(&[2.0, 30.0, 4.0], &[1.0, 10.0, 2.0]), Some(2.0));
        assert_eq!(paired(&[], &[1.0]), None);
    }
}
