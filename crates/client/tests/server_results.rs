//! Large, long and many: results and queries of all sizes against real servers.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

mod servers;

use servers::{Server, Value, on_each, run, text};
use vaquita_client::{Buffered, Connection, QueryResponse, Row, State};

/// The longest payload of one packet.
const FULL_PACKET: usize = 0xFF_FFFF;

fn begin(connection: &mut Connection, sql: &str) {
    connection.send_query(sql.as_bytes()).unwrap();
    let response = connection.read_query_response().unwrap();
    assert!(matches!(response, QueryResponse::ResultSet(_)), "{sql} has rows");
}

fn store(connection: &mut Connection, sql: &str) -> Buffered {
    begin(connection, sql);
    let stored = connection.store_result().unwrap();
    assert_eq!(connection.state(), State::Ready);
    assert_eq!(connection.session().affected_rows, stored.rows());
    stored
}

fn values(row: Row<'_>) -> Vec<Value> {
    row.values().map(|value| value.map(<[u8]>::to_vec)).collect()
}

/// Makes a table of `rows` rows whose values have up to `longest` bytes, each its own.
fn make_table(connection: &mut Connection, rows: u32, longest: u32) {
    run(
        connection,
        "CREATE TEMPORARY TABLE sized (id INT PRIMARY KEY, a LONGTEXT, b INT) CHARACTER SET latin1",
    );
    run(connection, "INSERT INTO sized VALUES (1, NULL, 1)");
    let mut made = 1;
    while made < rows {
        // A temporary table can't be read and written in one statement, so by way of another one.
        run(connection, "CREATE TEMPORARY TABLE ids SELECT id FROM sized");
        let left = rows - made;
        run(
            connection,
            &format!(
                "INSERT INTO sized SELECT id + {made}, IF(id % 7 = 0, NULL, REPEAT(CHAR(65 + id % 26), \
                 (id * 7919 + {made}) % {longest})), id FROM ids WHERE id <= {left}"
            ),
        );
        run(connection, "DROP TEMPORARY TABLE ids");
        made += left.min(made);
    }
}

#[test]
fn stored_and_unbuffered_rows_are_the_same() {
    for (rows, longest) in [(1, 2), (900, 60), (70_000, 300), (300, 200_000), (12, 3_000_000)] {
        on_each(|_, connection| {
            make_table(connection, rows, longest);
            let sql = "SELECT id, a, b FROM sized ORDER BY id";
            let mut stored = store(connection, sql);
            assert_eq!(stored.rows(), u64::from(rows));
            begin(connection, sql);
            let mut many = 0;
            let mut number = 0;
            while connection.next_rows().unwrap() > 0 {
                let begun = number;
                for row in connection.current_rows() {
                    assert_eq!(values(row), values(stored.row(number).unwrap()), "{number}");
                    number += 1;
                }
                let last = connection.current_row().map(values);
                assert_eq!(last, stored.row(number - 1).map(values));
                many += u64::from(number > begun + 1);
            }
            assert_eq!((number, connection.state()), (u64::from(rows), State::Ready));
            assert_eq!(connection.current_rows().count(), 0);
            // What is compressed is decompressed packet by packet.
            let is_compressed = !connection.options().compression.is_empty();
            assert!(is_compressed || rows < 900 || many > 0, "several come with one read");
            begin(connection, sql);
            let (mut number, mut received) = (0, 0);
            loop {
                let before = connection.current_row().map(values);
                let has_come = connection.next_received_row();
                if !has_come {
                    assert_eq!(connection.current_row().map(values), before);
                    if connection.next_row().unwrap().is_none() {
                        break;
                    }
                }
                assert_eq!(connection.current_row().map(values), stored.row(number).map(values));
                number += 1;
                received += u64::from(has_come);
            }
            assert_eq!((number, connection.next_received_row()), (u64::from(rows), false));
            assert!(is_compressed || rows < 900 || received > 0, "some have come already");
            begin(connection, sql);
            let mut number = 0;
            while let Some(row) = connection.next_row().unwrap() {
                let row = values(row);
                assert_eq!(stored.position(), number);
                assert_eq!(stored.next_row().map(values).as_ref(), Some(&row));
                assert_eq!(stored.row(number).map(values).as_ref(), Some(&row));
                number += 1;
                let [Some(id), ..] = &row[..] else { panic!("an id is no NULL") };
                assert_eq!(id[..], *number.to_string().as_bytes());
            }
            assert_eq!(number, u64::from(rows));
            assert!(stored.next_row().is_none() && stored.next_row().is_none());
            assert_eq!(stored.position(), number);
            let wire = stored.wire_bytes();
            let data = text(
                connection,
                "SELECT SUM(LENGTH(id) + IFNULL(LENGTH(a), 0) + LENGTH(b)) FROM sized",
            );
            let data: u64 = data.parse().unwrap();
            assert!((data..data + 20 * number).contains(&wire), "{wire} for {data}");
        });
    }
}

