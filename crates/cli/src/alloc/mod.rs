//! `vaquita alloc`: runs a program, counts what it asks for, and shows that by size and by caller.

use std::ffi::OsString;
use std::process::ExitCode;

use crate::failure::Failure;

const USAGE: &str =
    "usage: vaquita alloc [--by size|caller] [--top N] [--output FILE] -- COMMAND [ARGUMENT...]";

/// Runs the command.
///
/// # Errors
/// It was called wrongly.
pub(crate) fn run(mut arguments: impl Iterator<Item = OsString>) -> Result<ExitCode, Failure> {
    if arguments.next().is_some_and(|it| it == "--help") {
        println!("{USAGE}");
        return Ok(ExitCode::SUCCESS);
    }
    let message = "it can't count yet".to_owned();
    Err(Failure::Other { message, code: 125 })
}
