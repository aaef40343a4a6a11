//! The packets that servers send, as [`Payload`]s; the protocol crate only reads them.

use vaquita_protocol::auth_more_data::AUTH_MORE_DATA_HEADER;
use vaquita_protocol::auth_switch_request::AUTH_SWITCH_HEADER;
use vaquita_protocol::eof_packet::EOF_HEADER;
use vaquita_protocol::handshake_v10::PROTOCOL_VERSION;
use vaquita_protocol::ok_packet::{OK_AS_EOF_HEADER, OK_HEADER};
use vaquita_protocol::reader::{ERR_HEADER, NULL_VALUE};
use vaquita_protocol::writer::{put_lenenc_bytes, put_lenenc_int};
use vaquita_protocol::{Capabilities, ColumnType, StatusFlags};

use crate::payload::Payload;

/// What [`greeting`] offers unless told otherwise: what servers do, without TLS and compression, which nobody plays here.
pub const OFFERED: Capabilities = Capabilities::LONG_PASSWORD
    .with(Capabilities::FOUND_ROWS)
    .with(Capabilities::LONG_FLAG)
    .with(Capabilities::CONNECT_WITH_DB)
    .with(Capabilities::NO_SCHEMA)
    .with(Capabilities::LOCAL_FILES)
    .with(Capabilities::IGNORE_SPACE)
    .with(Capabilities::PROTOCOL_41)
    .with(Capabilities::INTERACTIVE)
    .with(Capabilities::TRANSACTIONS)
    .with(Capabilities::SECURE_CONNECTION)
    .with(Capabilities::MULTI_STATEMENTS)
    .with(Capabilities::MULTI_RESULTS)
    .with(Capabilities::PS_MULTI_RESULTS)
    .with(Capabilities::PLUGIN_AUTH)
    .with(Capabilities::CONNECT_ATTRS)
    .with(Capabilities::SESSION_TRACK)
    .with(Capabilities::DEPRECATE_EOF);

/// The id in [`prepare_ok`].
pub const STATEMENT_ID: u32 = 7;
/// The version of [`greeting`].
pub const SERVER_VERSION: &str = "8.0.99-fake";
/// The connection's id in [`greeting`].
pub const THREAD_ID: u32 = 7;
/// The authentication data of [`greeting`]; real servers send random bytes.
pub const NONCE: &[u8; 20] = b"0123456789abcdefghij";
/// The collation of [`greeting`] and of columns: utf8mb4_general_ci.
pub const COLLATION_ID: u8 = 45;

/// The status of a session in which nothing happens.
pub const AUTOCOMMIT: StatusFlags = StatusFlags::AUTOCOMMIT;
/// The same, and another result follows.
pub const MORE_RESULTS: StatusFlags =
    StatusFlags::from_bits(AUTOCOMMIT.bits() | StatusFlags::MORE_RESULTS_EXISTS.bits());

/// An `int<lenenc>`.
pub fn lenenc(value: u64) -> Vec<u8> {
    let mut out = Vec::new();
    put_lenenc_int(&mut out, value);
    out
}

/// A `string<lenenc>`.
pub fn lenenc_bytes(value: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    put_lenenc_bytes(&mut out, value);
    out
}

/// [HandshakeV10](https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_connection_phase_packets_protocol_handshake_v10.html)
/// with these flags and this plugin.
pub fn greeting(capabilities: Capabilities, plugin: &str) -> Payload {
    let [low_1, low_2, high_1, high_2] = capabilities.low().to_le_bytes();
    let (first_part, second_part) = NONCE.split_at(8);
    // Both parts with the NUL at their end.
    let data_length = 21;
    Payload::new()
        .field("protocol version", [PROTOCOL_VERSION])
        .field("server version", [SERVER_VERSION.as_bytes(), &[0]].concat())
        .field("thread id", THREAD_ID.to_le_bytes())
        .field("auth-plugin-data-part-1", first_part)
        .field("filler", [0])
        .field("capability_flags_1", [low_1, low_2])
        .field("character_set", [COLLATION_ID])
        .field("status_flags", AUTOCOMMIT.bits().to_le_bytes())
        .field("capability_flags_2", [high_1, high_2])
        .field("auth_plugin_data_len", [data_length])
        .field("reserved", [[0; 6].as_slice(), &capabilities.extended().to_le_bytes()].concat())
        .field("auth-plugin-data-part-2", [second_part, &[0]].concat())
        .field("auth_plugin_name", [plugin.as_bytes(), &[0]].concat())
}

