//! The catalogue of docs/security.md: a row for each script, and none for what is no script.
#![allow(clippy::unwrap_used, clippy::panic, reason = "what fails here is a failed test")]

use std::collections::HashMap;
use std::fs;

use vaquita_fake_server::named::{self, Expected};

#[test]
fn each_script_stands_in_the_catalogue() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/security.md");
    let text = fs::read_to_string(path).unwrap();
    let (_, section) = text.split_once("\n## Hostile servers\n").unwrap();
    let section = section.split("\n## ").next().unwrap();
    let rows: HashMap<String, Vec<String>> = section
        .lines()
        .filter(|line| line.starts_with("| `"))
        .map(|line| {
            let cells: Vec<_> = line.split('|').map(|cell| cell.trim().to_owned()).collect();
            (cells.get(1).unwrap().replace('`', ""), cells)
        })
        .collect();
    for script in named::all() {
        let row = rows.get(script.name);
        let Some([_, _, does, stock, ours, _]) = row.map(Vec::as_slice) else {
            panic!("docs/security.md has no row for {}: make hostile SURVEY=1", script.name);
        };
        let family = match script.count() {
            1 => String::new(),
            count => format!(" ({count} scripts)"),
        };
        assert_eq!(*does, format!("{}{family}", script.description), "{}", script.name);
        assert!(!stock.is_empty(), "{}", script.name);
        // The session of a client that asks for more than mysqli does is played in Rust only.
        if script.name == "session-deprecate-eof" {
            continue;
        }
        // What ours makes of it is what the catalogue of the fake server says.
        match script.expected {
            Expected::Fine => assert_eq!(ours, "fine", "{}", script.name),
            Expected::Fails(_, outcome) => {
                // In PHP a failure of TLS has stock's number.
                let code = if outcome.code() == 2026 { 2002 } else { outcome.code() };
                let is_it = ours.starts_with(&code.to_string());
                assert!(is_it, "{}: {ours} in the place of {code}", script.name);
            }
        }
    }
    let names: Vec<_> = named::all().map(|script| script.name).collect();
    for name in rows.keys() {
        assert!(names.contains(&name.as_str()), "{name} is no script");
    }
}
