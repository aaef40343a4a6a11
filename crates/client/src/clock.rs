//! The clock of a connection: when its commands went out, when their replies came, and who is told of that.
//!
//! Nobody who only counts latencies pays for more than two readings of the clock a command: before it is written, and when the
//! system call that brings its reply returns.

mod connecting;
mod slow;
mod waiting;

pub(crate) use connecting::Connecting;
use rustix::time::{ClockId, clock_gettime};
use slow::{Prepared, Sent};
use vaquita_protocol::Command;
use waiting::Waiting;

use crate::tokens::Dialect;
use crate::transport::Transport;
use crate::waits::{Event, Observed, Observer, Reply};

/// CLOCK_MONOTONIC in nanoseconds.
#[inline]
pub(crate) fn now_ns() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec.cast_unsigned().wrapping_mul(1_000_000_000).wrapping_add(now.tv_nsec.cast_unsigned())
}

/// The clock of a connection.
#[derive(Debug)]
pub(crate) struct Clock {
    observer: Option<&'static dyn Observer>,
    /// When the command under way was about to be sent; 0: nothing is to be told of it.
    begun: u64,
    /// When the first bytes of its reply were there.
    first: u64,
    /// When the latest ones were.
    last: u64,
    /// The command's code.
    command: u8,
    /// Whether nothing of the reply has come.
    awaits: bool,
    /// Whether something was written since something was read.
    has_written: bool,
    /// The connection's number in this process.
    number: u64,
    /// Where the command is, for whoever wants to know what was slow.
    sent: Sent,
    /// The command, if it was kept aside.
    aside: Vec<u8>,
    prepared: Prepared,
    /// Where single waits are told.
    waiting: Option<Box<Waiting>>,
}

impl Clock {
    pub(crate) fn new() -> Self {
        Clock {
            observer: None,
            begun: 0,
            first: 0,
            last: 0,
            command: 0,
            awaits: false,
            has_written: false,
            number: 0,
            sent: Sent::Unknown,
            aside: Vec::new(),
            prepared: Prepared::default(),
            waiting: None,
        }
    }

    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// It is the clock of the connection with this number.
    pub(crate) fn set_number(&mut self, number: u64) {
        self.number = number;
    }

    /// Tells this observer from now on; the one before has heard of what has been.
    pub(crate) fn set_observer(&mut self, observer: Option<&'static dyn Observer>, thread_id: u32) {
        self.tell_wait(0);
        self.observer = observer;
        self.begun = 0;
        let connection = Observed { number: self.number, thread_id };
        let wanting = observer.filter(|it| it.wants_waits());
        self.waiting = wanting.map(|it| Box::new(Waiting::new(it, connection)));
    }

    /// Tells nobody of anything any more.
    pub(crate) fn fall_silent(&mut self) {
        self.observer = None;
        self.waiting = None;
    }

    /// Whether single waits are told.
    #[inline]
    pub(crate) fn tells_waits(&self) -> bool {
        self.waiting.is_some()
    }

    /// How the server reads statements from now on.
    pub(crate) fn set_dialect(&mut self, dialect: Option<Dialect>) {
        if let Some(waiting) = &mut self.waiting {
            waiting.dialect = dialect;
        }
    }

    /// A command is about to be sent, to which there will be a reply; the one before it stands in `out`.
    #[inline]
    pub(crate) fn begin(&mut self, command: u8, body: &[u8], packets: u64, out: &[u8]) {
        self.awaits_reply(command, out);
        if self.waiting.is_some() {
            self.begin_waiting(command, body, packets);
        }
    }

    #[inline]
    fn awaits_reply(&mut self, command: u8, out: &[u8]) {
        if self.observer.is_some() {
            self.tell_reply(out);
            self.command = command;
            self.begun = now_ns();
        }
        self.awaits = true;
    }

    #[cold]
    fn begin_waiting(&mut self, command: u8, body: &[u8], packets: u64) {
        self.tell_wait(packets);
        if let Some(waiting) = &mut self.waiting {
            waiting.begin(command, body, &self.prepared);
            if command == Command::StmtClose(0).code() {
                self.prepared.remove_of(body);
            }
        }
    }

    /// A command is about to be sent to which there will be none.
    #[inline]
    pub(crate) fn begin_unanswered(&mut self, command: u8, body: &[u8], packets: u64) {
        if self.waiting.is_some() {
            self.begin_waiting(command, body, packets);
        }
    }

    /// When the command began that was sent last; 0: nobody wants to know.
    pub(crate) fn begun(&self) -> u64 {
        self.begun
    }

    /// The reply to a command that began then is next, behind those to others; whether some of it has come already, with what was read last.
    pub(crate) fn begin_next(
        &mut self,
        command: u8,
        body: &[u8],
        packets: u64,
        begun: u64,
        has_come: bool,
        out: &[u8],
    ) {
        self.tell_reply(out);
        self.command = command;
        self.sent = Sent::Unknown;
        // A server may have said more than it was asked for.
        self.begun = if has_come { begun.min(self.last) } else { begun };
        self.first = self.last;
        self.awaits = !has_come;
        if self.waiting.is_some() {
            self.begin_waiting(command, body, packets);
        }
    }

