//! Figures that processes publish and anybody sums, also of processes that are no more.
//!
//! Each process has a place, and nobody else writes there. What was counted in a place is never taken away: who gets the place of a dead
//! process goes on from its counters, so there is no moment at which they could be lost, or be counted twice.
//!
//! **Whole or not at all.** A place has two copies of the figures, and a number that says, by being even or odd, which one holds. Whoever
//! publishes writes the other copy and then adds one to the number: killed before that, it has published nothing. Whoever reads does
//! it again if the number is another one by then.

use std::hint;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering, fence};
use std::time::{Duration, Instant};

use crate::file::{Shared, shared_folder};
use crate::process::{Process, Running};

/// The most processes that publish at the same time.
const PLACES: usize = 1024;
/// The most figures of a process; they are copied one by one.
const MOST_FIGURES: usize = 1 << 14;
/// The word that says how many places were ever taken, behind those of the file's own.
const HIGHEST: usize = 2;
/// The words before the places.
const HEADER_WORDS: usize = 8;
/// The words of a cache line, where a place begins: processors then don't fight for those of neighbours.
const LINE_WORDS: usize = 8;
/// In a file's name: how it is laid out. Other layouts have other files.
const LAYOUT: u32 = 1;
/// How long a process that found no place waits before it looks for one again.
const PAUSE: Duration = Duration::from_secs(10);

/// Figures that processes publish, and whoever sums them.
///
/// One that a forked child inherits is its own: it takes another place when it publishes first.
#[derive(Debug)]
pub struct Area {
    words: Shared,
    counters: usize,
    gauges: usize,
    seat: Option<Seat>,
    /// When to look for a place again, of this process.
    missing: Option<(Process, Instant)>,
}

/// The place of a process.
#[derive(Debug)]
struct Seat {
    process: Process,
    index: usize,
    /// What had been counted there before.
    base: Vec<u64>,
}

/// What processes have published, in all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sum {
    /// Of all processes that are and that were since the machine started.
    pub counters: Vec<u64>,
    /// Of those that run.
    pub gauges: Vec<u64>,
    /// How many of those that run have published.
    pub processes: usize,
}

/// A part of the file, in which one process publishes.
struct Place<'a> {
    /// Who has it; 0: nobody.
    owner: &'a AtomicU64,
    /// How often was published in it; the copy that holds is the first one if that is even.
    number: &'a AtomicU64,
    /// Each: who published it, its counters, its gauges.
    copies: [&'a [AtomicU64]; 2],
}

impl Area {
    /// Opens the area of this name for so many counters and gauges a process, in this folder or in the usual one (see [`shared_folder`]);
    /// makes it if there is none. With other numbers of figures it is another one. Every user has areas of its own, and so have
    /// processes that do not see each other.
    ///
    /// # Errors
    /// There are too many figures, the folder can't be used, or what is there is not what it should be; the text names the file.
    pub fn open(
        folder: Option<&Path>,
        name: &str,
        counters: usize,
        gauges: usize,
    ) -> io::Result<Area> {
        let folder = shared_folder(folder)?;
        if counters.saturating_add(gauges) > MOST_FIGURES {
            let reason =
                format!("{counters} counters and {gauges} gauges: there may be {MOST_FIGURES}");
            return Err(io::Error::new(ErrorKind::InvalidInput, reason));
        }
        let name = format!("figures-{counters}-{gauges}-{name}");
        let words = words_for(counters + gauges, PLACES);
        // Places get room on the disk as they are taken.
        let words = Shared::open(folder, LAYOUT, &name, words, HEADER_WORDS)?;
        Ok(Area { words, counters, gauges, seat: None, missing: None })
    }

    /// Whether this is still the area that others open, and the running user's.
    pub fn is_current(&self) -> bool {
        self.words.is_current()
    }

    /// Publishes the process's figures instead of what it had published; false: it has no place. Only the first time, and when there was no
    /// place to be had, this does more than write them to memory.
    ///
    /// Counters begin at 0 in each process and never get less. **A forked child has to begin at 0 as well**: what it inherited is its
    /// parent's, who publishes it.
    ///
    /// # Errors
    /// There are not as many figures as was said; or, once a process, why there is no place for it: as many as possible are taken by
    /// processes that run, the disk is full, or the file was removed.
    pub fn publish(&mut self, counters: &[u64], gauges: &[u64]) -> io::Result<bool> {
        if (counters.len(), gauges.len()) != (self.counters, self.gauges) {
            let reason = "there are not as many figures as the area was opened for";
            return Err(io::Error::new(ErrorKind::InvalidInput, reason));
        }
        let process = Process::this()?;
        if self.seat.as_ref().is_none_or(|seat| seat.process != process) {
            let missing = self.missing.filter(|(who, _)| *who == process);
            if missing.is_some_and(|(_, until)| Instant::now() < until) {
                return Ok(false);
            }
            self.seat = match self.take(process) {
                Ok(seat) => Some(seat),
                Err(error) => {
                    self.seat = None;
                    self.missing = Some((process, Instant::now() + PAUSE));
                    return if missing.is_none() { Err(error) } else { Ok(false) };
                }
            };
        }
        let Some(seat) = &self.seat else { return Ok(false) };
        if let Some(place) = self.places(PLACES).nth(seat.index) {
            let counters =
                counters.iter().zip(&seat.base).map(|(own, base)| base.wrapping_add(*own));
            place.publish(process, counters.chain(gauges.iter().copied()));
        }
        Ok(true)
    }

