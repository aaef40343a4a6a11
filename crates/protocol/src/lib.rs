//! Bytes to packets and back: the MySQL and MariaDB client/server protocol without any I/O.
//!
//! One file is one page of the protocol documentation. Everything that a server sent goes through
//! [`reader::Reader`]; whatever does not fit is a [`Malformed`], never a panic.
#![forbid(unsafe_code)]

pub mod auth_more_data;
pub mod auth_switch_request;
pub mod binary_row;
pub mod binary_value;
pub mod capabilities;
pub mod charset;
pub mod collation;
pub mod column_definition41;
pub mod com_change_user;
pub mod com_stmt_execute;
pub mod com_stmt_prepare_ok;
pub mod command;
pub mod compressed_packet_header;
pub mod encoding;
pub mod eof_packet;
pub mod err_packet;
#[cfg(test)]
mod golden;
pub mod handshake_response41;
pub mod handshake_v10;
pub mod malformed;
pub mod ok_packet;
pub mod packet_header;
pub mod panic_point;
pub mod query_response;
pub mod reader;
pub mod session_state;
pub mod ssl_request;
pub mod status_flags;
pub mod text_row;
pub mod value_head;
pub mod writer;

pub use auth_more_data::AuthMoreData;
pub use auth_switch_request::AuthSwitchRequest;
pub use binary_row::{BinaryRow, ValueLength};
pub use capabilities::Capabilities;
pub use charset::Charset;
pub use collation::collation_name;
pub use column_definition41::{ColumnDefinition41, ColumnDefinitions, ColumnFlags, ColumnType};
pub use com_change_user::ComChangeUser;
pub use com_stmt_execute::{ComStmtExecute, Data, Parameter};
pub use com_stmt_prepare_ok::ComStmtPrepareOk;
pub use command::{Command, SetOption, command_name};
pub use compressed_packet_header::CompressedPacketHeader;
pub use encoding::Encoding;
pub use eof_packet::EofPacket;
pub use err_packet::ErrPacket;
pub use handshake_response41::HandshakeResponse41;
pub use handshake_v10::HandshakeV10;
pub use malformed::Malformed;
pub use ok_packet::OkPacket;
pub use packet_header::PacketHeader;
pub use panic_point::panic_point;
pub use query_response::ComQueryResponse;
pub use session_state::{SessionState, SessionStateChange};
pub use ssl_request::SslRequest;
pub use status_flags::StatusFlags;
pub use text_row::TextRow;
pub use value_head::ValueHead;
