//! What a connection counts of its traffic: packets, commands, results and rows.
//!
//! These are plain numbers that are always counted; whoever has no use for them throws them away. What becomes of rows afterwards
//! (who looks at them, and how often) is not known here.

use vaquita_protocol::StatusFlags;
use vaquita_protocol::packet_header::PACKET_HEADER_BYTES;

use crate::own::OwnCommands;

/// One more than the highest code of a command that this driver sends: that of COM_RESET_CONNECTION.
const COMMANDS: usize = 0x20;

/// What a received packet that is no row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PacketKind {
    /// The answer to a command without a result.
    Ok,
    /// The end of column definitions, or an answer that looks the same.
    Eof,
    /// The first of a result: how many columns it has, or OK.
    ResultSetHeader,
    ColumnDefinition,
    PrepareOk,
    ChangeUser,
    /// Of the log-in, of COM_STATISTICS.
    Other,
}

/// Packets of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Packets {
    /// How many there were.
    pub count: u64,
    /// Their bytes, with their headers.
    pub bytes: u64,
}

impl Packets {
    #[inline]
    pub(crate) fn add(&mut self, payload_bytes: usize) {
        self.count += 1;
        self.bytes += (payload_bytes + PACKET_HEADER_BYTES) as u64;
    }
}

/// A number of rows or of results, apart by the protocol that they came in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByProtocol {
    /// Of queries.
    pub text: u64,
    /// Of prepared statements.
    pub binary: u64,
}

impl ByProtocol {
    pub(crate) fn add(&mut self, is_binary: bool, number: u64) {
        let counter = if is_binary { &mut self.binary } else { &mut self.text };
        // A server may claim any number.
        *counter = counter.wrapping_add(number);
    }
}

/// Something that can be summed up.
trait Sum {
    fn sum(&mut self, other: &Self);
}

impl Sum for u64 {
    fn sum(&mut self, other: &u64) {
        *self = self.wrapping_add(*other);
    }
}

impl Sum for Packets {
    fn sum(&mut self, other: &Packets) {
        self.count += other.count;
        self.bytes += other.bytes;
    }
}

impl Sum for ByProtocol {
    fn sum(&mut self, other: &ByProtocol) {
        self.text = self.text.wrapping_add(other.text);
        self.binary = self.binary.wrapping_add(other.binary);
    }
}

impl Sum for OwnCommands {
    fn sum(&mut self, other: &OwnCommands) {
        self.add(other);
    }
}

impl Sum for [u64; COMMANDS] {
    fn sum(&mut self, other: &[u64; COMMANDS]) {
        self.iter_mut().zip(other).for_each(|(sum, number)| *sum += number);
    }
}

