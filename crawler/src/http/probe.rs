//! One small request to each host: is it there, and does it answer as it is read?

use serde_json::Value;

use super::{Answer, Client, Hosts, HttpError, Request};

/// The most that such an answer may have, in bytes: a page of the library is the longest.
const MOST: usize = 4 << 20;

/// What a host answered.
#[derive(Debug)]
pub struct Probe {
    /// Which host it is.
    pub host: &'static str,
    /// What was asked.
    pub url: String,
    /// The status and what came, or why nothing did.
    pub answer: Result<Seen, HttpError>,
}

/// An answer, in short.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// The status.
    pub status: u16,
    /// Bytes of the body.
    pub bytes: usize,
    /// Whether it is of the form that crawls read.
    pub as_expected: bool,
}

/// Asks each host once. `repository` is one that GitHub has, `model` one of the registry.
pub fn probe(client: &Client, hosts: &Hosts, repository: &str, model: &str) -> Vec<Probe> {
    let json = |answer: &Answer, key: &str| {
        let parsed: Result<Value, _> = serde_json::from_slice(&answer.body);
        parsed.is_ok_and(|value| value.get(key).is_some())
    };
    let text =
        |answer: &Answer, wanted: &str| String::from_utf8_lossy(&answer.body).contains(wanted);
    type Check<'a> = Box<dyn Fn(&Answer) -> bool + 'a>;
    let asked: Vec<(&'static str, String, Check<'_>)> = vec![
        (
            "GitHub's API",
            format!("{}/rate_limit", hosts.github_api),
            Box::new(|answer| json(answer, "resources")),
        ),
        (
            "git over HTTP",
            format!("{}/{repository}.git/info/refs?service=git-upload-pack", hosts.github_web),
            Box::new(|answer| text(answer, "# service=git-upload-pack")),
        ),
        (
            "raw files",
            format!("{}/{repository}/HEAD/LICENSE", hosts.github_raw),
            Box::new(|answer| answer.status == 200 && !text(answer, "<html")),
        ),
        (
            "the registry",
            format!("{}/v2/library/{model}/manifests/latest", hosts.registry),
            Box::new(|answer| json(answer, "layers")),
        ),
        (
            "the library",
            format!("{}/library/{model}/tags", hosts.library),
            Box::new(|answer| text(answer, &format!("{model}:"))),
        ),
        (
            "the local server",
            format!("{}/api/version", hosts.ollama),
            Box::new(|answer| json(answer, "version")),
        ),
    ];
    asked
        .into_iter()
        .map(|(host, url, check)| {
            let answer = client.send(&Request::get(&url, MOST).once()).map(|answer| Seen {
                status: answer.status,
                bytes: answer.body.len(),
                as_expected: answer.status == 200 && check(&answer),
            });
            Probe { host, url, answer }
        })
        .collect()
}
