//! LOCAL INFILE on real servers: what is stored, and what is not when a file breaks off.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

mod servers;

use std::io::{self, Read};

use servers::{on_each, run, text};
use vaquita_client::{Connection, Error, QueryResponse, State};

/// Sends a query that names a file, and the file; what the server says.
fn load(connection: &mut Connection, sql: &str, file: &mut dyn Read) -> Result<(), Error> {
    connection.allow_local_infile(true);
    connection.send_query(sql.as_bytes())?;
    answer(connection, file)
}

fn answer(connection: &mut Connection, file: &mut dyn Read) -> Result<(), Error> {
    let response = connection.read_query_response()?;
    assert!(matches!(response, QueryResponse::LocalInfile(_)), "the server asks for the file");
    connection.send_local_infile(file)
}

const NUMBERS: &str = "LOAD DATA LOCAL INFILE '/no/such/file' INTO TABLE numbers";

fn lines(range: std::ops::Range<u32>) -> Vec<u8> {
    range.map(|number| format!("{number}\n")).collect::<String>().into_bytes()
}

#[test]
fn a_file_is_stored() {
    on_each(|server, connection| {
        run(connection, "CREATE TEMPORARY TABLE numbers (n INT PRIMARY KEY) ENGINE=InnoDB");
        load(connection, NUMBERS, &mut &lines(0..100_000)[..]).unwrap();
        assert_eq!(connection.session().affected_rows, 100_000);
        assert_eq!(
            connection.session().info,
            b"Records: 100000  Deleted: 0  Skipped: 0  Warnings: 0"
        );
        assert_eq!(text(connection, "SELECT SUM(n) FROM numbers"), "4999950000");
        // What is there already makes a warning each; MySQL 5.6 leaves it out without a word.
        let warnings = if server.name == "mysql56" { 0 } else { 2 };
        load(connection, NUMBERS, &mut &lines(99_998..100_002)[..]).unwrap();
        let session = connection.session();
        assert_eq!((session.affected_rows, session.warnings), (2, warnings));
        load(connection, NUMBERS, &mut io::empty()).unwrap();
        assert_eq!(connection.session().affected_rows, 0);
    });
}

#[test]
fn several_statements_ask_in_their_order() {
    on_each(|_, connection| {
        run(connection, "CREATE TEMPORARY TABLE numbers (n INT PRIMARY KEY) ENGINE=InnoDB");
        connection.set_multi_statements(true).unwrap();
        let two = "/*!40000 LOAD DATA LOCAL INFILE '/a' INTO TABLE numbers */; SELECT 5; \
            LOAD /* ; */ DATA CONCURRENT LOCAL INFILE '/it''s \\\\ \\'b' INTO TABLE numbers; SELECT 6";
        connection.allow_local_infile(true);
        connection.send_query(two.as_bytes()).unwrap();
        answer(connection, &mut &b"1\n2\n"[..]).unwrap();
        assert_eq!(connection.state(), State::NextResultPending);
        connection.read_query_response().unwrap();
        connection.discard_result().unwrap();
        let response = connection.read_query_response().unwrap();
        assert!(matches!(response, QueryResponse::LocalInfile(name) if name == b"/it's \\ 'b"));
        connection.refuse_local_infile().unwrap();
        assert_eq!(connection.session().affected_rows, 0);
        connection.read_query_response().unwrap();
        connection.discard_result().unwrap();
        assert_eq!(connection.state(), State::Ready);
        assert_eq!(text(connection, "SELECT COUNT(*) FROM numbers"), "2");
    });
}

#[test]
fn a_file_that_breaks_off_stores_nothing() {
    on_each(|server, connection| {
        run(connection, "DROP TABLE IF EXISTS numbers");
        run(connection, "CREATE TABLE numbers (n INT PRIMARY KEY) ENGINE=InnoDB");
        let good = lines(0..100_000);
        let mut file = (&good[..]).chain(BreaksOff);
        let error = load(connection, NUMBERS, &mut file).unwrap_err();
        assert_eq!((error.code(), connection.state()), (2000, State::Broken));
        let mut other = server.connect();
        // The server has given the statement up when it gives the table away.
        run(&mut other, "RENAME TABLE numbers TO numbers_now");
        assert_eq!(text(&mut other, "SELECT COUNT(*) FROM numbers_now"), "0");
        run(&mut other, "DROP TABLE numbers_now");
    });
}

struct BreaksOff;

impl Read for BreaksOff {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::from_raw_os_error(5))
    }
}

#[test]
fn a_refusal_before_the_file_is_the_servers() {
    on_each(|_, connection| {
        connection.allow_local_infile(true);
        let sql = "LOAD DATA LOCAL INFILE '/a' INTO TABLE no_such_table";
        connection.send_query(sql.as_bytes()).unwrap();
        assert_eq!(connection.read_query_response().unwrap_err().code(), 1146);
        assert_eq!(connection.state(), State::Ready);
    });
}
