//! The names of the counters, in the order in which PHP shows them, and what the driver counts of them.

use super::Totals;
use vaquita_client::{Own, Packets, Statistics};

/// Declares the counters once: as an enum and as the names that PHP shows.
macro_rules! keys {
    ($($name:ident),* $(,)?) => {
        /// A counter, under the name that PHP knows it by.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[expect(non_camel_case_types, reason = "the names are PHP's")]
        #[expect(dead_code, reason = "what has no meaning here is never counted")]
        pub(crate) enum Key {
            $($name),*
        }

        /// The names, in order.
        pub(crate) const NAMES: &[&str] = &[$(stringify!($name)),*];
    };
}

keys! {
    bytes_sent, bytes_received, packets_sent, packets_received, protocol_overhead_in, protocol_overhead_out,
    bytes_received_ok_packet, bytes_received_eof_packet, bytes_received_rset_header_packet,
    bytes_received_rset_field_meta_packet, bytes_received_rset_row_packet,
    bytes_received_prepare_response_packet, bytes_received_change_user_packet, packets_sent_command,
    packets_received_ok, packets_received_eof, packets_received_rset_header, packets_received_rset_field_meta,
    packets_received_rset_row, packets_received_prepare_response, packets_received_change_user,
    result_set_queries, non_result_set_queries, no_index_used, bad_index_used, slow_queries, buffered_sets,
    unbuffered_sets, ps_buffered_sets, ps_unbuffered_sets, flushed_normal_sets, flushed_ps_sets,
    ps_prepared_never_executed, ps_prepared_once_executed, rows_fetched_from_server_normal,
    rows_fetched_from_server_ps, rows_buffered_from_client_normal, rows_buffered_from_client_ps,
    rows_fetched_from_client_normal_buffered, rows_fetched_from_client_normal_unbuffered,
    rows_fetched_from_client_ps_buffered, rows_fetched_from_client_ps_unbuffered,
    rows_fetched_from_client_ps_cursor, rows_affected_normal, rows_affected_ps, rows_skipped_normal,
    rows_skipped_ps, copy_on_write_saved, copy_on_write_performed, command_buffer_too_small, connect_success,
    connect_failure, connection_reused, reconnect, pconnect_success, active_connections,
    active_persistent_connections, explicit_close, implicit_close, disconnect_close,
    in_middle_of_command_close, explicit_free_result, implicit_free_result, explicit_stmt_close,
    implicit_stmt_close, mem_emalloc_count, mem_emalloc_amount, mem_ecalloc_count, mem_ecalloc_amount,
    mem_erealloc_count, mem_erealloc_amount, mem_efree_count, mem_efree_amount, mem_malloc_count,
    mem_malloc_amount, mem_calloc_count, mem_calloc_amount, mem_realloc_count, mem_realloc_amount,
    mem_free_count, mem_free_amount, mem_estrndup_count, mem_strndup_count, mem_estrdup_count,
    mem_strdup_count, mem_edupl_count, mem_dupl_count, proto_text_fetched_null, proto_text_fetched_bit,
    proto_text_fetched_tinyint, proto_text_fetched_short, proto_text_fetched_int24, proto_text_fetched_int,
    proto_text_fetched_bigint, proto_text_fetched_decimal, proto_text_fetched_float,
    proto_text_fetched_double, proto_text_fetched_date, proto_text_fetched_year, proto_text_fetched_time,
    proto_text_fetched_datetime, proto_text_fetched_timestamp, proto_text_fetched_string,
    proto_text_fetched_blob, proto_text_fetched_enum, proto_text_fetched_set, proto_text_fetched_geometry,
    proto_text_fetched_other, proto_binary_fetched_null, proto_binary_fetched_bit,
    proto_binary_fetched_tinyint, proto_binary_fetched_short, proto_binary_fetched_int24,
    proto_binary_fetched_int, proto_binary_fetched_bigint, proto_binary_fetched_decimal,
    proto_binary_fetched_float, proto_binary_fetched_double, proto_binary_fetched_date,
    proto_binary_fetched_year, proto_binary_fetched_time, proto_binary_fetched_datetime,
    proto_binary_fetched_timestamp, proto_binary_fetched_string, proto_binary_fetched_json,
    proto_binary_fetched_blob, proto_binary_fetched_enum, proto_binary_fetched_set,
    proto_binary_fetched_geometry, proto_binary_fetched_other, init_command_executed_count,
    init_command_failed_count, com_quit, com_init_db, com_query, com_field_list, com_create_db, com_drop_db,
    com_refresh, com_shutdown, com_statistics, com_process_info, com_connect, com_process_kill, com_debug,
    com_ping, com_time, com_delayed_insert, com_change_user, com_binlog_dump, com_table_dump, com_connect_out,
    com_register_slave, com_stmt_prepare, com_stmt_execute, com_stmt_send_long_data, com_stmt_close,
    com_stmt_reset, com_stmt_set_option, com_stmt_fetch, com_deamon, bytes_received_real_data_normal,
    bytes_received_real_data_ps,
}

