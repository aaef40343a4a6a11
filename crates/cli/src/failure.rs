//! Why a command of `vaquita` did not do what it was asked, and with which exit code it ends.

use std::process::ExitCode;

/// What the exit code of a command that was called wrongly is.
const USAGE: u8 = 2;

/// A command that could not be done.
#[derive(Debug)]
pub(crate) enum Failure {
    /// It was called wrongly: what is wrong, and how it is called.
    Usage {
        /// What is wrong.
        message: String,
        /// How it is called.
        usage: &'static str,
    },
    /// Something else: what, and the exit code.
    Other {
        /// What went wrong.
        message: String,
        /// What the program ends with.
        code: u8,
    },
}

impl Failure {
    /// Tells of it on standard error, and gives the exit code.
    pub(crate) fn tell(&self) -> ExitCode {
        match self {
            Failure::Usage { message, usage } => {
                eprintln!("vaquita: {message}\n{usage}");
                ExitCode::from(USAGE)
            }
            Failure::Other { message, code } => {
                eprintln!("vaquita: {message}");
                ExitCode::from(*code)
            }
        }
    }
}
