//! What may happen before, in and after the beginning of TLS.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

mod fake;
mod tls_peer;

use std::sync::Arc;
use std::time::{Duration, Instant};

use fake::Over;
use rustls::version::{TLS12, TLS13};
use tls_peer::{End, Peer, Plan, packet};
use vaquita_client::{Capabilities, Connection, Error, QueryResponse, State, TlsOptions, Verify};
use vaquita_fake_server::{Delivery, Recording, Script, packets};

const VERSIONS: [&rustls::SupportedProtocolVersion; 2] = [&TLS12, &TLS13];

fn plan(version: &'static rustls::SupportedProtocolVersion) -> Plan {
    Plan {
        version,
        cut: usize::MAX,
        piece_bytes: usize::MAX,
        answer: Vec::new(),
        end: End::CloseNotify,
    }
}

/// Connects to a server that does not get as far as TLS; the error's text, and what the server heard.
fn refuse(script: Script, limit: Duration) -> (String, Recording) {
    let server = fake::serve(&Arc::new(script), Over::Tcp, Delivery::WHOLE);
    let mut options = fake::options(&server);
    options.user = b"somebody".to_vec();
    options.connect_timeout = Some(limit);
    options.tls = Some(TlsOptions { verify: Verify::None, ..TlsOptions::default() });
    let error = Connection::connect(&options).unwrap_err();
    assert!(matches!(error, Error::Tls(_)), "{error:?}");
    let recording = server.finish().unwrap();
    let heard: Vec<u8> = recording.packets.iter().flat_map(|it| it.payload.clone()).collect();
    for heard in [&heard, &recording.rest] {
        assert!(!heard.windows(8).any(|bytes| bytes == b"somebody"), "{recording:?}");
    }
    (error.to_string(), recording)
}

fn offering() -> Script {
    let offered = packets::OFFERED | Capabilities::SSL;
    Script::new().send(packets::greeting(offered, "mysql_native_password"))
}

#[test]
fn a_server_that_does_not_offer_tls_hears_nothing() {
    let script = Script::new().send(packets::greeting(
        packets::OFFERED.without(Capabilities::SSL),
        "mysql_native_password",
    ));
    let (error, recording) = refuse(script, fake::PATIENCE);
    assert!(error.ends_with("the server does not offer TLS"), "{error}");
    assert!(recording.packets.is_empty() && recording.rest.is_empty(), "{recording:?}");
}

/// Whoever sits between could put something in front of what the server says in TLS.
#[test]
fn what_came_in_plain_text_is_not_believed() {
    let ok = packet(2, &packets::ok(packets::AUTOCOMMIT).bytes());
    let (error, _) = refuse(offering().send_raw(ok.clone()), fake::PATIENCE);
    assert!(error.contains("before TLS"), "{error}");
    for plain in [
        ok,
        packet(2, &packets::err(1045, b"28000", "Access denied").bytes()),
        packet(2, &packets::auth_switch("mysql_clear_password", b"").bytes()),
        vec![0; 100],
        vec![0xFF; 100],
        // A record of TLS with an alert in it, and one that is too long.
        vec![0x15, 3, 3, 0, 2, 2, 40],
        vec![0x16, 3, 3, 0xFF, 0xFF, 1, 2, 3],
    ] {
        let (error, _) = refuse(offering().expect_packet().send_raw(plain).close(), fake::PATIENCE);
        assert!(!error.contains("Access denied"), "{error}");
    }
}

/// What a server says in the place of its greeting is shown, for it may be true, but marked where the server was to be verified.
#[test]
fn an_error_in_the_place_of_the_greeting_is_marked() {
    let message = |verify| {
        let script = Script::new().send(packets::err(1040, b"08004", "Too many connections"));
        let server = fake::serve(&Arc::new(script), Over::Tcp, Delivery::WHOLE);
        let mut options = fake::options(&server);
        options.tls = Some(TlsOptions { verify, ..TlsOptions::default() });
        let error = Connection::connect(&options).unwrap_err();
        assert_eq!(error.code(), 1040);
        String::from_utf8(error.message().into_owned()).unwrap()
    };
    assert_eq!(message(Verify::None), "Too many connections");
    for verify in [Verify::Ca, Verify::Identity] {
        assert!(message(verify).starts_with("Too many connections (said before TLS"), "{verify:?}");
    }
}

