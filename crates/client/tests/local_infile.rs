//! LOCAL INFILE against servers that ask for what they should not: what leaves this machine, byte by byte.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

mod fake;

use std::io::{self, Read, Write};
use std::num::NonZeroUsize;
use std::os::unix::net::UnixListener;
use std::sync::Arc;
use std::thread;

use fake::Over;
use vaquita_client::{
    Address, ConnectOptions, Connection, Error, LocalInfileRefusal, QueryResponse, State,
};
use vaquita_fake_server::packets::{
    AUTOCOMMIT, MORE_RESULTS, OFFERED, column, column_count, err, greeting, ok, row,
};
use vaquita_fake_server::{Delivery, Ending, FakeServer, Recording, Script};
use vaquita_protocol::ColumnType;

/// What no server may see.
const SECRET: &[u8] = b"root:x:0:0";

fn request(name: &[u8]) -> Vec<u8> {
    [&[0xFB], name].concat()
}

/// A client that allows local files, and its server.
fn connect(script: Script, over: Over, delivery: Delivery) -> (Connection, FakeServer) {
    let server = fake::serve(&Arc::new(script), over, delivery);
    let mut connection = Connection::connect(&fake::options(&server)).unwrap();
    connection.allow_local_infile(true);
    (connection, server)
}

fn ask(connection: &mut Connection, sql: &[u8]) -> Result<QueryResponse, Error> {
    connection.send_query(sql)?;
    connection.read_query_response()
}

/// What the client sent after the query: the payloads that were expected.
fn answers(recording: &Recording) -> Vec<&[u8]> {
    recording.packets.iter().skip(2).map(|packet| &packet.payload[..]).collect()
}

fn finish(connection: Connection, server: FakeServer) -> Recording {
    drop(connection);
    server.finish().unwrap()
}

#[test]
fn only_the_file_that_is_due_is_asked_for() {
    let load = b"LOAD DATA LOCAL INFILE '/data/a.csv' INTO TABLE t";
    let two = b"LOAD DATA LOCAL INFILE '/data/a.csv' INTO TABLE t; LOAD DATA LOCAL INFILE '/data/b.csv' INTO TABLE t";
    let huge = vec![b'x'; 0xFF_FFFD];
    let cases: &[(&[u8], &[u8])] = &[
        (load, b"/etc/passwd"),
        (load, b"/data/b.csv"),
        (load, b"a.csv"),
        (load, b"/data/"),
        (load, b"/data/A.csv"),
        (load, b"/data/./a.csv"),
        (load, b"/data/a.csv\0"),
        (load, b"/data/a.csv "),
        (load, b""),
        (load, &huge),
        (two, b"/data/b.csv"),
        (b"SELECT 1", b"/etc/passwd"),
        (b"SELECT '/etc/passwd'", b"/etc/passwd"),
        (b"LOAD DATA INFILE '/etc/passwd' INTO TABLE t", b"/etc/passwd"),
        (b"SELECT 'LOAD DATA LOCAL INFILE \"/etc/passwd\"'", b"/etc/passwd"),
        (b"INSERT INTO t VALUES ('\\'; LOAD DATA LOCAL INFILE \\'/etc/passwd\\'')", b"/etc/passwd"),
        (b"EXECUTE load_passwd", b"/etc/passwd"),
        (b"CALL load_passwd()", b"/etc/passwd"),
    ];
    for (sql, asked) in cases {
        let pieces = if asked.len() > 100 { 4096 } else { 1 };
        for delivery in [Delivery::WHOLE, Delivery::pieces(NonZeroUsize::new(pieces).unwrap())] {
            let script =
                Script::queried().send(request(asked)).expect_packet().send(ok(AUTOCOMMIT)).ping();
            let (mut connection, server) = connect(script, Over::Unix, delivery);
            let error = ask(&mut connection, sql).unwrap_err();
            let refused = Error::LocalInfileRefused(LocalInfileRefusal::NotNamed);
            assert_eq!(error.to_string(), refused.to_string());
            connection.ping().unwrap();
            let recording = finish(connection, server);
            assert_eq!(recording.ending, Ending::Played);
            assert_eq!(answers(&recording), [&b""[..], &[0x0E]], "{}", sql.escape_ascii());
        }
    }
}

