//! Ports that give other rows than their server: a copy's, or columns in an order that their tables do not say.

use crate::places::{BY_KEY, Place, User};
use crate::ports::install;
use crate::scripted::Scripted;
use crate::servers::{Feature, run};
use vaquita_kv::{Key, KeyValue, KeyedTable, Settings, Table, close_ports};

fn refused(user: &User, reason: &str) -> u64 {
    user.access.counts().reasons().find(|(it, _)| it.name() == reason).map_or(0, |(_, count)| count)
}

#[test]
fn another_server_s_port_answers_nothing() {
    for place in Place::all() {
        let other = Scripted::new(&[&["staging", "7"]]);
        let settings = Settings { address: other.address.clone(), ..place.settings() };
        let mut user = place.session(settings.clone());
        let mut second = place.session(settings);
        for _ in 0..5 {
            assert_eq!(user.ask(BY_KEY), "eins 1", "{}", place.server.name);
            assert_eq!(user.ask("SELECT n FROM t WHERE k = 'two'"), "2");
            assert_eq!(second.ask("SELECT v FROM t WHERE k = 'two'"), "zwei");
        }
        let statement = user.connection.prepare(b"SELECT v FROM t WHERE k = ?").unwrap();
        for _ in 0..4 {
            assert_eq!(execute(&mut user, &statement), b"eins", "{}", place.server.name);
        }
        assert_eq!((user.answered(), second.answered()), (0, 0));
        assert!(refused(&user, "differs") > 5);
        // Asked for one row, and once more to be sure; both counted.
        let counted = user.access.counts().asked + second.access.counts().asked;
        assert_eq!((other.asked(), counted), (2, 2), "{}", place.server.name);
        // It is looked at again when the server is, and may be the right one then.
        user.access.refresh();
        *other.rows.lock().unwrap() = vec![vec!["eins".into(), "1".into()]];
        assert!((0..4).any(|_| user.goes_by_port()), "{}", place.server.name);
        // Once was enough.
        let asked = other.asked();
        assert!(user.goes_by_port());
        assert_eq!(other.asked(), asked + 2);
    }
}

fn execute(user: &mut User, statement: &vaquita_client::Statement) -> Vec<u8> {
    let stored = user.execute(statement);
    stored.row(0).unwrap().values().next().unwrap().unwrap().to_vec()
}

#[test]
fn prepared_statements_are_compared_too() {
    for place in Place::all() {
        let other = Scripted::new(&[&["staging", "7"]]);
        let settings = Settings { address: other.address.clone(), ..place.settings() };
        let mut user = place.session(settings);
        let statement = user.connection.prepare(b"SELECT v, n FROM t WHERE k = ?").unwrap();
        for _ in 0..5 {
            assert_eq!(execute(&mut user, &statement), b"eins", "{}", place.server.name);
        }
        assert_eq!((user.answered(), other.asked()), (0, 2));
    }
}

#[test]
fn a_row_that_somebody_changes_meanwhile_is_compared_again() {
    for place in Place::all() {
        // As if somebody wrote between two looks.
        let port = Scripted::new(&[&["alt", "1"], &["eins", "1"]]);
        let settings = Settings { address: port.address.clone(), ..place.settings() };
        let mut user = place.session(settings);
        for _ in 0..4 {
            assert_eq!(user.ask(BY_KEY), "eins 1", "{}", place.server.name);
        }
        assert_eq!(refused(&user, "differs"), 1);
        assert!(user.goes_by_port(), "{}", place.server.name);
        // Where what is not committed may be given, a row that differs says nothing.
        let port = Scripted::new(&[&["alt", "1"], &["alt", "1"], &["eins", "1"]]);
        let address = port.address.clone();
        let mut dirty = place.session(Settings { address, allows_dirty: true, ..place.settings() });
        for _ in 0..4 {
            assert_eq!(dirty.ask(BY_KEY), "eins 1", "{}", place.server.name);
        }
        assert!(dirty.goes_by_port(), "{}", place.server.name);
    }
}

