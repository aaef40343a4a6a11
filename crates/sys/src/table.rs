//! Slots that all processes of a user on this machine share; a slot says which process has it.
//!
//! Nobody ever waits for anybody: slots are taken and freed by atomic operations on one word each, and a process that was killed, wherever it
//! was, leaves nothing behind but a slot with its name, which the next one in need finds out about and frees.
//!
//! **At most so many.** With `most` as the limit, one of the first `most` slots is taken: so there can't be more, whoever takes slots at the same
//! time. Only where a limit was lowered there may be others beyond. Then a slot is taken first and the others are counted after that; of
//! several that do so at once, the last one to begin counting sees all.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::file::Shared;
use crate::process::{Process, Running};

/// The most slots that a table can have: more connections than servers allow (`max_connections` ends at 100,000). It takes no memory by itself:
/// the file has holes where nobody has reserved room.
pub const CAPACITY: usize = 1 << 17;
/// The word that has [`Table::highest`], behind those of the file's own.
const HIGHEST: usize = 2;
/// The words before the slots.
const HEADER_WORDS: usize = 8;
const WORDS: usize = HEADER_WORDS + CAPACITY;
/// In a file's name: how it is laid out. Other layouts have other files.
const LAYOUT: u32 = 1;

/// Slots in a file that processes share.
#[derive(Debug)]
pub struct Table {
    words: Shared,
    /// How many slots are sure to be on the disk.
    room: usize,
}

/// A slot that was taken; dropping it frees it, but in the process only that has taken it.
#[derive(Debug)]
pub struct Slot {
    table: Arc<Table>,
    index: usize,
    process: Process,
}

/// There is no slot to be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full {
    /// How many are taken.
    pub taken: usize,
}

impl Table {
    /// Opens the table of that name in a folder, of which so many slots may be used; makes it if there is none. Every user has tables of
    /// its own, and so have processes that do not see each other (in another PID namespace, as containers are).
    ///
    /// # Errors
    /// The folder can't be used, or what is there is not what it should be; the text names the file.
    pub fn open(folder: &Path, name: &str, room: usize) -> io::Result<Table> {
        let room = room.min(CAPACITY);
        let words = Shared::open(folder, LAYOUT, name, WORDS, HEADER_WORDS + room)?;
        Ok(Table { words, room })
    }

    /// Whether this is still the table that others open, and the running user's.
    pub fn is_current(&self) -> bool {
        self.words.is_current()
    }

    /// How many slots may be used.
    pub fn room(&self) -> usize {
        self.room
    }

    /// Takes a slot for the running process, if fewer than `most` are taken.
    ///
    /// # Errors
    /// There are so many, all of processes that run.
    pub fn take(self: &Arc<Table>, process: Process, most: usize) -> Result<Slot, Full> {
        let most = most.min(self.room);
        let index = match self.claim(process, most) {
            Some(index) => index,
            None => {
                let taken = self.free_those_of_the_dead();
                self.claim(process, most).ok_or(Full { taken })?
            }
        };
        let slot = Slot { table: Arc::clone(self), index, process };
        if self.highest() > most && self.taken() > most {
            let taken = self.free_those_of_the_dead();
            if taken > most {
                return Err(Full { taken: taken - 1 });
            }
        }
        Ok(slot)
    }

    /// Claims the first of the slots that is free; where it is.
    fn claim(&self, process: Process, most: usize) -> Option<usize> {
        self.slots().iter().take(most).enumerate().position(|(index, slot)| {
            if slot.load(Ordering::Relaxed) != 0 {
                return false;
            }
            // Before it is taken, so that whoever counts comes by it.
            if self.highest() <= index
                && let Some(highest) = self.words.get(HIGHEST)
            {
                highest.fetch_max(index as u64 + 1, Ordering::SeqCst);
            }
            let free =
                slot.compare_exchange(0, process.word(), Ordering::SeqCst, Ordering::Relaxed);
            free.is_ok()
        })
    }

    fn slots(&self) -> &[AtomicU64] {
        self.words.get(HEADER_WORDS..).unwrap_or_default()
    }

