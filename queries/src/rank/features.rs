//! What a ranker reads of one commit, whatever the question: its words by
//! field, and what its files are. Made once for a commit and kept.

use std::collections::HashMap;

use headwater_store::Oid;
use headwater_store::model::{CommitPatch, FileChange, Side};

use super::RulesError;
use super::facets::{Facets, FileFacets, FileRules};
use super::mentions::{Mention, Mentions};
use super::silent;
use super::tokens::{TermId, Tokenizer, term_id};

/// Where a word stands in a commit. Each field is scored on its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Field {
    /// The message's first line.
    Subject,
    /// The rest of the message.
    Body,
    /// The paths of the changed files.
    Path,
    /// The changed lines.
    Lines,
    /// The functions that git found above the hunks.
    Functions,
    /// The string literals of the changed lines: what logs and errors print.
    Literals,
}

impl Field {
    /// All of them, in the order of [`CommitFeatures::fields`].
    pub const ALL: [Field; 6] =
        [Field::Subject, Field::Body, Field::Path, Field::Lines, Field::Functions, Field::Literals];

    /// How a reason names it.
    pub const fn words(self) -> &'static str {
        match self {
            Field::Subject => "subject",
            Field::Body => "message",
            Field::Path => "paths",
            Field::Lines => "changed lines",
            Field::Functions => "changed functions",
            Field::Literals => "messages in the code",
        }
    }
}

/// The terms of one field, sorted by id, with how often each stands there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Terms {
    /// The number of terms, repeats included.
    pub len: u32,
    /// Each distinct term's id and count, ascending by id.
    pub counts: Vec<(TermId, u16)>,
}

impl Terms {
    /// How often the term stands here.
    pub fn count(&self, id: TermId) -> u16 {
        self.counts
            .binary_search_by_key(&id, |entry| entry.0)
            .ok()
            .and_then(|at| self.counts.get(at))
            .map_or(0, |entry| entry.1)
    }
}

/// One commit as a ranker reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitFeatures {
    /// The commit.
    pub oid: Oid,
    /// The terms of each field, in the order of [`Field::ALL`].
    pub fields: [Terms; 6],
    /// What its files are.
    pub files: FileFacets,
    /// The backends that its subject names, as bits in the order of the map.
    pub named: u32,
    /// The backend that its subject starts with, as a bit.
    pub headed: u32,
    /// Lines added and removed.
    pub lines: u32,
    /// Lines added, and lines removed, in files that are not inert.
    pub live: (u32, u32),
    /// Conditions on added lines less those on removed ones, not below zero.
    pub conditions: u32,
    /// Parents.
    pub parents: Vec<Oid>,
    /// The number of its pull request.
    pub pull: Option<u32>,
    /// The commits that its message names.
    pub mentions: Vec<Mention>,
}

/// The largest part of one file's hunks that is read for words: vendored
/// sources and generated tables say nothing more after it.
const READ: usize = 256 << 10;

/// Makes features of commits; keeps what it learned of words between them.
pub struct Reader {
    rules: FileRules,
    tokenizer: Tokenizer,
    mentions: Mentions,
}

impl Reader {
    /// A reader with these maps.
    ///
    /// # Errors
    /// Where a map holds an invalid pattern.
    pub fn new(facets: &Facets) -> Result<Self, RulesError> {
        Ok(Reader {
            rules: FileRules::new(facets)?,
            tokenizer: facets.tokenizer(),
            mentions: Mentions::new()?,
        })
    }

