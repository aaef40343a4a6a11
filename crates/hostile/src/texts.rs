//! Texts that are read here: statements, lines of traces, and PEM files.

use vaquita_client::{
    Charset, Dialect, Normalised, Part, Parts, Placeholders, Token, Tokens, escape, expand,
    names_secret, next_piece, put_normalised, put_normalised_beginning, unescape,
};
use vaquita_kv::KeySelect;
use vaquita_telemetry::trace::{Line, split_line};
use vaquita_x509::{Certificate, Crls};

use crate::certificates;

/// The character sets that a client may have and that differ in how bytes are characters.
const CHARSETS: [&[u8]; 7] =
    [b"utf8mb4", b"latin1", b"gbk", b"sjis", b"big5", b"gb18030", b"eucjpms"];

/// A normalised text is cut beyond that, at the next word.
const MOST_NORMALISED_BYTES: usize = 1100;

/// Whether a part is one of the text's own; an empty one may be anybody's.
fn is_inside(text: &[u8], part: &[u8]) -> bool {
    let (whole, part) = (text.as_ptr_range(), part.as_ptr_range());
    part.is_empty() || (whole.start <= part.start && part.end <= whole.end)
}

/// A statement, behind a byte for how it is read: what is found in it lies in it; a value that is escaped is one text with that value in it,
/// and nothing of it is left in the normalised text. `true` if it has a normalised text of its own.
pub fn sql(data: &[u8]) -> bool {
    let Some((how, sql)) = data.split_first() else { return false };
    let name = CHARSETS.get(usize::from(how >> 1) % CHARSETS.len()).copied().unwrap_or_default();
    let Some(charset) = Charset::by_name(name) else { unreachable!("{name:?}") };
    let no_backslash_escapes = how & 1 != 0;
    let dialect = Dialect { encoding: charset.encoding, no_backslash_escapes };

    let mut tokens = Tokens::new(sql, dialect);
    let mut left = sql.len();
    while let Some(token) = tokens.next() {
        assert!(tokens.rest().len() < left && sql.ends_with(tokens.rest()), "it goes on");
        left = tokens.rest().len();
        if let Token::Word(part) | Token::Name(part) | Token::Text { body: part, .. } = token {
            assert!(is_inside(sql, part));
        }
    }
    for part in Parts::new(sql, dialect) {
        if let Part::Word(word) = part {
            assert!(is_inside(sql, word));
        }
    }
    let placeholders = Placeholders::new(sql, dialect).count();
    assert!(placeholders <= sql.len());
    let mut rest = sql;
    while let Some((_, length)) = next_piece(rest) {
        assert!(length > 0);
        let Some((_, behind)) = rest.split_at_checked(length) else { unreachable!("too long") };
        rest = behind;
    }
    assert!(rest.is_empty());
    if let Some(select) = KeySelect::parse(sql, dialect) {
        assert!(is_inside(sql, select.table) && select.conditions().count() > 0);
        let mut shape = Vec::new();
        select.put_shape(sql, &mut shape);
    }
    assert!(expand(sql, dialect, &[]).len() <= sql.len() + 2 * placeholders + 2);
    names_secret(sql);

    let mut out = b"before".to_vec();
    put_normalised_beginning(sql, Some(dialect), &mut out);
    assert!(out.starts_with(b"before") && out.len() < MOST_NORMALISED_BYTES + sql.len().min(20));
    is_one_text(sql, charset, dialect);
    let mut out = Vec::new();
    put_normalised(sql, Some(dialect), &mut out) == Normalised::Whole
}

