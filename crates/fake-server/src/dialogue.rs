//! What a client and a server said to each other, as it came over the wire; and the files that keep it.

use std::fmt;

/// Who says something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaker {
    /// The client.
    Client,
    /// The server.
    Server,
}

/// What one side said before the other one did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// Who.
    pub speaker: Speaker,
    /// The bytes, with all headers.
    pub bytes: Vec<u8>,
}

/// A recorded session.
///
/// As a text it has a line for each turn (`server` or `client`, and hexadecimal digits), before them lines that begin with `#` and
/// say what it is, and after them lines that begin with `heard` and say what the client made of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dialogue {
    /// What it is: which server, which version.
    pub about: Vec<String>,
    /// The turns; two that follow each other have different speakers.
    pub turns: Vec<Turn>,
    /// What the client made of it, in its own words.
    pub heard: Vec<String>,
}

impl Dialogue {
    /// Adds what somebody said, to the last turn if it is the same one's.
    pub fn say(&mut self, speaker: Speaker, bytes: &[u8]) {
        match self.turns.last_mut() {
            Some(turn) if turn.speaker == speaker => turn.bytes.extend_from_slice(bytes),
            _ => self.turns.push(Turn { speaker, bytes: bytes.to_vec() }),
        }
    }

    /// What the server said, turn by turn.
    pub fn of_server(&self) -> impl Iterator<Item = &[u8]> {
        let turns = self.turns.iter().filter(|turn| turn.speaker == Speaker::Server);
        turns.map(|turn| &turn.bytes[..])
    }

    /// Reads the text.
    ///
    /// # Errors
    /// The number of the first line that is wrong, counted from 1.
    pub fn parse(text: &str) -> Result<Self, usize> {
        let mut dialogue = Dialogue::default();
        for (number, line) in (1..).zip(text.lines()) {
            match line.split_once(' ') {
                Some(("#", words)) => dialogue.about.push(words.to_owned()),
                Some(("heard", words)) => dialogue.heard.push(words.to_owned()),
                Some(("server", digits)) => {
                    dialogue.say(Speaker::Server, &bytes_of(digits).ok_or(number)?);
                }
                Some(("client", digits)) => {
                    dialogue.say(Speaker::Client, &bytes_of(digits).ok_or(number)?);
                }
                _ => return Err(number),
            }
        }
        Ok(dialogue)
    }
}

impl fmt::Display for Dialogue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in &self.about {
            writeln!(f, "# {line}")?;
        }
        for Turn { speaker, bytes } in &self.turns {
            f.write_str(match speaker {
                Speaker::Client => "client ",
                Speaker::Server => "server ",
            })?;
            bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
            writeln!(f)?;
        }
        self.heard.iter().try_for_each(|line| writeln!(f, "heard {line}"))
    }
}

fn bytes_of(digits: &str) -> Option<Vec<u8>> {
    let value = |digit: &u8| char::from(*digit).to_digit(16).and_then(|it| u8::try_from(it).ok());
    let mut pairs = digits.as_bytes().chunks_exact(2);
    let bytes = pairs.by_ref().map(|pair| match pair {
        [high, low] => Some(value(high)? << 4 | value(low)?),
        _ => None,
    });
    let bytes = bytes.collect::<Option<Vec<u8>>>()?;
    pairs.remainder().is_empty().then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let mut dialogue = Dialogue::default();
        dialogue.about.push("a server".to_owned());
        dialogue.say(Speaker::Server, &[0, 0xFF]);
        dialogue.say(Speaker::Server, &[0x7F]);
        dialogue.say(Speaker::Client, &[1]);
        dialogue.heard.push("it greets".to_owned());
        let text = dialogue.to_string();
        assert_eq!(text, "# a server\nserver 00ff7f\nclient 01\nheard it greets\n");
        assert_eq!(Dialogue::parse(&text), Ok(dialogue.clone()));
        assert_eq!(dialogue.of_server().collect::<Vec<_>>(), [[0, 0xFF, 0x7F]]);
    }

    #[test]
    fn a_wrong_line_is_named() {
        for wrong in ["server 0", "server 0g", "server", "nobody 00", ""] {
            assert_eq!(Dialogue::parse(&format!("client 00\n{wrong}\n")), Err(2), "{wrong}");
        }
    }
}
