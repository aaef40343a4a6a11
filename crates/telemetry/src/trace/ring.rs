//! The last waits, kept until somebody wants to read them: they take no more memory when that is full, and no time to spell.

use std::collections::VecDeque;
use std::ops::Range;

use vaquita_client::{Ended, Wait};

/// How many waits and ends are kept.
const MAX_ENTRIES: usize = 1000;

/// How many bytes of statements are kept with them.
const MAX_TEXT_BYTES: usize = 512 << 10;

/// What is kept of a wait, or of a connection's end.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kept<'a> {
    Wait(Wait<'a>),
    End(Ended),
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    /// Without its statement.
    kept: Kept<'static>,
    /// How long that is, in `texts`.
    text_bytes: Option<usize>,
    /// Whether it is the same as that of the entry before, and stands there once.
    is_shared: bool,
}

/// The last waits.
#[derive(Debug)]
pub(super) struct Ring {
    entries: VecDeque<Entry>,
    /// The statements of the entries that share none, in their order.
    texts: VecDeque<u8>,
    max_text_bytes: usize,
}

impl Ring {
    pub(super) fn new() -> Ring {
        Ring { entries: VecDeque::new(), texts: VecDeque::new(), max_text_bytes: MAX_TEXT_BYTES }
    }

    /// Keeps a wait; its statement should be short.
    pub(super) fn push(&mut self, wait: &Wait<'_>) {
        while self.entries.len() >= MAX_ENTRIES {
            self.drop_first();
        }
        let is_shared = wait.statement.is_some_and(|text| self.ends_with(text));
        let own = wait.statement.filter(|_| !is_shared);
        if let Some(text) = own {
            while self.texts.len() + text.len() > self.max_text_bytes && !self.entries.is_empty() {
                self.drop_first();
            }
            self.texts.extend(text);
        }
        let kept = Kept::Wait(Wait { statement: None, ..*wait });
        let text_bytes = wait.statement.map(<[u8]>::len);
        self.entries.push_back(Entry { kept, text_bytes, is_shared });
    }

    /// Keeps a connection's end.
    pub(super) fn push_end(&mut self, ended: &Ended) {
        while self.entries.len() >= MAX_ENTRIES {
            self.drop_first();
        }
        let kept = Kept::End(*ended);
        self.entries.push_back(Entry { kept, text_bytes: None, is_shared: false });
    }

    /// Whether the last entry has this statement.
    fn ends_with(&self, text: &[u8]) -> bool {
        let is_as_long =
            self.entries.back().is_some_and(|last| last.text_bytes == Some(text.len()));
        let (first, second) = self.texts.as_slices();
        is_as_long
            && match text.len().checked_sub(second.len()).and_then(|at| text.split_at_checked(at)) {
                Some((begin, end)) => second == end && first.ends_with(begin),
                None => second.ends_with(text),
            }
    }

    fn drop_first(&mut self) {
        let Some(Entry { text_bytes: Some(bytes), is_shared: false, .. }) =
            self.entries.pop_front()
        else {
            return;
        };
        match self.entries.front_mut() {
            // The text is its own from now on.
            Some(next) if next.is_shared => next.is_shared = false,
            _ => drop(self.texts.drain(..bytes.min(self.texts.len()))),
        }
    }

    /// Shows all, the oldest first, and keeps none of them.
    pub(super) fn drain(&mut self, mut show: impl FnMut(&Kept<'_>)) {
        let texts = &*self.texts.make_contiguous();
        let mut at: Range<usize> = 0..0;
        for entry in self.entries.drain(..) {
            match (entry.kept, entry.text_bytes) {
                (Kept::Wait(wait), Some(bytes)) => {
                    if !entry.is_shared {
                        at = at.end..at.end + bytes;
                    }
                    show(&Kept::Wait(Wait { statement: texts.get(at.clone()), ..wait }));
                }
                (kept, _) => show(&kept),
            }
        }
        self.texts.clear();
    }

    /// Keeps none of them.
    pub(super) fn clear(&mut self) {
        self.entries.clear();
        self.texts.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use vaquita_client::{Event, Observed};

    fn wait(number: u64, statement: Option<&str>) -> Wait<'_> {
        Wait {
            connection: Observed { number, thread_id: 0 },
            event: Event::Write,
            elapsed: Duration::ZERO,
            ended: Duration::ZERO,
            bytes: 0,
            packets: 0,
            command: None,
            statement: statement.map(str::as_bytes),
            dialect: None,
            has_failed: false,
        }
    }

    fn shown(ring: &mut Ring) -> Vec<(u64, Option<String>)> {
        let mut shown = Vec::new();
        ring.drain(|kept| match kept {
            Kept::Wait(it) => {
                let statement = it.statement.map(|it| String::from_utf8(it.to_vec()).unwrap());
                shown.push((it.connection.number, statement));
            }
            Kept::End(it) => shown.push((it.connection.number, Some("end".into()))),
        });
        shown
    }

    #[test]
    fn the_last_ones_are_kept_with_their_statements() {
        let mut ring = Ring::new();
        let mut expected = Vec::new();
        for number in 0..5000_u64 {
            let statement = match number % 7 {
                0 => None,
                1 | 2 => Some("same".to_owned()),
                3 => Some(String::new()),
                _ => Some(format!("statement {}", number / 2)),
            };
            ring.push(&wait(number, statement.as_deref()));
            expected.push((number, statement));
        }
        assert_eq!(shown(&mut ring), expected.split_off(expected.len() - MAX_ENTRIES));
        assert_eq!(shown(&mut ring), []);
        let connection = Observed { number: 9, thread_id: 0 };
        let (at, round_trip, shortest_round_trip) = (Duration::ZERO, None, None);
        ring.push_end(&Ended { connection, at, round_trip, shortest_round_trip });
        ring.push(&wait(1, Some("a")));
        ring.clear();
        ring.push(&wait(2, Some("a")));
        assert_eq!(shown(&mut ring), [(2, Some("a".into()))]);
    }

    #[test]
    fn statements_take_no_more_memory_than_they_may() {
        let mut ring = Ring { max_text_bytes: 100, ..Ring::new() };
        let mut expected = Vec::new();
        for number in 0..2000_u64 {
            let length = usize::try_from(number * 7 % 41).unwrap();
            let statement = char::from(b'a' + u8::try_from(number / 3 % 26).unwrap());
            let statement = statement.to_string().repeat(length);
            ring.push(&wait(number, Some(&statement)));
            expected.push((number, Some(statement)));
            assert!(ring.texts.len() <= 100);
        }
        let shown = shown(&mut ring);
        assert!(shown.len() >= 100 / 41 && shown.len() < 20, "{}", shown.len());
        assert_eq!(shown, expected.split_off(expected.len() - shown.len()));
    }

    #[test]
    fn nothing_is_allocated_once_it_is_full() {
        let mut ring = Ring::new();
        let long = "x".repeat(8 << 10);
        let push = |ring: &mut Ring| {
            for number in 0..3000 {
                ring.push(&wait(number, Some(&long[usize::try_from(number % 3).unwrap()..])));
            }
        };
        push(&mut ring);
        let room = (ring.entries.capacity(), ring.texts.capacity());
        push(&mut ring);
        assert_eq!((ring.entries.capacity(), ring.texts.capacity()), room);
        assert!(room.1 <= 2 * MAX_TEXT_BYTES);
    }
}
