//! The hostile scripts that a query alone does not meet: statements, cursors, local files, compression, TLS, and results without an end; and
//! those that should do no harm.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

mod fake;

use std::sync::Arc;
use std::thread;
use std::time::Instant;

use fake::{Over, PASSWORD, PATIENCE, Reading, TIME_LIMIT};
use vaquita_client::{
    Block, Capabilities, CompressionAlgorithm, Connection, Error, Memory, Parameter, QueryResponse,
    State, TlsOptions, Verify,
};
use vaquita_fake_server::named::{self, Deed, Expected, Outcome, Stage};
use vaquita_fake_server::{Delivery, NamedScript, Script};
use vaquita_protocol::StatusFlags;

/// How many rows or results of a server that does not stop are enough.
const ENOUGH: usize = 5000;
/// How many bytes of rows are: of long ones there would be too many for a machine that is busy.
const ENOUGH_BYTES: usize = 256 << 20;
/// How many bytes a stored result may have here.
const LIMIT_BYTES: usize = 4 << 20;
/// The local file.
const WANTED: &[u8] = b"1,wanted\n";

/// The system's memory, as much of it as a result may have.
struct Limited;

impl Memory for Limited {
    fn rows(&self, bytes: usize) -> Option<Block> {
        let mut block = Block::zeroed(bytes);
        block.truncate(0);
        Some(block)
    }

    fn value(&self, bytes: usize) -> Option<Block> {
        self.rows(bytes)
    }

    fn has_room(&self, bytes: usize) -> bool {
        bytes <= LIMIT_BYTES
    }

    fn result_limit(&self) -> Option<usize> {
        Some(LIMIT_BYTES)
    }
}

static LIMITED: Limited = Limited;

/// Where a client failed, and why.
type Met = Result<(), (Stage, Error)>;

fn at<T>(stage: Stage, result: Result<T, Error>) -> Result<T, (Stage, Error)> {
    result.map_err(|error| (stage, error))
}

/// Reads the rows that are due; at most so many.
fn read(connection: &mut Connection, reading: Reading, most: usize) -> Result<usize, Error> {
    match reading {
        Reading::Stored => {
            connection.store_result().map(|stored| usize::try_from(stored.rows()).unwrap())
        }
        Reading::Discarded if most == usize::MAX => connection.discard_result().map(|()| 0),
        _ => {
            let mut bytes = 0;
            for count in 0..most {
                let Some(row) = connection.next_row()? else { return Ok(count) };
                bytes += row.values().flatten().map(<[u8]>::len).sum::<usize>();
                if bytes > ENOUGH_BYTES {
                    break;
                }
            }
            Ok(most)
        }
    }
}

fn query(connection: &mut Connection, reading: Reading, most: usize) -> Met {
    at(Stage::Response, connection.send_query(b"SELECT 1"))?;
    match at(Stage::Response, connection.read_query_response())? {
        QueryResponse::Ok => Ok(()),
        _ => at(Stage::Rows, read(connection, reading, most)).map(drop),
    }
}

fn results(connection: &mut Connection, reading: Reading) -> Met {
    at(Stage::Response, connection.send_query(b"CALL p()"))?;
    for _ in 0..ENOUGH {
        if !matches!(at(Stage::Response, connection.read_query_response())?, QueryResponse::Ok) {
            at(Stage::Rows, read(connection, reading, usize::MAX))?;
        }
        if connection.state() != State::NextResultPending {
            break;
        }
    }
    Ok(())
}

fn statement(connection: &mut Connection, reading: Reading, opens_cursor: bool) -> Met {
    let statement = at(Stage::Response, connection.prepare(b"SELECT ?"))?;
    let parameters = [Parameter::Integer(Some(1))];
    let sent = connection.send_execute(&statement, &parameters, opens_cursor);
    at(Stage::Response, sent)?;
    let columns = match at(Stage::Response, connection.read_query_response())? {
        QueryResponse::Cursor(columns) => columns,
        QueryResponse::Ok => return Ok(()),
        _ => return at(Stage::Rows, read(connection, reading, usize::MAX)).map(drop),
    };
    for _ in 0..ENOUGH {
        at(Stage::Rows, connection.send_fetch(&statement, &columns, 1))?;
        let rows = at(Stage::Rows, read(connection, reading, ENOUGH))?;
        if rows == ENOUGH || connection.session().status.contains(StatusFlags::LAST_ROW_SENT) {
            break;
        }
    }
    Ok(())
}

fn load_data(connection: &mut Connection) -> Met {
    connection.allow_local_infile(true);
    let sql = b"LOAD DATA LOCAL INFILE 'wanted.csv' INTO TABLE t";
    at(Stage::Response, connection.send_query(sql))?;
    let mut response = at(Stage::Response, connection.read_query_response())?;
    while let QueryResponse::LocalInfile(name) = response {
        assert_eq!(name, b"wanted.csv");
        at(Stage::Response, connection.send_local_infile(&mut &WANTED[..]))?;
        if connection.state() != State::NextResultPending {
            break;
        }
        response = at(Stage::Response, connection.read_query_response())?;
    }
    Ok(())
}

