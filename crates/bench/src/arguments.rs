//! The command line: which workload, and the two PHP commands to compare.

use std::path::PathBuf;

const USAGE: &str = "\
usage: vaquita-bench demo --stock PHP --vaquita PHP [--rounds N] [--script FILE]
       vaquita-bench calls --stock PHP --vaquita PHP [--script FILE]
       vaquita-bench persistent --stock PHP --vaquita PHP --reference PROGRAM [--rounds N] [--script FILE]";

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
    /// Connecting over and over, on both stacks and in C (`make persistent`).
    Persistent(Persistent),
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

impl Command {
    /// Reads the arguments that follow the program's name.
    ///
    /// # Errors
    /// What is wrong with them, with the usage.
    pub(crate) fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let workload = arguments.next();
        let workload = workload.as_deref().unwrap_or_default();
        let (mut rounds, script) = match workload {
            "demo" => (Some(8), "examples/fetch.php"),
            "calls" => (None, "examples/calls.php"),
            "persistent" => (Some(5), "examples/persistent.php"),
            _ => return Err(USAGE.to_owned()),
        };
        let mut script = PathBuf::from(script);
        let mut stock = None;
        let mut vaquita = None;
        let mut reference = None;
        while let Some(option) = arguments.next() {
            let value =
                arguments.next().ok_or_else(|| format!("{option} needs a value\n{USAGE}"))?;
            match (option.as_str(), &mut rounds) {
                ("--stock", _) => stock = Some(PathBuf::from(value)),
                ("--vaquita", _) => vaquita = Some(PathBuf::from(value)),
                ("--script", _) => script = PathBuf::from(value),
                ("--reference", _) if workload == "persistent" => {
                    reference = Some(PathBuf::from(value));
                }
                ("--rounds", Some(rounds)) => {
                    *rounds =
                        value.parse().ok().filter(|rounds| *rounds > 0).ok_or_else(|| {
                            format!("--rounds needs a number above 0, not {value}")
                        })?;
                }
                _ => return Err(format!("unknown option {option}\n{USAGE}")),
            }
        }
        let (Some(stock), Some(vaquita)) = (stock, vaquita) else { return Err(USAGE.to_owned()) };
        let stacks = Stacks { stock, vaquita };
        match (workload, rounds, reference) {
            ("persistent", Some(rounds), Some(reference)) => {
                Ok(Self::Persistent(Persistent { stacks, reference, rounds, script }))
            }
            ("persistent", _, _) => Err(USAGE.to_owned()),
            (_, Some(rounds), _) => Ok(Self::Demo(Options { stacks, rounds, script })),
            (_, None, _) => Ok(Self::Calls { stacks, script }),
        }
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
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}
