//! Servers that send without end within TLS, in the midst of a result, what is no byte of it: an error, soon, and a broken connection.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

mod sealed_peer;

use std::time::{Duration, Instant};

use rustls::SupportedProtocolVersion;
use rustls::version::{TLS12, TLS13};
use sealed_peer::{ALERT, APPLICATION_DATA, Flood, HANDSHAKE, Peer};
use vaquita_client::{Connection, Error, QueryResponse, State};

/// A third of what the peer waits for a client at the most.
const SOON: Duration = Duration::from_secs(10);

/// The client has read a row when the flood comes; gives the error of the next one.
fn meet(version: &'static SupportedProtocolVersion, flood: Flood) -> String {
    let peer = Peer::start(version, flood);
    let mut connection = Connection::connect(&peer.options()).unwrap();
    connection.send_query(b"SELECT 1").unwrap();
    assert!(matches!(connection.read_query_response(), Ok(QueryResponse::ResultSet(_))));
    assert!(connection.next_row().unwrap().is_some());
    let begun = Instant::now();
    let error = connection.next_row().map(|row| row.is_some()).unwrap_err();
    assert!(begun.elapsed() < SOON, "{error:?} took {:?}", begun.elapsed());
    assert_eq!(connection.state(), State::Broken, "{error:?}");
    drop(connection);
    let ended = peer.finish();
    let Error::Io { error: cause, .. } = &error else { panic!("{error:?}") };
    assert!(ended, "the client read to the end of the flood: {error:?}");
    cause.to_string()
}

const NOTHING: &str = "the server sends nothing but what TLS needs for itself";

#[test]
fn empty_records_have_an_end() {
    for version in [&TLS12, &TLS13] {
        let error = meet(version, Flood::Records(|| vec![(APPLICATION_DATA, Vec::new())]));
        assert!(error.contains("TooManyEmptyFragments"), "{version:?}: {error}");
    }
}

#[test]
fn tickets_have_an_end() {
    assert_eq!(meet(&TLS13, Flood::Records(|| vec![(HANDSHAKE, ticket())])), NOTHING);
}

/// Each piece is a record of one byte.
#[test]
fn tickets_in_pieces_have_an_end() {
    let pieces = || ticket().into_iter().map(|byte| (HANDSHAKE, vec![byte])).collect();
    assert_eq!(meet(&TLS13, Flood::Records(pieces)), NOTHING);
}

#[test]
fn updates_of_keys_have_an_end() {
    let error = meet(&TLS13, Flood::KeyUpdates);
    assert!(error.contains("TooManyKeyUpdateRequests"), "{error}");
}

/// A server may ask once to begin anew, and is told no.
#[test]
fn renegotiation_has_an_end() {
    let error = meet(&TLS12, Flood::Records(|| vec![(HANDSHAKE, message(0, &[]))]));
    assert!(error.contains("TooManyRenegotiationRequests"), "{error}");
}

#[test]
fn warnings_have_an_end() {
    let error = meet(&TLS12, Flood::Records(|| vec![(ALERT, vec![1, 100])]));
    assert!(error.contains("TooManyWarningAlertsReceived"), "{error}");
    meet(&TLS13, Flood::Records(|| vec![(ALERT, vec![1, 100])]));
}

#[test]
fn a_message_of_16_mib_is_not_awaited() {
    for version in [&TLS12, &TLS13] {
        let piece = || vec![(HANDSHAKE, [&[4, 0xFF, 0xFF, 0xFF][..], &[0; 16_000]].concat())];
        meet(version, Flood::Records(piece));
    }
}

/// The row before it is good, and the error is not awaited from a server that says nothing more.
#[test]
fn an_error_behind_an_answer_comes_at_once() {
    let forged = &[
        APPLICATION_DATA,
        3,
        3,
        0,
        32,
        1,
        2,
        3,
        4,
        5,
        6,
        7,
        8,
        1,
        2,
        3,
        4,
        5,
        6,
        7,
        8,
        1,
        2,
        3,
        4,
        5,
        6,
        7,
        8,
        1,
        2,
        3,
        4,
        5,
        6,
        7,
        8,
    ];
    for version in [&TLS12, &TLS13] {
        assert_eq!(meet(version, Flood::Once(forged)), "cannot decrypt peer's message");
        meet(version, Flood::Once(&[99, 3, 3, 0, 1, 1]));
        meet(version, Flood::Once(&[ALERT, 3, 3, 0xFF, 0xFF]));
    }
}

/// A message of a handshake.
fn message(kind: u8, body: &[u8]) -> Vec<u8> {
    let length = u8::try_from(body.len()).unwrap();
    [&[kind, 0, 0, length], body].concat()
}

/// A NewSessionTicket: lifetime, age, nonce, ticket, extensions.
fn ticket() -> Vec<u8> {
    message(4, &[&[0, 0, 0, 60, 1, 2, 3, 4, 1, 9, 0, 32][..], &[7; 32], &[0, 0]].concat())
}
