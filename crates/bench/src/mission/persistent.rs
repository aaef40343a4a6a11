//! Connecting, asking and closing over and over, with and without persistent connections: the loops of `make persistent`, for the report.

use std::path::Path;

use super::bench::Bench;
use super::plot::{self, Plot};
use super::results::Results;
use super::verdict;
use super::workload::{ALL, Case, Measure, Outcome, Runner, WITH_NOISE, Workload};
use crate::persistent::loops::{Api, Kind, Loop, What};
use crate::persistent::promise::{CONNECT, SELECT, SELECT_TO_OPEN};
use crate::persistent::runner::{HowLong, Runner as LoopRunner};
use crate::promise::Promise;
use crate::server::Server;

const SCRIPT: &str = "examples/persistent.php";
const SECONDS: f64 = 0.25;
/// Where a short look is enough.
const FEW_TIMES: u32 = 5;
const MEASURES: [Measure; 3] = [
    Measure::new("wall", "us"),
    Measure::new("client CPU", "us"),
    Measure::told("server CPU", "us"),
];
const WALL: usize = 0;

/// The workload.
pub(super) struct Persistent {
    servers: Vec<(Server, String)>,
    /// The place of a server, and what is done there.
    lines: Vec<(usize, Loop)>,
}

impl Persistent {
    /// On these servers, with what each is called.
    pub(super) fn new(servers: &[(Server, String)]) -> Persistent {
        let loops = |at| Loop::all().into_iter().map(move |one| (at, one));
        Persistent {
            servers: servers.to_vec(),
            lines: (0..servers.len()).flat_map(loops).collect(),
        }
    }
}

fn group(called: &str) -> String {
    format!("{called}, unix socket")
}

impl Workload for Persistent {
    fn name(&self) -> &'static str {
        "persistent"
    }

    fn title(&self) -> &'static str {
        "Connecting over and over"
    }

    fn about(&self) -> String {
        format!(
            "What it takes each time, in a loop of {SECONDS} s. connect: connect and close, which nobody needs alone; page: connect, five small queries, close; open: on one connection that \
            stays open; p:, persistent: persistent connections, which C does not have. By TCP, and over networks with latencies, with round trips: make persistent."
        )
    }

    fn measures(&self) -> Vec<Measure> {
        MEASURES.to_vec()
    }

    fn cases(&self) -> Vec<Case> {
        let case = |(at, one): &(usize, Loop)| {
            let called = self.servers.get(*at).map_or("", |(_, called)| called);
            let runners = if one.is_in_c() { ALL } else { WITH_NOISE };
            Case { group: group(called), name: one.to_string(), runners }
        };
        self.lines.iter().map(case).collect()
    }

    fn prepare(&mut self, bench: &Bench) -> Result<(), String> {
        for (server, _) in &self.servers {
            bench.run(Runner::Stock, (SCRIPT, ""), &["prepare"], server)?;
        }
        Ok(())
    }

    fn run(&mut self, case: usize, runner: Runner, bench: &Bench) -> Result<Outcome, String> {
        let (at, one) = self.lines.get(case).ok_or("there is no such case")?;
        let (server, _) = self.servers.get(*at).ok_or("there is no such server")?;
        let how_long = bench.size.pick(HowLong::Seconds(SECONDS), HowLong::Times(FEW_TIMES));
        let program = bench.program("persistent");
        let by = match runner {
            Runner::C => LoopRunner::C(&program, bench.processors()),
            _ => LoopRunner::Php(bench.stack(runner)?, Path::new(SCRIPT)),
        };
        let sample = by.run(*one, how_long, server)?;
        Ok(Outcome {
            answer: None,
            figures: vec![sample.ms() * 1e3, sample.client_us(), sample.server_us()],
        })
    }

    fn promises(&self, results: &Results) -> Vec<Promise> {
        let mut all = Vec::new();
        for (_, called) in &self.servers {
            let group = group(called);
            let of =
                |what, kind| results.of(&group, &Loop::new(Api::Mysqli, what, kind).to_string());
            let (connect, select) =
                (of(What::Connect, Kind::Persistent), of(What::Select, Kind::Persistent));
            let open = of(What::Select, Kind::Open);
            // The rate of one is to that of the other as the time of the other is to its own.
            let to_open = open.zip(select).and_then(|(open, select)| {
                let figures =
                    |case: &super::results::CaseResults| case.figures(Runner::Vaquita, WALL);
                verdict::paired(&figures(open), &figures(select))
            });
            let ratios = [
                (
                    "connect with p:, to stock's rate",
                    connect.and_then(|it| it.ratio(WALL)),
                    CONNECT,
                ),
                (
                    "connect+SELECT 1 with p:, to stock's rate",
                    select.and_then(|it| it.ratio(WALL)),
                    SELECT,
                ),
                (
                    "connect+SELECT 1 with p:, to the rate of SELECT 1 on an open one",
                    to_open,
                    SELECT_TO_OPEN,
                ),
            ];
            let promise =
                |(what, ratio, least)| verdict::at_least(&format!("{group}: {what}"), ratio, least);
            all.extend(ratios.map(promise));
        }
        all
    }

    fn plots(&self, results: &Results) -> Vec<Plot> {
        results.groups().into_iter().map(|group| plot::bars(results, group, WALL)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_loop_is_there_for_every_server() {
        let server = Server::for_tests();
        let both = [(server.clone(), "MariaDB 1".to_owned()), (server, "MySQL 2".to_owned())];
        let workload = Persistent::new(&both);
        let cases = workload.cases();
        assert_eq!(cases.len(), 2 * Loop::all().len());
        let in_c = cases.iter().filter(|it| it.runners.contains(&Runner::C)).count();
        assert_eq!(in_c, 2 * Loop::all().into_iter().filter(|it| it.is_in_c()).count());
        assert!(in_c > 0);
        let promises = workload.promises(&Results::new(workload.measures(), cases));
        assert!(promises.len() == 6 && promises.iter().all(|it| !it.is_held));
    }
}
