//! Key-value access to tables, without SQL: the ports that answer a SELECT by key from the same table.

#![forbid(unsafe_code)]

mod access;
mod advice;
mod by_sql;
mod counts;
mod decimal;
mod error;
mod handler_socket;
mod idle;
mod knowledge;
mod link;
mod memcached;
mod plan;
mod port;
mod proof;
mod select;
mod server;
mod settings;
mod shape;
mod shared;
mod standing;
mod state;
mod table;
mod watch;

pub use access::Access;
pub use advice::{Advice, Line as AdviceLine, Wanted, write_advice};
pub use by_sql::{Does, Found, KeyValue, KeyedTable, NamedTable, TableError, Written};
pub use counts::Counts;
pub use error::{Error, Unfit};
pub use handler_socket::{HandlerSocket, HandlerSocketPlan, IndexId, OpenIndex};
pub use link::Timeouts;
pub use memcached::{
    Container, Expiry, Key, Line, MAPPING_QUERY, MAX_KEY_BYTES, Mapping, Memcached, MemcachedPlan,
    Store,
};
pub use plan::{Origin, Reason};
pub use select::{Condition, KeySelect, Literal, MAX_CONDITIONS, may_be_by_key};
pub use settings::{Mode, Name, Settings};
pub use shape::Values;
pub use shared::close_ports;
pub use table::{Column, Kind, Table, UniqueIndex};
pub use watch::Watch;
