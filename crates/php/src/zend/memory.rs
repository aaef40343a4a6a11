//! The request's memory: taken and given back, and its limit, as far as a long loop has to mind it.

use super::{ffi, globals, symbol};
use core::ffi::{c_int, c_void};
use core::ptr::NonNull;
use std::sync::LazyLock;

/// Whether the script has used more memory than it may.
///
/// Since PHP 8.2.35 an allocation beyond the limit succeeds, and the fatal error comes when the script gets control again; far
/// beyond it (memory_hard_limit_percent) the process is killed. So a loop that allocates without giving control back has to stop.
#[inline]
pub(crate) fn is_memory_exhausted() -> bool {
    used() > limit()
}

/// How many bytes the script uses.
#[inline]
pub(crate) fn used() -> usize {
    // SAFETY: reads counters of the running request.
    unsafe { ffi::zend_memory_usage(true) }
}

/// How many bytes the script may use; without a limit the most there are.
#[inline]
pub(super) fn limit() -> usize {
    // SAFETY: reads a setting of the running request.
    usize::try_from(unsafe { (*globals::core()).memory_limit }).unwrap_or(usize::MAX)
}

/// Zend takes memory from the system in pieces of this size, for all blocks that find room in one.
pub(super) const SEGMENT_BYTES: usize = 2 << 20;

/// Blocks up to this size stand among others of their size; larger ones become smaller where they stand.
const MOST_IN_BIN_BYTES: usize = 3072;

/// Blocks up to this size stand in such a piece.
const MOST_IN_SEGMENT_BYTES: usize = SEGMENT_BYTES - (4 << 10);

/// A block of at least `bytes` bytes, aligned to 8, without a long jump; `None`: the script may not have it, as far as is certain.
pub(super) fn try_allocate(bytes: usize) -> Option<NonNull<c_void>> {
    if may_take(bytes) { NonNull::new(allocate(bytes)) } else { None }
}

/// Changes the size of a block of `bytes` bytes, and tells where it is then, without a long jump; `None`: the script may not
/// have so many, as far as is certain, and all is as it was.
///
/// # Safety
/// As of `release`.
pub(super) unsafe fn try_resize(
    block: *mut c_void,
    bytes: usize,
    new_bytes: usize,
) -> Option<NonNull<c_void>> {
    let stays = new_bytes < bytes && new_bytes > MOST_IN_BIN_BYTES;
    if !stays && !may_take(new_bytes) {
        return None;
    }
    // SAFETY: the caller's promise.
    NonNull::new(unsafe { resize(block, new_bytes) })
}

/// Whether a block of so many bytes can be taken without a long jump, and without the process being killed.
///
/// Where it is certain: Zend may have to take more from the system than it is asked for; also to keep the books of a block that has a piece of
/// its own. A small block also where nothing worse can come of it than PHP's own fatal error, at the next statement of the script: once that is
/// due, none is taken any more.
pub(super) fn may_take(bytes: usize) -> bool {
    let own = if bytes > MOST_IN_SEGMENT_BYTES { bytes.saturating_add(4 << 10) } else { 0 };
    let (used, limit) = (used(), limit());
    used.saturating_add(own).saturating_add(SEGMENT_BYTES) <= limit
        || bytes <= MOST_IN_BIN_BYTES && used <= limit && *EXHAUSTION_WAITS
}

/// Whether an allocation beyond the limit succeeds for the moment: PHP from 8.2.35 and 8.4.27 on, which has a second limit.
static EXHAUSTION_WAITS: LazyLock<bool> =
    LazyLock::new(|| symbol::address_of(c"zend_set_memory_hard_limit_percent").is_some());

/// A block of at least `bytes` bytes, aligned to 8. Zend long-jumps if the script may not have them.
#[inline]
pub(super) fn allocate(bytes: usize) -> *mut c_void {
    allocate_words(bytes.div_ceil(8))
}

/// The same of so many times 8 bytes.
#[inline]
pub(super) fn allocate_words(words: usize) -> *mut c_void {
    #[cfg(not(php_debug))]
    if let Some(bin) = BIN_OF.get(words)
        && let Some(allocate) = bins::ALLOCATE.get(usize::from(*bin))
    {
        // SAFETY: it returns a block of its bin's size, which is no less.
        return unsafe { allocate() };
    }
    // SAFETY: any size may be asked for.
    #[cfg(not(php_debug))]
    unsafe {
        ffi::_emalloc(words * 8)
    }
    // SAFETY: as above; a debugging PHP also notes who asks, as a C string and a line, twice.
    #[cfg(php_debug)]
    unsafe {
        ffi::_emalloc(words * 8, FILE, line!(), core::ptr::null(), 0)
    }
}

