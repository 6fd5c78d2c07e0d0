//! The toggles worth measuring: for each strong candidate how to run the new version with
//! the old behaviour, and what each outcome would mean.

use headwater_store::Oid;
use schemars::JsonSchema;
use serde::Serialize;

use super::disagree::quoted;
use crate::ledger::RestoreWay;
use crate::why::{Candidate, DefaultEvent, Verdict, WhyReport};

/// What to measure for a window.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Plan {
    /// `headwater/plan/1`
    pub schema: &'static str,
    /// The upstream.
    pub upstream: String,
    /// The window.
    pub window: String,
    /// How to measure the old version, which every toggle is compared with.
    pub old: Vec<String>,
    /// A toggle for each of the first candidates.
    pub toggles: Vec<PlannedToggle>,
}

/// One candidate's toggle.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct PlannedToggle {
    /// The candidate's rank.
    pub rank: usize,
    /// Its upstream.
    pub upstream: String,
    /// The commit.
    pub sha: Oid,
    /// Its message's first line: a stranger's text.
    pub subject: String,
    /// What is measured already.
    pub confirmed: bool,
    /// The knob; none where the commit moves no default that a setting brings back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub knob: Option<String>,
    /// The old default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old: Option<String>,
    /// The new default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new: Option<String>,
    /// Commands that run the new version with the old behaviour.
    pub with: Vec<String>,
    /// Commands that run it as it comes.
    pub without: Vec<String>,
    /// The command that records the three numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<String>,
    /// What each outcome would mean.
    pub means: Vec<String>,
}

/// How a setting is given.
enum Given<'w> {
    /// In a request's options.
    Request,
    /// In the server's environment: `NAME=VALUE`.
    Environment(&'w str),
    /// As an argument of the engine's own server.
    Argument(&'w str),
}

/// The toggles of the first `top` candidates that are not ruled out.
pub fn plan(report: &WhyReport, model: Option<&str>, top: usize) -> Plan {
    let model = model.unwrap_or("MODEL");
    let window = format!("{}..{}", report.window.base, report.window.head);
    let open = report.candidates.iter().filter(|candidate| candidate.verdict.is_open());
    // A pin's bump has no toggle of its own: what it brings has.
    let bumps: Vec<Oid> = report
        .nested
        .iter()
        .filter(|nested| nested.window.is_some())
        .filter_map(|nested| nested.moved_by)
        .collect();
    let toggles = open
        .filter(|candidate| !bumps.contains(&candidate.sha))
        .take(top)
        .map(|candidate| toggle(report, candidate, model, &window))
        .collect();
    Plan {
        schema: "headwater/plan/1",
        upstream: report.window.upstream.clone(),
        old: vec![
            format!("# with {} {} installed", report.window.upstream, report.window.base),
            generate(model, None),
        ],
        window,
        toggles,
    }
}

fn toggle(report: &WhyReport, candidate: &Candidate, model: &str, window: &str) -> PlannedToggle {
    let own = |event: &&DefaultEvent| event.sha == candidate.sha && event.old.is_some();
    let way = report
        .default_events
        .iter()
        .filter(own)
        .filter_map(|event| best_way(event, &report.window.upstream).map(|way| (event, way)))
        .min_by_key(|(_, (cost, _))| *cost);
    let mut planned = PlannedToggle {
        rank: candidate.rank,
        upstream: candidate.upstream.clone(),
        sha: candidate.sha,
        subject: candidate.subject.clone(),
        confirmed: candidate.verdict == Verdict::ConfirmedByToggle,
        knob: None,
        old: None,
        new: None,
        with: Vec::new(),
        without: Vec::new(),
        record: None,
        means: Vec::new(),
    };
    let Some((event, (_, given))) = way else {
        planned.with = vec![
            format!("git -C {} checkout --detach {}^", candidate.upstream, candidate.sha),
            "# build and run that; then its child:".to_owned(),
        ];
        planned.without =
            vec![format!("git -C {} checkout --detach {}", candidate.upstream, candidate.sha)];
        planned.means = vec![
            "no way back to the old behaviour is known, so only builds of the commit and of its parent tell"
                .to_owned(),
            "the two builds differ: this commit does it; they do not: it is not this commit".to_owned(),
        ];
        return planned;
    };
    let old = event.old.clone().unwrap_or_default();
    let restart = format!("# restart the server ({} installed) with", report.window.head);
    let (knob, value, with, without) = match given {
        Given::Request => (
            event.knob.clone(),
            old.clone(),
            vec![generate(model, Some((&event.knob, &old)))],
            vec![generate(model, None)],
        ),
        Given::Environment(setting) => {
            let (knob, value) = setting.split_once('=').unwrap_or((setting, &old));
            (
                knob.to_owned(),
                value.to_owned(),
                vec![restart, format!("{} ollama serve", quoted(setting)), generate(model, None)],
                vec![
                    "# restart the server without it".to_owned(),
                    "ollama serve".to_owned(),
                    generate(model, None),
                ],
            )
        }
        Given::Argument(argument) => {
            let (knob, value) = argument.split_once(' ').unwrap_or((argument, &old));
            (
                knob.to_owned(),
                value.to_owned(),
                vec![format!("llama-bench -m MODEL.gguf {argument}")],
                vec!["llama-bench -m MODEL.gguf".to_owned()],
            )
        }
    };
    planned.with = with;
    planned.without = without;
    planned.record = Some(format!(
        "headwater observe {} {window} --toggle {} --old X --with Y --without Z --unit tok/s --model {}",
        report.window.upstream,
        quoted(&format!("{knob}={value}")),
        quoted(model)
    ));
    planned.means = vec![
        format!("with {knob} {value} it is as it was at {}: this default explains the change, and what is left is in the residue", report.window.base),
        "it is as without: this default explains nothing of it; measure the next".to_owned(),
        "it goes further than the old version: other changes pull the other way, and the residue says how far together".to_owned(),
        "the outputs differ (observe --kind output): a finding of its own, whatever the speeds".to_owned(),
    ];
    planned.knob = Some(knob);
    planned.old = event.old.clone();
    planned.new = event.new.clone();
    planned
}

/// The cheapest way to the old value that the upstream's own server takes.
fn best_way<'e>(event: &'e DefaultEvent, upstream: &str) -> Option<(usize, Given<'e>)> {
    let given = |way: &'e RestoreWay| {
        let text = way.text.split(" (").next().unwrap_or(&way.text);
        let is_setting = text.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty()
                && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
        });
        let server = way.consumer == upstream;
        match () {
            () if server && text.starts_with("\"options\"") => Some((0, Given::Request)),
            () if server && is_setting => Some((1, Given::Environment(text))),
            () if !server && upstream == event.upstream && text.starts_with("--") => {
                Some((2, Given::Argument(text)))
            }
            () => None,
        }
    };
    event.restore.iter().filter_map(given).min_by_key(|(cost, _)| *cost)
}

/// A request to a local server, and its speed. Three in a row, of which the first also
/// loads the model.
fn generate(model: &str, option: Option<(&str, &str)>) -> String {
    let mut options = serde_json::json!({"seed": 1, "num_predict": 256});
    if let Some((knob, value)) = option {
        options[knob] = serde_json::from_str(value).unwrap_or_else(|_| value.into());
    }
    let body = serde_json::json!({
        "model": model,
        "prompt": "Count from 1 to 300.",
        "stream": false,
        "options": options,
    });
    format!(
        "for i in 1 2 3; do curl -s http://127.0.0.1:11434/api/generate -d {} | jq '.eval_count / .eval_duration * 1e9'; done",
        quoted(&body.to_string())
    )
}
