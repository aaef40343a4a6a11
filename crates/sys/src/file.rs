//! The file behind what processes share: found or made, and believed only if nobody else can have made it or can write to it.
//!
//! It is made under a lock that the kernel lets go of when its holder ends, and locked at no other time. One that an earlier boot left is
//! replaced, for its processes are gone; whatever else is wrong is an error, since others may be counted in it.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind};
use std::ops::Deref;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;

use rustix::fs::{Access, FallocateFlags, OFlags, access, fallocate};
use rustix::io::Errno;
use rustix::process::geteuid;

use crate::memory::{SharedWords, WORD_BYTES};

/// Where processes share unless somebody says otherwise: in the folder made for that, if there is one for this user ...
const RUN_FOLDER: &str = "/run/vaquita";
/// ... or where the C library, too, puts what processes share. It is the same for all of them and begins empty, which a folder for temporary
/// files need not: services often have their own, a variable names another, and what is old there is removed.
const SHARED_FOLDER: &str = "/dev/shm";
/// Whose number says which processes this one sees.
const NAMESPACE: &str = "/proc/self/ns/pid";

/// The first word of a file that is made; the second one is of the boot in which that was.
const MAGIC: u64 = u64::from_be_bytes(*b"vqslots1");
/// Only the user, for reading and writing.
const MODE: u32 = 0o600;
/// How often a file may be replaced while it is opened.
const TRIES: usize = 8;

/// Which file it is, whatever its name leads to by now.
type FileId = (u64, u64);

/// The folder for what processes share: the one that is chosen, or `/run/vaquita` if this user may write there, else `/dev/shm`.
///
/// # Errors
/// The chosen one is no absolute path: it would be another one for each process.
pub fn shared_folder(chosen: Option<&Path>) -> io::Result<&Path> {
    match chosen {
        Some(folder) if !folder.is_absolute() => {
            let reason = format!("{}: it is no absolute path", folder.display());
            Err(io::Error::new(ErrorKind::InvalidInput, reason))
        }
        Some(folder) => Ok(folder),
        None if access(RUN_FOLDER, Access::WRITE_OK | Access::EXEC_OK).is_ok() => {
            Ok(Path::new(RUN_FOLDER))
        }
        None => Ok(Path::new(SHARED_FOLDER)),
    }
}

/// A file's words, which all processes of its user have.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) path: PathBuf,
    file: FileId,
    words: SharedWords,
}

impl Shared {
    /// Opens the words of this name and layout in a folder, the first `used` of which are sure to have room on the disk; makes them if there
    /// are none. Every user has its own, and so have processes that do not see each other (in another PID namespace, as containers are).
    pub(crate) fn open(
        folder: &Path,
        layout: u32,
        name: &str,
        words: usize,
        used: usize,
    ) -> io::Result<Shared> {
        let namespace = fs::metadata(NAMESPACE);
        let namespace = namespace.map_err(|error| naming(Path::new(NAMESPACE), error))?.ino();
        let user = geteuid().as_raw();
        let path = folder.join(format!("vaquita-{layout}-{user}-{namespace}-{name}"));
        let opened = open(&path, in_bytes(words), in_bytes(used));
        let mapped = opened.and_then(|(file, id)| Ok((id, SharedWords::map(&file, words)?)));
        match mapped {
            Ok((file, words)) => Ok(Shared { path, file, words }),
            Err(error) => Err(naming(&path, error)),
        }
    }

    /// Makes sure that the first `used` words have room on the disk. The file is opened for that, since a descriptor that is kept may be
    /// closed, and be another file's, behind its keeper's back.
    pub(crate) fn reserve(&self, used: usize) -> io::Result<()> {
        match open(&self.path, in_bytes(self.len()), in_bytes(used)) {
            Ok((_, file)) if file == self.file => Ok(()),
            Ok(_) => Err(naming(&self.path, io::Error::other("another one has taken its place"))),
            Err(error) => Err(naming(&self.path, error)),
        }
    }

