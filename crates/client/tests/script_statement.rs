//! Prepared statements against scripted servers: answers that are cut or lie, goodbyes at the right time, and rows that can't be read.
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
use vaquita_client::{Connection, Error, Parameter, QueryResponse, State, Statement, codes, poll};
use vaquita_fake_server::packets::{AUTOCOMMIT, column, column_count, eof, err, ok, row};
use vaquita_fake_server::{Delivery, Payload, Script};
use vaquita_protocol::{ColumnType, ComStmtExecute, Command};

const SQL: &[u8] = b"SELECT a, b FROM t WHERE a = ?";

/// COM_STMT_PREPARE_OK of the statement 7.
fn prepare_ok(columns: u16, params: u16) -> Payload {
    Payload::new()
        .field("status", [0])
        .field("statement_id", 7_u32.to_le_bytes())
        .field("num_columns", columns.to_le_bytes())
        .field("num_params", params.to_le_bytes())
        .field("reserved_1 and warning_count", [0, 0, 0])
}

fn definitions() -> Vec<Payload> {
    vec![column("a", ColumnType::LONG), column("b", ColumnType::VAR_STRING), eof(AUTOCOMMIT)]
}

/// What a server says to [`SQL`].
fn prepared() -> Vec<Payload> {
    let params = vec![column("?", ColumnType::VAR_STRING), eof(AUTOCOMMIT)];
    [vec![prepare_ok(2, 1)], params, definitions()].concat()
}

const EXECUTE: Command<'_> = Command::StmtExecute(ComStmtExecute {
    statement_id: 7,
    opens_cursor: false,
    parameters: &[Parameter::Integer(Some(1))],
});

fn connect(script: Script) -> (Connection, vaquita_fake_server::FakeServer) {
    let server = fake::serve(&Arc::new(script), Over::Unix, Delivery::WHOLE);
    (Connection::connect(&fake::options(&server)).unwrap(), server)
}

fn prepare(connection: &mut Connection) -> Result<Statement, Error> {
    connection.prepare(SQL)
}

fn begin(connection: &mut Connection, statement: &Statement) {
    connection.send_execute(statement, &[Parameter::Integer(Some(1))], false).unwrap();
    let response = connection.read_query_response().unwrap();
    assert!(matches!(response, QueryResponse::ResultSet(columns) if columns.len() == 2));
}

fn script() -> Script {
    Script::greeted().send(ok(AUTOCOMMIT)).expect_command(Command::StmtPrepare(SQL))
}

/// MariaDB opens a cursor only after it has told the columns; what goes wrong then stands in the place of the EOF packet.
#[test]
fn an_error_after_the_columns_leaves_the_connection_ready() {
    let refused = err(1242, b"21000", "Subquery returns more than 1 row");
    let columns = [vec![column_count(2)], definitions()[..2].to_vec(), vec![refused]].concat();
    let script = script().send_all(prepared()).expect_packet().send_all(columns).ping();
    let (mut connection, _server) = connect(script);
    let statement = prepare(&mut connection).unwrap();
    connection.send_execute(&statement, &[Parameter::Integer(Some(1))], true).unwrap();
    assert_eq!(connection.read_query_response().unwrap_err().code(), 1242);
    assert_eq!(connection.state(), State::Ready);
    connection.ping().unwrap();
}

#[test]
fn an_answer_is_read_to_its_end_and_cut_anywhere_it_is_an_error() {
    let (mut connection, _server) = connect(script().send_all(prepared()).ping());
    let statement = prepare(&mut connection).unwrap();
    assert_eq!((statement.id(), statement.params(), statement.columns().len()), (7, 1, 2));
    assert_eq!(connection.session().field_count, 2);
    connection.ping().unwrap();

    for length in 0..prepared().len() {
        let begin = prepared().into_iter().take(length);
        let (mut connection, _server) = connect(script().send_all(begin).close());
        let error = prepare(&mut connection).unwrap_err();
        assert_eq!(error.code(), codes::SERVER_GONE_ERROR, "{length} packets");
        assert_eq!(connection.state(), State::Broken);
    }
}

#[test]
fn an_answer_that_is_none_breaks_the_connection() {
    for answer in [
        vec![ok(AUTOCOMMIT)],
        vec![eof(AUTOCOMMIT)],
        vec![column_count(2)],
        vec![prepare_ok(2, 1), eof(AUTOCOMMIT)],
        vec![prepare_ok(0, 1), column("?", ColumnType::NULL), column("?", ColumnType::NULL)],
        vec![Payload::new()],
    ] {
        let (mut connection, _server) = connect(script().send_all(answer.clone()));
        let error = prepare(&mut connection).unwrap_err();
        assert_eq!(error.code(), codes::MALFORMED_PACKET, "{answer:?}");
        assert_eq!(connection.state(), State::Broken);
    }
}

