//! Ports that fail, and what they are asked.

use std::net::TcpListener;
use std::sync::atomic::Ordering;

use crate::places::{BY_KEY, Place};
use crate::relay::Relay;
use crate::servers::{Feature, run};
use vaquita_client::{Address, Data, Parameter, QueryResponse};
use vaquita_kv::{Settings, close_ports};

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

#[test]
fn no_key_is_more_than_a_key_at_the_port() {
    for mut place in Place::all() {
        let keys = [
            "a\r\nset t.one 0 0 4\r\nevil\r\n",
            "one\n",
            "one two",
            "one\ttwo",
            "\t1\t=",
            "one\0",
            "\u{1}A",
            "@@t.one",
            ">a",
            "<a",
            "@>a",
            "one\r\nflush_all",
            "delete one",
            "\u{7f}",
            "'; DROP TABLE t; --",
            "\\",
            "\u{a0}",
            "\u{2028}",
        ];
        let long = "x".repeat(300);
        run(
            &mut place.sql,
            "ALTER TABLE t MODIFY k VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
        );
        for (number, key) in keys.iter().enumerate() {
            let escaped = place.sql.escape(key.as_bytes());
            let escaped = String::from_utf8(escaped).unwrap();
            run(&mut place.sql, &format!("REPLACE INTO t VALUES ('{escaped}', 'v', {number})"));
        }
        let relay = Relay::to(&place.server.key_value());
        let settings = Settings { address: relay.address.clone(), ..place.settings() };
        let mut user = place.session(settings);
        assert!(user.goes_by_port());
        let statement = user.connection.prepare(b"SELECT v, n FROM t WHERE k = ?").unwrap();
        for (number, key) in keys.into_iter().chain([&*long]).enumerate() {
            let escaped = String::from_utf8(user.connection.escape(key.as_bytes())).unwrap();
            let expected = if key == long { "none".into() } else { format!("v {number}") };
            assert_eq!(
                user.ask(&format!("SELECT v, n FROM t WHERE k = '{escaped}'")),
                expected,
                "{key:?}"
            );
            for _ in 0..3 {
                let parameters = [Parameter::Text(Data::Bytes(key.as_bytes()))];
                let (connection, access) = (&mut user.connection, &mut user.access);
                if access.execute(connection, &statement, &parameters).unwrap().is_none() {
                    connection.send_execute(&statement, &parameters, false).unwrap();
                    let response =
                        connection.read_executed(&statement, &parameters, false).unwrap();
                    let QueryResponse::ResultSet(columns) = response else {
                        panic!("{response:?}")
                    };
                    access.executed(connection, &statement, Some(&columns));
                }
                let stored = connection.store_result().unwrap();
                assert_eq!(stored.rows(), u64::from(key != long), "{key:?}");
            }
        }
        close_ports();
        let asked = relay.requests.lock().unwrap();
        let lines: Vec<&[u8]> =
            asked.split(|byte| *byte == b'\n').filter(|it| !it.is_empty()).collect();
        let finds = lines.iter().filter(|line| match place.server.has(Feature::Memcached) {
            true => {
                let key = line.strip_prefix(b"get @@t.").and_then(|rest| rest.strip_suffix(b"\r"));
                let key = key.unwrap_or_else(|| panic!("{}", line.escape_ascii()));
                assert!(!key.iter().any(|byte| matches!(byte, 0..=b' ' | 0x7F)));
                assert!(!matches!(key, [] | [b'@' | b'<' | b'>', ..]), "{}", line.escape_ascii());
                true
            }
            false => {
                let tokens: Vec<&[u8]> = line.split(|byte| *byte == b'\t').collect();
                let is_find = tokens.get(1) == Some(&&b"="[..]);
                assert!(is_find || matches!(tokens[0], b"P" | b"A"), "{}", line.escape_ascii());
                assert!(!is_find || tokens.len() == 6, "{}", line.escape_ascii());
                is_find
            }
        });
        assert_eq!(finds.count() as u64, user.access.counts().asked, "{}", place.server.name);
    }
}
