//! By which way an ordinary connection gives rows by their keys fastest: `scripts/with-servers mariadb mysql80 -- cargo run --release -p vaquita-kv
//! --example ways`. The figures are in `docs/kv.md`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a measurement that fails says where"
)]

#[path = "../../client/tests/servers/mod.rs"]
mod servers;

use std::time::{Duration, Instant};

use servers::{Server, run};
use vaquita_client::{
    Connection, Data, Error, Parameter, Pipelined, QueryResponse, Statement, Until,
};
use vaquita_kv::{KeyValue, KeyedTable, Table};

/// How many rows a table has.
const ROWS: usize = 25_000;

/// For so long a way runs each time that it is its turn, at least.
const TURN: Duration = Duration::from_millis(10);

/// How often it is its turn: the median of these counts.
const TURNS: usize = 31;

/// How many keys are asked for at once.
const COUNTS: [usize; 6] = [1, 2, 5, 10, 100, 1000];

/// A table: its name, and the type of its key.
#[derive(Debug)]
struct Kind {
    table: &'static str,
    key: &'static str,
    is_text: bool,
}

const KINDS: [Kind; 3] = [
    Kind {
        table: "text_bin",
        key: "VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
        is_text: true,
    },
    // Of the server's own collation.
    Kind { table: "text", key: "VARCHAR(100) CHARACTER SET utf8mb4", is_text: true },
    Kind { table: "int", key: "INT", is_text: false },
];

impl Kind {
    /// The key of a number: itself, or a text of 100 bytes that begins as others do and goes on as a hash does.
    fn key(&self, number: usize) -> String {
        if !self.is_text {
            return number.to_string();
        }
        let mut hash = number as u64;
        let mut key = "session:".to_owned();
        while key.len() < 100 {
            hash = hash.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            hash ^= hash >> 29;
            key += &format!("{hash:016x}");
        }
        key.truncate(100);
        key
    }

    /// It as it stands in a statement, between these.
    fn between(&self, number: usize, quote: &str) -> String {
        let quote = if self.is_text { quote } else { "" };
        format!("{quote}{}{quote}", self.key(number))
    }

    fn literal(&self, number: usize) -> String {
        self.between(number, "'")
    }

    fn make(&self, connection: &mut Connection) {
        let Kind { table, key, .. } = self;
        run(connection, &format!("DROP TABLE IF EXISTS `{table}`"));
        run(
            connection,
            &format!(
                "CREATE TABLE `{table}` (k {key} NOT NULL PRIMARY KEY, v VARCHAR(400) NOT NULL) ENGINE = InnoDB"
            ),
        );
        let numbers: Vec<usize> = (0..ROWS).collect();
        for some in numbers.chunks(500) {
            let row = |it: &usize| format!("({}, '{}')", self.literal(*it), "v".repeat(400));
            let rows: Vec<String> = some.iter().map(row).collect();
            run(connection, &format!("INSERT INTO `{table}` VALUES {}", rows.join(",")));
        }
        query(connection, &format!("ANALYZE TABLE `{table}`")).unwrap();
    }
}

/// How rows are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// A SELECT for each key, or as a prepared statement; or HANDLER, of which MySQL prepares none.
    Select,
    Execute,
    Handler,
    /// The same for each key, sent at once.
    PipelinedSelects,
    PipelinedExecutes,
    /// `WHERE k IN (...)`, which says of no row which key it has.
    In,
    InExecute,
    /// `SELECT 0, v FROM t WHERE k = ... UNION ALL ...`.
    Union,
    UnionExecute,
    /// The keys with their numbers as a table: of SELECTs, of VALUES, or of one parameter.
    JoinUnion,
    JoinValues,
    JsonTable,
    /// What is made of it.
    KeyedTable,
}

const WAYS: [Way; 13] = [
    Way::Select,
    Way::Execute,
    Way::Handler,
    Way::PipelinedSelects,
    Way::PipelinedExecutes,
    Way::In,
    Way::InExecute,
    Way::Union,
    Way::UnionExecute,
    Way::JoinUnion,
    Way::JoinValues,
    Way::JsonTable,
    Way::KeyedTable,
];

impl Way {
    /// Whether it is measured with so many keys.
    fn takes(self, count: usize) -> bool {
        match self {
            Way::Select | Way::Execute | Way::Handler => count == 1,
            Way::Union | Way::UnionExecute => count <= 100,
            _ => true,
        }
    }

