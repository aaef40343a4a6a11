//! What servers tell of their sessions, and that values are escaped as the server reads them.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

mod servers;

use servers::{Feature, Server, on_each, rows, run, text};
use vaquita_client::{Capabilities, Charset, Connection, StatusFlags};

fn client_charset(connection: &Connection) -> &'static str {
    connection.session().character_set_client.name
}

#[test]
fn set_names_in_a_query_decides_how_values_are_escaped() {
    on_each(|server, connection| {
        if !server.has(Feature::SessionTrack) {
            return;
        }
        assert_eq!(client_charset(connection), "utf8mb4");
        // 0xBF 0x5C is one character in gbk: with a backslash put in front of the quote, the quote would end the literal.
        let value = b"\xBF' OR 1 -- ";
        for names in ["SET NAMES gbk", "SET CHARACTER SET gbk", "SET character_set_client = gbk"] {
            run(connection, names);
            assert_eq!(client_charset(connection), "gbk", "{names}");
            assert_eq!(connection.charset().name, "utf8mb4", "what was asked for stays");
            let sql = [b"SELECT HEX('", &connection.escape(value)[..], b"'), 'end'"].concat();
            connection.send_query(&sql).unwrap();
            connection.read_query_response().unwrap();
            let stored = connection.store_result().unwrap();
            let end = stored.row(0).unwrap().values().nth(1).unwrap();
            assert_eq!(end, Some(&b"end"[..]), "{names}");
            run(connection, "SET NAMES utf8mb4");
            assert_eq!(client_charset(connection), "utf8mb4");
        }
        let latin1 = Charset::by_name(b"latin1").unwrap();
        connection.set_charset(latin1).unwrap();
        assert_eq!(client_charset(connection), "latin1");
    });
}

/// The one change that no server tells of when it happens; docs/settings.md says so. Only `vaquita`, who has all rights, is spared.
#[test]
fn what_init_connect_sets_is_known_late() {
    for server in Server::all() {
        let mut admin = server.connect();
        let user = format!("greeted_{}", admin.thread_id());
        run(&mut admin, &format!("CREATE USER {user} IDENTIFIED BY 'p'"));
        run(&mut admin, "SET GLOBAL init_connect = 'SET NAMES gbk'");
        let mut options = server.options(server.unix());
        (options.user, options.password) = (user.clone().into_bytes(), b"p".into());
        options.database = None;
        let mut connected = Connection::connect(&options);
        // A server says that the log-in is done before it looks whether it has something to run.
        let greeted = connected.as_mut().map(|connection| text(connection, "SELECT 1"));
        run(&mut admin, "SET GLOBAL init_connect = ''");
        run(&mut admin, &format!("DROP USER {user}"));
        assert_eq!(greeted.ok().as_deref(), Some("1"), "{}", server.name);
        let connection = &mut connected.unwrap();
        assert_eq!(client_charset(connection), "utf8mb4", "{}", server.name);
        assert_eq!(text(connection, "SELECT @@character_set_client"), "gbk", "{}", server.name);
        run(connection, "SET @a = 1");
        let is_told = server.has(Feature::SessionTrack) && !server.is_mariadb();
        let expected = if is_told { "gbk" } else { "utf8mb4" };
        assert_eq!(client_charset(connection), expected, "{}", server.name);
        connection.set_charset(Charset::by_name(b"utf8mb4").unwrap()).unwrap();
        assert_eq!(client_charset(connection), "utf8mb4", "{}", server.name);
        assert_eq!(text(connection, "SELECT @@character_set_client"), "utf8mb4");
    }
}

#[test]
fn the_current_database_is_known() {
    on_each(|server, connection| {
        if !server.has(Feature::SessionTrack) {
            return;
        }
        let database = |connection: &Connection| {
            String::from_utf8(connection.session().database.clone()).unwrap()
        };
        assert_eq!(database(connection), server.database());
        run(connection, "USE mysql");
        assert_eq!(database(connection), "mysql");
        connection.init_db(b"information_schema").unwrap();
        assert_eq!(database(connection), "information_schema");
        connection.init_db(b"no_such_database").unwrap_err();
        assert_eq!(database(connection), "information_schema");
        run(connection, &format!("CREATE DATABASE IF NOT EXISTS gone_{}", connection.thread_id()));
        connection.init_db(format!("gone_{}", connection.thread_id()).as_bytes()).unwrap();
        run(connection, &format!("DROP DATABASE gone_{}", connection.thread_id()));
        assert_eq!(database(connection), "");
    });
}

#[test]
fn transactions_show_in_the_status() {
    on_each(|_, connection| {
        let is = |connection: &Connection, flag| connection.session().status.contains(flag);
        assert!(is(connection, StatusFlags::AUTOCOMMIT) && !is(connection, StatusFlags::IN_TRANS));
        run(connection, "START TRANSACTION READ ONLY");
        assert!(is(connection, StatusFlags::IN_TRANS.with(StatusFlags::IN_TRANS_READONLY)));
        run(connection, "COMMIT");
        assert!(!is(connection, StatusFlags::IN_TRANS));
        run(connection, "SET autocommit = 0");
        assert!(!is(connection, StatusFlags::AUTOCOMMIT));
    });
}

/// Everything that servers can track, on: nothing of it is in the way of anything.
#[test]
fn all_that_can_be_tracked_is_understood() {
    for server in Server::with(Feature::SessionTrack) {
        for capabilities in [Capabilities::NONE, Capabilities::DEPRECATE_EOF] {
            let mut options = server.options(server.unix());
            options.capabilities = capabilities;
            let mut connection = Connection::connect(&options).unwrap();
            let connection = &mut connection;
            run(connection, "SET SESSION session_track_system_variables = '*'");
            run(connection, "SET SESSION session_track_state_change = ON");
            run(connection, "SET SESSION session_track_transaction_info = 'CHARACTERISTICS'");
            run(connection, "CREATE TEMPORARY TABLE tracked (a INT PRIMARY KEY)");
            run(connection, "START TRANSACTION WITH CONSISTENT SNAPSHOT");
            run(connection, "INSERT INTO tracked VALUES (1), (2)");
            assert_eq!(rows(connection, "SELECT a FROM tracked ORDER BY a").len(), 2);
            run(connection, "COMMIT");
            run(connection, "SET @a = REPEAT('x', 100000), time_zone = '+01:00'");
            run(connection, "SET NAMES latin1");
            assert_eq!(client_charset(connection), "latin1", "{}", server.name);
            assert_eq!(text(connection, "SELECT @@time_zone"), "+01:00");
        }
    }
}
