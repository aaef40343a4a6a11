//! Recorded sessions, understood as they were, and then with everything wrong that a byte or a length can be: one clear error, and no
//! memory for what did not arrive.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

mod fields;

use std::alloc::System;
use std::io::ErrorKind;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard, PoisonError};

use fields::{Field, Form, lengths};
use peakmem_alloc::{INSTRUMENTED_SYSTEM, PeakMemAlloc, PeakMemAllocTrait};
use vaquita_client::{Error, State, codes};
use vaquita_fake_server::{Replay, Silence};
use vaquita_hostile::client::Notes;
use vaquita_hostile::conversation::{Ask, Conversation};
use vaquita_hostile::recordings::{self, Recorded};
use vaquita_protocol::writer::put_lenenc_int;

#[global_allocator]
static ALLOCATOR: &PeakMemAlloc<System> = &INSTRUMENTED_SYSTEM;

/// All memory of the process is counted, so one test runs at a time.
static ALONE: Mutex<()> = Mutex::new(());

/// What a session may take besides what arrived: the read buffer of 128 KiB; while rows are stored, the first two pieces, of 252 and 1008 KiB;
/// and what the test itself needs.
const CONSTANT_BYTES: usize = (256 + 252 + 1008) << 10;
/// How many times what arrived it may take: the widest thing made of what arrives is a column definition.
const TIMES: usize = 8;

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn all() -> Vec<Recorded> {
    let all = recordings::all().unwrap();
    assert!(all.len() > 20, "{} recordings", all.len());
    all
}

/// What became of a session.
struct Led {
    heard: Vec<String>,
    outcome: Result<(), Error>,
    read_bytes: usize,
}

/// Leads a conversation with a server that says what it likes, and checks what must hold of each.
fn lead(conversation: &Conversation, replay: Replay, mut notes: Notes) -> Led {
    let read_bytes = replay.read_bytes();
    ALLOCATOR.reset_peak_memory();
    let mut outcome = conversation.lead_over(Box::new(replay), &mut notes);
    let peak = ALLOCATOR.get_peak_memory();
    let read_bytes = read_bytes.load(Ordering::Relaxed);
    assert!(peak <= TIMES * read_bytes + CONSTANT_BYTES, "{peak} bytes for {read_bytes}");
    if let Ok(connection) = &mut outcome {
        assert_eq!(connection.state(), State::Ready);
    }
    let outcome = outcome.map(drop);
    if let Err(error) = &outcome {
        assert_clear(error);
    }
    Led { heard: notes.lines(), outcome, read_bytes }
}

/// An error has the documented number of its kind, and says something.
fn assert_clear(error: &Error) {
    let is_right = match error {
        Error::Io { code, nothing_sent, .. } => *code == codes::SERVER_GONE_ERROR && !nothing_sent,
        Error::Malformed(_) => error.code() == codes::MALFORMED_PACKET,
        Error::Server { .. } | Error::Auth { .. } => error.code() != 0,
        Error::TooLarge => error.code() == codes::NET_PACKET_TOO_LARGE,
        Error::Unsupported(_) => error.code() == codes::NOT_IMPLEMENTED,
        _ => false,
    };
    assert!(is_right, "{error:?}");
    let may_be_silent = matches!(error, Error::Server { .. } | Error::Auth { .. });
    assert!(may_be_silent || !error.message().is_empty(), "{error:?}");
}

/// As [`lead`], for a session in which something was changed; `what` is said should it fail.
fn lead_changed(
    recorded: &Recorded,
    turns: &[Vec<u8>],
    silence: Silence,
    what: &dyn Fn() -> String,
) {
    let replay = Replay::new(turns).then(silence);
    let lead = || drop(lead(recorded.conversation, replay, Notes::default()));
    if catch_unwind(AssertUnwindSafe(lead)).is_err() {
        panic!("{}, {}, then {silence:?}", recorded.name, what());
    }
}

fn turns(recorded: &Recorded) -> Vec<Vec<u8>> {
    recorded.dialogue.of_server().map(<[u8]>::to_vec).collect()
}

fn assert_heard(recorded: &Recorded, replay: Replay) {
    let Led { mut heard, outcome, read_bytes } = lead(recorded.conversation, replay, Notes::kept());
    heard.extend(outcome.err().map(|error| format!("failed {error}")));
    assert_eq!(heard, recorded.dialogue.heard, "{}", recorded.name);
    let said_bytes: usize = recorded.dialogue.of_server().map(<[u8]>::len).sum();
    assert_eq!(read_bytes, said_bytes, "{}", recorded.name);
}

#[test]
fn each_is_understood_as_it_was() {
    let _alone = alone();
    for recorded in all() {
        assert_heard(&recorded, recorded.replay());
        assert_heard(&recorded, recorded.replay().byte_by_byte());
        assert_heard(&recorded, recorded.replay().then(Silence::Waiting));
    }
}

fn changes_user(recorded: &Recorded) -> bool {
    recorded.conversation.asks.iter().any(|ask| matches!(ask, Ask::ChangeUser(..)))
}

