//! What was promised of keys, what was said of the plugin of 2014, and the plot by which it was shown.

use super::super::bench::Size;
use super::super::plot::{self, Lines, Plot};
use super::super::results::{CaseResults, Results};
use super::super::verdict;
use super::super::workload::Runner;
use super::contenders::{
    BY_KEY, BY_WORKER, EXPLICIT, EXPLICIT_KV, EXPLICIT_MEMCACHED, MEMCACHED, ONE_REDIS, PORT,
    PREPARED, TEXT, TEXT_KV, What, name,
};
use super::places::{Database, Places};
use super::{RATE, SERVER_CPU, WALL};
use crate::figure::{Figure, Ratio};
use crate::promise::Promise;

/// Of the newer MySQL: how much faster than stock's SQL a script has to be that does not know of the port, with so many workers.
const TRANSPARENT: [(u32, f64); 2] = [(1, 1.2), (2, 1.6)];
const PROMISED: &str = "MySQL 8";
/// How much faster than stock's SQL, one key after the other, 100 keys at once have to be by `Vaquita\kv`. MySQL 5.6 is promised nothing.
const AT_ONCE: What = What::GetMany(100);
const EXPLICIT_AT_ONCE: [(&str, f64); 3] = [("MariaDB", 10.0), (PROMISED, 8.0), ("MySQL 9", 8.0)];

fn of<'r>(results: &'r Results, workers: u32, line: &str) -> Option<&'r CaseResults> {
    results.of(&What::Get.group(workers), line)
}

/// How many times faster one reads than the other, by the median of the rounds' own ratios.
fn faster(
    results: &Results,
    workers: u32,
    (line, runner): (&str, Runner),
    (other, other_runner): (&str, Runner),
) -> Option<f64> {
    let figures = |line, runner| Some(of(results, workers, line)?.figures(runner, WALL));
    verdict::paired(&figures(other, other_runner)?, &figures(line, runner)?)
}

/// What was promised of reading one key after the other.
pub(super) fn promises(places: &Places, results: &Results) -> Vec<Promise> {
    let promised = places.databases.iter().filter(|it| it.called.starts_with(PROMISED));
    let promises = |database: &Database| {
        let [kv, port] = [TEXT_KV, PORT].map(|line| name(&database.called, line));
        let promises = |(workers, least)| {
            // Stock runs the same script, by SQL.
            let to_stock = of(results, workers, &kv).and_then(|it| it.ratio(WALL));
            let to_port = faster(results, workers, (&kv, Runner::Vaquita), (&port, Runner::Stock));
            let what = format!("{}: {kv}, to the rate of", What::Get.group(workers));
            [
                verdict::at_least(&format!("{what} stock's SQL"), to_stock, least),
                verdict::at_least(&format!("{what} ext/memcached on its port"), to_port, 1.0),
            ]
        };
        TRANSPARENT.into_iter().flat_map(promises).collect::<Vec<_>>()
    };
    let mut all: Vec<Promise> = promised.flat_map(promises).collect();
    all.extend(explicit_promises(places, results));
    all
}

/// What was promised of `Vaquita\kv`.
fn explicit_promises(places: &Places, results: &Results) -> Vec<Promise> {
    let mut all = Vec::new();
    for Database { called, port, .. } in &places.databases {
        let line = name(called, EXPLICIT);
        if let Some((_, least)) = EXPLICIT_AT_ONCE.iter().find(|(it, _)| called.starts_with(it)) {
            let group = AT_ONCE.group(1);
            let text =
                of(results, 1, &name(called, TEXT)).map(|it| it.figures(Runner::Stock, WALL));
            let many = results.of(&group, &line).map(|it| it.figures(Runner::Vaquita, WALL));
            let ratio = text.zip(many).and_then(|(text, many)| verdict::paired(&text, &many));
            let what = format!("{group}: {line}, to the rate of stock's SQL one after the other");
            all.push(verdict::at_least(&what, ratio, *least));
        }
        if called.starts_with(PROMISED) && port.is_some() {
            let to = |(line, other, shown): (&str, String, &str)| {
                let line = name(called, line);
                let ratio = faster(results, 1, (&line, Runner::Vaquita), (&other, Runner::Stock));
                let what = format!(
                    "{}: {line}, to the rate of ext/memcached on {shown}",
                    What::Get.group(1)
                );
                verdict::at_least(&what, ratio, 1.0)
            };
            all.push(to((EXPLICIT_KV, name(called, PORT), "the same port")));
            all.push(to((EXPLICIT_MEMCACHED, MEMCACHED.to_owned(), "the same memcached")));
        }
    }
    all
}

