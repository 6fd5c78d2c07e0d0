//! `headwater status`: what the store holds.

use std::io::Write as _;
use std::process::ExitCode;

use serde::Serialize;

use crate::args::Format;
use crate::context::Context;
use crate::render;

/// What the store holds, how fresh it is, and what it lacks
#[derive(Debug, clap::Args)]
pub struct Args {}

#[derive(Serialize)]
struct Status {
    schema: &'static str,
    upstreams: Vec<headwater_store::UpstreamStatus>,
    /// Whether each index covers what the records hold, with its size in bytes.
    exact_index: headwater_store::IndexState,
    full_text_index: headwater_store::IndexState,
    /// How many tags of models, and when one was last looked at.
    models: Models,
}

#[derive(Serialize)]
struct Models {
    tags: usize,
    as_of: Option<chrono::DateTime<chrono::Utc>>,
}

/// Prints the status of each upstream.
pub fn run(context: &Context, _args: Args) -> anyhow::Result<ExitCode> {
    let format = context.format(&[Format::Table, Format::Json, Format::Md])?;
    let store = context.open()?;
    let mut upstreams = Vec::new();
    for (id, _) in store.upstream_names()? {
        upstreams.push(store.status(id)?);
    }
    let seen = store.models()?;
    let models = Models { tags: seen.len(), as_of: seen.iter().map(|look| look.observed).max() };
    if format == Format::Json {
        render::json(&Status {
            schema: "headwater/status/1",
            upstreams,
            exact_index: store.exact_state()?,
            full_text_index: store.search_state()?,
            models,
        })?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut table =
        render::table::Table::new(&["upstream", "commits", "patch text", "as of", "gaps"]);
    for status in &upstreams {
        let as_of = match &status.last_crawl {
            Some(crawl) => match crawl.finished {
                Some(time) => time.format("%Y-%m-%d %H:%M UTC").to_string(),
                None => format!(
                    "{}, unfinished: crawl again",
                    crawl.started.format("%Y-%m-%d %H:%M UTC")
                ),
            },
            None => "never".to_owned(),
        };
        let gaps: Vec<String> = status.gaps.iter().map(|(kind, n)| format!("{n} {kind}")).collect();
        table.row(vec![
            status.upstream.clone(),
            status.commits.to_string(),
            format!("{:.1} MB", status.patch_bytes as f64 / 1e6),
            as_of,
            if gaps.is_empty() { "none".to_owned() } else { gaps.join(", ") },
        ]);
    }
    let mut stdout = anstream::stdout();
    write!(stdout, "{}", table.print(format))?;
    writeln!(stdout, "{}", super::rebuild::sizes(&store)?)?;
    if let Some(as_of) = models.as_of {
        writeln!(
            stdout,
            "models: {} tags, last looked at {}; `headwater model` lists them",
            models.tags,
            as_of.format("%Y-%m-%d %H:%M UTC")
        )?;
    }
    Ok(ExitCode::SUCCESS)
}
