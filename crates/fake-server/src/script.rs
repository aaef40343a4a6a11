//! A script: what the server sends, and what it waits for.

use vaquita_protocol::Command;
use vaquita_protocol::packet_header::MAX_PACKET_PAYLOAD_BYTES;

use crate::compression::Compression;
use crate::packets::{AUTOCOMMIT, OFFERED, greeting, ok};

/// What the server waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expect {
    /// A packet, whatever it says.
    Packet,
    /// The first packet of a command, with this byte.
    Command(u8),
}

/// One thing that the server does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Receives a packet; anything else than what is expected ends the script.
    Expect(Expect),
    /// Sends a payload with the sequence id that is due, split where it has to be.
    Send(Vec<u8>),
    /// Sends a packet with a sequence id of its own.
    SendAs(u8, Vec<u8>),
    /// Sends bytes without a header.
    SendRaw(Vec<u8>),
    /// From here on all is compressed, in both directions.
    Compress(Compression),
    /// Sends bytes as they are also where all is compressed, as the next compressed packet or as what is none.
    SendFrame(Vec<u8>),
    /// Sends these payloads over and over, until the client leaves or the time is up.
    Endless(Vec<Vec<u8>>),
    /// Sends one payload that has no end, until the client leaves or the time is up: full packets, of which each is this.
    Unending(Vec<u8>),
}

/// What the server does when nothing is left to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ends {
    /// It is silent until the client closes.
    #[default]
    Silent,
    /// It closes, and waits for the client to do so too.
    Closed,
    /// It drops the connection; TCP says so by a reset, and what the client has not yet received may be lost.
    Reset,
}

/// What a server sends and waits for on one connection, from the first byte to the last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    pub(crate) steps: Vec<Step>,
    pub(crate) ends: Ends,
}

impl Script {
    /// A server that accepts and says nothing.
    pub fn new() -> Self {
        Script::default()
    }

    /// A server that greets, and expects the handshake response.
    pub fn greeted() -> Self {
        Script::new().send(greeting(OFFERED, "mysql_native_password")).expect_packet()
    }

    /// A server that lets everybody in.
    pub fn logged_in() -> Self {
        Script::greeted().send(ok(AUTOCOMMIT))
    }

    /// A server that lets everybody in, and has just received a query.
    pub fn queried() -> Self {
        Script::logged_in().expect_query()
    }

    /// Sends a payload with the sequence id that is due.
    #[must_use]
    pub fn send(self, payload: impl Into<Vec<u8>>) -> Self {
        self.step(Step::Send(payload.into()))
    }

    /// Sends payloads, each as a packet.
    #[must_use]
    pub fn send_all<P: Into<Vec<u8>>>(self, payloads: impl IntoIterator<Item = P>) -> Self {
        payloads.into_iter().fold(self, Script::send)
    }

    /// Sends a packet with a sequence id of its own.
    #[must_use]
    pub fn send_as(self, sequence_id: u8, payload: impl Into<Vec<u8>>) -> Self {
        self.step(Step::SendAs(sequence_id, payload.into()))
    }

    /// Sends bytes without a header.
    #[must_use]
    pub fn send_raw(self, bytes: impl Into<Vec<u8>>) -> Self {
        self.step(Step::SendRaw(bytes.into()))
    }

    /// Goes over to compression, whatever was agreed upon.
    #[must_use]
    pub fn compress(self, how: Compression) -> Self {
        self.step(Step::Compress(how))
    }

    /// Sends bytes as they are, past the compression.
    #[must_use]
    pub fn send_frame(self, bytes: impl Into<Vec<u8>>) -> Self {
        self.step(Step::SendFrame(bytes.into()))
    }

    /// Sends these payloads over and over; nothing can follow.
    #[must_use]
    pub fn send_endlessly<P: Into<Vec<u8>>>(self, payloads: impl IntoIterator<Item = P>) -> Self {
        self.step(Step::Endless(payloads.into_iter().map(Into::into).collect()))
    }

    /// Sends these bytes over and over, as one payload that has no end; nothing can follow.
    ///
    /// # Panics
    /// No number of them fills a packet: the script is wrong.
    #[must_use]
    pub fn send_unending(self, bytes: &[u8]) -> Self {
        assert!(MAX_PACKET_PAYLOAD_BYTES.is_multiple_of(bytes.len()), "they fill no packet");
        self.step(Step::Unending(bytes.repeat(MAX_PACKET_PAYLOAD_BYTES / bytes.len())))
    }

    /// Receives a packet.
    #[must_use]
    pub fn expect_packet(self) -> Self {
        self.step(Step::Expect(Expect::Packet))
    }

    /// Receives a command of this kind; what else it says does not matter.
    #[must_use]
    pub fn expect_command(self, command: Command<'_>) -> Self {
        self.step(Step::Expect(Expect::Command(command.code())))
    }

    /// Receives a query.
    #[must_use]
    pub fn expect_query(self) -> Self {
        self.expect_command(Command::Query(b""))
    }

    /// Receives a ping and answers it.
    #[must_use]
    pub fn ping(self) -> Self {
        self.expect_command(Command::Ping).send(ok(AUTOCOMMIT))
    }

    /// The same on a compressed connection: the greeting offers it, and after the log-in all is compressed. A script that does not get that
    /// far, or greets in its own way, stays as it is.
    #[must_use]
    pub fn compressed(mut self, how: Compression) -> Self {
        let plain = Step::Send(greeting(OFFERED, "mysql_native_password").into());
        let log_in = self.steps.iter().position(|step| matches!(step, Step::Expect(_)));
        if let (Some(log_in), Some(first)) = (log_in, self.steps.first_mut())
            && *first == plain
        {
            let offered = OFFERED.with(how.capability());
            *first = Step::Send(greeting(offered, "mysql_native_password").into());
            // The verdict comes in between.
            let begin = self.steps.len().min(log_in + 2);
            self.steps.insert(begin, Step::Compress(how));
        }
        self
    }

    /// Closes at the end.
    #[must_use]
    pub fn close(self) -> Self {
        Script { ends: Ends::Closed, ..self }
    }

    /// Drops the connection at the end.
    #[must_use]
    pub fn reset(self) -> Self {
        Script { ends: Ends::Reset, ..self }
    }

    /// How many bytes the server sends, but for the headers, and for what it sends without end.
    pub fn payload_bytes(&self) -> usize {
        let length = |step: &Step| match step {
            Step::Expect(_) | Step::Compress(_) | Step::Endless(_) | Step::Unending(_) => 0,
            Step::Send(bytes)
            | Step::SendAs(_, bytes)
            | Step::SendRaw(bytes)
            | Step::SendFrame(bytes) => bytes.len(),
        };
        self.steps.iter().map(length).sum()
    }

    fn step(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }
}
