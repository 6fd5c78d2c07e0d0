//! The commits of a window, made again from what the API tells of them.

use std::collections::{HashMap, HashSet};

use headwater_store::objects::{ObjectReader, ObjectStore};
use headwater_store::{Oid, StoreError, git};

use super::Rest;
use crate::CrawlError;
use crate::git::record;
use crate::git::window::cut;
use crate::github::GitHubError;
use crate::github::compare::FirstPage;
use crate::github::told::{Told, object_id};
use crate::transport::{Brought, Doubt, Ends, Transport as _, WindowWanted};

/// How many pages of a comparison are read, of a hundred commits each.
const MOST_COMPARED: usize = 200;
/// How many pages of history behind the older end are read, where the sides meet far back.
const MOST_PAGES: usize = 10;
/// How many parents outside of the window are looked for.
const MOST_PARENTS: usize = 20;
/// How many tips beside a window are asked for: each costs a request.
const MOST_TIPS: usize = 4;

/// A commit's tree and parents.
#[derive(Debug, Clone)]
pub(super) struct Known {
    pub(super) tree: Oid,
    pub(super) parents: Vec<Oid>,
}

/// What is known of commits, whether their objects came out or not.
pub(super) struct Pool {
    known: HashMap<Oid, Known>,
    unproven: HashSet<Oid>,
    /// A commit of which too little was told to make anything of it.
    untold: Option<Oid>,
    reader: ObjectReader,
}

impl Pool {
    /// A commit's tree and parents: as told, or as its object says.
    pub(super) fn get(&mut self, oid: Oid) -> Result<Option<Known>, CrawlError> {
        if let Some(known) = self.known.get(&oid) {
            return Ok(Some(known.clone()));
        }
        let found = self.reader.object(oid)?.filter(|(kind, _)| kind == "commit");
        Ok(found.and_then(|(_, bytes)| parsed(&bytes)))
    }

    /// Puts commits into the object store.
    fn add(&mut self, objects: &ObjectStore, commits: &[Told]) -> Result<(), CrawlError> {
        let there = record::kinds(objects, commits.iter().map(|told| told.oid))?;
        for told in commits {
            let known = Known { tree: told.tree(), parents: told.parents() };
            if self.known.insert(told.oid, known).is_some() || there.contains_key(&told.oid) {
                continue;
            }
            if let Some(bytes) = told.object()
                && written(objects, bytes)? == Some(told.oid)
            {
                continue;
            }
            // What was told of it is kept, and that nothing proves it.
            let stand_in = match told.stand_in() {
                Some(own) => written(objects, own)?,
                None => None,
            };
            let Some(stand_in) = stand_in else {
                self.untold = Some(told.oid);
                continue;
            };
            let name = format!("refs/replace/{}", told.oid);
            git::output(objects.dir(), &["update-ref", &name, &stand_in.to_string()])?;
            self.unproven.insert(told.oid);
        }
        self.settle(objects, commits)
    }

    /// Tells git where the history that is there ends: at each commit of which a parent is
    /// not there.
    fn settle(&mut self, objects: &ObjectStore, commits: &[Told]) -> Result<(), CrawlError> {
        let mut ends: Vec<Oid> = cut(objects).into_iter().collect();
        ends.extend(commits.iter().map(|told| told.oid));
        ends.sort_unstable();
        ends.dedup();
        let mut parents: Vec<(Oid, Vec<Oid>)> = Vec::new();
        for oid in ends {
            let known = self.get(oid)?;
            parents.extend(known.map(|known| (oid, known.parents)));
        }
        let there = record::kinds(objects, parents.iter().flat_map(|(_, p)| p.clone()))?;
        let is_there = |oid: &Oid| there.contains_key(oid) || self.unproven.contains(oid);
        parents.retain(|(_, parents)| !parents.iter().all(is_there));
        let text: String = parents.iter().map(|(oid, _)| format!("{oid}\n")).collect();
        let file = objects.dir().join("shallow");
        let own = file.with_extension("new");
        let io = |source| StoreError::Io { path: file.clone(), source };
        if text.is_empty() {
            return match std::fs::remove_file(&file) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(io(error).into()),
                _ => Ok(()),
            };
        }
        std::fs::write(&own, text).and_then(|()| std::fs::rename(&own, &file)).map_err(io)?;
        Ok(())
    }
}

