//! What is written of waits, and what is not.

use std::fs;
use std::path::PathBuf;

use super::*;
use crate::trace::folder::Folder;
use crate::trace::monotonic;
use vaquita_client::{Charset, Dialect, Observed};

const QUERY: Option<u8> = Some(0x03);
const EXECUTE: Option<u8> = Some(0x17);

const MS: Duration = Duration::from_millis(1);

fn dialect() -> Option<Dialect> {
    Some(Dialect { encoding: Charset::utf8mb4().encoding, no_backslash_escapes: false })
}

/// A tracer, its file, and a clock that goes on with what is waited for.
struct Traced {
    tracer: Tracer,
    path: PathBuf,
    now: Duration,
    _folder: Folder,
}

impl Traced {
    fn new(options: Options) -> Traced {
        let folder = Folder::new();
        let path = folder.path("trace");
        let tracer = Tracer::new(Output::open(&path).unwrap(), options);
        Traced { tracer, path, now: monotonic(), _folder: folder }
    }

    fn slow() -> Traced {
        Traced::new(Options { slow: Some(10 * MS), ..Options::default() })
    }

    fn wait(&mut self, number: u64, event: Event, elapsed: Duration, statement: Option<&str>) {
        self.now += elapsed;
        self.tracer.waited(&Wait {
            connection: Observed { number, thread_id: 57 },
            event,
            elapsed,
            ended: self.now,
            bytes: 96,
            packets: 6,
            command: QUERY,
            statement: statement.map(str::as_bytes),
            dialect: dialect(),
            has_failed: false,
        });
    }

    /// A statement whose reply takes so long to begin, and its rows so long to come.
    fn run(&mut self, number: u64, statement: &str, first_byte: Duration, more_rows: Duration) {
        self.wait(number, Event::Write, MS, Some(statement));
        self.wait(number, Event::FirstByte, first_byte, Some(statement));
        self.wait(number, Event::MoreRows, more_rows, Some(statement));
    }

    fn end(&mut self, number: u64, round_trip: Option<Duration>) {
        let connection = Observed { number, thread_id: 57 };
        let shortest_round_trip = round_trip.map(|it| it / 2);
        self.tracer.ended(&Ended { connection, at: self.now, round_trip, shortest_round_trip });
    }

    /// The lines, without their times and processes, since they were asked for last.
    fn lines(&self) -> Vec<String> {
        let text = fs::read_to_string(&self.path).unwrap();
        fs::OpenOptions::new().write(true).open(&self.path).unwrap().set_len(0).unwrap();
        let begin = format!("Z pid={} conn=", std::process::id());
        text.lines().map(|line| line.split_once(&begin).unwrap().1.to_owned()).collect()
    }

    /// What the lines tell, and how long it took.
    fn told(&self) -> Vec<String> {
        let part = |line: &str, key: &str| {
            line.split(' ').find_map(|it| it.strip_prefix(key)).unwrap_or_default().to_owned()
        };
        let short = |line: &String| {
            let sql = line.split_once("sql=").map_or("", |it| it.1);
            format!("{} {} {sql}", part(line, "event="), part(line, "us=")).trim_end().to_owned()
        };
        self.lines().iter().map(short).collect()
    }
}

#[test]
fn each_wait_is_a_line() {
    let mut traced = Traced::new(Options::default());
    traced.wait(3, Event::FirstByte, Duration::from_nanos(182_999), Some("SELECT 'a'\n-- b"));
    assert_eq!(
        traced.lines(),
        [
            "3 id=57 event=first_byte us=182 bytes=96 packets=6 command=query digest=199e7dca63ea8858 sql=SELECT ?"
        ]
    );
    traced.tracer.waited(&Wait {
        connection: Observed { number: 4, thread_id: 0 },
        event: Event::Connect,
        elapsed: MS,
        ended: traced.now,
        bytes: 0,
        packets: 0,
        command: None,
        statement: None,
        dialect: None,
        has_failed: true,
    });
    assert_eq!(traced.lines(), ["4 event=connect us=1000 failed=1"]);
    traced.end(3, None);
    traced.end(4, Some(Duration::from_micros(40)));
    assert_eq!(
        traced.lines(),
        [
            "3 id=57 event=end us=0 network=unix",
            "4 id=57 event=end us=0 network=tcp rtt_us=40 min_rtt_us=20"
        ]
    );
    assert_eq!(traced.tracer.take_failure(), None);
}

