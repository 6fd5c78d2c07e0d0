//! What a commit does to the headers that other people's parts are built against, told as
//! exactly what happened; and whether the version that a loader compares moved with it.

mod header;

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use globset::{Glob, GlobSet, GlobSetBuilder};
use headwater_store::evidence::{Evidence, Grade};
use headwater_store::objects::ObjectReader;
use headwater_store::upstream::Upstream;
use headwater_store::{Oid, Store, StoredPatch};
use regex::Regex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::QueryError;
pub use header::Kinds;
use header::{Declared, Key};

const FILE: &str = include_str!("../../rules/abi.toml");

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rules {
    headers: Vec<Headers>,
    carried: Vec<Carried>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Headers {
    upstream: String,
    paths: Vec<String>,
    version_files: Vec<String>,
    version_for: Vec<String>,
    version: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Carried {
    upstream: String,
    paths: Vec<String>,
}

/// A commit that changes public headers.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct AbiCommit {
    /// The upstream.
    pub upstream: String,
    /// The commit.
    pub sha: Oid,
    /// Its subject: a stranger's text.
    pub subject: String,
    /// When it was committed.
    pub date: DateTime<Utc>,
    /// What happened, in a sentence.
    pub says: String,
    /// Each declaration that came, went or is another.
    pub changes: Vec<AbiChange>,
    /// The version that a loader compares, before and after; none where it does not speak
    /// for these headers.
    pub version: Option<AbiVersion>,
    /// How well it is supported.
    pub grade: Grade,
}

/// One declaration.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct AbiChange {
    /// What is declared.
    pub kind: Kinds,
    /// The struct or enum that it is part of.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub owner: String,
    /// Its name.
    pub name: String,
    /// What it was; none where it is new.
    pub old: Option<String>,
    /// What it is; none where it has gone.
    pub new: Option<String>,
    /// Whether members behind it stand elsewhere now.
    pub shifts: bool,
    /// The line that shows it.
    pub evidence: Evidence,
}

/// The version that a loader compares.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct AbiVersion {
    /// Its name.
    pub name: String,
    /// Before the commit.
    pub before: Option<String>,
    /// After it.
    pub after: Option<String>,
}

/// Reads the headers of one upstream's commits.
pub struct AbiReader<'a> {
    upstream: &'a Upstream,
    objects: ObjectReader,
    headers: GlobSet,
    version_files: Vec<String>,
    version_for: GlobSet,
    version: Regex,
}

impl<'a> AbiReader<'a> {
    /// A reader, where a rule says which headers are public.
    ///
    /// # Errors
    /// Those of the store.
    pub fn new(store: &Store, upstream: &'a Upstream) -> Result<Option<Self>, QueryError> {
        let rules = rules()?;
        let Some(rule) = rules.headers.into_iter().find(|r| r.upstream == upstream.name) else {
            return Ok(None);
        };
        Ok(Some(AbiReader {
            upstream,
            objects: store.objects(&upstream.name)?.reader(),
            headers: globs(&rule.paths)?,
            version_files: rule.version_files,
            version_for: globs(&rule.version_for)?,
            version: Regex::new(&rule.version).map_err(|e| bad(&e))?,
        }))
    }

    /// What a commit does to public headers; nothing where it touches none, or only their
    /// comments and layout.
    ///
    /// # Errors
    /// Those of the store.
    pub fn read(&mut self, patch: &StoredPatch) -> Result<Option<AbiCommit>, QueryError> {
        let files: Vec<_> =
            patch.patch().files.iter().filter(|f| self.headers.is_match(&f.path)).collect();
        if files.is_empty() || patch.stored().commit().is_merge() {
            return Ok(None);
        }
        let (mut before, mut after) = (BTreeMap::new(), BTreeMap::new());
        for file in files {
            // A header that is missing from the clone tells nothing.
            let (Some(old), Some(new)) = (self.text(file.old_blob)?, self.text(file.new_blob)?)
            else {
                continue;
            };
            before.extend(placed(&old, file.path_before()));
            after.extend(placed(&new, &file.path));
        }
        let changes = changes(patch, &before, &after);
        if changes.is_empty() {
            return Ok(None);
        }
        let commit = patch.stored().commit();
        let parent = commit.parents.first().copied();
        let spoken_for = changes.iter().filter_map(|change| change.evidence.path());
        let version = match spoken_for.into_iter().any(|path| self.version_for.is_match(path)) {
            true => self.version_of(parent, commit.tree)?,
            false => None,
        };
        Ok(Some(AbiCommit {
            upstream: self.upstream.name.clone(),
            sha: commit.oid,
            subject: commit.subject().to_owned(),
            date: commit.committed,
            says: says(&changes, version.as_ref()),
            changes,
            version,
            grade: Grade::Rule,
        }))
    }

    fn text(&mut self, blob: Oid) -> Result<Option<String>, QueryError> {
        if blob.is_zero() {
            return Ok(Some(String::new()));
        }
        let bytes = self.objects.blob(blob)?;
        Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
    }

    fn version_of(
        &mut self,
        parent: Option<Oid>,
        tree: Oid,
    ) -> Result<Option<AbiVersion>, QueryError> {
        let mut old_tree = None;
        if let Some(parent) = parent
            && let Some((_, data)) = self.objects.object(parent)?
        {
            let line = data.split(|b| *b == b'\n').next().unwrap_or_default();
            old_tree = line.strip_prefix(b"tree ").and_then(Oid::from_hex);
        }
        let before = match old_tree {
            Some(tree) => self.version_in(tree)?,
            None => None,
        };
        let after = self.version_in(tree)?;
        let name = after.as_ref().or(before.as_ref()).map(|(name, _)| name.clone());
        Ok(name.map(|name| AbiVersion {
            name,
            before: before.map(|(_, value)| value),
            after: after.map(|(_, value)| value),
        }))
    }