/// A value, escaped and quoted, is one text, which is that value; and so it is to the statement that it stands in.
fn is_one_text(value: &[u8], charset: &Charset, dialect: Dialect) {
    let escaped = escape(charset, dialect.no_backslash_escapes, value);
    let sql = [b"SELECT '", &escaped[..], b"' AS c"].concat();
    let tokens: Vec<Token<'_>> = Tokens::new(&sql, dialect).collect();
    let [
        Token::Word(b"SELECT"),
        Token::Text { quote, body },
        Token::Word(b"AS"),
        Token::Word(b"c"),
    ] = tokens[..]
    else {
        unreachable!("it got out of its quotes: {:?}", sql.escape_ascii().to_string())
    };
    assert_eq!(body, escaped);
    let read = unescape(quote, body, dialect);
    assert_eq!(read, value, "{}", sql.escape_ascii());
    let mut shown = Vec::new();
    if put_normalised(&sql, Some(dialect), &mut shown) == Normalised::Whole {
        assert_eq!(shown, b"SELECT ? AS c", "{}", sql.escape_ascii());
    }
}

/// [`Line`]: what is read is written as the same, and what stood before it is told from it.
pub fn trace_line(data: &[u8]) -> bool {
    let split = split_line(data);
    let cut = split.cut.unwrap_or_default();
    assert_eq!([cut, split.line].concat(), data);
    let Some(line) = Line::parse(split.line) else { return false };
    let mut again = Vec::new();
    line.put(&mut again);
    assert_eq!(again.pop(), Some(b'\n'));
    assert_eq!(Line::parse(&again), Some(line));
    true
}

/// A PEM file: what is found is no more than there can be.
pub fn pem(data: &[u8]) -> bool {
    let lists = Crls::parse_pem(data);
    let certificates = Certificate::parse_pem(data);
    assert!(certificates.len() <= data.len() / 50, "a certificate is longer");
    lists.is_some() || !certificates.is_empty()
}

/// What the checks here begin with.
pub fn inputs(name: &str) -> std::io::Result<Vec<Vec<u8>>> {
    const LINES: [&str; 3] = [
        "2026-11-23T09:00:00.123456Z pid=4711 conn=3 id=57 event=first_byte us=182 bytes=96 packets=6 command=query failed=1 \
            digest=9f86d081884c7d65 sql=SELECT a FROM t WHERE id = ?",
        "2026-11-23T09:00:00.123456Z pid=1 conn=3 event=end us=18446744073709551615 network=unix rtt_us=9 min_rtt_us=8",
        "2026-11-23T09:00:00.12345Z pid=12026-11-23T09:00:00.123456Z pid=1 conn=0 event=request us=5 waits=2 waits_us=3 \
            connecting_us=1 what=request limit_us=7",
    ];
    const STATEMENTS: [&str; 9] = [
        "SELECT a, `b``c` FROM d.t AS x WHERE id = 5 AND k = 'it''s' -- end",
        "insert into t (a, b) values (1, 'x\\'y'), (-2.5e3, N'\u{e9}'), (0x1F, b'101') # no",
        "/*!50000 SELECT */ 1 /* ? */ + ?; CALL p(:name, \"text\")",
        "SELECT * FROM t WHERE id IN (1, 2, 3) AND n NOT IN (?, ?) LIMIT 5, 10",
        "CREATE USER 'u'@'%' IDENTIFIED BY 'secret'; SET PASSWORD FOR u = 'other'",
        "SELECT v FROM kv WHERE k = ? AND n = :n",
        "SELECT _utf8mb4'a' 'b' COLLATE utf8mb4_bin, DATE '2020-01-01', TRUE, NULL, -1",
        "WITH x AS (SELECT 1) SELECT /*+ hint('a') */ * FROM x WHERE a LIKE 'b\\%' ESCAPE '!'",
        "\u{81}'\u{5c}\u{bf}\\' OR 1=1 -- ",
    ];
    Ok(match name {
        "sql" => {
            let hows = 0..2 * CHARSETS.len();
            let input = |(how, sql): (usize, &str)| {
                let how = u8::try_from(how).unwrap_or_default();
                [&[how][..], sql.as_bytes()].concat()
            };
            hows.flat_map(|how| STATEMENTS.map(|sql| input((how, sql)))).collect()
        }
        "trace_line" => LINES.iter().map(|line| line.as_bytes().to_vec()).collect(),
        "pem" => certificates::texts()?.into_iter().map(String::into_bytes).collect(),
        _ => Vec::new(),
    })
}
