//! Long values among short ones: each is received into a block of its own, whichever way its row is read, and in whosever memory.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

mod servers;

use std::sync::atomic::{AtomicUsize, Ordering};

use servers::{Server, Value, on_each, run};
use vaquita_client::{
    Block, Connection, LONG_VALUE_BYTES, LongRowValue, Memory, Parameter, Row, State, codes,
};

/// Around the length from which on a value is long, around the forms of a length, and longer than any buffer.
const LENGTHS: [usize; 14] = [
    0,
    1,
    250,
    251,
    LONG_VALUE_BYTES - 1,
    LONG_VALUE_BYTES,
    LONG_VALUE_BYTES + 1,
    20_000,
    65_535,
    65_536,
    100_000,
    131_072,
    300_000,
    1_200_000,
];

const ROWS: usize = 3 * LENGTHS.len();

/// The length of the values `b` and `d` of a row.
fn lengths(id: usize) -> [usize; 2] {
    [LENGTHS[id % LENGTHS.len()], LENGTHS[id * 5 % LENGTHS.len()]]
}

fn expected(id: usize) -> Vec<Value> {
    let [b, d] = lengths(id);
    let letter = b'a' + u8::try_from(id % 26).unwrap();
    vec![
        Some(id.to_string().into_bytes()),
        Some(vec![letter; b]),
        (!id.is_multiple_of(3)).then(|| b"short".to_vec()),
        (!id.is_multiple_of(4)).then(|| vec![b'z'; d]),
        Some(b"last".to_vec()),
    ]
}

fn make_table(connection: &mut Connection) {
    run(
        connection,
        "CREATE TEMPORARY TABLE longs (id VARCHAR(9), b LONGBLOB, c VARCHAR(9), d LONGBLOB, e VARCHAR(9), n INT PRIMARY KEY)",
    );
    for id in 0..ROWS {
        let [b, d] = lengths(id);
        let letter = char::from(b'a' + u8::try_from(id % 26).unwrap());
        let c = if id.is_multiple_of(3) { "NULL" } else { "'short'" };
        let d = if id.is_multiple_of(4) { "NULL".to_owned() } else { format!("REPEAT('z', {d})") };
        run(
            connection,
            &format!(
                "INSERT INTO longs VALUES ('{id}', REPEAT('{letter}', {b}), {c}, {d}, 'last', {id})"
            ),
        );
    }
}

const SQL: &str = "SELECT id, b, c, d, e FROM longs ORDER BY n";

fn check(row: Row<'_>, id: usize) {
    let found: Vec<Value> = row.values().map(|value| value.map(<[u8]>::to_vec)).collect();
    assert!(found == expected(id), "row {id}");
    let bytes: usize = found.iter().flatten().map(Vec::len).sum();
    assert!((bytes..bytes + 45).contains(&row.payload_bytes()), "row {id}");
    let is_long = found.iter().flatten().any(|value| value.len() >= LONG_VALUE_BYTES);
    let Row::Long(row) = row else {
        return assert!(!is_long, "row {id}");
    };
    assert!(is_long, "row {id}");
    assert_eq!((row.columns(), row.values().len()), (5, 5));
    for value in row.values().flatten() {
        match value {
            LongRowValue::Bytes(bytes) => assert!(bytes.len() < LONG_VALUE_BYTES),
            LongRowValue::Block(block) => {
                assert!(block.len() >= LONG_VALUE_BYTES);
                assert_eq!(block.len(), block.capacity());
            }
        }
    }
}

/// Reads the answer in each way, which `ask` asks for.
fn read_each_way(connection: &mut Connection, ask: impl Fn(&mut Connection)) {
    ask(connection);
    let stored = connection.store_result().unwrap();
    assert_eq!((stored.rows(), connection.state()), (ROWS as u64, State::Ready));
    for id in (0..ROWS).chain([ROWS - 1, 0, 7, 6]) {
        check(stored.row(id as u64).unwrap(), id);
    }
    for from in [0, 5, ROWS - 1, ROWS] {
        let mut ids = from..ROWS;
        stored.rows_from(from as u64).for_each(|row| check(row, ids.next().unwrap()));
        assert!(ids.is_empty());
    }
    let wire = usize::try_from(stored.wire_bytes()).unwrap();
    assert!((wire..wire + 32 * ROWS).contains(&stored.memory_bytes()), "{wire} bytes");

    ask(connection);
    for id in 0..ROWS {
        check(connection.next_row().unwrap().unwrap(), id);
        check(connection.current_row().unwrap(), id);
    }
    assert!(connection.next_row().unwrap().is_none());

    ask(connection);
    let mut id = 0;
    loop {
        let count = connection.next_rows().unwrap();
        assert_eq!(connection.current_rows().count(), count as usize);
        for row in connection.current_rows() {
            check(row, id);
            id += 1;
        }
        if count == 0 {
            break;
        }
    }
    assert_eq!(id, ROWS);

    ask(connection);
    check(connection.next_row().unwrap().unwrap(), 0);
    connection.discard_result().unwrap();
    connection.ping().unwrap();
}

#[test]
fn each_way_to_read_gives_the_same() {
    on_each(|_, connection| {
        make_table(connection);
        read_each_way(connection, |connection| {
            connection.send_query(SQL.as_bytes()).unwrap();
            connection.read_query_response().unwrap();
        });
        let statement = connection.prepare(SQL.as_bytes()).unwrap();
        read_each_way(connection, |connection| {
            connection.send_execute(&statement, &[] as &[Parameter<'_>], false).unwrap();
            connection.read_query_response().unwrap();
        });
    });
}

/// Memory of which there is so much.
struct Limited(AtomicUsize);

impl Limited {
    fn lend(&self, bytes: usize) -> Option<Block> {
        let has_room = |left: usize| left.checked_sub(bytes);
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, has_room).ok()?;
        let mut block = Block::zeroed(bytes);
        block.truncate(0);
        Some(block)
    }
}

impl Memory for Limited {
    fn rows(&self, bytes: usize) -> Option<Block> {
        self.lend(bytes)
    }

    fn value(&self, bytes: usize) -> Option<Block> {
        self.lend(bytes)
    }
}

#[test]
fn where_memory_ends_the_connection_does() {
    static MEMORY: Limited = Limited(AtomicUsize::new(0));
    for server in Server::all() {
        let mut lacking = 0;
        for limit in (0..10).map(|n| n * 350_000) {
            for is_stored in [true, false] {
                let mut connection = server.connect();
                make_table(&mut connection);
                MEMORY.0.store(limit, Ordering::Relaxed);
                connection.set_memory(&MEMORY);
                connection.send_query(format!("{SQL} LIMIT 24").as_bytes()).unwrap();
                connection.read_query_response().unwrap();
                let read = match is_stored {
                    true => connection.store_result().map(drop),
                    false => loop {
                        match connection.next_row() {
                            Ok(Some(_)) => {}
                            Ok(None) => break Ok(()),
                            Err(error) => break Err(error),
                        }
                    },
                };
                let Err(error) = read else {
                    assert_eq!(connection.state(), State::Ready);
                    connection.ping().unwrap();
                    continue;
                };
                assert_eq!(
                    (error.code(), connection.state()),
                    (codes::OUT_OF_MEMORY, State::Broken)
                );
                assert_eq!(connection.ping().unwrap_err().code(), codes::SERVER_GONE_ERROR);
                lacking += 1;
            }
        }
        assert!((8..20).contains(&lacking), "{lacking} of 20 lacked memory");
    }
}
