//! The statements' texts. Names stand in backticks, which every `sql_mode` knows; values never stand there.

use crate::table::{Column, Kind, Table, UniqueIndex};

/// The most characters of a column that a JSON_TABLE is made with; an index has no longer ones.
const MAX_CHARACTERS: u64 = 16_000;

/// A table and its key, as they stand in statements.
#[derive(Debug)]
pub(super) struct Texts {
    /// The table, with its database. It has no other name in any statement: LOCK TABLES knows it by this one.
    pub(super) table: Box<[u8]>,
    /// `WHERE` and the condition of one key.
    pub(super) of_key: Box<[u8]>,
    /// Asks for the row of one key.
    pub(super) select: Box<[u8]>,
    /// Asks for the rows of those in one JSON array; `None`: there is none that a server would read.
    pub(super) select_many: Option<Box<[u8]>>,
}

impl Texts {
    pub(super) fn new(
        table: &Table,
        index: &UniqueIndex,
        key: &[Column],
        values: &[&Column],
    ) -> Texts {
        let name = [quoted(&table.database), quoted(&table.name)].join(&b'.');
        let conditions: Vec<Vec<u8>> =
            key.iter().map(|column| [&*quoted(&column.name), b" = ?"].concat()).collect();
        let of_key = [b" WHERE ", &*conditions.join(&b" AND "[..])].concat();
        let names: Vec<Vec<u8>> = values.iter().map(|column| quoted(&column.name)).collect();
        let one = if names.is_empty() { b"1".to_vec() } else { names.join(&b", "[..]) };
        // Without a limit of its own that of the session counts (sql_select_limit). In this form a port can answer it.
        let select = [b"SELECT ", &*one, b" FROM ", &name, &of_key, b" LIMIT 1"].concat().into();
        let columns: Vec<Vec<u8>> =
            names.iter().map(|column| [&*name, b".", column].concat()).collect();
        let select_many = select_many(&name, index, key, &columns);
        Texts { table: name.into(), of_key: of_key.into(), select, select_many }
    }

    /// Asks whether there is a row of a key that others have committed, too, and has it stay.
    pub(super) fn is_there(&self) -> Vec<u8> {
        [b"SELECT 1 FROM ", &*self.table, &self.of_key, b" LIMIT 1 LOCK IN SHARE MODE"].concat()
    }

    pub(super) fn delete(&self) -> Vec<u8> {
        [b"DELETE FROM ", &*self.table, &self.of_key].concat()
    }

    pub(super) fn update(&self, key: &[Column], columns: &[&Column]) -> Vec<u8> {
        let mut sets: Vec<Vec<u8>> =
            columns.iter().map(|column| [&*quoted(&column.name), b" = ?"].concat()).collect();
        if sets.is_empty() {
            sets.extend(key.first().map(|column| {
                let name = quoted(&column.name);
                [&*name, b" = ", &name].concat()
            }));
        }
        [b"UPDATE ", &*self.table, b" SET ", &sets.join(&b", "[..]), &self.of_key].concat()
    }

    pub(super) fn insert(&self, key: &[Column], columns: &[&Column]) -> Vec<u8> {
        let all = key.iter().chain(columns.iter().copied());
        let names: Vec<Vec<u8>> = all.map(|column| quoted(&column.name)).collect();
        let marks = vec![b'?'; names.len()];
        let marks: Vec<&[u8]> = marks.chunks(1).collect();
        let (names, marks) = (names.join(&b", "[..]), marks.join(&b", "[..]));
        [b"INSERT INTO ", &*self.table, b" (", &names, b") VALUES (", &marks, b")"].concat()
    }
}

/// Asks for the rows of many keys, each with the number of its key: the server says which is whose, by the collation of the column. The keys
/// are one parameter, so that there is one such statement, however many they are.
fn select_many(
    table: &[u8],
    index: &UniqueIndex,
    key: &[Column],
    columns: &[Vec<u8>],
) -> Option<Box<[u8]>> {
    let (mut made, mut equal) = (Vec::new(), Vec::new());
    for (column, number) in key.iter().zip(0..) {
        // One key of one column is a value, of several an array.
        let path = if key.len() == 1 { "$".to_owned() } else { format!("$[{number}]") };
        let kind = json_kind(&column.kind)?;
        made.push(format!("k{number} {kind} PATH '{path}'").into_bytes());
        let given = if matches!(column.kind, Kind::Bytes { .. }) {
            format!("UNHEX(vaquita_keys.k{number})")
        } else {
            format!("vaquita_keys.k{number}")
        };
        let name = quoted(&column.name);
        equal.push([table, b".", &name, b" = ", given.as_bytes()].concat());
    }
    let mut all = columns.to_vec();
    all.push(b"vaquita_keys.n".to_vec());
    let (all, made, equal) =
        (all.join(&b", "[..]), made.join(&b", "[..]), equal.join(&b" AND "[..]));
    let text = [
        b"SELECT ",
        &*all,
        b" FROM JSON_TABLE(?, '$[*]' COLUMNS (n FOR ORDINALITY, ",
        &made,
        // Each key is looked up, however few rows the server thinks that there are.
        b")) AS vaquita_keys STRAIGHT_JOIN ",
        table,
        b" FORCE INDEX FOR JOIN (",
        &quoted(&index.name),
        b") ON ",
        &equal,
        b" LIMIT 1000000",
    ];
    Some(text.concat().into())
}

/// The type of a key's column in a JSON_TABLE: as it is in the table, so that the server compares as it does there. Bytes are none of JSON's: they
/// come as hexadecimal digits.
fn json_kind(kind: &Kind) -> Option<String> {
    let is_name = |name: &[u8]| {
        let is_of_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        !name.is_empty() && name.iter().all(is_of_name)
    };
    match kind {
        Kind::Integer { bytes, is_unsigned, .. } => {
            let name = match bytes {
                1 => "TINYINT",
                2 => "SMALLINT",
                3 => "MEDIUMINT",
                4 => "INT",
                _ => "BIGINT",
            };
            Some(format!("{name}{}", if *is_unsigned { " UNSIGNED" } else { "" }))
        }
        Kind::Text { most, charset, collation, .. }
            if is_name(charset) && is_name(collation) && *most <= MAX_CHARACTERS =>
        {
            let [charset, collation] =
                [charset, collation].map(|name| String::from_utf8_lossy(name));
            Some(format!("VARCHAR({most}) CHARACTER SET {charset} COLLATE {collation}"))
        }
        Kind::Bytes { most, .. } if *most <= MAX_CHARACTERS => {
            Some(format!("VARCHAR({}) CHARACTER SET latin1", most * 2))
        }
        _ => None,
    }
}

/// A name in backticks.
pub(super) fn quoted(name: &[u8]) -> Vec<u8> {
    let mut quoted = vec![b'`'];
    for byte in name {
        if *byte == b'`' {
            quoted.push(b'`');
        }
        quoted.push(*byte);
    }
    quoted.push(b'`');
    quoted
}
