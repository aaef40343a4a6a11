//! Where no port is asked: each statement that has succeeded is noted with its time, and with why a port could not have answered it.

use std::mem;
use std::path::PathBuf;
use std::process;
use std::time::{Duration, Instant};

use vaquita_client::{Capabilities, Columns, Connection, Dialect};

use super::Access;
use crate::advice::{self, Advice, Wanted};
use crate::plan::Reason;
use crate::select::KeySelect;

/// The notes of a connection.
#[derive(Debug)]
pub(super) struct Advising {
    /// Whose they are: a child that has the connection, too, begins anew.
    process: u32,
    advice: Advice,
    /// When the statement was sent that runs.
    sent_at: Option<Instant>,
    /// Where the notes go in the end.
    file: Option<PathBuf>,
}

impl Default for Advising {
    fn default() -> Advising {
        Advising { process: process::id(), advice: Advice::default(), sent_at: None, file: None }
    }
}

impl Advising {
    /// The notes of this process.
    fn advice(&mut self) -> &mut Advice {
        let process = process::id();
        if self.process != process {
            (self.process, self.advice) = (process, Advice::default());
        }
        &mut self.advice
    }
}

impl Access {
    /// Names the file that the advice goes to when the connection is over, or is handed over before.
    pub fn set_advice_file(&mut self, file: Option<PathBuf>) {
        if let Some(advising) = &mut self.advising {
            advising.file = file;
        }
    }

    /// What is known of this connection's statements, if no port is asked; of what was handed over already, nothing.
    pub fn advice(&self) -> Option<&Advice> {
        self.advising.as_ref().map(|advising| &advising.advice)
    }

    /// Puts first what takes the most of the time.
    pub fn sort_advice(&mut self) {
        if let Some(advising) = &mut self.advising {
            advising.advice().sort();
        }
    }

    /// Hands the notes over to [`crate::write_advice`], if they are to go to a file.
    pub fn hand_over_advice(&mut self) {
        if let Some(advising) = &mut self.advising
            && let Some(file) = advising.file.clone()
        {
            advice::add(&file, &mem::take(advising.advice()));
        }
    }

    /// Notes a statement that no port could have answered, because its text is not looked at before it is sent.
    pub fn advise_unlooked(
        &mut self,
        connection: &Connection,
        sql: &[u8],
        columns: Option<&Columns>,
        time: Duration,
    ) {
        let select = KeySelect::parse(sql, connection.session().dialect());
        let reason = select.map_or(Reason::Form, |_| Reason::Prepared);
        self.counts.last = Some(reason);
        self.advise(connection, sql, columns, time);
    }

    /// Whether statements are noted.
    pub fn is_advising(&self) -> bool {
        self.advising.is_some()
    }

    /// A statement is about to be sent.
    #[inline]
    pub(super) fn begin_advising(&mut self) {
        if let Some(advising) = &mut self.advising {
            advising.sent_at = Some(Instant::now());
        }
    }

    /// Its reply has begun: how long that took.
    #[inline]
    pub(super) fn end_advising(&mut self) -> Option<Duration> {
        self.advising.as_mut()?.sent_at.take().map(|at| at.elapsed())
    }

    /// Notes a statement that has succeeded, and has such a result.
    pub(super) fn advise(
        &mut self,
        connection: &Connection,
        sql: &[u8],
        columns: Option<&Columns>,
        time: Duration,
    ) {
        let Some(advising) = &mut self.advising else { return };
        let dialect = dialect_of(connection, sql);
        let select = dialect.and_then(|dialect| KeySelect::parse(sql, dialect));
        // The session is looked at first: one that could be answered in no session says so.
        let reason = self.counts.last.map(|it| select.as_ref().map_or(Reason::Form, |_| it));
        let line = advising.advice().note(sql, dialect, time, reason);
        let Some(columns) = columns else { return };
        if line.lacks_wanted()
            && let Some(select) = select
        {
            let mut knowledge = self.knowledge.borrow_mut();
            let state = self.state.as_ref().map(|(_, _, state)| state);
            let table = state.and_then(|state| knowledge.table(&select, state));
            line.wanted = Wanted::of(&select, columns, table).or(line.wanted.take());
        }
    }
}

/// How the server has read a statement, if that is known: of a server that does not tell of another character set a SET NAMES may have gone
/// unnoticed, and in some sets a backslash or a backtick belongs to the character before it.
fn dialect_of(connection: &Connection, sql: &[u8]) -> Option<Dialect> {
    let tells = connection.capabilities().contains(Capabilities::SESSION_TRACK);
    let is_doubtful = |pair: &[u8]| matches!(pair, [0x80..=0xFF, b'\\' | b'`']);
    (tells || !sql.windows(2).any(is_doubtful)).then(|| connection.session().dialect())
}
