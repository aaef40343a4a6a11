//! Servers that are gone when the next user gives the first command.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use vaquita_client::{Address, Connection, QueryResponse, State, StatusFlags};
use vaquita_fake_server::Script;
use vaquita_fake_server::packets::{
    AUTOCOMMIT, OFFERED, early_err, err, greeting, local_infile, ok,
};

use crate::{Servers, ask, fresh, queried, query, reset_twice, result, select};

/// A stream whose other side takes so many bytes more, and has closed then; what it has said can still be read.
#[derive(Debug)]
struct Closing {
    stream: UnixStream,
    takes: Arc<AtomicUsize>,
}

impl Read for Closing {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stream.read(buffer)
    }
}

impl Write for Closing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let takes = self.takes.load(Ordering::Relaxed);
        if takes == 0 {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        let written = self.stream.write(&bytes[..bytes.len().min(takes)])?;
        self.takes.store(takes - written, Ordering::Relaxed);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Servers {
    /// Does as [`Servers::take_after_reset`] by way of a [`Closing`].
    fn take_closing(&mut self) -> (Box<Connection>, Arc<AtomicUsize>) {
        let Address::Unix(path) = &self.options.address else { unreachable!() };
        let stream = UnixStream::connect(path).unwrap();
        let takes = Arc::new(AtomicUsize::new(usize::MAX));
        let closing = Closing { stream, takes: Arc::clone(&takes) };
        self.give(Box::new(Connection::over(Box::new(closing), &self.options).unwrap()));
        (self.take_again(), takes)
    }
}

/// The last words of a server that was gone before the query was sent are no answer to it.
#[test]
fn last_words_are_no_answer() {
    for (name, sequence_id, code) in [("a refusal", 1, 1053), ("a goodbye", 0, 4031)] {
        let script = reset_twice().send_as(sequence_id, err(code, b"HY000", "no"));
        let mut servers = Servers::new([script, fresh().send_all(result(&["new"]))]);
        let (mut connection, takes) = servers.take_closing();
        takes.store(0, Ordering::Relaxed);
        let answer = select(&mut connection);
        assert_eq!(answer.unwrap_or_else(|error| panic!("{name}: {error}")), "new", "{name}");
        drop(connection);
        assert_eq!(servers.finish()[1], [query("SELECT 1")], "{name}");
    }
}

#[test]
fn what_may_write_is_not_sent_again_once_a_part_of_it_was_sent() {
    for (sql, bytes, is_repeated) in [
        ("SELECT 1", 0, true),
        ("SELECT 1", 5, true),
        ("INSERT", 0, true),
        ("INSERT", 1, false),
        ("INSERT", 5, false),
    ] {
        let script = reset_twice().send_as(1, ok(AUTOCOMMIT)).send_as(1, ok(AUTOCOMMIT)).close();
        let mut servers = Servers::new([script, fresh().send(ok(AUTOCOMMIT))]);
        let (mut connection, takes) = servers.take_closing();
        takes.store(bytes, Ordering::Relaxed);
        let answer = ask(&mut connection, sql);
        assert_eq!(answer.is_ok(), is_repeated, "{sql} {bytes}: {answer:?}");
        assert_eq!(answer.err().map_or(2006, |error| error.code()), 2006, "{sql} {bytes}");
        drop(connection);
        if !is_repeated {
            servers.connect(); // somebody has to come
        }
        assert_eq!(servers.finish()[1].contains(&query(sql)), is_repeated, "{sql} {bytes}");
    }
}

/// The other connection is one that it would be noticed on, or there is none.
#[test]
fn what_can_not_be_replaced_is_gone() {
    let greets = |field, value: Vec<u8>| {
        let greeting = greeting(OFFERED, "mysql_native_password").with(field, value);
        Script::new().send(greeting).expect_packet()
    };
    let no_backslashes =
        StatusFlags::from_bits(AUTOCOMMIT.bits() | StatusFlags::NO_BACKSLASH_ESCAPES.bits());
    let others = [
        ("it lets nobody in", Script::new().send(early_err(1040, "Too many connections")).close()),
        ("another character set", queried(greets("character_set", vec![8]).send(ok(AUTOCOMMIT)))),
        ("other escapes", queried(Script::greeted().send(ok(no_backslashes)))),
    ];
    for (name, other) in others {
        for sql in ["SELECT 1", "INSERT"] {
            let mut servers = Servers::new([reset_twice().reset(), other.clone()]);
            let mut connection = servers.take_after_reset();
            let error = ask(&mut connection, sql).unwrap_err();
            assert_eq!(error.code(), 2006, "{name}: {error}");
            assert_eq!(connection.state(), State::Broken, "{name}");
            assert_eq!(ask(&mut connection, sql).unwrap_err().code(), 2006, "{name}");
            drop(connection);
            assert!(!servers.finish()[1].contains(&query(sql)), "{name}");
        }
    }
}

/// A query that was sent may have run, and a view calls functions.
#[test]
fn a_query_is_sent_again_only_where_no_word_of_it_is_a_views_name() {
    let question = "SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_TYPE = 'VIEW' \
                    AND TABLE_NAME IN ('SELECT', 'a', 'FROM', 'it''s')";
    let question = question.replace("''s", "\\'s");
    let read = "SELECT a FROM `it's`";
    let refused = fresh().send(err(1044, b"42000", "no")).expect_packet();
    let told = |count: &str| fresh().send_all(result(&[count]));
    for (name, sql, other, is_repeated) in [
        ("no name", "SELECT 1", fresh(), true),
        ("no view", read, told("0").expect_query(), true),
        ("a view", read, told("1").expect_packet(), false),
        ("not told", read, refused, false),
        ("a name, or none", "SELECT a FROM \"b\"", Script::logged_in().expect_packet(), false),
    ] {
        let answered = other.send_all(if is_repeated { result(&["5"]) } else { Vec::new() });
        let script = reset_twice().send_as(1, ok(AUTOCOMMIT)).send_as(1, ok(AUTOCOMMIT));
        let mut servers = Servers::new([script.expect_query().close(), answered]);
        let mut connection = servers.take_after_reset();
        let answer = ask(&mut connection, sql);
        assert_eq!(answer.is_ok(), is_repeated, "{name}: {answer:?}");
        let broken = State::Broken;
        assert_eq!(connection.state() == broken, !is_repeated, "{name}");
        drop(connection);
        let received = &servers.finish()[1];
        assert_eq!(received.contains(&query(sql)), is_repeated, "{name}");
        let is_asked = received.contains(&query(&question));
        assert_eq!(is_asked, sql == read, "{name}: {received:?}");
    }
}

#[test]
fn a_file_is_sent_on_the_connection_that_took_the_place_of_another() {
    let load = "LOAD DATA LOCAL INFILE '/a' INTO TABLE t";
    let asks = fresh().send(local_infile("/a")).expect_packet().send(ok(AUTOCOMMIT));
    let mut servers = Servers::new([reset_twice().reset(), asks]);
    let mut connection = servers.take_after_reset();
    connection.allow_local_infile(true);
    let answer = ask(&mut connection, load);
    assert!(matches!(&answer, Ok(QueryResponse::LocalInfile(name)) if name == b"/a"), "{answer:?}");
    connection.send_local_infile(&mut &b""[..]).unwrap();
    drop(connection);
    assert_eq!(servers.finish()[1], [query(load), Vec::new()]);
}
