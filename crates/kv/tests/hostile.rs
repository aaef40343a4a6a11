//! Replies of ports that are cut, slow or wrong: an error each, or another answer, but never a panic, a wait without end or what nobody sent.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use vaquita_client::Address;
use vaquita_fake_server::Replay;
use vaquita_kv::{Error, Expiry, HandlerSocket, Key, Memcached, OpenIndex, Store};

const TIMEOUT: Duration = Duration::from_secs(5);

/// A port that says a part each time that it was spoken to, then closes.
fn port(parts: &[&[u8]], is_byte_by_byte: bool) -> Box<Replay> {
    let replay = Replay::new(parts);
    Box::new(if is_byte_by_byte { replay.byte_by_byte() } else { replay })
}

fn address() -> Address {
    Address::Unix("nowhere".into())
}

fn memcached(parts: &[&[u8]], is_byte_by_byte: bool) -> Memcached {
    Memcached::over(port(parts, is_byte_by_byte), &address(), TIMEOUT).unwrap()
}

fn key(bytes: &[u8]) -> Key<'_> {
    Key::new(bytes).unwrap()
}

/// What a port answers to one request for the keys a, b and c.
fn values(says: &[u8], is_byte_by_byte: bool) -> Result<Vec<(usize, u32, Vec<u8>)>, Error> {
    let keys = [key(b"a"), key(b"b"), key(b"c")];
    let mut port = memcached(&[says], is_byte_by_byte);
    let mut found = Vec::new();
    port.send_get(&keys)?;
    port.read_values(&keys, |place, flags, value| found.push((place, flags, value.to_vec())))?;
    assert!(port.is_ready());
    Ok(found)
}

/// What a port answers to two keys in one write.
fn rows(says: &[u8], is_byte_by_byte: bool) -> Result<Vec<Vec<Option<Vec<u8>>>>, Error> {
    let stream = port(&[OPENED, says], is_byte_by_byte);
    let mut port = HandlerSocket::over(stream, &address(), TIMEOUT).unwrap();
    let open = OpenIndex { database: b"d", table: b"t", index: b"PRIMARY", columns: &[b"a", b"b"] };
    let index = port.open_index(&open)?;
    let keys = [[Some(&b"1"[..])], [None]];
    port.send_find(index, &keys.each_ref().map(|key| &key[..]), 10)?;
    let mut found = Vec::new();
    for _ in keys {
        port.read_rows(index, |row| {
            found.push(row.iter().map(|value| value.as_deref().map(<[u8]>::to_vec)).collect());
        })?;
    }
    assert!(port.is_ready());
    Ok(found)
}

const VALUES: &[u8] = b"VALUE a 0 3\r\n\r\n\0\r\nVALUE c 7 0\r\n\r\nEND\r\n";
const OPENED: &[u8] = b"0\t1\n";
const ROWS: &[u8] = b"0\t2\tx\x01\x49\t\0\t\ty\n0\t2\n";

#[test]
fn everything_may_come_byte_by_byte() {
    for is_byte_by_byte in [false, true] {
        let expected = [(0, 0, b"\r\n\0".to_vec()), (2, 7, Vec::new())];
        assert_eq!(values(VALUES, is_byte_by_byte).unwrap(), expected);
        let some = |bytes: &[u8]| Some(bytes.to_vec());
        let expected = [vec![some(b"x\t"), None], vec![some(b""), some(b"y")]];
        assert_eq!(rows(ROWS, is_byte_by_byte).unwrap(), expected);
    }
}

#[test]
fn what_is_cut_is_lost() {
    for length in 0..VALUES.len() {
        let error = values(&VALUES[..length], false).unwrap_err();
        assert!(matches!(error, Error::Lost(_)), "{length}: {error}");
    }
    for length in 0..ROWS.len() {
        let error = rows(&ROWS[..length], false).unwrap_err();
        assert!(matches!(error, Error::Lost(_)), "{length}: {error}");
    }
}

#[test]
fn any_byte_may_be_any_other() {
    for place in 0..VALUES.len() {
        for byte in 0..=u8::MAX {
            let mut says = VALUES.to_vec();
            says[place] = byte;
            for (place, _, value) in values(&says, false).unwrap_or_default() {
                assert!(place < 3 && value.len() < VALUES.len());
            }
        }
    }
    for place in 0..ROWS.len() {
        for byte in 0..=u8::MAX {
            let mut says = ROWS.to_vec();
            says[place] = byte;
            for row in rows(&says, false).unwrap_or_default() {
                assert_eq!(row.len(), 2);
            }
        }
    }
}

