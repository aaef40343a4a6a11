//! The connection phase: the greeting, what both sides can do, and who the user is.

use vaquita_protocol::{
    Capabilities, Charset, ErrPacket, HandshakeResponse41, HandshakeV10, SslRequest,
};
use zeroize::Zeroizing;

use crate::auth::{Authentication, Plugin};
use crate::clock::Connecting;
use crate::compression::ZSTD_COMPRESSION_LEVEL;
use crate::error::Error;
use crate::negotiation::{NEEDED, choose_capabilities, for_auth_response};
use crate::options::ConnectOptions;
use crate::packet_stream::{MAX_CONNECTION_PHASE_BYTES, PacketStream};
use crate::session::Session;
use crate::statistics::PacketKind;
use crate::tls::{self, Verify};

/// The longest packet we say we take; stock clients of PHP say the same.
const MAX_PACKET_SIZE: u32 = 0xC000_0000;

/// "Too many connections" comes before the handshake, so without its SQLSTATE.
const TOO_MANY_CONNECTIONS: (u16, [u8; 5]) = (1040, *b"08004");

/// Who the server is.
#[derive(Debug)]
pub(crate) struct Greeting {
    pub(crate) server_version: Vec<u8>,
    pub(crate) thread_id: u32,
    pub(crate) protocol_version: u8,
    /// The id of the server's own character set.
    pub(crate) character_set: u8,
    /// The plugin to begin an authentication with, and its data.
    pub(crate) plugin: Plugin,
    pub(crate) nonce: Vec<u8>,
    pub(crate) capabilities: Capabilities,
}

/// The most bytes that a length takes.
const LENGTH_BYTES: usize = 9;
/// What a handshake response has at the most beside texts that somebody chose: flags, lengths, NULs, the plugin's name.
const FIXED_BYTES: usize = 128;

/// What the connection phase ends with.
pub(crate) struct Established {
    pub(crate) greeting: Greeting,
    pub(crate) capabilities: Capabilities,
    pub(crate) charset: &'static Charset,
    pub(crate) collation_id: u8,
    pub(crate) session: Session,
}

/// What is added to an error that came in plain text where a verified server was asked for.
const BEFORE_TLS: &[u8] = b" (said before TLS began: it may come from anybody on the way)";

/// Goes through the connection phase, in TLS if there is a setup for it: then nothing of the user's goes out before.
pub(crate) fn establish(
    stream: &mut PacketStream,
    options: &ConnectOptions,
    tls: Option<tls::Setup>,
    connecting: &mut Connecting,
) -> Result<Established, Error> {
    let payload = stream.read_packet(PacketKind::Other, MAX_CONNECTION_PHASE_BYTES)?;
    if ErrPacket::is_err(payload) {
        let is_unproven = options.tls.as_ref().is_some_and(|tls| tls.verify != Verify::None);
        return Err(refusal(&ErrPacket::parse(payload)?, is_unproven));
    }
    let handshake = HandshakeV10::parse(payload)?;
    let greeting = Greeting {
        server_version: handshake.plain_server_version().to_vec(),
        thread_id: handshake.thread_id,
        protocol_version: vaquita_protocol::handshake_v10::PROTOCOL_VERSION,
        character_set: handshake.character_set,
        plugin: Plugin::greeted(handshake.auth_plugin_name),
        nonce: handshake.auth_plugin_data,
        capabilities: handshake.capabilities,
    };
    if !greeting.capabilities.contains(NEEDED) {
        return Err(Error::Unsupported("Servers older than MySQL 4.1 are not supported"));
    }
    let (charset, character_set) = choose_charset(options.charset, greeting.character_set);
    let mut capabilities = choose_capabilities(options, greeting.capabilities);
    if let Some(setup) = tls {
        if !greeting.capabilities.contains(Capabilities::SSL) {
            return Err(Error::Tls("the server does not offer TLS".to_owned()));
        }
        // The flags go out before the length of the answer is known.
        let long = Capabilities::PLUGIN_AUTH_LENENC_CLIENT_DATA & greeting.capabilities;
        capabilities |= Capabilities::SSL | long;
        let mut request = Vec::new();
        SslRequest { capabilities, max_packet_size: MAX_PACKET_SIZE, character_set }
            .encode(&mut request);
        stream.write_packet(&request)?;
        connecting.in_tls(|| stream.start_tls(setup))?;
    }
    let privacy = stream.transport().privacy();
    let (plugin, nonce) = (greeting.plugin, &greeting.nonce);
    let mut authentication = Authentication::new(plugin, nonce, options, privacy, capabilities);
    let auth_response = authentication.first_response(greeting.capabilities)?;
    let attributes = attributes(options);
    // It may have the password in it: with so much room there is one copy.
    let texts = attributes.iter().map(|(name, value)| 2 * LENGTH_BYTES + name.len() + value.len());
    let room = FIXED_BYTES + options.user.len() + auth_response.len() + texts.sum::<usize>();
    let room = room + options.database.as_ref().map_or(0, Vec::len);
    let mut response = Zeroizing::new(Vec::with_capacity(room));
    let for_response = for_auth_response(auth_response.len()) & greeting.capabilities;
    HandshakeResponse41 {
        capabilities: capabilities | for_response,
        max_packet_size: MAX_PACKET_SIZE,
        character_set,
        username: &options.user,
        auth_response: &auth_response,
        database: options.database.as_deref().unwrap_or_default(),
        client_plugin_name: authentication.plugin().name(),
        attributes: &attributes,
        zstd_compression_level: ZSTD_COMPRESSION_LEVEL,
    }
    .encode(&mut response);
    stream.write_secret_packet(&response)?;
    let accepted = authentication.run(stream, PacketKind::Other)?;
    let session = Session::new(&accepted, charset, options.database.as_deref())?;
    Ok(Established { greeting, capabilities, charset, collation_id: character_set, session })
}

/// What the client says of itself.
pub(crate) fn attributes(options: &ConnectOptions) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut attributes = vec![(b"_client_name".to_vec(), b"mysqlnd".to_vec())];
    attributes.extend_from_slice(&options.attributes);
    attributes
}

/// An error in the place of the greeting; where the server was to be verified it is not yet known who says so.
fn refusal(packet: &ErrPacket<'_>, is_unproven: bool) -> Error {
    let (too_many, state) = TOO_MANY_CONNECTIONS;
    let sqlstate = packet.sqlstate.or((packet.code == too_many).then_some(state));
    let mark: &[u8] = if is_unproven { BEFORE_TLS } else { b"" };
    let message = [packet.message, mark].concat();
    Error::server(&ErrPacket { sqlstate, message: &message, ..*packet })
}

/// The connection's character set and the id to ask for it with: the caller's, else the server's if it is known here.
pub(crate) fn choose_charset(
    asked: Option<&'static Charset>,
    greeted: u8,
) -> (&'static Charset, u8) {
    if let Some(charset) = asked {
        return (charset, charset.default_collation_id);
    }
    match Charset::by_collation_id(greeted.into()).filter(|charset| charset.is_for_clients()) {
        Some(charset) => (charset, greeted),
        None => (Charset::utf8mb4(), Charset::utf8mb4().default_collation_id),
    }
}
