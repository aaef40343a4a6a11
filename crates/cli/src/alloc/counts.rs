//! The file in which the library that is loaded before all others counts: its layout stands in `preload/counts.h`.

use std::borrow::Cow;

const LAYOUT: &[u8] = b"VAQALLO1";
const COMMAND_BYTES: usize = 1024;
const PATH_BYTES: usize = 232;
const OBJECTS: usize = 1024;
const FRAMES: usize = 8;
const SIZES: usize = 48;
const STRETCHES: usize = 8;
const ENTRIES: usize = 65536;
const SLOTS: usize = 131_072;
const UNNAMED: usize = STRETCHES * Function::ALL.len() * SIZES;
/// Of the layout's name, six numbers, the command, the objects, the slots and the entries.
pub(super) const FILE_BYTES: usize = LAYOUT.len()
    + 6 * 8
    + COMMAND_BYTES
    + OBJECTS * (3 * 8 + PATH_BYTES)
    + SLOTS * 8
    + (UNNAMED + ENTRIES) * (FRAMES + 3) * 8;

/// A function that is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Function {
    Malloc,
    Calloc,
    Realloc,
    Memalign,
    Free,
    Mmap,
    Munmap,
    Mremap,
    Emalloc,
    Erealloc,
    Efree,
}

impl Function {
    /// In the library's order.
    const ALL: [Function; 11] = [
        Function::Malloc,
        Function::Calloc,
        Function::Realloc,
        Function::Memalign,
        Function::Free,
        Function::Mmap,
        Function::Munmap,
        Function::Mremap,
        Function::Emalloc,
        Function::Erealloc,
        Function::Efree,
    ];

    /// As it is called.
    pub(super) fn name(self) -> &'static str {
        match self {
            Function::Malloc => "malloc",
            Function::Calloc => "calloc",
            Function::Realloc => "realloc",
            Function::Memalign => "memalign",
            Function::Free => "free",
            Function::Mmap => "mmap",
            Function::Munmap => "munmap",
            Function::Mremap => "mremap",
            Function::Emalloc => "emalloc",
            Function::Erealloc => "erealloc",
            Function::Efree => "efree",
        }
    }
}

/// What became of the wish to see PHP's own allocator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Zend {
    /// The program has none.
    Absent,
    /// All that was asked of it was counted.
    Seen,
    /// It was to be left alone.
    NotAsked,
    /// Something else has taken its place: `USE_ZEND_ALLOC=0`.
    Replaced,
    /// It is that of a PHP with threads.
    Threads,
    /// It is that of a PHP for debugging.
    Debug,
}

/// Something that is loaded: the program, or a shared object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Object {
    pub(super) begin: u64,
    pub(super) end: u64,
    /// What an address is more than in its file.
    pub(super) bias: u64,
    pub(super) path: String,
}

/// Who called which function for how much, up to the next power of two, and how often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) function: Function,
    pub(super) stretch: u64,
    /// Return addresses, the nearest first. None: there was no entry left for the caller.
    pub(super) frames: Vec<u64>,
    /// The least bytes of a call, a power of two, or 0.
    pub(super) least: u64,
    pub(super) calls: u64,
    /// Of all of them.
    pub(super) bytes: u64,
}

/// All of it.
#[derive(Debug)]
pub(super) struct Counts {
    pub(super) processes: u64,
    /// Whether the first of them came to its end by itself.
    pub(super) has_ended: bool,
    pub(super) zend: Zend,
    pub(super) command: String,
    pub(super) objects: Vec<Object>,
    pub(super) entries: Vec<Entry>,
}

impl Counts {
    /// Reads a file; `None`: it has another layout.
    pub(super) fn parse(file: &[u8]) -> Option<Counts> {
        let mut rest = Rest(file);
        let layout = rest.take(LAYOUT.len())?;
        let [_pid, processes, has_ended, zend, objects, entries] = rest.numbers()?;
        if layout != LAYOUT || file.len() != FILE_BYTES {
            return None;
        }
        let zend = match zend {
            0 => Zend::Absent,
            1 => Zend::Seen,
            2 => Zend::NotAsked,
            3 => Zend::Replaced,
            4 => Zend::Threads,
            5 => Zend::Debug,
            _ => return None,
        };
        let command = rest.take(COMMAND_BYTES)?;
        let all = (0..OBJECTS).map(|_| rest.object()).collect::<Option<Vec<_>>>()?;
        let objects = all.into_iter().take(usize::try_from(objects).ok()?).collect();
        rest.take(SLOTS * 8)?;
        let used = UNNAMED + usize::try_from(entries).ok()?.min(ENTRIES);
        let all = (0..used).map(|_| rest.entry()).collect::<Option<Vec<_>>>()?;
        let entries = all.into_iter().filter(|entry| entry.calls > 0).collect();
        let has_ended = has_ended != 0;
        Some(Counts { processes, has_ended, zend, command: words(command), objects, entries })
    }
}

