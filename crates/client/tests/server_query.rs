//! Queries, their results and their errors on real servers.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

mod servers;

use std::time::Duration;

use servers::{Server, on_each, rows, run, text};
use vaquita_client::{
    ColumnFlags, ColumnType, Connection, Error, QueryResponse, State, StatusFlags, UNKNOWN_ROWS,
};

/// A query fails with this number and SQLSTATE.
fn fails(connection: &mut Connection, sql: &str, code: u16, sqlstate: &[u8; 5]) {
    connection.send_query(sql.as_bytes()).unwrap();
    let error = connection.read_query_response().expect_err("this query fails");
    assert_eq!((error.code(), &error.sqlstate()), (code, sqlstate), "{error}");
}

fn begin(connection: &mut Connection, sql: &str) -> usize {
    connection.send_query(sql.as_bytes()).unwrap();
    match connection.read_query_response().unwrap() {
        QueryResponse::Ok => panic!("{sql} has rows"),
        QueryResponse::ResultSet(columns) => columns.len(),
        QueryResponse::Cursor(_) => panic!("no cursor was asked for"),
        QueryResponse::LocalInfile(name) => panic!("no file is allowed: {name:?}"),
    }
}

#[test]
fn rows_come_back() {
    on_each(|_, connection| {
        let expected = vec![
            vec![Some(b"1".to_vec()), Some(b"a".to_vec()), None],
            vec![Some(b"2".to_vec()), Some(Vec::new()), Some(vec![0, 0xFF, b'\''])],
        ];
        let sql = "SELECT 1, 'a', NULL UNION ALL SELECT 2, '', 0x00FF27";
        assert_eq!(rows(connection, sql), expected);
        assert_eq!(connection.session().affected_rows, 2);
        assert_eq!(connection.state(), State::Ready);
        assert_eq!(rows(connection, "SELECT 1 FROM DUAL WHERE FALSE"), Vec::<Vec<_>>::new());
    });
}

#[test]
fn rows_come_one_by_one() {
    on_each(|_, connection| {
        assert_eq!(begin(connection, "SELECT 1 UNION SELECT 2 UNION SELECT 3"), 1);
        assert_eq!(connection.session().affected_rows, UNKNOWN_ROWS);
        let mut seen: Vec<u8> = Vec::new();
        while let Some(row) = connection.next_row().unwrap() {
            assert_eq!((row.columns(), row.values().len()), (1, 1));
            seen.extend(row.values().flatten().flatten());
        }
        assert_eq!(seen, b"123");
        assert_eq!(connection.state(), State::Ready);
        assert_eq!(connection.next_row().unwrap_err().code(), 2014);
        begin(connection, "SELECT 1 UNION SELECT 2");
        connection.next_row().unwrap();
        connection.discard_result().unwrap();
        connection.ping().unwrap();
        begin(connection, "SELECT 1 UNION SELECT 2 UNION SELECT 3");
        connection.next_row().unwrap();
        assert_eq!(connection.store_result().unwrap().rows(), 2);
    });
}

#[test]
fn an_ok_says_what_was_done() {
    on_each(|_, connection| {
        run(connection, "CREATE TEMPORARY TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, a TINYINT)");
        run(connection, "INSERT INTO t (a) VALUES (1), (2), (3)");
        let session = connection.session();
        assert_eq!((session.affected_rows, session.last_insert_id), (3, 1));
        assert_eq!(session.info, b"Records: 3  Duplicates: 0  Warnings: 0");
        run(connection, "UPDATE t SET a = 2");
        let session = connection.session();
        assert_eq!((session.affected_rows, session.last_insert_id), (2, 0));
        assert_eq!(session.info, b"Rows matched: 3  Changed: 2  Warnings: 0");
        run(connection, "INSERT IGNORE INTO t (a) VALUES (1000)");
        assert_eq!(connection.session().warnings, 1);
        assert!(connection.session().info.is_empty());
        run(connection, "BEGIN");
        assert!(connection.session().status.contains(StatusFlags::IN_TRANS));
        run(connection, "ROLLBACK");
        assert!(!connection.session().status.contains(StatusFlags::IN_TRANS));
        assert!(connection.session().status.contains(StatusFlags::AUTOCOMMIT));
    });
}

