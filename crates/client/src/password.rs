//! `Password`: bytes that are wiped out when nobody needs them any more, and that no debug print shows.

use std::fmt;
use std::ops::Deref;

use aws_lc_rs::constant_time::verify_slices_are_equal;
use zeroize::Zeroizing;

/// A password, or an answer with one in it: each copy is overwritten when it is dropped.
#[derive(Clone, Default)]
pub struct Password(Zeroizing<Vec<u8>>);

impl Password {
    /// A password of which there is no byte.
    pub fn empty() -> Password {
        Password(Zeroizing::new(Vec::new()))
    }
}

impl From<Vec<u8>> for Password {
    fn from(bytes: Vec<u8>) -> Password {
        Password(Zeroizing::new(bytes))
    }
}

impl From<String> for Password {
    fn from(text: String) -> Password {
        text.into_bytes().into()
    }
}

impl<T: AsRef<[u8]> + ?Sized> From<&T> for Password {
    fn from(bytes: &T) -> Password {
        bytes.as_ref().to_vec().into()
    }
}

impl<const N: usize> From<[u8; N]> for Password {
    fn from(bytes: [u8; N]) -> Password {
        bytes.to_vec().into()
    }
}

impl Deref for Password {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

/// However much is equal takes the same time; only the lengths show.
impl PartialEq for Password {
    fn eq(&self, other: &Password) -> bool {
        verify_slices_are_equal(self, other).is_ok()
    }
}

impl Eq for Password {}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_equal_to_itself_alone_and_not_shown() {
        let password = Password::from(b"hunter2");
        assert_eq!(password, Password::from(b"hunter2".to_vec()));
        for other in [&b"hunter3"[..], b"hunter", b""] {
            assert!(password != Password::from(other));
        }
        assert_eq!(format!("{password:?}"), "Password");
        assert_eq!(Password::default(), Password::empty());
    }
}