#[test]
fn a_file_comes_whole_and_in_order() {
    for (length, packets) in [(0, 0), (1, 1), (16384, 1), (16385, 2), (300 * 16384, 300)] {
        let content: Vec<u8> =
            (0..length).map(|at: usize| u8::try_from(at % 251).unwrap()).collect();
        let mut script = Script::queried().send(request(b"/data/a.csv"));
        for _ in 0..=packets {
            script = script.expect_packet();
        }
        let script = script.send(ok(AUTOCOMMIT)).ping();
        for over in [Over::Unix, Over::Tcp] {
            let (mut connection, server) = connect(script.clone(), over, Delivery::WHOLE);
            let sql = b"LOAD DATA LOCAL INFILE '/data/a.csv' INTO TABLE t";
            let response = ask(&mut connection, sql).unwrap();
            assert!(matches!(response, QueryResponse::LocalInfile(name) if name == b"/data/a.csv"));
            assert_eq!(connection.state(), State::SendingLoadData);
            assert_eq!(connection.ping().unwrap_err().code(), 2014);
            assert_eq!(connection.read_query_response().unwrap_err().code(), 2014);
            connection.send_local_infile(&mut &content[..]).unwrap();
            assert_eq!(connection.state(), State::Ready);
            assert_eq!(connection.refuse_local_infile().unwrap_err().code(), 2014);
            connection.ping().unwrap();
            let recording = finish(connection, server);
            assert_eq!(recording.ending, Ending::Played);
            let answers = answers(&recording);
            assert_eq!(answers[..packets].concat(), content);
            assert_eq!(answers[packets..], [&b""[..], &[0x0E]]);
            // The request was packet 1 of the exchange; the ids wrap.
            let ids: Vec<u8> = recording.packets[2..].iter().map(|it| it.sequence_id).collect();
            assert!(
                ids[..=packets]
                    .iter()
                    .enumerate()
                    .all(|(at, id)| usize::from(*id) == (at + 2) % 256)
            );
        }
    }
}

#[test]
fn nothing_is_asked_for_twice() {
    let again = request(b"/data/a.csv");
    let sql = b"LOAD DATA LOCAL INFILE '/data/a.csv' INTO TABLE t; SELECT 1";
    // In place of the answer to the file: the protocol has no such thing.
    let script =
        Script::queried().send(again.clone()).expect_packet().expect_packet().send(again.clone());
    let (mut connection, server) = connect(script, Over::Unix, Delivery::WHOLE);
    ask(&mut connection, sql).unwrap();
    let error = connection.send_local_infile(&mut &b"once"[..]).unwrap_err();
    assert_eq!((error.code(), connection.state()), (2027, State::Broken));
    let recording = finish(connection, server);
    assert_eq!((answers(&recording), &recording.rest[..]), (vec![&b"once"[..], b""], &b""[..]));
    // As the next result: the name is used up.
    let script = Script::queried()
        .send(again.clone())
        .expect_packet()
        .expect_packet()
        .send(ok(MORE_RESULTS))
        .send(again)
        .expect_packet()
        .send(ok(AUTOCOMMIT))
        .ping();
    let (mut connection, server) = connect(script, Over::Unix, Delivery::WHOLE);
    ask(&mut connection, sql).unwrap();
    connection.send_local_infile(&mut &b"once"[..]).unwrap();
    assert_eq!(connection.state(), State::NextResultPending);
    assert_eq!(connection.read_query_response().unwrap_err().code(), 2068);
    connection.ping().unwrap();
    assert_eq!(answers(&finish(connection, server)), [&b"once"[..], b"", b"", &[0x0E]]);
}

