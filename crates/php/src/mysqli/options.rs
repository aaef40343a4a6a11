//! `mysqli_options` and `mysqli_ssl_set`: what is set before connecting.

use super::link::Status;
use super::link::{Link, finish};
use crate::session::options::seconds;
use crate::session::tls::{Asked, TlsFiles};
use crate::session::{Session, local_infile};
use crate::zend::call::Call;
use crate::zend::error::{Outcome, Thrown};
use crate::zend::slot::{Kind, Value};
use crate::zend::version;
use vaquita_client::{Charset, codes};

/// The least `MYSQLI_OPT_NET_CMD_BUFFER_SIZE`, in bytes.
const NET_CMD_BUFFER_MIN_BYTES: u32 = 4096;
/// `mysqli_options`.
pub(crate) fn options(call: &mut Call<'_>) -> Outcome {
    let link = call.receiver::<Link>(2, 2)?;
    let option = call.long()?;
    let value = call.value().ok_or(Thrown)?;
    let session = Link::session(link, Status::Initialised)?;
    let set = match expects(option) {
        Kind::Long => set_number(session, option, value.to_long()),
        Kind::String => set_string(session, option, value)?,
        Kind::Array | Kind::Other => {
            call.returns().bool(false);
            return Ok(());
        }
    };
    finish(call, session, set)
}

/// The numbers of `mysqli_options`; those that the script has as constants are in the stub.
mod option {
    pub(super) const CONNECT_TIMEOUT: i64 = 0;
    pub(super) const COMPRESS: i64 = 1;
    pub(super) const NAMED_PIPE: i64 = 2;
    pub(super) const INIT_COMMAND: i64 = 3;
    pub(super) const READ_DEFAULT_FILE: i64 = 4;
    pub(super) const READ_DEFAULT_GROUP: i64 = 5;
    pub(super) const SET_CHARSET_DIR: i64 = 6;
    pub(super) const SET_CHARSET_NAME: i64 = 7;
    pub(super) const LOCAL_INFILE: i64 = 8;
    pub(super) const PROTOCOL: i64 = 9;
    pub(super) const READ_TIMEOUT: i64 = 11;
    pub(super) const SSL_VERIFY_SERVER_CERT: i64 = 21;
    pub(super) const SERVER_PUBLIC_KEY: i64 = 35;
    pub(super) const CAN_HANDLE_EXPIRED_PASSWORDS: i64 = 37;
    pub(super) const LOAD_DATA_LOCAL_DIR: i64 = 43;
    pub(super) const INT_AND_FLOAT_NATIVE: i64 = 201;
    pub(super) const NET_CMD_BUFFER_SIZE: i64 = 202;
    pub(super) const NET_READ_BUFFER_SIZE: i64 = 203;
}

/// What kind of value an option takes; `Other`: there is no such option.
fn expects(number: i64) -> Kind {
    match number {
        // As in stock: PHP 8.4 found out that it knows three of them, and forgot the last one.
        option::COMPRESS | option::PROTOCOL | option::SSL_VERIFY_SERVER_CERT
            if version::is_at_least(804) =>
        {
            Kind::Long
        }
        option::SET_CHARSET_DIR if version::is_at_least(804) => Kind::Other,
        option::CONNECT_TIMEOUT
        | option::NAMED_PIPE
        | option::LOCAL_INFILE
        | option::READ_TIMEOUT
        | option::CAN_HANDLE_EXPIRED_PASSWORDS
        | option::INT_AND_FLOAT_NATIVE
        | option::NET_CMD_BUFFER_SIZE
        | option::NET_READ_BUFFER_SIZE => Kind::Long,
        option::INIT_COMMAND
        | option::READ_DEFAULT_FILE
        | option::READ_DEFAULT_GROUP
        | option::SET_CHARSET_DIR
        | option::SET_CHARSET_NAME
        | option::SERVER_PUBLIC_KEY
        | option::LOAD_DATA_LOCAL_DIR => Kind::String,
        _ => Kind::Other,
    }
}

fn set_number(session: &Session, number: i64, value: i64) -> bool {
    let mut is_taken = true;
    let set = session.options.with(|options| match number {
        option::CONNECT_TIMEOUT => options.connect_timeout = seconds(value),
        option::READ_TIMEOUT => options.read_timeout = seconds(value),
        option::INT_AND_FLOAT_NATIVE => session.set_native(value != 0),
        option::CAN_HANDLE_EXPIRED_PASSWORDS => {
            options.can_handle_expired_passwords = value != 0;
        }
        option::LOCAL_INFILE => options.local_infile = value & 0xFFFF_FFFF != 0,
        option::NET_CMD_BUFFER_SIZE => {
            is_taken = u32::try_from(value & 0xFFFF_FFFF)
                .is_ok_and(|size| size >= NET_CMD_BUFFER_MIN_BYTES);
        }
        // Taken as stock takes them; the driver sizes its buffers itself, and what concerns TLS has
        // no effect yet.
        _ => {}
    });
    local_infile::allow(session);
    set.is_ok() && is_taken
}

/// Sets an option that is a string; `Err`: the value could not be made one.
fn set_string(session: &Session, number: i64, value: Value<'_>) -> Outcome<bool> {
    let text = value.to_str().ok_or(Thrown)?;
    let set = match number {
        option::INIT_COMMAND => session
            .options
            .with(|options| options.init_commands.push(text.bytes().to_vec()))
            .is_ok(),
        option::SET_CHARSET_NAME => {
            let charset = Charset::by_name(text.bytes());
            if charset.is_none() {
                session.error.set(
                    codes::CANT_FIND_CHARSET,
                    *b"HY000",
                    b"Unknown character set".to_vec(),
                );
            }
            charset.is_some() && session.options.with(|options| options.charset = charset).is_ok()
        }
        option::SET_CHARSET_DIR => false,
        option::LOAD_DATA_LOCAL_DIR => {
            let directory = text.bytes();
            let set =
                session.options.with(|options| options.local_infile_directory = directory.to_vec());
            local_infile::allow(session);
            set.is_ok()
        }
        option::SERVER_PUBLIC_KEY => {
            let path = text.bytes();
            session.options.with(|options| options.server_public_key_path = path.to_vec()).is_ok()
        }
        _ => true,
    };
    text.release();
    Ok(set)
}

/// `mysqli_ssl_set`.
pub(crate) fn ssl_set(call: &mut Call<'_>) -> Outcome {
    let link = call.receiver::<Link>(5, 5)?;
    let mut named = || Ok(call.optional_bytes()?.filter(|value| !value.is_empty()));
    let files = TlsFiles {
        key: named()?,
        certificate: named()?,
        ca_file: named()?,
        ca_directories: named()?,
        ciphers: named()?,
    };
    let session = Link::session(link, Status::Initialised)?;
    let _ = session.options.with(|options| options.tls = Asked::of(&files));
    call.returns().bool(true);
    Ok(())
}
