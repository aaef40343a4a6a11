//! Queries that take too long, on real servers: each is stopped, and the connection goes on.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

mod servers;

use servers::{Feature, Server, on_each, rows, run, text};
use std::time::{Duration, Instant};

use vaquita_client::{Connection, Error, QueryResponse, State};

const TIMEOUT: Duration = Duration::from_millis(300);
/// Far less than the minute that each query here would take.
const SOON: Duration = Duration::from_secs(40);

/// Runs a query that is to be stopped; the error's number.
fn stopped(connection: &mut Connection, sql: &str) -> u16 {
    let begun = Instant::now();
    connection.send_query(sql.as_bytes()).unwrap();
    let error = match connection.read_query_response() {
        Ok(QueryResponse::ResultSet(_)) => connection.store_result().map(drop),
        answered => answered.map(drop),
    }
    .expect_err(sql);
    assert!(begun.elapsed() < SOON, "{sql} took {:?}", begun.elapsed());
    assert!(matches!(error, Error::Server { .. }), "{sql}: {error:?}");
    assert_eq!(connection.state(), State::Ready, "{sql}: {error}");
    // What comes next is not hit.
    assert_eq!(text(connection, "SELECT 'still'"), "still", "after {sql}");
    error.code()
}

fn timeout_code(server: &Server) -> u16 {
    if server.name.starts_with("mariadb") { 1969 } else { 3024 }
}

#[test]
fn whatever_takes_too_long_is_stopped() {
    on_each(|server, connection| {
        let mut other = server.connect();
        let table = format!("slow_{}", connection.thread_id());
        run(
            connection,
            &format!("CREATE TABLE {table} (a INT PRIMARY KEY, b INT) ENGINE = InnoDB"),
        );
        run(connection, &format!("INSERT INTO {table} VALUES (1, 0), (2, 0)"));
        let procedure = format!("CREATE PROCEDURE {table}() UPDATE {table} SET b = SLEEP(60)");
        run(connection, &procedure);
        connection.set_query_timeout(Some(TIMEOUT)).unwrap();
        assert_eq!(connection.query_timeout(), Some(TIMEOUT));
        run(&mut other, "START TRANSACTION");
        rows(&mut other, &format!("SELECT * FROM {table} WHERE a = 2 FOR UPDATE"));
        for sql in [
            format!("SELECT a FROM {table} WHERE SLEEP(60)"),
            format!("SELECT a FROM {table} WHERE a = 2 FOR UPDATE"),
            format!("UPDATE {table} SET b = SLEEP(60) WHERE a = 1"),
            format!("UPDATE {table} SET b = 1 WHERE a = 2"),
            format!("ALTER TABLE {table} ADD c INT"),
            format!("CALL {table}()"),
        ] {
            assert_eq!(stopped(connection, &sql), timeout_code(server), "{sql}");
        }
        run(&mut other, "ROLLBACK");
        assert_eq!(text(connection, &format!("SELECT SUM(b) FROM {table}")), "0");
        run(connection, &format!("DROP PROCEDURE {table}"));
        run(connection, &format!("DROP TABLE {table}"));
    });
}

#[test]
fn the_limit_can_be_changed_and_survives_a_fresh_session() {
    on_each(|server, connection| {
        connection.set_query_timeout(Some(TIMEOUT)).unwrap();
        if server.has(Feature::ResetConnection) {
            connection.reset_connection().unwrap();
        }
        let slow = "SELECT Host FROM mysql.user WHERE SLEEP(60)";
        assert_eq!(stopped(connection, slow), timeout_code(server));
        let options = server.options(server.unix());
        connection.change_user(&options.user, &options.password, b"").unwrap();
        assert_eq!(stopped(connection, slow), timeout_code(server));
        connection.set_query_timeout(None).unwrap();
        assert_eq!(connection.query_timeout(), None);
        assert_eq!(text(connection, "SELECT SLEEP(0.7)"), "0");
    });
}

