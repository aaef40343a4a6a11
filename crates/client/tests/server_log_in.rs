//! Logging in to real servers by every plugin, over every transport, with a full and an empty cache, rightly and wrongly.
//!
//! What becomes of it is printed as a table: `cargo test -p vaquita-client --test server_log_in -- --nocapture --include-ignored`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

mod certificate;
mod pam;
mod servers;

use std::fs;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use servers::{Feature, Server, rows, run, text};
use vaquita_client::{CleartextPassword, ConnectOptions, Connection, TlsOptions, Verify, codes};

/// The password of accounts that have one, and another.
const RIGHT: &str = "c0rrect horse";
const WRONG: &str = "battery staple";
/// What a server says to a wrong password.
const ACCESS_DENIED: u16 = 1045;
/// The hash of no password for client_ed25519, as `ed25519_password('')` tells it: `PASSWORD('')` is no password's hash there.
const NO_PASSWORD_ED25519: &str = "4LH+dBF+G5W2CKTyId8xR3SyDqZoQjUNUVNxx8aWbG4";

/// One test at a time: they empty caches by FLUSH PRIVILEGES, which MariaDB 11.8.6 does not stand in the middle of parsec.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A plugin of a server.
#[derive(Clone, Copy)]
struct Plugin {
    /// Its name on the server.
    name: &'static str,
    /// The library that has it; `None`: the server itself.
    library: Option<&'static str>,
}

const fn built_in(name: &'static str) -> Plugin {
    Plugin { name, library: None }
}

const ED25519: Plugin = Plugin { name: "ed25519", library: Some("auth_ed25519") };
const PARSEC: Plugin = Plugin { name: "parsec", library: Some("auth_parsec") };
const PAM: Plugin = Plugin { name: "pam", library: Some("auth_pam_v1") };
const NATIVE: Plugin = built_in("mysql_native_password");
const CACHING_SHA2: Plugin = built_in("caching_sha2_password");
const SHA256: Plugin = built_in("sha256_password");

/// The plugins that a server has, but for PAM, which takes a service.
fn plugins(server: &Server) -> &'static [Plugin] {
    match server.name {
        "mariadb" => &[NATIVE, ED25519],
        "mariadb118" => &[NATIVE, ED25519, PARSEC],
        "mysql56" => &[NATIVE],
        "mysql80" => &[NATIVE, CACHING_SHA2, SHA256],
        "mysql97" => &[CACHING_SHA2, SHA256],
        name => panic!("which plugins has {name}?"),
    }
}

/// How the client gets to the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Transport {
    Tcp,
    Unix,
    /// With whoever answers.
    Tls,
}

impl Transport {
    /// Those that a server has.
    fn of(server: &Server) -> Vec<Transport> {
        if server.has(Feature::Tls) {
            vec![Transport::Tcp, Transport::Unix, Transport::Tls]
        } else {
            vec![Transport::Tcp, Transport::Unix]
        }
    }

    fn options(self, server: &Server, user: &str, password: &str) -> ConnectOptions {
        let address = if self == Transport::Unix { server.unix() } else { server.tcp() };
        let tls = TlsOptions { verify: Verify::None, ..TlsOptions::default() };
        ConnectOptions {
            user: user.as_bytes().to_vec(),
            password: password.into(),
            tls: (self == Transport::Tls).then_some(tls),
            ..ConnectOptions::new(address)
        }
    }
}

/// What a log-in ends with: an error number, 0 for none. A session that is let in is who it should be.
fn log_in(server: &Server, transport: Transport, user: &str, password: &str) -> u16 {
    match Connection::connect(&transport.options(server, user, password)) {
        Ok(mut connection) => {
            let name = text(&mut connection, "SELECT USER()");
            assert!(name.starts_with(&format!("{user}@")), "{name}");
            0
        }
        Err(error) => {
            assert!(matches!(error, vaquita_client::Error::Auth { .. }), "{error:?}");
            error.code()
        }
    }
}

