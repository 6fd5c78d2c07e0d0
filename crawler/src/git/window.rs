//! One window from a host, without a clone: its commits and trees in one request, the
//! files that it changed and those that answers read at its ends in another.

use std::collections::HashSet;

use headwater_store::git;
use headwater_store::model::TagObservation;
use headwater_store::objects::ObjectStore;
use headwater_store::upstream::{Upstream, Version};
use headwater_store::{Comparison, Oid, Store};

use super::crawl::CrawlSummary;
use super::record::{self, Ends, Listed, Recording, Scope, Source};
use super::remote::{Remote, RemoteRefs};
use super::walk::compared;
use crate::CrawlError;
use crate::progress::Progress;

/// How much history is fetched at first where nobody said how long the window is, in
/// commits.
const FIRST_DEPTH: u64 = 100;
/// By how much it grows where that was too little.
const DEEPER: u64 = 4;
/// With so much history a window is fetched whole: deeper than any of both upstreams.
const ALL: u64 = 60_000;
/// Tips beside a window that are looked at, at most.
const MOST_OTHERS: usize = 64;

/// A window to be fetched.
pub struct WindowCrawl<'a> {
    /// The upstream.
    pub upstream: &'a Upstream,
    /// Its repository.
    pub remote: &'a Remote,
    /// The refs of the repository.
    pub refs: RemoteRefs,
    /// The older end: its name on the host, and the commit.
    pub base: (String, Oid),
    /// The newer end.
    pub head: (String, Oid),
    /// What the host's comparison said of it, if it did.
    pub said: Option<&'a Comparison>,
    /// Which files of the trees at both ends are wanted beside those that changed.
    pub at_ends: &'a dyn Fn(&str) -> bool,
    /// How many git processes and threads may run at once.
    pub jobs: usize,
}

