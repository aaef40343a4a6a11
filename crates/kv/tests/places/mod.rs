//! Servers with a port, a table that it answers from, and users whose statements may go there.
#![allow(dead_code, reason = "each test program uses a part of it")]

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::ports::install;
use crate::servers::{Feature, Server, run};
use vaquita_client::{Buffered, Connection, Data, Parameter, QueryResponse, Statement};
use vaquita_kv::{Access, Mode, Settings, close_ports};

/// Held by the one test that uses the ports: whoever installs the plugin anew takes them away.
static ALONE: Mutex<()> = Mutex::new(());

/// A server with a port and a table that it answers from; whoever has it is alone.
pub(crate) struct Place {
    pub(crate) server: Server,
    pub(crate) sql: Connection,
    _alone: MutexGuard<'static, ()>,
}

impl Place {
    pub(crate) fn all() -> impl Iterator<Item = Place> {
        let servers = Server::all().into_iter();
        servers
            .filter(|it| it.has(Feature::Memcached) || it.has(Feature::HandlerSocket))
            .map(Place::at)
    }

    pub(crate) fn at(server: Server) -> Place {
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let mut sql = server.connect();
        for statement in [
            "DROP DATABASE IF EXISTS kv_access",
            "CREATE DATABASE kv_access",
            "USE kv_access",
            TABLE,
            "INSERT INTO t VALUES ('one', 'eins', 1), ('two', 'zwei', 2), ('three', 'drei', 3)",
        ] {
            run(&mut sql, statement);
        }
        if server.has(Feature::Memcached) {
            run(&mut sql, "DELETE FROM innodb_memcache.containers");
            run(
                &mut sql,
                "INSERT INTO innodb_memcache.containers VALUES ('t', 'kv_access', 't', 'k', 'v,n', '0', '0', '0', 'PRIMARY')",
            );
            drop(install(&server, &mut sql));
        }
        Place { server, sql, _alone: alone }
    }

    pub(crate) fn settings(&self) -> Settings {
        Settings {
            mode: Mode::On,
            address: self.server.key_value(),
            tables: Settings::tables(b"kv_access.t").unwrap(),
            allows_dirty: false,
            max_stale: Duration::from_secs(3600),
        }
    }

    /// Makes a table `u` whose trigger makes a temporary one that hides the port's.
    pub(crate) fn make_hiding_trigger(&mut self) {
        run(&mut self.sql, "CREATE TABLE u (a INT)");
        run(
            &mut self.sql,
            "CREATE TRIGGER makes BEFORE INSERT ON u FOR EACH ROW BEGIN \
             CREATE TEMPORARY TABLE t (k VARCHAR(100), v VARCHAR(100), n INT); INSERT INTO t VALUES ('one', 'temporary', 5); END",
        );
    }

    /// A connection with access, and one statement learnt.
    pub(crate) fn session(&self, settings: Settings) -> User {
        let mut connection = self.server.connect();
        run(&mut connection, "USE kv_access");
        let access = Access::new(&mut connection, settings);
        let mut user = User { connection, access };
        // Once to be seen, once to be learnt.
        for _ in 0..2 {
            assert_eq!(user.ask(BY_KEY), "eins 1");
        }
        user
    }
}

pub(crate) const TABLE: &str = "CREATE TABLE t (k VARCHAR(100) CHARACTER SET utf8mb4 PRIMARY KEY, v VARCHAR(200) CHARACTER SET utf8mb4 NOT NULL, n INT NOT NULL) ENGINE = InnoDB";

pub(crate) const BY_KEY: &str = "SELECT v, n FROM t WHERE k = 'one'";

pub(crate) struct User {
    pub(crate) connection: Connection,
    pub(crate) access: Access,
}

impl User {
    /// What a query gives: of the first row the values, or that there is none.
    pub(crate) fn ask(&mut self, sql: &str) -> String {
        let response = self.access.query(&mut self.connection, sql.as_bytes()).unwrap();
        self.first_row(&response)
    }

    /// What the run of a prepared statement gives with the key `one`.
    pub(crate) fn execute(&mut self, statement: &Statement) -> Buffered {
        let User { connection, access } = self;
        let key = [Parameter::Text(Data::Bytes(b"one"))];
        if access.execute(connection, statement, &key).unwrap().is_none() {
            connection.send_execute(statement, &key, false).unwrap();
            let response = connection.read_executed(statement, &key, false).unwrap();
            let QueryResponse::ResultSet(columns) = response else { panic!("{response:?}") };
            access.executed(connection, statement, Some(&columns));
        }
        connection.store_result().unwrap()
    }

    pub(crate) fn first_row(&mut self, response: &QueryResponse) -> String {
        if !matches!(response, QueryResponse::ResultSet(_)) {
            return "done".to_owned();
        }
        let mut stored = self.connection.store_result().unwrap();
        let Some(row) = stored.next_row() else { return "none".to_owned() };
        let values = row.values().map(|value| match value {
            Some(bytes) => String::from_utf8_lossy(bytes).into_owned(),
            None => "NULL".to_owned(),
        });
        values.collect::<Vec<_>>().join(" ")
    }

    /// How many statements a port has answered.
    pub(crate) fn answered(&self) -> u64 {
        self.access.counts().answered
    }

    /// Whether the port answers now: asked twice, for the first may be to learn.
    pub(crate) fn goes_by_port(&mut self) -> bool {
        assert_eq!(self.ask(BY_KEY), "eins 1");
        let before = self.answered();
        assert_eq!(self.ask(BY_KEY), "eins 1");
        self.answered() > before
    }
}

impl Drop for User {
    fn drop(&mut self) {
        close_ports();
    }
}