    /// What was written a while ago is answered only now.
    pub(crate) fn has_been_written_to(&mut self) {
        self.has_written = true;
    }

    /// The next bytes are the first ones of the reply.
    #[inline]
    pub(crate) fn expect_reply(&mut self) {
        self.awaits = true;
    }

    /// Nobody waits for a reply now, whatever is still to come; the last command stands in `out`.
    pub(crate) fn rest(&mut self, out: &[u8]) {
        self.tell_reply(out);
        (self.begun, self.has_written) = (0, false);
        if let Some(waiting) = &mut self.waiting {
            waiting.rest();
        }
    }

    /// Something is going to be written: when, if that is to be told.
    #[inline]
    pub(crate) fn before_write(&mut self) -> Option<u64> {
        self.has_written = true;
        self.waiting.as_ref().map(|_| now_ns())
    }

    /// It was written.
    #[cold]
    pub(crate) fn after_write(&mut self, before: u64, bytes: u64, packets: u64, has_failed: bool) {
        if let Some(waiting) = &mut self.waiting {
            waiting.written(before, now_ns(), bytes, packets, has_failed);
        }
    }

    /// Something is going to be read: when, if that is to be told.
    #[inline]
    pub(crate) fn before_read(&self) -> Option<u64> {
        self.waiting.as_ref().map(|_| now_ns())
    }

    /// It was read; whether the other side had been written to before.
    #[inline]
    pub(crate) fn after_read(&mut self) -> bool {
        if self.observer.is_some() {
            self.last = now_ns();
            if self.awaits {
                self.first = self.last;
            }
        }
        self.awaits = false;
        std::mem::take(&mut self.has_written)
    }

    /// Tells of what was read, or of why it was not.
    #[cold]
    pub(crate) fn after_traced_read(
        &mut self,
        before: u64,
        bytes: u64,
        packets: u64,
        is_first: bool,
        has_failed: bool,
    ) {
        if let Some(waiting) = &mut self.waiting {
            waiting.tell(packets);
            let event = if is_first { Event::FirstByte } else { Event::MoreRows };
            let since = if is_first { waiting.written_at().unwrap_or(before) } else { before };
            waiting.read(event, since, now_ns(), bytes, packets, has_failed);
        }
    }

    /// Whether nothing of the reply has come.
    #[inline]
    pub(crate) fn awaits(&self) -> bool {
        self.awaits
    }

    /// The server has refused the command.
    #[cold]
    pub(crate) fn refused(&mut self) {
        if let Some(waiting) = &mut self.waiting {
            waiting.refused();
        }
    }

    /// The server has prepared this statement, and calls it so.
    #[inline]
    pub(crate) fn prepared(&mut self, statement_id: u32, text: &[u8]) {
        if self.observer.is_some() {
            self.prepared.add(statement_id, text);
        }
    }

    /// The server is going to be told to forget a statement.
    #[inline]
    pub(crate) fn forget_prepared(&mut self, statement_id: u32) {
        // Where waits are told, that has a statement, too.
        if self.observer.is_some() && self.waiting.is_none() {
            self.prepared.remove(statement_id);
        }
    }

    /// The server is going to be told to forget all statements.
    pub(crate) fn forget_all_prepared(&mut self) {
        self.prepared = Prepared::default();
    }

    /// Somebody else was asked instead of the server.
    pub(crate) fn asked_elsewhere(&mut self, statement: &[u8], since: u64, has_failed: bool) {
        if let Some(waiting) = &mut self.waiting {
            waiting.asked_elsewhere(statement, since, now_ns(), has_failed);
        }
    }

    /// Tells of the wait that is still to be told; so many packets have been received in all.
    #[inline]
    pub(crate) fn tell_wait(&mut self, packets: u64) {
        if let Some(waiting) = &mut self.waiting {
            waiting.tell(packets);
        }
    }

    /// Tells of the reply that has come and was not told yet; its command stands in `out`.
    #[inline]
    pub(crate) fn tell_reply(&mut self, out: &[u8]) {
        let Some(observer) = self.observer else { return };
        if self.begun != 0 && !self.awaits {
            let last_byte_ns = self.last.wrapping_sub(self.begun);
            if Clock::is_slow(last_byte_ns) {
                self.tell_slow(observer, last_byte_ns, out);
            }
            observer.replied(Reply {
                command: Some(self.command),
                first_byte_ns: self.first.wrapping_sub(self.begun),
                last_byte_ns,
            });
            self.begun = 0;
        }
    }

    /// The connection is over, or goes on elsewhere; the last command stands in `out`.
    pub(crate) fn end(&mut self, transport: &Transport, packets: u64, out: &[u8]) {
        self.rest(out);
        self.tell_wait(packets);
        if let Some(waiting) = self.waiting.take() {
            waiting.end(transport, now_ns());
        }
        self.observer = None;
    }
}
