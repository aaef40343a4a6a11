//! What is counted of commands that have no reply, for the connection ended, against scripted servers: each counts as unanswered with its bytes,
//! and what was not sent does not count.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

mod fake;

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use fake::Over;
use vaquita_client::{
    Address, Capabilities, ConnectOptions, Connection, Own, Parameter, PoolCheck, QueryResponse,
    Statistics,
};
use vaquita_fake_server::packets::{
    AUTOCOMMIT, OFFERED, auth_switch, column, eof, greeting, local_infile, ok,
};
use vaquita_fake_server::{Delivery, FakeServer, Payload, Script, named};
use vaquita_protocol::{ColumnType, Command};

const QUERY: u8 = 0x03;
const CHANGE_USER: u8 = 0x11;
const PREPARE: u8 = 0x16;
const EXECUTE: u8 = 0x17;
const RESET: u8 = 0x1F;
/// A packet's header, and a command's byte.
const FRAME_BYTES: u64 = 5;
const PARAMETERS: [Parameter<'_>; 1] = [Parameter::Integer(Some(1))];

fn connect(script: Script) -> (Connection, FakeServer) {
    let server = fake::serve(&Arc::new(script), Over::Unix, Delivery::WHOLE);
    let options =
        ConnectOptions { is_persistent: true, statement_cache: 16, ..fake::options(&server) };
    (Connection::connect(&options).unwrap(), server)
}

fn run(connection: &mut Connection, sql: &[u8]) -> Result<QueryResponse, u16> {
    let sent = connection.send_query(sql);
    sent.and_then(|()| connection.read_query_response()).map_err(|error| error.code())
}

/// The commands without a reply, by their codes.
fn unanswered(counted: &Statistics) -> Vec<(u8, u64)> {
    let all = (0..=u8::MAX).map(|code| (code, counted.unanswered_commands(code)));
    all.filter(|(_, number)| *number > 0).collect()
}

#[test]
fn each_reply_that_is_owed_is_missed() {
    let used = Script::queried().send(ok(AUTOCOMMIT)).expect_query();
    for answered in 0..=2_u64 {
        let script = match answered {
            0 => used.clone().expect_query().expect_command(Command::ResetConnection),
            _ => used.clone().send(ok(AUTOCOMMIT)).expect_query(),
        };
        let script = if answered == 2 { script.send(ok(AUTOCOMMIT)) } else { script };
        let script = match answered {
            0 => script,
            _ => script.expect_command(Command::ResetConnection),
        };
        let (mut connection, server) = connect(script.close());
        run(&mut connection, b"SET @a = 1").unwrap();
        // As its next user has it: what was counted before is somebody else's.
        assert!(connection.release(None));
        let before = connection.counted();
        connection.set_counted(Statistics::default());
        connection.resume(PoolCheck::Peek).unwrap_err();
        assert!(connection.is_gone());
        let counted = connection.counted();
        let names = ["ROLLBACK", "UNLOCK TABLES"].map(|sql| FRAME_BYTES + sql.len() as u64);
        let missed: u64 = names[usize::try_from(answered).unwrap()..].iter().sum();
        let queries = (QUERY, 2 - answered);
        let expected: Vec<_> =
            [queries, (RESET, 1)].into_iter().filter(|(_, number)| *number > 0).collect();
        assert_eq!(unanswered(&counted), expected, "{answered} answered");
        assert_eq!(counted.bytes_unanswered, missed + FRAME_BYTES, "{answered} answered");
        assert_eq!((before.commands(QUERY), before.own.of(Own::Reset)), (3, 1));
        assert_eq!(counted.all_commands(), 0, "an end is no command");
        drop(connection);
        server.finish().unwrap();
    }
}

#[test]
fn what_could_not_be_sent_in_one_piece_was_not_sent() {
    let script = Script::queried().send(ok(AUTOCOMMIT));
    let server = fake::serve(&Arc::new(script), Over::Unix, Delivery::WHOLE);
    let options = ConnectOptions { is_persistent: true, ..fake::options(&server) };
    let Address::Unix(path) = &options.address else { unreachable!("the server is a unix socket") };
    let is_deaf = Arc::new(AtomicBool::new(false));
    let stream =
        Deafening { stream: UnixStream::connect(path).unwrap(), is_deaf: Arc::clone(&is_deaf) };
    let mut connection = Connection::over(Box::new(stream), &options).unwrap();
    run(&mut connection, b"SET @a = 1").unwrap();
    let before = connection.counted();
    is_deaf.store(true, Ordering::Relaxed);
    assert!(!connection.release(None));
    let mut counted = connection.counted();
    assert_eq!(counted.writes, before.writes + 1);
    (counted.reads, counted.writes) = (before.reads, before.writes);
    assert_eq!(counted, before);
}

/// A stream that takes nothing any more once it is told so.
#[derive(Debug)]
struct Deafening {
    stream: UnixStream,
    is_deaf: Arc<AtomicBool>,
}

impl Read for Deafening {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stream.read(buffer)
    }
}

