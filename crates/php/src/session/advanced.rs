//! What going on to the next row of a result came to.

use crate::zend::error::warning;
use vaquita_client::{Malformed, TextRow, binary_row};

/// What going on to the next row came to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Advanced {
    /// There is one.
    Row,
    /// There is one that can't be read; what is wrong with it.
    Spoilt(Malformed),
    /// There is none any more.
    End,
    /// The connection that they come from is gone, and the rest with it.
    Gone,
}

impl Advanced {
    /// To a row, and what is wrong with it.
    #[inline]
    pub(crate) fn to_row(spoilt: Option<Malformed>) -> Advanced {
        spoilt.map_or(Advanced::Row, Advanced::Spoilt)
    }
}

/// Warns of a row that can't be read, in stock's words.
pub(crate) fn warn_of(malformed: Malformed) {
    let what: &[u8] = match malformed.field {
        binary_row::NO_VALUE => b"No packet space left for the field",
        _ if malformed.packet == TextRow::NAME => b"Field length pointing after end of packet",
        _ => b"Field length pointing after the end of packet",
    };
    warning(&[b"Malformed server packet. ", what]);
}
