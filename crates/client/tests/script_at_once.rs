//! Statements that are prepared and run in one write, against scripted servers: both arrive before anything is answered.
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
use vaquita_client::{Capabilities, ConnectOptions, Connection, Parameter, QueryResponse, State};
use vaquita_fake_server::packets::{AUTOCOMMIT, OFFERED, column, eof, err, greeting, ok};
use vaquita_fake_server::{Delivery, FakeServer, Payload, Script};
use vaquita_protocol::{ColumnType, ComStmtExecute, Command};

const WRITES: &[u8] = b"INSERT INTO t VALUES (?)";
const READS: &[u8] = b"SELECT a FROM t WHERE a = ?";
const PARAMETERS: [Parameter<'_>; 1] = [Parameter::Integer(Some(1))];
/// The number of the statement that was prepared last.
const LAST: u32 = u32::MAX;

fn prepared(id: u32) -> Vec<Payload> {
    let prepare_ok = Payload::new()
        .field("status", [0])
        .field("statement_id", id.to_le_bytes())
        .field("num_columns and num_params", [0, 0, 1, 0])
        .field("reserved_1 and warning_count", [0, 0, 0]);
    vec![prepare_ok, column("?", ColumnType::VAR_STRING), eof(AUTOCOMMIT)]
}

fn execute(id: u32) -> Command<'static> {
    let parameters = &PARAMETERS;
    Command::StmtExecute(ComStmtExecute { statement_id: id, opens_cursor: false, parameters })
}

fn greeted(version: &str) -> Script {
    let capabilities = OFFERED.without(Capabilities::LONG_PASSWORD);
    let version = [version.as_bytes(), &[0]].concat();
    Script::new()
        .send(greeting(capabilities, "mysql_native_password").with("server version", version))
        .expect_packet()
        .send(ok(AUTOCOMMIT))
}

fn connect(script: Script) -> (Connection, FakeServer) {
    let server = fake::serve(&Arc::new(script), Over::Unix, Delivery::WHOLE);
    let options = ConnectOptions { statement_cache: 16, ..fake::options(&server) };
    (Connection::connect(&options).unwrap(), server)
}

fn run(connection: &mut Connection, sql: &[u8]) -> Result<(), u16> {
    let ran = connection.prepare_and_execute(sql, &PARAMETERS);
    let response = ran.and_then(|(_, executed)| executed).map_err(|error| error.code())?;
    assert!(matches!(response, QueryResponse::Ok));
    Ok(())
}

/// A server that is told both at once, and knows it.
fn together(script: Script, sql: &'static [u8], id: u32) -> Script {
    script
        .expect_command(Command::StmtPrepare(sql))
        .expect_command(execute(LAST))
        .send_all(prepared(id))
        .send_as(1, ok(AUTOCOMMIT))
}

/// A server that is told one after the other.
fn apart(script: Script, sql: &'static [u8], id: u32) -> Script {
    script
        .expect_command(Command::StmtPrepare(sql))
        .send_all(prepared(id))
        .expect_command(execute(id))
        .send(ok(AUTOCOMMIT))
}

#[test]
fn both_travel_in_one_write_to_a_server_that_takes_them() {
    for (version, tell) in [
        ("5.5.5-10.2.0-MariaDB", together as fn(Script, &'static [u8], u32) -> Script),
        ("5.5.5-10.1.48-MariaDB", apart),
    ] {
        let (mut connection, _server) = connect(tell(greeted(version), READS, 7).ping());
        run(&mut connection, READS).unwrap();
        connection.ping().unwrap();
    }
}

/// What writes goes so only where it is known that it is not refused; and not behind another that may write.
#[test]
fn what_writes_follows_one_that_ran_so() {
    let script = apart(greeted("10.11.0-MariaDB"), WRITES, 6).expect_command(Command::StmtClose(6));
    let script = together(together(script, READS, 7), WRITES, 8);
    let (mut connection, _server) = connect(apart(script, WRITES, 9).ping());
    let (write, executed) = connection.prepare_and_execute(WRITES, &PARAMETERS).unwrap();
    executed.unwrap();
    connection.close_statement(&write).unwrap();
    run(&mut connection, READS).unwrap();
    run(&mut connection, WRITES).unwrap();
    run(&mut connection, WRITES).unwrap();
    connection.ping().unwrap();
}

#[test]
fn a_refusal_has_two_answers() {
    let script = greeted("10.11.0-MariaDB")
        .expect_command(Command::StmtPrepare(READS))
        .expect_command(execute(LAST))
        .send(err(1146, b"42S02", "no such table"))
        .send_as(1, err(1243, b"HY000", "Unknown prepared statement handler"));
    let (mut connection, _server) = connect(script.ping());
    assert_eq!(run(&mut connection, READS), Err(1146));
    assert_eq!(connection.state(), State::Ready);
    connection.ping().unwrap();
}

/// A proxy may pass on what it prepares, and not know what came last.
#[test]
fn who_does_not_know_what_was_prepared_last_is_told() {
    let script = greeted("10.11.0-MariaDB")
        .expect_command(Command::StmtPrepare(READS))
        .expect_command(execute(LAST))
        .send_all(prepared(7))
        .send_as(1, err(1243, b"HY000", "Unknown prepared statement handler"))
        .expect_command(execute(7))
        .send(ok(AUTOCOMMIT));
    let (mut connection, _server) = connect(apart(script, WRITES, 8).ping());
    run(&mut connection, READS).unwrap();
    run(&mut connection, WRITES).unwrap();
    connection.ping().unwrap();
}

/// The same error may be a trigger's.
#[test]
fn what_may_have_written_is_not_run_again() {
    let script = together(greeted("10.11.0-MariaDB"), READS, 7)
        .expect_command(Command::StmtPrepare(WRITES))
        .expect_command(execute(LAST))
        .send_all(prepared(8))
        .send_as(1, err(1243, b"HY000", "Unknown prepared statement handler"));
    let (mut connection, _server) = connect(script.ping());
    run(&mut connection, READS).unwrap();
    assert_eq!(run(&mut connection, WRITES), Err(1243));
    connection.ping().unwrap();
}
