//! Statements by exact search and by words.

use chrono::{DateTime, Utc};
use headwater_store::evidence::{Basis, Grade};
use headwater_store::exact::Pattern;
use headwater_store::upstream::Upstream;
use headwater_store::{Oid, Statement, StatementKind, Store};
use schemars::JsonSchema;
use serde::Serialize;

use super::text;
use crate::QueryError;
use crate::window::tag_names;

/// A line of release notes that matches.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct NoteMatch {
    /// The upstream.
    pub upstream: String,
    /// The commit of the release's tag, where that is stored.
    pub sha: Option<Oid>,
    /// The release's tag.
    pub tag: String,
    /// Its page.
    pub url: String,
    /// When it came out.
    pub date: Option<DateTime<Utc>>,
    /// The line's number in the notes as they came.
    pub line: u32,
    /// The line: a stranger's text.
    pub text: String,
}

/// What of an upstream's release notes was searched.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct NotesCoverage {
    /// The upstream.
    pub upstream: String,
    /// Releases whose notes are stored.
    pub releases: usize,
    /// Tags whose releases people write notes for.
    pub tags: usize,
    /// Of these, the ones without stored notes.
    pub lacking: usize,
    /// When all releases were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub as_of: Option<DateTime<Utc>>,
    /// Why not everything is stored, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// How well what was found, or not found, is supported.
    pub grade: Grade,
    /// The command that asks for all notes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fill: Option<String>,
}

/// Lines of release notes that match a pattern, the newest release first, and what was
/// searched. `tags` narrows it to some releases.
///
/// # Errors
/// Those of the store.
pub fn grep_notes(
    store: &Store,
    upstreams: &[&Upstream],
    pattern: &Pattern,
    wanted: &dyn Fn(&Upstream, &str) -> bool,
) -> Result<(Vec<NoteMatch>, Vec<NotesCoverage>), QueryError> {
    let (mut matches, mut coverage) = (Vec::new(), Vec::new());
    for upstream in upstreams {
        let id = store.upstream(&upstream.name)?;
        let mut seen: Vec<Statement> = Vec::new();
        for one in store.statements(id, StatementKind::Release)? {
            // One text a release: the host's own before the feed's rendering.
            match seen.iter_mut().find(|known| known.said.key == one.said.key) {
                Some(known) if known.transport == "feed" => *known = one,
                Some(_) => {}
                None => seen.push(one),
            }
        }
        seen.retain(|one| wanted(upstream, &one.said.key));
        seen.sort_by_key(|one| std::cmp::Reverse(one.said.published));
        let before = matches.len();
        for one in &seen {
            let tag = store.tag(id, &one.said.key)?;
            let lines = (1..).zip(one.said.body.lines());
            for (line, text) in lines.filter(|(_, text)| pattern.matches(text.as_bytes())) {
                matches.push(NoteMatch {
                    upstream: upstream.name.clone(),
                    sha: tag.as_ref().map(|tag| tag.commit),
                    tag: one.said.key.clone(),
                    url: one.said.url.clone(),
                    date: one.said.published,
                    line,
                    text: text.to_owned(),
                });
            }
        }
        let noted = super::noted(upstream)?;
        let mut tags = tag_names(store, upstream)?;
        tags.retain(|tag| noted.is_match(tag) && wanted(upstream, tag));
        let lacks = |tag: &&String| !seen.iter().any(|one| one.said.key == **tag);
        let lacking = tags.iter().filter(lacks).count();
        let look = store.look(id, StatementKind::Release, "all")?;
        let whole =
            look.as_ref().is_some_and(|look| look.complete) || (lacking == 0 && !tags.is_empty());
        coverage.push(NotesCoverage {
            upstream: upstream.name.clone(),
            releases: seen.len(),
            tags: tags.len(),
            lacking,
            as_of: look.as_ref().map(|look| look.observed),
            why: look.and_then(|look| look.detail),
            grade: match (matches.len() > before, whole) {
                (true, _) => Basis::Published.grade(),
                (false, true) => Basis::NotFound.grade(),
                (false, false) => Basis::Lacking.grade(),
            },
            fill: (!whole).then(|| format!("headwater crawl {} --notes", upstream.name)),
        });
    }
    Ok((matches, coverage))
}

/// A statement that holds the words of a search.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct StatementHit {
    /// The upstream.
    pub upstream: String,
    /// What kind of text it is.
    pub kind: StatementKind,
    /// The tag, the number, the advisory's id.
    pub key: String,
    /// Its title: a stranger's text.
    pub title: String,
    /// Its page.
    pub url: String,
    /// When it was opened or came out.
    pub date: Option<DateTime<Utc>>,
    /// The line that holds most of the words.
    pub line: String,
    /// Whose words they are.
    pub grade: Grade,
}

/// The statements of an upstream that hold all of these words, best first.
///
/// # Errors
/// Those of the store.
pub fn search_statements(
    store: &Store,
    upstream: &Upstream,
    words: &[&str],
    limit: usize,
) -> Result<Vec<StatementHit>, QueryError> {
    let id = store.upstream(&upstream.name)?;
    let mut out: Vec<StatementHit> = Vec::new();
    for one in store.search_statements(id, words, limit.saturating_mul(2))? {
        let known = out.iter().any(|hit| hit.kind == one.said.kind && hit.key == one.said.key);
        if known || out.len() >= limit {
            continue;
        }
        let held = |line: &str| {
            let line = line.to_lowercase();
            words.iter().filter(|word| line.contains(&word.to_lowercase())).count()
        };
        let lines = text::lines(&one.said);
        // Of lines that hold as many, the first.
        let line = lines.iter().rev().max_by_key(|line| held(&line.text));
        out.push(StatementHit {
            upstream: upstream.name.clone(),
            kind: one.said.kind,
            key: one.said.key.clone(),
            title: one.said.title.clone(),
            url: one.said.url.clone(),
            date: one.said.opened.or(one.said.published),
            line: line.map_or_else(String::new, |line| line.text.clone()),
            grade: one.grade(false),
        });
    }
    Ok(out)
}
