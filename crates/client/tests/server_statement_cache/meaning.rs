//! The same text means what it means when it is prepared, whatever was kept.

use vaquita_client::{Charset, Connection, Parameter, Pipelined, Until, binary_value};

use crate::servers::{self, Value, run};
use crate::{counts, counts_since, execute, integer, on_each, once, string, value};

#[test]
fn a_text_means_what_it_means_now() {
    on_each(|server, connection| {
        let own = format!("kept_{}", connection.thread_id());
        let home = server.database();
        run(connection, &format!("CREATE DATABASE {own}"));
        run(connection, &format!("CREATE TABLE {own}.kept AS SELECT 'theirs' AS a, 2 AS b"));
        run(connection, "DROP TABLE IF EXISTS kept");
        run(connection, "CREATE TABLE kept AS SELECT 'ours' AS a");
        let select = "SELECT a FROM kept";
        let shown = |connection: &mut Connection, expected: &str| {
            for _ in 0..2 {
                assert_eq!(value(connection, select, &[]), expected);
            }
        };
        shown(connection, "ours");
        run(connection, &format!("USE {own}"));
        shown(connection, "theirs");
        connection.init_db(home.as_bytes()).unwrap();
        let before = counts(connection);
        shown(connection, "ours");
        // Both are kept: the server tells of another database.
        assert_eq!(counts_since(connection, before)[0], 0);
        // One that stops telling is not believed.
        run(connection, "SET session_track_schema = OFF");
        shown(connection, "ours");
        run(connection, &format!("USE {own}"));
        shown(connection, "theirs");
        run(connection, &format!("USE {home}"));
        shown(connection, "ours");
        run(connection, "CREATE TEMPORARY TABLE kept AS SELECT 'temporary' AS a");
        shown(connection, "temporary");
        run(connection, "DROP TEMPORARY TABLE kept");
        shown(connection, "ours");
        run(connection, &format!("DROP DATABASE {own}"));

        let pipes = "SELECT CONCAT('a' || 'b', '')";
        assert_eq!(value(connection, pipes, &[]), "0");
        run(connection, "SET sql_mode = 'PIPES_AS_CONCAT'");
        assert_eq!(value(connection, pipes, &[]), "ab");
        let other = connection.prepare(b"SET sql_mode = ''").unwrap();
        assert_eq!(value(connection, pipes, &[]), "ab");
        execute(connection, &other, &[]);
        assert_eq!(value(connection, pipes, &[]), "0");

        let charset = "SELECT CHARSET('a')";
        assert_eq!(value(connection, charset, &[]), "utf8mb4");
        connection.set_charset(Charset::by_name(b"latin1").unwrap()).unwrap();
        assert_eq!(value(connection, charset, &[]), "latin1");

        let divided = "SELECT CONCAT(1 / 3, '')";
        assert_eq!(value(connection, divided, &[]), "0.3333");
        run(connection, "SET div_precision_increment = 6");
        assert_eq!(value(connection, divided, &[]), "0.333333");

        run(connection, "SET @a = 'x'");
        assert_eq!(once(connection, "SELECT @a", &[])[0][0].as_deref(), Some(&b"x"[..]));
        run(connection, "SET @a = 5");
        let five = once(connection, "SELECT @a", &[]);
        assert_eq!(binary_value::signed(five[0][0].as_deref().unwrap()), 5);
        run(connection, "DROP TABLE kept");
    });
}