    /// What has been published, by all processes together.
    pub fn sum(&self) -> Sum {
        let (mut counters, mut gauges) = (vec![0_u64; self.counters], vec![0_u64; self.gauges]);
        let mut running = Running::default();
        let mut processes = Vec::new();
        let mut figures = Vec::new();
        for place in self.places(self.highest()) {
            let author = place.read(&mut figures);
            let (counted, gauged) = figures.split_at(self.counters.min(figures.len()));
            add(&mut counters, counted);
            // It may have been published by one whose place this no longer is.
            if author != 0 && author == place.owner.load(Ordering::SeqCst) && running.has(author) {
                add(&mut gauges, gauged);
                processes.push(author);
            }
        }
        processes.sort_unstable();
        processes.dedup();
        Sum { counters, gauges, processes: processes.len() }
    }

    /// Takes a place that is nobody's or a dead process's, or else one that nobody ever had.
    fn take(&self, process: Process) -> io::Result<Seat> {
        let mut running = Running::default();
        loop {
            let highest = self.highest();
            for (index, place) in self.places(highest).enumerate() {
                let owner = place.owner.load(Ordering::SeqCst);
                if (owner == 0 || !running.has(owner)) && place.pass(owner, process.word()) {
                    let mut base = Vec::new();
                    place.read(&mut base);
                    return Ok(Seat { process, index, base });
                }
            }
            if highest == PLACES {
                let reason = format!("{PLACES} processes publish figures, and there can't be more");
                return Err(io::Error::other(reason));
            }
            // Whoever counts that far may touch it.
            self.words.reserve(words_for(self.counters + self.gauges, highest + 1))?;
            if let Some(word) = self.words.get(HIGHEST) {
                word.fetch_max(highest as u64 + 1, Ordering::SeqCst);
            }
        }
    }

    /// How many places were ever taken; others may have no room on the disk.
    fn highest(&self) -> usize {
        let highest = self.words.get(HIGHEST).map_or(0, |it| it.load(Ordering::SeqCst));
        usize::try_from(highest).map_or(PLACES, |highest| highest.min(PLACES))
    }

    /// The first so many places.
    fn places(&self, count: usize) -> impl Iterator<Item = Place<'_>> {
        let figures = self.counters + self.gauges;
        let words = self.words.get(HEADER_WORDS..).unwrap_or_default();
        let places = words.chunks_exact(place_words(figures)).take(count);
        places.filter_map(move |words| Place::of(words, figures))
    }
}

impl Drop for Area {
    /// Leaves the place, with all that was counted in it, to whoever comes next.
    fn drop(&mut self) {
        if let Some(seat) = &self.seat
            && Process::this().is_ok_and(|this| this == seat.process)
            && let Some(place) = self.places(PLACES).nth(seat.index)
        {
            place.pass(seat.process.word(), 0);
        }
    }
}

impl<'a> Place<'a> {
    fn of(words: &'a [AtomicU64], figures: usize) -> Option<Place<'a>> {
        let [owner, number, copies @ ..] = words else { return None };
        let (first, rest) = copies.split_at_checked(1 + figures)?;
        Some(Place { owner, number, copies: [first, rest.get(..=figures)?] })
    }

    /// Makes it another's, if it is still `from`'s.
    fn pass(&self, from: u64, to: u64) -> bool {
        self.owner.compare_exchange(from, to, Ordering::SeqCst, Ordering::Relaxed).is_ok()
    }

    fn copy(&self, number: u64) -> &[AtomicU64] {
        let [even, odd] = self.copies;
        if number.is_multiple_of(2) { even } else { odd }
    }

    /// Publishes figures; for whom it belongs to only.
    fn publish(&self, author: Process, figures: impl Iterator<Item = u64>) {
        let next = self.number.load(Ordering::Relaxed).wrapping_add(1);
        // Who sees any of what is written here sees, too, that the copy held no longer: see `read`.
        fence(Ordering::Release);
        let figures = std::iter::once(author.word()).chain(figures);
        for (word, figure) in self.copy(next).iter().zip(figures) {
            word.store(figure, Ordering::Relaxed);
        }
        self.number.store(next, Ordering::Release);
    }

    /// Reads the figures that hold, and who published them; 0: nobody has.
    fn read(&self, figures: &mut Vec<u64>) -> u64 {
        loop {
            let number = self.number.load(Ordering::Acquire);
            let mut words = self.copy(number).iter().map(|word| word.load(Ordering::Relaxed));
            let author = words.next().unwrap_or_default();
            figures.clear();
            figures.extend(words);
            fence(Ordering::Acquire);
            if self.number.load(Ordering::Relaxed) == number {
                return author;
            }
            // Published twice in that time, perhaps, which takes as long as this does.
            hint::spin_loop();
        }
    }
}

/// How many words a place has: its owner, its number and two copies, to the end of a cache line.
const fn place_words(figures: usize) -> usize {
    (2 + 2 * (1 + figures)).next_multiple_of(LINE_WORDS)
}

const fn words_for(figures: usize, places: usize) -> usize {
    HEADER_WORDS + places * place_words(figures)
}

fn add(to: &mut [u64], figures: &[u64]) {
    for (to, figure) in to.iter_mut().zip(figures) {
        *to = to.wrapping_add(*figure);
    }
}
