//! A payload as a list of named fields, so that a script can cut it inside one of them or put something else there.

/// The payload of a packet, field by field.
///
/// The names are those of the protocol documentation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Payload {
    fields: Vec<(&'static str, Vec<u8>)>,
}

impl Payload {
    /// A payload without fields: of an empty packet.
    pub fn new() -> Self {
        Payload::default()
    }

    /// Appends a field.
    #[must_use]
    pub fn field(mut self, name: &'static str, bytes: impl Into<Vec<u8>>) -> Self {
        self.fields.push((name, bytes.into()));
        self
    }

    /// Puts other bytes into a field.
    ///
    /// # Panics
    /// There is no such field: the script is wrong.
    #[must_use]
    pub fn with(mut self, name: &str, bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = bytes.into();
        let field = self.fields.iter_mut().find(|(other, _)| *other == name);
        assert!(field.is_some(), "there is no field {name}");
        if let Some((_, old)) = field {
            *old = bytes;
        }
        self
    }

    /// Ends the payload one byte before the end of a field.
    ///
    /// # Panics
    /// There is no such field, or it is empty: the script is wrong.
    #[must_use]
    pub fn cut_in(mut self, name: &str) -> Self {
        let index = self.fields.iter().position(|(other, _)| *other == name);
        assert!(index.is_some(), "there is no field {name}");
        self.fields.truncate(index.map_or(0, |index| index + 1));
        let last = self.fields.last_mut().and_then(|(_, bytes)| bytes.pop());
        assert!(last.is_some(), "the field {name} is empty");
        self
    }

    /// All bytes of all fields.
    pub fn bytes(&self) -> Vec<u8> {
        self.fields.iter().flat_map(|(_, bytes)| bytes).copied().collect()
    }
}

impl From<Payload> for Vec<u8> {
    fn from(payload: Payload) -> Self {
        payload.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_cut_and_replaced() {
        let payload = || Payload::new().field("a", [1, 2]).field("b", [3, 4]).field("c", [5]);
        assert_eq!(payload().bytes(), [1, 2, 3, 4, 5]);
        assert_eq!(payload().cut_in("b").bytes(), [1, 2, 3]);
        assert_eq!(payload().cut_in("a").bytes(), [1]);
        assert_eq!(payload().with("b", [9]).bytes(), [1, 2, 9, 5]);
    }

    #[test]
    #[should_panic(expected = "there is no field d")]
    fn an_unknown_field_is_a_mistake() {
        let _ = Payload::new().field("a", [1]).with("d", [2]);
    }
}