/// What was said of memcached's clients on MySQL's port in 2014, and what comes out here.
pub(super) fn notes(places: &Places, size: Size, results: &Results) -> Vec<String> {
    let by_workers = |ratio: &dyn Fn(u32) -> Option<f64>| {
        let one =
            |workers: &u32| ratio(*workers).map(|it| format!("{} with {workers}", Ratio(Some(it))));
        let all: Vec<String> = What::Get.workers(size).iter().filter_map(one).collect();
        if all.is_empty() { "not measured".to_owned() } else { all.join(", ") }
    };
    let ratio = |line: String, other: String| {
        by_workers(&|workers| {
            faster(results, workers, (&line, Runner::Stock), (&other, Runner::Stock))
        })
    };
    let with_port: Vec<&Database> =
        places.databases.iter().filter(|it| it.is_mysql() && it.port.is_some()).collect();
    if with_port.is_empty() {
        return Vec::new();
    }
    let mut notes = vec!["Ratios of the rate at which ext/memcached reads one key after the other from MySQL's port, by the number of workers:".to_owned()];
    for Database { called, .. } in &with_port {
        notes.push(format!(
            "{called}, to that of SQL: {}. Said in 2014: 2.2 to 2.5.",
            ratio(name(called, PORT), name(called, TEXT))
        ));
        notes.push(format!(
            "{called}, to that from memcached: {}. Said in 2014: 0.75.",
            ratio(name(called, PORT), MEMCACHED.to_owned())
        ));
    }
    // The old one stands last.
    if let [first, .., last] = &with_port[..] {
        notes.push(format!(
            "{}, to that from {}: {}. Said in 2014 of a newer server: 1.2.",
            first.called,
            last.called,
            ratio(name(&first.called, PORT), name(&last.called, PORT))
        ));
    }
    for Database { called, .. } in &with_port {
        let to_sql = |what: What| {
            let one = |workers: &u32| {
                let group = what.group(*workers);
                let wall = |line| {
                    Some(results.of(&group, &name(called, line))?.figures(Runner::Stock, WALL))
                };
                let ratio = verdict::paired(&wall(TEXT)?, &wall(PORT)?);
                ratio.map(|it| format!("{} with {workers}", Ratio(Some(it))))
            };
            let all: Vec<String> = what.workers(size).iter().filter_map(one).collect();
            if all.is_empty() { "not measured".to_owned() } else { all.join(", ") }
        };
        notes.push(format!(
            "{called}, what ext/memcached writes by its port, to SQL: set to UPDATE {}; add to INSERT {}. Vaquita\\kv writes by SQL.",
            to_sql(What::Set),
            to_sql(What::Add)
        ));
    }
    for Database { called, .. } in &with_port {
        let workers = *What::Get.workers(size).first().unwrap_or(&1);
        let cpu = |line| {
            Figure(
                of(results, workers, &name(called, line))
                    .and_then(|it| it.median(Runner::Stock, SERVER_CPU)),
            )
        };
        notes.push(format!(
            "{called}, what SQL costs above the storage: {} us of the server's CPU for a key by text, {} prepared, {} by its port.",
            cpu(TEXT), cpu(PREPARED), cpu(PORT)
        ));
    }
    notes
}

/// For each database its rates by the number of workers, beside those of caches; then the rates in every table, and the servers' CPU time where one is read.
pub(super) fn plots(places: &Places, results: &Results) -> Vec<Plot> {
    let workers = What::Get.workers(Size::Full);
    let rates = |line: &str, runner| -> Vec<Option<f64>> {
        let rate = |workers: &u32| Some(of(results, *workers, line)?.median(runner, RATE)? / 1e3);
        workers.iter().map(rate).collect()
    };
    let mut plots = Vec::new();
    for Database { called, .. } in places.databases.iter().filter(|it| !it.is_portless) {
        let own = |line| name(called, line);
        let lines = [
            ("SQL, Vaquita by the port", own(TEXT_KV), Runner::Vaquita),
            ("Vaquita\\kv by the port", own(EXPLICIT_KV), Runner::Vaquita),
            ("Vaquita\\kv", own(EXPLICIT), Runner::Vaquita),
            ("SQL, stock", own(TEXT), Runner::Stock),
            ("prepared, stock", own(PREPARED), Runner::Stock),
            ("ext/memcached on the port", own(PORT), Runner::Stock),
            ("memcached", MEMCACHED.to_owned(), Runner::Stock),
            ("Redis", ONE_REDIS.to_owned(), Runner::Stock),
            ("3 Redis by worker", BY_WORKER.to_owned(), Runner::Stock),
            ("3 Redis by key", BY_KEY.to_owned(), Runner::Stock),
            ("SQL, Vaquita", own(TEXT), Runner::Vaquita),
        ];
        let lines =
            lines.into_iter().map(|(shown, line, runner)| (shown.to_owned(), rates(&line, runner)));
        plots.push(Plot::Lines(Lines {
            title: format!("{called} beside caches: one key after the other, thousand operations a second in all"),
            across: "workers",
            xs: workers.iter().map(u32::to_string).collect(),
            lines: lines.collect(),
            one: None,
        }));
    }
    let groups = results.groups();
    plots.extend(groups.iter().map(|group| plot::bars(results, group, RATE)));
    let reading = groups.iter().filter(|it| **it == What::Get.group(1));
    plots.extend(reading.map(|group| plot::bars(results, group, SERVER_CPU)));
    plots
}

