//! What a client sent, and how the connection ended.

use std::fmt;

/// A packet of the client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientPacket {
    /// Its sequence id.
    pub sequence_id: u8,
    /// Its payload.
    pub payload: Vec<u8>,
}

/// How a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The script was played to its end, and then the client closed.
    Played,
    /// The client closed before the end of the script.
    ClientLeft,
    /// The delivery was cut.
    Cut,
    /// The client sent something that the script does not expect; it is the last packet of the recording.
    Unexpected,
    /// The time was up.
    TimedOut,
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Ending::Played => "played",
            Ending::ClientLeft => "client-left",
            Ending::Cut => "cut",
            Ending::Unexpected => "unexpected",
            Ending::TimedOut => "timed-out",
        })
    }
}

/// What a client sent on one connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recording {
    /// The packets that the script expected, and the one that it did not.
    pub packets: Vec<ClientPacket>,
    /// What came when nothing was expected any more, as it came.
    pub rest: Vec<u8>,
    /// How many bytes the server sent.
    pub sent_bytes: u64,
    /// How it ended.
    pub ending: Ending,
}
