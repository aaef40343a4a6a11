//! The walls of the house, as a test that reads the sources: who may name what, and how a file looks.
//!
//! ARCHITECTURE.md says why each wall stands.
#![forbid(unsafe_code)]

mod source;

#[cfg(test)]
mod walls;

pub use source::{Source, sources};
