//! The table of hostile scripts: each is one clear error with its documented number, at once, and a broken connection.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

mod fake;

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use fake::{Over, PASSWORD, PATIENCE, Reading, TIME_LIMIT};
use vaquita_client::{CleartextPassword, Connection, Error, QueryResponse, Row, State, codes};
use vaquita_fake_server::named::{self, Deed, Expected, Outcome, Stage};
use vaquita_fake_server::{Compression, Delivery, Ending, NamedScript, Recording, Script, packets};

/// COM_QUIT as it is sent.
const QUIT: &[u8] = b"\x01\0\0\0\x01";
/// The same, compressed: in a packet that is too short for it.
const COMPRESSED_QUIT: &[u8] = b"\x05\0\0\0\0\0\0\x01\0\0\0\x01";
/// Packets that hold nothing whole.
const TINY: Compression = Compression::Stored(5);
/// From here on a script is not sent byte by byte, but in pieces of a page.
const LARGE_BYTES: usize = 256 << 10;

#[derive(Clone, Copy)]
struct Mode {
    over: Over,
    delivery: Delivery,
    reading: Reading,
    compression: Option<Compression>,
}

#[test]
fn each_script_whole() {
    let mode = |over, reading| Mode { over, delivery: Delivery::WHOLE, reading, compression: None };
    check_all(mode(Over::Tcp, Reading::OneByOne));
    check_all(mode(Over::Unix, Reading::Stored));
    check_all(mode(Over::Unix, Reading::Discarded));
}

#[test]
fn each_script_byte_by_byte() {
    let mode =
        |over, reading| Mode { over, delivery: Delivery::ONE_BYTE, reading, compression: None };
    check_all(mode(Over::Tcp, Reading::Stored));
    check_all(mode(Over::Unix, Reading::OneByOne));
}

#[test]
fn each_script_late() {
    let delivery = Delivery::delayed(Duration::from_millis(1));
    check_all(Mode { over: Over::Tcp, delivery, reading: Reading::OneByOne, compression: None });
}

/// What is wrong with a script is as wrong in a compressed packet, or in many.
#[test]
fn each_script_compressed() {
    for (compression, reading) in [
        (Compression::Zlib, Reading::OneByOne),
        (Compression::Zlib, Reading::Stored),
        (Compression::Zstd, Reading::Stored),
        (TINY, Reading::Discarded),
    ] {
        let delivery = Delivery::WHOLE;
        check_all(Mode { over: Over::Tcp, delivery, reading, compression: Some(compression) });
    }
}

#[test]
fn each_script_compressed_byte_by_byte() {
    for compression in [Compression::Zlib, Compression::Zstd] {
        let (over, delivery, reading) = (Over::Unix, Delivery::ONE_BYTE, Reading::OneByOne);
        check_all(Mode { over, delivery, reading, compression: Some(compression) });
    }
}

/// Plays all scripts at once, as some of them are about waiting.
fn check_all(mode: Mode) {
    let failed: Vec<_> = thread::scope(|scope| {
        let running: Vec<_> = fake::hostile()
            .map(|(named, stage, outcome)| {
                let all = move || {
                    for script in named.scripts() {
                        check(named, script, stage, outcome, mode);
                    }
                };
                (named.name, scope.spawn(all))
            })
            .collect();
        running
            .into_iter()
            .filter_map(|(name, thread)| thread.join().is_err().then_some(name))
            .collect()
    });
    assert!(failed.is_empty(), "these scripts did not end as they should: {failed:?}");
}

