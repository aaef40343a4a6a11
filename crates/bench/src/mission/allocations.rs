//! What a small query allocates: calls and bytes by size, counted by `vaquita alloc` between marks of the script.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::bench::Bench;
use super::data::MIXED;
use super::plot::{Buckets, Histogram, Plot};
use super::results::Results;
use super::verdict;
use super::workload::{Case, Measure, Outcome, Repeats, Runner, Workload};
use crate::figure::Figure;
use crate::process::output;
use crate::promise::Promise;
use crate::server::Server;

const SCRIPT: &str = "crates/bench/allocations/queries.php";
/// The ways of the script, and how it is in words; the first is compared with C.
const WAYS: [(&str, &str); 4] = [
    ("mysqli", "query, fetch_all"),
    ("mysqli_loop", "query, foreach"),
    ("mysqli_prepared", "execute, get_result"),
    ("pdo", "PDO query, fetchAll"),
];
/// The stretches that it marks.
const STRETCHES: [(&str, &str); 2] = [("1", "the first query"), ("2", "1,000 queries, warm")];
const BESIDE_ZEND: &str = "outside the Zend allocator";
const ALL: &str = "all, with USE_ZEND_ALLOC=0";
const IN_ALL_THREE: &[Runner] = &[Runner::Stock, Runner::Vaquita, Runner::C];
const MEASURES: [Measure; 4] = [
    Measure::new("allocations", "calls"),
    Measure::new("in them", "bytes"),
    Measure::told("free", "calls"),
    Measure::new("mmap, munmap, mremap", "calls"),
];

/// The workload.
pub(super) struct Allocations {
    server: Server,
    lines: Vec<Line>,
    sizes: BTreeMap<(usize, Runner), Buckets>,
}

/// A case.
struct Line {
    way: &'static str,
    stretch: &'static str,
    has_zend: bool,
    case: Case,
}

impl Allocations {
    /// On this server.
    pub(super) fn new(server: &Server) -> Allocations {
        let mut lines = Vec::new();
        for (has_zend, group) in [(true, BESIDE_ZEND), (false, ALL)] {
            for (way, called) in WAYS {
                for (stretch, when) in STRETCHES {
                    // C has no allocator of Zend's.
                    let runners =
                        if way == "mysqli" { IN_ALL_THREE } else { super::workload::BOTH };
                    let name = format!("{called}: {when}");
                    let case = Case { group: group.to_owned(), name, runners };
                    lines.push(Line { way, stretch, has_zend, case });
                }
            }
        }
        Allocations { server: server.clone(), lines, sizes: BTreeMap::new() }
    }
}

impl Workload for Allocations {
    fn name(&self) -> &'static str {
        "allocations"
    }

    fn title(&self) -> &'static str {
        "What a query of three rows allocates"
    }

    fn about(&self) -> String {
        "Every call of malloc, calloc, realloc, memalign and free, and of mmap, munmap and mremap, between the query and the end of its rows: the first query of a connection, and 1,000 \
        of them after 50. Usually PHP's values come from the Zend allocator, which asks the system for 2 MiB at a time: what is counted then is what a driver asks for beside it. With \
        USE_ZEND_ALLOC=0 each value is a malloc, and all are seen. A histogram has a line for each power of two, up to the next."
            .to_owned()
    }

    fn measures(&self) -> Vec<Measure> {
        MEASURES.to_vec()
    }

    fn cases(&self) -> Vec<Case> {
        self.lines.iter().map(|line| line.case.clone()).collect()
    }

    fn repeats(&self) -> Repeats {
        Repeats::Once
    }

    fn prepare(&mut self, bench: &Bench) -> Result<(), String> {
        MIXED.load(bench, &self.server)
    }

    fn run(&mut self, case: usize, runner: Runner, bench: &Bench) -> Result<Outcome, String> {
        let line = self.lines.get(case).ok_or("there is no such case")?;
        let written = env::temp_dir().join(format!("vaquita-allocations-{}", std::process::id()));
        let arguments: &[&str] = if runner == Runner::C { &[] } else { &[line.way] };
        let command = bench.command(runner, (SCRIPT, "queries"), arguments)?;
        let mut counted = counted(&bench.program("vaquita"), &command, &written);
        self.server.describe_to(&mut counted);
        if !line.has_zend {
            counted.env("USE_ZEND_ALLOC", "0");
        }
        let printed = output(&mut counted).map_err(|it| format!("{}: {it}", runner.name()))?;
        let counts =
            fs::read_to_string(&written).map_err(|it| format!("{}: {it}", written.display()))?;
        // It is in the system's folder for such files.
        let _ = fs::remove_file(&written);
        let counts = Counts::read(&counts, line.stretch)
            .ok_or_else(|| format!("unexpected counts: {counts}"))?;
        let figures = counts.figures();
        self.sizes.insert((case, runner), counts.sizes);
        let answer = (runner != Runner::C).then(|| printed.trim().to_owned());
        Ok(Outcome { answer, figures })
    }

    fn promises(&self, results: &Results) -> Vec<Promise> {
        let (_, when) = STRETCHES[1];
        let promise = |(_, called): (&str, &str)| {
            let case = results.of(BESIDE_ZEND, &format!("{called}: {when}"));
            let calls = case.and_then(|case| {
                let [allocations, mapped] =
                    [0, 3].map(|measure| case.median(Runner::Vaquita, measure));
                Some(allocations? + mapped?)
            });
            let what =
                format!("{called}: malloc, mmap and munmap outside the Zend allocator in {when}");
            verdict::at_most(&what, calls, 0.0)
        };
        WAYS.into_iter().map(promise).collect()
    }

    fn plots(&self, _results: &Results) -> Vec<Plot> {
        let plot = |(at, line): (usize, &Line)| {
            let of = |runner: &Runner| Some((*runner, self.sizes.get(&(at, *runner))?.clone()));
            let title = format!("{}: {}", line.case.group, line.case.name);
            let panels = line.case.runners.iter().filter_map(of).collect();
            Plot::Histogram(Histogram { title, unit: "allocations by size", panels })
        };
        self.lines.iter().enumerate().map(plot).collect()
    }
}

