//! `vaquita-bench`: runs PHP scripts on the stock extensions and on Vaquita in turn, and reports the figures side by side.
//!
//! It starts `php` as a process and never links the driver: what is measured is what a user of PHP gets. The database server
//! is there already (`scripts/with-servers`) and described by `VAQUITA_MARIADB_*`, another one by `VAQUITA_MYSQL80_*`.

#![forbid(unsafe_code)]

mod arguments;
mod calls;
mod cost;
mod dataset;
mod demo;
mod figure;
mod mission;
mod persistent;
mod process;
mod processors;
mod progress;
mod promise;
mod relay;
mod report;
mod server;
mod slow;
mod stack;
mod statistics;

use std::process::ExitCode;

use arguments::Command;

fn main() -> ExitCode {
    let outcome = match Command::parse(std::env::args().skip(1)) {
        Ok(Command::Demo(options)) => demo::run(&options),
        Ok(Command::Calls { stacks, script }) => calls::run(&stacks, &script),
        Ok(Command::Cost(asked)) => cost::run(&asked),
        Ok(Command::Mission(asked)) => mission::run(&asked),
        Ok(Command::Persistent(asked)) => persistent::run(&asked),
        Ok(Command::Slow(asked)) => slow::run(&asked),
        Err(usage) => Err(usage),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("vaquita-bench: {message}");
            ExitCode::FAILURE
        }
    }
}
