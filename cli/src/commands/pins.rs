//! `headwater pins`: which version of another upstream each tag names.

use std::io::Write as _;
use std::process::ExitCode;

use crate::answers;
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

/// Prints the table of pins.
pub fn run(context: &Context, args: Args) -> anyhow::Result<ExitCode> {
    let format = context.format(&[Format::Table, Format::Json, Format::Md])?;
    let store = context.open()?;
    let answer = answers::pins::ask(
        context,
        &store,
        &args.upstream,
        args.tag.as_deref(),
        args.pin.as_deref(),
        usize::MAX,
    )?;
    if format == Format::Json {
        render::json(&answer)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = Table::new(&["tag", "pin", "value", "build", "commit", "moved by", "home"]);
    for row in &answer.pins {
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
    writeln!(stdout, "{} tags, {} rows", answer.tags, answer.pins.len())?;
    Ok(ExitCode::SUCCESS)
}
