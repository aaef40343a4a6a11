//! What is known of the server's version.

use vaquita_protocol::Capabilities;

use crate::connection::Connection;

impl Connection {
    /// The server's version, without the `5.5.5-` of MariaDB before 11.
    pub fn server_version(&self) -> &[u8] {
        self.reuse.observe();
        &self.greeting.server_version
    }

    /// The server's version as one number: 10000 times its first part, 100 times its second, and its third. What is no number counts 0.
    ///
    /// <https://dev.mysql.com/doc/c-api/8.0/en/mysql-get-server-version.html>
    pub fn server_version_number(&self) -> u64 {
        self.reuse.observe();
        self.version_number()
    }

    /// Its version as a number: 80033 of 8.0.33.
    pub(crate) fn version_number(&self) -> u64 {
        let digit = |number: u64, digit: &u8| {
            number.saturating_mul(10).saturating_add(u64::from(digit - b'0'))
        };
        let parts = self.greeting.server_version.split(|byte| !byte.is_ascii_digit());
        let numbers = parts.map(|digits| digits.iter().fold(0, digit));
        let weighed =
            numbers.zip([10_000, 100, 1]).map(|(part, weight)| part.saturating_mul(weight));
        weighed.fold(0, u64::saturating_add)
    }

    /// MariaDB says so by a bit that it leaves unset; its version is whatever its owner likes. The bit of a proxy is its own.
    pub fn is_mariadb(&self) -> bool {
        let name = b"MariaDB";
        let is_mysql = self.greeting.capabilities.contains(Capabilities::LONG_PASSWORD);
        !is_mysql || self.greeting.server_version.windows(name.len()).any(|part| part == name)
    }
}
