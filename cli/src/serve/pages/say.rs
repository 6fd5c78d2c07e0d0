//! Small pieces that several pages have.

use headwater_queries::defaults::EventRow;
use headwater_store::{Oid, Store, UpstreamId};
use maud::{Markup, html};

pub use crate::render::html::{table, value};
use crate::render::links::{self, Pages};
use crate::render::text::one_line;

/// What is stored, and so has a page.
pub struct Stored<'s> {
    store: &'s Store,
    upstreams: Vec<(UpstreamId, String)>,
}

impl<'s> Stored<'s> {
    /// Of a store.
    pub fn of(store: &'s Store) -> anyhow::Result<Self> {
        Ok(Stored { store, upstreams: store.upstream_names()? })
    }

    /// A link to a commit, where it is stored.
    pub fn commit(&self, upstream: &str, sha: Oid) -> Markup {
        match self.has_commit(Some(upstream), &sha.to_string()) {
            true => commit(upstream, sha),
            false => html! { span.sha { (sha.short()) } },
        }
    }
}

impl Pages for Stored<'_> {
    fn has_upstream(&self, name: &str) -> bool {
        self.upstreams.iter().any(|(_, one)| one == name)
    }

    fn has_commit(&self, upstream: Option<&str>, id: &str) -> bool {
        let mut of =
            self.upstreams.iter().filter(|(_, one)| upstream.is_none_or(|name| one == name));
        // What cannot be told has no link.
        of.any(|(of, _)| self.store.has_commit(*of, id).unwrap_or(false))
    }
}

/// A link to a commit that is stored, by the first digits of its id.
pub fn commit(upstream: &str, sha: Oid) -> Markup {
    html! { a.sha href=(links::commit(upstream, &sha.to_string())) { (sha.short()) } }
}

/// A stranger's text on one line.
pub fn text(stranger: &str) -> String {
    one_line(stranger)
}

/// The page of a knob.
pub fn knob(upstream: &str, name: &str) -> Markup {
    let href = links::to("/ledger", [("upstream", upstream), ("knob", name)]);
    html! { a href=(href) { (text(name)) } }
}

/// Default events, a row each.
pub fn events<'a>(events: impl Iterator<Item = &'a EventRow>) -> Markup {
    let head =
        ["date", "commit", "knob", "scope", "old", "new", "first shipped", "where", "back with"];
    let row = |event: &EventRow| {
        html! {
            td.fixed { (event.date.format("%Y-%m-%d")) }
            td title=(text(&event.subject)) { (commit(&event.upstream, event.sha)) }
            td.name { (knob(&event.upstream, &event.knob)) }
            td { (event.scope) }
            td.value { (value(event.old.as_deref())) }
            td.value { (value(event.new.as_deref())) }
            td {
                @match &event.first_shipped {
                    Some(tag) => { (text(tag)) }
                    None => { span.dim { "not yet" } }
                }
                @if event.never_shipped { " " span.mark { "never in a final release" } }
                @if let Some(sha) = event.flips_back {
                    " " span.mark { "back to what " (commit(&event.upstream, sha)) " left" }
                }
            }
            td.path { (text(&event.path)) ":" (event.line) }
            td.back {
                @for way in &event.restore {
                    div { code { (text(&way.text)) } " " span.dim { (text(&way.consumer)) } }
                }
            }
        }
    };
    table("Default events", &head, &events.map(row).collect::<Vec<_>>())
}

/// A choice of a form.
pub fn choice(name: &str, label: &str, known: &[&str], chosen: &str) -> Markup {
    html! {
        label { span { (label) } select name=(name) {
            option value="" { "any" }
            @for one in known { option value=(one) selected[*one == chosen] { (one) } }
        } }
    }
}

/// A field of a form.
pub fn field(name: &str, label: &str, value: &str, hint: &str, list: Option<&str>) -> Markup {
    html! {
        label { span { (label) }
            input name=(name) value=(value) placeholder=(hint) autocomplete="off" spellcheck="false" list=[list];
        }
    }
}
