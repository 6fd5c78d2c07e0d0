//! Which version of another upstream each release names, and how far behind that was.

use headwater_queries::digest::Lagging;
use headwater_queries::pins::PinRow;
use headwater_queries::shipping::Unshipped;
use headwater_store::Store;
use maud::{Markup, PreEscaped, html};

use super::super::fields::{Fields, Takes};
use super::super::reply::{Made, Reply};
use super::super::room::Room;
use super::say::{self, Stored, table};
use crate::answers;
use crate::render::{links, plot};

/// So many of the newest tags are told, unless all are asked for.
const TAGS: usize = 30;
/// So many releases are in the plot.
const RELEASES: usize = 40;

/// What it is asked.
pub const TAKES: Takes =
    Takes { fields: &["upstream", "tag", "pin", "whole"], several: &[], formats: &["json"] };

pub fn page(room: &Room, store: &mut Store, fields: &Fields) -> anyhow::Result<Reply> {
    let name = fields.get("upstream").unwrap_or("ollama");
    let context = &room.context;
    let upstream = context.upstreams.get(name)?;
    let json = fields.text("format") == "json";
    let most = if json || fields.is_on("whole") { usize::MAX } else { TAGS };
    let answer =
        answers::pins::ask(context, store, name, fields.get("tag"), fields.get("pin"), most)?;
    if json {
        return Reply::json(&answer);
    }
    let lag = answers::lag::ask(context, store, upstream, RELEASES)?;
    let series: Vec<Lagging> = lag
        .releases
        .iter()
        .rev()
        .map(|row| Lagging { upstream: name.to_owned(), row: row.clone() })
        .collect();
    let stored = Stored::of(store)?;
    let unshipped: Vec<Markup> = lag.unshipped.iter().map(not_shipped).collect();
    let tags = answer.pins.iter().rev().map(|row| pinned(name, row, &stored));
    let tags: Vec<Markup> = tags.collect();
    let main = html! {
        h1 { "What " (upstream.name) " pins" }
        (PreEscaped(plot::lag("Days that releases were behind what they pin", &series)))
        @for (pinned, n) in &lag.now {
            p { (n) " stored commits of " (pinned) " are in no release of " (upstream.name) " yet." }
        }
        @if !lag.unshipped.is_empty() {
            section {
                h2 { "Not shipped yet" small { " moves of defaults, CUDA and sampler work" } }
                (table("Not shipped yet", &["commit", "date", "first tag", "classes", "subject"], &unshipped))
            }
        }
        section {
            h2 { "Tags" small { " newest first" } }
            (table("Tags", &["tag", "pin", "value", "build", "commit", "moved by", "home"], &tags))
        }
        @for note in &lag.notes { p { (say::text(note)) } }
        p.links {
            @if answer.tags >= most { a href=(fields.with("/pins", "whole", "1")) { "All tags" } " · " }
            a href=(links::to("/pins", [("upstream", name), ("format", "json")])) { "JSON" }
        }
    };
    Ok(Reply::Page(Made { title: format!("{name} pins"), main }))
}

fn not_shipped(one: &Unshipped) -> Markup {
    html! {
        td { (say::commit(&one.upstream, one.sha)) }
        td.fixed { (one.date.format("%Y-%m-%d")) }
        td { (one.first_tag.as_deref().map(say::text).unwrap_or_default()) }
        td { (one.classes.join(", ")) }
        td { (say::text(&one.subject)) }
    }
}

fn pinned(upstream: &str, row: &PinRow, stored: &Stored<'_>) -> Markup {
    html! {
        td.fixed { (say::text(&row.tag)) }
        td { @if row.value.is_some() { (row.pin) } @else { span.dim { "pins nothing" } } }
        td { @if row.value.is_some() { (say::value(row.value.as_deref())) } }
        td { (row.build.as_deref().unwrap_or_default()) @if row.derived { " (counted)" } }
        td { @if let Some(sha) = row.target_sha { (stored.commit(&row.upstream, sha)) } }
        td { @if let Some(sha) = row.moved_by { (say::commit(upstream, sha)) } }
        td.path { (say::text(row.home.as_deref().unwrap_or_default())) }
    }
}
