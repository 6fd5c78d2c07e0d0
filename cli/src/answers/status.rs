//! What the store holds.

use headwater_store::{IndexState, Store, UpstreamStatus};
use schemars::JsonSchema;
use serde::Serialize;

use crate::lying;

/// What the store holds, and how fresh it is.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Status {
    /// `headwater/status/1`
    pub schema: &'static str,
    /// What is stored of each upstream.
    pub upstreams: Vec<UpstreamStatus>,
    /// Whether each index covers what the records hold, with its size in bytes.
    pub exact_index: IndexState,
    /// The same of the full text.
    pub full_text_index: IndexState,
    /// How many tags of models, and when one was last looked at.
    pub models: Models,
    /// How the store is read, where it cannot be written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_only: Option<&'static str>,
}

/// What is stored of models.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Models {
    /// Tags.
    pub tags: usize,
    /// The last look at one.
    pub as_of: Option<chrono::DateTime<chrono::Utc>>,
}

/// What is stored of each upstream.
pub fn upstreams(store: &Store) -> anyhow::Result<Vec<UpstreamStatus>> {
    let of = |(id, _)| Ok(store.status(id)?);
    store.upstream_names()?.into_iter().map(of).collect()
}

/// What is stored of models.
pub fn models(store: &Store) -> anyhow::Result<Models> {
    let seen = store.models()?;
    Ok(Models { tags: seen.len(), as_of: seen.iter().map(|look| look.observed).max() })
}

/// Asks it.
pub fn ask(store: &Store) -> anyhow::Result<Status> {
    Ok(Status {
        schema: "headwater/status/1",
        upstreams: upstreams(store)?,
        exact_index: store.exact_state()?,
        full_text_index: store.search_state()?,
        models: models(store)?,
        read_only: lying::words(store),
    })
}
