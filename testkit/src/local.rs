//! An Ollama server on the user's own machine.

use std::collections::BTreeMap;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::response::Response;
use axum::routing::{get, post};
use serde_json::{Value, json};

use crate::github::Shared;
use crate::host::text;
use crate::ollama_models::Model;

const JSON: &str = "application/json; charset=utf-8";

/// A model that is installed: one of the registry's, perhaps with a Modelfile's own
/// parameters over it.
#[derive(Debug, Clone, PartialEq)]
pub struct Installed {
    /// The name by which the user calls it (`my-gemma:latest`).
    pub name: String,
    /// What it is.
    pub model: Model,
}

/// The server's state.
#[derive(Debug, Clone)]
pub(crate) struct Local {
    pub version: String,
    pub installed: Vec<Installed>,
}

impl Default for Local {
    fn default() -> Self {
        let models = crate::ollama_models::Models::default();
        let mut installed: Vec<Installed> = ["gemma4:26b", "muse-glimmer:30b"]
            .into_iter()
            .filter_map(|name| {
                let (model, tag) = name.split_once(':')?;
                let model = models.find(&format!("library/{model}"), tag)?.clone();
                Some(Installed { name: name.to_owned(), model })
            })
            .collect();
        if let Some(first) = installed.first() {
            let own =
                json!({ "repeat_penalty": 1.2, "temperature": 1, "top_k": 64, "top_p": 0.95 });
            let model = first.model.clone().params(&own);
            installed.push(Installed { name: "my-gemma:latest".to_owned(), model });
        }
        Local { version: "0.6.0".to_owned(), installed }
    }
}

/// The server.
pub(crate) fn router(world: Shared) -> Router {
    Router::new()
        .route("/", get(async || "Ollama is running"))
        .route("/api/version", get(version))
        .route("/api/tags", get(tags))
        .route("/api/show", post(show))
        .with_state(world)
}

async fn version(State(world): State<Shared>) -> Response {
    text(200, JSON, json!({ "version": world.state().local.version }).to_string())
}

fn details(model: &Model) -> Value {
    json!({
        "parent_model": "",
        "format": model.format,
        "family": model.family,
        "families": [model.family],
        "parameter_size": "26B",
        "quantization_level": "Q4_K_M",
    })
}

async fn tags(State(world): State<Shared>) -> Response {
    let one = |installed: &Installed| {
        json!({
            "name": installed.name,
            "model": installed.name,
            "modified_at": "2026-03-05T08:00:00.123456789-08:00",
            "size": 18_000_000_000_u64,
            "digest": installed.model.id(),
            "details": details(&installed.model),
            "capabilities": ["completion", "tools"],
        })
    };
    let models: Vec<Value> = world.state().local.installed.iter().map(one).collect();
    text(200, JSON, json!({ "models": models }).to_string())
}

async fn show(State(world): State<Shared>, body: Bytes) -> Response {
    let request: Value = serde_json::from_slice(&body).unwrap_or_default();
    let Some(name) = request["model"].as_str().or(request["name"].as_str()) else {
        return text(400, JSON, json!({ "error": "model is required" }).to_string());
    };
    let full = if name.contains(':') { name.to_owned() } else { format!("{name}:latest") };
    let found = world.state().local.installed.iter().find(|one| one.name == full).cloned();
    let Some(installed) = found else {
        let error = format!("model '{name}' not found");
        return text(404, JSON, json!({ "error": error }).to_string());
    };
    let model = &installed.model;
    let mut value = json!({
        "modelfile": format!("FROM {}\n", installed.name),
        "license": "Do as you like.\n",
        "template": model.template.clone().unwrap_or_else(|| "{{ .Prompt }}".to_owned()),
        "details": details(model),
        "model_info": { "general.architecture": model.family },
        "capabilities": ["completion", "tools"],
        "modified_at": "2026-03-05T08:00:00.123456789-08:00",
    });
    if let Some(params) = &model.params {
        value["parameters"] = json!(lines(params));
    }
    for (name, text) in
        [("renderer", &model.renderer), ("parser", &model.parser), ("requires", &model.requires)]
    {
        if let Some(text) = text {
            value[name] = json!(text);
        }
    }
    text(200, JSON, value.to_string())
}

/// Parameters as the server shows them: a line each, lists as several lines.
fn lines(params: &BTreeMap<String, Value>) -> String {
    let mut out = Vec::new();
    for (name, value) in params {
        let values = value.as_array().cloned().unwrap_or_else(|| vec![value.clone()]);
        out.extend(values.iter().map(|one| format!("{name:<30} {one}")));
    }
    out.join("\n")
}
