//! What the words of a search ask for.

use std::collections::HashSet;

use headwater_store::search::{Clause, Cutter, Field};

/// What was asked for.
#[derive(Debug, Default)]
pub(super) struct Parsed {
    pub clauses: Vec<Clause>,
    /// Names after `upstream:`.
    pub upstreams: Vec<String>,
    /// The bare texts, for showing how to look for them exactly.
    pub texts: Vec<String>,
}

/// Reads a search: words, `"phrases"`, each maybe with `field:` before it. Nothing is an
/// error: a text that is no field is a word.
pub(super) fn parse(query: &str, cutter: &Cutter, stop: &HashSet<String>) -> Parsed {
    let mut parsed = Parsed::default();
    let mut common = Parsed::default();
    for (field, text, phrase) in pieces(query) {
        if field == Some("upstream") {
            parsed.upstreams.push(text.to_owned());
            continue;
        }
        let fields: Vec<Field> =
            Field::ALL.into_iter().filter(|known| Some(known.name()) == field).collect();
        let is_common = field.is_none() && !phrase && stop.contains(&text.to_lowercase());
        let into = if is_common { &mut common } else { &mut parsed };
        into.clauses.extend(Clause::of(cutter, text, &fields, phrase));
        if field != Some("author") && field != Some("path") {
            into.texts.push(text.to_owned());
        }
    }
    // A search for nothing but common words is a search for these.
    if parsed.clauses.is_empty() {
        parsed.clauses = common.clauses;
        parsed.texts = common.texts;
    }
    parsed
}

/// Field, text, and whether it stood between quotation marks.
fn pieces(query: &str) -> Vec<(Option<&str>, &str, bool)> {
    let mut pieces = Vec::new();
    let mut rest = query.trim_start();
    while !rest.is_empty() {
        let mut field = None;
        if let Some((name, after)) = rest.split_once(':')
            && is_field(name)
            && !after.is_empty()
            && !after.starts_with(char::is_whitespace)
        {
            field = Some(name);
            rest = after;
        }
        let (text, phrase, after) = match rest.strip_prefix('"').and_then(|r| r.split_once('"')) {
            Some((text, after)) => (text, true, after),
            None => {
                let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
                let (text, after) = rest.split_at(end);
                (text, false, after)
            }
        };
        if !text.is_empty() {
            pieces.push((field, text, phrase && text.contains(char::is_whitespace)));
        }
        rest = after.trim_start();
    }
    pieces
}

fn is_field(name: &str) -> bool {
    name == "upstream" || Field::ALL.iter().any(|field| field.name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_phrases_and_fields() {
        assert_eq!(
            pieces(
                r#"subject:repeat_penalty  "flash attention" path:api/ x:y std::vector "one" upstream:ollama"#
            ),
            [
                (Some("subject"), "repeat_penalty", false),
                (None, "flash attention", true),
                (Some("path"), "api/", false),
                (None, "x:y", false),
                (None, "std::vector", false),
                (None, "one", false),
                (Some("upstream"), "ollama", false),
            ]
        );
        assert_eq!(
            pieces(r#"subject: "open"#),
            [(None, "subject:", false), (None, "\"open", false)]
        );
    }

    #[test]
    fn common_words_count_only_where_there_are_no_others() {
        let stop = HashSet::from(["the".to_owned(), "is".to_owned()]);
        let cutter = Cutter::default();
        assert_eq!(parse("the prompt is slow", &cutter, &stop).texts, ["prompt", "slow"]);
        assert_eq!(parse("the", &cutter, &stop).clauses.len(), 1);
        assert_eq!(parse("message:the x", &cutter, &stop).clauses.len(), 2);
        assert!(parse(" .,; ", &cutter, &stop).clauses.is_empty());
    }

    proptest::proptest! {
        #[test]
        fn never_panics(query in "(\\PC|[\": a-z]){0,60}") {
            let _ = parse(&query, &Cutter::default(), &HashSet::new());
        }
    }
}
