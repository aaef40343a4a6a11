//! Advice for a whole application: each thread sums what its connections knew, and appends a line of JSON to a file now and then.
//!
//! The file is its user's alone, and never reached through a symbolic link: one that somebody else has put there, or may read, gets nothing. A line
//! goes out in one write, so that those of many processes stay whole.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::fs::{Metadata, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process;
use std::time::{Duration, Instant, SystemTime};

use rustix::fs::OFlags;
use rustix::process::geteuid;

use super::{Advice, Line, Wanted};

/// How often a process writes, however many requests it serves.
const INTERVAL: Duration = Duration::from_secs(10);

/// How long a file may become: nobody empties one that was forgotten.
const MAX_FILE_BYTES: u64 = 256 << 20;

/// Only the user, for reading and writing.
const MODE: u32 = 0o600;

/// How many files are remembered; a process has one, or one for each site that it serves.
const MAX_FILES: usize = 64;

thread_local! {
    static SUMS: RefCell<Vec<Sum>> = const { RefCell::new(Vec::new()) };
}

/// What is to be written to a file.
struct Sum {
    /// Whose it is: a child begins anew.
    process: u32,
    path: PathBuf,
    advice: Advice,
    written_at: Option<Instant>,
}

impl Sum {
    fn write(&mut self) {
        let mut advice = std::mem::take(&mut self.advice);
        self.written_at = Some(Instant::now());
        if !advice.is_empty() {
            // Nobody is there who could be told.
            let _ = append(&self.path, &line(&mut advice));
        }
    }
}

/// Adds what a connection knew to what goes to a file.
pub(crate) fn add(path: &Path, advice: &Advice) {
    let process = process::id();
    SUMS.with_borrow_mut(|sums| {
        sums.retain(|sum| sum.process == process);
        if let Some(sum) = sums.iter_mut().find(|sum| sum.path == *path) {
            return sum.advice.add(advice);
        }
        if sums.len() == MAX_FILES {
            sums.remove(0).write();
        }
        let mut sum =
            Sum { process, path: path.into(), advice: Advice::default(), written_at: None };
        sum.advice.add(advice);
        sums.push(sum);
    });
}

/// Writes this thread's advice to its files: all of it at the end, else what was not written for some time.
pub fn write_advice(is_end: bool) {
    let process = process::id();
    let is_due = |sum: &&mut Sum| {
        let is_late = sum.written_at.is_none_or(|at| at.elapsed() >= INTERVAL);
        sum.process == process && (is_end || is_late)
    };
    SUMS.with_borrow_mut(|sums| sums.iter_mut().filter(is_due).for_each(Sum::write));
}

fn append(path: &Path, line: &str) -> io::Result<()> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true).mode(MODE).custom_flags(flags);
    let mut file = options.open(path)?;
    let found = file.metadata()?;
    if !is_own(&found) || found.len() >= MAX_FILE_BYTES {
        return Err(io::Error::other("it is no regular file of this user's alone, or full"));
    }
    // Where a disk was full there is half a line.
    let mut last = *b"\n";
    file.read_at(&mut last, found.len().saturating_sub(1))?;
    let begin = if last == *b"\n" { "" } else { "\n" };
    file.write_all(format!("{begin}{line}").as_bytes())
}

/// Whether it is a file of this user's, which nobody else may read or write, and which has no other name, for that could be another file's.
fn is_own(found: &Metadata) -> bool {
    let is_private = found.uid() == geteuid().as_raw() && found.mode() & 0o077 == 0;
    found.is_file() && is_private && found.nlink() == 1
}

fn line(advice: &mut Advice) -> String {
    advice.sort();
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let mut text = format!("{{\"at\":{},\"process\":{},\"shapes\":[", now.as_secs(), process::id());
    for (number, (shape, line)) in advice.lines().enumerate() {
        text += if number == 0 { "" } else { "," };
        put(&mut text, shape, line);
    }
    text += "]}\n";
    text
}

fn put(text: &mut String, shape: &[u8], line: &Line) {
    *text += "{\"shape\":";
    put_text(text, &[shape]);
    // Writing to a String never fails.
    let _ = write!(
        text,
        ",\"statements\":{},\"seconds\":{:.6},\"eligible\":{},\"reasons\":{{",
        line.statements,
        line.time.as_secs_f64(),
        line.is_eligible
    );
    for (number, (reason, count)) in line.reasons().enumerate() {
        let comma = if number == 0 { "" } else { "," };
        let _ = write!(text, "{comma}\"{}\":{count}", reason.name());
    }
    *text += "},\"table\":";
    match &line.wanted {
        None => *text += "null",
        Some(wanted) => put_wanted(text, wanted),
    }
    text.push('}');
}

