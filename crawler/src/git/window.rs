//! One window, by whatever transport: its commits and trees first, then the files that
//! it changed and those that answers read at its ends.

use std::collections::HashSet;

use headwater_store::git;
use headwater_store::model::TagObservation;
use headwater_store::objects::ObjectStore;
use headwater_store::upstream::{Upstream, Version};
use headwater_store::{Comparison, Oid, Store};

use super::crawl::CrawlSummary;
use super::record::{self, Listed, Recording, Scope, Source};
use super::walk::compared;
use crate::CrawlError;
use crate::progress::Progress;
use crate::transport::{Ends, Refs, Transport, Wanted, WindowWanted};

/// Tips beside a window that are looked at, at most.
const MOST_OTHERS: usize = 64;

/// A window to be fetched.
pub struct WindowCrawl<'a> {
    /// The upstream.
    pub upstream: &'a Upstream,
    /// How it comes.
    pub transport: &'a dyn Transport,
    /// The refs that the transport shows.
    pub refs: Refs,
    /// The older end: its name there, and the commit.
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
        let wanted = WindowWanted {
            upstream: self.upstream,
            names: [&self.base.0, &self.head.0],
            ends,
            beside: &beside,
            said: self.said,
            at_ends: self.at_ends,
        };
        let stage = progress.stage("fetching commits", None);
        let brought = self.transport.history(&objects, &Wanted::Window(&wanted))?;
        drop(stage);
        let others = near(&objects, &beside, ends);
        let listed = record::window(&objects, ends, &others)?;
        let stage = progress.stage("fetching files", None);
        let files = self.files(&objects, &listed, ends)?;
        let lacking = self.transport.files(&objects, &files)?;
        drop(stage);
        let name = format!("{}..{}", self.base.0, self.head.0);
        Recording {
            upstream: self.upstream,
            objects: &objects,
            source: Source {
                transport: self.transport.name(),
                place: self.transport.place(),
                refs: self.refs,
            },
            scope: Scope::Window { name, ends, others },
            lacking,
            brought,
            jobs: self.jobs,
        }
        .run(store, progress)
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

/// Those of the tips beside a window whose history came as far as the window.
pub(crate) fn near(objects: &ObjectStore, beside: &[Oid], ends: Ends) -> Vec<Oid> {
    let cut = cut(objects);
    let is_near = |tip: &Oid| {
        let meet = record::merge_bases(objects, Ends { base: *tip, head: ends.head });
        let Ok(own) = record::reached(objects, &[*tip], &[ends.head, ends.base]) else {
            return false;
        };
        !meet.is_empty() && !own.iter().any(|(oid, _)| cut.contains(oid))
    };
    beside.iter().copied().filter(is_near).collect()
}

/// The commits at which a shallow history was cut.
pub(crate) fn cut(objects: &ObjectStore) -> HashSet<Oid> {
    let text = std::fs::read_to_string(objects.dir().join("shallow")).unwrap_or_default();
    text.lines().filter_map(|line| line.trim().parse().ok()).collect()
}
