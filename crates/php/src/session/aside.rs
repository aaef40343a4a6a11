//! A session that PDO's core keeps between its users: what they left goes as the last of them goes, as it does where mysqli's pool keeps
//! connections.

use super::{Session, local_infile, pool, tls};
use crate::statistics::Key;
use std::process;
use std::time::Instant;
use vaquita_client::Connection;

impl Session {
    /// Nobody uses the connection any more: what its users left is wiped out, without waiting.
    pub(crate) fn set_aside(&self) {
        // As in stock a child that has its parent's connection open uses it, and ends it.
        if self.is_of_parent() {
            return;
        }
        self.stop_own_trace();
        let limits = pool::limits();
        self.error.clear();
        self.forget_announced();
        let released = self.work(|slot| {
            let Some(connection) = slot else { return false };
            self.counting(connection, |it| pool::release(it, &limits))
        });
        if released.unwrap_or(false) {
            self.idle_since.set(Some(Instant::now()));
        } else {
            let _ = self.close(Key::implicit_close);
        }
    }

    /// Takes the connection for a new user; false: it is not to be used any more.
    pub(crate) fn bring_back(&self) -> bool {
        let Some(since) = self.idle_since.get() else { return self.is_connected() };
        if self.is_of_parent() {
            return false;
        }
        self.idle_since.set(None);
        let limits = pool::limits();
        let least = tls::Settings::read().least();
        let brought_back = self.work(|slot| {
            let Some(connection) = slot else { return false };
            let is_private = tls::is_at_least(connection.tls(), least);
            if !is_private || !pool::admit(&limits, connection, since) {
                return false;
            }
            let is_alive = self.counting(connection, |it| it.resume(limits.check)).is_ok();
            pool::count(|stats| {
                stats.hits += u64::from(is_alive);
                stats.replaced += u64::from(!is_alive);
            });
            is_alive
        });
        let is_back = brought_back.unwrap_or(false);
        if is_back {
            self.observe_anew();
            local_infile::allow(self);
            self.begin_key_value();
        }
        is_back
    }

    /// Whether the connection is gone, as far as is known without waiting.
    pub(crate) fn is_gone(&self) -> bool {
        let is_gone = self.work(|slot| slot.as_mut().is_none_or(|it| it.is_gone()));
        is_gone.unwrap_or(true)
    }

    /// Whether the connection was made before a fork, and it is the child that asks.
    pub(super) fn is_of_parent(&self) -> bool {
        self.process.get() != process::id()
    }

    /// Whether the connection has been given to a new user, who has not asked it for anything.
    pub(crate) fn is_new(&self) -> bool {
        self.look(Connection::awaits_first_command).unwrap_or(false)
    }
}
