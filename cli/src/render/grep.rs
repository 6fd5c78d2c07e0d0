//! How searches are printed.

use std::io::{BufWriter, Write};

use anstyle::{AnsiColor, Style};
use headwater_queries::grep::{
    self, CommitHits, Detail, GrepAnswer, GrepRequest, Matching, ScopeCoverage, TreeAnswer,
};
use headwater_store::Store;
use headwater_store::model::Side;
use serde::Serialize;

use super::{table::Table, text};
use crate::answers::grep as answers;
use crate::answers::grep_lines::{Line, SCHEMA, TreeLine};
use crate::args::Format;

const MATCH: Style = AnsiColor::Red.on_default().bold();
const COMMIT: Style = AnsiColor::Yellow.on_default();
const PATH: Style = AnsiColor::Magenta.on_default();

/// Searches history and prints what is found: on a screen and as a stream as it is found.
pub fn history(
    store: &Store,
    request: &GrepRequest<'_>,
    format: Format,
) -> anyhow::Result<GrepAnswer> {
    let (patterns, detail) = (&request.patterns, request.detail);
    match format {
        Format::Json => {
            let (found, answer, cut) = answers::most(store, request)?;
            if let Some(cut) = &cut {
                writeln!(anstream::stderr(), "headwater: {cut}")?;
            }
            super::json(&answers::document(
                patterns,
                &found,
                &answer.coverage,
                &answer.explanation,
                &answer.rederive,
                cut,
            ))?;
            Ok(answer)
        }
        Format::Ndjson => stream(store, request),
        Format::Md => {
            let (found, answer) = grep::grep(store, request)?;
            let mut stdout = anstream::stdout();
            let table = markdown(&found, detail);
            if !table.is_empty() {
                write!(stdout, "{}", table.print(format))?;
            }
            for (found, coverage) in &answer.coverage {
                writeln!(stdout, "\n{}", text::markdown(&coverage_line(*found, coverage, false)))?;
            }
            Ok(answer)
        }
        _ => {
            let mut out = BufWriter::new(anstream::stdout());
            let answer = grep::grep_each(store, request, |commit| {
                print_commit(&mut out, &commit, detail).map_err(anyhow::Error::from)
            })?;
            print_coverages(&mut out, &answer.coverage, &answer.rederive)?;
            out.flush()?;
            Ok(answer)
        }
    }
}

fn coverage_of(answer: &GrepAnswer) -> Vec<&ScopeCoverage> {
    answer.coverage.iter().map(|(_, coverage)| coverage).collect()
}

/// Prints the bare ids of commits, and on standard error what was searched.
pub fn commits(matching: &Matching) -> anyhow::Result<()> {
    let mut out = String::with_capacity(matching.commits.len() * 41);
    for sha in &matching.commits {
        out.push_str(&sha.to_string());
        out.push('\n');
    }
    std::io::stdout().lock().write_all(out.as_bytes())?;
    let mut told = Vec::new();
    print_coverages(&mut told, &matching.coverage, &matching.rederive)?;
    // Whoever closed standard error does not want it.
    let _ = anstream::stderr().write_all(&told);
    Ok(())
}

/// Tells what was searched, an upstream after the other. Where something was found, the gaps
/// of an upstream without matches would only bury it: they are counted, and what names them
/// is told.
fn print_coverages(
    out: &mut impl Write,
    coverages: &[(usize, ScopeCoverage)],
    rederive: &[String],
) -> std::io::Result<()> {
    let nothing = coverages.iter().all(|(found, _)| *found == 0);
    for (found, coverage) in coverages {
        print_coverage(out, *found, coverage, if nothing { rederive } else { &[] })?;
    }
    Ok(())
}

/// Tells what was searched of one upstream; its gaps, where there are commands to name.
fn print_coverage(
    out: &mut impl Write,
    found: usize,
    coverage: &ScopeCoverage,
    rederive: &[String],
) -> std::io::Result<()> {
    if found == 0 && !rederive.is_empty() {
        for gap in coverage.commits.gaps() {
            let commit = gap.commit.map_or_else(String::new, |sha| format!(" {}", sha.short()));
            let path = gap.path.as_deref().map_or_else(String::new, |path| format!(" {path}"));
            let line = format!("gap: {}{commit}{path}: {}", gap.kind, gap.detail);
            writeln!(out, "{}", text::one_line(&line))?;
        }
        for command in &coverage.fill {
            writeln!(out, "fill: {}", text::one_line(command))?;
        }
        for command in rederive {
            writeln!(out, "again: {}", text::one_line(command))?;
        }
    }
    let beside_others = found == 0 && rederive.is_empty();
    writeln!(out, "{}", text::one_line(&coverage_line(found, coverage, beside_others)))
}

