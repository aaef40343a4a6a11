//! How the last call of a link or of a prepared statement went: what `errno`, `sqlstate`, `error` and `error_list` tell, and how it
//! is reported.

use super::stock_words::{self, Warnings};
use crate::zend::array::{List, Map};
use crate::zend::error::{BUG, Outcome, Thrown, is_pending, plain_warning, throw_bug, warning};
use crate::zend::guarded::Guarded;
use crate::zend::slot::Slot;
use crate::zend::string::Str;
use crate::zend::version;
use vaquita_client::{Error, Malformed, codes};

/// An error.
#[derive(Clone)]
pub(crate) struct Failure {
    pub(crate) errno: u16,
    pub(crate) sqlstate: [u8; 5],
    pub(crate) message: Vec<u8>,
    /// What is still to be warned of.
    pub(crate) warnings: Warnings,
}

/// The text of CR_COMMANDS_OUT_OF_SYNC.
pub(crate) const OUT_OF_SYNC: &[u8] = b"Commands out of sync; you can't run this command now";

/// Set where an error has been recorded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Failed;

/// The last error, and those before it since the last call that began afresh.
pub(crate) struct LastError(Guarded<Vec<Failure>>);

impl LastError {
    pub(crate) const fn none() -> LastError {
        LastError(Guarded::new(Vec::new()))
    }

    /// Records an error.
    pub(crate) fn set(&self, errno: u16, sqlstate: [u8; 5], message: Vec<u8>) {
        self.set_warning(errno, sqlstate, message, Warnings::default());
    }

    /// Records an error of which stock warns.
    pub(crate) fn set_warning(
        &self,
        errno: u16,
        sqlstate: [u8; 5],
        message: Vec<u8>,
        warnings: Warnings,
    ) {
        let failure = Failure { errno, sqlstate, message, warnings };
        let _ = self.0.with(|failures| failures.push(failure));
    }

    /// Records what the driver failed with.
    pub(crate) fn settle<R>(&self, result: Result<R, Error>) -> Result<R, Failed> {
        result.map_err(|error| {
            // Stock passes on what a server says as it goes since PHP 8.4; before that it is gone, as if it had said nothing.
            if let Some(goodbye) = error.goodbye().filter(|_| version::is_at_least(804)) {
                self.set(goodbye.code, goodbye.sqlstate, goodbye.message.clone());
                return Failed;
            }
            let message = stock_words::text(&error).into_owned();
            let warnings = Warnings::of_answer(&error);
            self.set_warning(error.code(), error.sqlstate(), message, warnings);
            Failed
        })
    }

    /// The server sent a row that can't be read.
    pub(crate) fn set_spoilt(&self, malformed: Malformed) {
        let _ = self.settle::<()>(Err(malformed.into()));
    }

    /// There is no connection (any more).
    pub(crate) fn set_absence(&self) -> Failed {
        self.set(codes::SERVER_GONE_ERROR, *b"HY000", b"MySQL server has gone away".to_vec());
        Failed
    }

    /// The driver has panicked: an `Error` is thrown, whatever else is reported how.
    pub(crate) fn set_bug(&self) -> Failed {
        let warnings = Warnings { replace_error: true, ..Warnings::default() };
        self.set_warning(codes::UNKNOWN_ERROR, *b"HY000", BUG.to_vec(), warnings);
        throw_bug();
        Failed
    }

    #[inline]
    pub(crate) fn clear(&self) {
        // Before each row there is nothing, but once.
        if !self.0.peek(Vec::is_empty).unwrap_or(false) {
            let _ = self.0.with(Vec::clear);
        }
    }

    /// Takes the errors out.
    pub(crate) fn take(&self) -> Vec<Failure> {
        self.0.with(std::mem::take).unwrap_or_default()
    }

    pub(crate) fn put(&self, failures: Vec<Failure>) {
        let _ = self.0.with(|kept| *kept = failures);
    }

    /// Adds errors of another's.
    pub(crate) fn append(&self, mut failures: Vec<Failure>) {
        let _ = self.0.with(|kept| kept.append(&mut failures));
    }

    /// Other ones of them.
    pub(crate) fn copy(&self) -> Vec<Failure> {
        self.0.peek(Clone::clone).unwrap_or_default()
    }

    /// Looks at the last error. No user code may run inside.
    pub(crate) fn look<R>(&self, look: impl FnOnce(Option<&Failure>) -> R) -> Option<R> {
        self.0.peek(|failures| look(failures.last())).ok()
    }

    /// Warns of the error as stock does, once.
    pub(crate) fn warn(&self) -> Outcome {
        let next = || {
            let first = self.look(|failure| {
                let warnings = &failure?.warnings;
                Some((Str::new(warnings.texts.first()?.as_bytes()), warnings.name_function))
            });
            let _ = self.0.with(|failures| {
                let warnings = failures.last_mut().map(|failure| &mut failure.warnings);
                warnings.filter(|it| !it.texts.is_empty()).map(|it| it.texts.remove(0))
            });
            first.flatten()
        };
        while let Some((text, names_function)) = next() {
            if names_function {
                warning(&[text.bytes()]);
            } else {
                plain_warning(&[text.bytes()]);
            }
            text.release();
            if is_pending() {
                return Err(Thrown);
            }
        }
        Ok(())
    }

    /// The error's number; 0: none.
    pub(crate) fn errno(&self) -> u16 {
        self.look(|failure| failure.map_or(0, |failure| failure.errno)).unwrap_or(0)
    }

    /// The error's SQLSTATE.
    pub(crate) fn sqlstate(&self) -> [u8; 5] {
        self.look(|failure| failure.map_or(*b"00000", |failure| failure.sqlstate))
            .unwrap_or(*b"HY000")
    }

    /// Writes the error's text.
    pub(crate) fn write_text(&self, slot: Slot<'_>) {
        let message = self.look(|failure| Str::new(failure.map_or(b"", |it| &it.message)));
        slot.str(message.unwrap_or_else(|| Str::new(b"")));
    }

    /// Writes the list of errors.
    pub(crate) fn write_list(&self, slot: Slot<'_>) {
        let mut list = List::new(slot, 0);
        // Strings and arrays only: no user code runs while the errors are looked at.
        let _ = self.0.peek(|failures| {
            for failure in failures {
                let mut entry = Map::new(list.push(), 3);
                entry.insert_named(b"errno").long(failure.errno.into());
                entry.insert_named(b"sqlstate").bytes(&failure.sqlstate);
                entry.insert_named(b"error").bytes(&failure.message);
            }
        });
    }
}
