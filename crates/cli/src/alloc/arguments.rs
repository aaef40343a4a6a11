//! What `vaquita alloc` is asked for.

use std::ffi::OsString;
use std::path::PathBuf;

/// How it is called.
pub(super) const USAGE: &str = "\
usage: vaquita alloc [--by size|caller] [--top N] [--frames N] [--output FILE] [--lines]
                     [--marks] [--without-zend] [--] COMMAND [ARGUMENT...]";

/// What `--help` says besides.
pub(super) const HELP: &str = "\
Runs a command, such as `php script.php`, and tells what it asked for: of the C library (malloc,
calloc, realloc, memalign), of the kernel by mmap and mremap, and of PHP's own allocator (emalloc
and its family). A histogram has a line for each power of two, up to the next.

  --by size       the histograms only
  --by caller     a histogram of each caller; without --by: the histograms, and a table of callers
  --top N         that many callers (default: 10), those that asked for most bytes
  --frames N      tell callers apart by N calls, up to 8 (default: 1, the function that called
                  malloc); more than one takes two microseconds for each allocation
  --output FILE   the report goes there, not to standard error
  --lines         for programs: a line with tabs for each stretch, function, size and caller:
                  stretch, function, least bytes, calls, bytes, caller
  --marks         only what happens after umask(0701) and before umask(0700) is counted;
                  umask(0702) to umask(0707) begin further stretches
  --without-zend  leaves PHP's own allocator alone

The command's own output and exit code stay what they are; after a signal the exit code is 128 and
its number. Processes that it forks are counted with it, programs that it starts are not. What was
counted before a process is killed is told too. Ctrl-C ends the command, then comes the report.

Not seen are: programs that are linked statically or change their user, calls that a library makes
of its own allocator or of the kernel directly, what the C library maps for itself, and of a PHP
with threads, for debugging, or inside of another program (Apache's) the own allocator.";

/// How many callers are shown if nothing else is asked for.
const TOP: usize = 10;
/// As many callers of callers as an entry has room for (`FRAMES` in preload/counts.h).
const MOST_FRAMES: u8 = 8;

/// What is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    /// Histograms of all, and a table of the callers.
    Both,
    /// Histograms of all.
    Size,
    /// A histogram of each caller.
    Caller,
}

/// What is asked for.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Asked {
    pub(super) by: By,
    pub(super) top: usize,
    pub(super) frames: u8,
    pub(super) output: Option<PathBuf>,
    pub(super) lines: bool,
    pub(super) marks: bool,
    pub(super) zend: bool,
    /// The program and its arguments; there is one.
    pub(super) program: OsString,
    pub(super) arguments: Vec<OsString>,
}

impl Asked {
    /// Reads the arguments; `None`: help is wanted.
    ///
    /// # Errors
    /// What is wrong with them.
    pub(super) fn parse(given: impl Iterator<Item = OsString>) -> Result<Option<Asked>, String> {
        let mut given = given.peekable();
        let mut asked = Asked {
            by: By::Both,
            top: TOP,
            frames: 1,
            output: None,
            lines: false,
            marks: false,
            zend: true,
            program: OsString::new(),
            arguments: Vec::new(),
        };
        while let Some(option) = given.next_if(|it| it.as_encoded_bytes().starts_with(b"-")) {
            let mut value = || given.next().ok_or(format!("{} lacks a value", option.display()));
            match option.to_str() {
                Some("--") => break,
                Some("--help" | "-h") => return Ok(None),
                Some("--by") => {
                    asked.by = match value()?.to_str() {
                        Some("size") => By::Size,
                        Some("caller") => By::Caller,
                        _ => return Err("--by is size or caller".to_owned()),
                    };
                }
                Some("--top") => asked.top = number(&value()?, 1, usize::MAX, "--top")?,
                Some("--frames") => {
                    asked.frames = number(&value()?, 1, MOST_FRAMES, "--frames")?;
                }
                Some("--output") => asked.output = Some(value()?.into()),
                Some("--lines") => asked.lines = true,
                Some("--marks") => asked.marks = true,
                Some("--without-zend") => asked.zend = false,
                _ => return Err(format!("there is no option {}", option.display())),
            }
        }
        asked.program = given.next().ok_or("which command?")?;
        asked.arguments = given.collect();
        Ok(Some(asked))
    }
}

/// A number in its bounds.
fn number<N>(text: &OsString, least: N, most: N, option: &str) -> Result<N, String>
where
    N: std::str::FromStr + PartialOrd + std::fmt::Display + Copy,
{
    let number = text.to_str().and_then(|text| text.parse().ok());
    number.filter(|it| (least..=most).contains(it)).ok_or_else(|| {
        format!("{option} is a number from {least} to {most}, not {}", text.display())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Option<Asked>, String> {
        Asked::parse(line.split_whitespace().map(OsString::from))
    }

    #[test]
    fn options_end_where_the_command_begins() {
        for line in ["--top 3 php --top x", "--top 3 -- php --top x"] {
            let asked = parse(line).unwrap().unwrap();
            assert_eq!((asked.top, asked.by, asked.frames, asked.zend), (3, By::Both, 1, true));
            assert_eq!(asked.program, "php");
            assert_eq!(asked.arguments, ["--top", "x"]);
        }
        let asked = parse("-- -strange").unwrap().unwrap();
        assert_eq!(asked.program, "-strange");
    }

    #[test]
    fn every_option_is_heeded() {
        let line = "--by caller --frames 8 --output f --lines --marks --without-zend -- true";
        let expected = Asked {
            by: By::Caller,
            top: 10,
            frames: 8,
            output: Some("f".into()),
            lines: true,
            marks: true,
            zend: false,
            program: "true".into(),
            arguments: Vec::new(),
        };
        assert_eq!(parse(line), Ok(Some(expected)));
        assert_eq!(parse("--by size --help"), Ok(None));
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (line, expected) in [
            ("", "which command?"),
            ("--", "which command?"),
            ("--top", "--top lacks a value"),
            ("--top 0 -- x", "--top is a number from 1 to"),
            ("--frames 9 -- x", "--frames is a number from 1 to 8, not 9"),
            ("--frames -1 -- x", "--frames is a number from 1 to 8, not -1"),
            ("--by calls -- x", "--by is size or caller"),
            ("--bye -- x", "there is no option --bye"),
        ] {
            let said = parse(line).unwrap_err();
            assert!(said.starts_with(expected), "{line}: {said}");
        }
    }
}