#[test]
fn what_was_not_asked_for_is_refused() {
    let check = |says: &[u8], what: &str| {
        let error = values(says, false).unwrap_err();
        assert!(matches!(error, Error::Malformed(it) if it == what), "{error}");
    };
    check(b"VALUE d 0 1\r\nx\r\nEND\r\n", "a key of somebody else's");
    check(b"VALUE b 0 1\r\nx\r\nVALUE a 0 1\r\nx\r\nEND\r\n", "a key of somebody else's");
    check(b"VALUE a 0 1\r\nx\r\nVALUE a 0 1\r\nx\r\nEND\r\n", "a key of somebody else's");
    check(b"VALUE a 0 1\r\nxy\r\nEND\r\n", "a value without its end");
    check(b"VALUE a 0 1073741825\r\n", "a value that is too long");
    check(b"STORED\r\n", "neither a value nor END");
    check(b"END\r\nEND\r\n", "more than was asked for");
    check(&[b'x'; 5000], "a line without an end");
    assert!(
        matches!(values(b"SERVER_ERROR no\r\n", false), Err(Error::Refused(said)) if *said == *b"SERVER_ERROR no")
    );
}

#[test]
fn rows_are_no_more_than_were_asked_for() {
    let reply = [b"0\t2".as_slice(), &b"\tx\ty".repeat(11), b"\n0\t2\n"].concat();
    let error = rows(&reply, false).unwrap_err();
    assert!(matches!(error, Error::Malformed("more rows than were asked for")), "{error}");
}

#[test]
fn after_a_large_reply_comes_another() {
    let large = [b"VALUE a 0 900000\r\n".as_slice(), &[b'x'; 900_000], b"\r\nEND\r\n"].concat();
    let mut port = memcached(&[&large, b"VALUE a 0 1\r\ny\r\nEND\r\n", &large], false);
    for length in [900_000, 1, 900_000] {
        assert_eq!(port.get(key(b"a"), |_, value| value.len()).unwrap(), Some(length));
    }
}

#[test]
fn after_an_error_nothing_more_is_asked() {
    let mut port = memcached(&[b"nonsense\r\n", b"VALUE a 0 1\r\nx\r\nEND\r\n"], false);
    assert!(port.get(key(b"a"), |_, _| ()).is_err());
    assert!(!port.is_ready());
    assert!(matches!(port.get(key(b"a"), |_, _| ()), Err(Error::OutOfSync)));
    // Nor where replies are due; of no keys there is none.
    let mut port = memcached(&[b"END\r\n"], false);
    port.send_get(&[]).unwrap();
    port.read_values(&[], |_, _, _| unreachable!()).unwrap();
    port.send_get(&[key(b"a")]).unwrap();
    assert!(matches!(port.send_delete(key(b"a")), Err(Error::OutOfSync)));
    port.read_values(&[key(b"a")], |_, _, _| unreachable!()).unwrap();
    assert!(matches!(port.read_done(), Err(Error::OutOfSync)));
}

/// A port, and what it was asked.
fn listening(says: &[u8]) -> (Box<UnixStream>, impl FnOnce() -> Vec<u8>) {
    let (ours, mut other) = UnixStream::pair().unwrap();
    other.write_all(says).unwrap();
    let heard = move || {
        let mut heard = vec![0; 1000];
        let length = other.read(&mut heard).unwrap();
        heard.truncate(length);
        heard
    };
    (Box::new(ours), heard)
}

#[test]
fn requests_are_what_the_protocols_say() {
    let (stream, heard) = listening(b"STORED\r\n");
    let mut port = Memcached::over(stream, &address(), TIMEOUT).unwrap();
    port.send_store(Store::Add, key(b"k"), b"v\r\nget x", 5, Expiry(-1)).unwrap();
    assert!(port.read_done().unwrap());
    assert_eq!(heard(), b"add k 5 -1 8\r\nv\r\nget x\r\n");

    let (stream, heard) = listening(OPENED);
    let mut port = HandlerSocket::over(stream, &address(), TIMEOUT).unwrap();
    port.authenticate(b"se\tcret").unwrap();
    let comma = OpenIndex { database: b"d", table: b"t", index: b"i", columns: &[b"a,b"] };
    assert!(matches!(port.open_index(&comma), Err(Error::Unfit(_))));
    assert!(port.is_ready());
    assert_eq!(heard(), b"A\t1\tse\x01\x49cret\n");
}
