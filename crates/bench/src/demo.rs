//! `vaquita-bench demo`: one script fetches one table in six ways, on both stacks, in turn, each time in a fresh process. Another one connects over
//! and over.

use std::path::Path;

use crate::arguments::Options;
use crate::dataset;
use crate::persistent;
use crate::progress::Progress;
use crate::report::{Report, Runs};
use crate::server::Server;
use crate::stack::{Driver, Stack};
use crate::statistics::median;

/// What connects over and over.
const PERSISTENT: &str = "examples/persistent.php";

/// The ways of `examples/fetch.php`, as it names them.
const WAYS: [&str; 6] = [
    "fetch_all",
    "store_result",
    "use_result",
    "fetch_all_use_result",
    "pdo_buffered",
    "pdo_unbuffered",
];

/// Loads the data, measures, checks that both stacks fetched the same, and prints the report.
///
/// # Errors
/// If anything fails, or if row counts or digests disagree.
pub(crate) fn run(options: &Options) -> Result<(), String> {
    let server = Server::from_env("mariadb")?;
    let stock = Stack::new(Driver::Stock, &options.stacks.stock);
    let vaquita = Stack::new(Driver::Vaquita, &options.stacks.vaquita);
    let stock_version = stock.describe()?;
    let vaquita_version = vaquita.describe()?;

    // Once for the data, then in each round an idle process and every way on each stack; a first round is not counted.
    let mut progress = Progress::new(1 + (1 + options.rounds) * 2 * (1 + WAYS.len()));
    progress.now("loading the data");
    let server_version = server.load()?;

    let mut runs = WAYS.map(|way| Runs { way, stock: Vec::new(), vaquita: Vec::new() });
    let mut stock_idle = Vec::new();
    let mut vaquita_idle = Vec::new();
    for round in 0..=options.rounds {
        let label = if round == 0 {
            "warm-up".to_owned()
        } else {
            format!("round {round} of {}", options.rounds)
        };
        // Who goes first alternates, so that neither always follows the other.
        let mut order = [Driver::Stock, Driver::Vaquita];
        if round % 2 == 1 {
            order.reverse();
        }
        for driver in order {
            progress.now(&format!("{label}: idle"));
            let (stack, idle) = match driver {
                Driver::Stock => (&stock, &mut stock_idle),
                Driver::Vaquita => (&vaquita, &mut vaquita_idle),
            };
            idle.push(stack.idle_rss_kib(&options.script)?);
        }
        for runs in &mut runs {
            for driver in order {
                progress.now(&format!("{label}: {}", runs.way));
                let (stack, measurements) = match driver {
                    Driver::Stock => (&stock, &mut runs.stock),
                    Driver::Vaquita => (&vaquita, &mut runs.vaquita),
                };
                let measurement = stack
                    .fetch(&options.script, runs.way, &server)
                    .map_err(|error| format!("{}: {error}", runs.way))?;
                if round > 0 {
                    measurements.push(measurement);
                }
            }
        }
    }
    drop(progress);

    let digest = agreed_digest(&runs);
    let report = Report {
        rounds: options.rounds,
        server: server_version,
        stock: stock_version,
        vaquita: vaquita_version,
        stock_idle_kib: median(stock_idle),
        vaquita_idle_kib: median(vaquita_idle),
        ways: Vec::from(runs),
    };
    println!("{report}");
    println!("{} rows in each run, and all digests agree: xxh128 {}\n", dataset::ROWS, digest?);
    persistent::demonstrate(&options.stacks, Path::new(PERSISTENT), &server)
}

/// The digest that all runs have in common.
///
/// # Errors
/// Each way and stack whose rows or digest differ from those of the first run on stock.
fn agreed_digest(runs: &[Runs]) -> Result<String, String> {
    let digest = runs
        .iter()
        .find_map(|runs| runs.stock.first())
        .map(|first| first.digest.clone())
        .ok_or("stock could not fetch the data in any way")?;
    let mut differences = Vec::new();
    for way in runs {
        for (stack, measurements) in [("stock", &way.stock), ("vaquita", &way.vaquita)] {
            for run in measurements {
                if run.rows != dataset::ROWS || run.digest != digest {
                    differences.push(format!(
                        "{} on {stack}: {} rows, digest {}",
                        way.way, run.rows, run.digest
                    ));
                }
            }
        }
    }
    differences.dedup();
    if differences.is_empty() {
        Ok(digest)
    } else {
        Err(format!(
            "the data differ; expected {} rows, digest {digest}\n{}",
            dataset::ROWS,
            differences.join("\n")
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stack::Measurement;

    fn fetched(rows: u64, digest: &str) -> Vec<Measurement> {
        let digest = digest.to_owned();
        vec![Measurement { rows, digest, wall_ms: 1.0, cpu_ms: 1.0, peak_rss_kib: 1.0 }]
    }

    #[test]
    fn digests_must_agree() {
        let same = Runs { way: "a", stock: fetched(30_000, "x"), vaquita: fetched(30_000, "x") };
        let other = Runs { way: "c", stock: fetched(30_000, "x"), vaquita: fetched(30_000, "y") };
        let fewer = Runs { way: "d", stock: fetched(30_000, "x"), vaquita: fetched(29_999, "x") };
        assert_eq!(agreed_digest(&[same]), Ok("x".to_owned()));
        assert!(
            agreed_digest(&[other]).unwrap_err().contains("c on vaquita: 30000 rows, digest y")
        );
        assert!(agreed_digest(&[fewer]).unwrap_err().contains("29999 rows"));
        assert!(agreed_digest(&[]).is_err());
    }
}
