//! The program `vaquita-fake-server`: plays a named script, for tests that are not written in Rust.
#![forbid(unsafe_code)]

mod arguments;

use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use arguments::{Arguments, Serve, USAGE};
use vaquita_fake_server::relay::{Relay, commands};
use vaquita_fake_server::{Address, Listener, Recording, named};

fn main() -> ExitCode {
    let done = match Arguments::parse(std::env::args().skip(1)) {
        Ok(Arguments::Help) => say(&format!(
            "{USAGE}\n\nThe commands of a relay, whose first line of output says where it listens:\n{}",
            commands::COMMANDS
        )),
        Ok(Arguments::List) => list(),
        Ok(Arguments::Serve(options)) => serve(&options),
        Ok(Arguments::Relay(server)) => relay(&server),
        Err(mistake) => {
            eprintln!("vaquita-fake-server: {mistake}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("vaquita-fake-server: {error}");
            ExitCode::FAILURE
        }
    }
}

fn list() -> io::Result<()> {
    let length = |text: fn(&named::NamedScript) -> usize| named::all().map(text).max().unwrap_or(0);
    let name_length = length(|script| script.name.len());
    let expected_length = length(|script| script.expected.to_string().len());
    let deed_length = length(|script| script.deed.to_string().len());
    let line = |script: &named::NamedScript| {
        let (expected, deed) = (script.expected.to_string(), script.deed.to_string());
        let (name, description, family) = (script.name, script.description, script.count());
        let met = format!("{expected:expected_length$}  {deed:deed_length$}  {family:3}");
        format!("{name:name_length$}  {met}  {description}")
    };
    say(&named::all().map(line).collect::<Vec<_>>().join("\n"))
}

fn serve(options: &Serve) -> io::Result<()> {
    let deadline = Instant::now() + options.time_limit;
    let mut scripts = options.script.scripts();
    if !options.only.is_empty() {
        let only = options.only.iter().filter_map(|number| scripts.get(*number).cloned());
        scripts = only.collect();
    }
    let listener = match &options.socket {
        Some(path) => Listener::unix(path)?,
        None => Listener::tcp()?,
    };
    say_where(listener.address())?;
    for script in scripts.iter().cycle().take(options.connections) {
        let recording = listener.serve(script, options.delivery, deadline)?;
        // Whoever started us may have heard enough.
        let _ = say(&report(&recording));
    }
    Ok(())
}

fn relay(server: &Address) -> io::Result<()> {
    let relay = Arc::new(Relay::to(server)?);
    say_where(relay.address())?;
    commands::obey(&relay, io::stdin().lock(), io::stdout())?;
    relay.go_down();
    Ok(())
}

fn say_where(address: &Address) -> io::Result<()> {
    match address {
        Address::Tcp(address) => say(&address.port().to_string()),
        Address::Unix(path) => say(&path.display().to_string()),
    }
}

fn report(recording: &Recording) -> String {
    let mut lines = Vec::new();
    for packet in &recording.packets {
        lines.push(format!("received {} {}", packet.sequence_id, hex(&packet.payload)));
    }
    if !recording.rest.is_empty() {
        lines.push(format!("rest {}", hex(&recording.rest)));
    }
    lines.push(format!("sent {} {}", recording.sent_bytes, recording.ending));
    lines.join("\n")
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Prints a line; unlike `println!` it can fail, as when nobody reads any more.
fn say(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{text}")?;
    out.flush()
}
