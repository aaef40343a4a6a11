//! What a client sends, put into compressed packets.

use std::io::IoSlice;

use vaquita_protocol::CompressedPacketHeader;
use vaquita_protocol::compressed_packet_header::{
    COMPRESSED_PACKET_HEADER_BYTES, MAX_COMPRESSED_PACKET_PAYLOAD_BYTES, MIN_COMPRESS_LENGTH,
};

use super::CompressionAlgorithm;
use super::codec::Encoder;
use crate::error::Error;

/// How much room for compressed bytes is kept from one packet to the next.
const KEPT_BYTES: usize = 16 << 10;

/// Plain bytes in, compressed packets out.
pub(crate) struct Outward {
    algorithm: CompressionAlgorithm,
    /// Made when first needed: small commands need none.
    encoder: Option<Encoder>,
    /// A header and what follows it.
    out: Vec<u8>,
}

impl Outward {
    pub(super) fn new(algorithm: CompressionAlgorithm) -> Self {
        Outward { algorithm, encoder: None, out: Vec::new() }
    }

    /// Sends two pieces, one behind the other, in as many packets as are needed.
    ///
    /// # Errors
    /// `send` failed, or there is no memory for a compressor; and whether nothing was sent.
    pub(super) fn write(
        &mut self,
        sequence_id: &mut u8,
        pieces: [&[u8]; 2],
        mut send: impl FnMut(&mut [IoSlice<'_>]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let [mut first, mut last] = pieces;
        let mut nothing_sent = true;
        while !(first.is_empty() && last.is_empty()) {
            // Not in shorter ones: MySQL 8.0 copies what it has of a long statement with each that arrives.
            let (head, first_rest) = split(first, MAX_COMPRESSED_PACKET_PAYLOAD_BYTES);
            let room = MAX_COMPRESSED_PACKET_PAYLOAD_BYTES - head.len();
            let (tail, last_rest) = split(last, room);
            let sent = self.write_packet(sequence_id, [head, tail], &mut send);
            sent.map_err(|error| error.after_partial_write(nothing_sent))?;
            nothing_sent = false;
            (first, last) = (first_rest, last_rest);
        }
        Ok(())
    }

    fn write_packet(
        &mut self,
        sequence_id: &mut u8,
        pieces: [&[u8]; 2],
        send: &mut impl FnMut(&mut [IoSlice<'_>]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let [first, last] = pieces;
        let length = first.len() + last.len();
        let is_compressed = length >= MIN_COMPRESS_LENGTH && self.compress(pieces, length)?;
        let compressed = self.out.len().saturating_sub(COMPRESSED_PACKET_HEADER_BYTES);
        let (compressed, uncompressed) =
            if is_compressed { (compressed, length) } else { (length, 0) };
        let header = CompressedPacketHeader {
            compressed_length: u32::try_from(compressed).map_err(|_| Error::TooLarge)?,
            sequence_id: *sequence_id,
            uncompressed_length: u32::try_from(uncompressed).map_err(|_| Error::TooLarge)?,
        };
        *sequence_id = sequence_id.wrapping_add(1);
        if !is_compressed {
            let header = header.encode();
            return send(&mut [IoSlice::new(&header), IoSlice::new(first), IoSlice::new(last)]);
        }
        if let Some(room) = self.out.first_chunk_mut() {
            *room = header.encode();
        }
        let sent = send(&mut [IoSlice::new(&self.out)]);
        self.out.clear();
        self.out.shrink_to(KEPT_BYTES);
        sent
    }

    /// Compresses into `out`, behind the room for a header; `false`: it would not be shorter.
    fn compress(&mut self, pieces: [&[u8]; 2], length: usize) -> Result<bool, Error> {
        self.out.clear();
        self.out.extend_from_slice(&[0; COMPRESSED_PACKET_HEADER_BYTES]);
        let encoder = match &mut self.encoder {
            Some(encoder) => encoder,
            none => none.insert(Encoder::new(self.algorithm)?),
        };
        encoder.encode(pieces, &mut self.out, COMPRESSED_PACKET_HEADER_BYTES + length - 1)
    }
}

/// The first `length` bytes and the rest.
fn split(bytes: &[u8], length: usize) -> (&[u8], &[u8]) {
    bytes.split_at_checked(length).unwrap_or((bytes, &[]))
}
