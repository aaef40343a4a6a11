//! Statements that are kept for the next who prepares the same text, on real servers: the server's own counters are the judge.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

mod meaning;
mod random;
mod refused;
#[path = "../servers/mod.rs"]
mod servers;
mod shapes;

use std::sync::{Mutex, PoisonError};

use servers::{Feature, Server, Value, run, text};
use vaquita_client::{
    ConnectOptions, Connection, Data, Parameter, PoolCheck, QueryResponse, Statement,
};

/// The server's number of statements is that of all its sessions: one test at a time.
static ALONE: Mutex<()> = Mutex::new(());

const MOST: usize = 3;

/// Runs a test on each server whose sessions are tracked.
fn on_each(test: impl Fn(&Server, &mut Connection)) {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    for server in Server::with(Feature::SessionTrack) {
        eprintln!("-- {}", server.name);
        test(&server, &mut connect(&server));
    }
}

fn options(server: &Server) -> ConnectOptions {
    ConnectOptions { statement_cache: MOST, ..server.options(server.unix()) }
}

fn connect(server: &Server) -> Connection {
    servers::connect(&options(server))
}

/// How often the server has prepared, run, and forgotten a statement in this session.
fn counts(connection: &mut Connection) -> [u64; 3] {
    ["prepare", "execute", "close"].map(|what| {
        let sql = format!("SHOW SESSION STATUS LIKE 'Com_stmt_{what}'");
        number(servers::rows(connection, &sql)[0][1].as_deref().unwrap())
    })
}

/// What the server has counted since.
fn counts_since(connection: &mut Connection, before: [u64; 3]) -> [u64; 3] {
    let now = counts(connection);
    [0, 1, 2].map(|at| now[at] - before[at])
}

/// How many statements the server has.
fn on_server(server: &Server) -> u64 {
    let sql = "SHOW GLOBAL STATUS LIKE 'Prepared_stmt_count'";
    number(servers::rows(&mut server.connect(), sql)[0][1].as_deref().unwrap())
}

fn number(text: &[u8]) -> u64 {
    std::str::from_utf8(text).unwrap().parse().unwrap()
}

