//! Persistent connections against servers that answer the reset wrongly, late or not at all, or that are gone when their next user gives the first
//! command.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

mod fake;

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use fake::PATIENCE;
use vaquita_client::{
    Address, ConnectOptions, Connection, Error, Pool, PoolCheck, PoolLimits, PoolStats,
    QueryResponse, State, StatusFlags,
};
use vaquita_fake_server::packets::{
    AUTOCOMMIT, MORE_RESULTS, OFFERED, column, column_count, early_err, eof, err, greeting,
    local_infile, ok, row,
};
use vaquita_fake_server::{Delivery, FakeServer, Recording, Script};
use vaquita_protocol::{ColumnType, Command};

const LIMITS: PoolLimits = PoolLimits {
    max_idle: None,
    idle_timeout: None,
    max_lifetime: None,
    check: PoolCheck::Peek,
    awaits_end: false,
};
/// Takes a connection without looking at it.
const UNSEEN: PoolLimits = PoolLimits { check: PoolCheck::None, ..LIMITS };

/// How long a test has a client wait in vain.
const SHORT: Duration = Duration::from_millis(200);

/// The packets of a result of one row.
fn result(values: &[&str]) -> Vec<Vec<u8>> {
    let mut packets = vec![Vec::from(column_count(values.len() as u64))];
    packets.extend(values.iter().map(|_| Vec::from(column("a", ColumnType::VAR_STRING))));
    let values: Vec<_> = values.iter().map(|value| Some(value.as_bytes())).collect();
    packets.extend([eof(AUTOCOMMIT), row(&values), eof(AUTOCOMMIT)].map(Vec::from));
    packets
}

/// Answers the question for what a new session is like.
fn tells(script: Script, init_connect: &str) -> Script {
    let collation = "utf8mb4_general_ci";
    let told = [init_connect, "utf8mb4", "utf8mb4", collation, collation, "0"];
    script.expect_query().send_all(result(&told))
}

fn reset(script: Script) -> Script {
    script.expect_command(Command::ResetConnection)
}

fn queried(script: Script) -> Script {
    script.expect_query().send(ok(AUTOCOMMIT))
}

/// A server that was used, and receives the first reset, with what ends a transaction before it.
fn reset_first() -> Script {
    reset(queried(queried(queried(Script::logged_in()))))
}

/// A server that has answered a reset, was used, and receives another reset and what is sent behind it; what follows are its answers.
fn reset_twice() -> Script {
    let first = tells(reset_first().send(ok(AUTOCOMMIT)), "");
    let restored = queried(reset(first).send(ok(AUTOCOMMIT)));
    reset(queried(restored)).expect_query()
}

/// A server that nobody has reset.
fn fresh() -> Script {
    Script::logged_in().expect_query()
}

/// Servers that a client meets one after the other.
struct Servers {
    server: FakeServer,
    options: ConnectOptions,
    pool: Pool,
}

impl Servers {
    fn new(scripts: impl IntoIterator<Item = Script>) -> Servers {
        let server = FakeServer::unix_in_turn(scripts, Delivery::WHOLE).unwrap();
        let options = ConnectOptions { is_persistent: true, ..fake::options(&server) };
        Servers { server, options, pool: Pool::default() }
    }

    fn connect(&self) -> Box<Connection> {
        Box::new(Connection::connect(&self.options).unwrap())
    }

    /// Gives back a connection that was used.
    fn give(&mut self, mut connection: Box<Connection>) {
        assert!(matches!(ask(&mut connection, "DO 1"), Ok(QueryResponse::Ok)));
        let lease = self.pool.lease();
        self.pool.give(lease, Some(connection), &LIMITS);
    }

    /// Goes with the first server as far as [`reset_twice`] does, and takes the connection again, unseen.
    fn take_after_reset(&mut self) -> Box<Connection> {
        self.give(self.connect());
        self.take_again()
    }

    fn take_again(&mut self) -> Box<Connection> {
        let connection = self.pool.take(&self.options, &LIMITS).expect("the first reset works");
        self.give(connection);
        self.pool.take(&self.options, &UNSEEN).expect("nobody has looked")
    }

