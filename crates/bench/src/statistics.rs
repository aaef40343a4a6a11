//! The little arithmetic that a report needs.

/// The middle value; of an even number of values the mean of the middle two; 0 of none.
pub(crate) fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    let at = |index: usize| values.get(index).copied().unwrap_or_default();
    if values.len().is_multiple_of(2) {
        f64::midpoint(at(middle.saturating_sub(1)), at(middle))
    } else {
        at(middle)
    }
}

/// The value below which this part of all lies, between the two next to it by the distance to each; `None` of none.
pub(crate) fn quantile(values: &[f64], part: f64) -> Option<f64> {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    let mut rest = part * f64::from(u32::try_from(values.len().checked_sub(1)?).ok()?);
    let mut pairs = values.windows(2);
    while rest > 1.0 {
        pairs.next();
        rest -= 1.0;
    }
    match pairs.next() {
        Some([low, high]) => Some(low + (high - low) * rest),
        _ => values.last().copied(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        let check = |values: &[f64], expected: f64| {
            assert!((median(values.iter().copied()) - expected).abs() < 1e-9, "{values:?}");
        };
        check(&[], 0.0);
        check(&[5.0], 5.0);
        check(&[9.0, 1.0, 5.0], 5.0);
        check(&[4.0, 1.0, 2.0, 100.0], 3.0);
    }

    #[test]
    fn quantiles() {
        assert_eq!(quantile(&[], 0.5), None);
        assert_eq!(quantile(&[7.0], 0.25), Some(7.0));
        assert_eq!(quantile(&[3.0, 1.0], 0.25), Some(1.5));
        let values = [50.0, 10.0, 40.0, 20.0, 30.0];
        assert_eq!(
            [0.0, 0.25, 0.5, 0.9, 1.0].map(|part| quantile(&values, part).unwrap()),
            [10.0, 20.0, 30.0, 46.0, 50.0]
        );
    }
}
