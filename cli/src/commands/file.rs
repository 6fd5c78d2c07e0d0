//! `headwater file`: one file at a revision.

use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;

use anyhow::Context as _;
use headwater_queries::grep;
use serde::Serialize;

use crate::args::Format;
use crate::context::Context;
use crate::render;

/// Print one file as it was at a revision
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The file: UPSTREAM@REVISION:PATH
    #[arg(value_name = "UPSTREAM@REVISION:PATH")]
    pub file: String,
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    upstream: &'a str,
    revision: &'a str,
    sha: headwater_store::Oid,
    path: &'a str,
    blob: headwater_store::Oid,
    bytes: usize,
    text: std::borrow::Cow<'a, str>,
    grade: &'static str,
    receipt: &'a headwater_store::evidence::Receipt,
}

/// Prints the file on standard output, and its receipt on standard error.
pub fn run(context: &Context, args: Args) -> anyhow::Result<ExitCode> {
    let format = context.format(&[Format::Table, Format::Json])?;
    let (upstream, rest) = split_revision(&args.file)?;
    let (revision, path) =
        rest.split_once(':').context("say which file: UPSTREAM@REVISION:PATH")?;
    let upstream = context.upstreams.get(upstream)?;
    let store = context.open()?;
    let file = grep::file_at(&store, upstream, revision, path)?;
    if format == Format::Json {
        render::json(&Document {
            schema: "headwater/file/1",
            upstream: &upstream.name,
            revision: &file.revision,
            sha: file.sha,
            path,
            blob: file.blob,
            bytes: file.bytes.len(),
            text: String::from_utf8_lossy(&file.bytes),
            // A git object proves itself by its id.
            grade: headwater_store::evidence::Grade::Record.as_str(),
            receipt: &file.receipt,
        })?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut stdout = std::io::stdout().lock();
    if stdout.is_terminal() {
        stdout.write_all(render::text::safe(&String::from_utf8_lossy(&file.bytes)).as_bytes())?;
    } else {
        stdout.write_all(&file.bytes)?;
    }
    stdout.flush()?;
    let mut stderr = anstream::stderr();
    writeln!(
        stderr,
        "{} {} ({}) {}: blob {}, {} bytes, by {} at {}; grade record",
        upstream.name,
        render::text::one_line(&file.revision),
        file.sha.short(),
        render::text::one_line(path),
        file.blob,
        file.bytes.len(),
        file.receipt.transport(),
        file.receipt.obtained().format("%Y-%m-%dT%H:%M:%SZ"),
    )?;
    Ok(ExitCode::SUCCESS)
}

/// Splits `UPSTREAM@REVISION`.
pub fn split_revision(text: &str) -> anyhow::Result<(&str, &str)> {
    let parts =
        text.split_once('@').filter(|(upstream, rest)| !upstream.is_empty() && !rest.is_empty());
    parts.with_context(|| {
        format!("{text:?} names no revision; write UPSTREAM@REVISION, like ollama@v0.32.13")
    })
}
