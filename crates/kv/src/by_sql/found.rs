//! The rows of keys, as they were received.

use vaquita_client::{Buffered, ColumnDefinition41, Row, binary_value};

/// What was found of the keys that were asked for: rows of prepared statements.
#[derive(Debug)]
pub struct Found {
    results: Vec<Buffered>,
    /// For each key its row: the number of the result, and of the row in it.
    places: Vec<Option<(usize, u64)>>,
    /// How many of a row's values were asked for; there may be others behind them.
    values: usize,
}

impl Found {
    pub(super) fn none(keys: usize, values: usize) -> Found {
        Found { results: Vec::new(), places: vec![None; keys], values }
    }

    /// Adds the row of one key.
    pub(super) fn add_one(&mut self, key: usize, result: Buffered) {
        if result.rows() > 0 {
            if let Some(place) = self.places.get_mut(key) {
                *place = Some((self.results.len(), 0));
            }
            self.results.push(result);
        }
    }

    /// Adds the row of each of these keys, in their order.
    pub(super) fn add_each(&mut self, keys: &[usize], result: Buffered) {
        for (number, key) in (0..result.rows()).zip(keys) {
            if let Some(place) = self.places.get_mut(*key) {
                *place = Some((self.results.len(), number));
            }
        }
        self.results.push(result);
    }

    /// Whether the row of a key is known.
    pub(super) fn has(&self, key: usize) -> bool {
        self.places.get(key).is_some_and(Option::is_some)
    }

    /// Adds the rows of these keys, each with the number of its key, counted from 1, behind its values.
    pub(super) fn add_many(&mut self, keys: &[usize], result: Buffered) {
        for (row, number) in result.rows_from(0).zip(0..) {
            let of = row.values().nth(self.values).flatten().map(binary_value::unsigned);
            let at = of.and_then(|it| usize::try_from(it).ok()?.checked_sub(1));
            let key = at.and_then(|at| keys.get(at));
            if let Some(place) = key.and_then(|key| self.places.get_mut(*key)) {
                *place = Some((self.results.len(), number));
            }
        }
        self.results.push(result);
    }

    /// How many keys were asked for.
    pub fn keys(&self) -> usize {
        self.places.len()
    }

    /// The row of a key, by its place among those that were asked for. Only the first [`Found::values`] of its values count.
    pub fn row(&self, key: usize) -> Option<Row<'_>> {
        let (result, number) = (*self.places.get(key)?)?;
        self.results.get(result)?.row(number)
    }

    /// The columns of a key's row, all of them. They are the same for all rows, unless the table is changed while it is asked.
    pub fn columns(&self, key: usize) -> Option<&[ColumnDefinition41]> {
        let (result, _) = (*self.places.get(key)?)?;
        self.results.get(result)?.columns().get(..self.values)
    }

    /// How many values of a row were asked for.
    pub fn values(&self) -> usize {
        self.values
    }

    /// The results in which the rows stand.
    pub fn results(&self) -> &[Buffered] {
        &self.results
    }
}
