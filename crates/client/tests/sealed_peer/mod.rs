//! A server of TLS for one client, that makes records of its own once the session stands: those that no library would send.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use aws_lc_rs::aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use rustls::crypto::{CryptoProvider, aws_lc_rs as provider};
use rustls::version::TLS13;
use rustls::{ConnectionTrafficSecrets, ServerConfig, ServerConnection, SupportedProtocolVersion};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use vaquita_client::{Address, Capabilities, ColumnType, ConnectOptions, TlsOptions, Verify};
use vaquita_fake_server::packets;

const CERTIFICATE: &[u8] = include_bytes!("../tls_peer/cert.pem");
const KEY: &[u8] = include_bytes!("../tls_peer/key.pem");

/// What a record has in it (<https://www.rfc-editor.org/rfc/rfc8446#section-5.1>).
pub(crate) const ALERT: u8 = 21;
pub(crate) const HANDSHAKE: u8 = 22;
pub(crate) const APPLICATION_DATA: u8 = 23;

/// How long a client that never comes, or never leaves, is waited for.
const PATIENCE: Duration = Duration::from_secs(30);

/// How much is sent of what has no end: more than any buffer on the way takes.
const FLOOD_BYTES: usize = 64 << 20;

/// What is sent over and over.
#[derive(Clone, Copy)]
pub(crate) enum Flood {
    /// These records, by kind and content.
    Records(fn() -> Vec<(u8, Vec<u8>)>),
    /// KeyUpdate, each by the keys of the one before.
    KeyUpdates,
    /// This once, as it is, in one write with the answer; then there is silence.
    Once(&'static [u8]),
}

/// A server that runs.
pub(crate) struct Peer {
    port: u16,
    thread: JoinHandle<bool>,
}

impl Peer {
    pub(crate) fn start(version: &'static SupportedProtocolVersion, flood: Flood) -> Peer {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        Peer { port, thread: thread::spawn(move || serve(&listener, version, flood)) }
    }

    pub(crate) fn options(&self) -> ConnectOptions {
        let host = "127.0.0.1".to_owned();
        let mut options = ConnectOptions::new(Address::Tcp { host, port: self.port });
        options.connect_timeout = Some(PATIENCE);
        options.read_timeout = Some(PATIENCE);
        options.tls = Some(TlsOptions { verify: Verify::None, ..TlsOptions::default() });
        options
    }

