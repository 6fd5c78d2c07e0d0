//! The box on top: a window, a model, a knob, a commit or a pattern, to the page that answers
//! it.

use headwater_queries::defaults;
use headwater_queries::ledger::spelling;
use headwater_queries::models;
use headwater_queries::window::{Resolver, WindowSpec};
use headwater_store::upstream::Upstream;
use headwater_store::{ModelName, Store};

use super::super::fields::{Fields, Takes};
use super::super::reply::Reply;
use super::super::room::Room;
use crate::live::is_relative;
use crate::render::links::to;

/// What it is asked.
pub const TAKES: Takes = Takes { fields: &["q"], several: &[], formats: &[] };

pub fn page(room: &Room, store: &mut Store, fields: &Fields) -> anyhow::Result<Reply> {
    let Some(asked) = fields.get("q") else { return Ok(Reply::Elsewhere("/".to_owned())) };
    Ok(Reply::Elsewhere(place(room, store, asked)?))
}

fn place(room: &Room, store: &Store, asked: &str) -> anyhow::Result<String> {
    let mut upstreams: Vec<&Upstream> = Vec::new();
    for (_, name) in store.upstream_names()? {
        upstreams.extend(room.context.upstreams.find(&name));
    }
    // An upstream's name may stand before the rest.
    let named = asked.split_once([' ', '@']).and_then(|(name, rest)| {
        Some((*upstreams.iter().find(|one| one.name == name)?, rest.trim()))
    });
    let (tried, rest) = match named {
        Some((upstream, rest)) => (vec![upstream], rest),
        None => (upstreams, asked),
    };
    if let Some(window) = rest.contains("..").then(|| WindowSpec::parse(rest).ok()).flatten() {
        for upstream in &tried {
            let resolver = Resolver::new(store, upstream)?;
            let is_end = |end: &str| is_relative(end) || resolver.resolve(end).is_ok();
            if is_end(&window.head) && is_end(&window.base) {
                return Ok(to(
                    "/why",
                    [
                        ("upstream", upstream.name.as_str()),
                        ("base", &window.base),
                        ("head", &window.head),
                    ],
                ));
            }
        }
    }
    if let Some(model) = model(store, rest)? {
        return Ok(to("/models", [("name", model.as_str())]));
    }
    if !rest.contains(char::is_whitespace) {
        for upstream in &tried {
            if Resolver::new(store, upstream)?.resolve(rest).is_ok() {
                return Ok(to("/commit", [("upstream", upstream.name.as_str()), ("sha", rest)]));
            }
        }
        for upstream in &tried {
            let id = store.upstream(&upstream.name)?;
            let known = defaults::known(store, id)?;
            let asked = spelling(rest);
            let is_asked = |knob: &str, names: &[String]| {
                let mut names = std::iter::once(knob).chain(names.iter().map(String::as_str));
                names.any(|name| spelling(name) == asked)
            };
            if known.knobs().any(|(knob, names)| is_asked(knob, names)) {
                return Ok(to("/ledger", [("upstream", upstream.name.as_str()), ("knob", rest)]));
            }
        }
    }
    let number = rest.strip_prefix('#').filter(|n| n.bytes().all(|b| b.is_ascii_digit()));
    Ok(match number {
        Some(_) => to("/grep", [("q", rest), ("in", "message"), ("fixed", "1")]),
        None => to("/grep", [("q", rest)]),
    })
}

/// The stored model that is called so.
fn model(store: &Store, asked: &str) -> anyhow::Result<Option<String>> {
    let Ok(asked) = asked.parse::<ModelName>() else { return Ok(None) };
    let all = models::summaries(store)?;
    Ok(all.into_iter().find(|one| one.name == asked).map(|one| one.name.to_string()))
}
