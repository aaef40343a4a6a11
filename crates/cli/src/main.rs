//! `vaquita`: answers an operator's questions about what PHP and its driver do. The first word says which question; each has a module.

#![forbid(unsafe_code)]

mod alloc;
mod failure;
mod quantize;
mod trace;

use std::env;
use std::process::ExitCode;

use failure::Failure;

const USAGE: &str = "\
usage: vaquita COMMAND ...

  alloc -- php script.php    what a program asks for: malloc, mmap and PHP's own allocator, by size and by caller
  trace summary FILE         what the driver waited for, whose time that was, and which statements took it

vaquita COMMAND --help says more of each.";

fn main() -> ExitCode {
    let mut arguments = env::args_os().skip(1);
    let command = arguments.next().unwrap_or_default();
    let outcome = match command.to_str() {
        Some("alloc") => alloc::run(arguments),
        Some("trace") => trace::run(arguments),
        Some("--help" | "-h" | "help") => {
            println!("{USAGE}");
            Ok(ExitCode::SUCCESS)
        }
        Some("--version" | "-V") => {
            println!("vaquita {}", env!("CARGO_PKG_VERSION"));
            Ok(ExitCode::SUCCESS)
        }
        Some("") => Err(Failure::Usage { message: "which command?".to_owned(), usage: USAGE }),
        _ => {
            let message = format!("there is no command {}", command.display());
            Err(Failure::Usage { message, usage: USAGE })
        }
    };
    outcome.unwrap_or_else(|failure| failure.tell())
}
