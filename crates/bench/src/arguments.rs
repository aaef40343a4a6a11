//! The command line: which workload, and the two PHP commands to compare.

use std::path::PathBuf;

use crate::mission::Size;

const USAGE: &str = "\
usage: vaquita-bench demo --stock PHP --vaquita PHP [--rounds N] [--script FILE]
       vaquita-bench calls --stock PHP --vaquita PHP [--script FILE]
       vaquita-bench persistent --stock PHP --vaquita PHP --reference PROGRAM [--rounds N] [--script FILE]
       vaquita-bench cost --vaquita PHP [--rounds N] [--script FILE]
       vaquita-bench slow --vaquita PHP --program VAQUITA [--script FILE]
       vaquita-bench bench --stock PHP --vaquita PHP --programs FOLDER --report FOLDER [--rounds N] [--only NAME[,NAME...]] [--size full|small]";

/// What the program is asked to do.
#[derive(Debug, PartialEq)]
pub(crate) enum Command {
    /// One script in six ways on both stacks (`make demo`).
    Demo(Options),
    /// What each call costs on both stacks (`make calls`).
    Calls {
        /// Both stacks.
        stacks: Stacks,
        /// The PHP script that makes the calls.
        script: PathBuf,
    },
    /// The workloads of the mission and their report (`make bench`).
    Mission(Mission),
    /// Connecting over and over, on both stacks and in C (`make persistent`).
    Persistent(Persistent),
    /// What statistics and traces cost a small query (`make cost`).
    Cost(Cost),
    /// Requests that are slow for one reason each (`make slow`).
    Slow(Slow),
}

/// The two PHPs to compare.
#[derive(Debug, PartialEq)]
pub(crate) struct Stacks {
    /// The PHP with the stock extensions: a program's name or path.
    pub(crate) stock: PathBuf,
    /// The PHP with Vaquita.
    pub(crate) vaquita: PathBuf,
}

/// The options of the demo.
#[derive(Debug, PartialEq)]
pub(crate) struct Options {
    /// Both stacks.
    pub(crate) stacks: Stacks,
    /// How often each measurement is taken, at least once.
    pub(crate) rounds: usize,
    /// The PHP script that is measured.
    pub(crate) script: PathBuf,
}

/// What is asked of `make persistent`.
#[derive(Debug, PartialEq)]
pub(crate) struct Persistent {
    /// Both stacks.
    pub(crate) stacks: Stacks,
    /// The C program, compiled.
    pub(crate) reference: PathBuf,
    /// How often each measurement is taken, at least once.
    pub(crate) rounds: usize,
    /// The PHP script that is measured.
    pub(crate) script: PathBuf,
}

/// What is asked of `make cost`.
#[derive(Debug, PartialEq)]
pub(crate) struct Cost {
    /// The PHP with Vaquita.
    pub(crate) vaquita: PathBuf,
    /// How often processor times are measured, at least once.
    pub(crate) rounds: usize,
    /// The PHP script that is measured.
    pub(crate) script: PathBuf,
}

/// What is asked of `make slow`.
#[derive(Debug, PartialEq)]
pub(crate) struct Slow {
    /// The PHP with Vaquita.
    pub(crate) vaquita: PathBuf,
    /// The program `vaquita`, which sums the traces.
    pub(crate) program: PathBuf,
    /// The PHP script that is slow.
    pub(crate) script: PathBuf,
}

/// What is asked of `make bench`.
#[derive(Debug, PartialEq)]
pub(crate) struct Mission {
    /// Both stacks.
    pub(crate) stacks: Stacks,
    /// Where `scripts/bench` puts what it compiles.
    pub(crate) programs: PathBuf,
    /// Where the report is written.
    pub(crate) report: PathBuf,
    /// How often each measurement is taken, at least once.
    pub(crate) rounds: usize,
    /// The names of the workloads; none: all of them.
    pub(crate) only: Vec<String>,
    /// How much of everything.
    pub(crate) size: Size,
}

/// The options as they were given; what is needed is asked for when all are read.
#[derive(Default)]
struct Given {
    stock: Option<PathBuf>,
    vaquita: Option<PathBuf>,
    script: Option<PathBuf>,
    reference: Option<PathBuf>,
    program: Option<PathBuf>,
    programs: Option<PathBuf>,
    report: Option<PathBuf>,
    rounds: Option<usize>,
    only: Vec<String>,
    is_small: bool,
}

