//! Servers that know less, say more, or call things by other names than others do; and one packet where another is due.

use vaquita_protocol::{Capabilities, ColumnType, StatusFlags};

use super::Outcome::{Malformed, Refused, Unsupported};
use super::{Expected, NamedScript, Stage, fails};
use crate::packets::{
    AUTOCOMMIT, NONCE, OFFERED, auth_switch, column, column_count, eof, err, greeting, lenenc,
    lenenc_bytes, ok, row,
};
use crate::payload::Payload;
use crate::script::Script;

const NATIVE: &str = "mysql_native_password";

/// Flags that a server may lack.
const SPARE: [Capabilities; 12] = [
    Capabilities::LONG_PASSWORD,
    Capabilities::FOUND_ROWS,
    Capabilities::LONG_FLAG,
    Capabilities::NO_SCHEMA,
    Capabilities::IGNORE_SPACE,
    Capabilities::INTERACTIVE,
    Capabilities::TRANSACTIONS,
    Capabilities::MULTI_STATEMENTS,
    Capabilities::MULTI_RESULTS,
    Capabilities::CONNECT_ATTRS,
    Capabilities::SESSION_TRACK,
    Capabilities::DEPRECATE_EOF,
];

const CHANGED: StatusFlags = AUTOCOMMIT.with(StatusFlags::SESSION_STATE_CHANGED);

