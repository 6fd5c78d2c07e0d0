//! The model library's pages: markup for people, with marks that scrapers use.

use axum::Router;
use axum::extract::{Path, State};
use axum::response::Response;
use axum::routing::get;

use crate::github::Shared;
use crate::host::text;
use crate::ollama_models::Model;

const HTML: &str = "text/html; charset=utf-8";

/// The library's pages.
pub(crate) fn router(world: Shared) -> Router {
    Router::new()
        .route("/library", get(list))
        .route("/library/{name}", get(one))
        .route("/library/{name}/tags", get(tags))
        .fallback(async || missing())
        .with_state(world)
}

fn missing() -> Response {
    text(404, HTML, "<html><title>404</title><body>page not found</body></html>".to_owned())
}

fn html(title: &str, body: &str) -> Response {
    let head = format!("<!DOCTYPE html>\n<html>\n<head><title>{title}</title></head>\n<body>\n");
    text(200, HTML, format!("{head}{body}</body>\n</html>\n"))
}

/// The models of the library, the tags of each together.
fn by_name(world: &Shared) -> Vec<(String, Vec<Model>)> {
    let mut out: Vec<(String, Vec<Model>)> = Vec::new();
    for model in &world.state().models.0 {
        if model.name.contains('/') {
            continue;
        }
        match out.iter_mut().find(|(name, _)| *name == model.name) {
            Some((_, tags)) => tags.push(model.clone()),
            None => out.push((model.name.clone(), vec![model.clone()])),
        }
    }
    out
}

async fn list(State(world): State<Shared>) -> Response {
    let mut body = String::from("<ul role=\"list\" class=\"grid grid-cols-1\">\n");
    for (name, tags) in by_name(&world) {
        let sizes: String = tags
            .iter()
            .filter(|model| model.tag != "latest")
            .map(|model| format!("<span x-test-size class=\"text-blue-600\">{}</span>", model.tag))
            .collect();
        let about = tags.first().map_or("", |model| model.about.as_str());
        body.push_str(&format!(
            "<li x-test-model class=\"flex items-baseline\">\n<a href=\"/library/{name}\" class=\"group w-full\">\n<div class=\"flex flex-col\" x-test-model-title title=\"{name}\">\n<h2><span x-test-search-response-title>{name}</span></h2>\n<p class=\"max-w-lg break-words\">{about}</p>\n</div>\n<div class=\"flex flex-wrap\"><span x-test-capability>tools</span>{sizes}</div>\n<p class=\"my-1 flex\">\n<span><span x-test-pull-count>1.2M</span> Pulls</span>\n<span><span x-test-tag-count>{}</span> Tags</span>\n<span title=\"Mar 4, 2026 5:47 AM UTC\"><span x-test-updated>2 weeks ago</span></span>\n</p>\n</a>\n</li>\n",
            tags.len()
        ));
    }
    body.push_str("</ul>\n");
    html("library", &body)
}

async fn one(State(world): State<Shared>, Path(name): Path<String>) -> Response {
    match by_name(&world).into_iter().find(|(known, _)| *known == name) {
        Some((name, tags)) => {
            let about = tags.first().map_or("", |model| model.about.as_str());
            html(
                &name,
                &format!(
                    "<h1>{name}</h1><p class=\"max-w-lg\">{about}</p><a href=\"/library/{name}/tags\">View all</a>\n"
                ),
            )
        }
        None => missing(),
    }
}

async fn tags(State(world): State<Shared>, Path(name): Path<String>) -> Response {
    let Some((name, tags)) = by_name(&world).into_iter().find(|(known, _)| *known == name) else {
        return missing();
    };
    let mut body = String::from(
        "<section><div class=\"min-w-full divide-y\">\n<div class=\"grid px-4 py-3\"><p>Name</p><p>Size</p><p>Context</p><p>Input</p></div>\n",
    );
    for model in tags {
        let id: String = model.id().chars().take(12).collect();
        let full = format!("{name}:{}", model.tag);
        body.push_str(&format!(
            "<div class=\"group px-4 py-3\">\n<div class=\"hidden md:flex\">\n<div class=\"grid grid-cols-12\">\n<span class=\"col-span-6\"><a href=\"/library/{full}\">{full}</a><input class=\"command hidden\" value=\"{full}\" /></span>\n<p class=\"col-span-2\">18GB</p>\n<p class=\"col-span-2\">256K</p>\n<p class=\"col-span-2\">Text, Image</p>\n</div>\n<div class=\"flex text-neutral-500\"><span class=\"font-mono text-[11px]\">{id}</span> · 2 weeks ago</div>\n</div>\n</div>\n"
        ));
    }
    body.push_str("</div></section>\n");
    html(&format!("{name} tags"), &body)
}
