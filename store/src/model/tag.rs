//! Tags, which upstreams move and delete: every look at one is kept.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;

use crate::Oid;

/// A tag as it stands now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Tag {
    /// Its name, without `refs/tags/`.
    pub name: String,
    /// The commit it points to, after peeling.
    pub commit: Oid,
    /// The tag object's id, for an annotated tag.
    pub object: Option<Oid>,
}

/// A look at a tag at one time. `tag.commit` is what it pointed to then; a tag
/// that has gone is seen as `None`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TagObservation {
    /// Its name, without `refs/tags/`.
    pub name: String,
    /// What it was, or `None` where upstream no longer has it.
    pub tag: Option<Tag>,
    /// When it was seen.
    pub observed: DateTime<Utc>,
}
