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

/// Whether two names are one, but for signs and capitals: `gptoss`, `gpt-oss`.
pub(super) fn same(a: &str, b: &str) -> bool {
    plain(a) == plain(b)
}

/// Whether a line names the family: its spelling without signs stands in the line's.
pub(super) fn named_in(family: &str, line: &str) -> bool {
    let family = plain(family);
    !family.is_empty() && plain(line).contains(&family)
}

/// The line of a message that names the family, shortened; a name without a digit that
/// half of all messages hold says nothing.
pub(super) fn naming(family: &str, message: &str) -> Option<String> {
    let bare = plain(family);
    if bare.len() < 4 || ["llama", "ollama", "model"].contains(&bare.as_str()) {
        return None;
    }
    let line = message.lines().find(|line| named_in(family, line))?.trim();
    Some(match line.char_indices().nth(160) {
        Some((at, _)) => format!("{}…", line.get(..at).unwrap_or(line)),
        None => line.to_owned(),
    })
}

/// The format that a model's name tells: MLX's own where the name says so, else GGUF, which
/// is an assumption.
pub(super) fn format_of(model: Option<&str>) -> &'static str {
    let parts = |name: &str| {
        name.to_lowercase().split(|c: char| !c.is_ascii_alphanumeric()).any(|part| part == "mlx")
    };
    if model.is_some_and(parts) { "safetensors" } else { "gguf" }
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
        let message = "api: a default\n\nPenalties cost gemma2 through Gemma-4 most.";
        assert_eq!(
            naming("gemma4", message).unwrap(),
            "Penalties cost gemma2 through Gemma-4 most."
        );
        assert_eq!(naming("llama", "llama : x"), None);
        assert_eq!(format_of(Some("gemma4:26b-mlx-bf16")), "safetensors");
        assert_eq!([format_of(Some("gemma4:26b")), format_of(None)], ["gguf"; 2]);
        assert!(named_in("qwen35", "case \"qwen3.5\":"));
        assert!(!named_in("qwen35", "case \"gemma4\":"));
    }
}
