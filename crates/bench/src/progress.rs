//! The progress line: rewritten in place on a terminal, and a line now and then where standard error is none.

use std::io::{self, IsTerminal, Write};

/// How many lines a log gets in all.
const LOG_LINES: usize = 4;
/// And where it takes an hour.
const LONG_LOG_LINES: usize = 60;

/// Counts steps up to a known number. Writes to standard error, so that the report can be redirected.
pub(crate) struct Progress {
    total: usize,
    done: usize,
    terminal: bool,
    log_lines: usize,
}

impl Progress {
    /// Starts at zero of `total` steps.
    pub(crate) fn new(total: usize) -> Self {
        Self { total, done: 0, terminal: io::stderr().is_terminal(), log_lines: LOG_LINES }
    }

    /// The same of something that takes long.
    pub(crate) fn long(total: usize) -> Self {
        Self { log_lines: LONG_LOG_LINES, ..Self::new(total) }
    }

    /// Says what happens now, before it happens.
    pub(crate) fn now(&mut self, what: &str) {
        if self.terminal {
            // Erases the rest of the previous, longer line.
            eprint!("\r[{}/{}] {what}\x1b[K", self.done, self.total);
            // A progress line that cannot be shown is no reason to stop.
            let _ = io::stderr().flush();
        } else if self.done.is_multiple_of(self.total.div_ceil(self.log_lines).max(1)) {
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
