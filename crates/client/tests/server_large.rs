//! Packets at and beyond 16 MiB on real servers, in both directions, and statements that a server does not take.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

mod servers;

use servers::{Server, text};
use vaquita_client::{Capabilities, Connection, State};

/// The most that one packet holds.
const PACKET_BYTES: usize = 0xFF_FFFF;
/// What a value has in front of it in a row: up to 16 MiB, and beyond.
const LENGTH_BYTES: usize = 4;
const LONG_LENGTH_BYTES: usize = 9;

/// Each server over both transports, each with another packet at the end of rows.
fn on_each_way(test: impl Fn(&str, &mut Connection)) {
    for server in Server::all() {
        let ways =
            [(server.tcp(), Capabilities::DEPRECATE_EOF), (server.unix(), Capabilities::NONE)];
        for (address, capabilities) in ways {
            let mut options = server.options(address);
            options.capabilities = capabilities;
            test(server.name, &mut Connection::connect(&options).unwrap());
        }
    }
}

#[test]
fn values_of_any_length_arrive() {
    let lengths = [
        PACKET_BYTES - LENGTH_BYTES - 1,
        PACKET_BYTES - LENGTH_BYTES, // a row that fills one packet: an empty one follows
        PACKET_BYTES - LENGTH_BYTES + 1,
        PACKET_BYTES + 1,                     // from here on a row begins with 0xFE
        2 * PACKET_BYTES - LONG_LENGTH_BYTES, // two packets, and an empty one
        64 << 20,
    ];
    on_each_way(|server, connection| {
        for length in lengths {
            // Not the values themselves in a UNION: MySQL 5.6 cuts them at 16 MiB there.
            let numbers = format!("SELECT {length} AS n UNION ALL SELECT 5");
            let sql = format!("SELECT REPEAT('v', n) FROM ({numbers}) AS numbers");
            connection.send_query(sql.as_bytes()).unwrap();
            connection.read_query_response().unwrap();
            let row = connection.next_row().unwrap().expect("a long row is no end");
            let value = row.values().next().unwrap().unwrap();
            assert!(value == vec![b'v'; length], "{server}: {length} bytes");
            let row = connection.next_row().unwrap().unwrap();
            assert_eq!(row.values().next().unwrap(), Some(&b"vvvvv"[..]));
            assert!(connection.next_row().unwrap().is_none());
        }
    });
}

#[test]
fn statements_of_any_length_are_taken() {
    on_each_way(|server, connection| {
        for length in
            [PACKET_BYTES - 2, PACKET_BYTES - 1, PACKET_BYTES, 2 * PACKET_BYTES - 1, 64 << 20]
        {
            let (head, tail) = ("SELECT LENGTH('", "')");
            let value = "v".repeat(length - head.len() - tail.len());
            let sql = format!("{head}{value}{tail}");
            assert_eq!(text(connection, &sql), value.len().to_string(), "{server}");
        }
    });
}

#[test]
fn a_server_says_what_is_too_long_for_it() {
    on_each_way(|server, connection| {
        let most: usize = text(connection, "SELECT @@max_allowed_packet").parse().unwrap();
        // So much more that the server has closed long before all is sent.
        let sql = "x".repeat(most + (32 << 20));
        let sent = connection.send_query(sql.as_bytes());
        let error = sent.and_then(|()| connection.read_query_response().map(drop)).unwrap_err();
        assert_eq!((error.code(), error.sqlstate()), (1153, *b"08S01"), "{server}: {error:?}");
        assert!(!error.nothing_sent());
        if connection.state() != State::Broken {
            assert_eq!(connection.ping().unwrap_err().code(), 2006);
        }
        assert_eq!(connection.state(), State::Broken, "{server}");
    });
}
