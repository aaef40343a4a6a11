//! What is made of the replies and waits that the driver tells of: how long they took, summed up, and a trace of each.
//!
//! It knows nothing of PHP; `forbid(unsafe_code)`.

#![forbid(unsafe_code)]

mod latency;
pub mod metrics;
mod slowest;
pub mod trace;

pub use latency::{Distribution, Kind, Latencies, Summary};
pub use slowest::{MAX_SHAPES, Shape, Slowest};
