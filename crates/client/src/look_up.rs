//! Looking up the addresses of a host, before a deadline.
//!
//! The system's resolver has limits of its own (resolv.conf), and nothing ends a getaddrinfo that has begun. So where there is a deadline it
//! runs in a thread, which is left behind when the time is up. That is sound in PHP because
//!
//! - the extension is never unloaded (`-z nodelete`), so the thread's code stays; what the thread owns goes with its end;
//! - the thread takes no signal: handlers of PHP's would run in it;
//! - where an answer comes in time the thread has ended by then, so that a process that forks has one thread, as ever. A fork while
//!   the resolver still hangs is as in any program with threads: glibc puts its own locks in order, a plugin of the resolver may not.
//!
//! Addresses, and connections without a deadline, need no thread.

use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Instant;

use nix::sys::signal::{SigSet, SigmaskHow};

use crate::transport::time_until;

/// How many threads there may be at once; only a resolver that hangs brings so many about. Further lookups take as long as the resolver
/// likes, as without a deadline.
const MAX_THREADS: usize = 64;

/// How many threads there are.
static THREADS: AtomicUsize = AtomicUsize::new(0);

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
    let left = time_until(deadline).map_err(|_| late())?;
    let (sender, receiver) = sync_channel(1);
    let in_thread = work.clone();
    let Some(thread) = start(move || {
        // Nobody may be waiting any more.
        let _ = sender.send(in_thread());
    }) else {
        return work();
    };
    match receiver.recv_timeout(left) {
        Ok(done) => {
            let _ = thread.join();
            done
        }
        Err(RecvTimeoutError::Timeout) => Err(late()),
        Err(RecvTimeoutError::Disconnected) => Err(io::Error::other("the resolver has failed")),
    }
}

/// Starts a thread that takes no signals; `None`: there can't be one more.
fn start(work: impl FnOnce() + Send + 'static) -> Option<thread::JoinHandle<()>> {
    let place = Place::take()?;
    // A thread begins with its maker's mask.
    let mask = SigSet::all().thread_swap_mask(SigmaskHow::SIG_SETMASK).ok()?;
    let started = thread::Builder::new().name("look up".to_owned()).spawn(move || {
        work();
        drop(place);
    });
    let restored = mask.thread_set_mask();
    debug_assert!(restored.is_ok(), "a mask that was one is none: {restored:?}");
    started.ok()
}

/// One of the threads that there may be.
struct Place;

impl Place {
    fn take() -> Option<Place> {
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
    use nix::sys::signal::Signal;
    use std::sync::mpsc::channel;
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    const PATIENCE: Duration = Duration::from_secs(20);

    /// One test takes all the threads that there may be.
    static ALONE: Mutex<()> = Mutex::new(());

    #[test]
    fn names_and_addresses_are_found() {
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
            let _ = held.lock().map(|held| held.recv());
            Ok(())
        };
        let begun = Instant::now();
        for _ in 0..MAX_THREADS {
            let error = before(Instant::now() + Duration::from_millis(2), hang.clone());
            assert_eq!(error.unwrap_err().kind(), io::ErrorKind::TimedOut);
        }
        assert!(start(|| ()).is_none(), "there are as many as may be");
        let caller = thread::current().id();
        let who = before(begun + PATIENCE, move || Ok(thread::current().id())).unwrap();
        assert_eq!(who, caller);
        assert!(begun.elapsed() < PATIENCE / 2);
        drop(hold);
        while THREADS.load(Ordering::Relaxed) > 0 {
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
    fn what_panics_is_an_error() {
        let _alone = ALONE.lock();
        let failed = before::<()>(Instant::now() + PATIENCE, || panic!("on purpose"));
        assert!(failed.unwrap_err().to_string().contains("has failed"));
    }
}
