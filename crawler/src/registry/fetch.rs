//! Asking a registry.

use std::cell::RefCell;
use std::collections::HashMap;

use headwater_store::{Digest, ModelLayer, ModelName};
use serde::Deserialize;

use super::RegistryError;
use super::challenge::token_url;
use crate::http::{Answer, Client, HttpError, Request};

const MANIFEST: &str = "application/vnd.docker.distribution.manifest.v2+json";
/// The most bytes of a manifest; one of tensors has thousands of layers.
pub(super) const MANIFEST_LIMIT: usize = 8 << 20;
/// The most bytes of parameters, templates and configurations.
pub(super) const BLOB_LIMIT: usize = 4 << 20;
const TOKEN_LIMIT: usize = 64 << 10;

/// A registry.
pub(super) struct Registry<'a> {
    client: &'a Client,
    base: &'a str,
    /// The token for each repository that asked for one.
    tokens: RefCell<HashMap<String, String>>,
}

/// What a registry says of a tag.
pub(super) enum Looked {
    /// It is not there.
    Gone(Answer),
    /// It is what it was.
    Unchanged(Answer),
    /// Its manifest.
    Manifest(Answer),
}

#[derive(Deserialize)]
struct Token {
    token: Option<String>,
    access_token: Option<String>,
}

impl<'a> Registry<'a> {
    pub(super) fn new(client: &'a Client, base: &'a str) -> Self {
        Registry { client, base, tokens: RefCell::default() }
    }

    fn base(&self, name: &ModelName) -> String {
        match name.other_host() {
            Some(host) => format!("https://{host}"),
            None => self.base.to_owned(),
        }
    }

    /// The manifest of a tag, unless it is still the one with this ETag.
    pub(super) fn manifest(
        &self,
        name: &ModelName,
        etag: Option<&str>,
    ) -> Result<Looked, RegistryError> {
        let url = format!("{}/v2/{}/manifests/{}", self.base(name), name.repository(), name.tag());
        let request = Request::get(url, MANIFEST_LIMIT).accept(MANIFEST).unless(etag);
        let answer = self.ask(name, request)?;
        match answer.status {
            200 => {
                check_promise(name, &answer)?;
                Ok(Looked::Manifest(answer))
            }
            304 => Ok(Looked::Unchanged(answer)),
            404 => Ok(Looked::Gone(answer)),
            _ => Err(refused(name, &answer)),
        }
    }

    /// The bytes of a layer, if they are what its digest says.
    pub(super) fn blob(
        &self,
        name: &ModelName,
        layer: &ModelLayer,
    ) -> Result<Answer, RegistryError> {
        let url = format!("{}/v2/{}/blobs/{}", self.base(name), name.repository(), layer.digest);
        let answer = self.ask(name, Request::get(url, BLOB_LIMIT))?;
        if answer.status != 200 {
            return Err(refused(name, &answer));
        }
        let got = Digest::of(&answer.body);
        if got != layer.digest {
            return Err(RegistryError::Mismatch {
                what: layer.kind.clone(),
                name: name.to_string(),
                source_of: answer.url,
                wanted: Box::new(layer.digest),
                got: Box::new(got),
            });
        }
        Ok(answer)
    }

    /// Asks; and with a token, where the registry wants one.
    fn ask(&self, name: &ModelName, request: Request) -> Result<Answer, RegistryError> {
        let key = format!("{}/{}", self.base(name), name.repository());
        let known = self.tokens.borrow().get(&key).cloned();
        let answer = self.client.send(&request.clone().bearer(known.as_deref()))?;
        let url = answer.header("www-authenticate").and_then(token_url);
        let (401, Some(url)) = (answer.status, url) else { return Ok(answer) };
        let given = self.client.send(&Request::get(url, TOKEN_LIMIT))?;
        let token = serde_json::from_slice::<Token>(&given.body).ok();
        let Some(token) = token.and_then(|t| t.token.or(t.access_token)) else {
            return Err(given.refused().into());
        };
        let answer = self.client.send(&request.bearer(Some(&token)))?;
        self.tokens.borrow_mut().insert(key, token);
        Ok(answer)
    }
}

/// A registry may say which digest its manifest has.
fn check_promise(name: &ModelName, answer: &Answer) -> Result<(), RegistryError> {
    let promised = answer.header("docker-content-digest").and_then(|text| text.parse().ok());
    let Some(wanted) = promised else { return Ok(()) };
    let got = Digest::of(&answer.body);
    if got == wanted {
        return Ok(());
    }
    Err(RegistryError::Mismatch {
        what: "manifest".to_owned(),
        name: name.to_string(),
        source_of: answer.url.clone(),
        wanted: Box::new(wanted),
        got: Box::new(got),
    })
}

/// A status that is neither yes nor no, with the registry's own words where it has some.
fn refused(name: &ModelName, answer: &Answer) -> RegistryError {
    #[derive(Deserialize)]
    struct Said {
        errors: Vec<One>,
    }
    #[derive(Deserialize)]
    struct One {
        message: String,
    }
    let said = serde_json::from_slice::<Said>(&answer.body).ok();
    let said = said.and_then(|said| said.errors.into_iter().next());
    match said {
        Some(one) if matches!(answer.status, 401 | 403 | 412) => RegistryError::Refused {
            name: name.to_string(),
            said: one.message.chars().take(200).collect(),
        },
        _ => RegistryError::Http(HttpError::Status {
            url: answer.url.clone(),
            status: answer.status,
            after: String::new(),
        }),
    }
}
