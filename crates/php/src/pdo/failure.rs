//! How a call of PDO's went: what `errorInfo()` tells, in PDO's words.

use crate::session::Session;
use crate::session::failure::LastError;
use crate::zend::string::Str;
use vaquita_client::codes;

/// Where results of the same query are still to come.
const PENDING_RESULTS: &[u8] = b"Cannot execute queries while there are pending result sets. \
    Consider unsetting the previous PDOStatement or calling PDOStatement::closeCursor()";
/// Where rows are still to come.
const PENDING_ROWS: &[u8] = b"Cannot execute queries while other unbuffered queries are active.  \
    Consider using PDOStatement::fetchAll().  Alternatively, if your code is only ever going to run against mysql, you may enable query \
    buffering by setting the PDO::MYSQL_ATTR_USE_BUFFERED_QUERY attribute.";

/// What the script is told of a failure.
#[derive(Clone, Copy)]
pub(super) struct Told {
    pub(super) number: u16,
    pub(super) sqlstate: [u8; 5],
    pub(super) text: Str,
}

/// What `error` is told as; `None`: there is none.
pub(super) fn told(error: &LastError) -> Option<Told> {
    let told = error.look(|failure| {
        failure.map(|failure| Told {
            number: failure.errno,
            sqlstate: failure.sqlstate,
            text: Str::new(&failure.message),
        })
    });
    told.flatten()
}

/// Takes over the last error of the session, or of a statement on it, if it has one, and gives back its SQLSTATE.
pub(super) fn take_over(error: &LastError, last: &LastError, session: &Session) -> [u8; 5] {
    let mut failures = last.copy();
    // What is in the way is known now, and may be gone when the script asks.
    if let Some(last) = failures.last_mut().filter(|it| it.errno == codes::COMMANDS_OUT_OF_SYNC) {
        last.message = if session.more_results() { PENDING_RESULTS } else { PENDING_ROWS }.to_vec();
    }
    error.put(failures);
    error.sqlstate()
}