impl Rest<'_> {
    /// Brings the commits of both sides of a window as far as where they meet, their
    /// parents, and the tips beside it.
    pub(super) fn commits(
        &self,
        objects: &ObjectStore,
        window: &WindowWanted<'_>,
        page: Option<FirstPage>,
        brought: &mut Brought,
    ) -> Result<Pool, CrawlError> {
        let ends = window.ends;
        let mut pool = Pool {
            known: HashMap::new(),
            unproven: HashSet::new(),
            untold: None,
            reader: objects.reader(),
        };
        if let Some(FirstPage { commits, next, .. }) = page {
            pool.add(objects, &commits)?;
            self.pages(objects, &mut pool, next)?;
        }
        let (mut told, mut next) = self.back_from(ends.base)?;
        pool.add(objects, &told)?;
        let agrees = |objects: &ObjectStore| -> Result<bool, CrawlError> {
            if record::merge_bases(objects, ends).is_empty() {
                return Ok(false);
            }
            let [ahead, behind] = record::sides(objects, ends)?;
            Ok(window.said.is_none_or(|said| ahead <= said.ahead && behind <= said.behind))
        };
        for _ in 1..MOST_PAGES {
            // More than the host counts: history that BASE reaches too, further back.
            let Some(url) = next.take().filter(|_| !told.is_empty()) else { break };
            if agrees(objects)? {
                break;
            }
            (told, next) = self.page(&url)?;
            pool.add(objects, &told)?;
        }
        if record::merge_bases(objects, ends).is_empty() {
            if let Some(oid) = pool.untold {
                let url =
                    self.api.url(&format!("/repos/{}/commits/{oid}", self.repository.borrow()));
                let why = "it has no author, no committer or no dates".to_owned();
                return Err(GitHubError::Unreadable { url, why }.into());
            }
            return Err(CrawlError::NoCommonHistory {
                upstream: window.upstream.name.clone(),
                base: window.names[0].to_owned(),
                head: window.names[1].to_owned(),
            });
        }
        self.tips(objects, &mut pool, window, brought)?;
        self.parents(objects, &mut pool, ends)?;
        let cut = cut(objects);
        if let Some((oid, _)) =
            record::window(objects, ends, &[])?.iter().find(|c| cut.contains(&c.0))
        {
            return Err(CrawlError::Remote {
                url: self.place(),
                what: "take the whole window",
                why: format!("what is before {} did not come", oid.short()),
            });
        }
        brought.unproven.clone_from(&pool.unproven);
        let capped = self.cut_refs.take().into_iter();
        brought.doubts.extend(capped.map(|detail| Doubt { kind: "tags-capped", detail }));
        Ok(pool)
    }

    /// History from a commit back.
    fn back_from(&self, oid: Oid) -> Result<(Vec<Told>, Option<String>), CrawlError> {
        Ok(self.json(&format!("/commits?sha={oid}&per_page=100"))?)
    }

    /// Follows a comparison's pages to their end.
    fn pages(
        &self,
        objects: &ObjectStore,
        pool: &mut Pool,
        mut next: Option<String>,
    ) -> Result<(), CrawlError> {
        #[derive(serde::Deserialize)]
        struct Page {
            commits: Vec<Told>,
        }
        for _ in 0..MOST_COMPARED {
            let Some(url) = next.take() else { break };
            let (page, after): (Page, _) = self.page(&url)?;
            pool.add(objects, &page.commits)?;
            next = after.filter(|_| !page.commits.is_empty());
        }
        Ok(())
    }

    /// The tips beside a window that are not part of it.
    fn tips(
        &self,
        objects: &ObjectStore,
        pool: &mut Pool,
        window: &WindowWanted<'_>,
        brought: &mut Brought,
    ) -> Result<(), CrawlError> {
        let mut asked = 0;
        let mut left_out = 0;
        for tip in window.beside {
            if pool.get(*tip)?.is_some() {
                continue;
            }
            if asked == MOST_TIPS {
                left_out += 1;
                continue;
            }
            asked += 1;
            let (told, _) = self.back_from(*tip)?;
            pool.add(objects, &told)?;
        }
        if left_out > 0 {
            let detail = format!(
                "{left_out} tags beside this window were not looked at: twins of its commits may be in them"
            );
            brought.doubts.push(Doubt { kind: "tips-capped", detail });
        }
        Ok(())
    }

    /// The parents of the window's commits, where the history that came ends before them.
    fn parents(
        &self,
        objects: &ObjectStore,
        pool: &mut Pool,
        ends: Ends,
    ) -> Result<(), CrawlError> {
        for _ in 0..MOST_PARENTS {
            let cut = cut(objects);
            let listed = record::window(objects, ends, &[])?;
            let mut lacking = None;
            for (oid, _) in listed.iter().filter(|(oid, _)| cut.contains(oid)) {
                let parents = pool.get(*oid)?.map(|known| known.parents);
                for parent in parents.unwrap_or_default() {
                    if pool.get(parent)?.is_none() {
                        lacking = Some(parent);
                    }
                }
            }
            let Some(parent) = lacking else { break };
            let (told, _) = self.back_from(parent)?;
            if told.is_empty() {
                break;
            }
            pool.add(objects, &told)?;
        }
        Ok(())
    }
}

/// Writes a commit; none where git does not take it for one.
fn written(objects: &ObjectStore, bytes: Vec<u8>) -> Result<Option<Oid>, CrawlError> {
    let oid = object_id("commit", &bytes);
    let args = ["hash-object", "-t", "commit", "-w", "--stdin"];
    match git::output_with_input(objects.dir(), &args, bytes) {
        Ok(printed) => {
            Ok((String::from_utf8_lossy(&printed).trim() == oid.to_string()).then_some(oid))
        }
        Err(git::GitError::Failed { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// A commit object's tree and parents.
fn parsed(bytes: &[u8]) -> Option<Known> {
    let text = String::from_utf8_lossy(bytes);
    let mut lines = text.lines();
    let tree = lines.next()?.strip_prefix("tree ")?.parse().ok()?;
    let parents =
        lines.map_while(|line| line.strip_prefix("parent ")).filter_map(|p| p.parse().ok());
    Some(Known { tree, parents: parents.collect() })
}
