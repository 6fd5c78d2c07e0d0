//! Small pieces that several pages have.

use headwater_queries::defaults::EventRow;
use maud::{Markup, html};

use crate::render::links;
use crate::render::text::one_line;

/// A link to a commit, by the first digits of its id.
pub fn commit(upstream: &str, sha: headwater_store::Oid) -> Markup {
    html! { a.sha href=(links::commit(upstream, &sha.to_string())) { (sha.short()) } }
}

/// A stranger's text on one line.
pub fn text(stranger: &str) -> String {
    one_line(stranger)
}

/// A value that fits a cell, whole where one points at it.
pub fn value(value: Option<&str>) -> Markup {
    let Some(value) = value else { return html! { span.dim { "none" } } };
    let whole = one_line(value);
    let short: String = whole.chars().take(60).collect();
    html! {
        @if short.len() == whole.len() { code { (whole) } }
        @else { code title=(whole) { (short) "…" } }
    }
}

/// The page of a knob.
pub fn knob(upstream: &str, name: &str) -> Markup {
    let href = links::to("/ledger", [("upstream", upstream), ("knob", name)]);
    html! { a href=(href) { (text(name)) } }
}

/// Default events, a row each.
pub fn events<'a>(events: impl Iterator<Item = &'a EventRow>) -> Markup {
    html! {
        div.wide tabindex="0" role="region" aria-label="Default events" { table {
            thead { tr {
                th { "date" } th { "commit" } th { "knob" } th { "scope" } th { "old" } th { "new" }
                th { "first shipped" } th { "where" } th.back { "back with" }
            } }
            tbody {
                @for event in events {
                    tr {
                        td.fixed { (event.date.format("%Y-%m-%d")) }
                        td title=(text(&event.subject)) { (commit(&event.upstream, event.sha)) }
                        td { (knob(&event.upstream, &event.knob)) }
                        td { (event.scope) }
                        td { (value(event.old.as_deref())) }
                        td { (value(event.new.as_deref())) }
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
                        td {
                            @for way in &event.restore {
                                div { code { (text(&way.text)) } " " span.dim { (text(&way.consumer)) } }
                            }
                        }
                    }
                }
            }
        } }
    }
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
