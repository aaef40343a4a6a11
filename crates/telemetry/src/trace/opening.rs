//! Opening the file of a trace: one that nobody else can read, and nobody else has put there.

use std::fmt;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{FileType, Mode, OFlags, Stat, fchmod, fstat, open};
use rustix::io::Errno;
use rustix::process::geteuid;

/// Only the user, for reading and writing.
const MODE: Mode = Mode::RUSR.union(Mode::WUSR);

/// How often a file may come and go between two looks.
const TRIES: usize = 5;

/// Why a file is none for a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenError {
    /// It can't be opened.
    System(Errno),
    /// It is a symbolic link: whoever made it decides what is written to.
    SymbolicLink,
    /// It is no regular file.
    NotRegular,
    /// It is somebody else's: their number.
    Foreign(u32),
    /// Others may read or write it: its permissions.
    Open(u32),
    /// It has other names, too.
    Linked,
}

impl fmt::Display for OpenError {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenError::System(error) => write!(to, "{}", Words(*error)),
            OpenError::SymbolicLink => to.write_str("it is a symbolic link"),
            OpenError::NotRegular => to.write_str("it is no regular file"),
            OpenError::Foreign(owner) => {
                write!(to, "it belongs to user {owner}, and this is user {}", geteuid().as_raw())
            }
            OpenError::Open(mode) => {
                write!(to, "others have permissions to it ({mode:04o}), it has to be 0600")
            }
            OpenError::Linked => to.write_str("it has several names (hard links)"),
        }
    }
}

impl std::error::Error for OpenError {}

/// An error of the system in words.
pub(super) struct Words(pub(super) Errno);

impl fmt::Display for Words {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = io::Error::from(self.0).to_string();
        to.write_str(words.split(" (os error").next().unwrap_or_default())
    }
}

/// What a file is, whatever it is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Identity {
    device: u64,
    inode: u64,
}

impl Identity {
    /// That of a file of which the system says this.
    #[allow(
        clippy::useless_conversion,
        clippy::unnecessary_cast,
        reason = "their types differ by the machine"
    )]
    pub(super) fn of(stat: &Stat) -> Identity {
        Identity { device: stat.st_dev as u64, inode: stat.st_ino as u64 }
    }
}

/// Opens a file for appending, and makes it if there is none.
///
/// # Errors
/// See [`OpenError`]; nothing is written, and nothing waited for, whatever stands there.
pub(super) fn open_for_trace(path: &Path) -> Result<(OwnedFd, Identity), OpenError> {
    let flags = OFlags::WRONLY
        | OFlags::APPEND
        | OFlags::CLOEXEC
        | OFlags::NOFOLLOW
        | OFlags::NONBLOCK
        | OFlags::NOCTTY;
    for _ in 0..TRIES {
        match open(path, flags, Mode::empty()) {
            Err(Errno::NOENT) => {}
            Err(Errno::LOOP) => return Err(OpenError::SymbolicLink),
            // A FIFO that nobody reads, a folder.
            Err(Errno::NXIO | Errno::ISDIR) => return Err(OpenError::NotRegular),
            Err(error) => return Err(OpenError::System(error)),
            Ok(file) => return check(&file).map(|identity| (file, identity)),
        }
        match open(path, flags | OFlags::CREATE | OFlags::EXCL, MODE) {
            Err(Errno::EXIST) => {}
            Err(error) => return Err(OpenError::System(error)),
            Ok(file) => {
                // Whatever the umask leaves of it, or a list of the folder's adds.
                fchmod(&file, MODE).map_err(OpenError::System)?;
                return check(&file).map(|identity| (file, identity));
            }
        }
    }
    Err(OpenError::System(Errno::EXIST))
}

fn check(file: &OwnedFd) -> Result<Identity, OpenError> {
    let stat = fstat(file).map_err(OpenError::System)?;
    let mode = stat.st_mode;
    if FileType::from_raw_mode(mode) != FileType::RegularFile {
        return Err(OpenError::NotRegular);
    }
    if stat.st_uid != geteuid().as_raw() {
        return Err(OpenError::Foreign(stat.st_uid));
    }
    if mode & 0o077 != 0 {
        return Err(OpenError::Open(mode & 0o7777));
    }
    // Such a name could be another file's of ours.
    if stat.st_nlink > 1 {
        return Err(OpenError::Linked);
    }
    Ok(Identity::of(&stat))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::folder::Folder;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt, chown, symlink};
    use std::os::unix::net::UnixListener;

    fn refused(path: &Path) -> OpenError {
        open_for_trace(path).map(|_| ()).unwrap_err()
    }

    #[test]
    fn a_file_is_made_for_its_user_alone() {
        let folder = Folder::new();
        let path = folder.path("trace");
        let (_, made) = open_for_trace(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o7777, 0o600);
        assert_eq!(open_for_trace(&path).unwrap().1, made);
        fs::set_permissions(&path, Permissions::from_mode(0o200)).unwrap();
        assert!(open_for_trace(&path).is_ok(), "one may keep one's own from reading it");
    }

    #[test]
    fn what_others_may_read_or_have_put_there_is_refused() {
        let folder = Folder::new();
        let (file, link) = (folder.path("file"), folder.path("link"));
        symlink(&file, &link).unwrap();
        assert_eq!(refused(&link), OpenError::SymbolicLink);
        assert!(!file.exists(), "nothing is made through a link");
        fs::write(&file, "").unwrap();
        assert_eq!(refused(&link), OpenError::SymbolicLink);
        for mode in [0o640, 0o604, 0o620, 0o602, 0o610] {
            fs::set_permissions(&file, Permissions::from_mode(mode)).unwrap();
            assert_eq!(refused(&file), OpenError::Open(mode));
            assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o7777, mode);
        }
        fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
        fs::hard_link(&file, folder.path("other")).unwrap();
        assert_eq!(refused(&file), OpenError::Linked);
        fs::remove_file(folder.path("other")).unwrap();
        assert!(open_for_trace(&file).is_ok());
        if geteuid().is_root() {
            chown(&file, Some(65534), None).unwrap();
            assert_eq!(refused(&file), OpenError::Foreign(65534));
        }
        assert_eq!(refused(&folder.path("")), OpenError::NotRegular);
        assert_eq!(refused(Path::new("/dev/null")), OpenError::NotRegular);
        assert_eq!(refused(Path::new("/dev/full")), OpenError::NotRegular);
        let socket = folder.path("socket");
        let _listener = UnixListener::bind(&socket).unwrap();
        assert_eq!(refused(&socket), OpenError::NotRegular);
        let fifo = folder.path("fifo");
        rustix::fs::mknodat(rustix::fs::CWD, &fifo, FileType::Fifo, MODE, 0).unwrap();
        assert_eq!(refused(&fifo), OpenError::NotRegular);
        assert_eq!(refused(&folder.path("no/file")), OpenError::System(Errno::NOENT));
        assert_eq!(refused(&folder.path("file/file")), OpenError::System(Errno::NOTDIR));
    }

    #[test]
    fn why_it_is_refused_is_said() {
        let user = geteuid().as_raw();
        for (error, expected) in [
            (OpenError::Foreign(7), &*format!("it belongs to user 7, and this is user {user}")),
            (OpenError::Open(0o644), "others have permissions to it (0644), it has to be 0600"),
            (OpenError::System(Errno::NOENT), "No such file or directory"),
        ] {
            assert_eq!(error.to_string(), expected);
        }
    }
}
