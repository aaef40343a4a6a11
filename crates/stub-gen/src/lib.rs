//! Makes Zend's tables from a stub: what PHP sees of the extension is written once, as PHP, and a build makes Rust of it.
//!
//! A stub is a PHP file (`php -l` accepts it) with the functions, classes and constants that the extension has. What PHP's
//! syntax has no word for stands in a note, the comment at the end of a declaration:
//!
//! ```php
//! const MYSQLI_IS_MARIADB = false; // deprecated
//! function mysqli_ping(mysqli $mysql): bool {} // link::ping
//! final class mysqli_driver { // not serializable
//!     public function close(): true {} // connect::close, tentative
//! }
//! ```
//!
//! The first word of a function's note is the Rust body, `room::name` for `crate::mysqli::room::name` or `module::room::name` for one of
//! another module; a method and its function may share one. The others are `deprecated` (a constant), `tentative` (the return type), `not serializable` and `no dynamic
//! properties` (of a class), and `since 8.4` and `until 8.3` on anything that not every PHP has. A constant may be `deprecated since
//! 8.4`, a function may have a return type that `returns true since 8.4`, and PHP's own attribute deprecates functions, in
//! versions before it as well:
//!
//! ```php
//! #[\Deprecated(since: '8.4', message: 'use FLUSH SQL statement instead')]
//! function mysqli_refresh(mysqli $mysql, int $flags): bool {} // link::refresh
//! ```
//!
//! A class may have constants, which PHP has as of the type `int` since 8.3. A stub that begins with a namespace has functions and classes only, in that namespace.
//!
//! [`generate`] reads such a file and writes the Rust that `crates/php/src/zend/tables.rs` includes.
#![forbid(unsafe_code)]

mod emit;
mod lexer;
mod model;
mod names;
mod note;
mod parse;
mod target;

pub use target::Target;

use std::fmt;

/// What is wrong with a stub, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StubError {
    /// The line in the stub, from 1.
    pub line: usize,
    /// What is wrong, for whoever wrote the stub.
    pub message: String,
}

impl StubError {
    fn new(line: usize, message: impl Into<String>) -> Self {
        Self { line, message: message.into() }
    }
}

impl fmt::Display for StubError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for StubError {}

/// The Rust source of the tables for the PHP that `target` names, from the text of a stub.
///
/// # Errors
/// The first thing in the stub that is not understood or contradicts itself.
pub fn generate(stub: &str, target: Target) -> Result<String, StubError> {
    let stub = parse::parse(stub)?;
    names::check(&stub)?;
    Ok(emit::emit(&stub, target))
}