fn check(named: &NamedScript, plain: Script, stage: Stage, outcome: Outcome, mode: Mode) {
    let name = named.name;
    let mut script = plain.clone();
    if let Some(compression) = mode.compression {
        script = script.compressed(compression);
        // The ids of packets inside of compressed ones are not checked, as servers take them from those.
        let is_about_id = named.name == "max-packet-wrong-sequence-id";
        // Millions of packets take their time.
        let is_long = compression == TINY && script.payload_bytes() > LARGE_BYTES;
        if stage == Stage::Connect || script == plain || is_about_id || is_long {
            return;
        }
    }
    let script = Arc::new(script);
    let delivery = match NonZeroUsize::new(4096) {
        Some(page) if script.payload_bytes() > LARGE_BYTES && mode.delivery != Delivery::WHOLE => {
            Delivery::pieces(page)
        }
        _ => mode.delivery,
    };
    // Over a unix socket no key is needed.
    let over = if name == "cut-auth-key" { Over::Tcp } else { mode.over };
    let server = fake::serve(&script, over, delivery);
    let mut options = fake::options_for(named, &server);
    // By default a server behind a unix socket gets the password if it asks, for it is known to be the right one.
    options.cleartext_password = CleartextPassword::Off;
    options.compression = fake::algorithm(mode.compression).into_iter().collect();
    let begun = Instant::now();
    let (failed, connection) = match Connection::connect(&options) {
        Err(error) => ((Stage::Connect, error), None),
        Ok(mut connection) => {
            let failed = fake::query(&mut connection, mode.reading);
            (failed.expect_err(name), Some(connection))
        }
    };
    let took = begun.elapsed();
    let (failed_stage, error) = failed;
    assert_eq!(failed_stage, stage, "{name}: {error:?}");
    assert_error(name, &error, outcome);
    assert!(took < PATIENCE / 2, "{name} took {took:?}");
    if outcome == Outcome::TimedOut {
        assert!(took >= TIME_LIMIT, "{name} took {took:?}");
    }
    let is_broken = connection.is_some_and(|connection| is_broken(name, connection, outcome));
    let quit = if mode.compression.is_some() { COMPRESSED_QUIT } else { QUIT };
    assert_recording(name, &server.finish().unwrap(), stage, is_broken, quit);
}

fn assert_error(name: &str, error: &Error, outcome: Outcome) {
    assert_eq!(error.code(), outcome.code(), "{name}: {error:?}");
    assert_eq!(error.message().is_empty(), name == "err-without-message", "{name}");
    let is_timeout = matches!(error, Error::Io { error, .. }
        if error.kind() == std::io::ErrorKind::TimedOut);
    assert_eq!(is_timeout, outcome == Outcome::TimedOut, "{name}: {error:?}");
    assert!(!error.nothing_sent(), "{name}: {error:?}");
    let expected = match outcome {
        Outcome::Malformed => matches!(error, Error::Malformed(_)),
        Outcome::Gone | Outcome::TimedOut => matches!(error, Error::Io { .. }),
        Outcome::Unsupported => matches!(error, Error::Auth { .. } | Error::Unsupported(_)),
        Outcome::NoKey | Outcome::PluginError => matches!(error, Error::Auth { .. }),
        Outcome::FileRefused => matches!(error, Error::LocalInfileRefused(_)),
        Outcome::TooLarge => matches!(error, Error::ResultTooLarge { .. }),
        Outcome::NoTls => matches!(error, Error::Tls(_)),
        // A refused login is an error of its own.
        Outcome::Refused(_) => matches!(error, Error::Server { .. } | Error::Auth { .. }),
    };
    assert!(expected, "{name}: {error:?}");
    let state = match outcome {
        Outcome::Refused(1040) => b"08004",
        Outcome::Refused(1045) => b"28000",
        Outcome::Refused(1064) if name == "message-sqlstate-escapes" => b"\x1B[2J\0",
        Outcome::Refused(1064 | 1148) => b"42000",
        Outcome::Refused(1317) => b"70100",
        _ => b"HY000",
    };
    assert_eq!(&error.sqlstate(), state, "{name}");
}

/// Whether the connection is broken, as the outcome demands, and behaves so; if not, it must work.
fn is_broken(name: &str, mut connection: Connection, outcome: Outcome) -> bool {
    assert!(connection.current_row().is_none(), "{name}");
    if !outcome.breaks_connection() {
        assert_eq!(connection.state(), State::Ready, "{name}");
        connection.ping().expect(name);
        return false;
    }
    assert_eq!(connection.state(), State::Broken, "{name}");
    let gone = |outcome: Result<(), Error>| {
        let error = outcome.expect_err(name);
        assert_eq!(error.code(), codes::SERVER_GONE_ERROR, "{name}: {error:?}");
        assert!(error.nothing_sent(), "{name}: {error:?}");
    };
    gone(connection.ping());
    gone(connection.send_query(b"SELECT 2"));
    gone(connection.read_query_response().map(drop));
    gone(connection.next_row().map(drop));
    gone(connection.store_result().map(drop));
    gone(connection.discard_result());
    true
}