    /// What each server received behind the log-in.
    fn finish(self) -> Vec<Vec<Vec<u8>>> {
        drop(self.pool);
        let sent = |it: Recording| it.packets.into_iter().skip(1).map(|packet| packet.payload);
        self.server.finish_all().unwrap().into_iter().map(|it| sent(it).collect()).collect()
    }
}

fn ask(connection: &mut Connection, sql: &str) -> Result<QueryResponse, Error> {
    connection.send_query(sql.as_bytes())?;
    connection.read_query_response()
}

/// Asks a query that can't write, for its one value.
fn select(connection: &mut Connection) -> Result<String, Error> {
    ask(connection, "SELECT 1")?;
    let mut stored = connection.store_result()?;
    let value = stored.next_row().unwrap().values().next().flatten().unwrap().to_vec();
    Ok(String::from_utf8(value).unwrap())
}

fn query(sql: &str) -> Vec<u8> {
    [b"\x03", sql.as_bytes()].concat()
}

/// What may be wrong with the replies to a reset and to the one command behind it, of a server that has received that and perhaps more. Where it
/// goes on, the answer to a query follows, as if nothing had happened.
fn wrong_replies(received: &Script) -> Vec<(&'static str, Script)> {
    let script = || received.clone();
    let ok = || ok(AUTOCOMMIT);
    let refused = |code| err(code, b"HY000", "no");
    let fine = || script().send_as(1, ok());
    let goes_on = |script: Script| {
        let mut old = result(&["old"]).into_iter();
        script.send_as(1, old.next().unwrap()).send_all(old)
    };
    vec![
        ("the reset is not known", goes_on(script().send_as(1, refused(1047)).send_as(1, ok()))),
        ("the reset fails", goes_on(script().send_as(1, refused(1105)).send_as(1, ok()))),
        ("what is behind it fails", goes_on(fine().send_as(1, refused(3530)))),
        ("all fails", goes_on(script().send_as(1, refused(1047)).send_as(1, refused(1064)))),
        ("the server says why it goes", script().send_as(1, refused(1053)).close()),
        ("the server says so and is gone", script().send_as(1, refused(1053)).reset()),
        ("a goodbye", script().send_as(0, refused(4031)).close()),
        ("a goodbye behind a reply", fine().send_as(0, refused(4031)).close()),
        ("a goodbye, and it is gone", fine().send_as(0, refused(4031)).reset()),
        ("no reply", script().close()),
        ("no reply, and it is gone", script().reset()),
        ("one reply of two", fine().close()),
        ("half a reply", fine().send_raw([7, 0, 0, 1, 0, 0]).close()),
        ("sequence id 0", goes_on(script().send_as(0, ok()).send_as(1, ok()))),
        ("sequence id 2", goes_on(fine().send_as(2, ok()))),
        ("sequence id 255", goes_on(fine().send_as(255, ok()))),
        ("rows", goes_on(goes_on(fine()))),
        ("a file is asked for", goes_on(fine().send_as(1, local_infile("/etc/passwd")))),
        ("an EOF packet", goes_on(script().send_as(1, [0xFE]).send_as(1, ok()))),
        ("an empty packet", goes_on(fine().send_as(1, []))),
        ("an OK packet cut short", goes_on(fine().send_as(1, ok().cut_in("status_flags")))),
        ("an ERR packet cut short", goes_on(fine().send_as(1, [0xFF, 0xFF]))),
        ("garbage", script().send_raw([0xA5; 64]).close()),
        ("a packet without an end", script().send_raw([0xFE, 0xFF, 0xFF, 1, 0]).close()),
        ("a packet in parts", script().send_raw([0xFF, 0xFF, 0xFF, 1, 0])),
        ("a large packet", goes_on(script().send_as(1, vec![0xFF; 1 << 20]).send_as(1, ok()))),
    ]
}

