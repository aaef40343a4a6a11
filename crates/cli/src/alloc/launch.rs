//! Runs the program with the library that counts, and waits for its end.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus};
use std::thread;

use nix::sys::signal::{SigSet, Signal, kill};
use nix::unistd::Pid;
use tempfile::TempDir;

use super::NOT_STARTED;
use super::arguments::Asked;
use crate::failure::Failure;

/// The library, as `build.rs` made it.
const LIBRARY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/preload.so"));
/// What a shell's exit code is for a command that can't be run, and for one that there is not.
const NOT_RUNNABLE: u8 = 126;
const NOT_FOUND: u8 = 127;
/// And what it is more than the number of the signal that ended one.
const BY_SIGNAL: i32 = 128;
/// What separates libraries in `LD_PRELOAD`, or stands there for something else: ld.so(8).
const PRELOAD_SPECIALS: &[u8] = b": $\t\n";
/// Why a program may not have loaded the library; that is not told to anybody.
const NOT_LOADED: &str = "the command did not load the library that counts. It is linked statically, changes its user, \
    was started by something that clears LD_PRELOAD, or no programs may be in";

/// How the program ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ended(ExitStatus);

impl Ended {
    /// Its exit code, as a shell has it.
    pub(super) fn exit_code(self) -> ExitCode {
        let code = self.0.code().or_else(|| Some(BY_SIGNAL + self.0.signal()?));
        ExitCode::from(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(NOT_STARTED))
    }

    /// In words: "exit code 0".
    pub(super) fn describe(self) -> String {
        match self.0.signal() {
            Some(number) => match Signal::try_from(number) {
                Ok(signal) => format!("signal {number} ({signal})"),
                Err(_) => format!("signal {number}"),
            },
            None => format!("exit code {}", self.0.code().unwrap_or_default()),
        }
    }

    /// Whether it was by a signal.
    pub(super) fn is_by_signal(self) -> bool {
        self.0.signal().is_some()
    }
}

/// What was counted.
pub(super) enum Counted {
    /// The file that the library made.
    Yes(Vec<u8>),
    /// Why there is none.
    No(String),
}

/// Runs it to its end.
///
/// # Errors
/// It could not be started.
pub(super) fn run(asked: &Asked) -> Result<(Ended, Counted), Failure> {
    let preload = Preload::new().map_err(|message| Failure::Other {
        message: format!("alloc: {message}"),
        code: NOT_STARTED,
    })?;
    let mut command = Command::new(&asked.program);
    command.args(&asked.arguments);
    command.env("LD_PRELOAD", preload.with_others(env::var_os("LD_PRELOAD")));
    command.env("VAQUITA_ALLOCATIONS", preload.told(asked));
    let status = wait(&mut command).map_err(|error| Failure::Other {
        message: format!("alloc: {}: {error}", asked.program.display()),
        code: match error.kind() {
            io::ErrorKind::NotFound => NOT_FOUND,
            _ => NOT_RUNNABLE,
        },
    })?;
    Ok((Ended(status), preload.counted()))
}

/// Starts a command and waits for it. Whatever signal is to end us is for the command: the terminal sends it those of its keys, and the others are handed on.
fn wait(command: &mut Command) -> io::Result<ExitStatus> {
    let keys = [Signal::SIGINT, Signal::SIGQUIT];
    let others = [Signal::SIGTERM, Signal::SIGHUP];
    let signals: SigSet = keys.into_iter().chain(others).collect();
    // Kept waiting in all threads of ours; a command that Rust starts begins with none kept.
    signals.thread_block()?;
    let mut child = command.spawn()?;
    let id = Pid::from_raw(i32::try_from(child.id()).map_err(io::Error::other)?);
    thread::spawn(move || {
        while let Ok(signal) = signals.wait() {
            if others.contains(&signal) {
                // It may be over already; then we are, soon.
                let _ = kill(id, signal);
            }
        }
    });
    child.wait()
}

/// The library and its file of counts, in a folder that nobody else reads, and that goes away.
struct Preload {
    folder: TempDir,
}

impl Preload {
    fn new() -> Result<Preload, String> {
        let folder = tempfile::Builder::new()
            .prefix("vaquita-alloc-")
            .permissions(Permissions::from_mode(0o700))
            .tempdir()
            .map_err(|error| format!("no folder for temporary files: {error}"))?;
        let preload = Preload { folder };
        let library = preload.library();
        if library.as_os_str().as_bytes().iter().any(|byte| PRELOAD_SPECIALS.contains(byte)) {
            let folder = env::temp_dir();
            return Err(format!(
                "{}: libraries can't be preloaded from a folder with such a name; set TMPDIR to another",
                folder.display()
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

    /// `LD_PRELOAD`: ours, then those that were there.
    fn with_others(&self, others: Option<OsString>) -> OsString {
        let mut all = self.library().into_os_string();
        if let Some(others) = others.filter(|it| !it.is_empty()) {
            all.push(":");
            all.push(others);
        }
        all
    }

    /// What the library is told by the environment.
    fn told(&self, asked: &Asked) -> OsString {
        let marks = if asked.marks { 'm' } else { '-' };
        let zend = if asked.zend { 'z' } else { '-' };
        let mut told = OsString::from(format!("{}{marks}{zend}", asked.frames));
        told.push(self.counts());
        told
    }

    fn counted(&self) -> Counted {
        match fs::read(self.counts()) {
            Ok(bytes) if bytes.iter().any(|byte| *byte != 0) => Counted::Yes(bytes),
            Ok(_) => Counted::No(format!("there is no room in {}", parent(self.folder.path()))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Counted::No(format!("{NOT_LOADED} {} (noexec)", parent(self.folder.path())))
            }
            Err(error) => Counted::No(error.to_string()),
        }
    }
}

fn parent(path: &Path) -> String {
    path.parent()
        .map(Path::as_os_str)
        .map(OsStr::display)
        .map(|it| it.to_string())
        .unwrap_or_default()
}
