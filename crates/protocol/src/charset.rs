//! Character sets: their names, their collation ids, and how long their characters are.

use crate::encoding::Encoding;

/// A character set of a connection or of a column.
///
/// <https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_basic_character_set.html>
#[derive(Debug, PartialEq, Eq)]
pub struct Charset {
    /// The name that SET NAMES takes.
    pub name: &'static str,
    /// The id of the collation that a connection gets with this name.
    pub default_collation_id: u8,
    /// The name of that collation.
    pub default_collation: &'static str,
    /// The bytes of its shortest character.
    pub min_bytes: u8,
    /// The bytes of its longest character.
    pub max_bytes: u8,
    /// How its characters are laid out in bytes.
    pub encoding: Encoding,
    /// The ids of its collations below [`NOPAD_COLLATIONS`], as ranges with both ends.
    collation_ids: &'static [(u16, u16)],
    /// The number of its block of 256 ids from [`UCA1400_COLLATIONS`] on; 0 if it has none.
    uca1400_block: u16,
}

/// The first id of MariaDB's NO PAD collations; each is its PAD SPACE twin's id plus this.
const NOPAD_COLLATIONS: u16 = 1 << 10;
/// The first id of MariaDB's UCA 14.0.0 collations, in blocks of 256 by character set.
const UCA1400_COLLATIONS: u16 = 1 << 11;
impl Charset {
    /// The character set of this name, in any case; `utf8mb3` is another name of `utf8`.
    pub fn by_name(name: &[u8]) -> Option<&'static Charset> {
        let name = if name.eq_ignore_ascii_case(b"utf8mb3") { b"utf8" } else { name };
        CHARSETS.into_iter().find(|charset| charset.name.as_bytes().eq_ignore_ascii_case(name))
    }

    /// The character set that has this collation.
    pub fn by_collation_id(id: u16) -> Option<&'static Charset> {
        CHARSETS.into_iter().find(|charset| charset.has_collation(id))
    }

    /// Whether a connection can have it: statements are ASCII, so no set with wider characters, nor the one for file names.
    pub fn is_for_clients(&self) -> bool {
        self.min_bytes == 1 && self.name != "filename"
    }

    /// The character set of connections to a server whose own is unknown here.
    pub fn utf8mb4() -> &'static Charset {
        &UTF8MB4
    }

    fn has_collation(&self, id: u16) -> bool {
        if id < NOPAD_COLLATIONS {
            self.has_base_collation(id)
        } else if id < UCA1400_COLLATIONS {
            self.has_base_collation(id - NOPAD_COLLATIONS)
        } else {
            self.uca1400_block == id >> 8
        }
    }

    fn has_base_collation(&self, id: u16) -> bool {
        self.collation_ids.iter().any(|&(first, last)| (first..=last).contains(&id))
    }

    const fn single_byte(
        name: &'static str,
        default_collation_id: u8,
        default_collation: &'static str,
        collation_ids: &'static [(u16, u16)],
    ) -> Charset {
        Charset {
            name,
            default_collation_id,
            default_collation,
            min_bytes: 1,
            max_bytes: 1,
            encoding: Encoding::SingleByte,
            collation_ids,
            uca1400_block: 0,
        }
    }

    const fn multi_byte(self, min_bytes: u8, max_bytes: u8, encoding: Encoding) -> Charset {
        Charset { min_bytes, max_bytes, encoding, ..self }
    }

    const fn uca1400(self, uca1400_block: u16) -> Charset {
        Charset { uca1400_block, ..self }
    }
}

static UTF8MB4: Charset = Charset::single_byte(
    "utf8mb4",
    45,
    "utf8mb4_general_ci",
    &[(45, 46), (224, 247), (255, 323), (608, 611)],
)
.multi_byte(1, 4, Encoding::Utf8mb4)
.uca1400(9);

