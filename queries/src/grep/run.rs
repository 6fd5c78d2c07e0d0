//! Searching history.

use headwater_store::evidence::{Absence, Claim, Coverage, Grade, Method, Source};
use headwater_store::{Oid, Store, StoredCommit};

use super::answer::{CommitHits, GrepAnswer, ScopeCoverage};
use super::candidates::{Texts, candidates};
use super::explain::Explanation;
use super::merges::{self, Merged};
use super::messages;
use super::rederive::rederive;
use super::request::{Detail, GrepRequest, Within};
use super::scope::Commits;
use super::verify::{Check, Hits, map};
use crate::QueryError;

/// The commits that match, without their lines.
#[derive(Debug)]
pub struct Matching {
    /// The commits, by upstream.
    pub commits: Vec<Oid>,
    /// How many are of each upstream, and what was searched of it.
    pub coverage: Vec<(usize, ScopeCoverage)>,
    /// Commands that give the same answer.
    pub rederive: Vec<String>,
    /// How it was found.
    pub explanation: Vec<Explanation>,
}

/// The commits that match, and nothing more.
///
/// # Errors
/// Where a pattern or a filter is wrong, or the store fails.
pub fn commits(store: &Store, request: &GrepRequest<'_>) -> Result<Matching, QueryError> {
    let pattern = request.pattern()?;
    let check = Check::of(&GrepRequest { detail: Detail::Count, ..request.clone() }, &pattern)?;
    let mut matching = Matching {
        commits: Vec::new(),
        coverage: Vec::new(),
        rederive: rederive(request),
        explanation: Vec::new(),
    };
    for scope in Commits::each(store, &request.filter, &request.upstreams)? {
        let mut found: Vec<usize> = Vec::new();
        let mut merged = Merged::default();
        if request.within == Within::Message {
            let hits = messages::search(store, &scope, &check)?;
            found.extend(hits.into_iter().map(|(place, _)| place));
        } else {
            let filtered = check.globs.is_some();
            let first = check.index_suffices() && !filtered;
            let told = candidates(store, &scope, &pattern, request.jobs, first)?;
            let known = told.exact && check.index_suffices();
            if known && !filtered {
                found.extend(told.texts.iter().map(|texts| texts.commit));
            } else {
                let hits = map(store, &check, &told.texts, request.jobs, |reader, texts| {
                    reader.any(texts, known)
                })?;
                let hits = told.texts.iter().zip(hits).filter(|(_, hit)| *hit);
                found.extend(hits.map(|(texts, _)| texts.commit));
            }
            matching.explanation.push(told.explanation);
            if request.filter.merges {
                merged = merges::search(store, &scope, &check, request.jobs)?;
                found.extend(merged.found.iter().map(|(place, _)| *place));
            }
        }
        let first: Vec<_> = found.iter().take(1).map(|place| scope.list[*place].id).collect();
        let first = store.commits(scope.id, &first)?;
        let coverage = told(store, &scope, first.first(), &matching.rederive, &merged)?;
        matching.coverage.push((found.len(), coverage));
        matching.commits.extend(found.into_iter().map(|place| scope.list[place].oid));
    }
    Ok(matching)
}

/// The lines that match, with what was searched: all of them at once.
///
/// # Errors
/// Where a pattern or a filter is wrong, or the store fails.
pub fn grep(
    store: &Store,
    request: &GrepRequest<'_>,
) -> Result<(Vec<CommitHits>, GrepAnswer), QueryError> {
    let mut commits = Vec::new();
    let answer = grep_each(store, request, |hits| {
        commits.push(hits);
        Ok::<_, QueryError>(())
    })?;
    Ok((commits, answer))
}

