//! A check for every parser of the protocol: what must hold of any payload, whether it is a packet of that kind or not.
//!
//! Each takes any bytes, panics where something does not hold, and says whether the bytes are such a packet. What holds of all: no
//! panic, what is found lies inside the payload, and a packet made of what was found is read as the same.

use vaquita_protocol::binary_value::{DateTime, Time, signed, unsigned};
use vaquita_protocol::compressed_packet_header::COMPRESSED_PACKET_HEADER_BYTES;
use vaquita_protocol::packet_header::PACKET_HEADER_BYTES;
use vaquita_protocol::query_response::MAX_COLUMNS;
use vaquita_protocol::reader::{NULL_VALUE, Reader};
use vaquita_protocol::writer::{put_lenenc_bytes, put_lenenc_int, put_null_terminated};
use vaquita_protocol::{
    AuthMoreData, AuthSwitchRequest, BinaryRow, Capabilities, ColumnDefinition41, ColumnType,
    ComQueryResponse, ComStmtPrepareOk, CompressedPacketHeader, EofPacket, ErrPacket, HandshakeV10,
    OkPacket, PacketHeader, SessionState, SessionStateChange, TextRow, ValueLength,
};

pub use crate::certificates::certificate;
use crate::made_session::made_session;
use crate::ports::{handler_socket, memcached};
use crate::session::{session, statement};
use crate::texts::{pem, sql, trace_line};

/// A check with its name, which is that of its fuzz target and of the file of its corpus.
#[derive(Clone, Copy, Debug)]
pub struct Check {
    /// The name: that of the protocol crate's file with the packet, where there is one.
    pub name: &'static str,
    /// The check.
    pub run: fn(&[u8]) -> bool,
}

macro_rules! checks {
    ($($name:ident),* $(,)?) => { &[$(Check { name: stringify!($name), run: $name }),*] };
}

/// All checks.
pub const ALL: &[Check] = checks![
    packet_header,
    compressed_packet_header,
    reader,
    handshake_v10,
    auth_switch_request,
    auth_more_data,
    ok_packet,
    session_state,
    err_packet,
    eof_packet,
    query_response,
    column_definition41,
    text_row,
    com_stmt_prepare_ok,
    binary_row,
    binary_value,
    memcached,
    handler_socket,
    certificate,
    pem,
    trace_line,
    sql,
    statement,
    session,
    made_session,
];

/// Whether a part is one of the payload's own, not merely equal to one; an empty part may be anybody's.
fn is_inside(payload: &[u8], part: &[u8]) -> bool {
    let (whole, part) = (payload.as_ptr_range(), part.as_ptr_range());
    part.is_empty() || (whole.start <= part.start && part.end <= whole.end)
}

/// [`PacketHeader`].
pub fn packet_header(data: &[u8]) -> bool {
    let Some(bytes) = data.first_chunk::<PACKET_HEADER_BYTES>() else { return false };
    assert_eq!(PacketHeader::parse(*bytes).encode(), *bytes);
    true
}

/// [`CompressedPacketHeader`].
pub fn compressed_packet_header(data: &[u8]) -> bool {
    let Some(bytes) = data.first_chunk::<COMPRESSED_PACKET_HEADER_BYTES>() else { return false };
    assert_eq!(CompressedPacketHeader::parse(*bytes).encode(), *bytes);
    true
}

/// The basic types: whatever is read first, what is left is what was not read.
pub fn reader(data: &[u8]) -> bool {
    let number = |bytes| {
        let mut reader = Reader::new("any", bytes);
        reader.lenenc_int("number").map(|number| (number, reader.rest()))
    };
    if let Ok((value, rest)) = number(data) {
        let mut again = Vec::new();
        put_lenenc_int(&mut again, value);
        assert!(again.len() + rest.len() <= data.len(), "{value} is written as short as can be");
        assert_eq!(number(&again), Ok((value, &[][..])));
        assert!(data.ends_with(rest));
    }
    let mut reader = Reader::new("any", data);
    if let Ok(value) = reader.null_terminated("name") {
        assert!(is_inside(data, value) && !value.contains(&0));
        assert_eq!(value.len() + 1 + reader.rest().len(), data.len());
    }
    let mut reader = Reader::new("any", data);
    match reader.nullable_lenenc_bytes("value") {
        Ok(Some(value)) => assert!(is_inside(data, value) && value.len() < data.len()),
        Ok(None) => assert_eq!(data.first(), Some(&NULL_VALUE)),
        Err(_) => return false,
    }
    assert!(data.ends_with(reader.rest()));
    true
}