/// A client that has lost its faith says nothing more, and no script hears the password.
fn assert_recording(name: &str, recording: &Recording, stage: Stage, is_broken: bool, quit: &[u8]) {
    assert!(matches!(recording.ending, Ending::Played | Ending::ClientLeft), "{name}");
    let packets = recording.packets.len();
    let rest = String::from_utf8_lossy(&recording.rest);
    if is_broken {
        assert!(recording.rest.is_empty(), "{name} went on with {rest:?}");
    } else if stage != Stage::Connect {
        assert_eq!(recording.rest, quit, "{name} went on with {rest:?} after {packets} packets");
    }
    let heard = |bytes: &[u8]| bytes.windows(PASSWORD.len()).any(|part| part == PASSWORD);
    assert!(!heard(&recording.rest), "{name} heard the password");
    assert!(!recording.packets.iter().any(|packet| heard(&packet.payload)), "{name}");
}

#[test]
fn no_script_is_forgotten() {
    let fine = |named: &&NamedScript| named.expected == Expected::Fine && named.deed == Deed::Query;
    let fine: Vec<_> = named::all().filter(fine).map(|named| named.name).collect();
    // The first three are played in script_session.rs, the last ones in hostile_deeds.rs.
    let own = ["session", "session-deprecate-eof", "login-only", "ok-extremes"];
    assert_eq!(fine[..4], own);
    assert_eq!((fine[4], fine.len()), ("column-types-unknown", 15));
    let known =
        ["zero-length-packet", "column-count-2^64-1", "column-count-2^40", "zero-length-row"];
    let more = ["too-few-values", "too-many-values", "wrong-sequence-id", "missing-eof"];
    for name in known.into_iter().chain(more) {
        assert!(named::by_name(name).is_some(), "{name} is gone");
    }
}

#[test]
fn the_largest_numbers_are_kept() {
    let script = Arc::new(named::by_name("ok-extremes").unwrap().script());
    let server = fake::serve(&script, Over::Tcp, Delivery::WHOLE);
    let mut connection = Connection::connect(&fake::options(&server)).unwrap();
    connection.send_query(b"SELECT 1").unwrap();
    connection.read_query_response().unwrap();
    let session = connection.session();
    assert_eq!((session.affected_rows, session.last_insert_id), (u64::MAX, u64::MAX));
    assert_eq!(session.warnings, u16::MAX);
    connection.ping().unwrap();
}

#[test]
fn values_of_unknown_types_are_bytes() {
    let script = Arc::new(named::by_name("column-types-unknown").unwrap().script());
    let types = named::columns::unknown_types();
    for reading in [Reading::OneByOne, Reading::Stored] {
        let server = fake::serve(&script, Over::Tcp, Delivery::WHOLE);
        let mut connection = Connection::connect(&fake::options(&server)).unwrap();
        connection.send_query(b"SELECT 1").unwrap();
        let response = connection.read_query_response().unwrap();
        let QueryResponse::ResultSet(columns) = response else { panic!("{response:?}") };
        let sent: Vec<_> = columns.iter().map(|column| column.column_type).collect();
        assert_eq!(sent, types);
        let own = |row: Row<'_>| -> Vec<_> {
            row.values().map(|value| value.unwrap().to_vec()).collect()
        };
        let row = match reading {
            Reading::Stored => own(connection.store_result().unwrap().next_row().unwrap()),
            _ => {
                let row = own(connection.next_row().unwrap().unwrap());
                assert!(connection.next_row().unwrap().is_none());
                row
            }
        };
        let values: Vec<_> = types.iter().map(|it| named::columns::unknown_value(*it)).collect();
        assert_eq!(row, values);
        connection.ping().unwrap();
    }
}

