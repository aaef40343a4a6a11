//! The walls themselves. Each test names every place that breaks one.

use crate::{Source, sources};
use std::path::Path;

/// Aim at 80 to 300 lines of code; above this a file needs a reason (below) ...
const REASON_LINES: usize = 400;
/// ... and above this it is split, whatever the reason.
const SPLIT_LINES: usize = 600;
/// The files above [`REASON_LINES`], and why. Generated tables are exempt: they are made at build time and not in the tree.
const LONG_FILES: &[(&str, &str)] = &[];

fn all() -> Vec<Source> {
    let found = sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")).unwrap();
    assert!(found.len() > 50, "only {} sources found: is this the workspace?", found.len());
    found
}

/// Fails with every place where a file that `is_walled` names one of `words`.
fn check(wall: &str, words: &[&str], is_walled: impl Fn(&Source) -> bool) {
    let mut broken = Vec::new();
    for file in all().iter().filter(|file| is_walled(file)) {
        for word in words {
            let lines = file.lines_with(word).into_iter();
            broken.extend(lines.map(|line| format!("{}:{line}: {word}", file.path)));
        }
    }
    assert!(broken.is_empty(), "{wall}:\n{}", broken.join("\n"));
}

#[test]
fn protocol_does_no_io() {
    // Whatever way it is imported in: the words alone, for nothing else there has these names.
    let words = ["io", "net", "fs", "os", "process", "thread", "time"];
    check("protocol knows bytes only", &words, |file| file.is_in("crates/protocol/src/"));
}

#[test]
fn the_driver_knows_nothing_of_php() {
    let words = ["zval", "zend", "php", "ffi"];
    let rooms = ["protocol", "sys", "client", "kv", "telemetry", "fake-server"]
        .map(|room| format!("crates/{room}/"));
    check("PHP begins in crates/php", &words, |file| rooms.iter().any(|room| file.is_in(room)));
}

#[test]
fn unsafe_stands_inside_the_fence_only() {
    let mut fences = vec!["crates/php/src/zend/"];
    fences.extend(["crates/sys/src/memory.rs", "crates/sys/src/block.rs", "crates/sys/src/tcp.rs"]);
    check("unsafe belongs in crates/php/src/zend and crates/sys", &["unsafe"], |file| {
        !fences.iter().any(|fence| file.is_in(fence))
    });
}

#[test]
fn what_is_beside_the_fence_stays_small() {
    let lines: usize =
        all().iter().filter(|file| file.is_in("crates/sys/")).map(Source::lines_of_code).sum();
    // Two things stand upon shared memory, slots and figures, beside bytes that are lent and what TCP knows.
    assert!((1..=850).contains(&lines), "crates/sys has {lines} lines of code");
}

#[test]
fn zend_is_named_inside_the_fence_only() {
    check("the raw bindings belong in crates/php/src/zend", &["zend::ffi"], |file| {
        file.is_in("crates/php/src/") && !file.is_in("crates/php/src/zend/")
    });
}

#[test]
fn crates_without_unsafe_forbid_it() {
    let roots: Vec<Source> = all()
        .into_iter()
        .filter(|file| file.path.ends_with("/src/lib.rs") || file.path.ends_with("/src/main.rs"))
        .filter(|file| !file.is_in("crates/php/") && !file.is_in("crates/sys/"))
        .collect();
    assert!(roots.len() >= 5);
    for file in roots {
        assert!(
            file.text.contains("#![forbid(unsafe_code)]"),
            "{} does not forbid unsafe",
            file.path
        );
    }
}

#[test]
fn unsafe_blocks_answer_for_themselves() {
    // Clippy holds this too (undocumented_unsafe_blocks), where it is installed.
    for file in all() {
        let lines: Vec<&str> = file.text.lines().collect();
        for number in file.lines_with("unsafe") {
            let line = file.code[number - 1].trim();
            let is_block = line.contains("unsafe {") || line.starts_with("unsafe impl");
            if !is_block {
                continue;
            }
            let mut above = lines[..number].iter().rev();
            let is_answered = above
                .by_ref()
                .take(12)
                .take_while(|text| !text.trim().is_empty())
                .any(|text| text.contains("SAFETY:"));
            assert!(is_answered, "{}:{number}: an unsafe block without // SAFETY:", file.path);
        }
    }
}

