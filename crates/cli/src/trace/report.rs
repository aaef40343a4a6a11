//! The summary in words and figures.

use std::fmt::{self, Write};

use vaquita_telemetry::Distribution;
use vaquita_telemetry::trace::put_shown;

use super::shapes::Shape;
use super::shares::Shares;
use super::summary::Summary;
use super::times::{Micros, Share};
use crate::quantize::{Grouped, Quantized};

/// From which share of a request on connecting matters.
const MATTERS_PERMILLE: u64 = 50;

/// Of how many of the slowest statements the histogram is shown.
const DRAWN: usize = 5;

/// How shares are found.
const METHOD: &str = "  network: resolve, connect, writes of more than 16 KiB, and for each reply a round trip: what TCP
           measured of the connection, or what its fastest reply took less 0.2 ms, if that is more;
           rows as fast as the fastest 64 KiB of the connection came. A unix socket has none.
  server:  the rest of each reply (write and first_byte, auth, tls) and of the rows (more_rows),
           and kv_get
  client:  what of the requests was not waited";

/// The summary of the file of this name.
pub(super) fn text(summary: &Summary, name: &str) -> String {
    let mut text = String::new();
    // Writing to a String never fails.
    let _ = put(&mut text, summary, name);
    text
}

fn put(to: &mut String, summary: &Summary, name: &str) -> fmt::Result {
    put_head(to, summary, name)?;
    if summary.lines == 0 {
        return writeln!(to, "There is nothing to sum.");
    }
    put_events(to, summary)?;
    put_shares(to, summary)?;
    put_requests(to, summary)?;
    put_statements(to, summary)?;
    put_histograms(to, summary)?;
    writeln!(to, "\nSlowest waits")?;
    for line in summary.slowest.lines() {
        writeln!(to, "  {}", shown(line))?;
    }
    Ok(())
}

fn put_head(to: &mut String, summary: &Summary, name: &str) -> fmt::Result {
    writeln!(
        to,
        "{}: lines: {}, cut: {}, unreadable: {}",
        shown(name.as_bytes()),
        Grouped(summary.lines),
        Grouped(summary.cut),
        Grouped(summary.unreadable)
    )?;
    let Some(first) = summary.first else { return Ok(()) };
    writeln!(
        to,
        "from {first} to {}; connections: {}, requests: {}",
        summary.last,
        Grouped(summary.connections),
        Grouped(summary.requests.count())
    )?;
    let (statements, requests) = (summary.slow_statements, summary.slow_requests);
    if statements + requests > 0 {
        writeln!(
            to,
            "written because they took {} or more: statements: {}, requests: {}; what was faster is not in it",
            Micros(summary.limit_us),
            Grouped(statements),
            Grouped(requests)
        )?;
    }
    Ok(())
}

fn put_events(to: &mut String, summary: &Summary) -> fmt::Result {
    writeln!(
        to,
        "\n{:<12} {:>10} {:>9} {:>9} {:>9} {:>9} {:>9} {:>15} {:>8}",
        "Waits", "count", "total", "p50", "p95", "p99", "max", "bytes", "failed"
    )?;
    for event in summary.events.iter().filter(|it| it.times.count() > 0) {
        let name = shown(event.name.as_bytes());
        let (bytes, failed) = (Grouped(event.bytes), Grouped(event.failed));
        writeln!(to, "{name:<12} {} {bytes:>15} {failed:>8}", Figures(&event.times, true))?;
    }
    Ok(())
}

fn put_shares(to: &mut String, summary: &Summary) -> fmt::Result {
    let Shares { server_us, network_us, client_us } = summary.shares;
    let whole = summary.shares.total_us();
    let mut shares = [("server", server_us), ("network", network_us), ("client", client_us)];
    writeln!(to, "\nWhose the time was")?;
    for (name, part) in shares {
        writeln!(to, "  {name:<8} {:>9} {:>8}", Micros(part), Share { part, whole }.to_string())?;
    }
    shares.sort_by_key(|(_, part)| std::cmp::Reverse(*part));
    let [(name, part), ..] = shares;
    let share = Share { part, whole };
    let most = if share.permille() > 500 { "Most" } else { "The largest part" };
    writeln!(to, "{most} of the time went to: {name} ({})", share.rough())?;
    writeln!(to, "{METHOD}")?;
    if summary.ended < summary.connections {
        writeln!(
            to,
            "  Connections whose end is not in it, nor what TCP measured of them: {}. Their connecting stands for it.",
            Grouped(summary.connections - summary.ended)
        )?;
    }
    Ok(())
}

