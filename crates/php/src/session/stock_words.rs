//! Failures in stock's words, which scripts know: the texts of errors, and what stock warns of besides an error or in its place.

use std::borrow::Cow;
use std::io::ErrorKind;
use vaquita_client::{Address, Error, LocalInfileRefusal, Malformed, codes};

/// Names the settings that would allow it.
const LOCAL_INFILE_REFUSED: &[u8] =
    b"LOAD DATA LOCAL INFILE is forbidden, check related settings like \
    mysqli.allow_local_infile|mysqli.local_infile_directory or \
    PDO::MYSQL_ATTR_LOCAL_INFILE|PDO::MYSQL_ATTR_LOCAL_INFILE_DIRECTORY";

/// The text of a failure.
pub(crate) fn text(error: &Error) -> Cow<'_, [u8]> {
    match error {
        Error::LocalInfileRefused(LocalInfileRefusal::Forbidden) => LOCAL_INFILE_REFUSED.into(),
        Error::OutOfMemory { bytes } => format!(
            "MySQL client ran out of memory: the result is larger than memory_limit allows (tried to allocate {bytes} bytes), so the \
             connection was closed; raise memory_limit, ask for less at once, or have the rows unbuffered (MYSQLI_USE_RESULT, \
             PDO::MYSQL_ATTR_USE_BUFFERED_QUERY)"
        )
        .into_bytes()
        .into(),
        Error::ResultTooLarge { limit } => format!(
            "MySQL client ran out of memory: the result is larger than vaquita.max_result_bytes ({limit} bytes) allows, so the connection \
             was closed"
        )
        .into_bytes()
        .into(),
        _ => error.message(),
    }
}

/// The number and text of a failure to connect.
pub(crate) fn of_connecting(error: &Error, address: &Address) -> (u16, Vec<u8>) {
    match error {
        // Of files of CAs stock tells the reason in a warning; of all else here in OpenSSL's words, if at all.
        Error::CaFile { .. } => {
            (codes::CONNECTION_ERROR, b"Cannot connect to MySQL using SSL".to_vec())
        }
        Error::Tls(reason) => {
            let message = format!("Cannot connect to MySQL using SSL: {reason}");
            (codes::CONNECTION_ERROR, message.into_bytes())
        }
        Error::TooManyLinks(open) => {
            let message = format!(
                "Too many open links ({open}): this machine may have no more to one server (vaquita.host_max_links)"
            );
            (codes::CONNECTION_ERROR, message.into_bytes())
        }
        Error::LinksUncounted(error) => {
            let message = format!(
                "Links can't be counted, as vaquita.host_max_links asks: {error}. vaquita.run_dir must be a folder where this user may \
                 make files"
            );
            (codes::CONNECTION_ERROR, message.into_bytes())
        }
        Error::Malformed(malformed) if is_too_long_a_greeting(malformed) => {
            let address = match address {
                Address::Tcp { host, port } if host.contains(':') => {
                    format!("tcp://[{host}]:{port}")
                }
                Address::Tcp { host, port } => format!("tcp://{host}:{port}"),
                Address::Unix(path) => format!("unix://{}", path.display()),
            };
            let message = format!("Unknown error while trying to connect via {address}");
            (codes::CONNECTION_ERROR, message.into_bytes())
        }
        _ => {
            let text = error.message();
            // A name that has no address is reported by PHP's streams in stock, under their name.
            let is_name = text.starts_with(b"getaddrinfo for ");
            let prefix: &[u8] = if is_name { b"php_network_getaddresses: " } else { b"" };
            (error.code(), [prefix, &text].concat())
        }
    }
}

/// Whether a log-in was accepted by a text that does not fit into its packet.
fn is_too_long_a_greeting(malformed: &Malformed) -> bool {
    (malformed.packet, malformed.field) == ("OK_Packet", "info")
}

/// What stock warns of where a call fails.
#[derive(Clone, Default)]
pub(crate) struct Warnings {
    /// In turn.
    pub(crate) texts: Vec<String>,
    /// Whether they name the function that was called.
    pub(crate) name_function: bool,
    /// Whether stock leaves it at that: it has no error, so there is no exception either. Here the link keeps the error.
    pub(crate) replace_error: bool,
}

impl Warnings {
    /// What stock warns of when connecting.
    pub(crate) fn of_connecting(error: &Error) -> Warnings {
        match error {
            Error::CaFile { path, error } => {
                let what = match error.kind() {
                    ErrorKind::InvalidData => "no valid certs found",
                    _ => "failed loading",
                };
                let text = format!("{what} cafile stream: `{}'", path.display());
                Warnings { texts: vec![text], ..Warnings::default() }
            }
            Error::Malformed(malformed) if is_too_long_a_greeting(malformed) => {
                let text = "OK packet message length is past the packet size".to_owned();
                Warnings { texts: vec![text], name_function: true, replace_error: false }
            }
            _ => Warnings::default(),
        }
    }

    /// What stock warns of in answers to commands.
    pub(crate) fn of_answer(error: &Error) -> Warnings {
        let Error::Malformed(malformed) = error else { return Warnings::default() };
        let texts = match (malformed.packet, malformed.field, malformed.excess) {
            ("COM_QUERY Response", "info", excess @ 1..) => vec![
                format!("RSET_HEADER packet additional data length is past {excess} bytes the packet size"),
                "Error reading result set's header".to_owned(),
            ],
            // The place is that in PHP 8.2.
            ("ColumnDefinition41", "default value", _) => vec![
                "Protocol error. Server sent default for unsupported field list (mysqlnd_wireprotocol.c:1305)".to_owned(),
            ],
            _ => return Warnings::default(),
        };
        Warnings { texts, name_function: true, replace_error: true }
    }
}
