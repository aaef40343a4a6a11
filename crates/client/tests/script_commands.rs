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
use vaquita_client::{Connection, State, codes};
use vaquita_fake_server::packets::{
    AUTOCOMMIT, MORE_RESULTS, OFFERED, THREAD_ID, auth_switch, column, column_count, eof, err,
    greeting, ok,
};
use vaquita_fake_server::{Delivery, Payload, Script};
use vaquita_protocol::{Capabilities, ColumnType, Command, SetOption, StatusFlags};

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
        assert_eq!(connection.state(), State::Broken);
        assert_eq!(connection.charset().name, "utf8mb4");
    }
}

/// MySQL 9.7 does not know COM_PROCESS_KILL and COM_REFRESH any more; statements do the same.
#[test]
fn what_a_command_cannot_say_is_said_as_a_statement() {
    let unknown = || err(1047, b"08S01", "Unknown command");
    let script = Script::logged_in()
        .expect_command(Command::ProcessKill(0))
        .send(unknown())
        .expect_query()
        .send(ok(AUTOCOMMIT))
        .expect_query()
        .send(ok(AUTOCOMMIT))
        .expect_command(Command::Refresh(0))
        .send(unknown())
        .expect_query()
        .send(ok(AUTOCOMMIT))
        .expect_query()
        .send(err(1227, b"42000", "Access denied"))
        .expect_command(Command::Refresh(0))
        .send(unknown())
        .ping();
    let server = fake::serve(&Arc::new(script), Over::Unix, Delivery::WHOLE);
    let mut connection = Connection::connect(&fake::options(&server)).unwrap();
    connection.process_kill(77).unwrap();
    connection.process_kill((1 << 32) + 77).unwrap();
    assert_eq!(connection.refresh(1 | 16 | 32).unwrap_err().code(), 1227);
    connection.refresh(0).unwrap();
    connection.ping().unwrap();
    drop(connection);
    let sent: Vec<_> = server.finish().unwrap().packets.into_iter().map(|it| it.payload).collect();
    assert_eq!(sent[2], b"\x03KILL 77");
    assert_eq!(sent[3], b"\x03KILL 4294967373");
    assert_eq!(sent[5], b"\x03FLUSH PRIVILEGES");
    assert_eq!(sent[6], b"\x03FLUSH STATUS");
}

/// A greeting has room for half of an id: whether a longer one is one's own is known by what becomes of it.
#[test]
fn who_kills_itself_is_closed_however_long_its_id() {
    let own = (1 << 32) + u64::from(THREAD_ID);
    let check = |id: u64, answer: Option<Payload>, expected: Result<State, u16>| {
        let script = Script::logged_in().expect_query();
        let script = match answer {
            Some(answer) => script.send(answer),
            None => script.close(),
        };
        let server = fake::serve(&Arc::new(script), Over::Unix, Delivery::WHOLE);
        let mut connection = Connection::connect(&fake::options(&server)).unwrap();
        let killed = connection.process_kill(id).map_err(|error| error.code());
        assert_eq!(killed.map(|()| connection.state()), expected, "{id}");
        drop(connection);
        let recording = server.finish().unwrap();
        assert_eq!(recording.packets[1].payload, format!("\x03KILL {id}").as_bytes());
        let goodbye = if expected == Ok(State::QuitSent) { &b""[..] } else { b"\x01\0\0\0\x01" };
        assert_eq!(recording.rest, goodbye, "{id}");
    };
    let interrupted = || err(1317, b"70100", "Query execution was interrupted");
    let killed = || err(1927, b"70100", "Connection was killed");
    for answer in [Some(interrupted()), Some(killed()), None] {
        check(own, answer, Ok(State::QuitSent));
    }
    check(own, Some(ok(AUTOCOMMIT)), Ok(State::Ready));
    check(own, Some(err(1095, b"HY000", "You are not owner")), Err(1095));
    check(own + 1, Some(interrupted()), Err(1317));
}

