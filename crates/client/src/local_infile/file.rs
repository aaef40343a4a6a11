//! Opening a local file that a server may have: once, a plain file, and inside a folder if there is one that it has to be in.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// A plain file, opened.
#[derive(Debug)]
pub struct LocalFile {
    file: File,
    path: PathBuf,
}

/// Why a file is not given away.
#[derive(Debug)]
pub enum LocalFileError {
    /// There is no such file, or it can't be opened.
    NotFound(io::Error),
    /// It is a folder, a pipe, a device: something without an end, or whose reading does something.
    NotAFile,
    /// The folder that files have to be in can't be opened.
    NoDirectory(io::Error),
    /// It is outside of that folder.
    OutsideDirectory,
}

impl LocalFile {
    /// Opens the file of this name; with `directory` only if it is in there, at whatever depth, links followed.
    ///
    /// # Errors
    /// It is not there, is no plain file, or is outside of the directory.
    pub fn open(name: &Path, directory: Option<&Path>) -> Result<LocalFile, LocalFileError> {
        let directory = directory.map(open_directory).transpose()?;
        let is_inside = |path: &Path| directory.as_ref().is_none_or(|it| path.starts_with(it));
        let path = match name.canonicalize() {
            Ok(path) if is_inside(&path) => path,
            Ok(_) => return Err(LocalFileError::OutsideDirectory),
            Err(_) if !is_inside(&existing_part(name)) => {
                return Err(LocalFileError::OutsideDirectory);
            }
            Err(error) => return Err(LocalFileError::NotFound(error)),
        };
        // To open a pipe or a device is to do something with it already.
        let expected = fs::metadata(&path).map_err(LocalFileError::NotFound)?;
        if !expected.is_file() {
            return Err(LocalFileError::NotAFile);
        }
        // The path has no links: one that is there now came after the look, as did a pipe, on which this would wait.
        let file = OpenOptions::new()
            .read(true)
            .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_NOCTTY)
            .open(&path)
            .map_err(LocalFileError::NotFound)?;
        let opened = file.metadata().map_err(LocalFileError::NotFound)?;
        if !opened.is_file() || (opened.dev(), opened.ino()) != (expected.dev(), expected.ino()) {
            return Err(LocalFileError::NotAFile);
        }
        // A folder on the way may have been a link just then.
        if !is_at(&file, &path) {
            return Err(LocalFileError::OutsideDirectory);
        }
        Ok(LocalFile { file, path })
    }

    /// Whether a directory can be opened.
    ///
    /// # Errors
    /// It can't.
    pub fn check_directory(directory: &Path) -> Result<(), LocalFileError> {
        open_directory(directory).map(drop)
    }

    /// The file's real path: absolute and without links.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Read for LocalFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.file.read(buffer)
    }
}

/// Whether an opened file stands at this path, by what it says itself: the path may lead elsewhere by now. Not without `/proc`.
fn is_at(file: &File, path: &Path) -> bool {
    fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())).is_ok_and(|it| it == path)
}

/// The real path of a folder that can be opened.
fn open_directory(directory: &Path) -> Result<PathBuf, LocalFileError> {
    fs::read_dir(directory)
        .and_then(|_| directory.canonicalize())
        .map_err(LocalFileError::NoDirectory)
}

