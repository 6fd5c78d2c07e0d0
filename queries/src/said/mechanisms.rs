//! Statements about how things work, checked in the tree of a version: an old truth may
//! have ended.

use headwater_store::evidence::{Evidence, Grade};
use headwater_store::upstream::Upstreams;
use headwater_store::{Oid, Store, StoredCommit};
use schemars::JsonSchema;
use serde::Serialize;

use super::rules::{Mechanism, SaidRules};
use crate::QueryError;
use crate::grep::{self, Filter, GrepRequest, Within};

/// A version in whose tree statements are checked.
#[derive(Debug, Clone)]
pub(crate) struct At {
    pub(crate) upstream: String,
    pub(crate) name: String,
    pub(crate) commit: StoredCommit,
}

/// A statement about how things work, and whether it is so at a version.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Checked {
    /// The rule's name.
    pub mechanism: String,
    /// What is said, in our words.
    pub claim: String,
    /// The sentence that says it: a stranger's text.
    #[serde(skip)]
    pub sentence: String,
    /// Whether it is so at the version; `None` where the tree cannot tell.
    pub holds: Option<bool>,
    /// The version.
    pub at: String,
    /// The answer in words.
    pub told: String,
    /// The line that shows it.
    pub evidence: Vec<Evidence>,
    /// The commit that ended it, where it is stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_by: Option<Oid>,
    /// How well the check is supported.
    pub grade: Grade,
}

/// Checks sentences against versions.
pub(crate) struct Checker<'a> {
    store: &'a Store,
    upstreams: &'a Upstreams,
    rules: &'a SaidRules,
    at: Vec<At>,
    jobs: usize,
}

impl<'a> Checker<'a> {
    pub(crate) fn new(
        store: &'a Store,
        upstreams: &'a Upstreams,
        rules: &'a SaidRules,
        at: Vec<At>,
        jobs: usize,
    ) -> Self {
        Checker { store, upstreams, rules, at, jobs }
    }

    /// What a sentence says of how things work, each statement checked.
    pub(crate) fn check(&self, sentence: &str) -> Result<Vec<Checked>, QueryError> {
        let said = self.rules.mechanisms.iter().filter(|one| one.says.is_match(sentence));
        let mut out = Vec::new();
        for mechanism in said {
            for at in self.at.iter().filter(|at| at.upstream == mechanism.upstream) {
                out.push(self.one(mechanism, at, sentence)?);
            }
        }
        Ok(out)
    }

    fn one(&self, mechanism: &Mechanism, at: &At, sentence: &str) -> Result<Checked, QueryError> {
        let mut objects = self.store.objects(&at.upstream)?.reader();
        let tree = at.commit.commit().tree;
        let entry = objects.entry(tree, &mechanism.path)?;
        let text = match &entry {
            Some(entry) => objects.blob(entry.oid)?,
            None => None,
        };
        let place = format!("{} {}", at.upstream, at.name);
        let line = text.as_deref().map(String::from_utf8_lossy).and_then(|text| {
            let found = mechanism.ended.find(&text)?;
            let number = text.get(..found.start())?.matches('\n').count() + 1;
            let line = text.lines().nth(number - 1)?.to_owned();
            Some((u32::try_from(number).unwrap_or(u32::MAX), line))
        });
        let mut checked = Checked {
            mechanism: mechanism.id.clone(),
            claim: mechanism.claim.clone(),
            sentence: sentence.to_owned(),
            holds: None,
            at: place.clone(),
            told: String::new(),
            evidence: Vec::new(),
            ended_by: None,
            grade: Grade::Rule,
        };
        match (text.is_some(), line) {
            (_, Some((number, line))) => {
                let by = self.ended_by(mechanism)?;
                checked.holds = Some(false);
                checked.told = match &by {
                    Some((oid, tag)) => format!(
                        "had ended before {place}: {}{}",
                        oid.short(),
                        tag.as_ref().map(|tag| format!(", first in {tag}")).unwrap_or_default()
                    ),
                    None => format!("has ended at {place} ({}:{number})", mechanism.path),
                };
                checked.ended_by = by.map(|(oid, _)| oid);
                let evidence = at.commit.evidence_line(&mechanism.path, None, number, &line);
                checked.evidence.push(evidence);
            }
            (true, None) => {
                checked.holds = Some(true);
                checked.told =
                    format!("nothing in {} at {place} says that it has ended", mechanism.path);
                checked.evidence.push(at.commit.evidence_at(&mechanism.path));
                checked.grade = Grade::AbsentRule;
            }
            (false, None) => {
                checked.told = format!("not checked: {} of {place} is not stored", mechanism.path);
                checked.grade = Grade::AbsentPartial;
            }
        }
        Ok(checked)
    }

    /// The commit that brought what shows the end, and its first tag.
    fn ended_by(&self, mechanism: &Mechanism) -> Result<Option<(Oid, Option<String>)>, QueryError> {
        let upstream = self.upstreams.get(&mechanism.upstream)?;
        let id = self.store.upstream(&upstream.name)?;
        let request = GrepRequest {
            patterns: vec![mechanism.ended.as_str().to_owned()],
            options: Default::default(),
            upstreams: vec![upstream],
            filter: Filter { paths: vec![mechanism.path.clone()], ..Filter::default() },
            within: Within::Added,
            occurrences: false,
            context: 0,
            most: None,
            detail: grep::Detail::Count,
            jobs: self.jobs,
        };
        let found = grep::commits(self.store, &request)?;
        let mut all: Vec<StoredCommit> = Vec::new();
        for oid in found.commits {
            all.extend(self.store.commit(id, oid)?);
        }
        let Some(first) = all.iter().min_by_key(|commit| commit.commit().committed) else {
            return Ok(None);
        };
        let place = self.store.place(first.id())?;
        Ok(Some((first.commit().oid, place.and_then(|place| place.first_tag))))
    }
}
