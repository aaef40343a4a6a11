//! Persistent connections on real servers: what each kind of session state is like for the next user, who must find none of it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

mod servers;

use std::thread::sleep;
use std::time::Duration;

use servers::{Feature, Server, Value, rows, run, text};

use vaquita_client::{
    ConnectOptions, Connection, Pool, PoolCheck, PoolLimits, PoolStats, QueryResponse,
};

const LIMITS: PoolLimits = PoolLimits {
    max_idle: None,
    idle_timeout: None,
    max_lifetime: None,
    check: PoolCheck::Peek,
    awaits_end: false,
};

/// What a user can leave: statements, and a query that shows what they did. Before they run, it must show something else. `{db}` is the database
/// of the test, `{}` one of its own.
struct Trace {
    what: &'static str,
    statements: &'static [&'static str],
    shown: &'static str,
}

const fn trace(
    what: &'static str,
    statements: &'static [&'static str],
    shown: &'static str,
) -> Trace {
    Trace { what, statements, shown }
}

const TRACES: &[Trace] = &[
    trace("a user variable", &["SET @a = 1"], "SELECT IFNULL(@a, 'none')"),
    trace(
        "a variable of the session",
        &["SET SESSION group_concat_max_len = 77777"],
        "SELECT @@group_concat_max_len",
    ),
    trace("sql_mode", &["SET sql_mode = 'NO_BACKSLASH_ESCAPES'"], "SELECT @@sql_mode"),
    trace("the time zone", &["SET time_zone = '+05:00'"], "SELECT @@time_zone"),
    trace("the time", &["SET timestamp = 1000000000"], "SELECT NOW() < '2002-01-01'"),
    trace("autocommit", &["SET autocommit = 0"], "SELECT @@autocommit"),
    trace(
        "the isolation level",
        &["SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE"],
        "SHOW VARIABLES LIKE 't%_isolation'",
    ),
    trace(
        "the character set",
        &["SET NAMES latin2"],
        "SELECT CONCAT(@@character_set_client, @@character_set_results, @@collation_connection)",
    ),
    trace(
        "the collation",
        &["SET collation_connection = utf8mb4_bin"],
        "SELECT @@collation_connection",
    ),
    trace("the database", &["USE information_schema"], "SELECT DATABASE()"),
    trace(
        "the database, from a prepared statement",
        &["SET @sql = 'USE information_schema'", "PREPARE s FROM @sql", "EXECUTE s"],
        "SELECT DATABASE()",
    ),
    trace(
        "the database, dropped",
        &["CREATE DATABASE reuse_dropped", "USE reuse_dropped", "DROP DATABASE reuse_dropped"],
        "SELECT DATABASE()",
    ),
    trace(
        "the database, unseen",
        &["SET SESSION session_track_schema = 0", "USE information_schema"],
        "SELECT DATABASE()",
    ),
    trace(
        "a temporary table",
        &["CREATE TEMPORARY TABLE reuse_own AS SELECT 5 AS a"],
        "SELECT a FROM reuse_own",
    ),
    trace(
        "a temporary table that hides another",
        &["CREATE TEMPORARY TABLE reuse_t (a INT)"],
        "SELECT COUNT(*) FROM reuse_t",
    ),
    trace(
        "a transaction",
        &["BEGIN", "INSERT INTO reuse_t VALUES (9)"],
        "SELECT COUNT(*) FROM reuse_t",
    ),
    trace(
        "a snapshot",
        &["START TRANSACTION WITH CONSISTENT SNAPSHOT", "SET @a = 1"],
        "SELECT IFNULL(@a, 'none')",
    ),
    trace("locked tables", &["LOCK TABLES reuse_t READ"], "SELECT COUNT(*) FROM reuse_other"),
    trace(
        "a global read lock",
        &["FLUSH TABLES WITH READ LOCK"],
        "INSERT INTO reuse_other VALUES (1)",
    ),
    trace("a named lock", &["DO GET_LOCK('reuse', 0)"], "SELECT IS_USED_LOCK('reuse') IS NULL"),
    trace("a prepared statement", &["PREPARE reuse FROM 'SELECT 5'"], "EXECUTE reuse"),
    trace("an open table", &["HANDLER reuse_t OPEN"], "HANDLER reuse_t READ FIRST"),
    trace(
        "the last insert id",
        &["INSERT INTO reuse_ids VALUES (NULL)"],
        "SELECT LAST_INSERT_ID() > 0",
    ),
    trace("a last insert id that was set", &["DO LAST_INSERT_ID(77)"], "SELECT LAST_INSERT_ID()"),
    trace(INSERT_ID, &["SET insert_id = 777"], "SELECT @@insert_id"),
    trace("a distributed transaction", &["XA START 'reuse'"], "XA END 'reuse'"),
    trace(
        PROFILES,
        &["SET profiling = 1", "DO 1"],
        "SELECT COUNT(*) > 0 FROM information_schema.PROFILING",
    ),
];