#[test]
fn columns_in_another_order_than_the_plugin_was_told_are_not_swapped() {
    for mut place in Place::all().filter(|it| it.server.has(Feature::Memcached)) {
        for statement in [
            "CREATE TABLE u (k INT PRIMARY KEY, a VARCHAR(20) CHARACTER SET utf8mb4 NOT NULL, b VARCHAR(20) CHARACTER SET utf8mb4 NOT NULL, c VARCHAR(20) CHARACTER SET utf8mb4 NOT NULL) ENGINE = InnoDB",
            "INSERT INTO u VALUES (1, '0', '0', 'x'), (2, 'a', 'b', 'x'), (3, '', '', 'x')",
            "INSERT INTO innodb_memcache.containers VALUES ('u', 'kv_access', 'u', 'k', 'a,b,c', '0', '0', '0', 'PRIMARY')",
        ] {
            run(&mut place.sql, statement);
        }
        let mut port = install(&place.server, &mut place.sql);
        // It looks a table up when it is asked for it first.
        assert_eq!(
            port.get(Key::new(b"@@u.1").unwrap(), |_, value| value.to_vec()).unwrap(),
            Some(b"0|0|x".to_vec())
        );
        drop(port);
        run(
            &mut place.sql,
            "UPDATE innodb_memcache.containers SET value_columns = 'b,a,c' WHERE name = 'u'",
        );
        let mut user = place.session(place.settings());
        // Where both are the same, their order does not matter, and is not known.
        for key in [1, 1, 1, 3, 1, 3] {
            let expected = if key == 1 { "0" } else { "" };
            assert_eq!(user.ask(&format!("SELECT a FROM u WHERE k = {key}")), expected);
        }
        assert_eq!(user.answered(), 4, "{:?} on {}", user.access.counts(), place.server.name);
        for _ in 0..3 {
            assert_eq!(user.ask("SELECT a FROM u WHERE k = 2"), "a", "{}", place.server.name);
            assert_eq!(user.ask("SELECT c FROM u WHERE k = 2"), "x");
        }
        assert!(refused(&user, "differs") > 0);
        assert!(user.goes_by_port(), "that is another table");
        close_ports();
        drop(install(&place.server, &mut place.sql));
        user.access.refresh();
        let answered = user.answered();
        for _ in 0..3 {
            assert_eq!(user.ask("SELECT a FROM u WHERE k = 2"), "a", "{}", place.server.name);
        }
        assert_eq!(user.answered(), answered + 2, "{}", place.server.name);
    }
}

#[test]
fn rows_that_are_too_long_are_not_asked_for_each_time() {
    for mut place in Place::all() {
        run(&mut place.sql, "ALTER TABLE t MODIFY v MEDIUMTEXT CHARACTER SET utf8mb4 NOT NULL");
        run(&mut place.sql, "INSERT INTO t VALUES ('long', REPEAT('x', 100000), 7)");
        let long = format!("{} 7", "x".repeat(100_000));
        let mut user = place.session(place.settings());
        assert!(user.goes_by_port());
        let before = user.access.counts().asked;
        for _ in 0..100 {
            let row = user.ask("SELECT v, n FROM t WHERE k = 'long'");
            assert!(row == long, "{} on {}", row.len(), place.server.name);
        }
        let asked = user.access.counts().asked - before;
        assert!(asked < 10, "{asked} on {}", place.server.name);
        // One that is short may follow soon.
        for _ in 0..64 {
            user.ask(BY_KEY);
        }
        assert!(user.goes_by_port(), "{}", place.server.name);
    }
}

#[test]
fn many_rows_are_compared_too() {
    for mut place in Place::all().filter(|it| it.server.has(Feature::Memcached)) {
        for statement in [
            "CREATE TABLE u (k INT PRIMARY KEY, a VARCHAR(20) CHARACTER SET utf8mb4 NOT NULL, b MEDIUMTEXT CHARACTER SET utf8mb4 NOT NULL) ENGINE = InnoDB",
            "INSERT INTO u VALUES (1, '0', '0'), (2, '0', '0'), (3, 'a', 'b'), (4, 'c', 'd'), (5, '', '')",
            "INSERT INTO innodb_memcache.containers VALUES ('u', 'kv_access', 'u', 'k', 'a,b', '0', '0', '0', 'PRIMARY')",
        ] {
            run(&mut place.sql, statement);
        }
        let mut port = install(&place.server, &mut place.sql);
        assert!(port.get(Key::new(b"@@u.1").unwrap(), |_, _| ()).unwrap().is_some());
        drop(port);
        let others = "UPDATE innodb_memcache.containers SET value_columns = 'b,a' WHERE name = 'u'";
        run(&mut place.sql, others);
        let read = Table::read(&mut place.sql, b"kv_access", b"u").unwrap().unwrap();
        let mut table = KeyedTable::new(&read, b"PRIMARY", Some(&[&b"a"[..], b"b"])).unwrap();
        let mut user = place.session(place.settings());
        let mut look = |user: &mut User, least: u64| {
            let keys = [1, 2, 3, 4, 5].map(KeyValue::Integer);
            let before = user.answered();
            for _ in 0..5 {
                let User { connection, access } = user;
                let found = table.get_many_by(connection, Some(access), &keys).unwrap();
                let firsts = (0..5).map(|key| {
                    let value = found.row(key).unwrap().values().next().unwrap().unwrap();
                    String::from_utf8(value.to_vec()).unwrap()
                });
                assert_eq!(firsts.collect::<Vec<_>>(), ["0", "0", "a", "c", ""]);
            }
            let answered = user.answered() - before;
            assert!(answered >= least, "{answered} on {}", place.server.name);
            answered
        };
        // The first two say nothing of the order.
        assert_eq!(look(&mut user, 2), 2);
        assert!(refused(&user, "differs") > 0);
        close_ports();
        drop(install(&place.server, &mut place.sql));
        user.access.refresh();
        look(&mut user, 20);
        // A row that is too long keeps the others from nothing.
        run(&mut place.sql, "UPDATE u SET b = REPEAT('x', 100000) WHERE k = 2");
        look(&mut user, 20);
    }
}
