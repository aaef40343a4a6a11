//! Key-value access to tables, without SQL: the ports that answer a SELECT by key from the same table.

#![forbid(unsafe_code)]

mod decimal;
mod error;
mod handler_socket;
mod link;
mod memcached;
mod select;
mod table;

pub use error::{Error, Unfit};
pub use handler_socket::{HandlerSocket, IndexId, OpenIndex};
pub use link::Timeouts;
pub use memcached::{
    Container, Expiry, Key, Line, MAX_KEY_BYTES, Mapping, Memcached, Origin, Plan, Reason, Store,
};
pub use select::{Condition, KeySelect, Literal, MAX_CONDITIONS};
pub use table::{Column, Kind, Table, UniqueIndex};
