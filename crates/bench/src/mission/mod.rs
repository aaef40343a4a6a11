//! `vaquita-bench bench`: the workloads of the mission on both stacks, in turn, each run in a fresh process, and the report on them.

mod allocations;
mod bench;
mod data;
mod fetch;
mod html;
mod instructions;
mod json;
mod kv;
mod machine;
mod memory;
mod middle;
mod pages;
mod persistent;
mod pipelining;
mod plot;
mod replay;
mod report;
mod results;
mod sizes;
mod start;
mod steps;
mod svg;
mod terminal;
mod verdict;
mod workload;

use std::fs;
use std::path::Path;

pub(crate) use bench::Size;

use crate::arguments::Mission;
use crate::figure::Figure;
use crate::process::output;
use crate::progress::Progress;
use crate::server::Server;
use crate::statistics::median;
use bench::Bench;
use report::{Report, Section};
use results::Results;
use steps::Steps;
use workload::{Outcome, Repeats, Runner, Workload};

/// The servers, as `scripts/servers` names them; the first has the most of the work.
const SERVERS: [&str; 2] = ["mariadb", "mysql80"];

/// What was promised besides, and where it is looked after.
const NOT_HERE: &str = "that memory_limit never ends in a killed process is a matter of tests/phpt";
/// Where there are none.
const NO_PAGES: &str = "pages of applications need PHP-FPM, nginx and Debian's packages for this PHP: scripts/bench fetches them for the system's";

/// Measures, writes the report, and prints it.
///
/// # Errors
/// If anything fails, or if an answer is not the same on both stacks. A promise that is not held is no failure.
pub(crate) fn run(asked: &Mission) -> Result<(), String> {
    let bench = Bench::new(&asked.stacks, &asked.programs, asked.size);
    let mut about = vec![
        ("machine", machine::describe()),
        ("where", bench.describe_processors()),
        ("when", machine::when()),
        ("load", format!("{} before the first run", machine::load())),
        ("stock", bench.stock.describe()?),
        ("Vaquita", bench.vaquita.describe()?),
        ("C", c_library()),
    ];
    let mut servers = Vec::new();
    for name in SERVERS {
        let server = Server::from_env(name)?;
        let called = Server::called(&bench.sql(&server, &["SELECT VERSION()"])?);
        servers.push((server, called));
    }
    let called: Vec<&str> = servers.iter().map(|(_, called)| &**called).collect();
    about.push(("servers", called.join(", ")));
    let all: Vec<Server> = servers.iter().map(|(server, _)| server.clone()).collect();
    bench.divide(&all)?;

    let mut workloads = workloads(&servers, asked.size);
    let has_pages = workloads.iter().any(|it| it.name() == pages::NAME);
    select(&mut workloads, &asked.only)?;
    for workload in &mut workloads {
        eprintln!("preparing {}", workload.name());
        workload.prepare(&bench)?;
    }
    let results = measure(&mut workloads, &bench, asked.rounds)?;
    if asked.size == Size::Small {
        about.push((
            "size",
            "small: these figures say whether the tool works, and nothing else".to_owned(),
        ));
    }
    about.push(("noise", noise(&results)));
    let not_here = if has_pages { NOT_HERE.to_owned() } else { format!("{NO_PAGES}; {NOT_HERE}") };
    about.push(("not here", not_here));
    let sections =
        workloads.iter().zip(results).map(|(workload, results)| Section::new(&**workload, results));
    let report = Report { about, rounds: asked.rounds, sections: sections.collect() };
    println!("{}", terminal::Terminal(&report));
    write(&asked.report, "index.html", &html::page(&report))?;
    write(&asked.report, "report.json", &json::text(&report))
}

/// All there are, in the order of the report.
fn workloads(servers: &[(Server, String)], size: Size) -> Vec<Box<dyn Workload>> {
    let mut all: Vec<Box<dyn Workload>> = vec![Box::new(fetch::Fetch::new(servers, size))];
    // These need one server only.
    if let Some((server, _)) = servers.first() {
        all.push(Box::new(allocations::Allocations::new(server)));
        all.push(Box::new(middle::Middle::new(server, size)));
        all.push(Box::new(sizes::Sizes::new(server, size)));
        all.push(Box::new(memory::Memory::new(server, size)));
        all.push(Box::new(instructions::Instructions::new(server, size)));
    }
    all.push(Box::new(persistent::Persistent::new(servers)));
    all.push(Box::new(pipelining::Pipelining::new(servers)));
    all.push(Box::new(kv::Kv::from_env(servers, size)));
    if let Some(pages) = servers.first().and_then(|(it, _)| pages::Pages::from_env(it, size)) {
        all.push(Box::new(pages));
    }
    all.push(Box::new(start::Start::default()));
    all
}

/// Leaves those that were asked for, by their names or how these begin; nothing asked for is all.
fn select(workloads: &mut Vec<Box<dyn Workload>>, only: &[String]) -> Result<(), String> {
    let names: Vec<&str> = workloads.iter().map(|it| it.name()).collect();
    let is_unknown = |asked: &&String| !names.iter().any(|name| name.starts_with(&***asked));
    if let Some(unknown) = only.iter().find(is_unknown) {
        return Err(format!("no workload is called {unknown}; there are: {}", names.join(", ")));
    }
    let is_asked = |name: &str| only.iter().any(|asked| name.starts_with(&**asked));
    workloads.retain(|it| only.is_empty() || is_asked(it.name()));
    Ok(())
}

