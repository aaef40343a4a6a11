//! `vaquita-bench persistent`: connecting, asking and closing over and over, on both stacks and in C, and what was promised of it.

mod latency;
pub(crate) mod loops;
pub(crate) mod promise;
pub(crate) mod runner;
mod table;

use std::path::Path;

use crate::arguments::{Persistent, Stacks};
use crate::processors::Processors;
use crate::progress::Progress;
use crate::promise::Promises;
use crate::server::{MYSQL, Server, Way};
use crate::stack::{Driver, Stack};
use loops::{Api, Kind, Loop, What};
use runner::{HowLong, Runner, Sample};
use table::{Runs, Table};

/// The servers, as `scripts/servers` names them.
const SERVERS: [&str; 2] = ["mariadb", "mysql80"];
/// How long a loop goes on.
const SAMPLE: HowLong = HowLong::Seconds(0.25);
/// Of a demo, which nobody wants to wait for.
const SHORT_SAMPLE: HowLong = HowLong::Seconds(0.15);
const SHORT_ROUNDS: usize = 3;

/// Measures, and prints the tables and what was promised.
///
/// # Errors
/// If anything fails; a promise that is not held is no failure.
pub(crate) fn run(asked: &Persistent) -> Result<(), String> {
    let processors = Processors::divide();
    let [stock, vaquita] = stacks(&asked.stacks, processors.as_ref());
    println!("stock: {}", stock.describe()?);
    println!("Vaquita: {}", vaquita.describe()?);
    println!("C: libmariadb");
    let divided = processors.as_ref().map(Processors::describe);
    println!("{}\n", divided.as_deref().unwrap_or("client and server on any processors"));
    let mut places = Vec::new();
    let mut hosts = Vec::new();
    for name in SERVERS {
        let server = Server::from_env(name)?;
        keep(&server, processors.as_ref())?;
        stock.run(&asked.script, &["prepare"], &server)?;
        let version = Server::called(&stock.sql(&server, &["SELECT VERSION()"])?);
        if version.starts_with(MYSQL) {
            let [user, rights] = latency::make_native_user(&server);
            stock.sql(&server, &[&user, &rights])?;
        }
        for (way, by) in [(Way::Unix, "unix socket"), (Way::Tcp, "TCP")] {
            let table = Table { place: format!("{version}, {by}"), runs: Runs::of_all() };
            places.push((server.by(way), table));
        }
        hosts.push((server, version));
    }
    let runners = Runners {
        stock: Runner::Php(&stock, &asked.script),
        vaquita: Runner::Php(&vaquita, &asked.script),
        c: Some(Runner::C(&asked.reference, processors.as_ref())),
    };
    // Who comes first logs in in full: C can't always, where a server keeps passwords by caching_sha2_password.
    let first = Loop::new(Api::Mysqli, What::Select, Kind::New);
    for (server, _) in &places {
        runners.stock.run(first, HowLong::Times(1), server)?;
    }
    let steps: usize = places.iter().map(|(_, table)| table.runs.len()).sum();
    let mut progress = Progress::new(asked.rounds * steps);
    for round in 0..asked.rounds {
        for (server, table) in &mut places {
            for runs in &mut table.runs {
                progress.now(&format!("round {} of {}: {}", round + 1, asked.rounds, runs.of));
                runners.measure(runs, SAMPLE, round, server)?;
            }
        }
    }
    drop(progress);
    let tables: Vec<Table> = places.into_iter().map(|(_, table)| table).collect();
    println!("{}", table::LEGEND);
    tables.iter().for_each(|table| println!("\n{table}"));
    println!("\n{}", table::losses(&tables));
    let mut promises: Vec<_> = tables.iter().flat_map(promise::of).collect();
    promises.extend(latency::run(&runners, &hosts, asked.rounds)?);
    println!("\n{}", Promises(&promises));
    Ok(())
}

/// The short version for the demo.
///
/// # Errors
/// As [`run`].
pub(crate) fn demonstrate(both: &Stacks, script: &Path, server: &Server) -> Result<(), String> {
    let processors = Processors::divide();
    let [stock, vaquita] = stacks(both, processors.as_ref());
    keep(server, processors.as_ref())?;
    stock.run(script, &["prepare"], server)?;
    let runners = Runners {
        stock: Runner::Php(&stock, script),
        vaquita: Runner::Php(&vaquita, script),
        c: None,
    };
    let loops =
        [What::Select, What::Page].map(|what| Loop::new(Api::Mysqli, what, Kind::Persistent));
    let mut all = loops.map(Runs::new);
    let mut progress = Progress::new(SHORT_ROUNDS * all.len());
    for round in 0..SHORT_ROUNDS {
        for runs in &mut all {
            progress.now(&format!("persistent connections: {}", runs.of));
            runners.measure(runs, SHORT_SAMPLE, round, server)?;
        }
    }
    drop(progress);
    println!("{}", table::Short(&all));
    Ok(())
}

fn stacks(both: &Stacks, processors: Option<&Processors>) -> [Stack; 2] {
    [(Driver::Stock, &both.stock), (Driver::Vaquita, &both.vaquita)]
        .map(|(driver, php)| Stack::new(driver, php).on(processors))
}

/// Keeps a server to its processors.
fn keep(server: &Server, processors: Option<&Processors>) -> Result<(), String> {
    processors.map_or(Ok(()), |processors| processors.keep_server(&server.pid()?))
}

/// Who is compared.
struct Runners<'a> {
    stock: Runner<'a>,
    vaquita: Runner<'a>,
    c: Option<Runner<'a>>,
}

impl Runners<'_> {
    /// Runs a loop on each.
    fn measure(
        &self,
        runs: &mut Runs,
        how_long: HowLong,
        round: usize,
        server: &Server,
    ) -> Result<(), String> {
        let c = self.c.filter(|_| runs.of.is_in_c());
        let mut all: Vec<(Runner<'_>, &mut Vec<Sample>)> =
            vec![(self.stock, &mut runs.stock), (self.vaquita, &mut runs.vaquita)];
        all.extend(c.map(|c| (c, &mut runs.c)));
        // Who goes first alternates, so that nobody always follows the same.
        if round % 2 == 1 {
            all.reverse();
        }
        for (runner, samples) in all {
            samples.push(runner.run(runs.of, how_long, server)?);
        }
        Ok(())
    }
}
