//! How the program `vaquita` is called, and what it says if it is called wrongly.

#![allow(clippy::unwrap_used, reason = "a failed unwrap in a test is a failed test")]

use std::process::{Command, Output};

fn vaquita(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_vaquita")).args(arguments).output().unwrap()
}

#[test]
fn help_goes_to_the_output() {
    for (arguments, expected) in [
        (&["--help"][..], "usage: vaquita COMMAND ..."),
        (&["help"], "usage: vaquita COMMAND ..."),
        (&["--version"], concat!("vaquita ", env!("CARGO_PKG_VERSION"))),
        (&["alloc", "--help"], "usage: vaquita alloc ["),
    ] {
        let ended = vaquita(arguments);
        assert_eq!((ended.status.code(), &*ended.stderr), (Some(0), &b""[..]), "{arguments:?}");
        let said = String::from_utf8(ended.stdout).unwrap();
        assert!(said.starts_with(expected), "{said}");
    }
}

#[test]
fn a_wrong_call_is_told_with_its_usage() {
    for (arguments, expected) in [
        (&[][..], "vaquita: which command?\nusage: vaquita COMMAND"),
        (&["alloc-"], "vaquita: there is no command alloc-\nusage: vaquita COMMAND"),
        (&["alloc"], "vaquita: alloc: which command?\nusage: vaquita alloc ["),
        (&["alloc", "-x"], "vaquita: alloc: there is no option -x\nusage: vaquita alloc ["),
    ] {
        let ended = vaquita(arguments);
        assert_eq!((ended.status.code(), &*ended.stdout), (Some(2), &b""[..]), "{arguments:?}");
        let said = String::from_utf8(ended.stderr).unwrap();
        assert!(said.starts_with(expected), "{said}");
    }
}