impl Write for Deafening {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.is_deaf.load(Ordering::Relaxed) {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

#[test]
fn of_a_statement_and_its_run_each_is_missed() {
    let prepare_ok = Payload::new()
        .field("status", [0])
        .field("statement_id", 7_u32.to_le_bytes())
        .field("num_columns and num_params", [0, 0, 1, 0])
        .field("reserved_1 and warning_count", [0, 0, 0]);
    let prepared = [prepare_ok, column("?", ColumnType::VAR_STRING), eof(AUTOCOMMIT)];
    let capabilities = OFFERED.without(Capabilities::LONG_PASSWORD);
    let version = b"5.5.5-10.11.6-MariaDB\0".to_vec();
    let received = Script::new()
        .send(greeting(capabilities, "mysql_native_password").with("server version", version))
        .expect_packet()
        .send(ok(AUTOCOMMIT))
        .expect_command(Command::StmtPrepare(b""))
        .expect_packet();
    let sql = b"SELECT a FROM t WHERE a = ?";
    let sql_bytes = FRAME_BYTES + sql.len() as u64;
    for (script, prepares) in [(received.clone(), 1), (received.send_all(prepared), 0)] {
        let (mut connection, _server) = connect(script.close());
        let sent_before = connection.counted().bytes_sent;
        let ran = connection.prepare_and_execute(sql, &PARAMETERS);
        ran.and_then(|(_, executed)| executed).unwrap_err();
        let counted = connection.counted();
        let expected: Vec<_> = [(PREPARE, prepares), (EXECUTE, 1)]
            .into_iter()
            .filter(|(_, number)| *number > 0)
            .collect();
        assert_eq!(unanswered(&counted), expected);
        let answered = if prepares == 0 { sql_bytes } else { 0 };
        assert_eq!(counted.bytes_unanswered, counted.bytes_sent - sent_before - answered);
        assert_eq!((counted.commands(PREPARE), counted.commands(EXECUTE)), (1, 1));
    }
}

#[test]
fn a_goodbye_is_no_reply() {
    let script = Arc::new(named::by_name("goodbye").unwrap().script());
    let server = fake::serve(&script, Over::Tcp, Delivery::WHOLE);
    let mut connection = Connection::connect(&fake::options(&server)).unwrap();
    assert_eq!(run(&mut connection, b"SELECT 1").unwrap_err(), 2006);
    let counted = connection.counted();
    assert_eq!(unanswered(&counted), [(QUERY, 1)]);
    assert_eq!(counted.bytes_unanswered, FRAME_BYTES + 8);
}

#[test]
fn a_server_that_has_asked_for_more_has_the_command() {
    let asks_for_file = Script::queried().send(local_infile("a file")).expect_packet().close();
    let (mut connection, _server) = connect(asks_for_file);
    connection.allow_local_infile(true);
    let sql = b"LOAD DATA LOCAL INFILE 'a file' INTO TABLE t";
    assert!(matches!(run(&mut connection, sql), Ok(QueryResponse::LocalInfile(_))));
    connection.send_local_infile(&mut &b""[..]).unwrap_err();
    assert_eq!(unanswered(&connection.counted()), []);

    let nonce = b"01234567890123456789\0";
    let asks_for_password = Script::logged_in()
        .expect_packet()
        .send(auth_switch("mysql_native_password", nonce))
        .expect_packet()
        .close();
    let (mut connection, _server) = connect(asks_for_password);
    connection.change_user(b"me", fake::PASSWORD, b"").unwrap_err();
    assert_eq!(connection.counted().commands(CHANGE_USER), 1);
    assert_eq!(unanswered(&connection.counted()), []);
}

#[test]
fn nobody_knows_what_became_of_a_query_that_nobody_waited_for() {
    let (mut connection, server) = connect(Script::queried());
    connection.send_query(b"DO 1").unwrap();
    connection.close();
    connection.close();
    let counted = connection.counted();
    assert_eq!(unanswered(&counted), [(QUERY, 1)]);
    assert_eq!(counted.bytes_unanswered, FRAME_BYTES + 4);
    drop(connection);
    server.finish().unwrap();

    // Where a goodbye was sent behind a command the server has read that.
    let (mut connection, _server) = connect(Script::queried().send(ok(AUTOCOMMIT)).expect_query());
    run(&mut connection, b"SET @a = 1").unwrap();
    assert!(connection.release(None));
    connection.close();
    connection.close();
    assert_eq!(unanswered(&connection.counted()), []);
}
