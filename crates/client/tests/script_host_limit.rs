//! How many connections a machine may have to one server: which count, from when on and until when.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

mod fake;

use std::path::PathBuf;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Instant;
use std::{env, fs, process};

use vaquita_client::{
    Address, ConnectOptions, Connection, Error, HostLimit, Pool, PoolCheck, PoolLimits, State,
};
use vaquita_fake_server::packets::early_err;
use vaquita_fake_server::{Delivery, Listener, Recording, Script};

/// An address where servers follow each other, and the folder where the connections to it are counted.
struct Servers {
    listener: Arc<Listener>,
    folder: PathBuf,
}

impl Servers {
    fn new(test: &str) -> Servers {
        let folder = env::temp_dir().join(format!("vaquita-{test}-{}", process::id()));
        fs::create_dir(&folder).unwrap();
        Servers { listener: Arc::new(Listener::tcp().unwrap()), folder }
    }

    fn options(&self, most: usize) -> ConnectOptions {
        let vaquita_fake_server::Address::Tcp(address) = self.listener.address() else {
            unreachable!()
        };
        let address = Address::Tcp { host: address.ip().to_string(), port: address.port() };
        let host_limit = Some(HostLimit { most, folder: Some(self.folder.clone()) });
        let read_timeout = Some(fake::PATIENCE);
        let is_persistent = true;
        ConnectOptions { host_limit, read_timeout, is_persistent, ..ConnectOptions::new(address) }
    }

    fn serve(&self, script: Script) -> JoinHandle<Recording> {
        let listener = Arc::clone(&self.listener);
        let limit = Instant::now() + fake::PATIENCE;
        thread::spawn(move || listener.serve(&script, Delivery::WHOLE, limit).unwrap())
    }

    /// Connects to a server that goes on so.
    fn connect(&self, most: usize, script: Script) -> Connection {
        self.serve(script);
        Connection::connect(&self.options(most)).unwrap()
    }

    /// How many connections there are when another one is refused.
    fn count(&self, most: usize) -> usize {
        match Connection::connect(&self.options(most)) {
            Err(Error::TooManyLinks(open)) => open,
            other => panic!("not refused: {other:?}"),
        }
    }
}

impl Drop for Servers {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.folder).unwrap();
    }
}

#[test]
fn a_connection_counts_until_its_socket_is_closed() {
    let servers = Servers::new("until-closed");
    let mut closed = servers.connect(2, Script::logged_in());
    let mut lost = servers.connect(2, Script::queried().close());
    assert_eq!((servers.count(2), servers.count(1), servers.count(0)), (2, 2, 2));
    closed.close();
    let dropped = servers.connect(2, Script::logged_in());
    assert_eq!(servers.count(2), 2);
    lost.send_query(b"SELECT 1").unwrap();
    lost.read_query_response().unwrap_err();
    assert_eq!(lost.state(), State::Broken);
    let kept = servers.connect(2, Script::logged_in());
    drop((dropped, closed, lost));
    let refused =
        servers.serve(Script::new().send(early_err(1040, "Too many connections")).close());
    assert_eq!(Connection::connect(&servers.options(2)).unwrap_err().code(), 1040);
    refused.join().unwrap();
    assert_eq!(servers.count(1), 1);
    drop(kept);
    // Those without a limit neither count nor are refused.
    servers.serve(Script::logged_in());
    let free = Connection::connect(&ConnectOptions { host_limit: None, ..servers.options(0) });
    drop((free.unwrap(), servers.connect(1, Script::logged_in())));
}

#[test]
fn an_idle_connection_counts_and_is_replaced_in_its_place() {
    const LIMITS: PoolLimits = PoolLimits {
        max_idle: None,
        idle_timeout: None,
        max_lifetime: None,
        check: PoolCheck::None,
        awaits_end: false,
    };
    let servers = Servers::new("idle");
    let mut pool = Pool::default();
    let connection = servers.connect(1, Script::logged_in().close());
    let lease = pool.lease();
    pool.give(lease, Some(connection.into()), &LIMITS);
    assert_eq!((servers.count(1), pool.idle()), (1, 1));
    // It needs no other slot, and nobody gets its own meanwhile.
    let mut connection = pool.take(&servers.options(1), &LIMITS).unwrap();
    servers.serve(Script::logged_in().ping());
    connection.ping().unwrap();
    assert_eq!(servers.count(1), 1);
    drop(connection);
    drop(servers.connect(1, Script::logged_in()));
}

#[test]
fn nothing_is_connected_that_can_not_be_counted() {
    let servers = Servers::new("uncounted");
    let error = |folder: &str| {
        let folder = servers.folder.join(folder);
        let host_limit = Some(HostLimit { most: 1, folder: Some(folder) });
        let options = ConnectOptions { host_limit, ..servers.options(1) };
        let error = Connection::connect(&options).unwrap_err();
        assert!(matches!(error, Error::LinksUncounted(_)) && error.code() == 2002, "{error:?}");
        String::from_utf8(error.message().into_owned()).unwrap()
    };
    let folder = servers.folder.display();
    let missing = error("missing");
    let begin = format!("The links to the server can't be counted: {folder}/missing/vaquita-1-");
    assert!(missing.starts_with(&begin), "{missing}");
    assert!(missing.ends_with(": No such file or directory"), "{missing}");
    fs::write(servers.folder.join("file"), "").unwrap();
    assert!(error("file").ends_with(": Not a directory"));
}
