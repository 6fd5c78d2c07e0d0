//! Exact search: the whole answer, or a page of it.

use std::time::{Duration, Instant};

use anyhow::bail;
use headwater_queries::QueryError;
use headwater_queries::grep::{
    self, CommitHits, Detail, Explanation, GrepAnswer, GrepRequest, LineHit, Matching,
    ScopeCoverage,
};
use headwater_store::{Oid, Store};
use schemars::JsonSchema;
use serde::Serialize;

/// What an exact search found.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Document<'a> {
    /// `headwater/grep/1`
    pub schema: &'static str,
    /// The patterns.
    pub patterns: &'a [String],
    /// The lines that match.
    pub matches: Vec<Match<'a>>,
    /// The commits that have them.
    pub commits: Vec<Oid>,
    /// How many lines of each match.
    pub counts: Vec<Count<'a>>,
    /// What was searched, an upstream each.
    pub coverage: Vec<&'a ScopeCoverage>,
    /// How it was found.
    pub explanation: &'a [Explanation],
    /// Commands that give the same answer.
    pub rederive: &'a [String],
    /// Lines that were left out, where a document of all would be too large.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut: Option<Cut>,
}

/// Lines that a document leaves out. No commit and no count is.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Cut {
    /// How many lines it holds: those of the newest commits.
    pub lines: usize,
    /// How many match.
    pub of: u64,
    /// How to get all.
    pub how: &'static str,
}

/// What is said of them.
impl std::fmt::Display for Cut {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Cut { lines, of, how } = self;
        write!(f, "the document holds {lines} of {of} lines that match; {how}")
    }
}

/// A document holds no more lines: one that holds every line of history is larger than
/// whatever reads it.
const MOST_LINES: usize = 200_000;

/// Everything that is found, with the lines that a document holds.
pub fn most(
    store: &Store,
    request: &GrepRequest<'_>,
) -> anyhow::Result<(Vec<CommitHits>, GrepAnswer, Option<Cut>)> {
    within(store, request, MOST_LINES)
}

fn within(
    store: &Store,
    request: &GrepRequest<'_>,
    most: usize,
) -> anyhow::Result<(Vec<CommitHits>, GrepAnswer, Option<Cut>)> {
    let (mut found, mut lines, mut of, mut full) = (Vec::new(), 0, 0, false);
    let answer = grep::grep_each(store, request, |mut commit| {
        of += commit.count;
        full |= lines + commit.lines.len() > most;
        if full {
            commit.lines = Vec::new();
        }
        lines += commit.lines.len();
        found.push(commit);
        Ok::<_, QueryError>(())
    })?;
    let how = "--format ndjson streams all of them, and --path, --class or a window narrows it";
    Ok((found, answer, full.then_some(Cut { lines, of, how })))
}

/// A line that matches, with its commit.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Match<'a> {
    /// The upstream.
    pub upstream: &'a str,
    /// The commit.
    pub sha: Oid,
    /// The line.
    #[serde(flatten)]
    pub line: &'a LineHit,
}

/// How many lines of a commit match.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Count<'a> {
    /// The upstream.
    upstream: &'a str,
    /// The commit.
    sha: Oid,
    /// How many of its lines match.
    lines: u64,
}

/// The lines of a commit, each with its commit.
pub fn matches_of(commit: &CommitHits) -> impl Iterator<Item = Match<'_>> {
    commit.lines.iter().map(|line| Match { upstream: &commit.upstream, sha: commit.sha, line })
}

/// What was found, as it leaves the process.
pub fn document<'a>(
    patterns: &'a [String],
    found: &'a [CommitHits],
    coverage: &'a [(usize, ScopeCoverage)],
    explanation: &'a [Explanation],
    rederive: &'a [String],
    cut: Option<Cut>,
) -> Document<'a> {
    Document {
        schema: "headwater/grep/1",
        patterns,
        matches: found.iter().flat_map(matches_of).collect(),
        commits: found.iter().map(|commit| commit.sha).collect(),
        counts: found
            .iter()
            .map(|c| Count { upstream: &c.upstream, sha: c.sha, lines: c.count })
            .collect(),
        coverage: coverage.iter().map(|(_, coverage)| coverage).collect(),
        explanation,
        rederive,
        cut,
    }
}

/// A page of a search: some of its commits, and what was searched for all of them.
pub struct Page {
    /// The commits of the page, newest first, an upstream after the other.
    pub commits: Vec<CommitHits>,
    /// All that match, without their lines.
    pub matching: Matching,
}

/// Which page.
pub struct Wanted {
    /// Commits before it.
    pub offset: usize,
    /// Commits on it.
    pub limit: usize,
    /// How long reading its lines may take.
    pub within: Duration,
}

/// The longest pattern that a door takes: what people write is far shorter, and a longer one
/// costs more than an answer may.
const LONGEST: usize = 2_000;

/// Refuses patterns that somebody else's client should not send.
pub fn bounded(patterns: &[String]) -> anyhow::Result<()> {
    if patterns.is_empty() || patterns.iter().any(String::is_empty) {
        bail!("give a pattern, like RepeatPenalty");
    }
    if patterns.len() > 20 || patterns.iter().any(|pattern| pattern.len() > LONGEST) {
        bail!("at most 20 patterns of {LONGEST} bytes are searched for at once");
    }
    Ok(())
}

