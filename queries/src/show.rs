//! One commit with everything that is known of it.

use chrono::{DateTime, Utc};
use headwater_store::evidence::Receipt;
use headwater_store::model::Side;
use headwater_store::upstream::{Upstream, Upstreams};
use headwater_store::{Oid, Store, StoredCommit};
use schemars::JsonSchema;
use serde::Serialize;

use crate::QueryError;
use crate::abi::{AbiCommit, AbiReader};
use crate::derive::labels::{Labeller, Sources};
use crate::meant::meant;

/// A commit with everything that is known of it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Shown {
    /// `headwater/show/1`
    pub schema: &'static str,
    /// The upstream.
    pub upstream: String,
    /// The commit.
    pub sha: Oid,
    /// The message's first line.
    pub subject: String,
    /// The rest of the message.
    pub body: String,
    /// Who wrote it.
    pub author: String,
    /// When.
    pub authored: DateTime<Utc>,
    /// Who committed it.
    pub committer: String,
    /// When.
    pub committed: DateTime<Utc>,
    /// Its parents.
    pub parents: Vec<Oid>,
    /// The pull request that its subject names.
    pub pr: Option<u32>,
    /// The first tag that contains it.
    pub first_tag: Option<String>,
    /// The first final tag that contains it.
    pub first_final_tag: Option<String>,
    /// The first tag that contains it or a twin.
    pub first_shipped: Option<String>,
    /// The first final tag that contains it or a twin.
    pub first_final_shipped: Option<String>,
    /// Its build number, where the upstream counts builds.
    pub build: Option<String>,
    /// Whether the default branch reaches it.
    pub on_branch: bool,
    /// Other commits with the same patch.
    pub twins: Vec<Oid>,
    /// Lines added.
    pub added: u64,
    /// Lines removed.
    pub deleted: u64,
    /// The changed paths.
    pub files: Vec<String>,
    /// What it is about.
    pub classes: Vec<crate::why::ClassEvidence>,
    /// What it does to public headers, where it does something.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub abi: Option<AbiCommit>,
    /// What of it is missing.
    pub gaps: Vec<String>,
    /// How it was obtained.
    pub receipt: Receipt,
    /// Its patch.
    pub patch: Vec<ShownPatch>,
}

/// One file's patch.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ShownPatch {
    /// The path, and what happened to it.
    pub header: String,
    /// The lines, hunk by hunk.
    pub lines: Vec<ShownLine>,
}

/// One line of a patch.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ShownLine {
    /// Its side.
    pub side: Side,
    /// Its number on that side.
    pub line: u32,
    /// Its text.
    pub text: String,
}

/// The commits that `revision` could mean, in `upstream` or in any that is stored: an id or
/// the start of one, a tag, a build number, a pull request (`#17679`).
///
/// # Errors
/// A revision that means none, and those of the store.
pub fn show(
    store: &Store,
    upstreams: &Upstreams,
    sources: Sources<'_>,
    upstream: Option<&str>,
    revision: &str,
) -> Result<Vec<Shown>, QueryError> {
    let found = meant(store, upstreams, upstream, revision)?.into_iter();
    found.map(|(upstream, commit)| one(store, upstream, sources, commit)).collect()
}

fn one(
    store: &Store,
    upstream: &Upstream,
    sources: Sources<'_>,
    commit: StoredCommit,
) -> Result<Shown, QueryError> {
    let place = store.place(commit.id())?;
    let twins = store.twins(&commit)?;
    let receipt = store.receipt(commit.receipt_id())?;
    let labels = Labeller::new(store, &upstream.name, sources)?.labels(commit.id())?;
    // A merge's own text is worth showing, though it is not kept; its clone may have gone.
    let row = commit.id();
    let mut stored = store.patch(commit)?;
    let mut unread = None;
    if stored.is_deferred() {
        match store.patches_with_merges(store.upstream(&upstream.name)?, &[row]) {
            Ok(filled) => stored = filled.into_iter().next().unwrap_or(stored),
            Err(error) => unread = Some(format!("the text of this merge cannot be read: {error}")),
        }
    }
    // Where the files are gone, the patch alone is shown.
    let reader = AbiReader::new(store, upstream).ok().flatten();
    let abi = reader.and_then(|mut reader| reader.read(&stored).ok().flatten());
    let patch = stored.patch();
    let classes = labels
        .iter()
        .map(|label| crate::why::ClassEvidence {
            class: label.class.clone(),
            rule: label.rule.clone(),
            evidence: crate::why::label_lines(&stored, label),
        })
        .collect::<Vec<_>>();
    let commit = &patch.commit;
    let gaps =
        patch.files.iter().filter(|f| f.gap).map(|f| format!("a blob of {} is missing", f.path));
    let person = |p: &headwater_store::model::Person| format!("{} <{}>", p.name, p.email);
    let build = upstream.build_prefix.as_ref().and_then(|prefix| {
        place.as_ref().filter(|p| p.reachable > 0).map(|p| format!("{prefix}{}", p.reachable))
    });
    Ok(Shown {
        schema: "headwater/show/1",
        upstream: upstream.name.clone(),
        sha: commit.oid,
        subject: commit.subject().to_owned(),
        body: commit.body().to_owned(),
        author: person(&commit.author),
        authored: commit.authored,
        committer: person(&commit.committer),
        committed: commit.committed,
        parents: commit.parents.clone(),
        pr: commit.pull_request(),
        first_tag: place.as_ref().and_then(|p| p.first_tag.clone()),
        first_final_tag: place.as_ref().and_then(|p| p.first_final_tag.clone()),
        first_shipped: place.as_ref().and_then(|p| p.first_shipped.clone()),
        first_final_shipped: place.as_ref().and_then(|p| p.first_final_shipped.clone()),
        build,
        on_branch: place.as_ref().is_some_and(|p| p.on_branch),
        twins,
        added: patch.files.iter().map(|f| u64::from(f.added)).sum(),
        deleted: patch.files.iter().map(|f| u64::from(f.deleted)).sum(),
        files: patch.files.iter().map(|f| f.path.clone()).collect(),
        classes,
        abi,
        gaps: gaps.chain(unread).collect(),
        receipt,
        patch: patch.files.iter().map(shown_patch).collect(),
    })
}

fn shown_patch(file: &headwater_store::model::FileChange) -> ShownPatch {
    let header = match &file.old_path {
        Some(old) => format!("{old} → {}", file.path),
        None => format!("{} ({})", file.path, char::from(file.status.letter())),
    };
    let note = match (file.gap, file.binary) {
        (true, _) => "  [a blob is missing]",
        (_, true) => "  [binary]",
        _ => "",
    };
    let lines = file
        .parsed()
        .into_iter()
        .flat_map(|hunk| hunk.lines)
        .map(|line| ShownLine {
            side: line.side,
            line: line.number(),
            text: line.text_lossy().into_owned(),
        })
        .collect();
    ShownPatch { header: format!("{header}{note}"), lines }
}
