//! The program `vaquita-hostile`: records sessions, and moves what fuzzing begins with and finds between files and cargo-fuzz's folders.
#![forbid(unsafe_code)]

mod record;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use record::{Done, record_all};
use vaquita_hostile::parsers::{ALL, Check};
use vaquita_hostile::seeds;

const USAGE: &str = "\
usage: vaquita-hostile record [NAME]   leads all conversations, or those with NAME in their names, on the servers of
                                       scripts/with-servers, and writes what was said
       vaquita-hostile seeds FOLDER    writes the seeds of each check to FOLDER/CHECK, as files
       vaquita-hostile keep FOLDER     takes what a minimised FOLDER/CHECK has besides the seeds into the corpus";

/// Longer inputs are not kept.
const MAX_KEPT_BYTES: usize = 256;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words[..] {
        ["record"] => record_all(""),
        ["record", names] => record_all(names),
        ["seeds", folder] => ALL.iter().try_for_each(|check| write_seeds(check, folder)),
        ["keep", folder] => ALL.iter().try_for_each(|check| keep(check, folder)),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("vaquita-hostile: {error}");
            ExitCode::FAILURE
        }
    }
}

fn write_seeds(check: &Check, folder: &str) -> Done<()> {
    let folder = Path::new(folder).join(check.name);
    fs::create_dir_all(&folder)?;
    for (number, seed) in seeds::of(check)?.into_iter().enumerate() {
        fs::write(folder.join(format!("seed-{number}")), seed)?;
    }
    Ok(())
}

fn keep(check: &Check, folder: &str) -> Done<()> {
    let folder = Path::new(folder).join(check.name);
    if !folder.exists() {
        return Ok(());
    }
    let made = seeds::made(check)?;
    let mut kept: BTreeSet<(usize, Vec<u8>)> = BTreeSet::new();
    for entry in fs::read_dir(folder)? {
        let input = fs::read(entry?.path())?;
        if input.len() <= MAX_KEPT_BYTES && !made.contains(&input) {
            kept.insert((input.len(), input));
        }
    }
    let text: String = kept.iter().map(|(_, input)| seeds::line(input)).collect();
    fs::write(seeds::corpus_path(check), text)?;
    println!("{}: {} kept", check.name, kept.len());
    Ok(())
}
