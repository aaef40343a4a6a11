//! Who is told how long the driver waits: a thread's latencies, and its trace.

pub(crate) mod publishing;
pub(crate) mod tracing;

use core::cell::RefCell;
use tracing::Tracing;
use vaquita_client::{Ended, Observer, Reply, Wait};
use vaquita_telemetry::Latencies;

thread_local! {
    static LATENCIES: RefCell<Latencies> = const { RefCell::new(Latencies::new()) };
}

/// Whoever is told of the connections to come; `None`: there is no trace, and statistics are not collected.
pub(crate) fn observer() -> Option<&'static dyn Observer> {
    if tracing::is_on() {
        return Some(&Tracing);
    }
    crate::statistics::is_collecting().then_some(&Counting)
}

/// Looks at how long this thread's replies took.
pub(crate) fn with_latencies<R>(look: impl FnOnce(&Latencies) -> R) -> R {
    LATENCIES.with_borrow(look)
}

fn count(reply: Reply) {
    // Where the thread ends, nobody will ask.
    let _ = LATENCIES.try_with(|latencies| latencies.borrow_mut().count(reply));
}

/// Counts replies.
#[derive(Debug)]
struct Counting;

impl Observer for Counting {
    fn wants_waits(&self) -> bool {
        false
    }

    fn replied(&self, reply: Reply) {
        count(reply);
    }

    fn waited(&self, _: &Wait<'_>) {}

    fn ended(&self, _: &Ended) {}
}
