//! Whole sessions made of right packets, in which a few are damaged: where none is, the client must have heard what was said.

use vaquita_client::{
    Address, Capabilities, CompressionAlgorithm, ConnectOptions, Connection, Data, Done, Error,
    Parameter, Pipelined, QueryResponse, Row, State, Until,
};
use vaquita_fake_server::packets::{AUTOCOMMIT, OFFERED, auth_more_data, greeting, ok};
use vaquita_fake_server::{Compression, Replay, Silence};

use crate::choices::Choices;
use crate::conversation::{PASSWORD, Reading};
use crate::damage::Server;
use crate::replies::{FILE, REFUSED, Speaker, native_switch};
use crate::scenes::{KINDS as SCENES, Reply, Rows, Scene, Values, scene};

/// The most scenes of a session.
const MOST_SCENES: usize = 8;

/// Bits of the first byte; two more say how is compressed.
const MODERN: u8 = 1;
const BYTE_BY_BYTE: u8 = 2;
const WAITING: u8 = 4;
const MARIADB: u8 = 8;

/// What became of a result.
#[derive(Debug, PartialEq, Eq)]
enum Heard {
    Ok,
    Rows(Vec<Values>),
    Cut,
    Refused,
}

/// Leads a session; `true` if it came to its end. The input is what is chosen: how is talked, what is damaged, and scene by scene.
pub fn made_session(data: &[u8]) -> bool {
    let mut choices = Choices::new(data);
    let how = choices.byte();
    let log_in = choices.below(5);
    let mut speaker = Speaker {
        server: Server::new(&mut choices),
        is_modern: how & MODERN != 0,
        runs_at_once: how & MARIADB != 0,
    };
    let (algorithm, compression) = match how >> 6 {
        1 => (Some(CompressionAlgorithm::Zlib), Some(Compression::Zlib)),
        2 => (Some(CompressionAlgorithm::Zstd), Some(Compression::Zstd)),
        3 => (Some(CompressionAlgorithm::Zlib), Some(Compression::Stored(1 << 20))),
        _ => (None, None),
    };
    greet(&mut speaker, log_in, compression, how & MARIADB != 0);
    speaker.server.compression = compression;
    let mut scenes = Vec::new();
    while !choices.is_over() && scenes.len() < MOST_SCENES {
        let next = scene(&mut choices);
        // With OK packets in the places of EOF packets nothing tells of a cursor.
        if !(speaker.is_modern && matches!(next, Scene::Cursor(..))) {
            speaker.scene(&next);
            scenes.push(next);
        }
    }
    let is_right = speaker.server.is_right();
    let mut replay = Replay::new(speaker.server.turns());
    if how & BYTE_BY_BYTE != 0 {
        replay = replay.byte_by_byte();
    }
    if how & WAITING != 0 {
        replay = replay.then(Silence::Waiting);
    }
    let capabilities = Capabilities::DEPRECATE_EOF.with(Capabilities::SESSION_TRACK);
    let options = ConnectOptions {
        user: b"u".to_vec(),
        password: PASSWORD.into(),
        capabilities: if how & MODERN != 0 { capabilities } else { Capabilities::NONE },
        compression: algorithm.into_iter().collect(),
        statement_cache: if how & MARIADB != 0 { 2 } else { 0 },
        ..ConnectOptions::new(Address::Unix("replayed".into()))
    };
    // What a server has of its own is not played here: with it, nothing is known of what is heard.
    let is_known = is_right && how & MARIADB == 0;
    match lead(Box::new(replay), &options, &scenes, is_known) {
        Ok(mut connection) => {
            assert_eq!(connection.state(), State::Ready);
            connection.close();
            assert_eq!(connection.state(), State::QuitSent);
            true
        }
        Err(error) => {
            assert!(!is_known, "nothing is wrong: {error:?}");
            assert!(!matches!(error, Error::OutOfSync), "the driver keeps in step");
            assert!(error.code() != 0, "{error:?}");
            false
        }
    }
}

fn greet(speaker: &mut Speaker, log_in: u8, compression: Option<Compression>, is_mariadb: bool) {
    let offered = OFFERED.with(compression.map_or(Capabilities::NONE, Compression::capability));
    let sha2 = "caching_sha2_password";
    let plugin = if log_in >= 2 { sha2 } else { "mysql_native_password" };
    let mut greeting = greeting(offered, plugin);
    if is_mariadb {
        greeting = greeting.with("server version", *b"5.5.5-10.11.99-MariaDB\0");
    }
    let server = &mut speaker.server;
    server.begin_turn(0);
    server.packet(greeting);
    server.end_turn();
    server.begin_turn(2);
    match log_in {
        0 => server.packet(ok(AUTOCOMMIT)),
        // It knows the password, or must be told it, or wants another plugin.
        2 => {
            server.packet(auth_more_data(&[3]));
            server.packet(ok(AUTOCOMMIT));
        }
        3 => {
            server.packet(auth_more_data(&[4]));
            server.end_turn();
            server.begin_turn(4);
            server.packet(ok(AUTOCOMMIT));
        }
        _ => {
            server.packet(native_switch());
            server.end_turn();
            server.begin_turn(4);
            server.packet(ok(AUTOCOMMIT));
        }
    }
    server.end_turn();
}

