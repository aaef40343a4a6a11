//! The names of callers: the object that a return address is in, and the function there, if the object's tables of symbols have it.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use object::{Object as _, ObjectSymbol, SymbolKind};
use rustc_demangle::demangle;

use super::counts::Object;

/// What a caller is called for whom the library had no entry left.
const LEFT_OUT: &str = "(further callers)";

/// Names return addresses.
pub(super) struct Names<'a> {
    objects: &'a [Object],
    functions: HashMap<&'a str, Functions>,
}

impl<'a> Names<'a> {
    /// For what was loaded.
    pub(super) fn new(objects: &'a [Object]) -> Names<'a> {
        Names { objects, functions: HashMap::new() }
    }

    /// A caller and its callers, each as "libc.so.6 strdup"; where a function's name is not known, it is the address in the object's file.
    pub(super) fn callers(&mut self, frames: &[u64]) -> Vec<String> {
        if frames.is_empty() {
            return vec![LEFT_OUT.to_owned()];
        }
        frames.iter().map(|frame| self.caller(*frame)).collect()
    }

    fn caller(&mut self, frame: u64) -> String {
        // The call stands before what it returns to, which may be another function.
        let address = frame.wrapping_sub(1);
        let mut found = self.objects.iter().filter(|it| (it.begin..it.end).contains(&address));
        let Some(object) = found.next() else { return "(no object)".to_owned() };
        let others: Vec<&Object> = found.filter(|other| other.path != object.path).collect();
        if !others.is_empty() {
            // One was unloaded, and another one came to the same place.
            let all = std::iter::once(object).chain(others).map(|it| file_name(&it.path));
            return all.collect::<Vec<_>>().join(" or ");
        }
        let address = address.wrapping_sub(object.bias);
        let functions =
            self.functions.entry(&object.path).or_insert_with(|| Functions::read(&object.path));
        match functions.at(address) {
            Some(function) => format!("{} {function}", file_name(&object.path)),
            None => format!("{} +{address:#x}", file_name(&object.path)),
        }
    }
}

fn file_name(path: &str) -> String {
    let name = Path::new(path).file_name().map(|name| name.display().to_string());
    name.unwrap_or_else(|| "(no name)".to_owned())
}

/// The functions of an object: where each begins and how long it is, in order.
#[derive(Default)]
struct Functions(Vec<(u64, u64, String)>);

impl Functions {
    /// None, if the file can't be read: then there are addresses.
    fn read(path: &str) -> Functions {
        let Ok(bytes) = fs::read(path) else { return Functions::default() };
        let Ok(file) = object::File::parse(&*bytes) else { return Functions::default() };
        let symbols = file.symbols().chain(file.dynamic_symbols());
        let mut functions: Vec<_> = symbols
            .filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.size() > 0)
            .filter_map(|symbol| {
                let name = symbol.name().ok().filter(|name| !name.is_empty())?;
                // Without the hash that tells versions of a crate apart.
                Some((symbol.address(), symbol.size(), format!("{:#}", demangle(name))))
            })
            .collect();
        functions.sort();
        Functions(functions)
    }

    /// The function that this address is inside of.
    fn at(&self, address: u64) -> Option<&str> {
        let after = self.0.partition_point(|(begin, _, _)| *begin <= address);
        let (begin, bytes, name) = self.0.get(after.checked_sub(1)?)?;
        (address - begin < *bytes).then_some(&**name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_in_a_function_or_in_none() {
        let functions = [(16, 16, "one"), (32, 8, "two")];
        let functions =
            Functions(functions.map(|(at, bytes, name)| (at, bytes, name.to_owned())).into());
        for (address, expected) in
            [(15, None), (16, Some("one")), (31, Some("one")), (39, Some("two")), (40, None)]
        {
            assert_eq!(functions.at(address), expected, "{address}");
        }
        assert_eq!(Functions::default().at(1), None);
    }

    #[test]
    fn a_place_that_two_objects_had_has_both_names() {
        let object = |begin, path: &str| Object { begin, end: 200, bias: 0, path: path.to_owned() };
        let objects = [object(100, "/none/a.so"), object(150, "/none/b.so")];
        let mut names = Names::new(&objects);
        assert_eq!(names.callers(&[150, 151]), ["a.so +0x95", "a.so or b.so"]);
        assert_eq!(names.callers(&[100]), ["(no object)"]);
        assert_eq!(names.callers(&[]), [LEFT_OUT]);
    }
}
