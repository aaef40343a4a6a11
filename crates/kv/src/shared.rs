//! What all of a thread's connections to a server have in common.

use std::cell::RefCell;
use std::process;
use std::rc::Rc;
use std::sync::Arc;

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
    port: Arc<Port>,
    knowledge: Rc<RefCell<Knowledge>>,
}

/// The port, and what is known of a server that is reached there, with these settings.
pub(crate) fn of(address: &Address, settings: &Settings) -> (Arc<Port>, Rc<RefCell<Knowledge>>) {
    let process = process::id();
    SERVERS.with_borrow_mut(|servers| {
        servers.retain(|it| it.process == process);
        let is_it = |it: &&Server| it.address == *address && it.settings == *settings;
        if let Some(known) = servers.iter().find(is_it) {
            return (Arc::clone(&known.port), Rc::clone(&known.knowledge));
        }
        if servers.len() == MAX_SERVERS {
            servers.remove(0);
        }
        let port = Arc::new(Port::new(settings.address.clone(), settings.max_stale));
        let knowledge = Rc::new(RefCell::new(Knowledge::default()));
        let (address, settings) = (address.clone(), settings.clone());
        let server = Server { process, address, settings, port, knowledge };
        let shared = (Arc::clone(&server.port), Rc::clone(&server.knowledge));
        servers.push(server);
        shared
    })
}

/// Closes this thread's connections to ports: they would keep others from changing tables while nobody reads.
pub fn close_ports() {
    let process = process::id();
    SERVERS.with_borrow(|servers| {
        servers.iter().filter(|it| it.process == process).for_each(|it| it.port.close());
    });
}
