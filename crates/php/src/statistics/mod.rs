//! mysqlnd's statistics: the counters of a connection while it lives, and of this thread for all that has ended.
//!
//! The driver counts traffic; what becomes of results is counted here. A connection's counters join those of the thread when it
//! ends, and what was fetched from a result joins them when the result goes: who asks before that adds what still lives.
//!
//! There are no counters of memory (`mem_*`): the driver's memory is not mysqlnd's, and its parts have no such names. What else
//! stays 0 has nothing that it could count: `copy_on_write_*`, `command_buffer_too_small`, commands that nobody sends any more.

mod keys;
mod tally;

pub(crate) use keys::Key;
pub(crate) use tally::{ColumnTally, RowTally};

use crate::zend::array::Map;
use crate::zend::slot::Slot;
use crate::zend::string::Str;
use core::cell::{Cell, RefCell};
use keys::{COUNT, NAMES};
use vaquita_client::Statistics;

thread_local! {
    /// `mysqlnd.collect_statistics`.
    static IS_COLLECTING: Cell<bool> = const { Cell::new(true) };
    /// What has ended, and what never belonged to a connection.
    static ENDED: Counters = const { Counters::new() };
    /// What the driver counted of it.
    static ENDED_DRIVER: RefCell<Statistics> = RefCell::default();
}

/// Takes note of the setting `mysqlnd.collect_statistics`.
pub(crate) fn collect(on: bool) {
    IS_COLLECTING.set(on);
}

/// Whether statistics are collected.
pub(crate) fn is_collecting() -> bool {
    IS_COLLECTING.get()
}

/// Counts something that belongs to no connection, or to none any more.
pub(crate) fn with_ended(count: impl FnOnce(&Counters)) {
    ENDED.with(count);
}

/// Counts what the driver counted of a connection that never came about.
pub(crate) fn count_driver(counted: &Statistics) {
    if is_collecting() {
        ENDED.with(|ended| ended.add_driver(counted));
    }
}

/// What the driver counted of all that has ended.
pub(crate) fn ended_driver() -> Statistics {
    ENDED_DRIVER.with_borrow(Clone::clone)
}

/// The counters of something that goes on counting.
pub(crate) struct Counters {
    numbers: [Cell<u64>; COUNT],
    /// Which of them are not 0, a bit each: most stay so.
    counted: [Cell<u64>; COUNT.div_ceil(64)],
}

impl Counters {
    pub(crate) const fn new() -> Counters {
        Counters {
            numbers: [const { Cell::new(0) }; COUNT],
            counted: [const { Cell::new(0) }; COUNT.div_ceil(64)],
        }
    }

    pub(crate) fn add(&self, key: Key, number: u64) {
        self.add_at(key as usize, number);
    }

    pub(crate) fn add_at(&self, index: usize, number: u64) {
        if let (Some(counter), Some(counted)) =
            (self.numbers.get(index), self.counted.get(index / 64))
        {
            counter.set(counter.get().wrapping_add(number));
            counted.set(counted.get() | 1 << (index % 64));
        }
    }

    fn add_all(&self, totals: &Totals) {
        for (index, number) in totals.0.iter().enumerate().filter(|(_, number)| **number != 0) {
            self.add_at(index, *number);
        }
    }

    /// Gives all that was counted to the thread, and begins anew.
    pub(crate) fn end(&self, counted: &Statistics) {
        ENDED.with(|ended| {
            self.take(|index, number| ended.add_at(index, number));
            ended.add_driver(counted);
        });
    }

    /// Takes out what was counted.
    fn take(&self, mut add: impl FnMut(usize, u64)) {
        for (start, counted) in (0..).step_by(64).zip(&self.counted) {
            let mut left = counted.take();
            while left != 0 {
                let index = start + left.trailing_zeros() as usize;
                left &= left - 1;
                let number = self.numbers.get(index).map_or(0, Cell::take);
                // A number of what is open now: it ends with the connection.
                let is_of_now = index == Key::active_connections as usize
                    || index == Key::active_persistent_connections as usize;
                if !is_of_now {
                    add(index, number);
                }
            }
        }
    }

    /// Adds what the driver counted.
    fn add_driver(&self, counted: &Statistics) {
        if *counted != Statistics::default() {
            ENDED_DRIVER.with_borrow_mut(|ended| ended.add(counted));
            let mut totals = Totals::new();
            keys::add_driver(&mut totals, counted);
            self.add_all(&totals);
        }
    }
}

/// All counters, summed up for a moment.
pub(crate) struct Totals([u64; COUNT]);

impl Totals {
    /// None yet.
    pub(crate) fn new() -> Totals {
        Totals([0; COUNT])
    }

    pub(crate) fn of(&self, key: Key) -> u64 {
        self.0.get(key as usize).copied().unwrap_or_default()
    }

    pub(crate) fn add(&mut self, key: Key, number: u64) {
        self.add_at(key as usize, number);
    }

    pub(crate) fn add_at(&mut self, index: usize, number: u64) {
        if let Some(total) = self.0.get_mut(index) {
            *total = total.wrapping_add(number);
        }
    }

    /// Adds what the driver counted of a connection.
    pub(crate) fn add_driver(&mut self, counted: &Statistics) {
        keys::add_driver(self, counted);
    }

    /// Adds all that has ended.
    pub(crate) fn add_ended(&mut self) {
        ENDED.with(|ended| self.add_counters(ended));
    }

    pub(crate) fn add_counters(&mut self, counters: &Counters) {
        for (total, counter) in self.0.iter_mut().zip(&counters.numbers) {
            *total = total.wrapping_add(counter.get());
        }
    }

    /// Writes them as an array of strings.
    pub(crate) fn write(&self, slot: Slot<'_>) {
        let mut array = Map::new(slot, u32::try_from(COUNT).unwrap_or_default());
        for (name, number) in NAMES.iter().zip(self.0) {
            array.insert_named(name.as_bytes()).str(Str::decimal(number));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_as_many_counters_as_stock_has_and_in_its_order() {
        assert_eq!(NAMES.len(), 163);
        assert_eq!((NAMES[0], NAMES[162]), ("bytes_sent", "bytes_received_real_data_ps"));
        assert_eq!(NAMES[Key::com_deamon as usize], "com_deamon");
        assert_eq!(Key::com_deamon as usize - Key::com_quit as usize, 28);
    }
}
