//! Stands between a client and a real server, and writes down what they say.

use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use socket2::{Domain, SockAddr, Socket, Type};

use crate::dialogue::{Dialogue, Speaker};
use crate::listener::{Address, Listener};
use crate::timed::Timed;

impl Listener {
    /// Takes one client, connects it with a server, and tells what they said, when one of them has closed; all of it ends at the deadline.
    ///
    /// # Errors
    /// [`io::ErrorKind::TimedOut`] if no client came; the system's.
    pub fn record(&self, server: &Address, deadline: Instant) -> io::Result<Dialogue> {
        let client = self.accept(deadline)?;
        let server = connect(server)?;
        let dialogue = Mutex::new(Dialogue::default());
        thread::scope(|scope| {
            let relay = |speaker, from, to| relay(&dialogue, speaker, from, to);
            let (client, server) = (Timed::new(&client, deadline), Timed::new(&server, deadline));
            scope.spawn(move || relay(Speaker::Client, client, server));
            relay(Speaker::Server, server, client);
        });
        Ok(dialogue.into_inner().unwrap_or_else(PoisonError::into_inner))
    }
}

fn connect(address: &Address) -> io::Result<Socket> {
    let (domain, address) = match address {
        Address::Tcp(address) => (Domain::for_address(*address), SockAddr::from(*address)),
        Address::Unix(path) => (Domain::UNIX, SockAddr::unix(path)?),
    };
    let socket = Socket::new(domain, Type::STREAM, None)?;
    socket.connect(&address)?;
    Ok(socket)
}

/// Passes on what one side says until it has closed; what was said is written down before the other side can answer it.
fn relay(dialogue: &Mutex<Dialogue>, speaker: Speaker, mut from: Timed<'_>, mut to: Timed<'_>) {
    let mut buffer = vec![0; 1 << 16];
    while let Ok(length) = from.read(&mut buffer) {
        let Some(bytes) = buffer.get(..length).filter(|bytes| !bytes.is_empty()) else { break };
        dialogue.lock().unwrap_or_else(PoisonError::into_inner).say(speaker, bytes);
        if to.write_all(bytes).is_err() {
            break;
        }
    }
    to.shutdown(Shutdown::Write);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::delivery::Delivery;
    use crate::script::Script;
    use crate::server::FakeServer;
    use std::net::TcpStream;
    use std::time::Duration;

    #[test]
    fn both_sides_are_written_down() {
        let script = Script::new().send_raw(*b"hello").expect_packet().send_raw(*b"bye").close();
        let server = FakeServer::tcp(script, Delivery::WHOLE).unwrap();
        let listener = Listener::tcp().unwrap();
        let Address::Tcp(address) = *listener.address() else { unreachable!("it listens by TCP") };
        let client = thread::spawn(move || {
            let mut stream = TcpStream::connect(address).unwrap();
            stream.read_exact(&mut [0; 5]).unwrap();
            stream.write_all(b"\x01\0\0\0\x0E").unwrap();
            let mut rest = Vec::new();
            stream.read_to_end(&mut rest).unwrap();
            assert_eq!(rest, b"bye");
        });
        let deadline = Instant::now() + Duration::from_secs(20);
        let dialogue = listener.record(server.address(), deadline).unwrap();
        client.join().unwrap();
        let said = "server 68656c6c6f\nclient 010000000e\nserver 627965\n";
        assert_eq!(dialogue.to_string(), said);
        assert_eq!(server.finish().unwrap().packets.len(), 1);
    }
}
