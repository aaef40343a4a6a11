//! A row that a port gave beside the server's own, as long as it is not known that both are the same table's: then the server is asked for it, too.

use vaquita_client::{Connection, Error};

use super::Access;
use crate::counts::Counts;
use crate::knowledge::{Planned, Way, quoted};
use crate::plan::Reason;
use crate::select::{KeySelect, Literal};
use crate::shape::Values;
use crate::table::{Row, rows};

impl Access {
    /// Whether `row`, of what the port gave for these values, is what the server would give, as far as comparing rows can tell. `sql` is the
    /// statement that asks for it.
    ///
    /// # Errors
    /// The connection's; the inner: why the server has to be asked after all.
    #[cold]
    pub(super) fn compare(
        &mut self,
        connection: &mut Connection,
        sql: &[u8],
        values: Values<'_>,
        planned: &Planned,
        given: &[Option<Vec<u8>>],
        row: &[Option<&[u8]>],
    ) -> Result<Result<(), Reason>, Error> {
        if planned.proof.table.differs() {
            return Ok(Err(Reason::Differs));
        }
        let of_port = planned.way.values(given);
        if planned.proof.is_sure_of(&of_port) {
            return Ok(Ok(()));
        }
        // Of many keys one is enough for that.
        if planned.in_vain.is_pending() {
            return Ok(Err(Reason::Differs));
        }
        let Some(select) = KeySelect::parse(sql, connection.session().dialect()) else {
            return Ok(Err(Reason::Form));
        };
        let Some(question) = question(connection, &select, &values, planned) else {
            return Ok(Err(Reason::Form));
        };
        let of_server = match self.apart(connection, |connection| rows(connection, &question)) {
            Ok(said) => said,
            Err(crate::Error::Lost(error))
                if connection.state() != vaquita_client::State::Ready =>
            {
                return Err(error);
            }
            Err(_) => return Ok(Err(Reason::Settings)),
        };
        if is_same(&of_server, row) {
            let has_told = tells(&select, planned, row) && planned.proof.agree(&of_port);
            if !has_told {
                planned.in_vain.add();
            }
            return Ok(Ok(()));
        }
        // Somebody may have changed it in between.
        let again = match self.given(connection, sql, planned, &[(0, values)], Counts::ask_again) {
            Ok(again) => again.rows,
            Err(reason) => return Ok(Err(reason)),
        };
        let is_unchanged = again.first().is_some_and(|(_, again)| again == given);
        if is_unchanged && !self.settings.allows_dirty {
            self.knowledge.borrow_mut().differ(&planned.proof.table);
        } else {
            planned.in_vain.add();
        }
        Ok(Err(Reason::Differs))
    }
}

impl Way {
    /// All values that the port gives, by their places.
    fn values<'v>(&self, given: &'v [Option<Vec<u8>>]) -> Vec<&'v [u8]> {
        let first = given.first().and_then(Option::as_deref).unwrap_or_default();
        match self {
            Way::Memcached(plan) => plan.values(first),
            Way::HandlerSocket(..) => vec![first],
        }
    }
}

/// A query for what a statement asks for, in which its values stand as literals.
fn question(
    connection: &Connection,
    select: &KeySelect<'_>,
    values: &Values<'_>,
    planned: &Planned,
) -> Option<Vec<u8>> {
    let dialect = connection.session().dialect();
    let column = planned.columns.first()?;
    let names: Vec<_> = planned.columns.iter().map(|column| quoted(column.org_name())).collect();
    let (database, table) = (quoted(column.schema()), quoted(column.org_table()));
    let mut asks =
        [b"SELECT ", &*names.join(&b", "[..]), b" FROM ", &database, b".", &table].concat();
    let mut before = &b" WHERE "[..];
    for (condition, value) in select.conditions().zip(values.all()) {
        asks.extend([before, &quoted(condition.column), b" = "].concat());
        match value {
            Literal::Text(_) | Literal::Bytes(_) => {
                asks.push(b'\'');
                connection.escape_into(&value.text(dialect)?, &mut asks);
                asks.push(b'\'');
            }
            number => asks.extend(number.whole_number(dialect)?.to_string().into_bytes()),
        }
        before = b" AND ";
    }
    Some(asks)
}

/// Whether a row has a value that another table would hardly have: NULL is none, nor is the key, by which any table's row was found.
fn tells(select: &KeySelect<'_>, planned: &Planned, row: &[Option<&[u8]>]) -> bool {
    let is_key = |name: &[u8]| select.conditions().any(|it| it.column.eq_ignore_ascii_case(name));
    let mut values = planned.columns.iter().zip(row);
    values.any(|(column, value)| value.is_some() && !is_key(column.org_name()))
}

/// Whether what the server said is this one row.
fn is_same(said: &[Row], row: &[Option<&[u8]>]) -> bool {
    let [of_server] = said else { return false };
    of_server.iter().map(Option::as_deref).eq(row.iter().copied())
}
