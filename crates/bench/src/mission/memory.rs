//! Memory before, with and after a large result: what the kernel gives, what PHP tells of it, and how much of that is for each row.

use std::fs;

use super::bench::{Bench, Size};
use super::data::{self, LARGE, MIXED};
use super::plot::{self, Plot};
use super::results::{CaseResults, Results};
use super::verdict;
use super::workload::{BOTH, Case, Measure, ON_VAQUITA, Outcome, Repeats, Runner, Workload};
use crate::process::{number, output, parse};
use crate::promise::Promise;
use crate::server::Server;

const SCRIPT: &str = "examples/memory.php";
/// The ways of the script, and what they are called.
const WAYS: [(&str, &str); 11] = [
    ("fetch_all", "fetch_all"),
    ("fetch_all_use_result", "fetch_all, use_result"),
    ("store_result", "store_result, rows kept"),
    ("use_result", "use_result, rows kept"),
    ("pdo_buffered", "PDO, buffered"),
    ("pdo_unbuffered", "PDO, unbuffered"),
    ("fetch_all_modified", "fetch_all, each row modified"),
    ("stored_dropped", "store_result, rows dropped"),
    ("used_dropped", "use_result, rows dropped"),
    ("stored", STORED),
    ("lazy", LAZY),
];
/// The first of them are the six ways to fetch.
const SIX: usize = 6;
const STORED: &str = "stored, nothing fetched";
const LAZY: &str = "Vaquita\\rows";
const ROWS: &str = "T2: 8 mixed columns";
const HUGE: &str = "T3, three times over";
const STORED_HUGE: &str = "stored, nothing fetched, freed";
/// What is also measured with a preloaded allocator, and that.
const LARGE_ROWS: &str = "T3: 100 KB each";
const JEMALLOC: &str = "libjemalloc.so.2";
const WITH_JEMALLOC: &str = ", jemalloc preloaded";
/// The names of T2's cases that something was promised of.
const PROMISED: [&str; SIX + 2] =
    [WAYS[0].1, WAYS[1].1, WAYS[2].1, WAYS[3].1, WAYS[4].1, WAYS[5].1, STORED, LAZY];
/// How many times less rows tell what is for each of them.
const FEWER: u32 = 4;
/// What the kernel and PHP's caches make of a process differs by as much.
const SAME_MIB: f64 = 0.25;
const MEASURES: [Measure; 10] = [
    Measure::within("RSS with the rows", "MiB", SAME_MIB),
    Measure::told("memory_get_usage", "MiB"),
    Measure::within("peak RSS", "MiB", SAME_MIB),
    Measure::told("memory_get_peak_usage", "MiB"),
    Measure::told("RSS after", "MiB"),
    Measure::told("memory_get_usage after", "MiB"),
    Measure::told("wire", "MiB"),
    Measure::within("RSS a row", "bytes", 1.0),
    Measure::told("wire a row", "bytes"),
    Measure::told("RSS besides", "KiB"),
];
/// Places in those.
const RSS: usize = 0;
const USAGE: usize = 1;
const PEAK: usize = 2;
const PEAK_USAGE: usize = 3;
const AFTER: usize = 4;
const WIRE: usize = 6;
const RSS_A_ROW: usize = 7;
const WIRE_A_ROW: usize = 8;

/// The workload.
pub(super) struct Memory {
    server: Server,
    cases: Vec<Case>,
    size: Size,
    /// Whether Vaquita has lazy rows is found out.
    has_lazy: bool,
}

impl Memory {
    /// On this server.
    pub(super) fn new(server: &Server, size: Size) -> Memory {
        let case = |group: &str, name: &str, runners| Case {
            group: group.to_owned(),
            name: name.to_owned(),
            runners,
        };
        let of = |(_, name): &(&str, &str)| {
            case(ROWS, name, if *name == LAZY { ON_VAQUITA } else { BOTH })
        };
        let mut cases: Vec<Case> = WAYS.iter().map(of).collect();
        cases.push(case(LARGE_ROWS, WAYS[0].1, BOTH));
        cases.push(case(HUGE, STORED_HUGE, BOTH));
        // Of what was promised without it.
        let promised = |it: &&Case| it.group != ROWS || PROMISED.contains(&&*it.name);
        let again = |it: &Case| Case { group: it.group.clone() + WITH_JEMALLOC, ..it.clone() };
        let preloaded: Vec<Case> = cases.iter().filter(promised).map(again).collect();
        cases.extend(preloaded);
        Memory { server: server.clone(), cases, size, has_lazy: true }
    }

    fn measure(
        &self,
        runner: Runner,
        (way, has_jemalloc): (&str, bool),
        sql: &str,
        bench: &Bench,
    ) -> Result<Option<Grown>, String> {
        let mut command = bench.command(runner, (SCRIPT, ""), &[way, sql])?;
        self.server.describe_to(&mut command);
        if has_jemalloc {
            // Without the first one extensions would not get it.
            let shim = fs::canonicalize(bench.program("dlopen.so")).map_err(|it| it.to_string())?;
            command.env("LD_PRELOAD", format!("{} {JEMALLOC}", shim.display()));
        }
        let printed = output(&mut command).map_err(|it| format!("{}: {it}", runner.name()))?;
        if printed.trim() == "{}" { Ok(None) } else { Grown::read(&printed).map(Some) }
    }
}

