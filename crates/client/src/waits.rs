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
    /// The first bytes of a reply.
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
    /// When it ended, as CLOCK_MONOTONIC has it.
    pub ended: Duration,
    /// How many bytes went over the wire in that time.
    pub bytes: u64,
    /// How many packets were in them; a packet counts where its last byte is.
    pub packets: u64,
    /// The code of the command; `None` while connecting.
    pub command: Option<u8>,
    /// The command's statement, literals and all, if it has one: whoever shows it answers for what is in it.
    pub statement: Option<&'a [u8]>,
    /// How the server reads statements, if that is known.
    pub dialect: Option<Dialect>,
    /// Whether it ended in an error: of the network, or the server's.
    pub has_failed: bool,
}

/// How long a reply took, in nanoseconds: from when its command was about to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The code of its command; `None`: the connection has been made, and that was all of it.
    pub command: Option<u8>,
    /// Until its first bytes were there.
    pub first_byte_ns: u64,
    /// Until its last ones were; the same where they all came at once. The client's own time between rows is in it.
    pub last_byte_ns: u64,
}

/// A reply that takes as long as this is slow: [`Observer::replied_slowly`] tells of it. A look at its statement, some microseconds, is little beside that.
pub const SLOW_NS: u64 = 1_000_000;

/// A reply that was slow.
#[derive(Clone, Copy, Debug)]
pub struct SlowReply<'a> {
    /// How long it took until its last bytes were there, in nanoseconds.
    pub took_ns: u64,
    /// Its statement, literals and all, or the first 8 KiB and more of it: whoever shows it answers for what is in it.
    pub statement: &'a [u8],
    /// How the server reads it.
    pub dialect: Dialect,
}

/// A connection that is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Which one.
    pub connection: Observed,
    /// When, as CLOCK_MONOTONIC has it.
    pub at: Duration,
    /// The round trip of its TCP, as the kernel has estimated it last; `None` where it was not TCP.
    pub round_trip: Option<Duration>,
    /// The shortest one, if the kernel knows.
    pub shortest_round_trip: Option<Duration>,
}

/// Who is told of replies and waits when they have come to an end: what it does is done before the connection goes on.
///
/// It is one for the whole process, or lives as long; what it counts for a thread it keeps itself.
pub trait Observer: Sync + fmt::Debug {
    /// Whether single waits and ends of connections are to be told, too; it is asked once, when a connection gets this observer.
    fn wants_waits(&self) -> bool;

    /// A reply has come, as a whole or as far as anybody wanted it. It is told when the next command is sent, or nobody waits for more.
    fn replied(&self, reply: Reply);

    /// The reply that is told next took [`SLOW_NS`] or longer. It is told only of statements that run, and where they are known: not in a pipeline.
    fn replied_slowly(&self, slow: SlowReply<'_>);

    /// Something was waited for.
    fn waited(&self, wait: &Wait<'_>);

    /// A connection is over.
    fn ended(&self, ended: &Ended);
}
