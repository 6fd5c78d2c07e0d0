//! A crawl of a clone: what the store lacks, and nothing else.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use chrono::Utc;
use headwater_store::git;
use headwater_store::model::TagObservation;
use headwater_store::objects::ObjectStore;
use headwater_store::upstream::Upstream;
use headwater_store::{Oid, Store, StoreError, UpstreamId, WriteCaches};

use super::clone::Clone;
use super::walk::Walk;
use crate::CrawlError;
use crate::progress::Progress;

/// What of a clone to crawl.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CrawlScope {
    /// The default branch and all tags.
    Whole,
    /// The commits on either side of two revisions, and the older end itself.
    Window {
        /// The older end.
        base: String,
        /// The newer end.
        head: String,
    },
}

/// A crawl to be made.
pub struct GitCrawl<'a> {
    /// The upstream.
    pub upstream: &'a Upstream,
    /// The directory of a clone, bare or not.
    pub dir: &'a Path,
    /// What of it.
    pub scope: CrawlScope,
    /// How many git processes and threads may run at once.
    pub jobs: usize,
}

/// What a crawl brought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrawlSummary {
    /// Commits in scope.
    pub commits: u64,
    /// Commits that the store did not have.
    pub new_commits: u64,
    /// Tags that were new, moved or gone.
    pub new_tags: u64,
    /// The head of the default branch.
    pub head: Oid,
    /// Objects that the clone lacks.
    pub missing: u64,
}

/// How many stored commits are looked for in a clone before it counts as another's.
const SAMPLE: usize = 2_000;