#[test]
fn only_the_reader_slices_what_a_server_sent() {
    // Any index or slice there; `get` and patterns are for everybody. Clippy's indexing_slicing says it for all crates.
    let mut broken = Vec::new();
    for file in all().iter().filter(|file| file.is_in("crates/protocol/src/")) {
        if file.path.ends_with("/reader.rs") || file.path.ends_with("/golden.rs") {
            continue; // golden.rs is for tests
        }
        let product = file.code.iter().take_while(|line| line.trim() != "#[cfg(test)]");
        for (index, line) in product.enumerate() {
            let mut before = ' ';
            let line = line.replace("[][..]", "");
            let indexes = line.chars().any(|letter| {
                let is_index = letter == '['
                    && (before.is_alphanumeric() || matches!(before, '_' | ')' | ']'));
                before = letter;
                is_index
            });
            if indexes || line.contains("split_at(") {
                broken.push(format!("{}:{}: {}", file.path, index + 1, line.trim()));
            }
        }
    }
    assert!(broken.is_empty(), "server bytes are sliced in reader.rs only:\n{}", broken.join("\n"));
}

#[test]
fn every_file_says_why_it_exists() {
    for file in all() {
        let first = file.text.lines().next().unwrap_or_default();
        assert!(first.starts_with("//! "), "{} does not begin with a //! line", file.path);
        assert!(first.len() > 15, "{}: {first:?} is no reason", file.path);
    }
}

#[test]
fn files_are_short() {
    let reasons =
        |path: &str| LONG_FILES.iter().any(|(name, reason)| *name == path && reason.len() > 20);
    for file in all() {
        let lines = file.lines_of_code();
        assert!(lines <= SPLIT_LINES, "{} has {lines} lines of code: split it", file.path);
        assert!(
            lines <= REASON_LINES || reasons(&file.path),
            "{} has {lines} lines of code: split it, or give a reason in crates/tidy",
            file.path
        );
    }
    for (name, _) in LONG_FILES {
        assert!(
            all().iter().any(|file| file.path == *name && file.lines_of_code() > REASON_LINES),
            "{name} is not long any more: take it off the list"
        );
    }
}

#[test]
fn crates_use_each_other_one_way() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let may_use: &[(&str, &[&str])] = &[
        ("protocol", &[]),
        ("x509", &[]),
        ("sys", &[]),
        ("client", &["protocol", "x509", "sys"]),
        ("fake-server", &["protocol"]),
        ("kv", &["client"]),
        ("telemetry", &["client"]),
        ("hostile", &["protocol", "telemetry", "x509", "client", "kv", "fake-server"]),
        ("php", &["client", "kv", "telemetry"]),
        ("bench", &["client", "fake-server"]),
        ("cli", &["telemetry"]),
    ];
    for (name, allowed) in may_use {
        let manifest = std::fs::read_to_string(root.join(name).join("Cargo.toml")).unwrap();
        let product = manifest.split("[dev-dependencies]").next().unwrap_or_default();
        let product = product.split("[build-dependencies]").next().unwrap_or_default();
        for other in [
            "protocol",
            "x509",
            "sys",
            "client",
            "kv",
            "telemetry",
            "cli",
            "php",
            "fake-server",
            "bench",
        ] {
            let is_used = product.lines().any(|line| {
                let name = line.strip_prefix("vaquita-").and_then(|line| line.strip_prefix(other));
                name.is_some_and(|rest| rest.starts_with(['.', ' ']))
            });
            assert!(!is_used || allowed.contains(&other), "{name} must not use {other}");
        }
    }
}

/// The names of what a crate of the workspace depends on, but for the workspace's own.
fn dependencies(manifest: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut is_inside = false;
    for line in manifest.lines() {
        if line.starts_with('[') {
            is_inside = line.trim_end_matches(']').ends_with("dependencies");
        } else if let Some((name, _)) = line.split_once(['=', '.'])
            && is_inside
            && !line.starts_with('#')
            && !name.starts_with("vaquita-")
        {
            names.push(name.trim().to_owned());
        }
    }
    names
}

#[test]
fn each_dependency_has_its_reason() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = std::fs::read_to_string(root.join("CONTRIBUTING.md")).unwrap();
    let (_, section) = text.split_once("\n## Dependencies\n").expect("the section");
    let (section, _) = section.split_once("\n## ").expect("another section");
    let mut all = Vec::new();
    for folder in std::fs::read_dir(root.join("crates")).unwrap() {
        let manifest = std::fs::read_to_string(folder.unwrap().path().join("Cargo.toml")).unwrap();
        all.extend(dependencies(&manifest));
    }
    assert!(all.len() > 20, "only {} found", all.len());
    let lacking: Vec<_> =
        all.iter().filter(|name| !section.contains(&format!("`{name}`"))).collect();
    assert!(lacking.is_empty(), "CONTRIBUTING.md does not say what these are for: {lacking:?}");
}
