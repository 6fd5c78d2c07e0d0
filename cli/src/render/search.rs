//! How full-text searches are printed.

use std::io::{BufWriter, Write};

use anstyle::{AnsiColor, Style};
use headwater_queries::said::StatementHit;
use headwater_queries::search::{Hit, SearchAnswer, Snippet, Where};

use super::{table::Table, text};
use crate::args::Format;

const MATCH: Style = AnsiColor::Red.on_default().bold();
const COMMIT: Style = AnsiColor::Yellow.on_default();
const PLACE: Style = AnsiColor::Magenta.on_default();

/// Prints what a search found.
pub fn answer(answer: &SearchAnswer, format: Format) -> anyhow::Result<()> {
    match format {
        Format::Json => super::json(answer),
        Format::Md => {
            let mut table = Table::new(&[
                "rank",
                "upstream",
                "commit",
                "first tag",
                "date",
                "subject",
                "where",
            ]);
            for hit in &answer.hits {
                table.row(vec![
                    hit.rank.to_string(),
                    hit.upstream.clone(),
                    hit.sha.short(),
                    hit.first_tag.clone().unwrap_or_default(),
                    hit.date.format("%Y-%m-%d").to_string(),
                    hit.subject.clone(),
                    hit.snippets.first().map_or_else(String::new, |snippet| {
                        format!("{} {}", place(snippet), snippet.text)
                    }),
                ]);
            }
            for hit in &answer.statements {
                table.row(vec![
                    String::new(),
                    hit.upstream.clone(),
                    format!("{} {}", hit.kind.as_str(), hit.key),
                    String::new(),
                    hit.date.map_or_else(String::new, |d| d.format("%Y-%m-%d").to_string()),
                    hit.title.clone(),
                    hit.line.chars().take(200).collect(),
                ]);
            }
            let mut stdout = anstream::stdout();
            if !table.is_empty() {
                write!(stdout, "{}", table.print(format))?;
            }
            writeln!(stdout)?;
            for line in last_lines(answer) {
                writeln!(stdout, "{}\n", text::markdown(&line))?;
            }
            Ok(())
        }
        _ => {
            let mut out = BufWriter::new(anstream::stdout());
            for tag in &answer.tags {
                let line = format!("{} {} is a tag of {}", tag.tag, tag.sha.short(), tag.upstream);
                writeln!(out, "{}", text::one_line(&line))?;
            }
            let mut whole = true;
            for hit in &answer.hits {
                if whole && !hit.every_word {
                    writeln!(out, "-- some of the words only --")?;
                    whole = false;
                }
                print_hit(&mut out, hit)?;
            }
            for hit in &answer.statements {
                print_statement(&mut out, hit)?;
            }
            for line in last_lines(answer) {
                writeln!(out, "{}", text::one_line(&line))?;
            }
            Ok(out.flush()?)
        }
    }
}

fn print_hit(out: &mut impl Write, hit: &Hit) -> std::io::Result<()> {
    let subject = hit.snippets.iter().find(|snippet| snippet.at == Where::Subject);
    write!(
        out,
        "{:2}. {COMMIT}{} {}{COMMIT:#}  {}  {}  ",
        hit.rank,
        hit.upstream,
        hit.sha.short(),
        text::one_line(hit.first_tag.as_deref().unwrap_or("untagged")),
        hit.date.format("%Y-%m-%d"),
    )?;
    match subject {
        Some(snippet) => marked(out, snippet)?,
        None => writeln!(out, "{}", text::one_line(&hit.subject))?,
    }
    for snippet in hit.snippets.iter().filter(|snippet| snippet.at != Where::Subject) {
        write!(out, "      {PLACE}{}{PLACE:#} ", text::one_line(&place(snippet)))?;
        marked(out, snippet)?;
    }
    Ok(())
}

fn print_statement(out: &mut impl Write, hit: &StatementHit) -> std::io::Result<()> {
    let date = hit.date.map_or_else(String::new, |date| format!("  {}", date.format("%Y-%m-%d")));
    let name = format!("{} {} {}{date}  {}", hit.upstream, hit.kind.as_str(), hit.key, hit.title);
    writeln!(out, "    {COMMIT}{}{COMMIT:#}", text::one_line(&name))?;
    let line: String = hit.line.chars().take(200).collect();
    writeln!(
        out,
        "      {} (grade {}) {}",
        text::one_line(&line),
        hit.grade,
        text::one_line(&hit.url)
    )
}

fn place(snippet: &Snippet) -> String {
    let line = snippet.line.map_or_else(String::new, |line| format!(":{line}"));
    let path = snippet.path.as_deref().unwrap_or_default();
    match snippet.at {
        Where::Subject => "subject".to_owned(),
        Where::Message => format!("message{line}"),
        Where::Path => "path".to_owned(),
        Where::Author => "author".to_owned(),
        Where::Added => format!("{path}{line} +"),
        Where::Removed => format!("{path}{line} -"),
    }
}

/// The text with its words coloured.
fn marked(out: &mut impl Write, snippet: &Snippet) -> std::io::Result<()> {
    let mut at = 0;
    let shown = |text: &str| text::safe(text).replace('\n', " ");
    for [start, end] in &snippet.spans {
        let before = snippet.text.get(at..*start).unwrap_or_default();
        let word = snippet.text.get(*start..*end).unwrap_or_default();
        write!(out, "{}{MATCH}{}{MATCH:#}", shown(before), shown(word))?;
        at = *end;
    }
    writeln!(out, "{}", shown(snippet.text.get(at..).unwrap_or_default()))
}

/// What was looked at, and what the answer is good for.
fn last_lines(answer: &SearchAnswer) -> Vec<String> {
    let mut first =
        format!("{} of {} commits have every word", answer.with_every_word, answer.searched);
    if answer.hits.len() < answer.with_every_word {
        first.push_str(&format!("; the best {} are shown (--limit)", answer.hits.len()));
    }
    if answer.shortened > 0 {
        first.push_str(&format!("; {} commits are indexed in part", answer.shortened));
    }
    let mut lines = vec![first, answer.note.to_owned()];
    lines.extend(answer.prove.iter().map(|command| format!("exact: {command}")));
    lines
}