/// Refuses a clone of another repository: what it holds would be told as the upstream's,
/// and could not be told apart afterwards.
fn refuse_others(
    store: &Store,
    clone: &Clone,
    head: Oid,
    crawl: &GitCrawl<'_>,
) -> Result<(), CrawlError> {
    let stored = match store.upstream(&crawl.upstream.name) {
        // Nothing new is the usual case, and needs no look at the others.
        Ok(id) if store.commit(id, head)?.is_some() => return Ok(()),
        Ok(id) => store.commit_oids(id)?,
        Err(StoreError::NotCrawled(_)) => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    let step = stored.len().div_ceil(SAMPLE).max(1);
    if stored.is_empty() || clone.has_any(stored.into_iter().step_by(step))? {
        return Ok(());
    }
    Err(CrawlError::OtherHistory {
        dir: crawl.dir.to_owned(),
        upstream: crawl.upstream.name.clone(),
        repository: crawl.upstream.repository.clone(),
    })
}

/// Crawls a clone into the store.
///
/// # Errors
/// Where the clone cannot be read or the store not written. What was stored is kept, and
/// the next crawl goes on from there.
pub fn crawl_clone(
    store: &mut Store,
    crawl: &GitCrawl<'_>,
    progress: &dyn Progress,
) -> Result<CrawlSummary, CrawlError> {
    let upstream = crawl.upstream;
    let clone = Clone::open(crawl.dir, upstream)?;
    let head = clone.branch_head(&upstream.branch)?;
    let tags = clone.tags()?;
    refuse_others(store, &clone, head, crawl)?;
    let objects = ObjectStore::open_or_create(&store.objects_dir(&upstream.name), &upstream.name)?;
    objects.borrow_from(&clone.objects_dir())?;
    share_cut(&clone, &objects)?;

    let id = store.ensure_upstream(&upstream.name)?;
    let news = news(store, &clone, id, upstream, head, tags)?;
    let tips = match &crawl.scope {
        CrawlScope::Whole => {
            Tips { scope: "whole".to_owned(), include: news.tips.clone(), base: None }
        }
        CrawlScope::Window { base, head } => {
            let (base_oid, head_oid) = (clone.resolve(base)?, clone.resolve(head)?);
            Tips {
                scope: format!("{base}..{head}"),
                include: vec![head_oid, base_oid],
                base: Some((base_oid, head_oid)),
            }
        }
    };
    let last = store.last_crawl(id, Some(&tips.scope))?;
    let done = last.as_ref().is_some_and(|crawl| crawl.finished.is_some());
    if done && news.is_empty() {
        let commits = last.map_or(0, |crawl| crawl.commits);
        return Ok(CrawlSummary { commits, new_commits: 0, new_tags: 0, head, missing: 0 });
    }

    let stage = progress.stage("history", None);
    let listed = list(&objects, &tips)?;
    let stored: HashSet<Oid> = store.commit_oids(id)?.into_iter().collect();
    let wanted: Vec<(Oid, Vec<Oid>)> =
        listed.iter().filter(|(oid, _)| !stored.contains(oid)).cloned().collect();
    let missing = if wanted.is_empty() {
        HashSet::new()
    } else {
        stand_in(&objects, &missing_objects(&objects, &wanted)?)?
    };
    drop(stage);

    let receipt =
        store.add_receipt(id, "git", &clone.git_dir().display().to_string(), Utc::now())?;
    let row = store.begin_crawl(id, &tips.scope, receipt, listed.len() as u64)?;
    let mut caches = WriteCaches::default();
    // Tags first: a crawl that is cut short still knows what it was after.
    let mut writer = store.writer(id, receipt, &mut caches)?;
    for tag in &news.tags {
        writer.add_tag(tag)?;
    }
    if news.branch_moved {
        writer.add_branch(&upstream.branch, head, Utc::now())?;
    }
    writer.commit()?;

    let stage = progress.stage("commits and patches", Some(wanted.len() as u64));
    let walk =
        Walk { git_dir: objects.dir(), commits: &wanted, missing: &missing, jobs: crawl.jobs };
    walk.run(|batch| {
        let mut writer = store.writer(id, receipt, &mut caches)?;
        for commit in &batch {
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
    clone: &Clone,
    id: UpstreamId,
    upstream: &Upstream,
    head: Oid,
    seen: Vec<TagObservation>,
) -> Result<News, CrawlError> {
    let known: HashMap<String, _> =
        store.tags(id)?.into_iter().map(|tag| (tag.name.clone(), tag)).collect();
    let names: HashSet<&str> = seen.iter().map(|tag| tag.name.as_str()).collect();
    let mut tags: Vec<TagObservation> = known
        .keys()
        .filter(|name| !names.contains(name.as_str()))
        .map(|name| TagObservation { name: name.clone(), tag: None, observed: Utc::now() })
        .collect();
    tags.sort_by(|a, b| a.name.cmp(&b.name));
    let moved = |s: &&TagObservation| s.tag.as_ref() != known.get(&s.name);
    let moved = clone.only_commits(seen.iter().filter(moved).cloned().collect())?;
    tags.extend(moved);
    let stays =
        |s: &&TagObservation| known.contains_key(&s.name) && s.tag.as_ref() == known.get(&s.name);
    let mut tips: Vec<Oid> = seen
        .iter()
        .filter(stays)
        .chain(&tags)
        .filter_map(|t| Some(t.tag.as_ref()?.commit))
        .chain([head])
        .collect();
    tips.sort();
    tips.dedup();
    let branch_moved = store.branch(id, &upstream.branch)?.map(|(oid, _)| oid) != Some(head);
    Ok(News { tags, branch_moved, tips })
}

struct Tips {
    scope: String,
    include: Vec<Oid>,
    base: Option<(Oid, Oid)>,
}

/// The commits in scope with their parents, oldest first.
fn list(objects: &ObjectStore, tips: &Tips) -> Result<Vec<(Oid, Vec<Oid>)>, CrawlError> {
    let mut input: String = tips.include.iter().map(|oid| format!("{oid}\n")).collect();
    if let Some((base, head)) = tips.base {
        // What neither side has alone is not in the window.
        let merge_base = git::output(
            objects.dir(),
            &["merge-base", "--all", &base.to_string(), &head.to_string()],
        )
        .unwrap_or_default();
        for line in String::from_utf8_lossy(&merge_base).lines() {
            input.push_str(&format!("^{line}\n"));
        }
    }
    let args = ["rev-list", "--parents", "--topo-order", "--reverse", "--stdin"];
    let printed = git::output_with_input(objects.dir(), &args, input.into_bytes())?;
    let mut listed: Vec<(Oid, Vec<Oid>)> = parse_parents(&printed);
    if let Some((base, _)) = tips.base
        && !listed.iter().any(|(oid, _)| *oid == base)
    {
        let args = ["rev-list", "--parents", "--max-count=1", &base.to_string()];
        listed.splice(0..0, parse_parents(&git::output(objects.dir(), &args)?));
    }
    Ok(listed)
}

fn parse_parents(printed: &[u8]) -> Vec<(Oid, Vec<Oid>)> {
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
/// refs, so that git gets past them; what it prints of them is never stored.
fn stand_in(objects: &ObjectStore, missing: &[Oid]) -> Result<HashSet<Oid>, CrawlError> {
    if !missing.is_empty() {
        let blob = git::output_with_input(
            objects.dir(),
            &["hash-object", "-w", "--stdin"],
            b"this stands in for a missing object and is never stored\n".to_vec(),
        )?;
        let blob = String::from_utf8_lossy(&blob).trim().to_owned();
        let input: String =
            missing.iter().map(|oid| format!("update refs/replace/{oid} {blob}\n")).collect();
        git::output_with_input(objects.dir(), &["update-ref", "--stdin"], input.into_bytes())?;
    }
    // Those of earlier crawls too: a new commit may change a file whose old blob is missing.
    let known = git::output(
        objects.dir(),
        &["for-each-ref", "--format=%(refname:strip=2)", "refs/replace"],
    )?;
    Ok(String::from_utf8_lossy(&known).lines().filter_map(|line| line.parse().ok()).collect())
}

/// A shallow clone's history ends where it says; the object store must know.
fn share_cut(clone: &Clone, objects: &ObjectStore) -> Result<(), CrawlError> {
    let own = objects.dir().join("shallow");
    let io = |e| CrawlError::Store(StoreError::Io { path: own.clone(), source: e });
    match clone.shallow_file() {
        Some(file) => std::fs::copy(file, &own).map(|_| ()).map_err(io),
        None if own.exists() => std::fs::remove_file(&own).map_err(io),
        None => Ok(()),
    }
}