fn execute(
    connection: &mut Connection,
    statement: &Statement,
    parameters: &[Parameter<'_>],
) -> Vec<Vec<Value>> {
    connection.send_execute(statement, parameters, false).unwrap();
    let response = connection.read_executed(statement, parameters, false).unwrap();
    let QueryResponse::ResultSet(_) = response else { return Vec::new() };
    let mut stored = connection.store_result().unwrap();
    let mut rows = Vec::new();
    while let Some(row) = stored.next_row() {
        rows.push(row.values().map(|value| value.map(<[u8]>::to_vec)).collect());
    }
    rows
}

/// Prepares, runs and closes a statement; its rows.
fn once(connection: &mut Connection, sql: &str, parameters: &[Parameter<'_>]) -> Vec<Vec<Value>> {
    let statement = connection.prepare(sql.as_bytes()).unwrap();
    let rows = execute(connection, &statement, parameters);
    connection.close_statement(&statement).unwrap();
    rows
}

/// Does as [`once`]; the only value.
fn value(connection: &mut Connection, sql: &str, parameters: &[Parameter<'_>]) -> String {
    let rows = once(connection, sql, parameters);
    assert_eq!((rows.len(), rows[0].len()), (1, 1), "{sql}");
    String::from_utf8(rows[0][0].clone().unwrap()).unwrap()
}

fn integer(value: i64) -> [Parameter<'static>; 1] {
    [Parameter::Integer(Some(value))]
}

fn string(value: &str) -> [Parameter<'_>; 1] {
    [Parameter::Text(Data::Bytes(value.as_bytes()))]
}

#[test]
fn the_same_text_is_prepared_once() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    for server in Server::all() {
        for (most, tracks) in [(0, true), (MOST, server.has(Feature::SessionTrack))] {
            let options = ConnectOptions { statement_cache: most, ..options(&server) };
            let mut connection = servers::connect(&options);
            run(&mut connection, "CREATE TEMPORARY TABLE words (a VARCHAR(9), n INT)");
            run(&mut connection, "INSERT INTO words VALUES ('one', 1)");
            let (before, sent) = (counts(&mut connection), connection.counted().packets_sent);
            for n in 0..100 {
                let word = ["one", "two"][n % 2];
                let rows = once(&mut connection, "SELECT a FROM words WHERE a = ?", &string(word));
                assert_eq!(rows.len(), (n + 1) % 2);
            }
            let (sent, counted) = (connection.counted().packets_sent - sent, connection.counted());
            let prepared = if most > 0 && tracks { [1, 100, 0] } else { [100, 100, 100] };
            assert_eq!(counts_since(&mut connection, before), prepared, "{}", server.name);
            assert_eq!(sent, prepared.iter().sum::<u64>());
            assert_eq!([0x16, 0x17, 0x19].map(|code| counted.commands(code)), prepared);
            // The user has prepared and closed a hundred.
            assert_eq!(counted.statements_lent, 100 - prepared[0]);
            assert_eq!(counted.statements_kept, 100 - prepared[2]);
        }
    }
}

#[test]
fn a_statement_in_use_is_nobody_elses() {
    on_each(|_, connection| {
        let first = connection.prepare(b"SELECT 1").unwrap();
        let second = connection.prepare(b"SELECT 1").unwrap();
        assert_ne!(first.id(), second.id());
        connection.close_statement(&first).unwrap();
        connection.close_statement(&first).unwrap();
        let third = connection.prepare(b"SELECT 1").unwrap();
        assert_ne!(third.id(), second.id());
        let fourth = connection.prepare(b"SELECT 1").unwrap();
        assert!(![second.id(), third.id()].contains(&fourth.id()));
    });
}

#[test]
fn the_one_not_used_for_longest_goes() {
    on_each(|server, connection| {
        let before = on_server(server);
        for n in 0..5 {
            once(connection, &format!("SELECT {n}"), &[]);
        }
        run(connection, "DO 0");
        assert_eq!(on_server(server) - before, MOST as u64);
        let counted = counts(connection);
        once(connection, "SELECT 2", &[]);
        once(connection, "SELECT 3", &[]);
        once(connection, "SELECT 5", &[]); // SELECT 4 goes
        once(connection, "SELECT 2", &[]);
        once(connection, "SELECT 3", &[]);
        assert_eq!(counts_since(connection, counted), [1, 5, 1]);
        once(connection, "SELECT 4", &[]);
        assert_eq!(counts_since(connection, counted)[0], 2);
        connection.close();
        // A server notices at its own time.
        while on_server(server) > before {}
    });
}

#[test]
fn a_server_that_has_too_many_gets_some_back() {
    on_each(|server, connection| {
        let mut admin = server.connect();
        let usual = text(&mut admin, "SELECT @@max_prepared_stmt_count");
        for n in 0..MOST {
            once(connection, &format!("SELECT {n}"), &[]);
        }
        let limit = on_server(server);
        run(&mut admin, &format!("SET GLOBAL max_prepared_stmt_count = {limit}"));
        let prepared = connection.prepare(b"SELECT 'another'");
        let now = on_server(server);
        run(&mut admin, &format!("SET GLOBAL max_prepared_stmt_count = {usual}"));
        let prepared = prepared.unwrap();
        assert_eq!(limit - now, MOST as u64 - 1);
        assert_eq!(execute(connection, &prepared, &[]).len(), 1);
    });
}

#[test]
fn nothing_is_left_of_a_run_that_leaves_something() {
    on_each(|_, connection| {
        let check = |connection: &mut Connection, sql: &[u8], used: Statement| {
            let id = used.id();
            connection.close_statement(&used).unwrap();
            assert_ne!(connection.prepare(sql).unwrap().id(), id, "{}", sql.escape_ascii());
        };
        let cursor = b"SELECT 'cursor'";
        let statement = connection.prepare(cursor).unwrap();
        connection.send_execute(&statement, &[], true).unwrap();
        connection.read_executed(&statement, &[], true).unwrap();
        check(connection, cursor, statement);
        run(connection, "DROP TABLE IF EXISTS left_over");
        run(connection, "CREATE TABLE left_over AS SELECT 'A' AS a");
        let long = b"SELECT a FROM left_over WHERE a <> ?";
        let statement = connection.prepare(long).unwrap();
        connection.send_long_data(&statement, 0, b"never to be seen").unwrap();
        check(connection, long, statement);
        // One that is lent takes parts, too.
        let sql = "SELECT a FROM left_over WHERE a LIKE ?";
        for _ in 0..2 {
            assert_eq!(value(connection, sql, &string("A")), "A");
        }
        let statement = connection.prepare(sql.as_bytes()).unwrap();
        connection.send_long_data(&statement, 0, b"B").unwrap();
        let sent = execute(connection, &statement, &[Parameter::Blob(Data::Sent)]);
        assert_eq!(sent, Vec::<Vec<Value>>::new());
        run(connection, "DROP TABLE left_over");

        run(connection, "DROP TABLE IF EXISTS single");
        run(connection, "CREATE TABLE single (a INT PRIMARY KEY)");
        let failing = b"INSERT INTO single VALUES (?)";
        let statement = connection.prepare(failing).unwrap();
        execute(connection, &statement, &integer(2));
        connection.send_execute(&statement, &integer(2), false).unwrap();
        let error = connection.read_executed(&statement, &integer(2), false).unwrap_err();
        assert_eq!(error.code(), 1062);
        run(connection, "DO 0"); // else the failure alone would have it prepared again
        check(connection, failing, statement);
    });
}

#[test]
fn a_statement_does_not_outlive_its_session() {
    on_each(|server, connection| {
        let persistent = ConnectOptions { is_persistent: true, ..options(server) };
        let mut handed_on = servers::connect(&persistent);
        let before = on_server(server);
        for round in 0..4 {
            let counted = counts(&mut handed_on);
            for _ in 0..3 {
                once(&mut handed_on, "SELECT 'a'", &[]);
            }
            assert_eq!(counts_since(&mut handed_on, counted)[..2], [1, 3], "{round}");
            let open = handed_on.prepare(b"SELECT 'a'").unwrap();
            assert!(handed_on.release(None));
            handed_on.resume(PoolCheck::Peek).unwrap();
            run(&mut handed_on, "DO 0");
            assert_eq!(on_server(server), before, "{round}");
            // What the last user has still in hand closes nothing of the next one's.
            handed_on.close_statement(&open).unwrap();
        }

        once(connection, "SELECT 'a'", &[]);
        let open = connection.prepare(b"SELECT 'a'").unwrap();
        connection.reset_connection().unwrap();
        assert_eq!(on_server(server), before);
        let options = connection.options().clone();
        let (user, password) = (options.user, options.password);
        let database = options.database.unwrap();
        let counted = counts(connection);
        once(connection, "SELECT 'a'", &[]);
        assert_eq!(counts_since(connection, counted)[0], 1);
        connection.change_user(&user, &password, &database).unwrap();
        assert_eq!(on_server(server), before);
        let counted = counts(connection);
        once(connection, "SELECT 'a'", &[]);
        assert_eq!(counts_since(connection, counted)[0], 1);
        connection.close_statement(&open).unwrap();
        once(connection, "SELECT 'a'", &[]);
        assert_eq!(counts_since(connection, counted)[0], 1);
    });
}

#[test]
fn a_server_that_has_gone_is_noticed_when_a_statement_is_prepared() {
    on_each(|server, connection| {
        once(connection, "SELECT 1", &[]);
        let mut admin = server.connect();
        run(&mut admin, &format!("KILL {}", connection.thread_id()));
        let gone = "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID = ";
        while text(&mut admin, &format!("{gone}{}", connection.thread_id())) != "0" {}
        assert!(matches!(connection.prepare(b"SELECT 1").unwrap_err().code(), 2006 | 2013));
    });
}
