//! A light reading of source lines: which are code, which comment, and the tokens of
//! the code. It serves every language of the upstreams well enough to tell a comment
//! from a statement; it is no parser.

/// How a file's language writes comments and strings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syntax {
    /// `//`, `/* */`: C and its kin, shaders, Go, TypeScript.
    Slashes,
    /// `#`: shells, CMake, Python, YAML.
    Hash,
    /// No comments known: all text counts.
    Plain,
}

impl Syntax {
    /// The syntax of a file, by its name.
    pub fn of(path: &str) -> Self {
        let name = path.rsplit('/').next().unwrap_or(path);
        if name.starts_with("Dockerfile")
            || name.starts_with("Makefile")
            || name == "CMakeLists.txt"
        {
            return Self::Hash;
        }
        match name.rsplit_once('.').map_or("", |(_, extension)| extension) {
            "c" | "h" | "cc" | "cpp" | "hpp" | "cxx" | "cu" | "cuh" | "m" | "mm" | "metal"
            | "cl" | "comp" | "glsl" | "wgsl" | "go" | "ts" | "tsx" | "js" | "jsx" | "swift"
            | "kt" | "java" | "zig" | "rs" | "inc" => Self::Slashes,
            "py" | "sh" | "cmake" | "mk" | "make" | "yml" | "yaml" | "toml" | "ps1" | "nix"
            | "pl" | "Dockerfile" | "containerfile" | "cfg" | "env" => Self::Hash,
            _ => Self::Plain,
        }
    }
}

/// What stays open from one line to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Open {
    /// Nothing.
    #[default]
    Nothing,
    /// A `/* … */` comment.
    Comment,
    /// A string between backticks, which spans lines in Go and TypeScript.
    Backticks,
}

/// A token of code, borrowed from its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Token<'a> {
    /// A name or keyword.
    Name(&'a [u8]),
    /// A number.
    Number(&'a [u8]),
    /// A string or character literal, quotes included.
    Text(&'a [u8]),
    /// Any other single byte.
    Mark(u8),
}

/// Reads one line, gives each token of code to `each`, and returns what stays open.
pub fn tokens<'a>(
    line: &'a [u8],
    syntax: Syntax,
    open: Open,
    mut each: impl FnMut(Token<'a>),
) -> Open {
    let mut at = 0;
    let mut open = open;
    // What a comment tells the tools is code: `//go:embed`, `// #cgo`, and the C that a Go
    // file carries in a comment, of which at least the directives can be told.
    let told = line.trim_ascii();
    if syntax == Syntax::Slashes
        && (told.starts_with(b"//go:")
            || told.starts_with(b"//#cgo")
            || told.starts_with(b"// #cgo")
            || open == Open::Comment && told.starts_with(b"#"))
    {
        each(Token::Text(told));
        return open;
    }
    while at < line.len() {
        match open {
            Open::Comment => match memchr::memmem::find(&line[at..], b"*/") {
                Some(end) => {
                    at += end + 2;
                    open = Open::Nothing;
                }
                None => return open,
            },
            Open::Backticks => match memchr::memchr(b'`', &line[at..]) {
                Some(end) => {
                    each(Token::Text(&line[at..=at + end]));
                    at += end + 1;
                    open = Open::Nothing;
                }
                None => {
                    each(Token::Text(&line[at..]));
                    return open;
                }
            },
            Open::Nothing => {
                let byte = line[at];
                let next = line.get(at + 1).copied();
                if byte.is_ascii_whitespace() {
                    at += 1;
                } else if syntax == Syntax::Slashes && byte == b'/' && next == Some(b'/')
                    || syntax == Syntax::Hash && byte == b'#'
                {
                    return open;
                } else if syntax == Syntax::Slashes && byte == b'/' && next == Some(b'*') {
                    open = Open::Comment;
                    at += 2;
                } else if syntax == Syntax::Slashes && byte == b'`' {
                    open = Open::Backticks;
                    let end = memchr::memchr(b'`', &line[at + 1..]);
                    match end {
                        Some(end) => {
                            each(Token::Text(&line[at..at + end + 2]));
                            at += end + 2;
                            open = Open::Nothing;
                        }
                        None => {
                            each(Token::Text(&line[at..]));
                            return open;
                        }
                    }
                } else if byte == b'"' || byte == b'\'' && syntax != Syntax::Plain {
                    let end = quoted_end(line, at, byte);
                    each(Token::Text(&line[at..end]));
                    at = end;
                } else if byte.is_ascii_digit() {
                    let end =
                        run(line, at, |b| b.is_ascii_alphanumeric() || b == b'.' || b == b'_');
                    each(Token::Number(&line[at..end]));
                    at = end;
                } else if is_name(byte) {
                    let end = run(line, at, |b| is_name(b) || b.is_ascii_digit());
                    each(Token::Name(&line[at..end]));
                    at = end;
                } else {
                    each(Token::Mark(byte));
                    at += 1;
                }
            }
        }
    }
    open
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte >= 0x80
}

fn run(line: &[u8], from: usize, holds: impl Fn(u8) -> bool) -> usize {
    line[from..].iter().position(|&b| !holds(b)).map_or(line.len(), |n| from + n)
}

/// The end of a quoted text, which ends at the line's end at the latest.
fn quoted_end(line: &[u8], from: usize, quote: u8) -> usize {
    let mut at = from + 1;
    while at < line.len() {
        match line[at] {
            b'\\' => at += 2,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    line.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str, syntax: Syntax, open: Open) -> (Vec<String>, Open) {
        let mut found = Vec::new();
        let open = tokens(line.as_bytes(), syntax, open, |token| {
            found.push(match token {
                Token::Name(t) | Token::Number(t) | Token::Text(t) => {
                    String::from_utf8_lossy(t).into_owned()
                }
                Token::Mark(b) => char::from(b).to_string(),
            });
        });
        (found, open)
    }

    #[test]
    fn leaves_comments_out_and_strings_whole() {
        let (found, open) = read("x = \"a // b\"; // c", Syntax::Slashes, Open::Nothing);
        assert_eq!(found, ["x", "=", "\"a // b\"", ";"]);
        assert_eq!(open, Open::Nothing);
        let (found, open) = read("still */ y /* on", Syntax::Slashes, Open::Comment);
        assert_eq!((found, open), (vec!["y".to_owned()], Open::Comment));
        assert_eq!(read("//go:embed x", Syntax::Slashes, Open::Nothing).0, ["//go:embed x"]);
        assert_eq!(read("#cgo CFLAGS: -DX", Syntax::Slashes, Open::Comment).0.len(), 1);
        assert_eq!(read("a # b", Syntax::Hash, Open::Nothing).0, ["a"]);
        assert_eq!(read("s := `a // b", Syntax::Slashes, Open::Nothing).1, Open::Backticks);
        assert_eq!(read("1.5f0 + 0x1F", Syntax::Slashes, Open::Nothing).0, ["1.5f0", "+", "0x1F"]);
    }

    proptest::proptest! {
        #[test]
        fn never_panics(line in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..80)) {
            for syntax in [Syntax::Slashes, Syntax::Hash, Syntax::Plain] {
                for open in [Open::Nothing, Open::Comment, Open::Backticks] {
                    let mut bytes = 0;
                    tokens(&line, syntax, open, |token| bytes += match token {
                        Token::Name(t) | Token::Number(t) | Token::Text(t) => t.len(),
                        Token::Mark(_) => 1,
                    });
                    proptest::prop_assert!(bytes <= line.len());
                }
            }
        }
    }
}
