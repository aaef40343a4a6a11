//! Persistent connections on real servers: what is handed on is the connection, and nothing that its last user left.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

mod servers;

use servers::{Server, drop_user, rows, run, text};
use std::time::Duration;

use vaquita_client::{Charset, ConnectOptions, Connection, Pool, QueryResponse, State};

/// A new connection, to be given back at once.
fn give_new(pool: &mut Pool, options: &ConnectOptions) -> u32 {
    give(pool, options, Connection::connect(options).expect("the server of the test takes us"))
}

fn give(pool: &mut Pool, options: &ConnectOptions, connection: Connection) -> u32 {
    let id = connection.thread_id();
    let lease = pool.lease(options, false);
    pool.give(lease, Some(connection));
    id
}

/// What a user can leave in a session, and how it shows.
const TRACES: [(&str, &str); 5] = [
    ("SET @a = 1", "SELECT IFNULL(@a, 'none')"),
    ("SET SESSION group_concat_max_len = 77777", "SELECT @@group_concat_max_len"),
    ("SET autocommit = 0", "SELECT @@autocommit"),
    ("USE information_schema", "SELECT DATABASE()"),
    ("SET NAMES latin1", "SELECT CONCAT(@@character_set_client, @@collation_connection)"),
];

#[test]
fn a_connection_comes_back_without_a_trace_of_its_last_user() {
    for server in Server::all() {
        for (way, options) in server.ways() {
            eprintln!("-- {} over {way}", server.name);
            let mut pool = Pool::default();
            let mut connection = Connection::connect(&options).unwrap();
            let before: Vec<_> =
                TRACES.iter().map(|(_, shown)| text(&mut connection, shown)).collect();
            for (sql, _) in TRACES {
                run(&mut connection, sql);
            }
            connection.set_charset(Charset::by_name(b"latin2").unwrap()).unwrap();
            connection.set_multi_statements(true).unwrap();
            connection.set_query_timeout(Some(Duration::from_secs(60))).unwrap();
            for ((sql, shown), before) in TRACES.iter().zip(&before) {
                assert_ne!(text(&mut connection, shown), *before, "{sql}");
            }
            let id = give(&mut pool, &options, connection);
            assert_eq!((pool.leased(), pool.idle()), (0, 1));

            let mut connection = pool.take(&options).unwrap();
            assert_eq!((connection.thread_id(), connection.state()), (id, State::Ready));
            assert_eq!(
                (connection.charset(), connection.query_timeout()),
                (options.charset.unwrap(), None)
            );
            assert_eq!(pool.idle(), 0);
            for ((sql, shown), before) in TRACES.iter().zip(&before) {
                assert_eq!(text(&mut connection, shown), *before, "{sql}");
            }
            connection.send_query(b"SELECT 1; SELECT 2").unwrap();
            assert_eq!(connection.read_query_response().unwrap_err().code(), 1064);
        }
    }
}

#[test]
fn a_transaction_ends_when_its_connection_is_handed_on_or_given_back() {
    for server in Server::all() {
        let options = server.options(server.unix());
        let mut other = server.connect();
        run(&mut other, "SET SESSION innodb_lock_wait_timeout = 1");
        for rolls_back in [false, true] {
            let table = format!("pool_{rolls_back}");
            run(&mut other, &format!("DROP TABLE IF EXISTS {table}"));
            run(&mut other, &format!("CREATE TABLE {table} (id INT) ENGINE=InnoDB"));
            let mut pool = Pool::default();
            let mut connection = Connection::connect(&options).unwrap();
            let lease = pool.lease(&options, rolls_back);
            run(&mut connection, "BEGIN");
            run(&mut connection, &format!("INSERT INTO {table} VALUES (1)"));
            pool.give(lease, Some(connection));
            assert_eq!(pool.idle(), 1);
            if rolls_back {
                // Waits for nobody, or fails.
                run(&mut other, &format!("DELETE FROM {table}"));
            }
            let mut connection = pool.take(&options).unwrap();
            assert_eq!(rows(&mut connection, &format!("SELECT * FROM {table}")).len(), 0);
            run(&mut other, &format!("DROP TABLE {table}"));
        }
    }
}

#[test]
fn only_who_asks_for_the_same_gets_a_connection() {
    for server in Server::all() {
        let options = server.options(server.unix());
        let mut pool = Pool::default();
        let id = give_new(&mut pool, &options);
        let different = [
            ConnectOptions { password: b"wrong".to_vec(), ..options.clone() },
            ConnectOptions { user: b"wrong".to_vec(), ..options.clone() },
            ConnectOptions { database: None, ..options.clone() },
            ConnectOptions { charset: None, ..options.clone() },
            ConnectOptions { init_commands: vec![b"DO 1".to_vec()], ..options.clone() },
            server.options(server.tcp()),
        ];
        for other in &different {
            assert!(pool.take(other).is_none(), "{other:?}");
        }
        assert_eq!(pool.take(&options).unwrap().thread_id(), id);
        assert!(pool.take(&options).is_none());
    }
}

