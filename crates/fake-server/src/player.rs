//! Plays a script on one connection, and writes down what the client says.

use std::io::{self, BufWriter, Read, Write};
use std::net::Shutdown;
use std::time::{Duration, Instant};

use socket2::Socket;
use vaquita_protocol::PacketHeader;
use vaquita_protocol::packet_header::{MAX_PACKET_PAYLOAD_BYTES, PACKET_HEADER_BYTES};

use crate::delivery::{Delivering, Delivery};
use crate::recording::{ClientPacket, Ending, Recording};
use crate::script::{Ends, Expect, Script, Step};
use crate::timed::Timed;

/// How much is kept of what a client sends when nothing is expected.
const MAX_REST_BYTES: u64 = 1 << 20;

struct Player<'a> {
    socket: Timed<'a>,
    out: BufWriter<Delivering<'a>>,
    /// The id of the next packet in either direction.
    sequence_id: u8,
    packets: Vec<ClientPacket>,
}

/// Plays a script, until it and the client have come to an end, or the time has.
pub(crate) fn play(
    socket: &Socket,
    script: &Script,
    delivery: Delivery,
    deadline: Instant,
) -> Recording {
    let timed = Timed::new(socket, deadline);
    let mut player = Player {
        socket: timed,
        out: BufWriter::new(Delivering::new(timed, delivery)),
        sequence_id: 0,
        packets: Vec::new(),
    };
    let played = player.steps(&script.steps);
    let Player { out, packets, .. } = player;
    // What stands in the buffer after an error is not sent.
    let (delivering, _) = out.into_parts();
    let sent_bytes = delivering.sent_bytes;
    let mut ending = match played {
        Ok(ending) => ending,
        Err(error) => ending_after(&error),
    };
    let mut rest = Vec::new();
    if ending == Ending::Played && script.ends == Ends::Reset {
        // Without lingering, closing is a reset; where it is not, the client sees an end.
        let _ = socket.set_linger(Some(Duration::ZERO));
        return Recording { packets, rest, sent_bytes, ending };
    }
    if ending != Ending::Played || script.ends == Ends::Closed {
        // Not by closing: bytes that nobody reads would make a reset of it, and what was sent could be lost.
        let _ = socket.shutdown(Shutdown::Write);
    }
    if let Err(error) = timed.take(MAX_REST_BYTES).read_to_end(&mut rest)
        && error.kind() == io::ErrorKind::TimedOut
    {
        ending = Ending::TimedOut;
    }
    Recording { packets, rest, sent_bytes, ending }
}

/// A client may leave at any time; how it does so is its own affair.
fn ending_after(error: &io::Error) -> Ending {
    match error.kind() {
        io::ErrorKind::TimedOut => Ending::TimedOut,
        io::ErrorKind::WriteZero => Ending::Cut,
        _ => Ending::ClientLeft,
    }
}

impl Player<'_> {
    fn steps(&mut self, steps: &[Step]) -> io::Result<Ending> {
        for step in steps {
            match step {
                Step::Send(payload) => self.send(payload)?,
                Step::SendAs(sequence_id, payload) => {
                    self.sequence_id = *sequence_id;
                    self.send(payload)?;
                }
                Step::SendRaw(bytes) => self.out.write_all(bytes)?,
                Step::Expect(expected) => {
                    self.out.flush()?;
                    if !self.receive(*expected)? {
                        return Ok(Ending::Unexpected);
                    }
                }
            }
        }
        self.out.flush()?;
        Ok(Ending::Played)
    }

    fn send(&mut self, payload: &[u8]) -> io::Result<()> {
        let mut rest = payload;
        loop {
            let (part, after) =
                rest.split_at_checked(MAX_PACKET_PAYLOAD_BYTES).unwrap_or((rest, &[]));
            let payload_length = u32::try_from(part.len()).unwrap_or(u32::MAX);
            let header = PacketHeader { payload_length, sequence_id: self.sequence_id };
            self.sequence_id = self.sequence_id.wrapping_add(1);
            self.out.write_all(&header.encode())?;
            self.out.write_all(part)?;
            if part.len() < MAX_PACKET_PAYLOAD_BYTES {
                return Ok(());
            }
            rest = after;
        }
    }

    /// Receives one packet; whether it is what was expected. Longer payloads than one packet's are not put together.
    fn receive(&mut self, expected: Expect) -> io::Result<bool> {
        let mut header = [0; PACKET_HEADER_BYTES];
        self.socket.read_exact(&mut header)?;
        let PacketHeader { payload_length, sequence_id } = PacketHeader::parse(header);
        let mut payload = Vec::new();
        let read = self.socket.take(payload_length.into()).read_to_end(&mut payload)?;
        if u32::try_from(read) != Ok(payload_length) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let is_expected = match expected {
            Expect::Packet => true,
            Expect::Command(code) => sequence_id == 0 && payload.first() == Some(&code),
        };
        self.sequence_id = sequence_id.wrapping_add(1);
        self.packets.push(ClientPacket { sequence_id, payload });
        Ok(is_expected)
    }
}
