//! The PHP that the tables are made for: everything that differs between versions of its headers stands here.

/// A version of PHP, by its PHP_VERSION_ID (8.2.35 is 80235).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    version_id: u32,
}

impl Target {
    /// The version that `main/php_version.h`, given as text, defines.
    #[must_use]
    pub fn of_header(php_version_h: &str) -> Option<Self> {
        let version_id = php_version_h.lines().find_map(|line| {
            let mut words = line.split_whitespace();
            let is_definition =
                words.next() == Some("#define") && words.next() == Some("PHP_VERSION_ID");
            is_definition.then(|| words.next())??.parse().ok()
        })?;
        Some(Self { version_id })
    }

    /// Whether the version is at least this minor one, as 802 for 8.2.
    pub(crate) fn is_at_least(self, minor: u32) -> bool {
        self.version_id / 100 >= minor
    }

    /// The PHP_VERSION_ID.
    pub(crate) fn version_id(self) -> u32 {
        self.version_id
    }

    /// The bit of a `zend_type` whose pointer is the name of a class as a C string, which is how internal functions name one.
    pub(crate) fn class_name_bit(self) -> &'static str {
        if self.is_at_least(803) { "_ZEND_TYPE_LITERAL_NAME_BIT" } else { "_ZEND_TYPE_NAME_BIT" }
    }

    /// Whether PHP has the attribute `Deprecated`.
    pub(crate) fn has_deprecated_attribute(self) -> bool {
        self.is_at_least(804)
    }

    /// What follows `flags` in a `zend_function_entry`.
    pub(crate) fn last_entry_fields(self) -> &'static str {
        if self.is_at_least(804) {
            ", frameless_function_infos: core::ptr::null(), doc_comment: core::ptr::null()"
        } else {
            ""
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Target;

    #[test]
    fn the_version_is_read_from_the_header() {
        let header = "#define PHP_VERSION \"8.4.1\"\n#define PHP_VERSION_ID 80401\n";
        assert_eq!(Target::of_header(header), Some(Target { version_id: 80401 }));
        assert_eq!(Target::of_header("#define PHP_VERSION \"8.4.1\"\n"), None);
    }

    #[test]
    fn a_minor_version_includes_its_releases() {
        let php82 = Target { version_id: 80235 };
        assert!(php82.is_at_least(802));
        assert!(!php82.is_at_least(803));
    }
}
