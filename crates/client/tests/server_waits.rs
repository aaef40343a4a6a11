//! What an observer is told of a connection's replies and waits, on real servers.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

mod servers;

use std::sync::Mutex;
use std::time::Duration;

use servers::{Feature, on_each, rows, run};
use vaquita_client::{
    Connection, Ended, Event, Observed, Observer, Pipelined, Reply, SLOW_NS, SlowReply, Until,
    Wait, Watched,
};

/// What an observer was told.
#[derive(Clone, Debug, PartialEq)]
enum Told {
    Reply(Reply),
    Slow(String),
    Wait {
        connection: Observed,
        event: Event,
        elapsed: Duration,
        bytes: u64,
        packets: u64,
        command: Option<u8>,
        statement: Option<String>,
        no_backslash_escapes: Option<bool>,
        has_failed: bool,
    },
    Ended(Ended),
}

#[derive(Debug)]
struct Notes {
    wants_waits: bool,
    told: Mutex<Vec<Told>>,
}

impl Notes {
    fn new(wants_waits: bool) -> &'static Notes {
        Box::leak(Box::new(Notes { wants_waits, told: Mutex::default() }))
    }

    fn take(&self) -> Vec<Told> {
        std::mem::take(&mut *self.told.lock().unwrap())
    }

    fn replies(&self) -> Vec<Reply> {
        let replies = self.take().into_iter().filter_map(|told| match told {
            Told::Reply(reply) => Some(reply),
            _ => None,
        });
        replies.collect()
    }

    fn note(&self, told: Told) {
        self.told.lock().unwrap().push(told);
    }
}

impl Observer for Notes {
    fn wants_waits(&self) -> bool {
        self.wants_waits
    }

    fn replied(&self, reply: Reply) {
        self.note(Told::Reply(reply));
    }

    fn replied_slowly(&self, slow: SlowReply<'_>) {
        assert!(slow.took_ns >= SLOW_NS);
        self.note(Told::Slow(String::from_utf8_lossy(slow.statement).into_owned()));
    }

    fn waited(&self, wait: &Wait<'_>) {
        self.note(Told::Wait {
            connection: wait.connection,
            event: wait.event,
            elapsed: wait.elapsed,
            bytes: wait.bytes,
            packets: wait.packets,
            command: wait.command,
            statement: wait.statement.map(|it| String::from_utf8_lossy(it).into_owned()),
            no_backslash_escapes: wait.dialect.map(|it| it.no_backslash_escapes),
            has_failed: wait.has_failed,
        });
    }

    fn ended(&self, ended: &Ended) {
        self.note(Told::Ended(*ended));
    }
}

/// A wait in short: for what, by which command and statement, and whether it failed.
fn waits(told: &[Told]) -> Vec<(Event, Option<u8>, Option<&str>, bool)> {
    let waits = told.iter().filter_map(|told| match told {
        Told::Wait { event, command, statement, has_failed, .. } => {
            Some((*event, *command, statement.as_deref(), *has_failed))
        }
        _ => None,
    });
    waits.collect()
}

const QUERY: Option<u8> = Some(0x03);

#[test]
fn each_reply_is_told_with_its_time_and_a_slow_one_is_slow() {
    on_each(|_, connection| {
        let notes = Notes::new(false);
        connection.set_observer(Some(notes));
        rows(connection, "SELECT SLEEP(0.05)");
        rows(connection, "SELECT 1");
        connection.ping().unwrap();
        connection.tell_reply();
        let replies = notes.replies();
        let commands: Vec<_> = replies.iter().map(|reply| reply.command).collect();
        assert_eq!(commands, [QUERY, QUERY, Some(0x0E)]);
        assert!(replies[0].last_byte_ns >= 50_000_000, "{replies:?}");
        assert!(replies[2].first_byte_ns < replies[0].first_byte_ns, "{replies:?}");
        assert!(
            replies.iter().all(|it| it.first_byte_ns > 0 && it.first_byte_ns <= it.last_byte_ns)
        );
        connection.tell_reply();
        assert_eq!(notes.take(), []);
    });
}

#[test]
fn rows_that_come_later_are_told_apart_from_the_first() {
    on_each(|_, connection| {
        let notes = Notes::new(false);
        connection.set_observer(Some(notes));
        let sql = "SELECT REPEAT('x', 100000) UNION ALL SELECT SLEEP(0.05) UNION ALL SELECT REPEAT('y', 900000)";
        assert_eq!(rows(connection, sql).len(), 3);
        connection.tell_reply();
        let [reply] = notes.replies()[..] else { panic!("one reply") };
        assert!(reply.last_byte_ns > reply.first_byte_ns, "{reply:?}");
        assert!(reply.last_byte_ns >= 50_000_000);
    });
}

