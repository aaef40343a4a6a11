//! Reads a class and its members.

use super::cursor::Cursor;
use super::{function, value};
use crate::StubError;
use crate::lexer::Kind;
use crate::model::{Class, ClassConstant, Function, Literal, Modifiers, Property, Visibility};
use crate::note::Word;

/// A class, from `final` or `class` on.
pub(super) fn class(cursor: &mut Cursor<'_>) -> Result<Class, StubError> {
    let line = cursor.peek().line;
    let is_final = cursor.take(Kind::Word("final"));
    cursor.word("class")?;
    let name = cursor.name("the class's name")?.to_owned();
    let parent = if cursor.take(Kind::Word("extends")) {
        Some(cursor.name("the parent's name")?.to_owned())
    } else {
        None
    };
    let interfaces = interfaces(cursor)?;
    cursor.symbol("{")?;
    let note = cursor.note(&[
        Word::NotSerializable,
        Word::NoDynamicProperties,
        Word::Since,
        Word::Until,
    ])?;
    let mut class = Class {
        line,
        name,
        parent,
        interfaces,
        is_final,
        not_serializable: note.not_serializable,
        no_dynamic_properties: note.no_dynamic_properties,
        constants: Vec::new(),
        properties: Vec::new(),
        methods: Vec::new(),
        versions: note.versions,
    };
    while !cursor.take(Kind::Symbol("}")) {
        member(cursor, &mut class)?;
    }
    Ok(class)
}

fn interfaces(cursor: &mut Cursor<'_>) -> Result<Vec<String>, StubError> {
    let mut interfaces = Vec::new();
    if cursor.take(Kind::Word("implements")) {
        interfaces.push(cursor.name("an interface")?.to_owned());
        while cursor.take(Kind::Symbol(",")) {
            interfaces.push(cursor.name("an interface")?.to_owned());
        }
    }
    Ok(interfaces)
}

fn member(cursor: &mut Cursor<'_>, class: &mut Class) -> Result<(), StubError> {
    let deprecation = function::deprecation(cursor)?;
    let line = cursor.peek().line;
    let modifiers = modifiers(cursor)?;
    if cursor.peek().kind == Kind::Word("function") {
        let method = function::method(cursor, modifiers)?;
        class.methods.push(Function { deprecation, ..method });
        return Ok(());
    }
    if cursor.peek().kind == Kind::Word("const") {
        class.constants.push(constant(cursor, modifiers)?);
        return Ok(());
    }
    if deprecation.is_some() {
        let message = "only functions and methods can be deprecated so";
        return Err(StubError::new(line, message));
    }
    if modifiers.is_static || modifiers.is_final {
        let message = "static and final properties are not supported";
        return Err(StubError::new(line, message));
    }
    class.properties.push(property(cursor, modifiers)?);
    Ok(())
}

fn modifiers(cursor: &mut Cursor<'_>) -> Result<Modifiers, StubError> {
    let mut seen: Vec<&str> = Vec::new();
    while let Kind::Word(word @ ("public" | "protected" | "private" | "static" | "final")) =
        cursor.peek().kind
    {
        if seen.contains(&word) {
            return Err(cursor.error(format!("{word} stands there twice")));
        }
        seen.push(word);
        cursor.next();
    }
    let visibility =
        match (seen.contains(&"public"), seen.contains(&"protected"), seen.contains(&"private")) {
            (true, false, false) => Visibility::Public,
            (false, true, false) => Visibility::Protected,
            (false, false, true) => Visibility::Private,
            (false, false, false) => return Err(cursor.expected("a property, a method or }")),
            _ => return Err(cursor.error("public, protected and private exclude each other")),
        };
    Ok(Modifiers {
        visibility,
        is_static: seen.contains(&"static"),
        is_final: seen.contains(&"final"),
    })
}

fn constant(cursor: &mut Cursor<'_>, modifiers: Modifiers) -> Result<ClassConstant, StubError> {
    let line = cursor.peek().line;
    cursor.word("const")?;
    let name = cursor.name("the constant's name")?.to_owned();
    cursor.symbol("=")?;
    let Literal::Int(value) = value::literal(cursor)? else {
        return Err(cursor.expected("an integer"));
    };
    cursor.symbol(";")?;
    if modifiers.visibility != Visibility::Public || modifiers.is_static || modifiers.is_final {
        return Err(StubError::new(line, "constants of classes are public, and nothing else"));
    }
    Ok(ClassConstant { line, name, value })
}

fn property(cursor: &mut Cursor<'_>, modifiers: Modifiers) -> Result<Property, StubError> {
    let line = cursor.peek().line;
    let type_ = match cursor.peek().kind {
        Kind::Variable(_) => None,
        _ => Some(value::type_(cursor)?),
    };
    if let Some(class) = type_.as_ref().and_then(|type_| type_.classes.first()) {
        let message = format!("a property of the class {class} is not supported yet");
        return Err(StubError::new(line, message));
    }
    let name = cursor.variable()?.to_owned();
    let default = if cursor.take(Kind::Symbol("=")) { Some(value::literal(cursor)?) } else { None };
    cursor.symbol(";")?;
    let note = cursor.note(&[Word::Since, Word::Until])?;
    Ok(Property { line, name, modifiers, type_, default, versions: note.versions })
}
