//! What is kept of a password while nobody needs it: enough to know it again, and no more.

use std::sync::OnceLock;

use aws_lc_rs::constant_time::verify_slices_are_equal;
use aws_lc_rs::digest::{Context, SHA256, SHA256_OUTPUT_LEN};

/// With so many, and a password of up to 39 bytes, it is one block that is hashed.
const SALT_BYTES: usize = 16;

/// A hash of a password with a salt that this process alone knows.
#[derive(Clone, Copy)]
pub(crate) struct PasswordDigest([u8; SHA256_OUTPUT_LEN]);

impl PasswordDigest {
    pub(crate) fn of(password: &[u8]) -> PasswordDigest {
        static SALT: OnceLock<[u8; SALT_BYTES]> = OnceLock::new();
        let salt = SALT.get_or_init(|| {
            let mut salt = [0; SALT_BYTES];
            // Without random bytes (there is no system where that happens) it is a hash without a salt.
            let _ = aws_lc_rs::rand::fill(&mut salt);
            salt
        });
        let mut context = Context::new(&SHA256);
        context.update(salt);
        context.update(password);
        let mut bytes = [0; SHA256_OUTPUT_LEN];
        bytes.copy_from_slice(context.finish().as_ref());
        PasswordDigest(bytes)
    }
}

/// Whoever guesses passwords learns nothing of the time that it takes.
impl PartialEq for PasswordDigest {
    fn eq(&self, other: &PasswordDigest) -> bool {
        verify_slices_are_equal(&self.0, &other.0).is_ok()
    }
}

impl std::fmt::Debug for PasswordDigest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PasswordDigest")
    }
}
