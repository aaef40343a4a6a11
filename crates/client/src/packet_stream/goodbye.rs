//! What a server says as it goes, without having been asked or without having listened to the end.

use std::io;

use vaquita_protocol::packet_header::PACKET_HEADER_BYTES;
use vaquita_protocol::reader::{chunk_at, span};
use vaquita_protocol::{ErrPacket, PacketHeader};

use super::PacketStream;
use crate::compression::OUT_OF_SEQUENCE;
use crate::error::{Error, Goodbye};

/// The longest goodbye of a server: the texts of errors have at most 512 bytes
/// (<https://dev.mysql.com/doc/c-api/8.0/en/mysql-error.html>).
const MAX_GOODBYE_BYTES: usize = 1 << 10;

/// The sequence id of a reply's first packet, behind a command of one.
const FIRST_OF_REPLY: u8 = 1;

impl PacketStream {
    /// What a packet out of sequence says if it is a goodbye: a server that gives up an idle connection tells why before it closes,
    /// with sequence id 0 because it answers nothing.
    #[cold]
    pub(super) fn goodbye(&mut self, header: PacketHeader) -> Option<Error> {
        if header.sequence_id != 0 {
            return None;
        }
        // It is no reply to what was sent to a server that had gone already.
        if self.sequence_id == FIRST_OF_REPLY {
            self.clock.expect_reply();
        }
        self.goodbye_with_any_id(header)
    }

    #[cold]
    fn goodbye_with_any_id(&mut self, header: PacketHeader) -> Option<Error> {
        let goodbye = Goodbye::new(&self.short_err_packet(header)?);
        Some(Error::lost(io::Error::other(goodbye), false))
    }

    /// The ERR packet of this header, if it is one and no longer than a goodbye.
    #[cold]
    fn short_err_packet(&mut self, header: PacketHeader) -> Option<ErrPacket<'_>> {
        let length = usize::try_from(header.payload_length).ok()?;
        if length > MAX_GOODBYE_BYTES {
            return None;
        }
        self.fill(PACKET_HEADER_BYTES + length).ok()?;
        let start = self.start + PACKET_HEADER_BYTES;
        ErrPacket::parse(span(&self.buffer, start, start + length)).ok()
    }

    /// Passes an error on; but a compressed packet out of sequence may be a goodbye, and then it is that which is passed on: also
    /// that of a server which refuses a command that it has not read to its end, and counts from where it stopped.
    #[cold]
    pub(super) fn hear_goodbye(&mut self, error: Error) -> Result<usize, Error> {
        if self.start == self.end
            && matches!(error, Error::Malformed(OUT_OF_SEQUENCE))
            && let Some(compression) = &mut self.compression
        {
            compression.ignore_ids();
            let may_be_refusal = compression.may_be_out_of_step();
            let goodbye = self.next_header().and_then(|header| match may_be_refusal {
                true => self.goodbye_with_any_id(header),
                false => self.goodbye(header),
            });
            return Err(goodbye.unwrap_or(error));
        }
        Err(error)
    }

    /// What a server has said without having been asked, if it is a goodbye and all of it is here: nobody waits for the rest.
    #[cold]
    pub(super) fn unasked_goodbye(&mut self) -> Option<Error> {
        self.compact();
        if let Some(compression) = &mut self.compression {
            compression.ignore_ids();
            let most = PACKET_HEADER_BYTES + MAX_GOODBYE_BYTES;
            while self.end < most
                && let Ok(read) =
                    compression.read_received(self.buffer.room(self.end, most - self.end))
            {
                self.end += read;
                self.buffer.grow_to(self.end);
            }
        }
        let received = self.end - self.start;
        let header = chunk_at(&self.buffer, self.start).map(PacketHeader::parse)?;
        let length = usize::try_from(header.payload_length).ok()?;
        let is_here = received >= PACKET_HEADER_BYTES && received - PACKET_HEADER_BYTES >= length;
        if is_here { self.goodbye(header) } else { None }
    }

    /// What an ERR packet says that stands there although something was being written, if the server has closed; else `error`.
    ///
    /// So a server answers what it will not take: it closes without reading all of it, and that is what the writer notices.
    #[cold]
    pub(crate) fn last_words(&mut self, error: Error) -> Error {
        let has_closed = matches!(&error, Error::Io { error, .. }
            if matches!(error.kind(), io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset));
        // Of a server that has closed, reading never waits.
        if has_closed { self.refusal().unwrap_or(error) } else { error }
    }

    /// The ERR packet that comes next, whatever its sequence id: the server did not know how far the client would get.
    fn refusal(&mut self) -> Option<Error> {
        if let Some(compression) = &mut self.compression {
            compression.ignore_ids();
        }
        let header = self.next_header()?;
        if header.sequence_id == 0 {
            return self.goodbye(header);
        }
        self.short_err_packet(header).map(|packet| Error::server(&packet))
    }

    /// Receives the header that comes next and leaves it there.
    #[cold]
    fn next_header(&mut self) -> Option<PacketHeader> {
        self.fill(PACKET_HEADER_BYTES).ok()?;
        chunk_at(&self.buffer, self.start).map(PacketHeader::parse)
    }
}
