//! The certificate that a server shows, as anybody sees it: MariaDB 11.8 makes itself one that stands in no file.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, aws_lc_rs};
use rustls::{
    ClientConfig, ClientConnection, DigitallySignedStruct, Error, SignatureScheme, Stream,
};
use rustls_pki_types::{CertificateDer, ServerName, UnixTime};
use vaquita_client::{Address, Capabilities};
use vaquita_protocol::SslRequest;

/// The certificate of the server at an address of TCP, in PEM.
pub(crate) fn fetch(address: &Address) -> String {
    let Address::Tcp { host, port } = address else { panic!("an address of TCP") };
    let mut socket = TcpStream::connect((host.as_str(), *port)).unwrap();
    let mut header = [0; 4];
    socket.read_exact(&mut header).unwrap();
    socket.read_exact(&mut vec![0; usize::from(header[0])]).unwrap();
    let capabilities = Capabilities::PROTOCOL_41 | Capabilities::SSL;
    let mut packet = vec![32, 0, 0, 1];
    SslRequest { capabilities, max_packet_size: 1 << 24, character_set: 45 }.encode(&mut packet);
    socket.write_all(&packet).unwrap();
    let provider = Arc::new(aws_lc_rs::default_provider());
    let config = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .unwrap()
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(Anybody(provider)))
        .with_no_client_auth();
    let name = ServerName::try_from("localhost").unwrap();
    let mut connection = ClientConnection::new(Arc::new(config), name).unwrap();
    Stream::new(&mut connection, &mut socket).flush().unwrap();
    let certificate = connection.peer_certificates().unwrap()[0].as_ref();
    let lines = base64(certificate);
    format!("-----BEGIN CERTIFICATE-----\n{lines}-----END CERTIFICATE-----\n")
}

/// In lines of 64 letters, as PEM has them.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for (number, three) in bytes.chunks(3).enumerate() {
        let at = |index| three.get(index).copied().map_or(0, u32::from);
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for (index, shift) in [18, 12, 6, 0].into_iter().enumerate() {
            let letter = LETTERS[usize::try_from(bits >> shift & 63).unwrap()];
            text.push(if index <= three.len() { letter.into() } else { '=' });
        }
        if number % 16 == 15 {
            text.push('\n');
        }
    }
    text.push('\n');
    text
}

/// Believes everybody, as somebody who only looks may.
#[derive(Debug)]
struct Anybody(Arc<CryptoProvider>);

impl ServerCertVerifier for Anybody {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