#[test]
fn the_last_one_given_is_the_first_one_taken() {
    for server in Server::all() {
        let options = server.options(server.unix());
        let mut pool = Pool::default();
        let two = [(); 2].map(|()| Connection::connect(&options).unwrap());
        let [first, second] = two.map(|connection| give(&mut pool, &options, connection));
        assert_eq!(pool.idle(), 2);
        assert_eq!(pool.take(&options).unwrap().thread_id(), second);
        assert_eq!(pool.take(&options).unwrap().thread_id(), first);
    }
}

#[test]
fn init_commands_are_run_again() {
    for server in Server::all() {
        let options = ConnectOptions {
            init_commands: vec![b"SET @a = 'init'".to_vec()],
            ..server.options(server.unix())
        };
        let mut pool = Pool::default();
        let id = give_new(&mut pool, &options);
        let mut connection = pool.take(&options).unwrap();
        assert_eq!((connection.thread_id(), &*text(&mut connection, "SELECT @a")), (id, "init"));
    }
}

#[test]
fn a_connection_that_became_another_users_comes_back_as_the_first_ones() {
    for server in Server::all() {
        let options = server.options(server.unix());
        let mut admin = server.connect();
        drop_user(&mut admin, "pooled", "localhost");
        run(&mut admin, "CREATE USER pooled@localhost IDENTIFIED BY 'secret'");
        let mut pool = Pool::default();
        let mut connection = Connection::connect(&options).unwrap();
        connection.change_user(b"pooled", b"secret", b"").unwrap();
        let id = give(&mut pool, &options, connection);
        let as_the_other = ConnectOptions {
            user: b"pooled".to_vec(),
            password: b"secret".to_vec(),
            database: None,
            ..options.clone()
        };
        assert!(pool.take(&as_the_other).is_none());
        let mut connection = pool.take(&options).unwrap();
        assert_eq!(connection.thread_id(), id);
        let user = text(&mut connection, "SELECT CURRENT_USER()");
        assert_eq!(user.split('@').next().unwrap().as_bytes(), options.user);
        assert_eq!(text(&mut connection, "SELECT DATABASE()"), server.database());
        drop_user(&mut admin, "pooled", "localhost");
    }
}

#[test]
fn what_is_not_ready_or_dead_is_not_handed_on() {
    for server in Server::all() {
        let options = server.options(server.unix());
        let mut pool = Pool::default();
        let check = |pool: &mut Pool, connection| {
            give(pool, &options, connection);
            assert_eq!((pool.leased(), pool.idle()), (0, 0));
        };
        let connect = || Connection::connect(&options).unwrap();

        let mut connection = connect();
        connection.send_query(b"SELECT 1 UNION SELECT 2").unwrap();
        check(&mut pool, connection);

        let mut connection = connect();
        connection.send_query(b"SELECT 1 UNION SELECT 2").unwrap();
        assert!(matches!(connection.read_query_response(), Ok(QueryResponse::ResultSet(_))));
        check(&mut pool, connection);

        let mut connection = connect();
        connection.set_multi_statements(true).unwrap();
        connection.send_query(b"SET @a = 1; SET @a = 2").unwrap();
        connection.read_query_response().unwrap();
        assert_eq!(connection.state(), State::NextResultPending);
        check(&mut pool, connection);

        let mut connection = connect();
        connection.close();
        check(&mut pool, connection);

        let lease = pool.lease(&options, false);
        assert_eq!(pool.leased(), 1);
        pool.give(lease, None);
        assert_eq!((pool.leased(), pool.idle()), (0, 0));

        let id = give_new(&mut pool, &options);
        assert_eq!(pool.idle(), 1);
        run(&mut connect(), &format!("KILL {id}"));
        assert!(pool.take(&options).is_none());
        assert_eq!(pool.idle(), 0);
    }
}

#[test]
fn an_idle_connection_is_closed_with_its_pool() {
    for server in Server::all() {
        let options = server.options(server.unix());
        let mut other = server.connect();
        for is_dropped in [false, true] {
            let mut pool = Pool::default();
            let id = give_new(&mut pool, &options);
            let list =
                format!("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID = {id}");
            assert_eq!(text(&mut other, &list), "1");
            if is_dropped {
                drop(pool);
            } else {
                pool.clear();
            }
            while text(&mut other, &list) != "0" {}
        }
    }
}
