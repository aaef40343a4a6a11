//! The bounded reader: the only place where bytes that a server sent are sliced.
//!
//! The basic types are those of <https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_basic_dt_integers.html>
//! and <https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_basic_dt_strings.html>.

use crate::malformed::Malformed;

/// First byte of a length-encoded value that stands for SQL NULL.
pub const NULL_VALUE: u8 = 0xFB;
/// First byte of an ERR packet; it never begins a length-encoded integer.
pub const ERR_HEADER: u8 = 0xFF;

/// A cursor over one packet's payload that cannot leave it.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a> {
    packet: &'static str,
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// A reader at the payload's first byte; `packet` names it in errors.
    pub const fn new(packet: &'static str, payload: &'a [u8]) -> Self {
        Reader { packet, rest: payload }
    }

    /// The error that says that `field` does not fit.
    #[cold]
    pub const fn malformed(&self, field: &'static str) -> Malformed {
        Malformed::new(self.packet, field)
    }

    /// The error that says that `field`, which is to have `length` bytes, does not fit.
    #[cold]
    fn too_long(&self, field: &'static str, length: u64) -> Malformed {
        let left = u64::try_from(self.len()).unwrap_or(u64::MAX);
        Malformed { excess: length.saturating_sub(left), ..self.malformed(field) }
    }

    /// How many bytes are left.
    pub const fn len(&self) -> usize {
        self.rest.len()
    }

    /// Whether no byte is left.
    pub const fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// The next byte, which stays unread.
    pub fn peek(&self) -> Option<u8> {
        self.rest.first().copied()
    }

    /// The next `N` bytes.
    ///
    /// # Errors
    /// Fewer bytes are left.
    #[inline]
    pub fn array<const N: usize>(&mut self, field: &'static str) -> Result<[u8; N], Malformed> {
        let (head, rest) = self.rest.split_first_chunk::<N>().ok_or(self.malformed(field))?;
        self.rest = rest;
        Ok(*head)
    }

    /// `int<1>`.
    ///
    /// # Errors
    /// No byte is left.
    #[inline]
    pub fn u8(&mut self, field: &'static str) -> Result<u8, Malformed> {
        let [byte] = self.array(field)?;
        Ok(byte)
    }

    /// `int<2>`.
    ///
    /// # Errors
    /// Fewer than two bytes are left.
    #[inline]
    pub fn u16(&mut self, field: &'static str) -> Result<u16, Malformed> {
        self.array(field).map(u16::from_le_bytes)
    }

    /// `int<3>`.
    ///
    /// # Errors
    /// Fewer than three bytes are left.
    #[inline]
    pub fn u24(&mut self, field: &'static str) -> Result<u32, Malformed> {
        let [a, b, c] = self.array(field)?;
        Ok(u32::from_le_bytes([a, b, c, 0]))
    }

    /// `int<4>`.
    ///
    /// # Errors
    /// Fewer than four bytes are left.
    #[inline]
    pub fn u32(&mut self, field: &'static str) -> Result<u32, Malformed> {
        self.array(field).map(u32::from_le_bytes)
    }

    /// `int<8>`.
    ///
    /// # Errors
    /// Fewer than eight bytes are left.
    #[inline]
    pub fn u64(&mut self, field: &'static str) -> Result<u64, Malformed> {
        self.array(field).map(u64::from_le_bytes)
    }

    /// `string<fix>`: the next `length` bytes.
    ///
    /// # Errors
    /// Fewer bytes are left.
    #[inline]
    pub fn bytes(&mut self, length: usize, field: &'static str) -> Result<&'a [u8], Malformed> {
        let (head, rest) = self.rest.split_at_checked(length).ok_or(self.malformed(field))?;
        self.rest = rest;
        Ok(head)
    }

    /// `string<NUL>`: the bytes up to the next NUL, which is skipped.
    ///
    /// # Errors
    /// No NUL is left.
    pub fn null_terminated(&mut self, field: &'static str) -> Result<&'a [u8], Malformed> {
        let end = self.rest.iter().position(|&byte| byte == 0);
        let value = self.bytes(end.ok_or(self.malformed(field))?, field)?;
        self.u8(field)?;
        Ok(value)
    }

    /// `string<EOF>`: all bytes that are left.
    pub fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.rest)
    }

    /// `int<lenenc>`.
    ///
    /// # Errors
    /// The integer is cut, or its first byte is that of NULL (0xFB) or of an error (0xFF).
    #[inline]
    pub fn lenenc_int(&mut self, field: &'static str) -> Result<u64, Malformed> {
        match self.u8(field)? {
            byte @ ..NULL_VALUE => Ok(byte.into()),
            0xFC => self.u16(field).map(u64::from),
            0xFD => self.u24(field).map(u64::from),
            0xFE => self.u64(field),
            NULL_VALUE | ERR_HEADER => Err(self.malformed(field)),
        }
    }

    /// `string<lenenc>`.
    ///
    /// # Errors
    /// Its length or its bytes are cut, or it is NULL.
    #[inline]
    pub fn lenenc_bytes(&mut self, field: &'static str) -> Result<&'a [u8], Malformed> {
        let length = self.lenenc_int(field)?;
        let bytes = usize::try_from(length).ok().and_then(|length| self.bytes(length, field).ok());
        bytes.ok_or_else(|| self.too_long(field, length))
    }

    /// `string<lenenc>` or NULL (0xFB), as the values of a text row are.
    ///
    /// # Errors
    /// Its length or its bytes are cut.
    #[inline]
    pub fn nullable_lenenc_bytes(
        &mut self,
        field: &'static str,
    ) -> Result<Option<&'a [u8]>, Malformed> {
        // Most values are short.
        match self.rest.split_first() {
            Some((&NULL_VALUE, rest)) => {
                self.rest = rest;
                Ok(None)
            }
            Some((&length @ ..NULL_VALUE, rest)) => {
                let cut = self.malformed(field);
                let (value, rest) = rest.split_at_checked(length.into()).ok_or(cut)?;
                self.rest = rest;
                Ok(Some(value))
            }
            _ => self.lenenc_bytes(field).map(Some),
        }
    }

    /// Asserts that nothing is left.
    ///
    /// # Errors
    /// A byte is left.
    #[inline]
    pub const fn end(&self, field: &'static str) -> Result<(), Malformed> {
        if self.rest.is_empty() { Ok(()) } else { Err(self.malformed(field)) }
    }
}

