//! The trace: that of all connections, which php.ini asks for, and those of single ones, which scripts ask for.
//!
//! What they write to is opened when a request begins, or when a script asks: never before a fork.

use super::{count, count_slow};
use crate::session::options::path_of;
use crate::zend::error::{plain_warning, warning};
use crate::zend::ini::{self, Kept};
use crate::zend::string::Str;
use core::cell::{Cell, RefCell};
use std::sync::OnceLock;
use std::time::Duration;
use vaquita_client::{Ended, Observer, Reply, SlowReply, Wait};
use vaquita_telemetry::trace::{OpenError, Options, Output, StandardError, Tracer, monotonic};

thread_local! {
    static SETTINGS: Kept<Settings> = const { Kept::new() };
    /// Whether the connections to come are traced.
    static IS_ON: Cell<bool> = const { Cell::new(false) };
    static TRACERS: RefCell<Tracers> = const { RefCell::new(Tracers::none()) };
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum To {
    Nowhere,
    Stderr,
    /// The file that the setting names.
    File,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Settings {
    to: To,
    options: Options,
}

impl Settings {
    fn read() -> Settings {
        let slow = u64::try_from(ini::long(c"vaquita.trace_slow_ms")).ok();
        Settings {
            to: match ini::string(c"vaquita.trace") {
                Some(b"stderr") => To::Stderr,
                Some([b'/', ..]) => To::File,
                _ => To::Nowhere,
            },
            options: Options {
                literals: ini::flag(c"vaquita.trace_literals"),
                slow: slow.filter(|it| *it > 0).map(Duration::from_millis),
            },
        }
    }
}

/// Whether a setting says where a trace goes.
pub(crate) fn is_place(text: &[u8]) -> bool {
    matches!(text, b"" | b"0" | b"off" | b"stderr" | [b'/', ..])
}

/// Whether the connections to come are traced, by php.ini.
pub(super) fn is_on() -> bool {
    IS_ON.get()
}

/// The tracers of this thread.
struct Tracers {
    /// That of all connections.
    of_all: Option<Tracer>,
    /// What it was opened for, or could not be: a web server may have settings for each of its hosts.
    asked: Option<(Settings, Box<[u8]>)>,
    /// Why it can't be opened, until that was told.
    unopened: Option<OpenError>,
    /// Those of single ones, by their numbers.
    of_links: Vec<(u64, Tracer)>,
}

impl Tracers {
    const fn none() -> Tracers {
        Tracers { of_all: None, asked: None, unopened: None, of_links: Vec::new() }
    }

    /// Whether another trace is wanted than the last time; that one is closed.
    fn begin(&mut self, settings: Settings, place: &[u8]) -> bool {
        if self.asked.as_ref().is_some_and(|(last, at)| *last == settings && **at == *place) {
            return false;
        }
        self.of_all = None;
        self.asked = Some((settings, place.into()));
        true
    }

    /// Has those tell that trace this connection.
    fn each(&mut self, connection: u64, tell: impl Fn(&mut Tracer)) {
        let own = self.of_links.iter_mut().filter(|(number, _)| *number == connection);
        self.of_all.iter_mut().chain(own.map(|(_, tracer)| tracer)).for_each(tell);
    }
}

/// What the process's standard error was before a script could close it.
fn standard_error() -> StandardError {
    static FIRST: OnceLock<StandardError> = OnceLock::new();
    *FIRST.get_or_init(StandardError::now)
}

/// A request begins: the trace is opened if there is to be one and this process has not opened it yet.
pub(crate) fn begin_request() {
    standard_error();
    let settings = SETTINGS.with(|settings| settings.get(Settings::read));
    if settings.to == To::Nowhere {
        if IS_ON.replace(false) {
            TRACERS.with_borrow_mut(|tracers| (tracers.of_all, tracers.asked) = (None, None));
        }
        return;
    }
    let place = ini::string(c"vaquita.trace").unwrap_or_default();
    if TRACERS.with_borrow_mut(|tracers| tracers.begin(settings, place)) {
        let output = match settings.to {
            To::File => Output::open(&path_of(place)),
            To::Stderr | To::Nowhere => Output::stderr(standard_error()),
        };
        match output.map(|output| Tracer::new(output, settings.options)) {
            Ok(tracer) => TRACERS.with_borrow_mut(|tracers| tracers.of_all = Some(tracer)),
            // A warning would be shown only where those of PHP's start are.
            Err(error) => TRACERS.with_borrow_mut(|tracers| tracers.unopened = Some(error)),
        }
    }
    TRACERS.with_borrow_mut(|tracers| {
        IS_ON.set(tracers.of_all.is_some());
        if let Some(tracer) = &mut tracers.of_all {
            tracer.request_began(monotonic());
        }
    });
}

/// The request is over, and all it had.
pub(crate) fn end_request() {
    TRACERS.with_borrow_mut(|tracers| {
        tracers.of_links.clear();
        if let Some(tracer) = &mut tracers.of_all {
            tracer.request_ended(monotonic());
        }
    });
}

/// Says by a warning that there is no trace, or that lines of one were lost, once for each: **user code may run**.
pub(crate) fn warn_of_failure() {
    if let Some(error) = TRACERS.with_borrow_mut(|tracers| tracers.unopened.take()) {
        let (place, reason) = (ini::string(c"vaquita.trace").unwrap_or_default(), reason(error));
        plain_warning(&[b"vaquita.trace: nothing is traced, ", place, b": ", reason.bytes()]);
        reason.release();
    }
    let failure = TRACERS.with_borrow_mut(|tracers| {
        let links = tracers.of_links.iter_mut().map(|(_, tracer)| tracer);
        let failure = tracers.of_all.iter_mut().chain(links).find_map(Tracer::take_failure);
        failure.map(|failure| Str::new(failure.to_string().as_bytes()))
    });
    if let Some(failure) = failure {
        plain_warning(&[b"Vaquita: lines of a trace are lost: ", failure.bytes()]);
        failure.release();
    }
}

/// Traces one connection to a file, or to `stderr`, in place of where it was traced so far; false, after a warning: it can't be.
pub(crate) fn trace_link(number: u64, path: Str) -> bool {
    let settings = SETTINGS.with(|settings| settings.get(Settings::read));
    // A relative path, and what open_basedir allows, may be another one later.
    let opened = match path.bytes() {
        b"stderr" => Output::stderr(standard_error()),
        path => Output::open_for_good(&path_of(path)),
    };
    let options = Options { slow: None, ..settings.options };
    match opened.map(|output| Tracer::new(output, options)) {
        Ok(tracer) => {
            stop_link(number);
            TRACERS.with_borrow_mut(|tracers| tracers.of_links.push((number, tracer)));
            true
        }
        Err(error) => {
            let reason = reason(error);
            warning(&[path.bytes(), b" can't be opened for a trace: ", reason.bytes()]);
            reason.release();
            false
        }
    }
}

/// Whether a connection has a trace of its own.
pub(crate) fn are_links_traced() -> bool {
    TRACERS.with_borrow(|tracers| !tracers.of_links.is_empty())
}

/// A connection has no trace of its own any more.
pub(crate) fn stop_link(number: u64) {
    TRACERS.with_borrow_mut(|tracers| tracers.of_links.retain(|(other, _)| *other != number));
}

fn reason(error: OpenError) -> Str {
    Str::new(error.to_string().as_bytes())
}

/// Traces waits, and counts replies as usual.
#[derive(Debug)]
pub(super) struct Tracing;

/// Whoever traces a connection.
pub(crate) fn observer_of_traced() -> &'static dyn Observer {
    &Tracing
}

impl Observer for Tracing {
    fn wants_waits(&self) -> bool {
        true
    }

    fn replied(&self, reply: Reply) {
        if crate::statistics::is_collecting() {
            count(reply);
        }
    }

    fn replied_slowly(&self, slow: SlowReply<'_>) {
        if crate::statistics::is_collecting() {
            count_slow(&slow);
        }
    }

    fn waited(&self, wait: &Wait<'_>) {
        let number = wait.connection.number;
        let tell = |tracers: &mut Tracers| tracers.each(number, |tracer| tracer.waited(wait));
        let _ = TRACERS.try_with(|tracers| tell(&mut tracers.borrow_mut()));
    }

    fn ended(&self, ended: &Ended) {
        let number = ended.connection.number;
        let tell = |tracers: &mut Tracers| {
            tracers.each(number, |tracer| tracer.ended(ended));
            tracers.of_links.retain(|(other, _)| *other != number);
        };
        let _ = TRACERS.try_with(|tracers| tell(&mut tracers.borrow_mut()));
    }
}
