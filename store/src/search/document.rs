//! What of a commit is indexed.

use foldhash::fast::RandomState;
use tantivy::TantivyDocument;

use super::index::{Field, Fields};
use super::tokens::{Cutter, spans};
use crate::db::StoredPatch;
use crate::model::Side;

/// At most so many bytes of one file's hunks are read: longer ones are data.
const LONGEST_FILE: usize = 256 << 10;
/// At most so many distinct words of each side of a commit are kept.
const MOST_WORDS: usize = 6_000;
/// How many words keep their cut before the memory is let go.
const MEMORY: usize = 100_000;

type Map<K, V> = std::collections::HashMap<K, V, RandomState>;
type Set<T> = std::collections::HashSet<T, RandomState>;

/// Makes documents: one reader a thread.
#[derive(Default)]
pub(crate) struct Reader {
    cutter: Cutter,
    known: Map<String, String>,
}

impl Reader {
    /// The document of a commit, and whether something of it was left out.
    pub fn read(&mut self, fields: &Fields, patch: &StoredPatch) -> (TantivyDocument, bool) {
        let commit = &patch.patch().commit;
        let mut document = TantivyDocument::new();
        document.add_u64(fields.commit, patch.stored().id().row().unsigned_abs());
        let subject = commit.subject();
        let body = commit.message.get(subject.len()..).unwrap_or_default();
        for (field, text) in [(Field::Subject, subject), (Field::Message, body)] {
            document.add_text(fields.of(field), text);
        }
        let author = format!("{} {}", commit.author.name, commit.author.email);
        document.add_text(fields.of(Field::Author), self.words([author.as_str()].into_iter()));
        let files = &patch.patch().files;
        let paths = files.iter().flat_map(|f| [Some(f.path.as_str()), f.old_path.as_deref()]);
        document.add_text(fields.of(Field::Path), self.words(paths.flatten()));
        let (mut added, mut removed) = (Set::default(), Set::default());
        let mut cut = false;
        let texts: Vec<_> = files
            .iter()
            .map(|file| {
                cut |= file.hunks.len() > LONGEST_FILE;
                let end = file.hunks.len().min(LONGEST_FILE);
                String::from_utf8_lossy(&file.hunks[..end])
            })
            .collect();
        for text in &texts {
            crate::exact::each_changed(text.as_bytes(), |side, _, line| {
                let Ok(line) = std::str::from_utf8(line) else { return };
                let words = if side == Side::Added { &mut added } else { &mut removed };
                for span in spans(line) {
                    if words.len() >= MOST_WORDS {
                        cut = true;
                        return;
                    }
                    let word = &line[span];
                    if is_name(word) {
                        words.insert(word);
                    }
                }
            });
        }
        removed.retain(|word| !added.contains(word));
        for (field, words) in [(Field::Added, added), (Field::Removed, removed)] {
            document.add_text(fields.of(field), self.distinct(&words));
        }
        (document, cut)
    }

    /// The distinct tokens of texts, between blanks.
    fn words<'t>(&mut self, texts: impl Iterator<Item = &'t str>) -> String {
        let mut words = Set::default();
        for text in texts {
            words.extend(spans(text).map(|span| &text[span]));
        }
        self.distinct(&words)
    }

    fn distinct(&mut self, words: &Set<&str>) -> String {
        if self.known.len() >= MEMORY {
            self.known.clear();
        }
        for word in words {
            if !self.known.contains_key(*word) {
                let tokens = self.cutter.cut(word);
                let texts: Vec<&str> = tokens.iter().map(|token| token.text.as_str()).collect();
                self.known.insert((*word).to_owned(), texts.join(" "));
            }
        }
        let mut out = String::new();
        let mut seen: Set<&str> = Set::default();
        for form in words.iter().filter_map(|word| self.known.get(*word)).flat_map(|f| f.split(' '))
        {
            if seen.insert(form) {
                out.push_str(form);
                out.push(' ');
            }
        }
        out
    }
}

/// Whether a word of code is worth finding: it has a letter and is no long number or
/// piece of encoded data.
fn is_name(word: &str) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    word.len() >= 2
        && word.len() <= 120
        && digits < word.len()
        && (digits < 16 || word.contains('_'))
        || word.len() == digits && (2..=6).contains(&digits)
}
