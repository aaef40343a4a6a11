//! Slow replies: what their statements were, found only once they were slow.
//!
//! A command stays where it was put together for sending until the next one is. So whoever only counts pays for a look at that only where a reply was
//! slow. What would overwrite it before, such as a local file's data, has it kept aside.

use std::collections::HashMap;

use super::Clock;
use crate::tokens::Dialect;
use crate::waits::{Observer, SLOW_NS, SlowReply};

/// How much of a statement's text is kept; what comes behind is not told.
pub(super) const MAX_STATEMENT_BYTES: usize = 16 << 10;

/// How many prepared statements are known by their ids; the texts of others are not told.
const MAX_PREPARED: usize = 1 << 14;

/// How long all of their texts together may be.
const MAX_PREPARED_BYTES: usize = 1 << 20;

/// The id of the statement that was prepared last (MariaDB).
const LAST_PREPARED: u32 = u32::MAX;

/// How many bytes of a packet stand before its payload.
const HEADER_BYTES: usize = 4;

/// Where the command under way is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Sent {
    /// Nobody knows.
    Unknown,
    /// Where the last packet was put together. So the server reads it.
    Out(Dialect),
    /// It was kept aside.
    Aside(Dialect),
}

/// The texts of prepared statements by their ids.
#[derive(Debug, Default)]
pub(super) struct Prepared {
    texts: HashMap<u32, Box<[u8]>>,
    bytes: usize,
    last: Option<u32>,
}

impl Prepared {
    pub(super) fn add(&mut self, id: u32, text: &[u8]) {
        self.remove(id);
        let text = text.get(..MAX_STATEMENT_BYTES).unwrap_or(text);
        if self.texts.len() < MAX_PREPARED && self.bytes + text.len() <= MAX_PREPARED_BYTES {
            self.bytes += text.len();
            self.texts.insert(id, text.into());
        }
        self.last = Some(id);
    }

    pub(super) fn remove(&mut self, id: u32) {
        self.bytes -= self.texts.remove(&id).map_or(0, |text| text.len());
    }

    /// Forgets the statement that a command's body begins with the id of.
    pub(super) fn remove_of(&mut self, body: &[u8]) {
        if let Some(id) = body.first_chunk() {
            self.remove(u32::from_le_bytes(*id));
        }
    }

    /// The text of the statement that a command's body begins with the id of.
    pub(super) fn of(&self, body: &[u8]) -> Option<&[u8]> {
        let id = match u32::from_le_bytes(*body.first_chunk()?) {
            LAST_PREPARED => self.last?,
            id => id,
        };
        self.texts.get(&id).map(|text| &**text)
    }
}

impl Clock {
    /// The command under way was put together there, and so the server reads its statement.
    #[inline]
    pub(crate) fn sent_in(&mut self, dialect: Dialect) {
        self.sent = Sent::Out(dialect);
    }

    /// The command under way was sent a while ago: nobody knows where it stands.
    pub(crate) fn sent_before(&mut self) {
        self.sent = Sent::Unknown;
    }

    /// What the command under way was put together in is needed for something else.
    pub(crate) fn keep_aside(&mut self, out: &[u8]) {
        let Sent::Out(dialect) = self.sent else { return };
        self.sent = Sent::Unknown;
        // Of others there might be a password in it.
        if self.observer.is_some() && self.begun != 0 && matches!(self.command, 0x03 | 0x17 | 0x1C)
        {
            self.aside.clear();
            self.aside.extend_from_slice(out);
            self.sent = Sent::Aside(dialect);
        }
    }

    /// Tells of a reply that took so long, if its statement is known.
    #[cold]
    pub(super) fn tell_slow(&self, observer: &'static dyn Observer, took_ns: u64, out: &[u8]) {
        let (sent, dialect) = match self.sent {
            Sent::Unknown => return,
            Sent::Out(dialect) => (out, dialect),
            Sent::Aside(dialect) => (&*self.aside, dialect),
        };
        let Some((code, body)) = sent.get(HEADER_BYTES..).and_then(<[u8]>::split_first) else {
            return;
        };
        let statement = match *code {
            0x03 => Some(body),
            0x17 | 0x1C => self.prepared.of(body),
            _ => None,
        };
        if let Some(statement) = statement.filter(|_| *code == self.command) {
            observer.replied_slowly(SlowReply { took_ns, statement, dialect });
        }
    }

    /// Whether a reply that took so long is slow.
    #[inline]
    pub(super) fn is_slow(took_ns: u64) -> bool {
        took_ns >= SLOW_NS
    }
}
