//! Servers that take a query, or a local file, and do not read it: the limit of queries holds for writing too.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

mod fake;
mod limited;

use std::io::{self, Read, Write};
use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use std::thread;
use std::time::{Duration, Instant};

use limited::{answer, lets_in};
use vaquita_client::{Address, ConnectOptions, Connection, QueryResponse, State};
use vaquita_fake_server::packets::{AUTOCOMMIT, ok};
use vaquita_protocol::Capabilities;

const TIMEOUT: Duration = Duration::from_millis(100);

/// Takes a query to its log-in's end and no further: it reads nothing more.
fn speak_until_query<S: Read + Write>(mut stream: S, before_query: &[Option<Vec<u8>>]) -> S {
    for said in before_query {
        stream.write_all(said.as_ref().unwrap()).unwrap();
        assert!(stream.read(&mut [0; 4096]).unwrap() > 0);
    }
    stream
}

/// A query that a server does not read to its end waits no longer than any other, whatever the write timeout.
#[test]
fn a_query_that_is_not_read_takes_no_longer_than_the_limit() {
    let folder = std::env::temp_dir().join(format!("vaquita-unread-{}", std::process::id()));
    std::fs::create_dir(&folder).unwrap();
    let path = folder.join("server.sock");
    let (tcp, unix) =
        (TcpListener::bind("127.0.0.1:0").unwrap(), UnixListener::bind(&path).unwrap());
    let port = tcp.local_addr().unwrap().port();
    let serving = thread::spawn(move || {
        // Held until both clients are done.
        let tcp = speak_until_query(tcp.accept().unwrap().0, &lets_in());
        (tcp, speak_until_query(unix.accept().unwrap().0, &lets_in()))
    });
    let large = vec![b'x'; 24 << 20];
    for address in [Address::Tcp { host: "127.0.0.1".to_owned(), port }, Address::Unix(path)] {
        let options = ConnectOptions {
            user: b"me".to_vec(),
            connect_timeout: Some(fake::PATIENCE),
            read_timeout: Some(fake::PATIENCE),
            write_timeout: Some(fake::PATIENCE),
            query_timeout: Some(TIMEOUT),
            ..ConnectOptions::new(address)
        };
        let mut connection = Connection::connect(&options).unwrap();
        let begun = Instant::now();
        let error = connection.send_query(&large).unwrap_err();
        assert!(begun.elapsed() < fake::PATIENCE, "it took {:?}", begun.elapsed());
        assert_eq!(error.code(), 2013, "{error}");
        assert!(error.to_string().contains("has not read all of it"), "{error}");
        assert_eq!(connection.state(), State::Broken);
    }
    drop(serving.join().unwrap());
    std::fs::remove_dir_all(folder).unwrap();
}

/// Nor does a local file that a server asks for and does not read.
#[test]
fn a_local_file_that_is_not_read_takes_no_longer_than_the_limit() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let serving = thread::spawn(move || {
        let mut stream = speak_until_query(listener.accept().unwrap().0, &lets_in());
        stream.write_all(&answer(1, &[b"\xfbf".to_vec()]).unwrap()).unwrap();
        stream
    });
    let options = ConnectOptions {
        user: b"me".to_vec(),
        capabilities: Capabilities::LOCAL_FILES,
        read_timeout: Some(fake::PATIENCE),
        write_timeout: Some(fake::PATIENCE),
        // Time for the request to come, also on a busy machine.
        query_timeout: Some(Duration::from_secs(1)),
        ..ConnectOptions::new(Address::Tcp { host: "127.0.0.1".to_owned(), port })
    };
    let mut connection = Connection::connect(&options).unwrap();
    connection.allow_local_infile(true);
    connection.send_query(b"LOAD DATA LOCAL INFILE 'f' INTO TABLE t").unwrap();
    let asked = connection.read_query_response().unwrap();
    assert!(matches!(asked, QueryResponse::LocalInfile(_)), "{asked:?}");
    let begun = Instant::now();
    let error = connection.send_local_infile(&mut io::repeat(b'x')).unwrap_err();
    assert!(begun.elapsed() < fake::PATIENCE, "it took {:?}", begun.elapsed());
    assert_eq!((error.code(), connection.state()), (2013, State::Broken), "{error}");
    drop(serving.join().unwrap());
}

/// A time that is longer than any clock goes is no limit, and none at all is a short one.
#[test]
fn a_limit_may_be_any_time() {
    // More than the kernel takes at once, and less than one packet holds.
    let query = vec![b'x'; (16 << 20) - 100];
    let length = query.len() + 1;
    let converse = |limit: Duration, answers: bool| {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let serving = thread::spawn(move || {
            let [greets, logs_in, tells_identity] = lets_in();
            let mut stream = speak_until_query(listener.accept().unwrap().0, &[greets, logs_in]);
            stream.write_all(&tells_identity.unwrap()).unwrap();
            let mut packet = vec![0; 4 + length];
            stream.read_exact(&mut packet).unwrap();
            if answers {
                stream.write_all(&answer(1, &[ok(AUTOCOMMIT).into()]).unwrap()).unwrap();
            } else {
                // Until the client has gone.
                stream.set_read_timeout(Some(fake::PATIENCE)).unwrap();
                let _ = stream.read(&mut [0]);
            }
        });
        let ever = Some(Duration::MAX);
        let mut connection = Connection::connect(&ConnectOptions {
            user: b"me".to_vec(),
            connect_timeout: ever,
            read_timeout: Some(limit),
            write_timeout: ever,
            query_timeout: ever,
            ..ConnectOptions::new(Address::Tcp { host: "127.0.0.1".to_owned(), port })
        })
        .unwrap();
        connection.send_query(&query).unwrap();
        let outcome = connection.read_query_response().map(drop);
        drop(connection);
        serving.join().unwrap();
        outcome
    };
    for limit in [Duration::MAX, Duration::from_secs(i64::MAX as u64)] {
        converse(limit, true).unwrap();
    }
    for limit in [Duration::ZERO, Duration::from_nanos(1)] {
        let begun = Instant::now();
        assert_eq!(converse(limit, false).unwrap_err().code(), 2006, "{limit:?}");
        assert!(begun.elapsed() < fake::PATIENCE / 2, "{limit:?}");
    }
}