    /// The statement that is prepared for it.
    fn prepared(self, (kind, collation): (&Kind, &str), count: usize) -> Option<String> {
        let table = format!("`{}`", kind.table);
        let of_one = |number| format!("SELECT {number}, v FROM {table} WHERE k = ?");
        Some(match self {
            Way::Execute | Way::PipelinedExecutes => format!("SELECT v FROM {table} WHERE k = ?"),
            Way::InExecute => {
                format!("SELECT v, k FROM {table} WHERE k IN ({})", vec!["?"; count].join(", "))
            }
            Way::UnionExecute => (0..count).map(of_one).collect::<Vec<_>>().join(" UNION ALL "),
            Way::JsonTable => {
                let key = if kind.is_text { "VARCHAR(100) CHARACTER SET utf8mb4" } else { "INT" };
                format!(
                    "SELECT o.n, t.v FROM JSON_TABLE(?, '$[*]' COLUMNS (n FOR ORDINALITY, k {key}{collation} PATH '$')) o \
                     STRAIGHT_JOIN {table} t ON t.k = o.k"
                )
            }
            _ => return None,
        })
    }

    /// The query that it sends; `collation` is that of a key that is compared with the column's.
    fn query(self, (kind, collation): (&Kind, &str), numbers: &[usize], row: &str) -> String {
        let table = format!("`{}`", kind.table);
        let compared = |number| kind.literal(number) + collation;
        let joined = |each: &dyn Fn((usize, &usize)) -> String, by: &str| {
            numbers.iter().enumerate().map(each).collect::<Vec<_>>().join(by)
        };
        let literals = joined(&|(_, it)| kind.literal(*it), ", ");
        match self {
            Way::Handler => format!("HANDLER {table} READ `PRIMARY` = ({literals})"),
            Way::In => format!("SELECT v, k FROM {table} WHERE k IN ({literals})"),
            Way::Union => joined(
                &|(at, it)| format!("SELECT {at}, v FROM {table} WHERE k = {}", kind.literal(*it)),
                " UNION ALL ",
            ),
            Way::JoinUnion => {
                let keys = joined(
                    &|(at, it)| format!("SELECT {at} n, {} k", compared(*it)),
                    " UNION ALL ",
                );
                format!("SELECT o.n, t.v FROM ({keys}) o STRAIGHT_JOIN {table} t ON t.k = o.k")
            }
            Way::JoinValues => {
                let each = |(at, it): (usize, &usize)| format!("{row}({at}, {})", compared(*it));
                let keys = joined(&each, ", ");
                format!(
                    "WITH o(n, k) AS (VALUES {keys}) SELECT o.n, t.v FROM o STRAIGHT_JOIN {table} t ON t.k = o.k"
                )
            }
            _ => format!("SELECT v FROM {table} WHERE k = {literals}"),
        }
    }
}

/// One way to ask for so many rows of a table.
struct Asked<'k> {
    kind: &'k Kind,
    way: Way,
    count: usize,
    statement: Option<Statement>,
    keyed: KeyedTable,
    /// How this server wants to know a key's collation, and what stands before a row of VALUES.
    collation: String,
    row: &'static str,
    next: usize,
}

