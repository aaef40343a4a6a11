//! A TLS session over a wire: records in, records out, and never more read than what answers the question.
//!
//! rustls is used without its own buffers (`UnbufferedClientConnection`), so that one system call brings several records, and
//! memory is what stands here.

use std::fmt;
use std::io::{self, IoSlice};

use rustls::client::UnbufferedClientConnection;
use rustls::unbuffered::{ConnectionState, EncodeError, EncryptError, UnbufferedStatus};
use rustls::{CertificateError, Error as TlsError};

use super::Setup;
use super::outgoing::{Outgoing, RECORD_OVERHEAD_BYTES};
use crate::agreed::TlsSession;
use crate::error::Error;
use crate::timed_wire::TimedWire;

/// Where received records stand: several of the longest, which have 16 KiB and little more
/// (<https://www.rfc-editor.org/rfc/rfc8446#section-5.2>).
const INCOMING_BYTES: usize = 64 << 10;

/// How far that may grow for the messages of a handshake, the longest of which rustls takes at 64 KiB, cut into records as the
/// server likes.
const MAX_INCOMING_BYTES: usize = 256 << 10;

/// How much may come without a byte for the client in it. Tickets, updates of keys and empty records are legal in any number, and a server
/// that sends nothing else would keep the client for ever, whatever the time-out of a read; servers send two tickets, of 64 KiB at the most.
const MAX_IDLE_BYTES: usize = MAX_INCOMING_BYTES;

/// The least room there must be for the next read: one record of the longest.
const RECORD_BYTES: usize = (16 << 10) + 2048 + 5;

/// The most plain bytes in a record.
const RECORD_PLAIN_BYTES: usize = 16 << 10;

/// How much is encrypted before it is sent.
const OUTGOING_BYTES: usize = 64 << 10;

/// A TLS session.
pub(crate) struct Session {
    connection: Box<UnbufferedClientConnection>,
    is_verified: bool,
    /// Whether the server said goodbye, which it says once; nothing comes after that.
    is_closed: bool,
    /// What went wrong. Nothing that comes after it may be looked at.
    failure: Option<String>,
    /// `start..end` was received and not yet decrypted.
    incoming: Vec<u8>,
    start: usize,
    end: usize,
    /// How much was received since the last byte for the client.
    idle_bytes: usize,
    /// Decrypted bytes that found no room, from `taken` on.
    pending: Vec<u8>,
    taken: usize,
    outgoing: Outgoing,
}

/// What a step through the session came to.
enum Step {
    /// Something was done; there may be more to do.
    Again,
    /// Nothing can be done before more is received.
    Blocked,
    /// The handshake is done, nothing that was received is left, and what there was to write is encrypted.
    Ready,
    /// The server said goodbye.
    Closed,
}

impl Session {
    /// Goes through the handshake.
    ///
    /// # Errors
    /// [`Error::Tls`]: whatever goes wrong, be it the network.
    pub(crate) fn establish(setup: Setup, wire: &mut TimedWire) -> Result<Session, Error> {
        let connection = UnbufferedClientConnection::new(setup.config, setup.name)
            .map_err(|error| Error::Tls(explain(&error)))?;
        let mut session = Session {
            connection: Box::new(connection),
            is_verified: setup.is_verified,
            is_closed: false,
            failure: None,
            incoming: vec![0; INCOMING_BYTES],
            start: 0,
            end: 0,
            idle_bytes: 0,
            pending: Vec::new(),
            taken: 0,
            outgoing: Outgoing::default(),
        };
        session.handshake(wire).map_err(|error| Error::Tls(handshake_text(&error)))?;
        Ok(session)
    }

    fn handshake(&mut self, wire: &mut TimedWire) -> io::Result<()> {
        loop {
            match self.step(wire, &mut [], None)?.0 {
                Step::Ready => return Ok(()),
                Step::Again => {}
                Step::Blocked => self.receive(wire)?,
                Step::Closed => return Err(io::ErrorKind::UnexpectedEof.into()),
            }
        }
    }

    /// Whether the server's certificate was verified, and that it is for the host that was meant.
    pub(crate) fn agreed(&self) -> TlsSession {
        let version = self.connection.protocol_version().and_then(|it| it.as_str());
        let cipher = self.connection.negotiated_cipher_suite().and_then(|it| it.suite().as_str());
        TlsSession {
            version: version.unwrap_or("unknown"),
            cipher: cipher.unwrap_or("unknown"),
            is_verified: self.is_verified,
        }
    }