fn put_requests(to: &mut String, summary: &Summary) -> fmt::Result {
    let requests = &summary.requests;
    let count = requests.count();
    writeln!(to, "\nRequests")?;
    if count == 0 {
        return writeln!(to, "  None has ended: what connecting costs of one is not known.");
    }
    let times = requests.times.summary();
    let whole = requests.total_us();
    writeln!(
        to,
        "  {} that used the driver: p50 {}, p95 {}, max {}; on average {} waits, {} of the time",
        Grouped(count),
        Micros(times.p50_ns / 1000),
        Micros(times.p95_ns / 1000),
        Micros(times.max_ns / 1000),
        requests.waits / count,
        Share { part: requests.waits_us, whole }
    )?;
    let share = Share { part: requests.connecting_us, whole };
    if share.permille() >= MATTERS_PERMILLE {
        let each = Micros(requests.connecting_us / count);
        writeln!(to, "Connecting is {} of a request: p: would save about {each}", share.rough())
    } else {
        writeln!(to, "Connecting does not matter ({share})")
    }
}

fn put_statements(to: &mut String, summary: &Summary) -> fmt::Result {
    let (sorted, whole) = (summary.shapes.sorted(), summary.shapes.total_us());
    writeln!(
        to,
        "\nStatements, by the time that all of a shape took ({} of {})",
        summary.top.min(sorted.len()),
        Grouped(sorted.len() as u64)
    )?;
    writeln!(
        to,
        "  {:>7} {:>10} {:>9} {:>9} {:>9} {:>9} {:>7}  digest            statement",
        "share", "count", "total", "p50", "p95", "max", "failed"
    )?;
    for shape in sorted.iter().take(summary.top) {
        let share = Share { part: shape.total_us(), whole }.to_string();
        let figures = Figures(&shape.times, false);
        let failed = Grouped(shape.failed);
        writeln!(to, "  {share:>7} {figures} {failed:>7}  {:<16}  {}", digest(shape), shape.text)?;
    }
    match summary.shapes.left_out() {
        Some(left_out) => writeln!(to, "  {left_out}"),
        None => Ok(()),
    }
}

fn put_histograms(to: &mut String, summary: &Summary) -> fmt::Result {
    for shape in summary.shapes.sorted().iter().take(DRAWN.min(summary.top)) {
        writeln!(to, "\nHow long each took: {} {}", digest(shape), shape.text)?;
        write!(to, "{}", quantized(&shape.times).times())?;
    }
    Ok(())
}

fn digest(shape: &Shape) -> String {
    shape.digest.map_or_else(String::new, |digest| format!("{digest:016x}"))
}

/// How many times are between each power of two and the next.
fn quantized(times: &Distribution) -> Quantized {
    let mut quantized = Quantized::default();
    for (longest, count) in times.buckets() {
        quantized.add(longest.checked_ilog2().map_or(0, |power| 1 << power), count);
    }
    quantized
}

/// What a file says, as a terminal may show it.
fn shown(text: &[u8]) -> String {
    let mut shown = Vec::new();
    put_shown(text, &mut shown);
    String::from_utf8_lossy(&shown).into_owned()
}

/// Count, total, p50, p95, p99 (if wanted) and max.
struct Figures<'a>(&'a Distribution, bool);

impl fmt::Display for Figures<'_> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let it = self.0.summary();
        let micros = |ns: u64| Micros(ns / 1000);
        write!(to, "{:>10} {:>9}", Grouped(it.count), micros(it.sum_ns))?;
        write!(to, " {:>9} {:>9}", micros(it.p50_ns), micros(it.p95_ns))?;
        if self.1 {
            write!(to, " {:>9}", micros(it.p99_ns))?;
        }
        write!(to, " {:>9}", micros(it.max_ns))
    }
}
