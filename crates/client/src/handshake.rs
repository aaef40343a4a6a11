//! The connection phase: the greeting, what both sides can do, and who the user is.

use vaquita_protocol::{
    Capabilities, Charset, ErrPacket, HandshakeResponse41, HandshakeV10, SslRequest, StatusFlags,
};

use crate::auth::{Authentication, Plugin};
use crate::error::Error;
use crate::options::ConnectOptions;
use crate::packet_stream::{MAX_CONNECTION_PHASE_BYTES, PacketStream};
use crate::tls;

/// What stock clients of PHP ask for; scripts and their tests rely on these bits.
///
/// LOCAL_FILES is among them although no file is ever given away: a server may ask with or without it, and is refused
/// ([`Error::LocalInfileRefused`]).
const USUAL: Capabilities = Capabilities::LONG_PASSWORD
    .with(Capabilities::LONG_FLAG)
    .with(Capabilities::LOCAL_FILES)
    .with(Capabilities::PROTOCOL_41)
    .with(Capabilities::TRANSACTIONS)
    .with(Capabilities::SECURE_CONNECTION)
    .with(Capabilities::MULTI_RESULTS)
    .with(Capabilities::PLUGIN_AUTH)
    .with(Capabilities::CONNECT_ATTRS);

/// What a server must offer: everything since MySQL 4.1 does.
const NEEDED: Capabilities = Capabilities::PROTOCOL_41.with(Capabilities::SECURE_CONNECTION);

/// What a client never asks for by these options: TLS (which has options of its own), compression and other forms of packets need more than a flag.
const NEVER: Capabilities = Capabilities::SSL
    .with(Capabilities::COMPRESS)
    .with(Capabilities::ZSTD_COMPRESSION)
    .with(Capabilities::OPTIONAL_RESULTSET_METADATA)
    .with(Capabilities::QUERY_ATTRIBUTES)
    .with(Capabilities::SSL_VERIFY_SERVER_CERT)
    .with(Capabilities::MARIADB_PROGRESS)
    .with(Capabilities::MARIADB_EXTENDED_METADATA)
    .with(Capabilities::MARIADB_CACHE_METADATA);

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
    pub(crate) capabilities: Capabilities,
}

/// What the connection phase ends with.
pub(crate) struct Established {
    pub(crate) greeting: Greeting,
    pub(crate) capabilities: Capabilities,
    pub(crate) charset: &'static Charset,
    /// The server's own character set, if it is known here.
    pub(crate) greeted_charset: Option<&'static Charset>,
    pub(crate) status: StatusFlags,
}

/// Goes through the connection phase, in TLS if there is a setup for it: then nothing of the user's goes out before.
pub(crate) fn establish(
    stream: &mut PacketStream,
    options: &ConnectOptions,
    tls: Option<tls::Setup>,
) -> Result<Established, Error> {
    let payload = stream.read_packet(MAX_CONNECTION_PHASE_BYTES)?;
    if ErrPacket::is_err(payload) {
        return Err(refusal(&ErrPacket::parse(payload)?));
    }
    let handshake = HandshakeV10::parse(payload)?;
    let greeting = Greeting {
        server_version: handshake.plain_server_version().to_vec(),
        thread_id: handshake.thread_id,
        protocol_version: vaquita_protocol::handshake_v10::PROTOCOL_VERSION,
        capabilities: handshake.capabilities,
    };
    if !greeting.capabilities.contains(NEEDED) {
        return Err(Error::Unsupported("Servers older than MySQL 4.1 are not supported"));
    }
    let greeted_charset = Charset::by_collation_id(handshake.character_set.into());
    let (charset, character_set) = choose_charset(options.charset, handshake.character_set);
    let mut capabilities = choose_capabilities(options, greeting.capabilities);
    let plugin = Plugin::by_name(handshake.auth_plugin_name).unwrap_or(Plugin::Native);
    let nonce = handshake.auth_plugin_data;
    if let Some(setup) = tls {
        if !greeting.capabilities.contains(Capabilities::SSL) {
            return Err(Error::Tls("the server does not offer TLS".to_owned()));
        }
        capabilities |= Capabilities::SSL;
        let mut request = Vec::new();
        SslRequest { capabilities, max_packet_size: MAX_PACKET_SIZE, character_set }
            .encode(&mut request);
        stream.write_packet(&request)?;
        stream.start_tls(setup)?;
    }
    let mut authentication = Authentication::new(
        plugin,
        &options.password,
        &nonce,
        capabilities,
        options.server_public_key.as_deref(),
    );
    let mut attributes = vec![(b"_client_name".to_vec(), b"mysqlnd".to_vec())];
    attributes.extend_from_slice(&options.attributes);
    let mut response = Vec::new();
    HandshakeResponse41 {
        capabilities,
        max_packet_size: MAX_PACKET_SIZE,
        character_set,
        username: &options.user,
        auth_response: &authentication.response()?,
        database: options.database.as_deref().unwrap_or_default(),
        client_plugin_name: plugin.name(),
        attributes: &attributes,
    }
    .encode(&mut response);
    stream.write_packet(&response)?;
    let status = authentication.run(stream)?;
    Ok(Established { greeting, capabilities, charset, greeted_charset, status })
}

fn refusal(packet: &ErrPacket<'_>) -> Error {
    let (too_many, state) = TOO_MANY_CONNECTIONS;
    let sqlstate = packet.sqlstate.or((packet.code == too_many).then_some(state));
    Error::server(&ErrPacket { sqlstate, ..*packet })
}

/// The connection's character set and the id to ask for it with: the caller's, else the server's if it is known here.
fn choose_charset(asked: Option<&'static Charset>, greeted: u8) -> (&'static Charset, u8) {
    if let Some(charset) = asked {
        return (charset, charset.default_collation_id);
    }
    match Charset::by_collation_id(greeted.into()).filter(|charset| charset.is_for_clients()) {
        Some(charset) => (charset, greeted),
        None => (Charset::utf8mb4(), Charset::utf8mb4().default_collation_id),
    }
}

fn choose_capabilities(options: &ConnectOptions, offered: Capabilities) -> Capabilities {
    let mut asked = USUAL | options.capabilities.without(NEVER);
    if options.database.is_some() {
        asked |= Capabilities::CONNECT_WITH_DB;
    }
    // MariaDB leaves the bit of LONG_PASSWORD unset to say that it is MariaDB; a client sets it to be treated as MySQL's.
    asked & (offered | Capabilities::LONG_PASSWORD)
}
