//! `headwater status`: what the store holds.

use std::io::Write as _;
use std::process::ExitCode;

use crate::answers;
use crate::args::Format;
use crate::context::Context;
use crate::render;

/// What the store holds, how fresh it is, and what it lacks
#[derive(Debug, clap::Args)]
pub struct Args {}

/// Prints the status of each upstream.
pub fn run(context: &Context, _args: Args) -> anyhow::Result<ExitCode> {
    let format = context.format(&[Format::Table, Format::Json, Format::Md])?;
    let store = context.open()?;
    let status = answers::status::ask(&store)?;
    if format == Format::Json {
        render::json(&status)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut table =
        render::table::Table::new(&["upstream", "commits", "patch text", "as of", "gaps"]);
    for status in &status.upstreams {
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
    if let Some(words) = status.read_only {
        writeln!(stdout, "{words}")?;
    }
    if let Some(as_of) = status.models.as_of {
        writeln!(
            stdout,
            "models: {} tags, last looked at {}; `headwater model` lists them",
            status.models.tags,
            as_of.format("%Y-%m-%d %H:%M UTC")
        )?;
    }
    Ok(ExitCode::SUCCESS)
}
