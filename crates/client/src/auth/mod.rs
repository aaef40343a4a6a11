//! Authentication: which plugin, what it answers, and when the server is satisfied.
//!
//! The server chooses: it greets with a plugin, and may ask for another one as often as it is patient with us. Whoever answers
//! in its place gets the same answers, so each plugin's answer is judged by who may read it ([`Privacy`]) and what it gives away:
//!
//! | plugin | answer | what an impostor may do with it |
//! |---|---|---|
//! | `mysql_native_password`, `caching_sha2_password`, `client_ed25519`, `parsec` | proof of the password, made for the server's random bytes | log in where those bytes came from, and try out guesses, slowly for parsec alone |
//! | `caching_sha2_password` in full, `sha256_password` | the password, over TLS or (the first only) a unix socket in clear, else encrypted with a key that the server sends | read it, unless the certificate was verified or, without TLS, the key was known beforehand |
//! | `mysql_clear_password` | the password in clear | nothing: only a server that is known to be the right one gets it |
//!
//! All but the last are as stock clients do it; so for a network that is not trusted there is TLS with a verified certificate.

mod caching_sha2_password;
mod client_ed25519;
mod mysql_clear_password;
mod mysql_native_password;
mod parsec;
mod rsa;
mod sha256_password;

use vaquita_protocol::auth_switch_request::AUTH_SWITCH_HEADER;
use vaquita_protocol::ok_packet::OK_HEADER;
use vaquita_protocol::reader::ERR_HEADER;
use vaquita_protocol::{
    AuthMoreData, AuthSwitchRequest, Capabilities, ErrPacket, HandshakeResponse41, Malformed,
    OkPacket, StatusFlags,
};

use crate::error::{Error, codes};
use crate::options::{CleartextPassword, ConnectOptions};
use crate::packet_stream::{MAX_CONNECTION_PHASE_BYTES, PacketStream};
use crate::password::Password;
use crate::statistics::PacketKind;
use crate::transport::Privacy;

/// How many packets a server may send before it says yes or no.
///
/// The longest honest exchange of one plugin has four (a switch, "full authentication", the key, the verdict). An account of
/// MariaDB may name several plugins, each of which costs a switch
/// (<https://mariadb.com/kb/en/authentication-from-mariadb-10-4/>), so there is room for some more.
const MAX_ROUNDS: usize = 10;

/// The length of the random bytes of MySQL's plugins (SCRAMBLE_LENGTH in its sources); a NUL follows them.
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
    /// The password in clear.
    Clear,
    /// MariaDB's signature with the password as key.
    Ed25519,
    /// The same with a key that is slow to guess, since MariaDB 11.6.
    Parsec,
}

impl Plugin {
    const ALL: [Plugin; 6] = [
        Plugin::Native,
        Plugin::CachingSha2,
        Plugin::Sha256,
        Plugin::Clear,
        Plugin::Ed25519,
        Plugin::Parsec,
    ];

    fn by_name(name: &[u8]) -> Option<Self> {
        Plugin::ALL.into_iter().find(|plugin| plugin.name() == name)
    }

    /// The plugin to begin with, given the one that the server greeted with.
    ///
    /// Unless that is one of those that servers greet with, any will do: the server will ask for the one it needs, by name. So it has to
    /// for a password in clear, which is never offered unasked.
    pub(crate) fn greeted(name: &[u8]) -> Self {
        match Plugin::by_name(name) {
            Some(plugin @ (Plugin::Native | Plugin::CachingSha2 | Plugin::Sha256)) => plugin,
            _ => Plugin::Native,
        }
    }

    pub(crate) const fn name(self) -> &'static [u8] {
        match self {
            Plugin::Native => b"mysql_native_password",
            Plugin::CachingSha2 => b"caching_sha2_password",
            Plugin::Sha256 => b"sha256_password",
            Plugin::Clear => b"mysql_clear_password",
            Plugin::Ed25519 => b"client_ed25519",
            Plugin::Parsec => b"parsec",
        }
    }

    /// What the plugin answers to its nonce.
    fn answer(self, secret: &Secret<'_>, nonce: &[u8]) -> Result<Answer, Error> {
        match self {
            Plugin::Native => mysql_native_password::answer(secret, nonce),
            Plugin::CachingSha2 => caching_sha2_password::answer(secret, nonce),
            Plugin::Sha256 => sha256_password::answer(secret, nonce),
            Plugin::Clear => mysql_clear_password::answer(secret),
            Plugin::Ed25519 => client_ed25519::answer(secret, nonce),
            Plugin::Parsec => parsec::answer(nonce),
        }
    }
}

/// What a plugin answers with, and what decides how much of it. Never shown: it has no Debug.
#[derive(Clone, Copy)]
struct Secret<'a> {
    password: &'a [u8],
    /// The server's RSA key, if the user knows it.
    pinned_key: Option<&'a [u8]>,
    cleartext_password: CleartextPassword,
    privacy: Privacy,
}

/// What a plugin says next, and what it waits for then.
struct Answer {
    response: Option<Password>,
    awaits: Awaits,
}

impl Answer {
    /// The last word of the plugin.
    fn last(response: impl Into<Password>) -> Self {
        Answer { response: Some(response.into()), awaits: Awaits::Verdict }
    }
}

/// What data a plugin takes from its like on the server.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Awaits {
    /// None: the server says yes or no.
    Verdict,
    /// Whether caching_sha2_password knows the hash.
    FastAuthResult,
    /// The server's RSA key.
    PublicKey,
    /// How parsec makes its key of the password.
    ExtSalt,
}