/// [AuthSwitchRequest](https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_connection_phase_packets_protocol_auth_switch_request.html)
/// with this data; MySQL's plugins end theirs with a NUL.
pub fn auth_switch(plugin: &str, data: &[u8]) -> Payload {
    Payload::new()
        .field("status tag", [AUTH_SWITCH_HEADER])
        .field("plugin name", [plugin.as_bytes(), &[0]].concat())
        .field("plugin provided data", data)
}

/// [AuthMoreData](https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_connection_phase_packets_protocol_auth_more_data.html).
pub fn auth_more_data(data: &[u8]) -> Payload {
    Payload::new()
        .field("status tag", [AUTH_MORE_DATA_HEADER])
        .field("authentication method data", data)
}

/// An [OK packet](https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_basic_ok_packet.html) without `info`, which
/// servers leave out when it is empty; it can be appended.
pub fn ok(status: StatusFlags) -> Payload {
    Payload::new()
        .field("header", [OK_HEADER])
        .field("affected_rows", lenenc(0))
        .field("last_insert_id", lenenc(0))
        .field("status_flags", status.bits().to_le_bytes())
        .field("warnings", [0, 0])
}

/// An [EOF packet](https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_basic_eof_packet.html).
pub fn eof(status: StatusFlags) -> Payload {
    Payload::new()
        .field("header", [EOF_HEADER])
        .field("warnings", [0, 0])
        .field("status_flags", status.bits().to_le_bytes())
}

/// The OK packet that stands in the place of an EOF packet with [`Capabilities::DEPRECATE_EOF`].
pub fn ok_as_eof(status: StatusFlags) -> Payload {
    ok(status).with("header", [OK_AS_EOF_HEADER])
}

/// An [ERR packet](https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_basic_err_packet.html).
pub fn err(code: u16, sqlstate: &[u8; 5], message: &str) -> Payload {
    Payload::new()
        .field("header", [ERR_HEADER])
        .field("error_code", code.to_le_bytes())
        .field("sql_state_marker", *b"#")
        .field("sql_state", *sqlstate)
        .field("error_message", message)
}

/// An ERR packet as it is before the handshake: without SQLSTATE.
pub fn early_err(code: u16, message: &str) -> Payload {
    Payload::new()
        .field("header", [ERR_HEADER])
        .field("error_code", code.to_le_bytes())
        .field("error_message", message)
}

/// How many columns a result set has; the first packet of one.
pub fn column_count(count: u64) -> Payload {
    Payload::new().field("column_count", lenenc(count))
}

/// [ColumnDefinition41](https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_query_response_text_resultset_column_definition.html).
pub fn column(name: &str, column_type: ColumnType) -> Payload {
    Payload::new()
        .field("catalog", lenenc_bytes(b"def"))
        .field("schema", lenenc_bytes(b"fake"))
        .field("table", lenenc_bytes(b"t"))
        .field("org_table", lenenc_bytes(b"t"))
        .field("name", lenenc_bytes(name.as_bytes()))
        .field("org_name", lenenc_bytes(name.as_bytes()))
        .field("length of fixed length fields", lenenc(0x0C))
        .field("character_set", u16::from(COLLATION_ID).to_le_bytes())
        .field("column_length", 1024_u32.to_le_bytes())
        .field("type", [column_type.0])
        .field("flags", [0, 0])
        .field("decimals", [0])
        .field("reserved", [0, 0])
}

