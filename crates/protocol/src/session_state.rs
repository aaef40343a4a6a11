//! What a statement changed in the session: the last field of an OK packet, with SESSION_TRACK.

use crate::malformed::Malformed;
use crate::reader::Reader;

/// The types of the entries that somebody uses. All others are skipped by their length, whatever is in them: GTIDs (3), transaction
/// characteristics (4) and state (5), and those of newer servers.
const SYSTEM_VARIABLES: u8 = 0;
const SCHEMA: u8 = 1;
const STATE_CHANGE: u8 = 2;

/// One change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionStateChange<'a> {
    /// A system variable that `session_track_system_variables` names has another value; NULL is sent as an empty one.
    SystemVariable {
        /// Its name.
        name: &'a [u8],
        /// Its value as text.
        value: &'a [u8],
    },
    /// The current database; empty if there is none.
    Schema(&'a [u8]),
    /// Something of what only this session has: variables, temporary tables, the current database. Where `session_track_state_change` is on.
    State,
}

/// The changes that an OK packet tells, one by one. They are read as they are asked for: nothing is allocated.
///
/// <https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_basic_ok_packet.html#sect_protocol_basic_ok_packet_sessinfo>,
/// <https://mariadb.com/docs/server/reference/clientserver-protocol/4-server-response-packets/ok_packet#session-tracking>
#[derive(Clone, Copy, Debug)]
pub struct SessionState<'a> {
    entries: Reader<'a>,
    /// What is left of an entry of system variables: MariaDB may put several into one.
    variables: Reader<'a>,
}

impl<'a> SessionState<'a> {
    const NAME: &'static str = "session state info";

    /// The changes in the field [`crate::OkPacket::session_state`].
    pub const fn new(field: &'a [u8]) -> Self {
        SessionState {
            entries: Reader::new(Self::NAME, field),
            variables: Reader::new(Self::NAME, &[]),
        }
    }

