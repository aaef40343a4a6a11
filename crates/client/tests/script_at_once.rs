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

const SQL: &[u8] = b"INSERT INTO t VALUES (?)";
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

fn run(connection: &mut Connection) -> Result<(), u16> {
    let ran = connection.prepare_and_execute(SQL, &PARAMETERS);
    let response = ran.and_then(|(_, executed)| executed).map_err(|error| error.code())?;
    assert!(matches!(response, QueryResponse::Ok));
    Ok(())
}

#[test]
fn both_travel_in_one_write_to_a_server_that_takes_them() {
    let together = greeted("5.5.5-10.2.0-MariaDB")
        .expect_command(Command::StmtPrepare(SQL))
        .expect_command(execute(LAST))
        .send_all(prepared(7))
        .send_as(1, ok(AUTOCOMMIT));
    let (mut connection, _server) = connect(together.ping());
    run(&mut connection).unwrap();
    connection.ping().unwrap();

    let apart = greeted("5.5.5-10.1.48-MariaDB")
        .expect_command(Command::StmtPrepare(SQL))
        .send_all(prepared(7))
        .expect_command(execute(7))
        .send(ok(AUTOCOMMIT));
    let (mut connection, _server) = connect(apart.ping());
    run(&mut connection).unwrap();
    connection.ping().unwrap();
}

#[test]
fn behind_one_that_may_write_they_do_not() {
    let script = greeted("10.11.0-MariaDB")
        .expect_command(Command::StmtPrepare(SQL))
        .expect_command(execute(LAST))
        .send_all(prepared(7))
        .send_as(1, ok(AUTOCOMMIT))
        .expect_command(Command::StmtPrepare(SQL))
        .send_all(prepared(8))
        .expect_command(execute(8))
        .send(ok(AUTOCOMMIT));
    let (mut connection, _server) = connect(script.ping());
    run(&mut connection).unwrap();
    run(&mut connection).unwrap();
    connection.ping().unwrap();
}

#[test]
fn a_refusal_has_two_answers() {
    let script = greeted("10.11.0-MariaDB")
        .expect_command(Command::StmtPrepare(SQL))
        .expect_command(execute(LAST))
        .send(err(1146, b"42S02", "no such table"))
        .send_as(1, err(1243, b"HY000", "Unknown prepared statement handler"));
    let (mut connection, _server) = connect(script.ping());
    assert_eq!(run(&mut connection), Err(1146));
    assert_eq!(connection.state(), State::Ready);
    connection.ping().unwrap();
}

/// A proxy may pass on what it prepares, and not know what came last.
#[test]
fn who_does_not_know_what_was_prepared_last_is_told() {
    let script = greeted("10.11.0-MariaDB")
        .expect_command(Command::StmtPrepare(SQL))
        .expect_command(execute(LAST))
        .send_all(prepared(7))
        .send_as(1, err(1243, b"HY000", "Unknown prepared statement handler"))
        .expect_command(execute(7))
        .send(ok(AUTOCOMMIT));
    let (mut connection, _server) = connect(script.ping());
    run(&mut connection).unwrap();
    connection.ping().unwrap();
}
