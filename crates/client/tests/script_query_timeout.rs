//! Queries that take too long, on scripted servers: who is killed, and who is not.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

mod fake;
mod limited;

use std::collections::VecDeque;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use limited::{Spoken, UUID, answer, identity, tells_identity};
use vaquita_client::{Address, ConnectOptions, Connection, Error, Pipelined, State, Until};
use vaquita_fake_server::packets::{
    AUTOCOMMIT, OFFERED, column, column_count, early_err, eof, err, greeting, ok, row,
};
use vaquita_fake_server::{Delivery, Listener, Recording, Script};
use vaquita_protocol::{Capabilities, ColumnType};

const TIMEOUT: Duration = Duration::from_millis(100);

/// A server that plays one script to each client, in the order in which they come.
struct Servers(Arc<Listener>);

impl Servers {
    fn new() -> Self {
        Servers(Arc::new(Listener::tcp().unwrap()))
    }

    fn options(&self) -> ConnectOptions {
        let vaquita_fake_server::Address::Tcp(address) = self.0.address() else { unreachable!() };
        ConnectOptions {
            user: b"me".to_vec(),
            read_timeout: Some(fake::PATIENCE),
            query_timeout: Some(TIMEOUT),
            ..ConnectOptions::new(Address::Tcp {
                host: address.ip().to_string(),
                port: address.port(),
            })
        }
    }

    fn serve(&self, script: Script) -> JoinHandle<Recording> {
        self.serve_so(script, Delivery::WHOLE)
    }

    fn serve_so(&self, script: Script, delivery: Delivery) -> JoinHandle<Recording> {
        let listener = Arc::clone(&self.0);
        let limit = Instant::now() + fake::PATIENCE;
        thread::spawn(move || listener.serve(&script, delivery, limit).unwrap())
    }
}

fn only_row(script: Script, values: &[Option<&[u8]>]) -> Script {
    script
        .expect_query()
        .send(column_count(values.len() as u64))
        .send_all(values.iter().map(|_| column("a", ColumnType::VAR_STRING)))
        .send(eof(AUTOCOMMIT))
        .send(row(values))
        .send(eof(AUTOCOMMIT))
}

/// Asked who it is, and without a limit of its own; then it receives a query.
fn victim() -> Script {
    only_row(Script::logged_in(), &identity(None, b"7", UUID)).expect_query()
}

/// Asked so many questions, which it refuses all.
fn refusing(code: u16, questions: usize) -> Script {
    (0..questions).fold(Script::logged_in(), |script, _| {
        script.expect_query().send(err(code, b"HY000", "no"))
    })
}

/// Tells who it is, and would kill.
fn killer(identity: &[Option<&[u8]>]) -> Script {
    only_row(Script::logged_in(), identity).expect_query().send(ok(AUTOCOMMIT))
}

fn queries(recording: &Recording) -> Vec<String> {
    let queries = recording.packets.iter().filter(|packet| packet.payload.starts_with(b"\x03"));
    queries.map(|packet| String::from_utf8_lossy(&packet.payload[1..]).into_owned()).collect()
}

/// Runs a query that the victim does not answer; the killer is served meanwhile.
fn run_slow(
    victim: Script,
    killer: Option<Script>,
) -> (Result<(), Error>, Connection, JoinHandle<Recording>, Option<Recording>) {
    let servers = Servers::new();
    let serving = servers.serve(victim);
    let mut connection = Connection::connect(&servers.options()).unwrap();
    let killing = killer.map(|script| servers.serve(script));
    connection.send_query(b"SELECT slow").unwrap();
    let outcome = connection.read_query_response().map(drop);
    let killed = killing.map(|killing| killing.join().unwrap());
    (outcome, connection, serving, killed)
}

/// Whoever is asked for a few words, before there is a connection whose user counts memory, is not heard to the end of a long speech.
#[test]
fn a_server_that_tells_too_much_of_itself_is_malformed() {
    let (long, short) = (vec![b'x'; 1 << 20], vec![b'x'; 1 << 10]);
    for values in [vec![Some(&*long)], vec![Some(&*short); 300]] {
        let servers = Servers::new();
        let serving = servers.serve(only_row(Script::logged_in(), &values));
        let error = Connection::connect(&servers.options()).unwrap_err();
        assert_eq!(error.code(), 2027, "{error:?}");
        serving.join().unwrap();
    }
}