/// An account of a test, removed with it: a MariaDB asks users that it does not have by a plugin of one that it has, and not
/// every client that comes after us knows them all.
struct Account<'a> {
    server: &'a Server,
    user: &'static str,
}

impl<'a> Account<'a> {
    fn new(server: &'a Server, user: &'static str, identified: &str) -> Self {
        let account = Account { server, user };
        account.make(identified);
        account
    }

    /// Makes it anew, so that nobody has seen it before.
    fn make(&self, identified: &str) {
        let mut admin = self.remove();
        for host in ["localhost", "%"] {
            run(&mut admin, &format!("CREATE USER {}@'{host}' {identified}", self.user));
        }
    }

    fn remove(&self) -> Connection {
        let mut admin = self.server.connect();
        for host in ["localhost", "%"] {
            servers::drop_user(&mut admin, self.user, host);
        }
        admin
    }
}

impl Drop for Account<'_> {
    fn drop(&mut self) {
        self.remove();
    }
}

fn identified(server: &Server, plugin: Plugin, password: &str) -> String {
    match (server.name, plugin.name, password) {
        (_, "ed25519", "") => format!("IDENTIFIED VIA ed25519 USING '{NO_PASSWORD_ED25519}'"),
        ("mysql56", ..) => format!("IDENTIFIED BY '{password}'"),
        (_, name, _) if server.is_mariadb() => {
            format!("IDENTIFIED VIA {name} USING PASSWORD('{password}')")
        }
        (_, name, _) => format!("IDENTIFIED WITH {name} BY '{password}'"),
    }
}

fn install(admin: &mut Connection, plugin: Plugin) {
    let Some(library) = plugin.library else { return };
    let sql =
        format!("SELECT 1 FROM information_schema.PLUGINS WHERE PLUGIN_NAME = '{}'", plugin.name);
    if rows(admin, &sql).is_empty() {
        run(admin, &format!("INSTALL SONAME '{library}'"));
    }
}

/// A row of the table: what became of each log-in.
struct Outcomes {
    /// With an empty cache: the right password, a wrong one, none.
    cold: [u16; 3],
    /// With a full one.
    warm: [u16; 3],
    /// At an account without a password: none, and one too many.
    without: Option<[u16; 2]>,
}

fn try_all(server: &Server, transport: Transport, user: &str, without: Option<&str>) -> Outcomes {
    let mut admin = server.connect();
    let mut cold = |user: &str, password: &str| {
        run(&mut admin, "FLUSH PRIVILEGES");
        log_in(server, transport, user, password)
    };
    Outcomes {
        cold: [RIGHT, WRONG, ""].map(|password| cold(user, password)),
        without: without.map(|user| ["", WRONG].map(|password| cold(user, password))),
        warm: {
            log_in(server, transport, user, RIGHT);
            [RIGHT, WRONG, ""].map(|password| log_in(server, transport, user, password))
        },
    }
}

fn words(codes: &[u16]) -> String {
    let word = |code: &u16| if *code == 0 { "in".to_owned() } else { code.to_string() };
    codes.iter().map(word).collect::<Vec<_>>().join(" ")
}

fn print(server: &Server, plugin: &str, transport: Transport, outcomes: &Outcomes) {
    println!(
        "| {plugin} | {} | {transport:?} | {} | {} | {} |",
        server.name,
        words(&outcomes.cold),
        words(&outcomes.warm),
        outcomes.without.as_ref().map_or("-".to_owned(), |it| words(it)),
    );
}

