//! User instructions for a row and for a call: callgrind counts them, and they hardly drift, whatever else the machine does.

use std::path::Path;

use super::bench::{Bench, Size};
use super::data::MIXED;
use super::plot::{self, Plot};
use super::results::Results;
use super::verdict;
use super::workload::{BOTH, Case, Measure, Outcome, Repeats, Runner, Workload};
use crate::figure::Figure;
use crate::promise::Promise;
use crate::server::Server;

const ROWS_SCRIPT: &str = "examples/rows.php";
const CALLS_SCRIPT: &str = "examples/calls.php";
/// How many rows: what the second process needs more, it needs for the rows.
const ROWS: [u64; 2] = [2_000, 22_000];
/// How many calls.
const CALLS: [u64; 2] = [500, 2_500];
/// The ways to get rows, and how many times fewer instructions than stock's were promised.
const WAYS: [(&str, f64); 6] = [
    ("fetch_all", 3.0),
    ("fetch_all_use_result", 3.0),
    ("fetch_assoc", 2.7),
    ("fetch_assoc_use_result", 2.7),
    ("pdo_buffered", 2.0),
    ("pdo_unbuffered", 2.0),
];
/// What else may be done with rows; nothing was promised of that.
const OTHER_WAYS: [&str; 4] =
    ["fetch_all_freed", "fetch_assoc_dropped", "fetch_assoc_changed", "mysqli_fetch_assoc"];
const A_ROW: &str = "a row of T2, 8 mixed columns";
const A_CALL: &str = "a call";
/// One row by its key: what is called so, and what is selected.
const BY_KEY: [(&str, &str); 2] = [
    ("a value by key: query, fetch_assoc", "name"),
    ("a row of 8 by key: query, fetch_assoc", "*"),
];
/// How much of stock's instructions that may need.
const BY_KEY_SHARE: f64 = 0.75;
/// Where a short look is enough, these two.
const FEW: [&str; 2] = ["fetch_all", BY_KEY[0].0];

/// The workload.
pub(super) struct Instructions {
    server: Server,
    cases: Vec<Case>,
}

impl Instructions {
    /// On this server.
    pub(super) fn new(server: &Server, size: Size) -> Instructions {
        let mut cases: Vec<Case> = WAYS.iter().map(|(way, _)| case(A_ROW, way)).collect();
        cases.extend(OTHER_WAYS.iter().map(|way| case(A_ROW, way)));
        cases.extend(BY_KEY.iter().map(|(name, _)| case(A_CALL, name)));
        cases.retain(|it| size == Size::Full || FEW.contains(&&*it.name));
        Instructions { server: server.clone(), cases }
    }
}

fn case(group: &str, name: &str) -> Case {
    Case { group: group.to_owned(), name: name.to_owned(), runners: BOTH }
}

impl Workload for Instructions {
    fn name(&self) -> &'static str {
        "instructions"
    }

    fn title(&self) -> &'static str {
        "Instructions for a row and for a call"
    }

    fn about(&self) -> String {
        format!(
            "What the process itself executes, counted by callgrind, without the kernel: a process that fetches {} rows and one with {}, or makes {} calls and {}; the difference, \
            for each. Rows have the names of columns as keys; fetch_assoc is a loop that drops each row. Statistics are on, as usual.",
            ROWS[0], ROWS[1], CALLS[0], CALLS[1]
        )
    }

    fn measures(&self) -> Vec<Measure> {
        vec![Measure::new("user instructions", "each")]
    }

    fn cases(&self) -> Vec<Case> {
        self.cases.clone()
    }

    fn repeats(&self) -> Repeats {
        Repeats::Once
    }

    fn prepare(&mut self, bench: &Bench) -> Result<(), String> {
        if bench.size == Size::Full {
            let calls = bench.stock.calls(Path::new(CALLS_SCRIPT))?;
            self.cases.extend(calls.iter().map(|name| case(A_CALL, name)));
        }
        // A table of a hundredth has enough rows.
        MIXED.load(bench, &self.server)
    }

    fn run(&mut self, case: usize, runner: Runner, bench: &Bench) -> Result<Outcome, String> {
        let case = self.cases.get(case).ok_or("there is no such case")?;
        let stack = bench.stack(runner)?;
        let count = |times: u64| {
            let all_rows = format!("SELECT * FROM {} LIMIT {times}", MIXED.name);
            let by_key = BY_KEY.iter().find(|(name, _)| *name == case.name);
            let by_key =
                by_key.map(|(_, of)| format!("SELECT {of} FROM {} WHERE id = 77", MIXED.name));
            let times = times.to_string();
            let (script, arguments): (_, &[&str]) = match (&*case.group, &by_key) {
                (A_ROW, _) => (ROWS_SCRIPT, &[&case.name, &all_rows, "1", "quiet"]),
                (_, Some(sql)) => (ROWS_SCRIPT, &["fetch_assoc", sql, &times, "quiet"]),
                _ => (CALLS_SCRIPT, &[&case.name, &times]),
            };
            stack.instructions(Path::new(script), arguments, &self.server)
        };
        let [few, many] = if case.group == A_ROW { ROWS } else { CALLS };
        let more = count(many)?.saturating_sub(count(few)?);
        Ok(Outcome { answer: None, figures: vec![Figure::of(more) / Figure::of(many - few)] })
    }

    fn promises(&self, results: &Results) -> Vec<Promise> {
        let row = |(way, least): &(&str, f64)| {
            let what = format!("{way}: stock's user instructions for a row to Vaquita's");
            let ratio = results.of(A_ROW, way).and_then(|it| it.ratio(0));
            verdict::at_least(&what, ratio, *least)
        };
        let small = |(name, _): &(&str, &str)| {
            let share = results.of(A_CALL, name);
            let share = share.and_then(|it| it.ratio_of(Runner::Vaquita, Runner::Stock, 0));
            verdict::at_most(
                &format!("{name}: Vaquita's user instructions to stock's"),
                share,
                BY_KEY_SHARE,
            )
        };
        WAYS.iter().map(row).chain(BY_KEY.iter().map(small)).collect()
    }

    fn plots(&self, results: &Results) -> Vec<Plot> {
        results.groups().into_iter().map(|group| plot::bars(results, group, 0)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_look_has_some_of_the_cases() {
        let names = |size| {
            let cases = Instructions::new(&Server::for_tests(), size).cases();
            cases.into_iter().map(|it| it.name).collect::<Vec<_>>()
        };
        assert_eq!(names(Size::Small), FEW);
        assert_eq!(names(Size::Full).len(), WAYS.len() + OTHER_WAYS.len() + BY_KEY.len());
    }
}
