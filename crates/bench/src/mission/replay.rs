//! A server that says again what a real one said to the same client, as fast as the socket takes it.

use std::io::{self, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use std::{env, fs};

use vaquita_fake_server::{Address, Dialogue, Listener, Speaker};

use crate::server::Server;

/// A client that takes longer hangs.
const LIMIT: Duration = Duration::from_secs(120);
/// How long a packet's header is, and how much of it is the length.
const HEADER_BYTES: usize = 4;

/// What one side says before the other one does.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Turn {
    /// The client says so many packets; not the same ones each time, for its process id is in one.
    Client(usize),
    Server(Arc<[u8]>),
}

/// What a server said to a client.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Session(Vec<Turn>);

/// All sessions that were recorded; what is said in several of them is kept once.
#[derive(Default)]
pub(super) struct Sessions {
    said: Vec<Arc<[u8]>>,
}

impl Sessions {
    /// Stands between a client and a server, and writes down what they say.
    ///
    /// # Errors
    /// The client's, or the system's.
    pub(super) fn record(
        &mut self,
        server: &Server,
        run: impl FnOnce(&Server) -> Result<(), String>,
    ) -> Result<Session, String> {
        let path = SocketPath::new();
        let listener = Listener::unix(&path.0).map_err(|error| error.to_string())?;
        let real = Address::Unix(server.socket().into());
        let dialogue = thread::scope(|scope| {
            let recorder = scope.spawn(|| listener.record(&real, Instant::now() + LIMIT));
            let ran = run(&server.at_socket(&path.text()));
            let recorded = recorder.join().map_err(|_| "the recorder panicked".to_owned());
            ran?;
            recorded?.map_err(|error| format!("what was said could not be recorded: {error}"))
        })?;
        Ok(self.session(&dialogue))
    }

    fn session(&mut self, dialogue: &Dialogue) -> Session {
        let turn = |turn: &vaquita_fake_server::Turn| match turn.speaker {
            Speaker::Client => Turn::Client(packets(&turn.bytes)),
            Speaker::Server => Turn::Server(self.keep(&turn.bytes)),
        };
        Session(dialogue.turns.iter().map(turn).collect())
    }

    fn keep(&mut self, bytes: &[u8]) -> Arc<[u8]> {
        if let Some(same) = self.said.iter().find(|said| ***said == *bytes) {
            return Arc::clone(same);
        }
        let bytes: Arc<[u8]> = bytes.into();
        self.said.push(Arc::clone(&bytes));
        bytes
    }
}

impl Session {
    /// Plays the server to one client.
    ///
    /// # Errors
    /// The client's, or the system's.
    pub(super) fn play<T>(
        &self,
        server: &Server,
        run: impl FnOnce(&Server) -> Result<T, String>,
    ) -> Result<T, String> {
        let path = SocketPath::new();
        let listener = UnixListener::bind(&path.0).map_err(|error| error.to_string())?;
        thread::scope(|scope| {
            let player =
                scope.spawn(|| listener.accept().and_then(|(client, _)| self.play_to(client)));
            let ran = run(&server.at_socket(&path.text()));
            if ran.is_err() {
                // It may never have called; then this does.
                drop(UnixStream::connect(&path.0));
            }
            let played = player.join().map_err(|_| "the replay panicked".to_owned())?;
            let ran = ran?;
            played
                .map_err(|error| format!("the client does not say what it said before: {error}"))?;
            Ok(ran)
        })
    }

    fn play_to(&self, mut client: UnixStream) -> io::Result<()> {
        client.set_read_timeout(Some(LIMIT))?;
        client.set_write_timeout(Some(LIMIT))?;
        for turn in &self.0 {
            match turn {
                Turn::Client(packets) => {
                    (0..*packets).try_for_each(|_| skip_packet(&mut client))?
                }
                Turn::Server(bytes) => client.write_all(bytes)?,
            }
        }
        io::copy(&mut client, &mut io::sink()).map(drop)
    }
}

fn skip_packet(client: &mut impl Read) -> io::Result<()> {
    let mut header = [0; HEADER_BYTES];
    client.read_exact(&mut header)?;
    let length = u64::from(u32::from_le_bytes(header) & 0xFF_FFFF);
    let skipped = io::copy(&mut client.take(length), &mut io::sink())?;
    if skipped == length { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

/// How many packets these bytes are.
fn packets(mut bytes: &[u8]) -> usize {
    let mut count = 0;
    while skip_packet(&mut bytes).is_ok() {
        count += 1;
    }
    count
}

/// Where a socket is for a while.
struct SocketPath(PathBuf);

impl SocketPath {
    fn new() -> SocketPath {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let path = env::temp_dir().join(format!("vaquita-replay-{}-{number}", std::process::id()));
        let _ = fs::remove_file(&path);
        SocketPath(path)
    }

    fn text(&self) -> String {
        let path: &Path = &self.0;
        path.to_string_lossy().into_owned()
    }
}

impl Drop for SocketPath {
    fn drop(&mut self) {
        // A listener may have removed it.
        let _ = fs::remove_file(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_said_again_to_a_client_that_says_as_many_packets() {
        let mut dialogue = Dialogue::default();
        dialogue.say(Speaker::Server, b"hello");
        dialogue.say(Speaker::Client, b"\x02\0\0\x01me\x01\0\0\x02x");
        dialogue.say(Speaker::Server, b"rows");
        dialogue.say(Speaker::Client, b"\x01\0\0\0\x01");
        let mut sessions = Sessions::default();
        let session = sessions.session(&dialogue);
        let played = session.play(&Server::for_tests(), |server| {
            let mut client =
                UnixStream::connect(server.socket()).map_err(|error| error.to_string())?;
            let mut said = [0; 5];
            client.read_exact(&mut said).map_err(|error| error.to_string())?;
            // Another length, and in pieces.
            for piece in [&b"\x03\0\0\x01m"[..], b"e2\x01\0\0", b"\x02x"] {
                client.write_all(piece).map_err(|error| error.to_string())?;
            }
            let mut said = [0; 4];
            client.read_exact(&mut said).map_err(|error| error.to_string())?;
            client.write_all(b"\x01\0\0\0\x01").map_err(|error| error.to_string())?;
            Ok(said)
        });
        assert_eq!(played, Ok(*b"rows"));
        sessions.session(&dialogue);
        assert_eq!(sessions.said.len(), 2);
    }

    #[test]
    fn a_client_that_never_calls_is_not_waited_for() {
        let session = Session(vec![Turn::Server(b"hello"[..].into())]);
        let played = session.play(&Server::for_tests(), |_| Err::<(), _>("no".to_owned()));
        assert_eq!(played, Err("no".to_owned()));
    }
}
