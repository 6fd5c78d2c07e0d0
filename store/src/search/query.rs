//! Asking the index.

use tantivy::TantivyError;
use tantivy::collector::{Count, FilterCollector, TopDocs};
use tantivy::query::{
    BooleanQuery, BoostQuery, DisjunctionMaxQuery, Occur, PhraseQuery, Query, TermQuery,
};
use tantivy::schema::{IndexRecordOption, Term};

use super::index::{COMMIT, Field, SearchIndex};
use super::tokens::{Cutter, Kind, Token};
use crate::db::CommitId;

/// A word found whole weighs so much more than all its parts.
const WHOLE: f32 = 2.0;
/// What further fields add to the one that fits best.
const FURTHER: f32 = 0.3;

/// One thing that a question asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clause {
    /// Where; everywhere where none is named.
    pub fields: Vec<Field>,
    /// Its tokens.
    tokens: Vec<Token>,
    /// Its words must stand side by side.
    phrase: bool,
}

impl Clause {
    /// The clauses of a text: one a word, or one for all of them where they must stand
    /// side by side, which is known of messages alone.
    pub fn of(cutter: &Cutter, text: &str, fields: &[Field], phrase: bool) -> Vec<Clause> {
        let tokens = cutter.cut(text);
        if phrase {
            let mut fields: Vec<Field> =
                fields.iter().copied().filter(|field| field.has_positions()).collect();
            if fields.is_empty() {
                fields = vec![Field::Subject, Field::Message];
            }
            return if tokens.is_empty() {
                vec![]
            } else {
                vec![Clause { fields, tokens, phrase }]
            };
        }
        let mut clauses: Vec<Clause> = Vec::new();
        for token in tokens {
            match clauses.last_mut() {
                Some(last) if token.kind != Kind::Whole && !last.tokens.is_empty() => {
                    last.tokens.push(token);
                }
                _ => {
                    let fields = fields.to_vec();
                    clauses.push(Clause { fields, tokens: vec![token], phrase });
                }
            }
        }
        clauses
    }

    /// The forms that stand for all of it, and its parts.
    pub fn whole(&self) -> impl Iterator<Item = &str> {
        let whole = self.tokens.iter().take_while(|token| token.kind != Kind::Part);
        whole.filter(|token| token.span == self.span() || self.phrase).map(|t| t.text.as_str())
    }

    /// Its parts in order: all of them together stand for it too.
    pub fn parts(&self) -> Vec<&str> {
        let mut parts: Vec<(usize, &str)> = Vec::new();
        for token in &self.tokens {
            match parts.last_mut() {
                // The part is told after the forms that begin where it does.
                Some((at, text)) if *at == token.position => {
                    if token.kind == Kind::Part {
                        *text = &token.text;
                    }
                }
                _ => parts.push((token.position, &token.text)),
            }
        }
        parts.into_iter().map(|(_, text)| text).collect()
    }

    /// Whether its words must stand side by side.
    pub fn is_phrase(&self) -> bool {
        self.phrase
    }

    fn span(&self) -> std::ops::Range<usize> {
        self.tokens.first().map_or(0..0, |token| token.span.clone())
    }

    fn query(&self, index: &SearchIndex) -> Box<dyn Query> {
        let fields: &[Field] = if self.fields.is_empty() { &Field::ALL } else { &self.fields };
        let fields = fields.iter().map(|&field| -> Box<dyn Query> {
            Box::new(BoostQuery::new(self.in_field(index, field), field.weight()))
        });
        Box::new(DisjunctionMaxQuery::with_tie_breaker(fields.collect(), FURTHER))
    }

    fn in_field(&self, index: &SearchIndex, field: Field) -> Box<dyn Query> {
        let term = |text: &str| Term::from_field_text(index.fields.of(field), text);
        let one = |text: &str| -> Box<dyn Query> {
            Box::new(TermQuery::new(term(text), IndexRecordOption::WithFreqs))
        };
        let parts = self.parts();
        let together: Box<dyn Query> = match &parts[..] {
            [part] => one(part),
            parts if self.phrase => {
                Box::new(PhraseQuery::new(parts.iter().map(|part| term(part)).collect()))
            }
            parts => Box::new(BooleanQuery::intersection(parts.iter().map(|p| one(p)).collect())),
        };
        match self.whole().next() {
            Some(whole) if !self.phrase => {
                let whole = Box::new(BoostQuery::new(one(whole), WHOLE));
                Box::new(DisjunctionMaxQuery::new(vec![whole, together]))
            }
            _ => together,
        }
    }
}

/// A commit that was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Found {
    /// Its row.
    pub commit: CommitId,
    /// How well it fits; comparable within one answer only.
    pub score: f32,
}

impl SearchIndex {
    /// The commits that fit best, and how many do: with `every`, those that meet all the
    /// clauses, else those that meet any. `keep` says which rows count.
    ///
    /// # Errors
    /// Where the index's files are damaged.
    pub fn find(
        &self,
        clauses: &[Clause],
        every: bool,
        limit: usize,
        keep: impl Fn(CommitId) -> bool + Clone + Send + Sync + 'static,
    ) -> Result<(Vec<Found>, usize), TantivyError> {
        if clauses.is_empty() || limit == 0 {
            return Ok((Vec::new(), 0));
        }
        let occur = if every { Occur::Must } else { Occur::Should };
        let query = BooleanQuery::new(clauses.iter().map(|c| (occur, c.query(self))).collect());
        let keep = move |row: u64| i64::try_from(row).is_ok_and(|row| keep(CommitId(row)));
        let collector = (TopDocs::with_limit(limit).order_by_score(), Count);
        let collector = FilterCollector::new(COMMIT.to_owned(), keep, collector);
        let searcher = self.reader.searcher();
        let (top, count) = searcher.search(&query, &collector)?;
        let mut found = Vec::with_capacity(top.len());
        for (score, address) in top {
            let segment = searcher.segment_reader(address.segment_ord);
            let rows = segment.fast_fields().u64(COMMIT)?;
            let Some(row) = rows.first(address.doc_id) else { continue };
            found.push(Found { commit: CommitId(i64::try_from(row).unwrap_or(0)), score });
        }
        Ok((found, count))
    }
}
