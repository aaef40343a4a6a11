//! `Vaquita\metrics`: the figures of this process as a page for Prometheus. Each has a row in docs/metrics.md.

use super::statistics::Figures;
use crate::observing::{self, publishing};
use crate::session::pool;
use crate::statistics::Key;
use crate::zend::call::Call;
use crate::zend::error::Outcome;
use crate::zend::guarded::Guarded;
use crate::zend::string::Str;
use vaquita_client::{Own, command_name};
use vaquita_kv::Reason;
use vaquita_telemetry::metrics::{ADVISED, FINE, Metric, Page, Type};
use vaquita_telemetry::{Kind, Latencies};

thread_local! {
    /// The page that is being given to PHP, where a jump can't leave it behind.
    static TEXT: Guarded<String> = const { Guarded::new(String::new()) };
}

/// `Vaquita\metrics`.
pub(crate) fn metrics(call: &mut Call<'_>) -> Outcome {
    call.arity(0, 0)?;
    TEXT.with(|text| {
        let _ = text.with(|text| {
            let mut page = page();
            publishing::sum_up(&mut page);
            *text = page.text();
        });
        let string = text.peek(|text| Str::new(text.as_bytes()));
        let _ = text.with(|text| *text = String::new());
        call.returns().str(string.unwrap_or_else(|_| Str::new(b"")));
    });
    Ok(())
}

const fn counter(name: &'static str, help: &'static str) -> Metric {
    Metric { name, help, kind: Type::Counter }
}

const fn gauge(name: &'static str, help: &'static str) -> Metric {
    Metric { name, help, kind: Type::Gauge }
}

const fn times(name: &'static str, help: &'static str) -> Metric {
    Metric { name, help, kind: Type::Histogram }
}

/// All of them, whatever there was.
pub(super) fn page() -> Page {
    let figures = &Figures::now();
    let mut page = Page::default();
    observing::with_latencies(|latencies| put_latencies(&mut page, latencies));
    put_connections(&mut page, figures);
    put_traffic(&mut page, figures);
    put_key_value(&mut page, figures);
    page
}

fn put_latencies(page: &mut Page, latencies: &Latencies) {
    let duration = times(
        "db_client_operation_duration_seconds",
        "From when a command was sent until the last bytes of its reply were there.",
    );
    let first_byte = times(
        "vaquita_first_byte_seconds",
        "From when a command was sent until the first bytes of its reply were there.",
    );
    let commands = || Kind::ALL.into_iter().filter(|kind| *kind != Kind::Connect);
    for kind in commands() {
        let label = Some(("vaquita_command", kind.name()));
        page.put_times(duration, label, &ADVISED, latencies.last_byte(kind).as_ref());
    }
    for kind in commands() {
        let label = Some(("vaquita_command", kind.name()));
        page.put_times(first_byte, label, &FINE, latencies.first_byte(kind).as_ref());
    }
    let create = times(
        "db_client_connection_create_time_seconds",
        "How long it took to make a connection, from looking up the name to the end of the log-in.",
    );
    page.put_times(create, None, &ADVISED, latencies.last_byte(Kind::Connect).as_ref());
}

fn put_connections(page: &mut Page, figures: &Figures) {
    let counted = |key| figures.totals.of(key);
    let now = |number: i64| u64::try_from(number).unwrap_or_default();
    let count = gauge(
        "db_client_connection_count",
        "Connections that are open, by whether they are in use.",
    );
    page.put(count, Some(("db_client_connection_state", "idle")), now(pool::idle()));
    let used = counted(Key::active_connections);
    page.put(count, Some(("db_client_connection_state", "used")), used);
    for (name, help, number) in [
        (
            "vaquita_connections_opened_total",
            "Connections that were made.",
            counted(Key::connect_success),
        ),
        (
            "vaquita_connections_failed_total",
            "Connections that could not be made.",
            counted(Key::connect_failure),
        ),
        (
            "vaquita_connections_reused_total",
            "Persistent connections that were used again.",
            counted(Key::connection_reused),
        ),
        (
            "vaquita_connections_replaced_total",
            "Persistent connections that were dead, and another one was made in their place.",
            figures.pool.replaced,
        ),
        (
            "vaquita_pool_hits_total",
            "How often there was an idle connection for whoever asked.",
            figures.pool.hits,
        ),
        ("vaquita_pool_misses_total", "How often there was none.", figures.pool.misses),
        (
            "vaquita_pool_resets_total",
            "Sessions that were reset for the next user.",
            figures.pool.resets,
        ),
    ] {
        page.put(counter(name, help), None, number);
    }
    let evicted =
        counter("vaquita_pool_evictions_total", "Idle connections that were closed, by reason.");
    for (reason, number) in [
        ("room", figures.pool.evicted_for_room),
        ("idle", figures.pool.evicted_as_idle),
        ("old", figures.pool.evicted_as_old),
        ("spoilt", figures.pool.evicted_as_spoilt),
    ] {
        page.put(evicted, Some(("reason", reason)), number);
    }
}

