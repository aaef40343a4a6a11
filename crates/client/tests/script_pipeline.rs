//! Pipelines against scripted servers: death at each byte, replies out of turn, errors in the middle, answers without end.
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
use vaquita_client::{ConnectOptions, Connection, Done, Error, Pipelined, State, Until};
use vaquita_fake_server::packets::{
    AUTOCOMMIT, MORE_RESULTS, column, column_count, eof, err, local_infile, ok, row,
};
use vaquita_fake_server::{Compression, Delivery, FakeServer, Payload, Recording, Script};
use vaquita_protocol::ColumnType;

/// What became of a command: how many rows it has, or its error's number.
type Outcome = Result<Option<u64>, u16>;

fn outcome(done: Result<Done, Error>) -> Outcome {
    done.map(|done| done.rows.map(|rows| rows.rows())).map_err(|error| error.code())
}

/// Sends so many queries at once; what became of each, and what the server got.
fn pipeline(
    server: FakeServer,
    options: &ConnectOptions,
    sql: &[&str],
) -> (Vec<Outcome>, State, Recording) {
    let mut connection = Connection::connect(options).unwrap();
    let mut outcomes = Vec::new();
    let commands = sql.iter().map(|sql| Pipelined::Query(sql.as_bytes()));
    connection.pipeline(commands, Until::End, |done| outcomes.push(outcome(done))).unwrap();
    let state = connection.state();
    drop(connection);
    (outcomes, state, server.finish().unwrap())
}

fn check(script: Script, sql: &[&str], expected: &[Outcome], state: State) {
    let script = Arc::new(script);
    for over in [Over::Tcp, Over::Unix] {
        for delivery in [Delivery::WHOLE, Delivery::ONE_BYTE] {
            let server = fake::serve(&script, over, delivery);
            let options = fake::options(&server);
            let (outcomes, ended, _) = pipeline(server, &options, sql);
            assert_eq!((&outcomes[..], ended), (expected, state), "{over:?} {delivery:?}");
        }
    }
}

fn result(rows: usize) -> Vec<Payload> {
    let mut packets = vec![column_count(1), column("a", ColumnType::VAR_STRING), eof(AUTOCOMMIT)];
    packets.extend((0..rows).map(|_| row(&[Some(b"value")])));
    packets.push(eof(AUTOCOMMIT));
    packets
}

const THREE: [&str; 3] = ["SELECT 1", "SELECT 2", "SELECT 3"];
const LOST: Outcome = Err(2013);

/// The first reply comes when all three commands have arrived: the client has waited for none.
#[test]
fn all_are_on_their_way_before_the_first_reply() {
    let script = Script::logged_in().expect_query().expect_query().expect_query();
    let script =
        result(2).into_iter().zip(1..).fold(script, |script, (it, id)| script.send_as(id, it));
    let script = script.send_as(1, err(1064, b"42000", "no")).send_as(1, ok(AUTOCOMMIT)).ping();
    check(script, &THREE, &[Ok(Some(2)), Err(1064), Ok(None)], State::Ready);
}

#[test]
fn a_connection_that_ends_anywhere_leaves_the_rest_unknown() {
    let script = Script::logged_in().expect_query();
    let script = script.send_all(result(1)).expect_query().send(ok(AUTOCOMMIT));
    let script = Arc::new(script.expect_query().send_all(result(2)).close());
    let whole = [Ok(Some(1)), Ok(None), Ok(Some(2))];
    let log_in = Script::logged_in();
    let server = fake::serve(&Arc::new(log_in), Over::Unix, Delivery::WHOLE);
    let options = fake::options(&server);
    drop(Connection::connect(&options).unwrap());
    let begin = server.finish().unwrap().sent_bytes;
    let server = fake::serve(&script, Over::Unix, Delivery::WHOLE);
    let options = fake::options(&server);
    let (outcomes, _, recording) = pipeline(server, &options, &THREE);
    assert_eq!(outcomes, whole);
    let mut known = Vec::new();
    for cut in begin..recording.sent_bytes {
        let server = fake::serve(&script, Over::Unix, Delivery::WHOLE.cut_after(cut));
        let options = fake::options(&server);
        let (outcomes, state, recording) = pipeline(server, &options, &THREE);
        let count = outcomes.iter().take_while(|it| it.is_ok()).count();
        assert_eq!((outcomes.len(), state), (3, State::Broken), "{cut}");
        assert_eq!(outcomes[..count], whole[..count], "{cut}");
        assert!(outcomes[count..].iter().all(|it| *it == LOST), "{cut}: {outcomes:?}");
        // None is sent twice.
        let sent = recording.packets.len() - 1
            + recording.rest.windows(8).filter(|it| it.starts_with(b"SELECT ")).count();
        assert!(sent <= 3, "{cut}");
        known.push(count);
    }
    known.dedup();
    assert_eq!(known, [0, 1, 2]);
}

