//! Reading single lines of logs: quoted values, command lines, Go's maps.

/// Colours and their kin, which a server writes even into files.
pub(super) fn without_escapes(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut letters = line.chars().peekable();
    while let Some(c) = letters.next() {
        if c == '\u{1b}' && letters.peek() == Some(&'[') {
            letters.next();
            for c in letters.by_ref() {
                if ('@'..='~').contains(&c) {
                    break;
                }
            }
        } else {
            out.push(c);
        }
    }
    out
}

/// The value of `key=` in a structured line: a word, or a text in quotes as Go writes one.
pub(super) fn field(line: &str, key: &str) -> Option<String> {
    let mut from = 0;
    while let Some(at) = line.get(from..)?.find(key).map(|at| at + from) {
        let end = at + key.len();
        let starts = line.get(..at)?.chars().next_back().is_none_or(char::is_whitespace);
        let rest = line.get(end..)?;
        if starts && let Some(value) = rest.strip_prefix('=') {
            return Some(match value.strip_prefix('"') {
                Some(quoted) => unquoted(quoted),
                None => value.split_whitespace().next().unwrap_or_default().to_owned(),
            });
        }
        from = end;
    }
    None
}

/// A text up to the quote that ends it.
fn unquoted(text: &str) -> String {
    let mut out = String::new();
    let mut letters = text.chars();
    while let Some(c) = letters.next() {
        match c {
            '"' => break,
            '\\' => match letters.next() {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some(other) => out.push(other),
                None => break,
            },
            c => out.push(c),
        }
    }
    out
}

/// The words of a command line.
pub(super) fn words(command: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut word = String::new();
    let (mut quote, mut any) = (None, false);
    for c in command.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => {
                quote = Some(c);
                any = true;
            }
            (None, c) if c.is_whitespace() => {
                if any || !word.is_empty() {
                    out.push(std::mem::take(&mut word));
                }
                any = false;
            }
            (_, c) => word.push(c),
        }
    }
    if any || !word.is_empty() {
        out.push(word);
    }
    out
}

/// The entries of `map[NAME:value NAME:value]`, whose values may hold spaces. Names of
/// environment variables have an underscore, which tells them from `http:`.
pub(super) fn go_map(text: &str) -> Vec<(String, String)> {
    let inside = text.strip_prefix("map[").unwrap_or(text);
    let inside = inside.strip_suffix(']').unwrap_or(inside);
    let mut out: Vec<(String, String)> = Vec::new();
    for word in inside.split(' ') {
        let name = word.split_once(':').filter(|(name, _)| {
            name.contains('_') && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        });
        match (name, out.last_mut()) {
            (Some((name, value)), _) => out.push((name.to_owned(), value.to_owned())),
            (None, Some((_, value))) => {
                value.push(' ');
                value.push_str(word);
            }
            (None, None) => {}
        }
    }
    for (_, value) in &mut out {
        value.truncate(value.trim_end().len());
    }
    out
}

/// `name = value, name = value`, where every part is such a pair.
pub(super) fn pairs(line: &str) -> Option<Vec<(String, String)>> {
    let pair = |part: &str| {
        let (name, value) = part.split_once(" = ")?;
        let name = name.trim();
        let named = !name.is_empty()
            && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        named.then(|| (name.to_owned(), value.trim().to_owned()))
    };
    line.trim().trim_end_matches(',').split(", ").map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_and_words_are_read_as_they_were_written() {
        let line = r#"level=INFO msg="starting llama-server" cmd="/x/llama-server --model \"/a b/m\" -ngl 0" subcmd=3"#;
        assert_eq!(field(line, "msg").unwrap(), "starting llama-server");
        assert_eq!(field(line, "level").unwrap(), "INFO");
        let command = field(line, "cmd").unwrap();
        assert_eq!(words(&command), ["/x/llama-server", "--model", "/a b/m", "-ngl", "0"]);
        assert_eq!(field("subcmd=3", "cmd"), None);
        assert_eq!(words("a '' b"), ["a", "", "b"]);
    }

    #[test]
    fn values_of_a_map_may_hold_spaces_and_colons() {
        let map = "map[OLLAMA_HOST:http://0.0.0.0:11434 OLLAMA_ORIGINS:[http://localhost https://localhost] http_proxy: OLLAMA_KV_CACHE_TYPE:q8_0]";
        let found = go_map(map);
        let value = |name: &str| &found.iter().find(|(n, _)| n == name).unwrap().1;
        assert_eq!(value("OLLAMA_HOST"), "http://0.0.0.0:11434");
        assert_eq!(value("OLLAMA_ORIGINS"), "[http://localhost https://localhost]");
        assert_eq!(
            (value("http_proxy").as_str(), value("OLLAMA_KV_CACHE_TYPE").as_str()),
            ("", "q8_0")
        );
    }

    #[test]
    fn pairs_are_pairs_throughout() {
        let found = pairs("\ttop_k = 40, top_p = 0.950, temp = 0.800").unwrap();
        assert_eq!(found[2], ("temp".to_owned(), "0.800".to_owned()));
        assert_eq!(pairs("loading model, please wait"), None);
        assert_eq!(without_escapes("\u{1b}[32mI \u{1b}[0mx\u{1b}["), "I x");
    }
}
