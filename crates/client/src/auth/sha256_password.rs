//! The plugin `sha256_password`: the password itself, encrypted with the server's RSA key. An empty one is a single NUL.
//!
//! <https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_connection_phase_authentication_methods_authsha256.html>

/// The client needs the server's RSA key.
pub(super) const REQUEST_PUBLIC_KEY: u8 = 1;
