//! The demo's table: 30,000 rows of one `VARCHAR(255)`, each of a random length, the same on every machine.

use std::io::{self, Write};

/// The table's name, also the default of `examples/fetch.php`.
pub(crate) const TABLE: &str = "fetch_demo";
/// The number of its rows.
pub(crate) const ROWS: u64 = 30_000;
/// The shortest value, in characters.
pub(crate) const SHORTEST: usize = 10;
/// The longest value, in characters: what a `VARCHAR(255)` can hold.
pub(crate) const LONGEST: usize = 255;

const SEED: u64 = 2026;
const ROWS_PER_INSERT: u64 = 1_000;

/// The table's values: an endless iterator over the same sequence each time.
pub(crate) struct Values {
    random: SplitMix64,
}

impl Values {
    /// Starts at the first row.
    pub(crate) fn new() -> Self {
        Self { random: SplitMix64(SEED) }
    }
}

impl Iterator for Values {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        let [low, high, ..] = self.random.next_bytes();
        let length =
            SHORTEST + usize::from(u16::from_le_bytes([low, high])) % (LONGEST - SHORTEST + 1);
        let mut value = String::with_capacity(length + 8);
        while value.len() < length {
            let letters = self.random.next_bytes().map(|byte| char::from(b'a' + byte % 26));
            value.extend(letters);
        }
        value.truncate(length);
        Some(value)
    }
}

/// Writes the SQL that makes the table anew and fills it.
///
/// # Errors
/// Those of the writer.
pub(crate) fn write_sql(sql: &mut impl Write) -> io::Result<()> {
    writeln!(sql, "DROP TABLE IF EXISTS {TABLE};")?;
    writeln!(
        sql,
        "CREATE TABLE {TABLE} (value VARCHAR({LONGEST})) ENGINE=InnoDB CHARACTER SET utf8mb4;"
    )?;
    writeln!(sql, "START TRANSACTION;")?;
    for (row, value) in (0..ROWS).zip(Values::new()) {
        let before = if row % ROWS_PER_INSERT == 0 {
            format!("INSERT INTO {TABLE} VALUES ")
        } else {
            String::new()
        };
        let after = if row % ROWS_PER_INSERT == ROWS_PER_INSERT - 1 { ';' } else { ',' };
        writeln!(sql, "{before}('{value}'){after}")?;
    }
    writeln!(sql, "COMMIT;")
}

/// Sebastiano Vigna's SplitMix64: small, and good enough for test data. <https://prng.di.unimi.it/splitmix64.c>
struct SplitMix64(u64);

impl SplitMix64 {
    fn next_bytes(&mut self) -> [u8; 8] {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)).to_le_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_the_same_each_time_and_of_all_lengths() {
        let first: Vec<String> = Values::new().take(30_000).collect();
        let second: Vec<String> = Values::new().take(30_000).collect();
        assert_eq!(first, second);
        assert_eq!(first.iter().map(String::len).min(), Some(SHORTEST));
        assert_eq!(first.iter().map(String::len).max(), Some(LONGEST));
    }

    /// The generator's published first values for the seed 1234567.
    #[test]
    fn splitmix64_is_the_published_one() {
        let mut random = SplitMix64(1_234_567);
        assert_eq!(u64::from_le_bytes(random.next_bytes()), 6_457_827_717_110_365_317);
        assert_eq!(u64::from_le_bytes(random.next_bytes()), 3_203_168_211_198_807_973);
    }

    #[test]
    fn sql_ends_each_insert() {
        let mut sql = Vec::new();
        write_sql(&mut sql).unwrap();
        let sql = String::from_utf8(sql).unwrap();
        assert_eq!(sql.matches("INSERT INTO").count(), 30);
        assert_eq!(sql.matches("');\n").count(), 30);
        assert_eq!(sql.matches("('").count(), 30_000);
    }
}
