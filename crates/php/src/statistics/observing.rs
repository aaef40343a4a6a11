//! Who is told how long the driver waits: this thread's latencies.

use core::cell::RefCell;
use vaquita_client::{Ended, Observer, Reply, Wait};
use vaquita_telemetry::Latencies;

thread_local! {
    static LATENCIES: RefCell<Latencies> = const { RefCell::new(Latencies::new()) };
}

/// Whoever is told of the connections to come; `None`: statistics are not collected.
pub(crate) fn observer() -> Option<&'static dyn Observer> {
    super::is_collecting().then_some(&Counting)
}

/// Looks at how long this thread's replies took.
pub(crate) fn with_latencies<R>(look: impl FnOnce(&Latencies) -> R) -> R {
    LATENCIES.with_borrow(look)
}

/// Counts replies.
#[derive(Debug)]
struct Counting;

impl Observer for Counting {
    fn wants_waits(&self) -> bool {
        false
    }

    fn replied(&self, reply: Reply) {
        LATENCIES.with_borrow_mut(|latencies| latencies.count(reply));
    }

    fn waited(&self, _: &Wait<'_>) {}

    fn ended(&self, _: &Ended) {}
}
