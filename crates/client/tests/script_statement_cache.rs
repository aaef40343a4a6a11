//! Statements that are kept, against scripted servers: what a real one can't be made to do, and what is sent when.
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
use vaquita_client::{
    Capabilities, ConnectOptions, Connection, Data, Parameter, QueryResponse, Statement,
};
use vaquita_fake_server::packets::{AUTOCOMMIT, OFFERED, column, eof, err, greeting, ok};
use vaquita_fake_server::{Delivery, FakeServer, Payload, Script};
use vaquita_protocol::{ColumnType, ComStmtExecute, Command};

const WRITES: &[u8] = b"INSERT INTO t VALUES (?)";
const READS: &[u8] = b"SELECT a FROM t WHERE a = ?";
const PARAMETERS: [Parameter<'_>; 1] = [Parameter::Text(Data::Bytes(b"x"))];

fn prepared(id: u32) -> Vec<Payload> {
    let prepare_ok = Payload::new()
        .field("status", [0])
        .field("statement_id", id.to_le_bytes())
        .field("num_columns and num_params", [0, 0, 1, 0])
        .field("reserved_1 and warning_count", [0, 0, 0]);
    vec![prepare_ok, column("?", ColumnType::VAR_STRING), eof(AUTOCOMMIT)]
}

/// A statement with this many columns, of 30 KiB each.
fn prepared_with(columns: u16) -> Vec<Payload> {
    let [low, high] = columns.to_le_bytes();
    let prepare_ok = Payload::new()
        .field("status", [0])
        .field("statement_id", 7_u32.to_le_bytes())
        .field("num_columns and num_params", [low, high, 1, 0])
        .field("reserved_1 and warning_count", [0, 0, 0]);
    let name = "x".repeat(15 << 10);
    let mut payloads = vec![prepare_ok, column("?", ColumnType::VAR_STRING), eof(AUTOCOMMIT)];
    payloads.extend((0..columns).map(|_| column(&name, ColumnType::VAR_STRING)));
    payloads.push(eof(AUTOCOMMIT));
    payloads
}

fn execute(id: u32) -> Command<'static> {
    let parameters = &PARAMETERS;
    Command::StmtExecute(ComStmtExecute { statement_id: id, opens_cursor: false, parameters })
}

/// A server that has prepared and run a statement.
fn begun(sql: &'static [u8], capabilities: Capabilities) -> Script {
    Script::new()
        .send(greeting(capabilities, "mysql_native_password"))
        .expect_packet()
        .send(ok(AUTOCOMMIT))
        .expect_command(Command::StmtPrepare(sql))
        .send_all(prepared(7))
        .expect_command(execute(7))
        .send(ok(AUTOCOMMIT))
}

fn connect(script: Script) -> (Connection, FakeServer) {
    let server = fake::serve(&Arc::new(script), Over::Unix, Delivery::WHOLE);
    let options = ConnectOptions { statement_cache: 2, ..fake::options(&server) };
    (Connection::connect(&options).unwrap(), server)
}

fn run(connection: &mut Connection, statement: &Statement) -> Result<(), u16> {
    connection.send_execute(statement, &PARAMETERS, false).unwrap();
    let read = connection.read_executed(statement, &PARAMETERS, false);
    read.map(|it| assert!(matches!(it, QueryResponse::Ok))).map_err(|error| error.code())
}

fn once(connection: &mut Connection, sql: &[u8]) -> Result<Statement, u16> {
    let statement = connection.prepare(sql).unwrap();
    let run = run(connection, &statement);
    connection.close_statement(&statement).unwrap();
    run.map(|()| statement)
}

/// One that ran before on another server, or that somebody between has lost: what can't write is run again.
#[test]
fn a_statement_that_the_server_has_lost_is_prepared_afresh() {
    for code in [1243, 1615] {
        let script = begun(READS, OFFERED)
            .expect_command(execute(7))
            .send(err(code, b"HY000", "lost"))
            .expect_command(Command::StmtPrepare(READS))
            .send_all(prepared(8))
            .expect_command(Command::StmtClose(7))
            .expect_command(execute(8))
            .send(ok(AUTOCOMMIT))
            .expect_command(execute(8))
            .send(ok(AUTOCOMMIT))
            .ping();
        let (mut connection, _server) = connect(script);
        once(&mut connection, READS).unwrap();
        assert_eq!(once(&mut connection, READS).unwrap().id(), 8);
        once(&mut connection, READS).unwrap();
        connection.ping().unwrap();
    }
}

