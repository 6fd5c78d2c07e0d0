//! Cases out of a file, with their windows out of a store.

use std::collections::{HashMap, HashSet};

use headwater_store::upstream::Upstreams;
use headwater_store::{Oid, Store};
use serde::Deserialize;

use super::super::gather::Windows;
use super::super::known::OfModel;
use super::super::lineage::Lineage;
use super::super::meets::Meets;
use super::super::prepared::{Prepared, query_of};
use super::super::score::{Scored, Scoring};
use super::super::{AsOf, Rules, WhyQuestion};
use crate::QueryError;
use crate::rank::{QuestionReader, Weights};
use crate::window::WindowSpec;

/// One line of a file of cases.
#[derive(Debug, Clone, Deserialize)]
struct Line {
    id: String,
    repo: String,
    kind: String,
    good: String,
    bad: String,
    good_sha: Option<String>,
    bad_sha: Option<String>,
    culprit: String,
    symptom: String,
    #[serde(default)]
    context: Context,
    via_pin: Option<ViaPin>,
}

#[derive(Debug, Clone, Default, Deserialize)]
struct Context {
    backend: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
struct ViaPin {
    culprit: Option<String>,
    bump: Option<String>,
}

/// A case: a question with its windows, and what the answer was found to be.
pub struct Case {
    /// Its name in the file.
    pub id: String,
    /// The kind of trouble.
    pub kind: String,
    /// Cases of one culprit are one group.
    pub culprit: String,
    /// What was seen.
    pub symptom: String,
    /// Any of these is the answer.
    pub answers: HashSet<Oid>,
    /// The subjects of the windows' commits.
    pub subjects: HashMap<Oid, String>,
    /// The windows, ready to be scored.
    pub(super) prepared: Prepared,
}

impl Case {
    /// Where the answer stands, from 1.
    pub(super) fn rank(&self, scoring: &Scoring) -> Option<usize> {
        let entries = &self.prepared.entries;
        let is_answer = |commit: &Scored| {
            entries.get(commit.entry).is_some_and(|e| self.answers.contains(&e.features.oid))
        };
        scoring.commits.iter().position(is_answer).map(|at| at + 1)
    }
}

/// Loads cases.
pub struct CaseLoader<'a> {
    store: &'a Store,
    upstreams: &'a Upstreams,
    rules: &'a Rules,
    jobs: usize,
    reader: QuestionReader<'a>,
    weights: Weights,
}

/// The lines of a file of cases, one JSON document each.
///
/// # Errors
/// Where a line is not of the expected shape.
pub fn parse_cases(text: &str) -> Result<Vec<RawCase>, QueryError> {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines
        .map(|line| {
            serde_json::from_str(line).map(RawCase).map_err(|error| QueryError::Rules {
                file: "the cases".to_owned(),
                why: error.to_string(),
            })
        })
        .collect()
}

/// A case whose window was not looked up yet.
pub struct RawCase(Line);

impl<'a> CaseLoader<'a> {
    /// A loader for this store.
    ///
    /// # Errors
    /// Where a shipped data file is not valid.
    pub fn new(
        store: &'a Store,
        upstreams: &'a Upstreams,
        rules: &'a Rules,
        jobs: usize,
    ) -> Result<Self, QueryError> {
        let reader = QuestionReader::new(&rules.facets)?;
        let weights = Weights::shipped()?.every_word();
        Ok(CaseLoader { store, upstreams, rules, jobs, reader, weights })
    }

    /// The case with its windows, as `why` has them.
    ///
    /// # Errors
    /// Where an end of the window is not in the store.
    pub fn load(&mut self, raw: &RawCase) -> Result<Case, QueryError> {
        let line = &raw.0;
        let upstream = self.upstreams.get(&line.repo)?;
        let end = |sha: &Option<String>, name: &String| sha.clone().unwrap_or_else(|| name.clone());
        let window = WindowSpec {
            base: end(&line.good_sha, &line.good),
            head: end(&line.bad_sha, &line.bad),
        };
        let question = WhyQuestion {
            upstream: upstream.name.clone(),
            window,
            symptom: Some(line.symptom.clone()),
            backend: line.context.backend.clone().filter(|name| name != "unknown"),
            model: None,
            phase: None,
            kind: None,
            installed: None,
            as_of: AsOf::Now,
            jobs: self.jobs,
        };
        let windows = Windows::collect(
            self.store,
            self.upstreams,
            upstream,
            &question.window,
            None,
            self.jobs,
        )?;
        let lineage = Lineage::asked(&question, None)?;
        let meets = Meets::asked(&question, lineage.as_ref(), self.rules)?;
        let model = OfModel { stored: None, lineage: lineage.as_ref(), meets: &meets };
        let (_, all) = windows.know(self.store, self.rules, &question, model)?;
        let asked = self.reader.read(&query_of(&question), &self.weights)?;
        let prepared =
            Prepared::of(self.store, self.rules, &question, &asked, &windows.nested, &all)?;
        let known = all.iter().flat_map(|(_, known)| known);
        let commits = known.map(|known| known.patch.stored().commit());
        let via = line.via_pin.iter().flat_map(|via| [&via.culprit, &via.bump]).flatten();
        let answers = std::iter::once(&line.culprit).chain(via).filter_map(|o| o.parse().ok());
        Ok(Case {
            id: line.id.clone(),
            kind: line.kind.clone(),
            culprit: line.culprit.clone(),
            symptom: line.symptom.clone(),
            answers: answers.collect(),
            subjects: commits.map(|c| (c.oid, c.subject().to_owned())).collect(),
            prepared,
        })
    }
}
