//! What the report draws: bars, histograms and lines, before they become SVG.

use std::collections::BTreeMap;

use super::results::Results;
use super::workload::Runner;

/// A drawing.
pub(super) enum Plot {
    Bars(Bars),
    Histogram(Histogram),
    Lines(Lines),
}

/// A line for each case, in it a bar for each runner.
pub(super) struct Bars {
    pub(super) title: String,
    pub(super) unit: &'static str,
    pub(super) rows: Vec<(String, Vec<Bar>)>,
}

/// A median, and between what half of the runs lie.
pub(super) struct Bar {
    pub(super) runner: Runner,
    pub(super) value: f64,
    pub(super) quarters: Option<[f64; 2]>,
}

/// How often sizes occur, by powers of two, as DTrace's `quantize` shows it; one beside the other.
pub(super) struct Histogram {
    pub(super) title: String,
    /// What is counted.
    pub(super) unit: &'static str,
    pub(super) panels: Vec<(Runner, Buckets)>,
}

/// How many sizes from each power of two to the next; below 1 is 0.
pub(super) type Buckets = BTreeMap<u64, u64>;

/// Figures over a number that grows.
pub(super) struct Lines {
    pub(super) title: String,
    pub(super) across: &'static str,
    pub(super) xs: Vec<String>,
    /// Of each line its name, and a value for each of those; one without any is not drawn, and its colour is nobody else's.
    pub(super) lines: Vec<(String, Vec<Option<f64>>)>,
    /// Where they are ratios, what a ratio of 1 is called.
    pub(super) one: Option<&'static str>,
}

impl Plot {
    /// What stands above it.
    pub(super) fn title(&self) -> &str {
        match self {
            Plot::Bars(it) => &it.title,
            Plot::Histogram(it) => &it.title,
            Plot::Lines(it) => &it.title,
        }
    }
}

/// The medians of a measure, for all cases of a group.
pub(super) fn bars(results: &Results, group: &str, measure: usize) -> Plot {
    let mut rows = Vec::new();
    for case in results.group(group) {
        // The second stock is for the noise alone.
        let runners = case.case.runners.iter().filter(|runner| **runner != Runner::StockAgain);
        let bar = |runner: &Runner| {
            let value = case.median(*runner, measure)?;
            Some(Bar { runner: *runner, value, quarters: case.quarters(*runner, measure) })
        };
        rows.push((case.case.name.clone(), runners.filter_map(bar).collect()));
    }
    let (name, unit) = results.measures.get(measure).map_or(("", ""), |it| (it.name, it.unit));
    Plot::Bars(Bars { title: format!("{group}: {name}"), unit, rows })
}

#[cfg(test)]
mod tests {
    use super::super::results::tests::results;
    use super::*;

    #[test]
    fn bars_are_medians_without_the_second_stock() {
        let all = results(&[[10.0, 5.0, 11.0], [12.0, 6.0, 13.0], [14.0, 7.0, 15.0]]);
        let Plot::Bars(bars) = bars(&all, "T", 0) else { panic!("other") };
        assert_eq!(bars.title, "T: wall");
        let [(name, row)] = &bars.rows[..] else { panic!("one row") };
        let drawn: Vec<_> = row.iter().map(|bar| (bar.runner, bar.value, bar.quarters)).collect();
        let expected =
            [(Runner::Stock, 12.0, Some([11.0, 13.0])), (Runner::Vaquita, 6.0, Some([5.5, 6.5]))];
        assert_eq!((&name[..], drawn), ("way", expected.to_vec()));
    }
}
