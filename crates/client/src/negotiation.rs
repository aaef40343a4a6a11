//! Which capabilities a client asks for: only what the server offers, and of that what pays.

use vaquita_protocol::Capabilities;

use crate::options::ConnectOptions;

/// What stock clients of PHP ask for; scripts and their tests rely on these bits.
///
/// LOCAL_FILES is among them although no file is ever given away: a server may ask with or without it, and is refused
/// ([`crate::Error::LocalInfileRefused`]).
const USUAL: Capabilities = Capabilities::LONG_PASSWORD
    .with(Capabilities::LONG_FLAG)
    .with(Capabilities::LOCAL_FILES)
    .with(Capabilities::PROTOCOL_41)
    .with(Capabilities::TRANSACTIONS)
    .with(Capabilities::SECURE_CONNECTION)
    .with(Capabilities::MULTI_RESULTS)
    .with(Capabilities::PLUGIN_AUTH)
    .with(Capabilities::CONNECT_ATTRS);

/// What a server must offer: everything since MySQL 4.1 does.
pub(crate) const NEEDED: Capabilities =
    Capabilities::PROTOCOL_41.with(Capabilities::SECURE_CONNECTION);

/// What [`ConnectOptions::capabilities`] can't ask for, because more is needed than a flag:
///
/// - TLS and compression are layers of their own.
/// - OPTIONAL_RESULTSET_METADATA leaves out the names and types of columns, which nobody here can do without.
/// - MARIADB_CACHE_METADATA would leave them out where a statement is executed again; it costs a byte a result, and pays once
///   there are prepared statements that keep them.
/// - MARIADB_EXTENDED_METADATA adds bytes to each column for names of types (`json`, `uuid`) that nobody asks for.
/// - MARIADB_PROGRESS makes a server put reports in front of an answer.
/// - QUERY_ATTRIBUTES adds bytes to each query.
const NEVER: Capabilities = Capabilities::SSL
    .with(Capabilities::COMPRESS)
    .with(Capabilities::ZSTD_COMPRESSION)
    .with(Capabilities::OPTIONAL_RESULTSET_METADATA)
    .with(Capabilities::QUERY_ATTRIBUTES)
    .with(Capabilities::SSL_VERIFY_SERVER_CERT)
    .with(Capabilities::MARIADB_PROGRESS)
    .with(Capabilities::MARIADB_EXTENDED_METADATA)
    .with(Capabilities::MARIADB_CACHE_METADATA);

/// The flags of a connection: the usual ones, what the options ask for, and SESSION_TRACK, as far as the server offers them.
///
/// Asked for only by [`ConnectOptions::capabilities`], because a script could tell the difference:
///
/// - DEPRECATE_EOF saves nine bytes a result, but without the EOF packet after the columns nobody knows before the last row
///   whether more results follow, or whether an index was used.
/// - MULTI_STATEMENTS lets an injected statement end another one; COM_SET_OPTION allows it for one query at a time.
/// - PS_MULTI_RESULTS adds a result with the OUT parameters to a CALL that was prepared.
/// - FOUND_ROWS, IGNORE_SPACE, INTERACTIVE and NO_SCHEMA change what statements mean; CAN_HANDLE_EXPIRED_PASSWORDS changes what a
///   log-in means.
pub(crate) fn choose_capabilities(options: &ConnectOptions, offered: Capabilities) -> Capabilities {
    let mut asked = USUAL | options.capabilities.without(NEVER);
    if options.database.is_some() {
        asked |= Capabilities::CONNECT_WITH_DB;
    }
    let mut compressions = options.compression.iter().map(|algorithm| algorithm.capability());
    if let Some(compression) = compressions.find(|flag| offered.contains(*flag)) {
        asked |= compression;
    }
    if tracks_sessions(offered) {
        asked |= Capabilities::SESSION_TRACK;
    }
    // MariaDB leaves the bit of LONG_PASSWORD unset to say that it is MariaDB; a client sets it to be treated as MySQL's.
    asked & (offered | Capabilities::LONG_PASSWORD)
}

