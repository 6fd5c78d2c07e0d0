//! The classes of commits, by the rules: only what is new, or all when rules changed.

use std::cell::OnceCell;
use std::collections::HashMap;

use headwater_store::model::{Label, LineRef, Side};
use headwater_store::upstream::Upstream;
use headwater_store::{CommitId, DefaultEventRow, Store, StoredCommit, StoredPatch, UpstreamId};
use sha2::{Digest as _, Sha256};

use super::default_events;
use crate::QueryError;
use crate::classify::{Fact, RuleTexts, RuleTold, Rules};
use crate::ledger::Extractors;
use crate::names::nearest;

/// How many commits are labelled between two transactions, where older ones keep their labels.
const BATCH: usize = 2000;

/// What decides a label besides the commit.
#[derive(Clone, Copy)]
pub struct Sources<'a> {
    /// The rules, which are compiled only where there is something to label.
    pub rules: &'a RuleTexts,
    /// The extractors, whose default events are facts to the rules.
    pub extractors: &'a Extractors,
}

/// Labels an upstream's commits that are not yet, or all where the rules are others than
/// those that made the labels; tells how many were labelled. Default events are derived
/// first, since rules ask for them.
///
/// Merges get no label: what they bring has its own commits.
///
/// # Errors
/// Those of the store.
pub fn derive(
    store: &mut Store,
    upstream: &Upstream,
    sources: &Sources<'_>,
    jobs: usize,
) -> Result<usize, QueryError> {
    let id = store.upstream(&upstream.name)?;
    match default_events::derive(store, upstream, sources.extractors, jobs) {
        // The clone has gone: what was derived before it went is still true.
        Ok(_) | Err(QueryError::LostClone { .. }) => {}
        Err(error) => return Err(error),
    }
    let state = store.derivation("labels", id)?;
    let mark = Mark::of(store, id, &upstream.name, sources)?;
    let current = state.as_ref().map(|state| mark.fits(&state.rules)).transpose()?;
    let anew = current.is_none_or(|fit| fit == Fit::Not);
    let after = state.filter(|_| !anew).map_or(CommitId::NONE, |state| state.through);
    let ids = store.commit_ids_after(id, after)?;
    if ids.is_empty() && !anew && current == Some(Fit::Exact) {
        return Ok(0);
    }
    store.derives()?;
    let hash = mark.stored()?;
    if ids.is_empty() && !anew {
        // Rules changed, but none that decides a label here.
        store.write_labels(id, &hash, false, after, &[])?;
        return Ok(0);
    }
    let rules = sources.rules.compile()?;
    // Made anew they are written at once: nobody ever reads half of the old and half of
    // the new.
    let most = if anew { ids.len().max(1) } else { BATCH };
    let batches: Vec<&[CommitId]> =
        if ids.is_empty() { vec![&[]] } else { ids.chunks(most).collect() };
    for batch in batches {
        let labels = label(store, id, &upstream.name, &rules, batch, jobs)?;
        let through = batch.last().copied().unwrap_or(after);
        store.write_labels(id, &hash, anew, through, &labels)?;
    }
    Ok(ids.len())
}

/// Whether every commit of an upstream was labelled by these rules.
///
/// # Errors
/// Those of the store.
pub fn is_current(store: &Store, upstream: &str, sources: Sources<'_>) -> Result<bool, QueryError> {
    let id = store.upstream(upstream)?;
    let Some(state) = store.derivation("labels", id)? else { return Ok(false) };
    let fits = Mark::of(store, id, upstream, &sources)?.fits(&state.rules)? != Fit::Not;
    Ok(fits && store.commit_ids_after(id, state.through)?.is_empty())
}

/// The labels of one commit by these rules, whatever the store keeps: how a rule's author
/// sees what it does.
///
/// # Errors
/// Those of the store.
pub fn label_one(
    store: &Store,
    upstream: &str,
    rules: &Rules,
    commit: CommitId,
) -> Result<Vec<Label>, QueryError> {
    let id = store.upstream(upstream)?;
    let labels = label(store, id, upstream, rules, &[commit], 1)?;
    Ok(labels.into_iter().flat_map(|(_, labels)| labels).collect())
}

/// What keeps a commit from each class that covering rules give: for the classes that it
/// has not, a line of each hunk that no such rule covers.
///
/// # Errors
/// Those of the store.
pub fn uncovered(
    store: &Store,
    upstream: &str,
    rules: &Rules,
    commit: &StoredCommit,
) -> Result<Vec<(String, Vec<LineRef>)>, QueryError> {
    let id = store.upstream(upstream)?;
    let known: Vec<Fact> = store.default_events_of(&[commit.id()])?.into_iter().map(fact).collect();
    let one = |patch: StoredPatch| -> Vec<(String, Vec<LineRef>)> {
        let patch = patch.patch();
        let left = |class: &str| rules.uncovered(class, upstream, patch, &known);
        let classes = rules.covering_classes().into_iter();
        classes.map(|class| (class.to_owned(), left(class))).collect()
    };
    let mut found = store.map_patches(id, &[commit.id()], 1, one)?.pop().unwrap_or_default();
    found.retain(|(_, lines)| !lines.is_empty());
    Ok(found)
}

/// What keeps a rule from firing on a commit; nothing where no rule has the id.
///
/// # Errors
/// Those of the store.
pub fn told(
    store: &Store,
    upstream: &str,
    rules: &Rules,
    commit: &StoredCommit,
    rule: &str,
) -> Result<Option<RuleTold>, QueryError> {
    let id = store.upstream(upstream)?;
    let known: Vec<Fact> = store.default_events_of(&[commit.id()])?.into_iter().map(fact).collect();
    let one = |patch: StoredPatch| rules.told(rule, upstream, patch.patch(), &known);
    Ok(store.map_patches(id, &[commit.id()], 1, one)?.pop().flatten())
}

