//! Writes the handlers and the tables of functions.

use super::arg_info::{self, or};
use super::{c_string, line, static_name};
use crate::Target;
use crate::model::{Body, Function, Visibility};
use std::collections::BTreeSet;

/// Writes a handler for each body that one of `functions` has.
pub(super) fn handlers<'m>(out: &mut String, functions: impl Iterator<Item = &'m Function>) {
    let bodies: BTreeSet<&Body> = functions.map(|function| &function.body).collect();
    for body in bodies {
        let text = format!(
            "unsafe extern \"C\" fn {handler}(ex: *mut ffi::zend_execute_data, rv: *mut ffi::zval) {{\n\
             // SAFETY: Zend calls a handler with the frame of the call and the place of its value, both alive until it returns.\n\
             unsafe {{ crate::zend::call::enter(ex, rv, crate::{room}::{name}) }}\n\
             }}",
            handler = handler(body),
            room = body.room,
            name = body.name,
        );
        line(out, &text);
    }
}

fn handler(body: &Body) -> String {
    format!("handle_{}_{}", body.room.replace("::", "_"), body.name)
}

/// Writes the table `name` of `functions`, and their argument infos. `owner` is their class, or empty.
pub(super) fn table(
    out: &mut String,
    name: &str,
    owner: &str,
    functions: &[&Function],
    target: Target,
) {
    let arg_info_name = |function: &Function| static_name(&["arg_info", owner, &function.name]);
    for function in functions {
        arg_info::arg_infos(out, &arg_info_name(function), function, target);
    }
    let count = functions.len() + 1;
    line(
        out,
        &format!("static {name}: super::Table<ffi::zend_function_entry, {count}> = super::Table(["),
    );
    for function in functions {
        let handler = format!("Some({})", handler(&function.body));
        let arg_info = format!("{}.as_ptr()", arg_info_name(function));
        let flags = flags(function, !owner.is_empty(), target);
        let name = format!("{}.as_ptr()", c_string(&function.name));
        let num_args = function.parameters.len();
        entry(out, &name, &handler, &arg_info, num_args, &flags, target);
    }
    // Zend's end of a table.
    let null = "core::ptr::null()";
    entry(out, null, "None", null, 0, "0", target);
    line(out, "]);");
}

fn entry(
    out: &mut String,
    name: &str,
    handler: &str,
    arg_info: &str,
    num_args: usize,
    flags: &str,
    target: Target,
) {
    let last = target.last_entry_fields();
    line(
        out,
        &format!(
            "    ffi::zend_function_entry {{ fname: {name}, handler: {handler}, arg_info: {arg_info}, num_args: {num_args}, flags: {flags}{last} }},"
        ),
    );
}

fn flags(function: &Function, is_method: bool, target: Target) -> String {
    let mut flags = Vec::new();
    if is_method {
        flags.push(visibility(function.modifiers.visibility));
    }
    flags.extend(function.modifiers.is_static.then_some("ffi::ZEND_ACC_STATIC"));
    flags.extend(function.modifiers.is_final.then_some("ffi::ZEND_ACC_FINAL"));
    flags.extend(function.deprecation(target).map(|_| "ffi::ZEND_ACC_DEPRECATED"));
    or(&flags)
}

/// The flag of a visibility.
pub(super) fn visibility(visibility: Visibility) -> &'static str {
    match visibility {
        Visibility::Public => "ffi::ZEND_ACC_PUBLIC",
        Visibility::Protected => "ffi::ZEND_ACC_PROTECTED",
        Visibility::Private => "ffi::ZEND_ACC_PRIVATE",
    }
}

/// The attributes of functions and of their parameters, as a list of `super::Attribute`.
pub(super) fn attributes(functions: &[&Function], target: Target) -> String {
    let mut list = String::new();
    for function in functions {
        // Zend keys its tables of functions by the name in lower case.
        let of = c_string(&function.name.to_ascii_lowercase());
        let deprecation =
            function.deprecation(target).filter(|_| target.has_deprecated_attribute());
        if let Some(deprecation) = deprecation {
            let (since, message) = (c_string(&deprecation.since), c_string(&deprecation.message));
            list += &format!(
                "super::Attribute {{ function: {of}, parameter: None, name: c\"Deprecated\", arguments: &[(c\"since\", {since}), (c\"message\", {message})] }}, "
            );
        }
        let sensitive = function.parameters.iter().enumerate().filter(|(_, it)| it.sensitive);
        for (index, _) in sensitive {
            list += &format!(
                "super::Attribute {{ function: {of}, parameter: Some({index}), name: c\"SensitiveParameter\", arguments: &[] }}, "
            );
        }
    }
    list
}
