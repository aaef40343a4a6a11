//! A thread that closes connections to ports while nobody uses them: the script that has opened them may be asleep.
//!
//! In a process that forks it is not the child's, and the child never touches what it shares with it: nothing but a channel and, for a
//! moment, the lock of a port.

use std::cell::RefCell;
use std::process;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Weak};
use std::time::Duration;

use vaquita_client::spawn_without_signals;

use crate::port::{MAX_IDLE, Port};

/// How long the thread waits for a port to look at before it ends.
const MAX_WAIT: Duration = Duration::from_secs(10);

thread_local! {
    /// The process that has started the thread, and how ports get there.
    static THREAD: RefCell<Option<(u32, Sender<Weak<Port>>)>> = const { RefCell::new(None) };
}

/// Has a port's connection, which was just opened, closed when nobody has used it for a while. Without a thread to be had it ends with the
/// request.
pub(crate) fn watch(port: &Arc<Port>) {
    THREAD.with_borrow_mut(|thread| {
        let process = process::id();
        if let Some((of, ports)) = thread {
            if *of == process && ports.send(Arc::downgrade(port)).is_ok() {
                return;
            }
            if *of != process {
                // The parent's thread may have been at it when this process came to be.
                std::mem::forget(thread.take());
            }
        }
        let (ports, opened) = channel();
        let sent = ports.send(Arc::downgrade(port)).is_ok();
        let is_started =
            sent && spawn_without_signals("kv idle", move || close_idle(&opened)).is_ok();
        *thread = is_started.then_some((process, ports));
    });
}

fn close_idle(opened: &Receiver<Weak<Port>>) {
    let mut ports: Vec<Weak<Port>> = Vec::new();
    loop {
        match opened.recv_timeout(if ports.is_empty() { MAX_WAIT } else { MAX_IDLE }) {
            Ok(port) => {
                ports.retain(|it| !it.ptr_eq(&port));
                ports.push(port);
            }
            Err(RecvTimeoutError::Timeout) if ports.is_empty() => return,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        ports.retain(|port| port.upgrade().is_some_and(|port| port.close_if_idle()));
    }
}
