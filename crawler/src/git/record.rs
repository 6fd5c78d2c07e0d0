//! From objects to records: what of a repository's commits the store lacks, and nothing
//! else. Where the objects came from is the same to it.

use std::collections::{HashMap, HashSet};

use chrono::Utc;
use headwater_store::git;
use headwater_store::model::TagObservation;
use headwater_store::objects::ObjectStore;
use headwater_store::upstream::Upstream;
use headwater_store::{Oid, Store, UpstreamId, WriteCaches};

use super::crawl::CrawlSummary;
use super::walk::Walk;
use crate::CrawlError;
use crate::progress::Progress;
use crate::transport::{Brought, Ends, Refs};

/// A commit with its parents.
pub(crate) type Listed = (Oid, Vec<Oid>);

/// Where the objects came from, and which refs it has.
pub(crate) struct Source {
    /// The transport, as receipts name it.
    pub(crate) transport: &'static str,
    /// A URL, or the directory of a clone.
    pub(crate) place: String,
    /// Its refs.
    pub(crate) refs: Refs,
}

/// Which commits are to be stored.
pub(crate) enum Scope {
    /// Those that the branch and the tags reach.
    Whole,
    /// Those on either side of two ends, where they meet, and what else leads to `others`.
    Window {
        /// As it was asked for.
        name: String,
        /// Its ends.
        ends: Ends,
        /// Tips beside it: release branches that may hold twins of its commits.
        others: Vec<Oid>,
    },
}

/// Commits to be stored from an object store.
pub(crate) struct Recording<'a> {
    pub(crate) upstream: &'a Upstream,
    pub(crate) objects: &'a ObjectStore,
    pub(crate) source: Source,
    pub(crate) scope: Scope,
    /// Objects that the source was asked for and does not have.
    pub(crate) lacking: Vec<Oid>,
    /// What else came of the history.
    pub(crate) brought: Brought,
    pub(crate) jobs: usize,
}

impl Recording<'_> {
    /// Stores what the store lacks.
    pub(crate) fn run(
        self,
        store: &mut Store,
        progress: &dyn Progress,
    ) -> Result<CrawlSummary, CrawlError> {
        let Recording { upstream, objects, source, scope, lacking, brought, jobs } = self;
        let head = match (&scope, source.refs.branch) {
            (_, Some(branch)) => branch,
            (Scope::Window { ends, .. }, None) => ends.head,
            (Scope::Whole, None) => return Err(no_branch(upstream)),
        };
        let id = store.ensure_upstream(&upstream.name)?;
        let news = news(store, objects, id, upstream, &source)?;
        let name = match &scope {
            Scope::Whole => "whole",
            Scope::Window { name, .. } => name,
        };
        let last = store.last_crawl(id, Some(name))?;
        let done = last.as_ref().is_some_and(|crawl| crawl.finished.is_some());
        if done && news.is_empty() {
            let commits = last.map_or(0, |crawl| crawl.commits);
            return Ok(CrawlSummary { commits, new_commits: 0, new_tags: 0, head, missing: 0 });
        }

        let stage = progress.stage("history", None);
        let listed = match &scope {
            Scope::Whole => reached(objects, &news.tips, &[])?,
            Scope::Window { ends, others, .. } => window(objects, *ends, others)?,
        };
        let stored: HashSet<Oid> = store.commit_oids(id)?.into_iter().collect();
        let wanted: Vec<Listed> =
            listed.iter().filter(|(oid, _)| !stored.contains(oid)).cloned().collect();
        let missing = if wanted.is_empty() {
            HashSet::new()
        } else {
            let mut missing = missing_objects(objects, &wanted)?;
            missing.extend(lacking);
            missing.sort_unstable();
            missing.dedup();
            stand_in(objects, &missing)?
        };
        drop(stage);

        let receipt = store.add_receipt(id, source.transport, &source.place, Utc::now())?;
        let row = store.begin_crawl(id, name, receipt, listed.len() as u64)?;
        let mut caches = WriteCaches::default();
        // Tags first: a crawl that is cut short still knows what it was after.
        let mut writer = store.writer(id, receipt, &mut caches)?;
        for tag in &news.tags {
            writer.add_tag(tag)?;
        }
        if news.branch_moved {
            writer.add_branch(&upstream.branch, head, Utc::now())?;
        }
        if let Scope::Window { ends, .. } = &scope {
            let doubts: Vec<_> =
                brought.doubts.iter().map(|doubt| (doubt.kind, doubt.detail.as_str())).collect();
            writer.set_doubts(ends.base, ends.head, &doubts)?;
        }
        writer.commit()?;

        let stage = progress.stage("commits and patches", Some(wanted.len() as u64));
        let walk = Walk { git_dir: objects.dir(), commits: &wanted, missing: &missing, jobs };
        walk.run(|mut batch| {
            let mut writer = store.writer(id, receipt, &mut caches)?;
            for commit in &mut batch {
                commit.unproven = brought.unproven.contains(&commit.commit.oid);
                writer.add_commit(commit)?;
            }
            writer.commit()?;
            stage.advance(batch.len() as u64);
            Ok(())
        })?;
        drop(stage);
        store.finish_crawl(row)?;
        store.checkpoint()?;
        Ok(CrawlSummary {
            commits: listed.len() as u64,
            new_commits: wanted.len() as u64,
            new_tags: news.tags.len() as u64,
            head,
            missing: missing.len() as u64,
        })
    }
}

