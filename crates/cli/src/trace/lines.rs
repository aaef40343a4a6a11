//! The lines of a file that may be of any length, or none of ours: in bounded memory.

use std::io::{self, BufRead, BufReader, Read};

/// A longer line is none of a trace.
const MAX_LINE_BYTES: usize = 64 << 10;

/// How much is read at once.
const BUFFER_BYTES: usize = 256 << 10;

/// A line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Text<'a> {
    /// It, without what ends it; of a line that is too long the beginning.
    pub(super) bytes: &'a [u8],
    /// Whether something ends it: otherwise somebody may still be writing.
    pub(super) has_end: bool,
    /// Whether it is too long.
    pub(super) is_too_long: bool,
}

/// Reads lines.
pub(super) struct Lines<R> {
    source: BufReader<R>,
    line: Vec<u8>,
}

impl<R: Read> Lines<R> {
    pub(super) fn new(source: R) -> Lines<R> {
        Lines { source: BufReader::with_capacity(BUFFER_BYTES, source), line: Vec::new() }
    }

    /// The next line; `None`: there is none.
    pub(super) fn next_line(&mut self) -> io::Result<Option<Text<'_>>> {
        self.line.clear();
        let mut is_too_long = false;
        loop {
            let found = match self.source.fill_buf() {
                Ok(found) => found,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let end = found.iter().position(|byte| *byte == b'\n');
            let (part, used) = match end {
                Some(end) => (found.get(..end).unwrap_or_default(), end + 1),
                None => (found, found.len()),
            };
            let room = MAX_LINE_BYTES - self.line.len();
            is_too_long |= part.len() > room;
            self.line.extend_from_slice(part.get(..room).unwrap_or(part));
            let is_over = used == 0;
            self.source.consume(used);
            if is_over && self.line.is_empty() {
                return Ok(None);
            }
            if is_over || end.is_some() {
                return Ok(Some(Text { bytes: &self.line, has_end: end.is_some(), is_too_long }));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &[u8], expected: &[(&[u8], bool, bool)]) {
        let mut lines = Lines::new(source);
        for (bytes, has_end, is_too_long) in expected {
            let expected = Text { bytes, has_end: *has_end, is_too_long: *is_too_long };
            assert_eq!(lines.next_line().unwrap(), Some(expected));
        }
        assert_eq!(lines.next_line().unwrap(), None);
    }

    #[test]
    fn lines_are_told_from_what_has_no_end() {
        check(b"", &[]);
        check(b"a\n\nb\n", &[(b"a", true, false), (b"", true, false), (b"b", true, false)]);
        check(b"a\nb", &[(b"a", true, false), (b"b", false, false)]);
    }

    #[test]
    fn long_lines_take_no_memory() {
        let long = vec![b'x'; 3 * BUFFER_BYTES];
        let begin = &long[..MAX_LINE_BYTES];
        check(&[&long, &b"\na\n"[..]].concat(), &[(begin, true, true), (b"a", true, false)]);
        check(&long, &[(begin, false, true)]);
        check(&[begin, b"\n"].concat(), &[(begin, true, false)]);
    }
}
