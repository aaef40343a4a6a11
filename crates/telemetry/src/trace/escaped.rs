//! Statements in a line of their own: nothing in them ends the line, moves a terminal's cursor, or looks like a line's beginning.

use std::io::Write;

/// The longest text that a line has; `...` stands behind one that is cut.
const MAX_BYTES: usize = 4096;

/// Appends a text. What can't be seen, a backslash, and what is no UTF-8 becomes `\n`, `\t`, `\\`, `\x1b` (a byte) or `\u{202e}` (a letter).
pub(super) fn put_escaped(text: &[u8], line: &mut Vec<u8>) {
    let start = line.len();
    for chunk in text.utf8_chunks() {
        for letter in chunk.valid().chars() {
            if is_full(line, start) {
                return;
            }
            put_letter(letter, line);
            // What a line begins with behind the time: a line that was cut is told from the one behind it by that.
            if line.ends_with(b"Z pid=") {
                line.truncate(line.len() - b" pid=".len());
                line.extend_from_slice(b"\\x20pid=");
            }
        }
        for byte in chunk.invalid() {
            if is_full(line, start) {
                return;
            }
            put_byte(*byte, line);
        }
    }
}

/// Appends what a trace says, as a terminal may show it, whoever has written it: a line of ours stays what it is.
pub fn put_shown(text: &[u8], out: &mut Vec<u8>) {
    for chunk in text.utf8_chunks() {
        for letter in chunk.valid().chars() {
            match letter {
                '\\' => out.push(b'\\'),
                letter => put_letter(letter, out),
            }
        }
        chunk.invalid().iter().for_each(|byte| put_byte(*byte, out));
    }
}

/// Whether there is no room for more; if so it says so.
fn is_full(line: &mut Vec<u8>, start: usize) -> bool {
    let is_full = line.len() - start >= MAX_BYTES;
    if is_full {
        line.extend_from_slice(b"...");
    }
    is_full
}

fn put_letter(letter: char, line: &mut Vec<u8>) {
    match letter {
        '\n' => line.extend_from_slice(b"\\n"),
        '\t' => line.extend_from_slice(b"\\t"),
        '\\' => line.extend_from_slice(b"\\\\"),
        '\0'..='\x1F' | '\x7F' => put_byte(letter as u8, line),
        letter if is_unseen(letter) => {
            // Writing to a Vec never fails.
            let _ = write!(line, "\\u{{{:x}}}", u32::from(letter));
        }
        letter => line.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes()),
    }
}

fn put_byte(byte: u8, line: &mut Vec<u8>) {
    let _ = write!(line, "\\x{byte:02x}");
}

/// Whether a letter beyond ASCII commands a terminal, ends a line, or changes the order of those around it.
fn is_unseen(letter: char) -> bool {
    matches!(letter, '\u{80}'..='\u{9F}' | '\u{61C}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &[u8], expected: &str) {
        let mut line = b"Z".to_vec();
        put_escaped(text, &mut line);
        assert_eq!(String::from_utf8(line).unwrap(), format!("Z{expected}"));
    }

    #[test]
    fn a_text_is_one_line_and_no_command() {
        check(b"SELECT 'a' -- x", "SELECT 'a' -- x");
        check("é € 😀".as_bytes(), "é € 😀");
        check(b"a\r\nb\tc\\d\0\x1B[31m\x7F", "a\\x0d\\nb\\tc\\\\d\\x00\\x1b[31m\\x7f");
        check(b"\xE4\xFF\xE2\x82", "\\xe4\\xff\\xe2\\x82");
        check(
            "\u{9B}31m\u{202E}x\u{2028}\u{FEFF}\u{200D}".as_bytes(),
            "\\u{9b}31m\\u{202e}x\\u{2028}\\u{feff}\\u{200d}",
        );
    }

    #[test]
    fn what_is_shown_commands_no_terminal() {
        let mut line = Vec::new();
        put_escaped(b"a\\\n\x1B[31m", &mut line);
        let mut shown = Vec::new();
        put_shown(&line, &mut shown);
        assert_eq!(shown, line);
        shown.clear();
        put_shown("\x1B[31m\u{9B}é\n".as_bytes(), &mut shown);
        put_shown(b"\xFF", &mut shown);
        assert_eq!(String::from_utf8(shown).unwrap(), "\\x1b[31m\\u{9b}é\\n\\xff");
    }

    #[test]
    fn a_text_never_looks_like_a_line() {
        check(b"2026-01-01T00:00:00.000000Z pid=1", "2026-01-01T00:00:00.000000Z\\x20pid=1");
        check(b"Z pid=Z pid=", "Z\\x20pid=Z\\x20pid=");
        // Also where the line before it ends so.
        check(b" pid=", "\\x20pid=");
    }

    #[test]
    fn a_long_text_is_cut() {
        let mut line = Vec::new();
        put_escaped(&vec![0xFF; 100_000], &mut line);
        assert_eq!(line.len(), MAX_BYTES + 3);
        assert!(line.ends_with(b"\\xff..."));
        let mut line = Vec::new();
        put_escaped(&vec![b'a'; MAX_BYTES], &mut line);
        assert_eq!(line.len(), MAX_BYTES);
    }
}
