//! What a relay does to bytes, as its commands ask for it: between a client and a server that sends everything back.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use vaquita_fake_server::Address;
use vaquita_fake_server::relay::{Direction, PATIENCE, Relay, commands};

/// Silence that is long enough to be believed.
const SILENCE: Duration = Duration::from_millis(100);

/// A relay, and each connection that a server of it gets.
fn relay() -> (Arc<Relay>, Receiver<TcpStream>) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let relay = Relay::to(&Address::Tcp(listener.local_addr().unwrap())).unwrap();
    let (accepted, connections) = channel();
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            if accepted.send(stream.try_clone().unwrap()).is_err() {
                break;
            }
            thread::spawn(move || io::copy(&mut stream.try_clone().unwrap(), &mut &stream));
        }
    });
    (Arc::new(relay), connections)
}

fn ask(relay: &Arc<Relay>, line: &str) -> String {
    let mut answer = Vec::new();
    commands::obey(relay, line.as_bytes(), &mut answer).unwrap();
    String::from_utf8(answer).unwrap().trim_end().to_owned()
}

fn connect(relay: &Relay) -> TcpStream {
    let Address::Tcp(address) = relay.address() else { panic!("a port") };
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

/// What comes back of so many bytes, and how that ends.
fn echo(stream: &mut TcpStream, bytes: usize) -> (usize, Result<usize, ErrorKind>) {
    stream.write_all(&vec![b'x'; bytes]).unwrap();
    let (mut came, mut buffer) = (0, [0; 64]);
    while came < bytes {
        match stream.read(&mut buffer) {
            Ok(length @ 1..) => came += length,
            end => return (came, end.map_err(|error| error.kind())),
        }
    }
    (came, Ok(came))
}

fn silence(stream: &mut TcpStream) -> bool {
    stream.set_read_timeout(Some(SILENCE)).unwrap();
    matches!(stream.read(&mut [0; 8]), Err(error) if error.kind() == ErrorKind::WouldBlock)
}

#[test]
fn connections_end_after_so_many_bytes() {
    for way in ["requests", "replies"] {
        for kind in ["close", "reset"] {
            let (relay, _connections) = relay();
            let mut client = connect(&relay);
            assert_eq!(ask(&relay, &format!("{kind} {way} 10")), "ok");
            let (came, end) = echo(&mut client, 30);
            assert!(came <= 10, "{kind} {way}: {came}");
            match kind {
                "close" if way == "replies" => assert_eq!((came, end), (10, Ok(0))),
                "close" => assert_eq!(end, Ok(0)),
                _ => assert_eq!(end, Err(ErrorKind::ConnectionReset)),
            }
            assert_eq!(ask(&relay, "clear"), "struck");
            assert_eq!(ask(&relay, "clear"), "untouched");
            assert_eq!(echo(&mut connect(&relay), 30).0, 30);
        }
    }
}

#[test]
fn one_way_may_end_alone() {
    let (relay, connections) = relay();
    let mut client = connect(&relay);
    assert_eq!(ask(&relay, "half replies 10"), "ok");
    assert_eq!(echo(&mut client, 30), (10, Ok(0)));
    // What the client says still reaches the server.
    client.write_all(b"more").unwrap();
    relay.until_bytes(Direction::Requests, 34);
    assert_eq!(ask(&relay, "clear"), "struck");
    let mut server = connections.recv().unwrap();
    server.set_read_timeout(Some(PATIENCE)).unwrap();
    assert_eq!(server.read(&mut [0; 8]).unwrap(), 0);
}

#[test]
fn silence_tells_nobody_of_an_end() {
    let (relay, connections) = relay();
    let mut client = connect(&relay);
    assert_eq!(ask(&relay, "silence replies 10"), "ok");
    client.write_all(&[b'x'; 30]).unwrap();
    let mut ten = [0; 10];
    client.read_exact(&mut ten).unwrap();
    assert!(silence(&mut client));
    connections.recv().unwrap().shutdown(Shutdown::Both).unwrap();
    assert!(silence(&mut client));
    assert_eq!(ask(&relay, "clear"), "struck");
    client.set_read_timeout(Some(PATIENCE)).unwrap();
    assert_eq!(client.read(&mut ten).unwrap(), 0);
}

#[test]
fn what_is_held_ends_with_the_server() {
    for way in ["requests", "replies"] {
        let (relay, connections) = relay();
        let mut client = connect(&relay);
        assert_eq!(ask(&relay, &format!("hold {way} 10")), "ok");
        client.write_all(&[b'x'; 30]).unwrap();
        relay.await_hold(1);
        connections.recv().unwrap().shutdown(Shutdown::Both).unwrap();
        let mut all = Vec::new();
        client.read_to_end(&mut all).unwrap();
        assert!(all.len() <= 10, "{way}: {}", all.len());
    }
}

#[test]
fn a_slow_network_loses_nothing() {
    let check = |command: &str, least: u64| {
        let (relay, _connections) = relay();
        let mut client = connect(&relay);
        assert_eq!(ask(&relay, command), "ok");
        let begun = Instant::now();
        assert_eq!(echo(&mut client, 3000), (3000, Ok(3000)), "{command}");
        assert!(begun.elapsed() >= Duration::from_millis(least), "{command}");
        assert_eq!(ask(&relay, "clear"), "untouched");
    };
    check("latency replies 50", 50);
    check("bandwidth replies 30000", 90);
    check("dribble requests", 0);
    check("bursts replies 40", 40);
    check("jitter replies 7", 0);
}

#[test]
fn mistakes_are_named() {
    let (relay, _connections) = relay();
    for (line, expected) in [
        ("", "error what is \"\"?"),
        ("smash replies 3", "error unknown command smash"),
        ("close there 3", "error there is no way: requests or replies"),
        ("close replies x", "error x is not a number that fits here"),
    ] {
        assert_eq!(ask(&relay, &format!("{line}\n")), expected);
    }
}