/// Hands each commit that matches to `each` with its lines, newest first, an upstream
/// after the other, and tells at last what was searched.
///
/// # Errors
/// Where a pattern or a filter is wrong, or the store fails; and those of `each`.
pub fn grep_each<E: From<QueryError>>(
    store: &Store,
    request: &GrepRequest<'_>,
    mut each: impl FnMut(CommitHits) -> Result<(), E>,
) -> Result<GrepAnswer, E> {
    let pattern = request.pattern()?;
    let check = Check::of(request, &pattern)?;
    let rederive = rederive(request);
    let mut answer = GrepAnswer { coverage: Vec::new(), rederive, explanation: Vec::new() };
    for scope in Commits::each(store, &request.filter, &request.upstreams)? {
        let mut told_hits = Told { store, scope: &scope, found: 0, first: None };
        let date = |place: usize| std::cmp::Reverse(scope.list[place].committed);
        let mut merged = Merged::default();
        if request.within == Within::Message {
            let mut hits = messages::search(store, &scope, &check)?;
            hits.sort_by_key(|(place, _)| date(*place));
            told_hits.tell(hits, &mut each)?;
        } else {
            if request.filter.merges {
                merged = merges::search(store, &scope, &check, request.jobs)?;
                merged.found.sort_by_key(|(place, _)| date(*place));
            }
            let told = candidates(store, &scope, &pattern, request.jobs, false)?;
            answer.explanation.push(told.explanation);
            let mut texts = told.texts;
            texts.sort_by_key(|texts| date(texts.commit));
            let mut of_merges = std::mem::take(&mut merged.found).into_iter().peekable();
            for chunk in texts.chunks(CHUNK) {
                let mut hits = changes(store, &check, chunk, request.jobs)?;
                let last = chunk.last().map(|texts| date(texts.commit));
                while let Some(hit) = of_merges.next_if(|(place, _)| Some(date(*place)) <= last) {
                    hits.push(hit);
                }
                hits.sort_by_key(|(place, _)| date(*place));
                told_hits.tell(hits, &mut each)?;
            }
            told_hits.tell(of_merges.collect(), &mut each)?;
        }
        let Told { found, first, .. } = told_hits;
        let coverage = told(store, &scope, first.as_ref(), &answer.rederive, &merged)?;
        answer.coverage.push((found, coverage));
    }
    Ok(answer)
}

/// So many commits are read before their lines are handed on.
const CHUNK: usize = 64;

/// Hands on what was found in one upstream.
struct Told<'a> {
    store: &'a Store,
    scope: &'a Commits<'a>,
    found: usize,
    first: Option<StoredCommit>,
}

impl Told<'_> {
    fn tell<E: From<QueryError>>(
        &mut self,
        hits: Vec<(usize, Hits)>,
        each: &mut impl FnMut(CommitHits) -> Result<(), E>,
    ) -> Result<(), E> {
        let ids: Vec<_> = hits.iter().map(|(place, _)| self.scope.list[*place].id).collect();
        let stored = self.store.commits(self.scope.id, &ids).map_err(QueryError::from)?;
        for (commit, (_, hits)) in stored.into_iter().zip(hits) {
            let place = self.store.place(commit.id()).map_err(QueryError::from)?;
            self.found += 1;
            each(CommitHits {
                upstream: self.scope.upstream.name.clone(),
                sha: commit.commit().oid,
                date: commit.commit().committed,
                subject: commit.commit().subject().to_owned(),
                first_tag: place.and_then(|place| place.first_tag),
                count: hits.count,
                lines: hits.lines,
            })?;
            self.first.get_or_insert(commit);
        }
        Ok(())
    }
}

fn changes(
    store: &Store,
    check: &Check<'_>,
    texts: &[Texts],
    jobs: usize,
) -> Result<Vec<(usize, Hits)>, QueryError> {
    let lines = map(store, check, texts, jobs, |reader, texts| {
        let hits = reader.lines(texts)?;
        // A pattern whose number of matches changes may match no changed line's own text
        // twice; the commit counts all the same.
        Ok((hits.count > 0 || check.occurrences && reader.any(texts, false)?, hits))
    })?;
    let found = texts.iter().zip(lines).filter(|(_, (hit, _))| *hit);
    Ok(found.map(|(texts, (_, hits))| (texts.commit, hits)).collect())
}

/// What was searched of an upstream. `first` is a commit that was found.
fn told(
    store: &Store,
    scope: &Commits<'_>,
    first: Option<&StoredCommit>,
    rederive: &[String],
    merged: &Merged,
) -> Result<ScopeCoverage, QueryError> {
    let coverage = scope.coverage(store)?;
    let grade = grade(first, &coverage, rederive);
    let mut told = scope.told(store, coverage, grade)?;
    told.patches += merged.patches;
    told.bytes += merged.bytes;
    Ok(told)
}

/// The grade is computed from what stands under the answer, never chosen.
fn grade(first: Option<&StoredCommit>, coverage: &Coverage, rederive: &[String]) -> Grade {
    match first {
        Some(commit) => {
            let evidence = commit.evidence();
            Claim::new("it is there", Source::FirstParty, Method::Search, evidence, vec![]).grade()
        }
        None => {
            let coverage = coverage.clone();
            Absence::new("it is not there", Method::Search, coverage, rederive.to_vec()).grade()
        }
    }
}
