//! The trace: a line for each wait, which people read and search, and programs sum.

mod armed;
mod digest;
mod escaped;
#[cfg(test)]
mod folder;
mod line;
mod moment;
mod opening;
mod output;
mod ring;
mod scribe;
mod tracer;

pub use digest::{digest, put_digested};
pub use escaped::put_shown;
pub use line::{Line, Network, Rest, split_line};
pub use moment::{Moment, monotonic};
pub use opening::OpenError;
pub use output::{Failure, Output, StandardError};
pub use tracer::{Options, Tracer};
pub use vaquita_client::Event;

/// Events that are no waits.
pub mod events {
    /// A request's end: how long it was, and how much of it was waited.
    pub const REQUEST: &str = "request";
    /// A connection's end: how far away the server was.
    pub const END: &str = "end";
    /// Something took longer than `vaquita.trace_slow_ms`: the lines before it are what was kept of it.
    pub const SLOW: &str = "slow";
}