#[test]
fn each_cut_is_one_error() {
    let _alone = alone();
    for recorded in all() {
        let bytes: usize = recorded.dialogue.of_server().map(<[u8]>::len).sum();
        let mut understood = 0;
        // How much of a cut compressed packet is understood is the decompressor's affair.
        let is_plain = recorded.conversation.log_in.compression.is_empty();
        for length in 0..bytes {
            for silence in [Silence::Closed, Silence::Waiting] {
                let replay = recorded.replay().cut_after(length).then(silence);
                let replay = if length % 2 == 0 { replay } else { replay.byte_by_byte() };
                let led = lead(recorded.conversation, replay, Notes::kept());
                let what = format!("{}, cut after {length}, then {silence:?}", recorded.name);
                assert!(recorded.dialogue.heard.starts_with(&led.heard), "{what}: {:?}", led.heard);
                assert!(!is_plain || led.heard.len() >= understood, "{what}: {:?}", led.heard);
                understood = led.heard.len();
                assert_eq!(led.read_bytes, length, "{what}");
                let expected = match silence {
                    Silence::Closed => ErrorKind::UnexpectedEof,
                    Silence::Waiting => ErrorKind::TimedOut,
                };
                match led.outcome {
                    Err(Error::Io { error, .. }) if error.kind() == expected => {}
                    // The other user was refused, and what the client says then to go on has no answer any more.
                    Err(Error::Auth { .. }) if changes_user(&recorded) => {}
                    other => panic!("{what}: {other:?}"),
                }
            }
        }
    }
}

/// What can stand where a length stands, as bytes.
fn extremes(field: &Field, old: &[u8]) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    if field.form == Form::Fixed {
        let most = u64::MAX >> (64 - 8 * field.bytes);
        let now = old.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte));
        for value in [0, 1, 0xFA, 0xFB, 0xFF, 0x100, 0xFFFF, 0x1_0000, most - 1, most, now + 1] {
            found.push((value & most).to_le_bytes()[..field.bytes].to_vec());
        }
        found.push((now.wrapping_sub(1) & most).to_le_bytes()[..field.bytes].to_vec());
    } else {
        let numbers = [0, 1, 0xFA, 0xFB, 0xFC, 0xFFFF, 0x1_0000, 0xFF_FFFF, 0x100_0000];
        let larger =
            [u32::MAX.into(), 1 << 32, (1 << 32) + 1, 1 << 40, i64::MAX as u64, 1 << 63, u64::MAX];
        for number in numbers.into_iter().chain(larger) {
            let mut bytes = Vec::new();
            put_lenenc_int(&mut bytes, number);
            found.push(bytes);
            // The same, longer than it has to be.
            found.push([&[0xFE][..], &number.to_le_bytes()].concat());
        }
        found.extend((0xFA..=0xFF).map(|byte| vec![byte]));
        found.extend([old[0].wrapping_sub(1), old[0].wrapping_add(1)].map(|byte| vec![byte]));
    }
    found.retain(|bytes| bytes != old);
    found
}

#[test]
fn no_length_is_believed() {
    let _alone = alone();
    let mut sessions = 0;
    for recorded in all() {
        let whole = turns(&recorded);
        for field in lengths(&recorded) {
            let Field { name, turn, header, at, bytes, .. } = field;
            let old = whole[turn][at..at + bytes].to_vec();
            for new in extremes(&field, &old) {
                let mut changed = whole.clone();
                changed[turn].splice(at..at + bytes, new.iter().copied());
                let what =
                    || format!("{name} in turn {turn} at {at}: {old:02x?} became {new:02x?}");
                let silence = if sessions % 2 == 0 { Silence::Closed } else { Silence::Waiting };
                lead_changed(&recorded, &changed, silence, &what);
                sessions += 1;
                if at >= header + 4 && new.len() != old.len() {
                    // And in a packet that is as long as its header says.
                    let length = u16::from_le_bytes([whole[turn][header], whole[turn][header + 1]]);
                    let length = usize::from(length) + new.len() - old.len();
                    changed[turn][header..header + 2].copy_from_slice(&length.to_le_bytes()[..2]);
                    lead_changed(&recorded, &changed, silence, &what);
                    sessions += 1;
                }
            }
        }
    }
    eprintln!("{sessions} sessions");
    assert!(sessions > 20_000, "{sessions} sessions");
}

#[test]
fn no_byte_is_believed() {
    let _alone = alone();
    let mut sessions = 0;
    for recorded in all() {
        let mut changed = turns(&recorded);
        for turn in 0..changed.len() {
            for at in 0..changed[turn].len() {
                let old = changed[turn][at];
                for new in [0, 0x7F, 0x80, 0xFB, 0xFC, 0xFD, 0xFE, 0xFF] {
                    changed[turn][at] = new;
                    let what = || format!("byte {at} of turn {turn}: {old:#04x} became {new:#04x}");
                    let silence = if at % 2 == 0 { Silence::Closed } else { Silence::Waiting };
                    lead_changed(&recorded, &changed, silence, &what);
                    sessions += 1;
                }
                changed[turn][at] = old;
            }
        }
    }
    eprintln!("{sessions} sessions");
    assert!(sessions > 100_000, "{sessions} sessions");
}
