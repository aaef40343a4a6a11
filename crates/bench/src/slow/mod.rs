//! `vaquita-bench slow`: requests that are slow for one reason each, traced; whether `vaquita trace summary` tells the reason.

mod summary;

use std::env;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{self, Command};
use std::time::Duration;

use crate::arguments::Slow;
use crate::process::{number, output, parse};
use crate::relay::Relay;
use crate::server::{Server, Way};
use crate::stack::{Driver, Stack};
use summary::{Bar, Connecting, Summary};

const SERVER: &str = "mariadb";
/// What the slow network adds to a round trip: half of it each way.
const FAR: Duration = Duration::from_millis(30);
/// Whose a run is has at least so much of its time, in percent: nearly all, where nobody else uses the machine.
const MOST_PERCENT: u64 = 60;
/// How many times fewer pages are read for a statement that finds them in memory, at least.
const MUCH_LESS: f64 = 10.0;
/// How many times slower the disk has to be for two modes that anybody could tell apart: with three powers of two between them.
const FAR_APART: f64 = 8.0;
/// How often a short request is made.
const REQUESTS: usize = 20;

/// A run: what is asked of it, and what its summary has to say.
struct Run {
    /// A part of the script, and the trace's name.
    part: &'static str,
    what: &'static str,
    is_far: bool,
    times: usize,
    expected: Expected,
}

/// What a summary has to say.
enum Expected {
    /// Whose most of the time was.
    Time(&'static str),
    /// A statement with this in it has two modes.
    TwoModes(&'static str),
    /// Whether connecting matters.
    ConnectingMatters(bool),
}

const RUNS: [Run; 6] = [
    Run::new("server", "heavy statements, near the server", Expected::Time("server")),
    Run {
        is_far: true,
        ..Run::new("network", "cheap statements, 15 ms each way", Expected::Time("network"))
    },
    Run::new("client", "pauses between statements and between rows", Expected::Time("client")),
    Run::new(
        "pool",
        "each statement twice: first the server reads its pages, then it has them",
        Expected::TwoModes("SELECT SUM(LENGTH(body))"),
    ),
    Run {
        times: REQUESTS,
        ..Run::new("brief", "a cheap statement a request", Expected::ConnectingMatters(true))
    },
    Run::new("busy", "1,000 cheap statements a request", Expected::ConnectingMatters(false)),
];

/// How often a run is made whose summary is wrong.
const TRIES: usize = 3;

impl Run {
    const fn new(part: &'static str, what: &'static str, expected: Expected) -> Run {
        Run { part, what, is_far: false, times: 1, expected }
    }
}

/// Runs all of them, prints their summaries, and says which are wrong.
///
/// # Errors
/// If anything fails, or a summary is wrong.
pub(crate) fn run(asked: &Slow) -> Result<(), String> {
    let server = Server::from_env(SERVER)?.by(Way::Tcp);
    let stack = Stack::new(Driver::Vaquita, &asked.vaquita);
    let version = stack.sql(&server, &["SELECT VERSION()"])?;
    println!("{}, {}", stack.describe()?, Server::called(&version));
    stack.run(&asked.script, &["prepare"], &server)?;
    let relay = Relay::start(server.port(), FAR)
        .map_err(|error| format!("there can be no relay: {error}"))?;
    let traces = Traces::new()?;
    let (mut wrong, mut unseen) = (0, 0);
    for run in &RUNS {
        println!("\n== {}: {}", run.part, run.what);
        let to = if run.is_far { server.through(relay.port()) } else { server.clone() };
        let mut verdict = traces.judge(run, &stack, asked, &to)?;
        println!("{verdict}");
        // What else a machine does in a moment is in the times, too: a wrong summary is wrong each time.
        for _ in 1..TRIES {
            if !matches!(verdict, Verdict::Wrong(_)) {
                break;
            }
            println!("\n== {}, again", run.part);
            traces.forget(run.part)?;
            verdict = traces.judge(run, &stack, asked, &to)?;
            println!("{verdict}");
        }
        wrong += usize::from(matches!(verdict, Verdict::Wrong(_)));
        unseen += usize::from(matches!(verdict, Verdict::NotLookedAt(_)));
    }
    println!("\nslow: {} runs, {wrong} wrong, {unseen} not looked at", RUNS.len());
    if wrong > 0 { Err("a summary is wrong".to_owned()) } else { Ok(()) }
}

/// Whether a summary says what it has to, with what it says.
enum Verdict {
    Right(String),
    Wrong(String),
    /// This machine can't show it, and why.
    NotLookedAt(String),
}

impl Verdict {
    fn new(is_right: bool, told: String) -> Verdict {
        if is_right { Verdict::Right(told) } else { Verdict::Wrong(told) }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Right(told) => write!(to, "right: {told}"),
            Verdict::Wrong(told) => write!(to, "wrong: {told}"),
            Verdict::NotLookedAt(why) => write!(to, "not looked at: {why}"),
        }
    }
}

impl Expected {
    /// Reads the summary, and what the script has printed.
    ///
    /// # Errors
    /// They are not as they should be.
    fn check(&self, summary: &Summary<'_>, printed: &str) -> Result<Verdict, String> {
        match self {
            Expected::Time(whose) => {
                let (found, percent) = summary.whose().ok_or("whose the time was is not told")?;
                let told = format!("{percent} % of the time was the {found}'s");
                Ok(Verdict::new(found == *whose && percent >= MOST_PERCENT, told))
            }
            Expected::TwoModes(statement) => {
                let bars = summary.bars(statement).ok_or("the statement has no histogram")?;
                Ok(Pages::parse(printed)?.check(&bars))
            }
            Expected::ConnectingMatters(matters) => {
                match summary.connecting().ok_or("whether connecting matters is not told")? {
                    Connecting::Matters(told) => Ok(Verdict::new(*matters, told.to_owned())),
                    Connecting::DoesNotMatter(told) => Ok(Verdict::new(!*matters, told.to_owned())),
                }
            }
        }
    }
}

/// What the script tells of statements whose pages are not in memory, and of those whose pages are.
struct Pages {
    /// How many pages the server read.
    reads: [f64; 2],
    /// How long all took, by the script's own clock.
    nanoseconds: [f64; 2],
}

impl Pages {
    fn parse(line: &str) -> Result<Pages, String> {
        let report = parse(line)?;
        let both = |key: &str| {
            let of = report.get(key).ok_or_else(|| format!("no {key} in {line}"))?;
            Ok::<_, String>([number(of, "cold")?, number(of, "warm")?])
        };
        Ok(Pages { reads: both("reads")?, nanoseconds: both("nanoseconds")? })
    }

