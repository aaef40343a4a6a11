//! A connection over a stream of bytes that is no socket.
#![allow(clippy::unwrap_used, reason = "what fails here is a failed test")]

mod fake;

use std::os::unix::net::UnixStream;
use std::sync::Arc;

use fake::{Over, Reading};
use vaquita_client::{Address, Connection};
use vaquita_fake_server::{Delivery, named};

#[test]
fn a_session_goes_over_whatever_carries_bytes() {
    let script = Arc::new(named::by_name("session").unwrap().script());
    let server = fake::serve(&script, Over::Unix, Delivery::ONE_BYTE);
    let options = fake::options(&server);
    let Address::Unix(path) = &options.address else { unreachable!("the server is a unix socket") };
    let stream = UnixStream::connect(path).unwrap();
    let mut connection = Connection::over(Box::new(stream), &options).unwrap();
    fake::query(&mut connection, Reading::Stored).unwrap();
    connection.set_multi_statements(true).unwrap();
}
