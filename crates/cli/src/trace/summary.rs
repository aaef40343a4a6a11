//! All that is summed of a trace, line by line.

use std::collections::HashMap;

use vaquita_telemetry::Distribution;
use vaquita_telemetry::trace::{Event, Line, Moment, Rest, events, split_line};

use super::connection::Connection;
use super::lines::Text;
use super::requests::Requests;
use super::shapes::Shapes;
use super::shares::Shares;
use super::slowest::Slowest;

/// How many connections are followed at the same time; each takes about 300 bytes.
const MAX_CONNECTIONS: usize = 1 << 16;

/// How many kinds of events are told apart: newer versions may have more than we know.
const MAX_EVENTS: usize = 32;

/// The name of the events beyond.
const OTHER_EVENTS: &str = "(others)";

/// The waits for one thing.
#[derive(Debug, Default)]
pub(super) struct EventSum {
    pub(super) name: Box<str>,
    pub(super) times: Distribution,
    pub(super) failed: u64,
    pub(super) bytes: u64,
}

/// The sum of a trace.
#[derive(Debug)]
pub(super) struct Summary {
    /// Lines that were read.
    pub(super) lines: u64,
    /// Lines of which a part only is there.
    pub(super) cut: u64,
    /// What is no line of a trace.
    pub(super) unreadable: u64,
    pub(super) first: Option<Moment>,
    pub(super) last: Moment,
    /// What was waited for, in the order in which a connection meets it.
    pub(super) events: Vec<EventSum>,
    pub(super) shapes: Shapes,
    pub(super) requests: Requests,
    pub(super) slowest: Slowest,
    pub(super) top: usize,
    /// Whose the time was.
    pub(super) shares: Shares,
    /// How many connections there were, and of how many the end was told.
    pub(super) connections: u64,
    pub(super) ended: u64,
    /// Statements and requests that were written because they were slow, and from when on that is slow.
    pub(super) slow_statements: u64,
    pub(super) slow_requests: u64,
    pub(super) limit_us: u64,
    living: HashMap<(u32, u64), Connection>,
}

impl Summary {
    /// Nothing yet; so many of the slowest waits will be kept.
    pub(super) fn new(top: usize) -> Summary {
        let named = |event: Event| EventSum { name: event.name().into(), ..EventSum::default() };
        Summary {
            lines: 0,
            cut: 0,
            unreadable: 0,
            first: None,
            last: Moment(0),
            events: Event::ALL.map(named).into(),
            shapes: Shapes::default(),
            requests: Requests::default(),
            slowest: Slowest::new(top),
            top,
            shares: Shares::default(),
            connections: 0,
            ended: 0,
            slow_statements: 0,
            slow_requests: 0,
            limit_us: 0,
            living: HashMap::new(),
        }
    }

    /// Adds a line.
    pub(super) fn take(&mut self, text: &Text<'_>) {
        let Rest { cut, line } = split_line(text.bytes);
        self.cut += u64::from(cut.is_some());
        if line.is_empty() {
            return;
        }
        match Line::parse(line).filter(|_| text.has_end && !text.is_too_long) {
            Some(parsed) => self.add(&parsed, line),
            // Whoever writes it has not come to its end, or never will.
            None if !text.has_end || line.ends_with(&[0x18]) => self.cut += 1,
            None => self.unreadable += 1,
        }
    }

    fn add(&mut self, line: &Line<'_>, text: &[u8]) {
        self.lines += 1;
        self.first = Some(self.first.map_or(line.at, |first| first.min(line.at)));
        self.last = self.last.max(line.at);
        match line.event {
            events::REQUEST => self.requests.add(line),
            events::SLOW => {
                let is_request = line.what == "request";
                self.slow_requests += u64::from(is_request);
                self.slow_statements += u64::from(!is_request);
                self.limit_us = line.limit_us;
                self.requests.interrupt(line.pid);
            }
            events::END => {
                self.requests.wait(line);
                self.ended += 1;
                let mut connection = self.take_connection(line);
                connection.add(line);
                self.settle(connection);
            }
            _ => {
                self.count_event(line);
                self.slowest.add(line.us, text);
                self.requests.wait(line);
                self.add_wait(line);
            }
        }
    }

    fn count_event(&mut self, line: &Line<'_>) {
        let has_room = self.events.len() < MAX_EVENTS;
        let known = self.events.iter().position(|it| *it.name == *line.event);
        let name = if known.is_some() || has_room { line.event } else { OTHER_EVENTS };
        let at = known.or_else(|| self.events.iter().position(|it| *it.name == *name));
        let at = at.unwrap_or_else(|| {
            self.events.push(EventSum { name: name.into(), ..EventSum::default() });
            self.events.len() - 1
        });
        if let Some(event) = self.events.get_mut(at) {
            event.times.add(line.us.saturating_mul(1000));
            event.failed += u64::from(line.has_failed);
            event.bytes = event.bytes.saturating_add(line.bytes);
        }
    }

    fn add_wait(&mut self, line: &Line<'_>) {
        let begins = matches!(line.event, "resolve" | "connect");
        let is_full = self.living.len() >= MAX_CONNECTIONS;
        let mut connection = self.take_connection(line);
        // Another process has got the number of one that is gone.
        if begins && connection.has_logged_in() {
            self.settle(connection);
            self.connections += 1;
            connection = Connection::default();
        }
        if is_full {
            self.settle_all();
        }
        let is_of_statement = matches!(line.event, "write" | "first_byte" | "more_rows" | "kv_get");
        if is_of_statement {
            if let Some(over) = connection.statement.take_if(|it| it.ends_before(line)) {
                self.shapes.end(over);
            }
            connection.statement.get_or_insert_with(|| self.shapes.begin(line)).add(line);
        }
        connection.add(line);
        self.living.insert((line.pid, line.connection), connection);
    }

    fn take_connection(&mut self, line: &Line<'_>) -> Connection {
        let known = self.living.remove(&(line.pid, line.connection));
        self.connections += u64::from(known.is_none());
        known.unwrap_or_default()
    }

    /// Nothing more is to be known of a connection.
    fn settle(&mut self, mut connection: Connection) {
        if let Some(statement) = connection.statement.take() {
            self.shapes.end(statement);
        }
        self.shares += connection.shares();
    }

    fn settle_all(&mut self) {
        for (_, connection) in std::mem::take(&mut self.living) {
            self.settle(connection);
        }
    }

    /// There are no more lines.
    pub(super) fn finish(&mut self) {
        self.settle_all();
        self.shares.client_us = self.shares.client_us.saturating_add(self.requests.finish());
    }
}