/// Another server answers the second connection: nothing is killed there, and this connection is closed.
#[test]
fn a_strangers_query_is_never_killed() {
    let (outcome, connection, serving, killed) =
        run_slow(victim(), Some(killer(&identity(None, b"7", b"b-uuid"))));
    let error = outcome.unwrap_err();
    assert_eq!(error.code(), 2013, "{error}");
    assert!(error.to_string().contains("another server"), "{error}");
    assert_eq!(connection.state(), State::Broken);
    drop(connection);
    assert!(!queries(&serving.join().unwrap()).iter().any(|sql| sql.contains("KILL")));
    assert_eq!(queries(&killed.unwrap()).len(), 1);
}

/// Another server has taken over address, name and files: its UUID is the same. It started later.
#[test]
fn a_server_that_took_over_kills_nothing() {
    let mut row = identity(None, b"7", UUID);
    row[2] = Some(b"1700000001");
    let (outcome, _, _, killed) = run_slow(victim(), Some(killer(&row)));
    let error = outcome.unwrap_err();
    assert!(error.to_string().contains("another server"), "{error}");
    assert_eq!(queries(&killed.unwrap()).len(), 1);
}

/// The second connection has 5 seconds in all. This one comes to life, but it would take some 8 seconds to tell who answers.
#[test]
fn a_second_connection_that_takes_too_long_kills_nothing() {
    let servers = Servers::new();
    let serving = servers.serve(victim());
    let mut connection = Connection::connect(&servers.options()).unwrap();
    let slow = Delivery::delayed(Duration::from_millis(70));
    let killing = servers.serve_so(killer(&identity(None, b"7", UUID)), slow);
    connection.send_query(b"SELECT slow").unwrap();
    let error = connection.read_query_response().unwrap_err();
    assert_eq!((error.code(), connection.state()), (2013, State::Broken), "{error}");
    let asked = queries(&killing.join().unwrap());
    assert!(!asked.iter().any(|sql| sql.contains("KILL")), "{asked:?}");
    drop(connection);
    serving.join().unwrap();
}

/// A balancer between counts connections itself: which of the server's is ours, on either way, nobody can know.
#[test]
fn an_id_that_is_not_the_greetings_kills_nothing() {
    let another = only_row(Script::logged_in(), &identity(None, b"77", UUID)).expect_query();
    let (outcome, _, _, _) = run_slow(another, None);
    let error = outcome.unwrap_err();
    assert!(error.to_string().contains("does not tell which one it is"), "{error}");
    let killer = killer(&identity(None, b"78", UUID));
    let (outcome, _, _, killed) = run_slow(victim(), Some(killer));
    assert_eq!(outcome.unwrap_err().code(), 2013);
    assert_eq!(queries(&killed.unwrap()).len(), 1);
}

/// A user whose password has expired may do nothing but change it; that takes a connection.
#[test]
fn a_limit_that_is_refused_is_no_reason_not_to_connect() {
    let servers = Servers::new();
    let serving = servers.serve(refusing(1820, 3));
    let connection = Connection::connect(&servers.options()).unwrap();
    assert_eq!(connection.state(), State::Ready);
    drop(connection);
    assert_eq!(queries(&serving.join().unwrap()).len(), 3);
}

/// MariaDB leaves a bit of its greeting unset, whatever its version says.
#[test]
fn mariadb_is_known_by_its_greeting() {
    let servers = Servers::new();
    let offered = OFFERED.without(Capabilities::LONG_PASSWORD);
    let script = Script::new()
        .send(greeting(offered, "mysql_native_password"))
        .expect_packet()
        .send(ok(AUTOCOMMIT))
        .expect_query()
        .send(err(1142, b"42000", "no"));
    let script = only_row(script, &[Some(b"0")]).expect_query().send(ok(AUTOCOMMIT));
    let serving = servers.serve(script);
    drop(Connection::connect(&servers.options()).unwrap());
    let asked = queries(&serving.join().unwrap());
    assert_eq!(asked[2], "SET SESSION max_statement_time = 0.100000");
}

/// The connect timeout holds for all that connecting takes.
#[test]
fn a_server_that_is_silent_after_the_log_in_keeps_nobody_connecting() {
    let sjis = vaquita_protocol::Charset::by_name(b"sjis");
    for (charset, query_timeout) in [(sjis, None), (None, Some(TIMEOUT))] {
        let servers = Servers::new();
        let serving = servers.serve(Script::logged_in().expect_query());
        let connect_timeout = Some(Duration::from_millis(300));
        let options =
            ConnectOptions { charset, query_timeout, connect_timeout, ..servers.options() };
        let begun = Instant::now();
        Connection::connect(&options).unwrap_err();
        assert!(begun.elapsed() < fake::PATIENCE / 2, "{charset:?}: {:?}", begun.elapsed());
        assert_eq!(queries(&serving.join().unwrap()).len(), 1);
    }
}

