//! Fetching a whole table: the six ways of `examples/fetch.php` on both stacks, C, the floor, and all of them from a server that only says again what one said.

use std::collections::BTreeMap;

use super::bench::{Bench, Size};
use super::data::{self, LARGE, MIXED, TABLES, Table};
use super::plot::{self, Plot};
use super::replay::{Session, Sessions};
use super::results::Results;
use super::verdict;
use super::workload::{ALL, Case, IN_C, Measure, Outcome, Runner, WITH_NOISE, Workload};
use crate::process::{number, parse};
use crate::promise::Promise;
use crate::server::Server;

/// The ways of `examples/fetch.php`.
const WAYS: [&str; 6] = [
    "fetch_all",
    "fetch_all_use_result",
    "store_result",
    "use_result",
    "pdo_buffered",
    "pdo_unbuffered",
];
/// Reading without looking at anything.
const FLOOR: &str = "floor: read and discard";
const MEASURES: [Measure; 4] = [
    Measure::new("wall", "ms"),
    Measure::new("client CPU", "ms"),
    Measure::told("of it system", "ms"),
    Measure::within("peak RSS", "MiB", 0.25),
];

/// With more noise than this nothing can be said of "never slower".
const MOST_NOISE: f64 = 0.05;

/// The workload.
pub(super) struct Fetch {
    servers: Vec<(Server, String)>,
    lines: Vec<Line>,
    size: Size,
    /// What was said to each runner of a case.
    replays: BTreeMap<(usize, Runner), Session>,
    sessions: Sessions,
}

/// A case.
struct Line {
    server: usize,
    table: Table,
    way: &'static str,
    shape: &'static str,
    is_replay: bool,
    case: Case,
}

impl Fetch {
    /// On these servers, with what each is called; the replay is of the first.
    pub(super) fn new(servers: &[(Server, String)], size: Size) -> Fetch {
        let mut lines = Vec::new();
        for (at, (_, called)) in servers.iter().enumerate() {
            let shapes = if at == 0 { &["assoc", "num"][..] } else { &["assoc"] };
            TABLES.iter().for_each(|table| lines.extend(group(at, called, *table, shapes, false)));
        }
        if let Some((_, called)) = servers.first() {
            let called = format!("replay of {called}");
            TABLES
                .iter()
                .for_each(|table| lines.extend(group(0, &called, *table, &["assoc"], true)));
        }
        Fetch {
            servers: servers.to_vec(),
            lines,
            size,
            replays: BTreeMap::new(),
            sessions: Sessions::default(),
        }
    }
}

fn group_name(called: &str, table: Table) -> String {
    format!("{called}, {}", table.called)
}

