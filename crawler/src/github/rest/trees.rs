//! The trees of a window's commits: the first from its list, each further one by its
//! commit's patch.

use std::collections::{BTreeSet, HashMap, HashSet};

use headwater_store::objects::{ObjectReader, ObjectStore};
use headwater_store::{Oid, git};
use serde::Deserialize;

use super::Rest;
use super::ask::Got;
use super::commits::{Known, Pool};
use super::index::{Entry, Index, planted};
use super::mail;
use crate::CrawlError;
use crate::git::record;
use crate::git::window::near;
use crate::github::GitHubError;
use crate::transport::WindowWanted;

/// How deep lists of folders are followed where one list does not hold a whole tree.
const DEEPEST: usize = 20;

#[derive(Deserialize)]
struct Listed {
    tree: Vec<Entry>,
    #[serde(default)]
    truncated: bool,
}

/// What trees are made with.
struct Grower<'a> {
    objects: &'a ObjectStore,
    index: Index<'a>,
    reader: ObjectReader,
}

impl Grower<'_> {
    /// Whether a tree is there with all below it.
    fn has(&mut self, tree: Oid) -> bool {
        self.reader.files(tree).is_ok()
    }

    /// The files of a tree.
    fn files(&mut self, tree: Oid) -> Result<HashMap<String, Oid>, CrawlError> {
        let all = self.reader.files(tree)?.into_iter();
        Ok(all.filter(|(_, e)| e.is_blob()).map(|(path, entry)| (path, entry.oid)).collect())
    }
}