    /// Whether a histogram shows both kinds.
    fn check(&self, bars: &[Bar<'_>]) -> Verdict {
        let Pages { reads: [cold, warm], nanoseconds: [slow, fast] } = self;
        let counted = format!(
            "the server itself counts {cold} pages read for the first ones, {warm} for the second ones"
        );
        // Otherwise modes are none of the pages'.
        let is_of_pages = warm * MUCH_LESS <= *cold;
        match summary::modes(bars) {
            Some([first, second]) => {
                let told = format!("two modes, from {first} and from {second} on; {counted}");
                Verdict::new(is_of_pages, told)
            }
            None if is_of_pages && *slow < fast * FAR_APART => Verdict::NotLookedAt(format!(
                "two modes, for this machine reads from its disk nearly as fast as from memory; {counted}"
            )),
            None => Verdict::Wrong(format!("there are no two modes in {bars:?}; {counted}")),
        }
    }
}

/// A folder for traces, which goes with it.
struct Traces(PathBuf);

impl Traces {
    fn new() -> Result<Traces, String> {
        let folder = env::temp_dir().join(format!("vaquita-slow-{}", process::id()));
        fs::create_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        Ok(Traces(folder))
    }

    /// Runs a part as often as it is to be run, and judges the summary of its trace, which is printed.
    fn judge(
        &self,
        run: &Run,
        stack: &Stack,
        asked: &Slow,
        server: &Server,
    ) -> Result<Verdict, String> {
        let mut printed = String::new();
        for _ in 0..run.times {
            printed = self.trace(stack, &asked.script, run.part, server)?;
        }
        let text = self.summary(&asked.program, run.part)?;
        println!("{text}");
        run.expected.check(&Summary(&text), &printed)
    }

    /// Throws a part's trace away.
    fn forget(&self, part: &str) -> Result<(), String> {
        fs::remove_file(self.0.join(part)).map_err(|error| format!("the trace of {part}: {error}"))
    }

    /// Runs a part of a script as one request, which is added to its trace, and gives back what it prints.
    fn trace(
        &self,
        stack: &Stack,
        script: &Path,
        part: &str,
        server: &Server,
    ) -> Result<String, String> {
        let mut command = stack.command();
        command.arg("-d").arg(format!("vaquita.trace={}", self.0.join(part).display()));
        server.describe_to(command.arg(script).arg(part));
        output(&mut command).map_err(|error| format!("{part}: {error}"))
    }

    /// The summary of a part's trace. It names the file as it is called in its folder.
    fn summary(&self, program: &Path, part: &str) -> Result<String, String> {
        let program = program.canonicalize();
        let program = program.map_err(|error| format!("the program vaquita: {error}"))?;
        let mut command = Command::new(program);
        command.current_dir(&self.0).args(["trace", "summary", "--top", "3", part]);
        output(&mut command).map_err(|error| format!("the summary of {part}: {error}"))
    }
}

impl Drop for Traces {
    fn drop(&mut self) {
        // It is in the system's folder for such files.
        let _ = fs::remove_dir_all(&self.0);
    }
}
