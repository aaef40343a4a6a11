//! A connection that outlives its users: what the last one left is wiped out as it is given back, and the next one gets it without
//! waiting.
//!
//! [`Connection::release`] sends COM_RESET_CONNECTION, and behind it what a reset forgets or leaves, in one write, and does not wait; the
//! replies stay owed. [`Connection::resume`] looks at what has come, without waiting either. Where replies are missing still, and
//! where the connection turns out to be dead, the first command of the new user ([`first`]) decides what is to be done.
//!
//! A server that does not know the reset refuses it, and runs the next command in the old session. So nothing is sent behind a reset
//! before one was answered on this connection; then it is learnt, too, what a reset forgets and leaves ([`learnt`]). Servers that
//! refuse it get ROLLBACK and UNLOCK TABLES, and COM_CHANGE_USER when the connection is taken.

mod first;
mod harmless;
mod learnt;
mod password;
mod release;
mod resume;
mod traces;
mod views;

use std::cell::Cell;

use vaquita_protocol::{Charset, Command, StatusFlags};

use crate::connection::Connection;
use crate::handshake::choose_charset;
use crate::tokens::Dialect;
use first::First;
pub(crate) use harmless::{BEFORE_PARENTHESIS, cannot_write, only_sets};
use learnt::Learnt;
pub(crate) use password::PasswordDigest;
use traces::Traces;

/// What is to be known of a connection that is used again.
#[derive(Debug, Default)]
pub(crate) struct Reuse {
    traces: Traces,
    reset: Reset,
    learnt: Option<Learnt>,
    /// How many replies are owed to what was sent when it was given back.
    owed: usize,
    left: Left,
    /// What the server said of the session when it was last begun anew.
    fresh_status: StatusFlags,
    /// Whether the init commands are to be run when it is taken.
    owes_init_commands: bool,
    /// Whether the server was told to end the session sooner while nobody uses it.
    has_idle_timeout: bool,
    first: First,
    /// Whether somebody has asked who the server is: then another one can't take its place in silence.
    is_observed: Cell<bool>,
    /// What is known of the password, once the connection was given back.
    password: Option<PasswordDigest>,
    counts: ReuseCounts,
}

/// What happened to a connection since it was last asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ReuseCounts {
    /// Sessions that were begun anew.
    pub(crate) resets: u64,
    /// Connections that were dead when their next user gave the first command, and that another one has taken the place of.
    pub(crate) replaced: u64,
}

/// What is known of COM_RESET_CONNECTION.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Reset {
    /// Nothing: it was not tried on this connection.
    #[default]
    Untried,
    Refused,
    Works,
}

/// What is left to be done when the connection is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Left {
    /// Nothing that has not been sent.
    #[default]
    Nothing,
    /// To learn what a reset leaves, and to restore that.
    ToLearn,
    /// To log in again, by COM_CHANGE_USER.
    ToLogIn,
}

impl Reuse {
    /// Notes a command that is about to be sent.
    #[inline]
    pub(crate) fn note(&mut self, command: &Command<'_>, dialect: Dialect, is_several: bool) {
        self.traces.note(command, dialect, is_several);
    }

    /// Notes of a command that is about to be sent only whether it may leave what an onlooker would have to see.
    #[inline]
    pub(crate) fn note_unseen(
        &mut self,
        command: &Command<'_>,
        dialect: Dialect,
        is_several: bool,
    ) {
        if traces::may_leave_unseen(command, is_several) {
            self.traces.note_unseen(command, dialect, is_several);
        }
    }

    /// Whether the session's user has still to give the first command.
    #[inline]
    pub(crate) fn is_first(&self) -> bool {
        self.first != First::Past
    }

    /// Whether statements may have left what only an onlooker would have seen.
    pub(crate) fn has_unseen(&self) -> bool {
        self.traces.has_unseen
    }

    /// Whether the server owes replies.
    pub(crate) fn is_owed(&self) -> bool {
        self.owed > 0
    }

    /// Somebody asks who the server is.
    pub(crate) fn observe(&self) {
        self.is_observed.set(true);
    }

    /// The session is as a new one is.
    pub(crate) fn is_fresh(&mut self) {
        self.traces = Traces::default();
    }

    /// The connection has become another user's, in a new session; but the role may still be the one that the last user took.
    pub(crate) fn user_changed(&mut self) {
        self.traces = self.traces.after_log_in();
        self.learnt = None;
        self.password = None;
    }
}

impl Connection {
    /// Whether it was taken for a new user, who has not given a command yet.
    pub fn awaits_first_command(&self) -> bool {
        self.reuse.first == First::Due
    }

    /// Keeps no more of the password than it takes to know it again; [`Connection::resume`] brings it back.
    pub(crate) fn forget_password(&mut self) {
        let password = std::mem::take(&mut self.options.password);
        self.reuse.password.get_or_insert_with(|| PasswordDigest::of(&password));
    }

    /// Whether the forgotten password is this one.
    pub(crate) fn has_password(&self, password: &PasswordDigest) -> bool {
        self.reuse.password.as_ref() == Some(password)
    }

    /// What happened to it since this was last asked.
    pub(crate) fn take_reuse_counts(&mut self) -> ReuseCounts {
        std::mem::take(&mut self.reuse.counts)
    }

    /// The character set that a new connection has, and its collation.
    fn home_charset(&self) -> (&'static Charset, u8) {
        choose_charset(self.options.charset, self.greeting.character_set)
    }
}
