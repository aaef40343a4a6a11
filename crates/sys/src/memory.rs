//! Memory that is not one process's alone: words of a file, which processes share, and a word that a forked child finds empty.

use std::io;
use std::ops::Deref;
use std::os::fd::AsFd;
use std::ptr::{self, NonNull};
use std::slice;
use std::sync::atomic::AtomicU64;

use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap, mmap_anonymous, munmap};

/// How many bytes a word has.
pub(crate) const WORD_BYTES: usize = size_of::<AtomicU64>();

/// Words at the beginning of a file, the same ones for all processes.
///
/// Whoever makes the file shorter meanwhile ends the processes that touch what is gone (SIGBUS), as always with mapped files.
#[derive(Debug)]
pub(crate) struct SharedWords {
    start: NonNull<AtomicU64>,
    count: usize,
}

impl SharedWords {
    /// Maps so many words of a file, which has to have them.
    pub(crate) fn map(file: impl AsFd, count: usize) -> io::Result<SharedWords> {
        let access = ProtFlags::READ | ProtFlags::WRITE;
        let bytes = count * WORD_BYTES;
        // SAFETY: null has the kernel choose a place where nothing else is.
        let start = unsafe { mmap(ptr::null_mut(), bytes, access, MapFlags::SHARED, file, 0)? };
        let start = NonNull::new(start.cast()).ok_or(io::ErrorKind::AddrNotAvailable)?;
        Ok(SharedWords { start, count })
    }
}

impl Deref for SharedWords {
    type Target = [AtomicU64];

    fn deref(&self) -> &[AtomicU64] {
        // SAFETY: so many words are mapped there, to the end of `self`; a page's beginning is aligned for them, any bits are a number,
        // and every process goes to them by atomic operations only.
        unsafe { slice::from_raw_parts(self.start.as_ptr(), self.count) }
    }
}

impl Drop for SharedWords {
    fn drop(&mut self) {
        // SAFETY: that is what was mapped, and no borrow of it outlives `self`.
        let unmapped = unsafe { munmap(self.start.as_ptr().cast(), self.count * WORD_BYTES) };
        debug_assert!(unmapped.is_ok());
    }
}

// SAFETY: the mapping is the process's, no thread's, and atomic words are all that there is in it.
unsafe impl Send for SharedWords {}
// SAFETY: as above.
unsafe impl Sync for SharedWords {}

/// Makes a word that is 0 in every forked child, whatever it is in the parent; `None`: the kernel has none (Linux before 4.14).
///
/// It stays until the process ends.
pub(crate) fn wiped_by_fork() -> Option<&'static AtomicU64> {
    let access = ProtFlags::READ | ProtFlags::WRITE;
    // SAFETY: null has the kernel choose a place where nothing else is.
    let start =
        unsafe { mmap_anonymous(ptr::null_mut(), WORD_BYTES, access, MapFlags::PRIVATE).ok()? };
    // SAFETY: the page was mapped above and nothing is in it; a child finds zeros there, which are a number.
    if unsafe { madvise(start, WORD_BYTES, Advice::LinuxWipeOnFork) }.is_err() {
        // SAFETY: the page was mapped above, and nobody knows of it.
        let _ = unsafe { munmap(start, WORD_BYTES) };
        return None;
    }
    let word: NonNull<AtomicU64> = NonNull::new(start.cast())?;
    // SAFETY: a page's beginning is aligned, it has room for a word, and it is never unmapped.
    Some(unsafe { word.as_ref() })
}

#[cfg(test)]
pub(crate) mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    /// Does it in a forked child, and fails if it fails there.
    pub(crate) fn in_forked_child(what: impl FnOnce()) {
        // SAFETY: the child runs on with this thread alone: it takes no lock that another thread may hold but the allocator's, which the
        // C library keeps usable, and ends below.
        let child = unsafe { libc::fork() };
        assert!(child >= 0);
        if child == 0 {
            let failed = catch_unwind(AssertUnwindSafe(what)).is_err();
            // SAFETY: it takes a number.
            unsafe { libc::_exit(failed.into()) }
        }
        let mut status = 0;
        // SAFETY: the child was forked above, and the status is a number of its own.
        let waited = unsafe { libc::waitpid(child, &raw mut status, 0) };
        assert_eq!((waited, status), (child, 0));
    }
}
