//! The next row where it is here already, which is what most fetches come to.

use super::{Place, Rows};
use vaquita_client::Row;

impl Rows {
    /// Goes on to the next row and looks at it, if it is here and can be read. `None`, and no row is passed over:
    /// [`Rows::advance`] has more to do. Zend calls that allocate are welcome inside, user code is not.
    #[inline]
    pub(crate) fn next_here<R>(&self, look: impl FnOnce(Row<'_>) -> R) -> Option<R> {
        match &self.place {
            Place::Here { rows, count, position, fetched, fetches, spoilt: None } => {
                let number = position.get();
                if number >= *count {
                    return None;
                }
                self.follow_native();
                let looked = rows.peek(|rows| {
                    let row = rows.as_ref()?.row(number)?;
                    position.set(number + 1);
                    fetched.set(Some(number));
                    fetches.set(fetches.get() + 1);
                    Some(look(row))
                });
                looked.ok().flatten()
            }
            Place::There { cursor: None, fetched, ended }
                if !ended.get() && self.is_current() && self.session.advance_received() =>
            {
                fetched.set(fetched.get() + 1);
                self.follow_native();
                self.session.current_row(look)
            }
            _ => None,
        }
    }
}
