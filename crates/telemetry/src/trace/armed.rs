//! Waiting for something slow: the last waits are kept, and what the statements under way have waited so far.

use std::process;
use std::time::Duration;

use vaquita_client::{Ended, Event, Observed, Wait};

use super::digest::MAX_STATEMENT_BYTES;
use super::ring::{Kept, Ring};
use super::scribe::{Scribe, Slow};

/// How many connections may have a statement under way; of more, those that waited last are known.
const MAX_RUNNING: usize = 64;

/// What a statement is told as.
const STATEMENT: &str = "statement";

/// What a request is told as.
const REQUEST: &str = "request";

/// Keeps what was, until something takes longer than the limit.
#[derive(Debug)]
pub(super) struct Armed {
    limit: Duration,
    ring: Ring,
    running: Vec<Running>,
    /// Whose waits these are: a child begins anew.
    pid: u32,
}

/// A statement under way, or a connection that is being made.
#[derive(Debug)]
struct Running {
    connection: u64,
    waited: Duration,
    /// Until when.
    at: Duration,
    /// Whether its reply has begun.
    replies: bool,
    /// What is known of it, once it has waited too long.
    slow: Option<Box<Known>>,
}

/// A wait, with its statement.
#[derive(Debug)]
struct Known {
    wait: Wait<'static>,
    statement: Option<Vec<u8>>,
}

impl Armed {
    pub(super) fn new(limit: Duration) -> Armed {
        Armed { limit, ring: Ring::new(), running: Vec::new(), pid: process::id() }
    }

    /// Keeps a wait. If a statement has come to its end by it, and was slow, all that was kept is written before.
    pub(super) fn waited(&mut self, wait: &Wait<'_>, scribe: &mut Scribe) {
        let number = wait.connection.number;
        let found = self.running.iter().rposition(|it| it.connection == number);
        let begins = match wait.event {
            Event::Write | Event::Elsewhere => true,
            // Of several commands in one write, or of the one before them.
            Event::FirstByte => {
                found.and_then(|at| self.running.get(at)).is_none_or(|it| it.replies)
            }
            Event::Resolve | Event::Connect | Event::Tls | Event::Auth | Event::MoreRows => false,
        };
        if begins || found.is_none() {
            self.begin(found, wait, scribe);
        }
        // One byte more than is looked at says that it is cut.
        let statement = wait.statement.map(|text| text.get(..=MAX_STATEMENT_BYTES).unwrap_or(text));
        let wait = Wait { statement, ..*wait };
        self.ring.push(&wait);
        if let Some(running) = self.running.iter_mut().rfind(|it| it.connection == number) {
            running.add(&wait, self.limit);
        }
    }

    /// A child of fork() begins anew: what it inherited is its parent's, who writes it. Whether this is one.
    fn forget_parent(&mut self) -> bool {
        let pid = process::id();
        let is_child = std::mem::replace(&mut self.pid, pid) != pid;
        if is_child {
            self.clear();
        }
        is_child
    }

    fn begin(&mut self, found: Option<usize>, wait: &Wait<'_>, scribe: &mut Scribe) {
        let found = if self.forget_parent() { None } else { found };
        if let Some(at) = found {
            self.finish(at, scribe);
        } else if self.running.len() == MAX_RUNNING {
            self.finish(0, scribe);
        }
        self.running.push(Running {
            connection: wait.connection.number,
            waited: Duration::ZERO,
            at: wait.ended,
            replies: false,
            slow: None,
        });
    }

    /// A statement is over: if it was slow, it and all that was kept is written.
    fn finish(&mut self, at: usize, scribe: &mut Scribe) {
        if at >= self.running.len() {
            return;
        }
        let Running { waited, at, slow: Some(known), .. } = self.running.remove(at) else { return };
        self.write(scribe, at);
        let slow = Slow { what: STATEMENT, elapsed: waited, limit: self.limit, at };
        scribe.slow(slow, Some(&Wait { statement: known.statement.as_deref(), ..known.wait }));
    }

    fn finish_all(&mut self, scribe: &mut Scribe) {
        while !self.running.is_empty() {
            self.finish(0, scribe);
        }
    }

    /// A connection is over.
    pub(super) fn ended(&mut self, ended: &Ended, scribe: &mut Scribe) {
        self.forget_parent();
        let Observed { number, .. } = ended.connection;
        self.ring.push_end(ended);
        if let Some(at) = self.running.iter().rposition(|it| it.connection == number) {
            self.finish(at, scribe);
        }
    }

    /// A child of the process whose request it was comes to its end: only what its own statements were is looked at.
    pub(super) fn child_ended(&mut self, scribe: &mut Scribe) {
        self.forget_parent();
        self.finish_all(scribe);
        self.clear();
    }

    /// A request begins: what was before is not its own.
    pub(super) fn request_began(&mut self, scribe: &mut Scribe) {
        self.finish_all(scribe);
        self.clear();
    }

    /// A request is over, which took so long; `tell` writes its line. Whether it was slow is looked at, and nothing is kept of it.
    pub(super) fn request_ended(
        &mut self,
        now: Duration,
        elapsed: Duration,
        scribe: &mut Scribe,
        tell: impl FnOnce(&mut Scribe),
    ) {
        self.finish_all(scribe);
        if elapsed >= self.limit {
            self.write(scribe, now);
            tell(scribe);
            scribe.slow(Slow { what: REQUEST, elapsed, limit: self.limit, at: now }, None);
        }
        self.clear();
    }

    /// Writes what was kept.
    fn write(&mut self, scribe: &mut Scribe, now: Duration) {
        scribe.catch_up(now);
        self.ring.drain(|kept: &Kept<'_>| scribe.kept(kept));
    }

    fn clear(&mut self) {
        self.ring.clear();
        self.running.clear();
    }
}

impl Running {
    fn add(&mut self, wait: &Wait<'_>, limit: Duration) {
        self.waited = self.waited.saturating_add(wait.elapsed);
        self.at = wait.ended;
        self.replies |= wait.event == Event::FirstByte;
        if self.waited >= limit {
            match &mut self.slow {
                Some(known) => known.wait.has_failed |= wait.has_failed,
                slow => {
                    let statement = wait.statement.map(<[u8]>::to_vec);
                    let wait = Wait { statement: None, ..*wait };
                    *slow = Some(Box::new(Known { wait, statement }));
                }
            }
        }
    }
}
