//! A loop of middle-sized results: whether their memory is asked of the kernel and given back each time.

use std::collections::BTreeMap;
use std::path::Path;

use super::bench::{Bench, Size};
use super::data::{LARGE, MIXED, Table};
use super::plot::{self, Plot};
use super::results::{CaseResults, Results};
use super::verdict;
use super::workload::{Case, Measure, Outcome, Runner, WITH_NOISE, Workload};
use crate::figure::Figure;
use crate::process::{number, parse};
use crate::promise::Promise;
use crate::server::Server;

const SCRIPT: &str = "examples/rows.php";
const RESULTS: [Of; 3] = [
    Of {
        table: MIXED,
        rows: 7_400,
        called: "1 MB: 7,400 rows of T2",
        ways: &["fetch_all", "fetch_assoc", "pdo_buffered"],
        counted: [50, 1_050],
    },
    Of {
        table: LARGE,
        rows: 10,
        called: "1 MB: 10 rows of T3",
        ways: &["fetch_all"],
        counted: [50, 1_050],
    },
    Of {
        table: MIXED,
        rows: 30_000,
        called: "4 MB: 30,000 rows of T2",
        ways: &["fetch_all", "fetch_assoc"],
        counted: [10, 110],
    },
];
/// How often each query is asked for the times of a round.
const TIMES: &str = "200";
const FEW_TIMES: &str = "3";
const FEW_COUNTED: [u32; 2] = [5, 15];
/// How memory comes and goes: malloc moves the end of its heap where it does not map.
const CALLS: [&str; 5] = ["mmap", "munmap", "mremap", "brk", "madvise"];
const MEASURES: [Measure; 5] = [
    Measure::new("wall", "ms"),
    Measure::new("client CPU", "ms"),
    Measure::told("of it system", "ms"),
    Measure::told("page faults", "each"),
    Measure::within("mmap, munmap, mremap, brk, madvise", "calls in 100", 1.0),
];
const WALL: usize = 0;
const CPU: usize = 1;
const SYSTEM: usize = 2;
const MAPPED: usize = 4;

/// The workload.
pub(super) struct Middle {
    server: Server,
    lines: Vec<Line>,
    /// The numbers of system calls, which don't drift.
    calls: BTreeMap<(usize, Runner), f64>,
}

/// A result, and the ways of the script to fetch it.
struct Of {
    table: Table,
    rows: u32,
    called: &'static str,
    ways: &'static [&'static str],
    /// How many queries system calls are counted of: what the second process makes more, it makes for the queries.
    counted: [u32; 2],
}

/// A case.
struct Line {
    table: Table,
    rows: u32,
    way: &'static str,
    counted: [u32; 2],
    case: Case,
}

impl Middle {
    /// On this server.
    pub(super) fn new(server: &Server, size: Size) -> Middle {
        let mut lines = Vec::new();
        for Of { table, rows, called, ways, counted } in RESULTS {
            for &way in ways {
                let case =
                    Case { group: called.to_owned(), name: way.to_owned(), runners: WITH_NOISE };
                let rows = rows.min(table.rows(size));
                let counted = size.pick(counted, FEW_COUNTED);
                lines.push(Line { table, rows, way, counted, case });
            }
        }
        Middle { server: server.clone(), lines, calls: BTreeMap::new() }
    }

    /// How many calls are made for 100 queries.
    fn count(&self, line: &Line, runner: Runner, bench: &Bench) -> Result<f64, String> {
        let stack = bench.stack(runner)?;
        let count = |times: u32| {
            let arguments = [line.way, &line.sql(), &times.to_string(), "quiet"];
            stack.system_calls(&CALLS, Path::new(SCRIPT), &arguments, &self.server)
        };
        let [few, many] = line.counted.map(count);
        Ok(in_a_hundred(&few?, &many?, line.counted))
    }
}

impl Line {
    fn sql(&self) -> String {
        format!("SELECT * FROM {} LIMIT {}", self.table.name, self.rows)
    }
}

fn in_a_hundred(few: &[u64], many: &[u64], [least, most]: [u32; 2]) -> f64 {
    let more = many.iter().sum::<u64>().saturating_sub(few.iter().sum());
    Figure::of(more) * 100.0 / f64::from(most - least)
}

