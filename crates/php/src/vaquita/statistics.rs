//! `Vaquita\statistics`: what mysqlnd has no counters for, and how long the server was waited for.

use crate::observing;
use crate::session::{Session, pool};
use crate::statistics::{self, Key, Totals};
use crate::zend::array::{List, Map};
use crate::zend::call::Call;
use crate::zend::error::Outcome;
use crate::zend::string::Str;
use core::fmt::{self, Display};
use vaquita_client::{Own, PoolStats, Statistics, command_name};
use vaquita_kv::Counts;
use vaquita_telemetry::{Kind, Latencies, Shape, Summary};

/// All figures of this process; plain numbers, so that nothing is dropped when PHP jumps.
pub(super) struct Figures {
    pub(super) totals: Totals,
    pub(super) driver: Statistics,
    pub(super) key_value: Counts,
    pub(super) pool: PoolStats,
}

impl Figures {
    pub(super) fn now() -> Figures {
        let mut driver = statistics::ended_driver();
        Session::add_all_driver_to(&mut driver);
        let mut totals = Totals::new();
        totals.add_ended();
        Session::add_all_to(&mut totals);
        let mut key_value = Counts::ended();
        Session::add_all_key_value_to(&mut key_value);
        Figures { totals, driver, key_value, pool: pool::stats() }
    }
}

impl Figures {
    /// Of connections, in a line.
    pub(super) fn connections(&self) -> impl Display {
        let counted = |key| self.totals.of(key);
        fmt::from_fn(move |to| {
            write!(
                to,
                "{} opened, {} failed, {} reused, {} reconnected, {} open",
                counted(Key::connect_success),
                counted(Key::connect_failure),
                counted(Key::connection_reused),
                self.pool.replaced,
                counted(Key::active_connections)
            )
        })
    }

    /// Of traffic, in a line.
    pub(super) fn traffic(&self) -> impl Display {
        let Statistics { round_trips, reads, writes, bytes_received, bytes_sent, .. } =
            &self.driver;
        let commands = self.driver.all_commands();
        fmt::from_fn(move |to| {
            write!(
                to,
                "{commands} commands in {round_trips} round trips, {reads} reads of {bytes_received} bytes, {writes} writes of {bytes_sent} bytes"
            )
        })
    }
}

impl Figures {
    /// Of what the driver sent or did not send by itself, in a line.
    pub(super) fn own(&self) -> impl Display {
        let Statistics { statements_lent, statements_kept, bytes_unanswered, own, .. } =
            &self.driver;
        let own: u64 = Own::ALL.iter().map(|it| own.of(*it)).sum();
        let unanswered: u64 = (0..=u8::MAX).map(|code| self.driver.unanswered_commands(code)).sum();
        fmt::from_fn(move |to| {
            write!(
                to,
                "{own} commands by itself, {unanswered} without a reply ({bytes_unanswered} bytes), {statements_lent} statements prepared already, {statements_kept} kept"
            )
        })
    }
}

/// `Vaquita\statistics`.
pub(crate) fn statistics(call: &mut Call<'_>) -> Outcome {
    call.arity(0, 0)?;
    let figures = Figures::now();
    let mut all = Map::new(call.returns(), 10);
    write_connections(Map::new(all.insert_named(b"connections"), 8), &figures);
    let driver = &figures.driver;
    let of_commands = |map, number: &dyn Fn(u8) -> u64| {
        let names = (0..=u8::MAX).filter_map(|code| Some((command_name(code)?, number(code))));
        write_those_above_zero(map, names);
    };
    of_commands(Map::new(all.insert_named(b"commands"), 8), &|code| driver.commands(code));
    of_commands(Map::new(all.insert_named(b"unanswered"), 8), &|code| {
        driver.unanswered_commands(code)
    });
    let own = Own::ALL.iter().map(|own| (own.name(), driver.own.of(*own)));
    write_those_above_zero(Map::new(all.insert_named(b"own"), 8), own);
    let mut cache = Map::new(all.insert_named(b"statement_cache"), 2);
    put(&mut cache, b"hits", driver.statements_lent);
    put(&mut cache, b"kept", driver.statements_kept);
    write_traffic(Map::new(all.insert_named(b"traffic"), 8), &figures.driver);
    write_pool(&mut Map::new(all.insert_named(b"pool"), 10), &figures.pool);
    write_key_value(&mut Map::new(all.insert_named(b"key_value"), 8), &figures.key_value);
    let mut latency = Map::new(all.insert_named(b"latency"), 6);
    for kind in Kind::ALL {
        // One after the other: what is summed up is dropped before anything is written.
        let Some((first, last)) = observing::with_latencies(|it| summaries(it, kind)) else {
            continue;
        };
        let mut of_kind = Map::new(latency.insert_named(kind.name().as_bytes()), 2);
        write_summary(Map::new(of_kind.insert_named(b"first_byte"), 6), &first);
        write_summary(Map::new(of_kind.insert_named(b"last_byte"), 6), &last);
    }
    let mut slowest = List::new(all.insert_named(b"slowest"), 8);
    observing::peek_slowest(|shapes| {
        for shape in shapes {
            write_shape(Map::new(slowest.push(), 5), shape);
        }
    });
    Ok(())
}

