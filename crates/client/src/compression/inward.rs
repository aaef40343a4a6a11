//! What a server sent, compressed packet by compressed packet, back to the bytes that they stand for.

use std::io;

use vaquita_protocol::compressed_packet_header::COMPRESSED_PACKET_HEADER_BYTES;
use vaquita_protocol::panic_point;
use vaquita_protocol::reader::{chunk_at, span};
use vaquita_protocol::{CompressedPacketHeader, Malformed};

use super::CompressionAlgorithm;
use super::codec::Decoder;
use crate::error::Error;

/// The buffer for compressed bytes; it never grows. Four times as much gains nothing.
const COMPRESSED_BUFFER_BYTES: usize = 32 << 10;

/// The error of a packet whose id is not the one that is due.
pub(crate) const OUT_OF_SEQUENCE: Malformed =
    Malformed::new("CompressedPacket", "compressed sequence id");

/// What is left of the packet that is being read.
#[derive(Clone, Copy, Default)]
struct Payload {
    /// How many compressed bytes have not yet been taken; 0 for a payload that is not compressed.
    compressed_left: usize,
    /// How many plain bytes have not yet been given out.
    plain_left: usize,
    is_compressed: bool,
    /// Whether the compressed stream has come to its end.
    has_ended: bool,
}

/// Compressed packets in, plain bytes out.
pub(crate) struct Inward {
    decoder: Decoder,
    /// All of it is initialised; `start..end` was received and not yet taken.
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    payload: Payload,
    /// The last byte of a payload, while the end of what it was decompressed from is still to come.
    last_byte: Option<u8>,
    checks_ids: bool,
}

impl Inward {
    pub(super) fn new(algorithm: CompressionAlgorithm) -> Result<Self, Error> {
        Ok(Inward {
            decoder: Decoder::new(algorithm)?,
            buffer: vec![0; COMPRESSED_BUFFER_BYTES],
            start: 0,
            end: 0,
            payload: Payload::default(),
            last_byte: None,
            checks_ids: true,
        })
    }

    /// Whether nothing was received that has not been given out.
    pub(super) fn is_empty(&self) -> bool {
        self.start == self.end && self.payload.plain_left == 0
    }

    /// From now on takes packets with any id.
    pub(super) fn ignore_ids(&mut self) {
        self.checks_ids = false;
    }

    /// Puts plain bytes into `room`, which is not empty: at least one, and never more than the packet's header claims. The packet's
    /// last byte is given out only when the packet has been received as a whole and is right.
    ///
    /// # Errors
    /// `receive` failed, or a packet is malformed. One that is [`OUT_OF_SEQUENCE`] stays where it is.
    pub(super) fn read(
        &mut self,
        sequence_id: &mut u8,
        room: &mut [u8],
        mut receive: impl FnMut(&mut [u8]) -> io::Result<usize>,
    ) -> Result<usize, Error> {
        panic_point("client/compression");
        if self.payload.plain_left == 0 {
            self.begin(sequence_id, &mut receive)?;
        }
        let length = room.len().min(self.payload.plain_left);
        let room = room.get_mut(..length).unwrap_or_default();
        let read = match (self.last_byte, room.first_mut()) {
            (Some(last_byte), Some(room)) => {
                *room = last_byte;
                1
            }
            _ if self.payload.is_compressed => self.decompress(room, &mut receive)?,
            _ => self.copy(room, &mut receive)?,
        };
        if read == self.payload.plain_left && self.payload.is_compressed {
            match self.finish(&mut receive) {
                Err(error) if error.is_not_here_yet() => {
                    self.last_byte = room.last().copied();
                    self.payload.plain_left = 1;
                    return if read > 1 { Ok(read - 1) } else { Err(error) };
                }
                finished => finished?,
            }
            self.last_byte = None;
        }
        self.payload.plain_left -= read;
        Ok(read)
    }

