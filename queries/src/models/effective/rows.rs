//! The rows of an answer, each with where its value comes from.

use headwater_store::evidence::Grade;
use headwater_store::{ModelName, ModelVersion, Oid};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::READ_BY_RULE;
use super::conditions::{Options, Passed, passed};
use super::since::Since;
use super::trees::{EngineAt, ServerAt};
use crate::derive::tree_tables::Placed;
use crate::ledger::{Entry, spelling};

/// Who decides a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Decider {
    /// The model.
    Model,
    /// The server's default.
    ServerDefault,
    /// A flag that the server hands to the engine.
    Flag,
    /// The engine's default.
    EngineDefault,
}

/// One knob.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct EffectiveRow {
    /// The knob.
    pub knob: String,
    /// Its scope.
    pub scope: String,
    /// The value; none where nothing sets it.
    pub value: Option<String>,
    /// Who decides it.
    pub from: Decider,
    /// The same in words, with the commit or the model.
    pub source: String,
    /// The upstream whose file says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upstream: Option<String>,
    /// The commit that set it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha: Option<Oid>,
    /// The file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The line in it, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// What the engine calls it, where each request carries it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handed_as: Option<String>,
    /// What else decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// How well it is supported.
    pub grade: Grade,
}

/// The model whose parameters come first.
pub(crate) struct Own<'a> {
    pub name: &'a ModelName,
    pub version: &'a ModelVersion,
    pub grade: Grade,
}

/// A value of a parameter as it is told.
pub(crate) fn number_or_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The options of a request, with the flags that the server passes.
pub(crate) fn server_rows(
    server: &ServerAt,
    upstream: &str,
    since: &Since,
    own: Option<&Own<'_>>,
) -> Vec<EffectiveRow> {
    let params = own.and_then(|own| own.version.reading()).and_then(|r| r.params.as_ref());
    let mut out = Vec::new();
    for placed in &server.options {
        let entry = &placed.entry;
        let mut row = row(placed, upstream, since, "server default");
        row.handed_as = handed_as(server, entry);
        let set = params.and_then(|params| params.get(&entry.knob));
        if let (Some(value), Some(own)) = (set, own) {
            from_model(&mut row, value, own);
        } else if let Some(env) = server.asks(entry) {
            asked(&mut row, server, entry, env, upstream, since);
        }
        out.push(row);
    }
    // What the model sets and the server does not know.
    let known = |name: &str| server.options.iter().any(|p| p.entry.knob == name);
    let unknown = params.into_iter().flatten().filter(|(name, _)| !known(name));
    for ((name, value), own) in unknown.zip(std::iter::repeat(own)) {
        let Some(own) = own else { continue };
        let mut row = EffectiveRow {
            knob: name.clone(),
            scope: "request-option".to_owned(),
            value: None,
            from: Decider::Model,
            source: String::new(),
            upstream: None,
            sha: None,
            path: None,
            line: None,
            handed_as: None,
            note: Some("this version knows no such option".to_owned()),
            grade: own.grade,
        };
        from_model(&mut row, value, own);
        out.push(row);
    }
    let options = options_of(server, &out);
    for flag in &server.flags {
        let mut row = row(flag, upstream, since, "flag");
        row.from = Decider::Flag;
        match passed(&flag.entry, &options) {
            Passed::Yes(value) => row.value = Some(value),
            Passed::No => {
                row.value = None;
                row.note = Some(format!("not passed: {}", flag.entry.value));
            }
            Passed::Depends => {}
        }
        out.push(row);
    }
    out
}

/// The options as the server's code names them, with their values.
pub(crate) fn options_of(server: &ServerAt, rows: &[EffectiveRow]) -> Options {
    let mut out = Options::new();
    for placed in &server.options {
        let row =
            rows.iter().find(|row| row.scope == "request-option" && row.knob == placed.entry.knob);
        let Some(row) = row else { continue };
        for name in &placed.entry.names {
            out.insert(name.clone(), row.value.clone());
        }
    }
    out
}