/// What nothing takes away, so that the connection is closed.
const PROFILES: &str = "profiles";
/// What COM_CHANGE_USER leaves on MySQL 5.6.
const INSERT_ID: &str = "the id to insert";

const MARIADB_TRACES: &[Trace] = &[
    trace(
        "a sequence's last value",
        &["DO NEXT VALUE FOR reuse_seq"],
        "SELECT IFNULL(PREVIOUS VALUE FOR reuse_seq, 'none')",
    ),
    trace(
        "the database, from a text",
        &["EXECUTE IMMEDIATE 'USE information_schema'"],
        "SELECT DATABASE()",
    ),
    trace(
        "the database, from a block",
        &["BEGIN NOT ATOMIC EXECUTE IMMEDIATE 'USE information_schema'; END"],
        "SELECT DATABASE()",
    ),
    trace("the database, from a procedure", &["CALL reuse_use()"], "SELECT DATABASE()"),
    trace(
        "profiles, from a procedure",
        &["CALL reuse_profile()", "DO 7"],
        "SELECT COUNT(*) FROM information_schema.PROFILING",
    ),
    trace(
        "a role, in another statement",
        &["SET @a = 1, ROLE reuse_role"],
        "SELECT IFNULL(CURRENT_ROLE(), 'none')",
    ),
];

const ROLE_TRACES: &[Trace] = &[
    trace("a role", &["SET ROLE reuse_role"], "SELECT IFNULL(CURRENT_ROLE(), 'none')"),
    trace("a role, from a function", &["DO reuse_f()"], "SELECT IFNULL(CURRENT_ROLE(), 'none')"),
    trace(
        "a role, from a trigger",
        &["INSERT INTO reuse_triggers VALUES (1)"],
        "SELECT IFNULL(CURRENT_ROLE(), 'none')",
    ),
    trace(
        "a role, from a view",
        &[
            "CREATE OR REPLACE SQL SECURITY INVOKER VIEW reuse_view AS SELECT reuse_f() AS a",
            "CREATE TEMPORARY TABLE x AS SELECT a FROM reuse_view",
        ],
        "SELECT IFNULL(CURRENT_ROLE(), 'none')",
    ),
];

/// What a query shows: its first row, or its error.
fn shown(connection: &mut Connection, sql: &str) -> String {
    connection.send_query(sql.as_bytes()).unwrap();
    match connection.read_query_response() {
        Err(error) => format!("error {}", error.code()),
        Ok(QueryResponse::Ok) => "done".to_owned(),
        Ok(_) => {
            let mut stored = match connection.store_result() {
                Ok(stored) => stored,
                Err(error) => return format!("error {}", error.code()),
            };
            let row: Option<Vec<Value>> = stored
                .next_row()
                .map(|row| row.values().map(|value| value.map(<[u8]>::to_vec)).collect());
            format!(
                "{:?}",
                row.map(|row| row
                    .into_iter()
                    .map(|it| it.map(|it| String::from_utf8_lossy(&it).into_owned()))
                    .collect::<Vec<_>>())
            )
        }
    }
}

/// Runs statements whose success is not what counts, and drops their rows.
fn try_all(connection: &mut Connection, statements: &[&str]) {
    for sql in statements {
        shown(connection, sql);
    }
}

