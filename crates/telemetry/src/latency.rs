//! How long replies took: a histogram for each kind of command, until their first bytes and until their last ones.

use histogram::{Config, Histogram};
use vaquita_client::Reply;
use vaquita_client::panic_point;

/// Eight buckets for each power of two, so that a figure is off by an eighth at the most; up to 2^42 ns, which is 73 minutes.
const CONFIG: Config = match Config::new(3, 42) {
    Ok(config) => config,
    Err(_) => unreachable!(),
};

/// The longest time that a histogram tells from others, in nanoseconds.
const MAX_NS: u64 = (1 << 42) - 1;

/// What was waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A connection, from looking up the server's name to the end of the log-in.
    Connect,
    /// COM_QUERY.
    Query,
    /// COM_STMT_PREPARE.
    Prepare,
    /// COM_STMT_EXECUTE, also where the statement was prepared in the same write.
    Execute,
    /// COM_STMT_FETCH.
    Fetch,
    /// Any other command.
    Other,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 6] =
        [Kind::Connect, Kind::Query, Kind::Prepare, Kind::Execute, Kind::Fetch, Kind::Other];

    /// Its name in statistics.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Connect => "connect",
            Kind::Query => "query",
            Kind::Prepare => "prepare",
            Kind::Execute => "execute",
            Kind::Fetch => "fetch",
            Kind::Other => "other",
        }
    }

    /// The kind of a command with this code; `None` is connecting.
    #[inline]
    pub const fn of(command: Option<u8>) -> Kind {
        match command {
            Some(0x03) => Kind::Query,
            Some(0x17) => Kind::Execute,
            Some(0x16) => Kind::Prepare,
            Some(0x1C) => Kind::Fetch,
            Some(_) => Kind::Other,
            None => Kind::Connect,
        }
    }
}

/// Times, in nanoseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distribution {
    histogram: Histogram,
    sum_ns: u64,
    max_ns: u64,
}

impl Default for Distribution {
    fn default() -> Self {
        Distribution { histogram: Histogram::with_config(&CONFIG), sum_ns: 0, max_ns: 0 }
    }
}

/// What is usually asked of times; all of them in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// How many there are.
    pub count: u64,
    /// All of them together.
    pub sum_ns: u64,
    /// Half of them took no longer than this.
    pub p50_ns: u64,
    /// So did 95 of 100.
    pub p95_ns: u64,
    /// So did 99 of 100.
    pub p99_ns: u64,
    /// The longest, exactly.
    pub max_ns: u64,
}

impl Distribution {
    /// Adds one.
    #[inline]
    pub fn add(&mut self, ns: u64) {
        // It is never above the limit, so that there is no error.
        let _ = self.histogram.increment(ns.min(MAX_NS));
        self.sum_ns = self.sum_ns.wrapping_add(ns);
        self.max_ns = self.max_ns.max(ns);
    }

    /// Adds all of another one.
    pub fn add_all(&mut self, other: &Distribution) {
        let buckets = self.histogram.as_mut_slice().iter_mut();
        buckets
            .zip(other.histogram.as_slice())
            .for_each(|(sum, count)| *sum = sum.wrapping_add(*count));
        self.sum_ns = self.sum_ns.wrapping_add(other.sum_ns);
        self.max_ns = self.max_ns.max(other.max_ns);
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.histogram.as_slice().iter().fold(0, |sum, count| sum.wrapping_add(*count))
    }

    /// How many of them are certainly no longer than this: those whose whole bucket is.
    pub fn at_most(&self, ns: u64) -> u64 {
        let buckets = self.histogram.iter().take_while(|bucket| bucket.end() <= ns);
        buckets.fold(0, |sum, bucket| sum.wrapping_add(bucket.count()))
    }

    /// The buckets that have something in them: the longest time of each, and how many there are.
    pub fn buckets(&self) -> impl Iterator<Item = (u64, u64)> {
        let buckets = self.histogram.iter().filter(|bucket| bucket.count() > 0);
        buckets.map(|bucket| (bucket.end(), bucket.count()))
    }

    /// What is usually asked of them.
    pub fn summary(&self) -> Summary {
        let mut buckets = [const { None }; 3];
        // The quantiles are right, and there is room for them.
        let _ = self.histogram.quantile_buckets_into(&[0.5, 0.95, 0.99], &mut buckets);
        let [p50_ns, p95_ns, p99_ns] =
            buckets.map(|bucket| bucket.map_or(0, |bucket| bucket.end().min(self.max_ns)));
        let (sum_ns, max_ns) = (self.sum_ns, self.max_ns);
        Summary { count: self.count(), sum_ns, p50_ns, p95_ns, p99_ns, max_ns }
    }
}

/// The times of one kind of command.
#[derive(Clone, Debug, Default)]
struct Times {
    /// Of replies that came at once: the first bytes were the last ones.
    at_once: Distribution,
    /// Of the others, until their first bytes.
    first: Distribution,
    /// Of the others, until their last ones.
    last: Distribution,
}

/// How long replies took.
///
/// It takes 7.5 KiB for each kind of command that there was.
#[derive(Clone, Debug, Default)]
pub struct Latencies {
    times: [Option<Box<Times>>; Kind::ALL.len()],
}

