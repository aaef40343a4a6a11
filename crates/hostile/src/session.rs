//! Whole sessions as one input: which conversation is led, how the bytes come, and what the server says in each turn.

use vaquita_client::{Error, State};
use vaquita_fake_server::{Replay, Silence};

use crate::conversation::{ALL, Notes};
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