    pub(crate) fn is_verified(&self) -> bool {
        self.is_verified
    }

    /// Whether something was received that nobody has read.
    pub(crate) fn has_received(&self) -> bool {
        self.start != self.end || self.taken < self.pending.len()
    }

    /// Reads at least one byte, and all that is there for one system call.
    ///
    /// # Errors
    /// As [`TimedWire::read`]; `InvalidData` for records that are none.
    pub(crate) fn read(&mut self, wire: &mut TimedWire, buffer: &mut [u8]) -> io::Result<usize> {
        let mut filled = self.take_pending(buffer);
        loop {
            let room = buffer.get_mut(filled..).unwrap_or_default();
            if room.is_empty() {
                return Ok(filled);
            }
            let (step, length) = match self.step(wire, room, None) {
                // What came before it is good; the error comes again.
                Err(_) if filled > 0 => return Ok(filled),
                stepped => stepped?,
            };
            filled += length;
            match step {
                Step::Again => {}
                _ if filled > 0 => return Ok(filled),
                Step::Ready | Step::Blocked => self.receive(wire)?,
                Step::Closed => return Err(io::ErrorKind::UnexpectedEof.into()),
            }
        }
    }

    /// Writes all bytes of all slices.
    pub(crate) fn write(
        &mut self,
        wire: &mut TimedWire,
        slices: &mut [IoSlice<'_>],
    ) -> Result<(), Error> {
        let mut nothing_sent = true;
        for slice in slices.iter() {
            for part in slice.chunks(RECORD_PLAIN_BYTES) {
                self.encrypt(wire, part).map_err(|error| Error::lost(error, nothing_sent))?;
                if self.outgoing.length + RECORD_PLAIN_BYTES > OUTGOING_BYTES {
                    let sent = self.outgoing.send(wire);
                    sent.map_err(|error| error.after_partial_write(nothing_sent))?;
                    nothing_sent = false;
                }
            }
        }
        self.outgoing.send(wire).map_err(|error| error.after_partial_write(nothing_sent))
    }

    fn encrypt(&mut self, wire: &mut TimedWire, part: &[u8]) -> io::Result<()> {
        loop {
            match self.step(wire, &mut [], Some(part))?.0 {
                Step::Ready => return Ok(()),
                Step::Again => {}
                Step::Blocked | Step::Closed => return Err(io::ErrorKind::NotConnected.into()),
            }
        }
    }

    /// Says goodbye, if that takes no time, and the server was not told already why there is none.
    pub(crate) fn close(&mut self, wire: &mut TimedWire) {
        while self.failure.is_none() {
            let incoming = self.incoming.get_mut(self.start..self.end).unwrap_or_default();
            let status = self.connection.process_tls_records(incoming);
            let discard = status.discard;
            match status.state {
                // Nobody wants it any more.
                Ok(ConnectionState::ReadTraffic(mut traffic)) => {
                    while traffic.next_record().is_some() {}
                }
                Ok(ConnectionState::WriteTraffic(mut traffic)) => {
                    let written = traffic.queue_close_notify(self.outgoing.room(0));
                    self.outgoing.length += written.unwrap_or_default();
                    break;
                }
                _ => break,
            }
            self.discard(discard);
        }
        wire.write_without_waiting(self.outgoing.bytes());
    }

    fn take_pending(&mut self, buffer: &mut [u8]) -> usize {
        let pending = self.pending.get(self.taken..).unwrap_or_default();
        let length = copy(pending, buffer);
        self.taken += length;
        if self.taken == self.pending.len() {
            self.pending.clear();
            self.taken = 0;
        }
        length
    }

    /// One step: decrypts a record into `room` (what finds none is kept), or does the next thing of a handshake, or encrypts
    /// `part`. Gives how many bytes of the room are filled.
    fn step(
        &mut self,
        wire: &mut TimedWire,
        room: &mut [u8],
        part: Option<&[u8]>,
    ) -> io::Result<(Step, usize)> {
        if let Some(failure) = &self.failure {
            return Err(broken(failure.clone()));
        }
        let incoming = self.incoming.get_mut(self.start..self.end).unwrap_or_default();
        let UnbufferedStatus { mut discard, state } = self.connection.process_tls_records(incoming);
        let mut filled = 0;
        let step = match state {
            Ok(ConnectionState::ReadTraffic(mut traffic)) => {
                while let Some(record) = traffic.next_record() {
                    let record = record.map_err(|error| broken(explain(&error)))?;
                    discard += record.discard;
                    self.idle_bytes = 0;
                    let room = room.get_mut(filled..).unwrap_or_default();
                    let length = copy(record.payload, room);
                    filled += length;
                    self.pending
                        .extend_from_slice(record.payload.get(length..).unwrap_or_default());
                }
                Step::Again
            }
            Ok(ConnectionState::EncodeTlsData(mut data)) => {
                let mut encoded = data.encode(self.outgoing.room(0));
                if let Err(EncodeError::InsufficientSize(size)) = encoded {
                    encoded = data.encode(self.outgoing.room(size.required_size));
                }
                self.outgoing.length += encoded.map_err(io::Error::other)?;
                Step::Again
            }
            Ok(ConnectionState::TransmitTlsData(data)) => {
                self.outgoing.send(wire).map_err(into_io)?;
                data.done();
                Step::Again
            }
            Ok(ConnectionState::WriteTraffic(mut traffic)) => {
                if let Some(part) = part {
                    let room = self.outgoing.room(part.len() + RECORD_OVERHEAD_BYTES);
                    let encrypted = traffic.encrypt(part, room);
                    self.outgoing.length += encrypted.map_err(|error| match error {
                        EncryptError::InsufficientSize(_) => io::ErrorKind::WriteZero.into(),
                        EncryptError::EncryptExhausted => io::Error::other(error),
                    })?;
                }
                Step::Ready
            }
            Ok(ConnectionState::BlockedHandshake) => Step::Blocked,
            Ok(_) => {
                self.is_closed = true;
                Step::Closed
            }
            Err(error) => {
                self.discard(discard);
                self.give_up(wire);
                let failure = explain(&error);
                self.failure = Some(failure.clone());
                return Err(broken(failure));
            }
        };
        self.discard(discard);
        Ok((step, filled))
    }

    fn discard(&mut self, length: usize) {
        self.start += length;
        if self.start >= self.end {
            self.start = 0;
            self.end = 0;
        }
    }

    /// Tells the server why, if that takes no time.
    fn give_up(&mut self, wire: &mut TimedWire) {
        // rustls remembers where in these bytes it stands.
        let incoming = self.incoming.get_mut(self.start..self.end).unwrap_or_default();
        if let Ok(ConnectionState::EncodeTlsData(mut data)) =
            self.connection.process_tls_records(incoming).state
        {
            let encoded = data.encode(self.outgoing.room(0));
            self.outgoing.length += encoded.unwrap_or_default();
        }
        wire.write_without_waiting(self.outgoing.bytes());
        self.outgoing.length = 0;
    }

    /// Receives more, in one system call.
    fn receive(&mut self, wire: &mut TimedWire) -> io::Result<()> {
        if self.is_closed {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if self.idle_bytes > MAX_IDLE_BYTES {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "the server sends nothing but what TLS needs for itself",
            ));
        }
        if self.incoming.len() - self.end < RECORD_BYTES {
            self.incoming.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.incoming.len() - self.end < RECORD_BYTES {
            if self.incoming.len() >= MAX_INCOMING_BYTES {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    "a message of the handshake is too long",
                ));
            }
            self.incoming.resize(self.incoming.len() * 2, 0);
        }
        let room = self.incoming.get_mut(self.end..).unwrap_or_default();
        let length = wire.read(room)?;
        self.end += length;
        self.idle_bytes += length;
        Ok(())
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("is_verified", &self.is_verified).finish_non_exhaustive()
    }
}

/// Copies as much as there is room for.
fn copy(from: &[u8], to: &mut [u8]) -> usize {
    let length = from.len().min(to.len());
    if let (Some(from), Some(to)) = (from.get(..length), to.get_mut(..length)) {
        to.copy_from_slice(from);
    }
    length
}

fn broken(reason: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason)
}

fn into_io(error: Error) -> io::Error {
    match error {
        Error::Io { error, .. } => error,
        other => io::Error::other(other),
    }
}

/// Our own reason if there is one, without rustls's words around it.
fn explain(error: &TlsError) -> String {
    match error {
        TlsError::InvalidCertificate(CertificateError::Other(reason)) => reason.0.to_string(),
        other => other.to_string(),
    }
}

fn handshake_text(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => "the server closed the connection".to_owned(),
        io::ErrorKind::TimedOut => "timed out".to_owned(),
        _ => error.to_string(),
    }
}
