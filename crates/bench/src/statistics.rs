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
}
