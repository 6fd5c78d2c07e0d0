//! The parts of identifiers.

/// `FlashAttnExt` as `Flash`, `Attn`, `Ext`; `HTTPServer` as `HTTP`, `Server`. A border
/// needs two characters before and three after it: `MoE`, `ROCm`, `GPUs` and `LoRA` are
/// words.
pub fn camel_parts(word: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    let chars: Vec<(usize, char)> = word.char_indices().collect();
    for at in 1..chars.len() {
        let (index, here) = chars[at];
        let before = chars[at - 1].1;
        let after = chars.get(at + 1).map(|c| c.1);
        let border = here.is_uppercase()
            && (before.is_lowercase()
                || (before.is_uppercase() && after.is_some_and(char::is_lowercase)));
        if border && index - start >= 2 && chars.len() - at >= 3 {
            parts.push(&word[start..index]);
            start = index;
        }
    }
    parts.push(&word[start..]);
    parts.retain(|part| !part.is_empty());
    parts
}

/// `GPUs` as `GPU`; other words as they are.
pub fn without_plural(word: &str) -> &str {
    match word.strip_suffix('s') {
        Some(stem) if stem.len() >= 2 && stem.chars().all(char::is_uppercase) => stem,
        _ => word,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_where_a_new_word_begins() {
        assert_eq!(camel_parts("RepeatPenalty"), ["Repeat", "Penalty"]);
        assert_eq!(camel_parts("HTTPServer"), ["HTTP", "Server"]);
        assert_eq!(camel_parts("ROCm"), ["ROCm"]);
        assert_eq!(camel_parts(""), [] as [&str; 0]);
        assert_eq!((without_plural("GPUs"), without_plural("words")), ("GPU", "words"));
    }
}