fn group(
    server: usize,
    called: &str,
    table: Table,
    shapes: &[&'static str],
    is_replay: bool,
) -> Vec<Line> {
    let line = |way, shape, name: String, runners| Line {
        server,
        table,
        way,
        shape,
        is_replay,
        case: Case { group: group_name(called, table), name, runners },
    };
    let mut lines = Vec::new();
    for shape in shapes {
        for way in WAYS {
            // C has rows as lists only, and beside which of both ways it stands makes no difference to it.
            let runners = match way {
                "store_result" | "use_result" if *shape == "assoc" => ALL,
                _ => WITH_NOISE,
            };
            lines.push(line(way, shape, format!("{way} {shape}"), runners));
        }
    }
    lines.push(line("discard", "", FLOOR.to_owned(), IN_C));
    lines
}

impl Workload for Fetch {
    fn name(&self) -> &'static str {
        "fetch"
    }

    fn title(&self) -> &'static str {
        "Fetching a whole table into an array"
    }

    fn about(&self) -> String {
        let how = "SELECT * FROM a table, by a unix socket: the time from the query until the array is complete. fetch_all: query()->fetch_all(); \
        fetch_all_use_result: the same with MYSQLI_USE_RESULT; store_result, use_result: rows one by one into an array; pdo: fetchAll() with buffered and \
        unbuffered queries; assoc, num: the keys of rows. C: mysql_store_result and mysql_use_result of libmariadb, which looks at each value and keeps none. \
        Floor: a program that receives the same bytes and looks at packets' headers only. Replay: instead of the server a program that sends recorded bytes as \
        fast as the socket takes them, so that the server's own time bounds nobody. Each run's rows are compared by a hash, C's by their number.";
        format!("{} {how}", data::sizes(self.size))
    }

    fn measures(&self) -> Vec<Measure> {
        MEASURES.to_vec()
    }

    fn cases(&self) -> Vec<Case> {
        self.lines.iter().map(|line| line.case.clone()).collect()
    }

    fn prepare(&mut self, bench: &Bench) -> Result<(), String> {
        for (server, _) in &self.servers {
            TABLES.iter().try_for_each(|table| table.load(bench, server))?;
        }
        Ok(())
    }

    fn run(&mut self, case: usize, runner: Runner, bench: &Bench) -> Result<Outcome, String> {
        let line = self.lines.get(case).ok_or("there is no such case")?;
        let (server, _) = self.servers.get(line.server).ok_or("there is no such server")?;
        let arguments: &[&str] = match runner {
            Runner::C => &[line.way, line.table.name],
            _ => &[line.way, line.table.name, line.shape],
        };
        let fetch =
            |server: &Server| bench.run(runner, ("examples/fetch.php", "fetch"), arguments, server);
        if line.is_replay && !self.replays.contains_key(&(case, runner)) {
            let session = self.sessions.record(server, |server| fetch(server).map(drop))?;
            self.replays.insert((case, runner), session);
        }
        let printed = match self.replays.get(&(case, runner)) {
            Some(session) => session.play(server, fetch)?,
            None => fetch(server)?,
        };
        let outcome = read(&printed, line.table.rows(bench.size).into());
        outcome.map_err(|error| {
            format!("{}, {}: {}: {error}", line.case.group, line.case.name, runner.name())
        })
    }

    fn promises(&self, results: &Results) -> Vec<Promise> {
        self.servers
            .iter()
            .enumerate()
            .flat_map(|(at, (_, called))| promises(results, at, called))
            .collect()
    }

    fn plots(&self, results: &Results) -> Vec<Plot> {
        let bars = |group: &&str| [0, 1, 3].map(|measure| plot::bars(results, group, measure));
        results.groups().iter().flat_map(bars).collect()
    }
}

/// Reads what a run prints; it has to have so many rows.
fn read(printed: &str, rows: u64) -> Result<Outcome, String> {
    let report = parse(printed)?;
    let fetched = report.get("rows").and_then(serde_json::Value::as_u64);
    if fetched != Some(rows) {
        return Err(format!("there are {rows} rows: {printed}"));
    }
    let answer = report.get("digest").and_then(serde_json::Value::as_str).map(str::to_owned);
    let figure = |key| number(&report, key);
    let peak = figure("peak_rss_kib")? / 1024.0;
    Ok(Outcome {
        answer,
        figures: vec![figure("wall_ms")?, figure("cpu_ms")?, figure("system_ms")?, peak],
    })
}

