//! Statements that are answered elsewhere than by the server: their rows are read as those that it sends, and what it does not know of the last
//! statement it is told before anybody asks it.

mod look;
mod onlooker;

use vaquita_protocol::binary_row::put_binary_row;
use vaquita_protocol::packet_header::PACKET_HEADER_BYTES;
use vaquita_protocol::text_row::put_text_row;
use vaquita_protocol::{Capabilities, Command, EofPacket, StatusFlags};

use crate::columns::Columns;
use crate::connection::{Answer, Connection};
use crate::error::Error;
use crate::own::Own;
use crate::query::QueryResponse;
use crate::state::State;
pub(crate) use look::Look;
pub use onlooker::Onlooker;

/// The longest row that is answered elsewhere: it stands in the read buffer as a whole.
pub const MAX_ELSEWHERE_BYTES: usize = 64 << 10;

/// What leaves the server's diagnostics as a SELECT of one row does that has no warnings. MySQL 5.6 and MariaDB forget those of before only
/// where a statement names a table, of whatever kind.
const SELECT_ONE_ROW: &[u8] = b"SELECT 1 FROM (SELECT 1) AS t";

/// The most rows that the server is had to find again.
const MAX_FOUND_ROWS: u64 = 10_000;

/// A statement that finds so many rows, or that most.
fn select_rows(count: u64) -> Vec<u8> {
    let ten = ["SELECT 1"; 10].join(" UNION ALL ");
    let count = count.min(MAX_FOUND_ROWS);
    let factors = (1..=count.max(1).ilog10() + 1).map(|factor| format!("({ten}) AS t{factor}"));
    let tables = factors.collect::<Vec<_>>().join(", ");
    format!("SELECT 1 FROM {tables} LIMIT {count}").into_bytes()
}

/// The flags that say what the session is like, not what became of a statement.
const OF_SESSION: [StatusFlags; 2] = [StatusFlags::AUTOCOMMIT, StatusFlags::NO_BACKSLASH_ESCAPES];

/// What the server does not know of the statements of its session, because they were answered elsewhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Elsewhere {
    owed: Owed,
    /// Whether the statement that was sent last makes good what is owed, if it is done.
    makes_good: bool,
    /// Whether the server has warnings of an earlier statement still, which not every later one takes away.
    has_warned: bool,
    /// FOUND_ROWS() of the last SELECT where that is owed; `None`: 1.
    found: Option<u64>,
    /// FOUND_ROWS() of before the driver's own questions, if it has asked some since the last statement.
    before: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Owed {
    #[default]
    Nothing,
    /// That the last statement was a SELECT of one row: warnings, ROW_COUNT(), FOUND_ROWS().
    Statement,
    /// The same, but for warnings: they are of preparing another one.
    Counts,
    /// The last SELECT, for FOUND_ROWS(); behind it something was written.
    FoundRows,
}

impl Elsewhere {
    /// Whether anything is owed.
    #[inline]
    pub(crate) fn is_owed(self) -> bool {
        self.owed != Owed::Nothing
    }

    /// What the server says of preparing a statement is the last that it has to say.
    #[inline]
    pub(crate) fn preparing_warned(&mut self) {
        if self.owed == Owed::Statement {
            self.owed = Owed::Counts;
        }
    }

    /// No statement was prepared: ROW_COUNT() and the errors are of that, FOUND_ROWS() is not.
    #[inline]
    pub(crate) fn preparing_failed(&mut self) {
        if self.is_owed() {
            *self = Elsewhere { owed: Owed::FoundRows, found: self.found, ..Elsewhere::default() };
        }
    }

    /// The statement that was sent last is done.
    #[inline]
    pub(crate) fn statement_done(&mut self) {
        if self.makes_good {
            *self = Elsewhere::default();
        }
        self.before = None;
    }

    /// It has failed: FOUND_ROWS() is what it was.
    #[cold]
    pub(crate) fn statement_failed(&mut self) {
        if let Some(found) = self.before.take() {
            let found = Some(found);
            *self = Elsewhere { owed: Owed::FoundRows, found, ..Elsewhere::default() };
        }
    }
}

