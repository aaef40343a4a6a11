//! Statements that are on their way before the first is answered, beside the same ones one by one.

use super::bench::Bench;
use super::plot::{self, Plot};
use super::results::Results;
use super::verdict;
use super::workload::{ALL, Case, Measure, Outcome, Runner, Workload};
use crate::process::{number, parse};
use crate::promise::Promise;
use crate::server::Server;

const SCRIPT: (&str, &str) = ("examples/pipelining.php", "pipelining");
const COUNTS: [&str; 4] = ["1", "10", "100", "1000"];
const MOST: &str = "1000";
const SECONDS: &str = "0.2s";
const MEASURES: [Measure; 2] =
    [Measure::new("wall", "us a statement"), Measure::new("client CPU", "us a statement")];
const WALL: usize = 0;
/// Who has pipelines.
const WITH_PIPELINES: &[Runner] = &[Runner::Vaquita, Runner::C];

/// The workload.
pub(super) struct Pipelining {
    servers: Vec<(Server, String)>,
    lines: Vec<Line>,
    /// Whether Vaquita has pipelines is found out.
    has_pipelines: bool,
}

/// A case.
struct Line {
    server: usize,
    is_pipelined: bool,
    count: &'static str,
    case: Case,
}

impl Pipelining {
    /// On these servers, with what each is called.
    pub(super) fn new(servers: &[(Server, String)]) -> Pipelining {
        let mut lines = Vec::new();
        for (server, (_, called)) in servers.iter().enumerate() {
            for is_pipelined in [false, true] {
                for count in COUNTS {
                    let runners = if is_pipelined { WITH_PIPELINES } else { ALL };
                    let case =
                        Case { group: group(called), name: name(is_pipelined, count), runners };
                    lines.push(Line { server, is_pipelined, count, case });
                }
            }
        }
        Pipelining { servers: servers.to_vec(), lines, has_pipelines: true }
    }

    fn lines(&self) -> impl Iterator<Item = &Line> {
        self.lines.iter().filter(|line| self.has_pipelines || !line.is_pipelined)
    }
}

fn group(called: &str) -> String {
    format!("{called}, SELECT 1, unix socket")
}

fn name(is_pipelined: bool, count: &str) -> String {
    format!("{count} {}", if is_pipelined { "pipelined" } else { "one by one" })
}

impl Workload for Pipelining {
    fn name(&self) -> &'static str {
        "pipelining"
    }

    fn title(&self) -> &'static str {
        "Pipelines"
    }

    fn about(&self) -> String {
        let here = if self.has_pipelines { "" } else { " This build of Vaquita has none." };
        format!(
            "SELECT 1, so often: by query() one after the other, or by Vaquita\\pipeline(), which stock does not have; each result is fetched.{here} \
            C: a client that sends the same commands, in one write where they are pipelined, and only looks whether each answer is a 1: what the server can do. Repeated on one connection for {SECONDS}, or once."
        )
    }

    fn measures(&self) -> Vec<Measure> {
        MEASURES.to_vec()
    }

    fn cases(&self) -> Vec<Case> {
        self.lines().map(|line| line.case.clone()).collect()
    }

    fn prepare(&mut self, bench: &Bench) -> Result<(), String> {
        if let Some((server, _)) = self.servers.first() {
            let printed = bench.run(Runner::Vaquita, SCRIPT, &["pipelined", "1", "1"], server)?;
            self.has_pipelines = printed.trim() != "{}";
        }
        Ok(())
    }

    fn run(&mut self, case: usize, runner: Runner, bench: &Bench) -> Result<Outcome, String> {
        let line = self.lines().nth(case).ok_or("there is no such case")?;
        let (server, _) = self.servers.get(line.server).ok_or("there is no such server")?;
        let way = if line.is_pipelined { "pipelined" } else { "single" };
        let times = bench.size.pick(SECONDS, "1");
        let printed = bench.run(runner, SCRIPT, &[way, line.count, times], server)?;
        read(&printed, line.count)
    }

    fn promises(&self, results: &Results) -> Vec<Promise> {
        let promise = |called: &str, runner, who: &str, least| {
            let figures = |is_pipelined| {
                let case = results.of(&group(called), &name(is_pipelined, MOST))?;
                Some(case.figures(runner, WALL))
            };
            let ratio = figures(false)
                .zip(figures(true))
                .and_then(|(one, all)| verdict::paired(&one, &all));
            let what = format!(
                "{called}: {who}the rate of {MOST} pipelined SELECT 1 to that of {MOST} single ones"
            );
            verdict::at_least(&what, ratio, least)
        };
        let promises = |(_, called): &(Server, String)| {
            let [least, of_all] =
                if called.starts_with("MariaDB") { [8.0, 14.0] } else { [6.0, 10.0] };
            [
                promise(called, Runner::Vaquita, "", least),
                promise(called, Runner::C, "a client that makes no PHP objects, ", of_all),
            ]
        };
        self.servers.iter().flat_map(promises).collect()
    }

    fn plots(&self, results: &Results) -> Vec<Plot> {
        results.groups().into_iter().map(|group| plot::bars(results, group, WALL)).collect()
    }
}

/// Reads what a run prints; every statement has to have been answered with 1, each time.
fn read(printed: &str, count: &str) -> Result<Outcome, String> {
    let report = parse(printed)?;
    let answered = number(&report, "answered")?;
    if answered.to_string() != count {
        return Err(format!("{answered} of {count} statements were answered with 1"));
    }
    let statements = answered * number(&report, "times")?;
    let each = |key| Ok::<_, String>(number(&report, key)? * 1e3 / statements);
    Ok(Outcome { answer: None, figures: vec![each("wall_ms")?, each("cpu_ms")?] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_statement_is_answered() {
        let line = r#"{"times":5,"answered":10,"wall_ms":2,"cpu_ms":1}"#;
        assert_eq!(read(line, "10"), Ok(Outcome { answer: None, figures: vec![40.0, 20.0] }));
        assert!(read(line, "11").unwrap_err().contains("10 of 11"));
    }

    #[test]
    fn without_pipelines_the_rest_is_measured() {
        let mut workload = Pipelining::new(&[(Server::for_tests(), "MariaDB 1".to_owned())]);
        assert_eq!(workload.cases().len(), 8);
        workload.has_pipelines = false;
        assert_eq!(workload.cases().len(), 4);
        assert!(workload.about().contains("has none"));
    }
}
