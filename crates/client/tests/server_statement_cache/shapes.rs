//! Random statements of the shapes that are kept, with parameters of all types and odd values: what a statement answers and does that ran with
//! others before is what a fresh one does.

use vaquita_client::{Data, Parameter};

use crate::ALONE;
use crate::random::{Dice, Side};
use crate::servers::{Feature, Server, run};

/// How often statements are thrown, and how many runs they have then.
const ROUNDS: u64 = 40;
const RUNS: usize = 60;
/// How many are run in turn, so that most are kept.
const STATEMENTS: usize = 4;

const COLUMNS: [(&str, &str); 19] = [
    ("i", "INT"),
    ("ti", "TINYINT"),
    ("u", "BIGINT UNSIGNED"),
    ("b", "BIGINT"),
    ("de", "DECIMAL(30,5)"),
    ("f", "FLOAT"),
    ("d", "DOUBLE"),
    ("s", "VARCHAR(40) CHARACTER SET utf8mb4"),
    ("l", "VARCHAR(40) CHARACTER SET latin1 COLLATE latin1_bin"),
    ("tx", "TEXT"),
    ("bl", "BLOB"),
    ("dt", "DATETIME"),
    ("ts", "DATETIME(3)"),
    ("da", "DATE"),
    ("tm", "TIME"),
    ("y", "YEAR"),
    ("e", "ENUM('a', 'b', '1')"),
    ("bi", "BIT(8)"),
    ("js", "JSON"),
];
const ROWS: &str = "(1, 5, 5, 18446744073709551615, 9007199254740992, 0.5, 1.5, 1.5, '1.5', '1.5', '5', 'x', '2020-01-01 10:00:00',
    '2020-01-01 10:00:00.25', '2020-01-01', '10:00:00', 2020, 'a', 5, '1'),
    (2, -7, 0, 5, 9007199254740993, 9007199254740993.5, 2, 0.1, 'abc', 'abc', 'abc', 'abc', '2020-01-02 00:00:00',
    '2021-01-01 10:00:00', '2020-01-02', '11:00:00', 2021, 'b', 6, '\"abc\"'),
    (3, 20200101, 1, 0, -5, 0.1, 0, 1e300, '05', '05', '0', '', '2020-11-22 14:00:59',
    '2020-01-02 00:00:00', '2021-01-01', '00:00:00', 2000, '1', 0, '{}')";

const NUMBERS: [i64; 7] =
    [5, -7, 0, i64::MAX, 9_007_199_254_740_993, 20_200_101, 20_200_102_100_000];
const DOUBLES: [f64; 6] = [1.5, -1.5, 5.0, 0.0, 1e-5, 1e300];
const TEXTS: [&str; 22] = [
    "abc",
    "",
    "5",
    "05",
    "-7",
    "1.5",
    "9007199254740993",
    "9007199254740993.5",
    "18446744073709551615",
    "5e3",
    " 5",
    "5x",
    "\u{e9}",
    "a%",
    "2020-01-01",
    "2020-01-01 10:00:00",
    "2020-01-01 10:00:00.25",
    "0000-00-00",
    "2020-13-41",
    "10:00",
    "20200101",
    "550e8400-e29b",
];

fn parameter(dice: &mut Dice) -> Parameter<'static> {
    let text = |dice: &mut Dice| Data::Bytes(TEXTS[dice.roll(TEXTS.len())].as_bytes());
    match dice.roll(20) {
        0..5 => Parameter::Integer(Some(NUMBERS[dice.roll(NUMBERS.len())])),
        5..8 => Parameter::Double(Some(DOUBLES[dice.roll(DOUBLES.len())])),
        8..16 => Parameter::Text(text(dice)),
        16 => Parameter::Blob(text(dice)),
        17 => Parameter::Tiny(1),
        18 => Parameter::Text(Data::Null),
        _ => Parameter::Null,
    }
}

