//! The settings of a pool, and what it counts.

use std::time::Duration;

use vaquita_client::{Connection, Pool, PoolCheck, PoolLimits, PoolStats};

use crate::servers::{Server, run, text};
use crate::{LIMITS, by_way_of, give, query, relay_to, reset_once, servers, with_start};
use vaquita_fake_server::relay::Direction;

const LONG: Duration = Duration::from_secs(3600);

/// Waits until the server has let go of a session.
fn until_gone(observer: &mut Connection, id: u32) {
    let list = format!("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID = {id}");
    while text(observer, &list) != "0" {}
}

/// A pool with so many connections that were used, and their ids, the oldest first.
fn pool_of(server: &Server, count: usize) -> (Pool, Vec<u32>) {
    let options = server.persistent();
    let connect = |_| Box::new(Connection::connect(&options).unwrap());
    let mut pool = Pool::default();
    let mut ids = Vec::new();
    for mut connection in (0..count).map(connect).collect::<Vec<_>>() {
        run(&mut connection, "SET @a = 1");
        ids.push(connection.thread_id());
        give(&mut pool, connection);
    }
    (pool, ids)
}

#[test]
fn what_is_too_much_too_old_or_idle_for_too_long_is_closed_and_counted() {
    for server in servers() {
        let options = server.persistent();
        let mut observer = server.connect();
        let counted = PoolStats { misses: 1, resets: 3, ..PoolStats::default() };
        let mut check = |limits: PoolLimits, left: usize, expected: PoolStats| {
            let (mut pool, ids) = pool_of(&server, 3);
            // Somebody else asks, so that none is taken.
            let mut other = options.clone();
            other.connect_timeout = Some(LONG);
            assert!(pool.take(&other, &limits).is_none());
            assert_eq!((pool.idle(), pool.stats()), (left, expected), "{limits:?}");
            ids[..3 - left].iter().for_each(|id| until_gone(&mut observer, *id));
            let kept: Vec<_> = std::iter::from_fn(|| pool.take(&options, &limits)).collect();
            let kept: Vec<_> = kept.iter().map(|it| it.thread_id()).rev().collect();
            assert_eq!(kept, ids[3 - left..], "{limits:?}");
            let hits = left as u64;
            assert_eq!(pool.stats(), PoolStats { hits, misses: 2, ..expected }, "{limits:?}");
        };
        check(LIMITS, 3, counted);
        let some = PoolLimits { max_idle: Some(2), ..LIMITS };
        check(some, 2, PoolStats { evicted_for_room: 1, ..counted });
        let none = PoolLimits { max_idle: Some(0), ..LIMITS };
        check(none, 0, PoolStats { evicted_for_room: 3, ..counted });
        let idle = |time| PoolLimits { idle_timeout: Some(time), ..LIMITS };
        check(idle(LONG), 3, counted);
        check(idle(Duration::ZERO), 0, PoolStats { evicted_as_idle: 3, ..counted });
        let old = |time| PoolLimits { max_lifetime: Some(time), ..LIMITS };
        check(old(LONG), 3, counted);
        check(old(Duration::ZERO), 0, PoolStats { evicted_as_old: 3, ..counted });
    }
}

#[test]
fn a_limit_holds_when_a_connection_is_given_back() {
    for server in servers() {
        for (limits, evicted) in [
            (PoolLimits { max_idle: Some(1), ..LIMITS }, [1, 0, 0]),
            (PoolLimits { idle_timeout: Some(Duration::ZERO), ..LIMITS }, [0, 2, 0]),
            (PoolLimits { max_lifetime: Some(Duration::ZERO), ..LIMITS }, [0, 0, 2]),
        ] {
            let (mut pool, _) = pool_of(&server, 1);
            let lease = pool.lease();
            let connection = Connection::connect(&server.persistent()).unwrap();
            pool.give(lease, Some(Box::new(connection)), &limits);
            let stats = pool.stats();
            let counted = [stats.evicted_for_room, stats.evicted_as_idle, stats.evicted_as_old];
            assert_eq!(counted, evicted, "{limits:?}");
            assert_eq!(pool.idle() as u64, 2 - evicted.iter().sum::<u64>(), "{limits:?}");
        }
    }
}

#[test]
fn a_living_connection_passes_every_check_and_only_a_ping_asks_the_server() {
    for server in servers() {
        for (way, options) in server.ways() {
            let relay = relay_to(&options.address);
            let options = with_start(by_way_of(&relay, &options));
            let mut pool = Pool::default();
            let mut connection = reset_once(&mut pool, &options).unwrap();
            let id = connection.thread_id();
            for check in [PoolCheck::None, PoolCheck::Peek, PoolCheck::Ping] {
                let what = format!("{} over {way}: {check:?}", server.name);
                query(&mut connection, "SET @a = 1").unwrap();
                give(&mut pool, connection);
                connection = pool.take(&options, &LIMITS).unwrap();
                connection.await_owed().unwrap();
                give(&mut pool, connection);
                let before = relay.bytes(Direction::Requests);
                connection = pool.take(&options, &PoolLimits { check, ..LIMITS }).unwrap();
                assert_eq!(connection.session().affected_rows, 0, "{what}");
                run(&mut connection, "DO 1");
                let first = relay.bytes(Direction::Requests) - before;
                run(&mut connection, "DO 1");
                let second = relay.bytes(Direction::Requests) - before - first;
                assert_eq!(first > second, check == PoolCheck::Ping, "{what}: {first}, {second}");
                assert_eq!(connection.thread_id(), id, "{what}");
            }
            assert_eq!(pool.stats().replaced, 0);
        }
    }
}

#[test]
fn one_that_is_dead_when_it_is_given_back_is_not_kept() {
    for server in servers() {
        let relay = relay_to(&server.unix());
        let options = with_start(by_way_of(&relay, &server.options(server.unix())));
        let mut pool = Pool::default();
        let mut connection = reset_once(&mut pool, &options).unwrap();
        run(&mut connection, "SET @a = 1");
        let before = pool.stats();
        run(&mut server.connect(), &format!("KILL {}", connection.thread_id()));
        relay.until_ended(1);
        give(&mut pool, connection);
        assert!(pool.take(&options, &LIMITS).is_none());
        let expected = PoolStats { misses: before.misses + 1, ..before };
        assert_eq!(pool.stats(), expected, "{}", server.name);
    }
}
