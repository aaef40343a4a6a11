//! What a relay is asked for by a line of text, by whoever is not written in Rust.

use std::io::{self, BufRead, Write};
use std::str::FromStr;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use super::{Cut, Direction, Pace, Relay};

/// What may be asked for.
pub const COMMANDS: &str = "\
    close|reset|half|silence|hold WAY BYTES   cut the connection after so many bytes; `hold` says \"held\" on stderr when it does
    latency WAY MS                            be on the way for so long
    bandwidth WAY BYTES                       go so many a second
    dribble WAY                               go one by one
    bursts WAY MS                             be collected for so long, then go at once
    jitter WAY SEED                           go in random pieces at random times
    clear                                     end what was cut, and let all go as it comes
WAY is `requests` or `replies`. Each is answered by a line: `ok`, `error WHY`, or to `clear` `struck` or `untouched`, as something was cut or not.";

/// Does what the lines say until there are no more.
///
/// # Errors
/// The system's, in reading and writing them.
pub fn obey(relay: &Arc<Relay>, lines: impl BufRead, mut answers: impl Write) -> io::Result<()> {
    let watched = Arc::clone(relay);
    thread::spawn(move || {
        for holds in 1.. {
            watched.await_hold(holds);
            // Whoever listens may be gone.
            let _ = writeln!(io::stderr(), "held");
        }
    });
    for line in lines.lines() {
        match command(relay, &line?) {
            Ok(answer) => writeln!(answers, "{answer}")?,
            Err(mistake) => writeln!(answers, "error {mistake}")?,
        }
        answers.flush()?;
    }
    Ok(())
}

fn command(relay: &Relay, line: &str) -> Result<&'static str, String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let cut = |word: &str| match word {
        "close" => Some(Cut::Close),
        "reset" => Some(Cut::Reset),
        "half" => Some(Cut::Half),
        "silence" => Some(Cut::Silence),
        "hold" => Some(Cut::Hold),
        _ => None,
    };
    match *words.as_slice() {
        ["clear"] => {
            let has_cut = relay.has_cut();
            relay.calm();
            return Ok(if has_cut { "struck" } else { "untouched" });
        }
        ["dribble", way] => {
            relay.pace(direction(way)?, Pace { piece: Some(1), ..Pace::default() });
        }
        [kind, way, number] => {
            let way = direction(way)?;
            if let Some(cut) = cut(kind) {
                relay.cut_after(way, parsed(number)?, cut);
                return Ok("ok");
            }
            let time = || parsed(number).map(Duration::from_millis);
            let pace = match kind {
                "latency" => Pace { delay: time()?, ..Pace::default() },
                "bandwidth" => Pace { bytes_per_second: Some(parsed(number)?), ..Pace::default() },
                "bursts" => Pace { gathering: time()?, ..Pace::default() },
                "jitter" => Pace { seed: Some(parsed(number)?), ..Pace::default() },
                _ => return Err(format!("unknown command {kind}")),
            };
            relay.pace(way, pace);
        }
        _ => return Err(format!("what is \"{line}\"?")),
    }
    Ok("ok")
}

fn direction(word: &str) -> Result<Direction, String> {
    match word {
        "requests" => Ok(Direction::Requests),
        "replies" => Ok(Direction::Replies),
        _ => Err(format!("{word} is no way: requests or replies")),
    }
}

fn parsed<N: FromStr>(word: &str) -> Result<N, String> {
    word.parse().map_err(|_| format!("{word} is not a number that fits here"))
}