#[test]
fn each_plugin_takes_the_right_password_only() {
    let _alone = alone();
    println!(
        "| plugin | server | transport | cold: right wrong none | warm | account without one: none wrong |"
    );
    println!("|---|---|---|---|---|---|");
    for server in Server::all() {
        let mut admin = server.connect();
        for plugin in plugins(&server) {
            install(&mut admin, *plugin);
            let with = Account::new(&server, "log_in_with", &identified(&server, *plugin, RIGHT));
            let without = Account::new(&server, "log_in_none", &identified(&server, *plugin, ""));
            for transport in Transport::of(&server) {
                with.make(&identified(&server, *plugin, RIGHT));
                without.make(&identified(&server, *plugin, ""));
                let outcomes = try_all(&server, transport, with.user, Some(without.user));
                print(&server, plugin.name, transport, &outcomes);
                let expected = [0, ACCESS_DENIED, ACCESS_DENIED];
                let (name, server) = (plugin.name, server.name);
                assert_eq!(outcomes.cold, expected, "{name} of {server}, {transport:?}, cold");
                assert_eq!(outcomes.warm, expected, "{name} of {server}, {transport:?}, warm");
                let expected = Some([0, ACCESS_DENIED]);
                assert_eq!(outcomes.without, expected, "{name} of {server}, {transport:?}");
            }
        }
    }
}

/// MariaDB's PAM gets the password in clear, so over a unix socket or verified TLS; everywhere else the log-in ends before that.
#[test]
#[ignore = "writes a service of PAM into /etc/pam.d, so only as root, with --include-ignored"]
fn pam_gets_passwords_that_nobody_else_reads() {
    let _alone = alone();
    let service = pam::Service::new(RIGHT);
    for server in Server::all().into_iter().filter(Server::is_mariadb) {
        let mut admin = server.connect();
        install(&mut admin, PAM);
        let identified = format!("IDENTIFIED VIA pam USING '{}'", service.name);
        let account = Account::new(&server, "log_in_pam", &identified);
        for transport in Transport::of(&server) {
            let outcomes = try_all(&server, transport, account.user, None);
            print(&server, PAM.name, transport, &outcomes);
            let expected = match transport {
                // Without a password PAM asks once more.
                Transport::Unix => [0, ACCESS_DENIED, codes::AUTH_PLUGIN_ERR],
                Transport::Tcp | Transport::Tls => [codes::AUTH_PLUGIN_ERR; 3],
            };
            assert_eq!(outcomes.cold, expected, "pam of {}, {transport:?}", server.name);
            assert_eq!(outcomes.warm, expected, "pam of {}, {transport:?}", server.name);
        }
        let verified = |verify, ca_file: &Path| {
            let outcomes = [RIGHT, WRONG, ""].map(|password| {
                let mut options = Transport::Tls.options(&server, account.user, password);
                let ca_file = Some(ca_file.to_owned());
                options.tls = Some(TlsOptions { verify, ca_file, ..TlsOptions::default() });
                Connection::connect(&options).err().map_or(0, |error| error.code())
            });
            println!("| pam | {} | Tls, {verify:?} | {} | - | - |", server.name, words(&outcomes));
            outcomes
        };
        if server.has(Feature::CertificateForHost) {
            let outcomes = verified(Verify::Identity, &server.certificate("ca"));
            assert_eq!(outcomes, [0, ACCESS_DENIED, codes::AUTH_PLUGIN_ERR], "{}", server.name);
            // What is verified by its CA alone may be another's.
            let outcomes = verified(Verify::Ca, &server.certificate("ca"));
            assert_eq!(outcomes, [codes::AUTH_PLUGIN_ERR; 3], "{}", server.name);
        } else {
            let shown = service.folder.join(format!("{}.pem", server.name));
            fs::write(&shown, certificate::fetch(&server.tcp())).unwrap();
            let outcomes = verified(Verify::Ca, &shown);
            assert_eq!(outcomes, [codes::AUTH_PLUGIN_ERR; 3], "{}", server.name);
        }
        let mut options = Transport::Unix.options(&server, account.user, RIGHT);
        options.cleartext_password = CleartextPassword::Off;
        let error = Connection::connect(&options).unwrap_err();
        assert_eq!(error.code(), codes::AUTH_PLUGIN_ERR, "{error}");
    }
}