impl Workload for Memory {
    fn name(&self) -> &'static str {
        "memory"
    }

    fn title(&self) -> &'static str {
        "Memory with a large result"
    }

    fn about(&self) -> String {
        format!(
            "How much more memory there is than before the query: RSS, which the kernel gives, and memory_get_usage(true), which is what memory_limit counts; with the rows, at the most, and when they \
            are gone (and PHP's caches emptied). Rows have the names of columns as keys. The share of each row is what {FEWER} times as many rows need more; what is left is RSS besides. \
            wire: how many bytes the server sent (mysqli_get_client_stats). jemalloc: {JEMALLOC} in the place of the C library's malloc, for PHP and for its extensions, which would not see it \
            by LD_PRELOAD alone (PHP opens them by RTLD_DEEPBIND; Debian's PHP with its stock extensions ends by a signal then). {}",
            data::sizes(self.size)
        )
    }

    fn measures(&self) -> Vec<Measure> {
        MEASURES.to_vec()
    }

    fn cases(&self) -> Vec<Case> {
        self.cases.iter().filter(|it| self.has_lazy || it.name != LAZY).cloned().collect()
    }

    fn repeats(&self) -> Repeats {
        Repeats::Once
    }

    fn prepare(&mut self, bench: &Bench) -> Result<(), String> {
        self.has_lazy =
            self.measure(Runner::Vaquita, ("lazy", false), "SELECT 1", bench)?.is_some();
        MIXED.load(bench, &self.server)?;
        LARGE.load(bench, &self.server)
    }

    fn run(&mut self, case: usize, runner: Runner, bench: &Bench) -> Result<Outcome, String> {
        let cases = self.cases();
        let case = cases.get(case).ok_or("there is no such case")?;
        let way = WAYS.iter().find(|(_, name)| *name == case.name).map_or("stored", |(way, _)| way);
        let group = case.group.strip_suffix(WITH_JEMALLOC);
        let has_jemalloc = group.is_some();
        let measure = |sql: &str| {
            let grown = self.measure(runner, (way, has_jemalloc), sql, bench)?;
            grown.ok_or("it has no lazy rows".to_owned())
        };
        let group = group.unwrap_or(&case.group);
        let (sql, fewer, rows) = if group == HUGE {
            let rows = LARGE.rows(bench.size);
            let all = vec![format!("SELECT * FROM {}", LARGE.name); 3];
            let fewer = format!("SELECT * FROM {} LIMIT {}", LARGE.name, rows / FEWER);
            (all.join(" UNION ALL "), fewer, [rows / FEWER, rows * 3])
        } else {
            let table = if group == LARGE_ROWS { LARGE } else { MIXED };
            let rows = table.rows(bench.size);
            let sql = |rows| format!("SELECT * FROM {} LIMIT {rows}", table.name);
            (sql(rows), sql(rows / FEWER), [rows / FEWER, rows])
        };
        let (all, fewer) = (measure(&sql)?, measure(&fewer)?);
        Ok(Outcome { answer: None, figures: all.figures(&fewer, rows) })
    }

    fn promises(&self, results: &Results) -> Vec<Promise> {
        ["", WITH_JEMALLOC].into_iter().flat_map(|with| promises(results, with)).collect()
    }

    fn plots(&self, results: &Results) -> Vec<Plot> {
        let groups = results.groups();
        groups
            .iter()
            .flat_map(|group| [RSS, PEAK].map(|measure| plot::bars(results, group, measure)))
            .collect()
    }
}

/// What was promised, with or without a preloaded allocator.
fn promises(results: &Results, with: &str) -> Vec<Promise> {
    let of = |group: &str, name: &str| results.of(&format!("{group}{with}"), name);
    let figure = |case: Option<&CaseResults>, measure| case?.median(Runner::Vaquita, measure);
    let mut all = Vec::new();
    let mut at_most = |what: &str, figure: Option<f64>, most: f64| {
        all.push(verdict::at_most(&format!("{what}{with}"), figure, most));
    };
    for (_, name) in WAYS.iter().take(SIX) {
        let case = of(ROWS, name);
        // With the rows, and when there was most.
        let apart = [(RSS, USAGE), (PEAK, PEAK_USAGE)]
            .map(|(rss, usage)| Some(apart(figure(case, rss)?, figure(case, usage)?)));
        let most = match apart {
            [Some(with), Some(peak)] => Some(with.max(peak)),
            _ => None,
        };
        let what =
            format!("{name}: memory_get_usage(true) apart from RSS, in parts of 5 % or 2 MiB");
        at_most(&what, most, 1.0);
    }
    let unbuffered = of(ROWS, WAYS[1].1);
    let above = figure(unbuffered, PEAK).zip(figure(unbuffered, RSS)).map(|(peak, rss)| peak - rss);
    at_most("fetch_all, use_result: MiB of peak above the array", above, 1.0);
    let after = figure(of(HUGE, STORED_HUGE), AFTER);
    at_most("T3 three times over, 600 MB, freed: MiB of RSS above before", after, 1.0);
    let stored = of(ROWS, STORED);
    let a_row = figure(stored, RSS_A_ROW).zip(figure(stored, WIRE_A_ROW));
    let besides = a_row.map(|(rss, wire)| rss - wire);
    at_most("stored, nothing fetched: bytes of RSS a row besides the wire's", besides, 8.0);
    let lazy = of(ROWS, LAZY);
    let share = figure(lazy, RSS).zip(figure(lazy, WIRE)).map(|(rss, wire)| rss / wire);
    at_most("Vaquita\\rows over T2: RSS to the wire's bytes", share, 1.25);
    let large = of(LARGE_ROWS, WAYS[0].1);
    let share = large.and_then(|it| it.ratio_of(Runner::Vaquita, Runner::Stock, PEAK));
    at_most("T3, fetch_all: what peak RSS grows by, to stock's", share, 0.53);
    all
}