#[cfg(test)]
mod tests {
    use super::super::super::workload::Outcome;
    use super::super::MEASURES;
    use super::super::contenders::{lines, tests::places};
    use super::*;

    /// Both MySQLs are there; everybody takes so long for a key as it is from the front of the lines.
    fn measured() -> (Places, Results) {
        let mut places = places();
        if let Some(newer) = places.databases.last_mut() {
            newer.called = "MySQL 8.0".to_owned();
        }
        let older = Database { called: "MySQL 5.6".to_owned(), ..places.databases[1].clone() };
        places.databases.push(older);
        let lines = lines(&places, true, Size::Full);
        let cases = lines.iter().map(|it| it.case.clone()).collect();
        let mut results = Results::new(MEASURES.to_vec(), cases);
        for (at, line) in lines.iter().enumerate() {
            let us = match &line.case.name {
                name if name.ends_with(PORT) => 20.0,
                name if name == MEMCACHED => 10.0,
                _ => 40.0,
            };
            for runner in line.case.runners {
                let us = if *runner == Runner::Vaquita { us / 2.5 } else { us };
                let figures = vec![us, 1e6 / us, 1e6 / us, us, us];
                results.add(at, *runner, Outcome { answer: None, figures }, true).unwrap();
            }
        }
        (places, results)
    }

    #[test]
    fn a_script_that_knows_nothing_is_promised_to_be_faster() {
        let (places, results) = measured();
        let said: Vec<_> =
            promises(&places, &results).into_iter().map(|it| (it.what, it.is_held)).collect();
        let first = "reading, 1 worker: MySQL 8.0, text, kv, to the rate of stock's SQL: 2.50, at least 1.2";
        assert_eq!(said[0], (first.to_owned(), true));
        let second = "reading, 1 worker: MySQL 8.0, text, kv, to the rate of ext/memcached on its port: 1.25, at least 1";
        assert_eq!(said[1], (second.to_owned(), true));
        let many = "reading 100 at once, 1 worker: MySQL 8.0, Vaquita\\kv, to the rate of stock's SQL one after the other: 2.50, at least 8";
        assert_eq!(said[5], (many.to_owned(), false));
        let port = "reading, 1 worker: MySQL 8.0, Vaquita\\kv, kv, to the rate of ext/memcached on the same port: 1.25, at least 1";
        assert_eq!(said[6], (port.to_owned(), true));
        assert_eq!(said.len(), 8);
        let nothing = Results::new(Vec::new(), Vec::new());
        assert!(promises(&places, &nothing).iter().all(|it| !it.is_held));
    }

    #[test]
    fn claims_stand_beside_figures() {
        let (places, results) = measured();
        let notes = notes(&places, Size::Full, &results);
        let of_all = "2.00 with 1, 2.00 with 2, 2.00 with 4, 2.00 with 8";
        assert_eq!(
            notes[1],
            format!("MySQL 8.0, to that of SQL: {of_all}. Said in 2014: 2.2 to 2.5.")
        );
        assert!(
            notes[2].starts_with("MySQL 8.0, to that from memcached: 0.50 with 1"),
            "{notes:?}"
        );
        assert!(
            notes[5].starts_with("MySQL 8.0, to that from MySQL 5.6: 1.00 with 1"),
            "{notes:?}"
        );
        let written = "MySQL 8.0, what ext/memcached writes by its port, to SQL: set to UPDATE 2.00 with 1, 2.00 with 4; add to INSERT 2.00 with 1, 2.00 with 4";
        assert!(notes[6].starts_with(written), "{notes:?}");
        assert!(notes[8].contains(
            "40.0 us of the server's CPU for a key by text, 40.0 prepared, 20.0 by its port"
        ));
    }

    #[test]
    fn each_database_has_its_plot() {
        let (places, results) = measured();
        let plots = plots(&places, &results);
        let lines = plots.iter().filter(|it| matches!(it, Plot::Lines(_)));
        assert_eq!(lines.count(), 3);
        let Plot::Lines(first) = &plots[0] else { panic!("other") };
        assert_eq!(first.lines[0].1, [Some(62.5); 4]);
        assert_eq!(first.lines[5].1, [None; 4]);
    }
}
