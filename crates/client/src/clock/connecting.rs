//! The steps by which a connection is made, timed for whoever observes it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::{Clock, now_ns};
use crate::waits::{Event, Observed, Observer, Reply, Wait};

/// How many connections were begun in this process.
static CONNECTIONS: AtomicU64 = AtomicU64::new(0);

/// How far connecting has come.
#[derive(Debug)]
pub(crate) struct Connecting {
    observer: Option<&'static dyn Observer>,
    number: u64,
    begun: u64,
    /// When the step under way began.
    step_begun: u64,
    step: Event,
    /// How long other steps took in the midst of it.
    others: u64,
}

impl Connecting {
    pub(crate) fn new(observer: Option<&'static dyn Observer>) -> Self {
        let begun = observer.map_or(0, |_| now_ns());
        let number = CONNECTIONS.fetch_add(1, Ordering::Relaxed) + 1;
        Connecting { observer, number, begun, step_begun: begun, step: Event::Resolve, others: 0 }
    }

    /// The step under way is over, if there was one to take, and this one begins.
    pub(crate) fn goes_on(&mut self, was_taken: bool, next: Event) {
        let Some(observer) = self.observer else { return };
        let now = now_ns();
        if was_taken {
            self.tell(observer, 0, 0, now, false);
        }
        (self.step_begun, self.step, self.others) = (now, next, 0);
    }

    /// Takes TLS as a step in the midst of the log-in.
    pub(crate) fn in_tls<R, E>(&mut self, tls: impl FnOnce() -> Result<R, E>) -> Result<R, E> {
        let Some(observer) = self.observer else { return tls() };
        let (outer, outer_begun) = (self.step, self.step_begun);
        (self.step, self.step_begun) = (Event::Tls, now_ns());
        // If it fails, this is the step under way.
        let done = tls()?;
        let now = now_ns();
        self.tell(observer, 0, 0, now, false);
        self.others += now.wrapping_sub(self.step_begun);
        (self.step, self.step_begun) = (outer, outer_begun);
        Ok(done)
    }

    /// The connection has been made: its clock goes on.
    pub(crate) fn done(self, clock: &mut Clock, thread_id: u32, bytes: u64) {
        clock.set_number(self.number);
        let Some(observer) = self.observer else { return };
        let now = now_ns();
        self.tell(observer, thread_id, bytes, now, false);
        let took = now.wrapping_sub(self.begun);
        observer.replied(Reply { command: None, first_byte_ns: took, last_byte_ns: took });
        clock.set_observer(Some(observer), thread_id);
    }

    /// There will be no connection.
    pub(crate) fn failed(self) {
        if let Some(observer) = self.observer {
            self.tell(observer, 0, 0, now_ns(), true);
        }
    }

    fn tell(
        &self,
        observer: &'static dyn Observer,
        thread_id: u32,
        bytes: u64,
        now: u64,
        has_failed: bool,
    ) {
        if !observer.wants_waits() {
            return;
        }
        let elapsed = now.wrapping_sub(self.step_begun).saturating_sub(self.others);
        observer.waited(&Wait {
            connection: Observed { number: self.number, thread_id },
            event: self.step,
            elapsed: Duration::from_nanos(elapsed),
            ended: Duration::from_nanos(now),
            bytes,
            packets: 0,
            command: None,
            statement: None,
            dialect: None,
            has_failed,
        });
    }
}
