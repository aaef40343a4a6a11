//! The real servers that tests run against, as `scripts/server env NAME` describes them in the environment.
#![allow(dead_code, reason = "each test program uses a part of it")]

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Mutex;
use std::{env, io};

use vaquita_client::{
    Address, CompressionAlgorithm, ConnectOptions, Connection, QueryResponse, TlsOptions, Verify,
};

/// A value: `None` is NULL.
pub(crate) type Value = Option<Vec<u8>>;

/// What some servers have and others have not; a test says what it needs (`Server::with`, `Server::has`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Feature {
    /// The plugin mysql_native_password: gone from MySQL 9.0 on.
    NativePassword,
    /// The plugin caching_sha2_password: MySQL from 8.0 on.
    CachingSha2Password,
    /// The plugin sha256_password with a key pair of the server's: MySQL. The build of 5.6 has it over TLS only.
    Sha256Password,
    /// CLIENT_DEPRECATE_EOF and CLIENT_SESSION_TRACK: all but MySQL 5.6.
    SessionTrack,
    /// COM_RESET_CONNECTION: MySQL from 5.7.3 on, MariaDB from 10.2.4 on.
    ResetConnection,
    /// TLS 1.2 or 1.3: all but MySQL 5.6. MySQL and MariaDB 11.8 make certificates for themselves, scripts/servers/mariadb for MariaDB 10.11.
    Tls,
    /// The files of a CA, and of certificates for the server and for clients, in the data folder: all with TLS but MariaDB 11.8, whose own
    /// certificate is in no file.
    CertificateFiles,
    /// A certificate for 127.0.0.1 and localhost: MariaDB 10.11. Those that servers make for themselves are for no host.
    CertificateForHost,
    /// The attributes of each connection in a table: all but MariaDB without `performance_schema`.
    SessionConnectAttrs,
    /// The character set gb18030: MySQL from 5.7.4 on.
    Gb18030,
    /// Compression with zstd: MySQL from 8.0.18 on.
    Zstd,
    /// A limit for the statements of a session: all but MySQL 5.6.
    StatementLimit,
    /// Roles: all but MySQL 5.6.
    Roles,
    /// The type VECTOR: MySQL from 9.0 on, MariaDB from 11.7 on.
    Vector,
    /// InnoDB by the memcached protocol: MySQL from 5.6 to 8.2.
    Memcached,
    /// HandlerSocket: MariaDB; of 11.8 scripts/server opens no such port.
    HandlerSocket,
}

impl Feature {
    fn is_in(self, server: &str) -> bool {
        match self {
            Feature::NativePassword => server != "mysql97",
            Feature::CachingSha2Password
            | Feature::Sha256Password
            | Feature::Gb18030
            | Feature::Zstd => matches!(server, "mysql80" | "mysql97"),
            Feature::Vector => matches!(server, "mysql97" | "mariadb118"),
            Feature::Tls => server != "mysql56",
            Feature::CertificateFiles => matches!(server, "mariadb" | "mysql80" | "mysql97"),
            Feature::CertificateForHost | Feature::HandlerSocket => server == "mariadb",
            Feature::Memcached => matches!(server, "mysql80" | "mysql56"),
            Feature::SessionTrack
            | Feature::ResetConnection
            | Feature::StatementLimit
            | Feature::Roles => server != "mysql56",
            Feature::SessionConnectAttrs => server.starts_with("mysql"),
        }
    }
}

/// What has been said to be missing already.
static MISSING: Mutex<BTreeSet<(&str, Feature)>> = Mutex::new(BTreeSet::new());

/// A server and how to get in.
pub(crate) struct Server {
    /// Its file in scripts/servers, such as `mariadb` or `mysql80`.
    pub(crate) name: &'static str,
    host: String,
    port: u16,
    socket: String,
    key_value_port: Option<u16>,
    user: String,
    password: String,
    database: String,
}