/// The sizes of small blocks (`ZEND_MM_BINS_INFO` of zend_alloc_sizes.h), each with the function that gives such a block: it need not find
/// out which.
#[cfg(not(php_debug))]
mod bins {
    use super::{c_void, ffi};

    macro_rules! bins {
        ($($bytes:literal $allocate:ident),* $(,)?) => {
            pub(super) const BYTES: &[usize] = &[$($bytes),*];
            pub(super) static ALLOCATE: &[unsafe extern "C" fn() -> *mut c_void] =
                &[$(ffi::$allocate),*];
        };
    }

    bins! {
        8 _emalloc_8, 16 _emalloc_16, 24 _emalloc_24, 32 _emalloc_32, 40 _emalloc_40,
        48 _emalloc_48, 56 _emalloc_56, 64 _emalloc_64, 80 _emalloc_80, 96 _emalloc_96,
        112 _emalloc_112, 128 _emalloc_128, 160 _emalloc_160, 192 _emalloc_192,
        224 _emalloc_224, 256 _emalloc_256, 320 _emalloc_320, 384 _emalloc_384,
        448 _emalloc_448, 512 _emalloc_512, 640 _emalloc_640, 768 _emalloc_768,
        896 _emalloc_896, 1024 _emalloc_1024, 1280 _emalloc_1280, 1536 _emalloc_1536,
        1792 _emalloc_1792, 2048 _emalloc_2048, 2560 _emalloc_2560, 3072 _emalloc_3072,
    }
}

/// For each small size, in words of 8 bytes, the first bin that it fits into.
#[cfg(not(php_debug))]
#[expect(clippy::indexing_slicing, reason = "in a constant it is an error of the build")]
static BIN_OF: [u8; MOST_IN_BIN_BYTES / 8 + 1] = {
    let mut bin_of = [0; MOST_IN_BIN_BYTES / 8 + 1];
    let mut bin = 0;
    let mut words = 0;
    while words < bin_of.len() {
        if words * 8 > bins::BYTES[bin as usize] {
            bin += 1;
        }
        bin_of[words] = bin;
        words += 1;
    }
    bin_of
};

/// Changes a block's size, and tells where it is then. Zend long-jumps if the script may not have so many bytes.
///
/// # Safety
/// As of `release`.
unsafe fn resize(block: *mut c_void, bytes: usize) -> *mut c_void {
    // SAFETY: the caller's promise.
    #[cfg(not(php_debug))]
    unsafe {
        ffi::_erealloc(block, bytes)
    }
    // SAFETY: the caller's promise; who changes it, as in `allocate`.
    #[cfg(php_debug)]
    unsafe {
        ffi::_erealloc(block, bytes, FILE, line!(), core::ptr::null(), 0)
    }
}

/// Gives the pages that lie within a block back to the system: what was written there is gone.
///
/// # Safety
/// There must be so many bytes that nobody reads any more.
pub(super) unsafe fn wipe(block: *mut c_void, bytes: usize) {
    // SAFETY: it reads a number of the system's.
    let page = usize::try_from(unsafe { getpagesize() }).unwrap_or(usize::MAX);
    let before = block.addr().next_multiple_of(page) - block.addr();
    let pages = bytes.saturating_sub(before) / page;
    // SAFETY: the caller's promise; the pages are within the block. Where the system refuses, they stay as they are.
    unsafe { madvise(block.byte_add(before), pages * page, MADV_DONTNEED) };
}

/// Of `<sys/mman.h>` on Linux.
const MADV_DONTNEED: c_int = 4;

unsafe extern "C" {
    fn getpagesize() -> c_int;
    fn madvise(start: *mut c_void, length: usize, advice: c_int) -> c_int;
}

/// Gives a block back.
///
/// # Safety
/// `block` must be one of `allocate` or of Zend's that nobody uses any more.
#[inline]
pub(super) unsafe fn release(block: *mut c_void) {
    // SAFETY: the caller's promise.
    #[cfg(not(php_debug))]
    unsafe {
        ffi::_efree(block);
    }
    // SAFETY: the caller's promise; who gives it back, as in `allocate`.
    #[cfg(php_debug)]
    unsafe {
        ffi::_efree(block, FILE, line!(), core::ptr::null(), 0);
    }
}

/// This file, as C wants to have it told.
#[cfg(php_debug)]
const FILE: *const core::ffi::c_char = c"zend/memory.rs".as_ptr();
