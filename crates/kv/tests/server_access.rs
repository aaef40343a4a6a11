//! Statements that a port may answer, on real servers: which go there, which do not, and what becomes of them when the port fails.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

#[path = "../../client/tests/servers/mod.rs"]
mod servers;

mod places;
mod ports;

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use places::{BY_KEY, Place, TABLE, User};
use servers::{Feature, drop_user, run};
use vaquita_client::{Address, Connection, Data, Parameter, QueryResponse};
use vaquita_kv::{Access, Settings};

#[test]
fn a_shape_is_learnt_once_and_then_asked_at_the_port() {
    for place in Place::all() {
        let mut user = place.session(place.settings());
        assert_eq!(user.answered(), 0);
        for (key, expected) in [("two", "zwei 2"), ("three", "drei 3"), ("one", "eins 1")] {
            assert_eq!(user.ask(&format!("SELECT v, n FROM t WHERE k = '{key}'")), expected);
            assert_eq!(user.connection.session().affected_rows, 1);
            assert_eq!(user.connection.session().warnings, 0);
        }
        assert_eq!(user.answered(), 3, "{}", place.server.name);
        assert_eq!(user.ask("SELECT v, n FROM t WHERE k = 'four'"), "none");
        let counts = *user.access.counts();
        assert_eq!((counts.learnt, counts.misses, counts.asked, counts.errors), (1, 1, 4, 0));
        // What is asked of the last statement is what SQL would have left.
        for (before, question, expected) in [
            ("SELECT v FROM t LIMIT 3", "SELECT FOUND_ROWS()", "1"),
            ("SELECT 1 + 'x' FROM t", "SELECT @@warning_count", "0"),
            ("SELECT 1 + 'x' FROM t", "SHOW WARNINGS", "none"),
            ("UPDATE t SET n = n", "SELECT ROW_COUNT()", "-1"),
        ] {
            user.ask(before);
            let answered = user.answered();
            user.ask(BY_KEY);
            assert_eq!(user.answered(), answered + 1);
            assert_eq!(user.ask(question), expected, "{question}");
        }
    }
}

#[test]
fn prepared_statements_go_there_too() {
    for place in Place::all() {
        let mut user = place.session(place.settings());
        let statement = user.connection.prepare(b"SELECT n, v FROM t WHERE k = ?").unwrap();
        let mut run = |parameter: Parameter<'_>| {
            let (connection, access) = (&mut user.connection, &mut user.access);
            if access.execute(connection, &statement, &[parameter]).unwrap().is_none() {
                connection.send_execute(&statement, &[parameter], false).unwrap();
                let response = connection.read_executed(&statement, &[parameter], false).unwrap();
                let QueryResponse::ResultSet(columns) = response else { panic!("{response:?}") };
                access.executed(connection, &statement, &columns);
            }
            assert!(connection.has_binary_rows());
            let stored = connection.store_result().unwrap();
            let row =
                stored.row(0).map(|row| row.values().map(|it| it.unwrap().to_vec()).collect());
            (row, access.counts().answered)
        };
        let key = |key: &'static str| Parameter::Text(Data::Bytes(key.as_bytes()));
        let row = |n: u8, v: &str| Some(vec![vec![n, 0, 0, 0], v.as_bytes().to_vec()]);
        assert_eq!(run(key("one")), (row(1, "eins"), 0));
        assert_eq!(run(key("one")), (row(1, "eins"), 0));
        assert_eq!(run(key("two")), (row(2, "zwei"), 1));
        assert_eq!(run(key("one")), (row(1, "eins"), 2));
        // A server may make of the next text what it made of this number.
        assert_eq!(run(Parameter::Integer(Some(5))), (None::<Vec<Vec<u8>>>, 2));
        assert_eq!(run(key("one")).1, 2);
    }
}

