//! Compression between packets and transport: how it is chosen, and both directions of it.

mod codec;
mod inward;
mod outward;
#[cfg(test)]
mod tests;

use std::io;

use vaquita_protocol::Capabilities;

pub(crate) use codec::ZSTD_COMPRESSION_LEVEL;
pub(crate) use inward::OUT_OF_SEQUENCE;

use crate::error::Error;
use crate::transport::Transport;
use inward::Inward;
use outward::Outward;

/// A way to compress what goes between client and server.
///
/// <https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_basic_compression.html>
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompressionAlgorithm {
    /// Deflate; every server has it.
    Zlib,
    /// Zstandard; MySQL from 8.0.18 on has it.
    Zstd,
}

impl CompressionAlgorithm {
    const ALL: [Self; 2] = [Self::Zlib, Self::Zstd];

    /// The algorithms of a list with commas, in its order: `zstd,zlib`. `None`: it names another one, or the same one twice, or none.
    pub fn parse_list(list: &[u8]) -> Option<Vec<Self>> {
        let mut algorithms = Vec::new();
        for name in list.split(|byte| *byte == b',') {
            let name = name.trim_ascii();
            let is_named = |it: &Self| name.eq_ignore_ascii_case(it.name().as_bytes());
            let algorithm = Self::ALL.into_iter().find(is_named)?;
            if algorithms.contains(&algorithm) {
                return None;
            }
            algorithms.push(algorithm);
        }
        Some(algorithms)
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Zlib => "zlib",
            Self::Zstd => "zstd",
        }
    }

    /// The flag by which a server offers it and a client chooses it. A client sets one of them: of two, servers take zlib.
    pub(crate) const fn capability(self) -> Capabilities {
        match self {
            Self::Zlib => Capabilities::COMPRESS,
            Self::Zstd => Capabilities::ZSTD_COMPRESSION,
        }
    }

    /// What both sides agreed upon.
    pub(crate) fn agreed(capabilities: Capabilities) -> Option<Self> {
        Self::ALL.into_iter().find(|it| capabilities.contains(it.capability()))
    }
}

/// The compression of a connection.
pub(crate) struct Compression {
    inward: Inward,
    outward: Outward,
    /// The id of the next compressed packet in either direction.
    sequence_id: u8,
    /// Whether what was sent in this exchange took several compressed packets.
    has_sent_several: bool,
}

impl Compression {
    /// Compression that begins now.
    ///
    /// # Errors
    /// There is no memory for it.
    pub(crate) fn new(algorithm: CompressionAlgorithm) -> Result<Self, Error> {
        Ok(Compression {
            inward: Inward::new(algorithm)?,
            outward: Outward::new(algorithm),
            sequence_id: 0,
            has_sent_several: false,
        })
    }

    /// The id of the next compressed packet in either direction.
    pub(crate) fn sequence_id(&self) -> u8 {
        self.sequence_id
    }

    /// The next packet received is the first of the reply to a command: the one with this id.
    pub(crate) fn expect_reply(&mut self, sequence_id: u8) {
        self.sequence_id = sequence_id;
    }

    /// The next packet, in either direction, begins an exchange.
    pub(crate) fn begin_exchange(&mut self) {
        self.sequence_id = 0;
        self.has_sent_several = false;
    }

    /// Whether a server that refuses what it has not read to its end counts otherwise than we do.
    pub(crate) fn may_be_out_of_step(&self) -> bool {
        self.has_sent_several
    }

    /// From now on takes packets with any id: the connection is given up, and what is left to read are the server's reasons.
    pub(crate) fn ignore_ids(&mut self) {
        self.inward.ignore_ids();
    }

    /// Whether nothing was received that has not been read.
    pub(crate) fn is_empty(&self) -> bool {
        self.inward.is_empty()
    }

    /// Reads at least one plain byte into `room`, which is not empty.
    ///
    /// # Errors
    /// The transport's, or a packet is malformed. One that is [`OUT_OF_SEQUENCE`] stays unread.
    pub(crate) fn read(
        &mut self,
        transport: &mut Transport,
        room: &mut [u8],
    ) -> Result<usize, Error> {
        self.inward.read(&mut self.sequence_id, room, |buffer| transport.read(buffer))
    }

    /// Does as [`Compression::read`] with what was received already.
    ///
    /// # Errors
    /// It does not suffice, or a packet is malformed.
    pub(crate) fn read_received(&mut self, room: &mut [u8]) -> Result<usize, Error> {
        let receive_nothing = |_: &mut [u8]| Err(io::ErrorKind::WouldBlock.into());
        self.inward.read(&mut self.sequence_id, room, receive_nothing)
    }

    /// Writes two pieces, one behind the other.
    ///
    /// # Errors
    /// The transport's, and whether nothing was sent.
    pub(crate) fn write(
        &mut self,
        transport: &mut Transport,
        pieces: [&[u8]; 2],
    ) -> Result<(), Error> {
        self.outward.write(&mut self.sequence_id, pieces, |slices| transport.write(slices))?;
        self.has_sent_several |= self.sequence_id > 1;
        Ok(())
    }
}
