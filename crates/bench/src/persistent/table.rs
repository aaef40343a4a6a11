//! The table of a server reached one way: a line for each loop, losses as plain as wins.

use std::fmt;

use super::loops::Loop;
use super::runner::{Sample, each_us, middle, ratio};
use crate::figure::Ratio;

/// A ratio below this is called a loss. The same stack measured twice differs by a few percent.
const LOSS: f64 = 0.97;

/// What the tables show.
pub(super) const LEGEND: &str = "\
connect: connect and close; nobody needs only that, so this line is theoretical. page: connect, five small queries, close. open: on one
connection that stays open. p:, persistent: persistent connections; C has none.
rate: how often in a second, the median of the rounds; ratio: Vaquita to stock, the median of each round's own.
CPU: of the client (getrusage) and of the server's process (/proc), each time. The CPU time of one that comes near 1,000,000 us / rate is
what the other one waits for.";

/// All runs of one loop.
pub(super) struct Runs {
    pub(super) of: Loop,
    pub(super) stock: Vec<Sample>,
    pub(super) vaquita: Vec<Sample>,
    pub(super) c: Vec<Sample>,
}

impl Runs {
    pub(super) fn new(of: Loop) -> Runs {
        Runs { of, stock: Vec::new(), vaquita: Vec::new(), c: Vec::new() }
    }

    pub(super) fn of_all() -> Vec<Runs> {
        Loop::all().into_iter().map(Runs::new).collect()
    }

    /// Vaquita's rate to stock's.
    pub(super) fn ratio(&self) -> Option<f64> {
        ratio(&self.vaquita, &self.stock, Sample::rate)
    }
}

/// A server reached one way.
pub(super) struct Table {
    pub(super) place: String,
    pub(super) runs: Vec<Runs>,
}

impl Table {
    /// The runs of a loop; none if it is not in the table.
    pub(super) fn of(&self, one: Loop) -> Option<&Runs> {
        self.runs.iter().find(|runs| runs.of == one)
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rates = format!("{:>9}{:>9}{:>8}{:>9}", "stock", "Vaquita", "ratio", "C");
        let best = format!("{:>9}{:>9}{:>9}", "stock", "Vaquita", "C");
        let cpu = format!("{:>7}{:>8}{:>7}", "stock", "Vaquita", "C");
        let heads = ["rate", "best rate", "client CPU, us", "server CPU, us"];
        let [rate, at_best, client, server] = heads;
        writeln!(f, "{:<30}{rate:>35}{at_best:>27}{client:>22}{server:>22}", self.place)?;
        write!(f, "{:<30}{rates}{best}{cpu}{cpu}", "")?;
        for runs in &self.runs {
            let all = [&runs.stock, &runs.vaquita, &runs.c];
            let [stock, vaquita, c] = all.map(|samples| Figure(middle(samples, Sample::rate)));
            let ratio = Ratio(runs.ratio());
            write!(f, "\n{:<30}{stock:>9}{vaquita:>9}{ratio:>8}{c:>9}", runs.of)?;
            for samples in all {
                let best = samples.iter().map(Sample::rate).max_by(f64::total_cmp);
                write!(f, "{:>9}", Figure(best))?;
            }
            for cpu in [Sample::client_ms, Sample::server_ms] {
                let [stock, vaquita, c] = all.map(|samples| Microseconds(each_us(samples, cpu)));
                write!(f, "{stock:>7}{vaquita:>8}{c:>7}")?;
            }
        }
        Ok(())
    }
}

/// Where Vaquita is worse, a line for each table.
pub(super) fn losses(tables: &[Table]) -> String {
    let mut lines = Vec::new();
    for table in tables {
        let losses: Vec<String> = table.runs.iter().filter_map(losses_of).collect();
        if !losses.is_empty() {
            lines.push(format!("\n  {}: {}", table.place, losses.join("; ")));
        }
    }
    if lines.is_empty() {
        return "Stock is better by more than 3 % in nothing.".to_owned();
    }
    format!("Stock is better by more than 3 % in:{}", lines.concat())
}

/// Such as "mysqli page rate (0.92), client CPU (0.75)".
fn losses_of(runs: &Runs) -> Option<String> {
    let cpu = ratio(&runs.stock, &runs.vaquita, Sample::client_us);
    let losses = [("rate", runs.ratio()), ("client CPU", cpu)]
        .into_iter()
        .filter(|(_, ratio)| ratio.is_some_and(|ratio| ratio < LOSS))
        .map(|(name, ratio)| format!("{name} ({})", Ratio(ratio)));
    let losses: Vec<String> = losses.collect();
    (!losses.is_empty()).then(|| format!("{} {}", runs.of, losses.join(", ")))
}

/// What the demo shows.
pub(super) struct Short<'a>(pub(super) &'a [Runs]);

impl fmt::Display for Short<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "Persistent connections, how often in a second (`make persistent` shows all):"
        )?;
        write!(f, "{:<49}{:>9}{:>9}{:>8}", "", "stock", "vaquita", "ratio")?;
        for runs in self.0 {
            let what = match runs.of.what {
                super::loops::What::Page => "mysqli p:, connect, five small queries, close",
                _ => "mysqli p:, connect, SELECT 1, close",
            };
            let [stock, vaquita] =
                [&runs.stock, &runs.vaquita].map(|samples| Figure(middle(samples, Sample::rate)));
            write!(f, "\n{what:<49}{stock:>9}{vaquita:>9}{:>8}", Ratio(runs.ratio()))?;
        }
        Ok(())
    }
}

/// A figure without a fraction.
struct Figure(Option<f64>);

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0.map_or("-".to_owned(), |figure| format!("{figure:.0}")))
    }
}

/// A time with a fraction where it is short.
struct Microseconds(Option<f64>);

impl fmt::Display for Microseconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = |figure: f64| usize::from(figure < 10.0);
        f.pad(&self.0.map_or("-".to_owned(), |it| format!("{it:.*}", digits(it))))
    }
}

#[cfg(test)]
mod tests {
    use super::super::loops::{Api, Kind, What};
    use super::super::runner::tests::sample;
    use super::*;

    fn table(stock: f64, vaquita: f64) -> Table {
        let of = Loop::new(Api::Mysqli, What::Connect, Kind::Persistent);
        let (stock, vaquita) = (vec![sample(stock)], vec![sample(vaquita)]);
        Table {
            place: "a server".to_owned(),
            runs: vec![Runs { of, stock, vaquita, c: Vec::new() }],
        }
    }

    #[test]
    fn a_line_has_all_figures() {
        let text = table(1000.0, 2999.0).to_string();
        let line = text.lines().last().unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(line, "mysqli connect, p: 1000 2999 2.99 - 1000 2999 - 500 167 - 250 83 -");
    }

    #[test]
    fn losses_are_named() {
        assert_eq!(losses(&[table(100.0, 98.0)]), "Stock is better by more than 3 % in nothing.");
        let text = losses(&[table(200.0, 199.0), table(200.0, 100.0)]);
        let line = "\n  a server: mysqli connect, p: rate (0.50), client CPU (0.50)";
        assert!(text.ends_with(line) && text.lines().count() == 2, "{text}");
    }

    #[test]
    fn the_demo_shows_a_line_a_loop() {
        let table = table(1000.0, 3000.0);
        let text = Short(&table.runs).to_string();
        assert!(text.lines().last().unwrap().ends_with("1000     3000    3.00"), "{text}");
    }
}
