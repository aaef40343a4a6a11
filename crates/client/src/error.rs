//! The one error of the driver, by who is at fault.

use std::borrow::Cow;
use std::path::PathBuf;
use std::{fmt, io};

use vaquita_protocol::{ErrPacket, Malformed};

/// The documented numbers of client errors.
///
/// <https://dev.mysql.com/doc/mysql-errors/8.0/en/client-error-reference.html>
pub mod codes {
    /// ER_UNKNOWN_COM_ERROR, a server's: it does not know the command.
    pub const UNKNOWN_COMMAND: u16 = 1047;
    /// ER_UNKNOWN_STMT_HANDLER, a server's: it has no such statement.
    pub const UNKNOWN_STATEMENT: u16 = 1243;
    /// ER_MAX_PREPARED_STMT_COUNT_REACHED, a server's.
    pub const TOO_MANY_STATEMENTS: u16 = 1461;
    /// ER_NEED_REPREPARE, a server's: the tables of a statement have changed too often while it was about to run.
    pub const NEED_REPREPARE: u16 = 1615;
    /// CR_OUT_OF_MEMORY.
    pub const OUT_OF_MEMORY: u16 = 2008;
    /// CR_UNKNOWN_ERROR.
    pub const UNKNOWN_ERROR: u16 = 2000;
    /// CR_CONNECTION_ERROR: no connection could be made.
    pub const CONNECTION_ERROR: u16 = 2002;
    /// CR_SERVER_GONE_ERROR: the connection is gone.
    pub const SERVER_GONE_ERROR: u16 = 2006;
    /// CR_SERVER_LOST: the connection was given up in mid-query.
    pub const SERVER_LOST: u16 = 2013;
    /// CR_COMMANDS_OUT_OF_SYNC.
    pub const COMMANDS_OUT_OF_SYNC: u16 = 2014;
    /// CR_CANT_FIND_CHARSET.
    pub const CANT_FIND_CHARSET: u16 = 2019;
    /// CR_NET_PACKET_TOO_LARGE.
    pub const NET_PACKET_TOO_LARGE: u16 = 2020;
    /// CR_SSL_CONNECTION_ERROR.
    pub const SSL_CONNECTION_ERROR: u16 = 2026;
    /// CR_MALFORMED_PACKET.
    pub const MALFORMED_PACKET: u16 = 2027;
    /// CR_PARAMS_NOT_BOUND.
    pub const PARAMS_NOT_BOUND: u16 = 2031;
    /// CR_NOT_IMPLEMENTED.
    pub const NOT_IMPLEMENTED: u16 = 2054;
    /// CR_AUTH_PLUGIN_ERR.
    pub const AUTH_PLUGIN_ERR: u16 = 2061;
    /// CR_LOAD_DATA_LOCAL_INFILE_REJECTED.
    pub const LOAD_DATA_LOCAL_INFILE_REJECTED: u16 = 2068;
}

/// The SQLSTATE of errors that have none of their own.
const GENERAL_ERROR: [u8; 5] = *b"HY000";

