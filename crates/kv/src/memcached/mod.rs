//! A client of the memcached protocol, as memcached and MySQL's InnoDB plugin speak it.
//!
//! <https://github.com/memcached/memcached/blob/master/doc/protocol.txt>

use std::io::Write;
use std::time::Duration;

use vaquita_client::{Address, ByteStream};

use crate::error::{Error, Unfit};
use crate::link::{Link, MAX_BYTES, Timeouts};

mod key;
mod mapping;
mod plan;
mod reply;

pub use key::{Key, MAX_KEY_BYTES};
pub use mapping::{Container, MAPPING_QUERY, Mapping};
pub use plan::Plan as MemcachedPlan;
pub use reply::Line;

/// The longest line: VALUE with the longest key and three numbers. What an error says may be as long.
const MAX_LINE_BYTES: usize = 2 << 10;

/// The longest version that a server may have.
const MAX_VERSION_BYTES: usize = 128;

/// When a value is forgotten, as memcached has it: 0 never, up to 30 days in so many seconds, above that at this Unix time; below 0 at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Expiry(pub i64);

/// How a value is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Store {
    /// In any case.
    Set,
    /// If there is none of that key.
    Add,
    /// If there is one of that key.
    Replace,
}

impl Store {
    fn verb(self) -> &'static [u8] {
        match self {
            Store::Set => b"set ",
            Store::Add => b"add ",
            Store::Replace => b"replace ",
        }
    }
}

/// A connection to a memcached port.
///
/// Requests are sent, then their replies read, one for each, in their order: `send_*` and `read_*`. What is in between may be done meanwhile.
#[derive(Debug)]
pub struct Memcached {
    link: Link,
    request: Vec<u8>,
}

impl Memcached {
    /// Connects.
    ///
    /// # Errors
    /// [`Error::Lost`]: nobody answers.
    pub fn connect(address: &Address, timeouts: Timeouts) -> Result<Memcached, Error> {
        Link::connect(address, timeouts).map(Memcached::new)
    }

    /// Over a stream that stands in the place of a socket.
    ///
    /// # Errors
    /// None; sockets have some.
    pub fn over(
        stream: Box<dyn ByteStream>,
        address: &Address,
        timeout: Duration,
    ) -> Result<Memcached, Error> {
        Link::over(stream, address, timeout).map(Memcached::new)
    }

    fn new(link: Link) -> Memcached {
        Memcached { link, request: Vec::new() }
    }

    /// Has the replies to each request to come have no more.
    pub(crate) fn limit(&mut self, most: usize) {
        self.link.limit(most);
    }

    /// Whether another request may be made, and nobody has closed the connection or sent anything since the last one.
    pub fn is_alive(&self) -> bool {
        self.link.is_alive()
    }

    /// Whether another request may be made: whoever has the other end may have closed it.
    pub fn is_ready(&self) -> bool {
        self.link.is_ready()
    }

