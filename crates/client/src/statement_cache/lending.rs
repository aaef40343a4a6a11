//! How statements that are kept come to their users and back.

use std::cell::{Cell, RefCell};

use vaquita_protocol::{Capabilities, ColumnDefinition41, Command, Parameter};

use super::Kept;
use super::derived::{Derived, suit};
use super::effects::Effect;
use super::shape::{is_kept, may_have_other_columns};
use crate::columns::Columns;
use crate::connection::Connection;
use crate::error::{Error, codes};
use crate::own::Own;
use crate::reuse::cannot_write;
use crate::session::UNKNOWN_ROWS;
use crate::state::Call;
use crate::statement::Statement;

impl Connection {
    /// Whether statements are kept: the server has to tell which database is the current one.
    fn keeps_statements(&self) -> bool {
        self.options.statement_cache > 0 && self.capabilities.contains(Capabilities::SESSION_TRACK)
    }

    /// Drops what is kept if the server has told of a variable that has changed: a function may have done that.
    fn heed_changes_told(&mut self) {
        if self.statement_cache.changes_told != self.session.variables_changed {
            self.statement_cache.changes_told = self.session.variables_changed;
            self.statement_cache.drop_all();
        }
    }

    /// Takes a statement of this text that is kept ([`crate::ConnectOptions::statement_cache`]), as if it had just been prepared. `None`: it is to be
    /// prepared.
    pub fn take_kept(&mut self, sql: &[u8]) -> Option<Statement> {
        if self.statement_cache.idle.is_empty() || self.state.allow(Call::Command).is_err() {
            return None;
        }
        self.heed_changes_told();
        if self.has_warned() {
            return None;
        }
        let mut statement = self.statement_cache.take(sql, &self.session.database)?;
        if !self.is_quiet() {
            self.statement_cache.idle.push(statement);
            return None;
        }
        if let Some(onlooker) = &self.onlooker {
            let text = statement.text.map_or_else(|| sql.into(), |(text, _)| text);
            statement.text = Some((text, onlooker.epoch()));
        }
        self.stream.counted().statements_lent += 1;
        self.row = None;
        self.session.affected_rows = UNKNOWN_ROWS;
        self.session.field_count = statement.columns().len();
        self.session.warnings = statement.warnings();
        Some(statement)
    }

    /// Whether the server has something to say of the last statement, which it forgets when it prepares one.
    fn has_warned(&self) -> bool {
        self.session.warnings > 0 || self.session.has_failed
    }

    /// Whether the server has said nothing since its last answer, which is looked at without waiting: it may have gone. That takes a system call;
    /// whoever waits for somebody else's answer has the time.
    pub fn is_quiet(&mut self) -> bool {
        !self.stream.has_received() && !self.stream.transport().is_readable()
    }

    /// How a statement is known that has just been prepared, with these parameters; `None`: it is not to be kept.
    pub(crate) fn kept(
        &mut self,
        sql: &[u8],
        parameters: &[ColumnDefinition41],
    ) -> Option<Box<Kept>> {
        if !self.keeps_statements() || !is_kept(sql, self.session.dialect()) {
            return None;
        }
        self.heed_changes_told();
        self.statement_cache.is_live = true;
        // MariaDB derives nothing before a statement runs, and begins anew with each run.
        let derived = || parameters.iter().map(Derived::of).collect();
        Some(Box::new(Kept {
            text: sql.into(),
            database: (*self.session.database).into(),
            epoch: self.statement_cache.epoch,
            derived: RefCell::new((!self.is_mariadb()).then(derived)),
            is_spent: Cell::new(false),
            is_lent: Cell::new(false),
        }))
    }

    /// Lets go of all that are kept, for the server has too many; whether there were any.
    pub(crate) fn give_up_kept(&mut self) -> bool {
        self.statement_cache.give_up()
    }

    /// Keeps a statement that its user has closed; false: it is to be closed.
    pub(crate) fn keep(&mut self, statement: &Statement) -> bool {
        if statement.kept.is_none() {
            return false;
        }
        self.heed_changes_told();
        let is_kept = self.statement_cache.keep(statement, self.options.statement_cache);
        if is_kept {
            self.stream.counted().statements_kept += 1;
        }
        is_kept
    }

    /// Heeds what a command is about to do to statements.
    #[cold]
    pub(crate) fn heed(&mut self, effect: Effect) {
        self.last_effect = effect;
        if let Some(onlooker) = &self.onlooker {
            onlooker.before(effect, &self.session);
            self.tells_end |= matches!(effect, Effect::Tables | Effect::Anything);
        }
        match effect {
            Effect::OtherDatabase if self.session.tells_database => {}
            Effect::OtherDatabase => self.statement_cache.drop_all(),
            Effect::End => self.statement_cache.forget_all(),
            _ if effect.changes_meaning() => {
                self.statement_cache.drop_all();
                self.session.tells_database = false;
            }
            _ => {}
        }
    }

