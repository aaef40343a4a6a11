//! The fake server of a test: how it is started, and how a client gets there.
#![allow(dead_code, reason = "each test program uses a part of it")]

use std::sync::Arc;
use std::time::Duration;

use vaquita_client::{Address, CompressionAlgorithm, ConnectOptions, Connection, Error};
use vaquita_fake_server::named::{Deed, Expected, Outcome, Stage};
use vaquita_fake_server::{Compression, Delivery, FakeServer, NamedScript, Script};

/// How long a client waits for what never comes.
pub(crate) const TIME_LIMIT: Duration = Duration::from_secs(1);
/// How long a client would wait for what comes at once; a test that takes as long has failed.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);
/// The password of the tests' user.
pub(crate) const PASSWORD: &[u8] = b"correct horse battery staple";

/// How the client gets to the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Over {
    Tcp,
    Unix,
}

/// How the client reads rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    OneByOne,
    Stored,
    Discarded,
}

/// Starts a server for one client.
pub(crate) fn serve(script: &Arc<Script>, over: Over, delivery: Delivery) -> FakeServer {
    let script = Arc::clone(script);
    match over {
        Over::Tcp => FakeServer::tcp(script, delivery).unwrap(),
        Over::Unix => FakeServer::unix(script, delivery).unwrap(),
    }
}

/// What the client connects with.
pub(crate) fn options(server: &FakeServer) -> ConnectOptions {
    let address = match server.address() {
        vaquita_fake_server::Address::Tcp(address) => {
            Address::Tcp { host: address.ip().to_string(), port: address.port() }
        }
        vaquita_fake_server::Address::Unix(path) => Address::Unix(path.clone()),
    };
    ConnectOptions {
        user: b"me".to_vec(),
        password: PASSWORD.into(),
        connect_timeout: Some(PATIENCE),
        read_timeout: Some(PATIENCE),
        write_timeout: Some(PATIENCE),
        ..ConnectOptions::new(address)
    }
}

/// The same, but in a hurry where the script has the server be silent.
pub(crate) fn options_for(named: &NamedScript, server: &FakeServer) -> ConnectOptions {
    let mut options = options(server);
    match named.expected {
        Expected::Fails(Stage::Connect, Outcome::TimedOut) => {
            options.connect_timeout = Some(TIME_LIMIT);
        }
        Expected::Fails(_, Outcome::TimedOut) => options.read_timeout = Some(TIME_LIMIT),
        _ => {}
    }
    options
}

/// What a client asks for where the server compresses so.
pub(crate) fn algorithm(compression: Option<Compression>) -> Option<CompressionAlgorithm> {
    compression.map(|compression| match compression {
        Compression::Stored(_) | Compression::Zlib => CompressionAlgorithm::Zlib,
        Compression::Zstd => CompressionAlgorithm::Zstd,
    })
}

/// The scripts that a query should fail with.
pub(crate) fn hostile() -> impl Iterator<Item = (&'static NamedScript, Stage, Outcome)> {
    vaquita_fake_server::named::all().filter_map(|named| match named.expected {
        Expected::Fine => None,
        Expected::Fails(..) if named.deed != Deed::Query => None,
        Expected::Fails(stage, outcome) => Some((named, stage, outcome)),
    })
}

/// Asks a query and reads its first result; where it failed, and why.
pub(crate) fn query(connection: &mut Connection, reading: Reading) -> Result<(), (Stage, Error)> {
    connection.send_query(b"SELECT 1").map_err(|error| (Stage::Response, error))?;
    connection.read_query_response().map_err(|error| (Stage::Response, error))?;
    match reading {
        Reading::Stored => connection.store_result().map(drop),
        Reading::Discarded => connection.discard_result(),
        Reading::OneByOne => loop {
            match connection.next_row() {
                Ok(Some(_)) => {}
                Ok(None) => break Ok(()),
                Err(error) => break Err(error),
            }
        },
    }
    .map_err(|error| (Stage::Rows, error))
}