#[test]
fn a_refusal_in_the_middle_of_an_answer_is_one() {
    let answer = vec![prepare_ok(2, 1), err(1105, b"HY000", "no")];
    let (mut connection, _server) = connect(script().send_all(answer).ping());
    let error = prepare(&mut connection).unwrap_err();
    assert_eq!((error.code(), connection.state()), (1105, State::Ready));
    connection.ping().unwrap();
}

/// What waited goes before the next command, whatever that is.
#[test]
fn statements_are_closed_as_soon_as_the_server_listens() {
    let rows = [vec![column_count(2)], definitions(), vec![eof(AUTOCOMMIT)]].concat();
    let script = script()
        .send_all(prepared())
        .expect_command(EXECUTE)
        .send_all(rows)
        .expect_command(Command::StmtClose(7))
        .expect_command(Command::StmtClose(7))
        .ping();
    let (mut connection, _server) = connect(script);
    let statement = prepare(&mut connection).unwrap();
    begin(&mut connection, &statement);
    connection.close_statement(&statement).unwrap();
    connection.close_statement_later(&statement);
    connection.discard_result().unwrap();
    connection.ping().unwrap();
}

/// A row that is too short, and one that is none.
fn spoilt_rows() -> [Payload; 3] {
    let short = Payload::new().field("row", [0, 0, 1]);
    [short, row(&[Some(b"1"), Some(b"2")]), Payload::new()]
}

fn good_row() -> Payload {
    Payload::new().field("row", [0, 0, 1, 0, 0, 0, 1, b'x'])
}

fn with_rows(rows: Vec<Payload>) -> Script {
    script()
        .send_all(prepared())
        .expect_command(EXECUTE)
        .send_all([vec![column_count(2)], definitions(), rows].concat())
}

#[test]
fn a_row_that_cannot_be_read_breaks_the_connection() {
    for spoilt in spoilt_rows() {
        let (mut connection, _server) = connect(with_rows(vec![good_row(), spoilt]));
        let statement = prepare(&mut connection).unwrap();
        begin(&mut connection, &statement);
        let error = connection.store_result().unwrap_err();
        assert_eq!(error.code(), codes::MALFORMED_PACKET);
        assert_eq!(connection.state(), State::Broken);
    }
}

/// Where it is kept it is the last one, and the server hears goodbyes only.
#[test]
fn a_spoilt_row_may_be_kept() {
    for spoilt in spoilt_rows() {
        for stores in [true, false] {
            let rows = vec![good_row(), spoilt.clone(), good_row(), eof(AUTOCOMMIT)];
            let script =
                with_rows(rows).expect_command(Command::StmtClose(7)).expect_command(Command::Quit);
            let (mut connection, server) = connect(script);
            connection.keep_spoilt_rows();
            let statement = prepare(&mut connection).unwrap();
            begin(&mut connection, &statement);
            if stores {
                let stored = connection.store_result().unwrap();
                assert_eq!(stored.rows(), 2);
                assert!(stored.spoilt_row().is_some());
            } else {
                assert!(connection.next_row().unwrap().is_some());
                assert_eq!(connection.spoilt_row(), None);
                assert!(connection.next_row().unwrap().is_some());
                assert!(connection.spoilt_row().is_some());
                assert_eq!(connection.next_row().unwrap_err().code(), codes::SERVER_GONE_ERROR);
            }
            assert_eq!(connection.state(), State::Broken);
            assert_eq!(connection.ping().unwrap_err().code(), codes::SERVER_GONE_ERROR);
            connection.close_statement(&statement).unwrap();
            connection.close();
            server.finish().unwrap();
        }
    }
}

#[test]
fn a_poll_tells_which_connections_have_an_answer() {
    let answering = || Script::queried().send(ok(AUTOCOMMIT));
    let (mut quick, _quick) = connect(answering());
    let (mut silent, _silent) = connect(Script::queried());
    let (idle, _idle) = connect(Script::logged_in());
    quick.send_query(b"DO 1").unwrap();
    silent.send_query(b"DO 1").unwrap();
    let due = [&quick, &silent, &idle].map(Connection::is_answer_due);
    assert_eq!(due, [true, true, false]);
    let pollables = [&quick, &silent].map(|it| it.pollable().unwrap().unwrap());
    let polled = poll(&pollables, &[], fake::PATIENCE).unwrap();
    assert_eq!((polled.read, polled.error), (vec![true, false], vec![]));
    assert!(matches!(quick.read_query_response(), Ok(QueryResponse::Ok)));
    let pollables = [&silent].map(|it| it.pollable().unwrap().unwrap());
    let polled = poll(&pollables, &pollables, Duration::from_millis(1)).unwrap();
    assert_eq!((polled.read, polled.error), (vec![false], vec![false]));
    silent.close();
    assert!(silent.pollable().unwrap().is_none());
}
