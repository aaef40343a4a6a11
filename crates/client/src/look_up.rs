//! Looking up the addresses of a host, before a deadline.
//!
//! The system's resolver has limits of its own (resolv.conf), and nothing ends a getaddrinfo that has begun. So where there is a deadline it
//! runs in a thread, which is left behind when the time is up; otherwise it waits a while for the next name, because to make a thread takes
//! longer than most lookups (45 us against 16, of which 7 are the lookup of a name in /etc/hosts). That is sound in PHP because
//!
//! - the extension is never unloaded (`-z nodelete`), so the thread's code stays; what the thread owns goes with its end;
//! - the thread takes no signal: handlers of PHP's would run in it;
//! - in a process that forks, a thread that waits holds nothing, and the child never touches what it shares with it. A fork while the
//!   resolver hangs is as in any program with threads: glibc puts its own locks in order, a plugin of the resolver may not.
//!
//! Addresses, and connections without a deadline, need no thread.

use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel, sync_channel};
use std::time::{Duration, Instant};
use std::{mem, process};

use crate::background::spawn_without_signals;
use crate::timed_wire::time_until;

/// How many threads there may be at once; only a resolver that hangs brings so many about. Further lookups take as long as the resolver
/// likes, as without a deadline.
const MAX_THREADS: usize = 64;

/// How long a thread waits for the next name.
const IDLE_TIME: Duration = Duration::from_secs(10);

/// How many threads there are in the process of this id: a child that was forked begins with none.
static THREADS: AtomicUsize = AtomicUsize::new(0);
static THREADS_OF: AtomicU32 = AtomicU32::new(0);

/// The addresses of a host, which is a name or an address.
///
/// # Errors
/// There are none, or they are not known before the deadline.
pub(crate) fn look_up(
    host: &str,
    port: u16,
    deadline: Option<Instant>,
) -> io::Result<Vec<SocketAddr>> {
    if let Ok(address) = host.parse::<IpAddr>() {
        return Ok(vec![SocketAddr::new(address, port)]);
    }
    let name = host.to_owned();
    let resolve = move || (&*name, port).to_socket_addrs().map(Vec::from_iter);
    let resolved = match deadline {
        Some(deadline) => before(deadline, resolve),
        None => resolve(),
    };
    resolved.map_err(|error| {
        let text = error.to_string();
        let reason = text.rsplit(": ").next().unwrap_or_default();
        io::Error::new(error.kind(), format!("getaddrinfo for {host} failed: {reason}"))
    })
}

/// Does what may hang, in a thread if there can be one.
///
/// # Errors
/// What comes of it; `TimedOut` if nothing comes before the deadline.
fn before<T: Send + 'static>(
    deadline: Instant,
    work: impl Fn() -> io::Result<T> + Clone + Send + 'static,
) -> io::Result<T> {
    let late = || io::Error::new(io::ErrorKind::TimedOut, "no answer within the connect timeout");
    let mut kept = Resolver::idle();
    loop {
        let left = time_until(deadline).map_err(|_| late())?;
        let was_kept = kept.is_some();
        let Some(resolver) = kept.take().or_else(Resolver::start) else { return work() };
        let (sender, receiver) = sync_channel(1);
        let in_thread = work.clone();
        let asked = resolver.questions.send(Box::new(move || {
            // Nobody may be waiting any more.
            let _ = sender.send(in_thread());
        }));
        match asked.map_or(Err(RecvTimeoutError::Disconnected), |()| receiver.recv_timeout(left)) {
            Ok(done) => {
                resolver.rest();
                return done;
            }
            Err(RecvTimeoutError::Timeout) => return Err(late()),
            // It had waited for so long that it went: another one is asked.
            Err(RecvTimeoutError::Disconnected) if was_kept => {}
            Err(RecvTimeoutError::Disconnected) => return work(),
        }
    }
}

/// What a resolver is to do.
type Question = Box<dyn FnOnce() + Send>;

/// A thread that answers one question after the other, and ends when there is nobody to ask the next one.
struct Resolver {
    /// The process that has the thread; a child of it has not.
    process: u32,
    questions: Sender<Question>,
}

/// The one that waits for the next name.
static IDLE: Mutex<Option<Resolver>> = Mutex::new(None);

impl Resolver {
    /// The one that waits, if there is one. In a child that was forked the lock may be held by nobody.
    fn idle() -> Option<Resolver> {
        let resolver = IDLE.try_lock().ok()?.take()?;
        if resolver.process == process::id() {
            return Some(resolver);
        }
        mem::forget(resolver);
        None
    }

    /// Starts a thread that takes no signals; `None`: there can't be one more.
    fn start() -> Option<Resolver> {
        let place = Place::take()?;
        let (sender, receiver) = channel::<Question>();
        let started = spawn_without_signals("look up", move || {
            while let Ok(question) = receiver.recv_timeout(IDLE_TIME) {
                question();
            }
            drop(place);
        });
        started.ok().map(|()| Resolver { process: process::id(), questions: sender })
    }