/// Why a call failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The network, or the system under it.
    Io {
        /// [`codes::CONNECTION_ERROR`] before there was a connection, then [`codes::SERVER_GONE_ERROR`]; [`codes::SERVER_LOST`] of a command
        /// of a pipeline that was sent and has no reply.
        code: u16,
        /// What the system said.
        error: io::Error,
        /// Whether no byte of the command went out, so that it may be sent again on another connection.
        nothing_sent: bool,
    },
    /// There are so many connections to the server already, as many as may be ([`crate::HostLimit`]).
    TooManyLinks(usize),
    /// The connections to the server can't be counted, and are not to be made uncounted: why not.
    LinksUncounted(io::Error),
    /// TLS could not be set up: why.
    Tls(String),
    /// The file of CAs that TLS was to be set up with can't be used.
    CaFile {
        /// The file.
        path: PathBuf,
        /// Why; [`io::ErrorKind::InvalidData`]: there is no certificate in it.
        error: io::Error,
    },
    /// The server refused.
    Server {
        /// The server's error number.
        code: u16,
        /// The SQLSTATE.
        sqlstate: [u8; 5],
        /// The server's text, in the connection's character set.
        message: Vec<u8>,
    },
    /// The server sent what the protocol does not know.
    Malformed(Malformed),
    /// The log-in failed: the server refused it, or its way of authentication is not possible here.
    Auth {
        /// The server's error number, or a client's.
        code: u16,
        /// The SQLSTATE.
        sqlstate: [u8; 5],
        /// The server's text, or why it is not possible.
        message: Vec<u8>,
    },
    /// A query took too long and could not be stopped, so the connection was given up.
    QueryNotStopped {
        /// The query timeout.
        milliseconds: u128,
        /// Why it could not be stopped.
        reason: String,
    },
    /// A packet is longer than the protocol's limit.
    TooLarge,
    /// Whoever lends the memory of results ([`crate::Memory`]) has no more of it.
    OutOfMemory {
        /// How much was asked for in the end.
        bytes: usize,
    },
    /// A stored result has more bytes than whoever lends its memory lets one have ([`crate::Memory::result_limit`]).
    ResultTooLarge {
        /// How many it may have.
        limit: usize,
    },
    /// The call does not fit what the connection is in the middle of.
    OutOfSync,
    /// A prepared statement was to run with more or fewer parameters than it has.
    Parameters {
        /// How many it has.
        expected: u16,
        /// How many there were.
        given: usize,
    },
    /// The server lacks what this driver cannot do without.
    Unsupported(&'static str),
    /// The server asked for a file; it got none.
    LocalInfileRefused(LocalInfileRefusal),
    /// A file that the server asked for could not be read to its end.
    LocalInfileRead(io::Error),
}

/// Why a server got no file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocalInfileRefusal {
    /// Nobody allowed it ([`crate::Connection::allow_local_infile`]).
    Forbidden,
    /// The query that it answers does not name this file, or not as the next one.
    NotNamed,
    /// The query was part of a pipeline.
    Pipelined,
}

impl Error {
    /// No connection could be made.
    pub(crate) fn connect(error: io::Error) -> Self {
        Error::Io { code: codes::CONNECTION_ERROR, error, nothing_sent: true }
    }

    /// A read or write failed; whether nothing of a command was sent.
    pub fn lost(error: io::Error, nothing_sent: bool) -> Self {
        Error::Io { code: codes::SERVER_GONE_ERROR, error, nothing_sent }
    }

    /// Whether this only says that nothing has come yet, where reading does not wait.
    pub(crate) fn is_not_here_yet(&self) -> bool {
        matches!(self, Error::Io { error, .. } if error.kind() == io::ErrorKind::WouldBlock)
    }

    /// A call on a connection that is gone.
    pub(crate) fn gone() -> Self {
        Error::lost(io::ErrorKind::NotConnected.into(), true)
    }

    /// Of a command that was sent, of which nobody knows whether it was run.
    pub(crate) fn unanswered() -> Self {
        let error = io::ErrorKind::ConnectionAborted.into();
        Error::Io { code: codes::SERVER_LOST, error, nothing_sent: false }
    }

    /// The failure of one write of several: nothing was sent only if nothing was sent before it either.
    pub(crate) fn after_partial_write(self, nothing_sent_before: bool) -> Self {
        match self {
            Error::Io { code, error, nothing_sent } => {
                Error::Io { code, error, nothing_sent: nothing_sent && nothing_sent_before }
            }
            other => other,
        }
    }

    /// The refusal in an ERR packet.
    pub(crate) fn server(packet: &ErrPacket<'_>) -> Self {
        Error::Server {
            code: packet.code,
            sqlstate: packet.sqlstate.unwrap_or(GENERAL_ERROR),
            message: packet.message.to_vec(),
        }
    }

    /// The refusal of a log-in in an ERR packet.
    pub(crate) fn log_in_refused(packet: &ErrPacket<'_>) -> Self {
        Error::Auth {
            code: packet.code,
            sqlstate: packet.sqlstate.unwrap_or(GENERAL_ERROR),
            message: packet.message.to_vec(),
        }
    }

