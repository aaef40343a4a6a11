//! Servers whose answer to a query is wrong from its first packet on.

use vaquita_protocol::{Capabilities, Command};

use super::Outcome::{FileRefused, Gone, Malformed, Refused, TimedOut};
use super::{Expected, NamedScript, Outcome, Stage};
use crate::packets::{AUTOCOMMIT, OFFERED, early_err, err, greeting, lenenc, local_infile, ok};
use crate::payload::Payload;
use crate::script::Script;

const fn fails(
    outcome: Outcome,
    name: &'static str,
    description: &'static str,
    build: fn() -> Script,
) -> NamedScript {
    NamedScript::new(name, Expected::Fails(Stage::Response, outcome), description, build)
}

pub(super) const SCRIPTS: &[NamedScript] = &[
    fails(Malformed, "zero-length-packet", "a zero-length packet", || answer(Payload::new())),
    fails(Malformed, "wrong-sequence-id", "an OK packet with sequence id 5", || {
        Script::queried().send_as(5, ok(AUTOCOMMIT))
    }),
    fails(
        Malformed,
        "repeated-sequence-id",
        "an OK packet with the sequence id of the query",
        || Script::queried().send_as(0, ok(AUTOCOMMIT)),
    ),
    fails(Malformed, "column-count-2^64-1", "a result set of 2^64-1 columns", || {
        answer([0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF])
    }),
    fails(Malformed, "column-count-2^40", "a result set of 2^40 columns", || {
        answer(lenenc(1 << 40))
    }),
    fails(Malformed, "column-count-2^32-1", "a result set of 2^32-1 columns", || {
        answer(lenenc((1 << 32) - 1))
    }),
    fails(Malformed, "column-count-2^32+1", "a column count that is 1 in 32 bits", || {
        answer(lenenc((1 << 32) + 1))
    }),
    fails(Malformed, "column-count-2^20", "a result set of 2^20 columns", || {
        answer(lenenc(1 << 20))
    }),
    fails(Gone, "column-count-2^17", "a result set of 2^17 columns, then the end", || {
        answer(lenenc(1 << 17)).close()
    }),
    fails(Malformed, "column-count-zero", "a result set of no columns", || answer([0xFC, 0, 0])),
    fails(Malformed, "column-count-cut", "a column count that has no end", || answer([0xFE, 1, 0])),
    fails(Malformed, "column-count-trailing", "a column count with more behind it", || {
        answer([0x01, 0x01])
    }),
    fails(FileRefused, "local-infile", "asks for a local file", || {
        answer(local_infile("/etc/passwd")).expect_packet().send(ok(AUTOCOMMIT)).ping()
    }),
    fails(
        Refused(1148),
        "local-infile-not-offered",
        "asks for a local file although it did not offer CLIENT_LOCAL_FILES",
        || {
            let offered = OFFERED.without(Capabilities::LOCAL_FILES);
            Script::new()
                .send(greeting(offered, "mysql_native_password"))
                .expect_packet()
                .send(ok(AUTOCOMMIT))
                .expect_command(Command::Query(b""))
                .send(local_infile("/etc/passwd"))
                .expect_packet()
                .send(err(1148, b"42000", "The used command is not allowed"))
                .ping()
        },
    ),
    fails(Malformed, "local-infile-again", "asks for a second file when it got none", || {
        answer(local_infile("/etc/passwd")).expect_packet().send(local_infile("/etc/shadow"))
    }),
    fails(Malformed, "local-infile-then-rows", "asks for a file, then sends a result set", || {
        answer(local_infile("/etc/passwd")).expect_packet().send([0x01])
    }),
    fails(Malformed, "ok-cut-affected-rows", "an OK packet that ends in affected_rows", || {
        answer(ok(AUTOCOMMIT).with("affected_rows", lenenc(300)).cut_in("affected_rows"))
    }),
    fails(Malformed, "ok-cut-last-insert-id", "an OK packet that ends in last_insert_id", || {
        answer(ok(AUTOCOMMIT).with("last_insert_id", lenenc(70_000)).cut_in("last_insert_id"))
    }),
    fails(Malformed, "ok-cut-status", "an OK packet that ends in its status", || {
        answer(ok(AUTOCOMMIT).cut_in("status_flags"))
    }),
    fails(Malformed, "ok-cut-warnings", "an OK packet that ends in the number of warnings", || {
        answer(ok(AUTOCOMMIT).cut_in("warnings"))
    }),
    fails(Malformed, "ok-cut-info", "an OK packet that ends in its text", || {
        answer(ok(AUTOCOMMIT).field("info", b"\x05Rows").cut_in("info"))
    }),
    fails(Malformed, "ok-info-2^64-1", "an OK packet with a text of 2^64-1 bytes", || {
        answer(ok(AUTOCOMMIT).field("info", lenenc(u64::MAX)))
    }),
    fails(Malformed, "ok-null", "an OK packet with NULL for affected_rows", || {
        answer(ok(AUTOCOMMIT).with("affected_rows", [0xFB]))
    }),
    fails(Malformed, "ok-lenenc-0xFF", "an OK packet with 0xFF for last_insert_id", || {
        answer(ok(AUTOCOMMIT).with("last_insert_id", [0xFF]))
    }),
    NamedScript::new(
        "ok-extremes",
        Expected::Fine,
        "an OK packet with 2^64-1 for both numbers",
        || {
            let most = || lenenc(u64::MAX);
            let extremes =
                ok(AUTOCOMMIT).with("affected_rows", most()).with("last_insert_id", most());
            answer(extremes.with("warnings", [0xFF, 0xFF])).ping()
        },
    ),
    fails(Refused(1105), "err-without-sqlstate", "an ERR packet without SQLSTATE", || {
        answer(early_err(1105, "Unknown error")).ping()
    }),
    fails(
        Refused(1105),
        "err-without-message",
        "an ERR packet that says no more than its number",
        || answer(early_err(1105, "")).ping(),
    ),
    fails(
        Refused(1105),
        "err-long",
        "an ERR packet with a message of 1,000 bytes, twice what servers send",
        || answer(err(1105, b"HY000", &"x".repeat(1_000))).ping(),
    ),
    fails(Malformed, "err-cut-code", "an ERR packet that ends in its number", || {
        answer(err(1064, b"42000", "").cut_in("error_code"))
    }),
    fails(Malformed, "err-cut-sqlstate", "an ERR packet that ends in its SQLSTATE", || {
        answer(err(1064, b"42000", "").cut_in("sql_state"))
    }),
    fails(Malformed, "err-code-zero", "an ERR packet with error number 0", || {
        answer(err(0, b"00000", "no error"))
    }),
    fails(TimedOut, "response-silent", "never answers the query", Script::queried),
    fails(Gone, "response-close", "closes when it has received the query", || {
        Script::queried().close()
    }),
    fails(Gone, "response-reset", "drops the connection when it has received the query", || {
        Script::queried().reset()
    }),
    fails(
        Gone,
        "goodbye",
        "says \"you were idle for too long\" (sequence id 0) and closes",
        || {
            let idle = "The client was disconnected by the server because of inactivity.";
            Script::queried().send_as(0, err(4031, b"HY000", idle)).close()
        },
    ),
    fails(
        Malformed,
        "goodbye-long",
        "an ERR packet with sequence id 0 that is longer than any goodbye",
        || Script::queried().send_as(0, err(4031, b"HY000", &"x".repeat(2000))),
    ),
    fails(Malformed, "err-wrong-sequence-id", "an ERR packet with sequence id 5", || {
        Script::queried().send_as(5, err(1064, b"42000", "no"))
    }),
    fails(TimedOut, "huge-packet-silent", "a packet of 16 MiB is announced, then silence", || {
        Script::queried().send_raw([0xFE, 0xFF, 0xFF, 0x01, 0x00])
    }),
    fails(Gone, "huge-packet-close", "a packet of 16 MiB is announced, then the end", || {
        Script::queried().send_raw([0xFE, 0xFF, 0xFF, 0x01, 0x00]).close()
    }),
    fails(Gone, "header-cut", "the first three bytes of a header, then the end", || {
        Script::queried().send_raw([0x07, 0, 0]).close()
    }),
];

fn answer(payload: impl Into<Vec<u8>>) -> Script {
    Script::queried().send(payload)
}