impl Server {
    const NAMES: [&'static str; 5] = ["mariadb", "mysql80", "mysql56", "mysql97", "mariadb118"];

    /// The servers without which nothing counts as tested.
    const USUAL: &'static str = "mariadb mysql80";

    fn from_env(name: &'static str) -> Server {
        let prefix = format!("VAQUITA_{}", name.to_uppercase());
        let value = |key: &str| {
            env::var(format!("{prefix}_{key}")).unwrap_or_else(|_| {
                panic!(
                    "this test needs the server '{name}', but {prefix}_{key} is not set: run `make test`, \
                     or `scripts/with-servers {} -- cargo test`",
                    Server::USUAL
                )
            })
        };
        Server {
            name,
            host: value("HOST"),
            port: value("PORT").parse().expect("a port is a number"),
            socket: value("SOCKET"),
            key_value_port: env::var(format!("{prefix}_KEY_VALUE_PORT"))
                .ok()
                .map(|port| port.parse().expect("a port is a number")),
            user: value("USER"),
            password: value("PASSWORD"),
            database: value("DATABASE"),
        }
    }

    /// The servers of this run: those that scripts/with-servers was told, else the usual ones; each of them must be there.
    pub(crate) fn all() -> Vec<Server> {
        let names = env::var("VAQUITA_SERVERS").unwrap_or_else(|_| Server::USUAL.to_owned());
        let known = |name| Server::NAMES.into_iter().find(|known| *known == name);
        let servers: Vec<Server> = names
            .split_whitespace()
            .map(|name| Server::from_env(known(name).unwrap_or_else(|| panic!("no server {name}"))))
            .collect();
        assert!(!servers.is_empty(), "VAQUITA_SERVERS names a server at least");
        servers
    }

    /// Those servers of this run that have something.
    pub(crate) fn with(feature: Feature) -> Vec<Server> {
        Server::all().into_iter().filter(|server| server.has(feature)).collect()
    }

    /// Whether the server has something; that it has not is told, past the capture of a passing test's output.
    pub(crate) fn has(&self, feature: Feature) -> bool {
        let has = feature.is_in(self.name);
        if !has && MISSING.lock().expect("no test panics here").insert((self.name, feature)) {
            let line = format!("not tested: {} has no {feature:?}\n", self.name);
            io::stderr().write_all(line.as_bytes()).expect("standard error is open");
        }
        has
    }

    pub(crate) fn is_mariadb(&self) -> bool {
        self.name.starts_with("mariadb")
    }

    pub(crate) fn tcp(&self) -> Address {
        Address::Tcp { host: self.host.clone(), port: self.port }
    }

    /// Where it answers by key, without SQL.
    pub(crate) fn key_value(&self) -> Address {
        let port = self.key_value_port.unwrap_or_else(|| {
            panic!("{} was started without --key-value: run `make test`", self.name)
        });
        Address::Tcp { host: self.host.clone(), port }
    }

    pub(crate) fn unix(&self) -> Address {
        Address::Unix(self.socket.clone().into())
    }

    pub(crate) fn addresses(&self) -> [Address; 2] {
        [self.tcp(), self.unix()]
    }

    pub(crate) fn database(&self) -> &str {
        &self.database
    }

    /// A file of `Feature::CertificateFiles`: `ca`, `server-cert`, `client-cert` or `client-key`.
    pub(crate) fn certificate(&self, name: &str) -> PathBuf {
        let folder = text(&mut self.connect(), "SELECT @@datadir");
        PathBuf::from(folder).join(format!("{name}.pem"))
    }

    /// Options to connect as the user with all rights.
    pub(crate) fn options(&self, address: Address) -> ConnectOptions {
        ConnectOptions {
            user: self.user.clone().into_bytes(),
            password: self.password.clone().into_bytes().into(),
            database: Some(self.database.clone().into_bytes()),
            charset: vaquita_client::Charset::by_name(b"utf8mb4"),
            ..ConnectOptions::new(address)
        }
    }

    /// Options to connect so over the unix socket, for a connection that is to be handed on.
    pub(crate) fn persistent(&self) -> ConnectOptions {
        ConnectOptions { is_persistent: true, ..self.options(self.unix()) }
    }

    /// Every way to reach the server, with a name: both addresses, each compression that it has, and TLS.
    pub(crate) fn ways(&self) -> Vec<(&'static str, ConnectOptions)> {
        let compressed =
            |algorithm| ConnectOptions { compression: vec![algorithm], ..self.options(self.tcp()) };
        let mut ways = vec![
            ("TCP", self.options(self.tcp())),
            ("unix", self.options(self.unix())),
            ("zlib", compressed(CompressionAlgorithm::Zlib)),
        ];
        if self.has(Feature::Zstd) {
            ways.push(("zstd", compressed(CompressionAlgorithm::Zstd)));
        }
        if self.has(Feature::Tls) {
            let tls = Some(TlsOptions { verify: Verify::None, ..TlsOptions::default() });
            ways.push(("TLS", ConnectOptions { tls, ..self.options(self.tcp()) }));
        }
        ways
    }

    /// A connection over the unix socket.
    pub(crate) fn connect(&self) -> Connection {
        connect(&self.options(self.unix()))
    }
}

/// A connection to a server that takes us. While a test beside this one kills a connection, MySQL 8.0 may end a log-in with 1158, for the
/// signal meant for the killed one wakes another thread: one log-in of some ten thousand, with PHP's own driver as well. Then it is tried again.
pub(crate) fn connect(options: &ConnectOptions) -> Connection {
    let mut connection = Connection::connect(options);
    for _ in 0..3 {
        if !matches!(connection, Err(vaquita_client::Error::Server { code: 1158, .. })) {
            break;
        }
        eprintln!("   1158 at the log-in, once more");
        connection = Connection::connect(options);
    }
    connection.expect("the server of the test takes us")
}

/// Runs a test on each server in every way to reach it.
pub(crate) fn on_each(test: impl Fn(&Server, &mut Connection)) {
    for server in Server::all() {
        for (way, options) in server.ways() {
            eprintln!("-- {} over {way}", server.name);
            test(&server, &mut connect(&options));
        }
    }
}

/// Runs a statement without rows.
pub(crate) fn run(connection: &mut Connection, sql: &str) {
    connection.send_query(sql.as_bytes()).unwrap();
    let response =
        connection.read_query_response().unwrap_or_else(|error| panic!("{sql}: {error}"));
    assert!(matches!(response, QueryResponse::Ok), "{sql} has no rows");
}

/// Removes a user who may be there: MySQL 5.6 has no IF EXISTS for that.
pub(crate) fn drop_user(connection: &mut Connection, user: &str, host: &str) {
    connection.send_query(format!("DROP USER {user}@'{host}'").as_bytes()).unwrap();
    if let Err(error) = connection.read_query_response() {
        assert_eq!(error.code(), 1396, "{error}");
    }
}

/// Runs a query and stores its rows.
pub(crate) fn rows(connection: &mut Connection, sql: &str) -> Vec<Vec<Value>> {
    connection.send_query(sql.as_bytes()).unwrap();
    let response =
        connection.read_query_response().unwrap_or_else(|error| panic!("{sql}: {error}"));
    assert!(matches!(response, QueryResponse::ResultSet(_)), "{sql} has rows");
    let mut stored = connection.store_result().unwrap();
    let mut rows = Vec::new();
    while let Some(row) = stored.next_row() {
        rows.push(row.values().map(|value| value.map(<[u8]>::to_vec)).collect());
    }
    rows
}

/// Runs a query for one text.
pub(crate) fn text(connection: &mut Connection, sql: &str) -> String {
    let rows = rows(connection, sql);
    let [row] = &rows[..] else { panic!("{sql} gives one row") };
    let [Some(value)] = &row[..] else { panic!("{sql} gives one value") };
    String::from_utf8(value.clone()).unwrap()
}
