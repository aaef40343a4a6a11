//! Authentication: which plugin, what it answers, and when the server is satisfied.

mod caching_sha2_password;
mod mysql_native_password;
mod rsa;
mod sha256_password;

use vaquita_protocol::auth_more_data::AUTH_MORE_DATA_HEADER;
use vaquita_protocol::auth_switch_request::AUTH_SWITCH_HEADER;
use vaquita_protocol::ok_packet::OK_HEADER;
use vaquita_protocol::reader::ERR_HEADER;
use vaquita_protocol::{
    AuthMoreData, AuthSwitchRequest, Capabilities, ErrPacket, Malformed, OkPacket, StatusFlags,
};

use crate::error::{Error, codes};
use crate::packet_stream::{MAX_CONNECTION_PHASE_BYTES, PacketStream};
use crate::transport::Privacy;

/// How many packets a server may send before it says yes or no. The longest honest exchange has four (a switch, "full
/// authentication", the key, the verdict); one to spare.
const MAX_ROUNDS: usize = 5;

/// The length of the random bytes that each plugin here hashes with the password.
const NONCE_BYTES: usize = 20;

/// A way of authentication.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Plugin {
    /// SHA-1 twice.
    Native,
    /// SHA-256 with a cache on the server.
    CachingSha2,
    /// SHA-256 without: the password itself, encrypted. MySQL 8.0 asks for it, too, in the name of users that it does not have.
    Sha256,
}

impl Plugin {
    pub(crate) fn by_name(name: &[u8]) -> Option<Self> {
        [Plugin::Native, Plugin::CachingSha2, Plugin::Sha256]
            .into_iter()
            .find(|plugin| plugin.name() == name)
    }

    pub(crate) const fn name(self) -> &'static [u8] {
        match self {
            Plugin::Native => b"mysql_native_password",
            Plugin::CachingSha2 => b"caching_sha2_password",
            Plugin::Sha256 => b"sha256_password",
        }
    }
}

/// One authentication, from the greeting to the verdict.
pub(crate) struct Authentication<'a> {
    plugin: Plugin,
    password: &'a [u8],
    nonce: Vec<u8>,
    capabilities: Capabilities,
    /// The server's RSA key, if the user knows it.
    pinned_key: Option<&'a [u8]>,
    /// Whether the next data is the server's RSA key.
    key_requested: bool,
}

/// What to do after a packet of the server.
enum Next {
    Send(Vec<u8>),
    Wait,
    Done(Accepted),
}

/// The server's yes.
pub(crate) struct Accepted {
    /// The session's status.
    pub(crate) status: StatusFlags,
    /// What the session begins with, if the server tells.
    pub(crate) session_state: Vec<u8>,
}

impl<'a> Authentication<'a> {
    pub(crate) fn new(
        plugin: Plugin,
        password: &'a [u8],
        nonce: &[u8],
        capabilities: Capabilities,
        pinned_key: Option<&'a [u8]>,
    ) -> Self {
        Authentication {
            plugin,
            password,
            nonce: nonce.to_vec(),
            capabilities,
            pinned_key,
            key_requested: false,
        }
    }

    /// What the plugin answers to its nonce.
    pub(crate) fn response(&mut self) -> Result<Vec<u8>, Error> {
        match (self.plugin, self.password) {
            (Plugin::Sha256, []) => return Ok(vec![0]),
            (_, []) => return Ok(Vec::new()),
            _ => {}
        }
        let nonce = self.nonce()?;
        Ok(match self.plugin {
            Plugin::Native => mysql_native_password::scramble(self.password, nonce).to_vec(),
            Plugin::CachingSha2 => caching_sha2_password::scramble(self.password, nonce).to_vec(),
            Plugin::Sha256 => return self.encrypted(sha256_password::REQUEST_PUBLIC_KEY),
        })
    }

    /// The encrypted password if the key is known, else the request for the server's key.
    fn encrypted(&mut self, request: u8) -> Result<Vec<u8>, Error> {
        if let Some(key) = self.pinned_key {
            return rsa::encrypt_password(self.password, self.nonce()?, key);
        }
        self.key_requested = true;
        Ok(vec![request])
    }

    fn nonce(&self) -> Result<&[u8; NONCE_BYTES], Error> {
        let malformed = Malformed { packet: "authentication", field: "auth_plugin_data" };
        self.nonce.first_chunk().ok_or(malformed.into())
    }

    /// Answers the server until it says yes or no.
    pub(crate) fn run(&mut self, stream: &mut PacketStream) -> Result<Accepted, Error> {
        let privacy = stream.transport().privacy();
        for _ in 0..MAX_ROUNDS {
            match self.next(stream.read_packet(MAX_CONNECTION_PHASE_BYTES)?, privacy)? {
                Next::Send(response) => stream.write_packet(&response)?,
                Next::Wait => {}
                Next::Done(accepted) => return Ok(accepted),
            }
        }
        Err(Malformed { packet: "authentication", field: "end" }.into())
    }

    fn next(&mut self, payload: &[u8], privacy: Privacy) -> Result<Next, Error> {
        match payload.first() {
            Some(&OK_HEADER) => {
                let ok = OkPacket::parse(payload, self.capabilities)?;
                let session_state = ok.session_state.to_vec();
                Ok(Next::Done(Accepted { status: ok.status, session_state }))
            }
            Some(&ERR_HEADER) => Err(Error::log_in_refused(&ErrPacket::parse(payload)?)),
            Some(&AUTH_SWITCH_HEADER) => {
                self.switch(&AuthSwitchRequest::parse(payload)?)?;
                self.response().map(Next::Send)
            }
            Some(&AUTH_MORE_DATA_HEADER) => {
                self.more_data(AuthMoreData::parse(payload)?.data, privacy)
            }
            _ => Err(Malformed { packet: "authentication", field: "header" }.into()),
        }
    }

    fn switch(&mut self, request: &AuthSwitchRequest<'_>) -> Result<(), Error> {
        self.plugin = Plugin::by_name(request.plugin_name).ok_or_else(|| {
            let name = match request.plugin_name {
                [] => "mysql_old_password".into(),
                name => String::from_utf8_lossy(name),
            };
            let reason = format!(
                "The server requested authentication method unknown to the client [{name}]"
            );
            Error::log_in_impossible(codes::NOT_IMPLEMENTED, &reason)
        })?;
        self.nonce = request.auth_plugin_data.to_vec();
        self.key_requested = false;
        Ok(())
    }

    fn more_data(&mut self, data: &[u8], privacy: Privacy) -> Result<Next, Error> {
        use caching_sha2_password as sha2;
        if std::mem::take(&mut self.key_requested) {
            return rsa::encrypt_password(self.password, self.nonce()?, data).map(Next::Send);
        }
        if self.plugin != Plugin::CachingSha2 {
            return Err(Malformed { packet: "AuthMoreData", field: "data" }.into());
        }
        match data {
            [sha2::FAST_AUTH_SUCCESS] => Ok(Next::Wait),
            [sha2::PERFORM_FULL_AUTHENTICATION] if privacy != Privacy::Open => {
                Ok(Next::Send([self.password, &[0]].concat()))
            }
            [sha2::PERFORM_FULL_AUTHENTICATION] => {
                self.encrypted(sha2::REQUEST_PUBLIC_KEY).map(Next::Send)
            }
            _ => Err(Malformed { packet: "AuthMoreData", field: "data" }.into()),
        }
    }
}