#[test]
fn types_of_parameters_are_those_of_each_run() {
    on_each(|server, connection| {
        run(connection, "CREATE TEMPORARY TABLE typed (n INT, w VARCHAR(9))");
        run(connection, "INSERT INTO typed VALUES (1, '5'), (2, '05'), (3, '0.5')");
        let sql = "SELECT COUNT(*) FROM typed WHERE w = ?";
        let found = |connection: &mut Connection, parameter: Parameter<'_>| {
            let rows = once(connection, sql, &[parameter]);
            binary_value::signed(rows[0][0].as_deref().unwrap())
        };
        for _ in 0..3 {
            assert_eq!(found(connection, integer(5)[0]), 2);
            assert_eq!(found(connection, string("5")[0]), 1);
            assert_eq!(found(connection, Parameter::Double(Some(0.5))), 1);
            assert_eq!(found(connection, Parameter::Null), 0);
        }
        // Where the server derives types, others have it asked as often as if none were kept: it prepares again itself, too.
        let before = counts(connection);
        for _ in 0..10 {
            found(connection, string("05")[0]);
        }
        assert_eq!(counts_since(connection, before)[0], 0);
        for _ in 0..10 {
            found(connection, integer(5)[0]);
        }
        let expected = if server.is_mariadb() { 0 } else { 20 };
        assert_eq!(counts_since(connection, before)[0], expected, "{}", server.name);
    });
}

/// MySQL prepares a statement again for a value that is not of the type it derived, which has it see the other values in another way.
#[test]
fn a_later_run_is_as_that_of_a_fresh_statement() {
    on_each(|server, connection| {
        let mut fresh = server.connect();
        run(connection, "DROP TABLE IF EXISTS later");
        run(connection, "CREATE TABLE later (u BIGINT UNSIGNED, b BIGINT, d DATETIME)");
        run(connection, "INSERT INTO later VALUES (1, 1, '2020-01-01 10:00:00')");
        let text = |it: &'static str| string(it)[0];
        let day = text("2026-11-22 10:00:00");
        for column in ["u", "b"] {
            let sql = format!("SELECT b FROM later WHERE {column} <> ? AND d > ?");
            once(connection, &sql, &[integer(5)[0], day]);
            once(connection, &sql, &[text("5"), day]);
            let [kept, expected] = [&mut *connection, &mut fresh].map(|it| {
                let statement = it.prepare(sql.as_bytes()).unwrap();
                let runs = [[text("5"), day], [text("5"), text("5")]];
                let runs = runs.map(|parameters| execute(it, &statement, &parameters).len());
                it.close_statement(&statement).unwrap();
                runs
            });
            assert_eq!(kept, expected, "{}, {column}", server.name);
        }
        run(connection, "DROP TABLE later");
    });
}

/// What was prepared goes on without a word to the server, which may have to wait for what another session does with the tables.
#[test]
fn what_was_lent_keeps_the_meaning_that_it_had_when_it_was_prepared() {
    on_each(|server, connection| {
        let own = format!("lent_{}", connection.thread_id());
        run(connection, &format!("CREATE DATABASE {own}"));
        run(connection, &format!("CREATE TABLE {own}.lent AS SELECT '5' AS a"));
        run(connection, "DROP TABLE IF EXISTS lent");
        run(connection, "CREATE TABLE lent AS SELECT '05' AS a");
        let mut other = server.connect();
        let sql = "SELECT a FROM lent WHERE a = ?";
        for change in [format!("USE {own}"), "SET sql_mode = ''".to_owned(), String::new()] {
            connection.init_db(server.database().as_bytes()).unwrap();
            once(connection, sql, &string("x"));
            let (before, lent) = (counts(connection), connection.prepare(sql.as_bytes()).unwrap());
            run(&mut other, "LOCK TABLES lent WRITE");
            if change.is_empty() {
                connection
                    .pipeline([Pipelined::Query(b"DO 0")], Until::End, |it| drop(it.unwrap()))
                    .unwrap();
            } else {
                run(connection, &change);
            }
            run(&mut other, "UNLOCK TABLES");
            assert_eq!(counts_since(connection, before)[0], 0, "{change}");
            connection.reset_statement(&lent).unwrap();
            assert_eq!(execute(connection, &lent, &string("5")), Vec::<Vec<Value>>::new());
            assert_eq!(execute(connection, &lent, &integer(5)), [[Some(b"05".to_vec())]]);
            let id = lent.id();
            connection.close_statement(&lent).unwrap();
            let again = connection.prepare(sql.as_bytes());
            assert!(again.is_err() || again.unwrap().id() != id);
        }
        run(connection, &format!("DROP DATABASE {own}"));
        run(connection, "DROP TABLE lent");
    });
}

