//! Servers that lie about prepared statements.

use vaquita_protocol::{ColumnType, StatusFlags};

use super::Outcome::{Gone, Malformed, Refused, TimedOut};
use super::cut::{EXECUTE, definitions, executed, prepared, preparing};
use super::{Deed, Expected, NamedScript, Outcome, Stage};
use crate::packets::{
    AUTOCOMMIT, binary_row, column, column_count, eof, err, lenenc, lenenc_bytes, ok, prepare_ok,
    row,
};
use crate::payload::Payload;
use crate::script::Script;

const fn fails(
    stage: Stage,
    outcome: Outcome,
    name: &'static str,
    description: &'static str,
    build: fn() -> Script,
) -> NamedScript {
    NamedScript::new(name, Expected::Fails(stage, outcome), description, build)
        .met_by(Deed::Statement)
}

const fn preparing_fails(
    outcome: Outcome,
    name: &'static str,
    description: &'static str,
    build: fn() -> Script,
) -> NamedScript {
    fails(Stage::Response, outcome, name, description, build)
}

const fn family(
    expected: Expected,
    name: &'static str,
    description: &'static str,
    build: fn() -> Vec<Script>,
) -> NamedScript {
    NamedScript::family(name, expected, description, build).met_by(Deed::Statement)
}

const BAD_ROWS: Expected = Expected::Fails(Stage::Rows, Malformed);