/// [`HandshakeV10`].
pub fn handshake_v10(data: &[u8]) -> bool {
    let Ok(handshake) = HandshakeV10::parse(data) else { return false };
    assert!(is_inside(data, handshake.server_version));
    assert!(is_inside(data, handshake.plain_server_version()));
    assert!(is_inside(data, handshake.auth_plugin_name));
    assert!((20..data.len()).contains(&handshake.auth_plugin_data.len()));
    true
}

/// [`AuthSwitchRequest`].
pub fn auth_switch_request(data: &[u8]) -> bool {
    let Ok(request) = AuthSwitchRequest::parse(data) else { return false };
    assert_eq!(data.first(), Some(&0xFE));
    assert!(is_inside(data, request.plugin_name) && is_inside(data, request.auth_plugin_data));
    let mut again = vec![0xFE];
    if data.len() > 1 {
        put_null_terminated(&mut again, request.plugin_name);
        again.extend_from_slice(request.auth_plugin_data);
    }
    assert_eq!(again, data);
    true
}

/// [`AuthMoreData`].
pub fn auth_more_data(data: &[u8]) -> bool {
    let Ok(more) = AuthMoreData::parse(data) else { return false };
    assert!(is_inside(data, more.data));
    let header = if data.first() == Some(&1) { 1 } else { 0 };
    assert_eq!(more.data.len() + header, data.len());
    assert!(!matches!(data.first(), None | Some(0 | 0xFE | 0xFF)));
    true
}

/// [`OkPacket`], with and without session state.
pub fn ok_packet(data: &[u8]) -> bool {
    let mut is_ok = false;
    for capabilities in [Capabilities::NONE, Capabilities::SESSION_TRACK] {
        let Ok(ok) = OkPacket::parse(data, capabilities) else { continue };
        is_ok = true;
        assert!(matches!(data.first(), Some(0 | 0xFE)));
        assert!(is_inside(data, ok.info) && is_inside(data, ok.session_state));
        let mut again = vec![0];
        put_lenenc_int(&mut again, ok.affected_rows);
        put_lenenc_int(&mut again, ok.last_insert_id);
        again.extend_from_slice(&ok.status.bits().to_le_bytes());
        again.extend_from_slice(&ok.warnings.to_le_bytes());
        put_lenenc_bytes(&mut again, ok.info);
        put_lenenc_bytes(&mut again, ok.session_state);
        assert_eq!(OkPacket::parse(&again, capabilities), Ok(ok));
    }
    is_ok
}

/// [`SessionState`]: no more changes than bytes, each inside.
pub fn session_state(data: &[u8]) -> bool {
    let mut state = SessionState::new(data);
    for _ in 0..=data.len() {
        let (first, second) = match state.next_change() {
            Err(_) => return false,
            Ok(None) => return true,
            Ok(Some(change)) => match change {
                SessionStateChange::SystemVariable { name, value } => (name, value),
                SessionStateChange::Schema(text) => (text, text),
                SessionStateChange::State => continue,
            },
        };
        assert!(is_inside(data, first) && is_inside(data, second));
    }
    assert!(state.next_change() == Ok(None), "more changes than bytes");
    true
}

/// [`ErrPacket`].
pub fn err_packet(data: &[u8]) -> bool {
    let Ok(err) = ErrPacket::parse(data) else { return false };
    assert!(ErrPacket::is_err(data) && is_inside(data, err.message) && err.code != 0);
    let mut again = vec![0xFF];
    again.extend_from_slice(&err.code.to_le_bytes());
    if let Some(sqlstate) = err.sqlstate {
        again.push(b'#');
        again.extend_from_slice(&sqlstate);
    }
    again.extend_from_slice(err.message);
    assert_eq!(again, data);
    true
}

/// [`EofPacket`].
pub fn eof_packet(data: &[u8]) -> bool {
    let Ok(EofPacket { warnings, status }) = EofPacket::parse(data) else { return false };
    assert!(EofPacket::is_eof(data));
    let again = [&[0xFE][..], &warnings.to_le_bytes(), &status.bits().to_le_bytes()].concat();
    assert_eq!(again, data);
    true
}

/// [`ComQueryResponse`].
pub fn query_response(data: &[u8]) -> bool {
    let Ok(response) = ComQueryResponse::parse(data, Capabilities::NONE) else { return false };
    match response {
        ComQueryResponse::Ok(ok) => assert_eq!(OkPacket::parse(data, Capabilities::NONE), Ok(ok)),
        ComQueryResponse::Err(err) => assert_eq!(ErrPacket::parse(data), Ok(err)),
        ComQueryResponse::LocalInfileRequest(name) => {
            assert!(is_inside(data, name) && name.len() + 1 == data.len());
        }
        ComQueryResponse::ColumnCount(count) => assert!((1..=MAX_COLUMNS).contains(&count)),
    }
    true
}