    /// Keeps it for the next name, unless another one is kept: then it ends.
    fn rest(self) {
        if let Ok(mut idle) = IDLE.try_lock() {
            idle.get_or_insert(self);
        }
    }
}

/// One of the threads that there may be.
struct Place;

impl Place {
    fn take() -> Option<Place> {
        let process = process::id();
        if THREADS_OF.swap(process, Ordering::Relaxed) != process {
            THREADS.store(0, Ordering::Relaxed);
        }
        let one_more = |threads| (threads < MAX_THREADS).then_some(threads + 1);
        THREADS.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more).ok().map(|_| Place)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        THREADS.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nix::sys::signal::SigSet;
    use nix::sys::signal::Signal;
    use std::sync::Arc;
    use std::thread;

    const PATIENCE: Duration = Duration::from_secs(20);

    /// One test takes all the threads that there may be.
    static ALONE: Mutex<()> = Mutex::new(());

    #[test]
    fn names_and_addresses_are_found() {
        let _alone = ALONE.lock();
        for deadline in [None, Some(Instant::now() + PATIENCE)] {
            for (host, expected) in
                [("localhost", "127.0.0.1:7"), ("127.0.0.1", "127.0.0.1:7"), ("::1", "[::1]:7")]
            {
                let found = look_up(host, 7, deadline).unwrap();
                assert!(found.contains(&expected.parse().unwrap()), "{host}: {found:?}");
            }
            let error = look_up("name.invalid", 7, deadline).unwrap_err().to_string();
            assert!(error.starts_with("getaddrinfo for name.invalid failed: "), "{error}");
            assert!(!error.contains("failed to lookup"), "{error}");
        }
    }

    #[test]
    fn only_names_take_time() {
        let _alone = ALONE.lock();
        let no_time = Some(Instant::now());
        let error = look_up("localhost", 7, no_time).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut, "{error}");
        assert_eq!(look_up("127.0.0.1", 7, no_time).unwrap().len(), 1);
    }

    /// One that hangs is left behind, and however many hang, the next one is answered.
    #[test]
    fn a_resolver_that_hangs_takes_no_longer_than_the_deadline() {
        let _alone = ALONE.lock();
        let (hold, held) = channel::<()>();
        let held = Arc::new(Mutex::new(held));
        let hang = move || {
            let _ = held.lock().map(|held| held.recv_timeout(PATIENCE));
            Ok(())
        };
        let begun = Instant::now();
        while Resolver::idle().or_else(Resolver::start).map(Resolver::rest).is_some() {
            let error = before(Instant::now() + Duration::from_millis(2), hang.clone());
            assert_eq!(error.unwrap_err().kind(), io::ErrorKind::TimedOut);
        }
        assert_eq!(THREADS.load(Ordering::Relaxed), MAX_THREADS);
        let caller = thread::current().id();
        let who = before(begun + PATIENCE, move || Ok(thread::current().id())).unwrap();
        assert_eq!(who, caller);
        assert!(begun.elapsed() < PATIENCE / 2);
        drop(hold);
        while THREADS.load(Ordering::Relaxed) > 1 {
            thread::yield_now();
            assert!(begun.elapsed() < PATIENCE, "threads that are over count");
        }
    }

    #[test]
    fn the_thread_takes_no_signals_and_its_maker_those_of_before() {
        let _alone = ALONE.lock();
        let mut some = SigSet::empty();
        some.add(Signal::SIGUSR2);
        some.thread_block().unwrap();
        let inside = before(Instant::now() + PATIENCE, || Ok(SigSet::thread_get_mask()?)).unwrap();
        for signal in [Signal::SIGALRM, Signal::SIGPROF, Signal::SIGTERM, Signal::SIGUSR2] {
            assert!(inside.contains(signal), "{signal}");
        }
        let outside = SigSet::thread_get_mask().unwrap();
        assert!(outside.contains(Signal::SIGUSR2) && !outside.contains(Signal::SIGALRM));
    }

    #[test]
    fn a_thread_that_has_answered_is_asked_again_by_who_has_it() {
        let _alone = ALONE.lock();
        let who = || before(Instant::now() + PATIENCE, || Ok(thread::current().id())).unwrap();
        let resolver = who();
        assert_eq!(who(), resolver);
        // As a child has it that was forked.
        let mut idle = IDLE.lock().unwrap();
        idle.as_mut().unwrap().process += 1;
        drop(idle);
        let another = who();
        assert_ne!(another, resolver);
        // One that has gone answers nothing: it takes another thread, not the caller's time.
        let (questions, _) = channel();
        *IDLE.lock().unwrap() = Some(Resolver { process: process::id(), questions });
        let next = who();
        assert!(next != thread::current().id() && next != another);
        assert_eq!(who(), next);
    }

    #[test]
    fn a_child_begins_with_no_threads() {
        let _alone = ALONE.lock();
        drop(Place::take());
        let threads = THREADS.fetch_add(MAX_THREADS, Ordering::Relaxed);
        assert!(Place::take().is_none());
        THREADS_OF.store(process::id() + 1, Ordering::Relaxed);
        assert!(Place::take().is_some());
        THREADS.store(threads, Ordering::Relaxed);
    }
}
