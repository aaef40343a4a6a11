//! Where the lines of a trace go, whole, whatever happens to the process or the disk.

use std::fmt;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, FileType, fstat, statat};
use rustix::io::{Errno, fcntl_dupfd_cloexec, write};

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
    /// A descriptor of our own: a script that closes its standard error gets a socket by that number next.
    Stderr(OwnedFd),
    /// With its path, as far as that is followed.
    File { path: PathBuf, file: OwnedFd, identity: Identity, is_followed: bool },
}

/// What a process's standard error was when it began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StandardError(Option<Identity>);

impl StandardError {
    /// What it is now.
    pub fn now() -> StandardError {
        StandardError(fstat(rustix::stdio::stderr()).ok().map(|stat| Identity::of(&stat)))
    }
}

/// The first number that a descriptor of ours may have: those before it are the process's input and outputs.
const FIRST_DESCRIPTOR: i32 = 3;

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
    /// The process's standard error, as it is now; `first` is what it was at the beginning.
    ///
    /// # Errors
    /// It is closed, or a connection has got its number since; or no descriptor is left.
    pub fn stderr(first: StandardError) -> Result<Output, OpenError> {
        let own = fcntl_dupfd_cloexec(rustix::stdio::stderr(), FIRST_DESCRIPTOR);
        let own = own.map_err(OpenError::System)?;
        let stat = fstat(&own).map_err(OpenError::System)?;
        let is_socket = FileType::from_raw_mode(stat.st_mode) == FileType::Socket;
        if is_socket && first != StandardError(Some(Identity::of(&stat))) {
            return Err(OpenError::System(Errno::BADF));
        }
        Ok(Output::new(To::Stderr(own)))
    }

    /// A file, which is made if there is none: for its user alone. If another one has its name later, that is gone on with.
    ///
    /// # Errors
    /// See [`OpenError`].
    pub fn open(path: &Path) -> Result<Output, OpenError> {
        Output::open_file(path, true)
    }

    /// The same file for good: where the path may lead elsewhere later, to where its user must not write.
    ///
    /// # Errors
    /// See [`OpenError`].
    pub fn open_for_good(path: &Path) -> Result<Output, OpenError> {
        Output::open_file(path, false)
    }

    fn open_file(path: &Path, is_followed: bool) -> Result<Output, OpenError> {
        let (file, identity) = open_for_trace(path)?;
        Ok(Output::new(To::File { path: path.into(), file, identity, is_followed }))
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
        let To::File { path, file, identity, is_followed: true } = &mut self.to else { return };
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
            To::Stderr(_) => None,
            To::File { path, .. } => Some(path.clone()),
        };
        self.failure = Some(Failure { path, error });
    }

    fn descriptor(&self) -> BorrowedFd<'_> {
        match &self.to {
            To::Stderr(file) | To::File { file, .. } => file.as_fd(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::folder::Folder;
    use crate::trace::line::{Line, Rest, split_line};
    use crate::trace::moment::Moment;
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    use std::fs::{self, Permissions};
    use std::io::{BufRead, BufReader};
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::PermissionsExt;
    use std::process::{Child, Command, Stdio};

    fn line(number: u64) -> Vec<u8> {
        let mut line = Vec::new();
        let sql = vec![b'x'; usize::try_from(number % 900).unwrap()];
        let event = "write";
        Line { at: Moment(number), event, us: number, sql: Some(&sql), ..Line::default() }
            .put(&mut line);
        line
    }

    /// Whether a line says what [`line`] has it say.
    fn is_right(found: &Line<'_>) -> bool {
        let mut again = Vec::new();
        found.put(&mut again);
        again == line(found.us)
    }

    /// How many lines of a file are right, and how many are cut.
    fn lines(path: &Path) -> (usize, usize) {
        let text = fs::read(path).unwrap();
        let (mut right, mut cut) = (0, 0);
        for text in text.split_inclusive(|byte| *byte == b'\n') {
            let Rest { cut: before, line } = split_line(text);
            cut += usize::from(before.is_some());
            match line.strip_suffix(b"\n").and_then(Line::parse) {
                Some(line) => {
                    assert!(is_right(&line), "{line:?}");
                    right += 1;
                }
                None => cut += 1,
            }
        }
        (right, cut)
    }

    /// Runs [`another_process`], until it says that it has begun.
    fn other(path: &Path, what: &str) -> Child {
        let mut other = Command::new("sh")
            // A write beyond the limit is an error, not the end.
            .args(["-c", "trap '' XFSZ; exec \"$0\" --exact trace::output::tests::another_process --nocapture"])
            .arg(std::env::current_exe().unwrap())
            .env("VAQUITA_TRACE_PATH", path)
            .env("VAQUITA_TRACE_DOES", what)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = BufReader::new(other.stdout.as_mut().unwrap()).lines();
        assert!(said.any(|line| line.unwrap() == "begun"));
        other
    }

    /// No test of its own: what the others run as another process.
    #[test]
    fn another_process() {
        let Some(path) = std::env::var_os("VAQUITA_TRACE_PATH") else { return };
        let mut output = Output::open(Path::new(&path)).unwrap();
        output.write(&mut line(1));
        println!("\nbegun");
        if std::env::var_os("VAQUITA_TRACE_DOES").is_some_and(|it| it == "limits") {
            return write_beyond_a_limit(&mut output, Path::new(&path));
        }
        for number in 2.. {
            output.write(&mut line(number));
        }
    }

    fn write_beyond_a_limit(output: &mut Output, path: &Path) {
        let limit = getrlimit(Resource::Fsize);
        setrlimit(Resource::Fsize, Rlimit { current: Some(1000), ..limit }).unwrap();
        (500..510).for_each(|number| output.write(&mut line(number)));
        let failure = output.take_failure().unwrap();
        assert_eq!(failure.to_string(), format!("{}: No space left on device", path.display()));
        assert_eq!(output.take_failure(), None);
        assert_eq!(fs::metadata(path).unwrap().len(), 1000);
        setrlimit(Resource::Fsize, limit).unwrap();
        (2..5).for_each(|number| output.write(&mut line(number)));
        setrlimit(Resource::Fsize, Rlimit { current: Some(1000), ..limit }).unwrap();
        output.write(&mut line(6));
        assert_eq!(output.take_failure(), None, "one warning is enough");
        assert_eq!(lines(path), (5, 1));
    }

    #[test]
    fn a_file_is_readable_wherever_its_writers_are_killed() {
        let folder = Folder::new();
        let path = folder.path("trace");
        let length = || fs::metadata(&path).map_or(0, |it| it.len());
        for round in 1..=20 {
            let mut others = [other(&path, "writes"), other(&path, "writes")];
            let enough = length() + round * 5000;
            while length() < enough {
                assert!(others.iter_mut().all(|other| other.try_wait().unwrap().is_none()));
            }
            others.iter_mut().for_each(|other| other.kill().unwrap());
            for mut other in others {
                other.wait().unwrap();
            }
            let mut output = Output::open(&path).unwrap();
            output.write(&mut line(7));
            assert_eq!(output.take_failure(), None);
        }
        let (right, cut) = lines(&path);
        // Each one may have been amid a line.
        assert!(right >= 1000 && cut <= 40, "{right} lines, {cut} cut");
    }

    #[test]
    fn what_a_full_disk_cuts_spoils_no_other_line() {
        let folder = Folder::new();
        let path = folder.path("trace");
        assert!(other(&path, "limits").wait().unwrap().success());
        assert_eq!(lines(&path), (5, 1));
    }

    #[test]
    fn one_for_good_stays_whatever_its_path_leads_to() {
        let folder = Folder::new();
        let (path, old) = (folder.path("trace"), folder.path("old"));
        let mut output = Output::open_for_good(&path).unwrap();
        output.write(&mut line(1));
        fs::rename(&path, &old).unwrap();
        output.follow();
        output.write(&mut line(2));
        assert_eq!(lines(&old), (2, 0));
        assert!(!path.exists());
        assert_eq!(output.take_failure(), None);
    }

    #[test]
    fn standard_error_is_a_descriptor_of_its_own() {
        let Output { to: To::Stderr(file), .. } = Output::stderr(StandardError::now()).unwrap()
        else {
            panic!()
        };
        assert!(file.as_raw_fd() >= FIRST_DESCRIPTOR);
    }

    #[test]
    fn a_file_that_is_renamed_or_removed_is_followed() {
        let folder = Folder::new();
        let (path, old) = (folder.path("trace"), folder.path("trace.1"));
        let mut output = Output::open(&path).unwrap();
        output.write(&mut line(1));
        output.follow();
        output.write(&mut line(2));
        fs::rename(&path, &old).unwrap();
        output.write(&mut line(3));
        output.follow();
        output.write(&mut line(4));
        assert_eq!((lines(&old), lines(&path)), ((3, 0), (1, 0)));
        fs::remove_file(&path).unwrap();
        output.follow();
        output.write(&mut line(5));
        assert_eq!(lines(&path), (1, 0));
        // As logrotate does with copytruncate.
        fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(0).unwrap();
        output.write(&mut line(6));
        assert_eq!(lines(&path), (1, 0));
        // One that is none for a trace gets nothing, and the old one what comes.
        fs::rename(&path, &old).unwrap();
        fs::write(&path, "").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
        output.follow();
        output.write(&mut line(7));
        output.follow();
        assert_eq!((lines(&old), lines(&path)), ((2, 0), (0, 0)));
        let failure = output.take_failure().unwrap();
        assert!(
            failure
                .to_string()
                .ends_with("others have permissions to it (0644), it has to be 0600")
        );
        assert_eq!(output.take_failure(), None);
    }
}
