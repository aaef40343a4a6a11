//! What a connection is made with.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use vaquita_protocol::{Capabilities, Charset};

use crate::compression::CompressionAlgorithm;
use crate::host_links::HostLimit;
use crate::password::Password;
use crate::tls::TlsOptions;
use crate::waits::Observer;

/// Where a server listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// TCP.
    Tcp {
        /// A name or an address; IPv6 without brackets.
        host: String,
        /// The port.
        port: u16,
    },
    /// A unix socket.
    Unix(PathBuf),
}

/// Who gets a password in clear text, if a server asks for it (`mysql_clear_password`).
///
/// Where another plugin needs the password itself, as caching_sha2_password and sha256_password sometimes do, this says nothing:
/// they protect it themselves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CleartextPassword {
    /// A server that is known to be the right one: over TLS with a verified certificate and name
    /// ([`crate::Verify::Identity`]), or over a unix socket.
    #[default]
    Secure,
    /// Nobody.
    Off,
}

/// What a connection is made with.
///
/// Of its times, one that no clock reaches (`Duration::MAX`) is no limit, and less than a millisecond is one.
#[derive(Clone, PartialEq, Eq)]
pub struct ConnectOptions {
    /// Where the server listens.
    pub address: Address,
    /// The user's name.
    pub user: Vec<u8>,
    /// The user's password; never shown.
    pub password: Password,
    /// The database to begin with.
    pub database: Option<Vec<u8>>,
    /// The connection's character set; `None` for that of the server's greeting.
    pub charset: Option<&'static Charset>,
    /// Flags to ask for besides the usual ones, such as [`Capabilities::FOUND_ROWS`]; each is sent only if the server offers it.
    pub capabilities: Capabilities,
    /// The ways to compress, best first: the first one that the server offers is used from the end of authentication on. If there is
    /// none, nothing is compressed.
    pub compression: Vec<CompressionAlgorithm>,
    /// How long connecting may take in all, from looking up a name to the end of authentication. A name is looked up in a thread then.
    pub connect_timeout: Option<Duration>,
    /// How long each read may take once connected.
    pub read_timeout: Option<Duration>,
    /// How long each write may take once connected.
    pub write_timeout: Option<Duration>,
    /// How long a query may take; see [`crate::Connection::set_query_timeout`].
    pub query_timeout: Option<Duration>,
    /// Statements to run once connected; their results are dropped. `connect_timeout` does not count for them: each may take
    /// `read_timeout` in all.
    pub init_commands: Vec<Vec<u8>>,
    /// The server's RSA key in PEM, if it is known beforehand: then no other is used, whatever a server sends. Over TLS none is used at all,
    /// so there it protects nothing; [`crate::Verify::Identity`] does.
    pub server_public_key: Option<Vec<u8>>,
    /// TLS; `None` for plain text. Asked for, it is never done without.
    pub tls: Option<TlsOptions>,
    /// Who gets the password in clear text.
    pub cleartext_password: CleartextPassword,
    /// Connection attributes, sent in this order after `_client_name`.
    pub attributes: Vec<(Vec<u8>, Vec<u8>)>,
    /// How many connections to this address this machine may have; `None`: any number, and this one does not count.
    pub host_limit: Option<HostLimit>,
    /// Whether it is to be handed on ([`crate::Connection::release`]): of one that is, each statement is looked at for what it may leave.
    pub is_persistent: bool,
    /// How many statements that were closed are kept at the most for whoever prepares the same text again, which costs no round trip then.
    /// They are kept only where nobody can tell the difference, and the server tells of its session. 0: none.
    pub statement_cache: usize,
    /// Whether the server is to tell of changes of its session that statements don't show (`session_track_state_change`), from the beginning on:
    /// temporary tables that a trigger or a function makes. [`crate::Session::state_changes`] counts them. A server that can't, does not.
    pub tracks_changes: bool,
    /// Who is told of its replies and waits.
    pub observer: Watched,
}

/// Who is told of a connection's replies and waits, if anybody is. With another one it is the same connection.
#[derive(Clone, Copy, Debug, Default)]
pub struct Watched(pub Option<&'static dyn Observer>);

impl PartialEq for Watched {
    fn eq(&self, _: &Watched) -> bool {
        true
    }
}

impl Eq for Watched {}

impl ConnectOptions {
    /// Options with nothing but an address.
    pub fn new(address: Address) -> Self {
        ConnectOptions {
            address,
            user: Vec::new(),
            password: Password::empty(),
            database: None,
            charset: None,
            capabilities: Capabilities::NONE,
            compression: Vec::new(),
            connect_timeout: None,
            read_timeout: None,
            write_timeout: None,
            query_timeout: None,
            init_commands: Vec::new(),
            server_public_key: None,
            tls: None,
            cleartext_password: CleartextPassword::default(),
            attributes: Vec::new(),
            host_limit: None,
            is_persistent: false,
            statement_cache: 0,
            tracks_changes: false,
            observer: Watched::default(),
        }
    }

    /// Whether a connection made with these options can be one made with the others, given that the password is the same: the database, the
    /// character set and the query timeout can be set later.
    pub(crate) fn is_same_session(&self, other: &ConnectOptions) -> bool {
        let ConnectOptions {
            address,
            user,
            password: _,
            database: _,
            charset: _,
            capabilities,
            compression,
            connect_timeout,
            read_timeout,
            write_timeout,
            query_timeout: _,
            init_commands,
            server_public_key,
            tls,
            cleartext_password,
            attributes,
            host_limit,
            is_persistent,
            statement_cache,
            tracks_changes,
            observer: _,
        } = self;
        *address == other.address
            && *user == other.user
            && *capabilities == other.capabilities
            && *compression == other.compression
            && *connect_timeout == other.connect_timeout
            && *read_timeout == other.read_timeout
            && *write_timeout == other.write_timeout
            && *init_commands == other.init_commands
            && *server_public_key == other.server_public_key
            && *tls == other.tls
            && *cleartext_password == other.cleartext_password
            && *attributes == other.attributes
            && *host_limit == other.host_limit
            && *is_persistent == other.is_persistent
            && *statement_cache == other.statement_cache
            && *tracks_changes == other.tracks_changes
    }
}

impl fmt::Debug for ConnectOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConnectOptions")
            .field("address", &self.address)
            .field("user", &String::from_utf8_lossy(&self.user))
            .field("database", &self.database.as_deref().map(String::from_utf8_lossy))
            .field("charset", &self.charset.map(|charset| charset.name))
            .field("capabilities", &self.capabilities)
            .field("compression", &self.compression)
            .field("connect_timeout", &self.connect_timeout)
            .field("read_timeout", &self.read_timeout)
            .field("write_timeout", &self.write_timeout)
            .field("query_timeout", &self.query_timeout)
            .field("tls", &self.tls)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_shows_no_password() {
        let mut options = ConnectOptions::new(Address::Unix("/run/server.sock".into()));
        options.user = b"root".to_vec();
        options.password = b"hunter2".into();
        options.init_commands = vec![b"SET PASSWORD = 'hunter2'".to_vec()];
        let shown = format!("{options:?}");
        assert!(shown.contains("root") && !shown.contains("hunter2"), "{shown}");
    }
}
