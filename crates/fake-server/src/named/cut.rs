//! Families of scripts: each kind of packet, ended after each of its bytes but the last.
//!
//! Left out are the few lengths at which a packet is one of another kind, or as servers of old sent it; where nothing is left at all, another
//! script does that.

use vaquita_protocol::{ColumnType, ComStmtExecute, Command, Parameter, StatusFlags};

use super::Outcome::{Malformed, NoKey};
use super::{Deed, Expected, NamedScript, Outcome, Stage};
use crate::packets::{
    AUTOCOMMIT, NONCE, OFFERED, auth_more_data, auth_switch, binary_row, column, column_count, eof,
    err, greeting, lenenc, lenenc_bytes, ok, prepare_ok, row,
};
use crate::payload::Payload;
use crate::script::Script;

const fn family(
    stage: Stage,
    outcome: Outcome,
    name: &'static str,
    description: &'static str,
    build: fn() -> Vec<Script>,
) -> NamedScript {
    NamedScript::family(name, Expected::Fails(stage, outcome), description, build)
}

/// A client runs its statement.
pub(super) const EXECUTE: Command<'_> = Command::StmtExecute(ComStmtExecute {
    statement_id: crate::packets::STATEMENT_ID,
    opens_cursor: false,
    parameters: &[Parameter::Integer(Some(1))],
});

/// A plugin that encrypts the password with the server's key.
const SHA2: &str = "caching_sha2_password";

/// As real as what a server sends, but of no key at all.
const PUBLIC_KEY: &[u8] = b"-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----\n";