/// The bytes from `start` to `end` of a buffer; the empty slice if they are not all there.
///
/// For ranges that were checked when they were made.
#[inline]
pub fn span(buffer: &[u8], start: usize, end: usize) -> &[u8] {
    debug_assert!(start <= end && end <= buffer.len(), "a range is checked when it is made");
    buffer.get(start..end).unwrap_or_default()
}

/// The `N` bytes of a buffer that begin at `start`, if they are all there.
#[inline]
pub fn chunk_at<const N: usize>(buffer: &[u8], start: usize) -> Option<[u8; N]> {
    buffer.get(start..)?.first_chunk().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lenenc_int_takes_all_forms() {
        let check = |bytes: &[u8], expected: Option<u64>| {
            assert_eq!(Reader::new("test", bytes).lenenc_int("n").ok(), expected, "{bytes:02x?}");
        };
        check(&[0], Some(0));
        check(&[250], Some(250));
        check(&[0xFB], None);
        check(&[0xFC, 1, 2], Some(0x201));
        check(&[0xFC, 1], None);
        check(&[0xFD, 1, 2, 3], Some(0x30201));
        check(&[0xFD, 1, 2], None);
        check(&[0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], Some(u64::MAX));
        check(&[0xFE, 0, 0, 0, 0, 0, 0, 0], None);
        check(&[0xFF], None);
        check(&[], None);
    }

    #[test]
    fn strings_stay_inside_the_payload() {
        let mut reader = Reader::new("test", b"ab\0\x02cd\xFBrest");
        assert_eq!(reader.null_terminated("s"), Ok(&b"ab"[..]));
        assert_eq!(reader.nullable_lenenc_bytes("s"), Ok(Some(&b"cd"[..])));
        assert_eq!(reader.nullable_lenenc_bytes("s"), Ok(None));
        assert!(reader.null_terminated("s").is_err());
        assert!(reader.bytes(5, "s").is_err());
        assert_eq!(reader.rest(), b"rest");
        assert!(reader.is_empty());
        let huge = [0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, b'x'];
        let excess =
            |bytes: &[u8]| Reader::new("test", bytes).lenenc_bytes("s").unwrap_err().excess;
        assert_eq!(excess(&huge), u64::MAX - 1);
        assert_eq!(excess(b"\xFAe"), 249);
        assert_eq!(excess(b"\xFC\xFF"), 0);
    }
}