/// Refuses a class that no rule gives.
///
/// # Errors
/// [`QueryError::NoRuleGives`] with the nearest names, and rules that are not sound.
pub fn require_given(rules: &RuleTexts, class: &str) -> Result<(), QueryError> {
    let known = rules.classes()?;
    if known.iter().any(|name| name == class) {
        return Ok(());
    }
    let nearest = nearest(class, known).join(", ");
    Err(QueryError::NoRuleGives { class: class.to_owned(), nearest })
}

/// The labels of commits: those that were derived by the same rules, else made now.
pub struct Labeller<'a> {
    store: &'a Store,
    upstream: String,
    sources: Sources<'a>,
    through: Option<CommitId>,
    compiled: OnceCell<Rules>,
}

impl<'a> Labeller<'a> {
    /// A labeller for an upstream of which something is stored.
    ///
    /// # Errors
    /// Those of the store.
    pub fn new(store: &'a Store, upstream: &str, sources: Sources<'a>) -> Result<Self, QueryError> {
        let id = store.upstream(upstream)?;
        let state = match store.derivation("labels", id)? {
            Some(state) => {
                let fit = Mark::of(store, id, upstream, &sources)?.fits(&state.rules)?;
                (fit != Fit::Not).then_some(state)
            }
            None => None,
        };
        Ok(Labeller {
            store,
            upstream: upstream.to_owned(),
            sources,
            through: state.map(|state| state.through),
            compiled: OnceCell::new(),
        })
    }

    /// The labels of one commit.
    ///
    /// # Errors
    /// Those of the store, and rules that are not sound.
    pub fn labels(&self, commit: CommitId) -> Result<Vec<Label>, QueryError> {
        if self.through.is_some_and(|through| commit <= through) {
            return Ok(self.store.labels(commit)?);
        }
        let rules = match self.compiled.get() {
            Some(rules) => rules,
            None => {
                let compiled = self.sources.rules.compile()?;
                self.compiled.get_or_init(|| compiled)
            }
        };
        label_one(self.store, &self.upstream, rules, commit)
    }
}

/// What labels are stored under: the hash of all rules, quick to tell, and of those that
/// decide a label of this upstream; both with the extractors that the events known so far
/// are of.
struct Mark<'a> {
    all: [u8; 32],
    events: Vec<u8>,
    upstream: &'a str,
    rules: &'a RuleTexts,
}

/// How stored labels fit the rules in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fit {
    /// They are of these very rules.
    Exact,
    /// They are of rules that differ in nothing that decides a label here.
    Same,
    /// They are of others.
    Not,
}

impl<'a> Mark<'a> {
    fn of(
        store: &Store,
        id: UpstreamId,
        upstream: &'a str,
        sources: &Sources<'a>,
    ) -> Result<Self, QueryError> {
        let events = store.default_events_state(id)?.map(|events| events.rules);
        let events = events.unwrap_or_default();
        let rules = sources.rules;
        Ok(Mark { all: with(&rules.hash(), &events), events, upstream, rules })
    }

    fn fits(&self, stored: &[u8]) -> Result<Fit, QueryError> {
        let (all, own) = stored.split_at(stored.len().min(self.all.len()));
        Ok(if all == self.all {
            Fit::Exact
        } else if own == self.own()? {
            Fit::Same
        } else {
            Fit::Not
        })
    }

    fn own(&self) -> Result<[u8; 32], QueryError> {
        Ok(with(&self.rules.hash_for(self.upstream)?, &self.events))
    }

    fn stored(&self) -> Result<Vec<u8>, QueryError> {
        Ok([self.all, self.own()?].concat())
    }
}

fn with(rules: &[u8], events: &[u8]) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(rules);
    hash.update(events);
    hash.finalize().into()
}

fn label(
    store: &Store,
    id: UpstreamId,
    upstream: &str,
    rules: &Rules,
    ids: &[CommitId],
    jobs: usize,
) -> Result<Vec<(CommitId, Vec<Label>)>, QueryError> {
    let mut facts: HashMap<CommitId, Vec<Fact>> = HashMap::new();
    for event in store.default_events_of(ids)? {
        facts.entry(event.commit).or_default().push(fact(event));
    }
    let one = |patch: StoredPatch| {
        let commit = patch.stored().id();
        let known = facts.get(&commit).map_or(&[][..], Vec::as_slice);
        let labels = if patch.patch().commit.is_merge() {
            Vec::new()
        } else {
            let mut labels = rules.classify(upstream, patch.patch(), known);
            // In the order in which the store gives them.
            labels.sort_by(|a, b| (&a.class, &a.rule).cmp(&(&b.class, &b.rule)));
            labels
        };
        (commit, labels)
    };
    Ok(store.map_patches(id, ids, jobs, one)?)
}

/// A default event as a fact: `scope knob: old -> new`, a side that is not there as `(none)`.
fn fact(event: DefaultEventRow) -> Fact {
    let side = if event.new.is_some() { Side::Added } else { Side::Removed };
    let none = || "(none)".to_owned();
    let (old, new) = (event.old.unwrap_or_else(none), event.new.unwrap_or_else(none));
    let text = format!("{}: {old} -> {new}", event.knob);
    Fact {
        name: "default-event".to_owned(),
        detail: format!("{} {text}", event.scope),
        at: LineRef {
            path: event.path,
            side,
            line: event.line,
            text: text.chars().take(200).collect(),
        },
    }
}
