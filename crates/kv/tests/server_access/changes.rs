//! What keeps statements from the port.

use crate::places::{BY_KEY, Place, TABLE, User};
use crate::servers::{Feature, drop_user, rows, run};
use vaquita_client::{Connection, QueryResponse};
use vaquita_kv::{Access, Settings};

/// How many statements a session has sent.
fn questions(user: &mut User) -> u64 {
    let said = rows(&mut user.connection, "SHOW SESSION STATUS LIKE 'Questions'");
    let count = said[0][1].clone().unwrap();
    String::from_utf8(count).unwrap().parse().unwrap()
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
        place.make_hiding_trigger();
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

#[test]
fn a_change_of_tables_is_known_to_all_when_it_is_done() {
    for mut place in Place::all() {
        // As if this were what the statement did that is under way.
        let own = "CREATE TABLE other AS SELECT SLEEP(0.3) AS a";
        let others = "ALTER TABLE t MODIFY v VARCHAR(300) CHARACTER SET utf8mb4 NOT NULL";
        let length = |user: &mut User| {
            let asked = user.access.query(&mut user.connection, b"SELECT v FROM t WHERE k = 'one'");
            let QueryResponse::ResultSet(columns) = asked.unwrap() else { panic!() };
            user.connection.discard_result().unwrap();
            columns[0].length
        };
        let mut user = place.session(place.settings());
        let mut second = place.session(place.settings());
        assert!(user.goes_by_port() && second.goes_by_port());
        user.connection.send_query(own.as_bytes()).unwrap();
        // Whoever learns now learns what is about to change.
        let answered = second.answered();
        for _ in 0..3 {
            second.ask(BY_KEY);
            assert_eq!(length(&mut second), 800, "{}", place.server.name);
        }
        assert_eq!(second.answered(), answered, "{}", place.server.name);
        run(&mut place.sql, others);
        assert!(matches!(user.connection.read_query_response(), Ok(QueryResponse::Ok)));
        for user in [&mut second, &mut user] {
            for _ in 0..3 {
                assert_eq!(length(user), 1200, "{}", place.server.name);
            }
            assert!(user.goes_by_port(), "{}", place.server.name);
        }
        // One that fails, or of which nobody reads the reply, is done too.
        assert!(user.connection.send_query(own.as_bytes()).is_ok());
        assert!(user.connection.read_query_response().is_err());
        assert!(second.goes_by_port() || second.goes_by_port(), "{}", place.server.name);
        user.connection.send_query(b"DROP TABLE other").unwrap();
        assert!(!second.goes_by_port(), "{}", place.server.name);
        drop(user);
        assert!(second.goes_by_port() || second.goes_by_port(), "{}", place.server.name);
    }
}

#[test]
fn a_user_who_may_not_know_the_port_leaves_it_to_others() {
    for mut place in Place::all().filter(|it| it.server.has(Feature::Memcached)) {
        drop_user(&mut place.sql, "kv_reader", "%");
        for statement in [
            "CREATE USER 'kv_reader'@'%' IDENTIFIED BY 'x'",
            "GRANT SELECT ON kv_access.* TO 'kv_reader'@'%'",
        ] {
            run(&mut place.sql, statement);
        }
        let mut user = place.session(place.settings());
        assert!(user.goes_by_port());
        let options = vaquita_client::ConnectOptions {
            user: "kv_reader".into(),
            password: "x".into(),
            database: Some("kv_access".into()),
            ..user.connection.options().clone()
        };
        let mut connection = Connection::connect(&options).unwrap();
        let access = Access::new(&mut connection, place.settings());
        let mut reader = User { connection, access };
        user.access.refresh();
        for _ in 0..3 {
            assert_eq!(reader.ask(BY_KEY), "eins 1");
        }
        assert_eq!((reader.answered(), reader.access.port_name()), (0, ""));
        assert!(user.goes_by_port() || user.goes_by_port(), "{}", place.server.name);
        assert_eq!(user.access.port_name(), "memcached");
        assert!(!user.access.mapping().is_empty() && reader.access.mapping().is_empty());
        assert_eq!(reader.ask(BY_KEY), "eins 1");
        assert_eq!(reader.answered(), 0, "{}", place.server.name);
        drop(reader);
        run(&mut place.sql, "DROP USER 'kv_reader'@'%'");
    }
}

#[test]
fn what_may_not_be_of_before_is_not_asked_for() {
    for place in Place::all() {
        let settings = Settings { max_stale: std::time::Duration::ZERO, ..place.settings() };
        let mut user = place.session(settings);
        let before = questions(&mut user);
        for _ in 0..10 {
            assert_eq!(user.ask(BY_KEY), "eins 1", "{}", place.server.name);
        }
        let after = questions(&mut user);
        assert_eq!(after - before, 11, "{}", place.server.name);
        assert_eq!(user.access.counts().asked, 0);
    }
}
