//! What hostile scripts cost in memory: no more than what arrived and a constant, whatever a length field claims.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

mod fake;

use std::alloc::System;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use fake::{Over, Reading};
use peakmem_alloc::{INSTRUMENTED_SYSTEM, PeakMemAlloc, PeakMemAllocTrait};
use vaquita_client::{Capabilities, ColumnType, CompressionAlgorithm, Connection};
use vaquita_fake_server::{Delivery, NamedScript, Script, packets};

#[global_allocator]
static ALLOCATOR: &PeakMemAlloc<System> = &INSTRUMENTED_SYSTEM;

/// All memory of the process is counted, so one test runs at a time.
static ALONE: Mutex<()> = Mutex::new(());

/// What a connection may take besides what arrived: its read buffer of 128 KiB; and here the fake server too.
const CONSTANT_BYTES: u64 = 256 << 10;
/// The same while rows are stored: when the read buffer is full, or a row does not fit, it becomes a part of the result, and
/// the next one has 1 MiB.
const STORED_CONSTANT_BYTES: u64 = CONSTANT_BYTES + (1 << 20);

/// How long a client waits where the script has the server be silent; if it was too short, less is taken, which is no failure.
const TIME_LIMIT: Duration = Duration::from_millis(200);

/// Plays a script, and gives how much memory was taken at most while a client met it, and how much the server sent.
fn measure(script: Script, named: Option<&NamedScript>, reading: Reading) -> (u64, u64) {
    // The script's own bytes stay where they are while others are counted.
    let script = Arc::new(script);
    ALLOCATOR.reset_peak_memory();
    let server = fake::serve(&script, Over::Tcp, Delivery::WHOLE);
    let mut options = fake::options(&server);
    if named.is_some_and(|named| named.expected.is_timeout()) {
        options.connect_timeout = Some(TIME_LIMIT);
        options.read_timeout = Some(TIME_LIMIT);
    }
    let begun = Instant::now();
    if let Ok(mut connection) = Connection::connect(&options) {
        let _ = fake::query(&mut connection, reading);
    }
    assert!(begun.elapsed() < fake::PATIENCE / 2, "took {:?}", begun.elapsed());
    let sent_bytes = server.finish().unwrap().sent_bytes;
    (u64::try_from(ALLOCATOR.get_peak_memory()).unwrap(), sent_bytes)
}

/// No more than this many times what arrived, and the constant, is taken for a script, however its rows are read.
fn check(what: &str, times: u64, script: &Script, named: Option<&NamedScript>) {
    let constants = [(Reading::OneByOne, CONSTANT_BYTES), (Reading::Stored, STORED_CONSTANT_BYTES)];
    for (reading, constant) in constants {
        let (peak, sent) = measure(script.clone(), named, reading);
        eprintln!("{what}, {reading:?}: {peak} bytes for {sent}");
        assert!(peak <= times * sent + constant, "{what}, {reading:?}: {peak} bytes for {sent}");
        // The read buffer at least: else nothing was measured.
        assert!(peak >= 128 << 10, "{what}: {peak} bytes");
    }
}

#[test]
fn no_script_takes_more_than_it_sends_and_a_constant() {
    let _alone = ALONE.lock();
    for (named, ..) in fake::hostile() {
        for script in named.scripts() {
            // A long message stands in the read buffer, and in the error.
            let times = if named.name.starts_with("message-") { 2 } else { 1 };
            check(named.name, times, &script, Some(named));
        }
    }
}

fn two_columns() -> Script {
    Script::queried()
        .send(packets::column_count(2))
        .send(packets::column("a", ColumnType::LONG))
        .send(packets::column("b", ColumnType::BLOB))
        .send(packets::eof(packets::AUTOCOMMIT))
}

/// While a long packet arrives, the buffer for it doubles, until it is as long as the packet.
#[test]
fn a_cut_packet_takes_at_most_twice_what_arrived() {
    let _alone = ALONE.lock();
    let announced = [0xFE, 0xFF, 0xFF, 0x05];
    for bytes in [0, 1, 100_000, 131_072, 200_000, 1 << 20, 3 << 20, 9 << 20, 15 << 20] {
        let script = two_columns().send_raw(announced).send_raw(vec![0xFB; bytes]).close();
        check(&format!("{bytes} bytes of 16 MiB"), 2, &script, None);
    }
}

#[test]
fn a_long_message_takes_at_most_twice_what_arrived() {
    let _alone = ALONE.lock();
    let message = "x".repeat(15 << 20);
    let error = packets::err(1064, b"42000", &message);
    check("an error of 15 MiB", 2, &Script::queried().send(error), None);
    let info = packets::lenenc_bytes(message.as_bytes());
    let ok = packets::ok(packets::AUTOCOMMIT).field("info", info);
    check("an OK of 15 MiB", 2, &Script::queried().send(ok).close(), None);
}

/// Rows of more than half a chunk: what is left of each chunk is lost.
#[test]
fn rows_that_fit_badly_take_at_most_twice_what_arrived() {
    let _alone = ALONE.lock();
    let value = vec![b'x'; 600_000];
    let script = (0..20)
        .fold(two_columns(), |script, _| script.send(packets::row(&[None, Some(&value)])))
        .send(packets::eof(packets::AUTOCOMMIT));
    check("20 rows of 600 KB", 2, &script, None);
}

/// Many columns with the shortest definitions: each of 19 bytes becomes a value of 56, and
/// while there are more of them than fit where they are, or they move to where they are shared, they stand twice.
#[test]
fn a_wide_result_takes_at_most_seven_times_what_arrived() {
    let _alone = ALONE.lock();
    let mut definition = packets::column("", ColumnType::LONG);
    for name in ["catalog", "schema", "table", "org_table"] {
        definition = definition.with(name, [0]);
    }
    let count: u32 = 1 << 17;
    let result = Script::queried().send(packets::column_count(count.into()));
    let script = (0..count).fold(result, |script, _| script.send(definition.clone()));
    let script = script.send(packets::eof(packets::AUTOCOMMIT)).close();
    check("2^17 columns", 7, &script, None);
}

/// A compressed packet that claims 16 MiB before and after compression, and holds a few bytes.
#[test]
fn a_compressed_packet_takes_no_more_than_it_holds() {
    let _alone = ALONE.lock();
    for payload in [&b""[..], b"\x78\x9c", b"\x78\x9c\x63\x64\x62"] {
        let frame = [b"\xFF\xFF\xFF\x01\xFF\xFF\xFF", payload].concat();
        let offered = packets::OFFERED.with(Capabilities::COMPRESS);
        let script = Script::new()
            .send(packets::greeting(offered, "mysql_native_password"))
            .expect_packet()
            .send(packets::ok(packets::AUTOCOMMIT))
            .expect_packet()
            .send_raw(frame)
            .close();
        let script = Arc::new(script);
        ALLOCATOR.reset_peak_memory();
        let server = fake::serve(&script, Over::Tcp, Delivery::WHOLE);
        let mut options = fake::options(&server);
        options.compression = vec![CompressionAlgorithm::Zlib];
        let mut connection = Connection::connect(&options).unwrap();
        let (_, error) = fake::query(&mut connection, Reading::Stored).unwrap_err();
        assert_eq!(error.code(), 2006, "{error:?}");
        let sent = server.finish().unwrap().sent_bytes;
        let peak = u64::try_from(ALLOCATOR.get_peak_memory()).unwrap();
        eprintln!("{} bytes of 16 MiB compressed: {peak} bytes for {sent}", payload.len());
        assert!(peak <= sent + CONSTANT_BYTES, "{peak} bytes for {sent}");
    }
}