#[test]
fn a_request_may_follow_rows_but_not_stand_among_them() {
    let rows = |script: Script| {
        script.send(column_count(1)).send(column("a", ColumnType::LONG)).send(row(&[Some(b"1")]))
    };
    let sql = b"SELECT 1; LOAD DATA LOCAL INFILE '/data/a.csv' INTO TABLE t";
    let eof = |status| vaquita_fake_server::packets::ok_as_eof(status);
    let script = rows(Script::queried())
        .send(eof(MORE_RESULTS))
        .send(request(b"/data/a.csv"))
        .expect_packet()
        .expect_packet()
        .send(ok(AUTOCOMMIT))
        .ping();
    let server = fake::serve(&Arc::new(script), Over::Unix, Delivery::WHOLE);
    let mut options = fake::options(&server);
    options.capabilities = vaquita_client::Capabilities::DEPRECATE_EOF;
    let mut connection = Connection::connect(&options).unwrap();
    connection.allow_local_infile(true);
    ask(&mut connection, sql).unwrap();
    assert_eq!(connection.store_result().unwrap().rows(), 1);
    let response = connection.read_query_response().unwrap();
    assert!(matches!(response, QueryResponse::LocalInfile(_)));
    connection.send_local_infile(&mut &b"data"[..]).unwrap();
    connection.ping().unwrap();
    assert_eq!(answers(&finish(connection, server)), [&b"data"[..], b"", &[0x0E]]);
    // Among rows it is no request, but a row of one NULL with bytes behind it.
    let script = rows(Script::queried()).send(request(b"/data/a.csv")).close();
    let server = fake::serve(&Arc::new(script), Over::Unix, Delivery::WHOLE);
    let mut options = fake::options(&server);
    options.capabilities = vaquita_client::Capabilities::DEPRECATE_EOF;
    let mut connection = Connection::connect(&options).unwrap();
    connection.allow_local_infile(true);
    ask(&mut connection, sql).unwrap();
    assert_eq!(connection.store_result().unwrap_err().code(), 2027);
    let recording = finish(connection, server);
    assert_eq!((answers(&recording).len(), &recording.rest[..]), (0, &b""[..]));
}

#[test]
fn the_answer_to_a_file_decides() {
    let sql = b"LOAD DATA LOCAL INFILE '/data/a.csv' INTO TABLE t";
    let check = |answer: Vec<u8>, code: u16, state: State| {
        let script = Script::queried()
            .send(request(b"/data/a.csv"))
            .expect_packet()
            .expect_packet()
            .send(answer);
        let (mut connection, server) = connect(script, Over::Unix, Delivery::WHOLE);
        ask(&mut connection, sql).unwrap();
        let error = connection.send_local_infile(&mut &b"x"[..]).unwrap_err();
        assert_eq!((error.code(), connection.state()), (code, state));
        finish(connection, server);
    };
    check(err(1062, b"23000", "Duplicate entry").into(), 1062, State::Ready);
    check(vec![1], 2027, State::Broken);
    check(vec![], 2027, State::Broken);
}

#[test]
fn a_server_that_refuses_tells_why() {
    let sql = b"LOAD DATA LOCAL INFILE '/data/a.csv' INTO TABLE t";
    let script = Script::queried()
        .send(request(b"/data/a.csv"))
        .expect_packet()
        .send(err(1148, b"42000", "not allowed"))
        .ping();
    let (mut connection, server) = connect(script, Over::Unix, Delivery::WHOLE);
    ask(&mut connection, sql).unwrap();
    assert_eq!(connection.refuse_local_infile().unwrap_err().code(), 1148);
    connection.ping().unwrap();
    assert_eq!(answers(&finish(connection, server)), [&b""[..], &[0x0E]]);
}