#[test]
fn a_server_that_does_not_tell_who_it_is_is_asked_to_kill_nothing() {
    let silent = only_row(refusing(1142, 2), &[Some(b"0")])
        .expect_query()
        .send(ok(AUTOCOMMIT))
        .expect_query();
    let (outcome, connection, _, _) = run_slow(silent, None);
    let error = outcome.unwrap_err();
    assert_eq!(error.code(), 2013, "{error}");
    assert_eq!(connection.state(), State::Broken);
}

#[test]
fn a_second_connection_that_is_refused_ends_the_first() {
    let refused = Script::new().send(early_err(1040, "Too many connections")).close();
    let (outcome, connection, _, _) = run_slow(victim(), Some(refused));
    let error = outcome.unwrap_err();
    assert_eq!(error.code(), 2013, "{error}");
    assert!(error.to_string().contains("Too many connections"), "{error}");
    assert_eq!(connection.state(), State::Broken);
}

/// The answer comes while the second connection is being made: it is read, and nothing is killed.
#[test]
fn a_query_that_is_answered_at_the_last_moment_is_not_killed() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    // Says one thing after the other; the client says something in between.
    let speak = |stream: &mut TcpStream, says: &[Option<Vec<u8>>]| {
        for said in says {
            stream.write_all(said.as_ref().unwrap()).unwrap();
            assert!(stream.read(&mut [0; 4096]).unwrap() > 0);
        }
    };
    let greets = || answer(0, &[greeting(OFFERED, "mysql_native_password").into()]);
    let lets_in = || answer(2, &[ok(AUTOCOMMIT).into()]);
    let serving = thread::spawn(move || {
        let (mut victim, _) = listener.accept().unwrap();
        speak(&mut victim, &[greets(), lets_in(), tells_identity()]);
        let (mut killer, _) = listener.accept().unwrap();
        victim.write_all(&answer(1, &[ok(AUTOCOMMIT).into()]).unwrap()).unwrap();
        speak(&mut killer, &[greets(), lets_in()]);
        killer.write_all(&tells_identity().unwrap()).unwrap();
        let mut rest = Vec::new();
        killer.read_to_end(&mut rest).unwrap();
        rest
    });
    let options = ConnectOptions {
        user: b"me".to_vec(),
        read_timeout: Some(fake::PATIENCE),
        query_timeout: Some(TIMEOUT),
        ..ConnectOptions::new(Address::Tcp { host: "127.0.0.1".to_owned(), port })
    };
    let mut connection = Connection::connect(&options).unwrap();
    connection.send_query(b"UPDATE just in time").unwrap();
    connection.read_query_response().unwrap();
    assert_eq!(serving.join().unwrap(), b"\x01\0\0\0\x01", "a goodbye and no kill");
}

/// A connection whose query is over just before the kill reaches it, what the server heard, and where the kill comes to.
fn to_be_killed_too_late(
    version: &str,
    says: impl IntoIterator<Item = Vec<u8>>,
) -> (Connection, Arc<Mutex<Vec<u8>>>, JoinHandle<Recording>) {
    let servers = Servers::new();
    let version = [version.as_bytes(), &[0]].concat();
    let greeting = greeting(OFFERED, "mysql_native_password").with("server version", version);
    let mut all = VecDeque::from([
        answer(0, &[greeting.into()]),
        answer(2, &[ok(AUTOCOMMIT).into()]),
        tells_identity(),
        None,
    ]);
    all.extend([done()].into_iter().chain(says.into_iter().map(|packet| answer(1, &[packet]))));
    let heard = Arc::default();
    let spoken = Spoken { says: all, heard: Arc::clone(&heard) };
    let options =
        ConnectOptions { query_timeout: Some(Duration::from_millis(1)), ..servers.options() };
    let connection = Connection::over(Box::new(spoken), &options).unwrap();
    heard.lock().unwrap().clear();
    (connection, heard, servers.serve(killer(&identity(None, b"7", UUID))))
}

