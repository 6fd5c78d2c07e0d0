//! `headwater defaults`: the ledger of defaults.

use std::io::Write as _;
use std::process::ExitCode;

use headwater_queries::defaults::{EventRow, Question, Tell};
use headwater_queries::ledger::Scope;
use headwater_queries::window::WindowSpec;

use crate::answers;
use crate::args::Format;
use crate::context::Context;
use crate::render;
use crate::render::table::Table;

/// Which default every knob has, since when, and which commit moved it
///
/// Without options: the values now. A knob is found by any of its spellings. A window's
/// scope `build` also tells what those must know who build it themselves: the build options
/// of what is pinned, the patches laid over it, and what became of public headers.
///
/// Examples:
///   headwater defaults ollama --knob repeat_penalty --history
///   headwater defaults ollama --scope build --window v0.32.9..v0.32.13
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// The upstream
    pub upstream: String,
    /// What moved between two versions (BASE..HEAD)
    #[arg(long, value_name = "BASE..HEAD", conflicts_with = "at")]
    pub window: Option<String>,
    /// The values at this version
    #[arg(long, value_name = "TAG")]
    pub at: Option<String>,
    /// Only this knob: repeat_penalty, RepeatPenalty, penalty_repeat, --repeat-penalty …
    #[arg(long, value_name = "NAME")]
    pub knob: Option<String>,
    /// Every move of every knob asked for, oldest first
    #[arg(long)]
    pub history: bool,
    /// Only this scope: request-option, env, server, runner, runner-flag, context,
    /// sampling, cli-help, bench, build or docs
    #[arg(long, value_name = "SCOPE")]
    pub scope: Option<Scope>,
    /// Also commits that only tags reach
    #[arg(long)]
    pub all: bool,
}

/// Prints values, or events.
pub fn run(context: &Context, args: Args) -> anyhow::Result<ExitCode> {
    let format = context.format(&[Format::Table, Format::Json, Format::Md])?;
    let mut store = context.open()?;
    let question = Question {
        window: args.window.as_deref().map(WindowSpec::parse).transpose()?,
        at: args.at,
        knob: args.knob,
        scope: args.scope,
        all: args.all,
        tell: match format == Format::Json || args.history {
            true => Tell::Both,
            false => Tell::Values,
        },
        jobs: context.jobs(),
    };
    let answer = answers::defaults::ask(context, &mut store, &args.upstream, &question)?;
    if format == Format::Json {
        render::json(&answer)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut stdout = anstream::stdout();
    let events = args.history || question.window.is_some();
    if events {
        let table = event_table(&answer.events);
        if table.is_empty() {
            writeln!(stdout, "no extractor found a default that moved")?;
        } else {
            write!(stdout, "{}", table.print(format))?;
        }
        for event in answer.events.iter().filter(|e| e.old.is_some() && e.new.is_some()) {
            for way in &event.restore {
                writeln!(
                    stdout,
                    "{}",
                    render::text::one_line(&format!(
                        "{} {}: back with {} ({})",
                        event.sha.short(),
                        event.knob,
                        way.text,
                        way.consumer
                    ))
                )?;
            }
        }
    } else {
        let mut table =
            Table::new(&["knob", "scope", "value", "since", "commit", "before", "where"]);
        for value in &answer.values {
            table.row(vec![
                value.knob.clone(),
                value.scope.clone(),
                short(&value.value),
                value.since_shipped.clone().unwrap_or_default(),
                value.since.map(|s| s.short()).unwrap_or_default(),
                value.before.as_deref().map(short).unwrap_or_default(),
                format!("{}:{}", value.path, value.line),
            ]);
        }
        write!(stdout, "{}", table.print(format))?;
    }
    if let Some(packagers) = &answer.packagers {
        write!(stdout, "{}", render::packagers::screen(packagers, event_table, format))?;
    }
    for drift in &answer.drift {
        let line = format!(
            "docs drift: {} is {} in {}:{}, {} in {}:{}",
            drift.knob,
            drift.documented,
            drift.documented_at.0,
            drift.documented_at.1,
            drift.code,
            drift.code_at.0,
            drift.code_at.1
        );
        writeln!(stdout, "{}", render::text::one_line(&line))?;
    }
    let coverage = &answer.coverage;
    writeln!(
        stdout,
        "{}: {} commits, {} gaps; {} extractors read its files",
        render::text::one_line(coverage.scope()),
        coverage.commits_stored(),
        coverage.gaps().len(),
        answer.covers.len()
    )?;
    if answer.covers.is_empty() {
        writeln!(
            stdout,
            "nothing is known of its defaults until an extractor says where they stand (docs/ledger.md)"
        )?;
    }
    Ok(ExitCode::SUCCESS)
}

fn event_table(events: &[EventRow]) -> Table {
    let mut table =
        Table::new(&["date", "commit", "knob", "scope", "old", "new", "first in", "where", "note"]);
    for event in events {
        let mut notes = Vec::new();
        if event.never_shipped {
            notes.push("never shipped".to_owned());
        }
        if let Some(sha) = event.flips_back {
            notes.push(format!("back to what {} left", sha.short()));
        }
        let moved = event.old.is_some() && event.new.is_some();
        let settable = event.scope != "docs";
        if moved && settable && event.restore.is_empty() {
            notes.push("no way back known".to_owned());
        }
        table.row(vec![
            event.date.format("%Y-%m-%d").to_string(),
            event.sha.short(),
            event.knob.clone(),
            event.scope.clone(),
            event.old.as_deref().map_or_else(|| "none".to_owned(), short),
            event.new.as_deref().map_or_else(|| "none".to_owned(), short),
            event.first_shipped.clone().unwrap_or_else(|| "not yet".to_owned()),
            format!("{}:{}", event.path, event.line),
            notes.join(", "),
        ]);
    }
    table
}

/// A value that fits a cell.
fn short(value: &str) -> String {
    if value.chars().count() <= 60 {
        return value.to_owned();
    }
    let cut: String = value.chars().take(57).collect();
    format!("{cut}…")
}