#[test]
fn a_server_that_closes_in_the_middle_is_heard() {
    let sql = b"LOAD DATA LOCAL INFILE '/data/a.csv' INTO TABLE t";
    for over in [Over::Unix, Over::Tcp] {
        let refusal = err(1153, b"08S01", "Got a packet bigger than 'max_allowed_packet' bytes");
        let script = Script::queried().send(request(b"/data/a.csv")).send_as(2, refusal).close();
        let (mut connection, server) = connect(script, over, Delivery::WHOLE);
        ask(&mut connection, sql).unwrap();
        let error = connection.send_local_infile(&mut io::repeat(b'x').take(1 << 30)).unwrap_err();
        assert_eq!((error.code(), connection.state()), (1153, State::Broken), "{over:?} {error:?}");
        finish(connection, server);
    }
}

#[test]
fn a_file_that_breaks_off_is_not_ended() {
    struct BreaksOff(u32);
    impl Read for BreaksOff {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.0 += 1;
            match self.0 {
                1 => Err(io::ErrorKind::Interrupted.into()),
                2 => {
                    buffer[..SECRET.len()].copy_from_slice(SECRET);
                    Ok(SECRET.len())
                }
                _ => Err(io::Error::from_raw_os_error(5)),
            }
        }
    }
    let sql = b"LOAD DATA LOCAL INFILE '/data/a.csv' INTO TABLE t";
    let script = Script::queried().send(request(b"/data/a.csv")).expect_packet();
    let (mut connection, server) = connect(script, Over::Unix, Delivery::WHOLE);
    ask(&mut connection, sql).unwrap();
    let error = connection.send_local_infile(&mut BreaksOff(0)).unwrap_err();
    assert_eq!((error.code(), connection.state()), (2000, State::Broken));
    assert_eq!(error.message(), &b"Error reading file: Input/output error"[..]);
    let recording = finish(connection, server);
    assert_eq!(answers(&recording), [SECRET]);
    assert!(recording.rest.is_empty(), "nothing says that the file is at its end");
}

#[test]
fn a_closed_connection_leaves_the_server_waiting() {
    let sql = b"LOAD DATA LOCAL INFILE '/data/a.csv' INTO TABLE t";
    let script = Script::queried().send(request(b"/data/a.csv"));
    let (mut connection, server) = connect(script, Over::Unix, Delivery::WHOLE);
    ask(&mut connection, sql).unwrap();
    connection.close();
    let recording = finish(connection, server);
    assert_eq!((answers(&recording).len(), &recording.rest[..]), (0, &b""[..]));
}

#[test]
fn a_server_that_stops_reading_is_not_waited_for_longer_than_a_write_may_take() {
    let folder = std::env::temp_dir().join(format!("vaquita-deaf-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let listener = UnixListener::bind(folder.join("sock")).unwrap();
    let server = thread::spawn(move || {
        let (mut client, _) = listener.accept().unwrap();
        let mut say = |id: u8, payload: Vec<u8>| {
            let length = u8::try_from(payload.len()).unwrap();
            client.write_all(&[&[length, 0, 0, id], &payload[..]].concat()).unwrap();
            client.read(&mut [0; 4096]).unwrap()
        };
        say(0, greeting(OFFERED, "mysql_native_password").into());
        say(2, ok(AUTOCOMMIT).into());
        // The first bytes of the file are read, and no more of it until the client has gone.
        say(1, request(b"/data/a.csv"));
        client
    });
    let mut options = ConnectOptions::new(Address::Unix(folder.join("sock")));
    options.write_timeout = Some(fake::TIME_LIMIT);
    let mut connection = Connection::connect(&options).unwrap();
    connection.allow_local_infile(true);
    ask(&mut connection, b"LOAD DATA LOCAL INFILE '/data/a.csv' INTO TABLE t").unwrap();
    let error = connection.send_local_infile(&mut io::repeat(b'x')).unwrap_err();
    assert_eq!((error.code(), connection.state()), (2006, State::Broken), "{error:?}");
    drop(server.join().unwrap());
    std::fs::remove_dir_all(&folder).unwrap();
}