pub(super) const SCRIPTS: &[NamedScript] = &[
    family(Stage::Connect, Malformed, "cut-greeting", "a greeting, cut at each byte", || {
        let whole = greeting(OFFERED, "mysql_native_password").bytes();
        // The name of the plugin may end without its NUL, as in MySQL 5.5.7: its last bytes are not looked for.
        let name = whole.len() - b"mysql_native_password\0".len();
        cut(&Script::new(), &whole, 1..=name)
    }),
    family(
        Stage::Connect,
        Malformed,
        "cut-auth-switch",
        "a switch to another plugin, cut at each byte",
        || {
            let whole = auth_switch("mysql_native_password", NONCE).bytes();
            cut(&Script::greeted(), &whole, 2..=whole.len() - 1)
        },
    ),
    family(
        Stage::Connect,
        Malformed,
        "cut-auth-more-data",
        "the salt of parsec, cut at each byte",
        || {
            let whole = auth_more_data(&[&[b'P', 0][..], &[7; 18]].concat()).bytes();
            let asked = Script::greeted().send(auth_switch("parsec", &[9; 32])).expect_packet();
            cut(&asked, &whole, 1..=whole.len() - 1)
        },
    ),
    family(Stage::Connect, NoKey, "cut-auth-key", "a public key, cut at each byte", || {
        let whole = auth_more_data(PUBLIC_KEY).bytes();
        let asked = Script::new()
            .send(greeting(OFFERED, SHA2))
            .expect_packet()
            .send(auth_more_data(&[4]))
            .expect_packet();
        cut(&asked, &whole, 2..=whole.len() - 1)
    }),
    family(
        Stage::Connect,
        Malformed,
        "cut-login-ok",
        "the OK packet that lets a client in, cut at each byte",
        || {
            let whole = ok(AUTOCOMMIT).bytes();
            cut(&Script::greeted(), &whole, 1..=whole.len() - 2)
        },
    ),
    family(
        Stage::Connect,
        Malformed,
        "cut-login-err",
        "the ERR packet that does not, cut in its number and its SQLSTATE",
        || cut_err(&Script::greeted()),
    ),
    family(Stage::Response, Malformed, "cut-ok", "an OK packet, cut at each byte", || {
        let whole = ok(AUTOCOMMIT).with("affected_rows", lenenc(70_000)).bytes();
        cut(&Script::queried(), &whole, 1..=whole.len() - 1)
    }),
    family(
        Stage::Response,
        Malformed,
        "cut-ok-info",
        "an OK packet with a text and changes of the session, cut at each byte of them",
        || {
            let changed = AUTOCOMMIT.with(StatusFlags::SESSION_STATE_CHANGED);
            let plain = ok(changed).bytes();
            let state = lenenc_bytes(b"\x01\x05\x04test");
            let text = lenenc_bytes(b"Rows matched: 1");
            let whole = [&plain, &text[..], &state].concat();
            // Without a byte of the changes, there are none.
            let no_changes = plain.len() + text.len();
            let lengths = (plain.len() + 1..=whole.len() - 1).filter(|it| *it != no_changes);
            cut(&Script::queried(), &whole, lengths)
        },
    ),
    family(
        Stage::Response,
        Malformed,
        "cut-err",
        "an ERR packet, cut in its number and its SQLSTATE",
        || cut_err(&Script::queried()),
    ),
    family(
        Stage::Response,
        Malformed,
        "cut-column-count",
        "a column count of each length, cut at each byte",
        || {
            let cut_count = |count| {
                let whole = lenenc(count);
                cut(&Script::queried(), &whole, 1..=whole.len() - 1)
            };
            [300, 70_000, 1 << 24].into_iter().flat_map(cut_count).collect()
        },
    ),
    family(
        Stage::Response,
        Malformed,
        "cut-column",
        "a column definition, cut at each byte",
        || {
            let whole = column("id", ColumnType::LONG).bytes();
            cut(&Script::queried().send(column_count(1)), &whole, 1..=whole.len() - 3)
        },
    ),
    family(
        Stage::Response,
        Malformed,
        "cut-eof",
        "the EOF packet after the column definitions, cut at each byte",
        || {
            let whole = eof(AUTOCOMMIT).bytes();
            let columns = [column_count(1), column("id", ColumnType::LONG)];
            cut(&Script::queried().send_all(columns), &whole, 0..=whole.len() - 2)
        },
    ),
    family(Stage::Rows, Malformed, "cut-row", "a row of two values, cut at each byte", || {
        let whole = row(&[Some(b"22"), Some(b"twenty-two")]).bytes();
        let columns =
            [column_count(2), column("id", ColumnType::LONG), column("b", ColumnType::BLOB)];
        let asked = Script::queried().send_all(columns).send(eof(AUTOCOMMIT));
        cut(&asked, &whole, 0..=whole.len() - 1)
    }),
    family(Stage::Rows, Malformed, "cut-end", "the EOF packet after the rows, cut", || {
        let whole = eof(AUTOCOMMIT).bytes();
        let columns = [column_count(1), column("id", ColumnType::LONG)];
        let asked = Script::queried().send_all(columns).send(eof(AUTOCOMMIT));
        cut(&asked, &whole, 1..=whole.len() - 2)
    }),
    family(
        Stage::Response,
        Malformed,
        "cut-prepare-ok",
        "COM_STMT_PREPARE_OK, cut at each byte",
        || {
            let whole = prepare_ok(2, 1).bytes();
            cut(&preparing(), &whole, 0..=whole.len() - 1)
        },
    )
    .met_by(Deed::Statement),
    family(
        Stage::Response,
        Malformed,
        "cut-parameter",
        "the definition of a statement's parameter, cut at each byte",
        || {
            let whole = column("?", ColumnType::VAR_STRING).bytes();
            cut(&preparing().send(prepare_ok(2, 1)), &whole, 0..=whole.len() - 1)
        },
    )
    .met_by(Deed::Statement),
    family(
        Stage::Response,
        Malformed,
        "cut-statement-column",
        "the definition of a statement's column, cut at each byte",
        || {
            let whole = column("a", ColumnType::LONG).bytes();
            let parameter = [prepare_ok(2, 1), column("?", ColumnType::NULL), eof(AUTOCOMMIT)];
            cut(&preparing().send_all(parameter), &whole, 0..=whole.len() - 1)
        },
    )
    .met_by(Deed::Statement),
    family(
        Stage::Rows,
        Malformed,
        "cut-binary-row",
        "a row of a statement, cut at each byte",
        || {
            let values = [&5_i32.to_le_bytes()[..], &lenenc_bytes(b"five")].concat();
            let whole = binary_row(&[0], &values).bytes();
            cut(&executed(), &whole, 0..=whole.len() - 1)
        },
    )
    .met_by(Deed::Statement),
];

/// This script for each of these lengths, and then the packet that ends there.
fn cut(before: &Script, whole: &[u8], lengths: impl IntoIterator<Item = usize>) -> Vec<Script> {
    let at = |length| before.clone().send(whole.get(..length).unwrap_or(whole));
    lengths.into_iter().map(at).collect()
}

/// The number alone is all that some servers say, and the message may have any length.
fn cut_err(before: &Script) -> Vec<Script> {
    let whole = err(1064, b"42000", "").bytes();
    cut(before, &whole, (1..=2).chain(4..=whole.len() - 1))
}

/// A server that lets everybody in, and has just been asked to prepare a statement.
pub(super) fn preparing() -> Script {
    Script::logged_in().expect_command(Command::StmtPrepare(b""))
}

/// What a server says to a statement with one parameter, and two columns, a number and a text.
pub(super) fn prepared() -> Vec<Payload> {
    let mut answer = vec![prepare_ok(2, 1), column("?", ColumnType::VAR_STRING), eof(AUTOCOMMIT)];
    answer.extend(definitions());
    answer
}

/// Those two columns.
pub(super) fn definitions() -> [Payload; 3] {
    [column("a", ColumnType::LONG), column("b", ColumnType::VAR_STRING), eof(AUTOCOMMIT)]
}

/// That statement runs, and its rows follow.
pub(super) fn executed() -> Script {
    preparing()
        .send_all(prepared())
        .expect_command(EXECUTE)
        .send(column_count(2))
        .send_all(definitions())
}