/// What was not sent at all is known not to have been run.
#[test]
fn what_was_never_sent_is_told_apart() {
    let script = Arc::new(Script::logged_in().expect_query().send(ok(AUTOCOMMIT)).reset());
    let server = fake::serve(&script, Over::Unix, Delivery::WHOLE);
    let mut connection = Connection::connect(&fake::options(&server)).unwrap();
    let long = [b"SELECT '", &vec![b'x'; 1 << 20][..], b"'"].concat();
    let mut outcomes = Vec::new();
    let commands = std::iter::repeat_n(Pipelined::Query(&long), 20);
    let commands = std::iter::once(Pipelined::Query(b"SELECT 1")).chain(commands);
    connection.pipeline(commands, Until::End, |done| outcomes.push(outcome(done))).unwrap();
    assert_eq!(outcomes.len(), 21);
    assert_eq!(outcomes[20], Err(2006), "{outcomes:?}");
    let sent = outcomes.iter().position(|it| *it == Err(2006)).unwrap();
    assert!(sent >= 1 && outcomes[sent..].iter().all(|it| *it == Err(2006)), "{outcomes:?}");
    assert!(outcomes[1..sent].iter().all(|it| *it == LOST), "{outcomes:?}");
}

#[test]
fn an_error_in_the_midst_of_rows_is_of_its_command() {
    let begun = || {
        let mut packets = result(2);
        packets.pop();
        packets
    };
    let script = Script::queried().send_all(begun()).send(err(1317, b"70100", "killed"));
    let script = script.expect_query().send_all(begun()).send(eof(MORE_RESULTS));
    let script = script.send(err(1146, b"42S02", "no table")).expect_query().send(ok(AUTOCOMMIT));
    check(script.ping(), &THREE, &[Err(1317), Err(1146), Ok(None)], State::Ready);
}

/// A packet too many or of another reply ends the connection: it is not taken for the next command's.
#[test]
fn replies_out_of_turn_are_not_taken_for_others() {
    let one = |script: Script| script.expect_query().send(ok(AUTOCOMMIT));
    let malformed = [Ok(None), Err(2027), LOST];
    let twice = one(Script::logged_in()).send(ok(AUTOCOMMIT)).expect_query().expect_query();
    check(twice, &THREE, &malformed, State::Broken);
    let rows = one(Script::logged_in()).expect_query().send(row(&[Some(b"a"), None]));
    check(rows, &THREE, &malformed, State::Broken);
    let early = Script::queried().send(ok(AUTOCOMMIT)).send_as(9, ok(AUTOCOMMIT));
    check(early, &THREE, &malformed, State::Broken);
    let cut = one(Script::logged_in()).expect_query().send(column_count(1)).send(ok(AUTOCOMMIT));
    check(cut, &THREE, &malformed, State::Broken);
    let goodbye = one(Script::logged_in()).send_as(0, err(1053, b"08S01", "shutdown")).close();
    check(goodbye, &THREE, &[Ok(None), LOST, LOST], State::Broken);
}

/// Where such rows are kept, the result ends with it; what comes behind is lost all the same.
#[test]
fn a_row_that_cannot_be_read_is_the_last_of_its_result() {
    let mut packets = result(2);
    packets.insert(4, row(&[Some(b"a"), None]));
    let script = Script::queried().send(ok(AUTOCOMMIT)).expect_query().send_all(packets);
    let server = fake::serve(&Arc::new(script), Over::Unix, Delivery::WHOLE);
    let mut connection = Connection::connect(&fake::options(&server)).unwrap();
    connection.keep_spoilt_rows();
    let mut outcomes = Vec::new();
    let commands = THREE.iter().map(|sql| Pipelined::Query(sql.as_bytes()));
    connection.pipeline(commands, Until::End, |done| outcomes.push(outcome(done))).unwrap();
    assert_eq!(outcomes, [Ok(None), Ok(Some(2)), LOST]);
    assert_eq!(connection.state(), State::Broken);
}

#[test]
fn a_server_that_is_silent_is_waited_for_as_long_as_for_any() {
    let script = Arc::new(Script::queried().send(ok(AUTOCOMMIT)).expect_query().expect_query());
    let server = fake::serve(&script, Over::Unix, Delivery::WHOLE);
    let options =
        ConnectOptions { read_timeout: Some(Duration::from_millis(100)), ..fake::options(&server) };
    let (outcomes, state, _) = pipeline(server, &options, &THREE);
    assert_eq!((&outcomes[..], state), (&[Ok(None), LOST, LOST][..], State::Broken));
    // Nor one that takes nothing any more.
    let script = Arc::new(Script::queried().send(ok(AUTOCOMMIT)));
    let server = fake::serve(&script, Over::Unix, Delivery::WHOLE);
    let mut connection = Connection::connect(&ConnectOptions {
        read_timeout: Some(Duration::from_millis(100)),
        write_timeout: Some(Duration::from_millis(100)),
        ..fake::options(&server)
    })
    .unwrap();
    let long = vec![b' '; 64 << 20];
    let commands =
        [Pipelined::Query(b"SELECT 1"), Pipelined::Query(&long), Pipelined::Query(b"SELECT 2")];
    let mut outcomes = Vec::new();
    connection.pipeline(commands, Until::End, |done| outcomes.push(outcome(done))).unwrap();
    assert_eq!(outcomes, [Ok(None), LOST, Err(2006)]);
}

