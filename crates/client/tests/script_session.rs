//! A whole session as it should be, in every delivery: what the client understands, what it sends, and where a cut leaves it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

mod fake;

use std::net::{Ipv4Addr, Ipv6Addr};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use fake::{Over, PATIENCE, Reading};
use vaquita_client::{
    Address, Capabilities, ConnectOptions, Connection, Error, QueryResponse, Row, State, codes,
};
use vaquita_fake_server::named::{self, session};
use vaquita_fake_server::packets::{OFFERED, greeting};
use vaquita_fake_server::{Compression, Delivery, Ending, FakeServer, Recording, Script};

/// What a client learnt from a session, in the order in which it did.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Event {
    Connected { version: Vec<u8>, thread_id: u32 },
    Columns(Vec<Vec<u8>>),
    Row(Vec<Option<Vec<u8>>>),
    EndOfRows { more: bool },
    Changed { rows: u64, id: u64, warnings: u16, info: Vec<u8>, more: bool },
    Done(&'static str),
}

/// What a session should be understood as.
fn expected() -> Vec<Event> {
    let columns =
        |names: &[&str]| Event::Columns(names.iter().map(|name| (*name).into()).collect());
    let own = |value: &Option<&'static [u8]>| value.map(<[u8]>::to_vec);
    let (rows, id, info) = session::CHANGED;
    let mut events = vec![
        Event::Connected { version: b"8.0.99-fake".to_vec(), thread_id: 7 },
        columns(&["id", "name", "data"]),
    ];
    events.extend(session::ROWS.iter().map(|row| Event::Row(row.iter().map(own).collect())));
    events.extend([
        Event::EndOfRows { more: false },
        Event::Done("set_multi_statements"),
        columns(&["a"]),
        Event::Row(vec![Some(b"1".to_vec())]),
        Event::EndOfRows { more: true },
        Event::Changed { rows, id, warnings: 1, info: info.into(), more: true },
        columns(&["a"]),
        Event::EndOfRows { more: false },
        Event::Done("ping"),
    ]);
    events
}

fn own_row(row: Row<'_>) -> Event {
    Event::Row(row.values().map(|value| value.map(<[u8]>::to_vec)).collect())
}

/// Reads all results of one query.
fn read_results(
    connection: &mut Connection,
    reading: Reading,
    events: &mut Vec<Event>,
) -> Result<(), Error> {
    loop {
        match connection.read_query_response()? {
            QueryResponse::Ok => {
                let session = connection.session();
                events.push(Event::Changed {
                    rows: session.affected_rows,
                    id: session.last_insert_id,
                    warnings: session.warnings,
                    info: session.info.clone(),
                    more: connection.more_results(),
                });
            }
            QueryResponse::Cursor(_) => panic!("no cursor was asked for"),
            QueryResponse::LocalInfile(name) => panic!("no file is allowed: {name:?}"),
            QueryResponse::ResultSet(columns) => {
                let names = columns.iter().map(|column| column.name().to_vec()).collect();
                events.push(Event::Columns(names));
                if reading == Reading::Stored {
                    let mut stored = connection.store_result()?;
                    while let Some(row) = stored.next_row() {
                        events.push(own_row(row));
                    }
                } else {
                    while let Some(row) = connection.next_row()? {
                        events.push(own_row(row));
                    }
                }
                events.push(Event::EndOfRows { more: connection.more_results() });
            }
        }
        if !connection.more_results() {
            return Ok(());
        }
    }
}

/// Goes through the session; the events up to the first error are there in any case. Where a connection fails, it is broken.
fn run(options: &ConnectOptions, reading: Reading, events: &mut Vec<Event>) -> Result<(), Error> {
    let mut connection = Connection::connect(options)?;
    let version = connection.server_version().to_vec();
    events.push(Event::Connected { version, thread_id: connection.thread_id() });
    let outcome = converse(&mut connection, reading, events);
    let state = if outcome.is_ok() { State::Ready } else { State::Broken };
    assert_eq!(connection.state(), state, "{outcome:?}");
    outcome
}

fn converse(
    connection: &mut Connection,
    reading: Reading,
    events: &mut Vec<Event>,
) -> Result<(), Error> {
    connection.send_query(b"SELECT id, name, data FROM t")?;
    read_results(connection, reading, events)?;
    connection.set_multi_statements(true)?;
    events.push(Event::Done("set_multi_statements"));
    connection.send_query(b"SELECT 1; UPDATE t; SELECT 2")?;
    read_results(connection, reading, events)?;
    connection.ping()?;
    events.push(Event::Done("ping"));
    Ok(())
}

/// How a session is spoken.
#[derive(Clone, Copy, Debug, Default)]
struct Dialect {
    deprecate_eof: bool,
    compression: Option<Compression>,
}

const DEPRECATE_EOF: Dialect = Dialect { deprecate_eof: true, compression: None };

fn compressed(compression: Compression) -> Dialect {
    Dialect { deprecate_eof: false, compression: Some(compression) }
}

