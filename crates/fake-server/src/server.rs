//! A fake server in a thread of its own, for one client or for one after the other: what Rust tests use.

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

/// A server for one client, or for one after the other.
#[derive(Debug)]
pub struct FakeServer {
    listener: Arc<Listener>,
    thread: Option<JoinHandle<io::Result<Vec<Recording>>>>,
    _folder: Option<Folder>,
}

impl FakeServer {
    /// Plays a script to the first client that connects by TCP.
    ///
    /// # Errors
    /// The system's.
    pub fn tcp(script: impl Into<Arc<Script>>, delivery: Delivery) -> io::Result<Self> {
        Ok(FakeServer::start(Listener::tcp()?, None, vec![script.into()], delivery))
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
        Ok(FakeServer::start(Listener::tcp_on(ip)?, None, vec![script.into()], delivery))
    }

    /// Plays a script to the first client that connects by a unix socket in a folder of its own.
    ///
    /// # Errors
    /// The system's.
    pub fn unix(script: impl Into<Arc<Script>>, delivery: Delivery) -> io::Result<Self> {
        FakeServer::unix_in_turn([script.into()], delivery)
    }

    /// Plays each script to a client of its own, the next one when the one before has closed, by a unix socket in a folder of its own.
    ///
    /// # Errors
    /// The system's.
    pub fn unix_in_turn<S: Into<Arc<Script>>>(
        scripts: impl IntoIterator<Item = S>,
        delivery: Delivery,
    ) -> io::Result<Self> {
        let folder = Folder::new()?;
        let listener = Listener::unix(&folder.0.join("sock"))?;
        let scripts = scripts.into_iter().map(Into::into).collect();
        Ok(FakeServer::start(listener, Some(folder), scripts, delivery))
    }

    fn start(
        listener: Listener,
        folder: Option<Folder>,
        scripts: Vec<Arc<Script>>,
        delivery: Delivery,
    ) -> Self {
        let listener = Arc::new(listener);
        let own = Arc::clone(&listener);
        let thread = thread::spawn(move || {
            let serve =
                |script: &Arc<Script>| own.serve(script, delivery, Instant::now() + TIME_LIMIT);
            scripts.iter().map(serve).collect()
        });
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
    pub fn finish(self) -> io::Result<Recording> {
        self.finish_all()?.pop().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Waits until all clients have closed, and tells what each of them sent.
    ///
    /// # Errors
    /// There were fewer clients than scripts; the system's.
    pub fn finish_all(mut self) -> io::Result<Vec<Recording>> {
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