/// Whether to ask a server to tell what changed in the session: SET NAMES in a query decides how values are to be escaped.
///
/// It costs nothing where nothing changes: an OK packet has the same bytes then. MySQL is asked since 5.7. MariaDB is asked since 10.6,
/// which is the first to offer CACHE_METADATA: PHP's own tests play the greeting of a 10.5.18 and compare every flag of the answer.
fn tracks_sessions(offered: Capabilities) -> bool {
    let is_mysql = offered.contains(Capabilities::LONG_PASSWORD);
    is_mysql || offered.contains(Capabilities::MARIADB_CACHE_METADATA)
}

/// The flag that an answer to an authentication plugin of this length needs; below that its length takes one byte either way.
pub(crate) fn for_auth_response(length: usize) -> Capabilities {
    let takes_one_byte = length <= usize::from(u8::MAX);
    if takes_one_byte { Capabilities::NONE } else { Capabilities::PLUGIN_AUTH_LENENC_CLIENT_DATA }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Address;

    const MARIADB_10_5_18: u64 = 0xF_81FF_F7FE;
    const MARIADB_10_11_19: u64 = 0x1D_81FF_F7FE;
    const MYSQL_5_6: u64 = 0x807F_F7FF;
    const MYSQL_8_0_33: u64 = 0xDFFF_FFFF;
    /// What stock asks for.
    const STOCK: u64 = 0x001A_A285;
    const TRACKING: u64 = STOCK | Capabilities::SESSION_TRACK.bits();

    fn check(offered: u64, change: impl FnOnce(&mut ConnectOptions), expected: u64) {
        let mut options = ConnectOptions::new(Address::Unix("/run/server.sock".into()));
        change(&mut options);
        let chosen = choose_capabilities(&options, Capabilities::from_bits(offered));
        assert_eq!(chosen.bits(), expected, "{offered:x}: {chosen:?}");
    }

    #[test]
    fn each_server_is_asked_for_what_pays_there() {
        check(MARIADB_10_5_18, |_| (), STOCK);
        check(MARIADB_10_11_19, |_| (), TRACKING);
        check(MYSQL_5_6, |_| (), STOCK);
        check(MYSQL_8_0_33, |_| (), TRACKING);
        check(STOCK, |_| (), STOCK);
        check(0x8200, |_| (), 0x8201);
    }

    #[test]
    fn options_ask_for_more_but_not_for_all() {
        let all = |options: &mut ConnectOptions| {
            options.capabilities = Capabilities::from_bits(u64::MAX);
        };
        check(MYSQL_8_0_33, all, 0x91FF_F7DF);
        check(MARIADB_10_5_18, all, 0x6_81FF_F7DF);
        let expired = Capabilities::CAN_HANDLE_EXPIRED_PASSWORDS;
        check(MYSQL_5_6, |options| options.capabilities = expired, STOCK | expired.bits());
        check(MARIADB_10_5_18, |options| options.database = Some(b"d".to_vec()), STOCK | 8);
    }

    #[test]
    fn the_first_compression_that_is_offered_is_asked_for() {
        use crate::compression::CompressionAlgorithm::{Zlib, Zstd};
        let zlib = STOCK | Capabilities::COMPRESS.bits();
        check(MYSQL_5_6, |options| options.compression = vec![Zlib], zlib);
        check(MYSQL_5_6, |options| options.compression = vec![Zstd, Zlib], zlib);
        check(MYSQL_5_6, |options| options.compression = vec![Zstd], STOCK);
        let zstd = TRACKING | Capabilities::ZSTD_COMPRESSION.bits();
        check(MYSQL_8_0_33, |options| options.compression = vec![Zstd, Zlib], zstd);
        check(STOCK, |options| options.compression = vec![Zstd, Zlib], STOCK);
    }

    #[test]
    fn a_long_answer_needs_a_flag() {
        for (length, is_long) in [(0, false), (20, false), (255, false), (256, true), (512, true)] {
            assert_eq!(for_auth_response(length) != Capabilities::NONE, is_long, "{length}");
        }
    }
}
