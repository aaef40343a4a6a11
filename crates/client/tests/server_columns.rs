//! Columns that a server describes again, to the byte: whether they are known, and told apart from others that look like them.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

mod servers;

use servers::{Server, run};
use vaquita_client::{Columns, Connection, Parameter, QueryResponse, State, Statistics};

fn columns(response: QueryResponse) -> Columns {
    let QueryResponse::ResultSet(columns) = response else { panic!("it has rows") };
    columns
}

/// A query's columns, and what its answer counted.
fn ask(connection: &mut Connection, sql: &str) -> (Columns, Statistics) {
    connection.set_counted(Statistics::default());
    connection.send_query(sql.as_bytes()).unwrap();
    let columns = columns(connection.read_query_response().unwrap());
    let stored = connection.store_result().unwrap();
    assert_eq!(**stored.columns(), *columns);
    assert_eq!(connection.session().field_count, columns.len());
    (columns, connection.counted())
}

fn names(columns: &Columns) -> Vec<&[u8]> {
    columns.iter().map(|column| column.name()).collect()
}

fn on_each_way(test: impl Fn(&mut Connection)) {
    for server in Server::all() {
        for (_, options) in server.ways() {
            test(&mut Connection::connect(&options).unwrap());
        }
    }
}

#[test]
fn the_same_ones_are_known_and_count_as_they_came() {
    on_each_way(|connection| {
        run(connection, "CREATE TEMPORARY TABLE t (id INT, name VARCHAR(20))");
        run(connection, "INSERT INTO t VALUES (1, 'a'), (2, NULL)");
        let (first, counted) = ask(connection, "SELECT id, name FROM t WHERE id = 1");
        for _ in 0..3 {
            let (again, counted_again) = ask(connection, "SELECT id, name FROM t WHERE id = 1");
            assert!(first.is_same(&again));
            assert_eq!(counted_again, counted);
        }
        assert_eq!(counted.column_definition.count, 2);
        assert_eq!(names(&first), [b"id".as_slice(), b"name"]);
    });
}

#[test]
fn others_are_told_apart() {
    on_each_way(|connection| {
        run(connection, "CREATE TEMPORARY TABLE t (id INT, name VARCHAR(20))");
        run(connection, "INSERT INTO t VALUES (1, 'a')");
        let check = |connection: &mut Connection, sql: &str, expected: &[&[u8]]| {
            let (columns, _) = ask(connection, sql);
            assert_eq!(names(&columns), expected, "{sql}");
            columns
        };
        let both = check(connection, "SELECT id, name FROM t", &[b"id", b"name"]);
        check(connection, "SELECT id FROM t", &[b"id"]);
        check(connection, "SELECT id, name, id FROM t", &[b"id", b"name", b"id"]);
        check(connection, "SELECT name, id FROM t", &[b"name", b"id"]);
        check(connection, "SELECT id, name AS nam2 FROM t", &[b"id", b"nam2"]);
        run(connection, "ALTER TABLE t MODIFY name VARCHAR(21)");
        let longer = check(connection, "SELECT id, name FROM t", &[b"id", b"name"]);
        assert!(longer[1].length > both[1].length);
        // More than are remembered, and wider ones.
        for number in 0..40 {
            let name = format!("c{number}");
            check(connection, &format!("SELECT 1 AS {name}"), &[name.as_bytes()]);
        }
        let wide: Vec<String> = (0..900).map(|number| format!("1 AS wide{number}")).collect();
        for _ in 0..2 {
            assert_eq!(ask(connection, &format!("SELECT {}", wide.join(", "))).0.len(), 900);
        }
        check(connection, "SELECT id, name FROM t", &[b"id", b"name"]);
    });
}

#[test]
fn a_refusal_in_their_midst_is_no_column() {
    on_each_way(|connection| {
        let sql = b"SELECT id, name FROM not_there";
        for _ in 0..2 {
            connection.send_query(sql).unwrap();
            assert_eq!(connection.read_query_response().unwrap_err().code(), 1146);
            assert_eq!(connection.state(), State::Ready);
        }
        assert_eq!(ask(connection, "SELECT 1 AS one").0.len(), 1);
    });
}

/// The rows of a query and those of a prepared statement may have the same columns.
#[test]
fn rows_are_read_in_their_own_protocol() {
    on_each_way(|connection| {
        run(connection, "CREATE TEMPORARY TABLE t (id BIGINT, at DATETIME)");
        run(connection, "INSERT INTO t VALUES (5, '2024-02-29 12:00:00')");
        let statement = connection.prepare(b"SELECT id, at FROM t WHERE id = ?").unwrap();
        for _ in 0..3 {
            let sql = "SELECT id, at FROM t WHERE id = 5";
            connection.send_query(sql.as_bytes()).unwrap();
            connection.read_query_response().unwrap();
            let stored = connection.store_result().unwrap();
            let text: Vec<_> = stored.row(0).unwrap().values().collect();
            assert_eq!(text, [Some(&b"5"[..]), Some(b"2024-02-29 12:00:00")]);

            let parameters = [Parameter::Integer(Some(5))];
            connection.send_execute(&statement, &parameters, false).unwrap();
            columns(connection.read_query_response().unwrap());
            let stored = connection.store_result().unwrap();
            let binary: Vec<_> = stored.row(0).unwrap().values().map(Option::unwrap).collect();
            assert_eq!(binary, [&[5, 0, 0, 0, 0, 0, 0, 0][..], &[0xE8, 7, 2, 29, 12, 0, 0]]);
        }
    });
}