#[test]
fn an_answer_of_another_kind_ends_the_connection_or_is_an_error() {
    let refused = Script::logged_in()
        .expect_command(Command::Statistics)
        .send(err(1227, b"42000", "Access denied"))
        .ping();
    let server = fake::serve(&Arc::new(refused), Over::Unix, Delivery::WHOLE);
    let mut connection = Connection::connect(&fake::options(&server)).unwrap();
    assert_eq!(connection.statistics().unwrap_err().code(), 1227);
    connection.ping().unwrap();
    // MySQL 5.6 does not know it.
    let unknown = Script::logged_in()
        .expect_command(Command::ResetConnection)
        .send(err(1047, b"08S01", "Unknown command"))
        .ping();
    let server = fake::serve(&Arc::new(unknown), Over::Unix, Delivery::WHOLE);
    let mut connection = Connection::connect(&fake::options(&server)).unwrap();
    assert_eq!(connection.reset_connection().unwrap_err().code(), 1047);
    connection.ping().unwrap();
}

/// A server that asks for a plugin that nobody has waits for an answer that can't be given: the connection is of no use any more. One that
/// refuses may have begun the session anew: it is told the character set again, or not used any more.
#[test]
fn a_change_of_users_that_comes_to_nothing_breaks_the_connection() {
    let check = |answer: vaquita_fake_server::Payload, code: u16| {
        let script = Script::logged_in().expect_packet().send(answer).close();
        let server = fake::serve(&Arc::new(script), Over::Unix, Delivery::WHOLE);
        let mut connection = Connection::connect(&fake::options(&server)).unwrap();
        let error = connection.change_user(b"you", b"secret", b"").unwrap_err();
        assert_eq!(error.code(), code, "{error}");
        assert_eq!(connection.state(), State::Broken);
    };
    check(auth_switch("no_such_plugin", b"01234567890123456789"), codes::NOT_IMPLEMENTED);
    check(err(1045, b"28000", "Access denied"), 1045);
    check(column_count(5), codes::MALFORMED_PACKET);
}

/// It refuses, and says nothing more; then it may be silent for as long as connecting may take, not for as long as a query may.
#[test]
fn a_server_that_is_silent_after_refusing_a_change_of_users_is_given_up() {
    let refused = err(1045, b"28000", "Access denied");
    let script = Script::logged_in().expect_packet().send(refused).expect_packet();
    let server = fake::serve(&Arc::new(script), Over::Unix, Delivery::WHOLE);
    let mut options = fake::options(&server);
    options.connect_timeout = Some(Duration::from_millis(200));
    options.read_timeout = None;
    let mut connection = Connection::connect(&options).unwrap();
    assert_eq!(connection.change_user(b"you", b"secret", b"").unwrap_err().code(), 1045);
    assert_eq!(connection.state(), State::Broken);
}

/// A script would ask for the next result for ever.
#[test]
fn a_command_that_is_no_statement_has_one_result_whatever_is_said() {
    let multi = Command::SetOption(SetOption::MultiStatementsOn);
    let script = Script::greeted()
        .send(ok(MORE_RESULTS))
        .expect_command(Command::Ping)
        .send(ok(MORE_RESULTS))
        .expect_command(multi)
        .send(eof(MORE_RESULTS));
    let server = fake::serve(&Arc::new(script), Over::Unix, Delivery::WHOLE);
    let mut connection = Connection::connect(&fake::options(&server)).unwrap();
    let says_more = |connection: &Connection| {
        connection.session().status.contains(StatusFlags::MORE_RESULTS_EXISTS)
    };
    assert!(!says_more(&connection) && !connection.more_results());
    connection.ping().unwrap();
    assert!(!says_more(&connection) && !connection.more_results());
    connection.set_multi_statements(true).unwrap();
    assert!(!says_more(&connection) && !connection.more_results());
}
