//! Rows as arrays: one by one, or all that are left.

use super::advanced::Advanced;
use super::rows::{Place, Rows};
use crate::convert::Shape;
use crate::zend::array::List;
use crate::zend::error::Outcome;
use crate::zend::memory::is_memory_exhausted;
use crate::zend::row::Recycler;
use crate::zend::slot::Slot;

impl Rows {
    /// Fetches the next row into `slot`: an array that nobody else has; NULL at the end; false, and the error reported, on failure.
    pub(crate) fn fetch(&self, shape: Shape, slot: Slot<'_>) -> Outcome {
        self.fetch_as(shape, slot, None)
    }

    /// The same for a script's loop, which may get the array of an earlier row once more if nobody has that any more.
    pub(crate) fn fetch_recycled(&self, shape: Shape, slot: Slot<'_>) -> Outcome {
        self.fetch_as(shape, slot, Some(&self.recycler))
    }

    #[inline(always)]
    fn fetch_as(&self, shape: Shape, slot: Slot<'_>, recycler: Option<&Recycler>) -> Outcome {
        self.begin();
        let written = self.next_here(
            slot,
            #[inline(always)]
            |slot, row| self.layout.write(row, &self.columns, shape, slot, recycler),
        );
        written.or_else(|slot| self.fetch_on(shape, slot, recycler))
    }

    /// Fetches a row that is not here yet, or none.
    #[inline(never)]
    fn fetch_on(&self, shape: Shape, slot: Slot<'_>, recycler: Option<&Recycler>) -> Outcome {
        match self.go_on_telling(false).map(|(advanced, _)| advanced) {
            Ok(Advanced::Row) => {
                self.row(|row| self.layout.write(row, &self.columns, shape, slot, recycler));
                Ok(())
            }
            Ok(Advanced::End) => {
                self.recycler.clear();
                slot.null();
                Ok(())
            }
            other => {
                slot.bool(false);
                self.report(other)
            }
        }
    }

    /// Fetches all rows that are left into a list, each as an array; not all of them if the script may have no more memory: PHP
    /// ends it as soon as it gets control.
    pub(crate) fn fetch_all(&self, shape: Shape, slot: Slot<'_>) -> Outcome {
        self.begin();
        let mut all = List::new(slot, u32::try_from(self.row_count()).unwrap_or(0));
        self.write_here(shape, &mut all);
        while !is_memory_exhausted() {
            match self.go_on_telling(true) {
                Ok((Advanced::Row, 1)) => {
                    self.row(|row| {
                        self.layout.write(row, &self.columns, shape, all.push(), None);
                    });
                }
                Ok((Advanced::Row, count)) => {
                    let columns = &self.columns;
                    self.session.look(|it| {
                        self.layout.write_all(it.current_rows(), count, columns, shape, &mut all)
                    });
                }
                ended => return self.report(ended.map(|(advanced, _)| advanced)),
            }
        }
        Ok(())
    }

    /// Writes the rows that are all here, up to the last one or to the end of memory.
    fn write_here(&self, shape: Shape, all: &mut List) {
        let Place::Here { rows, count, position, fetched, is_spoilt } = &self.place else {
            return;
        };
        // What has to be said of a last row that is spoilt is said where it is fetched.
        let (begin, end) = (position.get(), count - u64::from(*is_spoilt && *count > 0));
        let written = rows.peek(|rows| {
            let count = u32::try_from(end.saturating_sub(begin)).unwrap_or(u32::MAX);
            let rows = rows.as_ref()?.rows_from(begin);
            Some(self.layout.write_all(rows, count, &self.columns, shape, all))
        });
        let written = u64::from(written.ok().flatten().unwrap_or(0));
        if written > 0 {
            position.set(begin + written);
            fetched.set(Some(begin + written - 1));
            self.count(written);
        }
    }
}