/// One authentication, from the greeting to the verdict.
pub(crate) struct Authentication<'a> {
    plugin: Plugin,
    secret: Secret<'a>,
    nonce: Vec<u8>,
    awaits: Awaits,
    capabilities: Capabilities,
}

/// What to do after a packet of the server.
enum Next {
    Send(Password),
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
    /// An authentication that begins with a plugin and the nonce for it, on a connection with these capabilities.
    pub(crate) fn new(
        plugin: Plugin,
        nonce: &[u8],
        options: &'a ConnectOptions,
        privacy: Privacy,
        capabilities: Capabilities,
    ) -> Self {
        let secret = Secret {
            password: &options.password,
            pinned_key: options.server_public_key.as_deref(),
            cleartext_password: options.cleartext_password,
            privacy,
        };
        let nonce = nonce.to_vec();
        Authentication { plugin, secret, nonce, awaits: Awaits::Verdict, capabilities }
    }

    /// The plugin in use.
    pub(crate) fn plugin(&self) -> Plugin {
        self.plugin
    }

    /// What goes with the answer to the greeting of a server with these capabilities.
    ///
    /// If there is no room for it, the oldest plugin begins: a server that needs another one will ask for it, and then there is.
    pub(crate) fn first_response(&mut self, offered: Capabilities) -> Result<Password, Error> {
        let response = self.response()?;
        if response.len() <= HandshakeResponse41::MAX_SHORT_AUTH_RESPONSE_BYTES
            || offered.contains(Capabilities::PLUGIN_AUTH_LENENC_CLIENT_DATA)
        {
            return Ok(response);
        }
        self.plugin = Plugin::Native;
        self.response()
    }

    /// What the plugin answers to its nonce.
    fn response(&mut self) -> Result<Password, Error> {
        let answer = self.plugin.answer(&self.secret, &self.nonce)?;
        self.awaits = answer.awaits;
        Ok(answer.response.unwrap_or_default())
    }

    /// Answers the server until it says yes or no.
    pub(crate) fn run(
        &mut self,
        stream: &mut PacketStream,
        kind: PacketKind,
    ) -> Result<Accepted, Error> {
        for _ in 0..MAX_ROUNDS {
            match self.next(stream.read_packet(kind, MAX_CONNECTION_PHASE_BYTES)?)? {
                Next::Send(response) => stream.write_secret_packet(&response)?,
                Next::Wait => {}
                Next::Done(accepted) => return Ok(accepted),
            }
        }
        Err(Malformed::new("authentication", "end").into())
    }

    fn next(&mut self, payload: &[u8]) -> Result<Next, Error> {
        match payload.first() {
            Some(&OK_HEADER) => {
                let ok = OkPacket::parse(payload, self.capabilities)?;
                let session_state = ok.session_state.to_vec();
                Ok(Next::Done(Accepted { status: ok.status, session_state }))
            }
            Some(&ERR_HEADER) => Err(Error::log_in_refused(&ErrPacket::parse(payload)?)),
            Some(&AUTH_SWITCH_HEADER) => {
                let request = AuthSwitchRequest::parse(payload)?;
                self.plugin = Plugin::by_name(request.plugin_name)
                    .ok_or_else(|| unknown_plugin(request.plugin_name))?;
                self.nonce = request.auth_plugin_data.to_vec();
                self.response().map(Next::Send)
            }
            _ => self.more_data(AuthMoreData::parse(payload)?.data),
        }
    }

    fn more_data(&mut self, data: &[u8]) -> Result<Next, Error> {
        let (secret, nonce) = (&self.secret, &self.nonce[..]);
        let answer = match self.awaits {
            Awaits::FastAuthResult => caching_sha2_password::go_on(secret, nonce, data)?,
            Awaits::PublicKey => Answer::last(rsa::encrypt_password(secret.password, nonce, data)?),
            Awaits::ExtSalt => Answer::last(parsec::sign(secret.password, nonce, data)?),
            Awaits::Verdict if self.plugin == Plugin::Clear => {
                return Err(mysql_clear_password::question());
            }
            Awaits::Verdict => return Err(unexpected_data()),
        };
        self.awaits = answer.awaits;
        Ok(answer.response.map_or(Next::Wait, Next::Send))
    }
}

/// The random bytes that MySQL's plugins hash with the password.
fn mysql_nonce(nonce: &[u8]) -> Result<&[u8; NONCE_BYTES], Malformed> {
    nonce.first_chunk().ok_or(unexpected_nonce())
}

/// The server's random bytes are not those of the plugin that it named.
const fn unexpected_nonce() -> Malformed {
    Malformed::new("authentication", "auth_plugin_data")
}

/// The plugin knows nothing of such data.
fn unexpected_data() -> Error {
    Malformed::new("AuthMoreData", "data").into()
}

fn unknown_plugin(name: &[u8]) -> Error {
    let (name, hint) = match name {
        [] => (
            "mysql_old_password".into(),
            "; set the account's password anew, as a hash of MySQL 4.1 or later",
        ),
        b"dialog" => {
            ("dialog".into(), "; turn on pam_use_cleartext_plugin if it is for MariaDB's pam")
        }
        name => (String::from_utf8_lossy(name), ""),
    };
    let reason =
        format!("The server requested authentication method unknown to the client [{name}]{hint}");
    Error::log_in_impossible(codes::NOT_IMPLEMENTED, &reason)
}
