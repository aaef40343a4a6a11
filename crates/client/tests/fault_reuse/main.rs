//! Persistent connections whose network or server fails, on real servers: what the next user notices of it, and what becomes of commands.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

mod cuts;
mod deaths;
mod limits;
mod round_trips;
#[path = "../servers/mod.rs"]
mod servers;

use std::net::ToSocketAddrs;
use std::time::Duration;

use servers::{Feature, Server};
use vaquita_client::{
    Address, Charset, ConnectOptions, Connection, Error, Pool, PoolCheck, PoolLimits, QueryResponse,
};
use vaquita_fake_server::{Address as At, relay::Relay};

const LIMITS: PoolLimits = PoolLimits {
    max_idle: None,
    idle_timeout: None,
    max_lifetime: None,
    check: PoolCheck::Peek,
    awaits_end: false,
};

/// How long a client would wait for what never comes.
const TIMEOUT: Duration = Duration::from_secs(10);
/// How long anything may take that meets a dead connection: nothing waits for a timeout.
const AT_ONCE: Duration = Duration::from_secs(5);

/// The first command of a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Command {
    Select,
    Insert,
    Ping,
    SetCharset,
    Prepare,
}

impl Command {
    const ALL: [Command; 5] =
        [Command::Select, Command::Insert, Command::Ping, Command::SetCharset, Command::Prepare];

    /// Whether it can't write, so that it is repeated on another connection.
    fn is_harmless(self) -> bool {
        matches!(self, Command::Select | Command::Ping)
    }

    /// Gives the command, and reads all of its answer. The INSERT puts `tag` into `table`.
    fn give(self, connection: &mut Connection, table: &str, tag: u64) -> Result<(), Failure> {
        match self {
            Command::Select => {
                query(connection, "SELECT 'a', 1").map_err(Failure::Answer)?;
                let mut stored = connection.store_result().map_err(Failure::Rows)?;
                let row = stored.next_row().expect("one row");
                assert_eq!(row.values().collect::<Vec<_>>(), [Some(&b"a"[..]), Some(b"1")]);
                Ok(())
            }
            Command::Insert => {
                let sql = format!("INSERT INTO {table} (tag) VALUES ({tag})");
                query(connection, &sql).map_err(Failure::Answer)?;
                assert_eq!(connection.session().affected_rows, 1);
                Ok(())
            }
            Command::Ping => connection.ping().map_err(Failure::Answer),
            Command::SetCharset => {
                let charset = Charset::by_name(b"latin1").unwrap();
                connection.set_charset(charset).map_err(Failure::Answer)
            }
            Command::Prepare => {
                let statement = connection.prepare(b"SELECT ?").map_err(Failure::Answer)?;
                assert_eq!(statement.params(), 1);
                Ok(())
            }
        }
    }
}

/// What failed of a command.
#[derive(Debug)]
enum Failure {
    /// The command, or the beginning of its answer.
    Answer(Error),
    /// The rows behind that.
    Rows(Error),
}

impl Failure {
    fn error(&self) -> &Error {
        let (Failure::Answer(error) | Failure::Rows(error)) = self;
        error
    }
}

fn query(connection: &mut Connection, sql: &str) -> Result<QueryResponse, Error> {
    connection.send_query(sql.as_bytes())?;
    connection.read_query_response()
}

/// The servers whose connections are reset: the others have COM_CHANGE_USER, which waits.
fn servers() -> Vec<Server> {
    Server::with(Feature::ResetConnection)
}

/// A relay to a server.
fn relay_to(server: &Address) -> Relay {
    let at = match server {
        Address::Tcp { host, port } => {
            At::Tcp((&**host, *port).to_socket_addrs().unwrap().next().unwrap())
        }
        Address::Unix(path) => At::Unix(path.clone()),
    };
    Relay::to(&at).unwrap()
}

/// The same options, by way of a relay.
fn by_way_of(relay: &Relay, options: &ConnectOptions) -> ConnectOptions {
    let address = match relay.address() {
        At::Tcp(at) => Address::Tcp { host: at.ip().to_string(), port: at.port() },
        At::Unix(path) => Address::Unix(path.clone()),
    };
    ConnectOptions { address, ..options.clone() }
}

/// How the connections of these tests are made: with a value that each session begins with.
fn with_start(options: ConnectOptions) -> ConnectOptions {
    ConnectOptions {
        init_commands: vec![b"SET @begun = 'yes'".to_vec()],
        connect_timeout: Some(TIMEOUT),
        read_timeout: Some(TIMEOUT),
        write_timeout: Some(TIMEOUT),
        is_persistent: true,
        ..options
    }
}

/// A connection of which it is known what a reset leaves: one that was reset once. `None`: it died meanwhile.
fn reset_once(pool: &mut Pool, options: &ConnectOptions) -> Option<Box<Connection>> {
    let mut connection =
        pool.take(options, &LIMITS).or_else(|| Connection::connect(options).ok().map(Box::new))?;
    query(&mut connection, "SET @a = 1").ok()?;
    give(pool, connection);
    pool.take(options, &LIMITS)
}

fn give(pool: &mut Pool, connection: Box<Connection>) {
    let lease = pool.lease();
    pool.give(lease, Some(connection), &LIMITS);
}

/// What a session has that is as it should be.
const FRESH: &str = "SELECT CONCAT(@begun, IFNULL(@a, ', nothing left'))";

fn assert_fresh(connection: &mut Connection) {
    assert_eq!(servers::text(connection, FRESH), "yes, nothing left");
}
