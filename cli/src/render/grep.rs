//! How searches are printed.

use std::io::{BufWriter, Write};

use anstyle::{AnsiColor, Style};
use headwater_queries::grep::{CommitHits, GrepAnswer, LineHit, ScopeCoverage, TreeAnswer};
use headwater_store::model::Side;
use serde::Serialize;
use serde_json::json;

use super::{table::Table, text};
use crate::args::Format;

const MATCH: Style = AnsiColor::Red.on_default().bold();
const COMMIT: Style = AnsiColor::Yellow.on_default();
const PATH: Style = AnsiColor::Magenta.on_default();

/// How much of each commit is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// The lines.
    Lines,
    /// The files.
    Files,
    /// How many lines.
    Count,
}

#[derive(Serialize)]
struct Match<'a> {
    upstream: &'a str,
    sha: headwater_store::Oid,
    #[serde(flatten)]
    line: &'a LineHit,
}

/// Prints what a search of history found.
pub fn history(
    answer: &GrepAnswer,
    patterns: &[String],
    format: Format,
    detail: Detail,
) -> anyhow::Result<()> {
    match format {
        Format::Json => {
            let matches: Vec<Match<'_>> = answer.commits.iter().flat_map(matches_of).collect();
            let commits: Vec<_> = answer.commits.iter().map(|commit| commit.sha).collect();
            super::json(&json!({
                "schema": "headwater/grep/1",
                "patterns": patterns,
                "matches": matches,
                "commits": commits,
                "coverage": answer.coverage,
                "explanation": answer.explanation,
                "rederive": answer.rederive,
            }))
        }
        Format::Ndjson => stream(answer, patterns),
        Format::Md => {
            let mut stdout = anstream::stdout();
            write!(stdout, "{}", markdown(answer).print(format))?;
            for coverage in &answer.coverage {
                writeln!(stdout, "\n{}", text::markdown(&coverage_line(answer, coverage)))?;
            }
            Ok(())
        }
        _ => {
            let mut out = BufWriter::new(anstream::stdout());
            for commit in &answer.commits {
                print_commit(&mut out, commit, detail)?;
            }
            for coverage in &answer.coverage {
                let absent =
                    !answer.commits.iter().any(|c| c.upstream == coverage.commits.upstream());
                if absent {
                    for gap in coverage.commits.gaps() {
                        let commit =
                            gap.commit.map_or_else(String::new, |sha| format!(" {}", sha.short()));
                        let path =
                            gap.path.as_deref().map_or_else(String::new, |path| format!(" {path}"));
                        let line = format!("gap: {}{commit}{path}: {}", gap.kind, gap.detail);
                        writeln!(out, "{}", text::one_line(&line))?;
                    }
                    for command in &answer.rederive {
                        writeln!(out, "again: {}", text::one_line(command))?;
                    }
                }
                writeln!(out, "{}", text::one_line(&coverage_line(answer, coverage)))?;
            }
            Ok(out.flush()?)
        }
    }
}

fn matches_of(commit: &CommitHits) -> impl Iterator<Item = Match<'_>> {
    commit.lines.iter().map(|line| Match { upstream: &commit.upstream, sha: commit.sha, line })
}

fn stream(answer: &GrepAnswer, patterns: &[String]) -> anyhow::Result<()> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    let mut line = |value: serde_json::Value| -> anyhow::Result<()> {
        writeln!(out, "{}", super::escape_controls(&value.to_string()))?;
        Ok(())
    };
    for commit in &answer.commits {
        line(json!({
            "type": "begin", "upstream": commit.upstream, "sha": commit.sha, "date": commit.date,
            "subject": commit.subject, "first_tag": commit.first_tag,
        }))?;
        for found in matches_of(commit) {
            let mut value = serde_json::to_value(&found)?;
            if let Some(object) = value.as_object_mut() {
                object.insert("type".to_owned(), "match".into());
            }
            line(value)?;
        }
        line(json!({
            "type": "end", "upstream": commit.upstream, "sha": commit.sha,
            "matches": commit.lines.iter().filter(|line| !line.spans.is_empty()).count(),
        }))?;
    }
    line(json!({
        "type": "summary", "schema": "headwater/grep/1", "patterns": patterns,
        "commits": answer.commits.len(), "coverage": answer.coverage, "rederive": answer.rederive,
    }))?;
    drop(line);
    Ok(out.flush()?)
}

fn markdown(answer: &GrepAnswer) -> Table {
    let mut table = Table::new(&["upstream", "commit", "first tag", "date", "where", "line"]);
    for commit in &answer.commits {
        for hit in &commit.lines {
            table.row(vec![
                commit.upstream.clone(),
                commit.sha.short(),
                commit.first_tag.clone().unwrap_or_default(),
                commit.date.format("%Y-%m-%d").to_string(),
                format!("{}:{}", hit.path.as_deref().unwrap_or("message"), hit.line),
                format!("{}{}", sign(hit.side), hit.text),
            ]);
        }
    }
    table
}

