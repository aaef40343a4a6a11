//! The program, as other languages' tests use it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use vaquita_fake_server::named;

/// A running program, killed when the test fails.
struct Program {
    child: Child,
    out: BufReader<ChildStdout>,
}

impl Program {
    fn start(arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_vaquita-fake-server"))
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        Program { child, out }
    }

    fn first_line(&mut self) -> String {
        let mut line = String::new();
        self.out.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    fn connect(&mut self) -> TcpStream {
        let port: u16 = self.first_line().parse().unwrap();
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream
    }

    /// Waits for the end: the exit code, the rest of what it printed, and its complaints.
    fn end(mut self) -> (Option<i32>, String, String) {
        let (mut out, mut complaints) = (String::new(), String::new());
        self.out.read_to_string(&mut out).unwrap();
        self.child.stderr.take().unwrap().read_to_string(&mut complaints).unwrap();
        (self.child.wait().unwrap().code(), out, complaints)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn all_scripts_are_listed() {
    let (code, out, _) = Program::start(&["--list"]).end();
    assert_eq!((code, out.lines().count()), (Some(0), named::all().count()));
    for (line, script) in out.lines().zip(named::all()) {
        assert!(line.starts_with(script.name) && line.ends_with(script.description), "{line}");
        assert!(line.contains(&script.expected.to_string()), "{line}");
    }
}

#[test]
fn a_script_is_played_and_the_client_written_down() {
    let mut program = Program::start(&["too-many-connections", "--delivery", "one-byte"]);
    let mut stream = program.connect();
    stream.write_all(b"\xAB\x0A").unwrap();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    let mut received = Vec::new();
    stream.read_to_end(&mut received).unwrap();
    assert_eq!(received, b"\x17\0\0\0\xFF\x10\x04Too many connections");
    let (code, out, _) = program.end();
    assert_eq!((code, out.as_str()), (Some(0), "rest ab0a\nsent 27 played\n"));
}

#[test]
fn several_clients_are_served_in_turn() {
    let mut program = Program::start(&["login-refused", "--connections", "2"]);
    let stream = program.connect();
    let address = stream.peer_addr().unwrap();
    for mut stream in [stream, TcpStream::connect(address).unwrap()] {
        let mut header = [0; 4];
        stream.read_exact(&mut header).unwrap();
        assert_eq!(header[3], 0);
        stream.write_all(b"\x02\0\0\x01me").unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        stream.read_to_end(&mut Vec::new()).unwrap();
    }
    let (code, out, _) = program.end();
    let lines: Vec<_> = out.lines().collect();
    let [received, sent, again, _] = lines[..] else { panic!("{out}") };
    assert_eq!((code, received, again), (Some(0), "received 1 6d65", received));
    assert!(sent.starts_with("sent ") && sent.ends_with(" played"), "{sent}");
}

#[test]
fn a_unix_socket_is_where_it_was_asked_for() {
    let path = std::env::temp_dir().join(format!("vaquita-program-{}", std::process::id()));
    let mut program = Program::start(&["close-at-once", "--socket", path.to_str().unwrap()]);
    assert_eq!(program.first_line(), path.to_str().unwrap());
    let mut stream = std::os::unix::net::UnixStream::connect(&path).unwrap();
    assert_eq!(stream.read_to_end(&mut Vec::new()).unwrap(), 0);
    drop(stream);
    assert_eq!(program.end().0, Some(0));
    assert!(!path.exists());
}

#[test]
fn the_time_is_limited() {
    let begun = Instant::now();
    let mut program = Program::start(&["session", "--seconds", "1"]);
    program.first_line().parse::<u16>().unwrap();
    let (code, out, complaints) = program.end();
    assert_eq!((code, out.as_str()), (Some(1), ""));
    assert!(complaints.contains("timed out"), "{complaints}");
    assert!((1..15).contains(&begun.elapsed().as_secs()));
}

#[test]
fn mistakes_are_explained() {
    let (code, out, complaints) = Program::start(&["no-such-script"]).end();
    assert_eq!((code, out.as_str()), (Some(2), ""));
    assert!(complaints.contains("no script is called no-such-script"), "{complaints}");
    assert!(complaints.contains("usage:"), "{complaints}");
}