#[test]
fn what_was_sent_behind_wrong_replies_is_asked_again() {
    // The query comes before the replies: nobody waits for them.
    for (name, script) in wrong_replies(&reset_twice().expect_query()) {
        let mut servers = Servers::new([script, fresh().send_all(result(&["new"]))]);
        let mut connection = servers.take_after_reset();
        let begun = Instant::now();
        let answer = select(&mut connection);
        assert_eq!(answer.unwrap_or_else(|error| panic!("{name}: {error}")), "new", "{name}");
        assert!(begun.elapsed() < PATIENCE / 2, "{name}");
        assert_eq!(connection.state(), State::Ready, "{name}");
        let lease = servers.pool.lease();
        servers.pool.give(lease, Some(connection), &LIMITS);
        assert_eq!(servers.pool.stats().replaced, 1, "{name}");
        assert_eq!(servers.finish()[1], [query("SELECT 1")], "{name}");
    }
}

#[test]
fn what_may_write_is_not_sent_behind_wrong_replies() {
    for (name, script) in wrong_replies(&reset_twice()) {
        let mut servers = Servers::new([script, fresh().send(ok(AUTOCOMMIT))]);
        let mut connection = servers.take_after_reset();
        let begun = Instant::now();
        let answer = ask(&mut connection, "INSERT");
        assert!(matches!(answer, Ok(QueryResponse::Ok)), "{name}: {answer:?}");
        assert!(begun.elapsed() < PATIENCE / 2, "{name}");
        assert_eq!(connection.state(), State::Ready, "{name}");
        drop(connection);
        let sent = servers.finish();
        assert!(!sent[0].contains(&query("INSERT")), "{name}");
        assert_eq!(sent[1], [query("INSERT")], "{name}");
    }
}

#[test]
fn who_looks_at_wrong_replies_gets_no_connection() {
    for (name, script) in wrong_replies(&reset_twice()) {
        let mut servers = Servers::new([script]);
        let mut connection = servers.take_after_reset();
        let begun = Instant::now();
        // Until they have come.
        loop {
            let lease = servers.pool.lease();
            servers.pool.give(lease, Some(connection), &LIMITS);
            match servers.pool.take(&servers.options, &LIMITS) {
                Some(taken) => connection = taken,
                None => break,
            }
            assert!(begun.elapsed() < PATIENCE, "{name}");
        }
        let PoolStats { replaced, misses, .. } = servers.pool.stats();
        assert_eq!((replaced, misses, servers.pool.idle()), (1, 1, 0), "{name}");
        assert_eq!(servers.finish().len(), 1, "{name}");
    }
}

/// Replies that are right, and one too many: nobody can tell whose it is, but nothing is sent on such a connection any more.
#[test]
fn a_reply_too_many_is_the_last() {
    let more = |script: Script| script.send_as(1, ok(MORE_RESULTS)).send_as(1, ok(AUTOCOMMIT));
    for (name, script) in [
        ("the same", reset_twice().send_as(1, ok(AUTOCOMMIT))),
        ("more are promised", reset_twice().send_as(1, ok(MORE_RESULTS))),
    ] {
        let mut servers = Servers::new([more(script), fresh().send(ok(AUTOCOMMIT))]);
        let mut connection = servers.take_after_reset();
        let answer = ask(&mut connection, "INSERT");
        drop(connection);
        let sent = servers.finish();
        assert!(matches!(answer, Ok(QueryResponse::Ok)), "{name}: {answer:?}");
        assert!(!sent[0].contains(&query("INSERT")), "{name}");
    }
}

#[test]
fn a_server_that_never_answers_the_reset_keeps_nobody_waiting_longer_than_connecting_may_take() {
    let check = |what: &str, harmless: bool| {
        let script = if harmless { reset_twice().expect_query() } else { reset_twice() };
        let answer = if harmless { result(&["new"]) } else { vec![ok(AUTOCOMMIT).into()] };
        let mut servers = Servers::new([script, fresh().send_all(answer)]);
        servers.options.connect_timeout = Some(SHORT);
        servers.give(servers.connect());
        let connection = servers.pool.take(&servers.options, &LIMITS).unwrap();
        servers.give(connection);
        let begun = Instant::now();
        let mut connection = servers.pool.take(&servers.options, &LIMITS).expect("nobody waits");
        let sql = if harmless { "SELECT 1" } else { "INSERT" };
        ask(&mut connection, sql).unwrap();
        let waited = begun.elapsed();
        assert!(waited >= SHORT && waited < PATIENCE / 2, "{what}: {waited:?}");
        drop(connection);
        let sent = servers.finish();
        assert_eq!(sent[0].contains(&query(sql)), harmless, "{what}");
        assert_eq!(sent[1], [query(sql)], "{what}");
    };
    check("what can't write", true);
    check("what may write", false);
}

