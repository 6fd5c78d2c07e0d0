//! Is this change in that release?

use headwater_store::evidence::{Basis, Grade, Receipt};
use headwater_store::upstream::{Upstream, Upstreams};
use headwater_store::{Oid, Store, StoredCommit};
use schemars::JsonSchema;
use serde::Serialize;

use crate::QueryError;
use crate::pins::{PinReader, PinValue};
use crate::rank::MentionKind;
use crate::window::Resolver;

/// A change as somebody names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A pull request: `llama.cpp#26802`, `#17679`.
    Pull {
        /// The upstream it is of; that of the release where none is named.
        upstream: Option<String>,
        /// Its number.
        number: u32,
    },
    /// A commit, in full or in part: `ebb546b7e`, `llama.cpp@ebb546b7e`.
    Commit {
        /// The upstream it is of; any where none is named.
        upstream: Option<String>,
        /// The id.
        sha: String,
    },
}

impl Target {
    /// Reads a name of a change.
    ///
    /// # Errors
    /// [`QueryError::NoChange`].
    pub fn parse(text: &str) -> Result<Self, QueryError> {
        let wrong = || QueryError::NoChange(text.to_owned());
        let of = |name: &str| (!name.is_empty()).then(|| name.to_owned());
        if let Some((upstream, number)) = text.rsplit_once('#') {
            let number = number.parse().map_err(|_| wrong())?;
            return Ok(Target::Pull { upstream: of(upstream), number });
        }
        let (upstream, sha) = text.split_once('@').unwrap_or(("", text));
        let fits = (7..=40).contains(&sha.len()) && sha.bytes().all(|b| b.is_ascii_hexdigit());
        if !fits {
            return Err(wrong());
        }
        Ok(Target::Commit { upstream: of(upstream), sha: sha.to_lowercase() })
    }

    /// The upstream that it names.
    pub(crate) fn upstream(&self) -> Option<&str> {
        match self {
            Target::Pull { upstream, .. } | Target::Commit { upstream, .. } => upstream.as_deref(),
        }
    }

    /// The stored commits of an upstream that are this change.
    pub(crate) fn commits(
        &self,
        store: &Store,
        of: &Upstream,
    ) -> Result<Vec<StoredCommit>, QueryError> {
        let Some(id) = store.find_upstream(&of.name)? else { return Ok(Vec::new()) };
        Ok(match self {
            Target::Pull { number, .. } => {
                let mut found = store.commits_of_pull(id, *number)?;
                // What the host named for commits whose subjects name none.
                for oid in store.commits_looked_up(id, *number)? {
                    if !found.iter().any(|one| one.commit().oid == oid) {
                        found.extend(store.commit(id, oid)?);
                    }
                }
                found
            }
            Target::Commit { sha, .. } => store.commits_with_prefix(id, sha, 4)?,
        })
    }
}

/// One commit that is the change, or carries the same patch.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Contained {
    /// The upstream.
    pub upstream: String,
    /// The commit.
    pub sha: Oid,
    /// Its subject: a stranger's text.
    pub subject: String,
    /// Whether the release holds it.
    pub contained: bool,
    /// The twin of it that the release holds, where it does not hold the commit itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub as_twin: Option<Oid>,
    /// The pin through which it is or is not held: none where it is of the release's own
    /// upstream.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pin: Option<String>,
    /// The pinned commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pinned: Option<Oid>,
    /// The first tag that holds it or a twin, a candidate for a release or not.
    pub first_shipped: Option<String>,
    /// The first final release that does: what users received.
    pub first_final_shipped: Option<String>,
    /// Commits that the release holds too and that say they take it back.
    pub reverted_by: Vec<Oid>,
    /// How it was obtained.
    pub receipt: Receipt,
}

/// Whether a release holds a change.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ContainsAnswer {
    /// `headwater/contains/1`
    pub schema: &'static str,
    /// The upstream of the release.
    pub upstream: String,
    /// The release.
    pub revision: String,
    /// Its commit.
    pub sha: Oid,
    /// Whether it holds the change.
    pub contained: bool,
    /// Every commit that is the change.
    pub commits: Vec<Contained>,
    /// How well it is supported: ancestry is a matter of hashes, unless history is cut.
    pub grade: Grade,
    /// What is not seen by it.
    pub notes: Vec<String>,
    /// The same by git alone.
    pub rederive: Vec<String>,
}

