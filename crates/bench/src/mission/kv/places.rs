//! Who has the values, and who asks for them: the databases by SQL and by their ports, memcached, one to three Redis.

use std::env;
use std::path::PathBuf;

use crate::server::{MYSQL, Server};

/// The database that is asked for values besides those of the other workloads: what users of 2014 had.
const OLD: &str = "mysql56";
/// Databases without a port for access by key: of these only what needs none is measured.
const PORTLESS: [&str; 2] = ["mariadb118", "mysql97"];
/// The extensions that caches are asked by, each after those that it needs.
const EXTENSIONS: [&str; 4] = ["igbinary.so", "msgpack.so", "memcached.so", "redis.so"];
/// As `scripts/server` calls them.
pub(super) const REDIS: [&str; 3] = ["redis", "redis2", "redis3"];

/// All that is there, and what is not.
#[derive(Default)]
pub(super) struct Places {
    pub(super) databases: Vec<Database>,
    /// Its address.
    pub(super) memcached: Option<String>,
    /// The addresses of all.
    pub(super) redis: Vec<String>,
    /// What a PHP needs to ask caches; `None`: nobody does.
    pub(super) extensions: Option<Extensions>,
    /// Names, and why they are not there.
    pub(super) missing: Vec<String>,
}

/// A database.
#[derive(Clone)]
pub(super) struct Database {
    pub(super) server: Server,
    /// Such as "MySQL 8.0.33"; empty until it was asked.
    pub(super) called: String,
    /// The address of its port for access by key.
    pub(super) port: Option<String>,
    /// Whether it can't have one.
    pub(super) is_portless: bool,
}

/// Extensions that are loaded where they are asked for.
pub(super) struct Extensions {
    folder: PathBuf,
    libraries: String,
}

impl Database {
    /// Whether its port is one for memcached's clients.
    pub(super) fn is_mysql(&self) -> bool {
        self.called.starts_with(MYSQL)
    }
}

impl Places {
    /// What `scripts/server env` and `scripts/kv-fetch` describe, besides servers that are known.
    pub(super) fn from_env(servers: &[(Server, String)]) -> Places {
        let mut places = Places::default();
        let mut all = servers.to_vec();
        match Server::from_env(OLD) {
            Ok(server) => all.push((server, String::new())),
            Err(_) => places.lack(OLD),
        }
        for (server, called) in all {
            let name = server.name();
            let port = address(name, "KEY_VALUE_PORT");
            if port.is_none() {
                places.lack(&format!("the port of {name}"));
            }
            places.databases.push(Database { server, called, port, is_portless: false });
        }
        for name in PORTLESS {
            match Server::from_env(name) {
                Ok(server) => {
                    let called = String::new();
                    places.databases.push(Database {
                        server,
                        called,
                        port: None,
                        is_portless: true,
                    });
                }
                Err(_) => places.lack(name),
            }
        }
        places.memcached = address("memcached", "PORT");
        if places.memcached.is_none() {
            places.lack("memcached");
        }
        for name in REDIS {
            match address(name, "PORT") {
                Some(address) => places.redis.push(address),
                None => places.lack(name),
            }
        }
        let found = env::var("VAQUITA_KV_EXTENSIONS").ok();
        let libraries = env::var("VAQUITA_KV_LIBRARIES").ok();
        places.extensions = found.zip(libraries).map(|(folder, libraries)| {
            let folder = PathBuf::from(folder);
            Extensions { folder, libraries }
        });
        if places.extensions.is_none() {
            places.lack("ext/memcached and ext/redis for this PHP");
        }
        places
    }

    /// The addresses of those ports that are opened when a table is made.
    pub(super) fn ports(&self) -> impl Iterator<Item = &str> {
        self.databases.iter().filter(|it| it.is_mysql()).filter_map(|it| it.port.as_deref())
    }

    fn lack(&mut self, what: &str) {
        self.missing.push(what.to_owned());
    }
}

impl Extensions {
    /// Some that are nowhere.
    #[cfg(test)]
    pub(super) fn for_tests() -> Extensions {
        Extensions { folder: PathBuf::new(), libraries: String::new() }
    }

    /// Loads them in a PHP.
    pub(super) fn add_to(&self, php: &mut std::process::Command) {
        php.env("LD_LIBRARY_PATH", &self.libraries);
        for name in EXTENSIONS {
            php.arg("-d").arg(format!("extension={}", self.folder.join(name).display()));
        }
    }
}

/// Where a server listens, on the loopback.
fn address(name: &str, port: &str) -> Option<String> {
    let port = env::var(format!("VAQUITA_{}_{port}", name.to_uppercase())).ok()?;
    Some(format!("127.0.0.1:{port}"))
}