fn put_wanted(text: &mut String, wanted: &Wanted) {
    *text += "{\"name\":";
    put_text(text, &[&wanted.database, b".", &wanted.table]);
    for (name, columns) in [("key", &wanted.key), ("values", &wanted.values)] {
        let _ = write!(text, ",\"{name}\":[");
        for (number, column) in columns.iter().enumerate() {
            *text += if number == 0 { "" } else { "," };
            put_text(text, &[column]);
        }
        text.push(']');
    }
    let is_unique = wanted.is_unique.map_or("null", |it| if it { "true" } else { "false" });
    let _ = write!(text, ",\"unique\":{is_unique}}}");
}

/// Appends a text of all parts, as JSON has it; what is no UTF-8 becomes the sign for that.
fn put_text(text: &mut String, parts: &[&[u8]]) {
    text.push('"');
    for letter in parts.iter().flat_map(|part| part.utf8_chunks()) {
        for letter in letter.valid().chars() {
            match letter {
                '"' | '\\' => text.extend(['\\', letter]),
                '\0'..='\x1F' => {
                    let _ = write!(text, "\\u{:04x}", u32::from(letter));
                }
                letter => text.push(letter),
            }
        }
        if !letter.invalid().is_empty() {
            text.push(char::REPLACEMENT_CHARACTER);
        }
    }
    text.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Reason;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt, chown, symlink};
    use vaquita_client::{Charset, Dialect};

    fn advice() -> Advice {
        let mut advice = Advice::default();
        let dialect =
            Dialect { encoding: Charset::utf8mb4().encoding, no_backslash_escapes: false };
        let sql = b"SELECT `a\"b\\\x01` FROM t WHERE k = 'secret\xFF'";
        advice.note(sql, Some(dialect), Duration::from_millis(1500), Some(Reason::Port)).wanted =
            Some(Wanted {
                database: (*b"d").into(),
                table: (*b"t\xFF").into(),
                key: [(*b"k").into()].into(),
                values: [(*b"a").into(), (*b"b").into()].into(),
                is_unique: Some(true),
            });
        advice
    }

    #[test]
    fn a_line_is_json() {
        let text = line(&mut advice());
        let shapes = text.split_once("\"shapes\":").unwrap().1;
        assert_eq!(
            shapes,
            "[{\"shape\":\"SELECT `a\\\"b\\\\\\u0001` FROM t WHERE k = ?\",\"statements\":1,\"seconds\":1.500000,\"eligible\":false,\
             \"reasons\":{\"port\":1},\"table\":{\"name\":\"d.t\u{FFFD}\",\"key\":[\"k\"],\"values\":[\"a\",\"b\"],\"unique\":true}}]}\n"
        );
    }

    #[test]
    fn a_process_writes_seldom_and_at_its_end() {
        let folder = std::env::temp_dir().join(format!("vaquita-advice-{}", process::id()));
        fs::create_dir(&folder).unwrap();
        let (path, link) = (folder.join("file"), folder.join("link"));
        symlink(&path, &link).unwrap();
        let lines = || fs::read_to_string(&path).map_or(0, |text| text.lines().count());
        add(&link, &advice());
        write_advice(true);
        assert_eq!(lines(), 0, "through a link");
        add(&path, &advice());
        write_advice(false);
        assert_eq!(lines(), 1);
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, MODE);
        add(&path, &advice());
        write_advice(false);
        assert_eq!(lines(), 1, "too soon");
        write_advice(true);
        write_advice(true);
        assert_eq!(lines(), 2);

        fs::write(&path, "{\"at\":").unwrap();
        add(&path, &advice());
        write_advice(true);
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().next(), Some("{\"at\":"), "half a line");
        assert_eq!((text.lines().count(), text.ends_with("}\n")), (2, true));

        let file = OpenOptions::new().write(true).open(&path).unwrap();
        file.set_len(MAX_FILE_BYTES).unwrap();
        add(&path, &advice());
        write_advice(true);
        assert_eq!(file.metadata().unwrap().len(), MAX_FILE_BYTES);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_file_of_others_gets_nothing() {
        let folder = std::env::temp_dir().join(format!("vaquita-advice-others-{}", process::id()));
        fs::create_dir(&folder).unwrap();
        let (path, other) = (folder.join("file"), folder.join("other"));
        let is_written = || append(&path, "{}\n").is_ok();
        assert!(is_written());
        for mode in [0o640, 0o604, 0o620, 0o602, 0o600] {
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            assert_eq!(is_written(), mode == 0o600, "{mode:o}");
        }
        fs::hard_link(&path, &other).unwrap();
        assert!(!is_written(), "it has another name");
        fs::remove_file(&other).unwrap();
        assert!(is_written());
        if geteuid().is_root() {
            chown(&path, Some(4711), None).unwrap();
            assert!(!is_written(), "it is somebody else's");
        }
        let pipe = std::process::Command::new("mkfifo").arg(&other).status();
        assert!(pipe.unwrap().success() && append(&other, "{}\n").is_err());
        fs::remove_dir_all(&folder).unwrap();
    }
}