    /// Whether commands are to be looked at for what they do to others.
    #[inline]
    pub(crate) fn heeds_commands(&self) -> bool {
        self.statement_cache.is_live() || self.onlooker.is_some()
    }

    /// Heeds what a command is about to do to statements.
    #[cold]
    pub(crate) fn heed_command(&mut self, command: &Command<'_>) {
        self.heed(Effect::of(command, self.session.dialect(), self.multi_statements));
    }

    /// Gets a statement ready to run with these parameters. One that was kept, and may not answer them as a fresh one does, is prepared again
    /// first; unless what its text means has changed since its user has prepared it.
    pub(crate) fn prepare_run(
        &mut self,
        statement: &Statement,
        parameters: &[Parameter<'_>],
        opens_cursor: bool,
    ) -> Result<(), Error> {
        let Some(kept) = &statement.kept else {
            self.heed(statement.effect);
            return Ok(());
        };
        if self.heeds_commands() {
            self.heed(statement.effect);
        }
        let suits = |kept: &Kept| {
            let derived = kept.derived.borrow();
            derived.as_deref().is_none_or(|it| suit(it, parameters))
        };
        if kept.is_lent.get() && !suits(kept) && self.means_the_same(kept) {
            self.prepare_again(statement)?;
        }
        self.runs_lent = kept.is_lent.replace(false);
        if opens_cursor || !suits(kept) {
            kept.spend();
        }
        Ok(())
    }

    /// Gets a statement ready for a part of a parameter.
    pub(crate) fn prepare_long_data(&mut self, statement: &Statement) -> Result<(), Error> {
        let Some(kept) = &statement.kept else { return Ok(()) };
        if kept.is_lent.get() && kept.derived.borrow().is_some() && self.means_the_same(kept) {
            self.prepare_again(statement)?;
        }
        kept.is_lent.set(false);
        kept.spend();
        Ok(())
    }

    /// Whether a statement would mean the same if it were prepared now.
    fn means_the_same(&self, kept: &Kept) -> bool {
        kept.epoch == self.statement_cache.epoch && *kept.database == *self.session.database
    }

    /// Whether the first run of a statement that was kept failed because the server does not know it any more, and may be repeated. A
    /// trigger or a function may say the same: what may have written is not run again.
    pub(crate) fn may_run_afresh(&mut self, statement: &Statement, error: &Error) -> bool {
        let is_lost = matches!(
            error,
            Error::Server { code: codes::UNKNOWN_STATEMENT | codes::NEED_REPREPARE, .. }
        );
        if !is_lost {
            return false;
        }
        // Whoever has lost one has lost the others.
        self.give_up_kept();
        let dialect = self.session.dialect();
        self.statement_cache.may_be_kept(statement)
            && statement.kept.as_ref().is_some_and(|kept| cannot_write(&kept.text, dialect))
    }

    /// Goes on with a statement of the same text that the server prepares now.
    ///
    /// # Errors
    /// As [`Connection::prepare`]; then it is what it was.
    pub(crate) fn prepare_again(&mut self, statement: &Statement) -> Result<(), Error> {
        let Some(kept) = &statement.kept else { return Ok(()) };
        let fresh = self.by_itself(Own::PrepareAgain, |it| it.prepare_afresh(&kept.text))?;
        self.statement_cache.evicted.push(statement.id());
        statement.become_another(&fresh);
        Ok(())
    }

    /// The columns of a statement's result as far as they are known before it runs. Of one that was kept they are asked for again if
    /// another session may have changed them, unless this one has gone on to something else; with `counts_only` that is so where it has
    /// wildcards.
    ///
    /// # Errors
    /// The server does not prepare the statement any more, or the connection failed.
    pub fn describe_statement(
        &mut self,
        statement: &Statement,
        counts_only: bool,
    ) -> Result<Columns, Error> {
        let may_differ = statement.kept.as_ref().is_some_and(|kept| {
            kept.is_lent.get()
                && self.means_the_same(kept)
                && (!counts_only || may_have_other_columns(&kept.text))
        });
        if may_differ && !self.has_warned() && self.state.allow(Call::Command).is_ok() {
            let (said, has_failed) = (self.session.clone(), self.session.has_failed);
            let prepared = self.prepare_again(statement);
            self.session.keep_statement(said);
            self.session.has_failed = has_failed;
            prepared?;
        }
        Ok(statement.columns())
    }
}