#[test]
fn columns_are_described() {
    on_each(|server, connection| {
        run(connection, "CREATE OR REPLACE VIEW described AS SELECT 1 AS x");
        run(
            connection,
            "CREATE TEMPORARY TABLE t (id INT UNSIGNED NOT NULL PRIMARY KEY, d DECIMAL(7,3), s VARCHAR(10))",
        );
        let sql = "SELECT a.id AS i, a.d, a.s, 0x00 AS h FROM t AS a";
        connection.send_query(sql.as_bytes()).unwrap();
        let QueryResponse::ResultSet(columns) = connection.read_query_response().unwrap() else {
            panic!("{sql} has rows");
        };
        let [id, decimal, string, hex] = &columns[..] else { panic!("{columns:?}") };
        assert_eq!(id.catalog(), b"def");
        assert_eq!(id.schema(), server.database().as_bytes());
        assert_eq!((id.table(), id.org_table()), (&b"a"[..], &b"t"[..]));
        assert_eq!((id.name(), id.org_name()), (&b"i"[..], &b"id"[..]));
        assert_eq!((id.column_type, id.charset, id.length), (ColumnType::LONG, 63, 10));
        assert!(id.flags.contains(ColumnFlags(
            ColumnFlags::NOT_NULL.0 | ColumnFlags::PRI_KEY.0 | ColumnFlags::UNSIGNED.0
        )));
        assert_eq!((decimal.column_type, decimal.decimals), (ColumnType::NEWDECIMAL, 3));
        assert_eq!((string.column_type, string.length), (ColumnType::VAR_STRING, 40));
        assert_eq!((hex.name(), hex.org_name(), hex.table()), (&b"h"[..], &b""[..], &b""[..]));
        assert_eq!(connection.store_result().unwrap().rows(), 0);
    });
}

#[test]
fn an_error_leaves_the_connection_ready() {
    on_each(|_, connection| {
        fails(connection, "SELEKT", 1064, b"42000");
        fails(connection, "SELECT * FROM no_such_table", 1146, b"42S02");
        fails(connection, "", 1065, b"42000");
        assert_eq!(connection.session().affected_rows, UNKNOWN_ROWS);
        assert_eq!(connection.state(), State::Ready);
        assert_eq!(text(connection, "SELECT 'fine'"), "fine");
        // An error after the first rows were sent.
        let sql = "SELECT IF(seq < 3, seq, (SELECT 1 UNION SELECT 2)) FROM \
                   (SELECT 1 AS seq UNION ALL SELECT 2 UNION ALL SELECT 3) AS numbers";
        for store in [true, false] {
            connection.send_query(sql.as_bytes()).unwrap();
            let error = connection.read_query_response().and_then(|_| match store {
                true => connection.store_result().map(drop),
                false => connection.discard_result(),
            });
            let error = error.expect_err("the third row fails");
            assert_eq!((error.code(), &error.sqlstate()), (1242, b"21000"));
            assert_eq!(connection.state(), State::Ready);
            connection.ping().unwrap();
        }
    });
}

#[test]
fn calls_out_of_sync_change_nothing() {
    on_each(|_, connection| {
        let check = |outcome: Result<(), Error>| {
            let error = outcome.expect_err("this call is out of sync");
            assert_eq!((error.code(), error.nothing_sent()), (2014, true));
        };
        check(connection.read_query_response().map(drop));
        check(connection.next_row().map(drop));
        check(connection.store_result().map(drop));
        connection.send_query(b"SELECT 1").unwrap();
        check(connection.send_query(b"SELECT 2"));
        check(connection.next_row().map(drop));
        check(connection.ping());
        connection.read_query_response().unwrap();
        check(connection.read_query_response().map(drop));
        check(connection.init_db(b"mysql"));
        assert_eq!(connection.store_result().unwrap().rows(), 1);
        assert_eq!(connection.state(), State::Ready);
        connection.ping().unwrap();
    });
}

#[test]
fn several_results_come_in_order() {
    on_each(|_, connection| {
        fails(connection, "SELECT 1; SELECT 2", 1064, b"42000");
        connection.set_multi_statements(true).unwrap();
        connection
            .send_query(b"SELECT 1; SET @a = 2; SELECT @a UNION SELECT 3; SELEKT; SELECT 4")
            .unwrap();
        assert!(matches!(connection.read_query_response(), Ok(QueryResponse::ResultSet(_))));
        assert!(!connection.more_results());
        assert_eq!(connection.store_result().unwrap().rows(), 1);
        assert!(connection.more_results());
        assert_eq!(connection.ping().unwrap_err().code(), 2014);
        assert!(matches!(connection.read_query_response(), Ok(QueryResponse::Ok)));
        assert!(connection.more_results());
        assert!(matches!(connection.read_query_response(), Ok(QueryResponse::ResultSet(_))));
        assert!(connection.next_row().unwrap().is_some());
        assert!(connection.next_row().unwrap().is_some());
        assert!(connection.next_row().unwrap().is_none());
        assert!(connection.more_results());
        assert_eq!(connection.read_query_response().unwrap_err().code(), 1064);
        assert!(!connection.more_results());
        connection.set_multi_statements(false).unwrap();
        fails(connection, "SELECT 1; SELECT 2", 1064, b"42000");
    });
}