/// The engine's own defaults: those that neither a request nor a flag always sets.
pub(crate) fn engine_rows(
    server: &ServerAt,
    engine: &EngineAt,
    since: &Since,
    options: &Options,
) -> Vec<EffectiveRow> {
    let mut out = Vec::new();
    for placed in &engine.params {
        let knob = &placed.entry.knob;
        if server.hands(knob).is_some() {
            continue;
        }
        let mut row = row(placed, &engine.upstream, since, "engine default");
        row.from = Decider::EngineDefault;
        if let Some(program) = own_value(engine, knob) {
            row.value = Some(program.entry.value.clone());
            row.path = Some(program.path.clone());
            row.line = Some(program.entry.line);
            row.source = format!("{} ({})", row.source, program.entry.knob);
        }
        if let Some(flag) = server.flag(knob) {
            match passed(&flag.entry, options) {
                Passed::Yes(_) => continue,
                Passed::No => {}
                Passed::Depends => {
                    let (name, value) = (&flag.entry.knob, &flag.entry.value);
                    row.note = Some(format!("unless {name} is passed: {value}"));
                }
            }
        }
        out.push(row);
    }
    out
}

/// A knob's own value in the engine's server program.
fn own_value<'e>(engine: &'e EngineAt, knob: &str) -> Option<&'e Placed> {
    engine.program.iter().find(|p| p.entry.knob.split('@').next() == Some(knob))
}

fn row(placed: &Placed, upstream: &str, since: &Since, kind: &str) -> EffectiveRow {
    let entry = &placed.entry;
    let sha = since.of(&entry.knob, entry.scope.name());
    let by = sha.map_or_else(String::new, |sha| format!(" since {}", sha.short()));
    let unset = matches!(entry.value.as_str(), "nil" | "nullptr");
    EffectiveRow {
        knob: entry.knob.clone(),
        scope: entry.scope.name().to_owned(),
        value: (!unset).then(|| entry.value.clone()),
        from: Decider::ServerDefault,
        source: format!("{kind}{by} ({upstream} {}:{})", placed.path, entry.line),
        upstream: Some(upstream.to_owned()),
        sha,
        path: Some(placed.path.clone()),
        line: Some(entry.line),
        handed_as: None,
        note: None,
        grade: READ_BY_RULE,
    }
}

fn from_model(row: &mut EffectiveRow, value: &Value, own: &Own<'_>) {
    row.value = Some(number_or_text(value));
    row.from = Decider::Model;
    row.source = format!("{} itself ({})", own.name, own.version.manifest.short());
    (row.upstream, row.sha, row.path, row.line) = (None, None, None, None);
    row.grade = own.grade;
}

/// An option that asks the environment: the variable's own default holds, and what the
/// server makes of it.
fn asked(
    row: &mut EffectiveRow,
    server: &ServerAt,
    option: &Entry,
    env: &Placed,
    upstream: &str,
    since: &Since,
) {
    let variable = &env.entry.knob;
    let of_variable = self::row(env, upstream, since, &format!("{variable}, unset,"));
    row.value = of_variable.value;
    row.source = of_variable.source;
    (row.sha, row.path, row.line) = (of_variable.sha, of_variable.path, of_variable.line);
    // `defaultNumCtx` decides for `NumCtx`.
    let decides = |p: &&Placed| {
        let knob = spelling(&p.entry.knob);
        option.names.iter().any(|name| knob == format!("default{}", spelling(name)))
    };
    if let Some(decision) = server.decisions.iter().find(decides) {
        row.note = Some(format!(
            "decided by {}: {} ({}:{})",
            decision.entry.knob, decision.entry.value, decision.path, decision.entry.line
        ));
    }
}

/// The engine's name for an option that each request carries.
fn handed_as(server: &ServerAt, option: &Entry) -> Option<String> {
    let named = |name: &str| option.names.iter().any(|n| n == name);
    server.handed.iter().find(|handed| named(&handed.option)).map(|handed| handed.field.clone())
}
