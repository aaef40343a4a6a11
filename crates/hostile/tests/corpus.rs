//! Every check on its seeds, and on a few thousand changes of each: what fuzzing does, without it.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use vaquita_hostile::mutate::Mutator;
use vaquita_hostile::parsers::{ALL, Check};
use vaquita_hostile::seeds;

/// How many changes each check sees, however many seeds it has.
const CHANGES: usize = 200_000;
/// A session, or a chain of certificates, takes some fifty times as long as a packet.
const SLOW_CHANGES: usize = 20_000;

fn run(check: &Check, input: &[u8]) -> bool {
    let run = || (check.run)(input);
    catch_unwind(AssertUnwindSafe(run))
        .unwrap_or_else(|_| panic!("{} {}", check.name, seeds::line(input)))
}

#[test]
fn each_seed_and_its_changes_hold() {
    // The last ones take the longest.
    let next = AtomicUsize::new(0);
    let take = || ALL.iter().rev().nth(next.fetch_add(1, Ordering::Relaxed));
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| std::iter::from_fn(take).for_each(check_all));
        }
    });
}

fn check_all(check: &Check) {
    let name = check.name;
    let seeds: Vec<Vec<u8>> = seeds::of(check).unwrap().into_iter().collect();
    assert!(!seeds.is_empty(), "{name} has no seeds");
    let taken = seeds.iter().filter(|seed| run(check, seed)).count();
    assert!(taken > 0, "{name} takes none of its seeds");
    let is_slow =
        matches!(name, "session" | "made_session" | "statement" | "sql" | "certificate" | "pem");
    let changes = if is_slow { SLOW_CHANGES } else { CHANGES };
    let mut mutator = Mutator::new(0x7661_7175_6974_6121);
    let mut taken = 0;
    for round in 0..changes {
        let seed = &seeds[round % seeds.len()];
        let other = &seeds[(round * 7 + round / seeds.len()) % seeds.len()];
        taken += usize::from(run(check, &mutator.mutate(seed, other)));
    }
    eprintln!("{name}: {} seeds, {taken} of {changes} changes are still right", seeds.len());
    assert!(taken > 0 && taken < changes, "{name}: {taken} of {changes}");
}

#[test]
fn each_check_has_its_fuzz_target() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
    for Check { name, .. } in ALL {
        let target = folder.join(format!("fuzz_targets/{name}.rs"));
        let text = fs::read_to_string(&target).unwrap_or_else(|_| panic!("{}", target.display()));
        assert!(text.contains(&format!("::{name}(data)")), "{name}");
        assert!(manifest.contains(&format!("path = \"fuzz_targets/{name}.rs\"")), "{name}");
    }
}
