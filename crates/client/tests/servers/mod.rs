//! The real servers that tests run against, as `scripts/server env NAME` describes them in the environment.
#![allow(dead_code, reason = "each test program uses a part of it")]

use std::env;

use vaquita_client::{Address, ConnectOptions, Connection, QueryResponse};

/// A value: `None` is NULL.
pub(crate) type Value = Option<Vec<u8>>;

/// A server and how to get in.
pub(crate) struct Server {
    /// `mariadb` or `mysql80`.
    pub(crate) name: &'static str,
    host: String,
    port: u16,
    socket: String,
    user: String,
    password: String,
    database: String,
}

impl Server {
    fn from_env(name: &'static str) -> Server {
        let prefix = format!("VAQUITA_{}", name.to_uppercase());
        let value = |key: &str| {
            env::var(format!("{prefix}_{key}")).unwrap_or_else(|_| {
                panic!(
                    "this test needs the server '{name}', but {prefix}_{key} is not set: run `make test`, \
                     or `scripts/with-servers mariadb mysql80 -- cargo test`"
                )
            })
        };
        Server {
            name,
            host: value("HOST"),
            port: value("PORT").parse().expect("a port is a number"),
            socket: value("SOCKET"),
            user: value("USER"),
            password: value("PASSWORD"),
            database: value("DATABASE"),
        }
    }

    /// All servers.
    pub(crate) fn all() -> [Server; 2] {
        [Server::from_env("mariadb"), Server::from_env("mysql80")]
    }

    pub(crate) fn tcp(&self) -> Address {
        Address::Tcp { host: self.host.clone(), port: self.port }
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

    /// Options to connect as the user with all rights.
    pub(crate) fn options(&self, address: Address) -> ConnectOptions {
        ConnectOptions {
            user: self.user.clone().into_bytes(),
            password: self.password.clone().into_bytes(),
            database: Some(self.database.clone().into_bytes()),
            charset: vaquita_client::Charset::by_name(b"utf8mb4"),
            ..ConnectOptions::new(address)
        }
    }

    /// A connection over the unix socket.
    pub(crate) fn connect(&self) -> Connection {
        Connection::connect(&self.options(self.unix())).expect("the server of the test takes us")
    }
}

/// Runs a test on each server over each transport.
pub(crate) fn on_each(test: impl Fn(&Server, &mut Connection)) {
    for server in Server::all() {
        for address in server.addresses() {
            eprintln!("-- {} over {address:?}", server.name);
            let options = server.options(address);
            let mut connection =
                Connection::connect(&options).expect("the server of the test takes us");
            test(&server, &mut connection);
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