#[test]
fn a_request_is_told_with_what_it_waited_for() {
    let mut traced = Traced::new(Options::default());
    traced.tracer.request_began(traced.now);
    for event in [Event::Resolve, Event::Connect, Event::Tls, Event::Auth] {
        traced.wait(1, event, MS, None);
    }
    traced.run(1, "SELECT 1", MS, MS);
    traced.wait(1, Event::Elsewhere, MS, Some("SELECT 2"));
    assert_eq!(traced.lines().len(), 8);
    traced.tracer.request_ended(traced.now + 2 * MS);
    assert_eq!(
        traced.lines(),
        ["0 event=request us=10000 waits=8 waits_us=8000 connecting_us=4000"]
    );
    traced.tracer.request_ended(traced.now);
    traced.tracer.request_began(traced.now);
    traced.tracer.request_ended(traced.now + 100 * MS);
    assert_eq!(traced.lines(), [""; 0], "nothing was waited for");
}

#[test]
fn times_are_those_of_the_day() {
    let traced = {
        let mut traced = Traced::new(Options::default());
        traced.wait(1, Event::Write, MS, None);
        traced
    };
    let text = fs::read_to_string(&traced.path).unwrap();
    let line = crate::trace::Line::parse(text.trim_end().as_bytes()).unwrap();
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let now = u64::try_from(now.as_micros()).unwrap();
    assert!(line.at.0.abs_diff(now) < 60_000_000);
}

#[test]
fn literals_are_shown_if_asked_for_and_secrets_never() {
    let secrets = [
        "SET PASSWORD FOR u = 's3cret'",
        "CREATE USER u IDENTIFIED BY 's3cret'",
        "ALTER USER u identified WITH p AS 's3cret'",
        "CHANGE MASTER TO MASTER_PASSWORD='s3cret'",
        "/*! SET PASSWORD = 's3cret' */",
        "SELECT AES_DECRYPT(a, 's3cret') FROM t",
    ];
    for literals in [false, true] {
        let mut traced = Traced::new(Options { literals, ..Options::default() });
        traced.wait(1, Event::Write, MS, Some("SELECT 'it''s' -- \x1B\n, 5"));
        let shown = if literals { "SELECT 'it''s' -- \\x1b\\n, 5" } else { "SELECT ?, ?" };
        let digest = crate::trace::digest(b"SELECT ?, ?");
        let [line] = &traced.lines()[..] else { panic!("one line") };
        assert!(line.ends_with(&format!(" digest={digest:016x} sql={shown}")), "{line}");
        for secret in secrets {
            traced.wait(1, Event::Write, MS, Some(secret));
            let lines = traced.lines();
            assert!(lines.len() == 1 && !lines[0].contains("s3cret"), "{lines:?}");
        }
        let long = format!("SELECT '{}', 's3cret'", "x".repeat(100_000));
        traced.wait(1, Event::Write, MS, Some(&long));
        let [line] = &traced.lines()[..] else { panic!("one line") };
        assert!(line.len() < 5000 && line.ends_with("..."), "{line}");
    }
}

#[test]
fn a_statement_whose_reading_is_not_known_is_its_first_word() {
    let mut traced = Traced::new(Options::default());
    traced.tracer.waited(&Wait {
        connection: Observed { number: 1, thread_id: 0 },
        event: Event::Write,
        elapsed: MS,
        ended: traced.now,
        bytes: 0,
        packets: 0,
        command: EXECUTE,
        statement: Some(b"SELECT secret"),
        dialect: None,
        has_failed: false,
    });
    assert_eq!(traced.told(), ["write 1000 SELECT"]);
}

#[test]
fn what_is_fast_is_not_written() {
    let mut traced = Traced::slow();
    traced.tracer.request_began(traced.now);
    for _ in 0..3 {
        traced.run(1, "SELECT 1", MS, MS);
    }
    traced.tracer.request_ended(traced.now);
    traced.end(1, None);
    assert_eq!(traced.lines(), [""; 0]);
}

