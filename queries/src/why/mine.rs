//! Should I upgrade, for the models that I have? One report over the answers for each.

use std::collections::{BTreeMap, HashMap};

use headwater_store::Store;
use headwater_store::upstream::Upstreams;
use schemars::JsonSchema;
use serde::Serialize;

use super::WhyQuestion;
use super::answer::{Rules, why};
use super::report::{Candidate, Effective, Verdict, WhyReport};
use crate::QueryError;
use crate::said::Affected;

/// What a window means for the models of a machine.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Mine {
    /// Each model.
    pub models: Vec<MyModel>,
}

/// One model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MyModel {
    /// Its name.
    pub model: String,
    /// How many commits are not ruled out for it.
    pub open: usize,
    /// How many of the parameters that it runs with change.
    pub effective: usize,
}

/// Answers why a window matters for each of these models, in one report: `out` answers it
/// for no model. A commit is ruled out where it is for every model.
///
/// # Errors
/// As [`why`].
pub fn mine(
    store: &Store,
    upstreams: &Upstreams,
    rules: &Rules,
    question: &WhyQuestion,
    models: &[String],
    mut out: WhyReport,
) -> Result<WhyReport, QueryError> {
    let mut told = Mine { models: Vec::new() };
    let mut best: HashMap<(String, String), (Candidate, Vec<String>)> = HashMap::new();
    let mut effective: Vec<Effective> = Vec::new();
    let mut open = Vec::new();
    for model in models {
        let asked = WhyQuestion { model: Some(model.clone()), ..question.clone() };
        let report = why(store, upstreams, rules, &asked)?;
        let is_open = |candidate: &&Candidate| candidate.verdict.is_open();
        told.models.push(MyModel {
            model: model.clone(),
            open: report.candidates.iter().filter(is_open).count(),
            effective: report.effective.len(),
        });
        effective.extend(report.effective);
        open.push(report.open);
        for candidate in report.candidates {
            let key = (candidate.upstream.clone(), candidate.sha.to_string());
            let meets = candidate.verdict.is_open();
            let of = if meets { vec![model.clone()] } else { Vec::new() };
            match best.get_mut(&key) {
                None => {
                    best.insert(key, (candidate, of));
                }
                Some((known, reaches)) => {
                    reaches.extend(of);
                    let rank = |one: &Candidate| (!one.verdict.is_open(), one.rank);
                    if rank(&candidate) < rank(known) {
                        *known = candidate;
                    }
                }
            }
        }
    }
    if told.models.is_empty() {
        return Ok(out);
    }
    let mut all: Vec<Candidate> =
        best.into_values().map(|(candidate, reaches)| Candidate { reaches, ..candidate }).collect();
    // As they stood, those first that reach a model at all.
    all.sort_by(|a, b| {
        let key = |one: &Candidate| (!one.verdict.is_open(), one.rank);
        key(a)
            .cmp(&key(b))
            .then(b.reaches.len().cmp(&a.reaches.len()))
            .then_with(|| (&a.upstream, a.sha).cmp(&(&b.upstream, b.sha)))
    });
    for (candidate, rank) in all.iter_mut().zip(1..) {
        candidate.rank = rank;
    }
    // That no model was named is no question here.
    out.open = Vec::new();
    for question in open.into_iter().flatten() {
        if !out.open.iter().any(|known| known.question == question.question) {
            out.open.push(question);
        }
    }
    let mut verdicts: BTreeMap<Verdict, usize> = BTreeMap::new();
    for candidate in &all {
        *verdicts.entry(candidate.verdict).or_default() += 1;
    }
    out.verdicts = verdicts.into_iter().collect();
    out.candidates = all;
    out.effective = effective;
    out.question.push_str(" --mine");
    out.headline = headline(&out, &told);
    out.mine = Some(told);
    Ok(out)
}

/// What the upgrade means, in a line.
fn headline(report: &WhyReport, mine: &Mine) -> String {
    let window = &report.window;
    let count = |n: usize, one: &str, many: &str| {
        if n == 1 { format!("1 {one}") } else { format!("{n} {many}") }
    };
    let all = count(mine.models.len(), "installed model", "installed models");
    let changed = mine.models.iter().filter(|model| model.effective > 0).count();
    let mut moves: Vec<(String, Vec<&str>)> = Vec::new();
    for one in &report.effective {
        let value = |side: &Option<String>| side.as_deref().unwrap_or("unset").to_owned();
        let says = format!("{} {} → {}", one.knob, value(&one.before), value(&one.after));
        match moves.iter_mut().find(|(known, _)| *known == says) {
            Some((_, models)) => models.push(&one.model),
            None => moves.push((says, vec![&one.model])),
        }
    }
    let first = match changed {
        0 => format!(
            "{} → {} changes nothing that is known of what a request to any of {all} runs with",
            window.base, window.head
        ),
        n => {
            let parts: Vec<String> = moves
                .iter()
                .map(|(says, models)| format!("{says} ({})", models.join(", ")))
                .collect();
            format!(
                "{} → {} changes what a request runs with for {n} of {all}: {}",
                window.base,
                window.head,
                parts.join("; ")
            )
        }
    };
    let reach: Vec<&Candidate> =
        report.candidates.iter().filter(|one| one.verdict.is_open()).collect();
    let reaches = match reach.first() {
        None => "No commit of the window reaches any of them".to_owned(),
        Some(first) => format!(
            "{} may reach them, first {} {}",
            count(reach.len(), "commit", "commits"),
            first.upstream,
            first.sha.short()
        ),
    };
    let is = |one: &crate::said::AdvisorySaid, role: &str, affected| {
        one.versions.iter().any(|v| v.role == role && v.affected == affected)
    };
    let mended = report
        .said
        .advisories
        .iter()
        .filter(|one| is(one, "base", Affected::Yes) && is(one, "head", Affected::No))
        .count();
    let mended = match mended {
        0 => String::new(),
        n => format!(
            ". {} about {} {} not about {}",
            count(n, "advisory", "advisories"),
            window.base,
            if n == 1 { "is" } else { "are" },
            window.head
        ),
    };
    format!("{first}. {reaches}{mended}.")
}
