//! Every way to fetch from a result.

use super::result::{Open, ResultSet, only_argument};
use crate::convert::Shape;
use crate::session::advanced::Advanced;
use crate::zend::blueprint::Blueprint;
use crate::zend::call::Call;
use crate::zend::error::Outcome;
use vaquita_client::panic_point;

/// `mysqli_fetch_row`.
pub(crate) fn fetch_row(call: &mut Call<'_>) -> Outcome {
    let open = only_argument(call)?;
    fetch(call, open, Shape::List)
}

/// `mysqli_fetch_assoc`.
pub(crate) fn fetch_assoc(call: &mut Call<'_>) -> Outcome {
    panic_point("php/mysqli/fetch");
    let open = only_argument(call)?;
    fetch(call, open, Shape::Map)
}

/// Fetches the next row. Of the functions PHP's compilers know that nobody else has the array that they return
/// (`@refcount 1` in the stubs), and rely on it; of methods they know nothing.
#[inline(always)]
fn fetch(call: &mut Call<'_>, open: &Open, shape: Shape) -> Outcome {
    if call.is_method() {
        open.fetch_recycled(shape, call.returns())
    } else {
        open.fetch(shape, call.returns())
    }
}

/// `MYSQLI_ASSOC`.
pub(crate) const ASSOC: i64 = 1;

/// What a fetch mode asks for; `MYSQLI_ASSOC` 1, `MYSQLI_NUM` 2, `MYSQLI_BOTH` 3.
pub(crate) fn shape(call: &Call<'_>, mode: i64) -> Outcome<Shape> {
    match mode {
        ASSOC => Ok(Shape::Map),
        2 => Ok(Shape::List),
        3 => Ok(Shape::Both),
        _ => Err(call.value_error(1, c"must be one of MYSQLI_NUM, MYSQLI_ASSOC, or MYSQLI_BOTH")),
    }
}

/// `mysqli_fetch_array`.
pub(crate) fn fetch_array(call: &mut Call<'_>) -> Outcome {
    const BOTH: i64 = 3;
    let object = call.receiver::<ResultSet>(0, 1)?;
    let mode = call.long_or(BOTH)?;
    let open = ResultSet::of(object)?;
    let shape = shape(call, mode)?;
    fetch(call, open, shape)
}

/// `mysqli_fetch_object`.
pub(crate) fn fetch_object(call: &mut Call<'_>) -> Outcome {
    let object = call.receiver::<ResultSet>(0, 2)?;
    let blueprint = Blueprint::from_call(call)?;
    let open = ResultSet::of(object)?;
    open.fetch(Shape::Map, call.returns())?;
    let position = call.position(2);
    let returned = call.returns();
    // At the end there is NULL, after a failure false.
    if returned.is_array() { blueprint.build(&returned, position) } else { Ok(()) }
}

/// `mysqli_fetch_column`.
pub(crate) fn fetch_column(call: &mut Call<'_>) -> Outcome {
    let object = call.receiver::<ResultSet>(0, 1)?;
    let column = call.long_or(0)?;
    let open = ResultSet::of(object)?;
    if column < 0 {
        return Err(call.value_error(1, c"must be greater than or equal to 0"));
    }
    if column >= open.field_count() {
        return Err(
            call.value_error(1, c"must be less than the number of fields for this result set")
        );
    }
    let column = usize::try_from(column).unwrap_or(usize::MAX);
    open.begin();
    match open.advance() {
        Ok(Advanced::Row) => {
            open.row(|row| open.layout.write_column(row, column, call.returns()));
            Ok(())
        }
        ended => {
            call.returns().bool(false);
            open.report(ended)
        }
    }
}

/// `mysqli_fetch_all`: on an unbuffered result the rows are converted as they arrive.
pub(crate) fn fetch_all(call: &mut Call<'_>) -> Outcome {
    const NUM: i64 = 2;
    let object = call.receiver::<ResultSet>(0, 1)?;
    let mode = call.long_or(NUM)?;
    let open = ResultSet::of(object)?;
    let shape = shape(call, mode)?;
    open.fetch_all(shape, call.returns())
}