impl Command {
    /// Reads the arguments that follow the program's name.
    ///
    /// # Errors
    /// What is wrong with them, with the usage.
    pub(crate) fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let workload = arguments.next().unwrap_or_default();
        let options = match &*workload {
            "demo" => "--stock --script --rounds",
            "calls" => "--stock --script",
            "persistent" => "--stock --script --rounds --reference",
            "cost" => "--script --rounds",
            "slow" => "--script --program",
            "bench" => "--stock --rounds --programs --report --only --size",
            _ => return Err(USAGE.to_owned()),
        };
        let mut given = Given::default();
        while let Some(option) = arguments.next() {
            let value =
                arguments.next().ok_or_else(|| format!("{option} needs a value\n{USAGE}"))?;
            if !format!("--vaquita {options}").split(' ').any(|known| known == option) {
                return Err(format!("unknown option {option}\n{USAGE}"));
            }
            given.take(&option, value)?;
        }
        let Given { stock, vaquita, script, rounds, .. } = given;
        let vaquita = vaquita.ok_or(USAGE)?;
        let script = script.unwrap_or_else(|| {
            let example = if workload == "demo" { "fetch" } else { &*workload };
            PathBuf::from(format!("examples/{example}.php"))
        });
        if workload == "cost" {
            return Ok(Self::Cost(Cost { vaquita, rounds: rounds.unwrap_or(20), script }));
        }
        if workload == "slow" {
            let program = given.program.ok_or(USAGE)?;
            return Ok(Self::Slow(Slow { vaquita, program, script }));
        }
        let stacks = Stacks { stock: stock.ok_or(USAGE)?, vaquita };
        match (&*workload, given.reference, given.programs, given.report) {
            ("demo", ..) => Ok(Self::Demo(Options { stacks, rounds: rounds.unwrap_or(8), script })),
            ("calls", ..) => Ok(Self::Calls { stacks, script }),
            ("persistent", Some(reference), ..) => {
                let rounds = rounds.unwrap_or(5);
                Ok(Self::Persistent(Persistent { stacks, reference, rounds, script }))
            }
            ("bench", _, Some(programs), Some(report)) => {
                let size = if given.is_small { Size::Small } else { Size::Full };
                let (rounds, only) = (rounds.unwrap_or(20), given.only);
                Ok(Self::Mission(Mission { stacks, programs, report, rounds, only, size }))
            }
            _ => Err(USAGE.to_owned()),
        }
    }
}

impl Given {
    /// Notes an option.
    fn take(&mut self, option: &str, value: String) -> Result<(), String> {
        match option {
            "--stock" => self.stock = Some(value.into()),
            "--vaquita" => self.vaquita = Some(value.into()),
            "--script" => self.script = Some(value.into()),
            "--reference" => self.reference = Some(value.into()),
            "--program" => self.program = Some(value.into()),
            "--programs" => self.programs = Some(value.into()),
            "--report" => self.report = Some(value.into()),
            "--only" => self.only = value.split(',').map(str::to_owned).collect(),
            "--size" => match &*value {
                "full" | "small" => self.is_small = value == "small",
                _ => return Err(format!("--size is full or small, not {value}")),
            },
            _ => {
                let rounds = value.parse().ok().filter(|rounds| *rounds > 0);
                let needs = || format!("--rounds needs a number above 0, not {value}");
                self.rounds = Some(rounds.ok_or_else(needs)?);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Command, String> {
        Command::parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn reads_the_stacks_and_rounds() {
        let stacks = || Stacks { stock: "php8.2".into(), vaquita: "build/php".into() };
        let demo = Options { stacks: stacks(), rounds: 3, script: "examples/fetch.php".into() };
        let command = parse("demo --stock php8.2 --vaquita build/php --rounds 3");
        assert_eq!(command, Ok(Command::Demo(demo)));
        let calls = Command::Calls { stacks: stacks(), script: "mine.php".into() };
        let command = parse("calls --stock php8.2 --vaquita build/php --script mine.php");
        assert_eq!(command, Ok(calls));
        let persistent = Persistent {
            stacks: stacks(),
            reference: "build/c".into(),
            rounds: 5,
            script: "examples/persistent.php".into(),
        };
        let command = parse("persistent --stock php8.2 --vaquita build/php --reference build/c");
        assert_eq!(command, Ok(Command::Persistent(persistent)));
        let cost =
            Cost { vaquita: "build/php".into(), rounds: 20, script: "examples/cost.php".into() };
        assert_eq!(parse("cost --vaquita build/php"), Ok(Command::Cost(cost)));
        let slow = Slow {
            vaquita: "build/php".into(),
            program: "build/vaquita".into(),
            script: "examples/slow.php".into(),
        };
        let command = parse("slow --vaquita build/php --program build/vaquita");
        assert_eq!(command, Ok(Command::Slow(slow)));
        let mission = Mission {
            stacks: stacks(),
            programs: "build/bench".into(),
            report: "target/report".into(),
            rounds: 20,
            only: vec!["fetch".to_owned(), "memory".to_owned()],
            size: Size::Small,
        };
        let command = parse(
            "bench --stock php8.2 --vaquita build/php --programs build/bench --report target/report --only fetch,memory --size small",
        );
        assert_eq!(command, Ok(Command::Mission(mission)));
    }

    #[test]
    fn refuses_what_it_does_not_know() {
        for line in [
            "",
            "other",
            "demo",
            "demo --stock php",
            "demo --stock",
            "demo --rounds 0",
            "calls --stock php --vaquita php --rounds 1",
            "demo --x y",
            "demo --stock php --vaquita php --reference c",
            "persistent --stock php --vaquita php",
            "cost --rounds 3",
            "slow --vaquita php",
            "slow --stock php --vaquita php --program vaquita",
            "bench --stock php --vaquita php --programs build",
            "bench --stock php --vaquita php --programs build --report x --size huge",
            "bench --stock php --vaquita php --programs build --report x --script y",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}
