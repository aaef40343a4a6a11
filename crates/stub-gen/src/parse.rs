//! Reads the tokens of a stub into its model: the declarations, from the top of the file down.

mod class;
mod cursor;
mod function;
mod value;

use crate::StubError;
use crate::lexer::{self, Kind};
use crate::model::{Constant, Stub};
use crate::note::Word;
use cursor::Cursor;

/// Reads a whole stub.
pub(crate) fn parse(text: &str) -> Result<Stub, StubError> {
    let tokens = lexer::tokens(text)?;
    let mut cursor = Cursor::new(text, &tokens);
    let mut stub = Stub::default();
    let mut namespace = None;
    if cursor.take(Kind::Word("namespace")) {
        namespace = Some(cursor.name("the namespace's name")?);
        cursor.symbol(";")?;
    }
    loop {
        match cursor.peek().kind {
            Kind::End => return Ok(stub),
            Kind::Word("function") | Kind::Symbol("#[") => {
                let mut function = function::function(&mut cursor)?;
                if let Some(namespace) = namespace {
                    function.name = format!("{namespace}\\{}", function.name);
                }
                stub.functions.push(function);
            }
            Kind::Word("class" | "final") => {
                let mut class = class::class(&mut cursor)?;
                if let Some(namespace) = namespace {
                    class.name = format!("{namespace}\\{}", class.name);
                }
                stub.classes.push(class);
            }
            _ if namespace.is_some() => {
                return Err(cursor.expected("function or class, which is all that a namespace has"));
            }
            Kind::Word("const") => stub.constants.push(constant(&mut cursor)?),
            _ => return Err(cursor.expected("const, function, class or final class")),
        }
    }
}

fn constant(cursor: &mut Cursor<'_>) -> Result<Constant, StubError> {
    let line = cursor.peek().line;
    cursor.word("const")?;
    let name = cursor.name("the constant's name")?.to_owned();
    cursor.symbol("=")?;
    let value = value::literal(cursor)?;
    cursor.symbol(";")?;
    let note = cursor.note(&[Word::Deprecated, Word::Since, Word::Until])?;
    Ok(Constant { line, name, value, deprecated: note.deprecated, versions: note.versions })
}

#[cfg(test)]
mod tests {
    use super::parse;
    use crate::model::{Builtin, Literal, Versions, Visibility};

    #[test]
    fn constants_have_a_value_and_flags() {
        let stub = parse("<?php\nconst A = -0x10;\nconst B = false; // deprecated, since 8.4\n")
            .expect("the stub is right");
        let [a, b] = stub.constants.as_slice() else {
            panic!("two constants, not {:?}", stub.constants)
        };
        assert_eq!((a.name.as_str(), &a.value), ("A", &Literal::Int(-16)));
        assert!(a.deprecated.is_none());
        assert_eq!((&b.value, b.deprecated.is_some()), (&Literal::Bool(false), true));
        assert_eq!((b.versions.since, b.versions.until), (Some(804), None));
    }

    #[test]
    fn functions_have_parameters_types_and_a_body() {
        let stub = parse(
            "<?php\n#[\\Deprecated(since: '8.4', message: 'use g()')]\nfunction &f(mysqli $a, #[\\SensitiveParameter] ?string $b = null,\n  int|array &$c = [1, 'x'], mixed &...$rest): A|B|false {} // query::run\n",
        )
        .expect("the stub is right");
        let [f] = stub.functions.as_slice() else {
            panic!("one function, not {:?}", stub.functions)
        };
        assert!(f.returns_reference && !f.tentative);
        let deprecation = f.deprecation.as_ref().expect("f is deprecated");
        assert_eq!((deprecation.since.as_str(), deprecation.message.as_str()), ("8.4", "use g()"));
        assert_eq!(deprecation.versions, Versions::from(804));
        assert_eq!((f.body.room.as_str(), f.body.name.as_str()), ("mysqli::query", "run"));
        assert_eq!(f.required(), 1);
        let [a, b, c, rest] = f.parameters.as_slice() else {
            panic!("four parameters, not {:?}", f.parameters)
        };
        assert!(!a.sensitive && b.sensitive && c.by_reference);
        assert!(rest.variadic && rest.by_reference && rest.default.is_none());
        let b_type = b.type_.as_ref().expect("$b is typed");
        assert_eq!(b_type.builtins, [Builtin::String, Builtin::Null]);
        assert_eq!(b.default.as_deref(), Some("null"));
        assert_eq!(c.default.as_deref(), Some("[1, 'x']"));
        let returned = f.return_type.as_ref().expect("f is typed");
        assert_eq!(returned.classes, ["A", "B"]);
        assert_eq!(returned.builtins, [Builtin::False]);
    }

