//! Servers that lie, stutter, stop or say nothing: each is one clear error and a broken connection.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

mod script;

use std::time::{Duration, Instant};

use script::{GREETING, Step, WELCOME, answer, packet, serve};
use vaquita_client::{Connection, Error, QueryResponse, State};

/// What a query's rows were, or the error.
type Outcome = Result<Vec<Vec<Option<Vec<u8>>>>, Error>;

/// Asks a query and reads all rows of its first result, stored or one by one.
fn ask(connection: &mut Connection, store: bool) -> Outcome {
    connection.send_query(b"SELECT 1")?;
    if let QueryResponse::Ok = connection.read_query_response()? {
        return Ok(Vec::new());
    }
    let mut rows = Vec::new();
    let own = |value: Option<&[u8]>| value.map(<[u8]>::to_vec);
    if store {
        let mut stored = connection.store_result()?;
        while let Some(row) = stored.next_row() {
            rows.push(row.values().map(own).collect());
        }
    } else {
        while let Some(row) = connection.next_row()? {
            rows.push(row.values().map(own).collect());
        }
    }
    Ok(rows)
}

/// The definition of an INT column.
const COLUMN: &[u8] = b"\x03def\0\0\0\x011\0\x0C\x3F\0\x01\0\0\0\x03\x81\0\0\0\0";
const EOF: &[u8] = b"\xFE\0\0\x02\0";

/// The reply of packets with these payloads, in order.
fn reply(payloads: &[&[u8]]) -> Vec<u8> {
    (1..).zip(payloads).flat_map(|(id, payload)| packet(id, payload)).collect()
}

/// A result of one column whose rows have these payloads; it has no end.
fn rows_of_one_column(rows: &[&[u8]]) -> Vec<u8> {
    reply(&[&[&b"\x01"[..], COLUMN, EOF], rows].concat())
}

/// This reply is an error of this number that breaks the connection, stored or not.
fn check(what: &str, bytes: &[u8], code: u16) {
    for store in [true, false] {
        let (options, _) = serve(answer(bytes, usize::MAX));
        let mut connection = Connection::connect(&options).unwrap();
        let error = ask(&mut connection, store).expect_err(what);
        assert_eq!(error.code(), code, "{what}: {error:?}");
        assert_eq!(connection.state(), State::Broken, "{what}");
        assert_eq!(connection.ping().unwrap_err().code(), 2006, "{what}");
    }
}

#[test]
fn a_lie_is_a_malformed_packet() {
    let malformed = |what, bytes: &[u8]| check(what, bytes, 2027);
    malformed("an empty packet", &reply(&[b""]));
    malformed("a column count of 2^40", &reply(&[b"\xFE\0\0\0\0\0\x01\0\0"]));
    malformed("a column count of 2^64-1", &reply(&[b"\xFE\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"]));
    malformed("a column count of 0", &reply(&[b"\xFC\0\0"]));
    malformed("a cut column count", &reply(&[b"\xFC\0"]));
    malformed("an error without a number", &reply(&[b"\xFF\0\0#00000"]));
    malformed("an error cut in its number", &reply(&[b"\xFF\x01"]));
    malformed("an error cut in its SQLSTATE", &reply(&[b"\xFF\x01\x04#42"]));
    malformed("a cut OK", &reply(&[b"\0\0\0\x02"]));
    malformed("an OK whose text is beyond its end", &reply(&[b"\0\0\0\x02\0\0\0\xFC\xFF\xFFx"]));
    malformed("an empty definition", &reply(&[b"\x01", b""]));
    malformed("a cut definition", &reply(&[b"\x01", &COLUMN[..9]]));
    malformed(
        "a definition with other lengths",
        &reply(&[b"\x01", b"\x03def\0\0\0\x011\0\x0D\x3F\0\x01\0\0\0\x03\x81\0\0\0\0"]),
    );
    malformed("a definition with more", &reply(&[b"\x01", &[COLUMN, b"\x01x"].concat()]));
    malformed(
        "a definition with a name of 70,000",
        &reply(&[b"\x01", &[b"\xFD\x70\x11\x01", &[b'x'; 70_000][..]].concat()]),
    );
    malformed("too few definitions", &reply(&[b"\x02", COLUMN, EOF]));
    malformed("no end of definitions", &reply(&[b"\x01", COLUMN, b"\x011", EOF]));
    malformed("an end with more", &reply(&[b"\x01", COLUMN, b"\xFE\0\0\x02\0\0"]));
    malformed("an empty row", &rows_of_one_column(&[b""]));
    malformed("too few values", &reply(&[b"\x02", COLUMN, COLUMN, EOF, b"\x011"]));
    malformed("too many values", &rows_of_one_column(&[b"\x011\x012"]));
    malformed("a value longer than its row", &rows_of_one_column(&[b"\x021"]));
    malformed("a value of 2^64-1", &rows_of_one_column(&[b"\xFE\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"]));
    malformed("a second row that is cut", &rows_of_one_column(&[b"\x011", b"\xFC\x01"]));
    malformed("a cut end of rows", &rows_of_one_column(&[b"\x011", b"\xFE\0\0"]));
}

