//! Reads a function or a method.

use super::cursor::Cursor;
use super::value;
use crate::StubError;
use crate::lexer::Kind;
use crate::model::{Deprecation, Function, Modifiers, Parameter, Versions};
use crate::note::{self, Word};

/// A function of its own, from its attribute or `function` on.
pub(super) fn function(cursor: &mut Cursor<'_>) -> Result<Function, StubError> {
    let deprecation = deprecation(cursor)?;
    let function = declaration(cursor, Modifiers::default(), false)?;
    Ok(Function { deprecation, ..function })
}

/// A method, from `function` on.
pub(super) fn method(cursor: &mut Cursor<'_>, modifiers: Modifiers) -> Result<Function, StubError> {
    declaration(cursor, modifiers, true)
}

/// The attribute before a function or a member of a class, if it has one.
pub(super) fn deprecation(cursor: &mut Cursor<'_>) -> Result<Option<Deprecation>, StubError> {
    if !cursor.take(Kind::Symbol("#[")) {
        return Ok(None);
    }
    if !cursor.take(Kind::Word("\\Deprecated")) {
        let known = "the only attribute known is #[\\Deprecated(since: '8.4', message: '...')]";
        return Err(cursor.error(known));
    }
    cursor.symbol("(")?;
    let line = cursor.peek().line;
    let since = argument(cursor, "since")?;
    cursor.symbol(",")?;
    let message = argument(cursor, "message")?;
    cursor.symbol(")")?;
    cursor.symbol("]")?;
    let minor = note::minor_version(&since)
        .ok_or_else(|| StubError::new(line, format!("{since:?} names no version like 8.4")))?;
    Ok(Some(Deprecation { versions: Versions::from(minor), since, message }))
}

/// A named argument of an attribute, a string.
fn argument(cursor: &mut Cursor<'_>, name: &str) -> Result<String, StubError> {
    cursor.word(name)?;
    cursor.symbol(":")?;
    match cursor.peek().kind {
        Kind::Text(text) => {
            cursor.next();
            Ok(text.to_owned())
        }
        _ => Err(cursor.expected("a string")),
    }
}

fn declaration(
    cursor: &mut Cursor<'_>,
    modifiers: Modifiers,
    is_method: bool,
) -> Result<Function, StubError> {
    let line = cursor.peek().line;
    cursor.word("function")?;
    let returns_reference = cursor.take(Kind::Symbol("&"));
    let name = cursor.name("the function's name")?.to_owned();
    let parameters = parameters(cursor)?;
    let return_type =
        if cursor.take(Kind::Symbol(":")) { Some(value::type_(cursor)?) } else { None };
    cursor.symbol("{")?;
    cursor.symbol("}")?;
    let function_words = &[Word::Body, Word::ReturnsTrue, Word::Since, Word::Until];
    let method_words = &[&function_words[..], &[Word::Tentative]].concat();
    let note = cursor.note(if is_method { method_words } else { function_words })?;
    let body = note.body.ok_or_else(|| {
        let message = "the declaration needs a note with its body, like // query::store_result";
        StubError::new(line, message)
    })?;
    if note.tentative && return_type.is_none() && note.returns_true.is_none() {
        let message = "a tentative return type needs a return type";
        return Err(StubError::new(line, message));
    }
    Ok(Function {
        line,
        name,
        modifiers,
        returns_reference,
        parameters,
        return_type,
        tentative: note.tentative,
        returns_true: note.returns_true,
        deprecation: None,
        body,
        versions: note.versions,
    })
}

fn parameters(cursor: &mut Cursor<'_>) -> Result<Vec<Parameter>, StubError> {
    let mut parameters: Vec<Parameter> = Vec::new();
    cursor.symbol("(")?;
    while !cursor.take(Kind::Symbol(")")) {
        if parameters.last().is_some_and(|last| last.variadic) {
            return Err(cursor.error("nothing follows a variadic parameter"));
        }
        parameters.push(parameter(cursor)?);
        if !cursor.take(Kind::Symbol(",")) {
            cursor.symbol(")")?;
            break;
        }
    }
    Ok(parameters)
}

fn parameter(cursor: &mut Cursor<'_>) -> Result<Parameter, StubError> {
    let sensitive = cursor.take(Kind::Symbol("#["));
    if sensitive {
        if !cursor.take(Kind::Word("\\SensitiveParameter")) {
            return Err(cursor.error("the only attribute known is #[\\SensitiveParameter]"));
        }
        cursor.symbol("]")?;
    }
    let type_ = match cursor.peek().kind {
        Kind::Word(_) | Kind::Symbol("?") => Some(value::type_(cursor)?),
        _ => None,
    };
    let by_reference = cursor.take(Kind::Symbol("&"));
    let variadic = cursor.take(Kind::Symbol("..."));
    let name = cursor.variable()?.to_owned();
    let default = if cursor.take(Kind::Symbol("=")) {
        if variadic {
            return Err(cursor.error("a variadic parameter has no default"));
        }
        Some(value::default_source(cursor)?)
    } else {
        None
    };
    Ok(Parameter { name, type_, by_reference, variadic, default, sensitive })
}