/// A connection whose query was over just before the kill reached it, and what it heard from then on.
fn killed_too_late(
    version: &str,
    says: impl IntoIterator<Item = Vec<u8>>,
) -> (Connection, Arc<Mutex<Vec<u8>>>) {
    let (mut connection, heard, killing) = to_be_killed_too_late(version, says);
    connection.send_query(b"UPDATE just in time").unwrap();
    connection.read_query_response().unwrap();
    assert_eq!(queries(&killing.join().unwrap()).last().unwrap(), "KILL QUERY 7");
    heard.lock().unwrap().clear();
    (connection, heard)
}

fn done() -> Option<Vec<u8>> {
    answer(1, &[ok(AUTOCOMMIT).into()])
}

/// COM_STATISTICS, which leaves ROW_COUNT() and the warnings of that query as they are.
const STATISTICS: &[u8] = b"\x01\0\0\0\x09";

/// Such a query keeps its answer, and the kill hits nothing that comes later.
#[test]
fn a_kill_that_comes_too_late_hits_nothing() {
    let interrupted = || Vec::from(err(1317, b"70100", "no"));
    let done = || Vec::from(ok(AUTOCOMMIT));
    for (version, absorbing, answer) in [
        ("8.0.33", STATISTICS, interrupted()),
        ("8.0.33", STATISTICS, b"Uptime: 1".to_vec()),
        ("26.1.0", STATISTICS, interrupted()),
        ("5.5.5-12.0.2-MariaDB", STATISTICS, interrupted()),
        // Where only a statement would do.
        ("5.6.14", b"\x05\0\0\0\x03DO 0", interrupted()),
        ("5.7.44", b"\x05\0\0\0\x03DO 0", done()),
    ] {
        let (mut connection, heard) = killed_too_late(version, [answer, done(), done()]);
        for sql in [&b"INSERT one"[..], b"INSERT two"] {
            connection.send_query(sql).unwrap();
            connection.read_query_response().unwrap();
        }
        let expected = [absorbing, b"\x0b\0\0\0\x03INSERT one", b"\x0b\0\0\0\x03INSERT two"];
        let heard = heard.lock().unwrap().clone();
        assert_eq!(heard, expected.concat());
    }
}

/// Nor what a pipeline sends behind such a query when that was answered.
#[test]
fn a_late_kill_hits_nothing_of_a_pipeline() {
    let done = || Vec::from(ok(AUTOCOMMIT));
    let (mut connection, heard, killing) =
        to_be_killed_too_late("8.0.33", [b"Uptime: 1".to_vec(), done(), done()]);
    let sql = [&b"UPDATE just in time"[..], b"INSERT one", b"INSERT two"];
    let commands = sql.into_iter().map(Pipelined::Query);
    connection.pipeline(commands, Until::FirstError, |done| assert!(done.is_ok())).unwrap();
    assert_eq!(queries(&killing.join().unwrap()).last().unwrap(), "KILL QUERY 7");
    let first = b"\x14\0\0\0\x03UPDATE just in time";
    let expected = [first, STATISTICS, b"\x0b\0\0\0\x03INSERT one", b"\x0b\0\0\0\x03INSERT two"];
    let heard = heard.lock().unwrap().clone();
    assert_eq!(heard, expected.concat());
}

/// Nor does it if the limit goes in between.
#[test]
fn a_late_kill_is_not_forgotten_with_the_limit() {
    let (mut connection, heard) = killed_too_late("8.0.33", [b"Uptime: 1".to_vec()]);
    connection.set_query_timeout(None).unwrap();
    let heard = heard.lock().unwrap().clone();
    assert_eq!(heard, STATISTICS);
}

/// What the server has of its own, and what it is told: microseconds, milliseconds or nothing.
#[test]
fn a_stricter_limit_of_the_servers_stays() {
    let check = |own: Option<&[u8]>, told: Option<&str>| {
        let servers = Servers::new();
        let script = only_row(Script::logged_in(), &identity(own, b"7", UUID));
        let script = script.expect_query().send(ok(AUTOCOMMIT));
        let serving = servers.serve(script);
        drop(Connection::connect(&servers.options()).unwrap());
        let asked = queries(&serving.join().unwrap());
        assert_eq!(asked.get(1).map(String::as_str), told, "{own:?}");
    };
    let limit = "SET SESSION max_execution_time = 100";
    check(Some(b"0"), Some(limit));
    check(Some(b"5000000"), Some(limit));
    check(Some(b"100000"), None);
    check(Some(b"99000"), None);
    check(None, None);
    check(Some(b"?"), None);
}
