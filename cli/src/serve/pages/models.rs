//! Models: what they set, what of it changed, and what a request runs with.

use headwater_queries::models;
use headwater_store::Store;
use maud::{Markup, html};

use super::super::fields::{Fields, Takes};
use super::super::reply::{Made, Reply};
use super::super::room::Room;
use super::say::{self, field};
use crate::answers;
use crate::commands::model::List;
use crate::render::links;

/// What it is asked.
pub const TAKES: Takes =
    Takes { fields: &["name", "model", "upstream", "at"], several: &[], formats: &["json"] };

pub fn page(room: &Room, store: &mut Store, fields: &Fields) -> anyhow::Result<Reply> {
    let Some(name) = fields.get("name").or(fields.get("model")) else {
        let all = models::summaries(store)?;
        if fields.text("format") == "json" {
            return Reply::json(&List::of(all));
        }
        let main = list(&all);
        return Ok(Reply::Page(Made { title: "Models".to_owned(), main }));
    };
    let upstream = fields.get("upstream").unwrap_or("ollama");
    let at = fields.get("at").map(|at| (upstream, at));
    let answer = answers::model::ask(&room.context, store, name, at)?;
    if fields.text("format") == "json" {
        return Reply::json(&answer);
    }
    let main = html! {
        h1 { (answer.name) }
        p { code { (answer.id) } " " (answer.place.as_str()) ", seen " (answer.observed.format("%Y-%m-%d")) ", grade " (answer.grade) }
        section {
            h2 { "What it sets" }
            @if answer.params.is_empty() { p.dim { "nothing" } }
            table { tbody { @for (knob, value) in &answer.params { tr {
                td { (say::knob(upstream, knob)) } td { (say::value(Some(&value.to_string()))) }
            } } } }
        }
        section {
            h2 { "What of it changed" }
            ul { @for entry in &answer.history { li {
                (entry.first_seen.format("%Y-%m-%d")) " to " (entry.last_seen.format("%Y-%m-%d")) " " (entry.place.as_str()) " "
                code { (entry.manifest.as_ref().map_or_else(|| "gone".to_owned(), |digest| digest.short())) }
                @for one in &entry.changes {
                    div { (say::text(&one.what)) ": " (say::value(one.old.as_deref())) " → " (say::value(one.new.as_deref())) }
                }
            } } }
        }
        section {
            h2 { "What a request that sets nothing runs with" }
            form.fields action="/models" method="get" {
                input type="hidden" name="name" value=(name);
                (field("at", "At version", fields.text("at"), "v0.32.13", None))
                button { "Show" }
            }
            @if !answer.effective.is_empty() { (effective(&answer.effective)) }
        }
        @for note in &answer.notes { p { (say::text(note)) } }
        p.links { a href=(fields.with("/models", "format", "json")) { "JSON" } }
    };
    Ok(Reply::Page(Made { title: name.to_owned(), main }))
}

fn list(all: &[models::ModelSummary]) -> Markup {
    html! {
        h1 { "Models" }
        @if all.is_empty() { p { "None yet: " code { "headwater crawl models gemma4:26b" } " looks at one." } }
        @else { div.wide tabindex="0" role="region" aria-label="Models" { table {
            thead { tr { th { "model" } th { "where" } th { "digest" } th { "seen" } th { "parameters" } } }
            tbody { @for one in all { tr {
                td { a href=(links::to("/models", [("name", one.name.to_string().as_str())])) { (one.name) } }
                td { (one.place.as_str()) }
                td { code { (one.manifest.as_ref().map_or_else(|| "gone".to_owned(), |digest| digest.short())) } }
                td { (one.observed.format("%Y-%m-%d")) }
                td.number { (one.params) }
            } } }
        } } }
    }
}

fn effective(rows: &[models::EffectiveRow]) -> Markup {
    html! { div.wide tabindex="0" role="region" aria-label="Effective parameters" { table {
        thead { tr { th { "knob" } th { "value" } th { "from" } } }
        tbody { @for row in rows { tr {
            td { (say::text(&row.knob)) }
            td { (say::value(row.value.as_deref())) }
            td { (say::text(&row.source)) }
        } } }
    } } }
}
