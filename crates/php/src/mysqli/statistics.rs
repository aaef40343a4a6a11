//! What a script sees of the statistics: of one connection, and of all together.

use super::link::{self, Link};
use super::report;
use super::result::ResultSet;
use super::statement::Statement;
use crate::session::rows::Rows;
use crate::session::{Session, pool};
use crate::statistics::Totals;
use crate::zend::array::Map;
use crate::zend::call::Call;
use crate::zend::error::Outcome;
use crate::zend::object::each_living;
use vaquita_client::Connection;

/// `mysqli_get_client_stats`.
pub(crate) fn get_client_stats(call: &mut Call<'_>) -> Outcome {
    call.arity(0, 0)?;
    let mut totals = Totals::new();
    totals.add_ended();
    each_living::<Link>(|link| add_session(&mut totals, &link.session));
    add_results(&mut totals, |_| true);
    totals.write(call.returns());
    Ok(())
}

/// `mysqli_get_connection_stats`.
pub(crate) fn get_connection_stats(call: &mut Call<'_>) -> Outcome {
    let session = link::only_argument(call)?;
    let mut totals = Totals::new();
    add_session(&mut totals, session);
    add_results(&mut totals, |rows| rows.belong_to(session));
    totals.write(call.returns());
    Ok(())
}

/// Adds what was counted of a session's connection, if it has one.
fn add_session(totals: &mut Totals, session: &Session) {
    totals.add_counters(&session.counters);
    if let Some(counted) = session.look(Connection::counted) {
        totals.add_driver(&counted);
    }
}

/// Adds what was fetched from the results that are there and wanted.
fn add_results(totals: &mut Totals, is_wanted: impl Fn(&Rows) -> bool) {
    let mut add = |rows: &Rows| {
        if is_wanted(rows) {
            rows.tell(|key, number| totals.add(key, number));
        }
    };
    each_living::<ResultSet>(|result| result.look(&mut add));
    each_living::<Statement>(|statement| statement.look_at_rows(&mut add));
}

/// `mysqli_get_links_stats`.
pub(crate) fn get_links_stats(call: &mut Call<'_>) -> Outcome {
    call.arity(0, 0)?;
    let mut stats = Map::new(call.returns(), 3);
    stats.insert_named(b"total").long(report::open_links());
    stats.insert_named(b"active_plinks").long(pool::active());
    stats.insert_named(b"cached_plinks").long(pool::idle());
    Ok(())
}
