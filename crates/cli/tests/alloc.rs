//! `vaquita alloc` on small programs: every call is found again, whatever becomes of the process, and the command does not notice.

#![allow(clippy::unwrap_used, reason = "a failed unwrap in a test is a failed test")]

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;

const VAQUITA: &str = env!("CARGO_BIN_EXE_vaquita");

/// Where the programs of `tests/programs` are, compiled once.
static PROGRAMS: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("programs");
    fs::create_dir_all(&folder).unwrap();
    compile(&folder.join("asks"), "asks.c", &["-rdynamic", "-pthread"]);
    compile(&folder.join("static"), "static.c", &["-static"]);
    compile(&folder.join("library.so"), "library.c", &["-shared", "-fPIC"]);
    folder
});

fn compile(to: &Path, source: &str, options: &[&str]) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(source);
    let warnings = ["-Wall", "-Wextra", "-Werror", "-O1"];
    let mut gcc = Command::new("gcc");
    let status = gcc.args(warnings).args(options).arg("-o").arg(to).arg(source).status().unwrap();
    assert!(status.success());
}

/// Runs `vaquita alloc` with these arguments.
fn alloc(arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Output {
    Command::new(VAQUITA).arg("alloc").args(arguments).output().unwrap()
}

fn program(name: &str) -> String {
    PROGRAMS.join(name).display().to_string()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// What is counted between the marks of `asks`: stretch, function, least bytes, calls, bytes and caller of each line.
fn lines(report: &[u8]) -> Vec<(u64, String, u64, u64, u64, String)> {
    let line = |line: &str| {
        let [stretch, function, least, calls, bytes, caller] =
            line.split('\t').collect::<Vec<_>>().try_into().unwrap();
        let number = |text: &str| text.parse::<u64>().unwrap();
        (
            number(stretch),
            function.to_owned(),
            number(least),
            number(calls),
            number(bytes),
            caller.to_owned(),
        )
    };
    text(report).lines().map(line).collect()
}

/// The calls of `malloc` by `leaf` between the marks.
fn leaf_calls(report: &[u8]) -> u64 {
    let lines = lines(report);
    lines.iter().filter(|it| it.1 == "malloc" && it.5 == "asks leaf").map(|it| it.3).sum()
}

#[test]
fn every_function_is_counted_with_its_size_and_its_caller() {
    let ended = alloc(["--marks", "--lines", "--", &program("asks"), "every"]);
    assert_eq!(ended.status.code(), Some(3));
    let by = "asks every_function";
    let expected = [
        ("calloc", 128, 1, 150),
        ("calloc", 1 << 46, 1, u64::MAX),
        ("free", 0, 9, 0),
        ("malloc", 0, 1, 0),
        ("malloc", 64, 1, 100),
        ("malloc", 1 << 46, 1, u64::MAX),
        ("memalign", 0x80, 1, 200),
        ("memalign", 0x100, 3, 857),
        ("memalign", 0x1000, 1, 5000),
        ("memalign", 1, 1, 1),
        ("mmap", 8192, 1, 8192),
        ("mremap", 1 << 20, 1, 1 << 20),
        ("munmap", 1 << 20, 1, 1 << 20),
        ("realloc", 16, 1, 20),
        ("realloc", 512, 1, 1000),
        ("realloc", 1 << 46, 1, u64::MAX),
    ];
    let mut expected = expected.map(|(function, least, calls, bytes)| {
        (1, function.to_owned(), least, calls, bytes, by.to_owned())
    });
    expected.sort();
    assert_eq!(lines(&ended.stderr), expected);
}

#[test]
fn threads_lose_no_call() {
    let ended = alloc(["--marks", "--lines", "--", &program("asks"), "threads"]);
    assert_eq!(leaf_calls(&ended.stderr), 8 * 20_000);
}

#[test]
fn forked_processes_are_counted_with_the_program_also_if_they_are_killed() {
    let ended = alloc(["--marks", "--lines", "--", &program("asks"), "forks"]);
    assert_eq!(leaf_calls(&ended.stderr), 4 * 20_000);
    let report = text(&alloc([&program("asks"), "forks"]).stderr);
    assert!(report.contains("exit code 3; counted with it: 4 forks\n"), "{report}");
}

#[test]
fn what_was_counted_survives_whoever_is_killed() {
    let ended = alloc(["--marks", "--lines", "--", &program("asks"), "killed"]);
    assert_eq!(ended.status.code(), Some(128 + 9));
    assert_eq!(leaf_calls(&ended.stderr), 20_000);
    let report = text(&alloc([&program("asks"), "killed"]).stderr);
    assert!(
        report.contains("signal 9 (SIGKILL)\nWhat follows was counted until then.\n"),
        "{report}"
    );
}

#[test]
fn callers_beyond_the_table_are_counted_together() {
    let ended = alloc(["--frames", "8", "--marks", "--lines", "--", &program("asks"), "ways"]);
    let lines = lines(&ended.stderr);
    let calls = lines.iter().filter(|it| it.1 == "malloc").map(|it| it.3);
    assert_eq!(calls.sum::<u64>(), 78_125);
    assert!(lines.iter().any(|it| it.5 == "(further callers)"));
    let way = "asks leaf < asks one < asks two < asks three < asks four";
    assert!(lines.iter().any(|it| it.5.starts_with(way)), "{lines:?}");
}

#[test]
fn a_library_that_was_closed_again_is_named() {
    let ended =
        alloc(["--marks", "--lines", "--", &program("asks"), "library", &program("library.so")]);
    let expected = (1, "malloc".to_owned(), 64, 1, 123, "library.so ask".to_owned());
    assert_eq!(lines(&ended.stderr).last(), Some(&expected));
}

#[test]
fn stretches_are_told_apart_and_only_where_marks_are_asked_for() {
    let ended = alloc(["--marks", "--", &program("asks"), "stretches"]);
    let report = text(&ended.stderr);
    let (first, third) = report.split_once("=== stretch 3, from umask(0703) on").unwrap();
    assert!(first.contains("\n1 call for 10 bytes; 1 call of free\n"), "{report}");
    assert!(third.contains("\n1 call for 1,000 bytes; 1 call of free\n"), "{report}");
    let without = text(&alloc([&program("asks"), "stretches"]).stderr);
    assert!(!without.contains("stretch "), "{without}");
    let unmarked = text(&alloc(["--marks", "true"]).stderr);
    assert!(unmarked.ends_with("to umask(0700)) nothing was asked for.\n"), "{unmarked}");
}

#[test]
fn a_mark_is_an_ordinary_umask_where_none_are_asked_for() {
    let ended = alloc(["sh", "-c", "umask 0702; umask"]);
    assert_eq!(text(&ended.stdout), "0702\n");
}

#[test]
fn histograms_and_callers_are_shown_as_asked_for() {
    let asks = program("asks");
    let report = |options: &[&str]| {
        let arguments = options.iter().copied().chain(["--marks", "--", &asks, "stretches"]);
        text(&alloc(arguments).stderr)
    };
    let bar = format!("             8 |{} 1\n", "@".repeat(40));
    let both = report(&[]);
    assert!(both.contains(&bar), "{both}");
    assert!(both.contains("             1               10  asks leaf\n"), "{both}");
    let size = report(&["--by", "size"]);
    assert!(size.contains(&bar) && !size.contains("leaf"), "{size}");
    let caller = report(&["--by", "caller"]);
    assert!(caller.contains(&format!("\nasks leaf\n1 call for 10 bytes\n{bar}")), "{caller}");
    let top = text(&alloc(["--top", "1", "--marks", "--", &asks, "every"]).stderr);
    assert!(!top.contains("further"), "{top}");
    let top = text(&alloc(["--top", "1", "--frames", "2", &asks, "every"]).stderr);
    assert!(top.contains(" further caller"), "{top}");
}

#[test]
fn the_command_has_its_own_streams_and_the_report_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("report");
    let mut vaquita = Command::new(VAQUITA)
        .args(["alloc", "--output"])
        .arg(&report)
        .args(["--", "sh", "-c", "cat; echo err >&2; exit 7"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    vaquita.stdin.take().unwrap().write_all(b"in\n").unwrap();
    let ended = vaquita.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(7));
    assert_eq!((&*ended.stdout, &*ended.stderr), (&b"in\n"[..], &b"err\n"[..]));
    let report = fs::read_to_string(report).unwrap();
    assert!(report.starts_with("sh -c cat; echo err >&2; exit 7\nended with exit code 7\n"));
    // Without a place for the report nothing is run.
    let refused = alloc(["--output", "/none/report", "--", "echo", "run"]);
    assert_eq!((refused.status.code(), &*refused.stdout), (Some(125), &b""[..]));
    assert_eq!(
        text(&refused.stderr),
        "vaquita: alloc: /none/report: No such file or directory (os error 2)\n"
    );
}

#[test]
fn what_can_not_be_run_is_said() {
    for (command, code, why) in [
        ("/none/command", 127, "/none/command: No such file or directory (os error 2)"),
        ("none-such-command", 127, "none-such-command: No such file or directory (os error 2)"),
        ("/etc/passwd", 126, "/etc/passwd: Permission denied (os error 13)"),
    ] {
        let ended = alloc(["--", command]);
        assert_eq!(ended.status.code(), Some(code));
        assert_eq!(text(&ended.stderr), format!("vaquita: alloc: {why}\n"));
    }
}

#[test]
fn a_program_that_does_not_load_the_library_is_not_counted_and_that_is_said() {
    let ended = alloc([program("static")]);
    assert_eq!(ended.status.code(), Some(3));
    let why = "vaquita: alloc: nothing was counted: the command did not load the library that counts. It is linked statically";
    assert!(text(&ended.stderr).starts_with(why), "{}", text(&ended.stderr));
    // Nor one whose starter takes it out of the environment; what was counted is the starter.
    let report = text(&alloc(["env", "-u", "LD_PRELOAD", &program("asks"), "every"]).stderr);
    assert!(report.contains("Its end was not seen: it went on as another program"), "{report}");
    // One that ends by _exit() has not gone on.
    let report = text(&alloc(["sh", "-c", "exit 0"]).stderr);
    assert!(report.starts_with("sh -c exit 0\nended with exit code 0\n\n---"), "{report}");
}

#[test]
fn a_file_that_may_not_be_is_said_and_the_command_goes_on() {
    let asks = program("asks");
    let ended = alloc(["sh", "-c", &format!("ulimit -f 8; exec {asks} every")]);
    assert_eq!(ended.status.code(), Some(3));
    let why = "vaquita: alloc: nothing was counted: there is no room for 8 MiB in ";
    assert!(text(&ended.stderr).starts_with(why), "{}", text(&ended.stderr));
}

#[test]
fn of_programs_that_follow_each_other_in_a_process_the_last_one_counts() {
    let asks = program("asks");
    let command = format!("{asks} threads; exec {asks} stretches");
    let ended = alloc(["--marks", "--lines", "--", "sh", "-c", &command]);
    // What the shell started is a process of its own, and not counted.
    let calls: Vec<u64> = lines(&ended.stderr).iter().map(|it| it.3).collect();
    assert_eq!(calls, [1; 4]);
}

#[test]
fn what_ends_us_ends_the_command_and_then_comes_the_report() {
    for (signals, code) in [(&["TERM"][..], 128 + 15), (&["INT", "QUIT", "HUP"], 128 + 1)] {
        // Whoever runs the tests may ignore signals (nohup does), which the command would inherit.
        let mut vaquita = Command::new("env")
            .args(["--default-signal=TERM,INT,QUIT,HUP", VAQUITA])
            .args(["alloc", "--marks", "--lines", "--", &program("asks"), "waits"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // Then the command waits; the keys' signals are the terminal's to send to it.
        let mut line = String::new();
        BufReader::new(vaquita.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        for signal in signals {
            let id = vaquita.id().to_string();
            assert!(Command::new("kill").args(["-s", signal, &id]).status().unwrap().success());
        }
        let ended = vaquita.wait_with_output().unwrap();
        assert_eq!((ended.status.code(), ended.status.signal()), (Some(code), None), "{signals:?}");
        assert_eq!(leaf_calls(&ended.stderr), 1);
    }
}

#[test]
fn the_folder_is_nobody_elses_and_goes_away() {
    let folder = tempfile::tempdir().unwrap();
    let run = |command: &str| {
        let mut vaquita = Command::new(VAQUITA);
        vaquita.args(["alloc", "--output", "/dev/null", "--", "sh", "-c", command]);
        vaquita.env("TMPDIR", folder.path()).output().unwrap()
    };
    let ended = run("cd ${LD_PRELOAD%/*} && stat -c '%a %n' . *");
    assert_eq!(text(&ended.stdout), "700 .\n600 count.so\n600 counts\n");
    run("kill -9 $$");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn others_that_are_preloaded_stay() {
    let library = program("library.so");
    let mut vaquita = Command::new(VAQUITA);
    vaquita.args(["alloc", "--output", "/dev/null", "--", "sh", "-c", "echo $LD_PRELOAD"]);
    let ended = vaquita.env("LD_PRELOAD", &library).output().unwrap();
    assert!(text(&ended.stdout).ends_with(&format!("/count.so:{library}\n")));
}

#[test]
fn a_folder_that_can_not_be_named_in_the_environment_is_refused() {
    let folder = tempfile::Builder::new().prefix("a b").tempdir().unwrap();
    let mut vaquita = Command::new(VAQUITA);
    let ended = vaquita.args(["alloc", "true"]).env("TMPDIR", folder.path()).output().unwrap();
    assert_eq!(ended.status.code(), Some(125));
    assert!(text(&ended.stderr).contains("set TMPDIR to another"), "{}", text(&ended.stderr));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}