/// A stream whose other side takes so many bytes more, and has closed then; what it has said can still be read.
#[derive(Debug)]
struct Closing {
    stream: UnixStream,
    takes: Arc<AtomicUsize>,
}

impl Read for Closing {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stream.read(buffer)
    }
}

impl Write for Closing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let takes = self.takes.load(Ordering::Relaxed);
        if takes == 0 {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        let written = self.stream.write(&bytes[..bytes.len().min(takes)])?;
        self.takes.store(takes - written, Ordering::Relaxed);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Servers {
    /// Does as [`Servers::take_after_reset`] by way of a [`Closing`].
    fn take_closing(&mut self) -> (Box<Connection>, Arc<AtomicUsize>) {
        let Address::Unix(path) = &self.options.address else { unreachable!() };
        let stream = UnixStream::connect(path).unwrap();
        let takes = Arc::new(AtomicUsize::new(usize::MAX));
        let closing = Closing { stream, takes: Arc::clone(&takes) };
        self.give(Box::new(Connection::over(Box::new(closing), &self.options).unwrap()));
        (self.take_again(), takes)
    }
}

/// The last words of a server that was gone before the query was sent are no answer to it.
#[test]
fn last_words_are_no_answer() {
    for (name, sequence_id, code) in [("a refusal", 1, 1053), ("a goodbye", 0, 4031)] {
        let script = reset_twice().send_as(sequence_id, err(code, b"HY000", "no"));
        let mut servers = Servers::new([script, fresh().send_all(result(&["new"]))]);
        let (mut connection, takes) = servers.take_closing();
        takes.store(0, Ordering::Relaxed);
        let answer = select(&mut connection);
        assert_eq!(answer.unwrap_or_else(|error| panic!("{name}: {error}")), "new", "{name}");
        drop(connection);
        assert_eq!(servers.finish()[1], [query("SELECT 1")], "{name}");
    }
}

#[test]
fn what_may_write_is_not_sent_again_once_a_part_of_it_was_sent() {
    for (sql, bytes, is_repeated) in [
        ("SELECT 1", 0, true),
        ("SELECT 1", 5, true),
        ("INSERT", 0, true),
        ("INSERT", 1, false),
        ("INSERT", 5, false),
    ] {
        let script = reset_twice().send_as(1, ok(AUTOCOMMIT)).send_as(1, ok(AUTOCOMMIT)).close();
        let mut servers = Servers::new([script, fresh().send(ok(AUTOCOMMIT))]);
        let (mut connection, takes) = servers.take_closing();
        takes.store(bytes, Ordering::Relaxed);
        let answer = ask(&mut connection, sql);
        assert_eq!(answer.is_ok(), is_repeated, "{sql} {bytes}: {answer:?}");
        assert_eq!(answer.err().map_or(2006, |error| error.code()), 2006, "{sql} {bytes}");
        drop(connection);
        if !is_repeated {
            servers.connect(); // somebody has to come
        }
        assert_eq!(servers.finish()[1].contains(&query(sql)), is_repeated, "{sql} {bytes}");
    }
}

/// The other connection is one that it would be noticed on, or there is none.
#[test]
fn what_can_not_be_replaced_is_gone() {
    let greets = |field, value: Vec<u8>| {
        let greeting = greeting(OFFERED, "mysql_native_password").with(field, value);
        Script::new().send(greeting).expect_packet()
    };
    let no_backslashes =
        StatusFlags::from_bits(AUTOCOMMIT.bits() | StatusFlags::NO_BACKSLASH_ESCAPES.bits());
    let others = [
        ("it lets nobody in", Script::new().send(early_err(1040, "Too many connections")).close()),
        ("another character set", queried(greets("character_set", vec![8]).send(ok(AUTOCOMMIT)))),
        ("other escapes", queried(Script::greeted().send(ok(no_backslashes)))),
    ];
    for (name, other) in others {
        for sql in ["SELECT 1", "INSERT"] {
            let mut servers = Servers::new([reset_twice().reset(), other.clone()]);
            let mut connection = servers.take_after_reset();
            let error = ask(&mut connection, sql).unwrap_err();
            assert_eq!(error.code(), 2006, "{name}: {error}");
            assert_eq!(connection.state(), State::Broken, "{name}");
            assert_eq!(ask(&mut connection, sql).unwrap_err().code(), 2006, "{name}");
            drop(connection);
            assert!(!servers.finish()[1].contains(&query(sql)), "{name}");
        }
    }
}

#[test]
fn a_file_is_sent_on_the_connection_that_took_the_place_of_another() {
    let load = "LOAD DATA LOCAL INFILE '/a' INTO TABLE t";
    let asks = fresh().send(local_infile("/a")).expect_packet().send(ok(AUTOCOMMIT));
    let mut servers = Servers::new([reset_twice().reset(), asks]);
    let mut connection = servers.take_after_reset();
    connection.allow_local_infile(true);
    let answer = ask(&mut connection, load);
    assert!(matches!(&answer, Ok(QueryResponse::LocalInfile(name)) if name == b"/a"), "{answer:?}");
    connection.send_local_infile(&mut &b""[..]).unwrap();
    drop(connection);
    assert_eq!(servers.finish()[1], [query(load), Vec::new()]);
}

/// A server or a proxy that does not know the reset.
#[test]
fn where_the_reset_is_refused_another_log_in_takes_its_place() {
    let refused = err(1047, b"08S01", "Unknown command");
    let first = reset_first().send(refused);
    // The role, the database, of which MySQL forgets with the role what the user may do there, the time and the last id.
    let restored = |script| queried(queried(script).expect_packet().send(ok(AUTOCOMMIT)));
    let first = restored(tells(first.expect_packet().send(ok(AUTOCOMMIT)), ""));
    // Both are sent at once, and it does not matter what comes of them.
    let second = queried(first).expect_query().expect_query();
    let second = second.send_as(1, ok(AUTOCOMMIT)).send_as(1, err(1064, b"42000", "no"));
    let second = queried(restored(second.expect_packet().send(ok(AUTOCOMMIT))));
    let mut servers = Servers::new([second]);
    servers.options.database = Some(b"home".to_vec());
    servers.give(servers.connect());
    let connection = servers.pool.take(&servers.options, &LIMITS).expect("it logs in again");
    servers.give(connection);
    let mut connection = servers.pool.take(&servers.options, &LIMITS).expect("and again");
    ask(&mut connection, "INSERT").unwrap();
    drop(connection);
    let sent = servers.finish().remove(0);
    let begins = |it: &[u8]| it.get(..9).unwrap_or(it).escape_ascii().to_string();
    let sent: Vec<String> = sent.iter().map(|it| begins(it)).collect();
    let log_in = "\\x11me\\x00\\x14-\\x0e\\xf2\\x88";
    let expected = [
        "\\x03DO 1",
        "\\x03ROLLBACK",
        "\\x03UNLOCK T",
        "\\x1f",
        log_in,
        "\\x03SELECT @",
        "\\x03SET ROLE",
        "\\x02home",
        "\\x03SET time",
        "\\x03DO 1",
        "\\x03ROLLBACK",
        "\\x03UNLOCK T",
        log_in,
        "\\x03SET ROLE",
        "\\x02home",
        "\\x03SET time",
        "\\x03INSERT",
    ];
    assert_eq!(sent, expected);
}

#[test]
fn sessions_of_a_server_with_init_connect_are_not_handed_on() {
    let script = tells(reset_first().send(ok(AUTOCOMMIT)), "SET @a = 1");
    let script = queried(reset(script).send(ok(AUTOCOMMIT)));
    let mut servers = Servers::new([script]);
    servers.give(servers.connect());
    assert!(servers.pool.take(&servers.options, &LIMITS).is_none());
    assert_eq!(servers.pool.idle(), 0);
    let goodbye = &b"\x01"[..];
    assert_eq!(servers.finish()[0][5..], [goodbye]);
}
