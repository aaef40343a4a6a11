//! The lines that a memcached server says.
//!
//! <https://github.com/memcached/memcached/blob/master/doc/protocol.txt>

use crate::decimal::decimal;

/// A line, without its CR LF.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// A value follows, and CR LF behind it.
    Value {
        /// The key that was asked for.
        key: &'a [u8],
        /// What was stored with it.
        flags: u32,
        /// How long the value is.
        bytes: usize,
    },
    /// All values that there are have come.
    End,
    /// A value was stored.
    Stored,
    /// It was not: the command's condition does not hold.
    NotStored,
    /// Somebody else has changed it.
    Exists,
    /// There is nothing of that key.
    NotFound,
    /// It was deleted.
    Deleted,
    /// What the server is.
    Version(&'a [u8]),
    /// The server does not know the command, finds a mistake in it, or could not do it: what it says besides.
    Error(&'a [u8]),
}

impl<'a> Line<'a> {
    /// Reads a line, which ends before its LF; `None`: it is none of the protocol.
    pub fn parse(line: &'a [u8]) -> Option<Line<'a>> {
        let line = line.strip_suffix(b"\r")?;
        let mut words = line.split(|byte| *byte == b' ');
        let plain = match words.next()? {
            b"VALUE" => {
                let key = words.next().filter(|key| !key.is_empty())?;
                let flags = decimal(words.next()?)?.try_into().ok()?;
                let bytes = decimal(words.next()?)?.try_into().ok()?;
                // Servers may tell a CAS number that nobody asked for.
                words.next().map_or(Some(0), decimal)?;
                return words.next().is_none().then_some(Line::Value { key, flags, bytes });
            }
            b"VERSION" => return line.strip_prefix(b"VERSION ").map(Line::Version),
            b"CLIENT_ERROR" | b"SERVER_ERROR" | b"ERROR" => return Some(Line::Error(line)),
            b"END" => Line::End,
            b"STORED" => Line::Stored,
            b"NOT_STORED" => Line::NotStored,
            b"EXISTS" => Line::Exists,
            b"NOT_FOUND" => Line::NotFound,
            b"DELETED" => Line::Deleted,
            _ => return None,
        };
        words.next().is_none().then_some(plain)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read() {
        let value = |key, flags, bytes| Some(Line::Value { key, flags, bytes });
        let check = |line: &[u8], expected| assert_eq!(Line::parse(line), expected, "{line:?}");
        check(b"VALUE k 0 3\r", value(b"k", 0, 3));
        check(b"VALUE k 4294967295 3 77\r", value(b"k", u32::MAX, 3));
        check(b"END\r", Some(Line::End));
        check(b"VERSION 1.6.18\r", Some(Line::Version(b"1.6.18")));
        check(b"ERROR\r", Some(Line::Error(b"ERROR")));
        check(b"SERVER_ERROR out of memory\r", Some(Line::Error(b"SERVER_ERROR out of memory")));
        for wrong in [
            &b""[..],
            b"\r",
            b"END",
            b"END \r",
            b"END x\r",
            b"STORED\r\r",
            b"VALUE\r",
            b"VALUE k\r",
            b"VALUE k 0\r",
            b"VALUE  0 3\r",
            b"VALUE k -1 3\r",
            b"VALUE k 4294967296 3\r",
            b"VALUE k 0 +3\r",
            b"VALUE k 0 3 \r",
            b"VALUE k 0 3 1 2\r",
            b"VALUE k 0 99999999999999999999\r",
            b"end\r",
        ] {
            check(wrong, None);
        }
    }
}
