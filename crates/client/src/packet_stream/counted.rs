//! What a packet stream has counted: the packets itself, the bytes on the wire below it.

use super::PacketStream;
use crate::statistics::Statistics;

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

    /// Where to count.
    #[inline]
    pub(crate) fn counted(&mut self) -> &mut Statistics {
        &mut self.counted
    }
}
