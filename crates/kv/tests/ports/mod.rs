//! Connections to the ports of the servers that tests run against.
#![allow(dead_code, reason = "each test program uses a part of it")]

use std::thread;
use std::time::{Duration, Instant};

use crate::servers::{Server, run, text};
use vaquita_client::Connection;
use vaquita_kv::{HandlerSocket, Memcached, Timeouts};

pub(crate) const TIMEOUTS: Timeouts =
    Timeouts { connect: Duration::from_secs(10), request: Duration::from_secs(10) };

/// Has the memcached plugin read anew which tables it answers from, and connects to it.
pub(crate) fn install(server: &Server, sql: &mut Connection) -> Memcached {
    let is_installed =
        "SELECT COUNT(*) FROM information_schema.PLUGINS WHERE PLUGIN_NAME = 'daemon_memcached'";
    if text(sql, is_installed) == "1" {
        run(sql, "UNINSTALL PLUGIN daemon_memcached");
    }
    run(sql, "INSTALL PLUGIN daemon_memcached SONAME 'libmemcached.so'");
    // It listens a little later.
    let until = Instant::now() + TIMEOUTS.connect;
    loop {
        match Memcached::connect(&server.key_value(), TIMEOUTS) {
            Ok(port) => return port,
            Err(error) => assert!(Instant::now() < until, "{error}"),
        }
        thread::sleep(Duration::from_millis(20));
    }
}

/// The secret that HandlerSocket is to be told.
pub(crate) fn secret(sql: &mut Connection) -> String {
    text(sql, "SELECT @@handlersocket_plain_secret")
}

/// Connects to HandlerSocket.
pub(crate) fn handler_socket(server: &Server, sql: &mut Connection) -> HandlerSocket {
    let secret = secret(sql);
    HandlerSocket::connect(&server.key_value(), TIMEOUTS, Some(secret.as_bytes())).unwrap()
}
