//! The ways in which values are asked for: a line of the report each, in a table for each thing that is done.

use super::super::bench::Size;
use super::super::workload::{BOTH, Case, ON_STOCK, ON_VAQUITA, WITH_NOISE};
use super::places::{Database, Places, REDIS};

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    Get,
    GetMany(u32),
    Set,
    Add,
}

/// Everything that is done.
const ALL: [What; 5] = [What::Get, What::GetMany(10), What::GetMany(100), What::Set, What::Add];

/// Somebody who is asked in one way.
#[derive(Clone, Debug)]
pub(super) struct Contender {
    /// What the report calls it.
    pub(super) called: String,
    /// What the script calls it.
    pub(super) way: &'static str,
    /// Whose CPU time counts, as `scripts/server` calls them.
    pub(super) servers: Vec<&'static str>,
    /// The place of the database that is asked by SQL.
    pub(super) database: Option<usize>,
    /// Where caches, and ports that are like them, listen; of a database the port that Vaquita may ask in SQL's place.
    pub(super) address: Option<String>,
}

/// A case.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) contender: Contender,
    pub(super) what: What,
    pub(super) workers: u32,
    pub(super) case: Case,
}

/// What lines are called, of a database behind its own name.
pub(super) const TEXT: &str = "text";
pub(super) const PREPARED: &str = "prepared";
pub(super) const TEXT_KV: &str = "text, kv";
const PREPARED_KV: &str = "prepared, kv";
/// `Vaquita\kv()`, by SQL; where it may ask a port; and where that is a memcached in the place of MySQL's port.
pub(super) const EXPLICIT: &str = "Vaquita\\kv";
pub(super) const EXPLICIT_KV: &str = "Vaquita\\kv, kv";
pub(super) const EXPLICIT_MEMCACHED: &str = "Vaquita\\kv, memcached";
/// The port of a MySQL, by ext/memcached.
pub(super) const PORT: &str = "ext/memcached";
pub(super) const MEMCACHED: &str = "memcached";
pub(super) const ONE_REDIS: &str = "Redis";
pub(super) const BY_WORKER: &str = "3 Redis, by worker";
pub(super) const BY_KEY: &str = "3 Redis, by key";

impl Contender {
    /// Whether it can be filled: a port gives what is in a table.
    pub(super) fn has_own_values(&self) -> bool {
        match self.way {
            "sql" => self.address.is_none(),
            "memcached" => self.called == MEMCACHED,
            way => way.starts_with("redis"),
        }
    }
}

/// The line of a database.
pub(super) fn name(database: &str, line: &str) -> String {
    format!("{database}, {line}")
}

impl What {
    /// As the script calls it.
    pub(super) fn argument(self) -> String {
        match self {
            What::Get => "get".to_owned(),
            What::GetMany(count) => format!("get{count}"),
            What::Set => "set".to_owned(),
            What::Add => "add".to_owned(),
        }
    }

    /// The table in which it stands.
    pub(super) fn group(self, workers: u32) -> String {
        let many = if workers == 1 { "" } else { "s" };
        let what = match self {
            What::Get => "reading".to_owned(),
            What::GetMany(count) => format!("reading {count} at once"),
            What::Set => "changing".to_owned(),
            What::Add => "adding".to_owned(),
        };
        format!("{what}, {workers} worker{many}")
    }

    /// By how many workers at once.
    pub(super) fn workers(self, size: Size) -> &'static [u32] {
        match (self, size) {
            (What::Get, Size::Full) => &[1, 2, 4, 8],
            (What::GetMany(_), Size::Full) => &[1],
            (_, Size::Full) => &[1, 4],
            (_, Size::Small) => &[2],
        }
    }
}

/// All cases, in the order of the report; `has_kv` says whether Vaquita knows ports.
pub(super) fn lines(places: &Places, has_kv: bool, size: Size) -> Vec<Line> {
    let mut lines = Vec::new();
    for what in ALL {
        for &workers in what.workers(size) {
            for contender in contenders(places, what, has_kv) {
                // Of more Redis than workers some would be asked by nobody.
                let is_chosen_by_worker = contender.way == "redis";
                if is_chosen_by_worker
                    && contender.servers.len() > usize::try_from(workers).unwrap_or(usize::MAX)
                {
                    continue;
                }
                let is_portless = contender
                    .database
                    .and_then(|at| places.databases.get(at))
                    .is_some_and(|it| it.is_portless);
                if is_portless && what.workers(size).first() != Some(&workers) {
                    continue;
                }
                let runners = match contender.database {
                    Some(_) if contender.way == "explicit" => ON_VAQUITA,
                    Some(_) => size.pick(WITH_NOISE, BOTH),
                    None => ON_STOCK,
                };
                let case =
                    Case { group: what.group(workers), name: contender.called.clone(), runners };
                lines.push(Line { contender, what, workers, case });
            }
        }
    }
    lines
}

fn contenders(places: &Places, what: What, has_kv: bool) -> Vec<Contender> {
    let databases = places.databases.iter().enumerate();
    let mut all: Vec<Contender> =
        databases.flat_map(|(at, it)| of_database(places, at, it, what, has_kv)).collect();
    all.extend(caches(places, what));
    // These are asked by extensions.
    all.retain(|it| it.database.is_some() || places.extensions.is_some());
    all
}

