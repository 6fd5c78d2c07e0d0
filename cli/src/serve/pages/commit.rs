//! A commit: what is known of it, and its patch with the lines that matter marked.

use headwater_queries::show::{Shown, ShownLine, ShownPatch};
use headwater_store::Store;
use headwater_store::model::Side;
use maud::{Markup, html};

use super::super::fields::{Fields, Takes};
use super::super::reply::{Made, Reply};
use super::super::room::Room;
use super::say;
use crate::answers;
use crate::render::{links, text};

/// A longer patch is shown up to here, unless all of it is asked for.
const LINES: usize = 2_000;

/// What it is asked.
pub const TAKES: Takes = Takes {
    fields: &["upstream", "sha", "mark", "whole", "part"],
    several: &["mark"],
    formats: &["json"],
};

pub fn page(room: &Room, store: &mut Store, fields: &Fields) -> anyhow::Result<Reply> {
    let Some(sha) = fields.get("sha") else {
        anyhow::bail!("say which commit: its id, the start of one, or a tag")
    };
    let shown = answers::show::ask(&room.context, store, fields.get("upstream"), sha)?;
    if fields.text("format") == "json" {
        return Reply::json(&shown);
    }
    let mut marks: Vec<(String, u32)> = fields
        .all("mark")
        .iter()
        .filter_map(|mark| mark.rsplit_once(':'))
        .filter_map(|(path, line)| Some((path.to_owned(), line.parse().ok()?)))
        .collect();
    for evidence in shown.classes.iter().flat_map(|class| &class.evidence) {
        if let (Some(path), Some(line)) = (evidence.path(), evidence.line()) {
            marks.push((path.to_owned(), line));
        }
    }
    let most = if fields.is_on("whole") { usize::MAX } else { LINES };
    let patch = patch(&shown, &marks, most);
    if fields.is_on("part") {
        return Ok(Reply::Part(patch));
    }
    let main = html! {
        h1 { (say::text(&shown.subject)) }
        (facts(&shown, &say::Stored::of(store)?))
        @if !shown.body.trim().is_empty() { pre.message { (text::safe(shown.body.trim())) } }
        (classes(&shown))
        section { h2 { "Patch" small { " " (shown.files.len()) @if shown.files.len() == 1 { " file, +" } @else { " files, +" } (shown.added) " −" (shown.deleted) } } (patch) }
        p.links {
            @let lines: usize = shown.patch.iter().map(|file| file.lines.len()).sum();
            @if lines > most { a href=(fields.with("/commit", "whole", "1")) { "The whole patch" } " · " }
            a href=(fields.with("/commit", "format", "json")) { "JSON" }
        }
    };
    let title = format!("{} {}", shown.upstream, shown.sha.short());
    Ok(Reply::Page(Made { title, main }))
}

fn facts(shown: &Shown, stored: &say::Stored<'_>) -> Markup {
    let tag = |tag: &Option<String>| tag.as_deref().map_or_else(|| "none".to_owned(), say::text);
    let receipt = &shown.receipt;
    // Where a clone lies is nobody's business but its owner's.
    let source = if receipt.source().contains("://") { receipt.source() } else { "a clone" };
    html! {
        dl {
            dt { "commit" } dd { (shown.upstream) " " code { (shown.sha) } }
            dt { "author" } dd { (say::text(&shown.author)) ", " (shown.authored.format("%Y-%m-%d %H:%M UTC")) }
            dt { "committed" } dd { (shown.committed.format("%Y-%m-%d %H:%M UTC")) }
            @if let Some(pr) = shown.pr { dt { "pull request" } dd { "#" (pr) } }
            dt { "first shipped" } dd { (tag(&shown.first_shipped)) " (final: " (tag(&shown.first_final_shipped)) ")" }
            dt { "first tag" } dd { (tag(&shown.first_tag)) " (final: " (tag(&shown.first_final_tag)) ")" }
            @if let Some(build) = &shown.build { dt { "build" } dd { (build) } }
            @if !shown.on_branch { dt { "branch" } dd { "not on it: only tags reach it" } }
            @if !shown.twins.is_empty() {
                dt { "twins" } dd { @for twin in &shown.twins { (say::commit(&shown.upstream, *twin)) " " } }
            }
            @if let Some(abi) = &shown.abi { dt { "abi" } dd { (say::text(&abi.says)) " (grade " (abi.grade) ")" } }
            @for gap in &shown.gaps { dt { "gap" } dd { (say::text(gap)) } }
            dt { "receipt" } dd { (receipt.transport()) " " (say::text(source)) ", " (receipt.obtained().format("%Y-%m-%d %H:%M UTC")) }
            dt { "parents" } dd { @for parent in &shown.parents { (stored.commit(&shown.upstream, *parent)) " " } }
        }
    }
}

fn classes(shown: &Shown) -> Markup {
    html! {
        @if !shown.classes.is_empty() {
            section {
                h2 { "What it is about" small { " by rule" } }
                ul { @for class in &shown.classes { li {
                    a href=(links::to("/grep", [("q", "."), ("class", class.class.as_str()), ("upstream", shown.upstream.as_str())])) { (class.class) }
                    " by rule " code { (class.rule) }
                    @for evidence in class.evidence.iter().take(3) {
                        div.code {
                            span.path { (say::text(evidence.path().unwrap_or_default())) ":" (evidence.line().unwrap_or(0)) }
                            code { (say::text(evidence.text().unwrap_or_default())) }
                        }
                    }
                } } }
            }
        }
    }
}

fn patch(shown: &Shown, marks: &[(String, u32)], most: usize) -> Markup {
    let mut all = 0;
    let mut files = Vec::new();
    for file in &shown.patch {
        if all < most {
            files.push((file, file.lines.len().min(most - all)));
        }
        all += file.lines.len();
    }
    html! {
        @for (file, take) in files { (one_file(file, take, marks)) }
        @if all > most { p.dim { "the patch goes on" } }
    }
}

/// Whether a hunk begins here that is not the first: the new file's numbers jump.
fn begins_hunk(lines: &[ShownLine], at: usize) -> bool {
    let of_new = |line: &&ShownLine| line.side != Side::Removed;
    let Some(here) = lines.get(at).filter(of_new) else { return false };
    let before = lines[..at].iter().rfind(of_new);
    before.is_some_and(|before| here.line > before.line + 1)
}

fn one_file(file: &ShownPatch, take: usize, marks: &[(String, u32)]) -> Markup {
    let of_file: Vec<u32> = marks
        .iter()
        .filter(|(path, _)| file.header.contains(path.as_str()))
        .map(|(_, line)| *line)
        .collect();
    html! {
        section.file aria-label=(say::text(&file.header)) {
            h3 { (say::text(&file.header)) }
            div.patch tabindex="0" {
                @for (at, line) in file.lines[..take].iter().enumerate() {
                    @if begins_hunk(&file.lines, at) { div.gap aria-hidden="true" { "⋯" } }
                    @let (class, sign) = match line.side { Side::Added => ("added", "+"), Side::Removed => ("removed", "-"), Side::Context => ("context", " ") };
                    @let matters = line.side != Side::Context && of_file.contains(&line.line);
                    div.(class).matters[matters] title=[matters.then_some("this line is evidence")] {
                        span.number aria-hidden="true" { (line.line) }
                        code { (sign) (text::safe(&line.text).replace('\n', " ")) }
                    }
                }
            }
        }
    }
}
