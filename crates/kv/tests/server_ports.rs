//! The ports of real servers: what SQL writes they give, and what they write SQL gives.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

#[path = "../../client/tests/servers/mod.rs"]
mod servers;

mod ports;

use std::net::TcpListener;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use ports::{TIMEOUTS, handler_socket, install, secret};
use servers::{Feature, Server, Value, rows, run, text};
use vaquita_client::{Address, Connection};
use vaquita_kv::{
    Error, Expiry, HandlerSocket, Key, Mapping, Memcached, OpenIndex, Store, Timeouts,
};

fn key(bytes: &[u8]) -> Key<'_> {
    Key::new(bytes).unwrap()
}

/// Held by the one test that uses the memcached ports: whoever installs the plugin anew takes them away.
static MEMCACHED: Mutex<()> = Mutex::new(());

/// A connection to a memcached port that answers from two tables.
fn memcached(server: &Server) -> (Connection, Memcached) {
    let mut sql = server.connect();
    for statement in [
        "DROP DATABASE IF EXISTS kv_ports",
        "CREATE DATABASE kv_ports",
        "USE kv_ports",
        "CREATE TABLE plain (k VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PRIMARY KEY, v LONGBLOB NOT NULL, \
         flags INT NOT NULL DEFAULT 0, cas BIGINT UNSIGNED NOT NULL DEFAULT 0, expiry INT NOT NULL DEFAULT 0) ENGINE = InnoDB ROW_FORMAT = DYNAMIC",
        "CREATE TABLE numbers (k INT PRIMARY KEY, v VARCHAR(20) NOT NULL, n INT NOT NULL) ENGINE = InnoDB",
        "DELETE FROM innodb_memcache.containers",
        "INSERT INTO innodb_memcache.containers VALUES \
         ('a_default', 'kv_ports', 'plain', 'k', 'v', 'flags', 'cas', 'expiry', 'PRIMARY'), \
         ('numbers', 'kv_ports', 'numbers', 'k', 'v,n', '0', '0', '0', 'PRIMARY')",
    ] {
        run(&mut sql, statement);
    }
    let port = install(server, &mut sql);
    (sql, port)
}

#[test]
fn a_mapping_is_read_as_it_is() {
    let _alone = MEMCACHED.lock();
    for server in Server::all() {
        let mut sql = server.connect();
        if !server.has(Feature::Memcached) {
            assert_eq!(Mapping::read(&mut sql).unwrap(), None, "{}", server.name);
            continue;
        }
        let _ = memcached(&server);
        run(
            &mut sql,
            "INSERT INTO innodb_memcache.containers VALUES ('x', 'kv_ports', 'gone', 'k', 'v;w', '0', '0', '0', 'i')",
        );
        let mapping = Mapping::read(&mut sql).unwrap().unwrap();
        assert_eq!(
            mapping.to_string(),
            "from InnoDB, isolation 1, a look each 1 reads, separator \"|\", delimiter \".\"\n\
             a_default: kv_ports.plain by PRIMARY (k): v, flags in flags, expiry in expiry\n\
             numbers: kv_ports.numbers by PRIMARY (k): v, n\n\
             x: kv_ports.gone by i (k): v, w\n"
        );
        let numbers = mapping.of(b"kv_ports", b"numbers").unwrap();
        assert_eq!((numbers.place_of(b"N"), numbers.place_of(b"k")), (Some(1), None));
        assert!(mapping.of(b"kv_ports", b"x").is_none());
        run(&mut sql, "UPDATE innodb_memcache.cache_policies SET get_policy = 'caching'");
        assert!(!Mapping::read(&mut sql).unwrap().unwrap().is_of_innodb);
        run(&mut sql, "UPDATE innodb_memcache.cache_policies SET get_policy = 'innodb_only'");
    }
}

fn get(port: &mut Memcached, bytes: &[u8]) -> Option<(u32, Vec<u8>)> {
    port.get(key(bytes), |flags, value| (flags, value.to_vec())).unwrap()
}

