//! The ledger: default events of every commit, from the files before and after it.

use std::collections::{BTreeSet, HashMap};

use headwater_store::model::{ChangeStatus, FileChange};
use headwater_store::objects::{ObjectReader, ObjectStore};
use headwater_store::upstream::Upstream;
use headwater_store::{
    CommitId, DefaultEventRow, NewDefaultEvents, Oid, Store, StoreError, StoredPatch,
};

use crate::QueryError;
use crate::ledger::{Entry, Event, Extractors, FileTables, Session, TreeSide};

/// What a derivation did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Derived {
    /// Commits looked at.
    pub commits: usize,
    /// Events found.
    pub events: usize,
    /// Files that could not be read, since a blob is missing.
    pub gaps: usize,
}

/// Whether the default events of every commit of an upstream are those of the extractors.
///
/// # Errors
/// Those of the store.
pub fn is_current(
    store: &Store,
    upstream: &str,
    extractors: &Extractors,
) -> Result<bool, QueryError> {
    let id = store.upstream(upstream)?;
    let rules = extractors.hash().into_bytes();
    Ok(match store.default_events_state(id)?.filter(|state| state.rules == rules) {
        Some(state) => store.commit_ids_after(id, state.through)?.is_empty(),
        None => false,
    })
}

/// One commit's files that extractors read.
pub(crate) struct Work {
    id: CommitId,
    tree: Oid,
    parent: Option<Oid>,
    files: Vec<FileChange>,
}

/// Derives the default events of the commits that are new since the last time, or of
/// all where the extractors changed. Merges have none: what reaches the branch through
/// one belongs to the commit that did it.
///
/// # Errors
/// Those of the store, and where the objects are gone that it needs.
pub fn derive(
    store: &mut Store,
    upstream: &Upstream,
    extractors: &Extractors,
    jobs: usize,
) -> Result<Derived, QueryError> {
    let id = store.upstream(&upstream.name)?;
    let rules = extractors.hash().into_bytes();
    let state = store.default_events_state(id)?.filter(|s| s.rules == rules);
    let (after, fresh) = state.map_or((CommitId::NONE, true), |s| (s.through, false));
    let ids = store.commit_ids_after(id, after)?;
    let Some(through) = ids.last().copied() else { return Ok(Derived::default()) };
    store.derives()?;
    let objects = store.objects(&upstream.name)?;
    if let Some(dir) = objects.lost_clone() {
        return Err(QueryError::LostClone {
            upstream: upstream.name.clone(),
            dir: dir.display().to_string(),
        });
    }
    let name = upstream.name.as_str();
    let work = store.map_patches(id, &ids, jobs, |patch| work(extractors, name, &patch))?;
    let work: Vec<Work> = work.into_iter().flatten().collect();
    let mut new = NewDefaultEvents::default();
    let mut names = BTreeSet::new();
    let mut gaps = 0;
    for part in in_parallel(&objects, extractors, name, &work, jobs)? {
        new.events.extend(part.events);
        names.extend(part.names);
        gaps += part.gaps;
    }
    new.names = names.into_iter().collect();
    let derived = Derived { commits: ids.len(), events: new.events.len(), gaps };
    store.add_default_events(id, &rules, through, fresh, &new)?;
    Ok(derived)
}

/// What there is to do for a commit; nothing for merges and other files.
fn work(extractors: &Extractors, upstream: &str, stored: &StoredPatch) -> Option<Work> {
    let patch = stored.patch();
    if patch.commit.is_merge() {
        return None;
    }
    let reads = |f: &&FileChange| {
        !f.binary
            && (extractors.reads(upstream, &f.path) || extractors.reads(upstream, f.path_before()))
    };
    let files: Vec<FileChange> = patch.files.iter().filter(reads).cloned().collect();
    let parent = patch.commit.parents.first().copied();
    // Only where a hunk touches what holds a default is there anything to read.
    let touched = files.iter().any(|f| extractors.touched(upstream, f));
    touched.then(|| Work { id: stored.stored().id(), tree: patch.commit.tree, parent, files })
}

/// What one thread found.
#[derive(Default)]
struct Part {
    events: Vec<DefaultEventRow>,
    names: BTreeSet<(String, String)>,
    gaps: usize,
}

fn in_parallel(
    objects: &ObjectStore,
    extractors: &Extractors,
    upstream: &str,
    work: &[Work],
    jobs: usize,
) -> Result<Vec<Part>, StoreError> {
    // Whole stretches of history a thread, so that a file's last version is at hand.
    let chunk = work.len().div_ceil(jobs.max(1)).max(1);
    std::thread::scope(|scope| {
        let threads: Vec<_> = work
            .chunks(chunk)
            .map(|part| scope.spawn(move || read_part(objects, extractors, upstream, part)))
            .collect();
        let died = || StoreError::Damaged("a reader of defaults died".to_owned());
        threads.into_iter().map(|t| t.join().unwrap_or_else(|_| Err(died()))).collect()
    })
}

fn read_part(
    objects: &ObjectStore,
    extractors: &Extractors,
    upstream: &str,
    work: &[Work],
) -> Result<Part, StoreError> {
    let mut reader = Tables::new(objects.reader(), extractors, upstream);
    let mut part = Part::default();
    for commit in work {
        let found = reader.of_commit(commit, true)?;
        part.gaps += found.gaps;
        part.names.extend(found.names);
        part.events.extend(found.events.into_iter().map(|e| row(commit.id, e)));
    }
    Ok(part)
}

