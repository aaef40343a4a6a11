//! Reads a note, the comment at the end of a declaration: it says what PHP's syntax has no word for.

use crate::StubError;
use crate::model::{Body, Versions};

/// What the notes of all kinds of declarations may say; the parser refuses what a kind has no use for.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Note {
    pub(crate) body: Option<Body>,
    pub(crate) deprecated: Option<Versions>,
    pub(crate) tentative: bool,
    pub(crate) returns_true: Option<Versions>,
    pub(crate) not_serializable: bool,
    pub(crate) no_dynamic_properties: bool,
    pub(crate) versions: Versions,
}

/// Reads the comma-separated words of a note; `allowed` are those that the declaration may have.
pub(crate) fn read(text: &str, line: usize, allowed: &[Word]) -> Result<Note, StubError> {
    let mut note = Note::default();
    for word in text.split(',').map(str::trim) {
        let kind = Word::of(word).ok_or_else(|| {
            StubError::new(line, format!("a note can't say {word:?}; see vaquita_stub_gen"))
        })?;
        if !allowed.contains(&kind) {
            let message = format!("{word:?} means nothing for this kind of declaration");
            return Err(StubError::new(line, message));
        }
        let version = || {
            minor_version(word)
                .ok_or_else(|| StubError::new(line, format!("{word:?} names no version like 8.4")))
        };
        match kind {
            Word::Body => note.body = Some(body(word, line)?),
            Word::Deprecated if word == "deprecated" => note.deprecated = Some(Versions::default()),
            Word::Deprecated => note.deprecated = Some(Versions::from(version()?)),
            Word::ReturnsTrue => note.returns_true = Some(Versions::from(version()?)),
            Word::Tentative => note.tentative = true,
            Word::NotSerializable => note.not_serializable = true,
            Word::NoDynamicProperties => note.no_dynamic_properties = true,
            Word::Since => note.versions.since = Some(version()?),
            Word::Until => note.versions.until = Some(version()?),
        }
    }
    Ok(note)
}

/// What a note can be made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Word {
    Body,
    Deprecated,
    Tentative,
    ReturnsTrue,
    NotSerializable,
    NoDynamicProperties,
    Since,
    Until,
}

impl Word {
    fn of(word: &str) -> Option<Self> {
        Some(match word {
            "deprecated" => Self::Deprecated,
            _ if word.starts_with("deprecated since ") => Self::Deprecated,
            _ if word.starts_with("returns true since ") => Self::ReturnsTrue,
            "tentative" => Self::Tentative,
            "not serializable" => Self::NotSerializable,
            "no dynamic properties" => Self::NoDynamicProperties,
            _ if word.contains("::") => Self::Body,
            _ if word.starts_with("since ") => Self::Since,
            _ if word.starts_with("until ") => Self::Until,
            _ => return None,
        })
    }
}

fn body(word: &str, line: usize) -> Result<Body, StubError> {
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_lowercase())
            && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
    };
    let words: Vec<&str> = word.split("::").collect();
    match *words {
        _ if !words.iter().all(|word| is_name(word)) => {
            Err(StubError::new(line, format!("{word:?} is no room::name of a Rust function")))
        }
        [room, name] => Ok(Body { room: format!("mysqli::{room}"), name: name.to_owned() }),
        [module, room, name] => {
            Ok(Body { room: format!("{module}::{room}"), name: name.to_owned() })
        }
        _ => Err(StubError::new(line, format!("{word:?} is no room::name of a Rust function"))),
    }
}

/// 804 for the 8.4 at the end of `since 8.4`.
pub(crate) fn minor_version(word: &str) -> Option<u32> {
    let (major, minor) = word.rsplit(' ').next()?.split_once('.')?;
    let (major, minor) = (major.parse::<u32>().ok()?, minor.parse::<u32>().ok()?);
    (major < 100 && minor < 100).then_some(major * 100 + minor)
}

#[cfg(test)]
mod tests {
    use super::{Note, Word, read};
    use crate::model::{Body, Versions};

    const ALL: &[Word] = &[
        Word::Body,
        Word::Deprecated,
        Word::Tentative,
        Word::ReturnsTrue,
        Word::NotSerializable,
        Word::NoDynamicProperties,
        Word::Since,
        Word::Until,
    ];

    #[test]
    fn a_note_is_a_list_of_words() {
        let note = read("link::ping, tentative, deprecated, since 8.2, until 8.3", 1, ALL);
        let expected = Note {
            body: Some(Body { room: "mysqli::link".to_owned(), name: "ping".to_owned() }),
            deprecated: Some(Versions::default()),
            tentative: true,
            versions: Versions { since: Some(802), until: Some(803) },
            ..Note::default()
        };
        assert_eq!(note, Ok(expected));
        let note = read("deprecated since 8.4, returns true since 8.3", 1, ALL);
        let expected = Note {
            deprecated: Some(Versions::from(804)),
            returns_true: Some(Versions::from(803)),
            ..Note::default()
        };
        assert_eq!(note, Ok(expected));
    }

    #[test]
    fn what_a_note_cannot_say_is_an_error() {
        for text in [
            "",
            "nonsense",
            "link::Ping",
            "::ping",
            "since x",
            "since 8",
            "a::b::c::d",
            "deprecated since",
            "returns true",
        ] {
            let found = read(text, 7, ALL).map_err(|error| error.line);
            assert_eq!(found, Err(7), "{text}");
        }
        assert!(read("tentative", 1, &[Word::Deprecated]).is_err());
    }
}
