//! Who still pays for penalties.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Chain, Params};

/// Since this build an empty sampler is marked by `?` in a chain's line.
const MARKS_SINCE: &str = "b7627";

/// Whether penalties run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Pays {
    /// Every request that the log tells of.
    All,
    /// Some of them.
    Some,
    /// None of them.
    Nobody,
    /// The log does not tell.
    Unknown,
}

/// What the log tells of penalties.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PenaltiesAnswer {
    /// Whether they run.
    pub pays: Pays,
    /// Requests whose chain has penalties that do something.
    pub active: u64,
    /// Requests whose chain has them as an empty link.
    pub empty: u64,
    /// Requests whose chain does not tell, or has none.
    pub unknown: u64,
    /// The same in a line.
    pub says: String,
}

/// What chains and parameters tell of penalties. A chain without any mark may be of a
/// build that marks none; then the parameters that were printed with it decide.
pub(super) fn penalties(chains: &[Chain], params: &[Params]) -> PenaltiesAnswer {
    let (mut active, mut empty, mut unknown) = (0, 0, 0);
    let marks = chains.iter().any(|chain| chain.samplers.iter().any(|sampler| !sampler.active));
    for chain in chains {
        match chain.samplers.iter().find(|sampler| sampler.name == "penalties") {
            Some(sampler) if !sampler.active => empty += chain.requests,
            Some(_) if marks => active += chain.requests,
            _ => unknown += chain.requests,
        }
    }
    let mut by = "sampler chains";
    if !marks && !params.is_empty() {
        (active, empty, unknown) = (0, 0, 0);
        by = "printed sampler parameters";
        for one in params {
            match one.penalizes() {
                Some(true) => active += one.requests,
                Some(false) => empty += one.requests,
                None => unknown += one.requests,
            }
        }
    }
    let all = active + empty + unknown;
    let pays = match (active, empty) {
        (0, 0) => Pays::Unknown,
        (0, _) if unknown == 0 => Pays::Nobody,
        (_, 0) if unknown == 0 => Pays::All,
        (0, _) => Pays::Unknown,
        _ => Pays::Some,
    };
    let says = match pays {
        Pays::All => format!("penalties run in all {all} requests, by {by}"),
        Pays::Some => format!("penalties run in {active} of {all} requests, by {by}"),
        Pays::Nobody => format!("nobody pays for penalties: they are an empty link in all {all} requests, by {by}"),
        Pays::Unknown if chains.is_empty() => "the log has no sampler line: llama-server prints one a request (since b9151 with --log-verbosity 4 or more, which Ollama passes), Ollama's own runners print none".to_owned(),
        Pays::Unknown => format!(
            "the log does not tell: builds before {MARKS_SINCE} name every link of a chain and mark none as empty"
        ),
    };
    PenaltiesAnswer { pays, active, empty, unknown, says }
}