    /// A log-in that is not possible here.
    pub(crate) fn log_in_impossible(code: u16, reason: &str) -> Self {
        Error::Auth { code, sqlstate: GENERAL_ERROR, message: reason.as_bytes().to_vec() }
    }

    /// The error number: the server's own, or a documented one of clients.
    pub fn code(&self) -> u16 {
        match self {
            Error::Io { code, .. } | Error::Server { code, .. } | Error::Auth { code, .. } => *code,
            Error::Tls(_) | Error::CaFile { .. } => codes::SSL_CONNECTION_ERROR,
            Error::TooManyLinks(_) | Error::LinksUncounted(_) => codes::CONNECTION_ERROR,
            Error::Malformed(_) => codes::MALFORMED_PACKET,
            Error::QueryNotStopped { .. } => codes::SERVER_LOST,
            Error::TooLarge => codes::NET_PACKET_TOO_LARGE,
            Error::OutOfMemory { .. } | Error::ResultTooLarge { .. } => codes::OUT_OF_MEMORY,
            Error::OutOfSync => codes::COMMANDS_OUT_OF_SYNC,
            Error::Parameters { .. } => codes::PARAMS_NOT_BOUND,
            Error::Unsupported(_) => codes::NOT_IMPLEMENTED,
            Error::LocalInfileRead(_) => codes::UNKNOWN_ERROR,
            Error::LocalInfileRefused(_) => codes::LOAD_DATA_LOCAL_INFILE_REJECTED,
        }
    }

    /// What the server said when it gave the connection up, if that is why it is gone: to an idle client, for example, MySQL
    /// since 8.0.24 says ER_CLIENT_INTERACTION_TIMEOUT (4031).
    pub fn goodbye(&self) -> Option<&Goodbye> {
        match self {
            Error::Io { error, .. } => error.get_ref()?.downcast_ref(),
            _ => None,
        }
    }

    /// The SQLSTATE: five letters or digits.
    pub fn sqlstate(&self) -> [u8; 5] {
        match self {
            Error::Server { sqlstate, .. } | Error::Auth { sqlstate, .. } => *sqlstate,
            _ => GENERAL_ERROR,
        }
    }