/// Declares the counters and their sum, so that none can be missing there.
macro_rules! statistics {
    ($($(#[$attribute:meta])* $visibility:vis $name:ident: $type:ty,)*) => {
        /// The counters of one connection, or the sum of those of several.
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct Statistics {
            $($(#[$attribute])* $visibility $name: $type,)*
        }

        impl Statistics {
            /// Adds the counters of another connection.
            pub fn add(&mut self, other: &Statistics) {
                $(self.$name.sum(&other.$name);)*
            }
        }
    };
}

statistics! {
    /// The bytes written to the wire: compressed if the connection compresses, below TLS's own.
    pub bytes_sent: u64,
    /// The bytes read from the wire, in the same sense. What nobody has looked at yet counts too.
    pub bytes_received: u64,
    /// Packets written; one of 16 MiB or more counts as often as it has headers.
    pub packets_sent: u64,
    /// Packets read, in the same sense.
    pub packets_received: u64,
    /// The system calls that read from the wire, whatever came of them.
    pub reads: u64,
    /// Those that wrote to it.
    pub writes: u64,
    /// How often something was read after something had been written: whoever is far away makes each of them wait.
    pub round_trips: u64,
    commands: [u64; COMMANDS],
    /// Those of them whose reply never came, for the connection ended; whether the server has read them nobody knows.
    unanswered: [u64; COMMANDS],
    /// The bytes of those.
    pub bytes_unanswered: u64,
    /// Those of them that nobody asked for.
    pub own: OwnCommands,
    /// Statements that were to be prepared, and were kept: nothing was sent.
    pub statements_lent: u64,
    /// Statements that were to be closed and were kept instead: nothing was sent.
    pub statements_kept: u64,
    /// Sockets that were opened to a server, whatever came of it.
    pub attempts: u64,
    /// Those of them that were to take the place of a dead connection, which had a user.
    pub replacements: u64,
    /// Those of them that were to stop a query.
    pub killers: u64,
    /// Answers to commands that have no result: OK, ERR.
    pub ok: Packets,
    /// EOF packets, but for those that end rows.
    pub eof: Packets,
    /// The first packets of results: a number of columns, OK, ERR.
    pub result_set_header: Packets,
    /// Definitions of columns and of parameters.
    pub column_definition: Packets,
    /// Answers to COM_STMT_PREPARE.
    pub prepare_ok: Packets,
    /// Answers to COM_CHANGE_USER.
    pub change_user: Packets,
    /// Packets that are none of these and no rows: of the log-in, answers to COM_STATISTICS.
    pub other: Packets,
    /// Rows of queries.
    pub text_row: Packets,
    /// Rows of prepared statements.
    pub binary_row: Packets,
    /// What ended rows: EOF, OK, ERR.
    pub row_end: Packets,
    /// Results with columns.
    pub result_sets: u64,
    /// Results without.
    pub oks: u64,
    /// Results for which the server found no good index.
    pub no_good_index_used: u64,
    /// Other results for which it used none.
    pub no_index_used: u64,
    /// Other results that it thought slow.
    pub slow: u64,
    /// Rows that statements inserted, changed or deleted.
    pub rows_affected: ByProtocol,
    /// Results that were read to their end because nobody wanted the rest.
    pub results_discarded: ByProtocol,
    /// The rows of that rest.
    pub rows_discarded: ByProtocol,
    /// Init commands that were begun.
    pub init_commands: u64,
    /// Those that failed.
    pub init_commands_failed: u64,
}

impl Statistics {
    /// How many commands with this code were sent.
    pub fn commands(&self, code: u8) -> u64 {
        self.commands.get(usize::from(code)).copied().unwrap_or(0)
    }

    /// How many commands with this code were sent on connections that ended before anything of a reply had come.
    pub fn unanswered_commands(&self, code: u8) -> u64 {
        self.unanswered.get(usize::from(code)).copied().unwrap_or(0)
    }

    /// How many commands were sent.
    pub fn all_commands(&self) -> u64 {
        self.commands.iter().sum()
    }

    pub(crate) fn command(&mut self, code: u8) {
        if let Some(counter) = self.commands.get_mut(usize::from(code)) {
            *counter += 1;
        }
    }

    pub(crate) fn discount_command(&mut self, code: u8) {
        if let Some(counter) = self.commands.get_mut(usize::from(code)) {
            *counter = counter.saturating_sub(1);
        }
    }

    /// What was counted as sent since `before`, but for bytes and system calls, was not sent.
    #[cold]
    pub(crate) fn take_back_sent(&mut self, before: Statistics) {
        self.commands = before.commands;
        self.own = before.own;
        self.packets_sent = before.packets_sent;
    }

    /// A command of so many bytes has no reply.
    pub(crate) fn unanswered(&mut self, code: u8, bytes: u64) {
        if let Some(counter) = self.unanswered.get_mut(usize::from(code)) {
            *counter += 1;
        }
        self.bytes_unanswered += bytes;
    }

    #[inline]
    pub(crate) fn packet(&mut self, kind: PacketKind, payload_bytes: usize) {
        let packets = match kind {
            PacketKind::Ok => &mut self.ok,
            PacketKind::Eof => &mut self.eof,
            PacketKind::ResultSetHeader => &mut self.result_set_header,
            PacketKind::ColumnDefinition => &mut self.column_definition,
            PacketKind::PrepareOk => &mut self.prepare_ok,
            PacketKind::ChangeUser => &mut self.change_user,
            PacketKind::Other => &mut self.other,
        };
        packets.add(payload_bytes);
    }

    /// A row.
    #[inline]
    pub(crate) fn row(&mut self, is_binary: bool, payload_bytes: usize) {
        let rows = if is_binary { &mut self.binary_row } else { &mut self.text_row };
        rows.add(payload_bytes);
    }

    /// A result with columns, and what the server says of how it came to it: one reason to look at the query is counted, the worst.
    pub(crate) fn result_set(&mut self, status: StatusFlags) {
        self.result_sets += 1;
        if status.contains(StatusFlags::NO_GOOD_INDEX_USED) {
            self.no_good_index_used += 1;
        } else if status.contains(StatusFlags::NO_INDEX_USED) {
            self.no_index_used += 1;
        } else if status.contains(StatusFlags::QUERY_WAS_SLOW) {
            self.slow += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_has_all_counters() {
        let mut one = Statistics { bytes_sent: 1, ..Statistics::default() };
        one.packet(PacketKind::Eof, 5);
        one.row(true, 10);
        one.command(3);
        one.command(200);
        one.rows_discarded.add(false, 7);
        one.result_set(StatusFlags::NO_INDEX_USED);
        let mut sum = one.clone();
        sum.add(&one);
        assert_eq!((sum.bytes_sent, sum.commands(3), sum.all_commands()), (2, 2, 2));
        assert_eq!(sum.eof, Packets { count: 2, bytes: 18 });
        assert_eq!(sum.binary_row, Packets { count: 2, bytes: 28 });
        assert_eq!(sum.rows_discarded, ByProtocol { text: 14, binary: 0 });
        assert_eq!((sum.result_sets, sum.no_index_used, sum.slow), (2, 2, 0));
    }

    #[test]
    fn every_kind_of_packet_has_its_counter() {
        let counted = |kind| {
            let mut statistics = Statistics::default();
            statistics.packet(kind, 1);
            statistics
        };
        let one = Packets { count: 1, bytes: 5 };
        assert_eq!(counted(PacketKind::Ok).ok, one);
        assert_eq!(counted(PacketKind::ResultSetHeader).result_set_header, one);
        assert_eq!(counted(PacketKind::ColumnDefinition).column_definition, one);
        assert_eq!(counted(PacketKind::PrepareOk).prepare_ok, one);
        assert_eq!(counted(PacketKind::ChangeUser).change_user, one);
        assert_eq!(counted(PacketKind::Other).other, one);
    }
}
