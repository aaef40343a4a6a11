//! Why a command of `vaquita` did not do what it was asked, and with which exit code it ends.

use std::io::{self, Write};
use std::process::ExitCode;

use vaquita_telemetry::trace::put_shown;

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
        // If nobody reads it, there is still the exit code.
        let _ = io::stderr().write_all(&self.text());
        match self {
            Failure::Usage { .. } => ExitCode::from(USAGE),
            Failure::Other { code, .. } => ExitCode::from(*code),
        }
    }

    /// What it tells; the name of a file in it commands no terminal.
    fn text(&self) -> Vec<u8> {
        let (message, usage) = match self {
            Failure::Usage { message, usage } => (message, Some(usage)),
            Failure::Other { message, .. } => (message, None),
        };
        let mut text = b"vaquita: ".to_vec();
        put_shown(message.as_bytes(), &mut text);
        text.push(b'\n');
        if let Some(usage) = usage {
            text.extend_from_slice(usage.as_bytes());
            text.push(b'\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_command_no_terminal() {
        let failure = Failure::Other { message: "trace: \x1B[31m: gone".to_owned(), code: 1 };
        assert_eq!(failure.text(), b"vaquita: trace: \\x1b[31m: gone\n");
        let failure = Failure::Usage { message: "which?".to_owned(), usage: "usage: x\n  y" };
        assert_eq!(failure.text(), b"vaquita: which?\nusage: x\n  y\n");
    }
}