/// What upstream's refs say that the store does not know yet.
struct News {
    tags: Vec<TagObservation>,
    branch_moved: bool,
    tips: Vec<Oid>,
}

impl News {
    fn is_empty(&self) -> bool {
        self.tags.is_empty() && !self.branch_moved
    }
}

fn news(
    store: &Store,
    objects: &ObjectStore,
    id: UpstreamId,
    upstream: &Upstream,
    source: &Source,
) -> Result<News, CrawlError> {
    let (head, seen) = (source.refs.branch, &source.refs.tags);
    let known: HashMap<String, _> =
        store.tags(id)?.into_iter().map(|tag| (tag.name.clone(), tag)).collect();
    let names: HashSet<&str> = seen.iter().map(|tag| tag.name.as_str()).collect();
    let mut tags: Vec<TagObservation> = known
        .keys()
        .filter(|name| source.refs.all && !names.contains(name.as_str()))
        .map(|name| TagObservation { name: name.clone(), tag: None, observed: Utc::now() })
        .collect();
    tags.sort_by(|a, b| a.name.cmp(&b.name));
    let moved = |s: &&TagObservation| s.tag.as_ref() != known.get(&s.name);
    let moved = no_files(objects, seen.iter().filter(moved).cloned().collect())?;
    tags.extend(moved);
    let stays =
        |s: &&TagObservation| known.contains_key(&s.name) && s.tag.as_ref() == known.get(&s.name);
    let mut tips: Vec<Oid> = seen
        .iter()
        .filter(stays)
        .chain(&tags)
        .filter_map(|t| Some(t.tag.as_ref()?.commit))
        .chain(head)
        .collect();
    tips.sort();
    tips.dedup();
    let stored = store.branch(id, &upstream.branch)?.map(|(oid, _)| oid);
    let branch_moved = head.is_some() && stored != head;
    Ok(News { tags, branch_moved, tips })
}

/// These tags without those that are known to name a file or a tree instead of a commit.
fn no_files(
    objects: &ObjectStore,
    tags: Vec<TagObservation>,
) -> Result<Vec<TagObservation>, CrawlError> {
    let named = |seen: &TagObservation| seen.tag.as_ref().map(|tag| tag.commit);
    let kinds = kinds(objects, tags.iter().filter_map(named))?;
    let is_other = |seen: &TagObservation| {
        named(seen).and_then(|oid| kinds.get(&oid)).is_some_and(|kind| kind != "commit")
    };
    Ok(tags.into_iter().filter(|seen| !is_other(seen)).collect())
}

/// The types of those of these objects that are there.
pub(crate) fn kinds(
    objects: &ObjectStore,
    oids: impl Iterator<Item = Oid>,
) -> Result<HashMap<Oid, String>, CrawlError> {
    let input: String = oids.map(|oid| format!("{oid}\n")).collect();
    if input.is_empty() {
        return Ok(HashMap::new());
    }
    let args = ["--no-replace-objects", "cat-file", "--batch-check=%(objectname) %(objecttype)"];
    let printed = git::output_with_input(objects.dir(), &args, input.into_bytes())?;
    Ok(String::from_utf8_lossy(&printed)
        .lines()
        .filter_map(|line| {
            let (oid, kind) = line.split_once(' ')?;
            Some((oid.parse().ok()?, kind.to_owned())).filter(|(_, kind)| kind != "missing")
        })
        .collect())
}

/// An upstream without the branch that its file names.
fn no_branch(upstream: &Upstream) -> CrawlError {
    CrawlError::NoSuchRef {
        upstream: upstream.name.clone(),
        name: upstream.branch.clone(),
        nearest: "; it is the default branch that the upstream's file names".to_owned(),
    }
}

/// How many commits each side of a window has alone: the newer one's, the older one's.
pub(crate) fn sides(objects: &ObjectStore, ends: Ends) -> Result<[u64; 2], CrawlError> {
    let ahead = reached(objects, &[ends.head], &[ends.base])?.len() as u64;
    let behind = reached(objects, &[ends.base], &[ends.head])?.len() as u64;
    Ok([ahead, behind])
}

