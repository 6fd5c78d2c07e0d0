//! The tools: what each is for, and how it is answered. Each answer is what `--format json`
//! of the command prints, in pages.

mod history;
mod ledger;
mod ships;
mod window;

use std::any::Any;
use std::sync::Arc;

use anyhow::bail;
use rmcp::handler::server::tool::schema_for_type;
use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::asked;
use super::desk::Desk;

/// A tool.
pub struct Known {
    /// Its name.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// When to use it.
    pub about: &'static str,
    /// What it is asked.
    pub schema: fn() -> Arc<JsonObject>,
    /// Answers.
    pub ask: fn(&Desk, Value) -> anyhow::Result<Value>,
}

/// All tools.
pub const ALL: [Known; 10] = [
    Known {
        name: "why",
        title: "Why a version window changed",
        about: "Why did this version window (v0.32.9..v0.32.13) change speed, answers, memory or \
            behaviour? Ranked commits with reasons and a verdict (candidate, excluded, off-path, \
            inert, confirmed-by-toggle), through the llama.cpp window that the pins open; moved \
            defaults with how to restore them; what was looked for and not found, with its grade. \
            Give the model, the backend and the symptom where known.",
        schema: schema_for_type::<asked::Why>,
        ask: window::why,
    },
    Known {
        name: "grep",
        title: "Exact search of history",
        about: "Exact search of every changed line of stored history, of commit messages, or of \
            all files at a version (at). Use it to prove a claim: grade grep means complete over \
            all in scope, so that no match is a proof; absent-partial means gaps, each named in \
            coverage. Commits newest first, in pages.",
        schema: schema_for_type::<asked::Grep>,
        ask: history::grep,
    },
    Known {
        name: "search",
        title: "Find commits by words",
        about: "Ranked full text over messages, paths, patches and what people wrote (release \
            notes, pull requests, issues). For finding; never for absence: use grep for that.",
        schema: schema_for_type::<asked::Search>,
        ask: history::search,
    },
    Known {
        name: "defaults",
        title: "The ledger of defaults",
        about: "Which default a knob has, since when, which commit moved it, where it shipped \
            first, and how to get the old value back. By knob, by window, or all values at a \
            version.",
        schema: schema_for_type::<asked::Defaults>,
        ask: ledger::defaults,
    },
    Known {
        name: "effective",
        title: "What a request really runs with",
        about: "The parameters that a request which sets nothing runs with for a model at a \
            version: the model's own over the server's defaults over the engine's, each with its \
            source.",
        schema: schema_for_type::<asked::Effective>,
        ask: ledger::effective,
    },
    Known {
        name: "show",
        title: "One commit",
        about: "One commit: message, dates, patch (in pages of lines), first tags, twins \
            (cherry-picks), classes with the rules that gave them, receipt.",
        schema: schema_for_type::<asked::Show>,
        ask: history::show,
    },
    Known {
        name: "file_at",
        title: "A file at a version",
        about: "A file of an upstream as it was at a tag, build or commit, in pages of lines; \
            its git object id proves it (grade record).",
        schema: schema_for_type::<asked::FileAt>,
        ask: history::file_at,
    },
    Known {
        name: "pins",
        title: "Which llama.cpp a release pins",
        about: "Which version of llama.cpp (or MLX) each release names, and which commit moved \
            it there, newest tag first. A derived build number was counted from history.",
        schema: schema_for_type::<asked::Pins>,
        ask: ships::pins,
    },
    Known {
        name: "contains",
        title: "Is a change in a release",
        about: "Is this pull request or commit in that release, itself, as a cherry-pick, or \
            through its pin?",
        schema: schema_for_type::<asked::Contains>,
        ask: ships::contains,
    },
    Known {
        name: "digest",
        title: "What moved upstream in a week",
        about: "What moved in an ISO week or since a day: defaults first, then sampler, CUDA and \
            MoE work, toolchains, pins with what they bring, releases, models.",
        schema: schema_for_type::<asked::Digest>,
        ask: window::digest,
    },
];

/// The tool of a name.
pub fn find(name: &str) -> Option<&'static Known> {
    ALL.iter().find(|tool| tool.name == name)
}

/// Reads what a tool is asked; a name that it does not have is told.
fn read<T: DeserializeOwned + JsonSchema + Any>(asked: Value) -> anyhow::Result<T> {
    let schema = schema_for_type::<T>();
    let known = schema.get("properties").and_then(Value::as_object);
    if let (Some(known), Some(given)) = (known, asked.as_object())
        && let Some(other) = given.keys().find(|name| !known.contains_key(*name))
    {
        let names: Vec<&str> = known.keys().map(String::as_str).collect();
        bail!("there is no argument {other:?}; there are {}", names.join(", "));
    }
    serde_json::from_value(asked).map_err(|error| anyhow::anyhow!("{error}"))
}

/// Refuses a word that is none of those which an argument takes.
fn one_of(name: &str, given: Option<&str>, known: &[&str]) -> anyhow::Result<()> {
    match given {
        Some(given) if !known.contains(&given) => {
            bail!("{given:?} is no {name}; it is one of {}", known.join(", "))
        }
        _ => Ok(()),
    }
}

impl asked::Page {
    /// How many rows are wanted, where `usual` are when nothing is said.
    fn rows(&self, usual: usize) -> anyhow::Result<usize> {
        match self.limit {
            Some(limit @ 1..=200) => Ok(limit),
            Some(limit) => bail!("limit {limit} is no page; give 1 to 200"),
            None => Ok(usual),
        }
    }
}
