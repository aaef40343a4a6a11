//! Commands besides queries, and init commands, against scripted servers.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

mod fake;

use std::sync::Arc;
use std::time::Duration;

use fake::Over;
use vaquita_client::{Connection, codes};
use vaquita_fake_server::packets::{
    AUTOCOMMIT, MORE_RESULTS, OFFERED, column, column_count, eof, greeting, ok,
};
use vaquita_fake_server::{Delivery, Script};
use vaquita_protocol::{Capabilities, ColumnType};

/// The greeting of PHP's own tests, a MariaDB 10.5.18, is answered with no flag more than stock's; a 10.6 is asked to track.
#[test]
fn a_server_is_asked_for_what_stock_asks_and_session_tracking() {
    let check = |offered: u64, expected: [u8; 4]| {
        let script = Script::new()
            .send(greeting(Capabilities::from_bits(offered), "mysql_native_password"))
            .expect_packet()
            .send(ok(AUTOCOMMIT));
        let server = fake::serve(&Arc::new(script), Over::Unix, Delivery::WHOLE);
        drop(Connection::connect(&fake::options(&server)).unwrap());
        let recording = server.finish().unwrap();
        assert_eq!(recording.packets[0].payload[..4], expected, "{offered:x}");
    };
    check(0xF_81FF_F7FE, [0x85, 0xA2, 0x1A, 0]);
    check(0x1D_81FF_F7FE, [0x85, 0xA2, 0x9A, 0]);
    check(OFFERED.bits(), [0x85, 0xA2, 0x9A, 0]);
    check(0x001A_A285, [0x85, 0xA2, 0x1A, 0]);
}

/// Connects with one init command; the error's number.
fn init_command(script: Script, delivery: Delivery, read_timeout: Duration) -> Option<u16> {
    let server = fake::serve(&Arc::new(script), Over::Unix, delivery);
    let mut options = fake::options(&server);
    options.init_commands = vec![b"CALL setup".to_vec()];
    options.read_timeout = Some(read_timeout);
    Connection::connect(&options).err().map(|error| error.code())
}

fn results(count: usize) -> Script {
    Script::queried().send_all(std::iter::repeat_n(ok(MORE_RESULTS), count)).send(ok(AUTOCOMMIT))
}

#[test]
fn an_init_command_has_results_and_time_without_end_nowhere() {
    let check = |count, expected| {
        let code = init_command(results(count), Delivery::WHOLE, fake::PATIENCE);
        assert_eq!(code, expected, "{count} results more");
    };
    check(0, None);
    check(999, None);
    check(1000, Some(codes::MALFORMED_PACKET));
    check(5000, Some(codes::MALFORMED_PACKET));
    // Each packet comes within the time of a read, all of them don't.
    let slow = Delivery::delayed(Duration::from_millis(5));
    let code = init_command(results(900), slow, Duration::from_millis(300));
    assert_eq!(code, Some(codes::SERVER_GONE_ERROR));
}

/// What asks for no rows gets none: SET NAMES answered by a result would be taken for a change of the character set.
#[test]
fn a_statement_of_the_drivers_own_has_no_rows() {
    let rows = Script::queried()
        .send(column_count(1))
        .send(column("a", ColumnType::LONG))
        .send(eof(AUTOCOMMIT));
    for script in [rows, Script::queried().send(ok(MORE_RESULTS))] {
        let server = fake::serve(&Arc::new(script), Over::Unix, Delivery::WHOLE);
        let mut connection = Connection::connect(&fake::options(&server)).unwrap();
        let gbk = vaquita_client::Charset::by_name(b"gbk").unwrap();
        assert_eq!(connection.set_charset(gbk).unwrap_err().code(), codes::MALFORMED_PACKET);
        assert_eq!(connection.state(), vaquita_client::State::Broken);
        assert_eq!(connection.charset().name, "utf8mb4");
    }
}
