//! `headwater grep --in notes`: an exact search over stored release notes.

use std::collections::HashSet;
use std::io::Write as _;
use std::process::ExitCode;

use headwater_queries::grep::GrepRequest;
use headwater_queries::said::{NoteMatch, NotesCoverage, grep_notes};
use headwater_queries::window;
use headwater_store::{Oid, Store};
use schemars::JsonSchema;
use serde::Serialize;

use super::grep::{Args, found};
use crate::answers::grep_lines::{NotesLine, SCHEMA};
use crate::args::Format;
use crate::render::{self, table::Table, text};

/// What a search of notes gives, for `headwater/grep/1`.
#[derive(Serialize, JsonSchema)]
pub struct NotesDocument<'a> {
    /// `headwater/grep/1`
    schema: &'static str,
    /// The patterns.
    patterns: &'a [String],
    /// The lines that match.
    matches: &'a [NoteMatch],
    /// The commits of the releases that have them.
    commits: Vec<Oid>,
    /// What was searched, an upstream each.
    coverage: &'a [NotesCoverage],
}

/// Searches and prints.
pub(super) fn run(
    store: &Store,
    request: &GrepRequest<'_>,
    args: &Args,
    format: Format,
) -> anyhow::Result<ExitCode> {
    let pattern = request.pattern()?;
    let mut inside: Option<HashSet<(String, String)>> = None;
    if let Some(spec) = &request.filter.window {
        let mut tags = HashSet::new();
        for upstream in &request.upstreams {
            let span = window::span(store, upstream, spec)?;
            let commits: HashSet<Oid> = span.nodes.iter().map(|n| span.graph.oid(*n)).collect();
            let of_window = store.tags(span.upstream)?;
            let of_window = of_window.into_iter().filter(|tag| commits.contains(&tag.commit));
            tags.extend(of_window.map(|tag| (upstream.name.clone(), tag.name)));
        }
        inside = Some(tags);
    }
    let wanted = |upstream: &headwater_store::upstream::Upstream, tag: &str| {
        let name = || (upstream.name.clone(), tag.to_owned());
        inside.as_ref().is_none_or(|inside| inside.contains(&name()))
    };
    let (mut matches, coverage) = grep_notes(store, &request.upstreams, &pattern, &wanted)?;
    let filter = &request.filter;
    matches.retain(|one| {
        let at = one.date.map(|date| date.timestamp());
        filter.since.is_none_or(|since| at.is_some_and(|at| at >= since))
            && filter.until.is_none_or(|until| at.is_some_and(|at| at <= until))
    });
    if !args.quiet {
        print(&matches, &coverage, request, args, format)?;
    }
    Ok(found(!matches.is_empty()))
}

fn print(
    matches: &[NoteMatch],
    coverage: &[NotesCoverage],
    request: &GrepRequest<'_>,
    args: &Args,
    format: Format,
) -> anyhow::Result<()> {
    let mut out = anstream::stdout();
    if args.commits {
        let mut told = HashSet::new();
        for sha in matches.iter().filter_map(|one| one.sha).filter(|sha| told.insert(*sha)) {
            writeln!(out, "{sha}")?;
        }
        return Ok(());
    }
    match format {
        Format::Json => {
            let mut commits: Vec<Oid> = matches.iter().filter_map(|one| one.sha).collect();
            commits.dedup();
            render::json(&NotesDocument {
                schema: "headwater/grep/1",
                patterns: &request.patterns,
                matches,
                commits,
                coverage,
            })?;
            return Ok(());
        }
        Format::Ndjson => {
            for found in matches {
                render::grep::json_line(&mut out, &NotesLine::Match { found })?;
            }
            let patterns = &request.patterns;
            let last = NotesLine::Summary { schema: SCHEMA, patterns, coverage };
            return render::grep::json_line(&mut out, &last);
        }
        Format::Md => {
            let mut table = Table::new(&["upstream", "release", "line", "text"]);
            for one in matches {
                table.row(vec![
                    one.upstream.clone(),
                    one.tag.clone(),
                    one.line.to_string(),
                    one.text.clone(),
                ]);
            }
            if !table.is_empty() {
                write!(out, "{}", table.print(format))?;
            }
            for line in coverage.iter().map(covered) {
                writeln!(out, "\n{}", text::markdown(&line))?;
            }
            return Ok(());
        }
        _ => {}
    }
    for one in matches {
        let place = format!("{} {}:{}", one.upstream, one.tag, one.line);
        writeln!(out, "{}: {}", text::one_line(&place), text::one_line(&one.text))?;
    }
    for (told, line) in coverage.iter().map(|one| (one, covered(one))) {
        writeln!(out, "{}", text::one_line(&line))?;
        if let Some(command) = told.fill.as_ref().filter(|_| matches.is_empty()) {
            writeln!(out, "  $ {command}")?;
        }
    }
    Ok(())
}

/// What was searched, in a line.
fn covered(one: &NotesCoverage) -> String {
    let why = one.why.as_ref().map_or_else(String::new, |why| format!(" ({why})"));
    let lacking = match (one.lacking, one.tags) {
        (_, 0) => "no stored tag is of a release that has some".to_owned(),
        (0, _) => "no release's notes are missing".to_owned(),
        (lacking, tags) => format!("the notes of {lacking} of {tags} releases are not stored"),
    };
    format!(
        "{}: notes of {} releases searched; {lacking}{why}; grade {}",
        one.upstream, one.releases, one.grade
    )
}
