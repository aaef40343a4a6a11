//! What a script sees of the statistics: of one connection, and of all together.

use super::{link, report};
use crate::session::{Session, pool};
use crate::statistics::Totals;
use crate::vaquita::statistics::write_pool;
use crate::zend::array::Map;
use crate::zend::call::Call;
use crate::zend::error::Outcome;

/// `mysqli_get_client_stats`.
pub(crate) fn get_client_stats(call: &mut Call<'_>) -> Outcome {
    call.arity(0, 0)?;
    let mut totals = Totals::new();
    totals.add_ended();
    Session::add_all_to(&mut totals);
    totals.write(call.returns());
    Ok(())
}

/// `mysqli_get_connection_stats`.
pub(crate) fn get_connection_stats(call: &mut Call<'_>) -> Outcome {
    let session = link::only_argument(call)?;
    let mut totals = Totals::new();
    session.add_to(&mut totals);
    totals.write(call.returns());
    Ok(())
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

/// `Vaquita\pool_stats`: what became of this process's persistent links.
pub(crate) fn pool_stats(call: &mut Call<'_>) -> Outcome {
    call.arity(0, 0)?;
    write_pool(&mut Map::new(call.returns(), 10), &pool::stats());
    Ok(())
}
