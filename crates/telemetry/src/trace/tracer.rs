//! The tracer of a thread: takes what the driver tells, and writes its lines, all of them or those around something slow.

use std::process;
use std::time::Duration;

use vaquita_client::panic_point;
use vaquita_client::{Ended, Event, Wait};

use super::armed::Armed;
use super::output::{Failure, Output};
use super::scribe::{RequestWaits, Scribe};

/// What is to be written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Whether statements are shown with their literals; those that may have passwords among them are not, even so.
    pub literals: bool,
    /// Nothing is written but what was kept of a statement, or of a request, that took as long as this; `None`: all is, at once.
    pub slow: Option<Duration>,
}

/// Writes a trace.
///
/// One thread has it. It never fails a query: what can't be written is lost, and [`Tracer::take_failure`] says so once. A child of fork() may go on with it.
#[derive(Debug)]
pub struct Tracer {
    scribe: Scribe,
    armed: Option<Armed>,
    request: Option<Request>,
}

#[derive(Debug)]
struct Request {
    /// Whose it is: a child that a script forks works for its parent's.
    pid: u32,
    began: Duration,
    waits: RequestWaits,
}

impl Tracer {
    /// A tracer that writes there.
    pub fn new(output: Output, options: Options) -> Tracer {
        Tracer {
            scribe: Scribe::new(output, options.literals),
            armed: options.slow.map(Armed::new),
            request: None,
        }
    }

    /// Something was waited for.
    pub fn waited(&mut self, wait: &Wait<'_>) {
        panic_point("telemetry/trace");
        if let Some(request) = &mut self.request {
            request.waits.add(wait);
        }
        match &mut self.armed {
            Some(armed) => armed.waited(wait, &mut self.scribe),
            None => {
                self.scribe.catch_up(wait.ended);
                self.scribe.wait(wait);
            }
        }
    }

    /// A connection is over.
    pub fn ended(&mut self, ended: &Ended) {
        match &mut self.armed {
            Some(armed) => armed.ended(ended, &mut self.scribe),
            None => self.scribe.end(ended),
        }
    }

    /// A request begins; `now` is what [`super::monotonic`] says.
    pub fn request_began(&mut self, now: Duration) {
        self.scribe.catch_up(now);
        if let Some(armed) = &mut self.armed {
            armed.request_began(&mut self.scribe);
        }
        let (pid, waits) = (process::id(), RequestWaits::default());
        self.request = Some(Request { pid, began: now, waits });
    }

    /// The request that has begun is over; it is told if anything was waited for in it, by the process that began it. Whatever the driver has still to tell of it should be told before.
    pub fn request_ended(&mut self, now: Duration) {
        let Some(Request { pid, began, waits }) = self.request.take() else { return };
        if pid != process::id() {
            if let Some(armed) = &mut self.armed {
                armed.child_ended(&mut self.scribe);
            }
            return;
        }
        let elapsed = now.saturating_sub(began);
        let tell = |scribe: &mut Scribe| scribe.request(now, elapsed, waits);
        match &mut self.armed {
            Some(armed) => {
                // One that has not asked a server for anything is none of ours.
                let elapsed = if waits.count > 0 { elapsed } else { Duration::ZERO };
                armed.request_ended(now, elapsed, &mut self.scribe, tell);
            }
            None if waits.count > 0 => tell(&mut self.scribe),
            None => {}
        }
    }

    /// Why lines are lost, if some were since it began to write; once: the first reason.
    pub fn take_failure(&mut self) -> Option<Failure> {
        self.scribe.take_failure()
    }
}

impl RequestWaits {
    fn add(&mut self, wait: &Wait<'_>) {
        self.count += 1;
        self.waited = self.waited.saturating_add(wait.elapsed);
        match wait.event {
            Event::Resolve | Event::Connect | Event::Tls | Event::Auth => {
                self.connecting = self.connecting.saturating_add(wait.elapsed);
            }
            Event::Write | Event::FirstByte | Event::MoreRows | Event::Elsewhere => {}
        }
    }
}

#[cfg(test)]
mod tests;
