//! Persistent connections against servers that answer the reset wrongly, late or not at all, or that are gone when their next user gives the first
//! command.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

mod deaths;
#[path = "../fake/mod.rs"]
mod fake;
mod refused;
mod wrong_replies;

use std::time::Duration;

use vaquita_client::{
    ConnectOptions, Connection, Error, Pool, PoolCheck, PoolLimits, QueryResponse,
};
use vaquita_fake_server::packets::{AUTOCOMMIT, column, column_count, eof, ok, row};
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
