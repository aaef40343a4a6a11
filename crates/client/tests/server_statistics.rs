//! What a connection counts, beside what the server counted of the same session.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

mod servers;

use servers::{on_each, rows, run};
use vaquita_client::{Capabilities, Connection, Statistics};

/// The server's own count of this session.
fn status(connection: &mut Connection, name: &str) -> u64 {
    let rows = rows(connection, &format!("SHOW SESSION STATUS LIKE '{name}'"));
    let value = rows[0][1].clone().unwrap();
    String::from_utf8_lossy(&value).parse().unwrap()
}

#[test]
fn bytes_and_questions_are_those_of_the_server() {
    on_each(|_, connection| {
        // The server has counted the statement that asks, but not its own answer.
        let begin = connection.counted();
        let received = status(connection, "Bytes_received");
        let after_received = connection.counted();
        let before_sent = connection.counted();
        let sent = status(connection, "Bytes_sent");
        let questions = status(connection, "Questions");
        let after_questions = connection.counted();

        run(connection, "CREATE TEMPORARY TABLE t (a INT, b VARCHAR(2000))");
        run(connection, "INSERT INTO t VALUES (1, REPEAT('x', 2000)), (2, NULL), (3, '')");
        assert_eq!(rows(connection, "SELECT * FROM t").len(), 3);
        connection.send_query(b"nonsense").unwrap();
        connection.read_query_response().unwrap_err();
        let long = format!("DO '{}'", "y".repeat(70_000));
        run(connection, &long);
        connection.ping().unwrap();
        let statement = connection.prepare(b"SELECT * FROM t").unwrap();
        connection.send_execute(&statement, &[], false).unwrap();
        connection.read_query_response().unwrap();
        assert_eq!(connection.store_result().unwrap().rows(), 3);

        let received = status(connection, "Bytes_received") - received;
        assert_eq!(connection.counted().bytes_sent - after_received.bytes_sent, received);
        let now = connection.counted();
        let sent = status(connection, "Bytes_sent") - sent;
        assert_eq!(now.bytes_received - before_sent.bytes_received, sent);
        let questions = status(connection, "Questions") - questions;
        let now = connection.counted();
        let asked: u64 = [0x03, 0x0E, 0x17]
            .iter()
            .map(|code| now.commands(*code) - after_questions.commands(*code))
            .sum();
        // Some servers count a COM_PING and a COM_STMT_PREPARE, some don't.
        assert!(
            (asked - 1..=asked + 1).contains(&questions),
            "{asked} asked, {questions} questions"
        );
        assert!(now.all_commands() > begin.all_commands());
    });
}

#[test]
fn packets_and_rows_are_counted_by_kind() {
    on_each(|_, connection| {
        connection.set_counted(Statistics::default());
        run(connection, "CREATE TEMPORARY TABLE t (a INT)");
        run(connection, "INSERT INTO t VALUES (1), (2), (3)");
        rows(connection, "SELECT a FROM t");
        connection.send_query(b"SELECT a, a FROM t").unwrap();
        connection.read_query_response().unwrap();
        connection.next_row().unwrap().unwrap();
        connection.discard_result().unwrap();
        connection.ping().unwrap();
        let counted = connection.counted();
        assert_eq!((counted.commands(3), counted.commands(14), counted.all_commands()), (4, 1, 5));
        assert_eq!((counted.oks, counted.rows_affected.text, counted.result_sets), (2, 3, 2));
        assert_eq!((counted.ok.count, counted.ok.bytes), (1, 11));
        assert_eq!((counted.result_set_header.count, counted.column_definition.count), (4, 3));
        assert_eq!((counted.eof.count, counted.row_end.count), (2, 2));
        // A row of "1" is two bytes and a header, one of "1", "1" four.
        assert_eq!((counted.text_row.count, counted.text_row.bytes), (6, 3 * 6 + 3 * 8));
        assert_eq!((counted.results_discarded.text, counted.rows_discarded.text), (1, 2));
        let kinds = [
            counted.ok,
            counted.eof,
            counted.result_set_header,
            counted.column_definition,
            counted.text_row,
            counted.row_end,
            counted.other,
        ];
        assert_eq!(kinds.iter().map(|it| it.count).sum::<u64>(), counted.packets_received);
        let agreed = connection.capabilities();
        if !agreed.contains(Capabilities::COMPRESS)
            && !agreed.contains(Capabilities::ZSTD_COMPRESSION)
        {
            assert_eq!(kinds.iter().map(|it| it.bytes).sum::<u64>(), counted.bytes_received);
        }
        assert_eq!(counted.packets_sent, 5);
    });
}

#[test]
fn a_failed_log_in_is_counted() {
    on_each(|server, _| {
        let mut spent = Statistics::default();
        let mut options = server.options(server.tcp());
        options.init_commands = vec![b"DO 1".to_vec(), b"nonsense".to_vec()];
        Connection::connect_counting(&options, &mut spent).unwrap_err();
        assert_eq!((spent.init_commands, spent.init_commands_failed), (2, 1));
        assert_eq!((spent.commands(3), spent.commands(1)), (2, 1));
        options.password = b"wrong".into();
        let before = spent.clone();
        Connection::connect_counting(&options, &mut spent).unwrap_err();
        assert!(
            spent.bytes_sent > before.bytes_sent && spent.bytes_received > before.bytes_received
        );
    });
}
