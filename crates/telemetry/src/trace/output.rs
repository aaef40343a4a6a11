//! Where the lines of a trace go, whole, whatever happens to the process or the disk.

use std::fmt;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, statat};
use rustix::io::{Errno, write};

use super::line::CUT;
use super::opening::{Identity, OpenError, open_for_trace};

/// Where lines go. Several processes may share a file, and a child goes on with its parent's.
#[derive(Debug)]
pub struct Output {
    to: To,
    /// Whether the last line is there in part only.
    is_amid_line: bool,
    /// What has failed, until somebody asks.
    failure: Option<Failure>,
    has_failed: bool,
}

#[derive(Debug)]
enum To {
    Stderr,
    File { path: PathBuf, file: OwnedFd, identity: Identity },
}

/// Why lines are lost: of it a user is warned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    path: Option<PathBuf>,
    error: OpenError,
}

impl fmt::Display for Failure {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.path {
            Some(path) => write!(to, "{}: {}", path.display(), self.error),
            None => write!(to, "stderr: {}", self.error),
        }
    }
}

impl Output {
    /// The process's standard error.
    pub fn stderr() -> Output {
        Output::new(To::Stderr)
    }

    /// A file, which is made if there is none: for its user alone.
    ///
    /// # Errors
    /// See [`OpenError`].
    pub fn open(path: &Path) -> Result<Output, OpenError> {
        let (file, identity) = open_for_trace(path)?;
        Ok(Output::new(To::File { path: path.into(), file, identity }))
    }

    fn new(to: To) -> Output {
        Output { to, is_amid_line: false, failure: None, has_failed: false }
    }

    /// Appends a line, in one write. What can't be written is lost; so may be `line`, which is changed.
    pub(super) fn write(&mut self, line: &mut Vec<u8>) {
        if self.is_amid_line {
            line.splice(0..0, CUT.iter().copied());
        }
        let written = loop {
            match write(self.descriptor(), line) {
                Err(Errno::INTR) => {}
                written => break written,
            }
        };
        match written {
            Ok(bytes) if bytes == line.len() => self.is_amid_line = false,
            // The next call would say why.
            Ok(bytes) => {
                self.is_amid_line = line.get(..bytes).is_none_or(|it| !it.ends_with(b"\n"));
                self.fail(OpenError::System(Errno::NOSPC));
            }
            Err(error) => self.fail(OpenError::System(error)),
        }
    }

    /// Goes on in another file, if the one at this path is another by now: somebody has renamed or removed the one that was opened.
    pub(super) fn follow(&mut self) {
        let To::File { path, file, identity } = &mut self.to else { return };
        let found = statat(CWD, &*path, AtFlags::SYMLINK_NOFOLLOW);
        if found.is_ok_and(|stat| Identity::of(&stat) == *identity) {
            return;
        }
        match open_for_trace(path) {
            Ok(opened) => {
                (*file, *identity) = opened;
                self.is_amid_line = false;
            }
            // The old one takes what comes.
            Err(error) => self.fail(error),
        }
    }

    /// What has failed first, once.
    pub(super) fn take_failure(&mut self) -> Option<Failure> {
        self.failure.take()
    }

    fn fail(&mut self, error: OpenError) {
        if std::mem::replace(&mut self.has_failed, true) {
            return;
        }
        let path = match &self.to {
            To::Stderr => None,
            To::File { path, .. } => Some(path.clone()),
        };
        self.failure = Some(Failure { path, error });
    }

    fn descriptor(&self) -> BorrowedFd<'_> {
        match &self.to {
            To::Stderr => rustix::stdio::stderr(),
            To::File { file, .. } => file.as_fd(),
        }
    }
}