fn script(dialect: Dialect) -> Arc<Script> {
    let name = if dialect.deprecate_eof { "session-deprecate-eof" } else { "session" };
    let script = named::by_name(name).unwrap().script();
    Arc::new(match dialect.compression {
        Some(compression) => script.compressed(compression),
        None => script,
    })
}

/// One session: the events, the outcome, and what the server heard.
fn play(
    script: &Arc<Script>,
    over: Over,
    delivery: Delivery,
    reading: Reading,
    dialect: Dialect,
) -> (Vec<Event>, Result<(), Error>, Recording) {
    let server = fake::serve(script, over, delivery);
    let mut options = fake::options(&server);
    if dialect.deprecate_eof {
        options.capabilities = Capabilities::DEPRECATE_EOF;
    }
    options.compression = fake::algorithm(dialect.compression).into_iter().collect();
    let mut events = Vec::new();
    let outcome = run(&options, reading, &mut events);
    (events, outcome, server.finish().unwrap())
}

#[test]
fn every_delivery_is_understood_the_same() {
    let pieces = |bytes| Delivery::pieces(NonZeroUsize::new(bytes).unwrap());
    let delayed = Delivery::delayed(Duration::from_millis(1));
    let deliveries =
        [Delivery::WHOLE, Delivery::ONE_BYTE, pieces(2), pieces(5), pieces(64), delayed];
    let compressions = [Compression::Stored(3), Compression::Zlib, Compression::Zstd];
    let dialects = [Dialect::default(), DEPRECATE_EOF];
    for dialect in dialects.into_iter().chain(compressions.map(compressed)) {
        let script = script(dialect);
        for delivery in deliveries {
            for over in [Over::Tcp, Over::Unix] {
                for reading in [Reading::OneByOne, Reading::Stored] {
                    let (events, outcome, recording) =
                        play(&script, over, delivery, reading, dialect);
                    assert!(outcome.is_ok(), "{delivery:?}, {dialect:?}: {outcome:?}");
                    assert_eq!(events, expected(), "{delivery:?} over {over:?}, {dialect:?}");
                    assert_eq!(recording.ending, Ending::Played);
                }
            }
        }
    }
}

/// The session, cut after each of its bytes: what came before is understood, then there is one error.
#[test]
fn every_cut_is_one_error() {
    let whole = expected();
    thread::scope(|scope| {
        let compressions = [Compression::Stored(100), Compression::Zlib, Compression::Zstd];
        let dialects = [Dialect::default(), DEPRECATE_EOF];
        for dialect in dialects.into_iter().chain(compressions.map(compressed)) {
            for (over, reading) in [(Over::Tcp, Reading::OneByOne), (Over::Unix, Reading::Stored)] {
                let whole = &whole;
                scope.spawn(move || check_cuts(whole, over, reading, dialect));
            }
        }
    });
}

fn check_cuts(whole: &[Event], over: Over, reading: Reading, dialect: Dialect) {
    let script = script(dialect);
    let (_, _, recording) = play(&script, over, Delivery::WHOLE, reading, dialect);
    let sent_bytes = recording.sent_bytes;
    assert!(sent_bytes > 400, "{sent_bytes} bytes are no session");
    let mut understood = 0;
    for length in 0..=sent_bytes {
        let begun = Instant::now();
        let cut = Delivery::WHOLE.cut_after(length);
        let (events, outcome, recording) = play(&script, over, cut, reading, dialect);
        assert!(begun.elapsed() < PATIENCE / 2, "cut after {length}: {:?}", begun.elapsed());
        assert!(whole.starts_with(&events), "cut after {length}: {events:?}");
        // The end of a compressed packet tells whether it is right, and holds back what came before.
        let is_growing = events.len() >= understood || dialect.compression.is_some();
        assert!(is_growing, "cut after {length}: {events:?}");
        understood = events.len();
        assert_eq!(recording.sent_bytes, length);
        if length == sent_bytes {
            assert!(outcome.is_ok(), "{outcome:?}");
            assert_eq!((recording.ending, understood), (Ending::Played, whole.len()));
            continue;
        }
        assert_eq!(recording.ending, Ending::Cut);
        assert!(recording.rest.is_empty(), "cut after {length}: {recording:?}");
        let error = outcome.expect_err("a cut is an error");
        assert_eq!(error.code(), codes::SERVER_GONE_ERROR, "cut after {length}: {error:?}");
        assert!(matches!(error, Error::Io { nothing_sent: false, .. }), "{error:?}");
    }
}

