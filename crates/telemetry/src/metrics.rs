//! Metrics as a page of Prometheus (text format 0.0.4), made of plain numbers that can be summed over processes before they are written.
//!
//! <https://prometheus.io/docs/instrumenting/exposition_formats/>

use std::fmt::Write as _;

use crate::latency::Distribution;
use crate::trace::digest;

/// What a metric is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// It only grows.
    Counter,
    /// It goes up and down.
    Gauge,
    /// Times, by how many were no longer than a bound.
    Histogram,
}

/// A metric's name, and what is said of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metric {
    /// Its name, without what Prometheus appends to those of histograms.
    pub name: &'static str,
    /// One sentence.
    pub help: &'static str,
    /// What it is.
    pub kind: Type,
}

/// What the value of a line counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Value,
    /// Those of at most so many seconds; infinitely many are `+Inf`.
    Bucket(&'static str),
    /// All of them together, in nanoseconds.
    Sum,
    Count,
}

/// One line of the page: which metric, for what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Series {
    metric: Metric,
    label: Option<(&'static str, &'static str)>,
    part: Part,
}

impl Series {
    /// Whether it is a gauge, which those who are gone have no share in.
    pub fn is_gauge(&self) -> bool {
        self.metric.kind == Type::Gauge
    }
}

/// Bounds of histograms: nanoseconds, and as seconds.
pub type Bounds = [(u64, &'static str)];

/// Those that OpenTelemetry advises for `db.client.operation.duration`.
///
/// <https://opentelemetry.io/docs/specs/semconv/database/database-metrics/>
pub const ADVISED: [(u64, &str); 9] = [
    (1_000_000, "0.001"),
    (5_000_000, "0.005"),
    (10_000_000, "0.01"),
    (50_000_000, "0.05"),
    (100_000_000, "0.1"),
    (500_000_000, "0.5"),
    (1_000_000_000, "1"),
    (5_000_000_000, "5"),
    (10_000_000_000, "10"),
];

/// Finer ones, for servers that are near.
pub const FINE: [(u64, &str); 10] = [
    (50_000, "0.00005"),
    (100_000, "0.0001"),
    (250_000, "0.00025"),
    (500_000, "0.0005"),
    (1_000_000, "0.001"),
    (5_000_000, "0.005"),
    (25_000_000, "0.025"),
    (100_000_000, "0.1"),
    (500_000_000, "0.5"),
    (2_500_000_000, "2.5"),
];

/// The lines of a page with their values, always the same lines in the same order.
#[derive(Clone, Debug, Default)]
pub struct Page {
    series: Vec<Series>,
    values: Vec<u64>,
}

impl Page {
    /// Adds a line of a counter or a gauge; those of one metric one behind the other.
    pub fn put(&mut self, metric: Metric, label: Option<(&'static str, &'static str)>, value: u64) {
        self.push(metric, label, Part::Value, value);
    }

    /// Adds the lines of a histogram; `None`: there were none.
    pub fn put_times(
        &mut self,
        metric: Metric,
        label: Option<(&'static str, &'static str)>,
        bounds: &'static Bounds,
        times: Option<&Distribution>,
    ) {
        let count = times.map_or(0, Distribution::count);
        for (ns, seconds) in bounds {
            let at_most = times.map_or(0, |times| times.at_most(*ns));
            self.push(metric, label, Part::Bucket(seconds), at_most);
        }
        self.push(metric, label, Part::Bucket("+Inf"), count);
        self.push(metric, label, Part::Sum, times.map_or(0, |times| times.summary().sum_ns));
        self.push(metric, label, Part::Count, count);
    }

    fn push(
        &mut self,
        metric: Metric,
        label: Option<(&'static str, &'static str)>,
        part: Part,
        value: u64,
    ) {
        self.series.push(Series { metric, label, part });
        self.values.push(value);
    }

    /// The lines, without their values.
    pub fn series(&self) -> &[Series] {
        &self.series
    }

    /// What tells its series from others, by a hash of their names: who has as many others has another one.
    pub fn digest(&self) -> u64 {
        let mut names = String::new();
        self.series.iter().for_each(|series| series.put(0, &mut names));
        digest(names.as_bytes())
    }

    /// The values, in the order of the lines.
    pub fn values(&self) -> &[u64] {
        &self.values
    }

    /// Has other values, in the order of the lines: sums of several pages'.
    pub fn set_values(&mut self, values: &[u64]) {
        self.values.iter_mut().zip(values).for_each(|(own, other)| *own = *other);
    }

    /// The page.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let mut last = None;
        for (series, value) in self.series.iter().zip(&self.values) {
            let Metric { name, help, kind } = series.metric;
            if last.replace(name) != Some(name) {
                let kind = match kind {
                    Type::Counter => "counter",
                    Type::Gauge => "gauge",
                    Type::Histogram => "histogram",
                };
                let _ = write!(text, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
            }
            series.put(*value, &mut text);
        }
        text
    }
}

impl Series {
    fn put(&self, value: u64, text: &mut String) {
        text.push_str(self.metric.name);
        text.push_str(match self.part {
            Part::Value => "",
            Part::Bucket(_) => "_bucket",
            Part::Sum => "_sum",
            Part::Count => "_count",
        });
        let bound = match self.part {
            Part::Bucket(bound) => Some(("le", bound)),
            _ => None,
        };
        for (place, (name, value)) in self.label.into_iter().chain(bound).enumerate() {
            let _ = write!(text, "{}{name}=\"{value}\"", if place == 0 { '{' } else { ',' });
        }
        if self.label.is_some() || bound.is_some() {
            text.push('}');
        }
        let _ = match self.part {
            Part::Sum => {
                let (seconds, rest) = (value / 1_000_000_000, value % 1_000_000_000);
                writeln!(text, " {seconds}.{rest:09}")
            }
            _ => writeln!(text, " {value}"),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COUNTER: Metric = Metric { name: "a_total", help: "How many.", kind: Type::Counter };
    const TIMES: Metric = Metric { name: "t_seconds", help: "How long.", kind: Type::Histogram };
    const GAUGE: Metric = Metric { name: "g", help: "How many now.", kind: Type::Gauge };

    #[test]
    fn a_page_is_as_prometheus_reads_it() {
        let mut times = Distribution::default();
        [400_000, 2_000_000, 3_000_000_000].into_iter().for_each(|ns| times.add(ns));
        let mut page = Page::default();
        page.put(COUNTER, Some(("of", "x")), 3);
        page.put(COUNTER, Some(("of", "y")), 0);
        page.put_times(TIMES, Some(("of", "x")), &ADVISED, Some(&times));
        page.put(GAUGE, None, 7);
        let text = page.text();
        let expected = "# HELP a_total How many.\n# TYPE a_total counter\na_total{of=\"x\"} 3\na_total{of=\"y\"} 0\n\
            # HELP t_seconds How long.\n# TYPE t_seconds histogram\n\
            t_seconds_bucket{of=\"x\",le=\"0.001\"} 1\n";
        assert!(text.starts_with(expected), "{text}");
        assert!(text.contains("t_seconds_bucket{of=\"x\",le=\"0.005\"} 2\n"), "{text}");
        assert!(text.contains("t_seconds_bucket{of=\"x\",le=\"+Inf\"} 3\n"));
        assert!(text.contains("t_seconds_sum{of=\"x\"} 3.002400000\n"), "{text}");
        assert!(text.ends_with(
            "t_seconds_count{of=\"x\"} 3\n# HELP g How many now.\n# TYPE g gauge\ng 7\n"
        ));
        assert_eq!(page.series().iter().filter(|series| series.is_gauge()).count(), 1);
    }

    #[test]
    fn pages_are_summed_by_their_values() {
        let mut page = Page::default();
        page.put(COUNTER, None, 3);
        page.put(GAUGE, None, 1);
        let sums: Vec<u64> = page.values().iter().map(|value| value * 2).collect();
        page.set_values(&sums);
        assert!(page.text().contains("a_total 6\n") && page.text().contains("\ng 2\n"));
    }

    #[test]
    fn other_figures_have_another_digest() {
        let page = |metric, label: &'static str| {
            let mut page = Page::default();
            page.put(metric, Some(("of", label)), 3);
            page.digest()
        };
        assert_eq!(page(COUNTER, "x"), page(Metric { help: "", ..COUNTER }, "x"));
        assert_ne!(page(COUNTER, "x"), page(COUNTER, "y"));
        assert_ne!(page(COUNTER, "x"), page(GAUGE, "x"));
    }

    #[test]
    fn what_never_was_has_its_lines_too() {
        let mut page = Page::default();
        page.put_times(TIMES, None, &FINE, None);
        assert_eq!(page.values(), [0; FINE.len() + 3]);
        assert!(page.text().contains("t_seconds_sum 0.000000000\n"));
    }
}