fn print_commit(out: &mut impl Write, commit: &CommitHits, detail: Detail) -> std::io::Result<()> {
    let hits = commit.lines.iter().filter(|line| !line.spans.is_empty()).count();
    let tag = commit.first_tag.as_deref().unwrap_or("untagged");
    let count = if detail == Detail::Count { format!("  {hits}") } else { String::new() };
    writeln!(
        out,
        "{COMMIT}{} {}{COMMIT:#}  {}  {}  {}{count}",
        commit.upstream,
        commit.sha.short(),
        text::one_line(tag),
        commit.date.format("%Y-%m-%d"),
        text::one_line(&commit.subject),
    )?;
    let mut last = None;
    for hit in &commit.lines {
        let path = hit.path.as_deref().unwrap_or("message");
        match detail {
            Detail::Count => {}
            Detail::Files => {
                if last != Some(path) {
                    writeln!(out, "  {PATH}{}{PATH:#}", text::one_line(path))?;
                }
            }
            Detail::Lines => {
                write!(
                    out,
                    "  {PATH}{}:{}{PATH:#}:{}",
                    text::one_line(path),
                    hit.line,
                    sign(hit.side)
                )?;
                print_line(out, &hit.text, &hit.spans)?;
            }
        }
        last = Some(path);
    }
    Ok(())
}

fn print_line(out: &mut impl Write, line: &str, spans: &[[usize; 2]]) -> std::io::Result<()> {
    let mut at = 0;
    for [start, end] in spans {
        let before = line.get(at..*start).unwrap_or_default();
        let found = line.get(*start..*end).unwrap_or_default();
        write!(out, "{}{MATCH}{}{MATCH:#}", text::safe(before), text::safe(found))?;
        at = *end;
    }
    writeln!(out, "{}", text::safe(line.get(at..).unwrap_or_default()))
}

fn sign(side: Option<Side>) -> &'static str {
    match side {
        Some(Side::Added) => "+",
        Some(Side::Removed) => "-",
        Some(Side::Context) => " ",
        None => "",
    }
}

fn coverage_line(answer: &GrepAnswer, coverage: &ScopeCoverage) -> String {
    let c = &coverage.commits;
    let found = answer.commits.iter().filter(|commit| commit.upstream == c.upstream()).count();
    let found = match found {
        0 => "no commit matches".to_owned(),
        1 => "1 commit matches".to_owned(),
        n => format!("{n} commits match"),
    };
    let mut line = format!(
        "{}: {found}; searched {} commits, {} patches, {:.1} MB",
        c.scope(),
        c.commits_stored(),
        coverage.patches,
        coverage.bytes as f64 / 1e6,
    );
    if coverage.off_branch > 0 {
        line.push_str(&format!(
            "; {} commits off the branch left out (--all)",
            coverage.off_branch
        ));
    }
    if coverage.merges > 0 {
        line.push_str(&format!("; {} merges left out", coverage.merges));
    }
    line.push_str(&match c.gaps().len() {
        0 => "; no gaps".to_owned(),
        1 => "; 1 gap".to_owned(),
        n => format!("; {n} gaps"),
    });
    if let (Some(head), Some(as_of)) = (coverage.head, coverage.as_of) {
        line.push_str(&format!(
            "; as of {} seen {}",
            head.short(),
            as_of.format("%Y-%m-%dT%H:%M:%SZ")
        ));
    }
    line.push_str(&format!("; grade {}", coverage.grade));
    line
}

/// Prints what a search of a tree found.
pub fn tree(answer: &TreeAnswer, patterns: &[String], format: Format) -> anyhow::Result<()> {
    let line = format!(
        "{} {} ({}): {} lines match; read {} files, passed over {} binary ones{}",
        answer.upstream,
        answer.revision,
        answer.sha.short(),
        answer.matches.len(),
        answer.files,
        answer.binary,
        match answer.missing.len() {
            0 => "; none missing".to_owned(),
            n => format!("; {n} missing: {}", answer.missing.join(", ")),
        },
    );
    match format {
        Format::Json => super::json(&json!({
            "schema": "headwater/grep/1", "patterns": patterns, "tree": answer,
        })),
        Format::Ndjson => {
            let mut out = BufWriter::new(std::io::stdout().lock());
            for hit in &answer.matches {
                let text = json!({"type": "match", "upstream": answer.upstream, "sha": answer.sha, "path": hit.path, "line": hit.line, "text": hit.text, "spans": hit.spans}).to_string();
                writeln!(out, "{}", super::escape_controls(&text))?;
            }
            let summary = json!({"type": "summary", "schema": "headwater/grep/1", "patterns": patterns, "upstream": answer.upstream, "sha": answer.sha, "files": answer.files, "binary": answer.binary, "missing": answer.missing});
            writeln!(out, "{}", super::escape_controls(&summary.to_string()))?;
            Ok(out.flush()?)
        }
        Format::Md => {
            let mut table = Table::new(&["where", "line"]);
            for hit in &answer.matches {
                table.row(vec![format!("{}:{}", hit.path, hit.line), hit.text.clone()]);
            }
            let mut stdout = anstream::stdout();
            write!(stdout, "{}\n{}\n", table.print(format), text::markdown(&line))?;
            Ok(())
        }
        _ => {
            let mut out = BufWriter::new(anstream::stdout());
            for hit in &answer.matches {
                write!(out, "{PATH}{}:{}{PATH:#}:", text::one_line(&hit.path), hit.line)?;
                print_line(&mut out, &hit.text, &hit.spans)?;
            }
            writeln!(out, "{}", text::one_line(&line))?;
            Ok(out.flush()?)
        }
    }
}
