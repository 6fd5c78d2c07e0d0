//! The release notes of a window: what their lines speak of, and which changes they name.

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use headwater_store::evidence::{Grade, Receipt};
use headwater_store::upstream::{Upstream, Version};
use headwater_store::{Oid, Statement, StatementKind, Store, UpstreamId};
use regex::Regex;
use schemars::JsonSchema;
use serde::Serialize;

use super::named::{Finder, Named};
use super::rules::NoteRules;
use super::text::{self, Line};
use crate::QueryError;

/// A line of release notes.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct NoteLine {
    /// Its text: a stranger's.
    pub text: String,
    /// What it speaks of: `speed`, `defaults`, `sampling`, `hardware`.
    pub about: Vec<String>,
    /// The window's changes that it names.
    pub names: Vec<Named>,
}

/// The range of commits that release notes say they are about.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct NoteRange {
    /// The excluded end.
    pub base: String,
    /// The included end.
    pub head: String,
    /// In which way it is not the range from the release before to this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub differs: Option<String>,
}

/// A release of a window and its notes.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ReleaseSaid {
    /// The upstream.
    pub upstream: String,
    /// The tag.
    pub tag: String,
    /// Its title: a stranger's text.
    pub title: String,
    /// Its page.
    pub url: String,
    /// `final` or `prerelease`.
    pub state: String,
    /// When the release came out.
    pub published: Option<DateTime<Utc>>,
    /// When the tagged commit was made.
    pub tagged: DateTime<Utc>,
    /// What the notes say they are about.
    pub range: Option<NoteRange>,
    /// Their lines, in order.
    pub lines: Vec<NoteLine>,
    /// Whether the releases feed says the same; `None` where it was not seen there.
    pub feed_agrees: Option<bool>,
    /// How many versions of the notes were seen.
    pub versions: u32,
    /// How well it is supported.
    pub grade: Grade,
    /// How it was obtained, each transport.
    pub receipts: Vec<Receipt>,
}

/// A tag of a window whose release has notes that people write.
#[derive(Debug, Clone)]
pub(crate) struct NotedTag {
    pub(crate) name: String,
    pub(crate) commit: Oid,
}

/// The tags at commits of a window whose releases people write notes for, in the order of
/// versions.
pub(crate) fn noted_tags(
    store: &Store,
    upstream: &Upstream,
    id: UpstreamId,
    commits: &HashSet<Oid>,
) -> Result<Vec<NotedTag>, QueryError> {
    let noted = noted(upstream)?;
    let mut tags: Vec<NotedTag> = store
        .tags(id)?
        .into_iter()
        .filter(|tag| commits.contains(&tag.commit) && noted.is_match(&tag.name))
        .map(|tag| NotedTag { name: tag.name, commit: tag.commit })
        .collect();
    tags.sort_by_cached_key(|tag| (Version::of(upstream, &tag.name), tag.name.clone()));
    Ok(tags)
}

/// Whether the host was asked for a tag's release and has none.
pub(crate) fn has_none(store: &Store, id: UpstreamId, tag: &str) -> Result<bool, QueryError> {
    let own = store.look(id, StatementKind::Release, &format!("tag:{tag}"))?;
    let all = store.look(id, StatementKind::Release, "all")?;
    let told = own.is_some() || all.is_some_and(|look| look.complete);
    let seen = || store.statement(id, StatementKind::Release, tag);
    Ok(told && seen()?.is_empty())
}

/// Finds the tags whose releases people write notes for.
pub(crate) fn noted(upstream: &Upstream) -> Result<Regex, QueryError> {
    let pattern = upstream.noted_tag.as_deref().unwrap_or(&upstream.final_tag);
    Regex::new(pattern).map_err(|error| QueryError::Pattern(error.to_string()))
}

/// What the release of a tag says; `None` where nothing of it is stored.
pub(crate) fn release(
    store: &Store,
    upstream: &Upstream,
    id: UpstreamId,
    tag: &NotedTag,
    rules: &NoteRules,
    finder: &Finder,
    until: Option<i64>,
) -> Result<Option<ReleaseSaid>, QueryError> {
    let seen = store.statement(id, StatementKind::Release, &tag.name)?;
    let known = |one: &&Statement| {
        until.is_none_or(|until| one.said.published.is_some_and(|at| at.timestamp() <= until))
    };
    let seen: Vec<&Statement> = seen.iter().filter(known).collect();
    let rest = seen.iter().find(|one| one.transport != "feed");
    let feed = seen.iter().find(|one| one.transport == "feed");
    let Some(first) = rest.or(feed) else { return Ok(None) };
    let lines = text::lines(&first.said);
    let feed_agrees = match (rest, feed) {
        (Some(_), Some(feed)) => Some(text::words(&text::lines(&feed.said)) == text::words(&lines)),
        _ => None,
    };
    let tagged = store.commit(id, tag.commit)?.map(|one| one.commit().committed);
    let receipts = seen.iter().map(|one| store.receipt(one.receipt)).collect::<Result<_, _>>()?;
    Ok(Some(ReleaseSaid {
        upstream: upstream.name.clone(),
        tag: tag.name.clone(),
        title: first.said.title.clone(),
        url: first.said.url.clone(),
        state: first.said.state.clone(),
        published: first.said.published,
        tagged: tagged.unwrap_or_default(),
        range: range(store, upstream, id, tag, &lines)?,
        lines: lines
            .iter()
            .filter(|line| !line.heading && !rules.is_ignored(&line.text))
            .map(|line| NoteLine {
                text: line.text.clone(),
                about: rules.topics(&line.text),
                names: finder.find(&upstream.name, &line.text, &line.links),
            })
            .collect(),
        feed_agrees,
        versions: first.versions,
        grade: first.grade(feed_agrees == Some(true)),
        receipts,
    }))
}

/// The range that notes name, and in which way it is not that of their tag.
fn range(
    store: &Store,
    upstream: &Upstream,
    id: UpstreamId,
    tag: &NotedTag,
    lines: &[Line],
) -> Result<Option<NoteRange>, QueryError> {
    let compare = Regex::new(r"(?:/compare/|^|\s)([\w./-]+?)\.\.\.([\w./-]+)")
        .map_err(|error| QueryError::Pattern(error.to_string()))?;
    let texts = lines.iter().rev().flat_map(|line| {
        line.links.iter().map(String::as_str).chain(std::iter::once(line.text.as_str()))
    });
    let Some(found) = texts.filter_map(|text| compare.captures(text)).next() else {
        return Ok(None);
    };
    let (base, head) = (found[1].to_owned(), found[2].trim_end_matches('.').to_owned());
    let before = before(store, upstream, id, &tag.name)?;
    let mut differs = Vec::new();
    if let Some(before) = before.filter(|before| *before != base) {
        differs.push(format!("they start at {base}, and the release before is {before}"));
    }
    if head != tag.name {
        differs.push(format!("they end at {head}"));
    }
    let differs = (!differs.is_empty()).then(|| differs.join("; "));
    Ok(Some(NoteRange { base, head, differs }))
}

/// The final release before a tag, by version.
fn before(
    store: &Store,
    upstream: &Upstream,
    id: UpstreamId,
    tag: &str,
) -> Result<Option<String>, QueryError> {
    let noted = noted(upstream)?;
    let Some(own) = Version::of(upstream, tag) else { return Ok(None) };
    let older = store.tags(id)?.into_iter().filter(|one| noted.is_match(&one.name));
    let older = older.filter_map(|one| Some((Version::of(upstream, &one.name)?, one.name)));
    Ok(older.filter(|(version, _)| *version < own).max().map(|(_, name)| name))
}