    /// The features of one commit.
    pub fn read(&mut self, patch: &CommitPatch) -> CommitFeatures {
        let mut bags: [Bag; 6] = Default::default();
        let [subject, body, path, lines, functions, literals] = &mut bags;
        subject.add(&mut self.tokenizer, patch.commit.subject());
        for line in patch.commit.body().lines().filter(|line| !is_trailer(line)) {
            body.add(&mut self.tokenizer, line);
        }
        let pull = patch.commit.pull_request();
        let (mut changed, mut more, mut fewer) = (0u32, 0u32, 0u32);
        let mut live = (0u32, 0u32);
        let mut silent = Vec::with_capacity(patch.files.len());
        for file in &patch.files {
            path.add(&mut self.tokenizer, &file.path);
            changed = changed.saturating_add(file.added).saturating_add(file.deleted);
            let cut = clipped(file);
            let is_silent = !file.binary && !file.gap && silent::is_silent(&cut);
            silent.push(is_silent);
            if !is_silent && !self.rules.is_inert(&file.path) {
                live.0 = live.0.saturating_add(file.added);
                live.1 = live.1.saturating_add(file.deleted);
            }
            for hunk in cut.parsed() {
                functions.add(&mut self.tokenizer, &String::from_utf8_lossy(hunk.section));
                for line in hunk.lines.iter().filter(|line| line.side != Side::Context) {
                    let text = line.text_lossy();
                    lines.add(&mut self.tokenizer, &text);
                    for literal in string_literals(&text) {
                        literals.add(&mut self.tokenizer, literal);
                    }
                    if has_condition(&text) {
                        match line.side {
                            Side::Added => more = more.saturating_add(1),
                            _ => fewer = fewer.saturating_add(1),
                        }
                    }
                }
            }
        }
        let (named, headed) = self.rules.subject_backends(patch.commit.subject());
        CommitFeatures {
            oid: patch.commit.oid,
            fields: bags.map(Bag::into_terms),
            files: self.rules.files(patch.files.iter().map(|file| file.path.as_str()).zip(silent)),
            named,
            headed,
            lines: changed,
            live,
            conditions: more.saturating_sub(fewer),
            parents: patch.commit.parents.clone(),
            pull,
            mentions: self.mentions.of(&patch.commit.message, pull),
        }
    }
}

/// Whether a line of a message names people or tools instead of the change.
fn is_trailer(line: &str) -> bool {
    let line = line.trim_start().trim_start_matches("* ");
    ["Co-authored-by:", "Signed-off-by:", "Reviewed-by:", "Acked-by:", "Tested-by:", "Change-Id:"]
        .iter()
        .any(|start| line.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start)))
}

/// The file with its hunks cut to [`READ`].
fn clipped(file: &FileChange) -> std::borrow::Cow<'_, FileChange> {
    if file.hunks.len() <= READ {
        return std::borrow::Cow::Borrowed(file);
    }
    let mut short = FileChange { hunks: Vec::new(), ..file.clone() };
    short.hunks.extend_from_slice(file.hunks.get(..READ).unwrap_or_default());
    std::borrow::Cow::Owned(short)
}

#[derive(Default)]
struct Bag {
    len: u32,
    counts: HashMap<TermId, u16>,
}

impl Bag {
    fn add(&mut self, tokenizer: &mut Tokenizer, text: &str) {
        tokenizer.each(text, |term| {
            self.len = self.len.saturating_add(1);
            let count = self.counts.entry(term_id(term)).or_insert(0);
            *count = count.saturating_add(1);
        });
    }

    fn into_terms(self) -> Terms {
        let mut counts: Vec<_> = self.counts.into_iter().collect();
        counts.sort_unstable();
        Terms { len: self.len, counts }
    }
}

/// The texts between double quotes, at least two words long.
fn string_literals(line: &str) -> impl Iterator<Item = &str> {
    line.split('"').skip(1).step_by(2).filter(|text| text.trim().contains(' '))
}

fn has_condition(line: &str) -> bool {
    let code = line.trim_start();
    ["if ", "if(", "} else if", "else if", "case ", "#if", "while "]
        .iter()
        .any(|start| code.starts_with(start))
        || code.contains(" ? ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_the_quoted_phrases() {
        let found: Vec<_> =
            string_literals(r#"LOG("no slot is free, %d", "x"); fail("out of range");"#).collect();
        assert_eq!(found, ["no slot is free, %d", "out of range"]);
    }

    #[test]
    fn conditions_are_seen_at_the_start_or_as_a_choice() {
        assert!(has_condition("    if (n > 0) {"));
        assert!(has_condition("  size = big ? 2 : 1;"));
        assert!(!has_condition("  diff(a, b);"));
    }
}