fn prepare_server(server: &Server) -> Vec<&'static Trace> {
    let mut admin = server.connect();
    try_all(
        &mut admin,
        &[
            "DROP DATABASE IF EXISTS reuse_dropped",
            "DROP TABLE IF EXISTS reuse_t, reuse_other, reuse_ids, reuse_triggers",
            "DROP FUNCTION IF EXISTS reuse_f",
            "DROP PROCEDURE IF EXISTS reuse_use",
            "DROP PROCEDURE IF EXISTS reuse_profile",
            "DROP SEQUENCE IF EXISTS reuse_seq",
            "DROP ROLE IF EXISTS reuse_role",
        ],
    );
    run(&mut admin, "CREATE TABLE reuse_t (a INT) ENGINE=InnoDB");
    run(&mut admin, "INSERT INTO reuse_t VALUES (1), (2)");
    run(&mut admin, "CREATE TABLE reuse_other (a INT) ENGINE=InnoDB");
    run(&mut admin, "CREATE TABLE reuse_triggers (a INT) ENGINE=InnoDB");
    run(&mut admin, "CREATE TABLE reuse_ids (id INT AUTO_INCREMENT PRIMARY KEY) ENGINE=InnoDB");
    let mut traces: Vec<&Trace> = TRACES.iter().collect();
    if server.has(Feature::Roles) {
        run(&mut admin, "CREATE ROLE reuse_role");
        run(&mut admin, "GRANT reuse_role TO CURRENT_USER()");
        run(
            &mut admin,
            "CREATE FUNCTION reuse_f() RETURNS INT DETERMINISTIC BEGIN SET ROLE reuse_role; RETURN 1; END",
        );
        run(
            &mut admin,
            "CREATE TRIGGER reuse_trigger BEFORE INSERT ON reuse_triggers FOR EACH ROW SET ROLE reuse_role",
        );
        run(&mut admin, "SET ROLE NONE");
        traces.extend(ROLE_TRACES);
    }
    if server.is_mariadb() {
        run(&mut admin, "CREATE SEQUENCE reuse_seq");
        run(&mut admin, "CREATE PROCEDURE reuse_use() EXECUTE IMMEDIATE 'USE information_schema'");
        run(&mut admin, "CREATE PROCEDURE reuse_profile() SET profiling = 1");
        traces.extend(MARIADB_TRACES);
    }
    // What a server does not have can't be left there.
    if server.name.starts_with("mysql") {
        traces.retain(|it| it.what != "the database, from a prepared statement");
    }
    if server.name == "mysql56" {
        traces.retain(|it| it.what != "the database, unseen");
    }
    traces
}

#[test]
fn a_session_with_a_prepared_transaction_ends() {
    for server in Server::all() {
        let mut admin = server.connect();
        run(&mut admin, "DROP TABLE IF EXISTS reuse_xa");
        run(&mut admin, "CREATE TABLE reuse_xa (a INT) ENGINE=InnoDB");
        for (way, options) in server.ways() {
            eprintln!("-- {} over {way}", server.name);
            let options = ConnectOptions { is_persistent: true, ..options };
            let mut pool = Pool::default();
            let mut connection = Connection::connect(&options).unwrap();
            let id = connection.thread_id();
            run(&mut connection, "XA START 'reuse_xa'");
            run(&mut connection, "INSERT INTO reuse_xa VALUES (1)");
            run(&mut connection, "XA END 'reuse_xa'");
            run(&mut connection, "XA PREPARE 'reuse_xa'");
            let lease = pool.lease();
            pool.give(lease, Some(connection.into()), &LIMITS);
            assert_eq!((pool.idle(), pool.stats().evicted_as_spoilt), (0, 1));
            roll_back_after(&mut admin, id, "reuse_xa");
        }
        run(&mut admin, "DROP TABLE reuse_xa");
    }
}

/// Ends what a session prepared once it has ended itself; before, nobody else can.
fn roll_back_after(admin: &mut Connection, id: u32, name: &str) {
    let list = format!("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID = {id}");
    while text(admin, &list) != "0" {
        sleep(Duration::from_millis(1));
    }
    // MySQL 5.6 has rolled it back by itself. Another test's may be there, too.
    let is_it =
        |row: &Vec<Value>| row.last().is_some_and(|it| it.as_deref() == Some(name.as_bytes()));
    if rows(admin, "XA RECOVER").iter().any(is_it) {
        run(admin, &format!("XA ROLLBACK '{name}'"));
    }
}

