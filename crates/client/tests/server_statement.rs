//! Prepared statements on real servers.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

mod servers;

use servers::{on_each, run, text};
use vaquita_client::binary_value::{self, DateTime, Time};
use vaquita_client::{
    ColumnType, Columns, Connection, Data, Parameter, QueryResponse, State, Statement,
};

type Bytes = Option<Vec<u8>>;

fn execute(
    connection: &mut Connection,
    statement: &Statement,
    parameters: &[Parameter<'_>],
) -> QueryResponse {
    connection.send_execute(statement, parameters, false).unwrap();
    connection.read_query_response().unwrap()
}

fn stored(connection: &mut Connection) -> Vec<Vec<Bytes>> {
    let mut stored = connection.store_result().unwrap();
    let mut rows = Vec::new();
    while let Some(row) = stored.next_row() {
        rows.push(row.values().map(|value| value.map(<[u8]>::to_vec)).collect());
    }
    rows
}

/// Runs a statement that has rows.
fn rows(
    connection: &mut Connection,
    statement: &Statement,
    parameters: &[Parameter<'_>],
) -> (Columns, Vec<Vec<Bytes>>) {
    let QueryResponse::ResultSet(columns) = execute(connection, statement, parameters) else {
        panic!("it has rows");
    };
    (columns, stored(connection))
}

/// A value as the text protocol would show it.
fn shown(column_type: ColumnType, decimals: u8, value: &[u8]) -> String {
    match column_type {
        ColumnType::TINY
        | ColumnType::SHORT
        | ColumnType::LONG
        | ColumnType::INT24
        | ColumnType::LONGLONG => binary_value::signed(value).to_string(),
        ColumnType::YEAR => binary_value::unsigned(value).to_string(),
        ColumnType::FLOAT => binary_value::float(value).unwrap().to_string(),
        ColumnType::DOUBLE => binary_value::double(value).unwrap().to_string(),
        ColumnType::DATE => string(DateTime::parse(value).unwrap().date_text().as_bytes()),
        ColumnType::DATETIME | ColumnType::TIMESTAMP => {
            string(DateTime::parse(value).unwrap().text(decimals).as_bytes())
        }
        ColumnType::TIME => string(Time::parse(value).unwrap().text(decimals).as_bytes()),
        _ => string(value),
    }
}

fn string(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn each_type_comes_back_as_text_shows_it() {
    on_each(|_, connection| {
        run(connection, "DROP TABLE IF EXISTS types");
        run(
            connection,
            "CREATE TABLE types (a TINYINT, b SMALLINT, c MEDIUMINT, d INT, e BIGINT, f FLOAT, g DOUBLE, h DECIMAL(10,3), \
             i DATE, j DATETIME, k DATETIME(3), l TIMESTAMP(6) NULL, m TIME, n TIME(2), o YEAR, p VARCHAR(20), q BLOB, r ENUM('x','y'), s CHAR(3))",
        );
        run(
            connection,
            "INSERT INTO types VALUES (-128, -32768, -8388608, -2147483648, -9223372036854775808, 1.5, -0.25, '-1234567.125', \
             '2026-11-21', '2026-11-21 00:00:00', '2026-11-21 10:11:12.5', '2026-11-21 10:11:12.000001', '-838:59:59', \
             '00:00:00', 2026, 'text', 'blob', 'y', 'abc'), \
             (1, 2, 3, 4, 5, 0, 0, 0, '0001-01-01', NULL, '2026-11-21', '2026-11-21 10:11:12', '100:00:00', '00:00:01.99', 1901, '', '', 'x', '')",
        );
        let statement = connection.prepare(b"SELECT * FROM types").unwrap();
        assert_eq!((statement.params(), statement.columns().len()), (0, 19));
        let (columns, binary) = rows(connection, &statement, &[]);
        let text = servers::rows(connection, "SELECT * FROM types");
        for (binary, text) in binary.iter().zip(&text) {
            for ((column, binary), text) in columns.iter().zip(binary).zip(text) {
                let binary =
                    binary.as_deref().map(|it| shown(column.column_type, column.decimals, it));
                assert_eq!(binary, text.as_deref().map(string), "{}", string(column.name()));
            }
        }
        assert_eq!((binary.len(), text.len()), (2, 2));
        connection.close_statement(&statement).unwrap();
        run(connection, "DROP TABLE types");
    });
}

#[test]
fn parameters_of_each_kind_arrive() {
    on_each(|_, connection| {
        let sql = b"SELECT CONCAT_WS('|', ?, HEX(?), ?, ?, HEX(?), ISNULL(?), ISNULL(?))";
        let statement = connection.prepare(sql).unwrap();
        assert_eq!(statement.params(), 7);
        let parameters = [
            Parameter::Integer(Some(i64::MIN)),
            Parameter::Unsigned(Some(u64::MAX)),
            Parameter::Double(Some(0.1)),
            Parameter::Text(Data::Bytes("é'\\".as_bytes())),
            Parameter::Blob(Data::Bytes(b"\0\xFF")),
            Parameter::Integer(None),
            Parameter::Text(Data::Null),
        ];
        for _ in 0..2 {
            let (_, rows) = rows(connection, &statement, &parameters);
            let expected = "-9223372036854775808|FFFFFFFFFFFFFFFF|0.1|é'\\|00FF|1|1";
            assert_eq!(string(rows[0][0].as_deref().unwrap()), expected);
        }
        let error = connection.send_execute(&statement, &parameters[1..], false).unwrap_err();
        assert_eq!(error.code(), 2031, "{error}");
        assert!(error.nothing_sent() && connection.state() == State::Ready);
        connection.close_statement(&statement).unwrap();
    });
}

#[test]
fn many_parameters_and_many_columns() {
    on_each(|_, connection| {
        let marks = vec!["?"; 1000].join(", ");
        let statement = connection.prepare(format!("SELECT {marks}").as_bytes()).unwrap();
        let text: Vec<String> = (0..1000).map(|n| format!("v{n}")).collect();
        let parameters: Vec<Parameter<'_>> = text
            .iter()
            .zip(0..)
            .map(|(it, n)| {
                Parameter::Text(if n % 3 == 0 { Data::Null } else { Data::Bytes(it.as_bytes()) })
            })
            .collect();
        let (_, rows) = rows(connection, &statement, &parameters);
        for (n, value) in rows[0].iter().enumerate() {
            let expected = (n % 3 != 0).then(|| format!("v{n}"));
            assert_eq!(value.as_deref().map(string), expected);
        }
        connection.close_statement(&statement).unwrap();
    });
}

#[test]
fn long_data_goes_in_parts() {
    on_each(|_, connection| {
        let statement = connection.prepare(b"SELECT SHA2(?, 256), LENGTH(?)").unwrap();
        let part = vec![b'x'; 100_000];
        for _ in 0..3 {
            connection.send_long_data(&statement, 0, &part).unwrap();
        }
        connection.send_long_data(&statement, 1, b"").unwrap();
        let parameters = [Parameter::Blob(Data::Sent), Parameter::Text(Data::Sent)];
        let (_, sent) = rows(connection, &statement, &parameters);
        let expected = servers::text(connection, "SELECT SHA2(REPEAT('x', 300000), 256)");
        assert_eq!(string(sent[0][0].as_deref().unwrap()), expected);
        connection.send_long_data(&statement, 0, b"forgotten").unwrap();
        connection.reset_statement(&statement).unwrap();
        let whole = [Parameter::Blob(Data::Bytes(b"abc")), Parameter::Integer(None)];
        let (_, sent) = rows(connection, &statement, &whole);
        assert_eq!(
            sent[0][0].as_deref().unwrap(),
            b"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        assert_eq!(sent[0][1], None);
        connection.close_statement(&statement).unwrap();
    });
}

#[test]
fn a_cursor_gives_rows_on_demand() {
    on_each(|server, connection| {
        let sql = b"SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3";
        let statement = connection.prepare(sql).unwrap();
        connection.send_execute(&statement, &[], true).unwrap();
        let QueryResponse::Cursor(columns) = connection.read_query_response().unwrap() else {
            panic!("the rows stay there");
        };
        assert_eq!(connection.state(), State::Ready);
        // Something else may be done in between.
        assert_eq!(text(connection, "SELECT 'between'"), "between");
        let mut seen = Vec::new();
        for expected in [2, 1, 0] {
            connection.send_fetch(&statement, &columns, 2).unwrap();
            let rows = stored(connection);
            assert_eq!(rows.len(), expected);
            seen.extend(
                rows.into_iter().map(|row| binary_value::signed(row[0].as_deref().unwrap())),
            );
            if expected < 2 {
                break;
            }
        }
        assert_eq!(seen, [1, 2, 3]);
        connection.reset_statement(&statement).unwrap();
        // What has no rows has no cursor; MySQL from 8.0 on does not even take the wish (1210).
        let set = connection.prepare(b"SET @a = 1").unwrap();
        connection.send_execute(&set, &[], true).unwrap();
        match connection.read_query_response() {
            Ok(QueryResponse::Ok) => assert!(server.is_mariadb() || server.name == "mysql56"),
            other => assert_eq!(other.unwrap_err().code(), 1210),
        }
        connection.close_statement(&set).unwrap();
        connection.close_statement(&statement).unwrap();
    });
}

#[test]
fn a_call_has_several_results() {
    on_each(|_, connection| {
        run(connection, "DROP PROCEDURE IF EXISTS several");
        run(
            connection,
            "CREATE PROCEDURE several(IN a INT, OUT b INT) BEGIN SELECT a, 'one'; SELECT 'two'; SET b = a + 1; END",
        );
        let statement = connection.prepare(b"CALL several(?, ?)").unwrap();
        let parameters = [Parameter::Integer(Some(41)), Parameter::Integer(None)];
        let (_, first) = rows(connection, &statement, &parameters);
        assert_eq!(binary_value::signed(first[0][0].as_deref().unwrap()), 41);
        assert!(connection.more_results());
        assert!(matches!(connection.read_query_response(), Ok(QueryResponse::ResultSet(_))));
        assert_eq!(stored(connection), [[Some(b"two".to_vec())]]);
        // The OUT parameters are a result only where PS_MULTI_RESULTS was asked for, which stock does not.
        assert!(matches!(connection.read_query_response(), Ok(QueryResponse::Ok)));
        assert!(!connection.more_results());
        connection.close_statement(&statement).unwrap();
        run(connection, "DROP PROCEDURE several");
    });
}

/// Its flag stands in the answer, though nobody asked for a cursor of ours.
#[test]
fn a_procedure_may_have_cursors_of_its_own() {
    on_each(|_, connection| {
        run(connection, "DROP PROCEDURE IF EXISTS with_cursor");
        run(
            connection,
            "CREATE PROCEDURE with_cursor() BEGIN DECLARE it CURSOR FOR SELECT 'in'; OPEN it; CLOSE it; SELECT 'out'; END",
        );
        let statement = connection.prepare(b"CALL with_cursor()").unwrap();
        let (_, rows) = rows(connection, &statement, &[]);
        assert_eq!(rows, [[Some(b"out".to_vec())]]);
        assert!(matches!(connection.read_query_response(), Ok(QueryResponse::Ok)));
        run(connection, "DROP PROCEDURE with_cursor");
    });
}

#[test]
fn a_refused_statement_leaves_the_connection_as_it_was() {
    on_each(|_, connection| {
        let error = connection.prepare(b"SELEKT ?").unwrap_err();
        assert_eq!((error.code(), error.sqlstate()), (1064, *b"42000"));
        let statement = connection.prepare(b"SELECT 1").unwrap();
        connection.close_statement(&statement).unwrap();
        connection.send_execute(&statement, &[], false).unwrap();
        assert_eq!(connection.read_query_response().unwrap_err().code(), 1243);
        assert_eq!(connection.state(), State::Ready);
        assert_eq!(text(connection, "SELECT 'on'"), "on");
    });
}

#[test]
fn a_statement_closed_at_a_bad_time_goes_with_the_next_command() {
    on_each(|_, connection| {
        let closed = |connection: &mut Connection| {
            servers::rows(connection, "SHOW SESSION STATUS LIKE 'Com_stmt_close'")[0][1]
                .clone()
                .map(|it| string(&it))
        };
        let before: u32 = closed(connection).unwrap().parse().unwrap();
        let statement = connection.prepare(b"SELECT 1 UNION SELECT 2").unwrap();
        let other = connection.prepare(b"SELECT 1").unwrap();
        assert!(matches!(execute(connection, &statement, &[]), QueryResponse::ResultSet(_)));
        connection.close_statement(&other).unwrap();
        connection.close_statement(&statement).unwrap();
        assert_eq!(stored(connection).len(), 2);
        assert_eq!(closed(connection).unwrap().parse::<u32>().unwrap(), before + 2);
    });
}