pub(super) const SCRIPTS: &[NamedScript] = &[
    NamedScript::family(
        "capabilities-fewer",
        Expected::Fine,
        "offers all flags but one, and none of those that a client can do without",
        || {
            let none = SPARE.into_iter().fold(OFFERED, Capabilities::without);
            let fewer = SPARE.into_iter().map(|flag| OFFERED.without(flag)).chain([none]);
            fewer.map(|offered| one_row(Script::new().send(greeting(offered, NATIVE)))).collect()
        },
    ),
    NamedScript::family(
        "capabilities-all",
        Expected::Fine,
        "offers flags that nobody knows",
        || {
            let unknown = OFFERED.with(Capabilities::from_bits(0xF << 32 | 0xE << 28));
            vec![one_row(Script::new().send(greeting(unknown, NATIVE)))]
        },
    ),
    fails(
        Stage::Connect,
        Unsupported,
        "capabilities-old-password",
        "has no SECURE_CONNECTION and no PLUGIN_AUTH: wants the password as before MySQL 4.1",
        || {
            let old =
                OFFERED.without(Capabilities::SECURE_CONNECTION).without(Capabilities::PLUGIN_AUTH);
            Script::new().send(greeting(old, NATIVE)).expect_packet().send([0xFE]).expect_packet()
        },
    ),
    NamedScript::family(
        "charset-greeting",
        Expected::Fine,
        "greets with a collation that nobody knows",
        || {
            let collation = |id: u8| {
                let greeting = greeting(OFFERED, NATIVE).with("character_set", [id]);
                one_row(Script::new().send(greeting))
            };
            [0, 62, 127, 255].map(collation).into()
        },
    ),
    NamedScript::family(
        "charset-column",
        Expected::Fine,
        "a column of a character set that nobody knows",
        || {
            let charset = |id: u16| {
                let column = column("a", ColumnType::VAR_STRING);
                result([column.with("character_set", id.to_le_bytes())], &[b"\xFF\xC3\x28"])
            };
            [0, 62, 0x7FFF, 0xFFFF].map(charset).into()
        },
    ),
    NamedScript::family(
        "column-extremes",
        Expected::Fine,
        "a column with the largest and smallest of all numbers, and empty names",
        || {
            let column = || column("", ColumnType::VAR_STRING).with("flags", [0xFF, 0xFF]);
            let extreme = |length: [u8; 4], decimals| {
                let column = column().with("column_length", length).with("decimals", [decimals]);
                result([column.with("catalog", [0]).with("table", [0])], &[b"a value"])
            };
            vec![extreme([0; 4], 0), extreme([0xFF; 4], 0xFF)]
        },
    ),
    NamedScript::family(
        "number-that-is-none",
        Expected::Fine,
        "numbers, dates and bits that are none",
        || {
            use ColumnType as T;
            let types = [T::TINY, T::LONG, T::LONGLONG, T::DOUBLE, T::YEAR, T::DATE, T::BIT];
            let values: [&'static [u8]; 3] = [b"", b"no number", &[b'9'; 400]];
            let one =
                |column_type| values.map(|value| result([column("a", column_type)], &[value]));
            types.into_iter().flat_map(one).collect()
        },
    ),
    fails(Stage::Connect, Malformed, "greeting-no-nul", "a server's version without a NUL", || {
        let version = [&[10][..], &[b'8'; 70]].concat();
        Script::new().send(version)
    }),
    fails(Stage::Connect, Malformed, "auth-switch-no-nul", "a plugin's name without a NUL", || {
        Script::greeted().send(auth_switch(NATIVE, NONCE).with("plugin name", NATIVE))
    }),
    fails(
        Stage::Response,
        Malformed,
        "eof-for-ok",
        "an EOF packet where a result or an OK packet is due",
        || Script::queried().send(eof(AUTOCOMMIT)),
    ),
    fails(
        Stage::Response,
        Malformed,
        "ok-for-column",
        "an OK packet in place of a column definition",
        || Script::queried().send(column_count(1)).send(ok(AUTOCOMMIT)),
    ),
    fails(
        Stage::Response,
        Malformed,
        "ok-for-eof",
        "an OK packet in place of the EOF packet after the column definitions",
        || Script::queried().send(column_count(1)).send(id()).send(ok(AUTOCOMMIT)),
    ),
    fails(
        Stage::Response,
        Malformed,
        "ok-as-eof-for-eof",
        "one with the header of an EOF packet there, though nobody asked for that",
        || {
            let end = ok(AUTOCOMMIT).with("header", [0xFE]);
            Script::queried().send(column_count(1)).send(id()).send(end)
        },
    ),
    fails(
        Stage::Rows,
        Malformed,
        "ok-for-end",
        "an OK packet in place of the EOF packet after the rows",
        || rows().send(ok(AUTOCOMMIT)),
    ),
    fails(
        Stage::Rows,
        Malformed,
        "ok-as-eof-for-end",
        "one with the header of an EOF packet there",
        || rows().send(ok(AUTOCOMMIT).with("header", [0xFE])),
    ),
    fails(
        Stage::Connect,
        Unsupported,
        "eof-for-login",
        "lets a client in by an EOF packet",
        || Script::greeted().send(eof(AUTOCOMMIT)),
    ),
    fails(Stage::Connect, Malformed, "greeting-again", "greets a second time", || {
        Script::greeted().send(greeting(OFFERED, NATIVE))
    }),
    fails(
        Stage::Response,
        Refused(1317),
        "err-for-eof",
        "an ERR packet in place of the EOF packet after the column definitions",
        || {
            let refused = err(1317, b"70100", "Query execution was interrupted");
            Script::queried().send(column_count(1)).send(id()).send(refused).ping()
        },
    ),
    NamedScript::family(
        "session-state-cut",
        Expected::Fails(Stage::Response, Malformed),
        "changes of the session that are not what their lengths say",
        || {
            let states: [&[u8]; 9] = [
                b"\x00",
                b"\x00\x05",
                b"\x00\x02\x04a",
                b"\x00\x02\x01a",
                b"\x00\x04\x01a\x09b",
                b"\x01\x01\x04",
                b"\x01\x09\xFE\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF",
                b"\x01\xFB",
                b"\x07\xFD\xFF\xFF\xFF",
            ];
            states.map(|state| Script::queried().send(changed(state))).into()
        },
    ),
    NamedScript::family(
        "session-state-unknown",
        Expected::Fine,
        "changes of the session of kinds that nobody knows, and of names that are none",
        || {
            let states: [&[u8]; 6] = [
                b"",
                b"\x07\x00",
                b"\xFF\x03\xFF\xFF\xFF",
                b"\x00\x02\x00\x00",
                b"\x01\x04\x03\x00'\x1B",
                b"\x00\x1C\x14character_set_client\x06nobody",
            ];
            states.map(|state| Script::queried().send(changed(state)).ping()).into()
        },
    ),
];

fn id() -> Payload {
    column("id", ColumnType::LONG)
}

/// A result set of one column and its first row.
fn rows() -> Script {
    Script::queried()
        .send(column_count(1))
        .send(id())
        .send(eof(AUTOCOMMIT))
        .send(row(&[Some(b"1")]))
}

/// A result set of these columns, with one row.
fn result(columns: impl IntoIterator<Item = Payload>, values: &[&[u8]]) -> Script {
    let values: Vec<_> = values.iter().map(|value| Some(*value)).collect();
    let count = u64::try_from(values.len()).unwrap_or(u64::MAX);
    Script::queried()
        .send(Payload::new().field("column_count", lenenc(count)))
        .send_all(columns)
        .send(eof(AUTOCOMMIT))
        .send(row(&values))
        .send(eof(AUTOCOMMIT))
        .ping()
}

/// After this greeting all is as it should be: a log-in, a query, a ping.
fn one_row(greeted: Script) -> Script {
    greeted
        .expect_packet()
        .send(ok(AUTOCOMMIT))
        .expect_query()
        .send(column_count(1))
        .send(id())
        .send(eof(AUTOCOMMIT))
        .send(row(&[Some(b"1")]))
        .send(eof(AUTOCOMMIT))
        .ping()
}

/// An OK packet with these changes of the session.
fn changed(state: &[u8]) -> Payload {
    ok(CHANGED).field("info", [0]).field("session state info", lenenc_bytes(state))
}