impl WindowCrawl<'_> {
    /// Fetches and stores the window.
    ///
    /// # Errors
    /// Unknown ends, a host that does not answer, and those of the store. What was
    /// stored is kept; a window that came in part is not told as whole.
    pub fn run(
        self,
        store: &mut Store,
        progress: &dyn Progress,
    ) -> Result<CrawlSummary, CrawlError> {
        let ends = Ends { base: self.base.1, head: self.head.1 };
        let dir = store.objects_dir(&self.upstream.name);
        let objects = ObjectStore::open_or_create(&dir, &self.upstream.name)?;
        let beside = self.tips_beside(ends);
        let stage = progress.stage("fetching commits", None);
        self.deepen(&objects, ends, &beside)?;
        drop(stage);
        let cut = cut(&objects);
        let others: Vec<Oid> =
            beside.into_iter().filter(|tip| is_near(&objects, &cut, *tip, ends)).collect();
        let listed = record::window(&objects, ends, &others)?;
        let stage = progress.stage("fetching files", None);
        let files = self.files(&objects, &listed, ends)?;
        let lacking = self.remote.fetch_files(&objects, &files)?;
        drop(stage);
        let branch = self.refs.branch.ok_or_else(|| CrawlError::NoSuchRef {
            upstream: self.upstream.name.clone(),
            name: self.upstream.branch.clone(),
            nearest: "; it is the default branch that the upstream's file names".to_owned(),
        })?;
        let source = Source {
            transport: "git-http",
            place: self.remote.url().to_owned(),
            branch,
            tags: self.refs.tags,
        };
        let name = format!("{}..{}", self.base.0, self.head.0);
        Recording {
            upstream: self.upstream,
            objects: &objects,
            source,
            scope: Scope::Window { name, ends, others },
            lacking,
            jobs: self.jobs,
        }
        .run(store, progress)
    }

    /// Fetches commits until both sides of the window are there as far as where they
    /// meet, and one commit more: a commit is told by what it changed.
    fn deepen(&self, objects: &ObjectStore, ends: Ends, beside: &[Oid]) -> Result<(), CrawlError> {
        let tips: Vec<Oid> = [ends.base, ends.head].into_iter().chain(beside.to_vec()).collect();
        // What has its history already needs no depth, which would cut it.
        if objects.is_whole() || objects.borrows_from().is_some() {
            return self.remote.fetch_commits(objects, &tips, None);
        }
        let mut depth = match self.said {
            Some(said) => said.ahead.max(said.behind) + 3,
            None => FIRST_DEPTH,
        };
        if self.is_complete(objects, ends)?
            && record::kinds(objects, tips.iter().copied())?.len() == tips.len()
        {
            return Ok(());
        }
        loop {
            self.remote.fetch_commits(objects, &tips, Some(depth))?;
            if self.is_complete(objects, ends)? {
                return Ok(());
            }
            if depth >= ALL {
                return Err(CrawlError::NoCommonHistory {
                    upstream: self.upstream.name.clone(),
                    base: self.base.0.clone(),
                    head: self.head.0.clone(),
                });
            }
            depth = (depth * DEEPER).min(ALL);
        }
    }

    /// Whether every commit of the window is there with its parents, and as many as the
    /// host counted.
    fn is_complete(&self, objects: &ObjectStore, ends: Ends) -> Result<bool, CrawlError> {
        let there = record::kinds(objects, [ends.base, ends.head].into_iter())?;
        let meet = record::merge_bases(objects, ends);
        if there.len() < 2 - usize::from(ends.base == ends.head) || meet.is_empty() {
            return Ok(false);
        }
        let listed = record::window(objects, ends, &[])?;
        let cut = cut(objects);
        if listed.iter().any(|(oid, _)| cut.contains(oid)) {
            return Ok(false);
        }
        let Some(said) = self.said else { return Ok(true) };
        let ahead = record::reached(objects, &[ends.head], &[ends.base])?.len() as u64;
        let behind = record::reached(objects, &[ends.base], &[ends.head])?.len() as u64;
        // More than the host counted: history that BASE reaches too, further back.
        Ok(cut.is_empty() || (ahead <= said.ahead && behind <= said.behind))
    }

    /// Tags between the ends by their version, which are not the ends: what release
    /// branches were made of.
    fn tips_beside(&self, ends: Ends) -> Vec<Oid> {
        let version = |name: &str| Version::of(self.upstream, name);
        let (Some(low), Some(high)) = (version(&self.base.0), version(&self.head.0)) else {
            return Vec::new();
        };
        // Builds are numbered along the one branch that they are made from.
        if self.upstream.build_prefix.is_some() {
            return Vec::new();
        }
        let within = |tag: &&TagObservation| {
            version(&tag.name).is_some_and(|version| low <= version && version <= high)
        };
        let mut tips: Vec<Oid> = self
            .refs
            .tags
            .iter()
            .filter(within)
            .filter_map(|tag| Some(tag.tag.as_ref()?.commit))
            .filter(|oid| *oid != ends.base && *oid != ends.head)
            .collect();
        tips.sort();
        tips.dedup();
        tips.truncate(MOST_OTHERS);
        tips
    }

    /// The files that are wanted and not there: those that the commits changed, before
    /// and after, and those that answers read at the ends.
    fn files(
        &self,
        objects: &ObjectStore,
        listed: &[Listed],
        ends: Ends,
    ) -> Result<Vec<Oid>, CrawlError> {
        let input: String = listed.iter().map(compared).collect();
        let args = ["diff-tree", "--stdin", "-r", "--raw", "--no-renames", "--no-abbrev", "--root"];
        let printed = git::output_with_input(objects.dir(), &args, input.into_bytes())?;
        let mut wanted: HashSet<Oid> = HashSet::new();
        for line in String::from_utf8_lossy(&printed).lines() {
            let Some(rest) = line.strip_prefix(':') else { continue };
            let mut fields = rest.split(' ');
            let modes = [fields.next(), fields.next()];
            for (mode, oid) in modes.into_iter().zip([fields.next(), fields.next()]) {
                if mode != Some("160000")
                    && let Some(Ok(oid)) = oid.map(str::parse::<Oid>)
                    && !oid.is_zero()
                {
                    wanted.insert(oid);
                }
            }
        }
        let mut reader = objects.reader();
        for end in [ends.base, ends.head] {
            let args = ["rev-parse", "--verify", "--quiet", &format!("{end}^{{tree}}")];
            let tree = String::from_utf8_lossy(&git::output(objects.dir(), &args)?).trim().parse();
            let Ok(tree) = tree else { continue };
            for (path, entry) in reader.files(tree)? {
                if entry.is_blob() && (self.at_ends)(&path) {
                    wanted.insert(entry.oid);
                }
            }
        }
        let there = record::kinds(objects, wanted.iter().copied())?;
        let mut lacking: Vec<Oid> =
            wanted.into_iter().filter(|oid| !there.contains_key(oid)).collect();
        lacking.sort();
        Ok(lacking)
    }
}

/// Whether what leads to a tip beside a window was fetched as far as the window.
fn is_near(objects: &ObjectStore, cut: &HashSet<Oid>, tip: Oid, ends: Ends) -> bool {
    let meet = record::merge_bases(objects, Ends { base: tip, head: ends.head });
    let Ok(own) = record::reached(objects, &[tip], &[ends.head, ends.base]) else {
        return false;
    };
    !meet.is_empty() && !own.iter().any(|(oid, _)| cut.contains(oid))
}

/// The commits at which a shallow history was cut.
fn cut(objects: &ObjectStore) -> HashSet<Oid> {
    let text = std::fs::read_to_string(objects.dir().join("shallow")).unwrap_or_default();
    text.lines().filter_map(|line| line.trim().parse().ok()).collect()
}