    /// One more than the highest slot that was ever taken.
    fn highest(&self) -> usize {
        let highest = self.words.get(HIGHEST).map_or(0, |it| it.load(Ordering::SeqCst));
        usize::try_from(highest).map_or(CAPACITY, |highest| highest.min(CAPACITY))
    }

    /// The slots that are taken, and by whom.
    fn claimed(&self) -> impl Iterator<Item = (&AtomicU64, u64)> {
        let slots = self.slots().iter().take(self.highest());
        slots.map(|slot| (slot, slot.load(Ordering::SeqCst))).filter(|(_, word)| *word != 0)
    }

    fn taken(&self) -> usize {
        self.claimed().count()
    }

    /// Frees the slots of processes that are no more; how many others there are.
    fn free_those_of_the_dead(&self) -> usize {
        let mut running = Running::default();
        self.claimed()
            .filter(|(slot, word)| {
                let is_running = running.has(*word);
                if !is_running {
                    // If it isn't theirs any more, somebody else was here first.
                    let _ = slot.compare_exchange(*word, 0, Ordering::SeqCst, Ordering::Relaxed);
                }
                is_running
            })
            .count()
    }
}

impl Slot {
    /// Whether it is the running process's, not that of one which this one was forked from.
    pub fn is_own(&self) -> bool {
        Process::this().is_ok_and(|this| this == self.process)
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        if let Some(slot) = self.table.slots().get(self.index).filter(|_| self.is_own()) {
            let own = self.process.word();
            let _ = slot.compare_exchange(own, 0, Ordering::SeqCst, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::io::{BufRead, BufReader};
    use std::path::PathBuf;
    use std::process::{Command, Stdio};
    use std::sync::atomic::AtomicUsize;
    use std::time::{Duration, Instant};
    use std::{env, fs, thread};

    /// A folder for a test, which goes with it.
    pub(crate) struct Folder(pub(crate) PathBuf);

    impl Folder {
        pub(crate) fn new(test: &str) -> Folder {
            let folder = env::temp_dir().join(format!("vaquita-sys-{test}-{}", std::process::id()));
            fs::create_dir(&folder).unwrap();
            Folder(folder)
        }

        pub(crate) fn path(&self, name: &str) -> PathBuf {
            self.0.join(name)
        }

        fn table(&self, room: usize) -> Arc<Table> {
            Arc::new(Table::open(&self.0, "test", room).unwrap())
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            fs::remove_dir_all(&self.0).unwrap();
        }
    }

    fn take(table: &Arc<Table>, most: usize) -> Result<Slot, Full> {
        table.take(Process::this().unwrap(), most)
    }

    #[test]
    fn slots_are_taken_up_to_the_limit_and_freed() {
        let folder = Folder::new("slots");
        // Two mappings, as two processes have them.
        let (here, there) = (folder.table(3), folder.table(3));
        let mut slots = vec![take(&here, 3).unwrap(), take(&there, 3).unwrap()];
        slots.push(take(&here, 3).unwrap());
        assert_eq!(take(&here, 3).unwrap_err(), Full { taken: 3 });
        assert_eq!(take(&there, 3).unwrap_err(), Full { taken: 3 });
        slots.remove(0);
        slots.push(take(&there, 3).unwrap());
        assert_eq!(take(&here, 3).unwrap_err(), Full { taken: 3 });
        drop(slots);
        assert_eq!(here.taken(), 0);
        assert_eq!(take(&here, 0).unwrap_err(), Full { taken: 0 });
    }

    #[test]
    fn limits_may_differ() {
        let folder = Folder::new("limits");
        let (low, high) = (folder.table(2), folder.table(9));
        let mut slots: Vec<Slot> = (0..5).map(|_| take(&high, 9).unwrap()).collect();
        // Those beyond count, though there is a free one among the first.
        drop(slots.remove(0));
        assert_eq!(take(&low, 2).unwrap_err(), Full { taken: 4 });
        drop(slots.split_off(1));
        let slot = take(&low, 2).unwrap();
        assert_eq!(take(&low, 2).unwrap_err(), Full { taken: 2 });
        drop((slot, slots));
        // What is beyond and dead does not count.
        high.slots()[8].store(u64::MAX, Ordering::SeqCst);
        assert_eq!(take(&low, 1).map(|_| ()), Ok(()));
        high.words[HIGHEST].store(9, Ordering::SeqCst);
        let all = [take(&low, 2).unwrap(), take(&low, 2).unwrap()];
        assert_eq!(high.slots()[8].load(Ordering::SeqCst), 0);
        // No more than there is room for.
        assert_eq!(take(&low, 9).unwrap_err(), Full { taken: 2 });
        drop(all);
        // A mark that makes no sense only costs time.
        high.words[HIGHEST].store(u64::MAX, Ordering::SeqCst);
        assert_eq!(take(&low, 2).map(|_| ()), Ok(()));
    }

    #[test]
    fn who_takes_at_the_same_time_never_gets_too_many() {
        const MOST: usize = 3;
        let folder = Folder::new("threads");
        let (held, highest, got) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let table = folder.table(MOST);
                    for _ in 0..20_000 {
                        let Ok(slot) = take(&table, MOST) else { continue };
                        highest
                            .fetch_max(held.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        held.fetch_sub(1, Ordering::SeqCst);
                        got.fetch_add(1, Ordering::SeqCst);
                        drop(slot);
                    }
                });
            }
        });
        let (highest, got) = (highest.into_inner(), got.into_inner());
        assert!(highest <= MOST && got > 0, "{highest} at once, {got} in all");
        assert_eq!(folder.table(MOST).taken(), 0);
    }

    /// No test of its own: what the next one runs as another process, which takes slots and says so.
    #[test]
    fn another_process() {
        let Some(folder) = env::var_os("VAQUITA_SYS_FOLDER") else { return };
        let table = Arc::new(Table::open(Path::new(&folder), "test", 3).unwrap());
        let _slots = [take(&table, 3).unwrap(), take(&table, 3).unwrap()];
        println!("\ntaken");
        loop {
            thread::park();
        }
    }

    #[test]
    fn slots_of_a_killed_process_are_free_also_before_its_parent_takes_notice() {
        let folder = Folder::new("killed");
        let table = folder.table(3);
        let mut other = Command::new(env::current_exe().unwrap())
            .args(["--exact", "table::tests::another_process", "--nocapture"])
            .env("VAQUITA_SYS_FOLDER", &folder.0)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(other.stdout.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap() == "taken"));
        let slot = take(&table, 3).unwrap();
        assert_eq!(take(&table, 3).unwrap_err(), Full { taken: 3 });
        other.kill().unwrap();
        let limit = Instant::now() + Duration::from_secs(20);
        let slots = loop {
            match take(&table, 3).and_then(|second| Ok([second, take(&table, 3)?])) {
                Ok(slots) => break slots,
                Err(_) => assert!(Instant::now() < limit, "the dead keep their slots"),
            }
        };
        assert_eq!(take(&table, 3).unwrap_err(), Full { taken: 3 });
        drop((slot, slots));
        other.wait().unwrap();
    }

    #[test]
    fn a_table_that_is_gone_is_noticed() {
        let folder = Folder::new("gone");
        let table = folder.table(1);
        assert!(table.is_current() && table.room() == 1);
        let slot = take(&table, 1).unwrap();
        fs::remove_file(&table.words.path).unwrap();
        assert!(!table.is_current());
        let other = folder.table(1);
        assert!(other.is_current() && !table.is_current());
        drop((take(&other, 1).unwrap(), slot));
        fs::OpenOptions::new().write(true).open(&other.words.path).unwrap().set_len(4096).unwrap();
        assert!(!other.is_current());
        let error = Table::open(&folder.0, "test", 1).unwrap_err().to_string();
        let path = other.words.path.display().to_string();
        assert!(error.starts_with(&path) && error.contains("damaged"), "{error}");
        let missing = Table::open(&folder.path("missing"), "test", 1).unwrap_err().to_string();
        assert!(missing.ends_with("-test: No such file or directory"), "{missing}");
    }
}