pub(super) const SCRIPTS: &[NamedScript] = &[
    preparing_fails(Malformed, "prepare-ok-packet", "an OK packet for a statement", || {
        preparing().send(ok(AUTOCOMMIT))
    }),
    preparing_fails(Malformed, "prepare-eof", "an EOF packet for a statement", || {
        preparing().send(eof(AUTOCOMMIT))
    }),
    preparing_fails(Malformed, "prepare-result", "a result set for a statement", || {
        preparing().send(column_count(2)).send_all(definitions())
    }),
    preparing_fails(Refused(1064), "prepare-err", "an ERR packet for a statement", || {
        preparing().send(err(1064, b"42000", "no")).ping()
    }),
    preparing_fails(TimedOut, "prepare-65535-silent", "65,535 parameters, none defined", || {
        preparing().send(prepare_ok(u16::MAX, u16::MAX))
    }),
    preparing_fails(Gone, "prepare-65535-close", "the same, then the end", || {
        preparing().send(prepare_ok(u16::MAX, u16::MAX)).close()
    }),
    preparing_fails(Malformed, "prepare-65535-eof", "65,535 parameters, one defined", || {
        let one = column("?", ColumnType::VAR_STRING);
        preparing().send(prepare_ok(0, u16::MAX)).send(one).send(eof(AUTOCOMMIT))
    }),
    preparing_fails(Malformed, "prepare-no-definitions", "an EOF packet for all of them", || {
        preparing().send(prepare_ok(2, 1)).send_all([eof(AUTOCOMMIT), eof(AUTOCOMMIT)])
    }),
    preparing_fails(Malformed, "prepare-more-definitions", "more of them than were counted", || {
        let parameter = || column("?", ColumnType::VAR_STRING);
        preparing().send(prepare_ok(1, 1)).send_all([parameter(), parameter(), eof(AUTOCOMMIT)])
    }),
    preparing_fails(Malformed, "prepare-ok-for-eof", "an OK packet after the parameter", || {
        let parameter = column("?", ColumnType::VAR_STRING);
        preparing().send(prepare_ok(2, 1)).send(parameter).send(ok(AUTOCOMMIT))
    }),
    preparing_fails(Refused(1105), "prepare-err-later", "an ERR packet for a definition", || {
        preparing().send(prepare_ok(2, 1)).send(err(1105, b"HY000", "no")).ping()
    }),
    preparing_fails(Malformed, "prepare-wrong-sequence-id", "sequence id 9", || {
        preparing().send_as(9, prepare_ok(2, 1))
    }),
    preparing_fails(Malformed, "execute-columns-2^64-1", "a result of 2^64-1 columns", || {
        executing().send(lenenc(u64::MAX))
    }),
    preparing_fails(Gone, "execute-close", "closes instead of running the statement", || {
        executing().close()
    }),
    preparing_fails(Refused(1210), "execute-err", "an ERR packet when it is to run", || {
        executing().send(err(1210, b"HY000", "Incorrect arguments")).ping()
    }),
    family(
        BAD_ROWS,
        "execute-other-columns",
        "rows of one column, or of three, where two were defined",
        || {
            let rows = [&b"\0\0\x05\0\0\0"[..], b"\0\0\x05\0\0\0\x01b\x01c"];
            rows.map(|row| executed().send(row)).into()
        },
    ),
    family(
        Expected::Fine,
        "execute-columns-change",
        "prepared with two columns, run with one or three: the table was changed",
        || {
            let run = |count: u8| {
                let values: Vec<u8> = (0..count).flat_map(|_| lenenc_bytes(b"x")).collect();
                let columns = (0..count).map(|_| column("x", ColumnType::VAR_STRING));
                executing()
                    .send(column_count(count.into()))
                    .send_all(columns)
                    .send(eof(AUTOCOMMIT))
                    .send(binary_row(&[0], &values))
                    .send(eof(AUTOCOMMIT))
                    .expect_packet()
            };
            [1, 3].map(run).into()
        },
    ),
    family(BAD_ROWS, "binary-row-text", "rows in text, or with another first byte", || {
        let rows = [row(&[Some(b"5"), Some(b"five")]).bytes(), b"\x01\0\x05\0\0\0\x01x".to_vec()];
        rows.map(|row| executed().send(row)).into()
    }),
    family(BAD_ROWS, "binary-row-nulls", "a NULL bitmap that does not fit the values", || {
        let five = 5_i32.to_le_bytes();
        let both = [&five[..], &lenenc_bytes(b"xyz")].concat();
        vec![
            executed().send(binary_row(&[0x0C], &both)),
            executed().send(binary_row(&[0x04], &both)),
            executed().send(binary_row(&[0x08], &both)),
            executed().send(binary_row(&[0x00], &five)),
            executed().send(binary_row(&[0x00], &[])),
            executed().send(binary_row(&[], &[])),
        ]
    }),
    family(BAD_ROWS, "binary-row-lengths", "texts of lengths that no row has", || {
        let lengths: [&[u8]; 7] = [
            &[0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
            &[0xFE, 0, 0, 0, 0, 1, 0, 0, 0],
            &[0xFD, 0xFF, 0xFF, 0xFF],
            &[0xFC, 2, 0],
            &[0xFB],
            &[0xFF],
            &[9],
        ];
        let long = |length: &[u8]| {
            let values = [&5_i32.to_le_bytes()[..], length, b"x"].concat();
            executed().send(binary_row(&[0], &values))
        };
        lengths.map(long).into()
    }),
    family(
        BAD_ROWS,
        "binary-row-dates",
        "dates and times of each length that they don't have",
        || {
            let dates = [ColumnType::DATE, ColumnType::DATETIME, ColumnType::TIMESTAMP];
            let wrong = |valid: [u8; 4]| {
                (0..=13).chain([0xF0, 0xFB, 0xFF]).filter(move |length| !valid.contains(length))
            };
            let one = |column_type, length: u8| {
                let value = [&[length][..], &[1; 12]].concat();
                let value = value.get(..=usize::from(length)).unwrap_or(&value);
                single(column_type).send(binary_row(&[0], value))
            };
            let dates = dates
                .into_iter()
                .flat_map(|it| wrong([0, 4, 7, 11]).map(move |length| one(it, length)));
            let times = wrong([0, 8, 12, 12]).map(|length| one(ColumnType::TIME, length));
            dates.chain(times).collect()
        },
    ),
    family(
        Expected::Fine,
        "binary-row-impossible-dates",
        "dates and times that no calendar has",
        || {
            let date = [&[11][..], &[0xFF; 11]].concat();
            let time = [&[12, 0xFF][..], &[0xFF; 11]].concat();
            let one = |column_type, value: &[u8]| {
                let row = binary_row(&[0], value);
                single(column_type).send(row).send(eof(AUTOCOMMIT)).expect_packet()
            };
            vec![
                one(ColumnType::DATE, &date),
                one(ColumnType::DATETIME, &date),
                one(ColumnType::TIMESTAMP, &date),
                one(ColumnType::TIME, &time),
            ]
        },
    ),
    family(
        BAD_ROWS,
        "binary-row-short-numbers",
        "numbers with one byte less than their type has",
        || {
            use ColumnType as T;
            let widths = [
                (T::TINY, 1),
                (T::SHORT, 2),
                (T::YEAR, 2),
                (T::INT24, 4),
                (T::LONG, 4),
                (T::FLOAT, 4),
                (T::DOUBLE, 8),
                (T::LONGLONG, 8_usize),
            ];
            let short = |(column_type, width)| {
                single(column_type).send(binary_row(&[0], &vec![1; width - 1]))
            };
            widths.map(short).into()
        },
    ),
    family(
        Expected::Fine,
        "binary-row-unknown-types",
        "values of types that nobody knows",
        || {
            let one = |number| {
                let value = lenenc_bytes(&[number, 0, 0xFF, b'\'']);
                let row = binary_row(&[0], &value);
                single(ColumnType(number)).send(row).send(eof(AUTOCOMMIT)).expect_packet()
            };
            [17, 20, 100, 200, 242, 243].map(one).into()
        },
    ),
    NamedScript::family(
        "cursor-lies",
        Expected::Fine,
        "opens a cursor that nobody asked for, or none that somebody did, or says that the last row was sent before the first",
        || {
            let opened = |flags: StatusFlags| {
                let [a, b, _] = definitions();
                let columns = [column_count(2), a, b, eof(AUTOCOMMIT.with(flags))];
                preparing().send_all(prepared()).expect_packet().send_all(columns)
            };
            let fetched = || opened(StatusFlags::CURSOR_EXISTS).expect_packet();
            let last = AUTOCOMMIT.with(StatusFlags::LAST_ROW_SENT);
            let three = fetched().send_all([five(), five(), five()]);
            vec![
                opened(StatusFlags::AUTOCOMMIT).send(five()).send(eof(AUTOCOMMIT)).expect_packet(),
                three.send(eof(last)).expect_packet().send(eof(last)),
                fetched().send(eof(last)).expect_packet(),
            ]
        },
    )
    .met_by(Deed::Cursor),
    NamedScript::family(
        "cursor-fetch-malformed",
        Expected::Fails(Stage::Rows, Malformed),
        "COM_STMT_FETCH gives a row that is none, or a column count",
        || {
            let [a, b, _] = definitions();
            let columns = [column_count(2), a, b, eof(AUTOCOMMIT.with(StatusFlags::CURSOR_EXISTS))];
            let fetched = || {
                let opened = preparing().send_all(prepared()).expect_packet();
                opened.send_all(columns.clone()).expect_packet()
            };
            vec![
                fetched().send(Payload::new()),
                fetched().send(column_count(2)),
                fetched().send(binary_row(&[0], b"\x05\0\0\0\xFF")),
            ]
        },
    )
    .met_by(Deed::Cursor),
];

/// The row of a number and a text.
fn five() -> Payload {
    binary_row(&[0], &[&5_i32.to_le_bytes()[..], &lenenc_bytes(b"five")].concat())
}

/// A statement that is to run.
fn executing() -> Script {
    preparing().send_all(prepared()).expect_command(EXECUTE)
}

/// A statement of one column runs, and its rows follow.
fn single(column_type: ColumnType) -> Script {
    let columns = || [column("a", column_type), eof(AUTOCOMMIT)];
    preparing()
        .send_all([prepare_ok(1, 1), column("?", ColumnType::VAR_STRING), eof(AUTOCOMMIT)])
        .send_all(columns())
        .expect_command(EXECUTE)
        .send(column_count(1))
        .send_all(columns())
}
