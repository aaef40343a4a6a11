//! Capability flags: what each side can do, agreed upon in the handshake.

use std::fmt;
use std::ops::{BitAnd, BitOr, BitOrAssign, Not};

/// A set of capability flags: the 32 bits of the protocol, and above them MariaDB's extended ones.
///
/// <https://dev.mysql.com/doc/dev/mysql-server/latest/group__group__cs__capabilities__flags.html>,
/// <https://mariadb.com/docs/server/reference/clientserver-protocol/1-connecting/connection#capabilities>
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Capabilities(u64);

impl Capabilities {
    /// No flag.
    pub const NONE: Self = Self(0);
    /// The improved password hashing of 4.1; MariaDB uses the bit to say "this side is MySQL" (its own servers leave it unset).
    pub const LONG_PASSWORD: Self = Self(1);
    /// Affected rows are rows found, not rows changed.
    pub const FOUND_ROWS: Self = Self(1 << 1);
    /// Column flags have two bytes.
    pub const LONG_FLAG: Self = Self(1 << 2);
    /// The handshake response names a database.
    pub const CONNECT_WITH_DB: Self = Self(1 << 3);
    /// `database.table.column` is not allowed.
    pub const NO_SCHEMA: Self = Self(1 << 4);
    /// Compression with zlib.
    pub const COMPRESS: Self = Self(1 << 5);
    /// A client of ODBC; without effect on servers of today.
    pub const ODBC: Self = Self(1 << 6);
    /// LOAD DATA LOCAL INFILE may be asked for.
    pub const LOCAL_FILES: Self = Self(1 << 7);
    /// Spaces before `(` are ignored, so that function names are reserved words.
    pub const IGNORE_SPACE: Self = Self(1 << 8);
    /// The protocol of 4.1; without it nothing here works.
    pub const PROTOCOL_41: Self = Self(1 << 9);
    /// `interactive_timeout` holds, not `wait_timeout`.
    pub const INTERACTIVE: Self = Self(1 << 10);
    /// TLS.
    pub const SSL: Self = Self(1 << 11);
    /// The client ignores SIGPIPE; without effect on servers.
    pub const IGNORE_SIGPIPE: Self = Self(1 << 12);
    /// Status flags are sent.
    pub const TRANSACTIONS: Self = Self(1 << 13);
    /// Authentication of 4.1.
    pub const SECURE_CONNECTION: Self = Self(1 << 15);
    /// A COM_QUERY may hold several statements.
    pub const MULTI_STATEMENTS: Self = Self(1 << 16);
    /// A COM_QUERY may have several results.
    pub const MULTI_RESULTS: Self = Self(1 << 17);
    /// A COM_STMT_EXECUTE may have several results.
    pub const PS_MULTI_RESULTS: Self = Self(1 << 18);
    /// Authentication by named plugins.
    pub const PLUGIN_AUTH: Self = Self(1 << 19);
    /// The handshake response has connection attributes.
    pub const CONNECT_ATTRS: Self = Self(1 << 20);
    /// The authentication data of the handshake response may have more than 255 bytes.
    pub const PLUGIN_AUTH_LENENC_CLIENT_DATA: Self = Self(1 << 21);
    /// An expired password leads to a restricted session, not to an error.
    pub const CAN_HANDLE_EXPIRED_PASSWORDS: Self = Self(1 << 22);
    /// OK packets may have session state changes.
    pub const SESSION_TRACK: Self = Self(1 << 23);
    /// OK packets stand where EOF packets stood.
    pub const DEPRECATE_EOF: Self = Self(1 << 24);
    /// Result set metadata may be left out.
    pub const OPTIONAL_RESULTSET_METADATA: Self = Self(1 << 25);
    /// Compression with zstd.
    pub const ZSTD_COMPRESSION: Self = Self(1 << 26);
    /// Query attributes.
    pub const QUERY_ATTRIBUTES: Self = Self(1 << 27);
    /// The server's certificate is verified; a flag between library and application, never sent.
    pub const SSL_VERIFY_SERVER_CERT: Self = Self(1 << 30);
    /// MariaDB: progress reports.
    pub const MARIADB_PROGRESS: Self = Self(1 << 32);
    /// MariaDB: bulk execution of a prepared statement.
    pub const MARIADB_STMT_BULK_OPERATIONS: Self = Self(1 << 34);
    /// MariaDB: extended type information in column definitions.
    pub const MARIADB_EXTENDED_METADATA: Self = Self(1 << 35);
    /// MariaDB: metadata of prepared statements may be left out.
    pub const MARIADB_CACHE_METADATA: Self = Self(1 << 36);

    /// The flags as bits.
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// The set with these bits, known or not.
    pub const fn from_bits(bits: u64) -> Self {
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

    /// The protocol's own 32 bits.
    #[expect(clippy::cast_possible_truncation, reason = "the low half is what is asked for")]
    pub const fn low(self) -> u32 {
        self.0 as u32
    }

    /// MariaDB's extended bits.
    pub const fn extended(self) -> u32 {
        (self.0 >> 32) as u32
    }
}

impl BitOr for Capabilities {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitAnd for Capabilities {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitOrAssign for Capabilities {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl Not for Capabilities {
    type Output = Self;
    fn not(self) -> Self {
        Self(!self.0)
    }
}

impl fmt::Debug for Capabilities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Capabilities({:#010x})", self.0)
    }
}
