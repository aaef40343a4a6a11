//! The one error of a key-value port, by who is at fault.

use std::fmt;
use std::io::ErrorKind;

/// Why a call failed. After any but [`Error::Unfit`] the connection is of no use any more: whatever else was asked for may or may not
/// have been done.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The port can't be reached, was lost, or took too long.
    Lost(vaquita_client::Error),
    /// What came is none of the protocol: what of it.
    Malformed(&'static str),
    /// The port understood, and did not do it: what it said.
    Refused(Box<[u8]>),
    /// The protocol can't carry what was asked for; nothing was sent.
    Unfit(Unfit),
    /// A request was made while replies to others are due, or a reply was read that nobody asked for.
    OutOfSync,
}

/// What a protocol can't carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// A key without a byte.
    EmptyKey,
    /// A key of more bytes than there may be: how many there are.
    LongKey(usize),
    /// A key with a blank or a control character: where the first one stands.
    KeyByte(usize),
    /// A key that the port would take for something else than a key.
    KeyPrefix,
    /// A value larger than any port takes: how many bytes it has.
    LargeValue(usize),
    /// A column whose name has a comma.
    ColumnName,
}

impl Error {
    /// Whether the port has only gone, and may be back.
    pub(crate) fn is_end(&self) -> bool {
        let is_late = |kind| matches!(kind, ErrorKind::TimedOut | ErrorKind::WouldBlock);
        matches!(self, Error::Lost(vaquita_client::Error::Io { error, .. }) if !is_late(error.kind()))
    }
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unfit::EmptyKey => f.write_str("the key is empty"),
            Unfit::LongKey(bytes) => write!(f, "the key has {bytes} bytes"),
            Unfit::KeyByte(at) => {
                write!(f, "the key has a blank or a control character at byte {at}")
            }
            Unfit::KeyPrefix => f.write_str("the key begins as a command of the port's"),
            Unfit::LargeValue(bytes) => write!(f, "the value has {bytes} bytes"),
            Unfit::ColumnName => f.write_str("the name of a column has a comma"),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Lost(error) => write!(f, "key-value port: {error}"),
            Error::Malformed(what) => write!(f, "key-value port: malformed reply: {what}"),
            Error::Refused(said) => {
                write!(
                    f,
                    "key-value port: refused: {}",
                    String::from_utf8_lossy(said).escape_debug()
                )
            }
            Error::Unfit(unfit) => write!(f, "key-value port: not sent: {unfit}"),
            Error::OutOfSync => f.write_str("key-value port: replies are due, or none is"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Lost(error) => Some(error),
            _ => None,
        }
    }
}

impl From<Unfit> for Error {
    fn from(unfit: Unfit) -> Error {
        Error::Unfit(unfit)
    }
}