/// Runs everything once, then what drifts once in each round, in turn.
fn measure(
    workloads: &mut [Box<dyn Workload>],
    bench: &Bench,
    rounds: usize,
) -> Result<Vec<Results>, String> {
    let mut all: Vec<Results> =
        workloads.iter().map(|it| Results::new(it.measures(), it.cases())).collect();
    let once = |workload: &dyn Workload| workload.repeats() == Repeats::Once;
    let mut steps = Steps::new(rounds);
    let runs = |workload: &dyn Workload| {
        workload.cases().iter().map(|case| case.runners.len()).sum::<usize>()
    };
    let repeated: usize = workloads.iter().filter(|it| !once(&***it)).map(|it| runs(&**it)).sum();
    let single: usize = workloads.iter().filter(|it| once(&***it)).map(|it| runs(&**it)).sum();
    let repeats = rounds + bench.size.pick(1, 0);
    let mut progress = Progress::long(single + repeated * repeats);
    for round in 0..=rounds {
        for (at, (workload, results)) in workloads.iter_mut().zip(&mut all).enumerate() {
            // Figures that say nothing need no warming up.
            let is_wanted = match once(&**workload) {
                true => round == 0,
                false => round > 0 || bench.size == Size::Full,
            };
            if !is_wanted {
                continue;
            }
            for (number, case) in workload.cases().into_iter().enumerate() {
                let mut runners = case.runners.to_vec();
                // Who goes first alternates, so that nobody always follows the same.
                if round % 2 == 1 {
                    runners.reverse();
                }
                for runner in runners {
                    let left = steps.left(round);
                    progress.now(&format!(
                        "{left}: {}, {}: {}",
                        case.group,
                        case.name,
                        runner.name()
                    ));
                    let step = (at, number, runner);
                    let Outcome { answer, figures } =
                        steps.timed(round, step, || workload.run(number, runner, bench))?;
                    let counts = round > 0 || once(&**workload);
                    results.add(number, runner, Outcome { answer, figures }, counts)?;
                }
            }
        }
        if round == 0 {
            let every = |(at, _, _): &(usize, usize, Runner)| {
                workloads.get(*at).is_some_and(|it| !once(&**it))
            };
            steps.keep(every);
        }
    }
    Ok(all)
}

/// How far stock is from itself, in all that is judged.
fn noise(results: &[Results]) -> String {
    let mut all = Vec::new();
    for results in results {
        for (at, _) in results.measures.iter().enumerate().filter(|(_, it)| it.is_judged()) {
            all.extend(results.cases.iter().filter_map(|it| it.noise(at)));
        }
    }
    let largest = all.iter().copied().max_by(f64::total_cmp);
    if all.is_empty() {
        return "not measured: nothing here drifts".to_owned();
    }
    let percent = |part: f64| Figure(Some(part * 100.0));
    format!(
        "stock against itself, {} figures: {} % in the middle, {} % at the most",
        all.len(),
        percent(median(all.iter().copied())),
        percent(largest.unwrap_or_default())
    )
}

fn c_library() -> String {
    let version = output(std::process::Command::new("mariadb_config").arg("--cc_version"));
    version.map_or("libmariadb".to_owned(), |it| format!("libmariadb {}", it.trim()))
}

/// Writes a file of the report.
fn write(folder: &Path, name: &str, text: &str) -> Result<(), String> {
    let path = folder.join(name);
    let written = fs::create_dir_all(folder).and_then(|()| fs::write(&path, text));
    written.map_err(|error| format!("{}: {error}", path.display()))?;
    println!("written: {}", path.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Vec<Box<dyn Workload>> {
        let server = Server::for_tests();
        workloads(
            &[(server.clone(), "MariaDB 1".to_owned()), (server, "MySQL 2".to_owned())],
            Size::Full,
        )
    }

    #[test]
    fn workloads_are_chosen_by_name() {
        let mut some = all();
        let names: Vec<&str> = some.iter().map(|it| it.name()).collect();
        select(&mut some, &["fetch".to_owned()]).unwrap();
        assert_eq!(some.iter().map(|it| it.name()).collect::<Vec<_>>(), ["fetch"]);
        let mut begun = all();
        select(&mut begun, &["alloc".to_owned()]).unwrap();
        assert_eq!(begun.iter().map(|it| it.name()).collect::<Vec<_>>(), ["allocations"]);
        let error = select(&mut all(), &["fetsch".to_owned()]).unwrap_err();
        assert!(error.contains(&names.join(", ")), "{error}");
        let mut every = all();
        select(&mut every, &[]).unwrap();
        assert_eq!(every.len(), names.len());
    }

    #[test]
    fn every_case_has_one_place_in_the_report() {
        for workload in all() {
            let cases = workload.cases();
            for (at, case) in cases.iter().enumerate() {
                assert!(
                    !cases
                        .iter()
                        .skip(at + 1)
                        .any(|it| it.group == case.group && it.name == case.name),
                    "{case:?}"
                );
                assert!(!case.runners.is_empty());
            }
        }
    }

    #[test]
    fn noise_is_that_of_stock() {
        let with = results::tests::results(&[[10.0, 5.0, 11.0], [10.0, 5.0, 11.0]]);
        assert_eq!(
            noise(&[with]),
            "stock against itself, 1 figures: 9.09 % in the middle, 9.09 % at the most"
        );
        assert_eq!(noise(&[]), "not measured: nothing here drifts");
    }
}