fn summaries(latencies: &Latencies, kind: Kind) -> Option<(Summary, Summary)> {
    Some((latencies.first_byte(kind)?.summary(), latencies.last_byte(kind)?.summary()))
}

fn put(map: &mut Map, name: &[u8], number: u64) {
    map.insert_named(name).long(i64::try_from(number).unwrap_or(i64::MAX));
}

fn write_those_above_zero(mut map: Map, numbers: impl Iterator<Item = (&'static str, u64)>) {
    for (name, number) in numbers.filter(|(_, number)| *number > 0) {
        put(&mut map, name.as_bytes(), number);
    }
}

fn write_connections(mut map: Map, figures: &Figures) {
    let counted = |key| figures.totals.of(key);
    put(&mut map, b"opened", counted(Key::connect_success));
    put(&mut map, b"failed", counted(Key::connect_failure));
    put(&mut map, b"reused", counted(Key::connection_reused));
    put(&mut map, b"reconnected", figures.pool.replaced);
    put(&mut map, b"open", counted(Key::active_connections));
    put(&mut map, b"attempts", figures.driver.attempts);
    put(&mut map, b"replacements", figures.driver.replacements);
    put(&mut map, b"killers", figures.driver.killers);
}

fn write_traffic(mut map: Map, driver: &Statistics) {
    for (name, number) in [
        (&b"round_trips"[..], driver.round_trips),
        (b"reads", driver.reads),
        (b"writes", driver.writes),
        (b"bytes_received", driver.bytes_received),
        (b"bytes_sent", driver.bytes_sent),
        (b"bytes_unanswered", driver.bytes_unanswered),
        (b"packets_received", driver.packets_received),
        (b"packets_sent", driver.packets_sent),
    ] {
        put(&mut map, name, number);
    }
}

/// Writes what became of persistent connections, as `Vaquita\pool_stats` has it.
pub(crate) fn write_pool(map: &mut Map, stats: &PoolStats) {
    map.insert_named(b"active").long(pool::active());
    map.insert_named(b"idle").long(pool::idle());
    for (name, number) in [
        (&b"hits"[..], stats.hits),
        (b"misses", stats.misses),
        (b"resets", stats.resets),
        (b"replaced", stats.replaced),
        (b"evicted_for_room", stats.evicted_for_room),
        (b"evicted_as_idle", stats.evicted_as_idle),
        (b"evicted_as_old", stats.evicted_as_old),
        (b"evicted_as_spoilt", stats.evicted_as_spoilt),
    ] {
        put(map, name, number);
    }
}

/// Writes what became of statements that a key-value port might have answered.
pub(crate) fn write_key_value(map: &mut Map, counts: &Counts) {
    for (name, number) in [
        (&b"statements"[..], counts.statements),
        (b"eligible", counts.eligible),
        (b"asked", counts.asked),
        (b"answered", counts.answered),
        (b"learnt", counts.learnt),
        (b"misses", counts.misses),
        (b"errors", counts.errors),
    ] {
        put(map, name, number);
    }
    let mut reasons = Map::new(map.insert_named(b"reasons"), 8);
    for (reason, number) in counts.reasons() {
        put(&mut reasons, reason.name().as_bytes(), number);
    }
}

fn write_shape(mut map: Map, shape: &Shape) {
    map.insert_named(b"digest").str(Str::new(&hexadecimal(shape.digest)));
    map.insert_named(b"sql").str(Str::new(&shape.sql));
    put(&mut map, b"count", shape.count);
    map.insert_named(b"total_us").double(shape.sum_ns as f64 / 1000.0);
    map.insert_named(b"max_us").double(shape.max_ns as f64 / 1000.0);
}

/// A digest as a trace shows it.
fn hexadecimal(digest: u64) -> [u8; 16] {
    std::array::from_fn(|place| {
        let digit = usize::try_from(digest >> (60 - 4 * place) & 0xF).unwrap_or_default();
        b"0123456789abcdef".get(digit).copied().unwrap_or_default()
    })
}

/// Writes times in microseconds.
fn write_summary(mut map: Map, summary: &Summary) {
    put(&mut map, b"count", summary.count);
    for (name, ns) in [
        (&b"total_us"[..], summary.sum_ns),
        (b"p50_us", summary.p50_ns),
        (b"p95_us", summary.p95_ns),
        (b"p99_us", summary.p99_ns),
        (b"max_us", summary.max_ns),
    ] {
        map.insert_named(name).double(ns as f64 / 1000.0);
    }
}