#[test]
fn a_packet_out_of_sequence_is_malformed() {
    check("the first packet", &packet(2, b"\x01"), 2027);
    check("a definition", &[packet(1, b"\x01"), packet(1, COLUMN)].concat(), 2027);
    let row = [rows_of_one_column(&[b"\x011"]), packet(9, b"\x011")].concat();
    check("a row", &row, 2027);
    check("an error that answers nothing", &packet(7, b"\xFF\x01\x04#HY000x"), 2027);
    check("a goodbye", &packet(0, b"\xFF\xBF\x0F#HY000The client was idle for too long"), 2006);
}

#[test]
fn a_cut_reply_is_a_lost_connection() {
    let whole = rows_of_one_column(&[b"\x011", b"\xFB", b"\x03abc", EOF]);
    for length in 0..whole.len() {
        check("a cut reply", &whole[..length], 2006);
    }
    check("a header that promises 16 MiB", b"\xFE\xFF\xFF\x01", 2006);
    check(
        "a row that promises 16 MiB",
        &[&rows_of_one_column(&[])[..], b"\xFF\xFF\xFF\x04abc"].concat(),
        2006,
    );
}

#[test]
fn a_stuttering_server_is_understood() {
    let whole = rows_of_one_column(&[b"\x011", b"\xFB", b"\x03abc", EOF]);
    let expected = [vec![Some(b"1".to_vec())], vec![None], vec![Some(b"abc".to_vec())]];
    for (store, at_once) in [(true, 1), (false, 1), (true, 3), (false, 3), (true, 7), (false, 7)] {
        let (options, _) = serve(answer(&whole, at_once));
        let mut connection = Connection::connect(&options).unwrap();
        assert_eq!(ask(&mut connection, store).unwrap(), expected);
        assert_eq!(connection.state(), State::Ready);
    }
}

/// Where the end of a result falls in the read buffer changes nothing: in front of its end, across it, or behind it.
#[test]
fn a_result_may_end_anywhere_in_the_buffer() {
    let buffer = 128 << 10;
    let value = [&[0xFC, 0xE8, 0x03][..], &[b'v'; 1000]].concat();
    let full = vec![&value[..]; buffer / (value.len() + 4) - 1];
    let used = full.len() * (value.len() + 4);
    for past in 0..24 {
        // The rows, headers included, end this many bytes in front of the buffer's end.
        let length = buffer - used - 4 - 3 - past;
        let last =
            [&[0xFC][..], &u16::try_from(length).unwrap().to_le_bytes(), &vec![b'l'; length]]
                .concat();
        let rows = [&full[..], &[&last]].concat();
        let whole = rows_of_one_column(&[&rows[..], &[EOF]].concat());
        let (options, _) = serve(answer(&whole, usize::MAX));
        let mut connection = Connection::connect(&options).unwrap();
        connection.send_query(b"SELECT 1").unwrap();
        connection.read_query_response().unwrap();
        let stored = connection.store_result().unwrap();
        assert_eq!(stored.rows(), rows.len() as u64);
        assert_eq!(stored.wire_bytes(), (buffer - past) as u64);
        for (number, row) in (0..).zip(&rows) {
            let stored = stored.row(number).and_then(|row| row.values().next()).flatten();
            assert_eq!(stored, Some(&row[3..]), "{number} with {past}");
        }
        assert_eq!(connection.state(), State::Ready);
    }
}

#[test]
fn a_server_that_wants_a_file_gets_none() {
    let steps = vec![
        Step::Send(GREETING.to_vec(), usize::MAX),
        Step::Receive,
        Step::Send(WELCOME.to_vec(), usize::MAX),
        Step::Receive,
        Step::Send(packet(1, b"\xFB/etc/passwd"), usize::MAX),
        Step::Receive,
        Step::Send(packet(3, b"\0\0\0\x02\0\0\0"), usize::MAX),
        Step::Receive,
        Step::Send(packet(1, b"\0\0\0\x02\0\0\0"), usize::MAX),
    ];
    let (options, received) = serve(steps);
    let mut connection = Connection::connect(&options).unwrap();
    let error = ask(&mut connection, true).unwrap_err();
    assert!(matches!(error, Error::LocalInfileRefused));
    assert_eq!((error.code(), connection.state()), (2068, State::Ready));
    connection.ping().unwrap();
    assert_eq!(received.recv().unwrap()[1..], [&b"\x03SELECT 1"[..], b"", b"\x0E"]);
}

