//! How often a user of a persistent connection waits for the server: never for the reuse itself, however late the replies to the reset are.

use std::time::{Duration, Instant};

use vaquita_client::{ConnectOptions, Connection, Pool, PoolLimits};

use crate::servers::{Server, run, text};
use crate::{
    Command, LIMITS, assert_fresh, by_way_of, give, query, relay_to, reset_once, servers,
    with_start,
};
use vaquita_fake_server::relay::{Direction, PATIENCE, Pace, Relay};

/// Runs a test on each server in every way to reach it, through a relay.
fn on_each(test: impl Fn(&Server, &str, Way)) {
    for server in servers() {
        for (way, options) in server.ways() {
            let relay = relay_to(&options.address);
            let options = with_start(by_way_of(&relay, &options));
            let mut pool = Pool::default();
            let connection = reset_once(&mut pool, &options).unwrap();
            test(&server, way, Way { relay, options, pool, connection: Some(connection) });
        }
    }
}

/// A connection that was reset once, and where it belongs.
struct Way {
    relay: Relay,
    options: ConnectOptions,
    pool: Pool,
    connection: Option<Box<Connection>>,
}

impl Way {
    fn connection(&mut self) -> &mut Connection {
        self.connection.as_mut().unwrap()
    }

    fn give(&mut self) {
        give(&mut self.pool, self.connection.take().unwrap());
    }

    fn take(&mut self) {
        self.connection = self.pool.take(&self.options, &LIMITS);
        assert!(self.connection.is_some(), "a connection that lives was given up");
    }

    fn bytes(&self) -> [u64; 2] {
        [Direction::Requests, Direction::Replies].map(|it| self.relay.bytes(it))
    }
}

#[test]
fn taking_and_giving_back_alone_sends_nothing() {
    on_each(|server, name, mut way| {
        let name = format!("{} over {name}", server.name);
        way.connection().ping().unwrap();
        let before = way.bytes();
        for _ in 0..100 {
            way.give();
            way.take();
        }
        assert_eq!(way.bytes(), before, "{name}");
        way.connection().ping().unwrap();
        assert_eq!(way.relay.connections(), 1, "{name}");
    });
}

#[test]
fn replies_may_come_at_any_time_and_in_any_pieces() {
    for server in servers() {
        let plain_bytes = owed_bytes(&server.options(server.unix()));
        for (name, options) in server.ways() {
            // In TLS or compressed they may be longer, as MariaDB puts several in one packet or not; zlib makes those of MySQL shorter.
            let least_bytes = plain_bytes.min(owed_bytes(&options));
            let relay = relay_to(&options.address);
            let options = with_start(by_way_of(&relay, &options));
            let mut pool = Pool::default();
            let connection = reset_once(&mut pool, &options).unwrap();
            let id = connection.thread_id();
            let mut way = Way { relay, options, pool, connection: Some(connection) };
            for bytes in 0..=least_bytes {
                for command in [Command::Select, Command::Insert] {
                    let what = format!("{} over {name}: {command:?} at {bytes}", server.name);
                    way.take_with_replies_held_after(bytes);
                    if command == Command::Select {
                        way.connection().send_query(b"SELECT 1").unwrap();
                        assert!(way.relay.is_held(Direction::Replies), "{what}");
                        way.relay.pass(Direction::Replies);
                        way.connection().read_query_response().unwrap();
                        way.connection().discard_result().unwrap();
                    } else {
                        way.relay.pass(Direction::Replies);
                        run(way.connection(), "CREATE TEMPORARY TABLE pieces (tag INT)");
                    }
                    assert_fresh(way.connection());
                    assert_eq!(way.connection().thread_id(), id, "{what}");
                }
            }
        }
    }
}

impl Way {
    /// Gives the used connection back and takes it, while only so many bytes of the replies have come.
    fn take_with_replies_held_after(&mut self, bytes: u64) {
        run(self.connection(), "SET @a = 1");
        let before = self.relay.bytes(Direction::Replies);
        self.relay.hold_after(Direction::Replies, bytes);
        self.give();
        self.relay.until_bytes(Direction::Replies, before + bytes);
        self.take();
    }
}

/// How long the replies to a reset are.
fn owed_bytes(options: &ConnectOptions) -> u64 {
    let relay = relay_to(&options.address);
    let options = with_start(by_way_of(&relay, options));
    let mut pool = Pool::default();
    let mut connection = reset_once(&mut pool, &options).unwrap();
    run(&mut connection, "SET @a = 1");
    let before = relay.bytes(Direction::Replies);
    give(&mut pool, connection);
    pool.take(&options, &LIMITS).unwrap().await_owed().unwrap();
    relay.bytes(Direction::Replies) - before
}