/// What is not yet read.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn take(&mut self, bytes: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(bytes)?;
        self.0 = rest;
        Some(taken)
    }

    fn numbers<const N: usize>(&mut self) -> Option<[u64; N]> {
        let mut numbers = [0; N];
        for number in &mut numbers {
            *number = u64::from_ne_bytes(self.take(8)?.try_into().ok()?);
        }
        Some(numbers)
    }

    fn object(&mut self) -> Option<Object> {
        let [begin, end, bias] = self.numbers()?;
        let path = text(self.take(PATH_BYTES)?).into_owned();
        Some(Object { begin, end, bias, path })
    }

    fn entry(&mut self) -> Option<Entry> {
        let [what] = self.numbers()?;
        let frames: [u64; FRAMES] = self.numbers()?;
        let [calls, bytes] = self.numbers()?;
        let [function, stretch, size, ..] = what.to_le_bytes();
        Some(Entry {
            function: *Function::ALL.get(usize::from(function))?,
            stretch: stretch.into(),
            frames: frames.into_iter().take_while(|frame| *frame != 0).collect(),
            least: if size == 0 { 0 } else { 1_u64.checked_shl(u32::from(size) - 1)? },
            calls,
            bytes,
        })
    }
}

/// Up to the first NUL.
fn text(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes.split(|byte| *byte == 0).next().unwrap_or_default())
}

/// Arguments with a NUL behind each, as words.
fn words(arguments: &[u8]) -> String {
    let end = arguments.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    let words = arguments.get(..end).unwrap_or_default().split(|byte| *byte == 0);
    words.map(String::from_utf8_lossy).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file with an object and three entries: one for whom there was no room, one with a frame, and one that another thread made too.
    fn file() -> Vec<u8> {
        let number = |numbers: &[u64]| -> Vec<u8> {
            numbers.iter().flat_map(|number| number.to_ne_bytes()).collect()
        };
        let padded = |text: &[u8], bytes: usize| {
            let mut padded = text.to_vec();
            padded.resize(bytes, 0);
            padded
        };
        let entry = |what: [u8; 3], frame: u64, calls: u64, bytes: u64| {
            let what = u64::from_le_bytes([what[0], what[1], what[2], 0, 0, 0, 0, 0]);
            let mut numbers = vec![what, frame];
            numbers.resize(1 + FRAMES, 0);
            number(&[numbers, vec![calls, bytes]].concat())
        };
        let mut file = LAYOUT.to_vec();
        file.extend(number(&[77, 2, 1, 1, 1, 2]));
        file.extend(padded(b"php\0a b.php\0", COMMAND_BYTES));
        file.extend(number(&[4096, 8192, 4096]));
        file.extend(padded(b"/lib/x.so", PATH_BYTES));
        file.extend(padded(b"", (OBJECTS - 1) * (24 + PATH_BYTES) + SLOTS * 8));
        file.extend(entry([1, 1, 4], 0, 3, 30));
        file.extend(padded(b"", (UNNAMED - 1) * 8 * (FRAMES + 3)));
        file.extend(entry([8, 2, 47], 5000, 1, u64::MAX));
        file.extend(entry([8, 2, 0], 5000, 0, 0));
        file.resize(FILE_BYTES, 0);
        file
    }

    #[test]
    fn all_that_was_counted_is_read() {
        let counts = Counts::parse(&file()).unwrap();
        assert_eq!((counts.processes, counts.has_ended, counts.zend), (2, true, Zend::Seen));
        assert_eq!(counts.command, "php a b.php");
        let object = Object { begin: 4096, end: 8192, bias: 4096, path: "/lib/x.so".to_owned() };
        assert_eq!(counts.objects, [object]);
        let left_out = Entry {
            function: Function::Calloc,
            stretch: 1,
            frames: Vec::new(),
            least: 8,
            calls: 3,
            bytes: 30,
        };
        let known = Entry {
            function: Function::Emalloc,
            stretch: 2,
            frames: vec![5000],
            least: 1 << 46,
            calls: 1,
            bytes: u64::MAX,
        };
        assert_eq!(counts.entries, [left_out, known]);
    }

    #[test]
    fn a_file_of_another_layout_is_refused() {
        let file = file();
        assert!(Counts::parse(b"").is_none());
        assert!(Counts::parse(&file[..file.len() - 1]).is_none());
        let mut other = file;
        other[7] += 1;
        assert!(Counts::parse(&other).is_none());
    }
}