    /// Reads the header of the next packet.
    fn begin(
        &mut self,
        sequence_id: &mut u8,
        receive: &mut impl FnMut(&mut [u8]) -> io::Result<usize>,
    ) -> Result<(), Error> {
        while self.end - self.start < COMPRESSED_PACKET_HEADER_BYTES {
            self.fill(receive)?;
        }
        let header = chunk_at(&self.buffer, self.start).ok_or_else(|| malformed("header"))?;
        let header = CompressedPacketHeader::parse(header);
        if self.checks_ids && header.sequence_id != *sequence_id {
            return Err(OUT_OF_SEQUENCE.into());
        }
        let compressed = length(header.compressed_length)?;
        let uncompressed = length(header.uncompressed_length)?;
        if compressed == 0 {
            return Err(malformed("length of compressed payload"));
        }
        *sequence_id = sequence_id.wrapping_add(1);
        self.start += COMPRESSED_PACKET_HEADER_BYTES;
        self.payload = match uncompressed {
            0 => Payload { plain_left: compressed, ..Payload::default() },
            _ => {
                self.decoder.reset();
                Payload {
                    compressed_left: compressed,
                    plain_left: uncompressed,
                    is_compressed: true,
                    has_ended: false,
                }
            }
        };
        Ok(())
    }

    /// Gives out a part of a payload that is not compressed; much of it is received where it belongs, not by way of the buffer.
    fn copy(
        &mut self,
        room: &mut [u8],
        receive: &mut impl FnMut(&mut [u8]) -> io::Result<usize>,
    ) -> Result<usize, Error> {
        if self.start == self.end {
            if room.len() >= COMPRESSED_BUFFER_BYTES {
                return receive(room).map_err(lost);
            }
            self.fill(receive)?;
        }
        let length = room.len().min(self.end - self.start);
        if let Some(room) = room.get_mut(..length) {
            room.copy_from_slice(span(&self.buffer, self.start, self.start + length));
        }
        self.start += length;
        Ok(length)
    }

    /// Gives out a part of what a compressed payload stands for.
    fn decompress(
        &mut self,
        room: &mut [u8],
        receive: &mut impl FnMut(&mut [u8]) -> io::Result<usize>,
    ) -> Result<usize, Error> {
        loop {
            let written = self.decode(room)?;
            if self.payload.has_ended && written < self.payload.plain_left {
                return Err(malformed("length of payload before compression"));
            }
            if written > 0 {
                return Ok(written);
            }
            self.need_more(receive)?;
        }
    }

    /// Lets the decoder come to its end, where nothing more may come out of it nor be left of the payload.
    fn finish(
        &mut self,
        receive: &mut impl FnMut(&mut [u8]) -> io::Result<usize>,
    ) -> Result<(), Error> {
        while !self.payload.has_ended {
            if self.decode(&mut [0])? > 0 {
                return Err(malformed("length of payload before compression"));
            }
            if !self.payload.has_ended {
                self.need_more(receive)?;
            }
        }
        if self.payload.compressed_left > 0 {
            return Err(malformed("length of compressed payload"));
        }
        Ok(())
    }

    /// Decompresses what is in the buffer, as far as there is room; how much was written.
    fn decode(&mut self, room: &mut [u8]) -> Result<usize, Error> {
        let available = self.payload.compressed_left.min(self.end - self.start);
        let input = span(&self.buffer, self.start, self.start + available);
        let progress = self.decoder.decode(input, room).ok_or_else(corrupt)?;
        if available > 0 && progress.is_none() {
            return Err(corrupt());
        }
        self.start += progress.read;
        self.payload.compressed_left -= progress.read;
        self.payload.has_ended = progress.has_ended;
        Ok(progress.written)
    }

    /// Sees to it that there is something of the payload in the buffer.
    fn need_more(
        &mut self,
        receive: &mut impl FnMut(&mut [u8]) -> io::Result<usize>,
    ) -> Result<(), Error> {
        if self.payload.compressed_left == 0 {
            return Err(corrupt());
        }
        if self.start == self.end { self.fill(receive) } else { Ok(()) }
    }

    /// Receives more into the buffer, which is not full.
    fn fill(
        &mut self,
        receive: &mut impl FnMut(&mut [u8]) -> io::Result<usize>,
    ) -> Result<(), Error> {
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        let room = self.buffer.get_mut(self.end..).unwrap_or_default();
        self.end += receive(room).map_err(lost)?;
        Ok(())
    }
}

fn length(length: u32) -> Result<usize, Error> {
    usize::try_from(length).map_err(|_| malformed("length of compressed payload"))
}

#[cold]
fn malformed(field: &'static str) -> Error {
    Malformed::new("CompressedPacket", field).into()
}

#[cold]
fn corrupt() -> Error {
    malformed("compressed payload")
}

#[cold]
fn lost(error: io::Error) -> Error {
    Error::lost(error, false)
}
