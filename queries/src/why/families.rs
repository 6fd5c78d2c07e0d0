//! Model families: whether two names mean the same one.

/// The family that a model's name gives: `gemma4:26b` is `gemma4`.
pub(super) fn of_model(name: &str) -> String {
    let stem = name.rsplit('/').next().unwrap_or(name);
    let stem = stem.split(':').next().unwrap_or(stem);
    stem.to_lowercase()
}

/// Whether two families may share code: the same leading word (`gemma4`, `gemma3n`), or
/// one name inside the other. In doubt they may, since a wrong exclusion is worse than a
/// low rank.
pub(super) fn may_share(a: &str, b: &str) -> bool {
    let (a, b) = (plain(a), plain(b));
    if a.is_empty() || b.is_empty() || a.contains(&b) || b.contains(&a) {
        return true;
    }
    let (word_a, word_b) = (leading_word(&a), leading_word(&b));
    word_a.is_empty() || word_b.is_empty() || word_a == word_b
}

/// Whether a line names the family: its spelling without signs stands in the line's.
pub(super) fn named_in(family: &str, line: &str) -> bool {
    let family = plain(family);
    !family.is_empty() && plain(line).contains(&family)
}

fn plain(text: &str) -> String {
    text.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

fn leading_word(plain: &str) -> &str {
    let end = plain.find(|c: char| c.is_ascii_digit()).unwrap_or(plain.len());
    plain.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_a_family_may_share_and_others_do_not() {
        assert_eq!(of_model("gemma4:26b"), "gemma4");
        assert_eq!(of_model("registry.ollama.ai/library/Qwen3.6:27b"), "qwen3.6");
        assert!(may_share("gemma4", "gemma3n"));
        assert!(may_share("gpt-oss", "gptoss"));
        assert!(may_share("muse-glimmer", "glimmer"));
        assert!(!may_share("gemma4", "qwen35"));
        assert!(!may_share("gemma4", "glimmer"));
        assert!(named_in("qwen35", "case \"qwen3.5\":"));
        assert!(!named_in("qwen35", "case \"gemma4\":"));
    }
}