/// What a procedure prepares is not seen in a CALL.
#[test]
fn a_transaction_that_a_procedure_has_prepared_is_not_handed_on() {
    // MySQL's reset takes it away.
    for server in Server::all().into_iter().filter(|it| it.name.starts_with("mariadb")) {
        let mut admin = server.connect();
        for sql in [
            "DROP TABLE IF EXISTS reuse_hidden_xa",
            "CREATE TABLE reuse_hidden_xa (a INT) ENGINE=InnoDB",
            "DROP PROCEDURE IF EXISTS reuse_prepare",
            "CREATE PROCEDURE reuse_prepare() BEGIN XA START 'hidden'; \
             INSERT INTO reuse_hidden_xa VALUES (1); XA END 'hidden'; XA PREPARE 'hidden'; END",
        ] {
            run(&mut admin, sql);
        }
        for (way, options) in server.ways() {
            eprintln!("-- {} over {way}", server.name);
            let options = ConnectOptions { is_persistent: true, ..options };
            let mut pool = Pool::default();
            // The first reset of a connection is another one than the next.
            for resets in 0..2 {
                let mut connection = Connection::connect(&options).unwrap();
                for _ in 0..resets {
                    run(&mut connection, "SET @a = 1");
                    let lease = pool.lease();
                    pool.give(lease, Some(connection.into()), &LIMITS);
                    connection = *pool.take(&options, &LIMITS).unwrap();
                }
                let id = connection.thread_id();
                run(&mut connection, "CALL reuse_prepare()");
                let lease = pool.lease();
                pool.give(lease, Some(connection.into()), &LIMITS);
                assert_eq!(pool.idle(), 0);
                let mut next = Connection::connect(&options).unwrap();
                run(&mut next, "INSERT INTO reuse_hidden_xa VALUES (2)");
                roll_back_after(&mut admin, id, "hidden");
            }
        }
        run(&mut admin, "DROP PROCEDURE reuse_prepare");
        run(&mut admin, "DROP TABLE reuse_hidden_xa");
    }
}

#[test]
fn nothing_that_a_user_left_is_there_for_the_next() {
    for server in Server::all() {
        let traces = prepare_server(&server);
        for (way, options) in server.ways() {
            eprintln!("-- {} over {way}", server.name);
            let options = ConnectOptions { is_persistent: true, ..options };
            let mut pool = Pool::default();
            let mut connection = Connection::connect(&options).unwrap();
            let mut id = connection.thread_id();
            // Twice: what is learnt the first time is gone by the second.
            let mut spoilt = 0;
            for round in 0..2 {
                for Trace { what, statements, shown: query } in &traces {
                    let before = shown(&mut connection, query);
                    let lease = pool.lease();
                    pool.give(lease, Some(connection.into()), &LIMITS);
                    connection = *pool.take(&options, &LIMITS).unwrap();
                    for sql in *statements {
                        let done = shown(&mut connection, sql);
                        assert!(!done.starts_with("error"), "{what}: {sql}: {done}");
                    }
                    let there = shown(&mut connection, query);
                    let is_shown_so = ["a snapshot", "a distributed transaction"];
                    assert!(
                        there != before || is_shown_so.contains(what),
                        "{what}: {there}, round {round}"
                    );
                    let lease = pool.lease();
                    pool.give(lease, Some(connection.into()), &LIMITS);
                    let is_kept = *what == PROFILES
                        || (*what == INSERT_ID && !server.has(Feature::ResetConnection));
                    if is_kept {
                        assert_eq!(pool.idle(), 0);
                        spoilt += 1;
                        connection = Connection::connect(&options).unwrap();
                        id = connection.thread_id();
                        continue;
                    }
                    connection = *pool.take(&options, &LIMITS).unwrap();
                    assert_eq!(shown(&mut connection, query), before, "{what}, round {round}");
                    assert_eq!(connection.thread_id(), id, "{what}, round {round}");
                }
            }
            let PoolStats { misses, evicted_as_spoilt, .. } = pool.stats();
            assert_eq!((misses, evicted_as_spoilt), (0, spoilt));
        }
    }
}
