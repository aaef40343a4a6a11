//! What a script asks of the connections to come, and how it is written.

use super::Session;
use super::tls::Asked;
use crate::zend::files;
use crate::zend::ini;
use crate::zend::string::Str;
use std::io;
use std::path::PathBuf;
use std::time::Duration;
use vaquita_client::{Charset, read_file};

/// The most that is read of a file with a key, in bytes; the largest RSA keys take a tenth of it.
const MAX_KEY_BYTES: u64 = 64 << 10;

/// What a script asked for before it connects.
#[derive(Default)]
pub(crate) struct Options {
    pub(crate) connect_timeout: Option<Duration>,
    pub(crate) read_timeout: Option<Duration>,
    pub(crate) charset: Option<&'static Charset>,
    pub(crate) init_commands: Vec<Vec<u8>>,
    /// The file with the server's RSA key; empty: none.
    pub(crate) server_public_key_path: Vec<u8>,
    /// The key, once it was read.
    pub(crate) server_public_key: Option<Vec<u8>>,
    /// Whether a log-in with an expired password leads to a session that may only change it.
    pub(crate) can_handle_expired_passwords: bool,
    /// Whether a statement may have any file sent.
    pub(crate) local_infile: bool,
    /// The folder whose files a statement may have sent; empty: none.
    pub(crate) local_infile_directory: Vec<u8>,
    pub(crate) tls: Asked,
}

/// Reads the server's public key, if the script or the setting names a file with one. One that can't be had is a warning, if `warns`,
/// and is never silently done without: what stands in its place fits no server.
pub(crate) fn load_server_public_key(session: &Session, warns: bool) {
    let asked = session.options.peek(|options| {
        let path = &options.server_public_key_path;
        (!path.is_empty()).then(|| Str::new(path))
    });
    let of_setting = || {
        let path = ini::string(c"mysqlnd.sha256_server_public_key")?;
        (!path.is_empty()).then(|| Str::new(path))
    };
    let Some(path) = asked.ok().flatten().or_else(of_setting) else { return };
    let is_allowed = if warns { files::warn_unless_allowed(path) } else { files::is_allowed(path) };
    let errno = session.options.with(|options| {
        let path = path_of(path.bytes());
        let key = if is_allowed { read_file(&path, MAX_KEY_BYTES) } else { Ok(Vec::new()) };
        let errno = key.as_ref().err().map(io::Error::raw_os_error);
        options.server_public_key = Some(key.unwrap_or_default());
        errno
    });
    if let (Ok(Some(errno)), true) = (errno, warns) {
        files::warn_unopened(path, errno);
    }
    path.release();
}

/// A path of a script's or a setting's bytes.
pub(crate) fn path_of(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
}

/// A timeout of so many seconds; none from 0 down.
pub(crate) fn seconds(number: i64) -> Option<Duration> {
    u64::try_from(number).ok().filter(|number| *number > 0).map(Duration::from_secs)
}

/// A timeout of so many milliseconds; none from 0 down.
pub(crate) fn milliseconds(number: i64) -> Option<Duration> {
    u64::try_from(number).ok().filter(|number| *number > 0).map(Duration::from_millis)
}