/// A [text row](https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_query_response_text_resultset_row.html);
/// `None` is NULL.
pub fn row(values: &[Option<&[u8]>]) -> Payload {
    values.iter().fold(Payload::new(), |row, value| {
        row.field("value", value.map_or(vec![NULL_VALUE], lenenc_bytes))
    })
}

/// [COM_STMT_PREPARE_OK](https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_stmt_prepare.html#sect_protocol_com_stmt_prepare_response_ok)
/// of the statement [`STATEMENT_ID`].
pub fn prepare_ok(columns: u16, params: u16) -> Payload {
    Payload::new()
        .field("status", [0])
        .field("statement_id", STATEMENT_ID.to_le_bytes())
        .field("num_columns", columns.to_le_bytes())
        .field("num_params", params.to_le_bytes())
        .field("reserved_1", [0])
        .field("warning_count", [0, 0])
}

/// A [binary row](https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_binary_resultset.html) with this NULL bitmap and these
/// values, which are encoded already.
pub fn binary_row(null_bitmap: &[u8], values: &[u8]) -> Payload {
    Payload::new()
        .field("packet_header", [0])
        .field("null_bitmap", null_bitmap)
        .field("values", values)
}

/// The request for a [local file](https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_query_response_local_infile_request.html).
pub fn local_infile(path: &str) -> Payload {
    Payload::new().field("packet type", [NULL_VALUE]).field("filename", path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use vaquita_protocol::{
        AuthSwitchRequest, ColumnDefinition41, ComQueryResponse, EofPacket, ErrPacket,
        HandshakeV10, OkPacket, TextRow,
    };

    #[test]
    fn what_is_sent_is_what_the_protocol_reads() {
        let payload = greeting(OFFERED, "mysql_native_password").bytes();
        let greeting = HandshakeV10::parse(&payload).unwrap();
        assert_eq!(greeting.server_version, SERVER_VERSION.as_bytes());
        assert_eq!((greeting.thread_id, greeting.capabilities), (THREAD_ID, OFFERED));
        assert_eq!(greeting.auth_plugin_data, [&NONCE[..], &[0]].concat());
        assert_eq!(greeting.auth_plugin_name, b"mysql_native_password");
        let payload = auth_switch("dialog", b"data").bytes();
        let request = AuthSwitchRequest::parse(&payload).unwrap();
        assert_eq!((request.plugin_name, request.auth_plugin_data), (&b"dialog"[..], &b"data"[..]));
        let payload = ok(AUTOCOMMIT).with("affected_rows", lenenc(300)).bytes();
        let parsed = OkPacket::parse(&payload, OFFERED).unwrap();
        assert_eq!((parsed.affected_rows, parsed.status), (300, AUTOCOMMIT));
        assert_eq!(EofPacket::parse(&eof(MORE_RESULTS).bytes()).unwrap().status, MORE_RESULTS);
        let payload = err(1064, b"42000", "no").bytes();
        let refusal = ErrPacket::parse(&payload).unwrap();
        assert_eq!(
            (refusal.code, refusal.sqlstate, refusal.message),
            (1064, Some(*b"42000"), &b"no"[..])
        );
        assert_eq!(ErrPacket::parse(&early_err(1040, "no").bytes()).unwrap().sqlstate, None);
        let definition =
            ColumnDefinition41::parse(&column("id", ColumnType::LONG).bytes()).unwrap();
        assert_eq!((definition.name(), definition.column_type), (&b"id"[..], ColumnType::LONG));
        let payload = row(&[Some(b"a"), None]).bytes();
        let values: Vec<_> = TextRow::new(&payload, 2).values().collect();
        assert_eq!(values, [Some(&b"a"[..]), None]);
        let parse =
            |payload: &Payload| format!("{:?}", ComQueryResponse::parse(&payload.bytes(), OFFERED));
        assert_eq!(parse(&column_count(3)), "Ok(ColumnCount(3))");
        assert_eq!(parse(&local_infile("f")), "Ok(LocalInfileRequest([102]))");
    }
}
