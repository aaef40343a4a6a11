//! Escaped values come back from real servers as they were: any bytes, in every character set that a client may have.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

mod servers;

use servers::{Server, rows, run};
use vaquita_client::{Charset, Connection};

/// Bytes that mean something somewhere: quotes, escapes, ends of text, and heads and tails of characters of several bytes.
const SPECIAL: &[u8] =
    b"\0\n\r\x1A'\"\\`;-#%_ /*\x40\x5B\x5D\x5F\x60\x7E\x7F\x80\x81\x8E\x8F\x9F\xA0\xA1\xB1\xBF\xC2\xDF\xE0\xE3\xEF\xF0\xF9\xFC\xFE\xFF09";
/// How many values each character set is tried with in each mode, and how many of them go into one statement.
const VALUES: usize = 2000;
const VALUES_A_STATEMENT: usize = 500;
/// The longest value. Short ones have all that matters, and more of them fit into the time.
const MAX_VALUE_BYTES: u64 = 12;

/// A generator of numbers that look random, the same in each run (xorshift, <https://www.jstatsoft.org/article/view/v008i14>).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit).unwrap()
    }

    fn byte(&mut self) -> u8 {
        if self.below(4) == 0 {
            return u8::try_from(self.below(256)).unwrap();
        }
        SPECIAL[self.below(SPECIAL.len() as u64)]
    }

    fn value(&mut self) -> Vec<u8> {
        (0..self.below(MAX_VALUE_BYTES + 1)).map(|_| self.byte()).collect()
    }
}

#[test]
fn escaped_values_come_back() {
    for server in Server::all() {
        let mut connection = server.connect();
        let names = rows(
            &mut connection,
            "SELECT CHARACTER_SET_NAME FROM information_schema.CHARACTER_SETS",
        );
        let mut tried = 0;
        for name in names.iter().flatten().flatten() {
            let charset =
                Charset::by_name(name).expect("each of a server's character sets is known");
            if !charset.is_for_clients() {
                continue;
            }
            tried += 1;
            connection.set_charset(charset).unwrap();
            for mode in ["", "NO_BACKSLASH_ESCAPES"] {
                run(&mut connection, &format!("SET sql_mode = '{mode}'"));
                let mut numbers =
                    Numbers(0x9E37_79B9_7F4A_7C15 ^ u64::from(charset.default_collation_id));
                let values: Vec<_> = (0..VALUES).map(|_| numbers.value()).collect();
                for values in values.chunks(VALUES_A_STATEMENT) {
                    check(&mut connection, charset, mode, values);
                }
            }
        }
        assert!(tried > 30, "{tried} character sets of {}", server.name);
    }
}

/// Sends the values as literals, each next to an empty one that would swallow what is not ended; all come back, and no more.
fn check(connection: &mut Connection, charset: &Charset, mode: &str, values: &[Vec<u8>]) {
    let mut sql = b"SELECT ".to_vec();
    for (number, value) in values.iter().enumerate() {
        let comma: &[u8] = if number > 0 { b"," } else { b"" };
        // As bytes: a server refuses text that its character set does not have.
        let literal = [b"HEX(_binary'", &connection.escape(value)[..], b"'),''"].concat();
        sql.extend_from_slice(comma);
        sql.extend_from_slice(&literal);
    }
    let name = charset.name;
    connection.send_query(&sql).unwrap();
    let response = connection.read_query_response();
    assert!(response.is_ok(), "{name} {mode}: {response:?}");
    let mut stored = connection.store_result().unwrap();
    let row = stored.next_row().unwrap();
    assert_eq!(row.columns(), 2 * values.len(), "{name} {mode}");
    let found = row.values().map(Option::unwrap);
    for (pair, value) in found.collect::<Vec<_>>().chunks(2).zip(values) {
        let hex: String = value.iter().map(|byte| format!("{byte:02X}")).collect();
        assert_eq!(pair, [hex.as_bytes(), b""], "{name} {mode} {}", value.escape_ascii());
    }
}

/// MariaDB begins the session anew before it looks at the password, and goes on with the user of before.
#[test]
fn a_refused_change_of_users_does_not_change_how_values_are_read() {
    for server in servers::Server::all().iter().filter(|server| server.is_mariadb()) {
        for (setting, value) in [
            ("SET NAMES gbk", &b"\xBF' OR 1 -- "[..]),
            ("SET SESSION sql_mode = 'NO_BACKSLASH_ESCAPES'", &b"\\' OR 1 -- "[..]),
        ] {
            let mut connection = server.connect();
            let gbk = vaquita_client::Charset::by_name(b"gbk").unwrap();
            if setting.contains("gbk") {
                connection.set_charset(gbk).unwrap();
            } else {
                servers::run(&mut connection, setting);
            }
            connection.change_user(b"nobody_at_all", b"wrong", b"").unwrap_err();
            let escaped = connection.escape(value);
            let sql = [b"SELECT HEX('", &escaped[..], b"'), 'end'"].concat();
            connection.send_query(&sql).unwrap();
            connection.read_query_response().unwrap();
            let stored = connection.store_result().unwrap();
            let values: Vec<_> =
                stored.row(0).unwrap().values().map(|it| it.map(<[u8]>::to_vec)).collect();
            assert_eq!(values.get(1), Some(&Some(b"end".to_vec())), "{setting}");
            if setting.contains("gbk") {
                assert_eq!(servers::text(&mut connection, "SELECT @@character_set_client"), "gbk");
            }
        }
    }
}
