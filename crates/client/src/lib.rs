//! The synchronous driver: a connection, its commands, and its results.
//!
//! A query goes down by [`Connection::send_query`] and comes back by [`Connection::read_query_response`]; its rows follow one by one
//! ([`Connection::next_row`]) or all at once ([`Connection::store_result`]).
//!
//! ```
//! use std::time::Duration;
//! use vaquita_client::{Address, ConnectOptions, Connection, QueryResponse, State};
//!
//! # let server = |what: &str| {
//! #     std::env::var(format!("VAQUITA_MARIADB_{what}"))
//! #         .expect("this example needs a server: scripts/with-servers mariadb -- cargo test --doc")
//! # };
//! # let (host, port, user, password) =
//! #     (server("HOST"), server("PORT").parse().unwrap(), server("USER"), server("PASSWORD"));
//! let mut connection = Connection::connect(&ConnectOptions {
//!     user: user.into(),
//!     password: password.into(),
//!     connect_timeout: Some(Duration::from_secs(10)),
//!     ..ConnectOptions::new(Address::Tcp { host, port })
//! })?;
//!
//! // A query goes down, its response comes back, and then its rows: each is borrowed until the next one is read.
//! connection.send_query(b"SELECT 1 AS id, 'Ada' AS name UNION ALL SELECT 2, NULL")?;
//! let QueryResponse::ResultSet(columns) = connection.read_query_response()? else {
//!     panic!("a SELECT has rows");
//! };
//! assert_eq!(columns[1].name(), b"name");
//! while let Some(row) = connection.next_row()? {
//!     for (column, value) in columns.iter().zip(row.values()) {
//!         match value {
//!             Some(bytes) => println!("{} = {bytes:?}", column.name().escape_ascii()),
//!             None => println!("{} is NULL", column.name().escape_ascii()),
//!         }
//!     }
//! }
//!
//! // Or all rows at once, to be looked at in any order.
//! connection.send_query(b"SELECT 'a' UNION ALL SELECT 'b'")?;
//! connection.read_query_response()?;
//! let stored = connection.store_result()?;
//! assert_eq!(stored.row(1).unwrap().values().collect::<Vec<_>>(), [Some(&b"b"[..])]);
//!
//! // A statement without rows says what it did.
//! connection.send_query(b"SET @answer = 42")?;
//! assert!(matches!(connection.read_query_response()?, QueryResponse::Ok));
//! assert_eq!(connection.session().warnings, 0);
//!
//! // An error has the server's number and SQLSTATE; after a refusal the connection is as good as before.
//! connection.send_query(b"SELECT nonsense")?;
//! let error = connection.read_query_response().unwrap_err();
//! assert_eq!((error.code(), error.sqlstate()), (1054, *b"42S22"));
//! assert_eq!(connection.state(), State::Ready);
//! # Ok::<(), vaquita_client::Error>(())
//! ```
#![forbid(unsafe_code)]

mod agreed;
mod at_once;
mod auth;
mod background;
mod buffered;
mod change_user;
mod clock;
mod columns;
mod commands;
mod compression;
mod connect;
mod connection;
mod dial;
mod elsewhere;
mod error;
mod escape;
mod handshake;
mod host_links;
mod killer;
mod known_columns;
mod local_infile;
mod long_row;
mod look_up;
mod memory;
mod negotiation;
mod normalised;
mod observing;
mod options;
mod own;
mod packet_stream;
mod password;
mod pipeline;
mod placeholders;
mod poll;
mod pool;
mod query;
mod query_timeout;
mod result_set;
mod reuse;
mod row;
mod server_identity;
mod session;
mod state;
mod statement;
mod statement_cache;
mod statistics;
mod template;
mod timed_wire;
mod tls;
mod tokens;
mod transport;
mod version;
mod waits;
mod watch;
mod wire;
mod write_queue;

pub use agreed::{Agreed, TlsSession};
pub use background::spawn_without_signals;
pub use buffered::{Buffered, BufferedRows};
pub use columns::Columns;
pub use compression::CompressionAlgorithm;
pub use connection::Connection;
pub use elsewhere::{MAX_ELSEWHERE_BYTES, Onlooker};
pub use error::{Error, Goodbye, LocalInfileRefusal, codes};
pub use escape::escape;
pub use host_links::HostLimit;
pub use local_infile::{LocalFile, LocalFileError};
pub use long_row::{LongRow, LongRowValue, LongRowValues};
pub use memory::{CHUNK_BYTES, LONG_VALUE_BYTES, Memory};
pub use normalised::{
    Normalised, Part, Parts, names_secret, put_first_word, put_normalised, put_normalised_beginning,
};
pub use options::{Address, CleartextPassword, ConnectOptions, Watched};
pub use own::{Own, OwnCommands};
pub use password::Password;
pub use pipeline::{Done, Pipelined, Until};
pub use placeholders::{Piece, next_piece};
pub use poll::{Pollable, Polled, poll};
pub use pool::{Lease, Pool, PoolCheck, PoolLimits, PoolStats};
pub use query::QueryResponse;
pub use row::{Row, Values};
pub use session::{Session, UNKNOWN_ROWS};
pub use state::State;
pub use statement::Statement;
pub use statement_cache::Effect;
pub use statistics::{ByProtocol, Packets, Statistics};
pub use template::{Placeholder, Placeholders, Shape, expand, unknown_name};
pub use tls::{TlsOptions, Verify};
pub use tokens::{Dialect, Token, Tokens, unescape};
pub use transport::Transport;
pub use waits::{Ended, Event, Observed, Observer, Reply, SLOW_NS, SlowReply, Wait};
pub use wire::ByteStream;

pub use vaquita_protocol::{
    BinaryRow, Capabilities, Charset, ColumnDefinition41, ColumnFlags, ColumnType, Data, Encoding,
    Malformed, Parameter, StatusFlags, TextRow, binary_row, binary_value, collation_name,
    command_name, panic_point,
    text_row::{TextValue, TextValues},
};
pub use vaquita_sys::{Area, Block, Lender, Process, System};
pub use vaquita_x509::read_file;