fn do_deed(connection: &mut Connection, deed: Deed, reading: Reading) -> Met {
    match deed {
        Deed::Query | Deed::Zlib | Deed::Zstd | Deed::Tls => query(connection, reading, usize::MAX),
        Deed::Endless | Deed::EndlessZlib | Deed::EndlessRow => query(connection, reading, ENOUGH),
        Deed::Warnings => query(connection, reading, usize::MAX)
            .and_then(|()| query(connection, Reading::Stored, usize::MAX)),
        Deed::Results => results(connection, reading),
        Deed::Statement => statement(connection, reading, false),
        Deed::Cursor => statement(connection, reading, true),
        Deed::LoadData => load_data(connection),
    }
}

/// Meets one script: what became of it, and the connection if there was one.
fn meet(named: &NamedScript, script: Script, reading: Reading) -> (Met, Option<State>) {
    let server = fake::serve(&Arc::new(script), Over::Tcp, Delivery::WHOLE);
    let mut options = fake::options_for(named, &server);
    match named.deed {
        Deed::Zlib | Deed::EndlessZlib => options.compression = vec![CompressionAlgorithm::Zlib],
        Deed::Zstd => options.compression = vec![CompressionAlgorithm::Zstd],
        Deed::Tls => {
            options.tls = Some(TlsOptions { verify: Verify::None, ..TlsOptions::default() });
        }
        Deed::LoadData => options.capabilities = Capabilities::LOCAL_FILES,
        _ => {}
    }
    let met = match Connection::connect(&options) {
        Err(error) => (Err((Stage::Connect, error)), None),
        Ok(mut connection) => {
            connection.set_memory(&LIMITED);
            let met = do_deed(&mut connection, named.deed, reading);
            (met, Some(connection.state()))
        }
    };
    let recording = server.finish().unwrap();
    let heard = |bytes: &[u8]| {
        let has = |text: &[u8]| bytes.windows(text.len()).any(|part| part == text);
        assert!(!has(PASSWORD), "{} heard the password", named.name);
        assert!(!has(b"root:"), "{} heard another file", named.name);
    };
    heard(&recording.rest);
    recording.packets.iter().for_each(|packet| heard(&packet.payload));
    met
}

/// What is wrong with what became of a script, if anything is.
fn mistake(named: &NamedScript, script: Script, reading: Reading) -> Option<String> {
    let begun = Instant::now();
    let (met, state) = meet(named, script, reading);
    let took = begun.elapsed();
    if took >= PATIENCE / 2 || (named.expected.is_timeout() && took < TIME_LIMIT) {
        return Some(format!("took {took:?}"));
    }
    let is_partial = matches!(named.deed, Deed::Endless | Deed::EndlessZlib | Deed::Cursor);
    let expected = match named.expected {
        // Who does not store it leaves in time.
        Expected::Fails(Stage::Rows, Outcome::TooLarge)
            if is_partial && reading != Reading::Stored =>
        {
            Expected::Fine
        }
        expected => expected,
    };
    match (expected, met) {
        (Expected::Fine, Ok(())) if state != Some(State::Broken) => None,
        (Expected::Fails(stage, outcome), Err((found, error)))
            if stage == found
                && outcome.code() == error.code()
                && state.is_none_or(|it| outcome.breaks_connection() == (it == State::Broken)) =>
        {
            None
        }
        (_, met) => Some(format!("expected {expected}, found {met:?}, then {state:?}")),
    }
}

#[test]
fn each_deed_ends_as_it_should() {
    let is_own = |named: &&NamedScript| {
        let is_session = ["session", "session-deprecate-eof", "login-only"].contains(&named.name);
        (named.deed != Deed::Query || named.expected == Expected::Fine) && !is_session
    };
    let failed: Vec<String> = thread::scope(|scope| {
        let meet_all = |named: &'static NamedScript| {
            let mut mistakes = Vec::new();
            for reading in [Reading::OneByOne, Reading::Stored, Reading::Discarded] {
                for (number, script) in named.scripts().into_iter().enumerate() {
                    let mistake = mistake(named, script, reading);
                    let tell = |it| format!("{} {number}, {reading:?}: {it}", named.name);
                    mistakes.extend(mistake.map(tell));
                }
            }
            mistakes
        };
        let running: Vec<_> =
            named::all().filter(is_own).map(|named| scope.spawn(move || meet_all(named))).collect();
        running.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    assert!(failed.is_empty(), "these did not end as they should:\n{}", failed.join("\n"));
}
