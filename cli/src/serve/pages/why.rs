//! A window's report, and the form that asks for one.

use headwater_queries::why::{AsOf, WhyQuestion};
use headwater_queries::window::{WindowSpec, span};
use headwater_store::Store;
use maud::{Markup, PreEscaped, html};

use super::super::fields::{Fields, Takes};
use super::super::reply::{Made, Reply};
use super::super::room::{Lane, Room};
use super::say::{Stored, choice, field};
use crate::answers;
use crate::args::Format;
use crate::commands::why::{BACKENDS, KINDS, PHASES, as_of};
use crate::render::{self, links};

/// So many candidates are told in full, unless more are asked for.
const TOP: usize = 8;
/// So many tags are offered for either end.
const TAGS: usize = 400;

/// What it is asked.
pub const TAKES: Takes = Takes {
    fields: &[
        "upstream", "window", "base", "head", "model", "backend", "phase", "kind", "symptom",
        "as_of", "top",
    ],
    several: &[],
    formats: &["json", "md"],
};

/// A window of no more commits reads no more than a search does.
const SMALL: usize = 300;

/// Whether a question is about a small window; what cannot be answered is told soon.
pub fn is_small(room: &Room, store: &Store, fields: &Fields) -> anyhow::Result<bool> {
    let Some(question) = asked(room, fields)? else { return Ok(true) };
    let upstream = room.context.upstreams.get(&question.upstream)?;
    let span = span(store, upstream, &question.window);
    Ok(span.map_or(true, |span| span.nodes.len() <= SMALL))
}

/// The form alone reads little.
pub fn lane(fields: &Fields) -> Lane {
    match ["window", "base", "head"].iter().any(|end| fields.is_on(end)) {
        true => Lane::Long,
        false => Lane::Short,
    }
}

pub fn page(room: &Room, store: &mut Store, fields: &Fields) -> anyhow::Result<Reply> {
    let top = fields.number("top")?.unwrap_or(TOP);
    let Some(mut question) = asked(room, fields)? else {
        if fields.get("format").is_some() {
            anyhow::bail!("say which window: base and head, or window");
        }
        let main = html! { h1 { "Why did this window change?" } (form(room, store, fields)?) };
        return Ok(Reply::Page(Made { title: "A window".to_owned(), main }));
    };
    let context = &room.context;
    let report = answers::why::ask(context, store, room.rules()?, &mut question, None)?;
    // What is fetched from here may be passed on as it is.
    let scrub = crate::commands::kept::scrub(context, &report)?;
    match fields.text("format") {
        "json" => {
            let mut value = serde_json::to_value(&report)?;
            // Of years of history either is hundreds of megabytes.
            drop(report);
            scrub.json(&mut value);
            return Reply::value(value);
        }
        "md" => {
            let text = render::why::screen(&report, top, Format::Md, Some(&scrub));
            return Ok(Reply::markdown(text));
        }
        _ => {}
    }
    let stored = Stored::of(store)?;
    // The ends by name: `latest` would be another window tomorrow.
    let window = &report.window;
    let stable = links::to(
        "/why",
        [
            ("upstream", window.upstream.as_str()),
            ("base", &window.base),
            ("head", &window.head),
            ("model", fields.text("model")),
            ("backend", fields.text("backend")),
            ("symptom", fields.text("symptom")),
            ("phase", fields.text("phase")),
            ("kind", fields.text("kind")),
            ("as_of", fields.text("as_of")),
        ],
    );
    let main = html! {
        details.ask { summary { "Ask another" } (form(room, store, fields)?) }
        article.report { (PreEscaped(render::why::served(&report, top, &stored))) }
        p.links {
            a href=(stable) { "This report" } " · "
            a href=(format!("{stable}&format=md")) { "Markdown" } " · "
            a href=(format!("{stable}&format=json")) { "JSON" }
        }
    };
    let title = format!("{} {}..{}", window.upstream, window.base, window.head);
    Ok(Reply::Page(Made { title, main }))
}

/// What is asked; nothing where no window is.
fn asked(room: &Room, fields: &Fields) -> anyhow::Result<Option<WhyQuestion>> {
    let window = match (fields.get("base"), fields.get("head"), fields.get("window")) {
        (Some(base), Some(head), _) => WindowSpec { base: base.to_owned(), head: head.to_owned() },
        (_, _, Some(window)) => WindowSpec::parse(window)?,
        (None, None, None) => return Ok(None),
        _ => anyhow::bail!("a window has two ends; fill in both"),
    };
    let known = |name, all: &[&str]| anyhow::Ok(fields.one_of(name, all)?.map(str::to_owned));
    Ok(Some(WhyQuestion {
        upstream: room
            .context
            .upstreams
            .get(fields.get("upstream").unwrap_or("ollama"))?
            .name
            .clone(),
        window,
        symptom: fields.own("symptom"),
        backend: fields.backend()?,
        model: fields.own("model"),
        phase: known("phase", &PHASES)?,
        kind: known("kind", &KINDS)?,
        installed: None,
        as_of: match fields.get("as_of") {
            Some(text) => as_of(text).map_err(anyhow::Error::msg)?,
            None => AsOf::Now,
        },
        jobs: room.context.question_jobs(),
    }))
}

fn form(room: &Room, store: &Store, fields: &Fields) -> anyhow::Result<Markup> {
    let mut names = Vec::new();
    let mut tags = Vec::new();
    for (id, name) in store.upstream_names()? {
        let mut of: Vec<_> = store.tags(id)?;
        of.sort_by_cached_key(|tag| std::cmp::Reverse(version(room, &name, &tag.name)));
        tags.extend(of.into_iter().take(TAGS).map(|tag| tag.name));
        names.push(name);
    }
    let models = headwater_queries::models::summaries(store)?;
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let chosen = fields.get("upstream").unwrap_or("ollama");
    Ok(html! {
        form.fields action="/why" method="get" {
            label { span { "Upstream" } select name="upstream" {
                @for name in &names { option value=(name) selected[*name == chosen] { (name) } }
            } }
            (field("base", "From (not counted)", fields.text("base"), "v0.32.9", Some("tags")))
            (field("head", "To", fields.text("head"), "v0.32.13", Some("tags")))
            (field("model", "Model", fields.text("model"), "gemma4:26b", Some("models")))
            (choice("backend", "Backend", &BACKENDS, fields.text("backend")))
            (choice("phase", "Where it was seen", &PHASES, fields.text("phase")))
            (choice("kind", "Kind of change", &KINDS, fields.text("kind")))
            label.long { span { "What you saw" }
                input name="symptom" value=(fields.text("symptom")) placeholder="prompt processing is slower";
            }
            button { "Why?" }
            datalist id="tags" { @for tag in &tags { option value=(tag) {} } }
            datalist id="models" { @for one in &models { option value=(one.name) {} } }
        }
    })
}

/// A tag by its version: newest first is what people look for.
fn version(room: &Room, upstream: &str, tag: &str) -> Option<headwater_store::upstream::Version> {
    headwater_store::upstream::Version::of(room.context.upstreams.find(upstream)?, tag)
}
