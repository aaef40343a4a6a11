//! What was promised, and whether it is held: said plainly, whatever it is.

use std::fmt;

/// Something that was promised.
pub(crate) struct Promise {
    pub(crate) what: String,
    pub(crate) is_held: bool,
}

impl fmt::Display for Promise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<8}{}", if self.is_held { "held" } else { "missed" }, self.what)
    }
}

/// All of them, and how many are held.
pub(crate) struct Promises<'a>(pub(crate) &'a [Promise]);

impl fmt::Display for Promises<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "What was promised:")?;
        self.0.iter().try_for_each(|promise| writeln!(f, "  {promise}"))?;
        let held = self.0.iter().filter(|promise| promise.is_held).count();
        write!(f, "{held} held, {} missed", self.0.len() - held)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_counted() {
        let promise = |what: &str, is_held| Promise { what: what.to_owned(), is_held };
        let text =
            Promises(&[promise("a", true), promise("b", false), promise("c", true)]).to_string();
        assert!(text.contains("\n  missed  b\n"), "{text}");
        assert!(text.ends_with("2 held, 1 missed"), "{text}");
    }
}