#[test]
fn a_procedure_gives_results_and_an_ok() {
    for server in Server::all() {
        let mut connection = server.connect();
        run(&mut connection, "DROP PROCEDURE IF EXISTS two_results");
        run(&mut connection, "CREATE PROCEDURE two_results() BEGIN SELECT 1; SELECT 2, 3; END");
        assert_eq!(begin(&mut connection, "CALL two_results()"), 1);
        connection.discard_result().unwrap();
        assert!(
            matches!(connection.read_query_response(), Ok(QueryResponse::ResultSet(c)) if c.len() == 2)
        );
        connection.discard_result().unwrap();
        assert!(matches!(connection.read_query_response(), Ok(QueryResponse::Ok)));
        assert_eq!(connection.state(), State::Ready);
    }
}

#[test]
fn no_file_is_sent_unless_somebody_allows_it() {
    on_each(|_, connection| {
        run(connection, "CREATE TEMPORARY TABLE t (a TEXT)");
        connection.send_query(b"LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE t").unwrap();
        let error = connection.read_query_response().expect_err("no file is sent");
        assert_eq!(error.code(), 2068, "{error}");
        assert_eq!(connection.state(), State::Ready);
        assert_eq!(text(connection, "SELECT COUNT(*) FROM t"), "0");
        // What follows the statement is still to come.
        connection.set_multi_statements(true).unwrap();
        connection
            .send_query(b"LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE t; SELECT 5")
            .unwrap();
        assert_eq!(connection.read_query_response().unwrap_err().code(), 2068);
        assert!(connection.more_results());
        assert!(connection.session().status.contains(StatusFlags::MORE_RESULTS_EXISTS));
        assert!(matches!(connection.read_query_response(), Ok(QueryResponse::ResultSet(_))));
        assert_eq!(connection.store_result().unwrap().rows(), 1);
        assert_eq!(connection.state(), State::Ready);
    });
}

#[test]
fn a_connection_killed_in_mid_result_is_gone() {
    on_each(|server, connection| {
        let sql = "SELECT REPEAT('x', 1000) FROM information_schema.COLUMNS AS a, information_schema.COLUMNS AS b";
        begin(connection, sql);
        connection.next_row().unwrap();
        let mut other = server.connect();
        run(&mut other, &format!("KILL {}", connection.thread_id()));
        let error = connection.discard_result().expect_err("the rest never comes");
        // What it comes to depends on whether the server has time to say it.
        assert!([1053, 1317, 1927, 2006].contains(&error.code()), "{error}");
        let error = match connection.state() {
            State::Broken => connection.ping(),
            _ => connection.ping().and_then(|()| connection.ping()),
        };
        assert_eq!(error.expect_err("the connection is gone").code(), 2006);
        assert_eq!(connection.state(), State::Broken);
    });
}

#[test]
fn a_connection_killed_while_idle_is_gone() {
    on_each(|server, connection| {
        let mut other = server.connect();
        let id = connection.thread_id();
        run(&mut other, &format!("KILL {id}"));
        let list = format!("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID = {id}");
        while text(&mut other, &list) != "0" {}
        let error = connection.ping().expect_err("the connection is gone");
        assert_eq!((error.code(), &error.sqlstate()), (2006, b"HY000"), "{error:?}");
        assert_eq!(error.message(), &b"MySQL server has gone away"[..]);
        assert_eq!(connection.state(), State::Broken);
        assert_eq!(connection.send_query(b"SELECT 1").unwrap_err().code(), 2006);
    });
}

#[test]
fn a_connection_that_idled_too_long_is_gone() {
    on_each(|server, connection| {
        run(connection, "SET SESSION wait_timeout = 1");
        let mut other = server.connect();
        let id = connection.thread_id();
        let list = format!("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID = {id}");
        while text(&mut other, &list) != "0" {}
        connection
            .send_query(b"SELECT 1")
            .and_then(|()| connection.read_query_response().map(drop))
            .map(|()| panic!("the connection is gone"))
            .unwrap_or_else(|error| assert_eq!(error.code(), 2006, "{error:?}"));
        assert_eq!(connection.state(), State::Broken);
    });
}

#[test]
fn a_read_may_not_take_longer_than_its_timeout() {
    for server in Server::all() {
        for address in server.addresses() {
            let mut options = server.options(address);
            options.read_timeout = Some(Duration::from_millis(300));
            let mut connection = servers::connect(&options);
            connection.send_query(b"SELECT SLEEP(20)").unwrap();
            let error = connection.read_query_response().expect_err("it takes too long");
            assert_eq!(error.code(), 2006);
            let Error::Io { error, .. } = error else { panic!("{error}") };
            assert_eq!(error.kind(), std::io::ErrorKind::TimedOut);
            assert_eq!(connection.state(), State::Broken);
        }
    }
}
