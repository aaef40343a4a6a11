//! What is left of a password in our memory when its connection is gone: nothing.
//!
//! `make test` also runs it on a server that greets with sha256_password.
//!
//! One test, which is the whole program: it looks at all of the process's memory, so it never has a password in it as it is, only backwards.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

mod servers;

use std::fs::{self, File};
use std::os::unix::fs::FileExt;

use servers::{Feature, Server, run};
use vaquita_client::{ConnectOptions, Connection, Password, TlsOptions, Verify};

/// Each account's password ends so, read backwards; servers make it of this, and so do we, each time anew.
const BACKWARDS: &str = "drowssap_sih_si_siht~";
/// How much is looked at at once.
const CHUNK_BYTES: usize = 1 << 20;

/// A password for this account, in one copy.
fn password(user: &str) -> Password {
    let mut bytes = Vec::with_capacity(BACKWARDS.len() + 2 * user.len());
    // What is freed is written over at its beginning, by whoever has the list of what is free.
    bytes.extend_from_slice(user.as_bytes());
    bytes.extend_from_slice(user.as_bytes());
    bytes.extend(BACKWARDS.bytes().rev());
    bytes.into()
}

/// Where the password's words stand in what this process can write to.
fn found() -> Vec<String> {
    let memory = File::open("/proc/self/mem").unwrap();
    let maps = fs::read_to_string("/proc/self/maps").unwrap();
    let last = BACKWARDS.as_bytes()[BACKWARDS.len() - 1];
    let mut chunk = vec![0; CHUNK_BYTES];
    let own = chunk.as_ptr() as usize;
    let mut found = Vec::new();
    for line in maps.lines().filter(|line| line.contains(" rw")) {
        let (range, rest) = line.split_once(' ').unwrap();
        let (from, to) = range.split_once('-').unwrap();
        let address = |text| usize::from_str_radix(text, 16).unwrap();
        let (mut at, end) = (address(from), address(to));
        while at < end {
            let length = memory.read_at(&mut chunk[..CHUNK_BYTES.min(end - at)], at as u64);
            let Ok(length @ 1..) = length else { break };
            for (offset, _) in chunk[..length].iter().enumerate().filter(|(_, byte)| **byte == last)
            {
                let place = at + offset;
                let is_own = (own..own + CHUNK_BYTES).contains(&place);
                let here = chunk[offset..length].iter().take(BACKWARDS.len());
                if !is_own && here.eq(BACKWARDS.as_bytes().iter().rev()) {
                    found.push(format!("{place:x} in {rest}"));
                }
            }
            // What lies across the border is seen the next time.
            at += if length < CHUNK_BYTES { length } else { length - BACKWARDS.len() };
        }
    }
    found
}

/// Has a server close a connection, which is going to find out as it writes: what it says first is that a statement is not needed any more.
fn kill(admin: &mut Connection, victim: &mut Connection) {
    let statement = victim.prepare(b"DO ?").unwrap();
    victim.close_statement_later(&statement);
    let id = victim.thread_id();
    run(admin, &format!("KILL {id}"));
    let count = format!("SELECT COUNT(*) FROM information_schema.processlist WHERE id = {id}");
    while servers::text(admin, &count) != "0" {}
}

/// The plugins of a server by which a password is answered for, each with the way to make an account with a password.
fn plugins(server: &Server) -> Vec<(&'static str, &'static str)> {
    let mut plugins = Vec::new();
    if server.name.starts_with("mariadb") {
        plugins.push(("mysql_native_password", "USING PASSWORD"));
        plugins.push(("ed25519", "USING PASSWORD"));
    } else {
        if server.has(Feature::NativePassword) && server.has(Feature::CachingSha2Password) {
            plugins.push(("mysql_native_password", "BY"));
        }
        if server.has(Feature::CachingSha2Password) {
            plugins.push(("caching_sha2_password", "BY"));
            plugins.push(("sha256_password", "BY"));
        }
    }
    plugins
}

#[test]
fn nothing_is_left_of_a_password() {
    let planted = password("planted_here");
    assert!(!found().is_empty(), "what is there is not seen");
    drop(planted);
    assert_eq!(found(), Vec::<String>::new());
    for server in Server::all() {
        for (plugin, how) in plugins(&server) {
            let user = format!("wiped_{}", &plugin[..6]);
            let mut admin = server.connect();
            if plugin == "ed25519" {
                let _ = admin.send_query(b"INSTALL SONAME 'auth_ed25519'");
                let _ = admin.read_query_response();
            }
            servers::drop_user(&mut admin, &user, "%");
            let (open, close) = if how == "BY" { ("", "") } else { ("(", ")") };
            let make = format!(
                "SET @make = CONCAT('CREATE USER {user}@`%` IDENTIFIED {} {plugin} {how}{open}''{user}{user}', REVERSE('{BACKWARDS}'), '''{close}')",
                if how == "BY" { "WITH" } else { "VIA" }
            );
            run(&mut admin, &make.replace("BY''", "BY ''"));
            run(&mut admin, "PREPARE make FROM @make");
            run(&mut admin, "EXECUTE make");
            let verify = Verify::None;
            for tls in [None, Some(TlsOptions { verify, ..TlsOptions::default() })] {
                if tls.is_some() && !server.has(Feature::Tls) {
                    continue;
                }
                // The first log-in is the one that caching_sha2_password wants the password itself for.
                for _ in 0..2 {
                    let options = ConnectOptions {
                        user: user.clone().into_bytes(),
                        password: password(&user),
                        tls: tls.clone(),
                        ..ConnectOptions::new(server.tcp())
                    };
                    let mut connection = Connection::connect(&options).unwrap();
                    connection.change_user(&options.user, &options.password, b"").unwrap();
                    // What could not be written is as secret.
                    kill(&mut admin, &mut connection);
                    connection.change_user(&options.user, &options.password, b"").unwrap_err();
                }
                let left = found();
                assert!(left.is_empty(), "{}, {plugin}, {}: {left:?}", server.name, tls.is_some());
            }
            servers::drop_user(&mut admin, &user, "%");
        }
    }
}
