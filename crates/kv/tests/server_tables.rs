//! What servers say of tables.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

#[path = "../../client/tests/servers/mod.rs"]
mod servers;

use servers::{Server, run};
use vaquita_kv::{Column, Kind, Table, UniqueIndex};

fn column(name: &str, kind: Kind, is_nullable: bool) -> Column {
    Column { name: name.as_bytes().into(), kind, is_nullable, makes_numbers: name == "e" }
}

fn integer(bytes: u8, is_unsigned: bool, is_filled: bool) -> Kind {
    Kind::Integer { bytes, is_unsigned, is_filled }
}

fn text(is_fixed: bool, most: u64, charset: &str, collation: &str) -> Kind {
    let [charset, collation] = [charset, collation].map(|name| name.as_bytes().into());
    Kind::Text { is_fixed, most, charset, collation }
}

#[test]
fn tables_are_read_as_they_are() {
    for server in Server::all() {
        let mut connection = server.connect();
        for statement in [
            "DROP DATABASE IF EXISTS kv_tables",
            "CREATE DATABASE kv_tables",
            "CREATE TABLE kv_tables.`it's ``so``` (a TINYINT NOT NULL, b SMALLINT UNSIGNED NOT NULL, c MEDIUMINT, d INT ZEROFILL, \
             e BIGINT NOT NULL AUTO_INCREMENT, f CHAR(5) CHARACTER SET latin1 NOT NULL, g VARCHAR(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL, \
             h TEXT CHARACTER SET ascii, i BINARY(3), j VARBINARY(7), k BLOB NOT NULL, l DATE, m TIMESTAMP NULL, n ENUM('x') CHARACTER SET latin1, `Ä``x` INT, \
             PRIMARY KEY (e, a), UNIQUE by_part (g(2)), UNIQUE by_text (f), KEY several (b)) ENGINE = InnoDB",
            "CREATE VIEW kv_tables.a_view AS SELECT 1 AS a",
        ] {
            run(&mut connection, statement);
        }
        let table = Table::read(&mut connection, b"kv_tables", b"it's `so`").unwrap().unwrap();
        let bytes = |is_fixed, most| Kind::Bytes { is_fixed, most };
        let expected = [
            column("a", integer(1, false, false), false),
            column("b", integer(2, true, false), false),
            column("c", integer(3, false, false), true),
            column("d", integer(4, true, true), true),
            column("e", integer(8, false, false), false),
            column("f", text(true, 5, "latin1", "latin1_swedish_ci"), false),
            column("g", text(false, 50, "utf8mb4", "utf8mb4_bin"), false),
            column("h", text(false, 65535, "ascii", "ascii_general_ci"), true),
            column("i", bytes(true, 3), true),
            column("j", bytes(false, 7), true),
            column("k", bytes(false, 65535), false),
            column("l", Kind::Other { charset: Box::default() }, true),
            column("m", Kind::OfSession, true),
            column("n", Kind::Other { charset: b"latin1".as_slice().into() }, true),
            column("Ä`x", integer(4, false, false), true),
        ];
        assert_eq!(*table.columns, expected, "{}", server.name);
        let index = |name: &str, columns: Option<&[usize]>| UniqueIndex {
            name: name.as_bytes().into(),
            columns: columns.map(Into::into),
        };
        let mut indexes = table.indexes.to_vec();
        indexes.sort_by(|one, other| one.name.cmp(&other.name));
        let expected =
            [index("PRIMARY", Some(&[4, 0])), index("by_part", None), index("by_text", Some(&[5]))];
        assert_eq!(indexes, expected, "{}", server.name);
        assert_eq!((&*table.engine, table.column(b"G").unwrap().0), (&b"InnoDB"[..], 6));
        assert!(table.column(b"z").is_none());
        for none in ["a_view", "nothing", "' OR 1 = 1 -- x"] {
            let table = Table::read(&mut connection, b"kv_tables", none.as_bytes()).unwrap();
            assert_eq!(table, None, "{none}");
        }
    }
}