fn store(port: &mut Memcached, how: Store, bytes: &[u8], value: &[u8], flags: u32) -> bool {
    port.send_store(how, key(bytes), value, flags, Expiry::default()).unwrap();
    port.read_done().unwrap()
}

#[test]
fn a_memcached_port_answers_from_tables() {
    let _alone = MEMCACHED.lock();
    for server in Server::with(Feature::Memcached) {
        let (mut sql, mut port) = memcached(&server);
        let version = String::from_utf8(port.version().unwrap().into()).unwrap();
        assert_eq!(text(&mut sql, "SELECT VERSION()").split('-').next().unwrap(), version);

        // What SQL writes.
        run(
            &mut sql,
            "INSERT INTO plain (k, v) VALUES ('a', 'x'), ('ä', ''), ('b', '\0\r\nEND\r\n')",
        );
        assert_eq!(get(&mut port, b"a").unwrap().1, b"x");
        assert_eq!(get(&mut port, "ä".as_bytes()).unwrap().1, b"");
        assert_eq!(get(&mut port, b"b").unwrap().1, b"\0\r\nEND\r\n");
        assert!(get(&mut port, b"A").is_none() && get(&mut port, b"none").is_none());
        run(&mut sql, "UPDATE plain SET v = 'y' WHERE k = 'a'");
        assert_eq!(get(&mut port, b"a").unwrap().1, b"y");
        run(&mut sql, "INSERT INTO numbers VALUES (-5, 'five', 55)");
        assert_eq!(get(&mut port, b"@@numbers.-5").unwrap().1, b"five|55");
        // A key with a table's name is of that table, and so are all keys behind it.
        assert_eq!(get(&mut port, b"-5").unwrap().1, b"five|55");
        assert_eq!(get(&mut port, b"@@a_default").unwrap().1, b"kv_ports/plain");

        // What the port writes.
        assert!(store(&mut port, Store::Set, b"c", b"1", 7));
        assert_eq!(get(&mut port, b"c"), Some((7, b"1".to_vec())));
        assert_eq!(text(&mut sql, "SELECT CONCAT(v, flags) FROM plain WHERE k = 'c'"), "17");
        assert!(!store(&mut port, Store::Add, b"c", b"2", 0));
        assert!(store(&mut port, Store::Replace, b"c", b"3", 0));
        assert!(!store(&mut port, Store::Replace, b"d", b"4", 0));
        assert!(store(&mut port, Store::Add, b"d", b"5", 0));
        for (bytes, is_there) in [(b"c", true), (b"c", false), (b"d", true)] {
            port.send_delete(key(bytes)).unwrap();
            assert_eq!(port.read_done().unwrap(), is_there);
        }
        assert_eq!(text(&mut sql, "SELECT COUNT(*) FROM plain"), "3");

        // A long key, and a value of many reads.
        let longest = [b'k'; 190];
        let large: Vec<u8> = (0..500_000_u32).map(|n| n.to_le_bytes()[0]).collect();
        run(&mut sql, &format!("INSERT INTO plain (k, v) VALUES ('{}', 'long')", "k".repeat(190)));
        assert_eq!(get(&mut port, &longest).unwrap().1, b"long");
        assert!(store(&mut port, Store::Set, b"large", &large, 0));
        assert_eq!(get(&mut port, b"large").unwrap().1, large);
        let in_sql = rows(&mut sql, "SELECT v FROM plain WHERE k = 'large'");
        assert_eq!(in_sql, [[Some(large)]]);
        assert!(port.is_alive());
    }
}

