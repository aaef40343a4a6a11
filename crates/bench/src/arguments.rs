//! The command line: which workload, and the two PHP commands to compare.

use std::path::PathBuf;

const USAGE: &str = "\
usage: vaquita-bench demo --stock PHP --vaquita PHP [--rounds N] [--script FILE]
       vaquita-bench calls --stock PHP --vaquita PHP [--script FILE]";

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

impl Command {
    /// Reads the arguments that follow the program's name.
    ///
    /// # Errors
    /// What is wrong with them, with the usage.
    pub(crate) fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let is_demo = match arguments.next().as_deref() {
            Some("demo") => true,
            Some("calls") => false,
            _ => return Err(USAGE.to_owned()),
        };
        let mut stock = None;
        let mut vaquita = None;
        let mut rounds = 8;
        let mut script =
            PathBuf::from(if is_demo { "examples/fetch.php" } else { "examples/calls.php" });
        while let Some(option) = arguments.next() {
            let value =
                arguments.next().ok_or_else(|| format!("{option} needs a value\n{USAGE}"))?;
            match option.as_str() {
                "--stock" => stock = Some(PathBuf::from(value)),
                "--vaquita" => vaquita = Some(PathBuf::from(value)),
                "--script" => script = PathBuf::from(value),
                "--rounds" if is_demo => {
                    rounds =
                        value.parse().ok().filter(|rounds| *rounds > 0).ok_or_else(|| {
                            format!("--rounds needs a number above 0, not {value}")
                        })?;
                }
                _ => return Err(format!("unknown option {option}\n{USAGE}")),
            }
        }
        let (Some(stock), Some(vaquita)) = (stock, vaquita) else { return Err(USAGE.to_owned()) };
        let stacks = Stacks { stock, vaquita };
        Ok(if is_demo {
            Self::Demo(Options { stacks, rounds, script })
        } else {
            Self::Calls { stacks, script }
        })
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
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}
