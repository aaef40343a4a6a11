//! What key-value ports say, as one input: what is asked is always the same.

use std::time::Duration;

use vaquita_client::Address;
use vaquita_fake_server::Replay;
use vaquita_kv::{Error, HandlerSocket, Key, Memcached, OpenIndex};

/// No stream here waits.
const TIMEOUT: Duration = Duration::from_secs(1);

/// The first bit of an input: whether it comes byte by byte.
const BYTE_BY_BYTE: u8 = 1;

const KEYS: [&[u8]; 3] = [b"a", b"bb", b"c\xFF"];
const COLUMNS: [&[u8]; 2] = [b"x", b"y"];

/// The port that says the input: after its first byte, turns that each begin with their length in a byte, and at the end what is left over.
fn port(data: &[u8]) -> Box<Replay> {
    let (how, mut rest) = data.split_first().map_or((0, data), |(how, rest)| (*how, rest));
    let mut turns = Vec::new();
    while let Some((length, said)) = rest.split_first() {
        let (turn, after) = said.split_at_checked((*length).into()).unwrap_or((said, b""));
        turns.push(turn);
        rest = after;
    }
    let replay = Replay::new(turns);
    Box::new(if how & BYTE_BY_BYTE == 0 { replay } else { replay.byte_by_byte() })
}

/// An input of turns.
fn input(turns: &[&[u8]]) -> Vec<u8> {
    let mut input = vec![0];
    for turn in turns {
        input.push(u8::try_from(turn.len()).unwrap_or(u8::MAX));
        input.extend_from_slice(turn);
    }
    input
}

fn address() -> Address {
    Address::Unix("nowhere".into())
}

/// Whether all went well; where it did not, the driver was in step.
fn settled<R>(done: Result<R, Error>) -> bool {
    assert!(!matches!(done, Err(Error::OutOfSync | Error::Unfit(_))), "it is in step");
    done.is_ok()
}

/// [`Memcached`]: three keys in one request, three in as many, one stored and one deleted.
pub fn memcached(data: &[u8]) -> bool {
    let talk = || {
        let mut port = Memcached::over(port(data), &address(), TIMEOUT)?;
        let [a, b, c] = KEYS;
        let keys = [Key::new(a)?, Key::new(b)?, Key::new(c)?];
        let mut places = Vec::new();
        port.send_get(&keys)?;
        port.read_values(&keys, |place, _, value| {
            assert!(value.len() <= data.len(), "it is what came");
            places.push(place);
        })?;
        assert!(places.is_sorted_by(|one, next| one < next) && places.iter().all(|it| *it < 3));
        port.send_gets(&keys)?;
        for key in keys {
            port.read_values(&[key], |place, _, _| assert_eq!(place, 0))?;
        }
        port.send_delete(keys[0])?;
        port.read_done()?;
        assert!(port.is_ready());
        port.version()
    };
    settled(talk())
}

/// [`HandlerSocket`]: an index opened, and the rows of two keys.
pub fn handler_socket(data: &[u8]) -> bool {
    let talk = || {
        let mut port = HandlerSocket::over(port(data), &address(), TIMEOUT)?;
        port.authenticate(b"secret")?;
        let open = OpenIndex { database: b"d", table: b"t", index: b"PRIMARY", columns: &COLUMNS };
        let index = port.open_index(&open)?;
        port.send_find(index, &[&[Some(b"1")], &[None]], 10)?;
        for _ in 0..2 {
            port.read_rows(index, |row| {
                assert_eq!(row.len(), COLUMNS.len());
                assert!(row.iter().flatten().all(|value| value.len() <= data.len()));
            })?;
        }
        assert!(port.is_ready());
        Ok(())
    };
    settled(talk())
}

/// What ports say in truth, for each of the checks.
pub fn inputs(name: &str) -> Vec<Vec<u8>> {
    let turns: &[&[&[u8]]] = match name {
        "memcached" => &[
            &[
                b"VALUE a 0 3\r\n\r\n\0\r\nVALUE c\xFF 4294967295 0 17\r\n\r\nEND\r\n",
                b"END\r\nVALUE bb 0 1\r\nx\r\nEND\r\nEND\r\n",
                b"DELETED\r\n",
                b"VERSION 1.6.18\r\n",
            ],
            &[b"END\r\n", b"END\r\nEND\r\nEND\r\n", b"NOT_FOUND\r\n", b"VERSION x\r\n"],
            &[b"SERVER_ERROR out of memory writing get response\r\n"],
        ],
        "handler_socket" => &[
            &[b"0\t1\n", b"0\t1\n", b"0\t2\tx\x01\x49\t\0\t\ty\n0\t2\n"],
            &[b"0\t1\n", b"0\t1\n", b"0\t2\n2\t1\tkeynum\n"],
            &[b"3\t1\tunauth\n"],
        ],
        _ => &[],
    };
    turns.iter().map(|turns| input(turns)).collect()
}
