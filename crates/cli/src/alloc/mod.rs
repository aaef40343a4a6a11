//! `vaquita alloc`: runs a program, counts what it asks for, and shows that by size and by caller.

mod arguments;
mod counts;
mod launch;
mod lines;
mod names;
mod report;

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use crate::failure::Failure;
use arguments::{Asked, HELP, USAGE};
use counts::Counts;
use launch::{Counted, Ended};
use names::Names;

/// What the exit code is if the command itself could not be started or counted at all, as of `env` and `timeout`.
const NOT_STARTED: u8 = 125;

/// Runs the program, and tells what it asked for.
///
/// # Errors
/// It was called wrongly, or the program could not be started.
pub(crate) fn run(arguments: impl Iterator<Item = OsString>) -> Result<ExitCode, Failure> {
    let asked = Asked::parse(arguments)
        .map_err(|message| Failure::Usage { message: format!("alloc: {message}"), usage: USAGE })?;
    let Some(asked) = asked else {
        println!("{USAGE}\n\n{HELP}");
        return Ok(ExitCode::SUCCESS);
    };
    // Before the program runs: what it did is not done again because there is no place for the figures.
    let mut output = asked.output.as_deref().map(create).transpose()?;
    let (ended, counted) = launch::run(&asked)?;
    let told = match counted {
        Counted::Yes(bytes) => tell(&asked, &bytes, ended),
        Counted::No(why) => Err(format!("nothing was counted: {why}")),
    };
    match told {
        Ok(report) => {
            let written = match &mut output {
                Some(file) => file.write_all(report.as_bytes()),
                None => io::stderr().write_all(report.as_bytes()),
            };
            if let Err(error) = written {
                eprintln!("vaquita: alloc: the report could not be written: {error}");
            }
        }
        Err(why) => eprintln!("vaquita: alloc: {why}"),
    }
    Ok(ended.exit_code())
}

fn create(path: &Path) -> Result<File, Failure> {
    File::create(path).map_err(|error| Failure::Other {
        message: format!("alloc: {}: {error}", path.display()),
        code: NOT_STARTED,
    })
}

/// The report on what stands in the file of counts.
fn tell(asked: &Asked, bytes: &[u8], ended: Ended) -> Result<String, String> {
    let counts =
        Counts::parse(bytes).ok_or("the figures can't be read: they have another layout")?;
    let mut names = Names::new(&counts.objects);
    if asked.lines {
        return Ok(lines::text(&counts, &mut names, asked.marks));
    }
    Ok(report::text(&counts, &mut names, asked, ended))
}
