//! What the memcached protocol can carry as a key.

use crate::error::Unfit;

/// The longest key.
///
/// Source: KEY_MAX_LENGTH of memcached, "Keys" of its protocol.txt.
pub const MAX_KEY_BYTES: usize = 250;

/// A key that may be sent: no blank, no control character, neither empty nor too long. So nothing of it can be taken for a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key<'a>(&'a [u8]);

impl<'a> Key<'a> {
    /// A key of these bytes.
    ///
    /// # Errors
    /// Why the protocol can't carry it.
    pub fn new(bytes: &'a [u8]) -> Result<Key<'a>, Unfit> {
        if bytes.is_empty() {
            return Err(Unfit::EmptyKey);
        }
        if bytes.len() > MAX_KEY_BYTES {
            return Err(Unfit::LongKey(bytes.len()));
        }
        match bytes.iter().position(|byte| matches!(byte, 0..=b' ' | 0x7F)) {
            Some(at) => Err(Unfit::KeyByte(at)),
            None => Ok(Key(bytes)),
        }
    }

    /// Its bytes.
    pub fn bytes(self) -> &'a [u8] {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_one_word_is_a_key() {
        let check = |key: &[u8], expected| assert_eq!(Key::new(key).err(), expected, "{key:?}");
        check(b"a", None);
        check(&[b'x'; 250], None);
        check("é\u{a0}".as_bytes(), None);
        check(b"", Some(Unfit::EmptyKey));
        check(&[b'x'; 251], Some(Unfit::LongKey(251)));
        for byte in (0..=b' ').chain([0x7F]) {
            check(&[b'a', byte], Some(Unfit::KeyByte(1)));
        }
    }
}