/// Queries that are done do not count.
#[test]
fn each_query_has_its_own_time() {
    for server in Server::all() {
        let mut options = server.options(server.tcp());
        options.query_timeout = Some(Duration::from_secs(2));
        let mut connection = Connection::connect(&options).unwrap();
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_millis(2300) {
            assert_eq!(text(&mut connection, "SELECT SLEEP(0.1)"), "0");
        }
        run(&mut connection, "CREATE TEMPORARY TABLE t (a INT)");
        run(&mut connection, "INSERT INTO t VALUES (1)");
        assert_eq!(connection.session().affected_rows, 1);
    }
}

/// A limit of the session's own, of its user or of its script, is never loosened, and is there again when ours goes.
#[test]
fn a_stricter_limit_of_the_session_stays() {
    on_each(|server, connection| {
        if !server.has(Feature::StatementLimit) {
            return;
        }
        let milliseconds = |time: u64| Some(Duration::from_millis(time));
        let variable =
            if server.is_mariadb() { "max_statement_time" } else { "max_execution_time" };
        let seconds = |time: u64| format!("{}.{:03}", time / 1000, time % 1000);
        let set = |connection: &mut Connection, time: u64| {
            let time = if server.is_mariadb() { seconds(time) } else { time.to_string() };
            run(connection, &format!("SET SESSION {variable} = {time}"));
        };
        let check = |connection: &mut Connection, time: u64| {
            let told = text(connection, &format!("SELECT @@SESSION.{variable}"));
            let expected =
                if server.is_mariadb() { seconds(time) + "000" } else { time.to_string() };
            assert_eq!(told, expected);
        };
        connection.set_query_timeout(milliseconds(30_000)).unwrap();
        check(connection, 30_000);
        connection.set_query_timeout(milliseconds(50_000)).unwrap();
        check(connection, 50_000);
        connection.set_query_timeout(None).unwrap();
        check(connection, 0);
        set(connection, 20_000);
        connection.set_query_timeout(milliseconds(30_000)).unwrap();
        check(connection, 20_000);
        connection.set_query_timeout(milliseconds(10_000)).unwrap();
        check(connection, 10_000);
        set(connection, 5_000);
        connection.set_query_timeout(milliseconds(10_000)).unwrap();
        check(connection, 5_000);
        connection.set_query_timeout(None).unwrap();
        check(connection, 5_000);
        // The shorter one is kept from here although the server has the other one.
        connection.set_query_timeout(milliseconds(300)).unwrap();
        set(connection, 60_000);
        let slow = "SELECT Host FROM mysql.user WHERE SLEEP(60)";
        assert_eq!(stopped(connection, slow), 3024);
    });
}

/// MariaDB's users can have limits of their own; the server's own value, to which a session can go back, is another one.
#[test]
fn the_limit_of_a_user_stays() {
    for server in Server::all().into_iter().filter(Server::is_mariadb) {
        let mut root = server.connect();
        run(
            &mut root,
            "CREATE OR REPLACE USER limited@localhost IDENTIFIED BY 'x' WITH MAX_STATEMENT_TIME 20",
        );
        let mut options = server.options(server.unix());
        options.user = b"limited".to_vec();
        options.password = b"x".into();
        options.database = None;
        options.query_timeout = Some(Duration::from_secs(30));
        let mut connection = Connection::connect(&options).unwrap();
        let limit = "SELECT @@SESSION.max_statement_time";
        assert_eq!(text(&mut connection, limit), "20.000000");
        connection.set_query_timeout(Some(Duration::from_secs(10))).unwrap();
        assert_eq!(text(&mut connection, limit), "10.000000");
        connection.set_query_timeout(None).unwrap();
        assert_eq!(text(&mut connection, limit), "20.000000");
        drop(connection);
        run(&mut root, "DROP USER limited@localhost");
    }
}

/// What absorbs a kill that came too late must leave what a script may still ask for.
#[test]
fn statistics_leave_what_the_last_statement_did() {
    on_each(|_, connection| {
        run(connection, "CREATE TEMPORARY TABLE t (a TINYINT)");
        run(connection, "SET SESSION sql_mode = ''");
        run(connection, "INSERT INTO t VALUES (1000), (2), (3)");
        connection.statistics().unwrap();
        assert_eq!(rows(connection, "SHOW WARNINGS").len(), 1);
        run(connection, "UPDATE t SET a = a + 1 WHERE a < 4");
        connection.statistics().unwrap();
        assert_eq!(text(connection, "SELECT ROW_COUNT()"), "2");
    });
}
