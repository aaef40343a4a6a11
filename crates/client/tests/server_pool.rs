//! Persistent connections on real servers: what is handed on is the connection, and nothing that its last user left.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

mod servers;

use servers::{Feature, Server, drop_user, rows, run, text};
use vaquita_client::{
    Capabilities, Charset, ConnectOptions, Connection, Pool, PoolCheck, PoolLimits, QueryResponse,
    State,
};

/// A new connection, to be given back at once.
fn give_new(pool: &mut Pool, options: &ConnectOptions) -> u32 {
    give(pool, servers::connect(options))
}

fn give(pool: &mut Pool, connection: impl Into<Box<Connection>>) -> u32 {
    let connection = connection.into();
    let id = connection.thread_id();
    let lease = pool.lease();
    pool.give(lease, Some(connection), &LIMITS);
    id
}

const LIMITS: PoolLimits = PoolLimits {
    max_idle: None,
    idle_timeout: None,
    max_lifetime: None,
    check: PoolCheck::Peek,
    awaits_end: false,
};

#[test]
fn a_transaction_ends_when_its_connection_is_given_back() {
    for server in Server::all() {
        let options = server.persistent();
        let mut other = server.connect();
        run(&mut other, "SET SESSION innodb_lock_wait_timeout = 1");
        run(&mut other, "DROP TABLE IF EXISTS pool_transaction");
        run(&mut other, "CREATE TABLE pool_transaction (id INT) ENGINE=InnoDB");
        let mut pool = Pool::default();
        let mut connection = servers::connect(&options);
        for _ in 0..2 {
            run(&mut connection, "BEGIN");
            run(&mut connection, "INSERT INTO pool_transaction VALUES (1)");
            give(&mut pool, connection);
            assert_eq!(pool.idle(), 1);
            // Waits a moment for what is on its way, and fails if that were not.
            run(&mut other, "DELETE FROM pool_transaction");
            connection = *pool.take(&options, &LIMITS).unwrap();
            assert_eq!(rows(&mut connection, "SELECT * FROM pool_transaction").len(), 0);
        }
        drop(connection);
        run(&mut other, "DROP TABLE pool_transaction");
    }
}

#[test]
fn who_awaits_the_end_of_a_session_finds_no_lock_of_it_a_moment_later() {
    let limits = PoolLimits { awaits_end: true, ..LIMITS };
    for server in Server::with(Feature::ResetConnection) {
        let mut other = server.connect();
        run(&mut other, "DROP TABLE IF EXISTS pool_awaited");
        run(&mut other, "CREATE TABLE pool_awaited (id INT PRIMARY KEY) ENGINE=InnoDB");
        run(&mut other, "INSERT INTO pool_awaited VALUES (1)");
        let table = format!("{}.pool_awaited", server.database());
        let lock = format!("SELECT id FROM {table} FOR UPDATE NOWAIT");
        // The second one is brought back to no database by another log-in.
        for database in [Some(server.database().as_bytes().to_vec()), None] {
            let options = ConnectOptions { database, ..server.persistent() };
            let mut pool = Pool::default();
            let mut connection = Box::new(servers::connect(&options));
            let id = connection.thread_id();
            for _ in 0..20 {
                run(&mut connection, &format!("USE {}", server.database()));
                run(&mut connection, "BEGIN");
                assert_eq!(text(&mut connection, &lock), "1");
                let lease = pool.lease();
                pool.give(lease, Some(connection), &limits);
                assert_eq!(text(&mut other, &lock), "1");
                connection = pool.take(&options, &limits).unwrap();
            }
            assert_eq!(connection.thread_id(), id);
        }
        run(&mut other, "DROP TABLE pool_awaited");
    }
}

#[test]
fn only_who_asks_for_the_same_gets_a_connection() {
    for server in Server::all() {
        let options = server.persistent();
        let mut pool = Pool::default();
        let id = give_new(&mut pool, &options);
        let different = [
            ConnectOptions { password: b"wrong".into(), ..options.clone() },
            ConnectOptions { user: b"wrong".to_vec(), ..options.clone() },
            ConnectOptions { init_commands: vec![b"DO 1".to_vec()], ..options.clone() },
            ConnectOptions { address: server.tcp(), ..options.clone() },
            ConnectOptions { is_persistent: false, ..options.clone() },
        ];
        for other in &different {
            assert!(pool.take(other, &LIMITS).is_none(), "{other:?}");
        }
        assert_eq!(pool.take(&options, &LIMITS).unwrap().thread_id(), id);
        assert!(pool.take(&options, &LIMITS).is_none());
    }
}

