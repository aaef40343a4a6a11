//! Spells what is to be told as lines, and has them written.

use std::process;
use std::time::Duration;

use vaquita_client::{Dialect, Ended, Observed, Wait, command_name, names_secret};

use super::digest::{MAX_STATEMENT_BYTES, digest, put_digested};
use super::escaped::put_escaped;
use super::events;
use super::line::{Line, Network};
use super::moment::{Offset, micros};
use super::output::{Failure, Output};
use super::ring::Kept;

/// How often the time of day is compared with the driver's clock, and the file with its path.
const INTERVAL: Duration = Duration::from_secs(10);

/// What was slow: the beginning of what is told of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slow {
    pub(super) what: &'static str,
    pub(super) elapsed: Duration,
    pub(super) limit: Duration,
    /// When it was over.
    pub(super) at: Duration,
}

/// What is told of a request.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RequestWaits {
    pub(super) count: u64,
    pub(super) waited: Duration,
    pub(super) connecting: Duration,
}

/// Who writes lines.
#[derive(Debug)]
pub(super) struct Scribe {
    output: Output,
    literals: bool,
    offset: Offset,
    caught_up_at: Option<Duration>,
    line: Vec<u8>,
    sql: Sql,
}

/// A statement as a line has it.
#[derive(Debug, Default)]
struct Sql {
    normalised: Vec<u8>,
    escaped: Vec<u8>,
}

impl Scribe {
    pub(super) fn new(output: Output, literals: bool) -> Scribe {
        let (offset, line, sql) = (Offset::now(), Vec::new(), Sql::default());
        Scribe { output, literals, offset, caught_up_at: None, line, sql }
    }

    /// Has a look, now and then, at what changes without a word: the time of day, and what the path leads to.
    pub(super) fn catch_up(&mut self, now: Duration) {
        let caught_up_at = *self.caught_up_at.get_or_insert(now);
        if now.saturating_sub(caught_up_at) >= INTERVAL {
            self.caught_up_at = Some(now);
            self.offset = Offset::now();
            self.output.follow();
        }
    }

    pub(super) fn kept(&mut self, kept: &Kept<'_>) {
        match kept {
            Kept::Wait(wait) => self.wait(wait),
            Kept::End(ended) => self.end(ended),
        }
    }

    pub(super) fn wait(&mut self, wait: &Wait<'_>) {
        let line = Line {
            event: wait.event.name(),
            us: micros(wait.elapsed),
            bytes: wait.bytes,
            packets: wait.packets,
            ..of_statement(wait)
        };
        self.put(wait.ended, line, wait.statement, wait.dialect);
    }

    pub(super) fn end(&mut self, ended: &Ended) {
        let network = ended.round_trip.map_or(Network::Unix, |_| Network::Tcp);
        let line = Line {
            event: events::END,
            network: Some(network),
            rtt_us: micros(ended.round_trip.unwrap_or_default()),
            min_rtt_us: micros(ended.shortest_round_trip.unwrap_or_default()),
            ..of_connection(ended.connection)
        };
        self.put(ended.at, line, None, None);
    }

    pub(super) fn request(&mut self, now: Duration, elapsed: Duration, waits: RequestWaits) {
        let line = Line {
            event: events::REQUEST,
            us: micros(elapsed),
            waits: waits.count,
            waits_us: micros(waits.waited),
            connecting_us: micros(waits.connecting),
            ..Line::default()
        };
        self.put(now, line, None, None);
    }

    /// Tells what was slow; `of` is a wait of it, if there is one.
    pub(super) fn slow(&mut self, slow: Slow, of: Option<&Wait<'_>>) {
        let line = Line {
            event: events::SLOW,
            what: slow.what,
            us: micros(slow.elapsed),
            limit_us: micros(slow.limit),
            ..of.map_or_else(Line::default, of_statement)
        };
        let statement = of.and_then(|of| of.statement);
        self.put(slow.at, line, statement, of.and_then(|of| of.dialect));
    }

    /// What has failed first, once.
    pub(super) fn take_failure(&mut self) -> Option<Failure> {
        self.output.take_failure()
    }

    fn put(
        &mut self,
        at: Duration,
        line: Line<'_>,
        statement: Option<&[u8]>,
        dialect: Option<Dialect>,
    ) {
        let digest = statement.map(|statement| self.sql.spell(statement, dialect, self.literals));
        let line = Line {
            at: self.offset.moment(at),
            pid: process::id(),
            digest,
            sql: statement.map(|_| &*self.sql.escaped),
            ..line
        };
        self.line.clear();
        line.put(&mut self.line);
        self.output.write(&mut self.line);
    }
}

fn of_connection(connection: Observed) -> Line<'static> {
    Line { connection: connection.number, thread_id: connection.thread_id, ..Line::default() }
}

fn of_statement(wait: &Wait<'_>) -> Line<'static> {
    Line {
        command: wait.command.map_or("", |code| command_name(code).unwrap_or("other")),
        has_failed: wait.has_failed,
        ..of_connection(wait.connection)
    }
}

impl Sql {
    /// Spells a statement, without literals or with them, and gives its digest.
    fn spell(&mut self, sql: &[u8], dialect: Option<Dialect>, literals: bool) -> u64 {
        self.normalised.clear();
        self.escaped.clear();
        put_digested(sql, dialect, &mut self.normalised);
        let begin = sql.get(..MAX_STATEMENT_BYTES).unwrap_or(sql);
        // Passwords are never shown, whatever was asked for.
        if literals && !names_secret(begin) {
            put_escaped(begin, &mut self.escaped);
            if begin.len() < sql.len() && !self.escaped.ends_with(b"...") {
                self.escaped.extend_from_slice(b"...");
            }
        } else {
            put_escaped(&self.normalised, &mut self.escaped);
        }
        digest(&self.normalised)
    }
}