/// Where two commits' histories meet.
pub(crate) fn merge_bases(objects: &ObjectStore, ends: Ends) -> Vec<Oid> {
    let args = ["merge-base", "--all", &ends.base.to_string(), &ends.head.to_string()];
    let printed = git::output(objects.dir(), &args).unwrap_or_default();
    String::from_utf8_lossy(&printed).lines().filter_map(|line| line.parse().ok()).collect()
}

/// The commits that `tips` reach and `without` do not, with their parents, oldest first.
pub(crate) fn reached(
    objects: &ObjectStore,
    tips: &[Oid],
    without: &[Oid],
) -> Result<Vec<Listed>, CrawlError> {
    let mut input: String = tips.iter().map(|oid| format!("{oid}\n")).collect();
    input.extend(without.iter().map(|oid| format!("^{oid}\n")));
    let args = ["rev-list", "--parents", "--topo-order", "--reverse", "--stdin"];
    Ok(parse_parents(&git::output_with_input(objects.dir(), &args, input.into_bytes())?))
}

/// The commits of a window: those on either side, the ends, where the sides meet, and
/// what leads to the tips beside it.
pub(crate) fn window(
    objects: &ObjectStore,
    ends: Ends,
    others: &[Oid],
) -> Result<Vec<Listed>, CrawlError> {
    let meet = merge_bases(objects, ends);
    let mut listed = reached(objects, &[ends.head, ends.base], &meet)?;
    let both = [meet.as_slice(), &[ends.head, ends.base]].concat();
    let mut seen: HashSet<Oid> = listed.iter().map(|(oid, _)| *oid).collect();
    let beside = if others.is_empty() { Vec::new() } else { reached(objects, others, &both)? };
    listed.extend(beside.into_iter().filter(|(oid, _)| seen.insert(*oid)));
    for alone in [&[ends.base], meet.as_slice()].concat() {
        if seen.insert(alone) {
            let args = ["rev-list", "--parents", "--max-count=1", &alone.to_string()];
            listed.splice(0..0, parse_parents(&git::output(objects.dir(), &args)?));
        }
    }
    Ok(listed)
}

fn parse_parents(printed: &[u8]) -> Vec<Listed> {
    String::from_utf8_lossy(printed)
        .lines()
        .filter_map(|line| {
            let mut oids = line.split(' ').map(str::parse);
            let oid = oids.next()?.ok()?;
            Some((oid, oids.collect::<Result<_, _>>().ok()?))
        })
        .collect()
}

/// The objects that the wanted commits refer to and the clone lacks.
fn missing_objects(
    objects: &ObjectStore,
    wanted: &[(Oid, Vec<Oid>)],
) -> Result<Vec<Oid>, CrawlError> {
    let own: HashSet<Oid> = wanted.iter().map(|(oid, _)| *oid).collect();
    let mut input = String::new();
    for (oid, parents) in wanted {
        input.push_str(&format!("{oid}\n"));
        for parent in parents.iter().filter(|parent| !own.contains(parent)) {
            // A parent at which a shallow history was cut is not there to be excluded.
            input.push_str(&format!("^{parent}\n"));
        }
    }
    let args = [
        "--no-replace-objects",
        "rev-list",
        "--objects",
        "--missing=print",
        "--ignore-missing",
        "--stdin",
    ];
    let printed = git::output_with_input(objects.dir(), &args, input.into_bytes())?;
    Ok(String::from_utf8_lossy(&printed)
        .lines()
        .filter_map(|line| line.strip_prefix('?')?.parse().ok())
        .collect())
}

/// Puts a placeholder in the place of each missing object, in the object store's own
/// refs, so that git gets past them; what it prints of them is never stored. One that has
/// something in its place already keeps that.
fn stand_in(objects: &ObjectStore, missing: &[Oid]) -> Result<HashSet<Oid>, CrawlError> {
    // Those of earlier crawls too: a new commit may change a file whose old blob is missing.
    let known = git::output(
        objects.dir(),
        &["for-each-ref", "--format=%(refname:strip=2)", "refs/replace"],
    )?;
    let mut known: HashSet<Oid> =
        String::from_utf8_lossy(&known).lines().filter_map(|line| line.parse().ok()).collect();
    let new: Vec<Oid> = missing.iter().copied().filter(|oid| !known.contains(oid)).collect();
    if !new.is_empty() {
        let blob = git::output_with_input(
            objects.dir(),
            &["hash-object", "-w", "--stdin"],
            b"this stands in for a missing object and is never stored\n".to_vec(),
        )?;
        let blob = String::from_utf8_lossy(&blob).trim().to_owned();
        let input: String =
            new.iter().map(|oid| format!("update refs/replace/{oid} {blob}\n")).collect();
        git::output_with_input(objects.dir(), &["update-ref", "--stdin"], input.into_bytes())?;
        known.extend(new);
    }
    Ok(known)
}
