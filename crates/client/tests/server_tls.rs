//! TLS with real servers.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

mod servers;

use std::path::PathBuf;

use servers::{Feature, Server, drop_user, rows, run, text};
use vaquita_client::{Address, CompressionAlgorithm, Connection, Error, TlsOptions, Verify, codes};

/// A certificate of nobody's.
const OTHER_CA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls_peer/cert.pem");

fn unverified() -> Option<TlsOptions> {
    Some(TlsOptions { verify: Verify::None, ..TlsOptions::default() })
}

#[test]
fn large_and_small_packets_travel_in_records() {
    for server in Server::with(Feature::Tls) {
        let zlib = vec![CompressionAlgorithm::Zlib];
        let [tcp, unix] = server.addresses();
        for (address, compression) in [(tcp.clone(), vec![]), (unix, vec![]), (tcp, zlib)] {
            let mut options = server.options(address);
            options.tls = unverified();
            options.compression = compression;
            let mut connection = Connection::connect(&options).unwrap();
            let status = rows(&mut connection, "SHOW STATUS LIKE 'Ssl_cipher'");
            assert!(status[0][1].as_ref().unwrap().starts_with(b"TLS_"), "{status:?}");
            for length in [0, 1, 16_000, 16_384, 16_400, 70_000, 5_000_000, 20_000_000] {
                let value = "x".repeat(length);
                let answer =
                    rows(&mut connection, &format!("SELECT LENGTH('{value}'), '{value}', 7"));
                let expected = [length.to_string(), value, "7".to_owned()];
                let expected: Vec<_> =
                    expected.into_iter().map(|text| Some(text.into_bytes())).collect();
                assert!(answer == [expected], "{} bytes", length);
            }
            run(&mut connection, "DO 1");
        }
    }
}

/// What becomes of a log-in: the name of the cipher's protocol, or the error.
fn connect(server: &Server, address: Address, tls: TlsOptions) -> Result<String, Error> {
    let options = vaquita_client::ConnectOptions { tls: Some(tls), ..server.options(address) };
    let mut connection = Connection::connect(&options)?;
    let status = rows(&mut connection, "SHOW STATUS LIKE 'Ssl_version'");
    Ok(String::from_utf8(status[0][1].clone().unwrap()).unwrap())
}

fn refusal(server: &Server, address: Address, tls: TlsOptions) -> String {
    let error = connect(server, address, tls).unwrap_err();
    assert_eq!((error.code(), error.sqlstate()), (codes::SSL_CONNECTION_ERROR, *b"HY000"));
    error.to_string()
}

fn by_ca(verify: Verify, ca_file: PathBuf) -> TlsOptions {
    TlsOptions { verify, ca_file: Some(ca_file), ..TlsOptions::default() }
}

#[test]
fn a_certificate_is_verified_by_its_ca() {
    for server in Server::with(Feature::CertificateFiles) {
        let (right, wrong) = (server.certificate("ca"), PathBuf::from(OTHER_CA));
        for address in server.addresses() {
            let version = connect(&server, address.clone(), by_ca(Verify::Ca, right.clone()));
            assert_eq!(version.unwrap(), "TLSv1.3", "{}", server.name);
            for verify in [Verify::Ca, Verify::Identity] {
                let reason = refusal(&server, address.clone(), by_ca(verify, wrong.clone()));
                let is_about_ca = ["not signed by a known CA", "leads to a CA that is not known"];
                assert!(is_about_ca.iter().any(|text| reason.contains(text)), "{reason}");
            }
        }
        let system = TlsOptions { verify: Verify::Ca, ..TlsOptions::default() };
        refusal(&server, server.tcp(), system);
    }
}

#[test]
fn a_certificate_is_verified_to_be_the_hosts() {
    let check = |server: &Server, address: Address, is_for_host: bool| {
        let tls = by_ca(Verify::Identity, server.certificate("ca"));
        if is_for_host {
            connect(server, address, tls).unwrap();
        } else {
            let reason = refusal(server, address, tls);
            assert!(reason.contains("for another host"), "{}: {reason}", server.name);
        }
    };
    for server in Server::with(Feature::CertificateFiles) {
        let Address::Tcp { port, .. } = server.tcp() else { panic!("an address of TCP") };
        let at = |host: &str| Address::Tcp { host: host.to_owned(), port };
        let has_name = server.has(Feature::CertificateForHost);
        for address in [server.tcp(), at("localhost"), server.unix()] {
            check(&server, address, has_name);
        }
        // Another spelling of the same address, which only the resolver reads.
        check(&server, at("127.1"), false);
    }
}

/// An account may ask for a certificate of the client's.
#[test]
fn a_server_gets_the_certificate_that_it_requires() {
    for server in Server::with(Feature::CertificateFiles) {
        let mut admin = server.connect();
        drop_user(&mut admin, "tls_x509", "%");
        run(&mut admin, "CREATE USER tls_x509@'%' IDENTIFIED BY 'secret' REQUIRE X509");
        let log_in = |with_certificate: bool| {
            let mut options = server.options(server.tcp());
            options.user = b"tls_x509".to_vec();
            options.password = b"secret".into();
            options.database = None;
            let file = |name| with_certificate.then(|| server.certificate(name));
            let (certificate, key) = (file("client-cert"), file("client-key"));
            options.tls = Some(TlsOptions {
                certificate,
                key,
                ..by_ca(Verify::Ca, server.certificate("ca"))
            });
            Connection::connect(&options)
        };
        let name = text(&mut log_in(true).unwrap(), "SELECT CURRENT_USER()");
        assert_eq!(name, "tls_x509@%", "{}", server.name);
        assert_eq!(log_in(false).unwrap_err().code(), 1045, "{}", server.name);
        drop_user(&mut admin, "tls_x509", "%");
    }
}

#[test]
fn a_server_without_tls_is_not_spoken_to() {
    for server in Server::all().into_iter().filter(|server| !server.has(Feature::Tls)) {
        let mut options = server.options(server.tcp());
        options.tls = unverified();
        let error = Connection::connect(&options).unwrap_err();
        assert!(matches!(error, Error::Tls(_)), "{error:?}");
        assert_eq!(error.code(), codes::SSL_CONNECTION_ERROR);
    }
}
