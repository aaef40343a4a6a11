//! TLS with real servers.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

mod servers;

use servers::{Feature, Server, rows, run};
use vaquita_client::{Connection, Error, TlsOptions, Verify, codes};

fn unverified() -> Option<TlsOptions> {
    Some(TlsOptions { verify: Verify::None, ..TlsOptions::default() })
}

#[test]
fn large_and_small_packets_travel_in_records() {
    for server in Server::with(Feature::Tls) {
        for address in server.addresses() {
            let mut options = server.options(address);
            options.tls = unverified();
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
