//! Values by their keys: SQL beside a database's port for them, memcached and Redis, by one worker and by several.

mod claims;
mod contenders;
mod places;

use std::net::TcpStream;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use super::bench::{Bench, Size};
use super::plot::Plot;
use super::results::Results;
use super::workload::{Case, Measure, Outcome, Runner, Workload};
use crate::process::{number, output, parse};
use crate::processors::Processors;
use crate::promise::Promise;
use crate::server::{Server, Way, pid_of};
use crate::stack::Stack;
use contenders::{Contender, Line, lines};
use places::{Database, Places};

const SCRIPT: &str = "examples/kv.php";
/// How long a worker reads or writes.
const SECONDS: &str = "0.15s";
const FEW_TIMES: &str = "10";
const KEYS: u32 = 25_000;
const FEW_KEYS: u32 = 250;
/// What the script calls its table.
const TABLE: &str = "kv_demo";
/// How soon a port listens that was opened.
const OPENS_WITHIN: Duration = Duration::from_secs(10);
const MEASURES: [Measure; 5] = [
    Measure::new("wall", "us an operation"),
    Measure::told("operations", "a second"),
    Measure::told("of each worker", "a second"),
    Measure::new("client CPU", "us an operation"),
    Measure::told("server CPU", "us an operation"),
];
const WALL: usize = 0;
const RATE: usize = 1;
const SERVER_CPU: usize = 4;

/// The workload.
pub(super) struct Kv {
    places: Places,
    size: Size,
    lines: Vec<Line>,
    /// Whether Vaquita asks ports is found out.
    has_kv: bool,
}

impl Kv {
    /// With whatever is there.
    pub(super) fn from_env(servers: &[(Server, String)], size: Size) -> Kv {
        Kv::new(Places::from_env(servers), size)
    }

    fn new(places: Places, size: Size) -> Kv {
        let lines = lines(&places, true, size);
        Kv { places, size, lines, has_kv: true }
    }

    /// Has the script put all values where a contender reads them.
    fn fill(&self, contender: &Contender, bench: &Bench) -> Result<(), String> {
        let mut command = self.command(contender, Runner::Stock, bench, 1)?;
        let printed = output(command.arg("fill"));
        match printed.map_err(|error| format!("{}: {error}", contender.called))? {
            nothing if nothing.is_empty() => Ok(()),
            why => Err(format!("{}: {why}", contender.called)),
        }
    }

    /// The script, to which is added what it does, where so many workers run.
    fn command(
        &self,
        contender: &Contender,
        runner: Runner,
        bench: &Bench,
        workers: u32,
    ) -> Result<Command, String> {
        let Contender { way, servers, database, address, .. } = contender;
        let mut command = bench.stack(runner)?.command_on(processors(bench, workers).as_ref());
        let pids: Vec<String> = servers.iter().map(|it| pid_of(it)).collect::<Result<_, _>>()?;
        command.env("SERVER_PIDS", pids.join(","));
        command.env("KEYS", self.size.pick(KEYS, FEW_KEYS).to_string());
        if let Some(at) = database {
            let server = &self.places.databases.get(*at).ok_or("there is no such server")?.server;
            // As its port is reached, which has no other way.
            server.by(Way::Tcp).describe_to(&mut command);
            if let (Some(address), Runner::Vaquita) = (address, runner) {
                let table = format!("{}.{TABLE}", server.database());
                command.args(["-d", "vaquita.kv=on"]);
                command.arg("-d").arg(format!("vaquita.kv_address={address}"));
                command.arg("-d").arg(format!("vaquita.kv_tables={table}"));
            }
        } else {
            let variable = if *way == "memcached" { "MEMCACHED" } else { "REDIS" };
            command.env(variable, address.as_deref().unwrap_or_default());
            let extensions = self.places.extensions.as_ref().ok_or("there are no extensions")?;
            extensions.add_to(&mut command);
        }
        command.args([SCRIPT, way]);
        Ok(command)
    }
}

