//! What was promised of persistent connections.

use super::loops::{Api, Kind, Loop, What};
use super::runner::{Sample, ratio};
use super::table::Table;
use crate::figure::Ratio;
use crate::promise::Promise;

/// Connecting and closing, to stock.
pub(crate) const CONNECT: f64 = 50.0;
/// With a query between, to stock.
pub(crate) const SELECT: f64 = 2.5;
/// The same, to the query alone on an open connection.
pub(crate) const SELECT_TO_OPEN: f64 = 0.9;

/// What was promised of mysqli's `p:` on a server reached one way.
pub(super) fn of(table: &Table) -> Vec<Promise> {
    let runs = |what, kind| table.of(Loop::new(Api::Mysqli, what, kind));
    let connect = runs(What::Connect, Kind::Persistent).and_then(|runs| runs.ratio());
    let select = runs(What::Select, Kind::Persistent);
    let to_stock = select.and_then(|runs| runs.ratio());
    let to_open = select
        .zip(runs(What::Select, Kind::Open))
        .and_then(|(closed, open)| ratio(&closed.vaquita, &open.vaquita, Sample::rate));
    [
        ("connect with p:", connect, CONNECT, "times stock's rate"),
        ("connect+SELECT 1 with p:", to_stock, SELECT, "times stock's rate"),
        (
            "connect+SELECT 1 with p:",
            to_open,
            SELECT_TO_OPEN,
            "times the rate of SELECT 1 on an open one",
        ),
    ]
    .into_iter()
    .map(|(what, ratio, least, of)| Promise {
        what: format!("{}: {what} {} {of}, at least {least}", table.place, Ratio(ratio)),
        is_held: ratio.is_some_and(|ratio| ratio >= least),
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::super::runner::tests::sample;
    use super::super::table::Runs;
    use super::*;

    fn table(connect: f64, select: f64, open: f64) -> Table {
        let runs = |what, kind, vaquita| Runs {
            stock: vec![sample(1000.0)],
            vaquita: vec![sample(vaquita)],
            ..Runs::new(Loop::new(Api::Mysqli, what, kind))
        };
        let runs = vec![
            runs(What::Connect, Kind::Persistent, connect),
            runs(What::Select, Kind::Persistent, select),
            runs(What::Select, Kind::Open, open),
        ];
        Table { place: "a server".to_owned(), runs }
    }

    #[test]
    fn promises_are_held_or_missed_and_nothing_between() {
        let is_held = |table: &Table| of(table).iter().map(|it| it.is_held).collect::<Vec<_>>();
        assert_eq!(is_held(&table(50_000.0, 2500.0, 2777.0)), [true, true, true]);
        assert_eq!(is_held(&table(49_999.0, 2499.9, 2778.0)), [false, false, false]);
        assert_eq!(is_held(&Table { place: String::new(), runs: Vec::new() }), [false; 3]);
    }

    #[test]
    fn they_say_what_was_measured() {
        let all = of(&table(49_999.0, 2500.0, 2600.0));
        let missed = "missed  a server: connect with p: 49.99 times stock's rate, at least 50";
        assert_eq!(all.first().map(ToString::to_string).as_deref(), Some(missed));
    }
}
