//! What mutation begins with: the golden packets of the protocol crate, each packet of each recording, and what fuzzing found.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fs, io};

use vaquita_protocol::packet_header::PACKET_HEADER_BYTES;
use vaquita_protocol::{Capabilities, OkPacket, PacketHeader};

use crate::certificates;
use crate::made_session;
use crate::parsers::Check;
use crate::ports;
use crate::recordings::{self, Recorded};
use crate::session;
use crate::texts;

/// The most columns that a seed of `text_row` has.
const MAX_SEED_COLUMNS: u8 = 8;

/// The types of the columns of the golden packets of `binary_row`.
const COLUMN_TYPES: [&[u8]; 4] =
    [&[0x03, 0xF6, 0xFD, 0x06], &[0x02, 0xFD], &[0x01; 7], &[0x07, 0x0B]];

/// The file of a check's corpus: what fuzzing found, a line of hexadecimal digits for each input.
pub fn corpus_path(check: &Check) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    folder.join(format!("{}.txt", check.name))
}

/// All seeds of a check, each once.
///
/// # Errors
/// A file can't be read, or is wrong.
pub fn of(check: &Check) -> io::Result<BTreeSet<Vec<u8>>> {
    let mut seeds = made(check)?;
    seeds.extend(corpus(check)?);
    Ok(seeds)
}

/// The seeds that stand elsewhere already: golden packets and recordings.
///
/// # Errors
/// As [`of`].
pub fn made(check: &Check) -> io::Result<BTreeSet<Vec<u8>>> {
    let recorded = recordings::all()?;
    if check.name == "certificate" {
        return Ok(certificates::sets()?.iter().map(|set| certificates::input(set)).collect());
    }
    if check.name == "statement" {
        return Ok(session::statements().into_iter().collect());
    }
    if check.name == "made_session" {
        return Ok(made_session::inputs().into_iter().collect());
    }
    let texts = texts::inputs(check.name)?;
    if !texts.is_empty() {
        return Ok(texts.into_iter().collect());
    }
    let ports = ports::inputs(check.name);
    if !ports.is_empty() {
        return Ok(ports.into_iter().collect());
    }
    if check.name == "session" {
        return Ok(recorded.iter().map(session::input).collect());
    }
    // Compressed, it is no sequence of plain packets.
    let plain = recorded.iter().filter(|it| it.conversation.log_in.compression.is_empty());
    let mut payloads: BTreeSet<Vec<u8>> = plain.flat_map(packets).collect();
    payloads.extend(golden(check)?);
    if check.name == "session_state" {
        // It is a part of a packet.
        let field = |payload: &Vec<u8>| {
            let ok = OkPacket::parse(payload, Capabilities::SESSION_TRACK).ok()?;
            (!ok.session_state.is_empty()).then(|| ok.session_state.to_vec())
        };
        return Ok(payloads.iter().filter_map(field).collect());
    }
    if check.name == "text_row" {
        let columns = 1..=MAX_SEED_COLUMNS;
        let rows = columns.flat_map(|columns| {
            payloads.iter().map(move |payload| [&[columns][..], payload].concat())
        });
        return Ok(rows.filter(|row| (check.run)(row)).collect());
    }
    if check.name == "binary_row" {
        let rows = COLUMN_TYPES.into_iter().flat_map(|types| {
            let columns = u8::try_from(types.len()).unwrap_or_default();
            payloads.iter().map(move |payload| [&[columns][..], types, payload].concat())
        });
        return Ok(rows.filter(|row| (check.run)(row)).collect());
    }
    Ok(payloads.into_iter().filter(|payload| (check.run)(payload)).collect())
}

/// What fuzzing found.
///
/// # Errors
/// As [`of`]; there need be no such file.
pub fn corpus(check: &Check) -> io::Result<Vec<Vec<u8>>> {
    let path = corpus_path(check);
    let text = match fs::read_to_string(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        text => text?,
    };
    let wrong = || io::Error::other(format!("{}: not hexadecimal", path.display()));
    text.lines().map(|line| bytes_of(line).ok_or_else(wrong)).collect()
}

/// The payloads of all packets of a server.
fn packets(recorded: &Recorded) -> Vec<Vec<u8>> {
    let mut payloads = Vec::new();
    for turn in recorded.dialogue.of_server() {
        let mut rest = turn;
        while let Some((header, after)) = rest.split_first_chunk::<PACKET_HEADER_BYTES>() {
            let length = PacketHeader::parse(*header).payload_length;
            let length = usize::try_from(length).unwrap_or(usize::MAX);
            let (payload, next) = after.split_at_checked(length).unwrap_or((after, &[]));
            payloads.push(payload.to_vec());
            rest = next;
        }
    }
    payloads
}

/// The golden packets in the tests of the check's own file: all that stands between quotes there and is hexadecimal.
fn golden(check: &Check) -> io::Result<Vec<Vec<u8>>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../protocol/src");
    let text = fs::read_to_string(folder.join(format!("{}.rs", check.name)))?;
    let tests = text.split_once("#[cfg(test)]").map_or("", |(_, tests)| tests);
    let found = tests.split('"').filter_map(|part| {
        let digits: String = part.split_whitespace().collect();
        bytes_of(&digits).filter(|bytes| !bytes.is_empty())
    });
    Ok(found.collect())
}

fn bytes_of(digits: &str) -> Option<Vec<u8>> {
    let pairs = digits.as_bytes().chunks(2);
    pairs.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}

/// The line of an input in a corpus.
pub fn line(input: &[u8]) -> String {
    input.iter().map(|byte| format!("{byte:02x}")).chain(["\n".to_owned()]).collect()
}
