//! A line of a trace, written and read.
//!
//! `2026-11-23T09:00:00.123456Z pid=4711 conn=3 id=57 event=first_byte us=182 bytes=96 packets=6 command=query digest=9f86d081884c7d65 sql=SELECT a FROM t`
//!
//! Fields are one blank apart, and none has a blank in it, but the statement, which is the last. What is 0, or not known, is left out. Whoever reads lines passes over
//! keys that are not known, so that others may be added.

use std::io::Write;

use super::moment::{Moment, TEXT_BYTES};

/// What a line has behind its moment.
const SECOND_KEY: &[u8] = b" pid=";

/// What ends the beginning of a line whose rest could not be written: CAN, which no line has in it, and the end of the line.
pub(super) const CUT: &[u8] = b"\x18\n";

/// How a server is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Network {
    /// Another process of this machine, through a socket in a folder.
    Unix,
    /// TCP.
    Tcp,
}

impl Network {
    /// Its name in a trace.
    pub const fn name(self) -> &'static str {
        match self {
            Network::Unix => "unix",
            Network::Tcp => "tcp",
        }
    }
}

/// A line. What is not in it is 0, empty or `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Line<'a> {
    /// When what it tells had come to its end.
    pub at: Moment,
    /// The process.
    pub pid: u32,
    /// The connection's number in it; 0: none.
    pub connection: u64,
    /// The server's name for the connection.
    pub thread_id: u32,
    /// What it tells: the name of a wait ([`vaquita_client::Event::name`]), or one of [`super::events`].
    pub event: &'a str,
    /// How long that took, in microseconds.
    pub us: u64,
    /// How many bytes went over the wire in that time.
    pub bytes: u64,
    /// How many packets.
    pub packets: u64,
    /// The command's name ([`vaquita_client::command_name`]).
    pub command: &'a str,
    /// Whether it ended in an error.
    pub has_failed: bool,
    /// Of a connection's end: how the server was reached.
    pub network: Option<Network>,
    /// The kernel's estimate of a round trip, in microseconds.
    pub rtt_us: u64,
    /// The shortest one.
    pub min_rtt_us: u64,
    /// Of a request: how many waits there were.
    pub waits: u64,
    /// How long they were together, in microseconds.
    pub waits_us: u64,
    /// How much of that was connecting: `resolve`, `connect`, `tls` and `auth`.
    pub connecting_us: u64,
    /// Of what was slow: what it was, `statement` or `request`.
    pub what: &'a str,
    /// How long it may be, in microseconds.
    pub limit_us: u64,
    /// The statement's digest ([`super::digest`]).
    pub digest: Option<u64>,
    /// The statement, as it stands in the line: escaped.
    pub sql: Option<&'a [u8]>,
}

impl<'a> Line<'a> {
    /// Appends it, and what ends it.
    pub fn put(&self, out: &mut Vec<u8>) {
        self.at.put(out);
        // Writing to a Vec never fails.
        let _ = write!(out, " pid={} conn={}", self.pid, self.connection);
        put_number(out, "id", self.thread_id.into());
        let _ = write!(out, " event={} us={}", self.event, self.us);
        put_text(out, "what", self.what);
        put_number(out, "limit_us", self.limit_us);
        put_number(out, "bytes", self.bytes);
        put_number(out, "packets", self.packets);
        put_text(out, "command", self.command);
        put_number(out, "failed", self.has_failed.into());
        put_text(out, "network", self.network.map_or("", Network::name));
        put_number(out, "rtt_us", self.rtt_us);
        put_number(out, "min_rtt_us", self.min_rtt_us);
        put_number(out, "waits", self.waits);
        put_number(out, "waits_us", self.waits_us);
        put_number(out, "connecting_us", self.connecting_us);
        if let Some(digest) = self.digest {
            let _ = write!(out, " digest={digest:016x}");
        }
        if let Some(sql) = self.sql {
            out.extend_from_slice(b" sql=");
            out.extend_from_slice(sql);
        }
        out.push(b'\n');
    }

