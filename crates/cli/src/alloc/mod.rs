//! `vaquita alloc`: runs a program, counts what it asks for, and shows that by size and by caller.

mod arguments;
mod counts;
mod launch;
mod lines;
mod names;
mod preload;
mod report;

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use crate::failure::Failure;
use arguments::{Asked, HELP, USAGE};
use counts::Counts;
use launch::Ended;
use names::Names;
use preload::Preload;

/// The exit codes if it was not even tried to run the program, if it can't be run, and if there is none: those of `env`.
const NOT_STARTED: u8 = 125;
const NOT_RUNNABLE: u8 = 126;
const NOT_FOUND: u8 = 127;

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
    let preload = Preload::new().map_err(|message| failure(&message, NOT_STARTED))?;
    let ended = launch::run(&asked.program, &asked.arguments, &preload.variables(&asked));
    let ended = ended.map_err(|error| {
        let is_missing = error.kind() == io::ErrorKind::NotFound;
        let code = if is_missing { NOT_FOUND } else { NOT_RUNNABLE };
        failure(&format!("{}: {error}", asked.program.display()), code)
    })?;
    let counted = preload.counted().map_err(|why| format!("nothing was counted: {why}"));
    let told = counted.and_then(|bytes| tell(&asked, &bytes, ended));
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
    File::create(path)
        .map_err(|error| failure(&format!("{}: {error}", path.display()), NOT_STARTED))
}

fn failure(message: &str, code: u8) -> Failure {
    Failure::Other { message: format!("alloc: {message}"), code }
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