fn put_traffic(page: &mut Page, figures: &Figures) {
    let driver = &figures.driver;
    let commands = counter(
        "vaquita_commands_total",
        "Commands that were sent, by their names in the protocol.",
    );
    for code in 0..=u8::MAX {
        if let Some(name) = command_name(code) {
            page.put(commands, Some(("command", name)), driver.commands(code));
        }
    }
    put_reckoning(page, figures);
    for (name, help, number) in [
        ("vaquita_round_trips_total", "How often a server was waited for.", driver.round_trips),
        ("vaquita_reads_total", "System calls that read from servers.", driver.reads),
        ("vaquita_writes_total", "System calls that wrote to servers.", driver.writes),
        (
            "vaquita_received_bytes_total",
            "Bytes from servers, as they are on the wire below TLS.",
            driver.bytes_received,
        ),
        (
            "vaquita_sent_bytes_total",
            "Bytes to servers, as they are on the wire below TLS.",
            driver.bytes_sent,
        ),
        (
            "vaquita_rows_total",
            "Rows that servers sent.",
            driver.text_row.count + driver.binary_row.count,
        ),
    ] {
        page.put(counter(name, help), None, number);
    }
}

/// What whoever compares the commands with the server's counts has to know of them.
fn put_reckoning(page: &mut Page, figures: &Figures) {
    let driver = &figures.driver;
    let own =
        counter("vaquita_own_commands_total", "Commands that the driver sent by itself, by name.");
    for own_command in Own::ALL {
        page.put(own, Some(("name", own_command.name())), driver.own.of(own_command));
    }
    let unanswered = counter(
        "vaquita_unanswered_commands_total",
        "Commands on connections that ended before anything of a reply had come.",
    );
    for code in 0..=u8::MAX {
        if let Some(name) = command_name(code) {
            page.put(unanswered, Some(("command", name)), driver.unanswered_commands(code));
        }
    }
    for (name, help, number) in [
        ("vaquita_unanswered_bytes_total", "The bytes of those.", driver.bytes_unanswered),
        (
            "vaquita_statement_cache_hits_total",
            "Statements that were prepared already, for which nothing was sent.",
            driver.statements_lent,
        ),
        (
            "vaquita_statement_cache_kept_total",
            "Statements that were kept where a script closed them, for which nothing was sent.",
            driver.statements_kept,
        ),
    ] {
        page.put(counter(name, help), None, number);
    }
}

fn put_key_value(page: &mut Page, figures: &Figures) {
    let counts = &figures.key_value;
    for (name, help, number) in [
        (
            "vaquita_kv_statements_total",
            "Statements that were looked at for a key-value port.",
            counts.statements,
        ),
        ("vaquita_kv_eligible_total", "Those that a port could have answered.", counts.eligible),
        ("vaquita_kv_asked_total", "How often a port was asked.", counts.asked),
        ("vaquita_kv_answered_total", "Statements that it answered.", counts.answered),
        ("vaquita_kv_misses_total", "Those that it had no row for.", counts.misses),
        ("vaquita_kv_errors_total", "Those for which it failed.", counts.errors),
    ] {
        page.put(counter(name, help), None, number);
    }
    let refused = counter(
        "vaquita_kv_to_server_total",
        "Statements that went to the server instead, by reason.",
    );
    for reason in Reason::ALL {
        let number = counts.reasons().find(|(it, _)| *it == reason).map_or(0, |(_, number)| number);
        page.put(refused, Some(("reason", reason.name())), number);
    }
}
