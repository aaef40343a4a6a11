//! The next row where it is here already, which is what most fetches come to.

use super::{Place, Rows};
use vaquita_client::Row;

impl Rows {
    /// Goes on to the next row and looks at it, if it is here and can be read. If not, `with` comes back, and no row is passed over:
    /// [`Rows::advance`] has more to do. Zend calls that allocate are welcome inside, user code is not.
    #[inline(always)]
    pub(crate) fn next_here<T>(&self, with: T, look: impl Fn(T, Row<'_>)) -> Result<(), T> {
        match &self.place {
            Place::Here { rows, count, position, fetched, is_spoilt: false } => {
                let number = position.get();
                if number >= *count {
                    return Err(with);
                }
                let mut with = Some(with);
                let _ = rows.peek(|rows| {
                    let row = rows.as_ref()?.row(number)?;
                    position.set(number + 1);
                    fetched.set(Some(number));
                    self.count(1);
                    look(with.take()?, row);
                    Some(())
                });
                with.map_or(Ok(()), Err)
            }
            Place::There { cursor: None, ended }
                if !ended.get() && self.is_current() && self.session.advance_received() =>
            {
                self.count(1);
                let mut with = Some(with);
                self.session.current_row(|row| {
                    if let Some(with) = with.take() {
                        look(with, row);
                    }
                });
                with.map_or(Ok(()), Err)
            }
            _ => Err(with),
        }
    }
}