/// [`ColumnDefinition41`].
pub fn column_definition41(data: &[u8]) -> bool {
    let Ok(column) = ColumnDefinition41::parse(data) else { return false };
    let names = [
        column.catalog(),
        column.schema(),
        column.table(),
        column.org_table(),
        column.name(),
        column.org_name(),
    ];
    let mut again = Vec::new();
    for name in names {
        put_lenenc_bytes(&mut again, name);
    }
    again.push(0x0C);
    again.extend_from_slice(&column.charset.to_le_bytes());
    again.extend_from_slice(&column.length.to_le_bytes());
    again.push(column.column_type.0);
    again.extend_from_slice(&column.flags.0.to_le_bytes());
    again.push(column.decimals);
    again.extend_from_slice(&[0, 0]);
    assert!(again.len() <= data.len());
    assert_eq!(ColumnDefinition41::parse(&again), Ok(column));
    true
}

/// [`TextRow`]; the first byte says how many columns it should have.
pub fn text_row(data: &[u8]) -> bool {
    let Some((&columns, payload)) = data.split_first() else { return false };
    let row = TextRow::new(payload, columns.into());
    let values: Vec<Option<&[u8]>> = row.values().collect();
    assert_eq!(row.is_whole(), row.check().is_ok());
    assert!(values.iter().flatten().all(|value| is_inside(payload, value)));
    if !row.is_whole() {
        return false;
    }
    assert_eq!(values.len(), columns.into());
    let mut again = Vec::new();
    for value in &values {
        match value {
            Some(value) => put_lenenc_bytes(&mut again, value),
            None => again.push(NULL_VALUE),
        }
    }
    assert!(again.len() <= payload.len());
    let again = TextRow::new(&again, columns.into());
    assert_eq!(again.check(), Ok(()));
    assert_eq!(again.values().collect::<Vec<_>>(), values);
    true
}

/// [`ComStmtPrepareOk`].
pub fn com_stmt_prepare_ok(data: &[u8]) -> bool {
    let Ok(ok) = ComStmtPrepareOk::parse(data) else { return false };
    let mut again = vec![0];
    again.extend_from_slice(&ok.statement_id.to_le_bytes());
    again.extend_from_slice(&ok.columns.to_le_bytes());
    again.extend_from_slice(&ok.params.to_le_bytes());
    again.push(0);
    again.extend_from_slice(&ok.warnings.to_le_bytes());
    assert_eq!(ComStmtPrepareOk::parse(&again), Ok(ok));
    assert_eq!(again.len(), data.len());
    true
}

/// [`BinaryRow`]; the first byte says how many columns it should have, the next ones are their types.
pub fn binary_row(data: &[u8]) -> bool {
    let Some((&columns, rest)) = data.split_first() else { return false };
    let Some((types, payload)) = rest.split_at_checked(columns.into()) else { return false };
    let lengths: Vec<ValueLength> =
        types.iter().map(|column_type| ValueLength::of(ColumnType(*column_type))).collect();
    let row = BinaryRow::new(payload, &lengths);
    let values: Result<Vec<Option<&[u8]>>, _> = row.values().collect();
    if row.check().is_err() {
        return false;
    }
    assert!(values.is_ok(), "a row that is right has no wrong value");
    let values = values.unwrap_or_default();
    assert_eq!(values.len(), columns.into());
    for (value, length) in values.iter().zip(&lengths) {
        let Some(value) = value else { continue };
        assert!(is_inside(payload, value));
        match length {
            ValueLength::Fixed(length) => assert_eq!(value.len(), usize::from(*length)),
            ValueLength::LengthEncoded => {}
            ValueLength::DateTime => assert!(DateTime::parse(value).is_ok()),
            ValueLength::Time => assert!(Time::parse(value).is_ok()),
        }
    }
    true
}

/// The values of the binary protocol: every date and time has a text, every integer is one of both kinds.
pub fn binary_value(data: &[u8]) -> bool {
    let date = DateTime::parse(data);
    let time = Time::parse(data);
    assert_eq!(date.is_ok(), DateTime::is_length(data.len()));
    assert_eq!(time.is_ok(), Time::is_length(data.len()));
    let is_text = |text: &[u8]| {
        !text.is_empty()
            && text.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'-' | b':' | b'.' | b' '))
    };
    for decimals in [0, 3, 6, 31] {
        assert!(date.is_err() || date.is_ok_and(|it| is_text(it.text(decimals).as_bytes())));
        assert!(time.is_err() || time.is_ok_and(|it| is_text(it.text(decimals).as_bytes())));
    }
    if data.len() == 8 {
        assert_eq!(signed(data), unsigned(data).cast_signed());
    }
    date.is_ok() || time.is_ok()
}
