//! Writes the argument infos of a function: one for what it returns, then one for each parameter.

use super::{c_string, line};
use crate::Target;
use crate::model::{Function, Type};

/// Writes the static `name` of a function.
pub(super) fn arg_infos(out: &mut String, name: &str, function: &Function, target: Target) {
    let count = function.parameters.len() + 1;
    line(
        out,
        &format!(
            "static {name}: super::Table<ffi::zend_internal_arg_info, {count}> = super::Table(["
        ),
    );
    let mut flags = Vec::new();
    flags.extend(function.returns_reference.then_some(BY_REFERENCE));
    let returned = function.return_type(target);
    let tentative = function.tentative && returned.is_some();
    flags.extend(tentative.then_some("ffi::_ZEND_IS_TENTATIVE_BIT"));
    // The place of a name holds how many arguments are needed.
    let required = format!("core::ptr::without_provenance({})", function.required());
    let type_ = zend_type(returned.as_ref(), &flags, target);
    arg_info(out, &required, &type_, None);
    for parameter in &function.parameters {
        let mut flags = Vec::new();
        flags.extend(parameter.by_reference.then_some(BY_REFERENCE));
        flags.extend(parameter.variadic.then_some("ffi::_ZEND_IS_VARIADIC_BIT"));
        let name = format!("{}.as_ptr()", c_string(&parameter.name));
        let type_ = zend_type(parameter.type_.as_ref(), &flags, target);
        arg_info(out, &name, &type_, parameter.default.as_deref());
    }
    line(out, "]);");
}

/// ZEND_SEND_BY_REF, where argument infos keep how an argument is sent.
const BY_REFERENCE: &str = "1 << ffi::_ZEND_SEND_MODE_SHIFT";

fn arg_info(out: &mut String, name: &str, type_: &str, default: Option<&str>) {
    let default = match default {
        Some(source) => format!("{}.as_ptr()", c_string(source)),
        None => "core::ptr::null()".to_owned(),
    };
    line(
        out,
        &format!(
            "    ffi::zend_internal_arg_info {{ name: {name}, type_: {type_}, default_value: {default} }},"
        ),
    );
}

fn zend_type(type_: Option<&Type>, flags: &[&str], target: Target) -> String {
    let mut bits: Vec<String> = Vec::new();
    let mut pointer = "core::ptr::null_mut()".to_owned();
    if let Some(type_) = type_ {
        if !type_.classes.is_empty() {
            // Zend splits the names of several classes itself.
            let names = c_string(&type_.classes.join("|"));
            pointer = format!("{names}.as_ptr().cast_mut().cast()");
            bits.push(format!("ffi::{}", target.class_name_bit()));
        }
        bits.push(mask(type_));
    }
    bits.extend(flags.iter().map(|&flag| flag.to_owned()));
    bits.retain(|bit| !bit.is_empty());
    format!("ffi::zend_type {{ ptr: {pointer}, type_mask: {} }}", or(&bits))
}

/// The builtin types of a type as a mask; empty if there are none.
pub(super) fn mask(type_: &Type) -> String {
    let masks: Vec<String> =
        type_.builtins.iter().map(|builtin| format!("ffi::{}", builtin.mask())).collect();
    masks.join(" | ")
}

/// Bits joined, or 0.
pub(super) fn or(bits: &[impl AsRef<str>]) -> String {
    if bits.is_empty() {
        return "0".to_owned();
    }
    let bits: Vec<&str> = bits.iter().map(AsRef::as_ref).collect();
    bits.join(" | ")
}