    /// Whether others who open them get the same, and they are the running user's.
    pub(crate) fn is_current(&self) -> bool {
        is_at(&self.path, self.file, in_bytes(self.len()))
    }
}

impl Deref for Shared {
    type Target = [AtomicU64];

    fn deref(&self) -> &[AtomicU64] {
        &self.words
    }
}

const fn in_bytes(words: usize) -> u64 {
    (words * WORD_BYTES) as u64
}

/// The error, with the file's name before it.
fn naming(path: &Path, error: io::Error) -> io::Error {
    let text = error.to_string();
    // Without Rust's own ` (os error 13)`.
    let end = text.rfind(" (os error ").filter(|_| error.raw_os_error().is_some());
    let reason = end.and_then(|end| text.get(..end)).unwrap_or(&text);
    io::Error::new(error.kind(), format!("{}: {reason}", path.display()))
}

/// What a file is found to be.
enum Found {
    Ready,
    /// Nobody has written to it.
    New,
    /// It was made in an earlier boot.
    Stale,
}

/// Opens a file of `bytes` in all, the first `used` of which are sure to have room on the disk.
fn open(path: &Path, bytes: u64, used: u64) -> io::Result<(File, FileId)> {
    let boot = boot()?;
    for _ in 0..TRIES {
        let file = open_checked(path)?;
        // Whatever else it seems to be, it may be about to be made.
        let is_ready = matches!(found(&file, bytes, boot), Ok(Found::Ready)) || {
            lock(&file)?;
            let made = make(&file, path, bytes, boot);
            // A child that is forked meanwhile would keep the lock.
            file.unlock()?;
            made?
        };
        if is_ready {
            // Where the disk is full a page that has no place on it would end the process that touches it.
            fallocate(&file, FallocateFlags::empty(), 0, used)?;
            let id = id(&file.metadata()?);
            return Ok((file, id));
        }
    }
    Err(io::Error::other("it is replaced again and again"))
}

/// Whether the name leads to this file, still as long and the running user's.
fn is_at(path: &Path, file: FileId, bytes: u64) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| {
        id(&found) == file && found.len() == bytes && found.uid() == geteuid().as_raw()
    })
}

fn id(metadata: &Metadata) -> FileId {
    (metadata.dev(), metadata.ino())
}

fn open_checked(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).mode(MODE);
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let file = options.custom_flags(flags).open(path).map_err(|error| {
        let is_link = error.raw_os_error() == Some(Errno::LOOP.raw_os_error());
        if is_link { io::Error::other("it is a symbolic link") } else { error }
    })?;
    let (metadata, user) = (file.metadata()?, geteuid().as_raw());
    let reason = if !metadata.is_file() {
        "it is no regular file".to_owned()
    } else if metadata.uid() != user {
        format!("it belongs to the user {}, not to {user}", metadata.uid())
    } else if metadata.mode() & 0o7777 != MODE {
        format!("its mode is {:o}, not {MODE:o}", metadata.mode() & 0o7777)
    } else if metadata.nlink() > 1 {
        "it has another name besides".to_owned()
    } else {
        return Ok(file);
    };
    Err(io::Error::new(ErrorKind::PermissionDenied, reason))
}

fn found(file: &File, bytes: u64, boot: u64) -> io::Result<Found> {
    let size = file.metadata()?.len();
    if size == 0 {
        return Ok(Found::New);
    }
    if size == bytes {
        let mut header = [[0; WORD_BYTES]; 2];
        file.read_exact_at(header.as_flattened_mut(), 0)?;
        match header.map(u64::from_ne_bytes) {
            [MAGIC, made_in] if made_in == boot => return Ok(Found::Ready),
            [MAGIC, _] => return Ok(Found::Stale),
            // Who was about to make it was killed.
            [0, _] => return Ok(Found::New),
            _ => {}
        }
    }
    let reason = "it is damaged; remove it while PHP is stopped";
    Err(io::Error::new(ErrorKind::InvalidData, reason))
}

