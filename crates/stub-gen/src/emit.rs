//! Writes the Rust of the tables from a stub's model.
//!
//! What is written is data, and one handler for each body. The registration that reads the data is written by hand, in
//! `crates/php/src/zend/tables.rs`, whose module is the parent of the one that includes this.

mod arg_info;
mod class;
mod function;

use crate::Target;
use crate::model::{Function, Literal, Stub};
use std::fmt::Write as _;

/// The whole source.
pub(crate) fn emit(stub: &Stub, target: Target) -> String {
    let mut out = String::new();
    line(
        &mut out,
        &format!("// Made from the stub for PHP {}; change that instead.", target.version_id()),
    );
    line(&mut out, "use crate::zend::ffi;");

    let functions: Vec<&Function> =
        stub.functions.iter().filter(|it| it.versions.include(target)).collect();
    let classes: Vec<_> = stub.classes.iter().filter(|it| it.versions.include(target)).collect();
    let methods =
        classes.iter().flat_map(|class| &class.methods).filter(|it| it.versions.include(target));
    function::handlers(&mut out, functions.iter().copied().chain(methods));

    function::table(&mut out, "FUNCTIONS", "", &functions, target);
    line(&mut out, "/// The functions, for the module's entry.");
    line(
        &mut out,
        "pub(crate) const fn functions() -> *const ffi::zend_function_entry { FUNCTIONS.as_ptr() }",
    );
    let attributes = function::attributes(&functions, target);
    line(&mut out, &format!("const ATTRIBUTES: &[super::Attribute] = &[{attributes}];"));
    line(
        &mut out,
        "/// Gives the functions their attributes; `functions` is the compiler's function table.\n\
         ///\n\
         /// # Safety\n\
         /// Called in MINIT, after Zend has registered the module's functions there.\n\
         pub(crate) unsafe fn add_attributes(functions: *mut ffi::HashTable) {\n\
         // SAFETY: the caller's promise is the one asked for.\n\
         unsafe { super::add_attributes(functions, ATTRIBUTES) }\n\
         }",
    );
    constants(&mut out, stub, target);
    for class in classes {
        class::class(&mut out, class, target);
    }
    out
}

fn constants(out: &mut String, stub: &Stub, target: Target) {
    line(out, "const CONSTANTS: &[super::Constant] = &[");
    for constant in &stub.constants {
        if !constant.versions.include(target) {
            continue;
        }
        let text = format!(
            "super::Constant {{ name: {}, value: {}, deprecated: {} }},",
            c_string(&constant.name),
            literal(&constant.value),
            constant.deprecated.is_some_and(|versions| versions.include(target)),
        );
        line(out, &text);
    }
    line(out, "];");
    line(
        out,
        "/// Registers the constants.\n\
         ///\n\
         /// # Safety\n\
         /// Called in MINIT, with that module's number.\n\
         pub(crate) unsafe fn register_constants(module_number: core::ffi::c_int) {\n\
         // SAFETY: the caller's promise is the one asked for.\n\
         unsafe { super::register_constants(CONSTANTS, module_number) }\n\
         }",
    );
}

/// A value as `super::Value`.
fn literal(value: &Literal) -> String {
    match value {
        Literal::Null => "super::Value::Null".to_owned(),
        Literal::Bool(value) => format!("super::Value::Bool({value})"),
        Literal::Int(value) => format!("super::Value::Int({value})"),
        Literal::Text(value) => format!("super::Value::Text({})", c_string(value)),
    }
}

/// A C string literal. A stub's names and strings have no NUL: the lexer knows no escapes, and PHP none in names.
fn c_string(text: &str) -> String {
    format!("c\"{}\"", text.escape_default())
}

/// The name of a static, of what stands in PHP.
fn static_name(parts: &[&str]) -> String {
    parts.join("_").replace('\\', "_").to_ascii_uppercase()
}

fn line(out: &mut String, text: &str) {
    // Writing to a String never fails.
    let _ = writeln!(out, "{text}");
}

#[cfg(test)]
mod tests {
    use crate::{Target, generate};

    fn made(stub: &str, version: &str) -> String {
        let header = format!("#define PHP_VERSION_ID {version}");
        let target = Target::of_header(&header).expect("the header is right");
        generate(stub, target).expect("the stub is right")
    }