#[test]
fn another_database_and_another_character_set_are_set_on_the_same_connection() {
    for server in Server::all() {
        for (way, options) in server.ways() {
            eprintln!("-- {} over {way}", server.name);
            let options = ConnectOptions { is_persistent: true, ..options };
            let shown = "SELECT CONCAT_WS(' ', DATABASE(), @@character_set_client, \
                 @@character_set_results, @@collation_connection)";
            let latin1 = Charset::by_name(b"latin1");
            let asked = [
                options.clone(),
                ConnectOptions { database: Some(b"mysql".to_vec()), ..options.clone() },
                ConnectOptions { database: None, ..options.clone() },
                ConnectOptions { charset: latin1, ..options.clone() },
                ConnectOptions { charset: None, database: None, ..options.clone() },
                ConnectOptions { charset: latin1, database: None, ..options.clone() },
            ];
            let mut pool = Pool::default();
            let id = give_new(&mut pool, &options);
            for _ in 0..3 {
                for options in &asked {
                    let expected = text(&mut servers::connect(options), shown);
                    let mut connection = pool.take(options, &LIMITS).unwrap();
                    assert_eq!(connection.charset(), servers::connect(options).charset());
                    let database = options.database.as_deref().unwrap_or_default();
                    assert_eq!(connection.session().database, database);
                    assert_eq!(text(&mut connection, shown), expected, "{options:?}");
                    run(&mut connection, "USE information_schema");
                    run(&mut connection, "SET NAMES latin2");
                    assert_eq!(give(&mut pool, connection), id);
                }
            }
            let other = ConnectOptions { database: Some(b"no_such".to_vec()), ..options.clone() };
            assert!(pool.take(&other, &LIMITS).is_none());
        }
    }
}

#[test]
fn an_interactive_session_has_its_own_timeout_again() {
    for server in Server::all() {
        let mut admin = server.connect();
        run(&mut admin, "SET GLOBAL interactive_timeout = 7777");
        let options =
            ConnectOptions { capabilities: Capabilities::INTERACTIVE, ..server.persistent() };
        let mut pool = Pool::default();
        let mut connection = servers::connect(&options);
        for _ in 0..3 {
            assert_eq!(text(&mut connection, "SELECT @@wait_timeout"), "7777");
            give(&mut pool, connection);
            connection = *pool.take(&options, &LIMITS).unwrap();
        }
        run(&mut admin, "SET GLOBAL interactive_timeout = DEFAULT");
    }
}

#[test]
fn the_last_one_given_is_the_first_one_taken() {
    for server in Server::all() {
        let options = server.persistent();
        let mut pool = Pool::default();
        let two = [(); 2].map(|()| servers::connect(&options));
        let [first, second] = two.map(|connection| give(&mut pool, connection));
        assert_eq!(pool.idle(), 2);
        assert_eq!(pool.take(&options, &LIMITS).unwrap().thread_id(), second);
        assert_eq!(pool.take(&options, &LIMITS).unwrap().thread_id(), first);
    }
}

#[test]
fn init_commands_are_run_again() {
    for server in Server::all() {
        let options = ConnectOptions {
            init_commands: vec![b"SET @a = 'init'".to_vec()],
            ..server.persistent()
        };
        let mut pool = Pool::default();
        let id = give_new(&mut pool, &options);
        let mut connection = pool.take(&options, &LIMITS).unwrap();
        assert_eq!((connection.thread_id(), &*text(&mut connection, "SELECT @a")), (id, "init"));
    }
}

#[test]
fn a_session_that_began_with_what_nothing_undoes_is_not_handed_on() {
    for server in Server::all() {
        for (command, idle) in [("SET profiling = 1", 0), ("SET @profiled = 1", 1)] {
            let init_commands = vec![command.as_bytes().to_vec()];
            let options = ConnectOptions { init_commands, ..server.persistent() };
            let mut pool = Pool::default();
            give_new(&mut pool, &options);
            assert_eq!(pool.idle(), idle, "{command} on {}", server.name);
        }
    }
}

