//! What the rig's models run with before and after an upgrade.

use std::collections::BTreeMap;

use headwater_store::evidence::Basis;
use headwater_store::upstream::{Upstream, Upstreams};
use headwater_store::{ModelName, Store, StoreError};

use super::report::EffectiveMove;
use crate::QueryError;
use crate::ledger::{Extractors, same_value};
use crate::models::{Decider, EffectiveRow, VersionRead};
use crate::why::OpenQuestion;

/// What was found of all models.
#[derive(Default)]
pub(super) struct Found {
    pub(super) moves: Vec<EffectiveMove>,
    pub(super) models: usize,
    pub(super) open: Vec<OpenQuestion>,
}

/// Compares both versions for each model; models that meet the same are told together.
pub(super) fn moves(
    store: &Store,
    upstreams: &Upstreams,
    extractors: &Extractors,
    server: &Upstream,
    [base, head]: [&str; 2],
    names: &[String],
) -> Result<Found, QueryError> {
    let mut out = Found::default();
    if names.is_empty() {
        return Ok(out);
    }
    let read = |at| VersionRead::read(store, upstreams, extractors, server, at);
    let versions = match (read(base), read(head)) {
        (Ok(before), Ok(after)) => [before, after],
        (Err(why), _) | (_, Err(why)) => {
            let question = format!("what the models run with before and after: {why}");
            let rederive = vec![format!("headwater crawl {} {base}..{head}", server.name)];
            out.open.push(asked(why, question, rederive)?);
            return Ok(out);
        }
    };
    for text in names {
        let Ok(name) = text.parse::<ModelName>() else { continue };
        let [before, after] = &versions;
        let (before, after) = match (before.of(store, &name), after.of(store, &name)) {
            (Ok(before), Ok(after)) => (before, after),
            (Err(why), _) | (_, Err(why)) => {
                let question = format!("what {text} runs with before and after: {why}");
                let rederive = vec![format!("headwater model {text} --at {head}")];
                out.open.push(asked(why, question, rederive)?);
                continue;
            }
        };
        out.models += 1;
        for one in differing(&before.0, &after.0) {
            let same = |known: &&mut EffectiveMove| {
                (&known.knob, &known.scope, &known.before, &known.after)
                    == (&one.knob, &one.scope, &one.before, &one.after)
            };
            match out.moves.iter_mut().find(same) {
                Some(known) => known.models.push(text.clone()),
                None => out.moves.push(EffectiveMove { models: vec![text.clone()], ..one }),
            }
        }
    }
    // What a request meets comes before what the engine starts with.
    out.moves.sort_by_key(|one| one.scope != "request-option");
    Ok(out)
}

/// What the store cannot tell, as a question.
fn asked(
    why: QueryError,
    question: String,
    rederive: Vec<String>,
) -> Result<OpenQuestion, QueryError> {
    match why {
        QueryError::NoModel { .. }
        | QueryError::NoServer(_)
        | QueryError::NotStored { .. }
        | QueryError::UnknownRevision { .. }
        | QueryError::Store(StoreError::NoObject { .. }) => {
            Ok(OpenQuestion { question, grade: Basis::Lacking.grade(), rederive })
        }
        other => Err(other),
    }
}

fn differing(before: &[EffectiveRow], after: &[EffectiveRow]) -> Vec<EffectiveMove> {
    let mut all: BTreeMap<(&str, &str), [Option<&EffectiveRow>; 2]> = BTreeMap::new();
    for (side, rows) in [before, after].into_iter().enumerate() {
        for row in rows {
            let slot = all.entry((&row.scope, &row.knob)).or_default();
            if let Some(one) = slot.get_mut(side) {
                *one = Some(row);
            }
        }
    }
    let none = || "no such option at this version".to_owned();
    all.into_iter()
        .filter_map(|((scope, knob), [old, new])| {
            let value = |row: Option<&EffectiveRow>| row.and_then(|row| row.value.clone());
            let (a, b) = (value(old), value(new));
            let same = match (&a, &b) {
                (Some(a), Some(b)) => same_value(a, b),
                (a, b) => a == b,
            };
            // A parameter that the engine gets or loses is no default that moved.
            let one_sided = old.is_none() || new.is_none();
            let engines = old.or(new).is_some_and(|row| row.from == Decider::EngineDefault);
            (!(same || one_sided && engines)).then(|| EffectiveMove {
                knob: knob.to_owned(),
                scope: scope.to_owned(),
                before: a,
                after: b,
                source_before: old.map_or_else(none, |row| row.source.clone()),
                source_after: new.map_or_else(none, |row| row.source.clone()),
                models: Vec::new(),
                grade: new.or(old).map_or(Basis::Rule.grade(), |row| row.grade),
            })
        })
        .collect()
}
