//! What a packet stream has counted: the packets itself, the bytes on the wire below it.

use std::collections::VecDeque;

use vaquita_protocol::Command;

use super::PacketStream;
use crate::error::Error;
use crate::own::Own;
use crate::statistics::Statistics;

/// What had been counted as sent at some time.
pub(crate) struct SentBefore {
    counted: Statistics,
    latest: Option<(u8, u64)>,
    earlier: VecDeque<(u8, u64)>,
}

/// Whether a server says anything to a command with this code.
fn has_reply(code: u8) -> bool {
    let silent = [
        Command::Quit,
        Command::StmtClose(0),
        Command::StmtSendLongData { statement_id: 0, parameter: 0, data: b"" },
    ];
    !silent.iter().any(|command| command.code() == code)
}

impl PacketStream {
    /// What was counted so far.
    pub(crate) fn statistics(&self) -> Statistics {
        let mut statistics = self.counted.clone();
        statistics.bytes_sent = self.transport.bytes_sent;
        statistics.bytes_received = self.transport.bytes_received;
        (statistics.reads, statistics.writes) = self.transport.system_calls();
        statistics
    }

    /// Goes on counting from other numbers.
    pub(crate) fn set_statistics(&mut self, statistics: Statistics) {
        if let Some((_, sent_before)) = &mut self.latest {
            let moved = statistics.bytes_sent.wrapping_sub(self.transport.bytes_sent);
            *sent_before = sent_before.wrapping_add(moved);
        }
        self.transport.bytes_sent = statistics.bytes_sent;
        self.transport.bytes_received = statistics.bytes_received;
        self.transport.set_system_calls(statistics.reads, statistics.writes);
        self.counted = statistics;
    }

    /// From now on commands are the driver's own, under this name, or its user's; what they were before.
    pub(crate) fn count_as(&mut self, own: Option<Own>) -> Option<Own> {
        std::mem::replace(&mut self.counts_as, own)
    }

    /// A command is going to be sent.
    #[inline]
    pub(super) fn count_command(&mut self, code: u8) {
        if self.clock.awaits() {
            self.keep_earlier();
        }
        self.counted.command(code);
        self.latest = Some((code, self.transport.bytes_sent));
        if let Some(own) = self.counts_as {
            self.counted.own.count(own);
        }
    }

    /// Another command is sent before the latest one was answered.
    #[cold]
    fn keep_earlier(&mut self) {
        if let Some(due) = self.latest_due() {
            self.earlier.push_back(due);
        }
    }

    /// The command that was sent last, and its bytes, if that is to be answered.
    fn latest_due(&self) -> Option<(u8, u64)> {
        let (code, sent_before) = self.latest?;
        let is_queued = self.transport.queue().is_some();
        let bytes = self.transport.bytes_sent.wrapping_sub(sent_before);
        (has_reply(code) && !is_queued).then_some((code, bytes))
    }

    /// A reply has come; the next one is that to the command behind.
    pub(crate) fn has_answered(&mut self) {
        self.earlier.pop_front();
    }

    /// Such a command, and so many bytes that were counted, have turned out not to have been sent.
    #[cold]
    pub(crate) fn discount_command(&mut self, code: u8, bytes: u64) {
        self.transport.bytes_sent = self.transport.bytes_sent.saturating_sub(bytes);
        self.counted.discount_command(code);
        if let Some(own) = self.counts_as {
            self.counted.own.discount(own);
        }
        self.counted.packets_sent = self.counted.packets_sent.saturating_sub(1);
        self.latest = None;
    }

    /// Keeps what is written from now on; gives what had been counted as sent.
    pub(crate) fn gather(&mut self) -> SentBefore {
        self.transport.gather();
        SentBefore {
            counted: self.counted.clone(),
            latest: self.latest.filter(|_| self.clock.awaits()),
            earlier: self.earlier.clone(),
        }
    }

    /// Sends what was kept since then, without waiting; if nothing of it could be sent, none of it counts.
    ///
    /// # Errors
    /// As [`crate::transport::Transport::send_gathered`].
    pub(crate) fn send_gathered(&mut self, before: SentBefore) -> Result<(), Error> {
        self.transport.send_gathered().inspect_err(|error| {
            if error.nothing_sent() {
                self.counted.take_back_sent(before.counted);
                (self.latest, self.earlier) = (before.latest, before.earlier);
            }
        })
    }

    /// The connection is over: commands count as unanswered if nothing of a reply to them has come.
    #[cold]
    pub(crate) fn count_unanswered(&mut self) {
        let mut due = std::mem::take(&mut self.earlier);
        due.extend(self.latest_due());
        self.latest = None;
        // What has come last is of the first of them.
        if !self.clock.awaits() {
            due.pop_front();
        }
        for (code, bytes) in due {
            self.count_unanswered_command(code, bytes);
        }
    }

    /// The connection is over, and nothing of a reply to this command has come.
    pub(crate) fn count_unanswered_command(&mut self, code: u8, bytes: u64) {
        self.counted.unanswered(code, bytes);
    }

    /// Whether nothing has come of the reply to the command that was sent, or is due.
    pub(crate) fn awaits_reply(&self) -> bool {
        self.clock.awaits()
    }

    /// How many bytes have been sent.
    pub(crate) fn bytes_sent(&self) -> u64 {
        self.transport.bytes_sent
    }

    /// Where to count.
    #[inline]
    pub(crate) fn counted(&mut self) -> &mut Statistics {
        &mut self.counted
    }
}
