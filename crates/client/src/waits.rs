//! What connections wait for, and how long: what an observer is told.

use std::fmt;
use std::time::Duration;

use crate::tokens::Dialect;

/// What is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Event {
    /// The addresses of a host's name.
    Resolve,
    /// The socket to be open.
    Connect,
    /// The session of TLS.
    Tls,
    /// The greeting, and the server's word that it lets us in.
    Auth,
    /// The kernel to take a command.
    Write,
    /// The first byte of a reply.
    FirstByte,
    /// What follows in it.
    MoreRows,
    /// Somebody else than the server: a key-value port.
    Elsewhere,
}

impl Event {
    /// All of them, in the order in which a connection meets them.
    pub const ALL: [Event; 8] = [
        Event::Resolve,
        Event::Connect,
        Event::Tls,
        Event::Auth,
        Event::Write,
        Event::FirstByte,
        Event::MoreRows,
        Event::Elsewhere,
    ];

    /// Its name in a trace.
    pub const fn name(self) -> &'static str {
        match self {
            Event::Resolve => "resolve",
            Event::Connect => "connect",
            Event::Tls => "tls",
            Event::Auth => "auth",
            Event::Write => "write",
            Event::FirstByte => "first_byte",
            Event::MoreRows => "more_rows",
            Event::Elsewhere => "kv_get",
        }
    }
}

/// Which connection it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Observed {
    /// Its number in this process, from 1 on.
    pub number: u64,
    /// What the server calls it; 0 as long as that is not known.
    pub thread_id: u32,
}

/// Something that was waited for.
#[derive(Clone, Copy, Debug)]
pub struct Wait<'a> {
    /// By which connection.
    pub connection: Observed,
    /// For what.
    pub event: Event,
    /// How long.
    pub elapsed: Duration,
    /// How many bytes went over the wire in that time.
    pub bytes: u64,
    /// How many packets they were; a packet counts where its last byte came.
    pub packets: u64,
    /// The code of the command; `None` while connecting.
    pub command: Option<u8>,
    /// The command's statement, literals and all, if it has one: whoever shows it answers for what is in it.
    pub statement: Option<&'a [u8]>,
    /// How the server reads statements.
    pub dialect: Dialect,
    /// Whether it ended in an error: of the network, or the server's.
    pub has_failed: bool,
}

/// Who is told of replies and waits, while they happen: what it does is done before the connection goes on.
///
/// It is one for the whole process, or lives as long; what it counts for a thread it keeps itself.
pub trait Observer: Sync + fmt::Debug {
    /// Whether single waits are to be told; it is asked when a command begins.
    fn wants_waits(&self) -> bool;

    /// Something was waited for.
    fn waited(&self, wait: &Wait<'_>);
}
