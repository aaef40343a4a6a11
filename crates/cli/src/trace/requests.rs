//! Requests: how long they took, how much of that was waited, and what connecting cost; and, where no request has told its end, the time between waits.

use std::collections::HashMap;

use vaquita_telemetry::Distribution;
use vaquita_telemetry::trace::Line;

/// How many processes are followed at the same time.
const MAX_PROCESSES: usize = 1 << 16;

/// A process of which no request has ended yet.
#[derive(Debug, Default)]
struct Process {
    /// When its last wait ended; `None`: nothing is known of what was between that and the next one.
    last_us: Option<u64>,
    /// The time between its waits.
    between_us: u64,
    has_requests: bool,
}

/// What requests were like.
#[derive(Debug, Default)]
pub(super) struct Requests {
    /// How long each took.
    pub(super) times: Distribution,
    pub(super) waits: u64,
    pub(super) waits_us: u64,
    pub(super) connecting_us: u64,
    /// The rest of their time.
    client_us: u64,
    processes: HashMap<u32, Process>,
}

impl Requests {
    /// How many there were.
    pub(super) fn count(&self) -> u64 {
        self.times.count()
    }

    /// How long all of them took.
    pub(super) fn total_us(&self) -> u64 {
        self.times.summary().sum_ns / 1000
    }

    /// A request has ended.
    pub(super) fn add(&mut self, line: &Line<'_>) {
        self.times.add(line.us.saturating_mul(1000));
        let add = |sum: &mut u64, us: u64| *sum = sum.saturating_add(us);
        add(&mut self.waits, line.waits);
        add(&mut self.waits_us, line.waits_us);
        add(&mut self.connecting_us, line.connecting_us);
        add(&mut self.client_us, line.us.saturating_sub(line.waits_us));
        // Its client's time has been told.
        let known = Process { has_requests: true, ..Process::default() };
        *self.process(line.pid) = known;
    }

    /// Something was waited for.
    pub(super) fn wait(&mut self, line: &Line<'_>) {
        let process = self.process(line.pid);
        let began_us = line.at.0.saturating_sub(line.us);
        let between_us = process.last_us.map_or(0, |last| began_us.saturating_sub(last));
        process.between_us = process.between_us.saturating_add(between_us);
        process.last_us = Some(line.at.0);
    }

    /// What comes next was not kept together with what was before.
    pub(super) fn interrupt(&mut self, pid: u32) {
        self.process(pid).last_us = None;
    }

    fn process(&mut self, pid: u32) -> &mut Process {
        if self.processes.len() >= MAX_PROCESSES && !self.processes.contains_key(&pid) {
            self.forget();
        }
        self.processes.entry(pid).or_default()
    }

    /// Sums what is known of processes. Where requests end, what was behind the last one's end may be anything.
    fn forget(&mut self) {
        let unknown = self.processes.drain().map(|(_, process)| process);
        let between = unknown.filter(|it| !it.has_requests).map(|it| it.between_us);
        self.client_us = between.fold(self.client_us, u64::saturating_add);
    }

    /// How long clients waited for nothing; nothing more is added.
    pub(super) fn finish(&mut self) -> u64 {
        self.forget();
        self.client_us
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vaquita_telemetry::trace::Moment;

    fn wait(pid: u32, at: u64, us: u64) -> Line<'static> {
        Line { pid, at: Moment(at), us, ..Line::default() }
    }

    #[test]
    fn the_clients_time_is_what_a_request_did_not_wait() {
        let mut requests = Requests::default();
        requests.wait(&wait(1, 100, 10));
        requests.wait(&wait(1, 500, 10));
        requests.add(&Line {
            us: 1_000,
            waits: 2,
            waits_us: 20,
            connecting_us: 10,
            ..wait(1, 0, 0)
        });
        // Somebody's waits may overlap.
        requests.add(&Line { us: 10, waits: 2, waits_us: 20, ..wait(2, 0, 0) });
        assert_eq!((requests.count(), requests.total_us()), (2, 1_010));
        assert_eq!((requests.waits, requests.waits_us, requests.connecting_us), (4, 40, 10));
        assert_eq!(requests.finish(), 980);
    }

    #[test]
    fn where_no_request_ends_it_is_what_is_between_waits() {
        let mut requests = Requests::default();
        for line in [wait(1, 100, 10), wait(2, 100, 10), wait(1, 130, 10), wait(2, 105, 10)] {
            requests.wait(&line);
        }
        // What was kept at another time.
        requests.interrupt(1);
        requests.wait(&wait(1, 10_000, 10));
        requests.wait(&wait(1, 10_015, 10));
        // A process that has told of requests idles between them.
        requests.add(&wait(3, 0, 0));
        requests.wait(&wait(3, 100, 10));
        requests.wait(&wait(3, 100_000, 10));
        assert_eq!(requests.finish(), 20 + 5);
    }

    #[test]
    fn processes_take_bounded_memory() {
        let mut requests = Requests::default();
        for pid in 0..200_000 {
            requests.wait(&wait(pid, 100, 10));
            requests.wait(&wait(pid, 120, 10));
            assert!(requests.processes.len() <= MAX_PROCESSES);
        }
        assert_eq!(requests.finish(), 2_000_000);
    }
}
