//! What no safe crate offers of the system: bytes in memory that somebody lends (`block`), memory that processes share, and memory that a fork
//! wipes out (`memory`), what the kernel knows of a TCP connection (`tcp`). All that is unsafe stands in those three.
//!
//! Upon it [`Table`]: slots in a file that all processes of one user share, so many of which may be taken at once on this machine.

#![deny(unsafe_code)]

#[expect(unsafe_code, reason = "that is what it is there for")]
mod block;
mod file;
#[expect(unsafe_code, reason = "that is what it is there for")]
mod memory;
mod process;
mod table;
#[expect(unsafe_code, reason = "that is what it is there for")]
mod tcp;

pub use block::{Block, Lender, System};
pub use process::Process;
pub use table::{CAPACITY, Full, Slot, Table};
pub use tcp::{RoundTrips, round_trips};