#[test]
fn everything_may_come_byte_by_byte() {
    on_each(|server, name, mut way| {
        way.relay.pace(Direction::Requests, Pace { piece: Some(1), ..Pace::default() });
        way.relay.pace(Direction::Replies, Pace { piece: Some(1), ..Pace::default() });
        let id = way.connection().thread_id();
        for command in Command::ALL {
            run(way.connection(), "SET @a = 1");
            way.give();
            way.take();
            if command == Command::Insert {
                run(way.connection(), "CREATE TEMPORARY TABLE fault_bytes (tag INT)");
            }
            let given = command.give(way.connection(), "fault_bytes", 1);
            given.unwrap_or_else(|it| panic!("{} over {name}: {command:?}: {it:?}", server.name));
            assert_fresh(way.connection());
            assert_eq!(way.connection().thread_id(), id);
        }
    });
}

/// How long bytes are on their way: a round trip.
const ROUND_TRIP: Duration = Duration::from_millis(20);

/// Does something until it has once taken no more than a round trip and a tenth: a busy machine takes its time.
fn assert_one_round_trip(what: &str, mut act: impl FnMut() -> Duration) {
    let begun = Instant::now();
    let mut least = Duration::MAX;
    while least > ROUND_TRIP * 11 / 10 {
        assert!(begun.elapsed() < PATIENCE, "{what}: never less than {least:?}");
        least = least.min(act());
    }
    eprintln!("{what}: {:.2} round trips", least.as_secs_f64() / ROUND_TRIP.as_secs_f64());
}

#[test]
fn reuse_and_a_query_take_one_round_trip() {
    on_each(|server, name, mut way| {
        let name = format!("{} over {name}", server.name);
        way.relay.pace(Direction::Replies, Pace { delay: ROUND_TRIP, ..Pace::default() });
        way.give();
        assert_one_round_trip(&format!("{name}: SELECT behind the reset"), || {
            let begun = Instant::now();
            way.take();
            assert_eq!(text(way.connection(), "SELECT 1"), "1");
            way.give();
            begun.elapsed()
        });
        let timed = PoolLimits { idle_timeout: Some(Duration::from_secs(3600)), ..LIMITS };
        assert_one_round_trip(&format!("{name}: SELECT, where idle sessions end in time"), || {
            way.take();
            run(way.connection(), "SET @a = 1");
            let lease = way.pool.lease();
            way.pool.give(lease, way.connection.take(), &timed);
            let begun = Instant::now();
            way.take();
            assert_eq!(text(way.connection(), "SELECT 1"), "1");
            let time = begun.elapsed();
            way.give();
            time
        });
        assert_one_round_trip(&format!("{name}: a write after the reset"), || {
            way.take();
            way.connection().await_owed().unwrap();
            let begun = Instant::now();
            run(way.connection(), "SET @a = 1");
            way.give();
            begun.elapsed()
        });
        assert_eq!(way.relay.connections(), 1, "{name}");
    });
}

#[test]
fn locks_and_transactions_end_as_a_connection_is_given_back() {
    const TRIES: usize = 10;
    for server in servers() {
        let mut other = server.connect();
        run(&mut other, "DROP TABLE IF EXISTS fault_locks");
        run(&mut other, "CREATE TABLE fault_locks (id INT PRIMARY KEY) ENGINE=InnoDB");
        run(&mut other, "INSERT INTO fault_locks VALUES (1)");
        for (way, options) in server.ways() {
            let options = with_start(options);
            let mut pool = Pool::default();
            let mut times = Vec::new();
            for _ in 0..TRIES {
                let mut connection = reset_once(&mut pool, &options).unwrap();
                run(&mut connection, "BEGIN");
                run(&mut connection, "UPDATE fault_locks SET id = 2");
                assert_eq!(free_row(&mut other), None);
                let begun = Instant::now();
                give(&mut pool, connection);
                let row = loop {
                    assert!(begun.elapsed() < PATIENCE, "the row is locked still");
                    if let Some(row) = free_row(&mut other) {
                        break row;
                    }
                };
                times.push(begun.elapsed());
                assert_eq!(row, "1");
            }
            times.sort_unstable();
            eprintln!("{} over {way}: a row is free after {times:?}", server.name);
            // The longest is what a busy machine makes of it.
            assert!(times[0] < Duration::from_millis(10), "{times:?}");
        }
        run(&mut other, "DROP TABLE fault_locks");
    }
}

/// The one row, if nobody has locked it.
fn free_row(connection: &mut Connection) -> Option<String> {
    let asked = query(connection, "SELECT id FROM fault_locks FOR UPDATE NOWAIT");
    let stored = asked.and_then(|_| connection.store_result());
    match stored {
        Ok(mut stored) => {
            let id = stored.next_row().unwrap().values().next().flatten().unwrap().to_vec();
            Some(String::from_utf8(id).unwrap())
        }
        Err(error) => {
            assert!(matches!(error.code(), 1205 | 3572), "{error}");
            None
        }
    }
}