#[test]
fn what_changes_the_session_keeps_statements_from_the_port() {
    for place in Place::all() {
        for (change, undo, goes_again) in [
            ("BEGIN", "COMMIT", true),
            ("SET autocommit = 0", "SET autocommit = 1", true),
            ("SET sql_select_limit = 0", "SET sql_select_limit = DEFAULT", true),
            (
                "SET SESSION TRANSACTION ISOLATION LEVEL READ UNCOMMITTED",
                "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
                true,
            ),
            ("SET NAMES latin1, character_set_results = utf8mb4", "SET NAMES utf8mb4", true),
            ("LOCK TABLES t READ", "UNLOCK TABLES", true),
            ("SET @a = 1", "SET @a = 2", true),
            ("SET TRANSACTION ISOLATION LEVEL READ COMMITTED", "COMMIT", false),
            ("CREATE TEMPORARY TABLE other (a INT)", "DROP TEMPORARY TABLE other", false),
        ] {
            let mut user = place.session(place.settings());
            assert!(user.goes_by_port(), "{}", place.server.name);
            user.ask(change);
            let answered = user.answered();
            if !change.contains("limit") {
                assert_eq!(user.ask(BY_KEY), "eins 1");
            } else {
                assert_eq!(user.ask(BY_KEY), "none");
            }
            assert_eq!(user.answered(), answered, "{change}");
            user.ask(undo);
            assert_eq!(user.goes_by_port(), goes_again, "{undo} on {}", place.server.name);
        }
    }
}

#[test]
fn own_changes_of_tables_are_known_at_once() {
    for mut place in Place::all() {
        let mut user = place.session(place.settings());
        assert!(user.goes_by_port());
        // The port's connection does not keep this one from it.
        run(&mut user.connection, "SET lock_wait_timeout = 5");
        user.ask("ALTER TABLE t ADD w INT NOT NULL DEFAULT 7, MODIFY v VARCHAR(300) CHARACTER SET utf8mb4 NOT NULL");
        assert!(user.goes_by_port());
        for _ in 0..3 {
            assert_eq!(user.ask("SELECT w FROM t WHERE k = 'one'"), "7");
        }
        // MySQL 5.6 goes on with a table that its port has read for some seconds more.
        if !place.server.has(Feature::SessionTrack) {
            continue;
        }
        user.ask("DROP TABLE t");
        let gone = user.access.query(&mut user.connection, BY_KEY.as_bytes()).unwrap_err();
        assert_eq!(gone.code(), 1146);
        user.ask(TABLE);
        user.ask("INSERT INTO t VALUES ('one', 'eins', 1)");
        assert!(user.goes_by_port());
        // Nor does it keep others from it for long, although nobody closes it.
        run(&mut place.sql, "SET lock_wait_timeout = 5");
        run(&mut place.sql, "ALTER TABLE t ADD x INT");
    }
}

#[test]
fn a_temporary_table_that_a_trigger_makes_is_noticed() {
    for mut place in Place::all() {
        if !place.server.has(Feature::SessionTrack) {
            continue;
        }
        run(&mut place.sql, "CREATE TABLE u (a INT)");
        run(
            &mut place.sql,
            "CREATE TRIGGER makes BEFORE INSERT ON u FOR EACH ROW BEGIN \
             CREATE TEMPORARY TABLE t (k VARCHAR(100), v VARCHAR(100), n INT); INSERT INTO t VALUES ('one', 'temporary', 5); END",
        );
        let mut user = place.session(place.settings());
        assert!(user.goes_by_port());
        user.ask("INSERT INTO u VALUES (1)");
        assert_eq!(user.ask(BY_KEY), "temporary 5", "{}", place.server.name);
    }
}

#[test]
fn whoever_may_not_read_the_table_gets_nothing_from_the_port() {
    for mut place in Place::all() {
        drop_user(&mut place.sql, "kv_reader", "%");
        for statement in [
            "CREATE USER 'kv_reader'@'%' IDENTIFIED BY 'x'",
            "GRANT SELECT (k, v) ON kv_access.t TO 'kv_reader'@'%'",
        ] {
            run(&mut place.sql, statement);
        }
        let options = vaquita_client::ConnectOptions {
            user: "kv_reader".into(),
            password: "x".into(),
            database: Some("kv_access".into()),
            ..place.server.options(place.server.tcp())
        };
        let mut connection = Connection::connect(&options).unwrap();
        let access = Access::new(&mut connection, place.settings());
        let mut user = User { connection, access };
        for _ in 0..3 {
            assert_eq!(user.ask("SELECT v FROM t WHERE k = 'one'"), "eins");
        }
        assert_eq!(user.access.counts().asked, 0, "{}", place.server.name);
        let denied = user.access.query(&mut user.connection, BY_KEY.as_bytes()).unwrap_err();
        assert_eq!(denied.code(), 1143);
        drop(user);
        run(&mut place.sql, "DROP USER 'kv_reader'@'%'");
    }
}

