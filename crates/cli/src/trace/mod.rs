//! `vaquita trace summary`: what a trace says all in all: which events and statements took the time, whether it was the server's, the network's or the client's, and
//! what connecting costs.

mod connection;
mod lines;
mod report;
mod requests;
mod shapes;
mod shares;
mod slowest;
mod summary;
mod times;

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::process::ExitCode;

use crate::failure::Failure;
use lines::Lines;
use summary::Summary;

const USAGE: &str = "usage: vaquita trace summary [--top N] FILE";

const HELP: &str = "\
Sums a trace that the driver has written (vaquita.trace): `-` is standard input.

  --top N    that many statements and waits are shown (default: 10)

A file of any length is read once, in bounded memory: what is left out for that is said.";

/// How many statements and waits are shown if nothing else is asked for.
const TOP: usize = 10;

/// What the exit code is if the file can't be read.
const NOT_READ: u8 = 1;

/// Sums a trace.
///
/// # Errors
/// It was called wrongly, or the file can't be read.
pub(crate) fn run(arguments: impl Iterator<Item = OsString>) -> Result<ExitCode, Failure> {
    let asked = parse(arguments)
        .map_err(|message| Failure::Usage { message: format!("trace: {message}"), usage: USAGE })?;
    let Some((file, top)) = asked else {
        println!("{USAGE}\n\n{HELP}");
        return Ok(ExitCode::SUCCESS);
    };
    let name = file.display().to_string();
    let failed = |error: io::Error| Failure::Other {
        message: format!("trace: {name}: {error}"),
        code: NOT_READ,
    };
    let source: Box<dyn Read> = if file == "-" {
        Box::new(io::stdin().lock())
    } else {
        Box::new(File::open(&file).map_err(failed)?)
    };
    let summary = sum(source, top).map_err(failed)?;
    let report = report::text(&summary, &name);
    match io::stdout().write_all(report.as_bytes()) {
        // Whoever reads it has seen enough.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::Other {
            message: format!("trace: the summary could not be written: {error}"),
            code: NOT_READ,
        }),
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// The sum of a trace, with so many of its slowest waits.
fn sum(source: impl Read, top: usize) -> io::Result<Summary> {
    let mut lines = Lines::new(source);
    let mut summary = Summary::new(top);
    while let Some(text) = lines.next_line()? {
        summary.take(&text);
    }
    summary.finish();
    Ok(summary)
}

/// The file, and how many are to be shown; `None`: help is wanted.
fn parse(mut given: impl Iterator<Item = OsString>) -> Result<Option<(OsString, usize)>, String> {
    let (mut file, mut top) = (None, TOP);
    let is_help = |word: &OsString| word == "--help" || word == "-h";
    match given.next() {
        Some(word) if word == "summary" => {}
        Some(word) if is_help(&word) => return Ok(None),
        Some(word) => return Err(format!("there is no {}", word.display())),
        None => return Err("what about it?".to_owned()),
    }
    let mut has_ended = false;
    while let Some(word) = given.next() {
        match word.to_str() {
            _ if has_ended => set(&mut file, word)?,
            Some("--help" | "-h") => return Ok(None),
            Some("--") => has_ended = true,
            Some("--top") => {
                let number = given.next().unwrap_or_default();
                let parsed = number.to_str().and_then(|it| it.parse().ok()).filter(|it| *it > 0);
                let parsed = parsed.filter(|it| *it <= shapes::MAX_SHAPES);
                top = parsed.ok_or_else(|| {
                    format!(
                        "--top takes a number up to {}, not {:?}",
                        shapes::MAX_SHAPES,
                        number.display().to_string()
                    )
                })?;
            }
            Some(option) if option.starts_with('-') && option != "-" => {
                return Err(format!("there is no option {option}"));
            }
            _ => set(&mut file, word)?,
        }
    }
    Ok(Some((file.ok_or("which file?")?, top)))
}

fn set(file: &mut Option<OsString>, word: OsString) -> Result<(), String> {
    match file.replace(word) {
        None => Ok(()),
        Some(_) => {
            Err("one file only; `cat A B | vaquita trace summary -` sums several".to_owned())
        }
    }
}

#[cfg(test)]
mod tests;
