//! `Vaquita\rows` and the class of what it returns: the rows of a result, kept as they came and decoded when they are read.

use super::row::Row;
use super::row_iterator::RowIterator;
use super::table::Table;
use crate::convert::Shape;
use crate::mysqli::fetch;
use crate::mysqli::report;
use crate::mysqli::result::ResultSet;
use crate::pdo::statement::Statement;
use crate::session::advanced::warn_of;
use crate::session::failure::OUT_OF_SYNC;
use crate::session::rows::{Kept, Unkept, Which};
use crate::zend::array::{List, Map};
use crate::zend::call::Call;
use crate::zend::elements::{self, Elements, Offset, View};
use crate::zend::error::{
    Outcome, Thrown, throw_argument_type_error, throw_error, throw_type_error,
};
use crate::zend::iterator::Iterate;
use crate::zend::object::{Class, ClassSlot, Object, make};
use crate::zend::pdo::{self, Given, Running, Treatment};
use crate::zend::property::Property;
use crate::zend::slot::{Kind, Slot, Value};
use crate::zend::string::Str;
use core::cell::OnceCell;
use std::rc::Rc;
use vaquita_client::{ColumnDefinition41, codes};

/// An object of class `Vaquita\Rows`.
pub(crate) struct Rows {
    /// Empty until the call that makes the object puts it in.
    table: OnceCell<Rc<Table>>,
}

static CLASS: ClassSlot = ClassSlot::new();

impl Class for Rows {
    fn new() -> Rows {
        Rows { table: OnceCell::new() }
    }

    fn class() -> &'static ClassSlot {
        &CLASS
    }

    const PROPERTIES: &'static [Property<Rows>] = &[];
}

impl Rows {
    /// Takes rows over, and makes what reading them needs. The object owns them before anything of Zend's is called.
    fn fill(&self, kept: Kept, shape: Shape, names: Option<Vec<Vec<u8>>>, how: Treatment) {
        let spoilt = kept.spoilt;
        if self.table.set(Table::new(kept, shape, names, how)).is_ok() {
            self.table.get().inspect(|table| table.prepare());
        }
        if let Some(malformed) = spoilt {
            warn_of(malformed);
        }
    }

    fn count(&self) -> u64 {
        self.table.get().map_or(0, |table| table.count())
    }

    /// Writes the row with this number as an object; false: there is none.
    fn write(&self, number: i64, slot: Slot<'_>) -> bool {
        let Some(table) = self.table.get() else { return false };
        let number = u64::try_from(number).ok().filter(|number| *number < table.count());
        let Some(number) = number else { return false };
        make::<Row>(slot).state().show(table, number);
        true
    }
}

/// `Vaquita\rows`.
pub(crate) fn rows(call: &mut Call<'_>) -> Outcome {
    call.arity(1, 2)?;
    let Some(value) = call.value() else { return Err(Thrown) };
    let mode = call.long_or(fetch::ASSOC)?;
    let shape = fetch::shape(call, mode)?;
    // The object comes first: rows that were received have an owner then, whatever Zend does.
    if let Some(result) = Object::<ResultSet>::given(value) {
        let open = ResultSet::of(result)?;
        let rows = make::<Rows>(call.returns());
        let unkept = match open.keep(Which::All) {
            Ok(kept) => {
                rows.fill(kept, shape, None, Treatment::NONE);
                return Ok(());
            }
            Err(unkept) => unkept,
        };
        call.drop_returned();
        return Err(match unkept {
            Unkept::Failed => open.session.error.throw(),
            Unkept::Gone => {
                let (sqlstate, text) = (Str::new(b"HY000"), Str::new(OUT_OF_SYNC));
                report::throw(codes::COMMANDS_OUT_OF_SYNC, sqlstate, text)
            }
        });
    }
    match pdo::statement_of::<Statement>(value) {
        Given::Ours(statement, running) => rows_of_statement(call, shape, statement, running),
        Given::Others(driver) => Err(throw_other_driver(driver)),
        Given::Nothing => Err(throw_type_error(1, c"of type mysqli_result|PDOStatement", value)),
    }
}

/// The rows of a statement of PDO's that were not fetched yet.
fn rows_of_statement(
    call: &mut Call<'_>,
    shape: Shape,
    statement: &Statement,
    running: Running<'_>,
) -> Outcome {
    if !statement.has_rows() {
        let what = c"must have a result: a statement that was executed, and returns rows";
        return Err(call.value_error(0, what));
    }
    let rows = make::<Rows>(call.returns());
    let unkept = match statement.keep(running) {
        Ok(kept) => {
            // PDO may have changed them: their case, the table's name before them.
            let name = |(number, column): (usize, &ColumnDefinition41)| {
                running.column_name(number).unwrap_or(column.name()).to_vec()
            };
            let names = kept.columns.iter().enumerate().map(name).collect();
            rows.fill(kept, shape, Some(names), running.treatment());
            return Ok(());
        }
        Err(unkept) => unkept,
    };
    call.drop_returned();
    Err(match unkept {
        Unkept::Failed => statement.throw(),
        Unkept::Gone => {
            let text = Str::new(OUT_OF_SYNC);
            let thrown = pdo::throw(codes::COMMANDS_OUT_OF_SYNC, *b"HY000", text);
            text.release();
            thrown
        }
    })
}