    /// Reads a line, without what ends it; `None`: it is none, or not all of one.
    pub fn parse(text: &'a [u8]) -> Option<Line<'a>> {
        if text.ends_with(&[0x18]) {
            return None;
        }
        let (at, mut rest) = text.split_at_checked(TEXT_BYTES)?;
        let mut line = Line { at: Moment::parse(at)?, ..Line::default() };
        let (mut has_pid, mut has_us) = (false, false);
        while !rest.is_empty() {
            rest = rest.strip_prefix(b" ")?;
            if let Some(sql) = rest.strip_prefix(b"sql=") {
                line.sql = Some(sql);
                break;
            }
            let end = rest.iter().position(|byte| *byte == b' ').unwrap_or(rest.len());
            let (field, after) = rest.split_at_checked(end)?;
            rest = after;
            let (key, value) = str::from_utf8(field).ok()?.split_once('=')?;
            has_pid |= key == "pid";
            has_us |= key == "us";
            line.set(key, value)?;
        }
        (has_pid && has_us && !line.event.is_empty()).then_some(line)
    }

    fn set(&mut self, key: &str, value: &'a str) -> Option<()> {
        let number = |value: &str| value.parse::<u64>().ok();
        match key {
            "pid" => self.pid = value.parse().ok()?,
            "conn" => self.connection = number(value)?,
            "id" => self.thread_id = value.parse().ok()?,
            "event" => self.event = value,
            "us" => self.us = number(value)?,
            "what" => self.what = value,
            "limit_us" => self.limit_us = number(value)?,
            "bytes" => self.bytes = number(value)?,
            "packets" => self.packets = number(value)?,
            "command" => self.command = value,
            "failed" => self.has_failed = value != "0",
            "network" => {
                let all = [Network::Unix, Network::Tcp];
                self.network = all.into_iter().find(|it| it.name() == value);
            }
            "rtt_us" => self.rtt_us = number(value)?,
            "min_rtt_us" => self.min_rtt_us = number(value)?,
            "waits" => self.waits = number(value)?,
            "waits_us" => self.waits_us = number(value)?,
            "connecting_us" => self.connecting_us = number(value)?,
            "digest" => self.digest = Some(u64::from_str_radix(value, 16).ok()?),
            _ => {}
        }
        Some(())
    }
}

fn put_number(out: &mut Vec<u8>, key: &str, number: u64) {
    if number != 0 {
        let _ = write!(out, " {key}={number}");
    }
}

fn put_text(out: &mut Vec<u8>, key: &str, text: &str) {
    if !text.is_empty() {
        let _ = write!(out, " {key}={text}");
    }
}

/// What stands between two ends of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rest<'a> {
    /// The beginning of a line whose process was killed while it wrote, if there is one.
    pub cut: Option<&'a [u8]>,
    /// The line behind it.
    pub line: &'a [u8],
}