fn lead(
    replay: Box<Replay>,
    options: &ConnectOptions,
    scenes: &[Scene],
    is_known: bool,
) -> Result<Connection, Error> {
    let mut connection = Connection::over(replay, options)?;
    for (number, scene) in scenes.iter().enumerate() {
        let done = act(&mut connection, scene, number, is_known);
        if connection.state() == State::Broken {
            let again = connection.ping();
            assert!(again.is_err(), "it is broken");
            done?;
            return Err(again.err().unwrap_or(Error::OutOfSync));
        }
        assert_eq!(connection.state(), State::Ready, "{done:?}");
        assert!(done.is_ok() || !is_known, "{done:?}");
    }
    Ok(connection)
}

fn act(
    connection: &mut Connection,
    scene: &Scene,
    number: usize,
    is_known: bool,
) -> Result<(), Error> {
    match scene {
        Scene::Query(results, reading) => {
            connection.send_query(b"SELECT 1")?;
            let heard = read_results(connection, *reading)?;
            check(is_known, &heard, results, *reading);
        }
        Scene::Statement(params, runs, reading, at_once) => {
            let marks = vec!["?"; (*params).into()].join(", ");
            let sql = format!("SELECT {number}, {marks}");
            let values = [
                Parameter::Integer(Some(-1)),
                Parameter::Null,
                Parameter::Text(Data::Bytes(b"text")),
            ];
            let values = values.get(..(*params).into()).unwrap_or_default();
            let mut runs = runs.iter();
            let statement = if *at_once && !values.is_empty() {
                let (statement, run) = connection.prepare_and_execute(sql.as_bytes(), values)?;
                let heard = read_from(connection, run, *reading)?;
                check(is_known, &heard, runs.next().map_or(&[], Vec::as_slice), *reading);
                statement
            } else {
                connection.prepare(sql.as_bytes())?
            };
            for results in runs {
                if usize::from(statement.params()) != values.len() {
                    break;
                }
                connection.send_execute(&statement, values, false)?;
                let run = connection.read_executed(&statement, values, false);
                let heard = read_from(connection, run, *reading)?;
                check(is_known, &heard, results, *reading);
            }
            connection.close_statement(&statement)?;
        }
        Scene::Cursor(_, fetches) => {
            let statement = connection.prepare(format!("SELECT {number}").as_bytes())?;
            connection.send_execute(&statement, &[], true)?;
            let columns = match connection.read_query_response() {
                Ok(QueryResponse::Cursor(columns)) => columns,
                other => {
                    assert!(!is_known, "no cursor: {other:?}");
                    read_from(connection, other, Reading::Discarded)?;
                    return connection.close_statement(&statement);
                }
            };
            for rows in fetches {
                connection.send_fetch(&statement, &columns, 10)?;
                let read = read_rows(connection, Reading::OneByOne);
                assert!(!is_known || read.as_ref().is_ok_and(|read| read == rows), "{read:?}");
                read?;
            }
            connection.close_statement(&statement)?;
        }
        Scene::Pipeline(replies, only_reads) => {
            pipeline(connection, replies, *only_reads, is_known)?
        }
        Scene::Load(file) => {
            connection.allow_local_infile(true);
            let sql = format!("LOAD DATA LOCAL INFILE '{FILE}' INTO TABLE t");
            connection.send_query(sql.as_bytes())?;
            match connection.read_query_response() {
                Ok(QueryResponse::LocalInfile(name)) => {
                    assert_eq!(name, FILE.as_bytes(), "it is what the statement names");
                    connection.send_local_infile(&mut file.as_slice())?;
                    if connection.more_results() {
                        read_results(connection, Reading::Discarded)?;
                    }
                }
                other => {
                    assert!(!is_known, "it was not asked for: {other:?}");
                    read_from(connection, other, Reading::Discarded)?;
                }
            }
        }
        Scene::Ping(reply) => {
            let answer = connection.ping();
            let is_refused = matches!(reply, Reply::Err);
            assert!(!is_known || answer.is_err() == is_refused, "{answer:?}");
            return if is_refused && is_known { Ok(()) } else { answer };
        }
        Scene::Reset => connection.reset_connection()?,
        Scene::ChangeUser(_) => connection.change_user(b"u", PASSWORD.as_bytes(), b"")?,
        Scene::Statistics(text) => {
            let said = connection.statistics();
            assert!(!is_known || said.as_ref().is_ok_and(|said| said == text), "{said:?}");
            said?;
        }
    }
    Ok(())
}

