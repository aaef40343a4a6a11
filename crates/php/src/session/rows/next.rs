//! The next row where it is here already, which is what most fetches come to.

use super::{Place, Rows};
use vaquita_client::Row;

impl Rows {
    /// Goes on to the next row and looks at it, if it is here and can be read. `None`, and no row is passed over:
    /// [`Rows::advance`] has more to do. Zend calls that allocate are welcome inside, user code is not.
    #[inline]
    pub(crate) fn next_here<R>(&self, look: impl FnOnce(Row<'_>) -> R) -> Option<R> {
        match &self.place {
            Place::Here { rows, count, position, fetched, spoilt: None } => {
                let number = position.get();
                if number >= *count {
                    return None;
                }
                let looked = rows.peek(|rows| {
                    let row = rows.as_ref()?.row(number)?;
                    position.set(number + 1);
                    fetched.set(Some(number));
                    self.count(1);
                    Some(look(row))
                });
                looked.ok().flatten()
            }
            Place::There { cursor: None, ended }
                if !ended.get() && self.is_current() && self.session.advance_received() =>
            {
                self.count(1);
                self.session.current_row(look)
            }
            _ => None,
        }
    }
}
