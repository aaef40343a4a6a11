//! How statements that are kept come to their users and back, and what is done for those that were lent before they have run.

use std::cell::{Cell, RefCell};

use vaquita_protocol::{Capabilities, Command, Parameter};

use super::Kept;
use super::effects::{Effect, is_kept, may_have_other_columns};
use super::types::{Types, fit, leave_anything, types_of};
use crate::connection::Connection;
use crate::error::{Error, codes};
use crate::result_set::Columns;
use crate::session::UNKNOWN_ROWS;
use crate::state::{Call, State};
use crate::statement::Statement;

impl Connection {
    /// Whether statements are kept: the server has to tell which database is the current one.
    fn keeps_statements(&self) -> bool {
        self.options.statement_cache > 0 && self.capabilities.contains(Capabilities::SESSION_TRACK)
    }

    /// Whether the server keeps the types of the parameters that a statement ran with.
    fn pins_types(&self) -> bool {
        !self.is_mariadb()
    }

    /// Drops what is kept if the server has told of a variable that has changed: a function may have done that.
    fn heed_changes_told(&mut self) {
        if self.statement_cache.changes_told != self.session.variables_changed {
            self.statement_cache.changes_told = self.session.variables_changed;
            self.statement_cache.drop_all();
        }
    }

    /// Takes a statement of this text that is kept, as if it had just been prepared.
    pub(crate) fn take_kept(&mut self, sql: &[u8]) -> Option<Statement> {
        if self.statement_cache.idle.is_empty() {
            return None;
        }
        self.heed_changes_told();
        // A server that prepares a statement forgets what it had to say of the last one.
        if self.session.warnings > 0 || self.session.has_failed {
            return None;
        }
        let statement = self.statement_cache.take(sql, &self.session.database, None)?;
        if !self.is_quiet() {
            self.statement_cache.idle.push(statement);
            return None;
        }
        self.stream.counted().command(Command::StmtPrepare(b"").code());
        self.row = None;
        self.session.affected_rows = UNKNOWN_ROWS;
        self.session.field_count = statement.columns().len();
        self.session.warnings = statement.warnings();
        self.statement_cache.lent.push(statement.clone());
        Some(statement)
    }

    /// Whether the server has said nothing since its last answer, which is looked at without waiting: it may have gone.
    fn is_quiet(&mut self) -> bool {
        !self.stream.has_received() && !self.stream.transport().is_readable()
    }

    /// How a statement is known that has just been prepared; `None`: it is not to be kept.
    pub(crate) fn kept(&mut self, sql: &[u8]) -> Option<Box<Kept>> {
        if !self.keeps_statements() || !is_kept(sql, self.session.dialect()) {
            return None;
        }
        self.heed_changes_told();
        self.statement_cache.is_live = true;
        Some(Box::new(Kept {
            text: sql.into(),
            database: (*self.session.database).into(),
            epoch: self.statement_cache.epoch,
            types: RefCell::default(),
            is_spent: Cell::new(false),
        }))
    }

    /// Lets go of all that are kept, for the server has too many; whether there were any.
    pub(crate) fn give_up_kept(&mut self) -> bool {
        let evicted: Vec<u32> = self.statement_cache.idle.drain(..).map(|it| it.id()).collect();
        self.statement_cache.evicted.extend(&evicted);
        !evicted.is_empty()
    }

    /// Keeps a statement that its user has closed; false: it is to be closed.
    pub(crate) fn keep(&mut self, statement: &Statement) -> bool {
        self.follow_renewal(statement);
        if statement.kept.is_none() {
            return false;
        }
        self.heed_changes_told();
        self.statement_cache.end_loan(statement.id());
        let is_kept = self.statement_cache.keep(statement, self.options.statement_cache);
        if is_kept {
            self.stream.counted().command(Command::StmtClose(0).code());
        }
        is_kept
    }

    /// Heeds what a command is about to do to statements: first those get ready that are to mean what their text meant until now.
    #[cold]
    pub(crate) fn heed(&mut self, effect: Effect) -> Result<(), Error> {
        match effect {
            Effect::Nothing => {}
            Effect::OtherDatabase => {
                self.renew_lent()?;
                if !self.session.tells_database {
                    self.statement_cache.drop_all();
                }
            }
            Effect::Anything => {
                self.renew_lent()?;
                self.statement_cache.drop_all();
                self.session.tells_database = false;
            }
            Effect::End => self.statement_cache.forget_all(),
        }
        Ok(())
    }

    /// Heeds what a command is about to do to statements.
    #[cold]
    pub(crate) fn heed_command(&mut self, command: &Command<'_>) -> Result<(), Error> {
        let effect = Effect::of(command, self.session.dialect(), self.multi_statements);
        self.heed(effect)
    }

