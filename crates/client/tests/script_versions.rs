//! Servers of versions that no test has at hand, as those named after the year: whatever depends on a version is right for them.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

mod fake;
mod limited;

use std::sync::Arc;
use std::time::Duration;

use fake::Over;
use limited::{UUID, identity};
use vaquita_client::{Capabilities, ColumnType, Connection, State};
use vaquita_fake_server::packets::{
    AUTOCOMMIT, OFFERED, column, column_count, eof, err, greeting, ok, row,
};
use vaquita_fake_server::{Delivery, Script};
use vaquita_protocol::Command;

/// Lets the client in as a server of this version.
fn logged_in(version: &str, offered: Capabilities) -> Script {
    let version = [version.as_bytes(), &[0]].concat();
    let greeting = greeting(offered, "mysql_native_password").with("server version", version);
    Script::new().send(greeting).expect_packet().send(ok(AUTOCOMMIT))
}

fn mariadb() -> Capabilities {
    OFFERED.without(Capabilities::LONG_PASSWORD)
}

#[test]
fn a_version_is_a_number_too() {
    let check = |greeted: &str, plain: &str, number: u64| {
        let server =
            fake::serve(&Arc::new(logged_in(greeted, OFFERED)), Over::Unix, Delivery::WHOLE);
        let connection = Connection::connect(&fake::options(&server)).unwrap();
        assert_eq!(connection.server_version(), plain.as_bytes());
        assert_eq!(connection.server_version_number(), number, "{greeted}");
    };
    check("26.1.0", "26.1.0", 260_100);
    check("26.12.3-commercial", "26.12.3-commercial", 261_203);
    check("8.0.33", "8.0.33", 80_033);
    check("5.6.14-log", "5.6.14-log", 50_614);
    check("12.3.1-MariaDB", "12.3.1-MariaDB", 120_301);
    check("5.5.5-12.0.2-MariaDB", "12.0.2-MariaDB", 120_002);
    check("26.1", "26.1", 260_100);
    check("x", "x", 0);
    check("", "", 0);
    check("99999999999999999999999.9.9", "99999999999999999999999.9.9", u64::MAX);
}

/// What a server is told of the limit of queries, and how: MySQL in milliseconds, MariaDB in seconds.
#[test]
fn the_limit_of_queries_is_told_in_the_servers_words() {
    let check = |version: &str, offered: Capabilities, told: &str| {
        let mut values = identity(Some(b"0"), b"7", UUID).to_vec();
        if told.contains("max_statement_time") {
            // MariaDB is asked for no UUID.
            values.remove(3);
        }
        let script = logged_in(version, offered)
            .expect_query()
            .send(column_count(values.len() as u64))
            .send_all(values.iter().map(|_| column("a", ColumnType::VAR_STRING)))
            .send(eof(AUTOCOMMIT))
            .send(row(&values))
            .send(eof(AUTOCOMMIT))
            .expect_query()
            .send(ok(AUTOCOMMIT));
        let server = fake::serve(&Arc::new(script), Over::Unix, Delivery::WHOLE);
        let mut options = fake::options(&server);
        options.query_timeout = Some(Duration::from_secs(2));
        drop(Connection::connect(&options).unwrap());
        let said = server.finish().unwrap().packets;
        assert_eq!(String::from_utf8_lossy(&said[2].payload[1..]), told, "{version}");
    };
    let mysql = "SET SESSION max_execution_time = 2000";
    let in_seconds = "SET SESSION max_statement_time = 2.000000";
    check("26.1.0", OFFERED, mysql);
    check("9.7.0", OFFERED, mysql);
    check("12.3.1-MariaDB", mariadb(), in_seconds);
    check("5.5.5-12.0.2-MariaDB", mariadb(), in_seconds);
    // A proxy has its own bits, an owner his own version.
    check("12.3.1-MariaDB", OFFERED, in_seconds);
    check("26.1.0", mariadb(), in_seconds);
}

/// A server without the commands is asked by statements, and known by its answer, not by its version.
#[test]
fn commands_that_are_gone_are_statements() {
    for (version, offered) in [("26.1.0", OFFERED), ("12.3.1-MariaDB", mariadb())] {
        let unknown = || err(1047, b"08S01", "Unknown command");
        let script = logged_in(version, offered)
            .expect_command(Command::ProcessKill(77))
            .send(unknown())
            .expect_query()
            .send(ok(AUTOCOMMIT))
            .expect_command(Command::Refresh(1))
            .send(unknown())
            .expect_query()
            .send(ok(AUTOCOMMIT));
        let server = fake::serve(&Arc::new(script), Over::Unix, Delivery::WHOLE);
        let mut connection = Connection::connect(&fake::options(&server)).unwrap();
        connection.process_kill(77).unwrap();
        connection.refresh(1).unwrap();
        assert_eq!(connection.state(), State::Ready);
        drop(connection);
        let said = server.finish().unwrap().packets;
        assert_eq!(said[2].payload, b"\x03KILL 77", "{version}");
        assert_eq!(said[4].payload, b"\x03FLUSH PRIVILEGES", "{version}");
    }
}
