//! Plays a script on one connection, and writes down what the client says.

use std::io::{self, BufWriter, Read, Write};
use std::net::Shutdown;
use std::time::{Duration, Instant};

use socket2::Socket;
use vaquita_protocol::PacketHeader;
use vaquita_protocol::packet_header::{MAX_PACKET_PAYLOAD_BYTES, PACKET_HEADER_BYTES};

use crate::compression::Compressed;
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
    compressed: Option<Compressed>,
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
        compressed: None,
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
                    self.put_compressed()?;
                    if let Some(compressed) = &mut self.compressed {
                        compressed.sequence_id = *sequence_id;
                    }
                    self.send(payload)?;
                }
                Step::SendRaw(bytes) => self.put(bytes)?,
                Step::SendFrame(bytes) => {
                    self.put_compressed()?;
                    self.out.write_all(bytes)?;
                }
                Step::Endless(payloads) => loop {
                    for payload in payloads {
                        self.send(payload)?;
                    }
                    self.put_compressed()?;
                },
                Step::Unending(bytes) => loop {
                    self.send_packet(bytes)?;
                    self.put_compressed()?;
                },
                Step::Compress(how) => self.compressed = Some(Compressed::new(*how)),
                Step::Expect(expected) => {
                    self.put_compressed()?;
                    self.out.flush()?;
                    if !self.receive(*expected)? {
                        return Ok(Ending::Unexpected);
                    }
                }
            }
        }
        self.put_compressed()?;
        self.out.flush()?;
        Ok(Ending::Played)
    }

    /// Sends bytes, or keeps them for the next compressed packet.
    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.compressed {
            None => self.out.write_all(bytes),
            Some(compressed) => {
                compressed.push(bytes);
                Ok(())
            }
        }
    }

    /// Sends what was kept for compressed packets.
    fn put_compressed(&mut self) -> io::Result<()> {
        match &mut self.compressed {
            None => Ok(()),
            Some(compressed) => self.out.write_all(&compressed.take_packets()?),
        }
    }

    fn send(&mut self, payload: &[u8]) -> io::Result<()> {
        let mut rest = payload;
        loop {
            let (part, after) =
                rest.split_at_checked(MAX_PACKET_PAYLOAD_BYTES).unwrap_or((rest, &[]));
            self.send_packet(part)?;
            if part.len() < MAX_PACKET_PAYLOAD_BYTES {
                return Ok(());
            }
            rest = after;
        }
    }

    /// Sends one packet.
    fn send_packet(&mut self, payload: &[u8]) -> io::Result<()> {
        let payload_length = u32::try_from(payload.len()).unwrap_or(u32::MAX);
        let header = PacketHeader { payload_length, sequence_id: self.sequence_id };
        self.sequence_id = self.sequence_id.wrapping_add(1);
        self.put(&header.encode())?;
        self.put(payload)
    }

    /// Receives one packet; whether it is what was expected. Longer payloads than one packet's are not put together.
    fn receive(&mut self, expected: Expect) -> io::Result<bool> {
        let header = self.receive_bytes(PACKET_HEADER_BYTES)?;
        let header = header.first_chunk().copied().unwrap_or_default();
        let PacketHeader { payload_length, sequence_id } = PacketHeader::parse(header);
        let length = usize::try_from(payload_length).map_err(io::Error::other)?;
        let payload = self.receive_bytes(length)?;
        let is_expected = match expected {
            Expect::Packet => true,
            Expect::Command(code) => {
                let is_first = |compressed: &Compressed| compressed.sequence_id == 1;
                let is_first = self.compressed.as_ref().is_none_or(is_first);
                is_first && sequence_id == 0 && payload.first() == Some(&code)
            }
        };
        self.sequence_id = sequence_id.wrapping_add(1);
        self.packets.push(ClientPacket { sequence_id, payload });
        Ok(is_expected)
    }

    fn receive_bytes(&mut self, length: usize) -> io::Result<Vec<u8>> {
        if let Some(compressed) = &mut self.compressed {
            return compressed.receive(&mut self.socket, length);
        }
        let mut bytes = Vec::new();
        self.socket.take(length as u64).read_to_end(&mut bytes)?;
        if bytes.len() == length { Ok(bytes) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }
}
