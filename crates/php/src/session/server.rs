//! What a session's server says of itself, and what depends on how it reads.

use super::Session;
use super::connecting::GIVEN_HOST;
use crate::zend::slot::Slot;
use crate::zend::string::Str;
use vaquita_client::{Address, Connection, Dialect};

/// For so much text memory is kept.
const MAX_KEPT_BYTES: usize = 4 << 10;

impl Session {
    /// `text` escaped for a string literal of this connection; `None`: there is none, which is recorded.
    pub(crate) fn escape(&self, text: &[u8]) -> Option<Str> {
        if self.is_new() {
            // Of a connection that is dead the next command tells.
            self.adjust(|connection| drop(connection.await_session()));
        }
        let escaped = self.scratch.with(|scratch| {
            scratch.clear();
            self.look(|connection| connection.escape_into(text, scratch))
        });
        if !matches!(escaped, Ok(Some(()))) {
            self.error.set_absence();
            return None;
        }
        let string = self.scratch.peek(|scratch| Str::new(scratch)).ok();
        let _ = self.scratch.with(|scratch| {
            scratch.clear();
            scratch.shrink_to(MAX_KEPT_BYTES);
        });
        string
    }

    /// How the server reads statements; `None`: there is no connection.
    pub(crate) fn dialect(&self) -> Option<Dialect> {
        if self.is_new() {
            // Of a connection that is dead the next command tells.
            self.adjust(|connection| drop(connection.await_session()));
        }
        self.look(|connection| connection.session().dialect())
    }

    /// What the server tells of itself; `None`: the error is recorded.
    pub(crate) fn statistics(&self) -> Option<Str> {
        let text = self.drive(Connection::statistics).ok()?;
        Some(self.text(text))
    }

    /// A text of the driver's as one of PHP's.
    pub(super) fn text(&self, text: Vec<u8>) -> Str {
        let _ = self.scratch.with(|scratch| *scratch = text);
        let string = self.scratch.peek(|scratch| Str::new(scratch));
        let _ = self.scratch.with(|scratch| *scratch = Vec::new());
        string.unwrap_or_else(|_| Str::new(b""))
    }

    /// Writes which way the server was reached.
    pub(crate) fn write_host_info(&self, slot: Slot<'_>) {
        let text = self.look(|connection| match connection.address() {
            Address::Tcp { host, .. } => {
                let host = connection.attribute(GIVEN_HOST).unwrap_or(host.as_bytes());
                Str::concat(&[host, b" via TCP/IP"])
            }
            Address::Unix(_) => Str::new(b"Localhost via UNIX socket"),
        });
        slot.str(text.unwrap_or_else(|| Str::new(b"")));
    }

    /// Writes the server's version.
    pub(crate) fn write_server_info(&self, slot: Slot<'_>) {
        let version = self.look(|connection| Str::new(connection.server_version()));
        slot.str(version.unwrap_or_else(|| Str::new(b"")));
    }
}
