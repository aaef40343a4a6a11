//! What a PHP costs that does nothing: how long it takes to start and to end, and what memory it has for itself.

use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

use super::bench::Bench;
use super::plot::{self, Plot};
use super::results::Results;
use super::verdict;
use super::workload::{BOTH, Case, Measure, Outcome, Runner, WITH_NOISE, Workload};
use crate::process::{number, output, parse};
use crate::promise::Promise;
use crate::statistics::median;

const GROUP: &str = "php that does nothing";
const CASE: &str = "start and end";
const TIMES: usize = 10;
const MEASURES: [Measure; 3] = [
    Measure::within("wall", "ms", 0.1),
    Measure::within("RSS", "KiB", 256.0),
    Measure::within("private dirty", "KiB", 64.0),
];
const WALL: usize = 0;
const DIRTY: usize = 2;

/// The workload.
#[derive(Default)]
pub(super) struct Start {
    /// Of stock and Vaquita.
    commands: Vec<Direct>,
}

/// A PHP without the launcher that finds its settings: that is a shell script.
struct Direct {
    php: PathBuf,
    scan_dir: String,
}

impl Direct {
    fn find(runner: Runner, bench: &Bench) -> Result<Direct, String> {
        let code =
            "echo json_encode(['php' => PHP_BINARY, 'scan' => getenv('PHP_INI_SCAN_DIR') ?: '']);";
        let answer = parse(&output(bench.stack(runner)?.command().args(["-r", code]))?)?;
        let text = |key: &str| {
            answer.get(key).and_then(serde_json::Value::as_str).unwrap_or_default().to_owned()
        };
        match text("php") {
            none if none.is_empty() => {
                Err(format!("the PHP of {} does not know its own path", runner.name()))
            }
            php => Ok(Direct { php: php.into(), scan_dir: text("scan") }),
        }
    }

    fn command(&self, bench: &Bench) -> Command {
        let mut command = bench.on_client(&self.php);
        if !self.scan_dir.is_empty() {
            command.env("PHP_INI_SCAN_DIR", &self.scan_dir);
        }
        command
    }
}

impl Workload for Start {
    fn name(&self) -> &'static str {
        "start"
    }

    fn title(&self) -> &'static str {
        "Starting, and an idle process"
    }

    fn about(&self) -> String {
        format!(
            "php -r '', from before it is started until it has ended, the middle one of {TIMES}; and of a process that has loaded everything and run nothing the memory, and how much of it is \
            its own (Private_Dirty): what a worker takes that waits. PHP is started without the launcher build/php, which looks for settings first."
        )
    }

    fn measures(&self) -> Vec<Measure> {
        MEASURES.to_vec()
    }

    fn cases(&self) -> Vec<Case> {
        vec![Case { group: GROUP.to_owned(), name: CASE.to_owned(), runners: WITH_NOISE }]
    }

    fn prepare(&mut self, bench: &Bench) -> Result<(), String> {
        let commands: Result<_, _> =
            BOTH.iter().map(|runner| Direct::find(*runner, bench)).collect();
        self.commands = commands?;
        Ok(())
    }

    fn run(&mut self, _case: usize, runner: Runner, bench: &Bench) -> Result<Outcome, String> {
        let at = usize::from(runner == Runner::Vaquita);
        let direct = self.commands.get(at).ok_or("it was not prepared")?;
        let mut walls = Vec::new();
        for _ in 0..TIMES {
            let begun = Instant::now();
            output(direct.command(bench).args(["-r", ""]))?;
            walls.push(begun.elapsed().as_secs_f64() * 1e3);
        }
        let report = parse(&output(direct.command(bench).args(["examples/memory.php", "idle"]))?)?;
        let figures =
            vec![median(walls), number(&report, "rss_kib")?, number(&report, "private_dirty_kib")?];
        Ok(Outcome { answer: None, figures })
    }

    fn promises(&self, results: &Results) -> Vec<Promise> {
        let above = |measure| {
            let case = results.of(GROUP, CASE)?;
            Some(case.median(Runner::Vaquita, measure)? - case.median(Runner::Stock, measure)?)
        };
        vec![
            verdict::at_most("start-up: ms above stock", above(WALL), 1.0),
            verdict::at_most(
                "an idle process: KiB of private dirty memory above stock",
                above(DIRTY),
                1024.0,
            ),
        ]
    }

    fn plots(&self, results: &Results) -> Vec<Plot> {
        vec![plot::bars(results, GROUP, WALL), plot::bars(results, GROUP, DIRTY)]
    }
}
