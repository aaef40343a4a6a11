//! Servers whose words are too many, or are meant for a terminal.

use vaquita_protocol::ColumnType;

use super::Outcome::{Malformed, Refused};
use super::{Expected, NamedScript, Stage, fails};
use crate::packets::{
    AUTOCOMMIT, OFFERED, column, column_count, early_err, eof, err, greeting, lenenc_bytes, ok, row,
};
use crate::script::Script;

/// What a terminal takes for commands: to clear, to change its title, to type for its user; in seven and in eight bits; and what a log
/// takes for lines of its own.
const ESCAPES: &str =
    "\u{1B}[2J\u{1B}]0;title\u{7}\u{1B}[5n\u{9B}31m\r\nPHP Fatal error:  made up\0<b>";

pub(super) const SCRIPTS: &[NamedScript] = &[
    fails(
        Stage::Connect,
        Refused(1040),
        "message-escapes-greeting",
        "an error with escapes for terminals in place of the greeting",
        || Script::new().send(early_err(1040, ESCAPES)).close(),
    ),
    fails(
        Stage::Connect,
        Refused(1045),
        "message-escapes-login",
        "one in answer to the login",
        || Script::greeted().send(err(1045, b"28000", ESCAPES)).close(),
    ),
    fails(Stage::Response, Refused(1064), "message-escapes", "one in answer to a query", || {
        Script::queried().send(err(1064, b"42000", ESCAPES)).ping()
    }),
    fails(
        Stage::Response,
        Refused(1064),
        "message-sqlstate-escapes",
        "an error whose SQLSTATE has escapes and a NUL in it",
        || Script::queried().send(err(1064, b"\x1B[2J\0", "no")).ping(),
    ),
    fails(
        Stage::Response,
        Refused(1105),
        "message-1MiB",
        "an error with a message of 1 MiB",
        || Script::queried().send(err(1105, b"HY000", &"x".repeat(1 << 20))).ping(),
    ),
    fails(
        Stage::Connect,
        Malformed,
        "message-1MiB-login",
        "one in answer to the login, where answers are short",
        || Script::greeted().send(err(1045, b"28000", &"x".repeat(1 << 20))).close(),
    ),
    NamedScript::new(
        "message-info-1MiB",
        Expected::Fine,
        "an OK packet with a text of 1 MiB",
        || {
            let text = lenenc_bytes(&vec![b'x'; 1 << 20]);
            Script::queried().send(ok(AUTOCOMMIT).field("info", text)).ping()
        },
    ),
    NamedScript::new(
        "message-version",
        Expected::Fine,
        "a server's version of 20,000 bytes, with escapes and no number",
        || {
            let version = format!("{}{}\0", ESCAPES.replace('\0', ""), "v".repeat(20_000));
            let greeting = greeting(OFFERED, "mysql_native_password");
            Script::new()
                .send(greeting.with("server version", version.into_bytes()))
                .expect_packet()
                .send(ok(AUTOCOMMIT))
                .expect_query()
                .send(ok(AUTOCOMMIT))
                .ping()
        },
    ),
    NamedScript::new(
        "message-names",
        Expected::Fine,
        "columns that are called after numbers, nothing, and each other",
        || {
            let names = ["0", "-1", "a", "a", "", "\u{1B}[2J", "__construct", "\0mysqli\0a"];
            let values = names.map(|name| Some(name.as_bytes()));
            Script::queried()
                .send(column_count(names.len() as u64))
                .send_all(names.map(|name| column(name, ColumnType::VAR_STRING)))
                .send(eof(AUTOCOMMIT))
                .send(row(&values))
                .send(eof(AUTOCOMMIT))
                .ping()
        },
    ),
];
