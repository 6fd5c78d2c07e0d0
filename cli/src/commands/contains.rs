//! `headwater contains`: is this change in that release?

use std::io::Write as _;
use std::process::ExitCode;

use headwater_queries::shipping::{Contained, ContainsAnswer};

use crate::answers;
use crate::args::Format;
use crate::context::Context;
use crate::render;
use crate::render::text::one_line;

/// Is this change in that release, itself or through its pin?
///
/// A commit is known by its id, a pull request by the number in its commit's subject. A
/// commit with the same patch (a cherry-pick) counts. Exit status: 0 yes, 1 no, 2 not
/// known.
///
/// Examples:
///   headwater contains ollama v0.32.13 llama.cpp#26802
///   headwater contains ollama v0.32.13 ebb546b7e
///   headwater contains llama.cpp b10380 '#26802'
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// The upstream of the release
    pub upstream: String,
    /// The release: a tag, `latest`, `previous`, a build number, a commit
    pub release: String,
    /// The change: UPSTREAM#NUMBER, #NUMBER of the release's own upstream, or a commit's id
    pub change: String,
}

/// Asks, and prints the answer.
pub fn run(context: &Context, args: &Args) -> anyhow::Result<ExitCode> {
    let format = context.format(&[Format::Table, Format::Json, Format::Md])?;
    let store = context.open()?;
    let answer =
        answers::contains::ask(context, &store, &args.upstream, &args.release, &args.change)?;
    let code = ExitCode::from(u8::from(!answer.contained));
    if format == Format::Json {
        render::json(&answer)?;
        return Ok(code);
    }
    let mut stdout = anstream::stdout();
    for line in lines(&answer) {
        let line = one_line(&line);
        let line = if format == Format::Md { render::text::markdown(&line) } else { line };
        writeln!(stdout, "{line}")?;
    }
    Ok(code)
}

fn lines(answer: &ContainsAnswer) -> Vec<String> {
    let mut lines = Vec::new();
    let release = format!("{} {}", answer.upstream, answer.revision);
    for one in &answer.commits {
        let through = match (&one.pin, one.pinned) {
            (Some(pin), Some(pinned)) => {
                format!(" through its pin {pin} ({} {})", one.upstream, pinned.short())
            }
            _ => String::new(),
        };
        lines.push(format!(
            "{}: {release} {}{through}; {}",
            if one.contained { "yes" } else { "no" },
            said(one),
            first(one)
        ));
        for by in &one.reverted_by {
            lines.push(format!("  but {} in it says that it takes it back", by.short()));
        }
    }
    lines.extend(answer.notes.iter().map(|note| format!("note: {note}")));
    lines.push(format!("grade {}; by git alone:", answer.grade));
    lines.extend(answer.rederive.iter().map(|command| format!("  $ {command}")));
    lines
}

/// Where it is first: a candidate for a release is told as such.
fn first(one: &Contained) -> String {
    match (&one.first_shipped, &one.first_final_shipped) {
        (Some(tag), Some(done)) if tag == done => format!("it is first in {tag}"),
        (Some(tag), Some(done)) => {
            format!("it is first in {tag}, and in {done} of the final releases")
        }
        (Some(tag), None) => format!("it is first in {tag}, and in no final release yet"),
        (None, _) => "it is in no tag yet".to_owned(),
    }
}

fn said(one: &Contained) -> String {
    let what = format!("{} \"{}\"", one.sha.short(), one.subject);
    match (one.contained, one.as_twin) {
        (true, Some(twin)) => format!("holds {what} as its twin {}", twin.short()),
        (true, None) => format!("holds {what}"),
        (false, _) => format!("does not hold {what}"),
    }
}