    #[test]
    fn a_namespace_is_part_of_a_function_s_name() {
        let stub = parse("<?php\nnamespace A;\nfunction f(\\B $b): void {} // query::run\n")
            .expect("the stub is right");
        let [f] = stub.functions.as_slice() else { panic!("one, not {:?}", stub.functions) };
        let [b] = f.parameters.as_slice() else { panic!("one, not {:?}", f.parameters) };
        assert_eq!(f.name, "A\\f");
        assert_eq!(b.type_.as_ref().expect("$b is typed").classes, ["B"]);
    }

    #[test]
    fn classes_have_members_and_flags() {
        let stub = parse(
            "<?php\nfinal class C extends D implements E, F { // not serializable\n  protected string $s = '00000';\n  public ?int $i;\n  private static function f() {} // room::f\n  public function g(): static {} // room::g, tentative\n}\n",
        )
        .expect("the stub is right");
        let [class] = stub.classes.as_slice() else { panic!("one class, not {:?}", stub.classes) };
        assert_eq!(class.parent.as_deref(), Some("D"));
        assert_eq!(class.interfaces, ["E", "F"]);
        assert!(class.is_final && class.not_serializable && !class.no_dynamic_properties);
        let [s, i] = class.properties.as_slice() else {
            panic!("two properties, not {:?}", class.properties)
        };
        assert_eq!(s.default, Some(Literal::Text("00000".to_owned())));
        assert_eq!(s.modifiers.visibility, Visibility::Protected);
        assert_eq!(i.default, None);
        let [f, g] = class.methods.as_slice() else {
            panic!("two methods, not {:?}", class.methods)
        };
        assert!(f.modifiers.is_static && !g.modifiers.is_static);
        assert_eq!(f.modifiers.visibility, Visibility::Private);
        assert!(f.return_type.is_none() && g.tentative);
    }

    #[test]
    fn errors_name_the_line_and_what_is_missing() {
        for (stub, message) in [
            (
                "<?php\nenum X {}",
                "line 2: expected const, function, class or final class, found `enum`",
            ),
            (
                "<?php\nconst A = B;",
                "line 2: expected a value (an integer, a string, true, false or null), found `B`",
            ),
            (
                "<?php\nconst A = 99999999999999999999;",
                "line 2: 99999999999999999999 is no integer of 64 bits",
            ),
            (
                "<?php\nfunction f() {}\n",
                "line 2: the declaration needs a note with its body, like // query::store_result",
            ),
            (
                "<?php\nclass C {\n public function f() {} // a::b, tentative\n}",
                "line 3: a tentative return type needs a return type",
            ),
            ("<?php\nfunction f($a = ) {} // a::b", "line 2: expected a default value, found `)`"),
            (
                "<?php\nfunction f(...$a = 1) {} // a::b",
                "line 2: a variadic parameter has no default",
            ),
            (
                "<?php\nfunction f(#[Other] $a) {} // a::b",
                "line 2: the only attribute known is #[\\SensitiveParameter]",
            ),
            (
                "<?php\n#[Other]\nfunction f() {} // a::b",
                "line 2: the only attribute known is #[\\Deprecated(since: '8.4', message: '...')]",
            ),
            (
                "<?php\n#[\\Deprecated(since: 'x', message: '')]\nfunction f() {} // a::b",
                "line 2: \"x\" names no version like 8.4",
            ),
            (
                "<?php\nclass C {\n #[\\Deprecated(since: '8.4', message: '')]\n public $a;\n}",
                "line 4: only functions and methods can be deprecated so",
            ),
            (
                "<?php\nfunction f(int|foo $a) {} // a::b\nfunction f(iterable $a) {} // a::b",
                "line 3: iterable is not supported: its encoding differs between versions",
            ),
            (
                "<?php\nnamespace A;\nconst B = 1;",
                "line 3: expected function or class, which is all that a namespace has, found `const`",
            ),
            (
                "<?php\nclass C {\n private const A = 1;\n}",
                "line 3: constants of classes are public, and nothing else",
            ),
            ("<?php\nclass C {\n public public $a;\n}", "line 3: public stands there twice"),
            (
                "<?php\nclass C {\n public static $a;\n}",
                "line 3: static and final properties are not supported",
            ),
            (
                "<?php\nclass C {\n",
                "line 3: expected a property, a method or }, found the end of the stub",
            ),
        ] {
            let found = parse(stub).map(|_| ()).map_err(|error| error.to_string());
            assert_eq!(found, Err(message.to_owned()), "{stub}");
        }
    }
}
