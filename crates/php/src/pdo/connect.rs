//! Connecting: what a data source's name and the driver's options say.

use super::PARAM_STR_NATL;
use super::attribute as at;
use super::database::Database;
use super::failure::{self, Told};
use crate::session::connecting::{
    CLIENT_COMPRESS, CLIENT_FOUND_ROWS, CLIENT_IGNORE_SPACE, CLIENT_MULTI_STATEMENTS, Defaults,
    Target, leading_digits,
};
use crate::session::options::{load_server_public_key, seconds};
use crate::session::tls::{
    Asked, CLIENT_SSL_DONT_VERIFY_SERVER_CERT, CLIENT_SSL_VERIFY_SERVER_CERT, TlsFiles,
};
use crate::session::{Session, local_infile, tls};
use crate::statistics::Key;
use crate::zend::error::is_pending;
use crate::zend::ini;
use crate::zend::pdo::{Handle, Options};
use crate::zend::string::Str;
use vaquita_client::{Charset, codes};

/// How long connecting may take where the script gives options, but not this one, in seconds.
const DEFAULT_TIMEOUT: i64 = 30;

/// What the data source's name says, in the order of [`NAMES`].
const NAMES: [&core::ffi::CStr; 7] =
    [c"charset", c"dbname", c"host", c"port", c"unix_socket", c"user", c"password"];

/// Connects; false: the reason was thrown.
pub(super) fn connect(database: &Database, handle: Handle<'_>, options: Options<'_>) -> bool {
    let session: &Session = &database.session;
    let flags = take_options(database, handle, options);
    let source = handle.data_source(NAMES);
    let connected = open(session, handle, source, flags);
    for value in source.into_iter().flatten() {
        value.release();
    }
    let is_connected = connected && !is_pending();
    if is_connected {
        local_infile::allow(session);
        if !handle.autocommits() {
            database.autocommit(handle);
        }
        if handle.is_persistent() {
            // As stock counts a new one, too.
            session.count(Key::connection_reused, 1);
            session.count(Key::pconnect_success, 1);
            session.count(Key::active_persistent_connections, 1);
        }
        return true;
    }
    // Of what stock warns on the way PDO makes exceptions.
    let _ = session.error.warn();
    database.fail(handle);
    if let Some(Told { number, sqlstate, text }) = failure::told(&database.error) {
        handle.throw(number, sqlstate, text);
        text.release();
    }
    false
}

/// Takes over the options; gives back the connection's flags.
fn take_options(database: &Database, handle: Handle<'_>, options: Options<'_>) -> i64 {
    let session: &Session = &database.session;
    let on = |attribute, default: bool| options.long(attribute).map_or(default, |it| it != 0);
    let stringifies = on(at::STRINGIFY_FETCHES, handle.stringifies());
    session.set_native(!stringifies);
    let mut flags = if on(at::MULTI_STATEMENTS, true) { CLIENT_MULTI_STATEMENTS } else { 0 };
    if !options.are_given() {
        return flags;
    }
    database.settings.is_buffered.set(on(at::USE_BUFFERED_QUERY, true));
    database.settings.emulates_prepares.set(on(at::EMULATE_PREPARES, on(at::DIRECT_QUERY, true)));
    database
        .settings
        .is_national
        .set(options.long(at::DEFAULT_STR_PARAM) == Some(PARAM_STR_NATL.into()));
    database.settings.local_infile.set(on(at::LOCAL_INFILE, false));
    for (attribute, flag) in [
        (at::FOUND_ROWS, CLIENT_FOUND_ROWS),
        (at::IGNORE_SPACE, CLIENT_IGNORE_SPACE),
        (at::COMPRESS, CLIENT_COMPRESS),
    ] {
        if on(attribute, false) {
            flags |= flag;
        }
    }
    match options.long(at::SSL_VERIFY_SERVER_CERT) {
        None | Some(-1) => {}
        Some(0) => flags |= CLIENT_SSL_DONT_VERIFY_SERVER_CERT,
        Some(_) => flags |= CLIENT_SSL_VERIFY_SERVER_CERT,
    }
    let timeout = seconds(options.long(at::TIMEOUT).unwrap_or(DEFAULT_TIMEOUT));
    let _ = session.options.with(|it| it.connect_timeout = timeout);
    let directory = options.string(at::LOCAL_INFILE_DIRECTORY);
    local_infile::set(session, database.settings.local_infile.get(), directory);
    let init_command = options.string(at::INIT_COMMAND);
    let key = options.string(at::SERVER_PUBLIC_KEY);
    let files = [at::SSL_KEY, at::SSL_CERT, at::SSL_CA, at::SSL_CAPATH, at::SSL_CIPHER]
        .map(|attribute| options.string(attribute));
    let text = |string: Option<Str>| string.map(|string| string.as_c_str().to_bytes());
    let _ = session.options.with(|it| {
        it.init_commands.extend(text(init_command).map(<[u8]>::to_vec));
        it.server_public_key_path = text(key).unwrap_or_default().to_vec();
        let [key, certificate, ca_file, ca_directories, ciphers] = files.map(text);
        it.tls = Asked::of(&TlsFiles { key, certificate, ca_file, ca_directories, ciphers });
    });
    for string in files.into_iter().chain([directory, init_command, key]).flatten() {
        string.release();
    }
    flags
}

/// Connects the session.
fn open(session: &Session, handle: Handle<'_>, source: [Option<Str>; 7], flags: i64) -> bool {
    let [charset, database, host, port, socket, user, password] = source;
    if let Some(name) = charset {
        let charset = Charset::by_name(name.bytes());
        if charset.is_none() {
            let message = b"Unknown character set".to_vec();
            session.error.set(codes::CANT_FIND_CHARSET, *b"HY000", message);
            return false;
        }
        let _ = session.options.with(|options| options.charset = charset);
    }
    // A warning would be an exception here, also where no key is needed in the end.
    load_server_public_key(session, false);
    if is_pending() || !tls::may_read_files(session) {
        return false;
    }
    let bytes = |value: Option<Str>| value.map(Str::bytes);
    // Asked of strings, not of bytes: there LLVM compares a length that may not be set, which is harmless, but valgrind reports it.
    let given = |value: Option<Str>| bytes(value.filter(|value| !value.bytes().is_empty()));
    let target = Target {
        host: Some(given(host).unwrap_or(b"localhost")),
        user: handle.user().or(bytes(user)),
        password: handle.password().or(bytes(password)),
        database: bytes(database),
        port: bytes(port).map(leading_number).filter(|port| *port != 0),
        socket: given(socket).or_else(|| ini::string(c"pdo_mysql.default_socket")),
    };
    // No user code runs from here on: settings stay as they are.
    let defaults = Defaults::read();
    let options = session.options.peek(|asked| target.options(&defaults, asked, flags));
    options.is_ok_and(|mut options| {
        options.is_persistent = handle.is_persistent();
        session.connect(&options).is_ok()
    })
}

/// The number that a text begins with, as C reads it; 0 if there is none.
fn leading_number(text: &[u8]) -> i64 {
    let text = text.trim_ascii_start();
    let (sign, digits) = match text {
        [b'-', rest @ ..] => (-1, rest),
        [b'+', rest @ ..] => (1, rest),
        _ => (1, text),
    };
    sign * leading_digits(digits)
}
