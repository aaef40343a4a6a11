//! Lines of the HandlerSocket protocol: tokens between tabs, each NULL or bytes.
//!
//! <https://github.com/DeNA/HandlerSocket-Plugin-for-MySQL/blob/master/docs-en/protocol.en.txt>

use std::borrow::Cow;
use std::io::Write;

/// Stands before a byte that would mean something, which is shifted.
const ESCAPE: u8 = 0x01;

/// By how much it is shifted.
const SHIFT: u8 = 0x40;

/// The bytes that mean something.
const SPECIAL: std::ops::RangeInclusive<u8> = 0x00..=0x0F;

/// A line that is being made.
#[derive(Debug, Default)]
pub(super) struct Lines {
    bytes: Vec<u8>,
    is_begun: bool,
}

impl Lines {
    /// Adds a token: NULL or these bytes.
    pub(super) fn token(&mut self, token: Option<&[u8]>) {
        if std::mem::replace(&mut self.is_begun, true) {
            self.bytes.push(b'\t');
        }
        match token {
            None => self.bytes.push(0),
            Some(token) => self.escaped(token),
        }
    }

    /// Adds a number.
    pub(super) fn number(&mut self, number: usize) {
        if std::mem::replace(&mut self.is_begun, true) {
            self.bytes.push(b'\t');
        }
        let _ = write!(self.bytes, "{number}");
    }

    /// Ends the line.
    pub(super) fn end(&mut self) {
        self.bytes.push(b'\n');
        self.is_begun = false;
    }

    /// All lines.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Forgets them.
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.is_begun = false;
    }

    fn escaped(&mut self, token: &[u8]) {
        for byte in token {
            if SPECIAL.contains(byte) {
                self.bytes.extend([ESCAPE, byte | SHIFT]);
            } else {
                self.bytes.push(*byte);
            }
        }
    }
}

/// What a token stands for. The outer `None`: it is none of the protocol.
pub(super) fn decode(token: &[u8]) -> Option<Option<Cow<'_, [u8]>>> {
    if token == [0] {
        return Some(None);
    }
    if !token.iter().any(|byte| SPECIAL.contains(byte)) {
        return Some(Some(Cow::Borrowed(token)));
    }
    let mut bytes = Vec::with_capacity(token.len());
    let mut rest = token.iter();
    while let Some(byte) = rest.next() {
        if *byte == ESCAPE {
            let shifted = rest.next().and_then(|shifted| shifted.checked_sub(SHIFT));
            bytes.push(shifted.filter(|byte| SPECIAL.contains(byte))?);
        } else if SPECIAL.contains(byte) {
            return None;
        } else {
            bytes.push(*byte);
        }
    }
    Some(Some(Cow::Owned(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let all: Vec<u8> = (0..=u8::MAX).collect();
        let tokens = [None, Some(&b""[..]), Some(b"a"), Some(&all), Some(b"\0"), Some(b"\x01A")];
        let mut lines = Lines::default();
        tokens.iter().for_each(|token| lines.token(*token));
        lines.number(42);
        lines.end();
        let line = lines.bytes().strip_suffix(b"\n").unwrap();
        assert!(!line.contains(&b'\n'));
        let read: Vec<_> =
            line.split(|byte| *byte == b'\t').map(|it| decode(it).unwrap()).collect();
        let expected = tokens.into_iter().chain([Some(&b"42"[..])]);
        assert_eq!(read, expected.map(|it| it.map(Cow::Borrowed)).collect::<Vec<_>>());
    }

    #[test]
    fn what_nobody_writes_is_refused() {
        for wrong in
            [&b"\x01"[..], b"a\x01", b"\x01\x3F", b"\x01\x50", b"\x01\x00", b"a\0", b"\0a", b"\r"]
        {
            assert_eq!(decode(wrong), None, "{wrong:?}");
        }
    }
}