/// All character sets of MariaDB 10.11 and 11.8, MySQL 5.6, 8.0 and 9.7, as their information_schema.COLLATIONS list them.
static CHARSETS: [&Charset; 42] =
    [
        &Charset::single_byte("big5", 1, "big5_chinese_ci", &[(1, 1), (84, 84)]).multi_byte(
            1,
            2,
            Encoding::Big5,
        ),
        &Charset::single_byte("dec8", 3, "dec8_swedish_ci", &[(3, 3), (69, 69)]),
        &Charset::single_byte("cp850", 4, "cp850_general_ci", &[(4, 4), (80, 80)]),
        &Charset::single_byte("hp8", 6, "hp8_english_ci", &[(6, 6), (72, 72)]),
        &Charset::single_byte("koi8r", 7, "koi8r_general_ci", &[(7, 7), (74, 74)]),
        &Charset::single_byte(
            "latin1",
            8,
            "latin1_swedish_ci",
            &[(5, 5), (8, 8), (15, 15), (31, 31), (47, 49), (94, 94)],
        ),
        &Charset::single_byte(
            "latin2",
            9,
            "latin2_general_ci",
            &[(2, 2), (9, 9), (21, 21), (27, 27), (77, 77)],
        ),
        &Charset::single_byte("swe7", 10, "swe7_swedish_ci", &[(10, 10), (82, 82)]),
        &Charset::single_byte("ascii", 11, "ascii_general_ci", &[(11, 11), (65, 65)]),
        &Charset::single_byte("ujis", 12, "ujis_japanese_ci", &[(12, 12), (91, 91)]).multi_byte(
            1,
            3,
            Encoding::EucJp,
        ),
        &Charset::single_byte("sjis", 13, "sjis_japanese_ci", &[(13, 13), (88, 88)]).multi_byte(
            1,
            2,
            Encoding::Sjis,
        ),
        &Charset::single_byte("hebrew", 16, "hebrew_general_ci", &[(16, 16), (71, 71)]),
        &Charset::single_byte("filename", 17, "filename", &[(17, 17)]).multi_byte(
            1,
            5,
            Encoding::SingleByte,
        ),
        &Charset::single_byte("tis620", 18, "tis620_thai_ci", &[(18, 18), (89, 89)]),
        &Charset::single_byte("euckr", 19, "euckr_korean_ci", &[(19, 19), (85, 85)]).multi_byte(
            1,
            2,
            Encoding::EucKr,
        ),
        &Charset::single_byte("koi8u", 22, "koi8u_general_ci", &[(22, 22), (75, 75)]),
        &Charset::single_byte("gb2312", 24, "gb2312_chinese_ci", &[(24, 24), (86, 86)]).multi_byte(
            1,
            2,
            Encoding::Gb2312,
        ),
        &Charset::single_byte("greek", 25, "greek_general_ci", &[(25, 25), (70, 70)]),
        &Charset::single_byte(
            "cp1250",
            26,
            "cp1250_general_ci",
            &[(26, 26), (34, 34), (44, 44), (66, 66), (99, 99)],
        ),
        &Charset::single_byte("gbk", 28, "gbk_chinese_ci", &[(28, 28), (87, 87)]).multi_byte(
            1,
            2,
            Encoding::Gbk,
        ),
        &Charset::single_byte("latin5", 30, "latin5_turkish_ci", &[(30, 30), (78, 78)]),
        &Charset::single_byte("armscii8", 32, "armscii8_general_ci", &[(32, 32), (64, 64)]),
        &Charset::single_byte(
            "utf8",
            33,
            "utf8_general_ci",
            &[(33, 33), (76, 76), (83, 83), (192, 223), (254, 254), (576, 579)],
        )
        .multi_byte(1, 3, Encoding::Utf8mb3)
        .uca1400(8),
        &Charset::single_byte(
            "ucs2",
            35,
            "ucs2_general_ci",
            &[(35, 35), (90, 90), (128, 159), (640, 642)],
        )
        .multi_byte(2, 2, Encoding::Ucs2)
        .uca1400(10),
        &Charset::single_byte("cp866", 36, "cp866_general_ci", &[(36, 36), (68, 68)]),
        &Charset::single_byte("keybcs2", 37, "keybcs2_general_ci", &[(37, 37), (73, 73)]),
        &Charset::single_byte("macce", 38, "macce_general_ci", &[(38, 38), (43, 43)]),
        &Charset::single_byte("macroman", 39, "macroman_general_ci", &[(39, 39), (53, 53)]),
        &Charset::single_byte("cp852", 40, "cp852_general_ci", &[(40, 40), (81, 81)]),
        &Charset::single_byte("latin7", 41, "latin7_general_ci", &[(20, 20), (41, 42), (79, 79)]),
        &UTF8MB4,
        &Charset::single_byte("cp1251", 51, "cp1251_general_ci", &[(14, 14), (23, 23), (50, 52)]),
        &Charset::single_byte("utf16", 54, "utf16_general_ci", &[(54, 55), (101, 124), (672, 674)])
            .multi_byte(2, 4, Encoding::Utf16)
            .uca1400(11),
        &Charset::single_byte("utf16le", 56, "utf16le_general_ci", &[(56, 56), (62, 62)])
            .multi_byte(2, 4, Encoding::Utf16le),
        &Charset::single_byte("cp1256", 57, "cp1256_general_ci", &[(57, 57), (67, 67)]),
        &Charset::single_byte("cp1257", 59, "cp1257_general_ci", &[(29, 29), (58, 59)]),
        &Charset::single_byte("utf32", 60, "utf32_general_ci", &[(60, 61), (160, 183), (736, 738)])
            .multi_byte(4, 4, Encoding::Utf32)
            .uca1400(12),
        &Charset::single_byte("binary", 63, "binary", &[(63, 63)]),
        &Charset::single_byte("geostd8", 92, "geostd8_general_ci", &[(92, 93)]),
        &Charset::single_byte("cp932", 95, "cp932_japanese_ci", &[(95, 96)]).multi_byte(
            1,
            2,
            Encoding::Sjis,
        ),
        &Charset::single_byte("eucjpms", 97, "eucjpms_japanese_ci", &[(97, 98)]).multi_byte(
            1,
            3,
            Encoding::EucJp,
        ),
        &Charset::single_byte("gb18030", 248, "gb18030_chinese_ci", &[(248, 250)]).multi_byte(
            1,
            4,
            Encoding::Gb18030,
        ),
    ];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_any_case() {
        let check = |name: &str, expected: Option<u8>| {
            let found =
                Charset::by_name(name.as_bytes()).map(|charset| charset.default_collation_id);
            assert_eq!(found, expected, "{name}");
        };
        check("utf8mb4", Some(45));
        check("UTF8", Some(33));
        check("utf8mb3", Some(33));
        check("latin1", Some(8));
        check("binary", Some(63));
        check("", None);
        check("utf9", None);
    }

    #[test]
    fn collation_ids_lead_to_their_charset() {
        let check = |id: u16, expected: Option<&str>| {
            assert_eq!(Charset::by_collation_id(id).map(|charset| charset.name), expected, "{id}");
        };
        check(0, None);
        check(8, Some("latin1"));
        check(45, Some("utf8mb4"));
        check(63, Some("binary"));
        check(100, None);
        check(255, Some("utf8mb4"));
        check(309, Some("utf8mb4"));
        check(324, None);
        check(576, Some("utf8"));
        check(1024 + 46, Some("utf8mb4"));
        check(1024 + 63, Some("binary"));
        check(2048, Some("utf8"));
        check(2304, Some("utf8mb4"));
        check(3271, Some("utf32"));
        check(3328, None);
        check(u16::MAX, None);
    }

    #[test]
    fn each_default_collation_is_its_own_charsets() {
        for charset in CHARSETS {
            let found = Charset::by_collation_id(charset.default_collation_id.into());
            assert_eq!(found, Some(charset));
            assert_eq!(Charset::by_name(charset.name.as_bytes()), Some(charset));
        }
    }
}
