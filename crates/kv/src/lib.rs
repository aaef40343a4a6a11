//! Key-value access to tables, without SQL: the ports that answer a SELECT by key from the same table.

#![forbid(unsafe_code)]

mod by_sql;
mod decimal;
mod error;
mod handler_socket;
mod link;
mod memcached;
mod plan;
mod select;
mod table;

pub use by_sql::{Found, KeyValue, KeyedTable, TableError, Written};
pub use error::{Error, Unfit};
pub use handler_socket::{HandlerSocket, HandlerSocketPlan, IndexId, OpenIndex};
pub use link::Timeouts;
pub use memcached::{
    Container, Expiry, Key, Line, MAX_KEY_BYTES, Mapping, Memcached, MemcachedPlan, Store,
};
pub use plan::{Origin, Reason};
pub use select::{Condition, KeySelect, Literal, MAX_CONDITIONS};
pub use table::{Column, Kind, Table, UniqueIndex};
