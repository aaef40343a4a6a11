//! Checks that no name in a stub is taken twice in the same version of PHP.

use crate::StubError;
use crate::model::{Stub, Versions};

/// Refuses a stub that declares a name twice. PHP's functions, methods and classes don't tell upper case from lower.
pub(crate) fn check(stub: &Stub) -> Result<(), StubError> {
    unique(stub.constants.iter().map(|it| (it.name.clone(), it.line, it.versions)))?;
    unique(stub.functions.iter().map(|it| (it.name.to_ascii_lowercase(), it.line, it.versions)))?;
    unique(stub.classes.iter().map(|it| (it.name.to_ascii_lowercase(), it.line, it.versions)))?;
    for class in &stub.classes {
        let always = Versions::default();
        unique(class.constants.iter().map(|it| (it.name.clone(), it.line, always)))?;
        unique(class.properties.iter().map(|it| (it.name.clone(), it.line, it.versions)))?;
        unique(
            class.methods.iter().map(|it| (it.name.to_ascii_lowercase(), it.line, it.versions)),
        )?;
    }
    for function in
        stub.functions.iter().chain(stub.classes.iter().flat_map(|class| &class.methods))
    {
        let always = Versions::default();
        unique(function.parameters.iter().map(|it| (it.name.clone(), function.line, always)))?;
    }
    Ok(())
}

fn unique(declared: impl Iterator<Item = (String, usize, Versions)>) -> Result<(), StubError> {
    let mut seen: Vec<(String, usize, Versions)> = Vec::new();
    for (name, line, versions) in declared {
        let earlier =
            seen.iter().find(|(other, _, others)| *other == name && others.overlap(versions));
        if let Some((_, first, _)) = earlier {
            let message = format!("{name} stands already on line {first}");
            return Err(StubError::new(line, message));
        }
        seen.push((name, line, versions));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::parse::parse;

    fn checked(stub: &str) -> Result<(), String> {
        let stub = parse(stub).map_err(|error| error.to_string())?;
        check(&stub).map_err(|error| error.to_string())
    }

    #[test]
    fn a_name_is_taken_once() {
        for (stub, message) in [
            ("<?php\nconst A = 1;\nconst A = 2;", "line 3: A stands already on line 2"),
            (
                "<?php\nfunction f() {} // a::b\nfunction F() {} // a::b",
                "line 3: f stands already on line 2",
            ),
            ("<?php\nfunction f($a, $a) {} // a::b", "line 2: a stands already on line 2"),
            ("<?php\nclass A {\n public $a;\n public $a;\n}", "line 4: a stands already on line 3"),
        ] {
            assert_eq!(checked(stub), Err(message.to_owned()), "{stub}");
        }
    }

    #[test]
    fn versions_that_exclude_each_other_may_share_a_name() {
        let apart = "<?php\nconst A = 1; // until 8.3\nconst A = 2; // since 8.4";
        assert_eq!(checked(apart), Ok(()));
        let together = "<?php\nconst A = 1; // until 8.4\nconst A = 2; // since 8.4";
        assert!(checked(together).is_err());
    }
}
