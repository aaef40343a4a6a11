//! What a packet stream has counted: the packets itself, the bytes on the wire below it.

use vaquita_protocol::Command;

use super::PacketStream;
use crate::own::Own;
use crate::statistics::Statistics;

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
        self.counted.command(code);
        self.latest = (code, self.transport.bytes_sent);
        if let Some(own) = self.counts_as {
            self.counted.own.count(own);
        }
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
    }

    /// The connection is over: the command that was sent last counts as unanswered if nothing of a reply has come.
    #[cold]
    pub(crate) fn count_unanswered(&mut self) {
        let (code, sent_before) = self.latest;
        // Of those in a queue it is found out one by one.
        let is_queued = self.transport.queue().is_some();
        let bytes = self.transport.bytes_sent.saturating_sub(sent_before);
        if self.clock.awaits() && has_reply(code) && bytes > 0 && !is_queued {
            self.count_unanswered_command(code, bytes);
            self.latest = (code, self.transport.bytes_sent);
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