fn stream(store: &Store, request: &GrepRequest<'_>) -> anyhow::Result<GrepAnswer> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    let answer = grep::grep_each(store, request, |commit| {
        json_line(&mut out, &Line::begin(&commit))?;
        for found in answers::matches_of(&commit) {
            json_line(&mut out, &Line::Match { found })?;
        }
        json_line(&mut out, &Line::end(&commit))
    })?;
    let summary = Line::Summary {
        schema: SCHEMA,
        patterns: &request.patterns,
        commits: answer.coverage.iter().map(|(found, _)| found).sum(),
        coverage: coverage_of(&answer),
        rederive: &answer.rederive,
    };
    json_line(&mut out, &summary)?;
    out.flush()?;
    Ok(answer)
}

/// Prints one document of a stream.
pub fn json_line(out: &mut impl Write, line: &impl Serialize) -> anyhow::Result<()> {
    // As a value each field stands once.
    let value = serde_json::to_value(line)?;
    Ok(writeln!(out, "{}", super::escape_controls(&value.to_string()))?)
}

fn markdown(commits: &[CommitHits], detail: Detail) -> Table {
    let last: &[&str] = match detail {
        Detail::Lines => &["where", "line"],
        Detail::Files => &["file"],
        Detail::Count => &["lines"],
    };
    let mut table = Table::new(&[&["upstream", "commit", "first tag", "date"], last].concat());
    for commit in commits {
        let mut row = |last: Vec<String>| {
            let mut cells = vec![
                commit.upstream.clone(),
                commit.sha.short(),
                commit.first_tag.clone().unwrap_or_default(),
                commit.date.format("%Y-%m-%d").to_string(),
            ];
            cells.extend(last);
            table.row(cells);
        };
        if detail == Detail::Count {
            row(vec![commit.count.to_string()]);
        }
        for hit in &commit.lines {
            let path = hit.path.as_deref().unwrap_or("message");
            row(match detail {
                Detail::Files => vec![path.to_owned()],
                _ => {
                    vec![format!("{path}:{}", hit.line), format!("{}{}", sign(hit.side), hit.text)]
                }
            });
        }
    }
    table
}

fn print_commit(out: &mut impl Write, commit: &CommitHits, detail: Detail) -> std::io::Result<()> {
    let tag = commit.first_tag.as_deref().unwrap_or("untagged");
    let count = if detail == Detail::Count { format!("  {}", commit.count) } else { String::new() };
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

/// What was searched of an upstream, in a line.
pub fn coverage_line(found: usize, coverage: &ScopeCoverage, beside_others: bool) -> String {
    let c = &coverage.commits;
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
        line.push_str(&format!("; {} merges left out (--merges)", coverage.merges));
    }
    line.push_str(&match c.gaps().len() {
        0 => "; no gaps".to_owned(),
        1 => "; 1 gap".to_owned(),
        n => format!("; {n} gaps"),
    });
    if beside_others && !c.gaps().is_empty() {
        line.push_str(&format!(" (`--upstream {}` names them)", c.upstream()));
    }
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
pub fn tree(
    answer: &TreeAnswer,
    patterns: &[String],
    format: Format,
    detail: Detail,
) -> anyhow::Result<()> {
    let line = format!(
        "{} {} ({}): {} lines match; read {} files, passed over {} binary ones{}",
        answer.upstream,
        answer.revision,
        answer.sha.short(),
        answer.counts.iter().map(|file| file.lines).sum::<u64>(),
        answer.files,
        answer.binary,
        match answer.missing.len() {
            0 => "; none missing".to_owned(),
            n => format!("; {n} missing: {}", answer.missing.join(", ")),
        },
    );
    match format {
        Format::Json => super::json(&answers::tree_document(patterns, answer)),
        Format::Ndjson => {
            let mut out = BufWriter::new(std::io::stdout().lock());
            for line in TreeLine::all(patterns, answer) {
                json_line(&mut out, &line)?;
            }
            Ok(out.flush()?)
        }
        Format::Md => {
            let mut table = match detail {
                Detail::Lines => Table::new(&["where", "line"]),
                _ => Table::new(&["file", "lines"]),
            };
            for file in answer.counts.iter().filter(|_| detail != Detail::Lines) {
                table.row(vec![file.path.clone(), file.lines.to_string()]);
            }
            for hit in &answer.matches {
                table.row(vec![format!("{}:{}", hit.path, hit.line), hit.text.clone()]);
            }
            let mut stdout = anstream::stdout();
            write!(stdout, "{}\n{}\n", table.print(format), text::markdown(&line))?;
            Ok(())
        }
        _ => {
            let mut out = BufWriter::new(anstream::stdout());
            for file in answer.counts.iter().filter(|_| detail != Detail::Lines) {
                write!(out, "{PATH}{}{PATH:#}", text::one_line(&file.path))?;
                match detail {
                    Detail::Count => writeln!(out, ":{}", file.lines)?,
                    _ => writeln!(out)?,
                }
            }
            for hit in &answer.matches {
                write!(out, "{PATH}{}:{}{PATH:#}:", text::one_line(&hit.path), hit.line)?;
                print_line(&mut out, &hit.text, &hit.spans)?;
            }
            writeln!(out, "{}", text::one_line(&line))?;
            Ok(out.flush()?)
        }
    }
}