/// It is about to take for the file what was sent behind the query.
#[test]
fn a_server_that_asks_for_a_file_out_of_turn_is_not_spoken_to_any_more() {
    let script = Script::queried().send(local_infile("/etc/passwd"));
    check(script, &THREE, &[Err(2027), LOST, LOST], State::Broken);
    // The last one has nothing behind it.
    let script = Script::queried().send(ok(AUTOCOMMIT)).expect_query();
    let script =
        script.send(local_infile("/etc/passwd")).expect_packet().send(ok(AUTOCOMMIT)).ping();
    let script = Arc::new(script);
    let server = fake::serve(&script, Over::Unix, Delivery::WHOLE);
    let options = fake::options(&server);
    let (outcomes, state, recording) = pipeline(server, &options, &THREE[..2]);
    assert_eq!((&outcomes[..], state), (&[Ok(None), Err(2068)][..], State::Ready));
    assert_eq!(
        (&recording.packets[3].payload[..], recording.packets[3].sequence_id),
        (&b""[..], 2)
    );
}

/// Behind what may ask nothing is sent before it was answered: the next packet that the server gets is the empty file.
#[test]
fn nothing_is_sent_behind_what_may_ask_for_a_file() {
    let refused = local_infile("x");
    let script = Script::queried().send(refused).expect_packet().send(ok(MORE_RESULTS));
    let script = script.send(ok(AUTOCOMMIT)).expect_query().send(ok(AUTOCOMMIT));
    let load = "LOAD DATA LOCAL INFILE 'x' INTO TABLE t";
    check(script.clone().ping(), &[load, "SELECT 2"], &[Err(2068), Ok(None)], State::Ready);
    // Nor behind something that is not sent at all.
    let server = fake::serve(&Arc::new(script.ping()), Over::Unix, Delivery::WHOLE);
    let mut connection = Connection::connect(&fake::options(&server)).unwrap();
    let too_long = vec![b' '; 1 << 30];
    let mut outcomes = Vec::new();
    let commands = [load.as_bytes(), &too_long, b"SELECT 2"].map(Pipelined::Query);
    connection.pipeline(commands, Until::End, |done| outcomes.push(outcome(done))).unwrap();
    assert_eq!(outcomes, [Err(2068), Err(2020), Ok(None)]);
}

/// Nobody waits for what nobody looks at.
#[test]
fn results_without_end_are_an_error() {
    let check = |results: usize, expected: [Outcome; 2]| {
        let script = Script::queried().send_all(std::iter::repeat_n(ok(MORE_RESULTS), results));
        let script = script.send(ok(AUTOCOMMIT)).expect_query().send(ok(AUTOCOMMIT));
        let server = fake::serve(&Arc::new(script), Over::Unix, Delivery::WHOLE);
        let options = fake::options(&server);
        assert_eq!(pipeline(server, &options, &THREE[..2]).0, expected, "{results}");
    };
    check(1000, [Ok(None), Ok(None)]);
    check(70_000, [Err(2027), LOST]);
}

#[test]
fn compressed_replies_are_told_apart_as_well() {
    for how in [Compression::Zlib, Compression::Zstd, Compression::Stored(1)] {
        let script = Script::queried().send_all(result(3)).expect_query().send(ok(AUTOCOMMIT));
        let script = script.expect_query().send_all(result(1)).ping().compressed(how);
        for delivery in [Delivery::WHOLE, Delivery::ONE_BYTE] {
            let server = fake::serve(&Arc::new(script.clone()), Over::Tcp, delivery);
            let options = ConnectOptions {
                compression: fake::algorithm(Some(how)).into_iter().collect(),
                ..fake::options(&server)
            };
            let (outcomes, state, _) = pipeline(server, &options, &THREE);
            assert_eq!(
                (&outcomes[..], state),
                (&[Ok(Some(3)), Ok(None), Ok(Some(1))][..], State::Ready)
            );
        }
    }
}

/// Whoever catches a panic of the one that takes outcomes has a connection of no use: nobody has read the rest.
#[test]
fn a_panic_in_between_breaks_the_connection() {
    let script =
        Arc::new(Script::queried().send(ok(AUTOCOMMIT)).expect_query().send(ok(AUTOCOMMIT)));
    let server = fake::serve(&script, Over::Unix, Delivery::WHOLE);
    let mut connection = Connection::connect(&fake::options(&server)).unwrap();
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let commands = THREE.iter().map(|sql| Pipelined::Query(sql.as_bytes()));
        connection.pipeline(commands, Until::End, |_| panic!("on purpose")).unwrap();
    }));
    assert!(panicked.is_err());
    assert_eq!(connection.state(), State::Broken);
}
