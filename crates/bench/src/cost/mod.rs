//! `vaquita-bench cost`: what it costs a small query that the driver counts and times it, and keeps what it waited for; and what a request's end costs that publishes.

mod live;
mod requests;

use std::env;
use std::fs;
use std::path::Path;
use std::process;

use crate::arguments::Cost;
use crate::processors::Processors;
use crate::progress::Progress;
use crate::promise::{Promise, Promises};
use crate::server::{Server, Way};
use crate::stack::{Driver, Stack};
use crate::statistics::median;
use live::{Live, Times};

/// How many statements a process sends before it is another one's turn.
const CHUNK: u64 = 2_000;
/// How many turns each process has.
const TURNS: usize = 20;
/// Statements of two processes under callgrind: what the second one needs more, it needs for the statements.
const COUNTS: [u64; 2] = [500, 2_500];
/// How much more processor time a small query may take with statistics than without.
const MOST_COUNTED: f64 = 1.03;
/// And with a slow trace armed besides.
const MOST_ARMED: f64 = 1.06;
/// How many instructions statistics may take for a small query.
const MOST_INSTRUCTIONS: u64 = 200;

/// Of what a process is asked besides its statements.
struct Mode {
    name: &'static str,
    settings: Vec<String>,
}

fn modes(trace: &Path) -> [Mode; 3] {
    let trace = format!("vaquita.trace={}", trace.display());
    let mode = |name, settings: &[&str]| Mode {
        name,
        settings: settings.iter().map(|it| (*it).to_owned()).collect(),
    };
    [
        mode("nothing is counted", &["mysqlnd.collect_statistics=0"]),
        mode("statistics, as usual", &[]),
        mode("and a slow trace, armed", &[&trace, "vaquita.trace_slow_ms=60000"]),
    ]
}

/// Measures, and says whether the limits are held.
///
/// # Errors
/// If anything fails, or a limit is not held.
pub(crate) fn run(asked: &Cost) -> Result<(), String> {
    let server = Server::from_env("mariadb")?.by(Way::Unix);
    let processors = Processors::divide();
    if let Some(processors) = &processors {
        processors.keep_server(&process::id().to_string())?;
        processors.keep_server(&server.pid()?)?;
    }
    let stack = Stack::new(Driver::Vaquita, &asked.vaquita).on(processors.as_ref());
    let divided = processors.as_ref().map(Processors::describe);
    println!("{}; {}", stack.describe()?, divided.unwrap_or_default());
    let trace = env::temp_dir().join(format!("vaquita-cost-{}", process::id()));
    let measured = measure(&stack, asked, &server, &trace);
    // Nothing was slow: it is empty, if it is there.
    let _ = fs::remove_file(&trace);
    let promises = measured?;
    println!("\n{}", Promises(&promises));
    if promises.iter().all(|it| it.is_held) { Ok(()) } else { Err("a limit is missed".to_owned()) }
}

fn measure(
    stack: &Stack,
    asked: &Cost,
    server: &Server,
    trace: &Path,
) -> Result<Vec<Promise>, String> {
    let modes = modes(trace);
    let [off, counted, armed] = modes.each_ref().map(|mode| {
        let [few, many] = COUNTS.map(|count| {
            let count = count.to_string();
            let stack = stack.with_settings(&mode.settings);
            stack.instructions(&asked.script, &[&count, "once"], server)
        });
        let [fewer, more] = COUNTS;
        Ok::<_, String>(many?.saturating_sub(few?) / (more - fewer))
    });
    let instructions = [off?, counted?, armed?];
    let sets = sets(stack, asked, server, &modes)?;
    println!(
        "\n{:<26}{:>14}{:>14}{:>14}{:>16}",
        "a SELECT 1", "instructions", "user us", "processor us", "to the first"
    );
    let mut ratios = Vec::new();
    for ((place, mode), instructions) in modes.iter().enumerate().zip(instructions) {
        let of = |which: fn(&Times) -> f64| {
            median(sets.iter().filter_map(|set| set.get(place)).map(which))
        };
        let ratio = median(sets.iter().filter_map(|set| {
            let (this, first) = (set.get(place)?, set.first()?);
            Some(this.processor_us / first.processor_us)
        }));
        println!(
            "{:<26}{instructions:>14}{:>14.3}{:>14.3}{ratio:>16.3}",
            mode.name,
            of(|it| it.user_us),
            of(|it| it.processor_us)
        );
        ratios.push(ratio);
    }
    println!(
        "median of {} sets; in each, three processes that live side by side take {TURNS} turns of {CHUNK} statements",
        sets.len()
    );
    let publishing = requests::instructions_of_publishing(stack, &asked.script)?;
    println!("\na request's end with vaquita.metrics_shared: {publishing} instructions more");
    let [off, counted, _] = instructions;
    let more = counted.saturating_sub(off);
    let limit = |what: &str, ratio: Option<&f64>, most: f64| Promise {
        what: format!("{what}: {:.3}, at most {most}", ratio.copied().unwrap_or(f64::NAN)),
        is_held: ratio.is_some_and(|it| *it <= most),
    };
    Ok(vec![
        Promise {
            what: format!("statistics: {more} instructions a query, at most {MOST_INSTRUCTIONS}"),
            is_held: more <= MOST_INSTRUCTIONS,
        },
        limit("statistics: processor time to that without", ratios.get(1), MOST_COUNTED),
        limit("a slow trace, armed: the same", ratios.get(2), MOST_ARMED),
    ])
}

/// What a query took in each mode, by sets: the medians of the turns.
fn sets(
    stack: &Stack,
    asked: &Cost,
    server: &Server,
    modes: &[Mode; 3],
) -> Result<Vec<Vec<Times>>, String> {
    let mut progress = Progress::new(asked.rounds);
    let mut sets = Vec::new();
    for set in 0..asked.rounds {
        progress.now("processor time");
        let mut lives = Vec::new();
        for mode in modes {
            let mut command = stack.with_settings(&mode.settings).command();
            command.arg(&asked.script).arg(CHUNK.to_string());
            server.describe_to(&mut command);
            lives.push(Live::start(command)?);
        }
        let mut turns: Vec<Vec<Times>> = modes.iter().map(|_| Vec::new()).collect();
        for turn in 0..TURNS {
            // Who comes first, and who after whom, changes from turn to turn and from set to set.
            let mut order: Vec<usize> = (0..modes.len()).collect();
            order.rotate_left((set + turn) % modes.len());
            if (set + turn).is_multiple_of(2) {
                order.reverse();
            }
            for place in order {
                let (live, times) = (lives.get_mut(place), turns.get_mut(place));
                if let (Some(live), Some(times)) = (live, times) {
                    times.push(live.turn()?);
                }
            }
        }
        lives.into_iter().try_for_each(Live::end)?;
        let middle = |times: &Vec<Times>| Times {
            user_us: median(times.iter().map(|it| it.user_us)),
            processor_us: median(times.iter().map(|it| it.processor_us)),
        };
        sets.push(turns.iter().map(middle).collect());
    }
    Ok(sets)
}
