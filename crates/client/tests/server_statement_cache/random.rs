//! Random sequences of what a session can do, with statements that are kept and without: each step comes to the same.

use vaquita_client::{
    ConnectOptions, Connection, Data, Error, Parameter, QueryResponse, Statement,
};

use crate::servers::{self, Server, run};
use crate::{ALONE, MOST};

const SEQUENCES: u64 = 25;
const STEPS: usize = 60;

const TEXTS: [&str; 18] = [
    "SELECT a, COUNT(*) FROM t WHERE a <> ?",
    "SELECT * FROM t WHERE a > ?",
    "SELECT * FROM t",
    "SELECT a FROM t WHERE a <> ? ORDER BY a LIMIT 3",
    "SELECT t.*, u.a AS b FROM t INNER JOIN t u ON t.a = u.a WHERE u.a <> ?",
    "SELECT a FROM t WHERE a = ? OR a LIKE ?",
    "INSERT INTO t (a) VALUES (?)",
    "UPDATE t SET a = ? WHERE a < ?",
    "DELETE FROM t WHERE a = ?",
    "SELECT 'a', 1",
    "SELECT \"a\" FROM t",
    "SELECT a, 'x' || 'y' FROM t ORDER BY a LIMIT 2",
    "SELECT ? + 1, COALESCE(?, CURRENT_DATE) IS NULL",
    "SELECT 1 / 3, CHARSET('a'), DATABASE()",
    "REPLACE INTO t (a) SELECT MAX(a) + 1 FROM t u",
    "SELECT @a, ?",
    "SET @a = ?",
    "SELECT nonsense FROM t",
];
/// What this session does; `{}` is a number.
const OWN: [&str; 19] = [
    "SET sql_mode = 'PIPES_AS_CONCAT'",
    "SET sql_mode = 'ANSI_QUOTES'",
    "SET sql_mode = ''",
    "SET NAMES latin1",
    "SET NAMES utf8mb4",
    "SET div_precision_increment = 6",
    "SET @a = 'text'",
    "SET @a = {}",
    "CREATE TEMPORARY TABLE t (a BIGINT, z INT)",
    "DROP TEMPORARY TABLE t",
    "ALTER TABLE t ADD n{} INT DEFAULT 4",
    "TRUNCATE TABLE t",
    "START TRANSACTION",
    "START TRANSACTION READ ONLY",
    "SET SESSION TRANSACTION READ WRITE",
    "COMMIT",
    "ROLLBACK",
    "SET autocommit = 1",
    "SELECT 1 / 0, 'warned' + 1",
];
/// What another session does to the tables of both.
const OTHERS: [&str; 6] = [
    "ALTER TABLE t ADD o{} VARCHAR(9) DEFAULT 'o'",
    "ALTER TABLE t MODIFY a VARCHAR(9)",
    "ALTER TABLE t MODIFY a INT",
    "DROP TABLE IF EXISTS t",
    "CREATE TABLE IF NOT EXISTS t (a INT)",
    "INSERT INTO t (a) VALUES ({})",
];

/// Xorshift: the same sequence for the same seed.
pub(super) struct Dice(pub(super) u64);

impl Dice {
    pub(super) fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % sides
    }

    fn parameters(&mut self, count: usize) -> Vec<Parameter<'static>> {
        const NUMBERS: [i64; 5] = [2, 0, -3, 20_261_122_140_059, i64::MAX];
        const WORDS: [&str; 7] = ["abc", "7", "-7", "1.5", "", "2026-11-22 10:00:00", "5e3"];
        let one = |dice: &mut Dice| match dice.roll(5) {
            0 | 1 => Parameter::Integer(Some(NUMBERS[dice.roll(NUMBERS.len())])),
            2 => Parameter::Double(Some([1.5, 0.0, 1e-5][dice.roll(3)])),
            3 => Parameter::Null,
            _ => Parameter::Text(Data::Bytes(WORDS[dice.roll(WORDS.len())].as_bytes())),
        };
        (0..count).map(|_| one(self)).collect()
    }
}

/// One of the two: its connection, its databases, and the statements that are open.
pub(super) struct Side {
    pub(super) connection: Connection,
    databases: [String; 2],
    open: Vec<Statement>,
}

impl Side {
    pub(super) fn begin(server: &Server, admin: &mut Connection, most: usize) -> Side {
        let databases = ["a", "b"].map(|it| format!("random_{most}_{it}"));
        for database in &databases {
            run(admin, &format!("DROP DATABASE IF EXISTS {database}"));
            run(admin, &format!("CREATE DATABASE {database}"));
            run(admin, &format!("CREATE TABLE {database}.t (a INT)"));
            run(admin, &format!("INSERT INTO {database}.t VALUES (1), (2), (3)"));
        }
        let database = Some(databases[0].clone().into_bytes());
        let options = server.options(server.unix());
        let options = ConnectOptions { statement_cache: most, database, ..options };
        Side { connection: servers::connect(&options), databases, open: Vec::new() }
    }

    /// The database that it begins in.
    pub(super) fn database(&self) -> &str {
        &self.databases[0]
    }