/// The command by `vaquita alloc`, which writes its lines to this file. PHP's own allocator is left alone: what is looked at is what stands beside it.
fn counted(vaquita: &Path, command: &Command, written: &Path) -> Command {
    let mut counted = Command::new(vaquita);
    counted.args(["alloc", "--marks", "--without-zend", "--lines", "--output"]).arg(written);
    counted.arg("--").arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => counted.env(name, value),
            None => counted.env_remove(name),
        };
    }
    counted
}

/// What was counted in a stretch.
#[derive(Debug, Default, PartialEq)]
struct Counts {
    sizes: Buckets,
    bytes: u64,
    freed: u64,
    mapped: u64,
}

impl Counts {
    /// Reads the lines of a stretch; `None`: one of them is something else.
    fn read(lines: &str, stretch: &str) -> Option<Counts> {
        let mut counts = Counts::default();
        for line in lines.lines() {
            let mut fields = line.split('\t');
            let (of, function) = (fields.next()?, fields.next()?);
            let mut number = || fields.next()?.parse::<u64>().ok();
            let (size, calls, bytes) = (number()?, number()?, number()?);
            match function {
                _ if of != stretch => {}
                "malloc" | "calloc" | "realloc" | "memalign" => {
                    *counts.sizes.entry(size).or_default() += calls;
                    counts.bytes += bytes;
                }
                "free" => counts.freed += calls,
                "mmap" | "munmap" | "mremap" => counts.mapped += calls,
                _ => return None,
            }
        }
        Some(counts)
    }

    /// In the order of the measures.
    fn figures(&self) -> Vec<f64> {
        let calls = self.sizes.values().sum();
        [calls, self.bytes, self.freed, self.mapped].map(Figure::of).to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stretch_has_its_own_counts() {
        let lines = "1 malloc 16 3 60 x\n1 free 0 2 0 x\n2 malloc 16 1 20 x\n2 calloc 16 2 40 y\n2 mmap 2097152 1 2097152 x\n";
        let lines = &*lines.replace(' ', "\t");
        let counts = Counts::read(lines, "2").unwrap();
        let expected = Counts { sizes: Buckets::from([(16, 3)]), bytes: 60, freed: 0, mapped: 1 };
        assert_eq!(counts, expected);
        assert_eq!(Counts::read(lines, "1").unwrap().figures(), [3.0, 60.0, 2.0, 0.0]);
        assert_eq!(Counts::read("", "1"), Some(Counts::default()));
        for wrong in ["1 malloc 16 3", "1 strdup 16 3 60", "x"] {
            assert_eq!(Counts::read(&wrong.replace(' ', "\t"), "1"), None, "{wrong}");
        }
    }
}
