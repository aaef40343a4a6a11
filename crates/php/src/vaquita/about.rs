//! What `phpinfo()` and `php --ri vaquita` tell of the driver: the build, the last connection, and what was counted.

use super::statistics::Figures;
use super::{INACTIVE, Vaquita};
use crate::observing;
use crate::session::last_connection::LastConnection;
use crate::statistics;
use crate::zend::info;
use crate::zend::module::{Module, build_id, text};
use crate::zend::string::Str;
use core::ffi::CStr;
use core::fmt::{self, Display, Write as _};
use std::ffi::CString;
use std::sync::OnceLock;
use vaquita_telemetry::{Kind, Summary};

/// Prints it all. What is made for it are strings of PHP's, which go with the request, for printing may run user code.
pub(super) fn print() {
    static BUILD: OnceLock<CString> = OnceLock::new();
    let profile: &[u8] = if cfg!(debug_assertions) { b" (debug)" } else { b" (release)" };
    let state = INACTIVE.get().map_or(c"enabled", |reason| reason);
    info::table(
        (c"Vaquita", state),
        &[
            (c"Version", Vaquita::version()),
            (c"Build", BUILD.get_or_init(|| text(&[build_id().to_bytes(), profile]))),
            (c"TLS", c"1.2 and 1.3 (rustls, aws-lc)"),
            (c"Compression", c"zlib (zlib-rs), zstd (libzstd)"),
            (c"Key-value access", c"memcached (MySQL), HandlerSocket (MariaDB)"),
        ],
    );
    if INACTIVE.get().is_some() {
        return;
    }
    print_last_connection();
    print_statistics();
}

fn print_last_connection() {
    let lines = LastConnection::look(|last| {
        [
            Line::of(&last.server()),
            Line::of(&last.tls()),
            Line::of(&last.compression()),
            Line::of(&last.features()),
        ]
    });
    let Some(lines) = lines else {
        return info::table((c"Last connection", c"none in this process"), &[]);
    };
    let [server, tls, compression, features] = lines.map(|line| Str::new(line.bytes()));
    info::table(
        (c"Last connection", server.as_c_str()),
        &[
            (c"Last connection's TLS", tls.as_c_str()),
            (c"Last connection's compression", compression.as_c_str()),
            (c"Last connection's features", features.as_c_str()),
        ],
    );
    [server, tls, compression, features].into_iter().for_each(Str::release);
}

fn print_statistics() {
    let state = if statistics::is_collecting() { c"on" } else { c"off" };
    let figures = Figures::now();
    let connections = Str::new(Line::of(&figures.connections()).bytes());
    let traffic = Str::new(Line::of(&figures.traffic()).bytes());
    let own = Str::new(Line::of(&figures.own()).bytes());
    info::table(
        (c"Statistics of this process", state),
        &[
            (c"Connections", connections.as_c_str()),
            (c"Traffic", traffic.as_c_str()),
            (c"The driver's own", own.as_c_str()),
        ],
    );
    own.release();
    traffic.release();
    connections.release();
    let lines = Kind::ALL.map(|kind| {
        let times = observing::with_latencies(|it| it.last_byte(kind).map(|it| it.summary()));
        times.map(|times| Str::new(latency(&times).bytes()))
    });
    let mut rows = [(c"", c""); Kind::ALL.len()];
    let there =
        Kind::ALL.into_iter().zip(&lines).filter_map(|(kind, line)| Some((kind, line.as_ref()?)));
    let count = rows
        .iter_mut()
        .zip(there)
        .map(|(row, (kind, line))| *row = (name(kind), line.as_c_str()))
        .count();
    if count > 0 {
        info::table((c"Latency", c"until the last byte"), rows.get(..count).unwrap_or_default());
    }
    lines.into_iter().flatten().for_each(Str::release);
}

fn latency(times: &Summary) -> Line {
    let us = |ns: u64| ns as f64 / 1000.0;
    let [p50, p95, p99, max] = [times.p50_ns, times.p95_ns, times.p99_ns, times.max_ns].map(us);
    Line::of(&format_args!(
        "{} replies, p50 {p50:.0} us, p95 {p95:.0} us, p99 {p99:.0} us, longest {max:.0} us",
        times.count
    ))
}

/// Text that nobody has to drop when PHP jumps; what is longer is cut.
#[derive(Clone, Copy)]
struct Line {
    text: [u8; 400],
    length: usize,
}

impl Line {
    fn of(shown: &dyn Display) -> Line {
        let mut line = Line { text: [0; 400], length: 0 };
        // What finds no room is cut.
        let _ = write!(line, "{shown}");
        line
    }

    fn bytes(&self) -> &[u8] {
        self.text.get(..self.length).unwrap_or_default()
    }
}

impl fmt::Write for Line {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = self.text.get_mut(self.length..).unwrap_or_default();
        let written = room.iter_mut().zip(text.bytes()).map(|(to, from)| *to = from).count();
        self.length += written;
        if written < text.len() { Err(fmt::Error) } else { Ok(()) }
    }
}

fn name(kind: Kind) -> &'static CStr {
    match kind {
        Kind::Connect => c"Latency: connect",
        Kind::Query => c"Latency: query",
        Kind::Prepare => c"Latency: prepare",
        Kind::Execute => c"Latency: execute",
        Kind::Fetch => c"Latency: fetch",
        Kind::Other => c"Latency: other",
    }
}