fn pipeline(
    connection: &mut Connection,
    replies: &[Vec<Reply>],
    only_reads: bool,
    is_known: bool,
) -> Result<(), Error> {
    let commands = replies.iter().map(|_| Pipelined::Query(b"SELECT 1"));
    let mut heard = Vec::new();
    let give = |done: Result<Done, Error>| {
        heard.push(done.map(|done| {
            done.rows.map(|mut rows| {
                let mut values = Vec::new();
                while let Some(row) = rows.next_row() {
                    values.push(owned(&row));
                }
                values
            })
        }));
    };
    if only_reads {
        connection.pipeline_reading(commands, give)?;
    } else {
        connection.pipeline(commands, Until::End, give)?;
    }
    assert_eq!(heard.len(), replies.len(), "each command has its end");
    for (heard, said) in heard.iter().zip(replies).filter(|_| is_known) {
        match (heard, &said[..]) {
            (Err(Error::Server { code: REFUSED, .. }), [.., Reply::Err]) => {}
            (Err(Error::Server { code: REFUSED, .. }), [.., Reply::Rows(rows)]) if rows.fails => {}
            (Ok(None), [Reply::Ok(_), ..]) => {}
            (Ok(Some(heard)), [Reply::Rows(rows), ..]) => assert_eq!(*heard, rows.rows),
            // Where the first result has no rows, those of another may be given.
            (Ok(Some(_)), [_, _, ..]) => {}
            _ => unreachable!("{heard:?} of {said:?}"),
        }
    }
    Ok(())
}

/// Whether what was heard is what was said.
fn check(is_known: bool, heard: &[Heard], said: &[Reply], reading: Reading) {
    if !is_known {
        return;
    }
    let expected = said.iter().map(|reply| match reply {
        Reply::Ok(_) => Heard::Ok,
        Reply::Err => Heard::Refused,
        Reply::Rows(Rows { fails: true, .. }) => Heard::Cut,
        Reply::Rows(_) if reading == Reading::Discarded => Heard::Rows(Vec::new()),
        Reply::Rows(rows) => Heard::Rows(rows.rows.clone()),
    });
    assert_eq!(heard, expected.collect::<Vec<_>>());
}

fn read_results(connection: &mut Connection, reading: Reading) -> Result<Vec<Heard>, Error> {
    let first = connection.read_query_response();
    read_from(connection, first, reading)
}

/// Reads all results from this first one on.
///
/// # Errors
/// The connection is broken.
fn read_from(
    connection: &mut Connection,
    first: Result<QueryResponse, Error>,
    reading: Reading,
) -> Result<Vec<Heard>, Error> {
    let mut heard = Vec::new();
    let mut response = first;
    loop {
        heard.push(match response {
            Ok(QueryResponse::Ok | QueryResponse::Cursor(_)) => Heard::Ok,
            Ok(QueryResponse::ResultSet(columns)) => match read_rows(connection, reading) {
                Ok(rows) => {
                    let mut widths = rows.iter().map(Vec::len);
                    assert!(widths.all(|width| width == columns.len()));
                    Heard::Rows(rows)
                }
                Err(error) if connection.state() == State::Broken => return Err(error),
                Err(_) => Heard::Cut,
            },
            Ok(QueryResponse::LocalInfile(_)) => {
                connection.refuse_local_infile()?;
                Heard::Refused
            }
            Err(error) if connection.state() == State::Broken => return Err(error),
            Err(_) => Heard::Refused,
        });
        if !connection.more_results() {
            return Ok(heard);
        }
        response = connection.read_query_response();
    }
}

fn read_rows(connection: &mut Connection, reading: Reading) -> Result<Vec<Values>, Error> {
    let mut rows = Vec::new();
    match reading {
        Reading::Discarded => connection.discard_result()?,
        Reading::OneByOne => {
            while let Some(row) = connection.next_row()? {
                rows.push(owned(&row));
            }
        }
        Reading::Stored => {
            let mut stored = connection.store_result()?;
            while let Some(row) = stored.next_row() {
                rows.push(owned(&row));
            }
        }
    }
    Ok(rows)
}

fn owned(row: &Row<'_>) -> Values {
    row.values().map(|value| value.map(<[u8]>::to_vec)).collect()
}

/// Sessions in which each scene comes after each other one, each way to talk in some of them; nothing is damaged.
pub fn inputs() -> Vec<Vec<u8>> {
    let hows = [0, MODERN, BYTE_BY_BYTE, MARIADB, 1 << 6, 2 << 6 | MODERN, 3 << 6];
    let mut inputs = Vec::new();
    for (log_in, how) in (0..).zip(hows) {
        for scene in 0..SCENES {
            // Any numbers do.
            let details = (0..40_u8).map(|at| (at.wrapping_mul(37) ^ how).wrapping_add(scene * 11));
            inputs.push([how, log_in, 0, scene].into_iter().chain(details).collect());
        }
    }
    inputs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mutate::Mutator;

    #[test]
    fn what_is_said_undamaged_is_heard() {
        let mut mutator = Mutator::new(9);
        let mut ended = 0;
        for seed in inputs() {
            assert!(made_session(&seed), "{seed:?}");
            for _ in 0..100 {
                let [how, log_in, _, rest @ ..] = &seed[..] else { continue };
                let changed = mutator.mutate(rest, &seed);
                ended += u32::from(made_session(&[&[*how, *log_in, 0][..], &changed].concat()));
            }
        }
        assert!(ended > 1000, "{ended}");
    }
}