    /// Prepares afresh what was lent and has not run yet. What the server refuses to prepare will fail when it runs.
    fn renew_lent(&mut self) -> Result<(), Error> {
        if self.statement_cache.lent.is_empty() {
            return Ok(());
        }
        let said = self.session.clone();
        let local_infiles = std::mem::take(&mut self.local_infiles);
        for lent in std::mem::take(&mut self.statement_cache.lent) {
            let Some(kept) = &lent.kept else { continue };
            match self.prepare_on_server(&kept.text) {
                Ok(fresh) => {
                    self.statement_cache.renewed.push((lent.id(), fresh));
                    self.statement_cache.evicted.push(lent.id());
                }
                Err(error) if self.state != State::Ready => return Err(error),
                Err(_) => {}
            }
            self.session.keep_statement(said.clone());
        }
        self.local_infiles = local_infiles;
        Ok(())
    }

    /// Goes on with what a statement was replaced by.
    pub(crate) fn follow_renewal(&mut self, statement: &Statement) {
        let renewed = &mut self.statement_cache.renewed;
        if let Some(at) = renewed.iter().position(|(id, _)| *id == statement.id()) {
            statement.become_another(&renewed.swap_remove(at).1);
        }
    }

    /// Prepares a statement afresh, or takes another one that has run with such parameters, in place of one that was lent.
    fn replace_lent(&mut self, statement: &Statement, types: Option<&Types>) -> Result<(), Error> {
        let Some(kept) = &statement.kept else { return Ok(()) };
        let other = types
            .and_then(|types| self.statement_cache.take(&kept.text, &kept.database, Some(types)));
        let other = match other {
            Some(other) => other,
            None => self.prepare_on_server(&kept.text)?,
        };
        self.statement_cache.end_loan(statement.id());
        if !self.statement_cache.keep(statement, self.options.statement_cache) {
            self.statement_cache.evicted.push(statement.id());
        }
        statement.become_another(&other);
        Ok(())
    }

    /// Gets a statement ready to run with these parameters.
    pub(crate) fn prepare_run(
        &mut self,
        statement: &Statement,
        parameters: &[Parameter<'_>],
        opens_cursor: bool,
    ) -> Result<(), Error> {
        self.follow_renewal(statement);
        self.statement_cache.runs_lent = false;
        let is_lent = self.statement_cache.is_lent(statement);
        let Some(kept) = &statement.kept else { return self.heed(statement.effect) };
        if self.pins_types() {
            let types = types_of(parameters);
            let is_other = kept.types.borrow().as_ref().is_some_and(|it| !fit(it, &types));
            if is_other && is_lent {
                self.replace_lent(statement, Some(&types))?;
            } else if is_other {
                kept.spend();
            }
            if leave_anything(&types) {
                kept.spend();
            }
            kept.types.replace(Some(types));
        }
        if opens_cursor {
            kept.spend();
        }
        self.statement_cache.end_loan(statement.id());
        self.statement_cache.runs_lent = is_lent;
        Ok(())
    }

    /// Gets a statement ready for a part of a parameter.
    pub(crate) fn prepare_long_data(&mut self, statement: &Statement) -> Result<(), Error> {
        self.follow_renewal(statement);
        if self.statement_cache.is_lent(statement) {
            self.replace_lent(statement, None)?;
        }
        statement.spend();
        Ok(())
    }

    /// Whether the failure of the first run of a statement that was lent says that the server does not know it, so that it did not run.
    pub(crate) fn has_lost_lent(&mut self, statement: &Statement, error: &Error) -> bool {
        let was_lent = std::mem::take(&mut self.statement_cache.runs_lent);
        let is_of_epoch =
            statement.kept.as_ref().is_some_and(|kept| kept.epoch == self.statement_cache.epoch);
        was_lent
            && is_of_epoch
            && matches!(
                error,
                Error::Server { code: codes::UNKNOWN_STATEMENT | codes::NEED_REPREPARE, .. }
            )
    }

    /// Prepares a statement afresh that the server has lost.
    pub(crate) fn replace_lost(&mut self, statement: &Statement) -> Result<(), Error> {
        statement.spend();
        self.replace_lent(statement, None)
    }

    /// The columns of a statement's result as far as they are known before it runs. Of one that is taken from those that are kept they are
    /// asked for again if another session may have changed them; with `counts_only` that is so where it has wildcards.
    ///
    /// # Errors
    /// The server does not prepare the statement any more, or the connection failed.
    pub fn describe_statement(
        &mut self,
        statement: &Statement,
        counts_only: bool,
    ) -> Result<Columns, Error> {
        self.follow_renewal(statement);
        let text = statement.kept.as_ref().map(|kept| &kept.text);
        let may_differ = text.is_some_and(|text| !counts_only || may_have_other_columns(text));
        if may_differ
            && self.statement_cache.is_lent(statement)
            && self.state.allow(Call::Command).is_ok()
        {
            let said = self.session.clone();
            statement.spend();
            self.replace_lent(statement, None)?;
            self.session.keep_statement(said);
        }
        Ok(statement.columns())
    }
}
