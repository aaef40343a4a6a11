//! The attributes of a connection: their numbers, and how they are set and read.

use super::database::Database;
use super::{PARAM_STR_CHAR, PARAM_STR_NATL};
use crate::mysqlnd::Mysqlnd;
use crate::session::tls;
use crate::zend::module::Module;
use crate::zend::pdo::{Attribute, Handle, to_bool, to_long};
use crate::zend::slot::{Slot, Value};
use crate::zend::string::Str;
use crate::zend::version;
use core::ffi::CStr;
use vaquita_client::{Verify, codes};

// PDO's own.
const AUTOCOMMIT: i64 = 0;
pub(super) const TIMEOUT: i64 = 2;
const SERVER_VERSION: i64 = 4;
const CLIENT_VERSION: i64 = 5;
const SERVER_INFO: i64 = 6;
const CONNECTION_STATUS: i64 = 7;
const FETCH_TABLE_NAMES: i64 = 14;
pub(super) const STRINGIFY_FETCHES: i64 = 17;
pub(super) const EMULATE_PREPARES: i64 = 20;
pub(super) const DEFAULT_STR_PARAM: i64 = 21;

// The driver's.
pub(super) const USE_BUFFERED_QUERY: i64 = 1000;
pub(super) const LOCAL_INFILE: i64 = 1001;
pub(super) const INIT_COMMAND: i64 = 1002;
pub(super) const COMPRESS: i64 = 1003;
pub(super) const DIRECT_QUERY: i64 = 1004;
pub(super) const FOUND_ROWS: i64 = 1005;
pub(super) const IGNORE_SPACE: i64 = 1006;
pub(super) const SSL_KEY: i64 = 1007;
pub(super) const SSL_CERT: i64 = 1008;
pub(super) const SSL_CA: i64 = 1009;
pub(super) const SSL_CAPATH: i64 = 1010;
pub(super) const SSL_CIPHER: i64 = 1011;
pub(super) const SERVER_PUBLIC_KEY: i64 = 1012;
pub(super) const MULTI_STATEMENTS: i64 = 1013;
pub(super) const SSL_VERIFY_SERVER_CERT: i64 = 1014;
pub(super) const LOCAL_INFILE_DIRECTORY: i64 = 1015;

/// What the class PDO has of them.
pub(super) const CONSTANTS: &[(&CStr, i64)] = &[
    (c"MYSQL_ATTR_USE_BUFFERED_QUERY", USE_BUFFERED_QUERY),
    (c"MYSQL_ATTR_LOCAL_INFILE", LOCAL_INFILE),
    (c"MYSQL_ATTR_INIT_COMMAND", INIT_COMMAND),
    (c"MYSQL_ATTR_COMPRESS", COMPRESS),
    (c"MYSQL_ATTR_DIRECT_QUERY", DIRECT_QUERY),
    (c"MYSQL_ATTR_FOUND_ROWS", FOUND_ROWS),
    (c"MYSQL_ATTR_IGNORE_SPACE", IGNORE_SPACE),
    (c"MYSQL_ATTR_SSL_KEY", SSL_KEY),
    (c"MYSQL_ATTR_SSL_CERT", SSL_CERT),
    (c"MYSQL_ATTR_SSL_CA", SSL_CA),
    (c"MYSQL_ATTR_SSL_CAPATH", SSL_CAPATH),
    (c"MYSQL_ATTR_SSL_CIPHER", SSL_CIPHER),
    (c"MYSQL_ATTR_SERVER_PUBLIC_KEY", SERVER_PUBLIC_KEY),
    (c"MYSQL_ATTR_MULTI_STATEMENTS", MULTI_STATEMENTS),
    (c"MYSQL_ATTR_SSL_VERIFY_SERVER_CERT", SSL_VERIFY_SERVER_CERT),
    (c"MYSQL_ATTR_LOCAL_INFILE_DIRECTORY", LOCAL_INFILE_DIRECTORY),
];

/// Why a persistent connection is refused.
const LAXER: &[u8] = b"the persistent connection of this data source was made with less TLS than these options ask for; give it a name \
    of its own as the value of PDO::ATTR_PERSISTENT";

