//! Which process it is: its id and when it began, for ids come back.

use std::collections::HashMap;
use std::fmt::Display;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::{fs, io};

use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};

use crate::memory::wiped_by_fork;

/// The bits that a process's id takes: Linux has none above 2^22 (PID_MAX_LIMIT). A number of clock ticks since the boot has room in the rest
/// for a thousand years.
const PID_BITS: u32 = 22;

/// A process of this machine, among those that are and those that were, in one word, which is never 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Process(u64);

impl Process {
    /// The running process. It is looked up once in each; a forked child is another one.
    ///
    /// # Errors
    /// There is no `/proc`, or another's.
    pub fn this() -> io::Result<Process> {
        static KNOWN: OnceLock<Option<&AtomicU64>> = OnceLock::new();
        let known = *KNOWN.get_or_init(wiped_by_fork);
        if let Some(word) = known.map(|it| it.load(Ordering::Relaxed)).filter(|word| *word != 0) {
            return Ok(Process(word));
        }
        let stat = Stat::read("self")?;
        if stat.id != u64::from(std::process::id()) {
            return Err(io::Error::other("/proc shows other processes than those around this one"));
        }
        let process = Process::new(stat.id, stat.began);
        if let Some(known) = known {
            known.store(process.word(), Ordering::Relaxed);
        }
        Ok(process)
    }

    const fn new(id: u64, began: u64) -> Process {
        Process(began << PID_BITS | id)
    }

    pub(crate) const fn from_word(word: u64) -> Process {
        Process(word)
    }

    pub(crate) const fn word(self) -> u64 {
        self.0
    }

    const fn id(self) -> u64 {
        self.0 & ((1 << PID_BITS) - 1)
    }

    /// Whether it has not ended. Of one that can't be looked at, though something with its id is there, that is assumed.
    pub(crate) fn is_running(self) -> bool {
        let Some(pid) = i32::try_from(self.id()).ok().and_then(Pid::from_raw) else { return false };
        // Asked first: where /proc is mounted with `hidepid`, what isn't there and what nobody may see look alike.
        if test_kill_process(pid) == Err(Errno::SRCH) {
            return false;
        }
        Stat::read(self.id())
            .map_or(true, |stat| !stat.has_ended && Process::new(self.id(), stat.began) == self)
    }
}

/// Which processes run, each of them looked at once.
#[derive(Debug, Default)]
pub(crate) struct Running(HashMap<u64, bool>);

impl Running {
    pub(crate) fn has(&mut self, word: u64) -> bool {
        *self.0.entry(word).or_insert_with(|| Process::from_word(word).is_running())
    }
}

/// What the kernel tells of a process.
///
/// <https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html>
#[derive(Debug, PartialEq, Eq)]
struct Stat {
    id: u64,
    /// Whether it is over and done, and its parent has still to take notice: a zombie, without threads that go on.
    has_ended: bool,
    /// In clock ticks since the boot.
    began: u64,
}

impl Stat {
    fn read(which: impl Display) -> io::Result<Stat> {
        let path = format!("/proc/{which}/stat");
        let said = |kind, what: &dyn Display| io::Error::new(kind, format!("{path}: {what}"));
        let text = fs::read(&path).map_err(|error| said(error.kind(), &error))?;
        Stat::parse(&text).ok_or_else(|| said(io::ErrorKind::InvalidData, &"it can't be read"))
    }

    /// `id (name) state ...`, where the name may be anything.
    fn parse(text: &[u8]) -> Option<Stat> {
        let text = String::from_utf8_lossy(text);
        let (id, rest) = text.split_once(' ')?;
        let (_, rest) = rest.rsplit_once(')')?;
        // The name is the second field, so this begins with the third one.
        let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
        let field = |number: usize| fields.get(number - 3).copied();
        let is_zombie = matches!(field(3)?, "Z" | "X" | "x");
        let threads: u64 = field(20)?.parse().ok()?;
        Some(Stat {
            id: id.parse().ok()?,
            has_ended: is_zombie && threads <= 1,
            began: field(22)?.parse().ok()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_runs_and_one_that_had_its_id_before_does_not() {
        let this = Process::this().unwrap();
        assert_eq!((this.id(), this), (std::process::id().into(), Process::this().unwrap()));
        assert!(this.is_running());
        let began = this.word() >> PID_BITS;
        assert!(!Process::new(this.id(), began - 1).is_running());
        for word in [0, 1 << PID_BITS, u64::MAX] {
            assert!(!Process::from_word(word).is_running(), "{word:#x}");
        }
        // The first process is another user's, often, and runs.
        let first = Stat::read(1).unwrap();
        assert!(Process::new(1, first.began).is_running());
    }

    #[test]
    fn a_name_may_be_anything() {
        let stat = |state: &str, threads: u32| {
            let text = format!(
                "77 (a) Z (b c) {state} 1 77 77 0 -1 4194560 1 0 0 0 1 2 0 0 20 0 {threads} 0 4242 1 1\n"
            );
            Stat::parse(text.as_bytes())
        };
        let expected = |has_ended| Some(Stat { id: 77, has_ended, began: 4242 });
        assert_eq!(stat("S", 1), expected(false));
        assert_eq!(stat("Z", 1), expected(true));
        // The thread that began is over, and others go on.
        assert_eq!(stat("Z", 2), expected(false));
        for text in ["", "77", "77 (a)", "77 (a) S 1 2", "x (a) S"] {
            assert_eq!(Stat::parse(text.as_bytes()), None, "{text}");
        }
    }
}
