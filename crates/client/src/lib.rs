//! The synchronous driver: a connection, its commands, and its results.
//!
//! A query goes down by [`Connection::send_query`] and comes back by [`Connection::read_query_response`]; its rows follow one by one
//! ([`Connection::next_row`]) or all at once ([`Connection::store_result`]).
#![forbid(unsafe_code)]

mod auth;
mod buffered;
mod connection;
mod dial;
mod error;
mod escape;
mod handshake;
mod local_infile;
mod negotiation;
mod options;
mod packet_stream;
mod query;
mod result_set;
mod row;
mod session;
mod state;
mod tls;
mod transport;
mod wire;

pub use buffered::Buffered;
pub use connection::Connection;
pub use error::{Error, LocalInfileRefusal, codes};
pub use escape::escape;
pub use local_infile::{LocalFile, LocalFileError};
pub use options::{Address, CleartextPassword, ConnectOptions};
pub use query::QueryResponse;
pub use result_set::Columns;
pub use row::{Row, Values};
pub use session::{Session, UNKNOWN_ROWS};
pub use state::State;
pub use tls::{TlsOptions, Verify};
pub use wire::ByteStream;

pub use vaquita_protocol::{
    Capabilities, Charset, ColumnDefinition41, ColumnFlags, ColumnType, Malformed, StatusFlags,
};
