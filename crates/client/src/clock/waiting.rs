//! Single waits, for an observer that wants to be told of them.
//!
//! A wait for bytes is told only when it is known what they were: which packets end in them, and whether the server has refused something.

use std::time::Duration;

use vaquita_protocol::Command;

use super::slow::{MAX_STATEMENT_BYTES, Prepared};
use crate::tokens::Dialect;
use crate::transport::Transport;
use crate::waits::{Ended, Event, Observed, Observer, Wait};

/// The id of the statement that was prepared last (MariaDB).
const LAST_PREPARED: [u8; 4] = [0xFF; 4];

/// A wait that is over and not told yet.
#[derive(Debug)]
struct Pending {
    event: Event,
    elapsed_ns: u64,
    ended_ns: u64,
    bytes: u64,
    /// How many packets had been received before.
    packets_before: u64,
    has_failed: bool,
}

/// What there is to know of a command under way.
#[derive(Debug)]
pub(super) struct Waiting {
    observer: &'static dyn Observer,
    connection: Observed,
    pub(super) dialect: Option<Dialect>,
    command: Option<u8>,
    /// Its statement; empty: it has none, or nobody knows it.
    statement: Vec<u8>,
    written_at: Option<u64>,
    pending: Option<Pending>,
}

impl Waiting {
    pub(super) fn new(observer: &'static dyn Observer, connection: Observed) -> Self {
        Waiting {
            observer,
            connection,
            dialect: None,
            command: None,
            statement: Vec::new(),
            written_at: None,
            pending: None,
        }
    }

    /// A command goes out.
    pub(super) fn begin(&mut self, command: u8, body: &[u8], prepared: &Prepared) {
        self.command = Some(command);
        self.written_at = None;
        if command == Command::Query(b"").code() || command == Command::StmtPrepare(b"").code() {
            self.statement.clear();
            self.statement.extend(body.iter().take(MAX_STATEMENT_BYTES));
            return;
        }
        let is_about_prepared = is_about_prepared(command);
        // What was prepared last is the statement before.
        if is_about_prepared && body.starts_with(&LAST_PREPARED) {
            return;
        }
        self.statement.clear();
        if is_about_prepared {
            self.statement.extend_from_slice(prepared.of(body).unwrap_or_default());
        }
    }

    /// Nobody waits for what was written: whoever wants it later has waited since then.
    pub(super) fn rest(&mut self) {
        self.written_at = None;
    }

    pub(super) fn written_at(&self) -> Option<u64> {
        self.written_at
    }

    pub(super) fn written(
        &mut self,
        before: u64,
        now: u64,
        bytes: u64,
        packets: u64,
        has_failed: bool,
    ) {
        self.written_at = Some(now);
        let elapsed = now.wrapping_sub(before);
        self.tell_now(Event::Write, elapsed, now, bytes, packets, has_failed);
    }

    pub(super) fn read(
        &mut self,
        event: Event,
        since: u64,
        now: u64,
        bytes: u64,
        packets: u64,
        has_failed: bool,
    ) {
        self.written_at = None;
        self.pending = Some(Pending {
            event,
            elapsed_ns: now.wrapping_sub(since),
            ended_ns: now,
            bytes,
            packets_before: packets,
            has_failed,
        });
    }

    pub(super) fn refused(&mut self) {
        if let Some(pending) = &mut self.pending {
            pending.has_failed = true;
        }
    }

    pub(super) fn asked_elsewhere(
        &mut self,
        statement: &[u8],
        since: u64,
        now: u64,
        has_failed: bool,
    ) {
        self.command = None;
        self.statement.clear();
        self.statement.extend(statement.iter().take(MAX_STATEMENT_BYTES));
        self.tell_now(Event::Elsewhere, now.wrapping_sub(since), now, 0, 0, has_failed);
    }

    /// Tells of the wait that is over; so many packets have been received in all.
    #[inline]
    pub(super) fn tell(&mut self, packets: u64) {
        if let Some(pending) = self.pending.take() {
            let Pending { event, elapsed_ns, ended_ns, bytes, packets_before, has_failed } =
                pending;
            let packets = packets.saturating_sub(packets_before);
            self.tell_now(event, elapsed_ns, ended_ns, bytes, packets, has_failed);
        }
    }

    fn tell_now(
        &self,
        event: Event,
        elapsed_ns: u64,
        ended_ns: u64,
        bytes: u64,
        packets: u64,
        has_failed: bool,
    ) {
        self.observer.waited(&Wait {
            connection: self.connection,
            event,
            elapsed: Duration::from_nanos(elapsed_ns),
            ended: Duration::from_nanos(ended_ns),
            bytes,
            packets,
            command: self.command,
            statement: Some(&*self.statement).filter(|it| !it.is_empty()),
            dialect: self.dialect,
            has_failed,
        });
    }

    pub(super) fn end(&self, transport: &Transport, now: u64) {
        let round_trips = transport.socket().and_then(|it| vaquita_sys::round_trips(it).ok());
        self.observer.ended(&Ended {
            connection: self.connection,
            at: Duration::from_nanos(now),
            round_trip: round_trips.map(|it| it.estimated),
            shortest_round_trip: round_trips.and_then(|it| it.shortest),
        });
    }
}

/// Whether a command's body begins with the id of a prepared statement.
fn is_about_prepared(command: u8) -> bool {
    // COM_STMT_EXECUTE, COM_STMT_SEND_LONG_DATA, COM_STMT_CLOSE, COM_STMT_RESET, COM_STMT_FETCH.
    matches!(command, 0x17..=0x1A | 0x1C)
}
