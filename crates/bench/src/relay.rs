//! A TCP relay on the loopback that makes a server look farther away, and counts the round trips that its clients wait for.
//!
//! Bytes take half of the added latency in each direction. A client is connected to the relay at once; what the handshake of TCP would have
//! taken is waited before the server is called, so that a greeting arrives as late as it would.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// What is read at once.
const BUFFER_BYTES: usize = 64 << 10;

/// A relay, which lives as long as the program.
pub(crate) struct Relay {
    port: u16,
    round_trips: Arc<AtomicU64>,
}

/// What both directions of a connection know of it.
#[derive(Clone)]
struct Trips {
    /// Whether the client has got something since it last sent something: then what it sends begins another round trip.
    is_answered: Arc<AtomicBool>,
    /// Of all connections.
    count: Arc<AtomicU64>,
}

impl Relay {
    /// Listens, and calls the server at this port for each client.
    ///
    /// # Errors
    /// The system's, if there is no port to listen at.
    pub(crate) fn start(server: u16, latency: Duration) -> io::Result<Relay> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let port = listener.local_addr()?.port();
        let count = Arc::new(AtomicU64::new(0));
        let round_trips = Arc::clone(&count);
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let is_answered = Arc::new(AtomicBool::new(true));
                let trips = Trips { is_answered, count: Arc::clone(&count) };
                // Where that fails the client sees its connection closed.
                thread::spawn(move || relay(client, server, latency, &trips));
            }
        });
        Ok(Relay { port, round_trips })
    }

    /// Where it listens.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// How often clients have sent something after they got something, or at first.
    pub(crate) fn round_trips(&self) -> u64 {
        self.round_trips.load(Ordering::SeqCst)
    }
}

fn relay(client: TcpStream, server: u16, latency: Duration, trips: &Trips) -> io::Result<()> {
    // To connect takes a round trip, and until the server knows of it another half.
    thread::sleep(latency * 3 / 2);
    let server = TcpStream::connect((Ipv4Addr::LOCALHOST, server))?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let half = latency / 2;
    let asked = trips.clone();
    let to_server = Receiver { stream: server.try_clone()?, answers: None };
    let to_client = Receiver { stream: client.try_clone()?, answers: Some(trips.clone()) };
    pass_on(client, to_server, half, move || asked.note_sent());
    pass_on(server, to_client, half, || {});
    Ok(())
}

impl Trips {
    fn note_sent(&self) {
        if self.is_answered.swap(false, Ordering::SeqCst) {
            self.count.fetch_add(1, Ordering::SeqCst);
        }
    }
}

/// Where bytes go; without any it is the end. Whether there may be more.
type Deliver = Box<dyn FnMut(&[u8]) -> bool + Send>;

/// Who gets what one side sends.
struct Receiver {
    stream: TcpStream,
    /// To be told that the client gets something.
    answers: Option<Trips>,
}

impl Receiver {
    /// As [`Deliver`].
    fn deliver(&mut self, bytes: &[u8]) -> bool {
        if bytes.is_empty() {
            // The other side may be gone.
            let _ = self.stream.shutdown(Shutdown::Write);
            return false;
        }
        if let Some(trips) = &self.answers {
            trips.is_answered.store(true, Ordering::SeqCst);
        }
        self.stream.write_all(bytes).is_ok()
    }
}

/// Passes on what comes from a side, in threads of its own.
fn pass_on(
    mut from: TcpStream,
    mut receiver: Receiver,
    delay: Duration,
    note: impl Fn() + Send + 'static,
) {
    let mut deliver: Deliver = if delay.is_zero() {
        // Then no other thread is to be woken.
        Box::new(move |bytes| receiver.deliver(bytes))
    } else {
        let (later, due) = mpsc::channel::<(Instant, Vec<u8>)>();
        thread::spawn(move || {
            for (time, bytes) in due {
                thread::sleep(time.saturating_duration_since(Instant::now()));
                if !receiver.deliver(&bytes) {
                    break;
                }
            }
        });
        Box::new(move |bytes| later.send((Instant::now() + delay, bytes.to_vec())).is_ok())
    };
    thread::spawn(move || {
        let mut buffer = vec![0; BUFFER_BYTES];
        loop {
            let length = from.read(&mut buffer).unwrap_or_default();
            let bytes = buffer.get(..length).unwrap_or_default();
            if !bytes.is_empty() {
                note();
            }
            if !deliver(bytes) || bytes.is_empty() {
                break;
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A server that sends everything back, and what is connected to it through a relay.
    fn echo(latency: Duration) -> (Relay, TcpStream) {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let relay = Relay::start(listener.local_addr().unwrap().port(), latency).unwrap();
        let client = TcpStream::connect((Ipv4Addr::LOCALHOST, relay.port())).unwrap();
        thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            io::copy(&mut stream.try_clone().unwrap(), &mut stream)
        });
        (relay, client)
    }

    fn ask(client: &mut TcpStream, questions: &[&[u8]]) {
        for question in questions {
            client.write_all(question).unwrap();
        }
        let mut answer = vec![0; questions.concat().len()];
        client.read_exact(&mut answer).unwrap();
        assert_eq!(answer, questions.concat());
    }

    #[test]
    fn an_answer_takes_the_latency() {
        for latency in [Duration::ZERO, Duration::from_millis(30)] {
            let (_, mut client) = echo(latency);
            ask(&mut client, &[b"connected"]);
            let begun = Instant::now();
            ask(&mut client, &[b"asked"]);
            assert!(begun.elapsed() >= latency);
        }
    }

    #[test]
    fn what_is_sent_without_waiting_is_one_round_trip() {
        // Long enough for both to be sent before the first is answered.
        let (relay, mut client) = echo(Duration::from_millis(100));
        assert_eq!(relay.round_trips(), 0);
        ask(&mut client, &[b"one", b"two"]);
        assert_eq!(relay.round_trips(), 1);
        ask(&mut client, &[b"three"]);
        assert_eq!(relay.round_trips(), 2);
    }

    #[test]
    fn an_end_is_passed_on() {
        let (_, mut client) = echo(Duration::from_millis(1));
        client.write_all(b"last").unwrap();
        client.shutdown(Shutdown::Write).unwrap();
        let mut answer = Vec::new();
        client.read_to_end(&mut answer).unwrap();
        assert_eq!(answer, b"last");
    }
}
