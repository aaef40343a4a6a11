//! LOCAL INFILE: which files a server may have. The driver has seen that the statement names the file; here PHP's rules apply.
//!
//! As in stock one option (`mysqli.allow_local_infile`, `PDO::MYSQL_ATTR_LOCAL_INFILE`) allows every file, another
//! (`mysqli.local_infile_directory`, `PDO::MYSQL_ATTR_LOCAL_INFILE_DIRECTORY`) those in one folder, and `open_basedir` holds in any case. Only plain files are sent, never what a stream wrapper would open.

use super::Session;
use super::failure::Failed;
use crate::zend::files;
use crate::zend::string::Str;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use vaquita_client::{Connection, LocalFile, LocalFileError, codes};

/// EE_FILENOTFOUND, as mysqlnd numbers it.
const FILE_NOT_FOUND: u16 = 7890;
/// How much of a file's name its error shows, in bytes.
const SHOWN_NAME_BYTES: usize = 64;

/// A file that the server asked for, until it is answered.
pub(crate) struct RequestedFile {
    name: Vec<u8>,
    opened: Option<LocalFile>,
}

impl RequestedFile {
    pub(crate) fn new(name: Vec<u8>) -> RequestedFile {
        RequestedFile { name, opened: None }
    }

    /// Opens it as the options allow.
    fn open(&mut self, is_allowed: bool, directory: &[u8]) -> Result<(), LocalFileError> {
        let directory = Some(path(directory)).filter(|it| !it.as_os_str().is_empty());
        if is_allowed {
            // The folder is no limit then, but has to be there all the same.
            directory.map(LocalFile::check_directory).transpose()?;
        }
        let directory = directory.filter(|_| !is_allowed);
        self.opened = Some(LocalFile::open(path(&self.name), directory)?);
        Ok(())
    }
}

fn path(bytes: &[u8]) -> &Path {
    Path::new(std::ffi::OsStr::from_bytes(bytes))
}

/// Sets what may be sent: any file, those of a folder besides. **User code may run**, where a warning tells that the folder is none that
/// may be named; then it is as if none were.
pub(crate) fn set(session: &Session, is_allowed: bool, directory: Option<Str>) {
    // Nothing is borrowed while the warning is raised.
    let directory = directory.filter(|directory| files::warn_unless_allowed(*directory));
    let _ = session.options.with(|options| {
        options.local_infile = is_allowed;
        if let Some(directory) = directory {
            options.local_infile_directory = directory.bytes().to_vec();
        }
    });
    allow(session);
}

/// Tells the driver whether a file may be asked for at all.
pub(crate) fn allow(session: &Session) {
    let on = session
        .options
        .peek(|options| options.local_infile || !options.local_infile_directory.is_empty());
    session.adjust(|connection| connection.allow_local_infile(on.unwrap_or(false)));
}

/// Why a file is not sent.
struct Refusal {
    errno: u16,
    text: &'static [u8],
    /// Whether the file's name is put into the text's quotes.
    is_named: bool,
}

const NOT_FOUND: Refusal =
    Refusal { errno: FILE_NOT_FOUND, text: b"Can't find file ''.", is_named: true };
const NOT_A_FILE: Refusal = Refusal {
    errno: codes::UNKNOWN_ERROR,
    text: b"Error reading file: only plain files are sent",
    is_named: false,
};
const NO_DIRECTORY: Refusal = Refusal {
    errno: codes::LOAD_DATA_LOCAL_INFILE_REJECTED,
    text: b"cannot open local_infile_directory",
    is_named: false,
};
const OUTSIDE_DIRECTORY: Refusal = Refusal {
    errno: codes::LOAD_DATA_LOCAL_INFILE_REJECTED,
    text: b"LOAD DATA LOCAL INFILE DIRECTORY restriction in effect. Unable to open file",
    is_named: false,
};
const OUTSIDE_BASEDIR: Refusal = Refusal {
    errno: codes::UNKNOWN_ERROR,
    text: b"open_basedir restriction in effect. Unable to open file",
    is_named: false,
};

impl Refusal {
    fn message(&self, name: &[u8]) -> Vec<u8> {
        let shown = name.get(..SHOWN_NAME_BYTES).unwrap_or(name);
        match self.text.strip_suffix(b"'.") {
            Some(text) if self.is_named => [text, shown, b"'."].concat(),
            _ => self.text.to_vec(),
        }
    }
}

/// Answers the server if it has asked for a file: with the file, or with none and an error.
pub(crate) fn answer(session: &Session) -> Result<(), Failed> {
    let name = session
        .requested_file
        .peek(|file| file.as_ref().map(|file| Str::new(&file.name)))
        .ok()
        .flatten();
    let Some(name) = name else { return Ok(()) };
    let refusal = open(session, name).err();
    let file = session.requested_file.with(Option::take).ok().flatten();
    let opened = file.and_then(|file| file.opened);
    let answered = match (refusal, opened) {
        (None, Some(mut file)) => {
            session.drive(|connection| connection.send_local_infile(&mut file))
        }
        (refusal, _) => session.drive(Connection::refuse_local_infile).and_then(|()| {
            let refusal = refusal.unwrap_or(NOT_FOUND);
            session.error.set(refusal.errno, *b"HY000", refusal.message(name.bytes()));
            Err(Failed)
        }),
    };
    name.release();
    answered
}

/// Opens the file; the session keeps it.
fn open(session: &Session, name: Str) -> Result<(), Refusal> {
    let opened = session.options.peek(|options| {
        session.requested_file.with(|file| {
            file.as_mut()
                .map(|file| file.open(options.local_infile, &options.local_infile_directory))
        })
    });
    let found = match opened {
        Ok(Ok(Some(Ok(())))) => Ok(()),
        Ok(Ok(Some(Err(LocalFileError::NoDirectory(_))))) => return Err(NO_DIRECTORY),
        Ok(Ok(Some(Err(LocalFileError::OutsideDirectory)))) => return Err(OUTSIDE_DIRECTORY),
        Ok(Ok(Some(Err(LocalFileError::NotAFile)))) => Err(NOT_A_FILE),
        _ => Err(NOT_FOUND),
    };
    // Also the real path of what was opened: the name may have led there by a link that has changed since.
    if !files::is_allowed(name) || !is_real_path_allowed(session) {
        return Err(OUTSIDE_BASEDIR);
    }
    found
}

fn is_real_path_allowed(session: &Session) -> bool {
    let path = session.requested_file.peek(|file| {
        let opened = file.as_ref().and_then(|file| file.opened.as_ref());
        opened.map(|opened| Str::new(opened.path().as_os_str().as_bytes()))
    });
    let Ok(Some(path)) = path else { return true };
    let is_allowed = files::is_allowed(path);
    path.release();
    is_allowed
}
