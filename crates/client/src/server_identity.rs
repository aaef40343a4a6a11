//! Which connection of which server: what two connections have to agree upon before one of them kills what the other runs.

/// Which connection of which server.
///
/// A UUID or a place alone would not do: who copies a server's files copies its UUID, and whoever takes over from a server that hangs
/// does so with the same files and often with the same name. The second in which a server started tells them apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    /// The connection's id on the server.
    pub(crate) connection_id: u64,
    /// The second of the server's start. Servers count their uptime from it to the beginning of the statement that asks, which is also
    /// what UNIX_TIMESTAMP() says there: so the difference is exact (thousands of answers of each server agreed).
    started: u64,
    names: Vec<Vec<u8>>,
}

impl Identity {
    /// The values: the connection's id, the second of the server's start, and names that only this server has.
    pub(crate) fn parse(row: &[Vec<u8>]) -> Option<Self> {
        let [connection_id, started, names @ ..] = row else { return None };
        // A session whose clock was set (`SET timestamp`) tells a start before all time, or none.
        let number = |text: &[u8]| std::str::from_utf8(text).ok()?.parse().ok();
        let (connection_id, started) = (number(connection_id)?, number(started)?);
        // Servers that only speak like MySQL have a UUID of zeros.
        let is_telling = |byte: &u8| !matches!(byte, b'0' | b'-');
        let is_known = names.first().is_some_and(|name| name.iter().any(is_telling));
        is_known.then(|| Identity { connection_id, started, names: names.to_vec() })
    }

    /// Whether a greeting announced this connection; it has room for the lower half of an id.
    pub(crate) fn has_thread_id(&self, thread_id: u32) -> bool {
        self.connection_id & u64::from(u32::MAX) == u64::from(thread_id)
    }

    /// Whether both are connections of one server, and not of one that took its place.
    pub(crate) fn is_same_server(&self, other: &Identity) -> bool {
        self.names == other.names && self.started == other.started
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(row: &[&str]) -> Option<Identity> {
        let row: Vec<Vec<u8>> = row.iter().map(|value| value.as_bytes().to_vec()).collect();
        Identity::parse(&row)
    }

    #[test]
    fn a_server_is_known_by_its_names_and_its_start() {
        let server = |id, start, port| identity(&[id, start, "host", port, "/data"]).unwrap();
        let this = server("7", "1700000000", "1");
        assert_eq!(this.connection_id, 7);
        assert!(this.is_same_server(&server("9", "1700000000", "1")));
        // Whoever takes over the files of a server has its names.
        assert!(!this.is_same_server(&server("7", "1700000001", "1")));
        assert!(!this.is_same_server(&server("7", "1700000000", "2")));
    }

    #[test]
    fn a_greeting_tells_half_of_an_id() {
        assert!(identity(&["4294967303", "1", "u"]).unwrap().has_thread_id(7));
        assert!(!identity(&["77", "1", "u"]).unwrap().has_thread_id(7));
    }

    #[test]
    fn what_tells_nothing_is_no_identity() {
        let zeros = "00000000-0000-0000-0000-000000000000";
        for row in [
            &[][..],
            &["7"],
            &["7", "1"],
            &["7", "1", ""],
            &["7", "1", zeros, "host"],
            &["x", "1", "u"],
            &["7", "", "u"],
            &["7", "-1.8446744071914275e19", "u"],
        ] {
            assert_eq!(identity(row), None, "{row:?}");
        }
    }
}
