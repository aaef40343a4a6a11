//! Persistent connections against scripted servers: what is sent when one is given back and taken, and servers that do not want that.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

mod fake;

use std::sync::Arc;

use fake::Over;
use vaquita_client::{ConnectOptions, Connection, Pool, PoolCheck, PoolLimits, PoolStats};
use vaquita_fake_server::packets::{AUTOCOMMIT, column, column_count, eof, err, ok, row};
use vaquita_fake_server::{Delivery, FakeServer, Script};
use vaquita_protocol::{ColumnType, Command, StatusFlags};

/// Gives back a connection that was used to a server that goes on so, and asks for it again: whether it comes, and the packets since the log-in.
fn hand_on(script: Script) -> (bool, PoolStats, Vec<Vec<u8>>) {
    let server = fake::serve(&Arc::new(script), Over::Unix, Delivery::WHOLE);
    let options = ConnectOptions { is_persistent: true, ..fake::options(&server) };
    let mut pool = Pool::default();
    let mut connection = Connection::connect(&options).unwrap();
    connection.send_query(b"DO 1").unwrap();
    connection.read_query_response().unwrap();
    let lease = pool.lease();
    pool.give(lease, Some(connection.into()), &PoolLimits::default());
    let is_taken = pool.take(&options, &PoolLimits::default()).is_some();
    (is_taken, pool.stats(), sent(server))
}

fn sent(server: FakeServer) -> Vec<Vec<u8>> {
    let recording = server.finish().unwrap();
    recording.packets.into_iter().skip(1).map(|packet| packet.payload).collect()
}

fn used() -> Script {
    Script::queried().send(ok(AUTOCOMMIT))
}

#[test]
fn nothing_is_sent_behind_a_reset_that_was_never_answered() {
    let script = used()
        .expect_query()
        .send(ok(AUTOCOMMIT))
        .expect_query()
        .send(ok(AUTOCOMMIT))
        .expect_command(Command::ResetConnection)
        .send(ok(AUTOCOMMIT))
        .expect_query();
    let (is_taken, _, sent) = hand_on(script.close());
    assert!(!is_taken);
    assert_eq!(sent[1..4], [&b"\x03ROLLBACK"[..], b"\x03UNLOCK TABLES", b"\x1F"]);
    assert!(sent[4].starts_with(b"\x03SELECT @@init_connect"), "{}", sent[4].escape_ascii());
}

#[test]
fn a_connection_that_can_not_be_handed_on_is_closed() {
    let check = |script: Script| {
        let (is_taken, stats, _) = hand_on(script);
        assert!(!is_taken);
        // Dead when it was given back, or later.
        assert_eq!((stats.hits, stats.misses), (0, 1));
        assert_eq!(stats.resets, stats.replaced);
    };
    check(used().expect_packet().close());
    check(used().expect_packet().reset());
    check(used().expect_packet().send(err(1045, b"28000", "Access denied")).close());
    // Unasked: what a MySQL server says to a connection that was idle for too long.
    check(
        used()
            .expect_packet()
            .send(err(4031, b"HY000", "disconnected because of inactivity"))
            .close(),
    );
    check(used().close());
}

#[test]
fn who_awaits_the_end_of_a_session_keeps_nothing_that_dies_in_it() {
    for (awaits_end, idle) in [(false, 1), (true, 0)] {
        let script = used().expect_query().close();
        let server = fake::serve(&Arc::new(script), Over::Unix, Delivery::WHOLE);
        let options = ConnectOptions { is_persistent: true, ..fake::options(&server) };
        let mut connection = Connection::connect(&options).unwrap();
        connection.send_query(b"DO 1").unwrap();
        connection.read_query_response().unwrap();
        let mut pool = Pool::default();
        let lease = pool.lease();
        pool.give(
            lease,
            Some(connection.into()),
            &PoolLimits { awaits_end, ..PoolLimits::default() },
        );
        assert_eq!((pool.idle(), pool.stats().replaced), (idle, 1 - idle as u64));
    }
}

#[test]
fn a_connection_that_was_not_made_to_be_handed_on_is_not() {
    for is_persistent in [false, true] {
        let script = used().expect_packet().close();
        let server = fake::serve(&Arc::new(script), Over::Unix, Delivery::WHOLE);
        let options = ConnectOptions { is_persistent, ..fake::options(&server) };
        let mut connection = Connection::connect(&options).unwrap();
        connection.send_query(b"DO 1").unwrap();
        connection.read_query_response().unwrap();
        assert_eq!(connection.release(None), is_persistent);
    }
}

#[test]
fn escaping_goes_by_the_new_session_before_the_server_has_said_a_word_of_it() {
    let unsafe_status = AUTOCOMMIT.with(StatusFlags::NO_BACKSLASH_ESCAPES);
    let columns = [(); 6].map(|()| column("", ColumnType::VAR_STRING));
    let charset: &[u8] = b"utf8mb4";
    let collation: &[u8] = b"utf8mb4_general_ci";
    let learnt = [b"", charset, charset, collation, collation, b"0"].map(Some);
    let script = used()
        .expect_query()
        .send(ok(AUTOCOMMIT))
        .expect_query()
        .send(ok(AUTOCOMMIT))
        .expect_command(Command::ResetConnection)
        .send(ok(AUTOCOMMIT))
        .expect_query()
        .send(column_count(6))
        .send_all(columns)
        .send(eof(AUTOCOMMIT))
        .send(row(&learnt))
        .send(eof(AUTOCOMMIT))
        .expect_command(Command::ResetConnection)
        .send(ok(AUTOCOMMIT))
        .expect_query()
        .send(ok(AUTOCOMMIT))
        .expect_query()
        .send(ok(unsafe_status))
        // The reset and the role are not answered; what comes then is the goodbye.
        .expect_packet()
        .expect_packet()
        .expect_packet();
    let server = fake::serve(&Arc::new(script.close()), Over::Unix, Delivery::WHOLE);
    let options = ConnectOptions { is_persistent: true, ..fake::options(&server) };
    let mut connection = Connection::connect(&options).unwrap();
    for sql in [&b"DO 1"[..], b"SET sql_mode = 'NO_BACKSLASH_ESCAPES'"] {
        connection.send_query(sql).unwrap();
        connection.read_query_response().unwrap();
        assert!(connection.release(None));
        connection.resume(PoolCheck::Peek).unwrap();
    }
    assert_eq!(connection.escape(b"\\'"), b"\\\\\\'");
}
