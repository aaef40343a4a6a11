//! What a stub says, as values; made by `parse`, read by `emit`.

use crate::target::Target;

/// A whole stub.
#[derive(Debug, Default)]
pub(crate) struct Stub {
    pub(crate) constants: Vec<Constant>,
    pub(crate) functions: Vec<Function>,
    pub(crate) classes: Vec<Class>,
}

/// The versions of PHP that have a thing, as 802 for 8.2, both ends included.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Versions {
    pub(crate) since: Option<u32>,
    pub(crate) until: Option<u32>,
}

impl Versions {
    pub(crate) fn from(since: u32) -> Self {
        Self { since: Some(since), until: None }
    }

    pub(crate) fn include(self, target: Target) -> bool {
        self.since.is_none_or(|minor| target.is_at_least(minor))
            && self.until.is_none_or(|minor| !target.is_at_least(minor + 1))
    }

    pub(crate) fn overlap(self, other: Self) -> bool {
        let after = |a: Self, b: Self| matches!((a.since, b.until), (Some(since), Some(until)) if since > until);
        !after(self, other) && !after(other, self)
    }
}

/// A global constant.
#[derive(Debug)]
pub(crate) struct Constant {
    pub(crate) line: usize,
    pub(crate) name: String,
    pub(crate) value: Literal,
    pub(crate) deprecated: Option<Versions>,
    pub(crate) versions: Versions,
}

/// A value written in the stub.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Literal {
    Null,
    Bool(bool),
    Int(i64),
    Text(String),
}

/// A function or a method.
#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) line: usize,
    pub(crate) name: String,
    pub(crate) modifiers: Modifiers,
    pub(crate) returns_reference: bool,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) return_type: Option<Type>,
    /// Whether a class that overrides the method may leave the return type out.
    pub(crate) tentative: bool,
    /// The versions that call the return type `true`, whatever it is in others.
    pub(crate) returns_true: Option<Versions>,
    pub(crate) deprecation: Option<Deprecation>,
    pub(crate) body: Body,
    pub(crate) versions: Versions,
}

/// What `#[\Deprecated]` says, which is also what a call does from PHP 8.4 on.
#[derive(Debug)]
pub(crate) struct Deprecation {
    pub(crate) versions: Versions,
    /// Its arguments, as they are written.
    pub(crate) since: String,
    pub(crate) message: String,
}

impl Function {
    /// The return type that a version has.
    pub(crate) fn return_type(&self, target: Target) -> Option<Type> {
        if self.returns_true.is_some_and(|versions| versions.include(target)) {
            let builtins = vec![Builtin::True];
            return Some(Type { line: self.line, builtins, classes: Vec::new() });
        }
        self.return_type.clone()
    }

    /// The deprecation, if a version has it.
    pub(crate) fn deprecation(&self, target: Target) -> Option<&Deprecation> {
        self.deprecation.as_ref().filter(|it| it.versions.include(target))
    }

    /// How many arguments a call needs: those up to the last one that has neither a default nor is variadic.
    pub(crate) fn required(&self) -> usize {
        self.parameters
            .iter()
            .rposition(|parameter| parameter.default.is_none() && !parameter.variadic)
            .map_or(0, |last| last + 1)
    }
}

/// The Rust function behind a PHP one: `crate::ROOM::NAME`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Body {
    pub(crate) room: String,
    pub(crate) name: String,
}

/// A parameter of a function.
#[derive(Debug)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    pub(crate) type_: Option<Type>,
    pub(crate) by_reference: bool,
    pub(crate) variadic: bool,
    /// The default as it is written, which is how Reflection shows it.
    pub(crate) default: Option<String>,
    /// Whether a backtrace hides the argument.
    pub(crate) sensitive: bool,
}

/// A class.
#[derive(Debug)]
pub(crate) struct Class {
    pub(crate) line: usize,
    pub(crate) name: String,
    pub(crate) parent: Option<String>,
    pub(crate) interfaces: Vec<String>,
    pub(crate) is_final: bool,
    pub(crate) not_serializable: bool,
    pub(crate) no_dynamic_properties: bool,
    pub(crate) constants: Vec<ClassConstant>,
    pub(crate) properties: Vec<Property>,
    pub(crate) methods: Vec<Function>,
    pub(crate) versions: Versions,
}

/// A public constant of a class.
#[derive(Debug)]
pub(crate) struct ClassConstant {
    pub(crate) line: usize,
    pub(crate) name: String,
    pub(crate) value: i64,
}

/// A declared property.
#[derive(Debug)]
pub(crate) struct Property {
    pub(crate) line: usize,
    pub(crate) name: String,
    pub(crate) modifiers: Modifiers,
    pub(crate) type_: Option<Type>,
    /// None of a typed property: it is uninitialised until it is written; of an untyped one: null.
    pub(crate) default: Option<Literal>,
    pub(crate) versions: Versions,
}

/// The words before a member of a class.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Modifiers {
    pub(crate) visibility: Visibility,
    pub(crate) is_static: bool,
    pub(crate) is_final: bool,
}

/// Who may use a member.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Visibility {
    #[default]
    Public,
    Protected,
    Private,
}

/// A type: names joined by `|`; `?T` is kept as `T|null`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Type {
    pub(crate) line: usize,
    pub(crate) builtins: Vec<Builtin>,
    pub(crate) classes: Vec<String>,
}

/// A type that PHP has a mask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Builtin {
    Null,
    False,
    True,
    Bool,
    Int,
    Float,
    String,
    Array,
    Object,
    Callable,
    Mixed,
    Void,
    Never,
    Static,
}

impl Builtin {
    pub(crate) fn of_name(name: &str) -> Option<Self> {
        Some(match name.to_ascii_lowercase().as_str() {
            "null" => Self::Null,
            "false" => Self::False,
            "true" => Self::True,
            "bool" => Self::Bool,
            "int" => Self::Int,
            "float" => Self::Float,
            "string" => Self::String,
            "array" => Self::Array,
            "object" => Self::Object,
            "callable" => Self::Callable,
            "mixed" => Self::Mixed,
            "void" => Self::Void,
            "never" => Self::Never,
            "static" => Self::Static,
            _ => return None,
        })
    }

    /// The name of the mask in Zend/zend_type_info.h.
    pub(crate) fn mask(self) -> &'static str {
        match self {
            Self::Null => "MAY_BE_NULL",
            Self::False => "MAY_BE_FALSE",
            Self::True => "MAY_BE_TRUE",
            Self::Bool => "MAY_BE_BOOL",
            Self::Int => "MAY_BE_LONG",
            Self::Float => "MAY_BE_DOUBLE",
            Self::String => "MAY_BE_STRING",
            Self::Array => "MAY_BE_ARRAY",
            Self::Object => "MAY_BE_OBJECT",
            Self::Callable => "MAY_BE_CALLABLE",
            Self::Mixed => "MAY_BE_ANY",
            Self::Void => "MAY_BE_VOID",
            Self::Never => "MAY_BE_NEVER",
            Self::Static => "MAY_BE_STATIC",
        }
    }
}
