//! `headwater pins`: which version of another upstream each tag names.

use std::io::Write as _;
use std::process::ExitCode;

use anyhow::bail;
use headwater_queries::pins::{self, PinRow};
use serde::Serialize;

use crate::args::Format;
use crate::context::Context;
use crate::render;
use crate::render::table::Table;

/// Which llama.cpp (and MLX) each tag pins, and which commit moved it there
///
/// A tag that pins two at once has two rows; one that pins nothing says so. A build
/// number whose tag is missing is resolved by counting commits, and marked as derived.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The upstream whose tags are read
    #[arg(default_value = "ollama")]
    pub upstream: String,
    /// Only this tag
    #[arg(long)]
    pub tag: Option<String>,
    /// Only this pin: llama.cpp, mlx, mlx-c
    #[arg(long)]
    pub pin: Option<String>,
}

#[derive(Serialize)]
struct Output {
    schema: &'static str,
    upstream: String,
    tags: usize,
    pins: Vec<PinRow>,
}

/// Prints the table of pins.
pub fn run(context: &Context, args: Args) -> anyhow::Result<ExitCode> {
    let format = context.format(&[Format::Table, Format::Json, Format::Md])?;
    let store = context.open()?;
    let upstream = context.upstreams.get(&args.upstream)?;
    let mut rows = pins::pins(&store, &context.upstreams, upstream)?;
    let prefixed = args.tag.as_ref().map(|tag| format!("{}{tag}", upstream.tag_prefix));
    let is_asked = |tag: &str| {
        let named = [args.tag.as_deref(), prefixed.as_deref()];
        args.tag.is_none() || named.contains(&Some(tag))
    };
    if !rows.iter().any(|row| is_asked(&row.tag)) {
        bail!("no stored tag of {} is {}", upstream.name, args.tag.unwrap_or_default());
    }
    if let Some(pin) = &args.pin
        && !upstream.pins.iter().any(|declared| declared.name == *pin)
    {
        let names: Vec<&str> = upstream.pins.iter().map(|pin| pin.name.as_str()).collect();
        bail!("{} has no pin {pin:?}; it has {}", upstream.name, names.join(", "));
    }
    rows.retain(|row| {
        is_asked(&row.tag)
            && args.pin.as_ref().is_none_or(|pin| row.pin == *pin || row.pin.is_empty())
    });
    let mut tags: Vec<&str> = rows.iter().map(|row| row.tag.as_str()).collect();
    tags.dedup();
    let tags = tags.len();
    if format == Format::Json {
        let upstream = upstream.name.clone();
        render::json(&Output { schema: "headwater/pins/1", upstream, tags, pins: rows })?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = Table::new(&["tag", "pin", "value", "build", "commit", "moved by", "home"]);
    for row in &rows {
        let short = |oid: Option<headwater_store::Oid>| oid.map_or("-".to_owned(), |o| o.short());
        let build = match (&row.build, row.derived) {
            (Some(build), true) => format!("{build} (counted)"),
            (Some(build), false) => build.clone(),
            (None, _) => "-".to_owned(),
        };
        table.row(vec![
            row.tag.clone(),
            if row.value.is_some() { row.pin.clone() } else { "pins nothing".to_owned() },
            row.value.clone().unwrap_or_else(|| "-".to_owned()),
            build,
            short(row.target_sha),
            short(row.moved_by),
            row.home.clone().unwrap_or_else(|| "-".to_owned()),
        ]);
    }
    let mut stdout = anstream::stdout();
    write!(stdout, "{}", table.print(format))?;
    writeln!(stdout, "{tags} tags, {} rows", rows.len())?;
    Ok(ExitCode::SUCCESS)
}