    /// What an answer says, but for the names of the databases.
    fn shown(&mut self, answer: Result<QueryResponse, Error>) -> String {
        let answer = match answer {
            Err(error) => return format!("error {}", error.code()),
            Ok(answer) => answer,
        };
        let mut shown = String::new();
        if let QueryResponse::ResultSet(columns) = answer {
            for column in columns.iter() {
                let name = column.name().escape_ascii();
                let (charset, length) = (column.charset, column.length);
                let (flags, decimals) = (column.flags, column.decimals);
                shown += &format!(
                    "{name} {:?} {charset} {length} {flags:?} {decimals}, ",
                    column.column_type
                );
            }
            match self.connection.store_result() {
                Err(error) => return format!("{shown} error {}", error.code()),
                Ok(mut stored) => {
                    while let Some(row) = stored.next_row() {
                        for value in row.values() {
                            let value = value.map(|it| it.escape_ascii().to_string());
                            shown += &format!("{value:?} ");
                        }
                        shown += "| ";
                    }
                }
            }
        }
        let session = self.connection.session();
        let (rows, warnings) = (session.affected_rows, session.warnings);
        format!("{shown} {rows} rows, {warnings} warnings")
            .replace(&self.databases[0], "A")
            .replace(&self.databases[1], "B")
    }

    pub(super) fn query(&mut self, sql: &str) -> String {
        let answer = self
            .connection
            .send_query(sql.as_bytes())
            .and_then(|()| self.connection.read_query_response());
        self.shown(answer)
    }

    fn execute(&mut self, statement: &Statement, parameters: &[Parameter<'_>]) -> String {
        let sent = self.connection.send_execute(statement, parameters, false);
        let answer =
            sent.and_then(|()| self.connection.read_executed(statement, parameters, false));
        self.shown(answer)
    }

    /// Prepares a statement, runs it with each of these parameters in turn, and closes it.
    pub(super) fn once(&mut self, text: &str, runs: &[Vec<Parameter<'_>>]) -> String {
        match self.connection.prepare(text.as_bytes()) {
            Err(error) => format!("error {}", error.code()),
            Ok(statement) => {
                let shown: Vec<String> =
                    runs.iter().map(|it| self.execute(&statement, it)).collect();
                self.connection.close_statement(&statement).unwrap();
                shown.join("; then ")
            }
        }
    }
}

/// What a step of both comes to; what is opened by one only was refused by the server of late, and fails when it runs.
fn step(dice: &mut Dice, admin: &mut Connection, sides: &mut [Side; 2]) -> (String, [String; 2]) {
    let text = TEXTS[dice.roll(TEXTS.len())];
    let parameters = dice.parameters(text.matches('?').count());
    let number = dice.roll(1000);
    let open = sides[0].open.len();
    match dice.roll(20) {
        0..8 => {
            let shown = sides.each_mut().map(|it| it.once(text, std::slice::from_ref(&parameters)));
            (format!("{text} {parameters:?}"), shown)
        }
        8..11 => {
            let [kept, fresh] = sides;
            let prepared =
                [&mut *kept, &mut *fresh].map(|it| it.connection.prepare(text.as_bytes()));
            let shown = match prepared {
                [Ok(one), Ok(other)] => {
                    let columns = [&one, &other].map(|it| it.columns().is_empty().to_string());
                    kept.open.push(one);
                    fresh.open.push(other);
                    columns
                }
                [Ok(late), Err(error)] => {
                    [kept.execute(&late, &parameters), format!("error {}", error.code())]
                }
                refused => refused.map(|it| format!("error {}", it.unwrap_err().code())),
            };
            (format!("open {text}"), shown)
        }
        11..14 if open > 0 => {
            let at = dice.roll(open);
            let count = usize::from(sides[0].open[at].params());
            let parameters = dice.parameters(count);
            let shown = sides.each_mut().map(|it| {
                let statement = it.open[at].clone();
                let shown = it.execute(&statement, &parameters);
                it.open[at] = statement;
                shown
            });
            (format!("run {at} {parameters:?}"), shown)
        }
        14 if open > 0 => {
            let at = dice.roll(open);
            let shown = sides.each_mut().map(|it| {
                let statement = it.open.swap_remove(at);
                it.connection.close_statement(&statement).map_err(|error| error.code())
            });
            (format!("close {at}"), shown.map(|it| format!("{it:?}")))
        }
        15 => {
            let at = dice.roll(2);
            let shown = sides.each_mut().map(|it| it.query(&format!("USE {}", it.databases[at])));
            (format!("use {at}"), shown)
        }
        16..18 => {
            let sql = OWN[dice.roll(OWN.len())].replace("{}", &number.to_string());
            let shown = sides.each_mut().map(|it| it.query(&sql));
            (sql, shown)
        }
        _ => {
            let (at, sql) = (dice.roll(2), OTHERS[dice.roll(OTHERS.len())]);
            let sql = sql.replace("{}", &number.to_string());
            // Nobody is to wait for a transaction.
            let shown = sides.each_mut().map(|it| it.query("COMMIT"));
            for side in sides.iter() {
                run(admin, &format!("USE {}", side.databases[at]));
                admin.send_query(sql.as_bytes()).unwrap();
                let _ = admin.read_query_response();
            }
            (format!("another session: {sql}"), shown)
        }
    }
}

#[test]
fn each_step_comes_to_the_same() {
    let _alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    for server in Server::all() {
        let mut admin = server.connect();
        let mut kept = 0;
        for seed in 1..=SEQUENCES {
            let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
            let mut sides = [MOST, 0].map(|most| Side::begin(&server, &mut admin, most));
            let mut story = String::new();
            for _ in 0..STEPS {
                let (what, [one, other]) = step(&mut dice, &mut admin, &mut sides);
                story += &format!("{what} -> {other}\n");
                assert_eq!(one, other, "{}, sequence {seed}:\n{story}", server.name);
            }
            let sent = sides.each_ref().map(|it| it.connection.counted().packets_sent);
            kept += sent[1].saturating_sub(sent[0]);
        }
        eprintln!("{}: {kept} packets less", server.name);
    }
}
