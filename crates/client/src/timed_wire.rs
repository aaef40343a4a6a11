//! What bytes go through, and until when: timeouts, the deadline of connecting, the limit of a query.

use std::io::{self, IoSlice};
use std::time::{Duration, Instant};

use crate::error::Error;
use crate::watch::Watch;
use crate::wire::Wire;
use crate::write_queue::WriteQueue;

/// What is open, and until when.
///
/// Timeouts are SO_RCVTIMEO and SO_SNDTIMEO, so that a read is one system call; a timeout comes back as `TimedOut`.
#[derive(Debug)]
pub(crate) struct TimedWire {
    /// `None` once it was closed. Closing is letting go: a forked parent or child that has the socket too keeps it.
    pub(crate) wire: Option<Wire>,
    /// While connecting: when all of it must be done. Then each read and write may take only the time that is left.
    pub(crate) deadline: Option<Instant>,
    /// The limit of queries, if there is one; how long a read or a write may take besides.
    pub(crate) watch: Option<Box<Watch>>,
    read_timeout: Option<Duration>,
    write_timeout: Option<Duration>,
    /// Whether reads and writes wait; else they say `WouldBlock` where they would.
    pub(crate) waits: bool,
    /// Where what is written goes while nobody waits for that.
    pub(crate) queue: Option<Box<WriteQueue>>,
    /// The system calls that read and that wrote.
    pub(crate) reads: u64,
    pub(crate) writes: u64,
}

impl TimedWire {
    /// What is open, to be finished with until then; each read and write waits as long as it takes otherwise.
    pub(crate) fn new(wire: Wire, deadline: Option<Instant>) -> Self {
        TimedWire {
            wire: Some(wire),
            deadline,
            watch: None,
            read_timeout: None,
            write_timeout: None,
            waits: true,
            queue: None,
            reads: 0,
            writes: 0,
        }
    }

    /// From now on each read and each write has this time.
    pub(crate) fn set_timeouts(
        &mut self,
        read_timeout: Option<Duration>,
        write_timeout: Option<Duration>,
    ) -> io::Result<()> {
        self.read_timeout = read_timeout;
        self.write_timeout = write_timeout;
        let wire = self.wire()?;
        wire.set_read_timeout(read_timeout)?;
        wire.set_write_timeout(write_timeout)
    }

    /// Lets reads have their usual time again.
    pub(crate) fn reset_read_timeout(&mut self) -> io::Result<()> {
        let read_timeout = self.read_timeout;
        self.wire()?.set_read_timeout(read_timeout)
    }