impl Workload for Middle {
    fn name(&self) -> &'static str {
        "middle"
    }

    fn title(&self) -> &'static str {
        "Results of 1 MB and 4 MB, over and over"
    }

    fn about(&self) -> String {
        format!(
            "A query with a result of 1 or 4 MB, {TIMES} times on one connection: the time of each. An allocator that gives memory back at once asks the kernel for it each time, \
            which shows in system calls, page faults and system time. The calls are counted by strace, once: those of a process with 1,000 queries more (of 4 MB: 100) less those of \
            one with the others, for 100 queries. They are all of the process's own, PHP's included."
        )
    }

    fn measures(&self) -> Vec<Measure> {
        MEASURES.to_vec()
    }

    fn cases(&self) -> Vec<Case> {
        self.lines.iter().map(|line| line.case.clone()).collect()
    }

    fn prepare(&mut self, bench: &Bench) -> Result<(), String> {
        RESULTS.iter().try_for_each(|it| it.table.load(bench, &self.server))
    }

    fn run(&mut self, case: usize, runner: Runner, bench: &Bench) -> Result<Outcome, String> {
        let line = self.lines.get(case).ok_or("there is no such case")?;
        // The second stock is for what drifts.
        let counted = if runner == Runner::Vaquita { runner } else { Runner::Stock };
        let calls = match self.calls.get(&(case, counted)) {
            Some(calls) => *calls,
            None => self.count(line, counted, bench)?,
        };
        let times = bench.size.pick(TIMES, FEW_TIMES);
        let printed =
            bench.run(runner, (SCRIPT, ""), &[line.way, &line.sql(), times], &self.server)?;
        let outcome = read(&printed, line.rows, calls)?;
        self.calls.insert((case, counted), calls);
        Ok(outcome)
    }

    fn promises(&self, results: &Results) -> Vec<Promise> {
        let promises = |case: &CaseResults| {
            let what = format!("{}, {}", case.case.group, case.case.name);
            // Of all runs together: the kernel tells one's two shares by where its ticks fell.
            let share = |runner| {
                let [system, cpu] =
                    [SYSTEM, CPU].map(|it| case.figures(runner, it).iter().sum::<f64>());
                (cpu > 0.0).then(|| system / cpu * 100.0)
            };
            let above = share(Runner::Vaquita).zip(share(Runner::Stock));
            let mapped = case.median(Runner::Vaquita, MAPPED);
            [
                verdict::at_most(
                    &format!("{what}: mmap, munmap, brk and their like in 100 queries"),
                    mapped,
                    1.0,
                ),
                verdict::at_most(
                    &format!("{what}: points of system CPU above stock's share"),
                    above.map(|(vaquita, stock)| vaquita - stock),
                    2.0,
                ),
            ]
        };
        results.cases.iter().flat_map(promises).collect()
    }

    fn plots(&self, results: &Results) -> Vec<Plot> {
        let bars = |group: &&str| {
            [WALL, SYSTEM, MAPPED].map(|measure| plot::bars(results, group, measure))
        };
        results.groups().iter().flat_map(bars).collect()
    }
}

/// Reads what a run prints; each of its results has to have so many rows.
fn read(printed: &str, rows: u32, calls: f64) -> Result<Outcome, String> {
    let report = parse(printed)?;
    if report.get("rows").and_then(serde_json::Value::as_u64) != Some(rows.into()) {
        return Err(format!("there are {rows} rows: {printed}"));
    }
    let answer = report.get("digest").and_then(serde_json::Value::as_str).map(str::to_owned);
    let times = number(&report, "times")?;
    let each = |key| Ok::<_, String>(number(&report, key)? / times);
    let figures =
        vec![each("wall_ms")?, each("cpu_ms")?, each("system_ms")?, each("faults")?, calls];
    Ok(Outcome { answer: Some(answer.ok_or("no digest in its report")?), figures })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_that_of_one_query() {
        let line = r#"{"times":10,"rows":7,"digest":"ab","wall_ms":25,"cpu_ms":20,"system_ms":5,"faults":30}"#;
        let figures = vec![2.5, 2.0, 0.5, 3.0, 8.0];
        assert_eq!(figures.len(), MEASURES.len());
        let expected = Outcome { answer: Some("ab".to_owned()), figures };
        assert_eq!(read(line, 7, 8.0), Ok(expected));
        assert!(read(line, 8, 0.0).is_err() && read("", 7, 0.0).is_err());
    }

    #[test]
    fn what_comes_before_the_first_query_is_not_counted() {
        let (few, many) = ([50, 20, 0, 4, 0], [60, 29, 1, 4, 3]);
        assert_eq!(in_a_hundred(&few, &many, [5, 15]), 230.0);
        assert_eq!(in_a_hundred(&few, &few, [5, 15]), 0.0);
    }

    #[test]
    fn every_case_has_two_promises() {
        let workload = Middle::new(&Server::for_tests(), Size::Full);
        let promises = workload.promises(&Results::new(workload.measures(), workload.cases()));
        assert_eq!(promises.len(), 2 * workload.lines.len());
        assert!(promises.iter().all(|it| !it.is_held));
        let rows = |size| Middle::new(&Server::for_tests(), size).lines[0].rows;
        assert_eq!([rows(Size::Full), rows(Size::Small)], [7_400, 3_000]);
    }
}