/// Parameters as a human reads them.
fn told(parameters: &[Parameter<'_>]) -> String {
    let one = |parameter: &Parameter<'_>| match parameter {
        Parameter::Text(Data::Bytes(text)) => format!("'{}'", text.escape_ascii()),
        other => format!("{other:?}"),
    };
    parameters.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn statement(dice: &mut Dice) -> String {
    let mut column = || COLUMNS[dice.roll(COLUMNS.len())].0;
    let (one, other, third) = (column(), column(), column());
    let sign = ["=", "<>", "<", ">=", "<=>", "LIKE", "NOT LIKE", "!="][dice.roll(8)];
    let condition = match dice.roll(5) {
        0 => format!("{one} {sign} ? AND {other} > ?"),
        1 => format!("({one} {sign} ? OR {one} = ?) AND id < 3"),
        2 => format!("{one} {sign} ? OR {other} IS NULL"),
        _ => format!("{one} {sign} ?"),
    };
    match dice.roll(14) {
        0 => format!("SELECT * FROM w WHERE {condition} ORDER BY id"),
        1 => format!("SELECT COUNT(*), MAX({third}) AS m FROM w WHERE {condition}"),
        2 => format!("SELECT DISTINCT {third} FROM w WHERE {condition} ORDER BY {third} DESC"),
        3 => format!("SELECT id FROM w WHERE {condition} ORDER BY id LIMIT 2"),
        4 => format!(
            "SELECT a.id, b.* FROM w a INNER JOIN w AS b ON a.{one} = b.{one} WHERE b.{other} {sign} ? ORDER BY a.id, b.id"
        ),
        5 => format!(
            "SELECT a.id, b.{third} FROM w a LEFT JOIN w b ON a.{one} = b.{other} AND b.{third} {sign} ? ORDER BY a.id, b.id"
        ),
        6 => format!("SELECT {third} FROM w WHERE {condition} FOR UPDATE"),
        7 => format!("INSERT INTO w ({one}) VALUES (?), (?)"),
        8 => format!("REPLACE INTO w (id, {one}) VALUES (1, ?)"),
        9 => format!("UPDATE w SET {third} = ? WHERE {condition}"),
        10 => format!("UPDATE w SET {one} = ?, s = 'z' WHERE id = 1"),
        11 => format!("DELETE FROM w WHERE {condition}"),
        _ => format!("SELECT id, {third} FROM w WHERE {condition}"),
    }
}

/// Has both begin with the same rows, under this `sql_mode`.
fn begin(sides: &mut [Side; 2], mode: &str) {
    let columns: Vec<String> =
        COLUMNS.iter().map(|(name, column_type)| format!("{name} {column_type}")).collect();
    for side in sides {
        for sql in [
            "SET sql_mode = ''",
            "DROP TABLE IF EXISTS w",
            &format!(
                "CREATE TABLE w (id INT PRIMARY KEY AUTO_INCREMENT, {}) ENGINE = InnoDB",
                columns.join(", ")
            ),
            &format!("INSERT INTO w VALUES {ROWS}"),
            &format!("SET sql_mode = '{mode}'"),
        ] {
            let shown = side.query(sql);
            assert!(!shown.starts_with("error"), "{sql}: {shown}");
        }
    }
}

#[test]
fn a_statement_that_ran_before_is_as_a_fresh_one() {
    let _alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    for server in Server::with(Feature::SessionTrack) {
        let mut admin = server.connect();
        let mut sides = [16, 0].map(|most| Side::begin(&server, &mut admin, most));
        for seed in 1..=ROUNDS {
            let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
            if seed % 20 == 1 {
                begin(&mut sides, ["", "STRICT_ALL_TABLES", "ANSI"][dice.roll(3)]);
            }
            let statements: Vec<String> = (0..STATEMENTS).map(|_| statement(&mut dice)).collect();
            let mut story = String::new();
            for _ in 0..RUNS {
                let text = &statements[dice.roll(STATEMENTS)];
                let count = text.matches('?').count();
                let run_again = [0, 0, 1, 2][dice.roll(4)];
                let runs: Vec<Vec<Parameter<'_>>> = (0..=run_again)
                    .map(|_| (0..count).map(|_| parameter(&mut dice)).collect())
                    .collect();
                for begun in sides.each_mut().map(|it| it.query("BEGIN")) {
                    assert!(!begun.starts_with("error"), "{begun}");
                }
                let mut look = |sql: &str, runs: &[Vec<Parameter<'_>>]| {
                    let [one, other] = sides.each_mut().map(|it| it.once(sql, runs));
                    if sql == *text {
                        let told: Vec<String> = runs.iter().map(|it| told(it)).collect();
                        story += &format!("{sql} {} -> {other}\n", told.join("; then "));
                    }
                    assert_eq!(one, other, "{}, round {seed}:\n{story}", server.name);
                };
                look(text, &runs);
                look("SELECT * FROM w ORDER BY id", &[Vec::new()]);
                for ended in sides.each_mut().map(|it| it.query("ROLLBACK")) {
                    assert!(!ended.starts_with("error"), "{ended}");
                }
                if dice.roll(20) == 0 {
                    // The server prepares again what is run next.
                    story += "another session: ALTER TABLE\n";
                    for side in &sides {
                        let table = format!("{}.w", side.database());
                        run(&mut admin, &format!("ALTER TABLE {table} COMMENT '{seed}'"));
                    }
                }
            }
        }
        let sent = sides.each_ref().map(|it| it.connection.counted().packets_sent);
        eprintln!("{}: {} packets less", server.name, sent[1].saturating_sub(sent[0]));
    }
}