    #[test]
    fn a_newer_php_has_its_own_words() {
        let stub = "<?php\nfunction f(A $a): A|false {} // a::f\n";
        let php82 = made(stub, "80235");
        assert!(php82.contains("ffi::_ZEND_TYPE_NAME_BIT | ffi::MAY_BE_FALSE"), "{php82}");
        assert!(!php82.contains("frameless_function_infos"));
        let php84 = made(stub, "80401");
        assert!(php84.contains("ffi::_ZEND_TYPE_LITERAL_NAME_BIT"), "{php84}");
        assert!(php84.contains("frameless_function_infos"));
    }

    #[test]
    fn what_another_version_has_is_left_out() {
        let stub = "<?php\nconst A = 1; // until 8.3\nfunction f() {} // a::f, since 8.4\nclass C {\n public int $p; // since 8.3\n}\n";
        let php82 = made(stub, "80200");
        assert!(php82.contains("c\"A\"") && !php82.contains("a::f") && !php82.contains("c\"p\""));
        let php84 = made(stub, "80400");
        assert!(!php84.contains("c\"A\"") && php84.contains("a::f") && php84.contains("c\"p\""));
    }

    #[test]
    fn a_deprecation_begins_with_its_version() {
        let stub = "<?php\nconst A = 1; // deprecated since 8.4\n#[\\Deprecated(since: '8.1', message: 'm')]\nfunction f() {} // a::f\n";
        let deprecated = "flags: ffi::ZEND_ACC_DEPRECATED";
        let php80 = made(stub, "80030");
        assert!(!php80.contains(deprecated), "{php80}");
        let php82 = made(stub, "80235");
        assert!(php82.contains(deprecated) && php82.contains("deprecated: false"), "{php82}");
        // PHP has the attribute since 8.4.
        assert!(!php82.contains("c\"Deprecated\""));
        let php84 = made(stub, "80424");
        assert!(php84.contains(deprecated) && php84.contains("deprecated: true"), "{php84}");
        assert!(php84.contains("c\"Deprecated\"") && php84.contains("(c\"since\", c\"8.1\")"));
    }

    #[test]
    fn a_return_type_may_differ() {
        let stub = "<?php\nclass C {\n public function f() {} // a::f, tentative, returns true since 8.4\n}\n";
        assert!(!made(stub, "80235").contains("TENTATIVE"));
        assert!(made(stub, "80424").contains("ffi::MAY_BE_TRUE | ffi::_ZEND_IS_TENTATIVE_BIT"));
    }

    #[test]
    fn a_body_has_one_handler() {
        let stub =
            "<?php\nfunction f() {} // a::f\nclass C {\n public function f() {} // a::f\n}\n";
        assert_eq!(made(stub, "80200").matches("crate::mysqli::a::f").count(), 1);
    }

    #[test]
    fn a_namespace_is_part_of_the_name() {
        let php82 = made("<?php\nnamespace A;\nfunction f() {} // a::f\n", "80200");
        assert!(php82.contains("c\"A\\\\f\"") && php82.contains("static ARG_INFO__A_F"), "{php82}");
        let stub = "<?php\nnamespace A;\nclass B extends \\P {\n public const C = 7;\n public function m() {} // pdo::room::m\n}\n";
        let php84 = made(stub, "80400");
        for part in ["c\"A\\\\B\"", "(c\"C\", 7)", "register_class_a_b", "crate::pdo::room::m"] {
            assert!(php84.contains(part), "{part} is not in\n{php84}");
        }
    }

    #[test]
    fn a_parameter_says_all_that_reflection_shows() {
        let stub = "<?php\nfunction &f(?int $a, mixed &...$b): void {} // a::f\n";
        let php82 = made(stub, "80200");
        for part in [
            // One required argument, of two.
            "core::ptr::without_provenance(1)",
            "num_args: 2",
            "ffi::MAY_BE_VOID | 1 << ffi::_ZEND_SEND_MODE_SHIFT",
            "ffi::MAY_BE_LONG | ffi::MAY_BE_NULL",
            "ffi::MAY_BE_ANY | 1 << ffi::_ZEND_SEND_MODE_SHIFT | ffi::_ZEND_IS_VARIADIC_BIT",
        ] {
            assert!(php82.contains(part), "{part} is not in\n{php82}");
        }
    }
}
