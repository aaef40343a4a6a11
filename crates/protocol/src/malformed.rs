//! The one error of this crate: bytes that are not the packet they should be.

use std::fmt;

/// A packet that does not have the shape its page of the documentation gives it.
///
/// It names the packet and the first field that did not fit, and holds nothing that a server sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// The packet's name in the protocol documentation.
    pub packet: &'static str,
    /// The first field that was missing, too long or of an impossible value.
    pub field: &'static str,
    /// How many bytes the field reaches beyond the packet's end, if it says how long it is; else 0.
    pub excess: u64,
}

impl Malformed {
    /// A field that does not fit.
    pub const fn new(packet: &'static str, field: &'static str) -> Self {
        Malformed { packet, field, excess: 0 }
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "malformed packet: {} of {}", self.field, self.packet)
    }
}

impl std::error::Error for Malformed {}