impl Workload for Kv {
    fn name(&self) -> &'static str {
        "kv"
    }

    fn title(&self) -> &'static str {
        "Values by their keys"
    }

    fn about(&self) -> String {
        let here = if self.has_kv {
            ""
        } else {
            " This build of Vaquita does not ask ports: lines with kv are not there."
        };
        let missing = match &self.places.missing[..] {
            [] => String::new(),
            all => format!(" Not there, and so not measured: {}.", all.join("; ")),
        };
        format!(
            "{} keys of 100 bytes with values of 400, read and written at random by so many processes at once for {SECONDS}, each on one connection, by TCP; every value is compared with what it \
            has to be. An operation is a key. wall: the time by all operations of all workers, the inverse of the rate. text, prepared: SQL on a table, by mysqli; kv: the same script, but \
            Vaquita may ask the database's port (vaquita.kv); Vaquita\\kv: rows by key by Vaquita's own function, over the ordinary connection or, with kv, by the port (memcached: by a memcached in \
            the place of MySQL's port, which has the same values); ext/memcached: MySQL's memcached plugin; several at once: IN, getMulti, MGET, or a pipeline of GET. Several Redis: each has \
            everything and a worker asks one, or each key has its own. Server CPU is that of all threads of those asked. No server writes to a disk before it answers. \
            A single worker has a processor of its own; where there are several, they and the servers run on any.{here}{missing}",
            self.size.pick(KEYS, FEW_KEYS)
        )
    }

    fn measures(&self) -> Vec<Measure> {
        MEASURES.to_vec()
    }

    fn cases(&self) -> Vec<Case> {
        self.lines.iter().map(|line| line.case.clone()).collect()
    }

    fn prepare(&mut self, bench: &Bench) -> Result<(), String> {
        for Database { server, called, .. } in &mut self.places.databases {
            if called.is_empty() {
                *called = Server::called(&bench.sql(server, &["SELECT VERSION()"])?);
            }
        }
        let says = |stack: &Stack, code| output(stack.command().args(["-r", code]));
        self.has_kv = says(&bench.vaquita, "echo ini_get('vaquita.kv') !== false;")? == "1";
        if says(&bench.stock, "echo extension_loaded('pcntl');")? != "1" {
            self.lines.clear();
            self.places.missing.push("ext/pcntl, by which there are workers".to_owned());
            return Ok(());
        }
        self.lines = lines(&self.places, self.has_kv, self.size);
        let mut filled: Vec<&Contender> = Vec::new();
        for Line { contender, .. } in &self.lines {
            let is_same = |it: &&Contender| it.servers == contender.servers;
            if contender.has_own_values() && !filled.iter().any(is_same) {
                self.fill(contender, bench)?;
                filled.push(contender);
            }
        }
        self.places.ports().try_for_each(wait_for)
    }

    fn run(&mut self, case: usize, runner: Runner, bench: &Bench) -> Result<Outcome, String> {
        let Line { contender, what, workers, .. } =
            self.lines.get(case).ok_or("there is no such case")?;
        let keep = |processors: Option<Processors>| {
            let Some(processors) = processors else { return Ok(()) };
            contender.servers.iter().try_for_each(|it| processors.keep_server(&pid_of(it)?))
        };
        keep(processors(bench, *workers))?;
        let mut command = self.command(contender, runner, bench, *workers)?;
        let times = self.size.pick(SECONDS, FEW_TIMES);
        let printed = output(command.args([&what.argument(), &workers.to_string(), times]));
        keep(bench.processors().cloned())?;
        let printed = printed
            .map_err(|error| format!("{} on {}: {error}", contender.called, runner.name()))?;
        read(&printed, *workers)
    }

    fn promises(&self, results: &Results) -> Vec<Promise> {
        claims::promises(&self.places, results)
    }

    fn notes(&self, results: &Results) -> Vec<String> {
        claims::notes(&self.places, self.size, results)
    }

    fn plots(&self, results: &Results) -> Vec<Plot> {
        claims::plots(&self.places, results)
    }
}

/// A single worker has a processor of its own, as clients have elsewhere; several need more than one, and run wherever servers do.
fn processors(bench: &Bench, workers: u32) -> Option<Processors> {
    let divided = bench.processors()?;
    Some(if workers == 1 { divided.clone() } else { divided.undivided() })
}

/// Until something listens there.
fn wait_for(address: &str) -> Result<(), String> {
    let until = Instant::now() + OPENS_WITHIN;
    while let Err(error) = TcpStream::connect(address) {
        if Instant::now() > until {
            return Err(format!("{address}: {error}"));
        }
        thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}

/// Reads what a run prints.
fn read(printed: &str, workers: u32) -> Result<Outcome, String> {
    let report = parse(printed)?;
    let [operations, rate] = [number(&report, "operations")?, number(&report, "per_second")?];
    if operations < 1.0 || number(&report, "workers")? != f64::from(workers) {
        return Err(format!("{workers} workers do something: {printed}"));
    }
    let each = |key| Ok::<_, String>(number(&report, key)? * 1e3 / operations);
    let figures =
        vec![1e6 / rate, rate, rate / f64::from(workers), each("cpu_ms")?, each("server_cpu_ms")?];
    Ok(Outcome { answer: None, figures })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_that_of_all_workers() {
        let line =
            r#"{"workers":2,"operations":1000,"per_second":20000,"cpu_ms":30,"server_cpu_ms":40}"#;
        let figures = vec![50.0, 20_000.0, 10_000.0, 30.0, 40.0];
        assert_eq!(figures.len(), MEASURES.len());
        assert_eq!(read(line, 2), Ok(Outcome { answer: None, figures }));
        assert!(read(line, 1).is_err() && read("{}", 2).is_err());
    }

    #[test]
    fn what_is_not_there_is_named() {
        let missing = vec!["redis3".to_owned()];
        let mut workload = Kv::new(Places { missing, ..contenders::tests::places() }, Size::Full);
        assert!(workload.about().ends_with("Not there, and so not measured: redis3."));
        assert!(!workload.about().contains("does not ask ports"));
        workload.has_kv = false;
        assert!(workload.about().contains("does not ask ports"));
    }
}