#[test]
fn memcached_ports_answer_many_at_once() {
    let _alone = MEMCACHED.lock();
    for server in Server::with(Feature::Memcached) {
        let (mut sql, mut port) = memcached(&server);
        let names: Vec<String> = (0..1000).map(|number| format!("key-{number}")).collect();
        for some in names.chunks(100) {
            let values: Vec<String> =
                some.iter().step_by(2).map(|name| format!("('{name}', '<{name}>')")).collect();
            run(&mut sql, &format!("INSERT INTO plain (k, v) VALUES {}", values.join(",")));
        }
        let keys: Vec<Key<'_>> = names.iter().map(|name| key(name.as_bytes())).collect();
        let mut found = vec![None; keys.len()];
        for some in keys.chunks(90) {
            let first = keys.element_offset(&some[0]).unwrap();
            port.send_get(some).unwrap();
            port.read_values(some, |place, _, value| found[first + place] = Some(value.to_vec()))
                .unwrap();
        }
        let expected = names
            .iter()
            .enumerate()
            .map(|(number, name)| (number % 2 == 0).then(|| format!("<{name}>").into_bytes()));
        assert!(found.iter().cloned().eq(expected), "in requests of 90 keys");
        let mut again = vec![None; keys.len()];
        port.send_gets(&keys).unwrap();
        for (place, key) in keys.iter().enumerate() {
            port.read_values(&[*key], |_, _, value| again[place] = Some(value.to_vec())).unwrap();
        }
        assert!(found == again && port.is_alive(), "in a request for each");
    }
}

/// The values of a row as `read_rows` gives them.
fn found(port: &mut HandlerSocket, open: &OpenIndex<'_>, key: &[Option<&[u8]>]) -> Vec<Vec<Value>> {
    let index = port.open_index(open).unwrap();
    port.send_find(index, &[key], 10).unwrap();
    let mut rows = Vec::new();
    port.read_rows(index, |row| {
        rows.push(row.iter().map(|value| value.as_deref().map(<[u8]>::to_vec)).collect());
    })
    .unwrap();
    rows
}

#[test]
fn handler_socket_gives_rows_as_sql_does() {
    for server in Server::with(Feature::HandlerSocket) {
        let mut sql = server.connect();
        run(&mut sql, "DROP DATABASE IF EXISTS kv_rows");
        run(&mut sql, "CREATE DATABASE kv_rows");
        run(&mut sql, "USE kv_rows");
        run(
            &mut sql,
            "CREATE TABLE t (a INT, b VARCHAR(20) COLLATE utf8mb4_bin, i INT UNSIGNED ZEROFILL, d DECIMAL(10, 2), f DOUBLE, s DATETIME(3), \
             c CHAR(5), x BLOB, e ENUM('x', 'y'), n TEXT, PRIMARY KEY (a, b))",
        );
        run(
            &mut sql,
            "INSERT INTO t VALUES (1, 'b', 42, -1.5, 0.1, '2020-01-02 03:04:05.678', 'c', 0x000102090A0D0F1011FF, 'y', NULL), \
             (1, 'ä\t', 0, 0, 1e100, '1000-01-01', '', '', 'x', 'text'), (-2, '', 1, 1, 1, '2020-01-01', 'z', 'z', 'x', 'z')",
        );
        let columns: [&[u8]; 10] = [b"a", b"b", b"i", b"d", b"f", b"s", b"c", b"x", b"e", b"n"];
        let open =
            OpenIndex { database: b"kv_rows", table: b"t", index: b"PRIMARY", columns: &columns };
        let mut port = handler_socket(&server, &mut sql);
        let mut check = |key: &[Option<&[u8]>], condition: &str| {
            let expected =
                rows(&mut sql, &format!("SELECT * FROM t WHERE {condition} ORDER BY a, b"));
            assert_eq!(found(&mut port, &open, key), expected, "{condition}");
        };
        check(&[Some(b"1"), Some(b"b")], "a = 1 AND b = 'b'");
        check(&[Some(b"1"), Some("ä\t".as_bytes())], "a = 1 AND b = 'ä\\t'");
        check(&[Some(b"-2"), Some(b"")], "a = -2 AND b = ''");
        check(&[Some(b"1")], "a = 1");
        check(&[Some(b"3")], "a = 3");
        check(&[None], "a IS NULL");
        assert!(port.is_alive());
    }
}

