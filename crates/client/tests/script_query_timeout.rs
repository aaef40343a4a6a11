//! Queries that take too long, on scripted servers: who is killed, and who is not.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

mod fake;

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use vaquita_client::{Address, ConnectOptions, Connection, Error, State};
use vaquita_fake_server::packets::{
    AUTOCOMMIT, OFFERED, column, column_count, early_err, eof, err, greeting, ok, row,
};
use vaquita_fake_server::{Delivery, Listener, Recording, Script};
use vaquita_protocol::ColumnType;

const TIMEOUT: Duration = Duration::from_millis(100);
const UUID: &[u8] = b"a-uuid";

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
        let listener = Arc::clone(&self.0);
        let limit = Instant::now() + fake::PATIENCE;
        thread::spawn(move || listener.serve(&script, Delivery::WHOLE, limit).unwrap())
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

/// Told of the limit, which it does not know, and asked who it is; then it receives a query.
fn victim() -> Script {
    let unknown = err(1193, b"HY000", "Unknown system variable");
    let told = Script::logged_in().expect_query().send(unknown);
    only_row(told, &[Some(b"77"), Some(b"0"), Some(UUID)]).expect_query()
}

fn killer(uuid: &[u8]) -> Script {
    only_row(Script::logged_in(), &[Some(b"78"), Some(b"0"), Some(uuid)])
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

/// Another server answers the second connection: nothing is killed there, and this connection is closed.
#[test]
fn a_strangers_query_is_never_killed() {
    let (outcome, connection, serving, killed) = run_slow(victim(), Some(killer(b"b-uuid")));
    let error = outcome.unwrap_err();
    assert_eq!(error.code(), 2013, "{error}");
    assert!(error.to_string().contains("another server"), "{error}");
    assert_eq!(connection.state(), State::Broken);
    drop(connection);
    assert!(!queries(&serving.join().unwrap()).iter().any(|sql| sql.contains("KILL")));
    let asked = queries(&killed.unwrap());
    assert_eq!(asked, ["SELECT CONNECTION_ID(), 0, @@server_uuid"]);
}

#[test]
fn a_server_that_does_not_tell_who_it_is_is_asked_to_kill_nothing() {
    let silent = Script::logged_in()
        .expect_query()
        .send(ok(AUTOCOMMIT))
        .expect_query()
        .send(err(1193, b"HY000", "Unknown system variable"))
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

/// A stream that says one thing after the other, `None` being that it says nothing within the time, and keeps what it hears.
#[derive(Debug)]
struct Spoken {
    says: VecDeque<Option<Vec<u8>>>,
    heard: Arc<Mutex<Vec<u8>>>,
}

impl Read for Spoken {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(said) = self.says.pop_front() else { return Ok(0) };
        let said = said.ok_or(io::ErrorKind::TimedOut)?;
        buffer[..said.len()].copy_from_slice(&said);
        Ok(said.len())
    }
}

impl Write for Spoken {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.heard.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The packets of one answer; the first has this sequence id.
fn answer(first: u8, payloads: &[Vec<u8>]) -> Option<Vec<u8>> {
    let packet = |(number, payload): (u8, &Vec<u8>)| {
        let length = u8::try_from(payload.len()).unwrap();
        [&[length, 0, 0, first + number], &payload[..]].concat()
    };
    Some((0..).zip(payloads).flat_map(packet).collect())
}

/// A query that was over just before the kill reached it keeps its answer, and the kill hits nothing that comes later.
#[test]
fn a_kill_that_comes_too_late_hits_nothing() {
    let servers = Servers::new();
    let refused = |code: u16| answer(1, &[err(code, b"70100", "no").into()]);
    let done = || answer(1, &[ok(AUTOCOMMIT).into()]);
    let mut identity: Vec<Vec<u8>> = vec![column_count(3).into()];
    identity.extend((0..3).map(|_| Vec::from(column("a", ColumnType::VAR_STRING))));
    identity.push(eof(AUTOCOMMIT).into());
    identity.push(row(&[Some(b"77"), Some(b"0"), Some(UUID)]).into());
    identity.push(eof(AUTOCOMMIT).into());
    let says = [
        answer(0, &[greeting(OFFERED, "mysql_native_password").into()]),
        answer(2, &[ok(AUTOCOMMIT).into()]),
        refused(1193),
        answer(1, &identity),
        None,
        done(),
        refused(1317),
        done(),
        done(),
    ];
    let heard = Arc::default();
    let spoken = Spoken { says: says.into(), heard: Arc::clone(&heard) };
    let options =
        ConnectOptions { query_timeout: Some(Duration::from_millis(1)), ..servers.options() };
    let mut connection = Connection::over(Box::new(spoken), &options).unwrap();
    let killing = servers.serve(killer(UUID).expect_query().send(ok(AUTOCOMMIT)));
    connection.send_query(b"UPDATE just in time").unwrap();
    connection.read_query_response().unwrap();
    let sent = queries(&killing.join().unwrap());
    assert_eq!(sent.last().unwrap(), "KILL QUERY 77");
    for sql in [&b"INSERT one"[..], b"INSERT two"] {
        connection.send_query(sql).unwrap();
        connection.read_query_response().unwrap();
    }
    let heard = heard.lock().unwrap().clone();
    let count = |sql: &[u8]| heard.windows(sql.len()).filter(|part| *part == sql).count();
    assert_eq!((count(b"DO 0"), count(b"INSERT")), (1, 2));
}