#[test]
fn a_handshake_has_the_time_of_connecting() {
    let limit = fake::TIME_LIMIT;
    for said in [&b""[..], &[0x16, 3, 3, 0, 100, 2]] {
        let begun = Instant::now();
        let script = offering().expect_packet().send_raw(said);
        let (error, _) = refuse(script, limit);
        assert!(error.ends_with("timed out"), "{error}");
        assert!(begun.elapsed() >= limit && begun.elapsed() < fake::PATIENCE, "{error}");
    }
}

#[test]
fn a_server_that_breaks_off_anywhere_is_an_error() {
    for version in VERSIONS {
        let peer = Peer::start(plan(version));
        Connection::connect(&peer.options()).unwrap().close();
        let whole = peer.finish().sent_bytes;
        // Signatures differ in length by a few bytes.
        for cut in 0..whole + 4 {
            let peer = Peer::start(Plan { cut, ..plan(version) });
            let outcome = Connection::connect(&peer.options());
            let connected = outcome.is_ok();
            drop(outcome);
            let is_whole = peer.finish().is_whole;
            assert_eq!(connected, is_whole, "{version:?} cut after {cut} of {whole} bytes");
            assert!(connected == (cut >= whole) || cut.abs_diff(whole) < 4, "{version:?} {cut}");
        }
    }
}

#[test]
fn one_byte_a_write_is_enough() {
    for version in VERSIONS {
        let peer = Peer::start(Plan { piece_bytes: 1, ..plan(version) });
        let mut connection = Connection::connect(&peer.options()).unwrap();
        connection.close();
        assert!(peer.finish().has_goodbye, "{version:?}");
    }
}

/// The certificate stands for itself.
#[test]
fn a_known_certificate_is_verified() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls_peer/cert.pem");
    for version in VERSIONS {
        let peer = Peer::start(plan(version));
        let mut options = peer.options();
        let ca_file = Some(path.into());
        options.tls = Some(TlsOptions { ca_file, ..TlsOptions::default() });
        Connection::connect(&options).unwrap();
        peer.finish();
    }
}

#[test]
fn an_end_in_the_midst_of_an_answer_is_an_error() {
    let whole = packet(1, &packets::ok(packets::AUTOCOMMIT).bytes());
    for version in VERSIONS {
        for end in [End::CloseNotify, End::Lingering, End::Gone] {
            for length in [1, 4, whole.len() - 1, whole.len()] {
                let answer = whole[..length].to_vec();
                let peer = Peer::start(Plan { answer, end, ..plan(version) });
                let mut connection = Connection::connect(&peer.options()).unwrap();
                connection.send_query(b"DO 1").unwrap();
                let response = connection.read_query_response();
                if length == whole.len() {
                    assert!(matches!(response, Ok(QueryResponse::Ok)), "{end:?}");
                    connection.close();
                } else {
                    let error = response.unwrap_err();
                    let Error::Io { error: cause, .. } = &error else { panic!("{error:?}") };
                    assert_ne!(cause.kind(), std::io::ErrorKind::TimedOut, "{end:?}");
                    assert_eq!(connection.state(), State::Broken);
                }
                drop(connection);
                peer.finish();
            }
        }
    }
}

/// A low level is about certificates only.
#[test]
fn a_low_level_leaves_tls_1_3() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls_peer/cert.pem");
    for (ciphers, verify) in [
        ("ALL:@SECLEVEL=0", Verify::None),
        ("ALL:@SECLEVEL=1", Verify::Identity),
        ("TLS_AES_256_GCM_SHA384:@SECLEVEL=1", Verify::Identity),
    ] {
        let peer = Peer::start(plan(&TLS13));
        let mut options = peer.options();
        let (ca_file, ciphers) = (Some(path.into()), Some(ciphers.to_owned()));
        options.tls = Some(TlsOptions { verify, ca_file, ciphers, ..TlsOptions::default() });
        Connection::connect(&options).unwrap();
        peer.finish();
    }
}
