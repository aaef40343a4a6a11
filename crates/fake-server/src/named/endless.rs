//! Servers that never come to an end.

use vaquita_protocol::{ColumnType, StatusFlags};

use super::Outcome::{Malformed, TooLarge};
use super::cut::{definitions, prepared, preparing};
use super::{Deed, Expected, NamedScript, Stage};
use crate::packets::{
    AUTOCOMMIT, MORE_RESULTS, binary_row, column, column_count, eof, lenenc_bytes, ok, row,
};
use crate::script::Script;

/// How often a client may ask for more before a script is over; more often than it will.
const ENDLESS: usize = 10_000;

/// How many values of a row there are: more than twice the memory_limit of PHP's tests.
const VALUES: u64 = 20_000;

/// How long each is: with its length it fills 16 MiB less a byte evenly, and it is too short for a client to receive it apart.
const SHORT_VALUE_BYTES: usize = 9 * 7 * 13 * 17 - 3;

const CURSOR: StatusFlags = AUTOCOMMIT.with(StatusFlags::CURSOR_EXISTS);

const fn too_large(
    deed: Deed,
    name: &'static str,
    description: &'static str,
    build: fn() -> Script,
) -> NamedScript {
    NamedScript::new(name, Expected::Fails(Stage::Rows, TooLarge), description, build).met_by(deed)
}

const fn fine(
    deed: Deed,
    name: &'static str,
    description: &'static str,
    build: fn() -> Script,
) -> NamedScript {
    NamedScript::new(name, Expected::Fine, description, build).met_by(deed)
}

pub(super) const SCRIPTS: &[NamedScript] = &[
    too_large(Deed::Endless, "endless-rows", "a result without an end", || {
        rows().send_endlessly([row(&[Some(b"1"), Some(&[b'x'; 200])])])
    }),
    too_large(Deed::Endless, "endless-short-rows", "NULLs without an end", || {
        rows().send_endlessly([row(&[None, None])])
    }),
    too_large(Deed::Endless, "endless-long-rows", "rows of 1 MiB without an end", || {
        rows().send_endlessly([row(&[None, Some(&vec![b'x'; 1 << 20])])])
    }),
    too_large(
        Deed::EndlessRow,
        "endless-row",
        "a row without an end, each of its 20,000 values as long as stands among others",
        || {
            Script::queried()
                .send(column_count(VALUES))
                .send_all((0..VALUES).map(|_| column("", ColumnType::BLOB)))
                .send(eof(AUTOCOMMIT))
                .send_unending(&lenenc_bytes(&[b'x'; SHORT_VALUE_BYTES]))
        },
    ),
    NamedScript::new(
        "endless-columns",
        Expected::Fails(Stage::Response, Malformed),
        "2^17 columns, each with a name of 60,000 bytes",
        || {
            let name = "n".repeat(60_000);
            Script::queried()
                .send(column_count(1 << 17))
                .send_endlessly([column(&name, ColumnType::LONG)])
        },
    )
    .met_by(Deed::Endless),
    too_large(
        Deed::Warnings,
        "endless-warnings",
        "warns of one thing, and has more to say of it than there is room for",
        || {
            let columns = [
                column_count(3),
                column("Level", ColumnType::VAR_STRING),
                column("Code", ColumnType::LONG),
                column("Message", ColumnType::VAR_STRING),
                eof(AUTOCOMMIT),
            ];
            let warning = [&b"Warning"[..], b"1365", &[b'x'; 100_000]];
            Script::queried()
                .send(ok(AUTOCOMMIT).with("warnings", [1, 0]))
                .expect_query()
                .send_all(columns)
                .send_endlessly([row(&warning.map(Some))])
        },
    ),
    fine(Deed::Results, "endless-results", "each OK packet promises another result", || {
        Script::queried().send_endlessly([ok(MORE_RESULTS)])
    }),
    fine(Deed::Results, "endless-result-sets", "each result set promises another one", || {
        let columns = [column_count(1), column("a", ColumnType::LONG), eof(AUTOCOMMIT)];
        let rows = [row(&[Some(b"1")]), eof(MORE_RESULTS)];
        Script::queried().send_endlessly(columns.into_iter().chain(rows))
    }),
    fine(Deed::Cursor, "endless-fetches", "COM_STMT_FETCH never comes to the last row", || {
        let five = [&5_i32.to_le_bytes()[..], &lenenc_bytes(b"five")].concat();
        (0..ENDLESS).fold(cursor(), |script, _| {
            script.expect_packet().send(binary_row(&[0], &five)).send(eof(CURSOR))
        })
    }),
    fine(
        Deed::Cursor,
        "endless-empty-fetches",
        "COM_STMT_FETCH gives no row, and says that there are more",
        || (0..ENDLESS).fold(cursor(), |script, _| script.expect_packet().send(eof(CURSOR))),
    ),
    too_large(
        Deed::Cursor,
        "endless-fetch",
        "COM_STMT_FETCH of one row gives all there are",
        || {
            let five = [&5_i32.to_le_bytes()[..], &lenenc_bytes(b"five")].concat();
            cursor().expect_packet().send_endlessly([binary_row(&[0], &five)])
        },
    ),
];

/// A result set of two columns.
fn rows() -> Script {
    Script::queried()
        .send(column_count(2))
        .send(column("a", ColumnType::LONG))
        .send(column("b", ColumnType::BLOB))
        .send(eof(AUTOCOMMIT))
}

/// A statement whose rows are fetched.
fn cursor() -> Script {
    let [a, b, _] = definitions();
    preparing().send_all(prepared()).expect_packet().send_all([column_count(2), a, b, eof(CURSOR)])
}
