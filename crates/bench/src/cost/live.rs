//! A process that lives on while others have their turns, so that all of them meet the same machine.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::process::number_of;

/// What a query took, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Times {
    pub(super) user_us: f64,
    /// User and system.
    pub(super) processor_us: f64,
}

impl Times {
    fn read(line: &str) -> Result<Times, String> {
        let (user, processor) =
            line.trim().split_once(' ').ok_or_else(|| format!("unexpected output: {line}"))?;
        Ok(Times { user_us: number_of(user)?, processor_us: number_of(processor)? })
    }
}

/// A process of the script.
pub(super) struct Live {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Live {
    /// Starts it.
    ///
    /// # Errors
    /// It can't be.
    pub(super) fn start(mut command: Command) -> Result<Live, String> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(|error| error.to_string())?;
        let (to, from) = (child.stdin.take(), child.stdout.take());
        let (to, from) = to.zip(from).ok_or("a process has no pipes")?;
        Ok(Live { child, to, from: BufReader::new(from) })
    }

    /// It is this one's turn.
    ///
    /// # Errors
    /// It has ended, or says something else.
    pub(super) fn turn(&mut self) -> Result<Times, String> {
        let mut line = String::new();
        let said = self.to.write_all(b"go\n").and_then(|()| self.from.read_line(&mut line));
        said.map_err(|error| format!("a process has ended: {error}"))?;
        Times::read(&line)
    }

    /// There are no more turns.
    ///
    /// # Errors
    /// It fails at its end.
    pub(super) fn end(self) -> Result<(), String> {
        let Live { mut child, to, from } = self;
        drop((to, from));
        let status = child.wait().map_err(|error| error.to_string())?;
        if status.success() { Ok(()) } else { Err(format!("a process has failed: {status}")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_numbers_are_read() {
        let times = Times { user_us: 2.5, processor_us: 7.0 };
        assert_eq!(Times::read("2.5 7.0\n"), Ok(times));
        for line in ["", "2.5\n", "Warning: x\n", "1 2 3\n"] {
            assert!(Times::read(line).is_err(), "{line}");
        }
    }

    #[test]
    fn a_process_that_ends_is_an_error() {
        let mut live = Live::start(Command::new("true")).unwrap();
        assert!(live.turn().is_err());
        live.end().unwrap();
        let mut echo = Command::new("sh");
        echo.args(["-c", "read turn; echo 1 2; read turn; exit 3"]);
        let mut live = Live::start(echo).unwrap();
        assert_eq!(live.turn(), Ok(Times { user_us: 1.0, processor_us: 2.0 }));
        assert!(live.end().is_err());
    }
}