    /// The next change; `None` at the end.
    ///
    /// # Errors
    /// An entry is cut, or one of those that [`SessionStateChange`] knows is not what it should be.
    pub fn next_change(&mut self) -> Result<Option<SessionStateChange<'a>>, Malformed> {
        loop {
            if !self.variables.is_empty() {
                let name = self.variables.lenenc_bytes("variable name")?;
                let value = self.variables.lenenc_bytes("variable value")?;
                return Ok(Some(SessionStateChange::SystemVariable { name, value }));
            }
            if self.entries.is_empty() {
                return Ok(None);
            }
            let kind = self.entries.u8("type")?;
            let mut data = Reader::new(Self::NAME, self.entries.lenenc_bytes("data")?);
            match kind {
                SYSTEM_VARIABLES => self.variables = data,
                SCHEMA => {
                    return Ok(Some(SessionStateChange::Schema(data.lenenc_bytes("schema")?)));
                }
                STATE_CHANGE => return Ok(Some(SessionStateChange::State)),
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::SessionStateChange::{Schema, State, SystemVariable};
    use super::*;
    use crate::capabilities::Capabilities;
    use crate::golden::{check_prefixes, hex};
    use crate::ok_packet::OkPacket;

    /// MariaDB 10.11.19, after SET NAMES gbk.
    const MARIADB_NAMES: &str = "000000024000000056 001d186368617261637465725f7365745f636f6e6e656374696f6e0367626b
        001a156368617261637465725f7365745f726573756c74730367626b 0019146368617261637465725f7365745f636c69656e740367626b";
    /// MySQL 8.0.33, after SET NAMES gbk.
    const MYSQL_NAMES: &str = "0000000240000000560019146368617261637465725f7365745f636c69656e740367626b
        001d186368617261637465725f7365745f636f6e6e656374696f6e0367626b 001a156368617261637465725f7365745f726573756c74730367626b";
    /// MariaDB 10.11.19 and MySQL 8.0.33, after SET character_set_results = NULL.
    const NULL_RESULTS: &str =
        "0000000042000000190017156368617261637465725f7365745f726573756c747300";
    /// MariaDB 10.11.19 and MySQL 8.0.33, after the log-in with a database.
    const LOGGED_IN: &str = "00000002400000000a01080776617175697461";
    /// MariaDB 10.11.19 and MySQL 8.0.33 with session_track_state_change and session_track_transaction_info = CHARACTERISTICS, after
    /// START TRANSACTION READ ONLY.
    const TRANSACTION: &str = "00000001620000002a050908545f5f5f5f5f5f5f041d1c5354415254205452414e53414354494f4e2052454144204f4e4c593b";
    /// The same two, after COM_INIT_DB.
    const INIT_DB: &str = "00000000420000000d01080776617175697461020131";
    /// MySQL 8.0.33 with session_track_gtids = OWN_GTID, after an INSERT.
    const GTID: &str = "00010002400000002a032800
        2661353436383432652d653561392d313166312d613839332d3032666330303030303030313a37";

    fn changes(field: &[u8]) -> Result<Vec<SessionStateChange<'_>>, Malformed> {
        let mut state = SessionState::new(field);
        let mut changes = Vec::new();
        while let Some(change) = state.next_change()? {
            changes.push(change);
        }
        Ok(changes)
    }

    fn check(packet: &str, expected: &[SessionStateChange<'_>]) {
        let payload = hex(packet);
        let ok = OkPacket::parse(&payload, Capabilities::SESSION_TRACK).unwrap();
        assert_eq!(changes(ok.session_state).unwrap(), expected, "{packet}");
        // An entry that is cut is an error; between two of them the field may end.
        let mut ends = vec![0];
        let mut reader = Reader::new("test", ok.session_state);
        while !reader.is_empty() {
            reader.u8("type").unwrap();
            let length = reader.lenenc_bytes("data").unwrap().len();
            ends.push(ends.last().unwrap() + 2 + length);
        }
        check_prefixes(ok.session_state, changes, |length| ends.contains(&length));
    }

    #[test]
    fn servers_tell_what_changed() {
        let set = |name, value| SystemVariable { name, value };
        let client = set(b"character_set_client", b"gbk");
        let connection = set(b"character_set_connection", b"gbk");
        let results = set(b"character_set_results", b"gbk");
        check(MARIADB_NAMES, &[connection, results, client]);
        check(MYSQL_NAMES, &[client, connection, results]);
        check(NULL_RESULTS, &[set(b"character_set_results", b"")]);
        check(LOGGED_IN, &[Schema(b"vaquita")]);
        check(TRANSACTION, &[]);
        check(INIT_DB, &[Schema(b"vaquita"), State]);
        check(GTID, &[]);
    }

    #[test]
    fn what_nobody_uses_is_skipped_whatever_is_in_it() {
        let schema: &[u8] = b"\x01\x02\x01s";
        let unused = (3..=u8::MAX).flat_map(|kind| {
            [&b"\x00"[..], b"\x01\xFB", b"\x02\x09x", b"\x03\x01\x01x"]
                .map(|it| [&[kind], it].concat())
        });
        for entry in unused.chain([b"\x00\x00".to_vec()]) {
            let field = [&entry, schema].concat();
            assert_eq!(changes(&field).unwrap(), [Schema(b"s")], "{entry:02x?}");
        }
        let two = changes(b"\x00\x08\x01a\x011\x01b\x012").unwrap();
        let [first, second] = [(b"a", b"1"), (b"b", b"2")]
            .map(|(name, value)| SystemVariable { name: &name[..], value: &value[..] });
        assert_eq!(two, [first, second]);
    }

    #[test]
    fn a_length_reaches_no_further_than_its_entry() {
        for field in
            [&b"\x01\x02\x05s"[..], b"\x01\xFE\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFFs", b"\x01\xFBs"]
        {
            assert!(changes(field).is_err(), "{field:02x?}");
        }
        assert!(changes(b"\x00\x03\x01a\x05\x01\x02\x01s").is_err());
        assert!(changes(b"\x03\x05\x00\x01x").is_err(), "the list can't be walked");
    }
}