    fn version_in(&mut self, tree: Oid) -> Result<Option<(String, String)>, QueryError> {
        for path in &self.version_files {
            let Some(bytes) = self.objects.file(tree, path)? else { continue };
            let text = String::from_utf8_lossy(&bytes);
            if let Some(found) = self.version.captures(&text) {
                let of = |group: &str| found.name(group).map_or("", |m| m.as_str()).to_owned();
                return Ok(Some((of("name"), of("value"))));
            }
        }
        Ok(None)
    }
}

/// The paths of patches and shims that an upstream lays over what it pins.
pub(crate) fn carried(upstream: &Upstream) -> Result<Option<GlobSet>, QueryError> {
    let rule = rules()?.carried.into_iter().find(|rule| rule.upstream == upstream.name);
    rule.map(|rule| globs(&rule.paths)).transpose()
}

/// What is read of an upstream's trees: the globs of its public headers and of what it
/// lays over its pin, and the files that state a version.
pub(crate) fn reads(upstream: &Upstream) -> Result<(Vec<GlobSet>, Vec<String>), QueryError> {
    let mut sets = Vec::new();
    let mut versions = Vec::new();
    if let Some(rule) = rules()?.headers.into_iter().find(|r| r.upstream == upstream.name) {
        sets.push(globs(&rule.paths)?);
        versions = rule.version_files;
    }
    sets.extend(carried(upstream)?);
    Ok((sets, versions))
}

fn rules() -> Result<Rules, QueryError> {
    toml::from_str(FILE).map_err(|e| bad(&e))
}

fn bad(why: &dyn std::fmt::Display) -> QueryError {
    QueryError::Rules { file: "abi.toml".to_owned(), why: why.to_string() }
}

fn globs(paths: &[String]) -> Result<GlobSet, QueryError> {
    let mut set = GlobSetBuilder::new();
    for path in paths {
        set.add(Glob::new(path).map_err(|e| bad(&e))?);
    }
    set.build().map_err(|e| bad(&e))
}

type Placed = BTreeMap<Key, (Declared, String)>;

fn placed(text: &str, path: &str) -> Placed {
    let all = header::declared(text).into_iter();
    all.map(|(key, declared)| (key, (declared, path.to_owned()))).collect()
}

fn changes(patch: &StoredPatch, before: &Placed, after: &Placed) -> Vec<AbiChange> {
    let mut out = Vec::new();
    let stored = patch.stored();
    let change = |key: &Key, old: Option<&(Declared, String)>, new: Option<&(Declared, String)>| {
        let (declared, path) = new.or(old)?;
        let side = if new.is_some() {
            headwater_store::model::Side::Added
        } else {
            headwater_store::model::Side::Removed
        };
        let evidence = stored.evidence_line(path, Some(side), declared.line, &declared.text);
        Some(AbiChange {
            kind: key.0,
            owner: key.1.clone(),
            name: key.2.clone(),
            old: old.map(|(d, _)| d.text.clone()),
            new: new.map(|(d, _)| d.text.clone()),
            shifts: key.0 == Kinds::Field && shifts(key, old.or(new), before, after),
            evidence,
        })
    };
    for (key, new) in after {
        let old = before.get(key);
        if old.is_none_or(|(old, _)| old.text != new.0.text) {
            out.extend(change(key, old, Some(new)));
        }
    }
    for (key, old) in before.iter().filter(|(key, _)| !after.contains_key(*key)) {
        out.extend(change(key, Some(old), None));
    }
    out.sort_by(|a, b| {
        (a.evidence.path(), a.evidence.line()).cmp(&(b.evidence.path(), b.evidence.line()))
    });
    out
}

/// Whether a sibling that was there before and is still there has another place.
fn shifts(key: &Key, one: Option<&(Declared, String)>, before: &Placed, after: &Placed) -> bool {
    let Some((one, _)) = one else { return false };
    before.iter().any(|(other, (old, _))| {
        let sibling = other.0 == key.0 && other.1 == key.1 && other.2 != key.2;
        sibling
            && old.place >= one.place
            && after.get(other).is_some_and(|(new, _)| new.place != old.place)
    })
}

/// What happened, in a sentence.
fn says(changes: &[AbiChange], version: Option<&AbiVersion>) -> String {
    let mut parts: Vec<String> = Vec::new();
    for change in changes {
        let what = match change.kind {
            Kinds::Field => format!("field {} of struct {}", change.name, change.owner),
            Kinds::Constant => format!("constant {} of enum {}", change.name, change.owner),
            Kinds::Function => format!("function {}", change.name),
            Kinds::Macro => format!("macro {}", change.name),
            Kinds::Type => format!("type {}", change.name),
        };
        let verb = match (&change.old, &change.new) {
            (None, _) => "adds",
            (_, None) => "removes",
            _ => "changes",
        };
        let shifts = if change.shifts { " (members behind it move)" } else { "" };
        let path = change.evidence.path().unwrap_or_default();
        parts.push(format!("{verb} {what}{shifts} in {path}"));
    }
    let left = parts.len().saturating_sub(4);
    parts.truncate(4);
    if left > 0 {
        parts.push(format!("and {left} more"));
    }
    let version = match version {
        Some(AbiVersion { name, before: Some(a), after: Some(b) }) if a == b => {
            format!("; {name} stays {b}, so a loader that compares it does not see this")
        }
        Some(AbiVersion { name, before: Some(a), after: Some(b) }) => {
            format!("; {name} goes {a} → {b}, so a loader refuses what was built before")
        }
        _ => String::new(),
    };
    format!("{}{version}", parts.join(", "))
}
