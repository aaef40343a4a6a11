//! What was agreed upon with the server that this thread connected to last, for `phpinfo()`.

use core::cell::RefCell;
use core::fmt::{self, Display};
use vaquita_client::{Address, Agreed, Capabilities, CompressionAlgorithm, Connection, TlsSession};

thread_local! {
    static LAST: RefCell<Option<LastConnection>> = const { RefCell::new(None) };
}

/// A connection that was made.
pub(crate) struct LastConnection {
    is_unix: bool,
    agreed: Agreed,
}

/// What a server may have, in the words of its documentation.
const FEATURES: [(Capabilities, &str); 8] = [
    (Capabilities::DEPRECATE_EOF, "DEPRECATE_EOF"),
    (Capabilities::SESSION_TRACK, "SESSION_TRACK"),
    (Capabilities::CONNECT_ATTRS, "CONNECT_ATTRS"),
    (Capabilities::PLUGIN_AUTH, "PLUGIN_AUTH"),
    (Capabilities::MULTI_STATEMENTS, "MULTI_STATEMENTS"),
    (Capabilities::LOCAL_FILES, "LOCAL_FILES"),
    (Capabilities::FOUND_ROWS, "FOUND_ROWS"),
    (Capabilities::CAN_HANDLE_EXPIRED_PASSWORDS, "CAN_HANDLE_EXPIRED_PASSWORDS"),
];

impl LastConnection {
    /// Notes one that has just been made.
    pub(super) fn note(connection: &mut Connection) {
        LAST.set(Some(LastConnection {
            is_unix: matches!(connection.address(), Address::Unix(_)),
            agreed: connection.agreed(),
        }));
    }

    /// Looks at the last one, if there was any.
    pub(crate) fn look<R>(look: impl FnOnce(&LastConnection) -> R) -> Option<R> {
        LAST.with_borrow(|last| last.as_ref().map(look))
    }

    /// The server, in its own words, and the way to it.
    pub(crate) fn server(&self) -> impl Display {
        let way = if self.is_unix { "unix socket" } else { "TCP" };
        fmt::from_fn(move |to| write!(to, "{} by {way}", self.agreed.server_version.escape_ascii()))
    }

    /// How it is encrypted.
    pub(crate) fn tls(&self) -> impl Display {
        fmt::from_fn(|to| match self.agreed.tls {
            None => to.write_str("none"),
            Some(TlsSession { version, cipher, is_verified }) => {
                let verified = if is_verified { "verified" } else { "not verified" };
                write!(to, "{version}, {cipher}, server {verified}")
            }
        })
    }

    /// How it is compressed.
    pub(crate) fn compression(&self) -> impl Display {
        match self.agreed.compression {
            None => "none",
            Some(CompressionAlgorithm::Zlib) => "zlib",
            Some(CompressionAlgorithm::Zstd) => "zstd",
        }
    }

    /// What both sides have of what some have not.
    pub(crate) fn features(&self) -> impl Display {
        fmt::from_fn(|to| {
            let has = |(capability, _): &&(Capabilities, _)| {
                self.agreed.capabilities.contains(*capability)
            };
            for (place, (_, name)) in FEATURES.iter().filter(has).enumerate() {
                write!(to, "{}{name}", if place > 0 { ", " } else { "" })?;
            }
            Ok(())
        })
    }
}
