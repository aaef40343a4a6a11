//! A server of TLS for one client, that can break off anywhere.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustls::crypto::aws_lc_rs;
use rustls::{ServerConfig, ServerConnection, SupportedProtocolVersion};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use vaquita_client::{Address, Capabilities, ConnectOptions, TlsOptions, Verify};
use vaquita_fake_server::packets;

/// Self-signed for 127.0.0.1, with a key of nobody's, made for these tests; valid from 2020 to 2120.
pub(crate) const CERTIFICATE: &[u8] = include_bytes!("cert.pem");
const KEY: &[u8] = include_bytes!("key.pem");

/// How long a client that never comes, or never leaves, is waited for.
const PATIENCE: Duration = Duration::from_secs(20);

/// How the server's side ends after the answer to the first query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// It says goodbye in TLS.
    CloseNotify,
    /// It says goodbye in TLS, in one write with the answer, and keeps the socket open until the client is gone.
    Lingering,
    /// It is gone.
    Gone,
}

/// What the server does.
#[derive(Clone)]
pub(crate) struct Plan {
    pub(crate) version: &'static SupportedProtocolVersion,
    /// How many bytes are sent after the greeting, at the most.
    pub(crate) cut: usize,
    /// The longest write.
    pub(crate) piece_bytes: usize,
    /// Packets to answer the first query with, whole with headers.
    pub(crate) answer: Vec<u8>,
    pub(crate) end: End,
}

/// A server that runs.
pub(crate) struct Peer {
    port: u16,
    thread: JoinHandle<Seen>,
}

/// What the server saw.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// What it sent after the greeting.
    pub(crate) sent_bytes: usize,
    /// Whether it could say all.
    pub(crate) is_whole: bool,
    /// Whether the client said goodbye in TLS.
    pub(crate) has_goodbye: bool,
}

impl Peer {
    pub(crate) fn start(plan: Plan) -> Peer {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        Peer { port, thread: thread::spawn(move || serve(&listener, &plan)) }
    }

    pub(crate) fn options(&self) -> ConnectOptions {
        let host = "127.0.0.1".to_owned();
        let mut options = ConnectOptions::new(Address::Tcp { host, port: self.port });
        options.connect_timeout = Some(PATIENCE);
        options.read_timeout = Some(PATIENCE);
        options.tls = Some(TlsOptions { verify: Verify::None, ..TlsOptions::default() });
        options
    }

    pub(crate) fn finish(self) -> Seen {
        self.thread.join().unwrap()
    }
}

/// A socket that takes small pieces, and no more than so many bytes.
struct Cut<'a> {
    socket: &'a TcpStream,
    plan: &'a Plan,
    sent_bytes: usize,
}

impl Write for Cut<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = self.plan.cut.saturating_sub(self.sent_bytes).min(self.plan.piece_bytes);
        let piece = &bytes[..bytes.len().min(room)];
        if piece.is_empty() {
            self.socket.shutdown(Shutdown::Write)?;
            return Err(io::ErrorKind::WriteZero.into());
        }
        let written = self.socket.write(piece)?;
        self.sent_bytes += written;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Read for Cut<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.socket.read(buffer)
    }
}

fn serve(listener: &TcpListener, plan: &Plan) -> Seen {
    let (mut socket, _) = listener.accept().unwrap();
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    socket.set_nodelay(true).unwrap();
    let offered = packets::OFFERED | Capabilities::SSL;
    let greeting = packets::greeting(offered, "mysql_native_password").bytes();
    socket.write_all(&packet(0, &greeting)).unwrap();
    let mut request = [0; 36];
    socket.read_exact(&mut request).unwrap();

    let provider = Arc::new(aws_lc_rs::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(&[plan.version])
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(
            vec![CertificateDer::from_pem_slice(CERTIFICATE).unwrap()],
            PrivateKeyDer::from_pem_slice(KEY).unwrap(),
        )
        .unwrap();
    let mut tls = ServerConnection::new(Arc::new(config)).unwrap();
    let mut cut = Cut { socket: &socket, plan, sent_bytes: 0 };
    // The client may leave at any time.
    let ended = talk(&mut tls, &mut cut, plan);
    let sent_bytes = cut.sent_bytes;
    let is_whole = ended.is_ok();
    let _ = socket.shutdown(Shutdown::Write);
    let has_goodbye = is_whole && {
        let mut rest = Vec::new();
        let mut stream = rustls::Stream::new(&mut tls, &mut cut);
        // Without a goodbye this is an error.
        stream.read_to_end(&mut rest).is_ok()
    };
    let _ = io::copy(&mut socket, &mut io::sink());
    Seen { sent_bytes, is_whole, has_goodbye }
}

fn talk(tls: &mut ServerConnection, cut: &mut Cut<'_>, plan: &Plan) -> io::Result<()> {
    let mut stream = rustls::Stream::new(tls, cut);
    read_packet(&mut stream)?;
    stream.write_all(&packet(3, &packets::ok(packets::AUTOCOMMIT).bytes()))?;
    stream.flush()?;
    if plan.answer.is_empty() {
        return Ok(());
    }
    read_packet(&mut stream)?;
    if plan.end == End::Lingering {
        tls.writer().write_all(&plan.answer)?;
        tls.send_close_notify();
        let mut records = Vec::new();
        while tls.wants_write() {
            tls.write_tls(&mut records)?;
        }
        cut.write_all(&records)?;
        return io::copy(cut, &mut io::sink()).map(drop);
    }
    stream.write_all(&plan.answer)?;
    stream.flush()?;
    if plan.end == End::CloseNotify {
        tls.send_close_notify();
        tls.write_tls(cut)?;
    }
    Ok(())
}

fn read_packet(stream: &mut impl Read) -> io::Result<()> {
    let mut header = [0; 4];
    stream.read_exact(&mut header)?;
    let length = u32::from_le_bytes([header[0], header[1], header[2], 0]);
    let mut payload = vec![0; usize::try_from(length).unwrap()];
    stream.read_exact(&mut payload)
}

/// A payload with its header.
pub(crate) fn packet(sequence_id: u8, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_le_bytes();
    [&length[..3], &[sequence_id], payload].concat()
}