#[test]
fn tables_that_change_are_seen() {
    on_each(|server, connection| {
        run(connection, "DROP TABLE IF EXISTS altered");
        run(connection, "CREATE TABLE altered AS SELECT 1 AS a");
        let sql = "SELECT * FROM altered";
        assert_eq!(once(connection, sql, &[])[0].len(), 1);
        run(connection, "ALTER TABLE altered ADD b VARCHAR(9) DEFAULT 'b'");
        let two = once(connection, sql, &[]);
        assert_eq!(two[0][1], Some(b"b".to_vec()));

        let mut other = server.connect();
        run(&mut other, "ALTER TABLE altered ADD c INT DEFAULT 7, MODIFY a VARCHAR(9)");
        let three = once(connection, sql, &[]);
        assert_eq!(three[0][..2], [Some(b"1".to_vec()), Some(b"b".to_vec())]);
        assert_eq!(binary_value::signed(three[0][2].as_deref().unwrap()), 7);

        // Before it runs nobody but the server knows.
        run(&mut other, "ALTER TABLE altered DROP b");
        let lent = connection.prepare(sql.as_bytes()).unwrap();
        assert_eq!(connection.describe_statement(&lent, true).unwrap().len(), 2);
        assert_eq!(execute(connection, &lent, &[])[0].len(), 2);
        connection.close_statement(&lent).unwrap();
        let named = "SELECT a FROM altered";
        once(connection, named, &[]);
        let lent = connection.prepare(named.as_bytes()).unwrap();
        let before = counts(connection);
        assert_eq!(connection.describe_statement(&lent, true).unwrap().len(), 1);
        assert_eq!(counts_since(connection, before)[0], 0, "no wildcard, no question");
        assert_eq!(connection.describe_statement(&lent, false).unwrap().len(), 1);
        assert_eq!(counts_since(connection, before)[0], 1);
        connection.close_statement(&lent).unwrap();

        run(&mut other, "DROP TABLE altered");
        let lent = connection.prepare(named.as_bytes()).unwrap();
        connection.send_execute(&lent, &[], false).unwrap();
        let error = connection.read_executed(&lent, &[], false).unwrap_err();
        assert_eq!(error.code(), 1146, "{error}");
        connection.close_statement(&lent).unwrap();
        assert_eq!(connection.prepare(named.as_bytes()).unwrap_err().code(), 1146);
    });
}

#[test]
fn what_the_server_has_to_say_is_forgotten_as_by_a_fresh_statement() {
    on_each(|server, connection| {
        let mut fresh = server.connect();
        run(connection, "DROP TABLE IF EXISTS warned");
        run(connection, "CREATE TABLE warned (a TINYINT)");
        let said = |connection: &mut Connection| {
            for _ in 0..2 {
                once(connection, "SELECT 1", &[]);
            }
            run(connection, "SET SESSION sql_mode = ''");
            once(connection, "SELECT 1", &[]);
            run(connection, "INSERT INTO warned VALUES (1000), (1)");
            let _prepared = connection.prepare(b"SELECT 1").unwrap();
            let warnings = servers::rows(connection, "SHOW WARNINGS").len();
            once(connection, "SELECT 1", &[]);
            connection.send_query(b"SELECT nonsense").unwrap();
            connection.read_query_response().unwrap_err();
            let _prepared = connection.prepare(b"SELECT 1").unwrap();
            let errors = servers::rows(connection, "SHOW ERRORS").len();
            run(connection, "INSERT INTO warned VALUES (1), (2), (3)");
            let rows = value(connection, "SELECT CONCAT(ROW_COUNT(), ' ', FOUND_ROWS())", &[]);
            (warnings, errors, rows)
        };
        assert_eq!(said(connection), said(&mut fresh), "{}", server.name);
        run(connection, "DROP TABLE warned");
    });
}
