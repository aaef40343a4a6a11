//! The fake server, seen by a client that only reads and writes bytes.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use vaquita_fake_server::{
    Address, ClientPacket, Delivery, Ending, FakeServer, Listener, Recording, Script,
};
use vaquita_protocol::Command;

/// For what should be there at once.
const PATIENCE: Duration = Duration::from_secs(20);

fn connect(address: &Address) -> TcpStream {
    let Address::Tcp(address) = address else { panic!("{address:?} is not TCP") };
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

/// Sends bytes to a server, closes that direction, and gives all that the server sends.
fn talk(script: Script, delivery: Delivery, bytes: &[u8]) -> (Vec<u8>, Recording) {
    let server = FakeServer::tcp(script, delivery).unwrap();
    let mut stream = connect(server.address());
    stream.write_all(bytes).unwrap();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    let mut received = Vec::new();
    stream.read_to_end(&mut received).unwrap();
    (received, server.finish().unwrap())
}

/// Two packets, one of the client, another packet, and raw bytes.
fn conversation() -> Script {
    Script::new().send(*b"ab").send(*b"c").expect_packet().send_as(9, *b"d").send_raw(*b"!").close()
}

const CONVERSATION: &[u8] = b"\x02\0\0\0ab\x01\0\0\x01c\x01\0\0\x09d!";

#[test]
fn every_delivery_sends_the_same() {
    let client = b"\x03\0\0\x05xyz";
    for delivery in
        [Delivery::WHOLE, Delivery::ONE_BYTE, Delivery::delayed(Duration::from_millis(1))]
    {
        let (received, recording) = talk(conversation(), delivery, client);
        assert_eq!(received, CONVERSATION, "{delivery:?}");
        let packet = ClientPacket { sequence_id: 5, payload: b"xyz".to_vec() };
        assert_eq!(recording.packets, [packet]);
        assert_eq!(recording.sent_bytes, CONVERSATION.len() as u64);
        assert_eq!((recording.ending, recording.rest), (Ending::Played, vec![]));
    }
}

#[test]
fn a_cut_is_where_it_should_be() {
    for delivery in [Delivery::WHOLE, Delivery::ONE_BYTE] {
        for length in 0..=CONVERSATION.len() {
            let delivery = delivery.cut_after(length as u64);
            let (received, recording) = talk(conversation(), delivery, b"\x03\0\0\x05xyz");
            assert_eq!(received, &CONVERSATION[..length]);
            let is_whole = length == CONVERSATION.len();
            assert_eq!(recording.ending, if is_whole { Ending::Played } else { Ending::Cut });
        }
    }
}

#[test]
fn the_ending_tells_who_ended_it() {
    let check = |script: Script, bytes: &[u8], ending: Ending, packets: usize, rest: &[u8]| {
        let (_, recording) = talk(script, Delivery::WHOLE, bytes);
        assert_eq!((recording.ending, recording.packets.len()), (ending, packets));
        assert_eq!(recording.rest, rest);
    };
    let ping = || Script::new().ping();
    check(ping(), b"\x01\0\0\0\x0E", Ending::Played, 1, b"");
    check(ping(), b"\x01\0\0\0\x0E\x01\0\0\0\x01", Ending::Played, 1, b"\x01\0\0\0\x01");
    check(ping(), b"\x01\0\0\0\x03", Ending::Unexpected, 1, b"");
    check(ping(), b"\x01\0\0\x01\x0E", Ending::Unexpected, 1, b"");
    check(ping(), b"", Ending::ClientLeft, 0, b"");
    check(ping(), b"\x02\0\0\0\x0E", Ending::ClientLeft, 0, b"");
    check(Script::new(), b"anything", Ending::Played, 0, b"anything");
}

#[test]
fn payloads_are_split_where_they_have_to_be() {
    let (received, _) =
        talk(Script::new().send(vec![b'x'; 0xFF_FFFF]).close(), Delivery::WHOLE, b"");
    assert_eq!(received.len(), 4 + 0xFF_FFFF + 4);
    assert_eq!(received[..4], [0xFF, 0xFF, 0xFF, 0]);
    assert_eq!(received[received.len() - 4..], [0, 0, 0, 1]);
}

#[test]
fn a_reset_is_one() {
    let server = FakeServer::tcp(Script::new().expect_packet().reset(), Delivery::WHOLE).unwrap();
    let mut stream = connect(server.address());
    stream.write_all(b"\x01\0\0\0\x0E").unwrap();
    let error = stream.read(&mut [0]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConnectionReset);
    assert_eq!(server.finish().unwrap().ending, Ending::Played);
}

#[test]
fn a_unix_socket_stands_in_a_folder_that_goes() {
    let script = Script::new().expect_command(Command::Quit).send(*b"x").close();
    let server = FakeServer::unix(script, Delivery::WHOLE).unwrap();
    let Address::Unix(path) = server.address().clone() else { panic!("this is no unix socket") };
    let mut stream = UnixStream::connect(&path).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.write_all(b"\x01\0\0\0\x01").unwrap();
    let mut received = Vec::new();
    stream.read_to_end(&mut received).unwrap();
    assert_eq!(received, b"\x01\0\0\x01x");
    drop(stream);
    assert_eq!(server.finish().unwrap().ending, Ending::Played);
    assert!(!path.parent().unwrap().exists());
}

#[test]
fn nothing_lasts_longer_than_its_deadline() {
    let soon = || Instant::now() + Duration::from_millis(50);
    let begun = Instant::now();
    let listener = Listener::tcp().unwrap();
    let nobody = listener.serve(&Script::new(), Delivery::WHOLE, soon());
    assert_eq!(nobody.unwrap_err().kind(), ErrorKind::TimedOut);
    let _stream = connect(listener.address());
    let silent = listener.serve(&Script::new(), Delivery::WHOLE, soon()).unwrap();
    assert_eq!(silent.ending, Ending::TimedOut);
    let _stream = connect(listener.address());
    let waiting = listener.serve(&Script::new().expect_packet(), Delivery::WHOLE, soon()).unwrap();
    assert_eq!(waiting.ending, Ending::TimedOut);
    let _stream = connect(listener.address());
    let late = Delivery::delayed(Duration::from_secs(3600));
    let sleeping = listener.serve(&conversation(), late, soon()).unwrap();
    assert_eq!(sleeping.ending, Ending::TimedOut);
    let _stream = connect(listener.address());
    // More than the sockets' buffers take.
    let flood = Script::new().send(vec![0; 64 << 20]);
    let blocked = listener.serve(&flood, Delivery::WHOLE, soon()).unwrap();
    assert_eq!(blocked.ending, Ending::TimedOut);
    assert!(begun.elapsed() < PATIENCE);
}
