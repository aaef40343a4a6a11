//! The report of `vaquita-bench demo`: one table, a line for each way, losses as plain as wins.

use std::fmt;

use crate::dataset;
use crate::stack::Measurement;
use crate::statistics::median;

/// A ratio below this is called a loss. The same stack measured twice differs by a few percent of wall time.
const LOSS: f64 = 0.97;

/// All runs of one way on both stacks.
pub(crate) struct Runs {
    /// The way's name.
    pub(crate) way: &'static str,
    /// The runs on stock.
    pub(crate) stock: Vec<Measurement>,
    /// The runs on Vaquita.
    pub(crate) vaquita: Vec<Measurement>,
}

/// Everything that the report tells; it is written by `Display`.
pub(crate) struct Report {
    /// How often each way was measured.
    pub(crate) rounds: usize,
    /// The server's version.
    pub(crate) server: String,
    /// The versions of the stock stack.
    pub(crate) stock: String,
    /// The versions of the other one.
    pub(crate) vaquita: String,
    /// The peak memory of an idle process on the stock stack, in KiB.
    pub(crate) stock_idle_kib: f64,
    /// The same on Vaquita.
    pub(crate) vaquita_idle_kib: f64,
    /// A line for each.
    pub(crate) ways: Vec<Runs>,
}

/// One measure of one way on both stacks.
struct Pair {
    stock: f64,
    vaquita: f64,
}

impl Pair {
    /// How many times better Vaquita is; all measures are better when smaller. `None` where it took nothing that can be measured.
    fn ratio(&self) -> Option<f64> {
        (self.vaquita > 0.0).then(|| self.stock / self.vaquita)
    }
}

impl fmt::Display for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ratio = self.ratio().map_or("-".to_owned(), |ratio| format!("{ratio:.2}"));
        write!(f, "{:>9.1}{:>9.1}{:>7}", self.stock, self.vaquita, ratio)
    }
}

impl Report {
    /// The three measures of a way, named.
    fn measures(&self, runs: &Runs) -> [(&'static str, Pair); 3] {
        let pair = |measure: fn(&Measurement) -> f64| Pair {
            stock: middle(&runs.stock, measure),
            vaquita: middle(&runs.vaquita, measure),
        };
        let peak = pair(|run| run.peak_rss_kib);
        let above_idle = Pair {
            stock: (peak.stock - self.stock_idle_kib) / 1024.0,
            vaquita: (peak.vaquita - self.vaquita_idle_kib) / 1024.0,
        };
        [
            ("wall time", pair(|run| run.wall_ms)),
            ("client CPU", pair(|run| run.cpu_ms)),
            ("peak RSS", above_idle),
        ]
    }

    /// Where Vaquita is worse, such as "use_result wall time (0.97)".
    fn losses(&self) -> Vec<String> {
        let mut losses = Vec::new();
        for runs in &self.ways {
            for (name, pair) in self.measures(runs) {
                if let Some(ratio) = pair.ratio().filter(|ratio| *ratio < LOSS) {
                    losses.push(format!("{} {name} ({ratio:.2})", runs.way));
                }
            }
        }
        losses
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} rows of one VARCHAR({}), {} to {} characters each, fetched into a PHP array.",
            dataset::ROWS,
            dataset::LONGEST,
            dataset::SHORTEST,
            dataset::LONGEST
        )?;
        writeln!(f, "Medians of {} rounds, each run in a fresh process.", self.rounds)?;
        writeln!(f, "  server   {}, unix socket", self.server)?;
        writeln!(f, "  stock    {}", self.stock)?;
        writeln!(f, "  vaquita  {}\n", self.vaquita)?;

        let columns = format!("{:>9}{:>9}{:>7}", "stock", "vaquita", "ratio");
        writeln!(
            f,
            "{:<21}{:>25}{:>25}{:>25}",
            "", "wall time, ms", "client CPU, ms", "RSS above idle, MiB"
        )?;
        writeln!(f, "{:<21}{columns}{columns}{columns}   data", "way")?;
        for runs in &self.ways {
            write!(f, "{:<21}", runs.way)?;
            for (_, pair) in self.measures(runs) {
                write!(f, "{pair}")?;
            }
            writeln!(f, "   {}", comparison(runs))?;
        }

        writeln!(f, "\nratio: stock / vaquita. Above 1 Vaquita is better, below 1 stock is.")?;
        let losses = self.losses();
        if losses.is_empty() {
            write!(f, "Stock is better by more than 3 % in nothing.")
        } else {
            write!(f, "Stock is better by more than 3 % in: {}.", losses.join(", "))
        }
    }
}

/// Whether both stacks fetched the same rows.
fn comparison(runs: &Runs) -> &'static str {
    let mut all = runs.stock.iter().chain(&runs.vaquita);
    let first = all.next();
    let same = all
        .all(|run| first.is_some_and(|first| run.rows == first.rows && run.digest == first.digest));
    if same { "same" } else { "DIFFERS" }
}

fn middle(runs: &[Measurement], measure: fn(&Measurement) -> f64) -> f64 {
    median(runs.iter().map(measure))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(wall_ms: f64, peak_rss_kib: f64) -> Vec<Measurement> {
        vec![Measurement { rows: 1, digest: "x".to_owned(), wall_ms, cpu_ms: 2.0, peak_rss_kib }]
    }

    fn report(ways: Vec<Runs>) -> Report {
        let text = || "version".to_owned();
        Report {
            rounds: 1,
            server: text(),
            stock: text(),
            vaquita: text(),
            stock_idle_kib: 1024.0,
            vaquita_idle_kib: 1024.0,
            ways,
        }
    }

    #[test]
    fn wins_losses_and_other_data() {
        let mut other = runs(2.0, 1024.0);
        other.iter_mut().for_each(|run| run.digest = "y".to_owned());
        let text = report(vec![
            Runs { way: "good", stock: runs(3.0, 5120.0), vaquita: runs(2.0, 3072.0) },
            Runs { way: "bad", stock: runs(2.0, 3072.0), vaquita: runs(4.0, 3072.0) },
            Runs { way: "other", stock: runs(2.0, 3072.0), vaquita: other },
        ])
        .to_string();
        let line = |name: &str| {
            let line = text.lines().find(|line| line.starts_with(name)).unwrap();
            line.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        assert_eq!(line("good"), "good 3.0 2.0 1.50 2.0 2.0 1.00 4.0 2.0 2.00 same");
        assert_eq!(line("bad"), "bad 2.0 4.0 0.50 2.0 2.0 1.00 2.0 2.0 1.00 same");
        assert_eq!(line("other"), "other 2.0 2.0 1.00 2.0 2.0 1.00 2.0 0.0 - DIFFERS");
        assert!(text.ends_with("Stock is better by more than 3 % in: bad wall time (0.50)."));
    }

    #[test]
    fn no_losses() {
        let text =
            report(vec![Runs { way: "w", stock: runs(2.0, 2048.0), vaquita: runs(2.0, 2048.0) }]);
        assert!(text.to_string().ends_with("Stock is better by more than 3 % in nothing."));
    }
}
