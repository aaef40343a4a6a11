//! Reads the values and types in a stub.

use super::cursor::Cursor;
use crate::StubError;
use crate::lexer::Kind;
use crate::model::{Builtin, Literal, Type};

/// The value of a constant or of a property.
pub(super) fn literal(cursor: &mut Cursor<'_>) -> Result<Literal, StubError> {
    let negative = cursor.take(Kind::Symbol("-"));
    let token = cursor.peek();
    let value = match token.kind {
        Kind::Number(digits) => integer(digits, negative)
            .map(Literal::Int)
            .ok_or_else(|| cursor.error(format!("{digits} is no integer of 64 bits")))?,
        Kind::Text(text) if !negative => Literal::Text(text.to_owned()),
        Kind::Word("true") if !negative => Literal::Bool(true),
        Kind::Word("false") if !negative => Literal::Bool(false),
        Kind::Word("null") if !negative => Literal::Null,
        _ => {
            return Err(cursor.expected("a value (an integer, a string, true, false or null)"));
        }
    };
    cursor.next();
    Ok(value)
}

fn integer(digits: &str, negative: bool) -> Option<i64> {
    let (digits, radix) = match digits.strip_prefix("0x") {
        Some(hexadecimal) => (hexadecimal, 16),
        // PHP reads a leading zero as octal; a stub has no use for that.
        None if digits.len() > 1 && digits.starts_with('0') => return None,
        None => (digits, 10),
    };
    let value = i128::from(u64::from_str_radix(digits, radix).ok()?);
    i64::try_from(if negative { -value } else { value }).ok()
}

/// A default value, as it is written: everything up to the comma or bracket that ends the parameter.
pub(super) fn default_source(cursor: &mut Cursor<'_>) -> Result<String, StubError> {
    let first = cursor.peek();
    let mut depth = 0_usize;
    loop {
        match cursor.peek().kind {
            Kind::Symbol("," | ")") if depth == 0 => break,
            Kind::Symbol("(" | "[") => depth += 1,
            Kind::Symbol(")" | "]") if depth > 0 => depth -= 1,
            Kind::Symbol(";" | "{" | "}" | "#[") | Kind::Note(_) | Kind::End => {
                return Err(cursor.expected("the rest of the default value"));
            }
            _ => {}
        }
        cursor.next();
    }
    if cursor.peek() == first {
        return Err(cursor.expected("a default value"));
    }
    Ok(cursor.source(first, cursor.previous()).to_owned())
}

/// A type: `?T`, or names joined by `|`.
pub(super) fn type_(cursor: &mut Cursor<'_>) -> Result<Type, StubError> {
    let mut type_ = Type { line: cursor.peek().line, builtins: Vec::new(), classes: Vec::new() };
    let nullable = cursor.take(Kind::Symbol("?"));
    loop {
        let name = cursor.name("a type")?;
        match Builtin::of_name(name) {
            Some(builtin) => type_.builtins.push(builtin),
            None if name.eq_ignore_ascii_case("iterable") => {
                let message = "iterable is not supported: its encoding differs between versions";
                return Err(StubError::new(type_.line, message));
            }
            None => type_.classes.push(name.trim_start_matches('\\').to_owned()),
        }
        if nullable {
            type_.builtins.push(Builtin::Null);
            return Ok(type_);
        }
        if !cursor.take(Kind::Symbol("|")) {
            return Ok(type_);
        }
    }
}