#[test]
fn any_row_can_be_sought() {
    on_each(|_, connection| {
        make_table(connection, 5_000, 500);
        let mut stored = store(connection, "SELECT id FROM sized ORDER BY id");
        for number in [4_999, 0, 2_500, 2_499, 4_998, 1] {
            assert!(stored.seek(number));
            let expected = Some(vec![Some((number + 1).to_string().into_bytes())]);
            assert_eq!(stored.next_row().map(values), expected);
            assert_eq!(stored.position(), number + 1);
        }
        assert!(!stored.seek(5_000) && !stored.seek(u64::MAX));
        assert_eq!(stored.position(), 2);
        assert!(stored.row(5_000).is_none());
        let mut empty = store(connection, "SELECT id FROM sized WHERE id < 0");
        assert_eq!((empty.rows(), empty.wire_bytes()), (0, 0));
        assert!(!empty.seek(0) && empty.next_row().is_none());
    });
}

#[test]
fn rows_around_the_packet_limit_come_whole() {
    on_each(|_, connection| {
        // A value below 16 MiB has 4 bytes of length in front, a longer one 9.
        for payload in [FULL_PACKET - 1, FULL_PACKET, FULL_PACKET + 1, 2 * FULL_PACKET] {
            let length = if payload - 4 <= FULL_PACKET { payload - 4 } else { payload - 9 };
            // Two long rows: the second one meets a buffer that has grown already.
            let sql = format!(
                "SELECT ELT(n, 'before', REPEAT('x', {length}), REPEAT('y', {length}), 'after') FROM \
                 (SELECT 1 AS n UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4) AS numbers"
            );
            let check = |row: Option<Row<'_>>, expected: usize, content: u8| {
                let value = row.and_then(|row| row.values().next().flatten()).unwrap_or_default();
                assert_eq!(value.len(), expected, "{payload}");
                assert!(expected < 10 || value.iter().all(|&byte| byte == content), "{payload}");
            };
            let mut stored = store(connection, &sql);
            check(stored.next_row(), 6, 0);
            check(stored.next_row(), length, b'x');
            check(stored.next_row(), length, b'y');
            check(stored.next_row(), 5, 0);
            assert!(stored.next_row().is_none());
            begin(connection, &sql);
            check(connection.next_row().unwrap(), 6, 0);
            check(connection.next_row().unwrap(), length, b'x');
            check(connection.next_row().unwrap(), length, b'y');
            check(connection.next_row().unwrap(), 5, 0);
            assert!(connection.next_row().unwrap().is_none());
            connection.ping().unwrap();
        }
    });
}

#[test]
fn queries_around_the_packet_limit_arrive_whole() {
    on_each(|_, connection| {
        for payload in
            [8 << 10, FULL_PACKET - 1, FULL_PACKET, FULL_PACKET + 1, 2 * FULL_PACKET, 40 << 20]
        {
            // The command's byte is part of the payload.
            let frame = "?SELECT LENGTH('')".len();
            let sql = format!("SELECT LENGTH('{}')", "y".repeat(payload - frame));
            assert_eq!(text(connection, &sql), (payload - frame).to_string());
        }
    });
}

#[test]
fn a_query_too_large_for_the_server_ends_the_connection() {
    on_each(|_, connection| {
        let sql = format!("SELECT '{}'", "z".repeat(130 << 20));
        let error = connection
            .send_query(sql.as_bytes())
            .and_then(|()| connection.read_query_response().map(drop))
            .expect_err("the server takes 128 MiB at most");
        // The server's refusal may be lost with the connection that it closes.
        assert!([1153, 2006].contains(&error.code()), "{error}");
        let gone = connection.ping().and_then(|()| connection.ping());
        assert_eq!(gone.expect_err("the connection is gone").code(), 2006);
    });
}

#[test]
fn thousands_of_columns_are_no_problem() {
    for server in Server::all() {
        let mut connection = server.connect();
        let sql = format!("SELECT {}", vec!["1"; 5_000].join(","));
        let stored = store(&mut connection, &sql);
        assert_eq!(stored.columns().len(), 5_000);
        assert_eq!(stored.row(0).map(|row| row.values().len()), Some(5_000));
    }
}

#[test]
fn a_large_result_leaves_no_large_buffer() {
    for server in Server::all() {
        let mut connection = server.connect();
        begin(&mut connection, "SELECT REPEAT('x', 33554432)");
        connection.discard_result().unwrap();
        for _ in 0..3 {
            let stored = store(&mut connection, "SELECT 1");
            assert!(stored.memory_bytes() < 100, "{}", stored.memory_bytes());
        }
    }
}
