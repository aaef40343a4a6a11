//! The tables of the mission, made by the server itself: the same rows on every machine.

use super::bench::{Bench, Size};
use crate::server::Server;

/// A table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Table {
    /// What the server calls it.
    pub(super) name: &'static str,
    /// What the report calls it.
    pub(super) called: &'static str,
    /// How many rows it has in full.
    rows: u32,
    /// And where a short look is enough.
    few: u32,
    columns: &'static str,
    /// Their values, made of the number `n` of the row.
    values: &'static str,
}

/// Texts of 10 to 255 characters.
pub(super) const TEXTS: Table = Table {
    name: "bench_texts",
    called: "T1: VARCHAR(255)",
    rows: 30_000,
    few: 300,
    columns: "value VARCHAR(255)",
    values: "RPAD(MD5(n), 10 + CRC32(n) % 246, MD5(n + 7))",
};

/// Eight columns of different types, 135 bytes a row on the wire.
pub(super) const MIXED: Table = Table {
    name: "bench_mixed",
    called: "T2: 8 mixed columns",
    rows: 300_000,
    few: 3_000,
    columns: "id INT PRIMARY KEY, number BIGINT, price DECIMAL(10,2), ratio DOUBLE, name VARCHAR(40), note VARCHAR(80), \
        made DATETIME, is_new TINYINT",
    values: "n, CRC32(n) * 1000, CRC32(n + 1) % 1000000 / 100, CRC32(n + 2) / 1024, RPAD('name ', 8 + CRC32(n + 3) % 24, MD5(n)), \
        IF(n % 10 = 0, NULL, RPAD(MD5(n + 4), 20 + CRC32(n + 4) % 60, MD5(n))), \
        '2009-11-22 12:00:00' + INTERVAL CRC32(n + 5) % 500000000 SECOND, n % 2",
};

/// Values of 100 KB.
pub(super) const LARGE: Table = Table {
    name: "bench_large",
    called: "T3: 100 KB each",
    rows: 2_000,
    few: 20,
    columns: "value MEDIUMTEXT",
    values: "RPAD(MD5(n), 102400, MD5(n))",
};

/// How many rows `bench_wide` has.
pub(super) const WIDE_ROWS: u32 = 1_000;
/// And how many columns.
const WIDE_COLUMNS: usize = 40;

/// The three of them.
pub(super) const TABLES: [Table; 3] = [TEXTS, MIXED, LARGE];

/// How large they are, for a report.
pub(super) fn sizes(size: Size) -> String {
    let [texts, mixed, large] = TABLES.map(|table| table.rows(size));
    format!("T1 has {texts} rows, T2 {mixed}, T3 {large}.")
}

impl Table {
    /// How many rows it has.
    pub(super) fn rows(&self, size: Size) -> u32 {
        match size {
            Size::Full => self.rows,
            Size::Small => self.few,
        }
    }

    /// Makes it anew, unless it is there with all of its rows.
    ///
    /// # Errors
    /// What the server says.
    pub(super) fn load(&self, bench: &Bench, server: &Server) -> Result<(), String> {
        let Table { name, columns, values, .. } = self;
        make(bench, server, name, columns, values, self.rows(bench.size))
    }
}

/// Makes the table `bench_wide` of short columns, in turn numbers and texts; the first is the key.
///
/// # Errors
/// What the server says.
pub(super) fn load_wide(bench: &Bench, server: &Server) -> Result<(), String> {
    let column = |at: usize| match at {
        0 => ("c0 INT PRIMARY KEY".to_owned(), "n".to_owned()),
        _ if at.is_multiple_of(2) => (format!("c{at} INT"), format!("CRC32(n + {at}) % 100000")),
        _ => (format!("c{at} VARCHAR(20)"), format!("LEFT(MD5(n + {at}), 4 + n % 12)")),
    };
    let (columns, values): (Vec<_>, Vec<_>) = (0..WIDE_COLUMNS).map(column).unzip();
    make(bench, server, "bench_wide", &columns.join(", "), &values.join(", "), WIDE_ROWS)
}

fn make(
    bench: &Bench,
    server: &Server,
    name: &str,
    columns: &str,
    values: &str,
    rows: u32,
) -> Result<(), String> {
    let known = format!(
        "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = '{name}'"
    );
    let count = format!("SELECT COUNT(*) FROM {name}");
    if bench.sql(server, &[&known])? == "1" && bench.sql(server, &[&count])? == rows.to_string() {
        return Ok(());
    }
    let drop = format!("DROP TABLE IF EXISTS {name}");
    let create = format!("CREATE TABLE {name} ({columns}) ENGINE=InnoDB CHARACTER SET utf8mb4");
    // Ten to the power of six numbers, without recursion: its limit has another name on each server.
    let digits = "(SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 \
        UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9)";
    let numbers = format!(
        "SELECT 1 + a.d + 10 * b.d + 100 * c.d + 1000 * d.d + 10000 * e.d + 100000 * f.d AS n \
        FROM {digits} a, {digits} b, {digits} c, {digits} d, {digits} e, {digits} f"
    );
    let fill = format!(
        "INSERT INTO {name} SELECT {values} FROM ({numbers}) AS numbers WHERE n <= {rows} ORDER BY n"
    );
    bench.sql(server, &["SET sql_mode = 'NO_ENGINE_SUBSTITUTION'", &drop, &create, &fill])?;
    let made = bench.sql(server, &[&count])?;
    if made == rows.to_string() {
        Ok(())
    } else {
        Err(format!("{name} has {made} rows, not {rows}"))
    }
}
