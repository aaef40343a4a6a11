//! A server that sends what it is told to, for what no real server does.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use vaquita_client::{Address, ConnectOptions};

/// The greeting of MySQL 8.0.33, with a header; its plugin is mysql_native_password.
pub(crate) const GREETING: &[u8] = b"\x4A\0\0\0\x0A8.0.33\0\xBA\0\0\0io\x04\x03zh\x16P\0\xFF\xFF\xFF\x02\0\xFF\xDF\x15\0\0\0\0\0\0\0\0\0\0\
    j:t|Sr\x19B\x08xO\x13\0mysql_native_password\0";
/// The answer to a handshake response, with a header.
pub(crate) const WELCOME: &[u8] = b"\x07\0\0\x02\0\0\0\x02\0\0\0";

/// What the server does, step by step.
pub(crate) enum Step {
    /// Sends bytes, `usize` at a time.
    Send(Vec<u8>, usize),
    /// Waits for one packet of the client, shorter than 16 MiB.
    Receive,
    /// Waits until the client closes.
    Wait,
}

/// Runs a server for one client; the packets that it received come out of the receiver when it is done.
pub(crate) fn serve(steps: Vec<Step>) -> (ConnectOptions, Receiver<Vec<Vec<u8>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        stream.set_nodelay(true).unwrap();
        let mut received = Vec::new();
        for step in steps {
            // A client that has heard enough closes: then the rest is not needed.
            if play(&stream, step, &mut received).is_err() {
                break;
            }
        }
        drop(stream);
        sender.send(received).ok();
    });
    let mut options = ConnectOptions::new(Address::Tcp { host: "127.0.0.1".to_owned(), port });
    options.user = b"user".to_vec();
    options.password = b"hunter2".to_vec();
    (options, receiver)
}

fn play(mut stream: &TcpStream, step: Step, received: &mut Vec<Vec<u8>>) -> std::io::Result<()> {
    match step {
        Step::Send(bytes, at_once) => {
            bytes.chunks(at_once).try_for_each(|part| stream.write_all(part))
        }
        Step::Receive => {
            let mut header = [0; 4];
            stream.read_exact(&mut header)?;
            let length = u32::from_le_bytes([header[0], header[1], header[2], 0]);
            let mut payload = vec![0; usize::try_from(length).unwrap()];
            stream.read_exact(&mut payload)?;
            received.push(payload);
            Ok(())
        }
        Step::Wait => stream.read_to_end(&mut Vec::new()).map(drop),
    }
}

/// The steps of a connection that is accepted, asked one query, and answered with `reply`.
pub(crate) fn answer(reply: &[u8], at_once: usize) -> Vec<Step> {
    vec![
        Step::Send(GREETING.to_vec(), usize::MAX),
        Step::Receive,
        Step::Send(WELCOME.to_vec(), usize::MAX),
        Step::Receive,
        Step::Send(reply.to_vec(), at_once),
    ]
}

/// A packet: a header and a payload.
pub(crate) fn packet(sequence_id: u8, payload: &[u8]) -> Vec<u8> {
    let [a, b, c, _] = u32::try_from(payload.len()).unwrap().to_le_bytes();
    [&[a, b, c, sequence_id], payload].concat()
}