impl Connection {
    /// Answers a SELECT with these rows, which came from elsewhere: [`Connection::next_row`] and [`Connection::store_result`] give them as if
    /// the server had sent them. Each value is the text that the server would send; for the rows of a prepared statement (`is_binary`) it is
    /// made what its column's type asks for. [`Connection::is_quiet`] has to have been true since the statement was begun.
    ///
    /// How many of the first ones it was answered with: together they are no longer than [`MAX_ELSEWHERE_BYTES`], and none has a value of a type that
    /// is not made of its text. 0, and nothing has happened: the server has to be asked, perhaps because the connection is in the middle of something.
    /// What the server is told of the statement later is that it had one row.
    pub fn answer_rows<'r>(
        &mut self,
        columns: &Columns,
        is_binary: bool,
        rows: impl Iterator<Item = &'r [Option<&'r [u8]>]>,
    ) -> usize {
        let is_plain = self.state == State::Ready
            && !self.reuse.is_first()
            && !self.reuse.is_owed()
            && !self.capabilities.contains(Capabilities::DEPRECATE_EOF);
        if !is_plain || self.stream.has_received() {
            return 0;
        }
        let mut payloads = std::mem::take(&mut self.body);
        payloads.clear();
        let mut ends = Vec::new();
        for row in rows {
            let is_put = columns.len() == row.len()
                && if is_binary {
                    let values = columns.iter().map(|it| it.column_type).zip(row);
                    put_binary_row(values, &mut payloads)
                } else {
                    put_text_row(row, &mut payloads);
                    true
                };
            if !is_put || payloads.len() + ends.len() * PACKET_HEADER_BYTES > MAX_ELSEWHERE_BYTES {
                break;
            }
            ends.push(payloads.len());
        }
        if !ends.is_empty() {
            self.begin_answer(columns, is_binary);
            let mut begin = 0;
            let rows = ends.iter().map(|end| {
                let row = payloads.get(begin..*end).unwrap_or_default();
                begin = *end;
                row
            });
            let end = EofPacket { warnings: 0, status: self.session.status }.encode();
            self.stream.put_received(rows.chain(std::iter::once(&end[..])));
        }
        payloads.clear();
        payloads.shrink_to(crate::connection::MAX_KEPT_BODY_BYTES);
        self.body = payloads;
        ends.len()
    }

    fn begin_answer(&mut self, columns: &Columns, is_binary: bool) {
        self.forget_rows();
        let has_warned = if self.elsewhere.owed == Owed::Statement {
            self.elsewhere.has_warned
        } else {
            self.session.has_failed || self.session.warnings > 0
        };
        let status = self.session.status;
        let kept = OF_SESSION.into_iter().filter(|flag| status.contains(*flag));
        self.session.status = kept.fold(StatusFlags::default(), StatusFlags::with);
        self.session.has_failed = false;
        self.session.warnings = 0;
        self.session.columns(columns.len(), None);
        self.answer = if is_binary { Answer::Binary } else { Answer::Text };
        self.layout = self.known_columns.layout(columns, is_binary);
        self.columns = columns.clone();
        self.state = State::FetchingData;
        let owed = Owed::Statement;
        self.elsewhere = Elsewhere { owed, has_warned, ..Elsewhere::default() };
    }

    /// Tells the server what is owed, before a statement that looks at it, or may.
    #[cold]
    pub(crate) fn tell_before(&mut self, look: Look) -> Result<(), Error> {
        // Since MySQL 8.0 an UPDATE says how many rows it has found; between 5.6 and that nobody has looked.
        let version = if self.is_mariadb() { 0 } else { self.version_number() };
        let (leaves, sets) = match look {
            Look::Update => (version < 50_700, version >= 80_000),
            Look::Write | Look::Setting => (true, false),
            Look::Select | Look::SelectOfStatement => (true, true),
            Look::Statement => (true, false),
            Look::FoundRows | Look::Other | Look::Any => (false, false),
        };
        let looks_at_statement = matches!(look, Look::Statement | Look::SelectOfStatement);
        let is_told = match self.elsewhere.owed {
            Owed::Nothing => return Ok(()),
            // What a setting leaves of warnings depends on the server.
            Owed::Statement => {
                self.elsewhere.has_warned
                    || looks_at_statement
                    || look == Look::Setting
                    || !(leaves || sets)
            }
            Owed::Counts if looks_at_statement => {
                self.elsewhere.makes_good = sets;
                return Ok(());
            }
            Owed::Counts => !(leaves || sets),
            Owed::FoundRows => !(leaves || sets || look == Look::Any),
        };
        if is_told {
            return self.tell_of_elsewhere();
        }
        if look == Look::Any {
            // What it may look at was left by a write, or by an error.
            return Ok(());
        }
        let (owed, found) = (Owed::FoundRows, self.elsewhere.found);
        self.elsewhere = Elsewhere { owed, makes_good: sets, found, ..Elsewhere::default() };
        Ok(())
    }

    /// Tells the server what is owed, before a command that is no statement and leaves another ROW_COUNT(), or warnings.
    pub(crate) fn tell_before_answer(&mut self) -> Result<(), Error> {
        // Behind a statement that the server has run only FOUND_ROWS() is owed, which stays.
        if self.elsewhere.owed == Owed::Statement { self.tell_of_elsewhere() } else { Ok(()) }
    }

    /// Tells the server what is owed, before a statement is prepared that looks at it when it runs.
    pub(crate) fn tell_before_preparing(&mut self, look: Look) -> Result<(), Error> {
        let is_told = match self.elsewhere.owed {
            Owed::Nothing => false,
            Owed::Statement => {
                self.elsewhere.has_warned
                    || !matches!(
                        look,
                        Look::Select | Look::Write | Look::Update | Look::Setting | Look::Other
                    )
            }
            Owed::Counts => matches!(look, Look::FoundRows | Look::Any),
            Owed::FoundRows => look == Look::FoundRows,
        };
        if is_told { self.tell_of_elsewhere() } else { Ok(()) }
    }

    /// What FOUND_ROWS() is, which the driver's own questions are about to change; `None`: that was not to be had.
    pub(crate) fn found_rows(&mut self) -> Option<u64> {
        if self.elsewhere.before.is_some() || self.state != State::Ready {
            return self.elsewhere.before;
        }
        if self.elsewhere.is_owed() {
            return self.elsewhere.found.or(Some(1));
        }
        self.by_itself(Own::FoundRows, |it| it.send_query(b"SELECT FOUND_ROWS()")).ok()?;
        let QueryResponse::ResultSet(_) = self.read_query_response().ok()? else { return None };
        let mut said = self.store_result().ok()?;
        let value = said.next_row()?.values().next()??;
        std::str::from_utf8(value).ok()?.parse().ok()
    }

    /// Those questions have been asked.
    pub(crate) fn keep_found_rows(&mut self, found: Option<u64>) {
        self.elsewhere.before = found;
    }

    /// Tells the server what is owed.
    ///
    /// # Errors
    /// The connection failed.
    pub(crate) fn tell_of_elsewhere(&mut self) -> Result<(), Error> {
        let elsewhere = std::mem::take(&mut self.elsewhere);
        if !elsewhere.is_owed() {
            return Ok(());
        }
        let said = self.session.clone();
        let sql = elsewhere.found.map(select_rows).unwrap_or(SELECT_ONE_ROW.to_vec());
        self.by_itself(Own::Elsewhere, |it| it.send_now(Command::Query(&sql)))?;
        self.answer = Answer::Text;
        self.state = State::QuerySent;
        let told = match self.read_query_response() {
            Ok(QueryResponse::ResultSet(_)) => self.discard_result(),
            Ok(_) => Ok(()),
            Err(error) => Err(error),
        };
        self.session.keep_statement(said);
        match told {
            // Somebody has killed it, or it took too long; the statement that follows is none the worse for it.
            Err(Error::Server { .. }) if self.state == State::Ready => Ok(()),
            told => told,
        }
    }
}
