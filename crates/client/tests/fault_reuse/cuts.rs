//! The connection is cut after each byte: of what is sent as it is given back, of the replies to that, of the next user's first command, of
//! its answer.

use std::thread;
use std::time::{Duration, Instant};

use vaquita_client::{ConnectOptions, Connection, Pool, PoolLimits, State};

use crate::servers::{Server, run, text};
use crate::{
    AT_ONCE, Command, Failure, LIMITS, assert_fresh, by_way_of, give, query, relay_to, reset_once,
    servers, with_start,
};
use vaquita_fake_server::relay::{Cut, Direction, Relay};

/// What is cut.
#[derive(Clone, Copy, Debug)]
struct Case {
    command: Command,
    direction: Direction,
    cut: Cut,
    /// Whether the replies to the reset have been read before the command is given.
    is_awaited: bool,
    /// Whether the server is told how long the connection may be idle, and told otherwise before the command.
    is_timed: bool,
}

/// What came of cutting at one byte after the other.
#[derive(Debug, Default)]
struct Outcomes {
    /// Where another connection took the place of the dead one, and nobody noticed.
    unnoticed: usize,
    failed: usize,
}

/// A way to a server, with a relay on it.
struct Bench {
    relay: Relay,
    options: ConnectOptions,
    table: String,
    observer: Connection,
    pool: Pool,
    tag: u64,
}

impl Bench {
    fn cut_at(&mut self, places: impl Iterator<Item = u64>, cases: &[Case]) -> Outcomes {
        let mut outcomes = Outcomes::default();
        for (bytes, case) in places.zip(cases.iter().cycle()) {
            match self.cut_after(bytes, *case) {
                Some(Ok(())) => {
                    // What is cut later has come further; but rows may be lost with what is before them.
                    let has_rows = case.command == Command::Select;
                    assert!(outcomes.failed == 0 || has_rows, "{case:?} after {bytes}");
                    outcomes.unnoticed += 1;
                }
                Some(Err(_)) => outcomes.failed += 1,
                None => break,
            }
        }
        outcomes
    }

    /// Cuts after so many bytes; `None`: there were no more than these.
    fn cut_after(&mut self, bytes: u64, case: Case) -> Option<Result<(), Failure>> {
        let what = format!("{case:?} after {bytes}");
        self.tag += 1;
        let mut connection = reset_once(&mut self.pool, &self.options).expect("nothing is cut");
        run(&mut connection, "SET @a = 1");
        let connections = self.relay.connections();
        self.relay.cut_after(case.direction, bytes, case.cut);
        let begun = Instant::now();
        let idle_timeout = case.is_timed.then_some(Duration::from_secs(3600));
        let lease = self.pool.lease();
        self.pool.give(lease, Some(connection), &PoolLimits { idle_timeout, ..LIMITS });
        let taken = self.pool.take(&self.options, &LIMITS);
        let connect = || Box::new(Connection::connect(&self.options).unwrap());
        let mut connection = taken.unwrap_or_else(connect);
        if case.is_awaited {
            connection.await_owed().expect("nobody has noticed anything");
        }
        let result = case.command.give(&mut connection, &self.table, self.tag);
        assert!(begun.elapsed() < AT_ONCE, "{what}: {:?}", begun.elapsed());
        let has_cut = self.relay.has_cut();
        assert!(self.relay.connections() <= connections + usize::from(has_cut), "{what}");
        let applied = format!("SELECT COUNT(*) FROM {} WHERE tag = {}", self.table, self.tag);
        let applied = text(&mut self.observer, &applied);
        match &result {
            Ok(()) => {
                assert_eq!(applied == "1", case.command == Command::Insert, "{what}");
                assert_eq!(connection.state(), State::Ready, "{what}");
                assert_fresh(&mut connection);
                give(&mut self.pool, connection);
                assert_eq!(self.pool.idle(), 1, "{what}");
            }
            Err(failure) => {
                let error = failure.error();
                assert!(has_cut && matches!(error.code(), 2006 | 2013), "{what}: {error}");
                // What can't write fails nowhere, but rows of which some were read are not fetched again.
                let is_rows = matches!(failure, Failure::Rows(_));
                assert!(!case.command.is_harmless() || is_rows, "{what}: {error}");
                let was_sent = case.direction == Direction::Replies;
                let is_applied = was_sent && case.command == Command::Insert;
                assert_eq!(applied == "1", is_applied, "{what}: {applied}");
                assert_eq!(connection.state(), State::Broken, "{what}");
                assert_eq!(connection.ping().unwrap_err().code(), 2006, "{what}");
                give(&mut self.pool, connection);
                assert_eq!(self.pool.idle(), 0, "{what}");
            }
        }
        has_cut.then_some(result)
    }
}

/// With VAQUITA_FAULTS=all every cut is made with every command, however it is given; else each byte of TCP and unix sockets, and some of the others, with
/// what changes from byte to byte.
fn is_thorough() -> bool {
    std::env::var("VAQUITA_FAULTS").is_ok_and(|it| it == "all")
}

