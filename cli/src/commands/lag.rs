//! `headwater lag`: how far behind what it pins is each release?

use std::io::Write as _;
use std::process::ExitCode;

use crate::answers;
use crate::args::Format;
use crate::context::Context;
use crate::render;
use crate::render::table::Table;
use crate::render::text::one_line;

/// By how many days and commits is each release behind what it pins?
///
/// And which changes of defaults, CUDA and sampler work are on the pinned upstream's
/// branch, as far as it is stored, that the newest release does not ship yet.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The upstream whose releases are read
    #[arg(default_value = "ollama")]
    pub upstream: String,
    /// Show so many of the newest final releases
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub releases: usize,
    /// Show so many changes that are not shipped yet
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub top: usize,
}

/// Asks, and prints both tables.
pub fn run(context: &Context, args: &Args) -> anyhow::Result<ExitCode> {
    let format = context.format(&[Format::Table, Format::Json, Format::Md])?;
    let store = context.open()?;
    let upstream = context.upstreams.get(&args.upstream)?;
    let lag = answers::lag::ask(context, &store, upstream, args.releases)?;
    if format == Format::Json {
        render::json(&lag)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut table =
        Table::new(&["release", "date", "pin", "value", "of", "days behind", "commits behind"]);
    for row in &lag.releases {
        table.row(vec![
            row.tag.clone(),
            row.date.format("%Y-%m-%d").to_string(),
            row.pin.clone(),
            row.value.clone(),
            row.pinned.format("%Y-%m-%d").to_string(),
            format!("{:.1}", row.days),
            row.commits.to_string(),
        ]);
    }
    let mut stdout = anstream::stdout();
    write!(stdout, "{}", table.print(format))?;
    for (pinned, commits) in &lag.now {
        let told = lag.unshipped.iter().filter(|one| one.upstream == *pinned).count();
        writeln!(
            stdout,
            "\n{pinned}: {commits} stored commits are in no release of {} yet; {told} of them move defaults or are CUDA or sampler work",
            lag.upstream
        )?;
    }
    let mut table = Table::new(&["commit", "first tag", "date", "classes", "subject"]);
    for one in lag.unshipped.iter().take(args.top) {
        table.row(vec![
            one.sha.short(),
            one.first_tag.clone().unwrap_or_else(|| "-".to_owned()),
            one.date.format("%Y-%m-%d").to_string(),
            one.classes.join(", "),
            one.subject.clone(),
        ]);
    }
    if !table.is_empty() {
        write!(stdout, "{}", table.print(format))?;
    }
    if lag.unshipped.len() > args.top {
        writeln!(stdout, "… {} more: --top", lag.unshipped.len() - args.top)?;
    }
    for note in &lag.notes {
        writeln!(stdout, "note: {}", one_line(note))?;
    }
    Ok(ExitCode::SUCCESS)
}
