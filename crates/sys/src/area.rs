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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::tests::in_forked_child;
    use crate::table::tests::Folder;
    use std::fs;
    use std::process::{Child, Command, Stdio};
    use std::sync::atomic::AtomicBool;
    use std::{env, path::PathBuf, thread};

    const COUNTERS: usize = 200;

    fn area(folder: &Folder) -> Area {
        Area::open(Some(&folder.0), "test", COUNTERS, 1).unwrap()
    }

    fn publish(area: &mut Area, counted: u64, gauge: u64) -> bool {
        area.publish(&[counted; COUNTERS], &[gauge]).unwrap()
    }

    /// What the counters are, which are all the same, the gauge, and the processes.
    fn sum(area: &Area) -> (u64, u64, usize) {
        let Sum { counters, gauges, processes } = area.sum();
        assert_eq!((counters.len(), gauges.len()), (COUNTERS, 1));
        let torn = counters.iter().find(|it| **it != counters[0]);
        assert_eq!(torn, None, "besides {}", counters[0]);
        (counters[0], gauges[0], processes)
    }

    #[test]
    fn a_place_goes_on_with_what_was_counted_in_it() {
        let folder = Folder::new("goes-on");
        let (mut first, mut second) = (area(&folder), area(&folder));
        assert_eq!(sum(&first), (0, 0, 0));
        assert!(publish(&mut first, 5, 3) && publish(&mut second, 7, 4));
        assert_eq!(sum(&first), (12, 7, 1));
        assert!(publish(&mut first, 6, 1));
        assert_eq!(sum(&second), (13, 5, 1));
        drop(first);
        assert_eq!(sum(&second), (13, 4, 1));
        for round in 1..10 {
            let mut next = area(&folder);
            assert!(publish(&mut next, 1, 1) && publish(&mut next, 2, 2));
            assert_eq!(sum(&second), (13 + 2 * round, 6, 1));
        }
        assert_eq!(second.highest(), 2);
    }

    #[test]
    fn a_forked_child_has_its_own_place() {
        let folder = Folder::new("forked");
        let mut area = area(&folder);
        assert!(publish(&mut area, 5, 5));
        for round in 1..4 {
            in_forked_child(|| {
                assert!(publish(&mut area, 1, 1) && publish(&mut area, 2, 2));
                assert_eq!(sum(&area), (5 + 2 * round, 7, 2));
            });
            assert_eq!(sum(&area), (5 + 2 * round, 5, 1));
        }
        // A child that publishes nothing leaves its parent's place alone.
        let mut child = Some(area);
        in_forked_child(|| drop(child.take()));
        let mut area = child.unwrap();
        assert!(publish(&mut area, 6, 6));
        assert_eq!((sum(&area), area.highest()), ((12, 6, 1), 2));
    }

    #[test]
    fn who_finds_no_place_is_told_once_and_gets_one_later() {
        let folder = Folder::new("no-place");
        let open = || Area::open(Some(&folder.0), "few", 1, 0).unwrap();
        let mut areas: Vec<Area> = (0..PLACES).map(|_| open()).collect();
        assert!(areas.iter_mut().all(|area| area.publish(&[1], &[]).unwrap()));
        let mut late = open();
        let error = late.publish(&[1], &[]).unwrap_err().to_string();
        assert!(error.starts_with("1024 processes publish"), "{error}");
        areas.pop();
        assert!(!late.publish(&[1], &[]).unwrap());
        // The pause is over, though nothing is free.
        let again = open();
        areas.push(again);
        assert!(areas[PLACES - 1].publish(&[1], &[]).unwrap());
        late.missing = late.missing.map(|(who, _)| (who, Instant::now()));
        assert!(!late.publish(&[1], &[]).unwrap());
        areas.pop();
        late.missing = late.missing.map(|(who, _)| (who, Instant::now()));
        assert!(late.publish(&[1], &[]).unwrap());
        assert_eq!(late.sum().counters, [PLACES as u64 + 2]);
    }

    #[test]
    fn other_files_and_other_figures_are_refused() {
        let folder = Folder::new("odd");
        let mut area = area(&folder);
        assert!(area.is_current() && area.publish(&[0; COUNTERS - 1], &[0]).is_err());
        assert!(Area::open(Some(&folder.0), "test", MOST_FIGURES, 1).is_err());
        assert!(Area::open(Some(&folder.0), "test", usize::MAX, 1).is_err());
        assert!(Area::open(Some(Path::new("x")), "test", 1, 1).is_err());
        let other = Area::open(Some(&folder.0), "test", COUNTERS, 2).unwrap();
        assert_ne!(other.words.path, area.words.path);
        // One that is gone from its place gets no room in the one that took it.
        fs::remove_file(&area.words.path).unwrap();
        let replaced = Area::open(Some(&folder.0), "test", COUNTERS, 1).unwrap();
        let error = area.publish(&[0; COUNTERS], &[0]).unwrap_err().to_string();
        assert!(error.contains("-figures-200-1-test: another one"), "{error}");
        assert!(!area.is_current() && replaced.is_current());
        assert!(!area.publish(&[0; COUNTERS], &[0]).unwrap());
        fs::write(&replaced.words.path, "precious").unwrap();
        let error = Area::open(Some(&folder.0), "test", COUNTERS, 1).unwrap_err().to_string();
        assert!(error.contains("damaged"), "{error}");
        assert_eq!(fs::read(&replaced.words.path).unwrap(), b"precious");
    }

    /// How often a writer began to publish, and how often it had: words that outlive it.
    fn ledger(folder: &Path, writers: usize) -> Shared {
        Shared::open(folder, 0, "ledger", HEADER_WORDS + 2 * writers, HEADER_WORDS + 2 * writers)
            .unwrap()
    }

    const WRITERS: usize = 120;

    /// No test of its own: what the next one runs as other processes, and kills.
    #[test]
    fn another_process() {
        let (Some(folder), Ok(number)) =
            (env::var_os("VAQUITA_SYS_FOLDER"), env::var("VAQUITA_SYS_WRITER"))
        else {
            return;
        };
        let (folder, number): (PathBuf, usize) = (folder.into(), number.parse().unwrap());
        let words = ledger(&folder, WRITERS);
        let (begun, done) =
            (&words[HEADER_WORDS + 2 * number], &words[HEADER_WORDS + 2 * number + 1]);
        let mut area = Area::open(Some(&folder), "test", COUNTERS, 1).unwrap();
        for counted in 1.. {
            begun.store(counted, Ordering::SeqCst);
            assert!(publish(&mut area, counted, 1));
            done.store(counted, Ordering::SeqCst);
        }
    }

    fn writer(folder: &Folder, number: usize) -> Child {
        Command::new(env::current_exe().unwrap())
            .args(["--exact", "area::tests::another_process", "--nocapture"])
            .env("VAQUITA_SYS_FOLDER", &folder.0)
            .env("VAQUITA_SYS_WRITER", number.to_string())
            .stdout(Stdio::null())
            .spawn()
            .unwrap()
    }

    #[test]
    fn whoever_is_killed_nothing_is_lost_torn_or_counted_twice() {
        const AT_ONCE: usize = 4;
        let folder = Folder::new("writers");
        let (area, words) = (area(&folder), ledger(&folder.0, WRITERS));
        let total = |which: usize| -> u64 {
            let words = words[HEADER_WORDS + which..].iter().step_by(2);
            words.map(|it| it.load(Ordering::SeqCst)).sum()
        };
        let is_over = AtomicBool::new(false);
        thread::scope(|scope| {
            let reader = scope.spawn(|| {
                let (mut rounds, mut last) = (0, 0);
                while !is_over.load(Ordering::SeqCst) {
                    let done = total(1);
                    let (counted, gauge, processes) = sum(&area);
                    let begun = total(0);
                    assert!(
                        done.max(last) <= counted && counted <= begun,
                        "{done} {counted} {begun}"
                    );
                    assert!(gauge == processes as u64 && processes <= AT_ONCE);
                    (rounds, last) = (rounds + 1, counted);
                }
                rounds
            });
            let writers = (0..AT_ONCE).map(|first| {
                let (folder, words) = (&folder, &words);
                scope.spawn(move || {
                    for number in (first..WRITERS).step_by(AT_ONCE) {
                        let mut child = writer(folder, number);
                        let done = &words[HEADER_WORDS + 2 * number + 1];
                        let limit = Instant::now() + Duration::from_secs(20);
                        // Every third is killed wherever it is by then.
                        while number % 3 != 0 && done.load(Ordering::SeqCst) == 0 {
                            assert!(Instant::now() < limit, "it publishes nothing");
                            thread::yield_now();
                        }
                        thread::sleep(Duration::from_micros(number as u64 * 7919 % 5000));
                        child.kill().unwrap();
                        child.wait().unwrap();
                    }
                })
            });
            let writers: Vec<_> = writers.collect();
            let failed = writers.into_iter().filter_map(|it| it.join().err()).count();
            is_over.store(true, Ordering::SeqCst);
            assert!(reader.join().unwrap() > 10 && failed == 0);
        });
        let (counted, gauge, processes) = sum(&area);
        assert!(total(1) <= counted && counted <= total(0) && counted > WRITERS as u64);
        assert_eq!((gauge, processes), (0, 0));
        assert!((1..=AT_ONCE).contains(&area.highest()), "{}", area.highest());
    }
}
