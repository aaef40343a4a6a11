//! Where a statement's text has placeholders: PDO asks its driver since PHP 8.4.

use super::super::border::enter;
use super::super::ffi;
use core::ffi::c_int;
use vaquita_client::{Piece, next_piece};

/// Finds the next piece of a statement's text for PDO, which looks for placeholders.
pub(super) unsafe extern "C" fn scan(scanner: *mut ffi::pdo_scanner_t) -> c_int {
    // SAFETY: PDO's scanner is alive; what is left of the text reaches from `cur` to the NUL before `end`.
    enter(PARSER_END, || unsafe {
        let start = (*scanner).cur;
        (*scanner).tok = start;
        let left = usize::try_from((*scanner).end.offset_from(start) - 1).unwrap_or_default();
        let Some((piece, bytes)) = next_piece(core::slice::from_raw_parts(start.cast(), left))
        else {
            return PARSER_END;
        };
        (*scanner).cur = start.add(bytes);
        match piece {
            Piece::Text => PARSER_TEXT,
            Piece::Named => PARSER_BIND,
            Piece::Positional => PARSER_BIND_POSITION,
        }
    })
}

/// PDO_PARSER_TEXT, PDO_PARSER_BIND, PDO_PARSER_BIND_POS and PDO_PARSER_EOI of pdo_sql_parser.h.
const PARSER_TEXT: c_int = 1;
const PARSER_BIND: c_int = 2;
const PARSER_BIND_POSITION: c_int = 3;
const PARSER_END: c_int = 6;