#[test]
fn a_connection_that_became_another_users_is_that_users() {
    for server in Server::all() {
        let options = server.persistent();
        let mut admin = server.connect();
        drop_user(&mut admin, "pooled", "localhost");
        run(&mut admin, "CREATE USER pooled@localhost IDENTIFIED BY 'secret'");
        let mut pool = Pool::default();
        let mut connection = servers::connect(&options);
        connection.change_user(b"pooled", b"secret", b"").unwrap();
        let id = give(&mut pool, connection);
        let as_the_other = ConnectOptions {
            user: b"pooled".to_vec(),
            password: b"secret".into(),
            database: None,
            ..options.clone()
        };
        assert!(pool.take(&options, &LIMITS).is_none());
        for _ in 0..3 {
            let mut connection = pool.take(&as_the_other, &LIMITS).unwrap();
            assert_eq!(connection.thread_id(), id);
            assert_eq!(text(&mut connection, "SELECT CURRENT_USER()"), "pooled@localhost");
            assert_eq!(text(&mut connection, "SELECT IFNULL(DATABASE(), 'none')"), "none");
            give(&mut pool, connection);
        }
        drop(pool);

        if server.has(Feature::Roles) {
            shown_role(&server, &mut admin);
        }
        drop_user(&mut admin, "pooled", "localhost");
    }
}

/// Also where that depends on the current database.
#[test]
fn a_user_may_do_the_same_on_a_connection_that_was_used() {
    for server in Server::all() {
        let mut admin = server.connect();
        drop_user(&mut admin, "pooled_there", "localhost");
        run(&mut admin, "CREATE USER pooled_there@localhost IDENTIFIED BY 'secret'");
        run(&mut admin, &format!("GRANT ALL ON {}.* TO pooled_there@localhost", server.database()));
        run(&mut admin, "DROP TABLE IF EXISTS pool_there");
        run(&mut admin, "CREATE TABLE pool_there (id INT) ENGINE=InnoDB");
        let options = ConnectOptions {
            user: b"pooled_there".to_vec(),
            password: b"secret".into(),
            ..server.persistent()
        };
        let mut pool = Pool::default();
        let mut connection = Box::new(servers::connect(&options));
        let id = connection.thread_id();
        for _ in 0..4 {
            run(&mut connection, "INSERT INTO pool_there VALUES (1)");
            give(&mut pool, connection);
            connection = pool.take(&options, &LIMITS).unwrap();
        }
        assert_eq!(connection.thread_id(), id);
        drop(connection);
        run(&mut admin, "DROP TABLE pool_there");
        drop_user(&mut admin, "pooled_there", "localhost");
    }
}

/// A role that a user took before another logged in is not the next one's.
fn shown_role(server: &Server, admin: &mut Connection) {
    run(admin, "DROP ROLE IF EXISTS pooled_role");
    run(admin, "CREATE ROLE pooled_role");
    run(admin, "GRANT pooled_role TO CURRENT_USER()");
    run(admin, "GRANT pooled_role TO pooled@localhost");
    let options = server.persistent();
    let role = "SELECT IFNULL(CURRENT_ROLE(), 'NONE')";
    let as_the_other = ConnectOptions {
        user: b"pooled".to_vec(),
        password: b"secret".into(),
        database: None,
        ..options.clone()
    };
    let mut pool = Pool::default();
    let mut connection = servers::connect(&options);
    run(&mut connection, "SET ROLE pooled_role");
    connection.change_user(b"pooled", b"secret", b"").unwrap();
    let id = give(&mut pool, connection);
    let mut connection = pool.take(&as_the_other, &LIMITS).unwrap();
    assert_eq!(connection.thread_id(), id);
    assert_eq!(text(&mut connection, role), "NONE");
    run(admin, "DROP ROLE pooled_role");
}

#[test]
fn what_is_not_ready_or_dead_is_not_handed_on() {
    for server in Server::all() {
        let options = server.persistent();
        let mut pool = Pool::default();
        let check = |pool: &mut Pool, connection| {
            give(pool, connection);
            assert_eq!((pool.leased(), pool.idle()), (0, 0));
        };
        let connect = || servers::connect(&options);

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

        let lease = pool.lease();
        assert_eq!(pool.leased(), 1);
        pool.give(lease, None, &LIMITS);
        assert_eq!((pool.leased(), pool.idle()), (0, 0));

        let id = give_new(&mut pool, &options);
        assert_eq!(pool.idle(), 1);
        run(&mut connect(), &format!("KILL {id}"));
        assert!(pool.take(&options, &LIMITS).is_none());
        assert_eq!(pool.idle(), 0);
    }
}

#[test]
fn an_idle_connection_is_closed_with_its_pool() {
    for server in Server::all() {
        let options = server.persistent();
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
