//! Cases out of a file, with their windows out of a store.

use std::collections::{HashMap, HashSet};

use headwater_store::graph::CommitGraph;
use headwater_store::upstream::Upstreams;
use headwater_store::{Oid, Store, StoredCommit, UpstreamId};
use serde::Deserialize;

use crate::QueryError;
use crate::rank::stored;
use crate::rank::{CommitFeatures, CorpusStats, Facets, Later, Query, QuestionReader, Weights};
use crate::window::Resolver;

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

/// A case: a question, its window, and what the answer was found to be.
pub struct Case {
    /// Its name in the file.
    pub id: String,
    /// The kind of trouble.
    pub kind: String,
    /// Cases of one culprit are one group.
    pub culprit: String,
    /// Any of these is the answer.
    pub answers: HashSet<Oid>,
    /// The question.
    pub query: Query,
    /// The commits of the window.
    pub commits: Vec<CommitFeatures>,
    /// Their subjects.
    pub subjects: HashMap<Oid, String>,
    /// What later commits say of them, in the same order.
    pub later: Vec<Vec<Later>>,
    /// How rare the question's words are.
    pub corpus: CorpusStats,
}

/// Loads cases.
pub struct CaseLoader<'a> {
    store: &'a Store,
    upstreams: &'a Upstreams,
    facets: &'a Facets,
    reader: QuestionReader<'a>,
    weights: Weights,
    graphs: HashMap<UpstreamId, CommitGraph>,
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
        facets: &'a Facets,
    ) -> Result<Self, QueryError> {
        Ok(CaseLoader {
            store,
            upstreams,
            facets,
            reader: QuestionReader::new(facets)?,
            weights: Weights::shipped()?,
            graphs: HashMap::new(),
        })
    }

    /// The case with its window.
    ///
    /// # Errors
    /// Where an end of the window is not in the store.
    pub fn load(&mut self, raw: &RawCase) -> Result<Case, QueryError> {
        let line = &raw.0;
        let upstream = self.upstreams.get(&line.repo)?;
        let id = self.store.upstream(&upstream.name)?;
        let resolver = Resolver::new(self.store, upstream)?;
        let base = resolver.resolve(line.good_sha.as_deref().unwrap_or(&line.good))?.commit;
        let head = resolver.resolve(line.bad_sha.as_deref().unwrap_or(&line.bad))?.commit;
        let graph = match self.graphs.entry(id) {
            std::collections::hash_map::Entry::Occupied(entry) => entry.into_mut(),
            std::collections::hash_map::Entry::Vacant(entry) => entry.insert(self.store.graph(id)?),
        };
        let node = |oid: Oid| {
            graph.node(oid).ok_or_else(|| QueryError::NotStored {
                upstream: upstream.name.clone(),
                what: oid.to_string(),
                scope: String::new(),
            })
        };
        let head_node = node(head.commit().oid)?;
        let between = graph.between(node(base.commit().oid)?, head_node);
        let known = graph.reachable([head_node]);
        let ids: Vec<_> = between.into_iter().map(|node| graph.id(node)).collect();
        let commits: Vec<StoredCommit> = self.store.commits(id, &ids)?;
        let features = stored::features(self.store, self.facets, &commits)?;
        let after =
            |by: &StoredCommit| graph.node(by.commit().oid).is_some_and(|n| !known.contains(n));
        let place = |_: &StoredCommit| String::new();
        let later = features
            .iter()
            .map(|commit| stored::later(self.store, id, commit, after, place))
            .collect::<Result<_, _>>()?;
        let via = line.via_pin.iter().flat_map(|via| [&via.culprit, &via.bump]).flatten();
        let answers = std::iter::once(&line.culprit).chain(via).filter_map(|o| o.parse().ok());
        let backend = line.context.backend.clone().filter(|name| name != "unknown");
        let query = Query { symptom: line.symptom.clone(), backend, model: None };
        let question = self.reader.read(&query, &self.weights);
        Ok(Case {
            id: line.id.clone(),
            kind: line.kind.clone(),
            culprit: line.culprit.clone(),
            answers: answers.collect(),
            corpus: stored::corpus(self.store, id, &question)?,
            query,
            subjects: commits
                .iter()
                .map(|c| (c.commit().oid, c.commit().subject().to_owned()))
                .collect(),
            commits: features,
            later,
        })
    }
}
