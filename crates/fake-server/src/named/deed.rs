//! What a client does to meet a script, for scripts that answer more than a query.

use std::fmt;

/// What a client does to meet a script, once it is let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// It asks a query and reads its result to the end.
    Query,
    /// The same, but unless it stores the result, it leaves after some hundreds of rows.
    Endless,
    /// The same as `Endless`, with zlib.
    EndlessZlib,
    /// The same as `Endless`, but no row ever comes: whoever does not store it meets the same end.
    EndlessRow,
    /// It asks a query, and then what the server has to warn of.
    Warnings,
    /// It asks a query of several results, as of a procedure, and reads some hundreds of them at the most.
    Results,
    /// It prepares a statement with one parameter, runs it with a number, and reads its result to the end.
    Statement,
    /// The same with a cursor. It leaves after some hundreds of rows.
    Cursor,
    /// It lets the server have a local file, `wanted.csv`, and says so in a LOAD DATA LOCAL INFILE.
    LoadData,
    /// It asks for compression with zlib, and a query.
    Zlib,
    /// It asks for compression with Zstandard, and a query.
    Zstd,
    /// It connects, and demands TLS, whoever the server is.
    Tls,
}

impl fmt::Display for Deed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Deed::Query => "query",
            Deed::Endless => "endless",
            Deed::EndlessZlib => "endless-zlib",
            Deed::EndlessRow => "endless-row",
            Deed::Warnings => "endless-warnings",
            Deed::Results => "results",
            Deed::Statement => "statement",
            Deed::Cursor => "cursor",
            Deed::LoadData => "load-data",
            Deed::Zlib => "zlib",
            Deed::Zstd => "zstd",
            Deed::Tls => "tls",
        })
    }
}
