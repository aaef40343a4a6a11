//! Results of all sizes: from one row to a million, from one column to forty; where each stack wins.

use super::bench::{Bench, Size};
use super::data;
use super::plot::{Lines, Plot};
use super::results::Results;
use super::verdict;
use super::workload::{Case, Measure, Outcome, Runner, WITH_NOISE, Workload};
use crate::process::{number, parse};
use crate::promise::Promise;
use crate::server::Server;

const SCRIPT: &str = "examples/rows.php";
const WAY: &str = "fetch_assoc";
const COLUMNS: [usize; 4] = [1, 2, 8, 40];
const ROWS: [u64; 7] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000];
/// Where a short look is enough.
const FEW_ROWS: u64 = 1_000;
/// How long one query is repeated.
const SECONDS: &str = "0.1s";
const MEASURES: [Measure; 2] =
    [Measure::new("wall", "us a query"), Measure::new("client CPU", "us a query")];
const WALL: usize = 0;

/// The workload.
pub(super) struct Sizes {
    server: Server,
    cells: Vec<(usize, u64)>,
}

impl Sizes {
    /// On this server.
    pub(super) fn new(server: &Server, size: Size) -> Sizes {
        let most = size.pick(u64::MAX, FEW_ROWS);
        let rows = || ROWS.into_iter().filter(move |rows| *rows <= most);
        let cells = COLUMNS.into_iter().flat_map(|columns| rows().map(move |rows| (columns, rows)));
        Sizes { server: server.clone(), cells: cells.collect() }
    }
}

fn group(columns: usize) -> String {
    format!("{columns} column{}", if columns == 1 { "" } else { "s" })
}

/// So many rows with so many columns: up to a thousand from the table, more from its rows beside each other.
fn query(columns: usize, rows: u64) -> String {
    let columns: Vec<String> = (0..columns).map(|at| format!("w.c{at}")).collect();
    let more = if rows > data::WIDE_ROWS.into() { "bench_wide AS many STRAIGHT_JOIN " } else { "" };
    format!("SELECT {} FROM {more}bench_wide AS w LIMIT {rows}", columns.join(", "))
}

impl Workload for Sizes {
    fn name(&self) -> &'static str {
        "sizes"
    }

    fn title(&self) -> &'static str {
        "Results of all sizes"
    }

    fn about(&self) -> String {
        "query() and a loop of fetch_assoc() that drops each row, over and over on one connection for a tenth of a second, or once where that takes longer. Columns are short: numbers and \
        texts of 4 to 15 characters in turn. Where there are few rows the server and the system calls take most of the time."
            .to_owned()
    }

    fn measures(&self) -> Vec<Measure> {
        MEASURES.to_vec()
    }

    fn cases(&self) -> Vec<Case> {
        let case = |(columns, rows): &(usize, u64)| Case {
            group: group(*columns),
            name: format!("{rows} row{}", if *rows == 1 { "" } else { "s" }),
            runners: WITH_NOISE,
        };
        self.cells.iter().map(case).collect()
    }

    fn prepare(&mut self, bench: &Bench) -> Result<(), String> {
        data::load_wide(bench, &self.server)
    }

    fn run(&mut self, case: usize, runner: Runner, bench: &Bench) -> Result<Outcome, String> {
        let (columns, rows) = self.cells.get(case).ok_or("there is no such case")?;
        let times = bench.size.pick(SECONDS, "3");
        let printed = bench.run(
            runner,
            (SCRIPT, ""),
            &[WAY, &query(*columns, *rows), times],
            &self.server,
        )?;
        read(&printed, *rows)
    }

    fn promises(&self, results: &Results) -> Vec<Promise> {
        let slower = results.count_losses(WALL);
        vec![verdict::at_most("cells that are slower than on stock beyond the noise", slower, 0.0)]
    }

    fn plots(&self, results: &Results) -> Vec<Plot> {
        let mut xs: Vec<u64> = self.cells.iter().map(|(_, rows)| *rows).collect();
        xs.sort_unstable();
        xs.dedup();
        let lines = |measure: usize| {
            let line = |columns: usize| {
                let name = group(columns);
                let values = results.group(&name).map(|case| case.ratio(measure)).collect();
                (name, values)
            };
            COLUMNS.into_iter().map(line).collect()
        };
        let plot = |(at, measure): (usize, &Measure)| {
            Plot::Lines(Lines {
                title: format!("Stock's {} to Vaquita's: above 1 Vaquita is better", measure.name),
                across: "rows",
                xs: xs.iter().map(u64::to_string).collect(),
                lines: lines(at),
                one: Some("the same"),
            })
        };
        MEASURES.iter().enumerate().map(plot).collect()
    }
}

/// Reads what a run prints; each of its results has to have so many rows.
fn read(printed: &str, rows: u64) -> Result<Outcome, String> {
    let report = parse(printed)?;
    if report.get("rows").and_then(serde_json::Value::as_u64) != Some(rows) {
        return Err(format!("there are {rows} rows: {printed}"));
    }
    let answer = report
        .get("digest")
        .and_then(serde_json::Value::as_str)
        .ok_or("no digest in its report")?;
    let times = number(&report, "times")?;
    let each = |key| Ok::<_, String>(number(&report, key)? * 1e3 / times);
    Ok(Outcome {
        answer: Some(answer.to_owned()),
        figures: vec![each("wall_ms")?, each("cpu_ms")?],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_that_of_one_query() {
        let line = r#"{"times":10,"rows":7,"digest":"ab","wall_ms":2.5,"cpu_ms":1}"#;
        let expected = Outcome { answer: Some("ab".to_owned()), figures: vec![250.0, 100.0] };
        assert_eq!(read(line, 7), Ok(expected));
        assert!(read(line, 8).is_err() && read("", 7).is_err());
    }

    #[test]
    fn a_large_result_is_made_of_rows_beside_each_other() {
        assert_eq!(query(2, 10), "SELECT w.c0, w.c1 FROM bench_wide AS w LIMIT 10");
        let many = query(1, 1_000_000);
        assert_eq!(
            many,
            "SELECT w.c0 FROM bench_wide AS many STRAIGHT_JOIN bench_wide AS w LIMIT 1000000"
        );
    }

    #[test]
    fn a_short_look_leaves_the_large_ones_out() {
        let cells = |size| Sizes::new(&Server::for_tests(), size).cases().len();
        assert_eq!([cells(Size::Full), cells(Size::Small)], [28, 16]);
    }
}