    /// The text for users: the server's own bytes, or what the number stands for.
    pub fn message(&self) -> Cow<'_, [u8]> {
        let text: Cow<'_, str> = match self {
            Error::Server { message, .. } | Error::Auth { message, .. } => {
                return Cow::Borrowed(message);
            }
            Error::Io { code: codes::CONNECTION_ERROR, error, .. } => system_text(error).into(),
            Error::Io { code: codes::SERVER_LOST, .. } => {
                "Lost connection to MySQL server during query".into()
            }
            Error::Io { .. } => "MySQL server has gone away".into(),
            Error::TooManyLinks(open) => format!("Too many open links ({open})").into(),
            Error::LinksUncounted(error) => {
                format!("The links to the server can't be counted: {}", system_text(error)).into()
            }
            Error::Tls(reason) => format!("SSL connection error: {reason}").into(),
            Error::CaFile { path, error } => {
                let (path, reason) = (path.display(), system_text(error));
                format!("SSL connection error: the CA file {path} can't be used: {reason}").into()
            }
            Error::Malformed(malformed) => malformed.to_string().into(),
            Error::QueryNotStopped { milliseconds, reason } => format!(
                "Lost connection to MySQL server during query: it took longer than the query timeout of {milliseconds} ms \
                 and could not be stopped: {reason}"
            )
            .into(),
            Error::TooLarge => "Got packet bigger than the limit of 1 GiB".into(),
            Error::OutOfMemory { bytes } => format!(
                "MySQL client ran out of memory: the result is larger than the memory that it may take (tried to allocate {bytes} \
                 bytes more); the connection was closed"
            )
            .into(),
            Error::ResultTooLarge { limit } => format!(
                "MySQL client ran out of memory: the result is larger than the {limit} bytes that one may have; the connection was closed"
            )
            .into(),
            Error::OutOfSync => "Commands out of sync; you can't run this command now".into(),
            Error::Parameters { expected, given } => {
                format!("the statement has {expected} parameters, {given} were given").into()
            }
            Error::Unsupported(message) => (*message).into(),
            Error::LocalInfileRefused(LocalInfileRefusal::Forbidden) => {
                "LOAD DATA LOCAL INFILE is forbidden".into()
            }
            Error::LocalInfileRefused(LocalInfileRefusal::NotNamed) => {
                "LOAD DATA LOCAL INFILE is forbidden: the statement does not name the file that the server asked for".into()
            }
            Error::LocalInfileRefused(LocalInfileRefusal::Pipelined) => {
                "LOAD DATA LOCAL INFILE is forbidden in a pipeline".into()
            }
            Error::LocalInfileRead(error) => format!("Error reading file: {}", system_text(error)).into(),
        };
        match text {
            Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
            Cow::Owned(text) => Cow::Owned(text.into_bytes()),
        }
    }

    /// Whether no byte of the command went out, so that it may be sent again on another connection.
    pub fn nothing_sent(&self) -> bool {
        match self {
            Error::Io { nothing_sent, .. } => *nothing_sent,
            Error::OutOfSync | Error::Parameters { .. } => true,
            _ => false,
        }
    }

    /// Whether this is the server's own no. Errors of clients have the numbers from 2000 to 2999.
    pub(crate) fn is_refusal(&self) -> bool {
        matches!(self, Error::Auth { code, .. } if !(2000..3000).contains(code))
    }

    /// Whether the connection can no longer be used after this error.
    pub(crate) fn breaks_connection(&self) -> bool {
        match self {
            Error::Server { .. }
            | Error::OutOfSync
            | Error::Parameters { .. }
            | Error::LocalInfileRefused(_) => false,
            Error::Io { .. }
            | Error::TooManyLinks(_)
            | Error::LinksUncounted(_)
            | Error::Tls(_)
            | Error::CaFile { .. }
            | Error::Malformed(_)
            | Error::Auth { .. }
            | Error::QueryNotStopped { .. }
            | Error::TooLarge
            | Error::OutOfMemory { .. }
            | Error::ResultTooLarge { .. }
            | Error::LocalInfileRead(_)
            | Error::Unsupported(_) => true,
        }
    }
}

/// The last words of a server that closes a connection out of turn: an ERR packet that answers nothing.
#[derive(Clone, Debug)]
pub struct Goodbye {
    /// The server's error number.
    pub code: u16,
    /// The SQLSTATE.
    pub sqlstate: [u8; 5],
    /// The server's text.
    pub message: Vec<u8>,
}

impl Goodbye {
    pub(crate) fn new(packet: &ErrPacket<'_>) -> Goodbye {
        Goodbye {
            code: packet.code,
            sqlstate: packet.sqlstate.unwrap_or(GENERAL_ERROR),
            message: packet.message.to_vec(),
        }
    }
}

impl fmt::Display for Goodbye {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(&self.message))
    }
}

impl std::error::Error for Goodbye {}

/// The system's words alone, without Rust's ` (os error 111)`.
pub(crate) fn system_text(error: &io::Error) -> String {
    let text = error.to_string();
    match text.rfind(" (os error ") {
        Some(end) if error.raw_os_error().is_some() => text.get(..end).unwrap_or(&text).to_owned(),
        _ => text,
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sqlstate = self.sqlstate();
        let sqlstate = String::from_utf8_lossy(&sqlstate);
        write!(f, "{} ({sqlstate}): {}", self.code(), String::from_utf8_lossy(&self.message()))
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Io { error, .. }
            | Error::LinksUncounted(error)
            | Error::CaFile { error, .. }
            | Error::LocalInfileRead(error) => Some(error),
            Error::Malformed(malformed) => Some(malformed),
            _ => None,
        }
    }
}

impl From<Malformed> for Error {
    fn from(malformed: Malformed) -> Self {
        Error::Malformed(malformed)
    }
}
