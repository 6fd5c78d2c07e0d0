//! What a local Ollama server says of its models.

use std::collections::BTreeMap;

use headwater_store::{Digest, ModelFacts, ModelName};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{FormatError, RegistryError};
use crate::http::{Answer, Client, HttpError, Request};

/// Licenses and templates make an answer long; tensors are not asked for.
const SHOW_LIMIT: usize = 16 << 20;

/// A local server.
pub(super) struct Server<'a> {
    client: &'a Client,
    base: &'a str,
}

#[derive(Deserialize)]
struct Tags {
    models: Option<Vec<Tag>>,
}

#[derive(Deserialize)]
struct Tag {
    name: String,
    digest: String,
}

#[derive(Deserialize)]
struct Show {
    parameters: Option<String>,
    renderer: Option<String>,
    parser: Option<String>,
    requires: Option<String>,
    details: Option<Details>,
}

#[derive(Deserialize)]
struct Details {
    format: Option<String>,
    family: Option<String>,
}

/// The version that a local server says it is.
///
/// # Errors
/// Where nobody answers, or not as documented.
pub fn server_version(client: &Client, base: &str) -> Result<String, RegistryError> {
    let url = format!("{base}/api/version");
    let answer = client.send(&Request::get(&url, 1 << 16).once())?;
    if answer.status != 200 {
        return Err(answer.refused().into());
    }
    let said: Value = serde_json::from_slice(&answer.body)
        .map_err(|e| HttpError::Broken { url: url.clone(), why: e.to_string() })?;
    let version = said.get("version").and_then(Value::as_str).unwrap_or_default();
    let fits = |c: char| c.is_ascii_alphanumeric() || ".-+".contains(c);
    match version.starts_with(|c: char| c.is_ascii_digit()) && version.chars().all(fits) {
        true => Ok(version.to_owned()),
        false => Err(HttpError::Broken { url, why: "it names no version".to_owned() }.into()),
    }
}

/// What a server shows of one model.
pub(super) struct Shown {
    pub answer: Answer,
    pub params: Option<BTreeMap<String, Value>>,
    pub facts: ModelFacts,
}

impl<'a> Server<'a> {
    pub(super) fn new(client: &'a Client, base: &'a str) -> Self {
        Server { client, base }
    }

    /// The names of its models with the digests of their manifests, and the answer that
    /// told them.
    pub(super) fn models(&self) -> Result<(Answer, Vec<(ModelName, Digest)>), RegistryError> {
        let request = Request::get(format!("{}/api/tags", self.base), SHOW_LIMIT).once();
        let answer = self.client.send(&request)?;
        if answer.status != 200 {
            return Err(answer.refused().into());
        }
        let tags: Tags = serde_json::from_slice(&answer.body).map_err(|e| HttpError::Broken {
            url: answer.url.clone(),
            why: format!("it is no list of models: {e}"),
        })?;
        let listed = tags.models.unwrap_or_default().into_iter();
        let named =
            listed.filter_map(|tag| Some((tag.name.parse().ok()?, tag.digest.parse().ok()?)));
        let named = named.collect();
        Ok((answer, named))
    }

    /// What it shows of one.
    pub(super) fn show(&self, name: &ModelName) -> Result<Shown, RegistryError> {
        let body = json!({ "model": name.to_string() }).to_string();
        let request = Request::get(format!("{}/api/show", self.base), SHOW_LIMIT).post(body);
        let answer = self.client.send(&request)?;
        if answer.status != 200 {
            return Err(answer.refused().into());
        }
        let show: Show = serde_json::from_slice(&answer.body).map_err(|e| {
            let why = FormatError::Json(e.to_string());
            RegistryError::Format { what: "description".to_owned(), name: name.to_string(), why }
        })?;
        let said = |text: Option<String>| text.filter(|text| !text.is_empty());
        let details = show.details.unwrap_or(Details { format: None, family: None });
        let params = said(show.parameters).map(|text| shown_params(&text));
        Ok(Shown {
            answer,
            params,
            facts: ModelFacts {
                format: said(details.format),
                family: said(details.family),
                renderer: said(show.renderer),
                parser: said(show.parser),
                requires: said(show.requires),
            },
        })
    }
}

/// The parameters that a server shows as padded lines. A name that stands in several is a
/// list.
pub fn shown_params(text: &str) -> BTreeMap<String, Value> {
    let mut out: BTreeMap<String, Value> = BTreeMap::new();
    for line in text.lines() {
        let line = line.trim();
        let Some((name, value)) = line.split_once(char::is_whitespace) else { continue };
        let value = value.trim();
        let value = serde_json::from_str(value)
            .unwrap_or_else(|_| Value::String(value.trim_matches('"').to_owned()));
        match out.get_mut(name) {
            Some(Value::Array(list)) => list.push(value),
            Some(first) => *first = Value::Array(vec![first.take(), value]),
            None => {
                out.insert(name.to_owned(), value);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn lines_become_values_again() {
        let text = "repeat_penalty                 1.1\nstop                           \"<a b>\"\nstop    \"</a>\"\nseed -1\nbad\n";
        let params = shown_params(text);
        assert_eq!(params["repeat_penalty"], json!(1.1));
        assert_eq!(params["stop"], json!(["<a b>", "</a>"]));
        assert_eq!(params["seed"], json!(-1));
        assert_eq!(params.len(), 3);
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "\\PC{0,80}(\n\\PC{0,20}){0,5}") {
            let _ = shown_params(&text);
        }
    }
}
