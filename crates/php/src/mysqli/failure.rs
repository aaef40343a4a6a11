//! How a link's last call went: what `errno`, `sqlstate` and `error` tell, and how it is reported.

use super::report;
use super::session::Session;
use crate::zend::error::Outcome;
use crate::zend::slot::Slot;
use crate::zend::string::Str;
use crate::zend::version;
use vaquita_client::{Error, LocalInfileRefusal, codes};

/// Stock's words, which name the settings that would allow it.
const LOCAL_INFILE_REFUSED: &[u8] =
    b"LOAD DATA LOCAL INFILE is forbidden, check related settings like \
    mysqli.allow_local_infile|mysqli.local_infile_directory or \
    PDO::MYSQL_ATTR_LOCAL_INFILE|PDO::MYSQL_ATTR_LOCAL_INFILE_DIRECTORY";

/// The number and text of a failure to connect, as stock has them.
pub(super) fn connect_failure(error: &Error) -> (u16, Vec<u8>) {
    if let Error::Tls(reason) = error {
        // Stock tells the reason in warnings, if at all.
        let message = format!("Cannot connect to MySQL using SSL: {reason}");
        return (codes::CONNECTION_ERROR, message.into_bytes());
    }
    let text = error.message();
    // A name that has no address is reported by PHP's streams in stock, under their name.
    let prefix: &[u8] =
        if text.starts_with(b"getaddrinfo for ") { b"php_network_getaddresses: " } else { b"" };
    (error.code(), [prefix, &text].concat())
}

/// The last error: what `errno`, `sqlstate` and `error` say.
pub(crate) struct Failure {
    pub(crate) errno: u16,
    pub(crate) sqlstate: [u8; 5],
    pub(crate) message: Vec<u8>,
}

/// Set where an error has been recorded in the session.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Failed;

impl Session {
    /// Records what the driver failed with.
    pub(super) fn settle<R>(&self, result: Result<R, Error>) -> Result<R, Failed> {
        result.map_err(|error| {
            // Stock passes on what a server says as it goes since PHP 8.4; before that it is gone, as if it had said nothing.
            if let Some(goodbye) = error.goodbye().filter(|_| version::is_at_least(804)) {
                self.fail(goodbye.code, goodbye.sqlstate, goodbye.message.clone());
                return Failed;
            }
            let message = match error {
                Error::LocalInfileRefused(LocalInfileRefusal::Forbidden) => {
                    LOCAL_INFILE_REFUSED.to_vec()
                }
                _ => error.message().into_owned(),
            };
            self.fail(error.code(), error.sqlstate(), message);
            Failed
        })
    }

    /// There is no connection (any more).
    pub(super) fn fail_by_absence(&self) -> Failed {
        self.fail(codes::SERVER_GONE_ERROR, *b"HY000", b"MySQL server has gone away".to_vec());
        Failed
    }

    /// The driver has a bug; what it said went to the standard error stream.
    pub(super) fn fail_by_bug(&self) -> Failed {
        let message = b"Vaquita: internal error, the connection was given up; please report it";
        self.fail(codes::UNKNOWN_ERROR, *b"HY000", message.to_vec());
        Failed
    }

    /// Records an error.
    pub(crate) fn fail(&self, errno: u16, sqlstate: [u8; 5], message: Vec<u8>) {
        let _ = self.failure.with(|failure| *failure = Some(Failure { errno, sqlstate, message }));
    }

    pub(crate) fn clear_failure(&self) {
        let _ = self.failure.with(|failure| *failure = None);
    }

    /// Does something that must not change what the last error was.
    pub(crate) fn keeping_failure(&self, work: impl FnOnce(&Session)) {
        let kept = self.failure.with(Option::take);
        work(self);
        let _ = self.failure.with(|failure| *failure = kept.ok().flatten());
    }

    /// Looks at the last error. No user code may run inside.
    pub(crate) fn failure<R>(&self, look: impl FnOnce(Option<&Failure>) -> R) -> Option<R> {
        self.failure.peek(|failure| look(failure.as_ref())).ok()
    }

    /// Reports the last error as the report mode asks: an exception, a warning or nothing.
    pub(crate) fn report(&self) -> Outcome {
        if report::reports_errors() { self.raise() } else { Ok(()) }
    }

    /// Reports the last error whatever the report mode; only how is up to it.
    pub(crate) fn raise(&self) -> Outcome {
        let failure = self.failure(|failure| {
            failure.map(|failure| {
                (failure.errno, Str::new(&failure.sqlstate), Str::new(&failure.message))
            })
        });
        match failure.flatten() {
            Some((errno, sqlstate, message)) => report::raise(errno, sqlstate, message),
            None => Ok(()),
        }
    }

    /// Writes the last error's text.
    pub(crate) fn write_error(&self, slot: Slot<'_>) {
        let message =
            self.failure(|failure| Str::new(failure.map_or(b"", |failure| &failure.message)));
        slot.str(message.unwrap_or_else(|| Str::new(b"")));
    }

    /// The last error's number; 0: none.
    pub(crate) fn errno(&self) -> u16 {
        self.failure(|failure| failure.map_or(0, |failure| failure.errno)).unwrap_or(0)
    }

    /// The last error's SQLSTATE.
    pub(crate) fn sqlstate(&self) -> [u8; 5] {
        self.failure(|failure| failure.map_or(*b"00000", |failure| failure.sqlstate))
            .unwrap_or(*b"HY000")
    }
}