    /// Asks for the values of keys, all in one request.
    ///
    /// # Errors
    /// [`Error::Lost`], or [`Error::OutOfSync`]: replies are due.
    pub fn send_get(&mut self, keys: &[Key<'_>]) -> Result<(), Error> {
        if keys.is_empty() {
            return Ok(());
        }
        self.request.extend_from_slice(b"get");
        for key in keys {
            self.request.push(b' ');
            self.request.extend_from_slice(key.bytes());
        }
        self.request.extend_from_slice(b"\r\n");
        self.send(1)
    }

    /// Asks for the values of keys, each in a request of its own, all in one write: [`Memcached::read_values`] reads one reply after the other.
    ///
    /// # Errors
    /// As [`Memcached::send_get`].
    pub fn send_gets(&mut self, keys: &[Key<'_>]) -> Result<(), Error> {
        for key in keys {
            self.request.extend_from_slice(b"get ");
            self.request.extend_from_slice(key.bytes());
            self.request.extend_from_slice(b"\r\n");
        }
        self.send(keys.len())
    }

    /// Reads the reply to a request for these keys: what is `found` has its key's place among them, its flags and its value.
    ///
    /// # Errors
    /// [`Error::Refused`]; [`Error::Malformed`]: also where a key comes that was not asked for; [`Error::Lost`]. After an error nothing that
    /// was found counts.
    pub fn read_values(
        &mut self,
        keys: &[Key<'_>],
        mut found: impl FnMut(usize, u32, &[u8]),
    ) -> Result<(), Error> {
        if keys.is_empty() {
            return Ok(()); // nothing was asked
        }
        let mut next = 0;
        loop {
            let line = self.link.line(MAX_LINE_BYTES)?;
            let (place, flags, bytes) = match Line::parse(self.link.bytes(line.clone())) {
                Some(Line::End) => return self.link.end_reply(),
                Some(Line::Error(said)) => {
                    let refused = Error::Refused(said.into());
                    return Err(self.link.give_up(refused));
                }
                Some(Line::Value { key, flags, bytes }) => {
                    // Values come in the order of the keys.
                    let rest = keys.get(next..).unwrap_or_default();
                    let place = rest.iter().position(|it| it.bytes() == key);
                    (place.map(|place| next + place), flags, bytes)
                }
                _ => return Err(self.malformed("neither a value nor END")),
            };
            let Some(place) = place else { return Err(self.malformed("a key of somebody else's")) };
            if bytes > self.link.most() {
                return Err(self.malformed("a value that is too long"));
            }
            let value = self.link.counted(bytes + 2)?;
            let Some(value) = self.link.bytes(value).strip_suffix(b"\r\n") else {
                return Err(self.malformed("a value without its end"));
            };
            found(place, flags, value);
            next = place + 1;
        }
    }

    /// The value of a key and its flags, as `with` makes it of them; `None`: there is none.
    ///
    /// # Errors
    /// As [`Memcached::send_get`] and [`Memcached::read_values`].
    pub fn get<R>(
        &mut self,
        key: Key<'_>,
        with: impl FnOnce(u32, &[u8]) -> R,
    ) -> Result<Option<R>, Error> {
        let (mut with, mut value) = (Some(with), None);
        self.send_get(&[key])?;
        self.read_values(&[key], |_, flags, bytes| {
            value = with.take().map(|with| with(flags, bytes));
        })?;
        Ok(value)
    }

    /// Has a value stored.
    ///
    /// # Errors
    /// [`Error::Unfit`]: the value is larger than any port takes; as [`Memcached::send_get`].
    pub fn send_store(
        &mut self,
        how: Store,
        key: Key<'_>,
        value: &[u8],
        flags: u32,
        Expiry(expiry): Expiry,
    ) -> Result<(), Error> {
        if value.len() > MAX_BYTES {
            return Err(Unfit::LargeValue(value.len()).into());
        }
        self.request.extend_from_slice(how.verb());
        self.request.extend_from_slice(key.bytes());
        let _ = write!(self.request, " {flags} {expiry} {}\r\n", value.len());
        self.request.extend_from_slice(value);
        self.request.extend_from_slice(b"\r\n");
        self.send(1)
    }

    /// Has a value deleted.
    ///
    /// # Errors
    /// As [`Memcached::send_get`].
    pub fn send_delete(&mut self, key: Key<'_>) -> Result<(), Error> {
        self.request.extend_from_slice(b"delete ");
        self.request.extend_from_slice(key.bytes());
        self.request.extend_from_slice(b"\r\n");
        self.send(1)
    }

    /// Reads whether a value was stored or deleted; if not, the command's condition did not hold.
    ///
    /// # Errors
    /// [`Error::Refused`], [`Error::Malformed`], [`Error::Lost`]. Only after the first one it is known that nothing was done.
    pub fn read_done(&mut self) -> Result<bool, Error> {
        let line = self.link.line(MAX_LINE_BYTES)?;
        let is_done = match Line::parse(self.link.bytes(line)) {
            Some(Line::Stored | Line::Deleted) => true,
            Some(Line::NotStored | Line::NotFound | Line::Exists) => false,
            Some(Line::Error(said)) => {
                let refused = Error::Refused(said.into());
                return Err(self.link.give_up(refused));
            }
            _ => return Err(self.malformed("no answer to a command that writes")),
        };
        self.link.end_reply().map(|()| is_done)
    }

    /// What the server says that it is.
    ///
    /// # Errors
    /// As [`Memcached::read_done`].
    pub fn version(&mut self) -> Result<Box<[u8]>, Error> {
        self.request.extend_from_slice(b"version\r\n");
        self.send(1)?;
        let line = self.link.line(MAX_LINE_BYTES)?;
        let version = match Line::parse(self.link.bytes(line)) {
            Some(Line::Version(version)) => {
                version.get(..MAX_VERSION_BYTES).unwrap_or(version).into()
            }
            Some(Line::Error(said)) => {
                let refused = Error::Refused(said.into());
                return Err(self.link.give_up(refused));
            }
            _ => return Err(self.malformed("no version")),
        };
        self.link.end_reply().map(|()| version)
    }

    fn send(&mut self, replies: usize) -> Result<(), Error> {
        let sent = self.link.send(&self.request, replies);
        self.request.clear();
        self.request.shrink_to(MAX_LINE_BYTES);
        sent
    }

    fn malformed(&mut self, what: &'static str) -> Error {
        self.link.give_up(Error::Malformed(what))
    }
}
