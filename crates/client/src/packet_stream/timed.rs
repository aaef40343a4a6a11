//! What the clock of a connection is told of its packets.

use std::time::Duration;

use super::PacketStream;
use crate::clock::{Connecting, now_ns};
use crate::error::Error;
use crate::tokens::Dialect;
use crate::waits::Observer;

/// What had been written at some time.
pub(super) struct Written {
    at_ns: u64,
    bytes: u64,
    packets: u64,
}

impl PacketStream {
    /// The connection phase is over.
    pub(crate) fn connected(&mut self, connecting: Connecting, thread_id: u32) {
        let bytes = self.transport.bytes_sent + self.transport.bytes_received;
        connecting.done(&mut self.clock, thread_id, bytes);
    }

    /// Something was read, or was to be; `before` is when that began, if it is to be told.
    #[inline]
    pub(super) fn note_read(&mut self, before: Option<u64>, read: &Result<usize, Error>) {
        if before.is_some() {
            return self.note_traced_read(before.unwrap_or(0), read);
        }
        if read.is_ok() && self.clock.after_read() {
            self.counted.round_trips += 1;
        }
    }

    #[cold]
    fn note_traced_read(&mut self, before: u64, read: &Result<usize, Error>) {
        // Who only looks waits for nothing.
        if read.as_ref().is_err_and(Error::is_not_here_yet) {
            return;
        }
        let (is_first, packets) = (self.clock.awaits(), self.counted.packets_received);
        let bytes = read.as_ref().map_or(0, |bytes| *bytes as u64);
        self.clock.after_traced_read(before, bytes, packets, is_first, read.is_err());
        if self.clock.after_read() {
            self.counted.round_trips += 1;
        }
    }

    /// Something is going to be written: what there is to know of now, if that is to be told.
    #[inline]
    pub(super) fn before_write(&mut self) -> Option<Written> {
        let at_ns = self.clock.before_write()?;
        Some(Written {
            at_ns,
            bytes: self.transport.bytes_sent,
            packets: self.counted.packets_sent,
        })
    }

    /// It was written, or failed to be.
    #[cold]
    pub(super) fn note_written(&mut self, before: Written, has_failed: bool) {
        let bytes = self.transport.bytes_sent - before.bytes;
        let packets = self.counted.packets_sent - before.packets;
        self.clock.after_write(before.at_ns, bytes, packets, has_failed);
    }

    /// The server has refused the command under way.
    pub(crate) fn note_refused(&mut self) {
        self.clock.refused();
    }

    /// The server has prepared this statement, and calls it so.
    #[inline]
    pub(crate) fn note_prepared(&mut self, statement_id: u32, sql: &[u8]) {
        self.clock.prepared(statement_id, sql);
    }

    /// The server is to forget a statement.
    #[inline]
    pub(crate) fn forget_prepared(&mut self, statement_id: u32) {
        // Its last run may be told as slow.
        self.clock.tell_reply(&self.out);
        self.clock.forget_prepared(statement_id);
    }

    /// The server is to forget all statements: a session ends.
    #[cold]
    pub(crate) fn forget_all_prepared(&mut self) {
        self.clock.tell_reply(&self.out);
        self.clock.forget_all_prepared();
    }

    /// The command that has just been sent is of a session that reads statements so.
    #[inline]
    pub(crate) fn sent_in(&mut self, dialect: Dialect) {
        self.clock.sent_in(dialect);
    }

    /// When the command began that was sent last, for [`PacketStream::begin_next_reply`].
    pub(crate) fn begun(&self) -> u64 {
        self.clock.begun()
    }

    /// The reply to the next one of several commands is wanted, which began then.
    pub(crate) fn begin_next_reply(&mut self, code: u8, body: &[u8], begun: u64) {
        let has_come = self.has_received();
        self.clock.begin_next(
            code,
            body,
            self.counted.packets_received,
            begun,
            has_come,
            &self.out,
        );
    }

    /// The server is waited for now: it owes the reply to a command that was sent a while ago.
    pub(crate) fn wait_for_owed_reply(&mut self, code: u8) {
        self.clock.begin(code, &[], self.counted.packets_received, &self.out);
        self.clock.sent_before();
        self.clock.has_been_written_to();
    }

    /// Tells its observer of nothing any more.
    pub(crate) fn fall_silent(&mut self) {
        self.clock.fall_silent();
    }

    /// Tells of the reply that came last, as far as it has come.
    pub(crate) fn tell_reply(&mut self) {
        self.clock.tell_reply(&self.out);
        self.tell_wait();
    }

    /// Tells of the wait that is over.
    pub(crate) fn tell_wait(&mut self) {
        self.clock.tell_wait(self.counted.packets_received);
    }

    /// Nobody waits now for what is still to be said.
    pub(crate) fn rest(&mut self) {
        self.clock.rest(&self.out);
        self.clock.tell_wait(self.counted.packets_received);
    }

    /// The connection's number in this process.
    pub(crate) fn number(&self) -> u64 {
        self.clock.number()
    }

    /// Whether single waits are told.
    #[inline]
    pub(crate) fn tells_waits(&self) -> bool {
        self.clock.tells_waits()
    }

    /// How the server reads statements, if that is known, for whoever is told of them.
    pub(crate) fn set_dialect(&mut self, dialect: Option<Dialect>) {
        self.clock.set_dialect(dialect);
    }

    /// Tells this observer from now on.
    pub(crate) fn set_observer(&mut self, observer: Option<&'static dyn Observer>, thread_id: u32) {
        self.rest();
        self.clock.set_observer(observer, thread_id);
    }

    /// Somebody else was asked for what this statement wants, and that took so long.
    pub(crate) fn asked_elsewhere(&mut self, statement: &[u8], took: Duration, has_failed: bool) {
        let took = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        let since = now_ns().saturating_sub(took);
        self.clock.asked_elsewhere(statement, since, has_failed);
    }

    /// Closes the way to the server, and tells that it is the end.
    pub(crate) fn close(&mut self) {
        self.clock.end(&self.transport, self.counted.packets_received, &self.out);
        self.transport.close();
    }
}
