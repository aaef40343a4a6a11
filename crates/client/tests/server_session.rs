//! The smaller commands on real servers, and escaping as the servers understand it.
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

use vaquita_client::{Charset, Connection, State, StatusFlags};

#[test]
fn commands_are_answered() {
    on_each(|_, connection| {
        connection.ping().unwrap();
        connection.init_db(b"mysql").unwrap();
        assert_eq!(text(connection, "SELECT DATABASE()"), "mysql");
        let error = connection.init_db(b"no_such_database").unwrap_err();
        assert_eq!((error.code(), error.sqlstate()), (1049, *b"42000"));
        assert_eq!(text(connection, "SELECT DATABASE()"), "mysql");
        assert_eq!(connection.state(), State::Ready);
    });
}

/// Asks until the answer is what it must become.
fn wait_for(connection: &mut Connection, sql: &str, expected: &str) {
    let end = Instant::now() + Duration::from_secs(20);
    while text(connection, sql) != expected {
        assert!(Instant::now() < end, "{sql} did not become {expected}");
    }
}

#[test]
fn a_closed_connection_is_gone() {
    on_each(|server, connection| {
        let id = connection.thread_id();
        connection.close();
        assert_eq!(connection.state(), State::QuitSent);
        assert_eq!(connection.ping().unwrap_err().code(), 2006);
        connection.close();
        let mut other = server.connect();
        let list = format!("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID = {id}");
        wait_for(&mut other, &list, "0");
    });
}

#[test]
fn a_dropped_connection_ends_on_the_server_too() {
    for server in Server::all() {
        let mut other = server.connect();
        let id = server.connect().thread_id();
        let list = format!("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID = {id}");
        wait_for(&mut other, &list, "0");
    }
}

#[test]
fn the_charset_can_be_changed() {
    on_each(|_, connection| {
        let latin1 = Charset::by_name(b"latin1").unwrap();
        connection.set_charset(latin1).unwrap();
        assert_eq!(connection.charset(), latin1);
        assert_eq!(text(connection, "SELECT @@character_set_client"), "latin1");
        assert_eq!(rows(connection, "SELECT _utf8mb4 0xC3A9"), [[Some(b"\xE9".to_vec())]]);
        // No server takes this one as a client's.
        let error = connection.set_charset(Charset::by_name(b"ucs2").unwrap()).unwrap_err();
        assert_eq!(error.code(), 1231, "{error}");
        assert_eq!(connection.charset(), latin1);
    });
}

/// What goes in as an escaped literal comes out as it was.
fn check_escape(connection: &mut Connection, value: &[u8]) {
    let mut sql = b"SELECT CAST('".to_vec();
    sql.extend(connection.escape(value));
    sql.extend(b"' AS BINARY), 'end'");
    connection.send_query(&sql).unwrap();
    let shown = format!("{} {value:02x?}", connection.charset().name);
    connection.read_query_response().unwrap_or_else(|error| panic!("{shown}: {error}"));
    let stored = connection.store_result().unwrap();
    let values: Vec<_> = stored.row(0).unwrap().values().collect();
    assert_eq!(values, [Some(value), Some(b"end")], "{shown}");
}

#[test]
fn an_escaped_value_comes_back_as_it_was() {
    let every_byte: Vec<u8> = (0..=255).collect();
    on_each(|_, connection| {
        for mode in ["", "NO_BACKSLASH_ESCAPES"] {
            run(connection, &format!("SET sql_mode = '{mode}'"));
            assert_eq!(
                connection.session().status.contains(StatusFlags::NO_BACKSLASH_ESCAPES),
                !mode.is_empty()
            );
            for name in ["latin1", "binary"] {
                connection.set_charset(Charset::by_name(name.as_bytes()).unwrap()).unwrap();
                check_escape(connection, b"it's \"so\" \\ \0 \n \r \x1A %_");
                check_escape(connection, b"");
                check_escape(connection, b"'");
                check_escape(connection, b"\\'");
                check_escape(connection, &every_byte);
            }
        }
    });
}

/// No value can end the literal that it stands in: in each multi-byte charset, each head byte in front of quotes and backslashes.
#[test]
fn no_escaped_value_leaves_its_literal() {
    let charsets = [
        "utf8mb4", "utf8", "big5", "gbk", "gb18030", "gb2312", "sjis", "cp932", "euckr", "ujis",
        "eucjpms",
    ];
    for server in Server::all() {
        let mut connection = server.connect();
        for mode in ["ANSI_QUOTES", "NO_BACKSLASH_ESCAPES"] {
            for name in charsets {
                if name == "gb18030" && !server.has(Feature::Gb18030) {
                    continue;
                }
                run(&mut connection, &format!("SET sql_mode = '{mode}'"));
                connection.set_charset(Charset::by_name(name.as_bytes()).unwrap()).unwrap();
                for head in 0x80..=0xFF_u8 {
                    for tail in
                        [&b"'"[..], b"\\", b"\\'", b"''", b"\x81'", b"\x30\x81'", b"\x5C\x5C'"]
                    {
                        let value = [&[head], tail].concat();
                        let mut sql = b"SELECT 'a' = '".to_vec();
                        sql.extend(connection.escape(&value));
                        sql.extend(b"', 'end'");
                        assert_two_columns(&mut connection, &sql, &value);
                    }
                }
            }
        }
    }
}

/// A character set of the handshake that the server does not know, or takes for another, would make escaping a trap.
#[test]
fn the_charset_of_the_handshake_is_the_servers_too() {
    let names = ["big5", "gbk", "gb18030", "sjis", "cp932", "latin1", "euckr", "ujis", "utf8mb4"];
    for server in Server::all() {
        for name in names {
            let mut options = server.options(server.unix());
            options.charset = Charset::by_name(name.as_bytes());
            match Connection::connect(&options) {
                Ok(mut connection) => {
                    let client = text(&mut connection, "SELECT @@character_set_client");
                    assert_eq!(client, name, "{}", server.name);
                }
                Err(error) => {
                    let missing = name == "gb18030" && !server.has(Feature::Gb18030);
                    assert!(missing && error.code() == 1115, "{} {name}: {error}", server.name);
                }
            }
        }
    }
}

fn assert_two_columns(connection: &mut Connection, sql: &[u8], value: &[u8]) {
    let shown = format!("{} {value:02x?} {sql:02x?}", connection.charset().name);
    connection.send_query(sql).unwrap();
    match connection.read_query_response() {
        Ok(_) => {
            let stored = connection.store_result().unwrap();
            let end = stored.row(0).and_then(|row| row.values().nth(1)).flatten();
            assert_eq!(end, Some(&b"end"[..]), "{shown}");
        }
        // A string that is none in this charset is refused as such, not as a syntax error.
        Err(error) => assert_ne!(error.code(), 1064, "{shown}: {error}"),
    }
}