#[test]
fn a_cut_anywhere_loses_no_command_in_silence_and_runs_none_twice() {
    let servers = servers();
    thread::scope(|scope| {
        for server in &servers {
            for (way, options) in server.ways() {
                for direction in [Direction::Requests, Direction::Replies] {
                    let options = options.clone();
                    scope.spawn(move || cut_on(server, way, direction, &options));
                }
            }
        }
    });
}

fn cut_on(server: &Server, way: &str, direction: Direction, options: &ConnectOptions) {
    let relay = relay_to(&options.address);
    let table = format!("fault_cuts_{way}_{direction:?}");
    let mut observer = server.connect();
    run(&mut observer, &format!("DROP TABLE IF EXISTS {table}"));
    let columns = "id INT AUTO_INCREMENT PRIMARY KEY, tag INT, KEY (tag)";
    run(&mut observer, &format!("CREATE TABLE {table} ({columns}) ENGINE=InnoDB"));
    let options = with_start(by_way_of(&relay, options));
    let mut bench = Bench { relay, options, table, observer, pool: Pool::default(), tag: 0 };
    let cuts: &[Cut] = if way == "unix" { &[Cut::Close] } else { &[Cut::Close, Cut::Reset] };
    let step = if is_thorough() || matches!(way, "TCP" | "unix") { 1 } else { 5 };
    let mut told = format!("{} over {way}, {direction:?}:", server.name);
    // How many bytes belong to the reset.
    let mut release = 0;
    let plain = Command::ALL.map(|command| (command, false));
    let timed = if is_thorough() { &Command::ALL[..] } else { &Command::ALL[..2] };
    let timed = timed.iter().map(|command| (*command, true));
    let timed = timed.filter(|_| is_thorough() || way == "unix");
    for (command, is_timed) in plain.into_iter().chain(timed) {
        if is_timed {
            release = 0;
            told += " timed";
        }
        let case = |is_awaited, cut| Case { command, direction, cut, is_awaited, is_timed };
        let cases: Vec<Case> =
            cuts.iter().flat_map(|cut| [false, true].map(|it| case(it, *cut))).collect();
        for cases in cases.chunks(if is_thorough() { 1 } else { cases.len() }) {
            let step = if is_timed && !is_thorough() { 3 } else { step };
            let outcomes = bench.cut_at((release..).step_by(step), cases);
            let Outcomes { unnoticed, failed } = outcomes;
            told += &format!(" {command:?} {unnoticed} unnoticed {failed} failed,");
            assert!(unnoticed > 0, "{cases:?}");
            if command != Command::Select {
                assert_eq!(failed == 0, command.is_harmless(), "{cases:?}");
            }
            if command == Command::Insert && !is_thorough() {
                release = (unnoticed as u64 - 1) * step as u64;
            }
        }
    }
    eprintln!("{told} {} cuts", bench.tag);
    let table = &bench.table;
    run(&mut bench.observer, &format!("DROP TABLE {table}"));
}

/// What a SELECT does that reads from a view is not seen in its words.
#[test]
fn a_view_that_writes_is_not_read_twice() {
    for server in &servers() {
        let mut admin = server.connect();
        for sql in [
            "DROP VIEW IF EXISTS fault_view",
            "DROP FUNCTION IF EXISTS fault_write",
            "DROP TABLE IF EXISTS fault_written",
            "CREATE TABLE fault_written (tag INT) ENGINE=InnoDB",
            "CREATE FUNCTION fault_write() RETURNS INT DETERMINISTIC MODIFIES SQL DATA \
             BEGIN INSERT INTO fault_written VALUES (1); RETURN 1; END",
            "CREATE VIEW fault_view AS SELECT fault_write() AS a",
        ] {
            run(&mut admin, sql);
        }
        for (_, options) in server.ways() {
            let relay = relay_to(&options.address);
            let options = with_start(by_way_of(&relay, &options));
            let mut pool = Pool::default();
            for (sql, is_repeated) in [
                ("SELECT a FROM fault_view", false),
                ("SELECT 1 UNION TABLE fault_view", false),
                ("SELECT tag FROM fault_written WHERE tag = 0", true),
            ] {
                // MariaDB and older MySQL don't know TABLE.
                if query(&mut admin, sql).is_err() {
                    eprintln!("{}: no {sql}", server.name);
                    continue;
                }
                while admin.next_row().unwrap().is_some() {}
                run(&mut admin, "TRUNCATE fault_written");
                let mut connection = reset_once(&mut pool, &options).expect("nothing is cut");
                run(&mut connection, "SET @a = 1");
                give(&mut pool, connection);
                let mut connection = pool.take(&options, &LIMITS).expect("nothing is cut");
                connection.await_owed().unwrap();
                relay.cut_after(Direction::Replies, 5, Cut::Close);
                let result = query(&mut connection, sql);
                assert_eq!(result.is_ok(), is_repeated, "{sql}: {result:?}");
                drop(connection);
                relay.calm();
                let written = text(&mut admin, "SELECT COUNT(*) FROM fault_written");
                assert_eq!(written == "1", !is_repeated, "{sql}: {written}");
            }
        }
    }
}
