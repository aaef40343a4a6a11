//! What the client does in each scene of a made session, and whether it heard what was said.

use vaquita_client::{
    Connection, Data, Done, Error, Parameter, Pipelined, QueryResponse, Row, State, Until,
};

use crate::conversation::{PASSWORD, Reading};
use crate::replies::{FILE, REFUSED};
use crate::scenes::{Reply, Rows, Scene, Values};

/// What became of a result.
#[derive(Debug, PartialEq, Eq)]
enum Heard {
    Ok,
    Rows(Vec<Values>),
    Cut,
    Refused,
}

/// Does what a scene has the client do. Where it is known what the server says, that must be heard.
///
/// # Errors
/// The server refused it, or the connection is broken.
pub(crate) fn act(
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
