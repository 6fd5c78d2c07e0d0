//! What a request that sets nothing runs with: the model's parameters over the server's
//! defaults over the engine's, at one version.

mod conditions;
mod rows;
mod rules;
mod since;
mod trees;

pub(crate) use conditions::{Options, Passed, passed};
pub use rows::{Decider, EffectiveRow};
pub(crate) use rows::{Own, number_or_text, options_of, server_rows};
pub(crate) use rules::{of as rule_of, servers_over};
pub(crate) use since::Since;
pub(crate) use trees::{Reach, ServerAt, read};

use headwater_store::evidence::Grade;
use headwater_store::upstream::{Upstream, Upstreams};
use headwater_store::{ModelName, Oid, Store};
use serde::Serialize;

use super::answer::{unknown, version_of};
use crate::QueryError;
use crate::ledger::Extractors;
use crate::window::Resolver;

/// A version of a server.
#[derive(Debug, Clone, Serialize)]
pub struct AtVersion {
    /// The server.
    pub upstream: String,
    /// The version.
    pub version: String,
    /// Its commit.
    pub sha: Oid,
    /// The engine under it, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine: Option<Engine>,
    /// What is not known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// The engine of a version.
#[derive(Debug, Clone, Serialize)]
pub struct Engine {
    /// Its name in the server's file.
    pub name: String,
    /// The upstream that it is built from.
    pub upstream: String,
    /// What the server pins.
    pub pin: String,
    /// The commit that this means.
    pub sha: Oid,
}

/// What a model runs with at a version of a server, knob by knob: the request's options,
/// the flags, then the engine's own defaults.
///
/// # Errors
/// An unknown model or version, an upstream that serves no models, and those of the store.
pub fn effective(
    store: &Store,
    upstreams: &Upstreams,
    extractors: &Extractors,
    upstream: &Upstream,
    name: &ModelName,
    at: &str,
) -> Result<(Vec<EffectiveRow>, AtVersion), QueryError> {
    let Some((_, version)) = version_of(store, name)? else {
        return Err(unknown(store, name)?);
    };
    let resolved = Resolver::new(store, upstream)?.resolve(at)?;
    let commit = &resolved.commit;
    let server = read(store, upstreams, extractors, upstream, commit, Reach::All)?;
    let Some(server) = server else {
        return Err(QueryError::NoServer(upstream.name.clone()));
    };
    let id = store.upstream(&upstream.name)?;
    let since = Since::read(store, id, commit.commit().oid)?;
    let reading = version.reading();
    let facts = reading.map(|r| r.facts.clone()).unwrap_or_default();
    let mut notes = Vec::new();
    let other_engine =
        facts.format.as_deref().is_some_and(|f| !runs(upstream, &server.rule.engine, f));
    if other_engine {
        let format = facts.format.as_deref().unwrap_or_default();
        notes.push(format!(
            "{name} is {format}, which {} does not run: no engine's defaults are told",
            server.rule.engine
        ));
    } else if let Some(why) = &server.no_engine {
        notes.push(why.clone());
    }
    if let Some(requires) = &facts.requires {
        notes.push(format!("{name} requires Ollama {requires} or later"));
    }
    let grade = version.grade();
    let own = Own { name, version: &version, grade };
    let mut all = server_rows(&server, &upstream.name, &since, Some(&own));
    let mut engine = None;
    if let Some(at) = server.engine.as_ref().filter(|_| !other_engine) {
        let id = store.upstream(&at.upstream)?;
        let since = Since::read(store, id, at.commit.commit().oid)?;
        let options = options_of(&server, &all);
        all.extend(rows::engine_rows(&server, at, &since, &options));
        engine = Some(Engine {
            name: server.rule.engine.clone(),
            upstream: at.upstream.clone(),
            pin: at.pin.clone(),
            sha: at.commit.commit().oid,
        });
    }
    let at = AtVersion {
        upstream: upstream.name.clone(),
        version: resolved.name,
        sha: commit.commit().oid,
        engine,
        notes,
    };
    Ok((all, at))
}

/// Whether the server's engine runs models of a format.
pub(crate) fn runs(upstream: &Upstream, engine: &str, format: &str) -> bool {
    let mut named = upstream.engines.iter().filter(|e| e.name == engine);
    named.any(|e| e.formats.iter().any(|f| f == format))
}

/// The grade of what an extractor read.
const READ_BY_RULE: Grade = Grade::Rule;