    /// Whether the client left before the flood had its end.
    pub(crate) fn finish(self) -> bool {
        self.thread.join().unwrap()
    }
}

fn serve(listener: &TcpListener, version: &'static SupportedProtocolVersion, flood: Flood) -> bool {
    let (mut socket, _) = listener.accept().unwrap();
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    socket.set_write_timeout(Some(PATIENCE)).unwrap();
    let offered = packets::OFFERED | Capabilities::SSL;
    let greeting = packets::greeting(offered, "mysql_native_password").bytes();
    socket.write_all(&packet(0, &greeting)).unwrap();
    socket.read_exact(&mut [0; 36]).unwrap();

    let mut tls = ServerConnection::new(config(version)).unwrap();
    let mut stream = rustls::Stream::new(&mut tls, &mut socket);
    read_packet(&mut stream);
    stream.write_all(&packet(3, &packets::ok(packets::AUTOCOMMIT).bytes())).unwrap();
    read_packet(&mut stream);
    let column = packets::column("a", ColumnType::VAR_STRING).bytes();
    let answer = [
        packet(1, &packets::column_count(1).bytes()),
        packet(2, &column),
        packet(3, &packets::eof(packets::AUTOCOMMIT).bytes()),
        packet(4, &packets::row(&[Some(b"1")]).bytes()),
    ];
    if let Flood::Once(bytes) = flood {
        let mut sealer = Sealer::new(tls, version == &TLS13);
        let sealed = sealer.seal(APPLICATION_DATA, &answer.concat());
        socket.write_all(&[&sealed, bytes].concat()).unwrap();
        let ended = io::copy(&mut socket, &mut io::sink());
        return ended.map_or_else(|error| error.kind() == io::ErrorKind::ConnectionReset, |_| true);
    }
    stream.write_all(&answer.concat()).unwrap();
    stream.flush().unwrap();

    let mut sent_bytes = 0;
    let mut send = |socket: &mut TcpStream, bytes: &[u8]| -> io::Result<()> {
        sent_bytes += bytes.len();
        socket.write_all(bytes)?;
        if sent_bytes > FLOOD_BYTES { Err(io::ErrorKind::Other.into()) } else { Ok(()) }
    };
    let ended = match flood {
        Flood::Once(_) => unreachable!("it was sent with the answer"),
        Flood::KeyUpdates => loop {
            let mut records = Vec::new();
            for _ in 0..100 {
                tls.refresh_traffic_keys().unwrap();
                tls.write_tls(&mut records).unwrap();
            }
            if let Err(error) = send(&mut socket, &records) {
                break error;
            }
        },
        Flood::Records(records) => {
            let mut sealer = Sealer::new(tls, version == &TLS13);
            loop {
                let sealed = (0..100).flat_map(|_| records());
                let sealed: Vec<u8> =
                    sealed.flat_map(|(kind, content)| sealer.seal(kind, &content)).collect();
                if let Err(error) = send(&mut socket, &sealed) {
                    break error;
                }
            }
        }
    };
    matches!(ended.kind(), io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset)
}

fn config(version: &'static SupportedProtocolVersion) -> Arc<ServerConfig> {
    let cipher_suites = vec![
        provider::cipher_suite::TLS13_AES_128_GCM_SHA256,
        provider::cipher_suite::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,
    ];
    let provider = CryptoProvider { cipher_suites, ..provider::default_provider() };
    let mut config = ServerConfig::builder_with_provider(Arc::new(provider))
        .with_protocol_versions(&[version])
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(
            vec![CertificateDer::from_pem_slice(CERTIFICATE).unwrap()],
            PrivateKeyDer::from_pem_slice(KEY).unwrap(),
        )
        .unwrap();
    config.enable_secret_extraction = true;
    Arc::new(config)
}

/// Makes the records that follow those of a session.
struct Sealer {
    key: LessSafeKey,
    iv: [u8; 12],
    sequence: u64,
    is_tls13: bool,
}

impl Sealer {
    fn new(tls: ServerConnection, is_tls13: bool) -> Sealer {
        let (sequence, secrets) = tls.dangerous_extract_secrets().unwrap().tx;
        let ConnectionTrafficSecrets::Aes128Gcm { key, iv } = secrets else {
            panic!("another cipher was agreed upon");
        };
        let key = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, key.as_ref()).unwrap());
        Sealer { key, iv: iv.as_ref().try_into().unwrap(), sequence, is_tls13 }
    }

    fn seal(&mut self, kind: u8, content: &[u8]) -> Vec<u8> {
        let sequence = self.sequence.to_be_bytes();
        self.sequence += 1;
        let mut nonce = self.iv;
        nonce.iter_mut().skip(4).zip(sequence).for_each(|(byte, number)| *byte ^= number);
        let length = |length: usize| u16::try_from(length).unwrap().to_be_bytes();
        let mut sealed = content.to_vec();
        let (kind, explicit, aad) = if self.is_tls13 {
            sealed.push(kind);
            let header = [&[APPLICATION_DATA, 3, 3][..], &length(sealed.len() + 16)].concat();
            (APPLICATION_DATA, Vec::new(), header)
        } else {
            let header = [&sequence[..], &[kind, 3, 3], &length(content.len())].concat();
            (kind, nonce[4..].to_vec(), header)
        };
        let nonce = Nonce::assume_unique_for_key(nonce);
        self.key.seal_in_place_append_tag(nonce, Aad::from(aad), &mut sealed).unwrap();
        let header = [&[kind, 3, 3][..], &length(explicit.len() + sealed.len())].concat();
        [header, explicit, sealed].concat()
    }
}

fn read_packet(stream: &mut impl Read) {
    let mut header = [0; 4];
    stream.read_exact(&mut header).unwrap();
    let length = u32::from_le_bytes([header[0], header[1], header[2], 0]);
    stream.read_exact(&mut vec![0; usize::try_from(length).unwrap()]).unwrap();
}

/// A payload with its header.
fn packet(sequence_id: u8, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_le_bytes();
    [&length[..3], &[sequence_id], payload].concat()
}
