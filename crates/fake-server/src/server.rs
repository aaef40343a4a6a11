//! A fake server for one client, in a thread of its own: what Rust tests use.

use std::fs;
use std::io;
use std::net::IpAddr;
use std::path::PathBuf;
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::delivery::Delivery;
use crate::listener::{Address, Listener};
use crate::recording::Recording;
use crate::script::Script;

/// When a server of a test ends whatever happens; far more than any script takes.
const TIME_LIMIT: Duration = Duration::from_secs(30);

/// A server for one client.
#[derive(Debug)]
pub struct FakeServer {
    listener: Arc<Listener>,
    thread: Option<JoinHandle<io::Result<Recording>>>,
    _folder: Option<Folder>,
}

impl FakeServer {
    /// Plays a script to the first client that connects by TCP.
    ///
    /// # Errors
    /// The system's.
    pub fn tcp(script: impl Into<Arc<Script>>, delivery: Delivery) -> io::Result<Self> {
        Ok(FakeServer::start(Listener::tcp()?, None, script.into(), delivery))
    }

    /// Plays a script to the first client that connects by TCP to this address of the machine.
    ///
    /// # Errors
    /// The system's; the machine may have no such address.
    pub fn tcp_on(
        ip: IpAddr,
        script: impl Into<Arc<Script>>,
        delivery: Delivery,
    ) -> io::Result<Self> {
        Ok(FakeServer::start(Listener::tcp_on(ip)?, None, script.into(), delivery))
    }

    /// Plays a script to the first client that connects by a unix socket in a folder of its own.
    ///
    /// # Errors
    /// The system's.
    pub fn unix(script: impl Into<Arc<Script>>, delivery: Delivery) -> io::Result<Self> {
        let folder = Folder::new()?;
        let listener = Listener::unix(&folder.0.join("sock"))?;
        Ok(FakeServer::start(listener, Some(folder), script.into(), delivery))
    }

    fn start(
        listener: Listener,
        folder: Option<Folder>,
        script: Arc<Script>,
        delivery: Delivery,
    ) -> Self {
        let listener = Arc::new(listener);
        let own = Arc::clone(&listener);
        let thread =
            thread::spawn(move || own.serve(&script, delivery, Instant::now() + TIME_LIMIT));
        FakeServer { listener, thread: Some(thread), _folder: folder }
    }

    /// Where the client finds the server.
    pub fn address(&self) -> &Address {
        self.listener.address()
    }

    /// Waits until the client has closed, and tells what it sent.
    ///
    /// # Errors
    /// No client came; the system's.
    pub fn finish(mut self) -> io::Result<Recording> {
        let thread = self.thread.take().ok_or(io::ErrorKind::NotFound)?;
        thread.join().map_err(|_| io::Error::other("the fake server panicked"))?
    }
}

impl Drop for FakeServer {
    fn drop(&mut self) {
        self.listener.stop();
    }
}

/// A folder of our own, removed with what is in it.
#[derive(Debug)]
struct Folder(PathBuf);

impl Folder {
    fn new() -> io::Result<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let name = format!("vaquita-fake-server-{}-{number}", process::id());
            let path = std::env::temp_dir().join(name);
            match fs::create_dir(&path) {
                Ok(()) => return Ok(Folder(path)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
