//! What moved in a week.

use chrono::{TimeDelta, Utc};
use headwater_queries::digest::Period;
use headwater_store::Store;
use maud::{PreEscaped, html};

use super::super::fields::{Fields, Takes};
use super::super::reply::{Made, Reply};
use super::super::room::{Lane, Room};
use super::say::Stored;
use crate::answers;
use crate::args::Format;
use crate::render::{self, links};

/// What it is asked.
pub const TAKES: Takes = Takes {
    fields: &["week", "since", "upstream"],
    several: &["upstream"],
    formats: &["json", "md", "atom"],
};

/// The name of the week that is not over.
pub fn this_week() -> String {
    Utc::now().format("%G-W%V").to_string()
}

/// A week is short; what began long ago is not.
pub fn lane(fields: &Fields) -> Lane {
    if fields.is_on("since") { Lane::Long } else { Lane::Middle }
}

pub fn page(room: &Room, store: &mut Store, fields: &Fields) -> anyhow::Result<Reply> {
    let context = &room.context;
    let now = Utc::now();
    let when = answers::digest::When::new(fields.get("since"), fields.get("week"), now)?;
    let from = when.period.from;
    let digest = answers::digest::ask(context, store, &fields.all("upstream"), when, None)?;
    let scrub = context.scrub(&[])?;
    match fields.text("format") {
        "json" => return Reply::json(&digest),
        "md" => {
            let text = render::digest::screen(&digest, Format::Md, Some(&scrub));
            return Ok(Reply::markdown(text));
        }
        "atom" => {
            let feed = render::feed::atom(&digest, &scrub);
            return Ok(Reply::Text("application/atom+xml", feed));
        }
        _ => {}
    }
    let stored = Stored::of(store)?;
    let week = |days: i64| {
        let day = (from + TimeDelta::days(days)).format("%G-W%V").to_string();
        Period::week(Some(&day), now).ok().map(|period| period.name)
    };
    let to = |name: &str| links::to("/digest", [("week", name)]);
    let this = to(&digest.period.name);
    let main = html! {
        p.links {
            @if let Some(before) = week(-7) { a rel="prev" href=(to(&before)) { "← " (before) } " · " }
            strong { (digest.period.name) }
            @if let Some(after) = week(7) { " · " a rel="next" href=(to(&after)) { (after) " →" } }
        }
        article.report { (PreEscaped(render::digest::served(&digest, &stored))) }
        p.links {
            a href=(this) { "This digest" } " · "
            a href=(format!("{this}&format=md")) { "Markdown" } " · "
            a href=(format!("{this}&format=json")) { "JSON" } " · "
            a href=(format!("{this}&format=atom")) { "Atom" }
        }
    };
    Ok(Reply::Page(Made { title: format!("Digest {}", digest.period.name), main }))
}
