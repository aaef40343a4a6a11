//! What a script sees of the statistics: of one connection, and of all together.

use super::{link, report};
use crate::session::{Session, pool};
use crate::statistics::Totals;
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
    let stats = pool::stats();
    let number = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let figures: [(&[u8], i64); 10] = [
        (b"active", pool::active()),
        (b"idle", pool::idle()),
        (b"hits", number(stats.hits)),
        (b"misses", number(stats.misses)),
        (b"resets", number(stats.resets)),
        (b"replaced", number(stats.replaced)),
        (b"evicted_for_room", number(stats.evicted_for_room)),
        (b"evicted_as_idle", number(stats.evicted_as_idle)),
        (b"evicted_as_old", number(stats.evicted_as_old)),
        (b"evicted_as_spoilt", number(stats.evicted_as_spoilt)),
    ];
    let mut map = Map::new(call.returns(), 10);
    for (name, figure) in figures {
        map.insert_named(name).long(figure);
    }
    Ok(())
}
