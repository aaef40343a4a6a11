//! `vaquita trace summary` on traces of the driver, whole, damaged, and none at all.
//!
//! The traces in `traces/` are those of scripts on MariaDB 10.11 by TCP, or by a unix socket; `slow_network` and `connecting` went through a proxy that delayed each direction by 20 ms, `kept` has
//! a limit of 100 ms. Beside each stands what is said of it.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;

const TRACES: [&str; 7] = [
    "slow_server",
    "slow_network",
    "slow_client",
    "unix_socket",
    "two_modes",
    "connecting",
    "kept",
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traces")
}

/// Sums what is in a folder.
fn summary(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_vaquita"))
        .current_dir(folder())
        .args(["trace", "summary"])
        .args(arguments)
        .output()
        .unwrap()
}

/// What is said of a trace that is read from standard input, with as much memory as a small machine has.
fn summary_of(write: impl FnOnce(&mut dyn Write) + Send + 'static) -> String {
    let mut child = Command::new("sh")
        .args(["-c", "ulimit -v 400000 && exec \"$0\" trace summary --top 3 -"])
        .arg(env!("CARGO_BIN_EXE_vaquita"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = std::io::BufWriter::new(child.stdin.take().unwrap());
    let writer = thread::spawn(move || write(&mut input));
    let ended = child.wait_with_output().unwrap();
    writer.join().unwrap();
    assert!(ended.status.success(), "{}", ended.status);
    String::from_utf8(ended.stdout).unwrap()
}

fn said(trace: &str) -> String {
    let ended = summary(&[&format!("{trace}.trace")]);
    assert_eq!((ended.status.code(), &*ended.stderr), (Some(0), &b""[..]));
    String::from_utf8(ended.stdout).unwrap()
}

#[test]
fn each_trace_has_its_summary() {
    for trace in TRACES {
        let expected = fs::read_to_string(folder().join(trace).with_extension("txt")).unwrap();
        assert!(said(trace) == expected, "{trace}:\n{}", said(trace));
    }
}

#[test]
fn a_slow_server_a_slow_network_and_a_slow_client_are_told_apart() {
    for (trace, whose) in [
        ("slow_server", "server"),
        ("slow_network", "network"),
        ("slow_client", "client"),
        ("unix_socket", "client"),
        ("kept", "server"),
    ] {
        let said = said(trace);
        let (_, verdict) = said.split_once("Most of the time went to: ").unwrap();
        let (name, percent) = verdict.split_once(" %)").unwrap().0.split_once(" (").unwrap();
        assert_eq!(name, whose, "{trace}");
        assert!(percent.parse::<u8>().unwrap() >= 95, "{trace}: {percent}");
    }
    assert!(said("unix_socket").contains("\n  network       0 µs    0.0 %\n"));
}

#[test]
fn verdicts_on_connecting_can_be_opposite() {
    let verdict = |trace: &str| {
        let said = said(trace);
        said.lines().find(|line| line.starts_with("Connecting")).unwrap().to_owned()
    };
    assert_eq!(
        verdict("connecting"),
        "Connecting is 62 % of a request: p: would save about 69.9 ms"
    );
    assert_eq!(verdict("slow_server"), "Connecting does not matter (0.1 %)");
}

#[test]
fn a_statement_with_two_modes_shows_both() {
    let said = said("two_modes");
    let (_, bars) = said.split_once("\nHow long each took: ").unwrap();
    let counts = bars.lines().skip(1).map_while(|line| line.split_once('|'));
    let counts: Vec<u32> =
        counts.map(|(_, bar)| bar.trim_start_matches(['@', ' ']).parse().unwrap()).collect();
    let valley = counts.iter().position(|count| *count == 0).unwrap();
    let (fast, slow) = counts.split_at(valley);
    assert_eq!((fast.iter().sum(), slow.iter().sum()), (45, 15), "{counts:?}");
}

#[test]
fn damaged_traces_are_summed_as_far_as_they_go() {
    let trace = fs::read(folder().join("slow_server.trace")).unwrap();
    let lines: Vec<&[u8]> = trace.split_inclusive(|byte| *byte == b'\n').collect();
    let mut damaged = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        match number {
            // A process was killed, and another went on.
            3 => damaged.extend_from_slice(&line[..line.len() / 2]),
            // A disk was full.
            5 => damaged.extend_from_slice(&[&line[..90], b"\x18\n"].concat()),
            7 => damaged.extend_from_slice(b"\0\xFF\x1B[31m no line\n"),
            // Of another version.
            9 => {
                let line = String::from_utf8(line.to_vec()).unwrap();
                let line = line
                    .replace("event=first_byte", "event=novel")
                    .replace(" us=", " mood=good us=");
                damaged.extend_from_slice(line.as_bytes());
            }
            _ => {}
        }
        if !matches!(number, 3 | 5 | 7 | 9) {
            damaged.extend_from_slice(line);
        }
    }
    damaged.extend_from_slice(&lines[0][..40]);
    let said = summary_of(move |input| input.write_all(&damaged).unwrap());
    let mut said = said.lines();
    assert_eq!(said.next().unwrap(), "-: lines: 48, cut: 3, unreadable: 1");
    assert!(said.any(|line| line.starts_with("novel ")));
    assert!(said.any(|line| line.starts_with("Most of the time went to: server")));
}

#[test]
fn any_bytes_are_read_in_bounded_memory() {
    let said = summary_of(|input| {
        let mut bytes = vec![0; 1 << 20];
        let mut state = 1_u64;
        for byte in &mut bytes {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            // Hardly ever the end of a line.
            *byte = (state >> 56).to_le_bytes()[0].max(11);
        }
        (0..500).for_each(|_| input.write_all(&bytes).unwrap());
    });
    assert_eq!(said, "-: lines: 0, cut: 1, unreadable: 0\nThere is nothing to sum.\n");

    let said = summary_of(|input| {
        for number in 0..300_000_u64 {
            writeln!(
                input,
                "2026-11-23T09:00:00.{:06}Z pid={} conn={number} event=e{} us=5 command=query digest={number:x} sql=SELECT {number}",
                number, number % 100_000, number % 100
            )
            .unwrap();
            writeln!(
                input,
                "2026-11-23T09:00:00.{:06}Z pid={} conn={number} event=first_byte us=5 command=query digest={number:x} sql=SELECT {number}",
                number, number % 100_000
            )
            .unwrap();
        }
    });
    assert!(said.starts_with("-: lines: 600,000, cut: 0, unreadable: 0\n"), "{said}");
    assert!(said.contains("of others there were 295000 more, which took 1.47 s"), "{said}");
    assert!(said.contains("\n(others) "), "{said}");
}

#[test]
fn what_a_file_says_commands_no_terminal() {
    let said = summary_of(|input| {
        let line = "2026-11-23T09:00:00.000000Z pid=1 conn=1 event=first_byte us=5 command=\x1B[31m sql=\u{9B}31m\x07\n";
        input.write_all(line.as_bytes()).unwrap();
    });
    assert!(said.contains("(\\x1b[31m) \\u{9b}31m\\x07"), "{said}");
    assert!(!said.contains(['\x1B', '\u{9B}', '\x07']));
}

#[test]
fn what_is_no_trace_is_told() {
    let check = |arguments: &[&str], code: i32, expected: &str| {
        let ended = summary(arguments);
        let said = String::from_utf8(ended.stderr).unwrap();
        assert_eq!((ended.status.code(), said.starts_with(expected)), (Some(code), true), "{said}");
    };
    check(&["no_such.trace"], 1, "vaquita: trace: no_such.trace: No such file");
    check(&["."], 1, "vaquita: trace: .: Is a directory");
    check(&[], 2, "vaquita: trace: which file?\nusage: vaquita trace summary");
    check(&["a", "b"], 2, "vaquita: trace: one file only");
    check(&["--top", "0", "a"], 2, "vaquita: trace: --top takes a number up to 5000, not \"0\"");
    check(&["--top"], 2, "vaquita: trace: --top takes a number");
    check(&["--most", "a"], 2, "vaquita: trace: there is no option --most\n");
    check(&["--", "--most"], 1, "vaquita: trace: --most: No such file");
    let said = summary(&["/dev/null"]).stdout;
    assert_eq!(said, b"/dev/null: lines: 0, cut: 0, unreadable: 0\nThere is nothing to sum.\n");
    let said = String::from_utf8(summary(&["--top", "1", "slow_server.trace"]).stdout).unwrap();
    assert_eq!(said.matches("How long each took").count(), 1);
    assert!(said.contains("(1 of 2)"));
    assert!(summary(&["--help"]).stdout.starts_with(b"usage: vaquita trace summary"));
}
