//! The progress line: rewritten in place on a terminal, and a line now and then where standard error is none.

use std::io::{self, IsTerminal, Write};

/// How many lines a log gets in all.
const LOG_LINES: usize = 4;

/// Counts steps up to a known number. Writes to standard error, so that the report can be redirected.
pub(crate) struct Progress {
    total: usize,
    done: usize,
    terminal: bool,
}

impl Progress {
    /// Starts at zero of `total` steps.
    pub(crate) fn new(total: usize) -> Self {
        Self { total, done: 0, terminal: io::stderr().is_terminal() }
    }

    /// Says what happens now, before it happens.
    pub(crate) fn now(&mut self, what: &str) {
        if self.terminal {
            // Erases the rest of the previous, longer line.
            eprint!("\r[{}/{}] {what}\x1b[K", self.done, self.total);
            // A progress line that cannot be shown is no reason to stop.
            let _ = io::stderr().flush();
        } else if self.done.is_multiple_of(self.total.div_ceil(LOG_LINES).max(1)) {
            eprintln!("[{}/{}] {what}", self.done, self.total);
        }
        self.done += 1;
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.terminal {
            eprint!("\r\x1b[K");
        }
    }
}
