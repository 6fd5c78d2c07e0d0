//! One file at a revision.

use std::borrow::Cow;

use anyhow::Context as _;
use headwater_queries::grep::{self, FileAt};
use headwater_store::evidence::{Grade, Receipt};
use headwater_store::{Oid, Store};
use schemars::JsonSchema;
use serde::Serialize;

use crate::context::Context;

/// A file at a revision.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Document<'a> {
    /// `headwater/file/1`
    pub schema: &'static str,
    /// The upstream.
    pub upstream: &'a str,
    /// The revision's name.
    pub revision: &'a str,
    /// Its commit.
    pub sha: Oid,
    /// The file.
    pub path: &'a str,
    /// Its object.
    pub blob: Oid,
    /// Its length.
    pub bytes: usize,
    /// Its text: a stranger's.
    pub text: Cow<'a, str>,
    /// How well it is supported.
    pub grade: &'static str,
    /// How its commit was obtained.
    pub receipt: &'a Receipt,
}

/// A file that was asked for as `UPSTREAM@REVISION:PATH`.
pub struct Found<'a> {
    /// The upstream.
    pub upstream: &'a str,
    /// The path.
    pub path: &'a str,
    /// The file.
    pub file: FileAt,
}

impl Found<'_> {
    /// As it leaves the process.
    pub fn document(&self) -> Document<'_> {
        Document {
            schema: "headwater/file/1",
            upstream: self.upstream,
            revision: &self.file.revision,
            sha: self.file.sha,
            path: self.path,
            blob: self.file.blob,
            bytes: self.file.bytes.len(),
            text: String::from_utf8_lossy(&self.file.bytes),
            // A git object proves itself by its id.
            grade: Grade::Record.as_str(),
            receipt: &self.file.receipt,
        }
    }
}

/// Reads it.
pub fn ask<'a>(context: &Context, store: &Store, file: &'a str) -> anyhow::Result<Found<'a>> {
    let (upstream, rest) = split_revision(file)?;
    let (revision, path) =
        rest.split_once(':').context("say which file: UPSTREAM@REVISION:PATH")?;
    let file = grep::file_at(store, context.upstreams.get(upstream)?, revision, path)?;
    Ok(Found { upstream, path, file })
}

/// Splits `UPSTREAM@REVISION`.
pub fn split_revision(text: &str) -> anyhow::Result<(&str, &str)> {
    let parts =
        text.split_once('@').filter(|(upstream, rest)| !upstream.is_empty() && !rest.is_empty());
    parts.with_context(|| {
        format!("{text:?} names no revision; write UPSTREAM@REVISION, like ollama@v0.32.13")
    })
}