fn throw_other_driver(driver: &[u8]) -> Thrown {
    if driver.is_empty() {
        return throw_error(&[b"PDOStatement object is uninitialized"]);
    }
    throw_argument_type_error(1, &[b"must be a statement of the PDO driver mysql, not of ", driver])
}

impl Elements for Rows {
    fn element(object: Object<'_, Rows>, offset: Offset, slot: Slot<'_>) -> bool {
        match offset {
            Offset::Number(number) => object.state().write(number, slot),
            Offset::Name(_) => false,
        }
    }

    fn has(object: Object<'_, Rows>, offset: Offset) -> bool {
        match offset {
            Offset::Number(number) => {
                u64::try_from(number).is_ok_and(|number| number < object.state().count())
            }
            Offset::Name(_) => false,
        }
    }

    fn count(object: Object<'_, Rows>) -> u64 {
        object.state().count()
    }

    /// A dump does not decode them: there may be millions.
    fn show(object: Object<'_, Rows>, view: View, slot: Slot<'_>) {
        let rows = object.state();
        let Some(table) = rows.table.get() else {
            List::new(slot, 0);
            return;
        };
        if view == View::Cast {
            return rows.write_objects(slot);
        }
        let mut map = Map::new(slot, 4);
        map.insert_named(b"rows").unsigned(table.count());
        let names = table.names();
        let mut columns = List::new(map.insert_named(b"columns"), 0);
        for name in names {
            columns.push().bytes(name);
        }
        map.insert_named(b"wire_bytes").unsigned(table.wire_bytes());
    }
}

impl Rows {
    /// Writes a list of all rows, as objects.
    fn write_objects(&self, slot: Slot<'_>) {
        match self.table.get() {
            Some(table) => table.write_list(slot, |row, slot| {
                make::<Row>(slot).state().show(table, row);
            }),
            None => drop(List::new(slot, 0)),
        }
    }
}

impl Iterate for Rows {
    fn rewind(_object: Object<'_, Rows>) -> Outcome<bool> {
        Ok(true)
    }

    fn next(object: Object<'_, Rows>, number: i64, slot: Slot<'_>) -> Outcome {
        object.state().write(number, slot);
        Ok(())
    }
}

/// `Vaquita\Rows::__construct`, which is private: rows come from results.
pub(crate) fn construct(_call: &mut Call<'_>) -> Outcome {
    Err(throw_error(&[b"Vaquita\\Rows are made by Vaquita\\rows()"]))
}

pub(crate) fn count(call: &mut Call<'_>) -> Outcome {
    elements::count_method::<Rows>(call)
}

pub(crate) fn offset_exists(call: &mut Call<'_>) -> Outcome {
    elements::offset_exists::<Rows>(call)
}

pub(crate) fn offset_get(call: &mut Call<'_>) -> Outcome {
    elements::offset_get::<Rows>(call)
}

pub(crate) fn offset_set(call: &mut Call<'_>) -> Outcome {
    elements::offset_change::<Rows>(call, 2)
}

pub(crate) fn offset_unset(call: &mut Call<'_>) -> Outcome {
    elements::offset_change::<Rows>(call, 1)
}

/// `Vaquita\Rows::getIterator`: one that can seek; `foreach` needs none.
pub(crate) fn get_iterator(call: &mut Call<'_>) -> Outcome {
    let object = call.receiver::<Rows>(0, 0)?;
    let iterator = make::<RowIterator>(call.returns());
    if let Some(table) = object.state().table.get() {
        iterator.state().walk(table);
    }
    Ok(())
}

/// `Vaquita\Rows::toArray`.
pub(crate) fn to_array(call: &mut Call<'_>) -> Outcome {
    let object = call.receiver::<Rows>(0, 0)?;
    match object.state().table.get() {
        Some(table) => {
            table.write_list(call.returns(), |row, slot| table.write_row(row, slot));
        }
        None => drop(List::new(call.returns(), 0)),
    }
    Ok(())
}

/// `Vaquita\Rows::jsonSerialize`: the rows as objects, which are decoded one after the other.
pub(crate) fn json_serialize(call: &mut Call<'_>) -> Outcome {
    let object = call.receiver::<Rows>(0, 0)?;
    object.state().write_objects(call.returns());
    Ok(())
}

/// `Vaquita\Rows::column`.
pub(crate) fn column(call: &mut Call<'_>) -> Outcome {
    let object = call.receiver::<Rows>(1, 1)?;
    let Some(value) = call.value() else { return Err(Thrown) };
    if !matches!(value.kind(), Kind::Long | Kind::String) {
        return Err(throw_type_error(1, c"of type string|int", value));
    }
    let Some(table) = object.state().table.get() else { return Ok(()) };
    let Some(column) = column_of(table, value) else {
        return Err(call.value_error(1, c"must be the name or the number of a column"));
    };
    table.write_list(call.returns(), |row, slot| table.write_value(row, column, slot));
    Ok(())
}

/// The column with a name or a number.
fn column_of(table: &Table, value: Value<'_>) -> Option<usize> {
    if value.kind() == Kind::Long {
        let number = usize::try_from(value.to_long()).ok()?;
        return (number < table.names().len()).then_some(number);
    }
    let name = value.to_str()?;
    let column = table.column_named(name.bytes());
    name.release();
    column
}