/// The same errors may be a trigger's, after it has written.
#[test]
fn what_may_have_written_is_not_run_again() {
    for code in [1243, 1615] {
        let script = begun(WRITES, OFFERED)
            .expect_command(Command::StmtPrepare(READS))
            .send_all(prepared(8))
            .expect_command(execute(8))
            .send(ok(AUTOCOMMIT))
            .expect_command(execute(7))
            .send(err(code, b"HY000", "lost"))
            // Both are given up.
            .expect_command(Command::StmtClose(8))
            .expect_command(Command::StmtClose(7))
            .ping();
        let (mut connection, _server) = connect(script);
        once(&mut connection, WRITES).unwrap();
        once(&mut connection, READS).unwrap();
        assert_eq!(once(&mut connection, WRITES).unwrap_err(), code);
        connection.ping().unwrap();
    }
}

#[test]
fn what_else_fails_is_not_run_again() {
    // The second run of one and the same is the user's affair.
    let script = begun(READS, OFFERED).expect_command(execute(7)).send(err(1243, b"HY000", "lost"));
    let (mut connection, _server) = connect(script.expect_command(Command::StmtClose(7)).ping());
    let statement = connection.prepare(READS).unwrap();
    run(&mut connection, &statement).unwrap();
    assert_eq!(run(&mut connection, &statement), Err(1243));
    connection.close_statement(&statement).unwrap();
    connection.ping().unwrap();

    let script =
        begun(READS, OFFERED).expect_command(execute(7)).send(err(1213, b"40001", "deadlock"));
    let (mut connection, _server) = connect(script.expect_command(Command::StmtClose(7)).ping());
    once(&mut connection, READS).unwrap();
    assert_eq!(once(&mut connection, READS).unwrap_err(), 1213);
    connection.ping().unwrap();
}

#[test]
fn nothing_is_kept_of_a_server_that_does_not_tell_of_its_session() {
    let script = begun(READS, OFFERED.without(Capabilities::SESSION_TRACK))
        .expect_command(Command::StmtClose(7))
        .ping();
    let (mut connection, _server) = connect(script);
    once(&mut connection, READS).unwrap();
    connection.ping().unwrap();
}

/// What is closed because of a statement goes before that.
#[test]
fn what_may_mean_something_else_is_closed_with_the_statement_that_changes_it() {
    let change = b"SET sql_mode = ''";
    let script = begun(WRITES, OFFERED)
        .expect_command(Command::StmtClose(7))
        .expect_command(Command::Query(change))
        .send(ok(AUTOCOMMIT))
        .expect_command(Command::StmtPrepare(WRITES))
        .send_all(prepared(8));
    let (mut connection, _server) = connect(script);
    once(&mut connection, WRITES).unwrap();
    connection.send_query(change).unwrap();
    connection.read_query_response().unwrap();
    assert_eq!(connection.prepare(WRITES).unwrap().id(), 8);
}

/// A server may send 32 MiB of definitions for each statement: what is kept of them is little.
#[test]
fn a_statement_with_long_definitions_is_not_kept() {
    for (columns, is_kept) in [(3, true), (6, false)] {
        let script = Script::new()
            .send(greeting(OFFERED, "mysql_native_password"))
            .expect_packet()
            .send(ok(AUTOCOMMIT))
            .expect_command(Command::StmtPrepare(READS))
            .send_all(prepared_with(columns))
            .expect_command(execute(7))
            .send(ok(AUTOCOMMIT));
        let (mut connection, _server) = connect(script);
        once(&mut connection, READS).unwrap();
        assert_eq!(connection.take_kept(READS).is_some(), is_kept, "{columns} columns");
    }
}
