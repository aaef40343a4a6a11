//! What the driver sends by itself is counted by its name, and what could not be sent is not, on real servers.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

mod servers;

use std::thread;
use std::time::Duration;

use servers::{Feature, Server, on_each, rows, run};
use vaquita_client::{
    Address, Connection, Error, Own, Pipelined, Pool, PoolCheck, PoolLimits, Statistics, Until,
};

const QUIT: u8 = 0x01;
const QUERY: u8 = 0x03;
const PREPARE: u8 = 0x16;
const CLOSE: u8 = 0x19;
const RESET: u8 = 0x1F;

/// The names under which something was sent, and how often.
fn own(counted: &Statistics) -> Vec<(&'static str, u64)> {
    let all = Own::ALL.iter().map(|own| (own.name(), counted.own.of(*own)));
    all.filter(|(_, number)| *number > 0).collect()
}

/// Has the server end a connection, and waits until its end has come.
fn kill(server: &Server, connection: &mut Connection) {
    server.connect().process_kill(connection.thread_id().into()).unwrap();
    while connection.is_quiet() {
        thread::yield_now();
    }
}

#[test]
fn a_user_s_commands_have_no_name_and_the_end_of_a_session_has() {
    for server in Server::with(Feature::ResetConnection) {
        let mut connection = Connection::connect(&server.persistent()).unwrap();
        run(&mut connection, "SET @a = 1");
        connection.set_charset(vaquita_client::Charset::by_name(b"latin1").unwrap()).unwrap();
        assert_eq!(own(&connection.counted()), []);

        assert!(connection.release(None));
        let first = [("COM_RESET_CONNECTION", 1), ("ROLLBACK", 1), ("UNLOCK TABLES", 1)];
        assert_eq!(own(&connection.counted()), first);
        connection.resume(PoolCheck::Peek).unwrap();
        rows(&mut connection, "SELECT 1");
        assert!(connection.release(None));
        connection.resume(PoolCheck::Ping).unwrap();
        let counted = connection.counted();
        assert_eq!(counted.own.of(Own::Learn), 1);
        assert_eq!(counted.own.of(Own::Reset), counted.commands(RESET));
        // What was forgotten is asked for behind one, and is there again behind another.
        assert_eq!((counted.commands(RESET), counted.own.of(Own::Check)), (3, 1));
    }
}

#[test]
fn what_idle_connections_cost_is_the_pool_s() {
    for server in Server::all() {
        let mut pool = Pool::default();
        let limits = PoolLimits { max_idle: Some(0), ..PoolLimits::default() };
        let lease = pool.lease();
        let mut connection = Box::new(Connection::connect(&server.persistent()).unwrap());
        run(&mut connection, "SET @a = 1");
        connection.set_counted(Statistics::default());
        pool.give(lease, Some(connection), &limits);
        let spent = pool.take_spent();
        assert_eq!((spent.commands(RESET), spent.commands(QUIT)), (1, 1));
        assert_eq!(spent.own.of(Own::Quit), 1);
        assert!(spent.bytes_sent > 0);
        assert_eq!(pool.take_spent(), Statistics::default());
    }
}

#[test]
fn the_connection_that_stops_a_query_is_counted_with_the_one_whose_query_it_was() {
    // MariaDB stops all queries itself.
    for server in Server::all().iter().filter(|server| !server.is_mariadb()) {
        let mut connection = server.connect();
        connection.set_query_timeout(Some(Duration::from_millis(20))).unwrap();
        connection.set_counted(Statistics::default());
        run(&mut connection, "DO SLEEP(60)");
        let counted = connection.counted();
        assert_eq!((counted.killers, counted.attempts, counted.commands(QUIT)), (1, 1, 1));
        assert_eq!(counted.own.of(Own::KillQuery), 1);
        let asked = counted.own.of(Own::AskLimit);
        assert_eq!(counted.commands(QUERY), 1 + asked + 1);
        rows(&mut connection, "SELECT 1");
        let now = connection.counted();
        assert_eq!(now.own.of(Own::AbsorbKill) + now.own.of(Own::AbsorbOldKill), 1);
        assert_eq!((now.killers, now.own.of(Own::KillQuery)), (1, 1));
    }
}

