//! Who has to know what statements do, before they are sent.

use std::fmt::Debug;
use std::sync::Arc;

use vaquita_protocol::Command;

use crate::connection::Connection;
use crate::own::Own;
use crate::session::Session;
use crate::state::State;
use crate::statement_cache::Effect;

/// Somebody who relies on what statements mean, and on who holds which locks.
pub trait Onlooker: Debug + Send + Sync {
    /// A command is about to be sent that does this to others; the session is as it was left by the one before.
    fn before(&self, effect: Effect, session: &Session);

    /// What was sent and may change tables, or anything, is done: nothing of its reply is due any more. It may be told twice of the same.
    fn after(&self) {}

    /// A number that is another one whenever the same text may mean something else.
    fn epoch(&self) -> u64;
}

impl Connection {
    /// Has something asked of the server that is no statement of the session's: who looks on is not told, and what was said of the last
    /// statement stays, unless the connection is lost.
    pub fn apart<R>(&mut self, ask: impl FnOnce(&mut Connection) -> R) -> R {
        let onlooker = self.onlooker.take();
        let said = self.session.clone();
        let found = self.found_rows();
        let asked = self.by_itself(Own::KeyValue, ask);
        self.keep_found_rows(found);
        let has_failed = said.has_failed;
        self.session.keep_statement(said);
        self.session.has_failed = has_failed;
        if self.state == State::Broken {
            self.session.error();
        }
        self.onlooker = onlooker;
        asked
    }

    /// What was asked apart is all that is asked: FOUND_ROWS() is what it was before.
    pub fn restore_found_rows(&mut self) {
        self.elsewhere.statement_failed();
    }

    /// Whether the session's statements may have left temporary tables, locks, or another kind of transaction: what who looks on from now on has not
    /// seen. That a function may have done it, which a SELECT has called, is not seen from here.
    pub fn may_hold_tables(&self) -> bool {
        self.reuse.has_unseen()
    }

    /// Has somebody told what each command does, before it is sent, or nobody any more; at once, what the session's init commands have done.
    pub fn set_onlooker(&mut self, onlooker: Option<Arc<dyn Onlooker>>) {
        self.onlooker = onlooker;
        self.tell_of_init_commands();
    }

    /// Tells who looks on that what it was told of before is done, unless others were sent behind it.
    #[cold]
    pub(crate) fn tell_end(&mut self) {
        if !self.is_followed {
            self.tells_end = false;
            self.onlooker.iter().for_each(|onlooker| onlooker.after());
        }
    }

    /// Tells who looks on what the init commands have done: they ran as the session began.
    pub(crate) fn tell_of_init_commands(&self) {
        let Some(onlooker) = &self.onlooker else { return };
        for sql in &self.options.init_commands {
            let command = Command::Query(sql);
            let effect = Effect::of(&command, self.session.dialect(), self.multi_statements);
            onlooker.before(effect, &self.session);
        }
        onlooker.after();
    }
}