/// Whether a release of `upstream` holds a change, itself or through what it pins.
///
/// # Errors
/// An unknown release, a change that no stored commit is, and those of the store.
pub fn contains(
    store: &Store,
    upstreams: &Upstreams,
    upstream: &Upstream,
    revision: &str,
    target: &Target,
) -> Result<ContainsAnswer, QueryError> {
    let release = Resolver::new(store, upstream)?.resolve(revision)?;
    let commit = release.commit.commit();
    let mut reader = PinReader::new(store, upstreams, upstream)?;
    let pins = reader.pins(commit.tree)?;
    let mut commits = Vec::new();
    let mut notes = Vec::new();
    let mut rederive = Vec::new();
    let mut cut = false;
    for place in places(upstreams, upstream, &pins, target) {
        let (of, held): (&Upstream, Result<StoredCommit, String>) = match place {
            Place::Own => (upstream, Ok(release.commit.clone())),
            Place::Pinned(of, pin) => {
                let target = reader.target(pin)?;
                (of, target.map(|target| target.commit).map_err(|gap| gap.why))
            }
        };
        let found = target.commits(store, of)?;
        if found.is_empty() {
            continue;
        }
        let pin = match place {
            Place::Own => None,
            Place::Pinned(_, pin) => Some(pin),
        };
        let held = match held {
            Ok(held) => held,
            Err(why) => {
                notes.push(why);
                cut = true;
                continue;
            }
        };
        let id = store.upstream(&of.name)?;
        let graph = store.graph(id)?;
        let Some(node) = graph.node(held.commit().oid) else { continue };
        let inside = graph.reachable([node]);
        cut |= graph.nodes().any(|node| inside.contains(node) && graph.is_cut(node));
        let holds = |oid: Oid| graph.node(oid).is_some_and(|node| inside.contains(node));
        for stored in found {
            let at = store.place(stored.id())?;
            let (first_shipped, first_final_shipped) =
                at.map_or((None, None), |place| (place.first_shipped, place.first_final_shipped));
            let own = stored.commit();
            let as_twin = match holds(own.oid) {
                true => None,
                false => store.twins(&stored)?.into_iter().find(|twin| holds(*twin)),
            };
            let contained = holds(own.oid) || as_twin.is_some();
            let mut reverted_by = Vec::new();
            for (by, kind) in store.named_by(id, own.oid, own.pull_request())? {
                if kind == MentionKind::Revert as u8 && contained {
                    let by = store.commits(id, &[by])?;
                    reverted_by.extend(by.iter().map(|by| by.commit().oid).filter(|by| holds(*by)));
                }
            }
            rederive.push(format!(
                "git -C {} merge-base --is-ancestor {} {}",
                of.name,
                as_twin.unwrap_or(own.oid),
                held.commit().oid
            ));
            commits.push(Contained {
                upstream: of.name.clone(),
                sha: own.oid,
                subject: own.subject().to_owned(),
                contained,
                as_twin,
                pin: pin.map(|pin| pin.value.clone()),
                pinned: pin.map(|_| held.commit().oid),
                first_shipped,
                first_final_shipped,
                reverted_by,
                receipt: store.receipt(stored.receipt_id())?,
            });
        }
    }
    if commits.is_empty() {
        return Err(QueryError::UnknownChange {
            what: described(target, upstream),
            notes: notes.iter().map(|note| format!("; {note}")).collect(),
        });
    }
    if commits.iter().any(|one| one.pin.is_some()) {
        notes.push(
            "patches that a build lays over its pin are not looked into: `headwater defaults --scope build` names them"
                .to_owned(),
        );
    }
    let contained = commits.iter().any(|one| one.contained);
    Ok(ContainsAnswer {
        schema: "headwater/contains/1",
        upstream: upstream.name.clone(),
        revision: release.name,
        sha: commit.oid,
        contained,
        grade: if cut && !contained { Basis::Lacking.grade() } else { Basis::Objects.grade() },
        commits,
        notes,
        rederive,
    })
}

/// Where a change may be looked for.
#[derive(Clone, Copy)]
enum Place<'a> {
    Own,
    Pinned(&'a Upstream, &'a PinValue),
}

fn places<'a>(
    upstreams: &'a Upstreams,
    upstream: &Upstream,
    pins: &'a [PinValue],
    target: &Target,
) -> Vec<Place<'a>> {
    let named = target.upstream();
    let is = |of: &Upstream, name: &str| upstreams.find(name).is_some_and(|u| u.name == of.name);
    let mut places = Vec::new();
    if named.is_none_or(|name| is(upstream, name)) {
        places.push(Place::Own);
    }
    // A bare number is the release's own; a bare commit may be anybody's.
    let elsewhere = named.is_some() || matches!(target, Target::Commit { .. });
    for pin in pins.iter().filter(|_| elsewhere) {
        if let Some(of) = upstreams.find(&pin.upstream)
            && named.is_none_or(|name| is(of, name))
        {
            places.push(Place::Pinned(of, pin));
        }
    }
    places
}

fn described(target: &Target, upstream: &Upstream) -> String {
    match target {
        Target::Pull { upstream: of, number } => {
            format!("{}#{number}", of.as_deref().unwrap_or(&upstream.name))
        }
        Target::Commit { upstream: of, sha } => match of {
            Some(of) => format!("{of}@{sha}"),
            None => sha.clone(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_changes_are_read() {
        let pull = |upstream: Option<&str>, number| Target::Pull {
            upstream: upstream.map(str::to_owned),
            number,
        };
        assert_eq!(Target::parse("llama.cpp#26802").unwrap(), pull(Some("llama.cpp"), 26802));
        assert_eq!(Target::parse("#17679").unwrap(), pull(None, 17679));
        let sha = Target::Commit { upstream: None, sha: "ebb546b7e".to_owned() };
        assert_eq!(Target::parse("EBB546B7E").unwrap(), sha);
        for bad in ["", "#", "x#y", "ebb5", "not-a-sha", "llama.cpp@b10380"] {
            assert!(Target::parse(bad).is_err(), "{bad}");
        }
    }

    proptest::proptest! {
        #[test]
        fn never_panics(text in "\\PC{0,30}") {
            let _ = Target::parse(&text);
        }
    }
}
