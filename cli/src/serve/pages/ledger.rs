//! The ledger: a knob's life, a window's moved defaults, or all values.

use headwater_queries::defaults::{Question, Tell, ValueRow};
use headwater_queries::window::WindowSpec;
use headwater_store::Store;
use maud::{Markup, PreEscaped, html};

use super::super::fields::{Fields, Takes};
use super::super::reply::{Made, Reply};
use super::super::room::Room;
use super::say::{self, field, table};
use crate::answers;
use crate::render::plot;

/// So many values are told, unless all are asked for.
const VALUES: usize = 250;

/// What it is asked.
pub const TAKES: Takes = Takes {
    fields: &["upstream", "knob", "window", "at", "scope", "all", "whole"],
    formats: &["json"],
};

pub fn page(room: &Room, store: &mut Store, fields: &Fields) -> anyhow::Result<Reply> {
    let upstream = fields.get("upstream").unwrap_or("ollama");
    let tells_moves =
        fields.is_on("knob") || fields.is_on("window") || fields.text("format") == "json";
    let question = Question {
        window: fields.get("window").map(WindowSpec::parse).transpose()?,
        at: fields.own("at"),
        knob: fields.own("knob"),
        scope: fields.get("scope").map(str::parse).transpose()?,
        all: fields.is_on("all"),
        tell: if tells_moves { Tell::Both } else { Tell::Values },
        jobs: room.context.question_jobs(),
    };
    let answer = answers::defaults::ask(&room.context, store, upstream, &question)?;
    if fields.text("format") == "json" {
        return Reply::json(&answer);
    }
    let names = store.upstream_names()?;
    let title = match (&question.knob, &question.window) {
        (Some(knob), _) => format!("{upstream} {knob}"),
        (None, Some(window)) => format!("{upstream} {window}: defaults"),
        (None, None) => format!("{upstream}: every default"),
    };
    let moves = question.knob.is_some() || question.window.is_some();
    let coverage = &answer.coverage;
    let most = if fields.is_on("whole") { usize::MAX } else { VALUES };
    let values = answer.values.iter().take(most).map(|row| value(upstream, row));
    let values: Vec<Markup> = values.collect();
    let main = html! {
        h1 { (say::text(&title)) }
        form.fields action="/ledger" method="get" {
            label { span { "Upstream" } select name="upstream" {
                @for (_, name) in &names { option value=(name) selected[name == upstream] { (name) } }
            } }
            (field("knob", "Knob", fields.text("knob"), "repeat_penalty", None))
            (field("window", "Window", fields.text("window"), "v0.32.9..v0.32.13", None))
            (field("at", "Values at", fields.text("at"), "v0.32.13", None))
            button { "Show" }
        }
        @if question.knob.is_some() { (PreEscaped(plot::lives(&answer.events))) }
        @if !answer.values.is_empty() {
            section {
                h2 { "Values" @if let Some(at) = &question.at { " at " (at) } @else { " now" } }
                (table("Values", &["knob", "scope", "value", "since", "commit", "before", "where"], &values))
            }
        }
        @if answer.values.len() > most {
            p { a href=(fields.with("/ledger", "whole", "1")) { "All " (answer.values.len()) " values" } }
        }
        @if moves {
            section {
                h2 { "Moves" small { " oldest first" } }
                @if answer.events.is_empty() { p.dim { "no extractor found a default that moved" } }
                @else { (say::events(answer.events.iter())) }
            }
        }
        @if !answer.drift.is_empty() {
            section {
                h2 { "Documentation that says something else" }
                ul { @for drift in &answer.drift { li {
                    (say::text(&drift.knob)) " is " (say::value(Some(&drift.documented))) " in "
                    (say::text(&drift.documented_at.0)) ":" (drift.documented_at.1) ", and "
                    (say::value(Some(&drift.code))) " in " (say::text(&drift.code_at.0)) ":" (drift.code_at.1)
                } } }
            }
        }
        p.coverage {
            (coverage.scope()) ": " (coverage.commits_stored()) " commits, " (coverage.gaps().len())
            " gaps; " (answer.covers.len()) " extractors read its files: a default that stands elsewhere is not known. "
            a href=(fields.with("/ledger", "format", "json")) { "JSON" }
        }
    };
    Ok(Reply::Page(Made { title, main }))
}

fn value(upstream: &str, row: &ValueRow) -> Markup {
    html! {
        td.name { (say::knob(upstream, &row.knob)) }
        td { (row.scope) }
        td { (say::value(Some(&row.value))) }
        td { (row.since_shipped.as_deref().map(say::text).unwrap_or_default()) }
        td { @if let Some(sha) = row.since { (say::commit(upstream, sha)) } }
        td { @if row.before.is_some() { (say::value(row.before.as_deref())) } }
        td.path { (say::text(&row.path)) ":" (row.line) }
    }
}