#[test]
fn waits_have_their_statement_bytes_and_packets() {
    on_each(|_, connection| {
        let notes = Notes::new(true);
        connection.set_observer(Some(notes));
        rows(connection, "SELECT 'ab'");
        let told = notes.take();
        let select = Some("SELECT 'ab'");
        assert_eq!(
            waits(&told),
            [(Event::Write, QUERY, select, false), (Event::FirstByte, QUERY, select, false)]
        );
        let thread_id = connection.thread_id();
        // The packet, and a compressed packet's header where there is one.
        let own_bytes = if connection.options().compression.is_empty() { 16 } else { 23 };
        let Told::Wait { connection: observed, bytes, packets, .. } = &told[0] else { panic!() };
        assert_eq!((observed.thread_id, *bytes, *packets), (thread_id, own_bytes, 1));
        let Told::Wait { bytes, packets, .. } = &told[1] else { panic!() };
        assert!(*bytes > 30 && (4..=5).contains(packets), "{told:?}");

        connection.send_query(b"nonsense").unwrap();
        connection.read_query_response().unwrap_err();
        let told = notes.take();
        let nonsense = Some("nonsense");
        assert_eq!(waits(&told)[1], (Event::FirstByte, QUERY, nonsense, true));
    });
}

#[test]
fn prepared_statements_are_known_by_their_text() {
    on_each(|_, connection| {
        let notes = Notes::new(true);
        connection.set_observer(Some(notes));
        let one = connection.prepare(b"SELECT 1").unwrap();
        let two = connection.prepare(b"SELECT 2").unwrap();
        for statement in [&two, &one] {
            connection.send_execute(statement, &[], false).unwrap();
            connection.read_query_response().unwrap();
            connection.discard_result().unwrap();
        }
        let told = notes.take();
        let first_bytes: Vec<_> =
            waits(&told).into_iter().filter(|wait| wait.0 == Event::FirstByte).collect();
        let wait = |command, sql| (Event::FirstByte, Some(command), Some(sql), false);
        assert_eq!(
            first_bytes,
            [
                wait(0x16, "SELECT 1"),
                wait(0x16, "SELECT 2"),
                wait(0x17, "SELECT 2"),
                wait(0x17, "SELECT 1"),
            ]
        );
    });
}

#[test]
fn slow_replies_are_told_with_their_statements() {
    on_each(|_, connection| {
        for wants_waits in [false, true] {
            let notes = Notes::new(wants_waits);
            connection.set_observer(Some(notes));
            let slow = |connection: &mut Connection| {
                connection.tell_reply();
                let told = notes.take().into_iter();
                // Where a machine has much to do, anything is slow.
                let text = |told| match told {
                    Told::Slow(text) if text.contains("SLEEP") => Some(text),
                    _ => None,
                };
                told.filter_map(text).collect::<Vec<String>>()
            };
            run(connection, "DO 1");
            rows(connection, "SELECT SLEEP(0.002)");
            run(connection, "DO 2");
            assert_eq!(slow(connection), ["SELECT SLEEP(0.002)"]);
            // What is long is known by its beginning.
            let long = format!("DO SLEEP(0.002){}", ", 7".repeat(10_000));
            run(connection, &long);
            let told = slow(connection);
            assert!(told[0].len() > 8 << 10 && long.starts_with(&told[0]), "{}", told[0].len());
            // One that was prepared is known until it is closed.
            let one = connection.prepare(b"DO SLEEP(0.002), 'one'").unwrap();
            let two = connection.prepare(b"DO SLEEP(0.002), 'two'").unwrap();
            for statement in [&two, &one] {
                connection.send_execute(statement, &[], false).unwrap();
                connection.read_query_response().unwrap();
            }
            connection.close_statement(&one).unwrap();
            run(connection, "DO 3");
            let texts = ["DO SLEEP(0.002), 'two'", "DO SLEEP(0.002), 'one'"];
            assert_eq!(slow(connection), texts);
            connection.close_statement(&two).unwrap();
        }
        connection.set_observer(None);
    });
}

#[test]
fn connecting_is_told_step_by_step_and_so_is_the_end() {
    on_each(|_, connection| {
        let notes = Notes::new(true);
        let mut options = connection.options().clone();
        options.observer = Watched(Some(notes));
        let mut made = Connection::connect(&options).unwrap();
        let told = notes.take();
        let steps: Vec<Event> = waits(&told).iter().map(|wait| wait.0).collect();
        assert!(steps.starts_with(&[Event::Connect]), "{steps:?}");
        let auth = steps.iter().position(|step| *step == Event::Auth).expect("the log-in");
        assert_eq!(steps[..auth].contains(&Event::Tls), options.tls.is_some());
        let made_by: Vec<_> = told
            .iter()
            .filter(|told| matches!(told, Told::Reply(it) if it.command.is_none()))
            .collect();
        assert_eq!(made_by.len(), 1);
        made.close();
        let told = notes.take();
        assert_eq!(waits(&told), [(Event::Write, Some(0x01), None, false)]);
        let Some(Told::Ended(ended)) = told.last() else { panic!("{told:?}") };
        let is_tcp = matches!(options.address, vaquita_client::Address::Tcp { .. });
        assert_eq!(ended.round_trip.is_some(), is_tcp);

        options.user = b"nobody".to_vec();
        options.password = b"secret".into();
        Connection::connect(&options).unwrap_err();
        let told = notes.take();
        assert_eq!(waits(&told).last(), Some(&(Event::Auth, None, None, true)));
    });
}

