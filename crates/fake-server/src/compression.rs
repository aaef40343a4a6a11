//! What the packets of a script become on a compressed connection.

use std::io::{self, Read, Write};

use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use vaquita_protocol::compressed_packet_header::{
    COMPRESSED_PACKET_HEADER_BYTES, MAX_COMPRESSED_PACKET_PAYLOAD_BYTES,
};
use vaquita_protocol::{Capabilities, CompressedPacketHeader};

/// How a server compresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// It offers zlib, and sends compressed packets whose payloads are as they were, of at most so many bytes.
    Stored(usize),
    /// zlib.
    Zlib,
    /// Zstandard.
    Zstd,
}

impl Compression {
    /// The flag that offers it.
    pub const fn capability(self) -> Capabilities {
        match self {
            Compression::Stored(_) | Compression::Zlib => Capabilities::COMPRESS,
            Compression::Zstd => Capabilities::ZSTD_COMPRESSION,
        }
    }

    /// The longest payload before compression.
    const fn max_payload_bytes(self) -> usize {
        match self {
            Compression::Stored(bytes) => bytes,
            Compression::Zlib | Compression::Zstd => MAX_COMPRESSED_PACKET_PAYLOAD_BYTES,
        }
    }

    /// One compressed packet.
    ///
    /// # Errors
    /// The payload is too long.
    pub fn packet(self, sequence_id: u8, plain: &[u8]) -> io::Result<Vec<u8>> {
        let length = |length: usize| u32::try_from(length).map_err(io::Error::other);
        let (payload, uncompressed_length) = match self {
            Compression::Stored(_) => (plain.to_vec(), 0),
            _ => (self.compress(plain)?, length(plain.len())?),
        };
        let header = CompressedPacketHeader {
            compressed_length: length(payload.len())?,
            sequence_id,
            uncompressed_length,
        };
        Ok([&header.encode(), &payload[..]].concat())
    }

    fn compress(self, plain: &[u8]) -> io::Result<Vec<u8>> {
        if self == Compression::Zstd {
            let mut out = Vec::with_capacity(zstd_safe::compress_bound(plain.len()));
            let level = zstd_safe::CLEVEL_DEFAULT;
            return match zstd_safe::compress(&mut out, plain, level) {
                Ok(_) => Ok(out),
                Err(code) => Err(io::Error::other(zstd_safe::get_error_name(code))),
            };
        }
        let mut encoder = ZlibEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(plain)?;
        encoder.finish()
    }

    fn decompress(self, payload: &[u8], length: usize) -> io::Result<Vec<u8>> {
        if self == Compression::Zstd {
            let mut out = Vec::with_capacity(length);
            return match zstd_safe::decompress(&mut out, payload) {
                Ok(_) => Ok(out),
                Err(code) => Err(io::Error::other(zstd_safe::get_error_name(code))),
            };
        }
        let mut out = Vec::new();
        ZlibDecoder::new(payload).read_to_end(&mut out)?;
        Ok(out)
    }
}

/// A connection that is compressed from now on.
pub(crate) struct Compressed {
    how: Compression,
    /// The id of the next compressed packet in either direction.
    pub(crate) sequence_id: u8,
    /// What is to be sent, before compression.
    unsent: Vec<u8>,
    /// What was received, after decompression, and is no whole packet yet.
    received: Vec<u8>,
}

impl Compressed {
    pub(crate) fn new(how: Compression) -> Self {
        Compressed { how, sequence_id: 0, unsent: Vec::new(), received: Vec::new() }
    }

    /// Keeps bytes until they are [taken](Self::take_packets).
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.unsent.extend_from_slice(bytes);
    }

    /// All that was pushed, in compressed packets.
    pub(crate) fn take_packets(&mut self) -> io::Result<Vec<u8>> {
        let unsent = std::mem::take(&mut self.unsent);
        let mut packets = Vec::new();
        for plain in unsent.chunks(self.how.max_payload_bytes()) {
            packets.extend(self.how.packet(self.sequence_id, plain)?);
            self.sequence_id = self.sequence_id.wrapping_add(1);
        }
        Ok(packets)
    }

    /// Receives compressed packets until `length` bytes have come out of them, and gives these.
    pub(crate) fn receive(&mut self, from: &mut impl Read, length: usize) -> io::Result<Vec<u8>> {
        while self.received.len() < length {
            let mut header = [0; COMPRESSED_PACKET_HEADER_BYTES];
            from.read_exact(&mut header)?;
            let header = CompressedPacketHeader::parse(header);
            let mut payload = Vec::new();
            let read = from.take(header.compressed_length.into()).read_to_end(&mut payload)?;
            if u32::try_from(read) != Ok(header.compressed_length) {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            self.received.extend(match usize::try_from(header.uncompressed_length) {
                Ok(length) if length > 0 => self.how.decompress(&payload, length)?,
                _ => payload,
            });
            self.sequence_id = header.sequence_id.wrapping_add(1);
        }
        Ok(self.received.drain(..length).collect())
    }
}
