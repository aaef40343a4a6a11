//! Statements that are kept where a server refuses something: what is said, what has run, and what is left.

use vaquita_client::{Connection, Error, Parameter, QueryResponse, binary_value};

use crate::servers::{Server, rows, run, text};
use crate::{counts, counts_since, integer, on_each, on_server, once, string};

fn refusal(connection: &mut Connection, sql: &str, parameters: &[Parameter<'_>]) -> u16 {
    let statement = connection.prepare(sql.as_bytes()).unwrap();
    connection.send_execute(&statement, parameters, false).unwrap();
    let read = connection.read_executed(&statement, parameters, false);
    connection.close_statement(&statement).unwrap();
    read.unwrap_err().code()
}

/// Has the server prepare no other statement for anybody while something is done.
fn with_no_more_statements<T>(server: &Server, work: impl FnOnce() -> T) -> T {
    let mut admin = server.connect();
    let usual = text(&mut admin, "SELECT @@GLOBAL.max_prepared_stmt_count");
    let limit = on_server(server);
    run(&mut admin, &format!("SET GLOBAL max_prepared_stmt_count = {limit}"));
    let done = work();
    run(&mut admin, &format!("SET GLOBAL max_prepared_stmt_count = {usual}"));
    done
}

/// A server that derives types would answer a statement by those that it ran with before.
#[test]
fn values_that_do_not_suit_are_answered_as_by_a_fresh_statement() {
    on_each(|server, connection| {
        run(connection, "CREATE TEMPORARY TABLE pinned AS SELECT '05' AS w");
        let sql = "SELECT w FROM pinned WHERE w = ?";
        for has_another in [true, false] {
            if has_another {
                once(connection, "SELECT 1", &[]);
            } else {
                let _in_use = connection.prepare(b"SELECT 1").unwrap();
            }
            once(connection, sql, &string("x"));
            let lent = connection.prepare(sql.as_bytes()).unwrap();
            let found = with_no_more_statements(server, || {
                connection.send_execute(&lent, &integer(5), false)?;
                let response = connection.read_executed(&lent, &integer(5), false)?;
                assert!(matches!(response, QueryResponse::ResultSet(_)));
                Ok::<u64, Error>(connection.store_result()?.rows())
            });
            match found {
                Ok(found) => assert_eq!(found, 1, "'05' is 5"),
                // What a fresh one would have been refused with.
                Err(error) => assert!(!has_another && error.code() == 1461, "{error}"),
            }
            connection.close_statement(&lent).unwrap();
        }
    });
}

#[test]
fn columns_are_told_although_a_server_has_too_many_statements() {
    on_each(|server, connection| {
        run(connection, "DROP TABLE IF EXISTS told_again");
        run(connection, "CREATE TABLE told_again (a INT)");
        for sql in ["SELECT * FROM told_again", "SELECT 1", "SELECT 2"] {
            once(connection, sql, &[]);
        }
        run(&mut server.connect(), "ALTER TABLE told_again ADD b INT");
        let lent = connection.prepare(b"SELECT * FROM told_again").unwrap();
        let told = with_no_more_statements(server, || connection.describe_statement(&lent, true));
        assert_eq!(told.unwrap().len(), 2);
        // What the last statement warned of would be forgotten by asking.
        connection.close_statement(&lent).unwrap();
        let lent = connection.prepare(b"SELECT * FROM told_again").unwrap();
        rows(connection, "SELECT 'x' + 1");
        assert_eq!(connection.describe_statement(&lent, true).unwrap().len(), 2);
        assert_eq!(rows(connection, "SHOW WARNINGS").len(), 1);
        run(connection, "DROP TABLE told_again");
    });
}

/// Whoever writes a trigger can say what a server says that does not know a statement.
#[test]
fn what_wrote_runs_once_whatever_its_error_is() {
    on_each(|_, connection| {
        run(connection, "DROP TABLE IF EXISTS forged, forged_log");
        run(connection, "CREATE TABLE forged (a INT) ENGINE = MyISAM");
        run(connection, "CREATE TABLE forged_log (a INT) ENGINE = MyISAM");
        let sql = "INSERT INTO forged VALUES (?)";
        for code in [1243, 1615] {
            run(connection, "DROP TRIGGER IF EXISTS forger");
            run(
                connection,
                &format!(
                    "CREATE TRIGGER forger BEFORE INSERT ON forged FOR EACH ROW BEGIN
                    INSERT INTO forged_log VALUES (NEW.a);
                    IF NEW.a > 1 THEN SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = {code},
                        MESSAGE_TEXT = 'Unknown prepared statement handler (1) given to mysqld_stmt_execute'; END IF;
                    END"
                ),
            );
            run(connection, "TRUNCATE TABLE forged_log");
            for _ in 0..2 {
                once(connection, sql, &integer(1));
            }
            let before = counts(connection);
            assert_eq!(refusal(connection, sql, &integer(2)), code);
            assert_eq!(counts_since(connection, before)[0], 0, "it was one that was kept");
            assert_eq!(text(connection, "SELECT COUNT(*) FROM forged_log"), "3");
            for _ in 0..2 {
                let ran = connection.prepare_and_execute(sql.as_bytes(), &integer(3));
                let (statement, executed) = ran.unwrap();
                assert_eq!(executed.unwrap_err().code(), code);
                connection.close_statement(&statement).unwrap();
            }
            assert_eq!(text(connection, "SELECT COUNT(*) FROM forged_log"), "5");
        }
        run(connection, "DROP TABLE forged, forged_log");
    });
}

#[test]
fn what_may_not_write_is_said_when_it_is_prepared() {
    on_each(|server, connection| {
        let mut fresh = server.connect();
        run(connection, "DROP TABLE IF EXISTS read_only");
        run(connection, "CREATE TABLE read_only (a INT) ENGINE = InnoDB");
        let sql = b"INSERT INTO read_only VALUES (?)";
        for begin in ["START TRANSACTION READ ONLY", "SET SESSION TRANSACTION READ ONLY"] {
            for _ in 0..2 {
                once(connection, "INSERT INTO read_only VALUES (?)", &integer(1));
            }
            let refused = [&mut *connection, &mut fresh].map(|it| {
                run(it, begin);
                let refused = it.prepare(sql).map(|_| ()).map_err(|error| error.code());
                run(it, "ROLLBACK");
                refused
            });
            assert_eq!(refused, [Err(1792), Err(1792)], "{begin}");
        }
        run(connection, "SET SESSION TRANSACTION READ WRITE");
        run(connection, "DROP TABLE read_only");
    });
}

#[test]
fn another_user_who_is_refused_leaves_no_statements_behind() {
    on_each(|server, connection| {
        let before = on_server(server);
        once(connection, "SELECT 1", &[]);
        once(connection, "SELECT 2", &[]);
        assert_eq!(on_server(server) - before, 2);
        connection.change_user(b"nobody of that name", b"", b"").unwrap_err();
        // A server notices at its own time that it is to forget them, or that the connection has ended.
        while on_server(server) > before {}
        if server.is_mariadb() {
            let one = once(connection, "SELECT 1", &[]);
            assert_eq!(binary_value::signed(one[0][0].as_deref().unwrap()), 1);
        }
    });
}
