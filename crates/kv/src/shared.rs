//! What all of a thread's connections to a server have in common.

use std::cell::RefCell;
use std::process;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use vaquita_client::Address;

use crate::knowledge::Knowledge;
use crate::port::Port;
use crate::settings::Settings;

/// How many servers are remembered.
const MAX_SERVERS: usize = 16;

thread_local! {
    static SERVERS: RefCell<Vec<Server>> = const { RefCell::new(Vec::new()) };
}

struct Server {
    /// The process that it is known to: after a fork the sockets are the parent's.
    process: u32,
    address: Address,
    settings: Settings,
    shared: Shared,
}

/// The port, and what is known of a server that is reached there, with these settings; and what is done to its tables, with whatever settings.
#[derive(Clone, Debug)]
pub(crate) struct Shared {
    pub(crate) port: Arc<Port>,
    pub(crate) knowledge: Rc<RefCell<Knowledge>>,
    pub(crate) changes: Arc<Changes>,
}

/// Own statements that may change a server's tables.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    /// How many have begun, and how many have ended.
    count: AtomicU64,
    running: AtomicU64,
}

impl Changes {
    /// One is about to be sent.
    pub(crate) fn begin(&self) {
        self.running.fetch_add(1, Relaxed);
        self.count.fetch_add(1, Relaxed);
    }

    /// It is done.
    pub(crate) fn end(&self) {
        self.running.fetch_sub(1, Relaxed);
        self.count.fetch_add(1, Relaxed);
    }

    /// A number that is another one when tables may be others.
    #[inline]
    pub(crate) fn count(&self) -> u64 {
        self.count.load(Relaxed)
    }

    /// Whether some were sent and are not done.
    pub(crate) fn are_running(&self) -> bool {
        self.running.load(Relaxed) > 0
    }
}

/// What a connection to a server shares with others.
pub(crate) fn of(address: &Address, settings: &Settings) -> Shared {
    let process = process::id();
    SERVERS.with_borrow_mut(|servers| {
        servers.retain(|it| it.process == process);
        let is_it = |it: &&Server| it.address == *address && it.settings == *settings;
        if let Some(known) = servers.iter().find(is_it) {
            return known.shared.clone();
        }
        let same = servers.iter().find(|it| it.address == *address);
        let changes = same.map(|it| Arc::clone(&it.shared.changes)).unwrap_or_default();
        if servers.len() == MAX_SERVERS {
            servers.remove(0);
        }
        let port = Arc::new(Port::new(settings.address.clone(), settings.max_stale));
        let shared = Shared { port, knowledge: Rc::default(), changes };
        let (address, settings) = (address.clone(), settings.clone());
        servers.push(Server { process, address, settings, shared: shared.clone() });
        shared
    })
}

/// Closes this thread's connections to ports: they would keep others from changing tables while nobody reads.
pub fn close_ports() {
    let process = process::id();
    SERVERS.with_borrow(|servers| {
        servers.iter().filter(|it| it.process == process).for_each(|it| it.shared.port.close());
    });
}
