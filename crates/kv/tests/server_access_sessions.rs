//! Sessions that become others, or begin anew, and ports that keep everybody waiting: what a statement gets is what SQL gives.
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
use std::net::{Shutdown, TcpListener};
use std::thread;
use std::time::{Duration, Instant};

use places::{BY_KEY, Place, User};
use servers::{Feature, run};
use vaquita_client::{Address, Connection, Data, Parameter, Statement};
use vaquita_kv::{Access, Settings};

#[test]
fn what_a_failed_run_was_to_tell_is_not_told_by_another() {
    for place in Place::all() {
        let mut user = place.session(place.settings());
        let numbers = user.connection.prepare(b"SELECT n FROM t WHERE k = ?").unwrap();
        run(&mut user.connection, "SET @a = 1");
        assert!(user.goes_by_port());
        let texts = user.connection.prepare(b"SELECT v FROM t WHERE k = ?").unwrap();
        let key = [Parameter::Text(Data::Bytes(b"one"))];
        let execute = |user: &mut User, statement: &Statement| {
            let stored = user.execute(statement);
            let value = stored.row(0).unwrap().values().next().unwrap().unwrap().to_vec();
            (value, stored.columns()[0].name().to_vec())
        };
        execute(&mut user, &texts);
        // This run is the one whose columns are to be learnt; but it fails.
        assert!(user.access.execute(&mut user.connection, &texts, &key).unwrap().is_none());
        assert_eq!(execute(&mut user, &numbers), (vec![1, 0, 0, 0], b"n".to_vec()));
        for _ in 0..3 {
            assert_eq!(execute(&mut user, &texts), (b"eins".to_vec(), b"v".to_vec()));
        }
        assert!(user.answered() >= 3, "{}", place.server.name);
    }
}

#[test]
fn what_a_session_begins_with_counts() {
    for mut place in Place::all() {
        let connect = |place: &Place, command: &str| {
            let mut options = place.server.options(place.server.tcp());
            options.database = Some("kv_access".into());
            options.init_commands = vec![command.into()];
            let mut connection = Connection::connect(&options).unwrap();
            let access = Access::new(&mut connection, place.settings());
            User { connection, access }
        };
        // So the shape is known.
        connect(&place, "SET NAMES utf8mb4").goes_by_port();
        let mut temporary =
            connect(&place, "CREATE TEMPORARY TABLE t SELECT 'one' AS k, 'temporary' AS v, 5 AS n");
        for _ in 0..5 {
            assert_eq!(temporary.ask(BY_KEY), "temporary 5", "{}", place.server.name);
        }
        drop(temporary);
        let mut named = connect(&place, "SET NAMES utf8mb4");
        assert!(named.goes_by_port(), "{:?} on {}", named.access.counts(), place.server.name);
        // Of the server's own command it is not known whether this user is spared it.
        run(&mut place.sql, "SET GLOBAL init_connect = 'CREATE TEMPORARY TABLE other (a INT)'");
        let mut began = connect(&place, "SET NAMES utf8mb4");
        let goes = began.goes_by_port();
        run(&mut place.sql, "SET GLOBAL init_connect = ''");
        assert!(!goes, "{}", place.server.name);
    }
}

#[test]
fn another_user_s_session_is_watched_too() {
    for mut place in Place::all() {
        if !place.server.has(Feature::SessionTrack) {
            continue;
        }
        place.make_hiding_trigger();
        let mut user = place.session(place.settings());
        assert!(user.goes_by_port());
        let options = user.connection.options().clone();
        user.connection.change_user(&options.user, &options.password, b"kv_access").unwrap();
        assert!(user.goes_by_port());
        user.ask("INSERT INTO u VALUES (1)");
        assert_eq!(user.ask(BY_KEY), "temporary 5", "{}", place.server.name);
    }
}

#[test]
fn a_server_that_waits_for_statements_gets_some() {
    for place in Place::all() {
        let mut user = place.session(place.settings());
        run(&mut user.connection, "SET wait_timeout = 1");
        assert!(user.goes_by_port());
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_millis(2500) {
            assert_eq!(user.ask(BY_KEY), "eins 1", "{}", place.server.name);
            thread::sleep(Duration::from_millis(10));
        }
        assert!(user.answered() > 100);
    }
}

type Command = fn(&mut Connection);

#[test]
fn what_other_commands_leave_is_left() {
    for place in Place::all() {
        let mut user = place.session(place.settings());
        assert!(user.goes_by_port());
        let commands: [(&str, Command); 3] = [
            ("ping", |it| it.ping().unwrap()),
            ("init_db", |it| it.init_db(b"kv_access").unwrap()),
            ("reset_statement", |it| {
                let statement = it.prepare(b"SELECT 1").unwrap();
                it.reset_statement(&statement).unwrap();
            }),
        ];
        for (name, command) in commands {
            assert!(user.goes_by_port());
            command(&mut user.connection);
            assert_eq!(user.ask("SELECT ROW_COUNT()"), "0", "{name} on {}", place.server.name);
        }
        // MySQL 8.0 forgets an error with this, the others keep it.
        let is_kept = !place.server.has(Feature::SessionTrack) || user.connection.is_mariadb();
        assert!(user.goes_by_port());
        assert!(user.access.query(&mut user.connection, b"SELECT none FROM t").is_err());
        user.ask("USE kv_access");
        assert_eq!(user.ask("SELECT @@error_count"), if is_kept { "1" } else { "0" });
        assert_eq!(user.ask("SELECT FOUND_ROWS()"), "1");
        assert!(user.goes_by_port());
        assert!(user.connection.prepare(b"SELECT none FROM t").is_err());
        assert_eq!(user.ask("SELECT ROW_COUNT(), @@error_count"), "-1 1");
        assert!(user.goes_by_port());
        assert!(user.access.query(&mut user.connection, b"SELECT none FROM t").is_err());
        user.connection.set_multi_statements(true).unwrap();
        assert_eq!(user.ask("SELECT @@error_count"), "1");
    }
}

/// A port that says this to each who asks, and then nothing more.
fn port_that_says(said: &'static [u8]) -> Address {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for client in listener.incoming() {
            let mut client = client.unwrap();
            thread::spawn(move || {
                let mut asked = [0; 1000];
                while matches!(client.read(&mut asked), Ok(1..)) {
                    let _ = client.write_all(said);
                }
                let _ = client.shutdown(Shutdown::Both);
            });
        }
    });
    Address::Tcp { host: "127.0.0.1".into(), port }
}

#[test]
fn a_port_that_keeps_others_waiting_is_left_alone() {
    for place in Place::all() {
        for (said, most) in [
            (&b""[..], Duration::from_millis(1200)),
            // Nobody waits for as much as that.
            (b"VALUE @@t.one 0 1000000000\r\n", Duration::from_millis(400)),
        ] {
            let begun = Instant::now();
            let settings = Settings { address: port_that_says(said), ..place.settings() };
            let mut user = place.session(settings);
            for _ in 0..10 {
                assert_eq!(user.ask(BY_KEY), "eins 1", "{}", place.server.name);
            }
            assert_eq!((user.answered(), user.access.counts().errors), (0, 10));
            assert!(begun.elapsed() < most, "{:?} on {}", begun.elapsed(), place.server.name);
        }
    }
}
