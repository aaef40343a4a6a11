//! The command line: which workload, and the two PHP commands to compare.

use std::path::PathBuf;

const USAGE: &str =
    "usage: vaquita-bench demo --stock PHP --vaquita PHP [--rounds N] [--script FILE]";

/// What the program is asked to do.
#[derive(Debug, PartialEq)]
pub(crate) enum Command {
    /// One script in six ways on both stacks (`make demo`).
    Demo(Options),
}

/// The options of a workload.
#[derive(Debug, PartialEq)]
pub(crate) struct Options {
    /// The PHP with the stock extensions: a program's name or path.
    pub(crate) stock: PathBuf,
    /// The PHP with Vaquita.
    pub(crate) vaquita: PathBuf,
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
        if arguments.next().as_deref() != Some("demo") {
            return Err(USAGE.to_owned());
        }
        let mut stock = None;
        let mut vaquita = None;
        let mut rounds = 8;
        let mut script = PathBuf::from("examples/fetch.php");
        while let Some(option) = arguments.next() {
            let value =
                arguments.next().ok_or_else(|| format!("{option} needs a value\n{USAGE}"))?;
            match option.as_str() {
                "--stock" => stock = Some(PathBuf::from(value)),
                "--vaquita" => vaquita = Some(PathBuf::from(value)),
                "--script" => script = PathBuf::from(value),
                "--rounds" => {
                    rounds =
                        value.parse().ok().filter(|rounds| *rounds > 0).ok_or_else(|| {
                            format!("--rounds needs a number above 0, not {value}")
                        })?;
                }
                _ => return Err(format!("unknown option {option}\n{USAGE}")),
            }
        }
        match (stock, vaquita) {
            (Some(stock), Some(vaquita)) => {
                Ok(Self::Demo(Options { stock, vaquita, rounds, script }))
            }
            _ => Err(USAGE.to_owned()),
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
        let expected = Options {
            stock: "php8.2".into(),
            vaquita: "build/php".into(),
            rounds: 3,
            script: "examples/fetch.php".into(),
        };
        let command = parse("demo --stock php8.2 --vaquita build/php --rounds 3");
        assert_eq!(command, Ok(Command::Demo(expected)));
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
            "demo --x y",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}