/// Lets bytes of a port through, so many; then it closes, or says nothing any more.
struct Relay {
    address: Address,
    /// How many bytes of replies are let through on each connection.
    allowed: Arc<AtomicUsize>,
    is_over: Arc<AtomicBool>,
}

impl Relay {
    fn to(port: &Address) -> Relay {
        let Address::Tcp { host, port } = port.clone() else { panic!("{port:?}") };
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address =
            Address::Tcp { host: "127.0.0.1".into(), port: listener.local_addr().unwrap().port() };
        let (allowed, is_over) =
            (Arc::new(AtomicUsize::new(usize::MAX)), Arc::new(AtomicBool::new(false)));
        let relay = Relay { address, allowed: Arc::clone(&allowed), is_over: Arc::clone(&is_over) };
        thread::spawn(move || {
            for client in listener.incoming() {
                if is_over.load(Ordering::Relaxed) {
                    return;
                }
                let mut client = client.unwrap();
                let mut server = TcpStream::connect((&*host, port)).unwrap();
                let (mut replies, mut requests) =
                    (server.try_clone().unwrap(), client.try_clone().unwrap());
                thread::spawn(move || {
                    let _ = std::io::copy(&mut requests, &mut server);
                    let _ = server.shutdown(Shutdown::Both);
                });
                let allowed = Arc::clone(&allowed);
                thread::spawn(move || {
                    let mut byte = [0];
                    while matches!(replies.read(&mut byte), Ok(1)) {
                        let left = allowed.load(Ordering::Relaxed);
                        if left == 0 {
                            break;
                        }
                        if left != usize::MAX {
                            allowed.store(left - 1, Ordering::Relaxed);
                        }
                        if client.write_all(&byte).is_err() {
                            break;
                        }
                    }
                    let _ = client.shutdown(Shutdown::Both);
                });
            }
        });
        relay
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        if let Address::Tcp { host, port } = &self.address {
            let _ = TcpStream::connect((&**host, *port));
        }
    }
}

#[test]
fn a_port_that_is_killed_in_mid_stream_fails_no_query() {
    for place in Place::all() {
        let relay = Relay::to(&place.server.key_value());
        let settings = Settings { address: relay.address.clone(), ..place.settings() };
        let mut user = place.session(settings);
        assert!(user.goes_by_port(), "{}", place.server.name);
        let mut failed = 0;
        for allowed in 0..60 {
            relay.allowed.store(allowed, Ordering::Relaxed);
            let before = user.access.counts().errors;
            assert_eq!(user.ask(BY_KEY), "eins 1", "{allowed} on {}", place.server.name);
            failed += user.access.counts().errors - before;
            relay.allowed.store(usize::MAX, Ordering::Relaxed);
            assert_eq!(user.ask("SELECT v, n FROM t WHERE k = 'three'"), "drei 3");
            assert_eq!(user.ask("SELECT v, n FROM t WHERE k = 'two'"), "zwei 2");
        }
        assert!(failed > 8, "{failed} on {}", place.server.name);
        assert!(user.goes_by_port());
    }
}

#[test]
fn a_port_that_is_not_there_is_none() {
    for place in Place::all() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        drop(listener);
        let address = Address::Tcp { host: "127.0.0.1".into(), port };
        let mut user = place.session(Settings { address, ..place.settings() });
        for _ in 0..5 {
            assert_eq!(user.ask(BY_KEY), "eins 1");
        }
        assert_eq!((user.answered(), user.access.counts().errors), (0, 5));
    }
}
