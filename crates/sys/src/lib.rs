//! What no safe crate offers of the system: bytes in memory that somebody lends (`block`), memory that processes share, and memory that a fork
//! wipes out (`memory`), what the kernel knows of a TCP connection (`tcp`). All that is unsafe stands in those three.
//!
//! Upon it, in files that all processes of one user share: [`Table`], slots so many of which may be taken at once on this machine, and [`Area`],
//! figures that each process publishes and anybody sums.

#![deny(unsafe_code)]

mod area;
#[expect(unsafe_code, reason = "that is what it is there for")]
mod block;
mod file;
#[expect(unsafe_code, reason = "that is what it is there for")]
mod memory;
mod process;
mod table;
#[expect(unsafe_code, reason = "that is what it is there for")]
mod tcp;

pub use area::{Area, Sum};
pub use block::{Block, Lender, System};
pub use file::shared_folder;
pub use process::Process;
pub use table::{CAPACITY, Full, Slot, Table};
pub use tcp::{RoundTrips, round_trips};
