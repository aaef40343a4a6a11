//! Persistent connections against scripted servers: what is sent to hand one on, and servers that do not want that.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

mod fake;

use std::sync::Arc;
use std::time::Duration;

use fake::Over;
use vaquita_client::{ConnectOptions, Connection, Pool};
use vaquita_fake_server::packets::{AUTOCOMMIT, auth_switch, err, ok};
use vaquita_fake_server::{Delivery, Ending, FakeServer, Script};
use vaquita_protocol::{Command, SetOption};

/// Gives back a connection to a server that goes on so, and asks for it again: whether it comes, and the packets since the log-in.
fn hand_on(
    script: Script,
    change: impl Fn(&mut ConnectOptions),
    use_it: impl Fn(&mut Connection),
) -> (bool, Vec<Vec<u8>>) {
    let server = fake::serve(&Arc::new(script), Over::Unix, Delivery::WHOLE);
    let mut options = fake::options(&server);
    change(&mut options);
    let mut pool = Pool::default();
    let mut connection = Connection::connect(&options).unwrap();
    use_it(&mut connection);
    let lease = pool.lease(&options, false);
    pool.give(lease, Some(connection));
    assert_eq!(pool.idle(), 1);
    let is_taken = pool.take(&options).is_some();
    assert_eq!(pool.idle(), 0);
    (is_taken, sent(server))
}

fn sent(server: FakeServer) -> Vec<Vec<u8>> {
    let recording = server.finish().unwrap();
    assert_ne!(recording.ending, Ending::TimedOut);
    recording.packets.into_iter().skip(1).map(|packet| packet.payload).collect()
}

const COM_CHANGE_USER: u8 = 0x11;

/// The first packet is COM_CHANGE_USER to the user of the options and their database.
fn check_change(packet: &[u8]) {
    assert_eq!(packet[..4], *b"\x11me\0");
    assert!(packet.windows(5).any(|part| part == b"shop\0"), "{}", packet.escape_ascii());
}

#[test]
fn a_connection_is_handed_on_in_one_round_trip() {
    let script = Script::logged_in().expect_packet().send(ok(AUTOCOMMIT));
    let (is_taken, sent) =
        hand_on(script, |options| options.database = Some(b"shop".to_vec()), |_| ());
    assert!(is_taken);
    assert_eq!(sent.len(), 1);
    check_change(&sent[0]);
}

#[test]
fn what_a_change_of_users_leaves_is_put_back() {
    let script = Script::logged_in()
        .expect_command(Command::SetOption(SetOption::MultiStatementsOn))
        .send(ok(AUTOCOMMIT))
        .expect_command(Command::SetOption(SetOption::MultiStatementsOff))
        .send(ok(AUTOCOMMIT))
        .expect_packet()
        .send(ok(AUTOCOMMIT));
    let (is_taken, sent) = hand_on(
        script,
        |options| options.database = Some(b"shop".to_vec()),
        |connection| connection.set_multi_statements(true).unwrap(),
    );
    assert!(is_taken);
    check_change(&sent[2]);
}

#[test]
fn init_commands_are_sent_again() {
    let script = Script::queried()
        .send(ok(AUTOCOMMIT))
        .expect_packet()
        .send(ok(AUTOCOMMIT))
        .expect_query()
        .send(ok(AUTOCOMMIT));
    let (is_taken, sent) =
        hand_on(script, |options| options.init_commands = vec![b"SET @a = 1".to_vec()], |_| ());
    assert!(is_taken);
    assert_eq!(sent[1][0], COM_CHANGE_USER);
    assert_eq!(sent[2], b"\x03SET @a = 1");
}

#[test]
fn a_connection_that_can_not_be_handed_on_is_closed() {
    let plain = Script::logged_in;
    let check = |script: Script| {
        let (is_taken, _) = hand_on(script, |_| (), |_| ());
        assert!(!is_taken);
    };
    check(plain().expect_packet().send(err(1045, b"28000", "Access denied")).close());
    check(plain().expect_packet().send(err(1047, b"08S01", "Unknown command")).close());
    check(plain().expect_packet().send(auth_switch("no_such_plugin", b"01234567890123456789")));
    check(plain().expect_packet().close());
    check(plain().expect_packet().reset());
    // Unasked: what a MySQL server says to a connection that was idle for too long.
    check(plain().send(err(4031, b"HY000", "disconnected because of inactivity")).close());
    check(plain().close());
}

/// Connecting takes no longer for having been tried on a dead connection first than twice the time it may take.
#[test]
fn a_silent_server_has_the_time_of_connecting() {
    let silent = Script::logged_in().expect_packet();
    let (is_taken, _) = hand_on(
        silent,
        |options| {
            options.connect_timeout = Some(Duration::from_millis(200));
            options.read_timeout = None;
        },
        |_| (),
    );
    assert!(!is_taken);
}
