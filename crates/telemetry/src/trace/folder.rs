//! A folder for a test, which goes with it.

use std::fs;
use std::path::PathBuf;
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

/// How many there were in this process.
static NUMBER: AtomicU32 = AtomicU32::new(0);

pub(super) struct Folder(PathBuf);

impl Folder {
    pub(super) fn new() -> Folder {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("vaquita-trace-{}-{number}", process::id()));
        fs::create_dir(&path).unwrap();
        Folder(path)
    }

    /// Where a file of this name is in it.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
