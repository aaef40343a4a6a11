//! What must hold of any bytes that a server sends: recorded sessions, what may be changed in them, and the checks of every parser.
//!
//! The tests here go through all of it on stable Rust; the targets in `fuzz/` call the same checks. How to record the sessions again
//! stands in CONTRIBUTING.md.
#![forbid(unsafe_code)]

mod acts;
pub mod certificates;
pub mod choices;
pub mod client;
pub mod conversation;
pub mod damage;
pub mod made_session;
pub mod mutate;
pub mod parsers;
pub mod ports;
pub mod recordings;
pub mod replies;
pub mod scenes;
pub mod seeds;
pub mod session;
pub mod texts;
