//! Who is told how long the driver waits: a thread's latencies, and its trace.

pub(crate) mod publishing;
pub(crate) mod tracing;

use crate::zend::guarded::Guarded;
use core::cell::RefCell;
use tracing::Tracing;
use vaquita_client::{Ended, Observer, Reply, SlowReply, Wait};
use vaquita_telemetry::{Latencies, Shape, Slowest};

thread_local! {
    static LATENCIES: RefCell<Latencies> = const { RefCell::new(Latencies::new()) };
    /// They are read into PHP's arrays from where they are.
    static SLOWEST: Guarded<Slowest> = const { Guarded::new(Slowest::new()) };
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

/// Looks at this thread's slowest statements, the slowest first; Zend calls that allocate are welcome inside, such that run user code are not.
pub(crate) fn peek_slowest(look: impl FnOnce(&[Shape])) {
    SLOWEST.with(|slowest| {
        let _ = slowest.with(Slowest::sort);
        let _ = slowest.peek(|slowest| look(slowest.shapes()));
    });
}

fn count_slow(slow: &SlowReply<'_>) {
    let _ = SLOWEST.try_with(|slowest| slowest.with(|slowest| slowest.count(slow)));
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

    fn replied_slowly(&self, slow: SlowReply<'_>) {
        count_slow(&slow);
    }

    fn waited(&self, _: &Wait<'_>) {}

    fn ended(&self, _: &Ended) {}
}