impl Rest<'_> {
    /// Brings the trees of a window's commits and of their first parents.
    pub(super) fn trees(
        &self,
        objects: &ObjectStore,
        window: &WindowWanted<'_>,
        pool: &mut Pool,
    ) -> Result<(), CrawlError> {
        let others = near(objects, window.beside, window.ends);
        let mut order: Vec<(Oid, Known)> = Vec::new();
        for (oid, _) in record::window(objects, window.ends, &others)? {
            order.extend(pool.get(oid)?.map(|known| (oid, known)));
        }
        let mut grower = Grower { objects, index: Index::new(objects), reader: objects.reader() };
        let own: HashSet<Oid> = order.iter().map(|(oid, _)| *oid).collect();
        let mut starts: Vec<Oid> =
            order.iter().filter_map(|(_, known)| known.parents.first().copied()).collect();
        starts.retain(|parent| !own.contains(parent));
        starts.dedup();
        for start in &starts {
            let Some(Known { tree, .. }) = pool.get(*start)? else { continue };
            if !grower.has(tree) {
                self.listed_tree(&mut grower, tree)?;
            }
            self.note_places(*start, &grower.files(tree)?);
        }
        let tips = [&[window.ends.head, window.ends.base], others.as_slice()].concat();
        let diffs = self.diffs(&mut grower, &order, &tips)?;
        if let Some(Known { tree, .. }) =
            starts.first().map(|s| pool.get(*s)).transpose()?.flatten()
        {
            // All at once, so that many come out of one archive.
            let touched: BTreeSet<String> =
                diffs.values().flat_map(|diff| mail::old_paths(diff)).collect();
            let files = grower.files(tree)?.into_iter();
            let blobs: Vec<Oid> = files
                .filter(|(path, _)| touched.contains(path) || (window.at_ends)(path))
                .map(|(_, oid)| oid)
                .collect();
            self.bring_files(objects, &blobs)?;
        }
        for (oid, known) in &order {
            if !grower.has(known.tree) {
                let parent = known.parents.first().map(|parent| pool.get(*parent)).transpose()?;
                let parent = parent.flatten().map(|parent| parent.tree);
                self.grow(&mut grower, *oid, known, parent, diffs.get(oid))?;
            }
        }
        Ok(())
    }

    /// The diffs of the commits whose trees are not there, as many as come in few requests.
    fn diffs(
        &self,
        grower: &mut Grower<'_>,
        order: &[(Oid, Known)],
        tips: &[Oid],
    ) -> Result<HashMap<Oid, Vec<u8>>, CrawlError> {
        let own: HashMap<Oid, &Known> = order.iter().map(|(oid, known)| (*oid, known)).collect();
        let mut diffs = HashMap::new();
        for tip in tips {
            // From the first commit that lacks its tree on, along first parents.
            let (mut line, mut at) = (Vec::new(), Some(*tip));
            while let Some(oid) = at.take()
                && let Some(known) = own.get(&oid)
                && !grower.has(known.tree)
                && !diffs.contains_key(&oid)
            {
                line.push(oid);
                at = known.parents.first().copied();
            }
            line.reverse();
            let before = line.first().and_then(|first| own.get(first)?.parents.first());
            if let Some(before) = before {
                self.range(*before, &line, &mut diffs)?;
            }
        }
        Ok(diffs)
    }

    /// The diffs of a line of commits, in halves where one answer does not hold them.
    fn range(
        &self,
        before: Oid,
        line: &[Oid],
        diffs: &mut HashMap<Oid, Vec<u8>>,
    ) -> Result<(), GitHubError> {
        let Some(tip) = line.last() else { return Ok(()) };
        let range = format!("{before}...{tip}");
        let got = match self.web_text(&format!("compare/{range}.patch"))? {
            Got::Nothing => self.api_patches(&range)?,
            got => got,
        };
        match got {
            Got::Whole(mails) => diffs.extend(mail::diffs(&mails)),
            Got::TooLarge if line.len() > 1 => {
                let (older, newer) = line.split_at(line.len() / 2);
                self.range(before, older, diffs)?;
                self.range(older.last().copied().unwrap_or(before), newer, diffs)?;
            }
            // Commit by commit, then.
            Got::TooLarge | Got::Nothing => {}
        }
        Ok(())
    }

    /// Makes the tree of one commit, by the cheapest way that leads to it.
    fn grow(
        &self,
        grower: &mut Grower<'_>,
        oid: Oid,
        known: &Known,
        parent: Option<Oid>,
        diff: Option<&Vec<u8>>,
    ) -> Result<(), CrawlError> {
        if let Some(diff) = diff
            && self.patched(grower, known, parent, diff)?
        {
            return Ok(());
        }
        if let [one, two] = known.parents.as_slice() {
            // What a merge without conflicts gives, git can tell by itself.
            let args = ["merge-tree", "--write-tree", &one.to_string(), &two.to_string()];
            let _ = git::output(grower.objects.dir(), &args);
            if grower.has(known.tree) {
                return Ok(());
            }
        }
        // A diff alone has no message that could be taken for one, and merges have it too.
        if let Got::Whole(diff) = self.web_text(&format!("commit/{oid}.diff"))?
            && self.patched(grower, known, parent, &diff)?
        {
            return Ok(());
        }
        self.listed_tree(grower, known.tree)?;
        let files = grower.files(known.tree)?;
        self.note_places(oid, &files);
        Ok(())
    }

    /// Whether a patch of the parent's tree gives the commit's.
    fn patched(
        &self,
        grower: &mut Grower<'_>,
        known: &Known,
        parent: Option<Oid>,
        diff: &[u8],
    ) -> Result<bool, CrawlError> {
        if let Some(parent) = parent {
            let files = grower.files(parent)?;
            let needed: Vec<Oid> =
                mail::old_paths(diff).iter().filter_map(|path| files.get(path).copied()).collect();
            self.bring_files(grower.objects, &needed)?;
        }
        Ok(grower.index.patched(parent, diff)? == Some(known.tree) && grower.has(known.tree))
    }

    /// Makes a tree as the API lists it.
    fn listed_tree(&self, grower: &mut Grower<'_>, tree: Oid) -> Result<(), CrawlError> {
        let mut entries = Vec::new();
        self.list(tree, "", 0, &mut entries)?;
        if planted(grower.objects, tree, &entries)? && grower.has(tree) {
            return Ok(());
        }
        Err(GitHubError::Unreadable {
            url: self.api.url(&format!("/repos/{}/git/trees/{tree}", self.repository.borrow())),
            why: "the tree that it lists has another id".to_owned(),
        }
        .into())
    }

    /// The entries of a tree and all below it, folder by folder where one list is cut.
    fn list(
        &self,
        tree: Oid,
        prefix: &str,
        depth: usize,
        entries: &mut Vec<Entry>,
    ) -> Result<(), GitHubError> {
        let (whole, _): (Listed, _) = self.json(&format!("/git/trees/{tree}?recursive=1"))?;
        let cut = whole.truncated;
        let listed =
            if cut { self.json::<Listed>(&format!("/git/trees/{tree}"))?.0 } else { whole };
        for mut entry in listed.tree {
            entry.path = format!("{prefix}{}", entry.path);
            let below = entry.sha.parse::<Oid>().ok().filter(|_| cut && entry.kind == "tree");
            let path = format!("{}/", entry.path);
            entries.push(entry);
            if let Some(below) = below.filter(|_| depth < DEEPEST) {
                self.list(below, &path, depth + 1, entries)?;
            }
        }
        Ok(())
    }
}
