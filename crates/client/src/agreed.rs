//! What both sides of a connection agreed upon, for people to read.

use vaquita_protocol::Capabilities;

use crate::compression::CompressionAlgorithm;
use crate::connection::Connection;

/// How a connection is encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TlsSession {
    /// Such as `TLSv1_3`.
    pub version: &'static str,
    /// Such as `TLS13_AES_256_GCM_SHA384`.
    pub cipher: &'static str,
    /// Whether the server's certificate was verified, and that it is for the host that was meant.
    pub is_verified: bool,
}

/// What both sides agreed upon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agreed {
    /// The server's version, in its own words.
    pub server_version: Vec<u8>,
    /// `None`: in plain.
    pub tls: Option<TlsSession>,
    /// `None`: nothing is compressed.
    pub compression: Option<CompressionAlgorithm>,
    /// What both can do.
    pub capabilities: Capabilities,
}

impl Connection {
    /// What was agreed upon when it was made. Nobody is taken to have seen which connection this is: another may take its place still.
    pub fn agreed(&mut self) -> Agreed {
        Agreed {
            server_version: self.greeting.server_version.clone(),
            tls: self.stream.transport().tls_session(),
            compression: CompressionAlgorithm::agreed(self.capabilities),
            capabilities: self.capabilities,
        }
    }
}