#[test]
fn a_greeting_is_malformed_wherever_it_ends() {
    let whole = packets::greeting(packets::OFFERED, "mysql_native_password").bytes();
    // The name of the plugin may end without its NUL, as in MySQL 5.5.7: its last bytes are not looked for.
    let name = whole.len() - b"mysql_native_password\0".len();
    for length in 0..=name {
        let script = Arc::new(Script::new().send(whole[..length].to_vec()));
        let server = fake::serve(&script, Over::Tcp, Delivery::WHOLE);
        let error = Connection::connect(&fake::options(&server)).unwrap_err();
        assert_eq!(error.code(), codes::MALFORMED_PACKET, "{length} bytes: {error:?}");
        assert!(server.finish().unwrap().packets.is_empty());
    }
}

/// With CLIENT_DEPRECATE_EOF another packet ends the rows; it can be as wrong as EOF.
#[test]
fn the_other_end_of_rows_is_checked_too() {
    let check = |end: Vec<u8>| {
        let script = Script::queried()
            .send(packets::column_count(1))
            .send(packets::column("a", vaquita_client::ColumnType::LONG))
            .send(packets::row(&[Some(b"1")]))
            .send(end.clone());
        for reading in [Reading::OneByOne, Reading::Stored, Reading::Discarded] {
            let server = fake::serve(&Arc::new(script.clone()), Over::Tcp, Delivery::WHOLE);
            let mut options = fake::options(&server);
            options.capabilities = vaquita_client::Capabilities::DEPRECATE_EOF;
            let mut connection = Connection::connect(&options).unwrap();
            let (stage, error) = fake::query(&mut connection, reading).unwrap_err();
            assert_eq!((stage, error.code()), (Stage::Rows, codes::MALFORMED_PACKET), "{end:?}");
            assert_eq!(connection.state(), State::Broken);
        }
    };
    let end = || packets::ok_as_eof(packets::AUTOCOMMIT);
    for field in ["affected_rows", "last_insert_id", "status_flags", "warnings"] {
        check(end().cut_in(field).bytes());
    }
    check(end().field("info", packets::lenenc(u64::MAX)).bytes());
    check(packets::eof(packets::AUTOCOMMIT).bytes());
}

/// It says as much as any OK packet: only a packet that fills the protocol's limit is a row that begins like it.
#[test]
fn the_other_end_of_rows_may_be_long() {
    let text = vec![b'x'; 70_000];
    let end = packets::ok_as_eof(packets::AUTOCOMMIT).field("info", packets::lenenc_bytes(&text));
    let script = Script::queried()
        .send(packets::column_count(1))
        .send(packets::column("a", vaquita_client::ColumnType::LONG))
        .send(packets::row(&[Some(b"1")]))
        .send(end)
        .ping();
    for reading in [Reading::OneByOne, Reading::Stored, Reading::Discarded] {
        let server = fake::serve(&Arc::new(script.clone()), Over::Tcp, Delivery::WHOLE);
        let mut options = fake::options(&server);
        options.capabilities = vaquita_client::Capabilities::DEPRECATE_EOF;
        let mut connection = Connection::connect(&options).unwrap();
        fake::query(&mut connection, reading).unwrap();
        assert_eq!(connection.state(), State::Ready);
        connection.ping().unwrap();
    }
}

/// A key that is none, for a password that has to be encrypted: over TCP, as a unix socket needs no key.
#[test]
fn a_key_that_is_none_gets_no_password() {
    let script = Script::new()
        .send(packets::greeting(packets::OFFERED, "caching_sha2_password"))
        .expect_packet()
        .send(packets::auth_more_data(&[4]))
        .expect_packet()
        .send(packets::auth_more_data(
            b"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----",
        ));
    let server = fake::serve(&Arc::new(script), Over::Tcp, Delivery::WHOLE);
    let error = Connection::connect(&fake::options(&server)).unwrap_err();
    assert_eq!(error.code(), 2000, "{error:?}");
    let recording = server.finish().unwrap();
    let [_, key_request] = &recording.packets[..] else { panic!("{recording:?}") };
    assert_eq!((&key_request.payload[..], key_request.sequence_id), (&[2][..], 3));
    assert_recording("a key", &recording, Stage::Connect, true, QUIT);
}