    /// Reads at least one byte.
    #[inline]
    pub(crate) fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if !self.waits {
            return self.read_at_once(buffer);
        }
        if self.queue.as_ref().is_some_and(|queue| !queue.is_empty()) {
            return self.read_while_writing(buffer);
        }
        if let Some(left) = self.watch.as_ref().and_then(|watch| watch.time_left()) {
            return self.read_watched(buffer, left);
        }
        loop {
            let left = self.time_left()?;
            self.reads += 1;
            let wire = self.wire()?;
            if left.is_some() {
                wire.set_read_timeout(left)?;
            }
            match wire.read(buffer) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(length) => return Ok(length),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {
                    if left.is_none() {
                        return self.read_interrupted(buffer);
                    }
                }
                Err(error) => return Err(name_timeout(error)),
            }
        }
    }

    /// Reads what is there.
    #[cold]
    fn read_at_once(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reads += 1;
        match self.wire()?.read_at_once(buffer)? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            length => Ok(length),
        }
    }

    /// Reads at least one byte after a signal came: the kernel would begin to count anew at each.
    #[cold]
    fn read_interrupted(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let (usual, deadline) = (self.read_timeout, deadline_of(self.read_timeout));
        let read = loop {
            self.reads += 1;
            let wire = self.wire()?;
            if let Some(deadline) = deadline {
                wire.set_read_timeout(Some(time_until(deadline)?))?;
            }
            match wire.read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read,
            }
        };
        self.wire()?.set_read_timeout(usual)?;
        match read {
            Ok(0) => Err(io::ErrorKind::UnexpectedEof.into()),
            read => read.map_err(name_timeout),
        }
    }

    /// Reads at least one byte while a query's time runs; when that is up, the query is stopped, and its end is waited for.
    ///
    /// This stands below TLS and whatever else packets go through, so that nothing above has to go on in mid-packet.
    #[cold]
    fn read_watched(&mut self, buffer: &mut [u8], mut left: Duration) -> io::Result<usize> {
        loop {
            let begun = Instant::now();
            let time = self.read_timeout.map_or(left, |limit| limit.min(left));
            self.reads += 1;
            let wire = self.wire()?;
            wire.set_read_timeout(Some(time))?;
            let read = wire.read(buffer).map_err(name_timeout);
            let Some(watch) = &mut self.watch else { return read };
            watch.spend(begun.elapsed());
            match read {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(length) => {
                    watch.was_read()?;
                    return Ok(length);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::TimedOut => {
                    let wire = self.wire.as_ref();
                    watch.timed_out(&|| wire.is_some_and(Wire::is_readable))?;
                }
                Err(error) => return Err(error),
            }
            left = watch.time_left().ok_or_else(timed_out)?;
        }
    }

    /// Reads at least one byte, and writes meanwhile what waits for that: a server that has said much reads no more before that was
    /// taken. The time of a read begins anew whenever the server has taken something.
    #[cold]
    fn read_while_writing(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut deadline = deadline_of(self.read_timeout);
        loop {
            let TimedWire {
                wire: Some(wire),
                queue: Some(queue),
                watch,
                deadline: last,
                reads,
                writes,
                ..
            } = self
            else {
                return Err(io::ErrorKind::NotConnected.into());
            };
            if queue.is_empty() {
                return self.read(buffer);
            }
            let by = |deadline: Option<Instant>| deadline.map(time_until).transpose();
            let left = [by(deadline)?, by(*last)?, watch_left(watch)];
            let begun = Instant::now();
            let ready = wire.wait_ready(left.into_iter().flatten().min())?;
            if ready.can_write {
                *writes += 1;
                queue.write_some(wire);
                deadline = deadline_of(self.read_timeout);
            }
            *reads += u64::from(ready.can_read);
            let read = if ready.can_read { wire.read_at_once(buffer) } else { Ok(0) };
            if let Some(watch) = watch {
                watch.spend(begun.elapsed());
            }
            match read {
                Ok(0) if ready.can_read => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(0) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Ok(length) => {
                    watch.as_mut().map_or(Ok(()), |watch| watch.was_read())?;
                    return Ok(length);
                }
                Err(error) => return Err(error),
            }
            if let Some(watch) = watch.as_mut().filter(|watch| watch.is_up()) {
                watch.timed_out(&|| wire.is_readable())?;
            }
        }
    }

    /// Writes of what waits what is taken at once.
    pub(crate) fn write_queued(&mut self) {
        if let (Some(wire), Some(queue)) = (&mut self.wire, &mut self.queue) {
            self.writes += 1;
            queue.write_some(wire);
        }
    }

    /// Lets writes wait again, and waits for what is still to be written.
    pub(crate) fn end_queue(&mut self) -> Result<(), Error> {
        let Some(mut queue) = self.queue.take() else { return Ok(()) };
        if let Some(failure) = queue.take_failure() {
            return Err(Error::lost(failure, false));
        }
        self.write(&mut [IoSlice::new(queue.rest())])
    }

    /// Writes all bytes of all slices.
    pub(crate) fn write(&mut self, mut slices: &mut [IoSlice<'_>]) -> Result<(), Error> {
        if let Some(queue) = &mut self.queue {
            queue.push(slices);
            return Ok(());
        }
        let mut nothing_sent = true;
        // Empty slices go, so that the end is the end.
        IoSlice::advance_slices(&mut slices, 0);
        while !slices.is_empty() {
            match self.write_once(slices) {
                Ok(length) => {
                    nothing_sent = false;
                    IoSlice::advance_slices(&mut slices, length);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if !self.waits => return Err(Error::lost(error, nothing_sent)),
                Err(error) => return Err(Error::lost(name_timeout(error), nothing_sent)),
            }
        }
        Ok(())
    }

    fn write_once(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        self.writes += 1;
        if !self.waits {
            return self.wire()?.write_vectored_at_once(slices);
        }
        if let Some(left) = self.watch.as_ref().and_then(|watch| watch.time_left()) {
            return self.write_watched(slices, left);
        }
        let left = self.time_left()?;
        let wire = self.wire()?;
        if left.is_some() {
            wire.set_write_timeout(left)?;
        }
        match wire.write_vectored(slices) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted && left.is_none() => {
                self.write_interrupted(slices)
            }
            written => written,
        }
    }

    /// Writes some of the bytes after a signal came, as [`TimedWire::read_interrupted`] reads.
    #[cold]
    fn write_interrupted(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        let (usual, deadline) = (self.write_timeout, deadline_of(self.write_timeout));
        let wire = self.wire()?;
        let written = loop {
            if let Some(deadline) = deadline {
                wire.set_write_timeout(Some(time_until(deadline)?))?;
            }
            match wire.write_vectored(slices) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                written => break written,
            }
        };
        wire.set_write_timeout(usual)?;
        written
    }

    /// Writes some of the bytes while a query's time runs; when that is up there is nothing that could be stopped yet.
    ///
    /// Most queries are taken at once, without another system call. For the others the time is kept here: the kernel would begin anew
    /// for each part that it takes.
    fn write_watched(&mut self, slices: &[IoSlice<'_>], mut left: Duration) -> io::Result<usize> {
        loop {
            let time = self.write_timeout.map_or(left, |limit| limit.min(left));
            let wire = self.wire()?;
            match wire.write_vectored_at_once(slices).map_err(name_timeout) {
                Err(error) if error.kind() == io::ErrorKind::TimedOut => {}
                written => return written,
            }
            let begun = Instant::now();
            let waited = wire.wait_writable(time);
            let Some(watch) = &mut self.watch else { return Err(timed_out()) };
            watch.spend(begun.elapsed());
            match waited {
                Ok(true) => {}
                Ok(false) => watch.timed_out_in_writing()?,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
            left = watch.time_left().ok_or_else(timed_out)?;
        }
    }

    /// Writes what is taken at once: for last words, which nobody waits for.
    pub(crate) fn write_without_waiting(&mut self, bytes: &[u8]) {
        if let Some(wire) = &mut self.wire {
            wire.write_without_waiting(bytes);
        }
    }

    fn wire(&mut self) -> io::Result<&mut Wire> {
        self.wire.as_mut().ok_or_else(|| io::ErrorKind::NotConnected.into())
    }

    fn time_left(&self) -> io::Result<Option<Duration>> {
        self.deadline.map(time_until).transpose()
    }
}

/// How long a query has still, if there is a limit and one is waited for.
fn watch_left(watch: &Option<Box<Watch>>) -> Option<Duration> {
    watch.as_ref().and_then(|watch| watch.time_left())
}

/// When a time that begins now is up; `None`: never.
fn deadline_of(timeout: Option<Duration>) -> Option<Instant> {
    timeout.and_then(|timeout| Instant::now().checked_add(timeout))
}

pub(crate) fn time_until(deadline: Instant) -> io::Result<Duration> {
    let left = deadline.saturating_duration_since(Instant::now());
    // A timeout of zero would mean none.
    if left < Duration::from_millis(1) { Err(timed_out()) } else { Ok(left) }
}

pub(crate) fn timed_out() -> io::Error {
    io::Error::from_raw_os_error(libc::ETIMEDOUT)
}

/// The kernel reports the end of SO_RCVTIMEO as EAGAIN, and socket2 that of connecting without a number.
pub(crate) fn name_timeout(error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => timed_out(),
        _ => error,
    }
}
