//! Status flags: what a server says about the session with each OK and EOF packet.

use std::fmt;

/// A set of status flags.
///
/// <https://dev.mysql.com/doc/dev/mysql-server/latest/mysql__com_8h.html#a1d854e841086925be1883e4d7b4e8cad>
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct StatusFlags(u16);

impl StatusFlags {
    /// A transaction is open.
    pub const IN_TRANS: Self = Self(1);
    /// Each statement is committed by itself.
    pub const AUTOCOMMIT: Self = Self(1 << 1);
    /// Another result follows this one.
    pub const MORE_RESULTS_EXISTS: Self = Self(1 << 3);
    /// The query found no good index.
    pub const NO_GOOD_INDEX_USED: Self = Self(1 << 4);
    /// The query used no index.
    pub const NO_INDEX_USED: Self = Self(1 << 5);
    /// A cursor was opened.
    pub const CURSOR_EXISTS: Self = Self(1 << 6);
    /// The cursor's last row was sent.
    pub const LAST_ROW_SENT: Self = Self(1 << 7);
    /// A database was dropped.
    pub const DB_DROPPED: Self = Self(1 << 8);
    /// `sql_mode` has NO_BACKSLASH_ESCAPES.
    pub const NO_BACKSLASH_ESCAPES: Self = Self(1 << 9);
    /// The metadata of a prepared statement changed.
    pub const METADATA_CHANGED: Self = Self(1 << 10);
    /// The query was slow.
    pub const QUERY_WAS_SLOW: Self = Self(1 << 11);
    /// The result holds the OUT parameters of a procedure.
    pub const PS_OUT_PARAMS: Self = Self(1 << 12);
    /// A read-only transaction is open.
    pub const IN_TRANS_READONLY: Self = Self(1 << 13);
    /// The OK packet has session state changes.
    pub const SESSION_STATE_CHANGED: Self = Self(1 << 14);

    /// The flags as bits.
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// The set with these bits, known or not.
    pub const fn from_bits(bits: u16) -> Self {
        Self(bits)
    }

    /// Whether all flags of `other` are in this set.
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// The set with the flags of `other` added.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The set without the flags of `other`.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

impl fmt::Debug for StatusFlags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StatusFlags({:#06x})", self.0)
    }
}