fn promises(results: &Results, at: usize, called: &str) -> Vec<Promise> {
    let mut all = Vec::new();
    let assoc = |table, way: &str| results.of(&group_name(called, table), &format!("{way} assoc"));
    let (wall, cpu, system, rss) = (0, 1, 2, 3);
    // Of two cases of the same round.
    let against = |table, way: &str, other: &str, runner| {
        let group = group_name(called, table);
        let other = if other == FLOOR { results.of(&group, FLOOR) } else { assoc(table, other) }?;
        verdict::paired(
            &assoc(table, way)?.figures(Runner::Vaquita, wall),
            &other.figures(runner, wall),
        )
    };
    if at == 0 {
        for (way, most) in [("fetch_all_use_result", 1.08), ("fetch_all", 1.15)] {
            let ratio = against(MIXED, way, FLOOR, Runner::C);
            all.push(verdict::at_most(
                &format!("{called}, T2: {way} assoc to the floor's wall time"),
                ratio,
                most,
            ));
        }
    }
    for table in TABLES {
        let short = table.called.split(':').next().unwrap_or_default();
        // A median of rounds may be on the wrong side of 1 by as much as stock is from itself, if that is not much.
        let noise = assoc(table, "use_result").and_then(|it| it.noise(wall)).unwrap_or_default();
        let noise = noise.clamp(0.01, MOST_NOISE);
        for (other, runner, of) in [
            ("store_result", Runner::Vaquita, "Vaquita's store_result"),
            ("use_result", Runner::Stock, "stock's use_result"),
        ] {
            let what = format!("{called}, {short}: use_result + loop to {of}, wall");
            all.push(verdict::at_most(
                &what,
                against(table, "use_result", other, runner),
                1.0 + noise,
            ));
        }
    }
    let least = if called.starts_with("MariaDB") { 1.8 } else { 1.6 };
    let of_large = |way, measure| assoc(LARGE, way).and_then(|it| it.ratio(measure));
    all.push(verdict::at_least(
        &format!("{called}, T3: stock's wall time of fetch_all to Vaquita's"),
        of_large("fetch_all", wall),
        least,
    ));
    let share =
        assoc(LARGE, "fetch_all").and_then(|it| it.ratio_of(Runner::Vaquita, Runner::Stock, rss));
    all.push(verdict::at_most(
        &format!("{called}, T3: Vaquita's peak RSS of fetch_all to stock's"),
        share,
        0.53,
    ));
    for table in TABLES.into_iter().filter(|table| *table != LARGE) {
        let short = table.called.split(':').next().unwrap_or_default();
        for way in ["fetch_all", "fetch_all_use_result"] {
            let ratio = assoc(table, way).and_then(|it| it.ratio(cpu));
            all.push(verdict::at_least(
                &format!("{called}, {short}: stock's client CPU of {way} to Vaquita's"),
                ratio,
                1.8,
            ));
        }
    }
    for table in TABLES {
        let short = table.called.split(':').next().unwrap_or_default();
        let points = WAYS.into_iter().filter_map(|way| {
            let case = assoc(table, way)?;
            // Of all runs together: the kernel tells one's two shares by where its ticks fell.
            let share = |runner| {
                let [system, cpu] =
                    [system, cpu].map(|it| case.figures(runner, it).iter().sum::<f64>());
                (cpu > 0.0).then(|| system / cpu * 100.0)
            };
            Some((way, share(Runner::Vaquita)? - share(Runner::Stock)?))
        });
        let most = points.max_by(|(_, one), (_, other)| one.total_cmp(other));
        let way = most.map_or("all ways", |(way, _)| way);
        let what =
            format!("{called}, {short}: {way}, the most points of system CPU above stock's share");
        all.push(verdict::at_most(&what, most.map(|(_, points)| points), 2.0));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_has_its_rows_and_figures() {
        let line = r#"{"rows":3,"digest":"ab","wall_ms":2.5,"cpu_ms":2,"system_ms":0.5,"peak_rss_kib":2048}"#;
        let expected = Outcome { answer: Some("ab".to_owned()), figures: vec![2.5, 2.0, 0.5, 2.0] };
        assert_eq!(read(line, 3), Ok(expected));
        assert!(read(line, 4).unwrap_err().contains("there are 4 rows"));
        assert!(read("{}", 0).is_err());
    }

    #[test]
    fn each_line_has_a_name_of_its_own() {
        let server = Server::for_tests();
        let fetch = Fetch::new(
            &[(server.clone(), "MariaDB 1".to_owned()), (server, "MySQL 2".to_owned())],
            Size::Full,
        );
        let cases = fetch.cases();
        assert_eq!(cases.len(), 3 * (13 + 7 + 7));
        for (at, case) in cases.iter().enumerate() {
            assert!(!cases.iter().skip(at + 1).any(|it| it == case), "{case:?}");
        }
        // Without runs nothing is held.
        let results = Results::new(fetch.measures(), cases);
        let promises = fetch.promises(&results);
        assert!(promises.len() > 15 && promises.iter().all(|it| !it.is_held));
    }
}
