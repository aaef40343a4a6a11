//! How connections end: what either side says then, and what it does not.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

mod fake;

use std::sync::Arc;
use std::time::Instant;

use fake::{Over, PATIENCE};
use vaquita_client::{Connection, State, codes};
use vaquita_fake_server::{Compression, Delivery, Ending, Script, named};

#[test]
fn a_closed_connection_has_said_goodbye_once() {
    let script = Arc::new(named::by_name("login-only").unwrap().script());
    let server = fake::serve(&script, Over::Tcp, Delivery::WHOLE);
    let mut connection = Connection::connect(&fake::options(&server)).unwrap();
    assert_eq!(connection.capabilities().low(), 0x001A_A285);
    connection.close();
    connection.close();
    assert_eq!(connection.state(), State::QuitSent);
    drop(connection);
    let recording = server.finish().unwrap();
    assert_eq!((recording.ending, &recording.rest[..]), (Ending::Played, &b"\x01\0\0\0\x01"[..]));
}

#[test]
fn what_a_server_says_as_it_goes_is_kept() {
    let script = Arc::new(named::by_name("goodbye").unwrap().script());
    let server = fake::serve(&script, Over::Tcp, Delivery::WHOLE);
    let mut connection = Connection::connect(&fake::options(&server)).unwrap();
    connection.send_query(b"SELECT 1").unwrap();
    let error = connection.read_query_response().expect_err("the connection is gone");
    assert_eq!((error.code(), connection.state()), (2006, State::Broken));
    let goodbye = error.goodbye().unwrap();
    assert_eq!((goodbye.code, &goodbye.sqlstate), (4031, b"HY000"));
    assert!(goodbye.message.starts_with(b"The client was disconnected"));
}

/// What a server said too much is here, or nobody waits for the rest of it.
#[test]
fn what_nobody_asked_for_is_not_waited_for() {
    // An OK packet has 11 bytes: the stray one comes in the same compressed packet, or in one of its own.
    let compressions = [Compression::Stored(100), Compression::Stored(11), Compression::Zstd];
    for compression in compressions.map(Some).into_iter().chain([None]) {
        // Less than a header, and less than the error that a header announces.
        for (says_more, stray) in
            [false, true].into_iter().flat_map(|it| [(it, &[0][..]), (it, &[9, 0, 0, 0, 0xFF])])
        {
            let script = Script::logged_in().ping().send_raw(stray);
            let script = Arc::new(match compression {
                Some(how) => script.compressed(how),
                None => script,
            });
            let server = fake::serve(&script, Over::Tcp, Delivery::WHOLE);
            let mut options = fake::options(&server);
            options.compression = fake::algorithm(compression).into_iter().collect();
            let mut connection = Connection::connect(&options).unwrap();
            connection.ping().unwrap();
            let begun = Instant::now();
            if says_more {
                let error = connection.ping().unwrap_err();
                assert_eq!(error.code(), codes::MALFORMED_PACKET, "{compression:?}: {error}");
            }
            drop(connection);
            assert!(begun.elapsed() < PATIENCE / 2, "{compression:?}: {:?}", begun.elapsed());
            assert_eq!(server.finish().unwrap().packets.len(), 2);
        }
    }
}

/// A server in the middle of a result would take COM_QUIT for something else, or never read it.
#[test]
fn a_connection_closed_in_mid_result_says_nothing() {
    let script = Arc::new(named::by_name("missing-end").unwrap().script());
    for reading in [false, true] {
        let server = fake::serve(&script, Over::Tcp, Delivery::WHOLE);
        let mut connection = Connection::connect(&fake::options(&server)).unwrap();
        connection.send_query(b"SELECT 1").unwrap();
        if reading {
            connection.read_query_response().unwrap();
            assert!(connection.next_row().unwrap().is_some());
        }
        drop(connection);
        let recording = server.finish().unwrap();
        assert_eq!((recording.ending, recording.rest), (Ending::Played, vec![]));
    }
}