#[test]
fn statements_that_are_kept_are_counted_apart_from_what_is_sent() {
    for server in Server::with(Feature::SessionTrack) {
        let mut options = server.options(server.unix());
        options.statement_cache = 1;
        let mut connection = Connection::connect(&options).unwrap();
        run(&mut connection, "CREATE TEMPORARY TABLE own_commands (a INT)");
        let mut prepare = |sql: &str| {
            let statement = connection.prepare(sql.as_bytes()).unwrap();
            connection.close_statement(&statement).unwrap();
            connection.ping().unwrap();
            let counted = connection.counted();
            let sent = (counted.commands(PREPARE), counted.commands(CLOSE));
            (sent, counted.statements_lent, counted.statements_kept)
        };
        let (one, other) =
            ("SELECT a FROM own_commands WHERE a = ?", "SELECT a FROM own_commands WHERE a < ?");
        assert_eq!(prepare(one), ((1, 0), 0, 1));
        assert_eq!(prepare(one), ((1, 0), 1, 2));
        // There is room for one only.
        assert_eq!(prepare(other), ((2, 1), 1, 3));
        assert_eq!(own(&connection.counted()), [("COM_STMT_CLOSE", 1)]);
    }
}

#[test]
fn what_a_dead_connection_does_not_take_is_not_counted_and_what_it_takes_is_unanswered() {
    on_each(|server, connection| {
        kill(server, connection);
        let before = connection.counted();
        connection
            .send_query(b"SELECT 1")
            .and_then(|()| connection.read_query_response())
            .unwrap_err();
        let counted = connection.counted();
        let sent = counted.commands(QUERY) - before.commands(QUERY);
        let bytes = counted.bytes_sent - before.bytes_sent;
        // A unix socket says so at once; one of TCP takes what is written first.
        assert_eq!(sent, u64::from(!matches!(connection.address(), Address::Unix(_))));
        assert_eq!(counted.packets_sent - before.packets_sent, sent);
        assert_eq!((counted.unanswered_commands(QUERY), counted.bytes_unanswered), (sent, bytes));
        assert_eq!(bytes > 0, sent == 1);
    });
}

#[test]
fn of_a_pipeline_what_was_not_sent_is_not_counted() {
    for server in Server::all() {
        let mut connection = server.connect();
        kill(&server, &mut connection);
        let before = connection.counted();
        let queries = ["DO 1", "DO 2", "DO 3"].map(|sql| Pipelined::Query(sql.as_bytes()));
        let mut outcomes = Vec::new();
        connection.pipeline(queries, Until::End, |done| outcomes.push(done.unwrap_err())).unwrap();
        assert!(outcomes.iter().all(Error::nothing_sent), "{outcomes:?}");
        let counted = connection.counted();
        assert_eq!((outcomes.len(), counted.commands(QUERY)), (3, before.commands(QUERY)));
        assert_eq!(counted.bytes_sent, before.bytes_sent);
        assert_eq!((counted.packets_sent, counted.bytes_unanswered), (before.packets_sent, 0));
    }
}

#[test]
fn what_takes_the_place_of_a_dead_connection_is_counted_and_so_is_what_is_sent_again() {
    for server in Server::with(Feature::ResetConnection) {
        let mut connection = Connection::connect(&server.persistent()).unwrap();
        assert!(connection.release(None));
        let thread_id = connection.thread_id();
        connection.resume(PoolCheck::Peek).unwrap();
        server.connect().process_kill(thread_id.into()).unwrap();
        while connection.is_quiet() {
            thread::yield_now();
        }
        rows(&mut connection, "SELECT 1");
        let counted = connection.counted();
        assert_eq!((counted.attempts, counted.replacements), (2, 1));
        assert_eq!((counted.commands(QUERY), counted.own.of(Own::Again)), (1, 1));
    }
}