fn lock(file: &File) -> io::Result<()> {
    loop {
        match file.lock() {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            locked => return locked,
        }
    }
}

/// Makes the file, which is locked, what it should be; false: it is not to be used, and the name leads to another one, or to none.
fn make(file: &File, path: &Path, bytes: u64, boot: u64) -> io::Result<bool> {
    let own = id(&file.metadata()?);
    if !fs::symlink_metadata(path).is_ok_and(|found| id(&found) == own) {
        return Ok(false);
    }
    match found(file, bytes, boot)? {
        Found::Ready => Ok(true),
        Found::New => {
            file.set_len(bytes)?;
            file.write_all_at([MAGIC, boot].map(u64::to_ne_bytes).as_flattened(), 0)?;
            Ok(true)
        }
        Found::Stale => {
            fs::remove_file(path)?;
            Ok(false)
        }
    }
}

/// A number of this boot's, which no other one has.
fn boot() -> io::Result<u64> {
    const PATH: &str = "/proc/sys/kernel/random/boot_id";
    let said = |kind, what: &str| io::Error::new(kind, format!("{PATH}: {what}"));
    let text = fs::read_to_string(PATH).map_err(|error| said(error.kind(), &error.to_string()))?;
    let digits: String = text.chars().filter(char::is_ascii_hexdigit).take(16).collect();
    u64::from_str_radix(&digits, 16).map_err(|_| said(ErrorKind::InvalidData, "it can't be read"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::tests::Folder;
    use std::os::unix::fs::{PermissionsExt, chown, symlink};
    use std::thread;

    const BYTES: u64 = 4096;

    fn reason(path: &Path) -> String {
        open(path, BYTES, BYTES).unwrap_err().to_string()
    }

    fn content(path: &Path) -> Vec<u8> {
        fs::read(path).unwrap()
    }

    #[test]
    fn a_folder_is_absolute_and_there_is_one_unasked() {
        let folder = |chosen: Option<&'static str>| {
            shared_folder(chosen.map(Path::new)).map_err(|error| error.to_string())
        };
        assert_eq!(folder(Some("/x")), Ok(Path::new("/x")));
        assert_eq!(folder(Some("x")), Err("x: it is no absolute path".to_owned()));
        assert!(folder(None).is_ok_and(Path::is_dir));
    }

    #[test]
    fn a_file_is_made_once_and_for_its_user_alone() {
        let folder = Folder::new("made");
        let path = folder.path("file");
        let (_, first) = open(&path, BYTES, BYTES).unwrap();
        let metadata = fs::metadata(&path).unwrap();
        assert_eq!((metadata.mode() & 0o7777, metadata.len()), (0o600, BYTES));
        let (_, second) = open(&path, BYTES, BYTES).unwrap();
        assert_eq!(first, second);
        assert!(is_at(&path, first, BYTES) && !is_at(&path, first, BYTES + 1));
        fs::remove_file(&path).unwrap();
        assert!(!is_at(&path, first, BYTES));
    }

    #[test]
    fn what_somebody_else_could_have_made_is_refused_and_left_alone() {
        let folder = Folder::new("refused");
        let path = folder.path("file");
        let other = folder.path("other");
        fs::write(&other, "precious").unwrap();
        symlink(&other, &path).unwrap();
        assert_eq!(reason(&path), "it is a symbolic link");
        fs::remove_file(&path).unwrap();
        symlink(folder.path("nothing"), &path).unwrap();
        assert_eq!(reason(&path), "it is a symbolic link");
        assert!(!folder.path("nothing").exists());
        fs::remove_file(&path).unwrap();
        fs::set_permissions(&other, PermissionsExt::from_mode(0o600)).unwrap();
        fs::hard_link(&other, &path).unwrap();
        assert_eq!(reason(&path), "it has another name besides");
        fs::remove_file(&path).unwrap();
        assert_eq!(content(&other), b"precious");

        File::create(&path).unwrap();
        for mode in [0o644, 0o660, 0o606, 0o4600, 0o400] {
            fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
            let expected = format!("its mode is {mode:o}, not 600");
            let refused = reason(&path);
            // Only root may open what has no permission to be written to.
            assert!(refused == expected || mode == 0o400, "{refused}");
        }
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert!(reason(&path).contains("directory"), "{}", reason(&path));
        fs::remove_dir(&path).unwrap();
        assert!(open(&path.join("below"), BYTES, BYTES).is_err());
        if geteuid().is_root() {
            File::create(&path).unwrap();
            chown(&path, Some(4711), None).unwrap();
            assert_eq!(reason(&path), "it belongs to the user 4711, not to 0");
        } else {
            let of_root = Path::new("/etc/passwd");
            assert!(open(of_root, BYTES, BYTES).is_err());
        }
    }

    #[test]
    fn damage_is_an_error_and_an_earlier_boot_is_not() {
        let folder = Folder::new("damaged");
        let path = folder.path("file");
        let boot = boot().unwrap();
        let header = |magic: u64, boot: u64| [magic.to_ne_bytes(), boot.to_ne_bytes()].concat();
        let with = |start: &[u8], size: usize| {
            let mut bytes = start.to_vec();
            bytes.resize(size, 7);
            fs::write(&path, &bytes).unwrap();
            fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).unwrap();
            open(&path, BYTES, BYTES).map(|_| content(&path))
        };
        for (start, size) in [
            (header(MAGIC, boot), 4095),
            (header(MAGIC, boot), 4097),
            (header(MAGIC, boot), 15),
            (header(MAGIC ^ 1, boot), 4096),
            (header(0, 0), 16),
            (b"x".to_vec(), 1),
        ] {
            let refused = with(&start, size).unwrap_err();
            assert!(refused.to_string().starts_with("it is damaged"), "{refused}");
            assert_eq!(content(&path).len(), size);
        }
        let [now, earlier] = [boot, boot ^ 1].map(|boot| header(MAGIC, boot));
        for (start, byte, what) in [
            (now.clone(), 7, "taken as it is"),
            (header(0, 0), 7, "half made, and then made"),
            (earlier, 0, "replaced"),
        ] {
            let expected = [&*now, &[byte; 4096 - 16]].concat();
            assert_eq!(with(&start, 4096).unwrap(), expected, "{what}");
        }
    }

    #[test]
    fn those_who_open_it_at_once_get_the_same() {
        let folder = Folder::new("at-once");
        for (round, is_stale) in (0..100).map(|round| (round, round % 2 == 0)) {
            let path = folder.path(&round.to_string());
            if is_stale {
                let mut bytes = MAGIC.to_ne_bytes().to_vec();
                bytes.resize(4096, 0);
                fs::write(&path, bytes).unwrap();
                fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).unwrap();
            }
            let opened: Vec<(File, FileId)> = thread::scope(|scope| {
                let open = || open(&path, BYTES, BYTES).unwrap();
                let threads: Vec<_> = (0..8).map(|_| scope.spawn(open)).collect();
                threads.into_iter().map(|it| it.join().unwrap()).collect()
            });
            assert!(opened.iter().all(|(_, id)| is_at(&path, *id, BYTES)));
        }
    }

    #[test]
    fn a_full_disk_or_a_missing_folder_is_an_error() {
        let folder = Folder::new("missing");
        let missing = folder.path("missing");
        assert_eq!(open(&missing.join("f"), 1, 1).unwrap_err().kind(), ErrorKind::NotFound);
        // More than any file has.
        assert!(open(&folder.path("file"), BYTES, u64::MAX / 2).is_err());
    }
}