fn of_database(
    places: &Places,
    at: usize,
    database: &Database,
    what: What,
    has_kv: bool,
) -> Vec<Contender> {
    let contender = |way, line, is_sql, address: Option<&String>| Contender {
        called: name(&database.called, line),
        way,
        servers: vec![database.server.name()],
        database: Some(at).filter(|_| is_sql),
        address: address.cloned(),
    };
    let explicit = contender("explicit", EXPLICIT, true, None);
    if database.is_portless {
        let mut all = vec![contender("sql", TEXT, true, None), explicit];
        all.retain(|_| has_kv && matches!(what, What::Get | What::GetMany(_)));
        return all;
    }
    let mut all = vec![contender("sql", TEXT, true, None)];
    if !matches!(what, What::GetMany(_)) {
        all.push(contender("prepared", PREPARED, true, None));
    }
    if let (What::Get, true, Some(port)) = (what, has_kv, &database.port) {
        all.push(contender("sql", TEXT_KV, true, Some(port)));
        all.push(contender("prepared", PREPARED_KV, true, Some(port)));
    }
    if has_kv {
        all.push(explicit);
        if let (What::Get | What::GetMany(_), Some(port)) = (what, &database.port) {
            all.push(contender("explicit", EXPLICIT_KV, true, Some(port)));
        }
        if let (What::Get, true, Some(port), Some(memcached)) =
            (what, database.is_mysql(), &database.port, &places.memcached)
            && !port.is_empty()
        {
            all.push(contender("explicit", EXPLICIT_MEMCACHED, true, Some(memcached)));
        }
    }
    if database.is_mysql()
        && let Some(port) = &database.port
    {
        all.push(contender("memcached", PORT, false, Some(port)));
    }
    all
}

fn caches(places: &Places, what: What) -> Vec<Contender> {
    let mut all = Vec::new();
    // What they have is not in a table: adding to it is the same as changing it.
    if what == What::Add {
        return all;
    }
    if let Some(address) = &places.memcached {
        all.push(Contender {
            called: MEMCACHED.to_owned(),
            way: "memcached",
            servers: vec!["memcached"],
            database: None,
            address: Some(address.clone()),
        });
    }
    let mut redis = |way, called: &str, count| {
        let Some(addresses) = places.redis.get(..count) else { return };
        let servers = REDIS.into_iter().take(count).collect();
        let address = Some(addresses.join(","));
        all.push(Contender { called: called.to_owned(), way, servers, database: None, address });
    };
    redis("redis", ONE_REDIS, 1);
    match what {
        What::Get => {
            redis("redis", "2 Redis, by worker", 2);
            redis("redis", BY_WORKER, 3);
            redis("redis_split", "2 Redis, by key", 2);
            redis("redis_split", BY_KEY, 3);
        }
        What::GetMany(_) => {
            redis("redis_split", BY_KEY, 3);
            redis("redis_pipelined", "Redis, pipelined", 1);
        }
        What::Set | What::Add => {}
    }
    all
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::server::Server;

    /// Two databases and all caches.
    pub(in super::super) fn places() -> Places {
        let database = |called: &str| Database {
            server: Server::for_tests(),
            called: called.to_owned(),
            port: Some("127.0.0.1:1".to_owned()),
            is_portless: false,
        };
        Places {
            databases: vec![database("MariaDB 1"), database("MySQL 2")],
            memcached: Some("127.0.0.1:2".to_owned()),
            redis: ["127.0.0.1:3", "127.0.0.1:4", "127.0.0.1:5"].map(str::to_owned).to_vec(),
            extensions: Some(super::super::places::Extensions::for_tests()),
            missing: Vec::new(),
        }
    }

    fn names(what: What, places: &Places, has_kv: bool) -> Vec<String> {
        contenders(places, what, has_kv).into_iter().map(|it| it.called).collect()
    }

    #[test]
    fn everybody_reads() {
        let expected = [
            "MariaDB 1, text",
            "MariaDB 1, prepared",
            "MariaDB 1, text, kv",
            "MariaDB 1, prepared, kv",
            "MariaDB 1, Vaquita\\kv",
            "MariaDB 1, Vaquita\\kv, kv",
            "MySQL 2, text",
            "MySQL 2, prepared",
            "MySQL 2, text, kv",
            "MySQL 2, prepared, kv",
            "MySQL 2, Vaquita\\kv",
            "MySQL 2, Vaquita\\kv, kv",
            "MySQL 2, Vaquita\\kv, memcached",
            "MySQL 2, ext/memcached",
            "memcached",
            "Redis",
            "2 Redis, by worker",
            "3 Redis, by worker",
            "2 Redis, by key",
            "3 Redis, by key",
        ];
        assert_eq!(names(What::Get, &places(), true), expected);
    }

    #[test]
    fn who_is_not_there_is_not_measured() {
        let without = Places { extensions: None, ..places() };
        let expected =
            ["MariaDB 1, text", "MariaDB 1, prepared", "MySQL 2, text", "MySQL 2, prepared"];
        assert_eq!(names(What::Get, &without, false), expected);
        let one = Places { redis: vec![String::new()], memcached: None, ..places() };
        let expected = [
            "MariaDB 1, text",
            "MariaDB 1, Vaquita\\kv",
            "MariaDB 1, Vaquita\\kv, kv",
            "MySQL 2, text",
            "MySQL 2, Vaquita\\kv",
            "MySQL 2, Vaquita\\kv, kv",
            "MySQL 2, ext/memcached",
            "Redis",
            "Redis, pipelined",
        ];
        assert_eq!(names(What::GetMany(10), &one, true), expected);
    }

    #[test]
    fn no_redis_waits_for_a_worker() {
        let lines = lines(&places(), true, Size::Full);
        let of = |workers| {
            let group = What::Get.group(workers);
            lines
                .iter()
                .filter(|it| it.case.group == group && it.case.name.contains("by worker"))
                .count()
        };
        assert_eq!([of(1), of(2), of(4)], [0, 1, 2]);
    }
}
