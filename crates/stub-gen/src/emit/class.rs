//! Writes a class: its methods, its properties, and the function that registers it.

use super::arg_info::{mask, or};
use super::function::{attributes, table, visibility};
use super::{c_string, line, literal, static_name};
use crate::Target;
use crate::model::{Class, Function};

/// Writes `register_class_NAME` and what it needs.
pub(super) fn class(out: &mut String, class: &Class, target: Target) {
    let methods: Vec<&Function> =
        class.methods.iter().filter(|it| it.versions.include(target)).collect();
    let constant = static_name(&["class", &class.name]);
    let table_name = static_name(&["class", &class.name, "methods"]);
    table(out, &table_name, &format!("class_{}", class.name), &methods, target);

    line(out, &format!("const {constant}: super::Class = super::Class {{"));
    line(out, &format!("    name: {},", c_string(&class.name)));
    line(out, &format!("    methods: {table_name}.as_ptr(),"));
    line(out, &format!("    flags: {},", flags(class)));
    line(out, "    constants: &[");
    for constant in &class.constants {
        line(out, &format!("        ({}, {}),", c_string(&constant.name), constant.value));
    }
    line(out, "    ],");
    line(out, "    properties: &[");
    for property in &class.properties {
        if !property.versions.include(target) {
            continue;
        }
        let type_mask = property.type_.as_ref().map_or_else(|| "0".to_owned(), mask);
        let default = match &property.default {
            Some(value) => format!("Some({})", literal(value)),
            None if property.type_.is_none() => "Some(super::Value::Null)".to_owned(),
            None => "None".to_owned(),
        };
        let text = format!(
            "        super::Property {{ name: {}, visibility: {}, type_mask: {type_mask}, default: {default} }},",
            c_string(&property.name),
            visibility(property.modifiers.visibility),
        );
        line(out, &text);
    }
    line(out, "    ],");
    let attributes = attributes(&methods, target);
    line(out, &format!("    attributes: &[{attributes}],"));
    line(out, "};");
    register(out, class, &constant);
}

fn register(out: &mut String, class: &Class, constant: &str) {
    let parent = match &class.parent {
        Some(parent) => format!("that of {parent}"),
        None => "null".to_owned(),
    };
    let interfaces = if class.interfaces.is_empty() {
        String::new()
    } else {
        format!(" Its interfaces are the caller's: {}.", class.interfaces.join(", "))
    };
    let text = format!(
        "/// Registers the class {name}; `parent` is {parent}.{interfaces}\n\
         ///\n\
         /// # Safety\n\
         /// Called in MINIT, with a registered class or null.\n\
         pub(crate) unsafe fn register_class_{lower}(parent: *mut ffi::zend_class_entry) -> *mut ffi::zend_class_entry {{\n\
         // SAFETY: the caller's promise is the one asked for.\n\
         unsafe {{ super::register_class(&{constant}, parent) }}\n\
         }}",
        name = class.name,
        lower = class.name.replace('\\', "_").to_ascii_lowercase(),
    );
    line(out, &text);
}

fn flags(class: &Class) -> String {
    let mut flags = Vec::new();
    flags.extend(class.is_final.then_some("ffi::ZEND_ACC_FINAL"));
    flags.extend(class.not_serializable.then_some("ffi::ZEND_ACC_NOT_SERIALIZABLE"));
    flags.extend(class.no_dynamic_properties.then_some("ffi::ZEND_ACC_NO_DYNAMIC_PROPERTIES"));
    or(&flags)
}
