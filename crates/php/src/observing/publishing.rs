//! The figures of all processes of one user together, where php.ini wants that: each publishes its own when a request of its ends.

use crate::session::options::path_of;
use crate::zend::error::plain_warning;
use crate::zend::ini;
use crate::zend::string::Str;
use core::cell::RefCell;
use std::io;
use std::process;
use vaquita_client::Area;
use vaquita_telemetry::metrics::Page;

/// What the area's name ends with. Before that is which figures these are, for another version may have as many others.
const NAME: &str = "metrics";

thread_local! {
    static PUBLISHER: RefCell<Option<Publisher>> = const { RefCell::new(None) };
    /// Why nothing is published, until that was told.
    static FAILURE: RefCell<Option<io::Error>> = const { RefCell::new(None) };
}

/// Publishes a process's figures.
struct Publisher {
    area: Area,
    /// The process; a child that a script forks counts on from its parent's figures, and publishes none.
    process: u32,
    /// What it had counted before: nothing, or its parent.
    before: Vec<u64>,
}

/// A request begins: the area is opened if the process has none yet.
pub(crate) fn begin_request(page: fn() -> Page) {
    if !ini::flag(c"vaquita.metrics_shared") {
        return;
    }
    let is_open = PUBLISHER.with_borrow(|publisher| {
        publisher.as_ref().is_some_and(|it| it.process == process::id() && it.area.is_current())
    });
    if is_open {
        return;
    }
    let folder = ini::string(c"vaquita.run_dir").unwrap_or_default();
    let folder = (!folder.is_empty()).then(|| path_of(folder));
    let page = page();
    let gauges = page.series().iter().filter(|series| series.is_gauge()).count();
    let name = format!("{:016x}-{NAME}", page.digest());
    let opened = Area::open(folder.as_deref(), &name, page.values().len() - gauges, gauges);
    match opened {
        Ok(area) => PUBLISHER.set(Some(Publisher {
            area,
            process: process::id(),
            before: page.values().to_vec(),
        })),
        Err(error) => {
            PUBLISHER.set(None);
            FAILURE.set(Some(error));
        }
    }
}

/// The request is over: what it has counted is published.
pub(crate) fn end_request(page: fn() -> Page) {
    PUBLISHER.with_borrow_mut(|publisher| {
        if let Some(publisher) = publisher {
            publisher.publish(&page());
        }
    });
}

/// Gives a page the sums of all processes' figures, this one's of now among them; false: they are not shared, or there is no place for its own.
pub(crate) fn sum_up(page: &mut Page) -> bool {
    PUBLISHER.with_borrow_mut(|publisher| {
        let Some(publisher) = publisher.as_mut() else { return false };
        if !publisher.publish(page) {
            return false;
        }
        let sum = publisher.area.sum();
        let (mut counters, mut gauges) = (sum.counters.into_iter(), sum.gauges.into_iter());
        let values: Vec<u64> = page
            .series()
            .iter()
            .map(|it| if it.is_gauge() { gauges.next() } else { counters.next() })
            .map(Option::unwrap_or_default)
            .collect();
        page.set_values(&values);
        true
    })
}

/// Says by a warning why nothing is published, once: **user code may run**.
pub(crate) fn warn_of_failure() {
    let failure = FAILURE.take().map(|error| Str::new(error.to_string().as_bytes()));
    if let Some(failure) = failure {
        plain_warning(&[
            b"vaquita.metrics_shared: the figures stay this process's own: ",
            failure.bytes(),
        ]);
        failure.release();
    }
}

impl Publisher {
    /// Publishes the process's figures; false: there is no place for them.
    fn publish(&mut self, page: &Page) -> bool {
        if self.process != process::id() {
            return true;
        }
        let (mut counters, mut gauges) = (Vec::new(), Vec::new());
        for ((series, value), before) in page.series().iter().zip(page.values()).zip(&self.before) {
            if series.is_gauge() {
                gauges.push(*value);
            } else {
                counters.push(value.saturating_sub(*before));
            }
        }
        self.area.publish(&counters, &gauges).unwrap_or_else(|error| {
            FAILURE.set(Some(error));
            false
        })
    }
}