/// How many counters there are.
pub(crate) const COUNT: usize = NAMES.len();

/// Adds what the driver counted of a connection.
pub(crate) fn add_driver(totals: &mut Totals, counted: &Statistics) {
    // The header of a packet: three bytes of length and one of sequence id.
    const PACKET_HEADER_BYTES: u64 = 4;
    totals.add(Key::bytes_sent, counted.bytes_sent);
    totals.add(Key::bytes_received, counted.bytes_received);
    totals.add(Key::packets_sent, counted.packets_sent);
    totals.add(Key::packets_received, counted.packets_received);
    totals.add(Key::protocol_overhead_in, counted.packets_received * PACKET_HEADER_BYTES);
    totals.add(Key::protocol_overhead_out, counted.packets_sent * PACKET_HEADER_BYTES);
    let mut packets = |count, bytes, packets: Packets| {
        totals.add(count, packets.count);
        totals.add(bytes, packets.bytes);
    };
    packets(Key::packets_received_ok, Key::bytes_received_ok_packet, counted.ok);
    packets(Key::packets_received_eof, Key::bytes_received_eof_packet, counted.eof);
    let header = (Key::packets_received_rset_header, Key::bytes_received_rset_header_packet);
    packets(header.0, header.1, counted.result_set_header);
    let column =
        (Key::packets_received_rset_field_meta, Key::bytes_received_rset_field_meta_packet);
    packets(column.0, column.1, counted.column_definition);
    let row = (Key::packets_received_rset_row, Key::bytes_received_rset_row_packet);
    for rows in [counted.text_row, counted.binary_row, counted.row_end] {
        packets(row.0, row.1, rows);
    }
    let prepare =
        (Key::packets_received_prepare_response, Key::bytes_received_prepare_response_packet);
    packets(prepare.0, prepare.1, counted.prepare_ok);
    let change_user = (Key::packets_received_change_user, Key::bytes_received_change_user_packet);
    packets(change_user.0, change_user.1, counted.change_user);
    totals.add(Key::packets_sent_command, counted.all_commands());
    for (code, name) in (1_u8..).zip(Key::com_quit as usize..=Key::com_deamon as usize) {
        totals.add_at(name, counted.commands(code));
    }
    // Those of the script count, whatever the statement cache makes of them.
    let (again, kept) = (counted.own.of(Own::PrepareAgain), counted.own.of(Own::CloseKept));
    totals.add(Key::com_stmt_prepare, counted.statements_lent.wrapping_sub(again));
    totals.add(Key::com_stmt_close, counted.statements_kept.wrapping_sub(kept));
    totals.add(Key::result_set_queries, counted.result_sets);
    totals.add(Key::non_result_set_queries, counted.oks);
    totals.add(Key::no_index_used, counted.no_index_used);
    totals.add(Key::bad_index_used, counted.no_good_index_used);
    totals.add(Key::slow_queries, counted.slow);
    totals.add(Key::flushed_normal_sets, counted.results_discarded.text);
    totals.add(Key::flushed_ps_sets, counted.results_discarded.binary);
    totals.add(Key::rows_fetched_from_server_normal, counted.text_row.count);
    totals.add(Key::rows_fetched_from_server_ps, counted.binary_row.count);
    totals.add(Key::rows_affected_normal, counted.rows_affected.text);
    totals.add(Key::rows_affected_ps, counted.rows_affected.binary);
    totals.add(Key::rows_skipped_normal, counted.rows_discarded.text);
    totals.add(Key::rows_skipped_ps, counted.rows_discarded.binary);
    // As in stock a row that is skipped was fetched, too.
    totals.add(Key::rows_fetched_from_client_normal_unbuffered, counted.rows_discarded.text);
    totals.add(Key::rows_fetched_from_client_ps_unbuffered, counted.rows_discarded.binary);
    totals.add(Key::init_command_executed_count, counted.init_commands);
    totals.add(Key::init_command_failed_count, counted.init_commands_failed);
}