/// These bytes are what the stock client of PHP sends, but for SESSION_TRACK; its tests, and scripts, rely on them.
#[test]
fn the_client_says_what_is_expected_of_it() {
    let (_, outcome, recording) = play(
        &script(Dialect::default()),
        Over::Tcp,
        Delivery::WHOLE,
        Reading::Stored,
        Dialect::default(),
    );
    outcome.unwrap();
    let sent: Vec<_> =
        recording.packets.iter().map(|packet| (packet.sequence_id, &packet.payload[..])).collect();
    let log_in = [
        // Capabilities 0x009AA285, 3 GiB for a packet, the server's own collation, and 23 bytes of nothing.
        &b"\x85\xA2\x9A\0\0\0\0\xC0\x2D"[..],
        &[0; 23],
        b"me\0",
        // SHA1(password) XOR SHA1(nonce + SHA1(SHA1(password))).
        b"\x14",
        &SCRAMBLE,
        b"mysql_native_password\0",
        b"\x15\x0C_client_name\x07mysqlnd",
    ]
    .concat();
    let expected: [(u8, &[u8]); 6] = [
        (1, &log_in),
        (0, b"\x03SELECT id, name, data FROM t"),
        (0, b"\x1B\0\0"),
        (0, b"\x03SELECT 1; UPDATE t; SELECT 2"),
        (0, b"\x0E"),
        (0, b"\x01"),
    ];
    assert_eq!(sent, expected);
    assert!(recording.rest.is_empty(), "nothing follows COM_QUIT");
}

/// Computed with Python's hashlib, for the password and the nonce of these tests.
const SCRAMBLE: [u8; 20] = [
    0x2D, 0x0E, 0xF2, 0x88, 0xC3, 0xBC, 0x91, 0xB1, 0xEE, 0xF1, 0xF4, 0xDD, 0xF7, 0x2F, 0xA3, 0x75,
    0x5A, 0x52, 0xCD, 0x04,
];

/// Where nobody can listen on ::1, an IPv6 socket reaches a server on IPv4 by its mapped address.
#[test]
fn a_server_on_ipv6_is_reached() {
    let serve = |ip| FakeServer::tcp_on(ip, Script::queried(), Delivery::WHOLE);
    let (server, host) = match serve(Ipv6Addr::LOCALHOST.into()) {
        Ok(server) => (server, "::1"),
        Err(_) => (serve(Ipv4Addr::LOCALHOST.into()).unwrap(), "::ffff:127.0.0.1"),
    };
    let mut options = fake::options(&server);
    let Address::Tcp { host: asked, .. } = &mut options.address else { panic!("a TCP server") };
    *asked = host.to_owned();
    let mut connection = Connection::connect(&options).unwrap();
    assert_eq!(connection.host_info(), format!("{host} via TCP/IP"));
    connection.send_query(b"SELECT 1").unwrap();
    drop(connection);
    assert_eq!(server.finish().unwrap().packets.len(), 2);
}

/// A flag is never asked for where it is not offered, nor is what comes with it sent.
#[test]
fn only_what_is_offered_is_asked_for() {
    let optional = [
        Capabilities::LONG_FLAG,
        Capabilities::LOCAL_FILES,
        Capabilities::TRANSACTIONS,
        Capabilities::MULTI_RESULTS,
        Capabilities::PLUGIN_AUTH,
        Capabilities::CONNECT_ATTRS,
        Capabilities::CONNECT_WITH_DB,
        Capabilities::FOUND_ROWS,
        Capabilities::DEPRECATE_EOF,
    ];
    let log_in = |offered: Capabilities| {
        let script = Script::new().send(greeting(offered, "mysql_native_password")).expect_packet();
        let server = fake::serve(&Arc::new(script.close()), Over::Tcp, Delivery::WHOLE);
        let options = ConnectOptions {
            database: Some(b"test".to_vec()),
            capabilities: Capabilities::from_bits(u64::MAX),
            ..fake::options(&server)
        };
        Connection::connect(&options).unwrap_err();
        let packet = server.finish().unwrap().packets.remove(0);
        let flags = packet.payload.first_chunk().copied().map(u32::from_le_bytes).unwrap();
        (Capabilities::from_bits(flags.into()), packet.payload)
    };
    let (all, _) = log_in(OFFERED);
    for flag in optional {
        assert!(all.contains(flag), "{flag:?} is asked for where it is offered");
        let (asked, payload) = log_in(OFFERED.without(flag));
        assert_eq!(asked, all.without(flag));
        let says = |text: &[u8]| payload.windows(text.len()).any(|part| part == text);
        assert_eq!(says(b"test\0"), flag != Capabilities::CONNECT_WITH_DB);
        assert_eq!(says(b"mysql_native_password"), flag != Capabilities::PLUGIN_AUTH);
        assert_eq!(says(b"_client_name"), flag != Capabilities::CONNECT_ATTRS);
    }
    for never in [Capabilities::SSL, Capabilities::COMPRESS, Capabilities::ZSTD_COMPRESSION] {
        assert!(!log_in(OFFERED | never).0.contains(never), "{never:?} needs more than a flag");
    }
}

#[test]
fn a_statement_beyond_the_limit_is_not_sent() {
    // Zeroed memory that nobody looks at is none.
    let most = vec![0; 1 << 30];
    let server = fake::serve(&Arc::new(Script::logged_in().ping()), Over::Unix, Delivery::WHOLE);
    let mut connection = Connection::connect(&fake::options(&server)).unwrap();
    let error = connection.send_query(&most).unwrap_err();
    assert_eq!((error.code(), connection.state()), (codes::NET_PACKET_TOO_LARGE, State::Ready));
    connection.ping().unwrap();
}