/// Sets an attribute; false: it can't be.
pub(super) fn set(database: &Database, handle: Handle<'_>, number: i64, value: Value<'_>) -> bool {
    match number {
        DEFAULT_STR_PARAM => {
            let Some(kind) = to_long(value) else { return false };
            database.settings.is_national.set(kind == i64::from(PARAM_STR_NATL));
            return true;
        }
        SSL_KEY | SSL_CERT | SSL_CA | SSL_CAPATH | SSL_CIPHER => {
            return refuse_laxer(database, handle, Some(Verify::None));
        }
        SSL_VERIFY_SERVER_CERT if database.session.is_new() && value.to_long() != 0 => {
            return refuse_laxer(database, handle, Some(Verify::Identity));
        }
        AUTOCOMMIT | USE_BUFFERED_QUERY | DIRECT_QUERY | EMULATE_PREPARES | FETCH_TABLE_NAMES
        | STRINGIFY_FETCHES => {}
        _ => return false,
    }
    let Some(on) = to_bool(value) else { return false };
    match number {
        AUTOCOMMIT if on == handle.autocommits() && on == database.settings.autocommits.get() => {}
        AUTOCOMMIT => {
            handle.set_autocommits(on);
            return database.autocommit(handle);
        }
        USE_BUFFERED_QUERY => database.settings.is_buffered.set(on),
        FETCH_TABLE_NAMES => database.settings.names_tables.set(on),
        STRINGIFY_FETCHES => database.session.set_native(!on),
        _ => database.settings.emulates_prepares.set(on),
    }
    true
}

/// Throws if a script that gets a persistent connection asks for more than that was made with; otherwise it is too late for this.
fn refuse_laxer(database: &Database, handle: Handle<'_>, asked: Option<Verify>) -> bool {
    let session = &database.session;
    let is_at_least = session.look(|connection| tls::is_at_least(connection.tls(), asked));
    if session.is_new() && is_at_least == Some(false) {
        let text = Str::new(LAXER);
        handle.throw(codes::SSL_CONNECTION_ERROR, *b"HY000", text);
        text.release();
    }
    false
}

/// Writes an attribute.
pub(super) fn write(
    database: &Database,
    handle: Handle<'_>,
    number: i64,
    slot: Slot<'_>,
) -> Attribute {
    // Truth values are integers before PHP 8.4.
    let flag = |slot: Slot<'_>, on: bool| {
        if version::is_at_least(804) { slot.bool(on) } else { slot.long(on.into()) }
    };
    let session = &database.session;
    match number {
        CLIENT_VERSION => slot.bytes(Mysqlnd::version().to_bytes()),
        SERVER_VERSION => session.write_server_info(slot),
        CONNECTION_STATUS => session.write_host_info(slot),
        SERVER_INFO => match session.statistics() {
            Some(text) => slot.str(text),
            None => {
                database.fail(handle);
                return Attribute::Failed;
            }
        },
        AUTOCOMMIT => flag(slot, handle.autocommits()),
        DEFAULT_STR_PARAM => {
            let is_national = database.settings.is_national.get();
            slot.long(if is_national { PARAM_STR_NATL } else { PARAM_STR_CHAR }.into());
        }
        USE_BUFFERED_QUERY => flag(slot, database.settings.is_buffered.get()),
        EMULATE_PREPARES | DIRECT_QUERY => flag(slot, database.settings.emulates_prepares.get()),
        FETCH_TABLE_NAMES if version::is_at_least(804) => {
            flag(slot, database.settings.names_tables.get())
        }
        LOCAL_INFILE => slot.bool(database.settings.local_infile.get()),
        LOCAL_INFILE_DIRECTORY => {
            // The slot is written inside: a copy would have no owner while Zend allocates.
            let mut slot = Some(slot);
            let _ = session.options.peek(|options| match slot.take() {
                Some(slot) if options.local_infile_directory.is_empty() => slot.null(),
                Some(slot) => slot.bytes(&options.local_infile_directory),
                None => {}
            });
        }
        _ => return Attribute::Unknown,
    }
    Attribute::Known
}
