//! What a client and a server do in a made session: chosen, so that an input is always a whole one.

use vaquita_fake_server::packets::lenenc_bytes;
use vaquita_protocol::{ColumnType, ValueLength};

use crate::choices::Choices;
use crate::conversation::Reading;

const TYPES: [ColumnType; 14] = [
    ColumnType::LONG,
    ColumnType::VAR_STRING,
    ColumnType::DATETIME,
    ColumnType::TIME,
    ColumnType::DOUBLE,
    ColumnType::BLOB,
    ColumnType::NEWDECIMAL,
    ColumnType::LONGLONG,
    ColumnType::TINY,
    ColumnType::SHORT,
    ColumnType::BIT,
    ColumnType::JSON,
    ColumnType::DATE,
    // None that is known.
    ColumnType(0x7B),
];
/// How many kinds of scenes there are.
pub const KINDS: u8 = 9;

/// The values of a row.
pub type Values = Vec<Option<Vec<u8>>>;

/// What a command is answered with; the last of its results may be an error.
#[derive(Clone, Debug)]
pub enum Reply {
    /// An OK packet; what changed in the session.
    Ok(Vec<u8>),
    /// An ERR packet.
    Err,
    /// A result set, which may end in an ERR packet.
    Rows(Rows),
}

/// A result set.
#[derive(Clone, Debug)]
pub struct Rows {
    /// The columns.
    pub types: Vec<ColumnType>,
    /// The rows.
    pub rows: Vec<Values>,
    /// Whether an ERR packet is its end.
    pub fails: bool,
}

/// What is asked and answered.
#[derive(Clone, Debug)]
pub enum Scene {
    /// COM_QUERY.
    Query(Vec<Reply>, Reading),
    /// COM_STMT_PREPARE, and runs of it with so many parameters; all have the columns of the first result. Whether both are asked for in one call.
    Statement(u8, Vec<Vec<Reply>>, Reading, bool),
    /// A run with a cursor, and the rows of each COM_STMT_FETCH.
    Cursor(Vec<ColumnType>, Vec<Vec<Values>>),
    /// A pipeline of queries; whether it is said that they only read.
    Pipeline(Vec<Vec<Reply>>, bool),
    /// LOAD DATA LOCAL INFILE, and what is in the file.
    Load(Vec<u8>),
    /// COM_PING.
    Ping(Reply),
    /// COM_RESET_CONNECTION.
    Reset,
    /// COM_CHANGE_USER; whether the server asks for another plugin.
    ChangeUser(bool),
    /// COM_STATISTICS, and its text.
    Statistics(Vec<u8>),
}

/// The next scene.
pub fn scene(choices: &mut Choices<'_>) -> Scene {
    match choices.below(KINDS) {
        0 => Scene::Query(results(choices), reading(choices)),
        1 => {
            let (how, runs) = (choices.byte(), choices.below(3));
            let runs = (0..=runs).map(|_| results(choices)).collect();
            Scene::Statement(how % 4, runs, reading(choices), how & 0x80 != 0)
        }
        2 => {
            let types = types(choices);
            let fetches = choices.below(3);
            let rows = (0..=fetches).map(|_| rows(choices, &types)).collect();
            Scene::Cursor(types, rows)
        }
        3 => {
            let how = choices.byte();
            let replies = (0..=how % 4).map(|_| results(choices)).collect();
            Scene::Pipeline(replies, how & 0x80 != 0)
        }
        4 => {
            let length = choices.below(64).into();
            // A longer one would be several packets.
            Scene::Load(choices.exactly(length))
        }
        5 => Scene::Ping(reply(choices)),
        6 => Scene::Reset,
        7 => Scene::ChangeUser(choices.below(2) == 1),
        // Text: 0xFF at its beginning would be an error packet's, and a broken one.
        _ => Scene::Statistics(choices.exactly(4).iter().map(|byte| byte & 0x7F).collect()),
    }
}

fn reading(choices: &mut Choices<'_>) -> Reading {
    match choices.below(3) {
        0 => Reading::OneByOne,
        1 => Reading::Stored,
        _ => Reading::Discarded,
    }
}

/// One result or some; nothing follows an error.
fn results(choices: &mut Choices<'_>) -> Vec<Reply> {
    let more = choices.below(8).saturating_sub(4);
    let mut results = Vec::new();
    for _ in 0..=more {
        results.push(reply(choices));
        if matches!(results.last(), Some(Reply::Err | Reply::Rows(Rows { fails: true, .. }))) {
            break;
        }
    }
    results
}

fn reply(choices: &mut Choices<'_>) -> Reply {
    match choices.below(8) {
        0..=4 => {
            let types = types(choices);
            let rows = rows(choices, &types);
            Reply::Rows(Rows { types, rows, fails: choices.below(8) == 7 })
        }
        5 => Reply::Err,
        6 => {
            let schema = value(choices, ValueLength::Fixed(5));
            Reply::Ok([&[1][..], &lenenc_bytes(&lenenc_bytes(&schema))].concat())
        }
        _ => Reply::Ok(Vec::new()),
    }
}

fn types(choices: &mut Choices<'_>) -> Vec<ColumnType> {
    (0..=choices.below(4)).map(|_| choices.one_of(TYPES)).collect()
}

fn rows(choices: &mut Choices<'_>, types: &[ColumnType]) -> Vec<Values> {
    let count = choices.below(5);
    let mut rows = Vec::new();
    for _ in 0..count {
        let nulls = choices.byte();
        let values = types.iter().enumerate().map(|(index, column_type)| {
            let is_null = nulls >> (index % 8) & 1 == 1;
            (!is_null).then(|| value(choices, ValueLength::of(*column_type)))
        });
        rows.push(values.collect());
    }
    rows
}

fn value(choices: &mut Choices<'_>, length: ValueLength) -> Vec<u8> {
    let length = match length {
        ValueLength::Fixed(length) => length.into(),
        ValueLength::DateTime => choices.one_of([0, 4, 7, 11]),
        ValueLength::Time => choices.one_of([0, 8, 12]),
        // The last ones have a length of several bytes, and are long enough for a block of their own.
        ValueLength::LengthEncoded => match choices.below(10) {
            8 => return vec![choices.byte(); 300],
            9 => return vec![choices.byte(); 20_000],
            few => few.into(),
        },
    };
    choices.exactly(length)
}
