//! Words out of text and code, in one form: split at `snake_case`, `camelCase`
//! and letter-digit borders, lower case, stemmed, without stop words.

use std::collections::{HashMap, HashSet};

use headwater_store::words::{camel_parts, without_plural};
use rust_stemmers::{Algorithm, Stemmer};

/// A term as features and statistics keep it: the FNV-1a hash of its text.
pub type TermId = u64;

/// The longest word that is kept; longer runs are data, not words.
const LONGEST: usize = 48;

/// How many words keep their cut before the memory is let go.
const MEMORY: usize = 200_000;

/// The id of a term.
pub fn term_id(term: &str) -> TermId {
    term.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Cuts text into terms, and remembers the cut of each word it has met.
pub struct Tokenizer {
    stemmer: Stemmer,
    stop: HashSet<String>,
    cuts: HashMap<String, Vec<String>>,
}

impl Tokenizer {
    /// A tokenizer that leaves out `stop`.
    pub fn new<S: AsRef<str>>(stop: impl IntoIterator<Item = S>) -> Self {
        Tokenizer {
            stemmer: Stemmer::create(Algorithm::English),
            stop: stop.into_iter().map(|word| word.as_ref().to_lowercase()).collect(),
            cuts: HashMap::new(),
        }
    }

    /// Calls `sink` with the terms of `text`, in order, repeats included.
    pub fn each(&mut self, text: &str, mut sink: impl FnMut(&str)) {
        for word in words(text) {
            if let Some(cut) = self.cuts.get(word) {
                cut.iter().for_each(|term| sink(term));
                continue;
            }
            let cut = self.cut(word);
            cut.iter().for_each(|term| sink(term));
            if self.cuts.len() >= MEMORY {
                self.cuts.clear();
            }
            self.cuts.insert(word.to_owned(), cut);
        }
    }

    /// The terms of `text`.
    pub fn terms(&mut self, text: &str) -> Vec<String> {
        let mut out = Vec::new();
        self.each(text, |term| out.push(term.to_owned()));
        out
    }

    /// A word's parts, and after them the word itself if it had several.
    fn cut(&self, word: &str) -> Vec<String> {
        let mut out: Vec<String> = Vec::new();
        let parts: Vec<&str> = word.split('_').flat_map(camel_parts).collect();
        for part in &parts {
            let lower = without_plural(part).to_lowercase();
            if lower.len() < 2 || lower.bytes().all(|b| b.is_ascii_digit()) {
                continue;
            }
            // rdna4, gfx1151 and pp512 also speak of rdna, gfx and pp.
            let letters = lower.trim_end_matches(|c: char| c.is_ascii_digit());
            if letters.len() >= 2 && letters.len() < lower.len() {
                self.push(letters, &mut out);
            }
            self.push(&lower, &mut out);
        }
        // mul_mat_vec_q also speaks of mul_mat and mat_vec: operations are named
        // by two parts more often than by one.
        if parts.len() > 2 {
            for pair in parts.windows(2) {
                if pair.iter().all(|part| part.len() >= 2) {
                    out.push(pair.join("_").to_lowercase());
                }
            }
        }
        if parts.len() > 1 {
            let whole = word.trim_matches('_').to_lowercase();
            if whole.len() >= 3 && !out.contains(&whole) {
                out.push(whole);
            }
        }
        out
    }

    fn push(&self, lower: &str, out: &mut Vec<String>) {
        if self.stop.contains(lower) {
            return;
        }
        let term = if lower.len() > 3 && lower.bytes().all(|b| b.is_ascii_alphabetic()) {
            self.stemmer.stem(lower).into_owned()
        } else {
            lower.to_owned()
        };
        out.push(term);
    }
}

/// Runs of letters, digits and underscores.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| word.len() >= 2 && word.len() <= LONGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(text: &str) -> Vec<String> {
        Tokenizer::new(["the", "is"]).terms(text)
    }

    #[test]
    fn splits_identifiers_and_keeps_them_whole() {
        assert_eq!(
            terms("ggml_flash_attn_ext"),
            [
                "ggml",
                "flash",
                "attn",
                "ext",
                "ggml_flash",
                "flash_attn",
                "attn_ext",
                "ggml_flash_attn_ext"
            ]
        );
        assert_eq!(terms("numCtx"), ["num", "ctx", "numctx"]);
        assert_eq!(terms("HTTPServer"), ["http", "server", "httpserver"]);
        assert_eq!(
            terms("MoE ROCm GPUs LoRA toJSON"),
            ["moe", "rocm", "gpu", "lora", "to", "json", "tojson"]
        );
        assert_eq!(terms("RDNA4 gfx1201 Q4_K"), ["rdna", "rdna4", "gfx", "gfx1201", "q4", "q4_k"]);
    }

    #[test]
    fn stems_words_and_drops_stop_words() {
        assert_eq!(terms("the batches is batched"), ["batch", "batch"]);
        assert_eq!(terms("1234 7 a"), Vec::<String>::new());
    }

    proptest::proptest! {
        #[test]
        fn never_panics(text in "\\PC{0,200}") {
            let mut tokenizer = Tokenizer::new(["the"]);
            let first = tokenizer.terms(&text);
            // What is remembered is what was cut.
            proptest::prop_assert_eq!(first, tokenizer.terms(&text));
        }
    }
}