#[test]
fn a_slow_statement_is_written_with_what_was_before_it_when_it_is_over() {
    let mut traced = Traced::slow();
    traced.tracer.request_began(traced.now);
    traced.wait(1, Event::Auth, MS, None);
    traced.run(1, "SELECT 1", MS, MS);
    traced.run(1, "SELECT 'slow'", 3 * MS, 3 * MS);
    traced.wait(1, Event::MoreRows, 4 * MS, Some("SELECT 'slow'"));
    traced.wait(2, Event::Write, MS, Some("SELECT 'other'"));
    assert_eq!(traced.lines(), [""; 0], "it may go on");
    traced.wait(1, Event::Write, MS, Some("COMMIT"));
    assert_eq!(
        traced.told(),
        [
            "auth 1000",
            "write 1000 SELECT ?",
            "first_byte 1000 SELECT ?",
            "more_rows 1000 SELECT ?",
            "write 1000 SELECT ?",
            "first_byte 3000 SELECT ?",
            "more_rows 3000 SELECT ?",
            "more_rows 4000 SELECT ?",
            "write 1000 SELECT ?",
            "slow 11000 SELECT ?"
        ]
    );
    traced.tracer.request_ended(traced.now);
    let lines = traced.lines();
    assert_eq!(
        lines[0],
        format!(
            "1 id=57 event=write us=1000 bytes=96 packets=6 command=query digest={:016x} sql=COMMIT",
            crate::trace::digest(b"COMMIT")
        )
    );
    assert_eq!(
        lines[1..],
        [
            "0 event=request us=17000 waits=10 waits_us=17000 connecting_us=1000",
            "0 event=slow us=17000 what=request limit_us=10000"
        ]
    );
}

#[test]
fn slow_statements_are_noticed_wherever_they_end() {
    let slow = |traced: &Traced| traced.told().last().cloned().unwrap_or_default();
    let mut traced = Traced::slow();
    traced.run(1, "SELECT 1", 10 * MS, MS);
    traced.end(1, None);
    assert_eq!(traced.told()[3..], ["end 0", "slow 12000 SELECT ?"]);
    traced.run(2, "SELECT 1", 10 * MS, MS);
    traced.tracer.request_began(traced.now);
    assert_eq!(slow(&traced), "slow 12000 SELECT ?");
    traced.run(2, "SELECT 1", 10 * MS, MS);
    traced.tracer.request_ended(traced.now - 5 * MS);
    assert_eq!(slow(&traced), "slow 12000 SELECT ?");
    // Two commands in one write: the second one's reply is its own.
    traced.wait(3, Event::Write, MS, Some("SELECT 1"));
    traced.wait(3, Event::Write, MS, Some("SELECT b"));
    traced.wait(3, Event::FirstByte, 8 * MS, Some("SELECT 1"));
    traced.wait(3, Event::FirstByte, 8 * MS, Some("SELECT b"));
    traced.wait(3, Event::Write, MS, Some("SELECT c"));
    assert_eq!(traced.lines(), [""; 0]);
    traced.wait(3, Event::FirstByte, 10 * MS, Some("SELECT c"));
    traced.wait(3, Event::Write, MS, None);
    assert_eq!(slow(&traced), "slow 11000 SELECT c");
    // Connecting.
    traced.wait(4, Event::Connect, 6 * MS, None);
    traced.wait(4, Event::Auth, 6 * MS, None);
    traced.wait(4, Event::Write, MS, Some("SELECT 1"));
    assert_eq!(slow(&traced), "slow 12000");
    // More connections than are known at the same time.
    for number in 5..500 {
        traced.wait(number, Event::Write, 20 * MS, None);
    }
    assert!(traced.told().iter().filter(|it| it.starts_with("slow")).count() >= 400);
}

#[test]
fn nothing_of_a_request_is_told_with_the_next_one() {
    let mut traced = Traced::slow();
    for _ in 0..2 {
        traced.tracer.request_began(traced.now);
        traced.wait(1, Event::Write, 9 * MS, Some("SELECT 'before'"));
        traced.tracer.request_ended(traced.now);
    }
    traced.tracer.request_began(traced.now);
    traced.wait(1, Event::Write, 11 * MS, Some("SELECT 'now'"));
    traced.tracer.request_ended(traced.now);
    assert_eq!(
        traced.told(),
        ["write 11000 SELECT ?", "slow 11000 SELECT ?", "request 11000", "slow 11000"]
    );
}

#[test]
fn digests_of_long_statements_do_not_hang_on_when_they_are_written() {
    let long = format!("SELECT {} '{}'", "a,".repeat(100), "x".repeat(100_000));
    let lines = [Traced::new(Options::default()), Traced::slow()].map(|mut traced| {
        traced.wait(1, Event::Write, 20 * MS, Some(&long));
        traced.end(1, None);
        traced.lines()[0].clone()
    });
    assert!(lines[0] == lines[1] && lines[0].ends_with("a, ..."), "{lines:?}");
}
