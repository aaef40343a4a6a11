//! A scripted MySQL server, hostile on demand: a library for Rust tests, and the program `vaquita-fake-server` for all others.
//!
//! A [`Script`] says what the server sends and waits for; a [`Delivery`] says in which pieces it is sent, so that one script is
//! played whole, byte by byte, late, or cut anywhere. [`FakeServer`] plays it to one client and gives a [`Recording`] of what that
//! client sent. The [`named`] scripts are those that every client should survive, each with what should come of it.
//!
//! [`Listener::record`] writes down what a client and a real server say to each other, as a [`Dialogue`]; [`Replay`] says the server's
//! part again, without sockets.
//!
//! A [`relay::Relay`] stands between a client and a real server, and is the network that breaks.
//!
//! Everything ends by itself: a connection, and the wait for it, after the time that the listener was given.
#![forbid(unsafe_code)]

mod compression;
mod delivery;
mod dialogue;
mod listener;
pub mod named;
pub mod packets;
mod payload;
mod player;
mod recorder;
mod recording;
pub mod relay;
mod replay;
mod script;
mod server;
mod timed;

pub use compression::Compression;
pub use delivery::Delivery;
pub use dialogue::{Dialogue, Speaker, Turn};
pub use listener::{Address, Listener};
pub use named::NamedScript;
pub use payload::Payload;
pub use recording::{ClientPacket, Ending, Recording};
pub use replay::{Replay, Silence};
pub use script::{Ends, Expect, Script, Step};
pub use server::FakeServer;