/// Why a search was left: the page is full, or something went wrong.
enum Left {
    Full,
    Late,
    Failed(QueryError),
}

impl From<QueryError> for Left {
    fn from(error: QueryError) -> Self {
        Left::Failed(error)
    }
}

/// Searches, and reads the lines of one page alone.
pub fn page(store: &Store, request: &GrepRequest<'_>, wanted: &Wanted) -> anyhow::Result<Page> {
    let begun = Instant::now();
    let matching = grep::commits(store, request)?;
    let mut commits = Vec::new();
    let last = wanted.offset.saturating_add(wanted.limit).min(matching.commits.len());
    if wanted.offset < last {
        let mut at = 0;
        let read = grep::grep_each(store, request, |commit| {
            if at >= wanted.offset {
                commits.push(commit);
            }
            at += 1;
            match at >= last {
                true => Err(Left::Full),
                false if begun.elapsed() > wanted.within => Err(Left::Late),
                false => Ok(()),
            }
        });
        match read {
            Ok(_) | Err(Left::Full) => {}
            Err(Left::Late) => bail!(
                "{} commits match, and reading their lines took longer than {} s; narrow it by a path, a class, a window or a time",
                matching.commits.len(),
                wanted.within.as_secs()
            ),
            Err(Left::Failed(error)) => return Err(error.into()),
        }
    }
    Ok(Page { commits, matching })
}

/// A tree that is searched: `UPSTREAM@REVISION`.
pub fn tree(
    context: &crate::context::Context,
    store: &Store,
    request: &GrepRequest<'_>,
    at: &str,
) -> anyhow::Result<grep::TreeAnswer> {
    let (name, revision) = super::file::split_revision(at)?;
    let upstream = context.upstreams.get(name)?;
    Ok(grep::grep_tree(store, request, upstream, revision)?)
}

/// A tree's answer as it leaves the process.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TreeDocument<'a> {
    /// `headwater/grep/1`
    pub schema: &'static str,
    /// The patterns.
    pub patterns: &'a [String],
    /// What was found.
    pub tree: &'a grep::TreeAnswer,
}

/// The same as a document.
pub fn tree_document<'a>(patterns: &'a [String], tree: &'a grep::TreeAnswer) -> TreeDocument<'a> {
    TreeDocument { schema: "headwater/grep/1", patterns, tree }
}

/// A search of changed lines with nothing else said.
pub fn plain(patterns: Vec<String>, jobs: usize) -> GrepRequest<'static> {
    GrepRequest {
        patterns,
        options: Default::default(),
        upstreams: Vec::new(),
        filter: Default::default(),
        within: Default::default(),
        occurrences: false,
        context: 0,
        most: None,
        detail: Detail::Lines,
        jobs,
    }
}

#[cfg(test)]
mod tests {
    use headwater_crawler::git::{CrawlScope, GitCrawl, crawl_clone};
    use headwater_queries::grep::{Filter, Within};
    use headwater_store::exact::PatternOptions;
    use headwater_store::progress::Silent;
    use headwater_store::upstream::Upstreams;

    use super::*;

    #[test]
    fn a_document_that_would_be_too_large_leaves_out_lines_and_no_commit() {
        let dir = tempfile::tempdir().unwrap();
        let demo = headwater_demo::build(&dir.path().join("upstreams")).unwrap();
        let upstreams = Upstreams::built_in().unwrap();
        let ollama = upstreams.get("ollama").unwrap();
        let mut store = Store::open_or_create(&dir.path().join("store")).unwrap();
        let clone = demo.ollama.path();
        let crawl = GitCrawl { upstream: ollama, dir: clone, scope: CrawlScope::Whole, jobs: 1 };
        crawl_clone(&mut store, &crawl, &Silent).unwrap();
        let request = GrepRequest {
            patterns: vec!["e".to_owned()],
            options: PatternOptions::default(),
            upstreams: vec![ollama],
            filter: Filter { all: true, ..Filter::default() },
            within: Within::Changes,
            occurrences: false,
            context: 0,
            most: None,
            detail: Detail::Lines,
            jobs: 1,
        };
        let (all, _, none) = within(&store, &request, 1_000_000).unwrap();
        assert!(none.is_none());
        let lines: u64 = all.iter().map(|commit| commit.count).sum();
        let (found, _, cut) = within(&store, &request, 20).unwrap();
        let cut = cut.unwrap();
        assert!(cut.lines <= 20 && cut.of == lines && lines > 20, "{cut}");
        let ids = |of: &[CommitHits]| of.iter().map(|c| (c.sha, c.count)).collect::<Vec<_>>();
        assert_eq!(ids(&found), ids(&all));
        let kept: usize = found.iter().map(|commit| commit.lines.len()).sum();
        assert_eq!(kept, cut.lines);
        assert!(cut.to_string().contains("ndjson"), "{cut}");
    }
}