/// How far what PHP tells is from what the kernel gives, in parts of what is allowed: 5 %, or 2 MiB where that is more.
fn apart(rss: f64, usage: f64) -> f64 {
    (rss - usage).abs() / (rss * 0.05).max(2.0)
}

/// How much more there is than before, in KiB.
#[derive(Debug, PartialEq)]
struct Grown {
    rss: f64,
    usage: f64,
    peak: f64,
    peak_usage: f64,
    rss_after: f64,
    usage_after: f64,
    wire: f64,
}

impl Grown {
    fn read(printed: &str) -> Result<Grown, String> {
        let report = parse(printed)?;
        let figure = |key| number(&report, key);
        Ok(Grown {
            rss: figure("rss_kib")?,
            usage: figure("usage_kib")?,
            peak: figure("peak_kib")?,
            peak_usage: figure("peak_usage_kib")?,
            rss_after: figure("rss_after_kib")?,
            usage_after: figure("usage_after_kib")?,
            wire: figure("wire_kib")?,
        })
    }

    /// In the order of the measures, with what fewer rows need, and how many rows there are then and here.
    fn figures(&self, fewer: &Grown, [few, rows]: [u32; 2]) -> Vec<f64> {
        // Of the same rows: their numbers get longer.
        let each = |more: f64| more / f64::from(rows.saturating_sub(few).max(1));
        let [rss, wire] = [each(self.rss - fewer.rss), each(self.wire - fewer.wire)];
        let besides = self.rss - rss * f64::from(rows);
        let mib = [
            self.rss,
            self.usage,
            self.peak,
            self.peak_usage,
            self.rss_after,
            self.usage_after,
            self.wire,
        ];
        mib.into_iter()
            .map(|kib| kib / 1024.0)
            .chain([rss * 1024.0, wire * 1024.0, besides])
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_for_each_row_is_told_from_the_rest() {
        let line = r#"{"rss_kib":1124,"usage_kib":2048,"peak_kib":3072,"peak_usage_kib":4096,"rss_after_kib":0,"usage_after_kib":0,"wire_kib":512}"#;
        let all = Grown::read(line).unwrap();
        let fewer = Grown { rss: 356.0, wire: 128.0, ..Grown::read(line).unwrap() };
        // 100 KiB, and 1 KiB for each of 1024 rows, half of which came by the wire.
        let figures = all.figures(&fewer, [256, 1024]);
        assert_eq!(
            figures.get(1..),
            Some(&[2.0, 3.0, 4.0, 0.0, 0.0, 0.5, 1024.0, 512.0, 100.0][..])
        );
        assert_eq!(figures.len(), MEASURES.len());
        assert!(Grown::read("{}").is_err());
    }

    #[test]
    fn five_percent_or_two_mebibytes() {
        assert_eq!([apart(100.0, 105.0), apart(100.0, 90.0), apart(10.0, 11.0)], [1.0, 2.0, 0.5]);
    }

    #[test]
    fn what_was_promised_is_measured_with_another_allocator_too() {
        let memory = Memory::new(&Server::for_tests(), Size::Full);
        let promises = memory.promises(&Results::new(memory.measures(), memory.cases()));
        let (with, without): (Vec<_>, Vec<_>) =
            promises.iter().partition(|it| it.what.contains(WITH_JEMALLOC));
        assert_eq!([with.len(), without.len()], [SIX + 5; 2]);
        let cases = memory.cases();
        let preloaded = cases.iter().filter(|it| it.group.ends_with(WITH_JEMALLOC));
        assert_eq!(preloaded.count(), PROMISED.len() + 2);
    }

    #[test]
    fn lazy_rows_are_measured_where_there_are_any() {
        let mut memory = Memory::new(&Server::for_tests(), Size::Full);
        let lines = memory.cases().len();
        memory.has_lazy = false;
        assert_eq!(memory.cases().len(), lines - 2);
        assert!(memory.cases().iter().all(|it| it.runners == BOTH));
    }
}