/// What tells a full cache from an empty one: the password itself is not asked for, so a key that is none does no harm.
#[test]
fn a_full_cache_needs_no_key() {
    let _alone = alone();
    for server in Server::with(Feature::CachingSha2Password) {
        let account =
            Account::new(&server, "log_in_cached", &identified(&server, CACHING_SHA2, RIGHT));
        let mut options = Transport::Tcp.options(&server, account.user, RIGHT);
        options.server_public_key = Some(b"no key".to_vec());
        let error = Connection::connect(&options).unwrap_err();
        assert_eq!(error.code(), 1045, "cold: {error}");
        assert_eq!(log_in(&server, Transport::Tcp, account.user, RIGHT), 0);
        Connection::connect(&options).unwrap();
    }
}

/// An account of MariaDB may name several plugins; the server tries one after the other.
#[test]
fn the_last_plugin_of_an_account_counts() {
    let _alone = alone();
    for server in Server::all().into_iter().filter(Server::is_mariadb) {
        let mut admin = server.connect();
        install(&mut admin, ED25519);
        let identified = format!(
            "IDENTIFIED VIA ed25519 USING PASSWORD('{WRONG}') \
             OR mysql_native_password USING PASSWORD('{RIGHT}')"
        );
        let account = Account::new(&server, "log_in_or", &identified);
        for transport in Transport::of(&server) {
            for (password, expected) in [(RIGHT, 0), (WRONG, 0), ("", ACCESS_DENIED)] {
                let code = log_in(&server, transport, account.user, password);
                assert_eq!(code, expected, "{}, {transport:?}, {password}", server.name);
            }
        }
    }
}

/// Quotes, blanks and letters outside of ASCII are a password's bytes like others, and there may be many.
#[test]
fn every_byte_of_a_password_counts() {
    let _alone = alone();
    for server in Server::all() {
        let mut admin = server.connect();
        for plugin in plugins(&server) {
            install(&mut admin, *plugin);
            for transport in Transport::of(&server) {
                for password in [" 'ü\\ ", &"x".repeat(200)] {
                    let quoted = password.replace('\\', r"\\").replace('\'', r"\'");
                    let identified = identified(&server, *plugin, &quoted);
                    let account = Account::new(&server, "log_in_bytes", &identified);
                    for (password, expected) in
                        [(password, 0), (&password.to_uppercase(), ACCESS_DENIED)]
                    {
                        let code = log_in(&server, transport, account.user, password);
                        let (name, server) = (plugin.name, server.name);
                        assert_eq!(code, expected, "{name} of {server}, {transport:?}, {password}");
                    }
                }
            }
        }
    }
}

/// COM_CHANGE_USER asks as a log-in does.
#[test]
fn a_connection_changes_hands_by_each_plugin() {
    let _alone = alone();
    for server in Server::all() {
        let mut admin = server.connect();
        for plugin in plugins(&server) {
            install(&mut admin, *plugin);
            for transport in Transport::of(&server) {
                let identified = identified(&server, *plugin, RIGHT);
                let account = Account::new(&server, "log_in_change", &identified);
                let address = transport.options(&server, "", "").address;
                let tls = transport.options(&server, "", "").tls;
                let options = ConnectOptions { tls, ..server.options(address) };
                for (password, expected) in [(RIGHT, 0), (RIGHT, 0), (WRONG, ACCESS_DENIED)] {
                    let mut connection = Connection::connect(&options).unwrap();
                    let changed =
                        connection.change_user(account.user.as_bytes(), password.as_bytes(), b"");
                    let code = changed.map_or_else(|error| error.code(), |()| 0);
                    let (name, server) = (plugin.name, server.name);
                    assert_eq!(code, expected, "{name} of {server}, {transport:?}");
                    if code == 0 {
                        let name = text(&mut connection, "SELECT USER()");
                        assert!(name.starts_with("log_in_change@"), "{name}");
                    }
                }
            }
        }
    }
}

/// An account that does not exist is turned away as one with a wrong password is.
#[test]
fn nobody_gets_in() {
    let _alone = alone();
    for server in Server::all() {
        for transport in Transport::of(&server) {
            let code = log_in(&server, transport, "log_in_nobody", RIGHT);
            assert_eq!(code, ACCESS_DENIED, "{}, {transport:?}", server.name);
        }
    }
}
