//! A source file, with comments and strings told apart from code.

use std::fs;
use std::path::{Path, PathBuf};

/// One Rust file of the workspace.
pub struct Source {
    /// Where it is, from the workspace's root, with `/`.
    pub path: String,
    /// All of it.
    pub text: String,
    /// Its code alone, line by line: comments are cut off, and what stands between quotes is left out.
    pub code: Vec<String>,
}

impl Source {
    /// Reads a text as the file at `path`.
    pub fn new(path: String, text: String) -> Source {
        let mut quote = None;
        let code = text.lines().map(|line| code_of(line, &mut quote)).collect();
        Source { path, text, code }
    }

    /// Whether the file stands in the folder.
    pub fn is_in(&self, folder: &str) -> bool {
        self.path.starts_with(folder)
    }

    /// The numbers of the lines, from 1, whose code has this word on its own.
    pub fn lines_with(&self, word: &str) -> Vec<usize> {
        let numbered = self.code.iter().enumerate();
        numbered.filter(|(_, line)| has_word(line, word)).map(|(index, _)| index + 1).collect()
    }

    /// How many lines have code: neither blank nor comment, and nothing from the first `#[cfg(test)]` on.
    pub fn lines_of_code(&self) -> usize {
        let product = self.code.iter().take_while(|line| line.trim() != "#[cfg(test)]");
        product.filter(|line| !line.trim().is_empty()).count()
    }
}

/// A line without its comment, and with empty strings.
///
/// `quote` says whether a string is open from the line before: how many `#` end it, `Some(0)` for an ordinary one.
fn code_of(line: &str, quote: &mut Option<usize>) -> String {
    let mut code = String::new();
    let mut rest = line;
    while let Some(letter) = rest.chars().next() {
        rest = &rest[letter.len_utf8()..];
        match *quote {
            Some(0) if letter == '\\' => rest = rest.get(1..).unwrap_or_default(),
            Some(hashes) if letter == '"' && rest.starts_with(&"#".repeat(hashes)) => {
                rest = &rest[hashes..];
                *quote = None;
                code.push('"');
            }
            Some(_) => {}
            None if letter == '/' && rest.starts_with('/') => break,
            None if letter == '"' && !code.ends_with('\'') => {
                let hashes = code.chars().rev().take_while(|mark| *mark == '#').count();
                let is_raw = code.trim_end_matches('#').ends_with('r');
                *quote = Some(if is_raw { hashes } else { 0 });
                code.push('"');
            }
            None => code.push(letter),
        }
    }
    code
}

fn has_word(line: &str, word: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    line.match_indices(word).any(|(start, _)| {
        let before = line.get(..start).and_then(|text| text.chars().next_back());
        let after = line.get(start + word.len()..).and_then(|text| text.chars().next());
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

/// Every Rust file under the folder `crates` of the workspace at `root`.
///
/// # Errors
/// A folder or file can't be read.
pub fn sources(root: &Path) -> std::io::Result<Vec<Source>> {
    let mut found = Vec::new();
    let mut folders = vec![root.join("crates")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let path: PathBuf = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name =
                    path.strip_prefix(root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
                found.push(Source::new(name, fs::read_to_string(&path)?));
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Source {
        Source::new("crates/x/src/y.rs".to_owned(), text.to_owned())
    }

    #[test]
    fn code_is_told_from_comments_and_strings() {
        let file = source(
            "//! unsafe\nlet a = \"unsafe \\\" //\"; // unsafe\nunsafe { b }\nlet unsafe_ = 1;",
        );
        assert_eq!(file.lines_with("unsafe"), [3]);
        assert_eq!(file.code[1], "let a = \"\"; ");
        assert_eq!(file.lines_of_code(), 3);
    }

    #[test]
    fn strings_may_go_over_lines() {
        let file = source(
            "let a = \"one \\\n unsafe \"; unsafe\nlet b = r#\"unsafe \" unsafe\n unsafe\"#; '\"'; unsafe",
        );
        assert_eq!(file.lines_with("unsafe"), [2, 4]);
    }

    #[test]
    fn tests_are_not_counted_as_code() {
        assert_eq!(source("a\n\nb\n#[cfg(test)]\nmod tests {\n}").lines_of_code(), 2);
    }
}