/// Tells a line from what another process has left before it. No line has in its midst what one begins with.
pub fn split_line(text: &[u8]) -> Rest<'_> {
    let begins = |at: &usize| {
        let moment = at.checked_sub(TEXT_BYTES).and_then(|start| text.get(start..*at));
        *at > TEXT_BYTES && moment.is_some_and(|it| Moment::parse(it).is_some())
    };
    let seconds = text.windows(SECOND_KEY.len()).enumerate();
    let mut keys = seconds.rev().filter(|(_, it)| *it == SECOND_KEY).map(|(at, _)| at);
    match keys.find(begins).and_then(|at| text.split_at_checked(at - TEXT_BYTES)) {
        Some((cut, line)) => Rest { cut: Some(cut), line },
        None => Rest { cut: None, line: text },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "2026-11-23T09:00:00.123456Z pid=4711 conn=3 id=57 event=first_byte us=182 bytes=96 packets=6 \
        command=query failed=1 digest=9f86d081884c7d65 sql=SELECT a FROM t WHERE id = ?";

    fn line() -> Line<'static> {
        Line {
            at: Moment(1_795_424_400_123_456),
            pid: 4711,
            connection: 3,
            thread_id: 57,
            event: "first_byte",
            us: 182,
            bytes: 96,
            packets: 6,
            command: "query",
            has_failed: true,
            digest: Some(0x9F86_D081_884C_7D65),
            sql: Some(b"SELECT a FROM t WHERE id = ?"),
            ..Line::default()
        }
    }

    fn check(line: &Line<'_>, expected: &str) {
        let mut text = Vec::new();
        line.put(&mut text);
        assert_eq!(String::from_utf8(text).unwrap(), format!("{expected}\n"));
        assert_eq!(Line::parse(expected.as_bytes()).as_ref(), Some(line), "{expected}");
    }

    #[test]
    fn lines_are_written_and_read_alike() {
        check(&line(), LINE);
        let bare = Line { at: line().at, event: "request", ..Line::default() };
        check(&bare, "2026-11-23T09:00:00.123456Z pid=0 conn=0 event=request us=0");
        check(
            &Line { us: 9, waits: 3, waits_us: 5, connecting_us: 2, ..bare },
            "2026-11-23T09:00:00.123456Z pid=0 conn=0 event=request us=9 waits=3 waits_us=5 connecting_us=2",
        );
        check(
            &Line { event: "end", network: Some(Network::Tcp), rtt_us: 50, min_rtt_us: 20, ..bare },
            "2026-11-23T09:00:00.123456Z pid=0 conn=0 event=end us=0 network=tcp rtt_us=50 min_rtt_us=20",
        );
        check(
            &Line { event: "slow", what: "statement", limit_us: 7, sql: Some(b""), ..bare },
            "2026-11-23T09:00:00.123456Z pid=0 conn=0 event=slow us=0 what=statement limit_us=7 sql=",
        );
    }

    #[test]
    fn unknown_keys_are_passed_over_and_anything_else_is_no_line() {
        let newer =
            LINE.replace(" us=182", " mood=good us=182 more=").replace("first_byte", "novel");
        let parsed = Line::parse(newer.as_bytes()).unwrap();
        assert_eq!((parsed.event, parsed.us, parsed.bytes), ("novel", 182, 96));
        for (from, to) in [
            ("us=182", "us=-1"),
            ("us=182 ", ""),
            ("us=182", "us"),
            ("us=182", "us=182 "),
            ("pid=4711 ", ""),
            ("event=first_byte ", ""),
            ("conn=3", "conn=99999999999999999999"),
            ("digest=9f", "digest=xx"),
            ("2026", "MMXX"),
            ("command=query", "command=\u{FFFD}"),
        ] {
            let text = LINE.replace(from, to);
            let is_line = Line::parse(text.as_bytes()).is_some();
            assert_eq!(is_line, to.starts_with("command"), "{text}");
        }
        assert_eq!(Line::parse(b"\xFF\0"), None);
        assert_eq!(
            Line::parse(&[LINE.as_bytes(), b"\xFF"].concat()).unwrap().sql.unwrap().last(),
            Some(&0xFF)
        );
    }

    #[test]
    fn a_line_is_told_from_what_a_killed_process_left_before_it() {
        for end in 1..LINE.len() {
            let text = format!("{}{LINE}", &LINE[..end]);
            let rest = split_line(text.as_bytes());
            assert_eq!(rest, Rest { cut: Some(&LINE.as_bytes()[..end]), line: LINE.as_bytes() });
        }
        for text in [LINE, "", "x", " pid=", "x pid=1"] {
            assert_eq!(split_line(text.as_bytes()), Rest { cut: None, line: text.as_bytes() });
        }
        let ended = [LINE.as_bytes(), CUT].concat();
        assert_eq!(Line::parse(ended.strip_suffix(b"\n").unwrap()), None);
        let three = format!("{}{}{LINE}", &LINE[..40], &LINE[..50]);
        assert_eq!(split_line(three.as_bytes()).line, LINE.as_bytes());
    }
}