#[test]
fn handler_socket_answers_many_at_once() {
    for server in Server::with(Feature::HandlerSocket) {
        let mut sql = server.connect();
        run(&mut sql, "DROP DATABASE IF EXISTS kv_many");
        run(&mut sql, "CREATE DATABASE kv_many");
        run(&mut sql, "USE kv_many");
        run(&mut sql, "CREATE TABLE t (k INT PRIMARY KEY, v LONGTEXT)");
        for number in 0..50 {
            run(
                &mut sql,
                &format!("INSERT INTO t VALUES ({}, REPEAT('{number} ', 20000))", number * 2),
            );
        }
        let mut port = handler_socket(&server, &mut sql);
        let open =
            OpenIndex { database: b"kv_many", table: b"t", index: b"PRIMARY", columns: &[b"v"] };
        let index = port.open_index(&open).unwrap();
        let keys: Vec<String> = (0..100).map(|number| number.to_string()).collect();
        let keys: Vec<[Option<&[u8]>; 1]> = keys.iter().map(|key| [Some(key.as_bytes())]).collect();
        let keys: Vec<&[Option<&[u8]>]> = keys.iter().map(|key| &key[..]).collect();
        port.send_find(index, &keys, 1).unwrap();
        for number in 0..100 {
            let mut values = Vec::new();
            port.read_rows(index, |row| values.push(row[0].as_deref().unwrap().to_vec())).unwrap();
            let expected = format!("{} ", number / 2).repeat(20000).into_bytes();
            assert_eq!(values, if number % 2 == 0 { vec![expected] } else { Vec::new() });
        }
        assert!(port.is_alive());
    }
}

#[test]
fn handler_socket_says_what_is_wrong() {
    for server in Server::with(Feature::HandlerSocket) {
        let mut sql = server.connect();
        let refused = |result: Result<(), Error>, said: &str| match result {
            Err(Error::Refused(it)) => assert_eq!(String::from_utf8_lossy(&it), said),
            other => panic!("{said}: {other:?}"),
        };
        let connect =
            |secret: Option<&[u8]>| HandlerSocket::connect(&server.key_value(), TIMEOUTS, secret);
        refused(connect(Some(b"another")).map(drop), "unauth");
        let open = |table: &'static [u8], index: &'static [u8], column: &'static [u8]| {
            let columns = [column];
            let open = OpenIndex { database: b"mysql", table, index, columns: &columns };
            handler_socket(&server, &mut server.connect()).open_index(&open).map(drop)
        };
        refused(open(b"nothing", b"PRIMARY", b"name"), "open_table");
        refused(open(b"plugin", b"nothing", b"name"), "idxnum");
        refused(open(b"plugin", b"PRIMARY", b"nothing"), "fld");
        let mut without = connect(None).unwrap();
        let columns: [&[u8]; 1] = [b"name"];
        let index = OpenIndex {
            database: b"mysql",
            table: b"plugin",
            index: b"PRIMARY",
            columns: &columns,
        };
        refused(without.open_index(&index).map(drop), "unauth");
        assert!(secret(&mut sql).len() > 10);
    }
}

#[test]
fn a_port_that_says_nothing_is_given_up_in_time() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address =
        Address::Tcp { host: "127.0.0.1".into(), port: listener.local_addr().unwrap().port() };
    let request = Duration::from_millis(200);
    let mut port = Memcached::connect(&address, Timeouts { request, ..TIMEOUTS }).unwrap();
    let begun = Instant::now();
    let error = port.get(key(b"a"), |_, _| ()).unwrap_err();
    assert!(matches!(error, Error::Lost(_)), "{error}");
    assert!(begun.elapsed() >= request / 2 && begun.elapsed() < TIMEOUTS.request / 2);
    assert!(!port.is_ready());
    drop(listener);
    assert!(matches!(Memcached::connect(&address, TIMEOUTS), Err(Error::Lost(_))));
}
