//! Whole sessions as one input: which conversation is led, how the bytes come, and what the server says in each turn; and any
//! statement that a user may send.

use vaquita_client::{Address, ConnectOptions, Connection, Error, QueryResponse, State};
use vaquita_fake_server::packets::{AUTOCOMMIT, OFFERED, greeting, local_infile, ok};
use vaquita_fake_server::{Payload, Replay, Silence};
use vaquita_protocol::{PacketHeader, StatusFlags};

use crate::client::Notes;
use crate::conversation::ALL;
use crate::recordings::Recorded;

/// Bits of the second byte.
const BYTE_BY_BYTE: u8 = 1;
const WAITING: u8 = 2;

/// Leads a session; `true` if it came to its end.
///
/// The input: a byte for the conversation, one for how the bytes come, and then for each turn of the server its length in two bytes,
/// the lower first, and what it says. What the lengths leave over is said in a last turn.
pub fn session(data: &[u8]) -> bool {
    let &[which, how, ref rest @ ..] = data else { return false };
    let Some(conversation) = ALL.get(usize::from(which) % ALL.len()) else { return false };
    let mut turns = Vec::new();
    let mut rest = rest;
    while let Some((length, said)) = rest.split_first_chunk() {
        let length = usize::from(u16::from_le_bytes(*length));
        let (turn, after) = said.split_at_checked(length).unwrap_or((said, &[]));
        turns.push(turn);
        rest = after;
    }
    let mut replay = Replay::new(turns);
    if how & BYTE_BY_BYTE != 0 {
        replay = replay.byte_by_byte();
    }
    if how & WAITING != 0 {
        replay = replay.then(Silence::Waiting);
    }
    match conversation.lead_over(Box::new(replay), &mut Notes::default()) {
        Ok(mut connection) => {
            assert_eq!(connection.state(), State::Ready);
            connection.close();
            assert_eq!(connection.state(), State::QuitSent);
            true
        }
        Err(error) => {
            assert!(!matches!(error, Error::OutOfSync), "the driver keeps in step");
            assert!(error.code() != 0, "{error:?}");
            false
        }
    }
}

/// The input that is this recording.
pub fn input(recorded: &Recorded) -> Vec<u8> {
    let which = ALL.iter().position(|it| it.name == recorded.conversation.name);
    let which = which.and_then(|which| u8::try_from(which).ok()).unwrap_or_default();
    let mut input = vec![which, 0];
    for turn in recorded.dialogue.of_server() {
        let length = u16::try_from(turn.len()).unwrap_or(u16::MAX);
        input.extend_from_slice(&length.to_le_bytes());
        input.extend(turn.iter().take(length.into()));
    }
    input
}

/// Sends the statement to a server that answers it by asking for a file; `true` if the statement names that file.
///
/// The input: a byte for the way in which the server reads strings, the file's length in another, its name, and the statement.
pub fn statement(data: &[u8]) -> bool {
    let &[how, length, ref rest @ ..] = data else { return false };
    let Some((name, sql)) = rest.split_at_checked(length.into()) else { return false };
    let no_backslash_escapes = StatusFlags::NO_BACKSLASH_ESCAPES.bits() * u16::from(how & 1);
    let status = StatusFlags::from_bits(AUTOCOMMIT.bits() | no_backslash_escapes);
    let packet = |sequence_id, payload: Payload| {
        let payload = payload.bytes();
        let payload_length = u32::try_from(payload.len()).unwrap_or_default();
        [&PacketHeader { payload_length, sequence_id }.encode()[..], &payload].concat()
    };
    let replay = Replay::new([
        packet(0, greeting(OFFERED, "mysql_native_password")),
        packet(2, ok(status)),
        packet(1, local_infile("").field("name", name)),
        packet(3, ok(status)),
    ]);
    let options = ConnectOptions::new(Address::Unix("replayed".into()));
    let Ok(mut connection) = Connection::over(Box::new(replay), &options) else { return false };
    connection.allow_local_infile(true);
    let sent = connection.send_query(sql);
    assert!(sent.is_ok(), "{sent:?}");
    match connection.read_query_response() {
        Ok(QueryResponse::LocalInfile(asked)) => {
            assert_eq!(asked, name);
            let has = |word: &[u8]| {
                let mut parts = sql.windows(word.len());
                parts.any(|part| part.eq_ignore_ascii_case(word))
            };
            assert!(has(b"load") && has(b"local") && has(b"infile"));
            assert!(connection.refuse_local_infile().is_ok());
            true
        }
        Err(Error::LocalInfileRefused(_)) => false,
        other => unreachable!("neither asked nor refused: {other:?}"),
    }
}

/// Statements that name a file.
pub fn statements() -> Vec<Vec<u8>> {
    [
        (0, "a", "LOAD DATA LOCAL INFILE 'a' INTO TABLE t"),
        (0, "a'b", r"load xml concurrent local infile 'a\'b' into table t"),
        (1, r"a\b", r"SELECT 1; LOAD DATA LOW_PRIORITY LOCAL INFILE 'a\b' REPLACE INTO TABLE t"),
        (0, "\u{e9}", "/* LOAD */ LOAD DATA LOCAL INFILE \"\u{e9}\" INTO TABLE `t` -- x\nLINES STARTING BY ''"),
    ]
    .into_iter()
    .map(|(how, name, sql)| {
        let length = u8::try_from(name.len()).unwrap_or_default();
        [&[how, length][..], name.as_bytes(), sql.as_bytes()].concat()
    })
    .collect()
}