/// What one commit's files tell.
#[derive(Default)]
pub(crate) struct OfCommit {
    pub(crate) events: Vec<Event>,
    names: Vec<(String, String)>,
    gaps: usize,
}

fn row(commit: CommitId, event: Event) -> DefaultEventRow {
    let json = |value: serde_json::Result<String>| value.unwrap_or_default();
    DefaultEventRow {
        commit,
        extractor: event.extractor,
        knob: event.knob,
        scope: event.scope.name().to_owned(),
        old: event.old,
        new: event.new,
        path: event.path,
        line: event.line,
        before: event.before,
        how: json(serde_json::to_string(&event.how)),
        names: json(serde_json::to_string(&event.names)),
    }
}

/// Tables by blob, the last few kept.
pub(crate) struct Tables<'e> {
    extractors: &'e Extractors,
    reader: ObjectReader,
    session: Session<'e>,
    upstream: String,
    known: HashMap<(Oid, String), Vec<Entry>>,
}

/// How many tables are kept at hand.
const KEPT: usize = 512;

impl<'e> Tables<'e> {
    /// Over an object store of an upstream.
    pub(crate) fn new(reader: ObjectReader, extractors: &'e Extractors, upstream: &str) -> Self {
        let session = Session::new(extractors);
        Tables { extractors, reader, session, upstream: upstream.to_owned(), known: HashMap::new() }
    }

    /// The files of a commit that are to be read.
    pub(crate) fn work(&self, patch: &StoredPatch) -> Option<Work> {
        work(self.extractors, &self.upstream, patch)
    }

    /// The default events of a commit. What is told of a file in another one is looked up in
    /// the commit's tree and its parent's, where `across` asks for it.
    pub(crate) fn of_commit(&mut self, work: &Work, across: bool) -> Result<OfCommit, StoreError> {
        let mut out = OfCommit::default();
        let mut tables = Vec::new();
        for file in &work.files {
            if !self.extractors.touched(&self.upstream, file) {
                continue;
            }
            let Some(both) = self.both(file)? else {
                out.gaps += 1;
                continue;
            };
            for entry in both.after.iter().chain(&both.before) {
                out.names.extend(entry.names.iter().map(|n| (entry.knob.clone(), n.clone())));
            }
            tables.push(both);
        }
        out.events = self.extractors.events(&tables);
        if !across || out.events.is_empty() {
            return Ok(out);
        }
        let mut before = None;
        let extractors = self.extractors;
        out.events = extractors.across(out.events, |side, path| {
            let tree = match side {
                TreeSide::After => Some(work.tree),
                TreeSide::Before => match before {
                    Some(tree) => tree,
                    None => *before.insert(self.tree_of(work.parent)?),
                },
            };
            self.at(tree, path)
        })?;
        Ok(out)
    }

    /// The tables of a changed file; `None` where a blob is missing.
    fn both(&mut self, file: &FileChange) -> Result<Option<FileTables>, StoreError> {
        let mut tables = FileTables::default();
        let was = !file.old_blob.is_zero() && file.status != ChangeStatus::Copied;
        if was {
            let Some(table) = self.table(file.old_blob, file.path_before())? else {
                return Ok(None);
            };
            tables.old_path = Some(file.path_before().to_owned());
            tables.before = table;
        }
        if !file.new_blob.is_zero() {
            let Some(table) = self.table(file.new_blob, &file.path)? else { return Ok(None) };
            tables.path = Some(file.path.clone());
            tables.after = table;
        }
        Ok(Some(tables))
    }

    /// The table of one version; `None` where its blob is missing.
    pub(crate) fn table(&mut self, oid: Oid, path: &str) -> Result<Option<Vec<Entry>>, StoreError> {
        let key = (oid, path.to_owned());
        if let Some(known) = self.known.get(&key) {
            return Ok(Some(known.clone()));
        }
        let Some(bytes) = self.reader.blob(oid)? else { return Ok(None) };
        let table = self.session.table(&self.upstream, path, &bytes);
        if self.known.len() >= KEPT {
            self.known.clear();
        }
        self.known.insert(key, table.clone());
        Ok(Some(table))
    }

    /// The tree of a commit, where the store has it.
    fn tree_of(&mut self, commit: Option<Oid>) -> Result<Option<Oid>, StoreError> {
        let Some(oid) = commit else { return Ok(None) };
        let Some((kind, data)) = self.reader.object(oid)? else { return Ok(None) };
        let line = data.split(|b| *b == b'\n').next().unwrap_or_default();
        let hex = line.strip_prefix(b"tree ").filter(|_| kind == "commit");
        Ok(hex.and_then(Oid::from_hex))
    }

    /// The table of a file in a tree; empty where there is none.
    fn at(&mut self, tree: Option<Oid>, path: &str) -> Result<Vec<Entry>, StoreError> {
        let Some(tree) = tree else { return Ok(Vec::new()) };
        let entry = self.reader.entry(tree, path)?.filter(|e| e.is_blob());
        match entry {
            Some(entry) => Ok(self.table(entry.oid, path)?.unwrap_or_default()),
            None => Ok(Vec::new()),
        }
    }

    /// The files of a tree, for a look at everything that it holds.
    pub(crate) fn reader(&mut self) -> &mut ObjectReader {
        &mut self.reader
    }
}
