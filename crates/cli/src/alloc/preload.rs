//! The library that counts, and its file of counts, in a folder that nobody else reads, and that goes away.

use std::env;
use std::ffi::OsString;
use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::PathBuf;

use tempfile::TempDir;

use super::arguments::Asked;
use super::counts::FILE_BYTES;

/// The library, as `build.rs` made it.
const LIBRARY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/preload.so"));
/// What separates libraries in `LD_PRELOAD`, or stands there for something else: ld.so(8).
const SPECIALS: &[u8] = b": $\t\n";
/// Why a program may not have loaded the library; nobody is told which it was.
const NOT_LOADED: &str = "the command did not load the library that counts. It is linked statically, changes its user, \
    was started by something that clears LD_PRELOAD, or no programs may be in";

/// The folder, with the library in it.
pub(super) struct Preload {
    folder: TempDir,
}

impl Preload {
    /// Makes it.
    ///
    /// # Errors
    /// There is no place for it, or one that can't be named to a program.
    pub(super) fn new() -> Result<Preload, String> {
        let folder = tempfile::Builder::new()
            .prefix("vaquita-alloc-")
            .permissions(Permissions::from_mode(0o700))
            .tempdir()
            .map_err(|error| format!("no folder for temporary files: {error}"))?;
        let preload = Preload { folder };
        let library = preload.library();
        if library.as_os_str().as_bytes().iter().any(|byte| SPECIALS.contains(byte)) {
            return Err(format!(
                "{}: libraries can't be preloaded from a folder with such a name; set TMPDIR to another",
                env::temp_dir().display()
            ));
        }
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&library);
        file.and_then(|mut file| file.write_all(LIBRARY))
            .map_err(|error| format!("{}: {error}", library.display()))?;
        Ok(preload)
    }

    fn library(&self) -> PathBuf {
        self.folder.path().join("count.so")
    }

    fn counts(&self) -> PathBuf {
        self.folder.path().join("counts")
    }

    /// What a program is to have in its environment: our library before those that were preloaded anyway, and what that is told.
    pub(super) fn variables(&self, asked: &Asked) -> [(&'static str, OsString); 2] {
        let mut libraries = self.library().into_os_string();
        if let Some(others) = env::var_os("LD_PRELOAD").filter(|it| !it.is_empty()) {
            libraries.push(":");
            libraries.push(others);
        }
        let marks = if asked.marks { 'm' } else { '-' };
        let zend = if asked.zend { 'z' } else { '-' };
        let mut told = OsString::from(format!("{}{marks}{zend}", asked.frames));
        told.push(self.counts());
        [("LD_PRELOAD", libraries), ("VAQUITA_ALLOCATIONS", told)]
    }

    /// What was counted: the file.
    ///
    /// # Errors
    /// Why there is none.
    pub(super) fn counted(&self) -> Result<Vec<u8>, String> {
        let parent = env::temp_dir();
        let parent = parent.display();
        match fs::read(self.counts()) {
            Ok(bytes) if bytes.iter().any(|byte| *byte != 0) => Ok(bytes),
            Ok(_) => Err(format!(
                "there is no room for {} MiB in {parent}, or files may not be that large (ulimit -f)",
                FILE_BYTES.div_ceil(1 << 20)
            )),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(format!("{NOT_LOADED} {parent} (noexec)"))
            }
            Err(error) => Err(error.to_string()),
        }
    }
}