/// The real path of as much of a path as there is, for nothing to be told of what lies outside of a directory.
fn existing_part(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_default();
    absolute.ancestors().skip(1).find_map(|part| part.canonicalize().ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;
    use std::sync::atomic::{AtomicU32, Ordering};

    /// A folder with `in/a`, `in/deep/b`, `out/c`, `in2/d`, and links.
    struct Tree(PathBuf);

    impl Tree {
        fn new() -> Tree {
            static NEXT: AtomicU32 = AtomicU32::new(0);
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let name = format!("vaquita-local-file-{}-{number}", std::process::id());
            let root = std::env::temp_dir().join(name);
            for folder in ["in/deep", "out", "in2"] {
                fs::create_dir_all(root.join(folder)).unwrap();
            }
            for file in ["in/a", "in/deep/b", "out/c", "in2/d"] {
                fs::write(root.join(file), file).unwrap();
            }
            symlink(root.join("out/c"), root.join("in/to_out")).unwrap();
            symlink(root.join("in/a"), root.join("out/to_in")).unwrap();
            symlink(root.join("in"), root.join("way")).unwrap();
            symlink(root.join("nowhere"), root.join("in/broken")).unwrap();
            symlink("/dev/zero", root.join("in/to_device")).unwrap();
            symlink(root.join("in/loop"), root.join("in/loop")).unwrap();
            Tree(root)
        }

        fn open(&self, name: &str, directory: Option<&str>) -> Result<LocalFile, LocalFileError> {
            let directory = directory.map(|directory| self.0.join(directory));
            LocalFile::open(&self.0.join(name), directory.as_deref())
        }

        fn check(&self, name: &str, directory: Option<&str>, expected: &str) {
            let found = match self.open(name, directory) {
                Ok(mut file) => {
                    let mut content = String::new();
                    file.read_to_string(&mut content).unwrap();
                    content
                }
                Err(LocalFileError::NotFound(_)) => "not found".to_owned(),
                Err(LocalFileError::NotAFile) => "not a file".to_owned(),
                Err(LocalFileError::NoDirectory(_)) => "no directory".to_owned(),
                Err(LocalFileError::OutsideDirectory) => "outside".to_owned(),
            };
            assert_eq!(found, expected, "{name} {directory:?}");
        }
    }

    impl Drop for Tree {
        fn drop(&mut self) {
            fs::remove_dir_all(&self.0).unwrap();
        }
    }

    #[test]
    fn without_a_directory_every_plain_file_will_do() {
        let tree = Tree::new();
        let check = |name: &str, expected: &str| tree.check(name, None, expected);
        check("in/a", "in/a");
        check("in/to_out", "out/c");
        check("way/../in/deep/b", "in/deep/b");
        check("in/none", "not found");
        check("none/none", "not found");
        check("in/broken", "not found");
        check("in/loop", "not found");
        check("in/a/", "not found");
        check("in", "not a file");
        check("/dev/zero", "not a file");
        check("in/to_device", "not a file");
        check("", "not a file");
    }

    #[test]
    fn a_directory_has_what_is_really_in_it() {
        let tree = Tree::new();
        for directory in ["in", "in/", "way", "in/../in", "in/deep/.."] {
            let check = |name: &str, expected: &str| tree.check(name, Some(directory), expected);
            check("in/a", "in/a");
            check("in/deep/b", "in/deep/b");
            check("way/a", "in/a");
            check("out/to_in", "in/a");
            check("out/c", "outside");
            check("in/to_out", "outside");
            check("in/../out/c", "outside");
            check("in2/d", "outside");
            check("in/none", "not found");
            check("out/none", "outside");
            check("none/none", "outside");
            check("in/to_device", "outside");
            check("in", "not a file");
            check("", "outside");
        }
        tree.check("in/a", Some("in/deep"), "outside");
        tree.check("in/a", Some("none"), "no directory");
        tree.check("in/a", Some("in/a"), "no directory");
        tree.check("in/a", Some("/"), "in/a");
        tree.check("/dev/null", Some("/dev"), "not a file");
    }

    /// A folder that is a link for as long as it takes to open the file, and a folder again before anybody looks.
    #[test]
    fn a_folder_that_is_exchanged_meanwhile_gives_nothing_away() {
        let tree = Tree::new();
        fs::write(tree.0.join("out/b"), "out/b").unwrap();
        let path = tree.0.canonicalize().unwrap().join("in/deep/b");
        let [folder, away] = ["in/deep", "in/away"].map(|it| tree.0.join(it));
        assert!(is_at(&File::open(&path).unwrap(), &path));
        fs::rename(&folder, &away).unwrap();
        symlink(tree.0.join("out"), &folder).unwrap();
        let opened = File::open(&path).unwrap();
        fs::remove_file(&folder).unwrap();
        fs::rename(&away, &folder).unwrap();
        assert_eq!(path.canonicalize().unwrap(), path);
        assert!(!is_at(&opened, &path));
    }

    #[test]
    fn a_pipe_is_not_waited_for() {
        let tree = Tree::new();
        let socket = std::os::unix::net::UnixListener::bind(tree.0.join("in/socket")).unwrap();
        tree.check("in/socket", None, "not a file");
        drop(socket);
        let made = std::process::Command::new("mkfifo").arg(tree.0.join("in/pipe")).status();
        assert!(made.unwrap().success());
        tree.check("in/pipe", None, "not a file");
        tree.check("in/pipe", Some("in"), "not a file");
    }
}
