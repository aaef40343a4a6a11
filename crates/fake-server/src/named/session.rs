//! Sessions that are as they should be.

use vaquita_protocol::{Capabilities, ColumnType, Command, SetOption};

use super::{Expected, NamedScript};
use crate::packets::{
    AUTOCOMMIT, MORE_RESULTS, OFFERED, column, column_count, eof, greeting, lenenc, lenenc_bytes,
    ok, ok_as_eof, row,
};
use crate::payload::Payload;
use crate::script::Script;

pub(super) const SCRIPTS: &[NamedScript] = &[
    NamedScript::new(
        "session",
        Expected::Fine,
        "login, a query with NULLs, COM_SET_OPTION, a query with three results, a ping, COM_QUIT",
        || session(false),
    ),
    NamedScript::new(
        "session-deprecate-eof",
        Expected::Fine,
        "the same for a client that asks for CLIENT_DEPRECATE_EOF",
        || session(true),
    ),
    NamedScript::new(
        "login-only",
        Expected::Fine,
        "a server that offers no more than the flags that mysqlnd asks for (0x001AA285), and lets everybody in",
        || {
            let offered = Capabilities::from_bits(0x001A_A285);
            Script::new()
                .send(greeting(offered, "mysql_native_password"))
                .expect_packet()
                .send(ok(AUTOCOMMIT))
        },
    ),
];

/// A row of the first result: id, name, data.
pub type Row = [Option<&'static [u8]>; 3];

/// A value whose length takes three bytes.
const LONG: &[u8; 300] = &[b'x'; 300];

/// The first result of a session.
pub const ROWS: [Row; 4] = [
    [Some(b"1"), Some(b"ada"), None],
    [Some(b"2"), Some(b""), Some(&[0, 0xFB, 0xFE, 0xFF, b'\''])],
    [None, None, None],
    [Some(b"-4"), Some("\u{e9}".as_bytes()), Some(LONG)],
];

/// What the second of the three results of a session says: changed rows, the id, and the text.
pub const CHANGED: (u64, u64, &str) = (2, 70_000, "Records: 2  Duplicates: 0  Warnings: 1");

fn session(deprecate_eof: bool) -> Script {
    let after_columns = (!deprecate_eof).then(|| eof(AUTOCOMMIT));
    let end = if deprecate_eof { ok_as_eof } else { eof };
    let three_columns = [
        column_count(3),
        column("id", ColumnType::LONG),
        column("name", ColumnType::VAR_STRING),
        column("data", ColumnType::BLOB),
    ];
    let one_column = || [column_count(1), column("a", ColumnType::LONG)];
    Script::new()
        .send(greeting(OFFERED, "mysql_native_password"))
        .expect_packet()
        .send(ok(AUTOCOMMIT))
        .expect_query()
        .send_all(three_columns)
        .send_all(after_columns.clone())
        .send_all(ROWS.iter().map(|values| row(values)))
        .send(end(AUTOCOMMIT))
        .expect_command(Command::SetOption(SetOption::MultiStatementsOn))
        .send(end(AUTOCOMMIT))
        .expect_query()
        .send_all(one_column())
        .send_all(after_columns.clone())
        .send(row(&[Some(b"1")]))
        .send(end(MORE_RESULTS))
        .send(changed())
        .send_all(one_column())
        .send_all(after_columns)
        .send(end(AUTOCOMMIT))
        .ping()
        .expect_command(Command::Quit)
        .close()
}

fn changed() -> Payload {
    let (rows, id, text) = CHANGED;
    ok(MORE_RESULTS)
        .with("affected_rows", lenenc(rows))
        .with("last_insert_id", lenenc(id))
        .with("warnings", [1, 0])
        .field("info", lenenc_bytes(text.as_bytes()))
}
