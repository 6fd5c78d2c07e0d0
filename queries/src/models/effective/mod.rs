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
use schemars::JsonSchema;
use serde::Serialize;

use super::answer::{unknown, version_of};
use crate::QueryError;
use crate::ledger::Extractors;
use crate::window::{Resolved, Resolver};

/// A version of a server.
#[derive(Debug, Clone, Serialize, JsonSchema)]
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
#[derive(Debug, Clone, Serialize, JsonSchema)]
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

/// A version of a server and of the engine under it, read once for several models.
pub struct VersionRead<'a> {
    upstream: &'a Upstream,
    resolved: Resolved,
    server: ServerAt,
    since: Since,
    engine_since: Option<Since>,
}

impl<'a> VersionRead<'a> {
    /// Reads a version.
    ///
    /// # Errors
    /// An unknown version, an upstream that serves no models, and those of the store.
    pub fn read(
        store: &Store,
        upstreams: &Upstreams,
        extractors: &Extractors,
        upstream: &'a Upstream,
        at: &str,
    ) -> Result<Self, QueryError> {
        let resolved = Resolver::new(store, upstream)?.resolve(at)?;
        let commit = &resolved.commit;
        let server = read(store, upstreams, extractors, upstream, commit, Reach::All)?;
        let Some(server) = server else {
            return Err(QueryError::NoServer(upstream.name.clone()));
        };
        let since = |name: &str, oid| Since::read(store, store.upstream(name)?, oid);
        let engine = server.engine.as_ref();
        Ok(VersionRead {
            since: since(&upstream.name, commit.commit().oid)?,
            engine_since: engine
                .map(|at| since(&at.upstream, at.commit.commit().oid))
                .transpose()?,
            upstream,
            resolved,
            server,
        })
    }

    /// What a model runs with, knob by knob: the request's options, the flags, then the
    /// engine's own defaults.
    ///
    /// # Errors
    /// An unknown model, and those of the store.
    pub fn of(
        &self,
        store: &Store,
        name: &ModelName,
    ) -> Result<(Vec<EffectiveRow>, AtVersion), QueryError> {
        let Some((_, version)) = version_of(store, name)? else {
            return Err(unknown(store, name)?);
        };
        let (upstream, server) = (self.upstream, &self.server);
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
        let mut all = server_rows(server, &upstream.name, &self.since, Some(&own));
        let mut engine = None;
        let under = server.engine.as_ref().zip(self.engine_since.as_ref());
        if let Some((at, since)) = under.filter(|_| !other_engine) {
            let options = options_of(server, &all);
            all.extend(rows::engine_rows(server, at, since, &options));
            engine = Some(Engine {
                name: server.rule.engine.clone(),
                upstream: at.upstream.clone(),
                pin: at.pin.clone(),
                sha: at.commit.commit().oid,
            });
        }
        let at = AtVersion {
            upstream: upstream.name.clone(),
            version: self.resolved.name.clone(),
            sha: self.resolved.commit.commit().oid,
            engine,
            notes,
        };
        Ok((all, at))
    }
}

/// What a model runs with at a version of a server, as [`VersionRead`] tells it.
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
    if version_of(store, name)?.is_none() {
        return Err(unknown(store, name)?);
    }
    VersionRead::read(store, upstreams, extractors, upstream, at)?.of(store, name)
}

/// Whether the server's engine runs models of a format.
pub(crate) fn runs(upstream: &Upstream, engine: &str, format: &str) -> bool {
    let mut named = upstream.engines.iter().filter(|e| e.name == engine);
    named.any(|e| e.formats.iter().any(|f| f == format))
}

/// The grade of what an extractor read.
const READ_BY_RULE: Grade = Grade::Rule;
