//! Several results of one query, against scripted servers.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

mod fake;

use std::sync::Arc;

use fake::Over;
use vaquita_client::{Connection, Error, QueryResponse, State, StatusFlags};
use vaquita_fake_server::packets::{MORE_RESULTS, column, column_count, eof, err, ok, row};
use vaquita_fake_server::{Delivery, Script};
use vaquita_protocol::ColumnType;

/// An error ends the chain of results wherever it comes, and the session says so.
#[test]
fn after_an_error_no_result_follows() {
    let refused = || err(1064, b"42000", "no");
    let begun = || vec![column_count(1), column("a", ColumnType::LONG), eof(MORE_RESULTS)];
    let rows = || [begun(), vec![row(&[Some(b"1")]), eof(MORE_RESULTS)]].concat();
    let chains = [
        ("after a result without rows", vec![ok(MORE_RESULTS), refused()]),
        ("after rows", [rows(), vec![refused()]].concat()),
        ("in the place of a column", vec![ok(MORE_RESULTS), column_count(1), refused()]),
        ("in the place of a row", [begun(), vec![refused()]].concat()),
    ];
    for (name, chain) in chains {
        let script = Script::queried().send_all(chain).ping();
        let server = fake::serve(&Arc::new(script), Over::Unix, Delivery::WHOLE);
        let mut connection = Connection::connect(&fake::options(&server)).unwrap();
        connection.send_query(b"CALL several()").unwrap();
        let error = read_results(&mut connection).unwrap_err();
        assert_eq!(error.code(), 1064, "{name}");
        assert_eq!(connection.state(), State::Ready, "{name}");
        let status = connection.session().status;
        assert!(!status.contains(StatusFlags::MORE_RESULTS_EXISTS), "{name}: {status:?}");
        connection.ping().unwrap();
    }
}

fn read_results(connection: &mut Connection) -> Result<(), Error> {
    loop {
        if let QueryResponse::ResultSet(_) = connection.read_query_response()? {
            connection.store_result()?;
        }
        assert!(connection.more_results());
    }
}