impl Latencies {
    /// None yet.
    pub const fn new() -> Self {
        Latencies { times: [const { None }; Kind::ALL.len()] }
    }

    /// Counts a reply.
    #[inline]
    pub fn count(&mut self, reply: Reply) {
        panic_point("telemetry/latency");
        match self.times.get_mut(Kind::of(reply.command) as usize) {
            Some(Some(times)) if reply.first_byte_ns == reply.last_byte_ns => {
                times.at_once.add(reply.last_byte_ns);
            }
            _ => self.count_any(reply),
        }
    }

    /// Counts a reply that is the first of its kind, or that did not come at once. Apart from the usual ones, which it would cost registers.
    #[inline(never)]
    fn count_any(&mut self, reply: Reply) {
        // There is a place for each kind.
        let Some(times) = self.times.get_mut(Kind::of(reply.command) as usize) else { return };
        let times = times.get_or_insert_default();
        if reply.first_byte_ns == reply.last_byte_ns {
            times.at_once.add(reply.last_byte_ns);
        } else {
            times.first.add(reply.first_byte_ns);
            times.last.add(reply.last_byte_ns);
        }
    }

    /// Adds all of others.
    pub fn add(&mut self, other: &Latencies) {
        for (times, others) in self.times.iter_mut().zip(&other.times) {
            let Some(others) = others else { continue };
            let times = times.get_or_insert_default();
            times.at_once.add_all(&others.at_once);
            times.first.add_all(&others.first);
            times.last.add_all(&others.last);
        }
    }

    /// How long it took until the first bytes of replies were there; `None`: there were none.
    pub fn first_byte(&self, kind: Kind) -> Option<Distribution> {
        self.of(kind, |times| &times.first)
    }

    /// How long it took until the last bytes were there.
    pub fn last_byte(&self, kind: Kind) -> Option<Distribution> {
        self.of(kind, |times| &times.last)
    }

    fn of(&self, kind: Kind, which: impl Fn(&Times) -> &Distribution) -> Option<Distribution> {
        let times = self.times.get(kind as usize)?.as_ref()?;
        let mut all = times.at_once.clone();
        all.add_all(which(times));
        Some(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(command: Option<u8>, first_byte_ns: u64, last_byte_ns: u64) -> Reply {
        Reply { command, first_byte_ns, last_byte_ns }
    }

    #[test]
    fn quantiles_are_off_by_an_eighth_at_the_most() {
        let mut times = Distribution::default();
        (1..=1000).for_each(|time| times.add(time * 1000));
        let Summary { count, sum_ns, p50_ns, p95_ns, p99_ns, max_ns } = times.summary();
        assert_eq!((count, sum_ns, max_ns), (1000, 500_500_000, 1_000_000));
        for (measured, exact) in [(p50_ns, 500_000), (p95_ns, 950_000), (p99_ns, 990_000)] {
            assert!(measured >= exact && measured <= exact + exact / 8, "{measured} for {exact}");
        }
    }

    #[test]
    fn one_time_is_all_its_quantiles() {
        let mut times = Distribution::default();
        times.add(123_457);
        let summary = times.summary();
        assert_eq!((summary.p50_ns, summary.p99_ns, summary.max_ns), (123_457, 123_457, 123_457));
        assert_eq!(Distribution::default().summary(), Summary::default());
    }

    #[test]
    fn no_time_is_too_long() {
        let mut times = Distribution::default();
        times.add(u64::MAX / 2);
        assert_eq!(times.summary().count, 1);
        assert_eq!(times.at_most(u64::MAX), 1);
        assert_eq!(times.at_most(1_000_000_000), 0);
    }

    #[test]
    fn first_bytes_and_last_ones_are_told_apart_and_each_kind_is() {
        let mut latencies = Latencies::new();
        latencies.count(reply(Some(3), 10, 10));
        latencies.count(reply(Some(3), 20, 4000));
        latencies.count(reply(Some(0x0E), 7, 7));
        latencies.count(reply(None, 9, 9));
        let mut sum = latencies.clone();
        sum.add(&latencies);
        let max = |times: Option<Distribution>| times.map(|it| (it.count(), it.summary().max_ns));
        assert_eq!(max(sum.first_byte(Kind::Query)), Some((4, 20)));
        assert_eq!(max(sum.last_byte(Kind::Query)), Some((4, 4000)));
        assert_eq!(max(sum.last_byte(Kind::Other)), Some((2, 7)));
        assert_eq!(max(sum.first_byte(Kind::Connect)), Some((2, 9)));
        assert_eq!(max(sum.first_byte(Kind::Execute)), None);
    }

    #[test]
    fn what_is_at_most_so_long_is_known_by_whole_buckets() {
        let mut times = Distribution::default();
        [1, 5, 1000, 1_000_000].into_iter().for_each(|time| times.add(time));
        assert_eq!([0, 1, 5, 2000, u64::MAX].map(|ns| times.at_most(ns)), [0, 1, 2, 3, 4]);
        assert_eq!(times.buckets().map(|(_, count)| count).sum::<u64>(), 4);
    }
}