#[test]
fn a_round_trip_is_counted_for_each_time_that_the_server_is_waited_for() {
    on_each(|_, connection| {
        let before = connection.counted();
        rows(connection, "SELECT 1");
        run(connection, "DO 1");
        let counted = connection.counted();
        assert_eq!(counted.round_trips - before.round_trips, 2);
        assert_eq!(counted.reads - before.reads, 2);
        assert_eq!(counted.writes - before.writes, 2);
        let queries = ["DO 1", "DO 2", "DO 3"].map(|sql| Pipelined::Query(sql.as_bytes()));
        connection.pipeline(queries, Until::End, |done| drop(done.unwrap())).unwrap();
        assert!(connection.counted().round_trips - counted.round_trips <= 2);
    });
}

#[test]
fn each_reply_of_a_pipeline_is_told_since_its_command_began() {
    on_each(|_, connection| {
        let notes = Notes::new(false);
        connection.set_observer(Some(notes));
        let texts: Vec<String> =
            (0..40).map(|it| format!("SELECT {it}, SLEEP(0.05 * ({it} = 20))")).collect();
        let queries = texts.iter().map(|sql| Pipelined::Query(sql.as_bytes()));
        let began = std::time::Instant::now();
        connection.pipeline(queries, Until::End, |done| drop(done.unwrap())).unwrap();
        connection.tell_reply();
        let all = u64::try_from(began.elapsed().as_nanos()).unwrap();
        let replies = notes.replies();
        assert_eq!(replies.len(), texts.len());
        for (place, reply) in replies.iter().enumerate() {
            let Reply { command, first_byte_ns, last_byte_ns } = *reply;
            assert_eq!(command, QUERY);
            assert!(first_byte_ns <= last_byte_ns && last_byte_ns <= all, "{place}: {reply:?}");
            // All were sent at once, so the later ones have waited for it, too.
            assert!(place < 20 || last_byte_ns >= 45_000_000, "{place}: {reply:?}");
        }
    });
}

#[test]
fn a_statement_of_a_pipeline_is_told_with_how_it_is_read_or_that_nobody_knows() {
    on_each(|_, connection| {
        run(connection, "SET sql_mode = 'NO_BACKSLASH_ESCAPES'");
        let notes = Notes::new(true);
        connection.set_observer(Some(notes));
        let queries = ["SELECT 1", "SET sql_mode = ''", "SELECT 2"]
            .map(|sql| Pipelined::Query(sql.as_bytes()));
        connection.pipeline(queries, Until::End, |done| drop(done.unwrap())).unwrap();
        connection.tell_reply();
        let read: Vec<_> = notes
            .take()
            .iter()
            .filter_map(|told| match told {
                Told::Wait { event, no_backslash_escapes, .. } => {
                    Some((*event, *no_backslash_escapes))
                }
                _ => None,
            })
            .collect();
        let of = |event| read.iter().filter(|it| it.0 == event).map(|it| it.1).collect::<Vec<_>>();
        assert_eq!(of(Event::Write), [Some(true), Some(true), None]);
        assert_eq!(of(Event::FirstByte).first(), Some(&Some(true)));
    });
}

#[test]
fn the_time_that_a_kept_connection_lies_idle_is_nobodys() {
    on_each(|server, connection| {
        if connection.options().tls.is_some() {
            return;
        }
        let mut options = connection.options().clone();
        options.is_persistent = true;
        for wants_waits in [false, true] {
            let mut kept = Connection::connect(&options).unwrap();
            rows(&mut kept, "SELECT 1");
            // The first reset is waited for.
            assert!(kept.release(None));
            kept.resume(vaquita_client::PoolCheck::Peek).unwrap();
            rows(&mut kept, "SELECT 1");
            let notes = Notes::new(wants_waits);
            kept.set_observer(Some(notes));
            assert!(kept.release(None));
            std::thread::sleep(Duration::from_millis(60));
            let before = kept.counted();
            kept.resume(vaquita_client::PoolCheck::Peek).unwrap();
            rows(&mut kept, "SELECT 1");
            kept.tell_reply();
            let told = notes.take();
            let is_short = |told: &Told| match told {
                Told::Reply(reply) => reply.last_byte_ns < 50_000_000,
                Told::Wait { elapsed, .. } => elapsed.as_millis() < 50,
                Told::Ended(_) | Told::Slow(_) => true,
            };
            assert!(told.iter().all(is_short), "{told:?}");
            let replies = told.iter().rev().filter_map(|told| match told {
                Told::Reply(reply) => Some(reply.command),
                _ => None,
            });
            assert_eq!(replies.clone().next(), Some(QUERY));
            // One that does not know the reset is logged in to again, which is waited for.
            if server.has(Feature::ResetConnection) {
                assert_eq!(kept.counted().round_trips - before.round_trips, 1);
            }
        }
    });
}
