//! Servers whose rows are wrong: two columns are defined, and a first row is as it should be.

use vaquita_protocol::ColumnType;
use vaquita_protocol::packet_header::MAX_PACKET_PAYLOAD_BYTES;

use super::Outcome::{Gone, Malformed, Refused, TimedOut};
use super::{Expected, NamedScript, Outcome, Stage};
use crate::packets::{AUTOCOMMIT, column, column_count, eof, err, lenenc, row};
use crate::payload::Payload;
use crate::script::Script;

const fn fails(
    outcome: Outcome,
    name: &'static str,
    description: &'static str,
    build: fn() -> Script,
) -> NamedScript {
    NamedScript::new(name, Expected::Fails(Stage::Rows, outcome), description, build)
}

pub(super) const SCRIPTS: &[NamedScript] = &[
    fails(Malformed, "zero-length-row", "a zero-length packet as row", || {
        first_row().send(Payload::new())
    }),
    fails(Malformed, "too-few-values", "a row with one value for two columns", || {
        first_row().send(row(&[Some(b"2")]))
    }),
    fails(Malformed, "too-many-values", "a row with three values for two columns", || {
        first_row().send(row(&[Some(b"2"), None, Some(b"")]))
    }),
    fails(Malformed, "value-2^64-1", "a value of 2^64-1 bytes", || {
        first_row().send([&b"\x012"[..], &lenenc(u64::MAX), b"abc"].concat())
    }),
    fails(Malformed, "value-2^64-1-first", "a first value of 2^64-1 bytes", || {
        first_row().send([&lenenc(u64::MAX)[..], b"abc"].concat())
    }),
    fails(Malformed, "value-2^24", "a value of 16 MiB in a row of 6 bytes", || {
        first_row().send([1, b'2', 0xFD, 0xFF, 0xFF, 0xFF])
    }),
    fails(Malformed, "value-cut", "a value that is longer than its row by a byte", || {
        first_row().send(*b"\x012\x03ab")
    }),
    fails(Malformed, "value-cut-length", "a row that ends in the length of a value", || {
        first_row().send([1, b'2', 0xFC, 1])
    }),
    fails(Malformed, "value-0xFF", "a value whose length begins with 0xFF", || {
        first_row().send([1, b'2', 0xFF])
    }),
    fails(Malformed, "row-wrong-sequence-id", "a row with sequence id 200", || {
        first_row().send_as(200, row(&[None, None]))
    }),
    fails(Malformed, "end-cut", "the EOF packet after the rows ends in its status", || {
        first_row().send(eof(AUTOCOMMIT).cut_in("status_flags"))
    }),
    fails(Refused(1317), "err-in-mid-result", "an ERR packet after the first row", || {
        first_row().send(err(1317, b"70100", "Query execution was interrupted")).ping()
    }),
    fails(
        Malformed,
        "err-cut-in-mid-result",
        "an ERR packet without a number after the first row",
        || first_row().send([0xFF]),
    ),
    fails(TimedOut, "missing-end", "no EOF packet after the rows", first_row),
    fails(Gone, "close-in-mid-result", "closes after the first row", || first_row().close()),
    fails(Gone, "close-in-mid-row", "closes in the middle of a row", || {
        first_row().send_raw([0x05, 0, 0, 0x06, 0x01, b'2']).close()
    }),
    fails(TimedOut, "huge-row-silent", "a row of 16 MiB is announced, then silence", || {
        first_row().send_raw([0xFE, 0xFF, 0xFF, 0x06, 0x01, b'2'])
    }),
    fails(Gone, "huge-row-close", "a row of 16 MiB is announced, then the end", || {
        first_row().send_raw([0xFE, 0xFF, 0xFF, 0x06, 0x01, b'2']).close()
    }),
    fails(
        Gone,
        "max-packet-close",
        "a packet of 0xFFFFFF bytes, and not the one that must follow",
        || first_row().send_raw([0xFF, 0xFF, 0xFF, 0x06]).send_raw(long_row()).close(),
    ),
    fails(Gone, "max-packet-cut", "a packet of 0xFFFFFF bytes that lacks its last one", || {
        let mut cut = long_row();
        cut.pop();
        first_row().send_raw([0xFF, 0xFF, 0xFF, 0x06]).send_raw(cut).close()
    }),
    fails(
        Malformed,
        "max-packet-wrong-sequence-id",
        "a packet of 0xFFFFFF bytes, followed by one with the same sequence id",
        || {
            let header = [0xFF, 0xFF, 0xFF, 0x06];
            first_row().send_raw(header).send_raw(long_row()).send_raw([0, 0, 0, 0x06])
        },
    ),
];

/// A result set of two columns and its first row; the next sequence id is 6.
fn first_row() -> Script {
    Script::queried()
        .send(column_count(2))
        .send(column("id", ColumnType::LONG))
        .send(column("data", ColumnType::BLOB))
        .send(eof(AUTOCOMMIT))
        .send(row(&[Some(b"1"), Some(b"one")]))
}

/// A row of two values that fills a packet to its last byte.
fn long_row() -> Vec<u8> {
    let mut row = vec![0xFB, 0xFE];
    let value_bytes = MAX_PACKET_PAYLOAD_BYTES - row.len() - size_of::<u64>();
    row.extend(value_bytes.to_le_bytes());
    row.resize(MAX_PACKET_PAYLOAD_BYTES, b'x');
    row
}