impl<'k> Asked<'k> {
    /// `None`: the server does not know this way.
    fn prepare(
        connection: &mut Connection,
        (kind, way, count): (&'k Kind, Way, usize),
        table: &Table,
    ) -> Option<Self> {
        let collation = match &table.columns[0].kind {
            vaquita_kv::Kind::Text { collation, .. } => {
                format!(" COLLATE {}", String::from_utf8_lossy(collation))
            }
            _ => String::new(),
        };
        let prepared = way.prepared((kind, &collation), count);
        let statement = prepared.map(|sql| connection.prepare(sql.as_bytes())).transpose().ok()?;
        let is_mariadb = connection.server_version().windows(7).any(|it| it == b"MariaDB");
        let keyed = KeyedTable::new(table, b"PRIMARY", None).unwrap();
        let row = if is_mariadb { "" } else { "ROW" };
        let mut asked = Asked { kind, way, count, statement, keyed, collation, row, next: 0 };
        let rows = asked.ask(connection).ok()?;
        assert_eq!(rows, count as u64, "{way:?} {count} {}", kind.table);
        Some(asked)
    }

    /// Asks once; how many rows there were.
    fn ask(&mut self, connection: &mut Connection) -> Result<u64, Error> {
        let numbers: Vec<usize> =
            (1..=self.count).map(|step| (self.next + step * 7919) % ROWS).collect();
        self.next = numbers[self.count - 1];
        let kind = self.kind;
        let keys: Vec<String> = numbers.iter().map(|it| kind.key(*it)).collect();
        let parameters = || {
            keys.iter().zip(&numbers).map(|(key, number)| match kind.is_text {
                true => Parameter::Text(Data::Bytes(key.as_bytes())),
                false => Parameter::Integer(i64::try_from(*number).ok()),
            })
        };
        match self.way {
            Way::Execute | Way::InExecute | Way::UnionExecute => {
                self.execute(connection, &parameters().collect::<Vec<_>>())
            }
            Way::JsonTable => {
                let all: Vec<String> = numbers.iter().map(|it| kind.between(*it, "\"")).collect();
                let json = format!("[{}]", all.join(","));
                self.execute(connection, &[Parameter::Text(Data::Bytes(json.as_bytes()))])
            }
            Way::PipelinedSelects => {
                let of_one = |it: &usize| Way::Select.query((kind, ""), &[*it], "");
                let texts: Vec<String> = numbers.iter().map(of_one).collect();
                pipeline(connection, texts.iter().map(|it| Pipelined::Query(it.as_bytes())))
            }
            Way::PipelinedExecutes => {
                let statement = self.statement.as_ref().unwrap();
                let of_one = |parameter| Pipelined::Execute(statement, vec![parameter]);
                pipeline(connection, parameters().map(of_one))
            }
            Way::KeyedTable => {
                let keys: Vec<KeyValue<'_>> =
                    keys.iter().map(|it| KeyValue::Bytes(it.as_bytes())).collect();
                let found = match &keys[..] {
                    [key] => self.keyed.get(connection, &[*key]),
                    keys => self.keyed.get_many(connection, keys),
                };
                let found = found.unwrap();
                let is_there = (0..found.keys()).filter(|key| found.row(*key).is_some());
                Ok(is_there.count() as u64)
            }
            way => query(connection, &way.query((kind, &self.collation), &numbers, self.row)),
        }
    }

    fn execute(
        &self,
        connection: &mut Connection,
        parameters: &[Parameter<'_>],
    ) -> Result<u64, Error> {
        connection.send_execute(self.statement.as_ref().unwrap(), parameters, false)?;
        read(connection)
    }

    /// Asks for a while; how long a key takes.
    fn turn(&mut self, connection: &mut Connection) -> f64 {
        let begun = Instant::now();
        let mut asked = 0_u32;
        while begun.elapsed() < TURN {
            self.ask(connection).unwrap();
            asked += u32::try_from(self.count).unwrap();
        }
        begun.elapsed().as_secs_f64() / f64::from(asked)
    }
}

fn query(connection: &mut Connection, sql: &str) -> Result<u64, Error> {
    connection.send_query(sql.as_bytes())?;
    read(connection)
}

fn read(connection: &mut Connection) -> Result<u64, Error> {
    let response = connection.read_query_response()?;
    assert!(matches!(response, QueryResponse::ResultSet(_)));
    Ok(connection.store_result()?.rows())
}

fn pipeline<'a>(
    connection: &mut Connection,
    commands: impl Iterator<Item = Pipelined<'a>>,
) -> Result<u64, Error> {
    let mut rows = 0;
    connection.pipeline(commands, Until::End, |done| {
        rows += done.unwrap().rows.unwrap().rows();
    })?;
    Ok(rows)
}

fn main() {
    for server in Server::all() {
        let mut connection = server.connect();
        for kind in &KINDS {
            kind.make(&mut connection);
            measure(&server, &mut connection, kind);
        }
    }
}

/// Measures all ways in turn, and says how many keys each finds while a SELECT finds one.
fn measure(server: &Server, connection: &mut Connection, kind: &Kind) {
    let table = Table::read(connection, server.database().as_bytes(), kind.table.as_bytes());
    let table = table.unwrap().unwrap();
    run(connection, &format!("HANDLER `{}` OPEN", kind.table));
    let all = COUNTS.iter().flat_map(|count| WAYS.map(|way| (kind, way, *count)));
    let mut all: Vec<Asked<'_>> = all
        .filter(|(_, way, count)| way.takes(*count))
        .filter_map(|asked| Asked::prepare(connection, asked, &table))
        .collect();
    let mut times = vec![Vec::new(); all.len()];
    for _ in 0..TURNS {
        for (asked, times) in all.iter_mut().zip(&mut times) {
            times.push(asked.turn(connection));
        }
    }
    for times in &mut times {
        times.sort_by(f64::total_cmp);
    }
    let median = |way: Way, count: usize| {
        let at = all.iter().position(|it| it.way == way && it.count == count)?;
        Some(times[at][TURNS / 2])
    };
    let select = median(Way::Select, 1).unwrap();
    println!("{} {}: a SELECT takes {:.0} us", server.name, kind.table, select * 1e6);
    for way in WAYS {
        let figure = |count| match median(way, count) {
            Some(time) => format!("{:8.2}", select / time),
            None => format!("{:>8}", "-"),
        };
        let figures: String = COUNTS.into_iter().map(figure).collect();
        println!("  {:18}{figures}", format!("{way:?}"));
    }
    run(connection, &format!("HANDLER `{}` CLOSE", kind.table));
}