#[test]
fn a_silent_server_is_waited_for_no_longer_than_asked() {
    let auth_switch =
        packet(2, b"\xFEmysql_native_password\0io\x04\x03zh\x16Pj:t|Sr\x19B\x08xO\x13\0");
    let silent = || {
        vec![
            vec![Step::Wait],
            vec![Step::Send(GREETING[..30].to_vec(), usize::MAX), Step::Wait],
            vec![Step::Send(GREETING.to_vec(), usize::MAX), Step::Wait],
            vec![
                Step::Send(GREETING.to_vec(), usize::MAX),
                Step::Receive,
                Step::Send(auth_switch.clone(), usize::MAX),
                Step::Wait,
            ],
        ]
    };
    for steps in silent() {
        let (mut options, _) = serve(steps);
        options.connect_timeout = Some(Duration::from_millis(200));
        // Never meant for the connection phase.
        options.read_timeout = Some(Duration::from_secs(3600));
        let begun = Instant::now();
        let error = Connection::connect(&options).unwrap_err();
        let took = begun.elapsed();
        assert_eq!(error.code(), 2006, "{error}");
        assert!((200..2000).contains(&took.as_millis()), "{took:?}");
    }
}

/// Connecting to a server that sends this is this error; the packets it received are returned.
fn refused(steps: Vec<Step>, code: u16) -> Vec<Vec<u8>> {
    let (options, received) = serve(steps);
    let error = Connection::connect(&options).unwrap_err();
    assert_eq!(error.code(), code, "{error:?}");
    received.recv().unwrap()
}

#[test]
fn a_greeting_is_checked() {
    let send = |bytes: &[u8]| vec![Step::Send(bytes.to_vec(), usize::MAX)];
    for length in 0..GREETING.len() {
        refused(send(&GREETING[..length]), 2006);
    }
    refused(send(&packet(0, b"\x09old\0")), 2027);
    refused(send(&packet(1, &GREETING[4..])), 2027);
    refused(send(&packet(0, b"")), 2027);
    refused(send(&packet(0, b"HTTP/1.1 400 Bad Request\r\n\r\n")), 2027);
    let (options, _) = serve(send(&packet(0, b"\xFF\x10\x04Too many connections")));
    let error = Connection::connect(&options).unwrap_err();
    assert_eq!((error.code(), &error.sqlstate()), (1040, b"08004"));
    assert_eq!(error.message(), &b"Too many connections"[..]);
    // Neither PROTOCOL_41 nor SECURE_CONNECTION.
    let mut old = GREETING.to_vec();
    let flags = old.windows(4).position(|bytes| bytes == b"\xFF\xFF\xFF\x02").unwrap();
    old[flags..flags + 2].fill(0);
    refused(send(&old), 2054);
}

#[test]
fn authentication_has_an_end_and_never_shows_the_password() {
    let begin = |packets: &[&[u8]]| {
        let mut steps = vec![Step::Send(GREETING.to_vec(), usize::MAX), Step::Receive];
        for (id, payload) in (2_u8..).step_by(2).zip(packets) {
            steps.push(Step::Send(packet(id, payload), usize::MAX));
            steps.push(Step::Receive);
        }
        steps
    };
    let switch = &b"\xFEmysql_native_password\0io\x04\x03zh\x16Pj:t|Sr\x19B\x08xO\x13\0"[..];
    let sha2 = &b"\xFEcaching_sha2_password\0io\x04\x03zh\x16Pj:t|Sr\x19B\x08xO\x13\0"[..];
    let cases: &[(&str, &[&[u8]], u16)] = &[
        ("a password in clear", &[b"\xFEmysql_clear_password\0"], 2054),
        ("the oldest plugin", &[b"\xFE"], 2054),
        ("a dialog", &[b"\xFEdialog\0\x02Password: "], 2054),
        ("a short nonce", &[b"\xFEmysql_native_password\0short\0"], 2027),
        ("switches without end", &[switch; 9], 2027),
        ("data for a plugin that takes none", &[b"\x01\x04"], 2027),
        ("data that means nothing", &[sha2, b"\x01\x07"], 2027),
        ("a key that nobody asked for", &[sha2, b"\x01-----BEGIN PUBLIC KEY-----"], 2027),
        ("a key that is none", &[sha2, b"\x01\x04", b"\x01not a key"], 2000),
        ("an empty packet", &[b""], 2027),
        ("something else", &[b"\x05"], 2027),
    ];
    for (what, packets, code) in cases {
        let received = refused(begin(packets), *code);
        for payload in received {
            assert!(!payload.windows(7).any(|bytes| bytes == b"hunter2"), "{what}");
        }
    }
}
