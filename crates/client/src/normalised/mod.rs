//! What a statement has in common with those that differ from it in their literals only.

mod parts;

pub use parts::{Part, Parts};
