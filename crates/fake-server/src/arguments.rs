//! The command line of the program.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use vaquita_fake_server::{Address, Delivery, NamedScript, named};

pub(crate) const USAGE: &str = "\
Plays a script of what a MySQL server may send, right or wrong, to one client after the other; or stands between clients and a real server.

usage: vaquita-fake-server SCRIPT [--socket PATH] [--delivery HOW] [--connections N] [--only N,...] [--seconds N]
       vaquita-fake-server --list
       vaquita-fake-server --relay ADDRESS      IP:PORT or the path of a socket; reads commands from its input, until that ends

--list prints a line for each script: its name, what should come of it, what the client has to do, how many scripts the family has, and what
the server does.

The first line of output is the port (or PATH). Then each connection prints
    received SEQUENCE_ID PAYLOAD      a packet of the client, in hexadecimal digits; one line each
    rest BYTES                        what it sent when the script expected nothing any more, if anything
    sent N ENDING                     how many bytes were sent, and one of
                                      played, client-left, cut, unexpected, timed-out

    --socket PATH      listen on a unix socket, which must not exist yet, instead of a free port
    --delivery HOW     whole, one-byte, delayed (3 bytes each millisecond), or cut=N (close after N bytes); default: whole
    --connections N    how many clients to serve; default: 1. Of a family of scripts each client gets the next one, and after the last the first
    --only N,...       which scripts of a family, counted from 0, in this order; default: all
    --seconds N        when to end whatever happens; default: 30";

/// What the program is to do.
pub(crate) enum Arguments {
    Help,
    List,
    Serve(Serve),
    Relay(Address),
}

/// How to serve.
pub(crate) struct Serve {
    pub(crate) script: &'static NamedScript,
    pub(crate) socket: Option<PathBuf>,
    pub(crate) delivery: Delivery,
    pub(crate) connections: usize,
    pub(crate) only: Vec<usize>,
    pub(crate) time_limit: Duration,
}

impl Arguments {
    /// Reads the command line, without the program's name.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn parse(arguments: impl IntoIterator<Item = String>) -> Result<Self, String> {
        let mut arguments = arguments.into_iter();
        let mut name = None;
        let mut socket = None;
        let mut delivery = Delivery::WHOLE;
        let mut connections = NonZeroUsize::MIN;
        let (mut only, mut seconds) = (Vec::new(), 30);
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or(format!("{argument} needs a value"));
            match argument.as_str() {
                "--help" | "-h" => return Ok(Arguments::Help),
                "--list" => return Ok(Arguments::List),
                "--relay" => return relay(&value()?),
                "--socket" => socket = Some(value()?.into()),
                "--delivery" => delivery = parse_delivery(&value()?)?,
                "--connections" => connections = number(&value()?)?,
                "--only" => only = value()?.split(',').map(number).collect::<Result<_, _>>()?,
                "--seconds" => seconds = number(&value()?)?,
                option if option.starts_with('-') => {
                    return Err(format!("unknown option {option}"));
                }
                _ if name.is_some() => return Err("one script only".to_owned()),
                _ => name = Some(argument),
            }
        }
        let name = name.ok_or("which script? --list prints their names")?;
        let script = named::by_name(&name)
            .ok_or(format!("no script is called {name}; --list prints the names"))?;
        let connections = connections.get();
        let family = script.count();
        if let Some(number) = only.iter().find(|number| **number >= family) {
            return Err(format!("{name} has {family} scripts, no number {number}"));
        }
        let time_limit = Duration::from_secs(seconds);
        Ok(Arguments::Serve(Serve { script, socket, delivery, connections, only, time_limit }))
    }
}

fn relay(address: &str) -> Result<Arguments, String> {
    if address.starts_with('/') {
        return Ok(Arguments::Relay(Address::Unix(address.into())));
    }
    let tcp = address.parse().map_err(|_| format!("{address} is neither IP:PORT nor a path"))?;
    Ok(Arguments::Relay(Address::Tcp(tcp)))
}

fn number<N: std::str::FromStr>(text: &str) -> Result<N, String> {
    text.parse().map_err(|_| format!("{text} is not a number that fits here"))
}

fn parse_delivery(text: &str) -> Result<Delivery, String> {
    match text {
        "whole" => Ok(Delivery::WHOLE),
        "one-byte" => Ok(Delivery::ONE_BYTE),
        "delayed" => Ok(Delivery::delayed(Duration::from_millis(1))),
        _ => match text.strip_prefix("cut=") {
            Some(bytes) => Ok(Delivery::WHOLE.cut_after(number(bytes)?)),
            None => Err(format!("unknown delivery {text}")),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Arguments, String> {
        Arguments::parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn options_are_read() {
        let line = "session --socket /s --delivery cut=12 --connections 3 --only 0,0 --seconds 5";
        let Ok(Arguments::Serve(serve)) = parse(line) else { panic!("{line} is right") };
        assert_eq!(serve.script.name, "session");
        assert_eq!(serve.socket, Some("/s".into()));
        assert_eq!(serve.delivery, Delivery::WHOLE.cut_after(12));
        assert_eq!((serve.connections, serve.only), (3, vec![0, 0]));
        assert_eq!(serve.time_limit, Duration::from_secs(5));
        assert!(matches!(parse("session --list"), Ok(Arguments::List)));
        let Ok(Arguments::Relay(Address::Unix(path))) = parse("--relay /s") else { panic!() };
        assert_eq!(path, PathBuf::from("/s"));
        assert!(matches!(parse("--relay 127.0.0.1:3"), Ok(Arguments::Relay(Address::Tcp(_)))));
        assert!(matches!(parse("-h"), Ok(Arguments::Help)));
    }

    #[test]
    fn mistakes_are_named() {
        let check = |line: &str, expected: &str| {
            let error = parse(line).err().unwrap_or_default();
            assert!(error.contains(expected), "{line}: {error}");
        };
        check("", "which script");
        check("sesion", "no script is called sesion");
        check("session session", "one script");
        check("session --socket", "--socket needs a value");
        check("session --loud", "unknown option --loud");
        check("session --delivery slow", "unknown delivery slow");
        check("session --delivery cut=x", "x is not a number");
        check("session --connections 0", "0 is not a number that fits");
        check("--relay", "--relay needs a value");
        check("--relay localhost", "localhost is neither");
        check("session --seconds -1", "-1 is not a number");
        check("session --only 0,x", "x is not a number");
        check("session --only 1", "session has 1 scripts, no number 1");
    }
}
