//! A client of HandlerSocket: rows by an index of their table, as MariaDB's plugin gives them.
//!
//! <https://github.com/DeNA/HandlerSocket-Plugin-for-MySQL/blob/master/docs-en/protocol.en.txt>

use std::borrow::Cow;
use std::time::Duration;

use vaquita_client::{Address, ByteStream};

use crate::decimal::decimal;
use crate::error::{Error, Unfit};
use crate::link::{Link, Timeouts};
use line::{Lines, decode};

mod line;
mod plan;

pub use plan::Plan as HandlerSocketPlan;

/// The only way to authenticate there is.
const PLAIN_SECRET: &[u8] = b"1";

/// An index that was opened on a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexId(usize);

/// What is opened: an index, and the columns that are wanted of its rows.
#[derive(Clone, Copy, Debug)]
pub struct OpenIndex<'a> {
    /// The database.
    pub database: &'a [u8],
    /// The table.
    pub table: &'a [u8],
    /// The index; of the primary key, `PRIMARY`.
    pub index: &'a [u8],
    /// The columns.
    pub columns: &'a [&'a [u8]],
}

/// The longest answer that is no row.
const MAX_ANSWER_BYTES: usize = 2 << 10;

/// A connection to a HandlerSocket port.
///
/// Requests are sent, then their replies read, one for each, in their order.
#[derive(Debug)]
pub struct HandlerSocket {
    link: Link,
    request: Lines,
    /// For each index that was opened, how many columns a row has.
    columns: Vec<usize>,
    /// How many rows a reply may have.
    most: usize,
}

impl HandlerSocket {
    /// Connects, and tells the secret if there is one.
    ///
    /// # Errors
    /// [`Error::Lost`]: nobody answers; [`Error::Refused`]: the secret is another one.
    pub fn connect(
        address: &Address,
        timeouts: Timeouts,
        secret: Option<&[u8]>,
    ) -> Result<HandlerSocket, Error> {
        let mut connected = HandlerSocket::new(Link::connect(address, timeouts)?);
        if let Some(secret) = secret {
            connected.authenticate(secret)?;
        }
        Ok(connected)
    }

    /// Over a stream that stands in the place of a socket.
    ///
    /// # Errors
    /// None; sockets have some.
    pub fn over(
        stream: Box<dyn ByteStream>,
        address: &Address,
        timeout: Duration,
    ) -> Result<HandlerSocket, Error> {
        Link::over(stream, address, timeout).map(HandlerSocket::new)
    }

    fn new(link: Link) -> HandlerSocket {
        HandlerSocket { link, request: Lines::default(), columns: Vec::new(), most: 0 }
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

    /// Tells the secret.
    ///
    /// # Errors
    /// [`Error::Refused`]: it is another one.
    pub fn authenticate(&mut self, secret: &[u8]) -> Result<(), Error> {
        for token in [&b"A"[..], PLAIN_SECRET, secret] {
            self.request.token(Some(token));
        }
        self.request.end();
        self.send(1)?;
        // Whoever does not take the secret may be anybody.
        let most = self.link.most();
        self.link.limit(MAX_ANSWER_BYTES);
        let read = self.read_reply(1, |_| Ok(()));
        self.link.limit(most);
        read
    }

    /// Opens an index; it stays open as long as the connection.
    ///
    /// # Errors
    /// [`Unfit::ColumnName`]; [`Error::Refused`]: there is no such table, index or column.
    pub fn open_index(&mut self, open: &OpenIndex<'_>) -> Result<IndexId, Error> {
        if open.columns.iter().any(|name| name.contains(&b',')) {
            return Err(Unfit::ColumnName.into());
        }
        let id = self.columns.len();
        self.request.token(Some(b"P"));
        self.request.number(id);
        for name in [open.database, open.table, open.index] {
            self.request.token(Some(name));
        }
        self.request.token(Some(&open.columns.join(&b',')));
        self.request.end();
        self.send(1)?;
        self.read_reply(1, |_| Ok(()))?;
        self.columns.push(open.columns.len());
        Ok(IndexId(id))
    }

    /// Asks for the row of each of these keys, in one write: a key is a value for each of the index's first columns, NULL or bytes.
    /// [`HandlerSocket::read_rows`] reads one reply after the other.
    ///
    /// # Errors
    /// [`Error::Lost`], or [`Error::OutOfSync`]: replies are due.
    pub fn send_find(
        &mut self,
        IndexId(id): IndexId,
        keys: &[&[Option<&[u8]>]],
        most: usize,
    ) -> Result<(), Error> {
        for key in keys {
            self.request.number(id);
            self.request.token(Some(b"="));
            self.request.number(key.len());
            key.iter().for_each(|value| self.request.token(*value));
            self.request.number(most);
            self.request.number(0);
            self.request.end();
        }
        self.most = most;
        self.send(keys.len())
    }

    /// Reads the rows of one key: each with its columns, NULL or bytes, as `row` takes them.
    ///
    /// # Errors
    /// [`Error::Refused`], [`Error::Malformed`], [`Error::Lost`]. After an error no row counts.
    pub fn read_rows(
        &mut self,
        IndexId(id): IndexId,
        mut row: impl FnMut(&[Option<Cow<'_, [u8]>>]),
    ) -> Result<(), Error> {
        let columns = self.columns.get(id).copied().ok_or(Error::OutOfSync)?;
        let mut left = self.most;
        self.read_reply(columns, |values| {
            let mut one = Vec::new();
            for value in values {
                one.push(decode(value).ok_or("a value that is not encoded")?);
                if one.len() == columns {
                    left = left.checked_sub(1).ok_or("more rows than were asked for")?;
                    row(&one);
                    one.clear();
                }
            }
            if one.is_empty() { Ok(()) } else { Err("a part of a row") }
        })
    }

    /// Reads a reply of so many columns; `take` has its values, still encoded.
    fn read_reply(
        &mut self,
        columns: usize,
        take: impl FnOnce(&mut dyn Iterator<Item = &[u8]>) -> Result<(), &'static str>,
    ) -> Result<(), Error> {
        let line = self.link.line(self.link.most())?;
        let read = read(self.link.bytes(line), columns, take);
        read.map_err(|error| self.link.give_up(error))?;
        self.link.end_reply()
    }

    fn send(&mut self, replies: usize) -> Result<(), Error> {
        let sent = self.link.send(self.request.bytes(), replies);
        self.request.clear();
        sent
    }
}

/// Reads a reply of so many columns.
fn read(
    line: &[u8],
    columns: usize,
    take: impl FnOnce(&mut dyn Iterator<Item = &[u8]>) -> Result<(), &'static str>,
) -> Result<(), Error> {
    let mut tokens = line.split(|byte| *byte == b'\t');
    let [code, count] = [(); 2].map(|()| tokens.next());
    let (Some(code), Some(count)) = (code.and_then(decimal), count.and_then(decimal)) else {
        return Err(Error::Malformed("neither a code nor columns"));
    };
    if code != 0 {
        let said = tokens.next().and_then(decode).flatten().unwrap_or_default();
        return Err(Error::Refused(said.into()));
    }
    if count != columns as u64 {
        return Err(Error::Malformed("another number of columns"));
    }
    take(&mut tokens).map_err(Error::Malformed)
}
