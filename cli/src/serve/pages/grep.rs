//! Exact search, with what narrows it and what it was checked against.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

use headwater_queries::derive::labels;
use headwater_queries::grep::{CommitHits, GrepRequest, ScopeCoverage, TreeAnswer, Within};
use headwater_queries::window::{WindowSpec, finals};
use headwater_store::exact::PatternOptions;
use headwater_store::graph::Node;
use headwater_store::model::Side;
use headwater_store::{Store, StoreError};
use maud::{Markup, html};

use super::super::fields::{Fields, Takes};
use super::super::reply::{self, Made, Reply};
use super::super::room::Room;
use super::say::{self, choice, field};
use crate::answers;
use crate::answers::grep::Page;
use crate::commands::filter::FilterArgs;
use crate::render::grep::coverage_line;
use crate::render::{links, text};

/// Commits on a page.
const ROWS: usize = 30;
/// Lines of a commit on a page.
const LINES: usize = 12;
/// Reading the lines of a page takes no longer.
const LONGEST: Duration = Duration::from_secs(10);

/// Where a pattern is looked for, where not on both sides of a change.
const PLACES: [&str; 3] = ["added", "removed", "message"];

/// What was found, of history or of a tree.
enum Found {
    Nothing,
    History(Page),
    Tree(TreeAnswer),
}

/// What it is asked.
pub const TAKES: Takes = Takes {
    fields: &[
        "q", "upstream", "in", "path", "class", "window", "at", "author", "since", "until", "case",
        "fixed", "word", "all", "offset", "part",
    ],
    several: &["q", "upstream", "path"],
    formats: &["json"],
};

pub fn page(room: &Room, store: &mut Store, fields: &Fields) -> anyhow::Result<Reply> {
    let offset = fields.number("offset")?.unwrap_or(0);
    fields.one_of("in", &PLACES)?;
    let found = match fields.get("q") {
        Some(pattern) => search(room, store, fields, pattern, offset),
        None => Ok(Found::Nothing),
    };
    let part = fields.is_on("part");
    if fields.text("format") == "json" {
        return match found? {
            Found::Nothing => anyhow::bail!("give a pattern, like q=RepeatPenalty"),
            Found::Tree(answer) => {
                Reply::json(&answers::grep::tree_document(&fields.all("q"), &answer))
            }
            Found::History(Page { commits, matching }) => Reply::json(&answers::grep::document(
                &fields.all("q"),
                &commits,
                &matching.coverage,
                &matching.explanation,
                &matching.rederive,
                None,
            )),
        };
    }
    let results = match &found {
        // A pattern that is half written is no error of the page.
        Err(error) => html! { p role="alert" { (reply::line(error)) } },
        Ok(Found::Nothing) => {
            html! { p.dim { "Changed lines of all history, matched line by line. No match is a proof where there are no gaps." } }
        }
        Ok(Found::History(page)) => {
            let windows = match fields.get("window") {
                Some(_) => Vec::new(),
                None => newest(room, store, page)?,
            };
            history(fields, page, &(classes(room, store, page)?, windows), offset)
        }
        Ok(Found::Tree(answer)) => tree(answer, offset),
    };
    if part {
        return Ok(Reply::Part(results));
    }
    let names = store.upstream_names()?;
    let names: Vec<&str> = names.iter().map(|(_, name)| name.as_str()).collect();
    let main = html! {
        h1 { "Grep history" }
        form.fields.live action="/grep" method="get" data-results="results" {
            label.long { span { "Pattern" }
                input name="q" value=(fields.text("q")) type="search" autocomplete="off" spellcheck="false"
                    placeholder="RepeatPenalty:\\s+1\\.[01]";
            }
            (choice("upstream", "Upstream", &names, fields.text("upstream")))
            (choice("in", "In", &PLACES, fields.text("in")))
            (field("path", "Path", fields.text("path"), "ggml/src", None))
            (field("class", "Class", fields.text("class"), "cuda", None))
            (field("window", "Window", fields.text("window"), "v0.32.9..v0.32.13", None))
            (field("at", "Or files at", fields.text("at"), "ollama@v0.32.13", None))
            fieldset.ticks {
                @for (name, label) in [("case", "either case"), ("fixed", "plain text"), ("word", "whole words"), ("all", "also off the branch")] {
                    label.tick { input type="checkbox" name=(name) value="1" checked[fields.is_on(name)]; (label) }
                }
            }
            button { "Search" }
        }
        div id="results" aria-live="polite" { (results) }
    };
    let title = fields.get("q").map_or_else(|| "Grep".to_owned(), |q| format!("grep {q}"));
    Ok(Reply::Page(Made { title, main }))
}

fn search(
    room: &Room,
    store: &Store,
    fields: &Fields,
    pattern: &str,
    offset: usize,
) -> anyhow::Result<Found> {
    let patterns = vec![pattern.to_owned()];
    answers::grep::bounded(&patterns)?;
    if let Some(author) = fields.own("author") {
        answers::grep::bounded(&[author])?;
    }
    let filter = FilterArgs {
        upstream: fields.all("upstream"),
        all: fields.is_on("all"),
        path: fields.all("path"),
        class: fields.own("class"),
        author: fields.own("author"),
        since: fields.own("since"),
        until: fields.own("until"),
    };
    let window = fields.get("window").map(WindowSpec::parse).transpose()?;
    let context = &room.context;
    let mut request = GrepRequest {
        options: PatternOptions {
            ignore_case: fields.is_on("case"),
            fixed: fields.is_on("fixed"),
            word: fields.is_on("word"),
        },
        filter: filter.filter(window, false)?,
        within: match fields.one_of("in", &PLACES)? {
            Some("added") => Within::Added,
            Some("removed") => Within::Removed,
            Some(_) => Within::Message,
            None => Within::Changes,
        },
        most: Some(LINES),
        ..answers::grep::plain(patterns, context.question_jobs())
    };
    if let Some(at) = fields.get("at") {
        return Ok(Found::Tree(answers::grep::tree(context, store, &request, at)?));
    }
    request.upstreams = filter.upstreams(context, store)?;
    filter.require_class(context, store, &request.upstreams)?;
    let wanted = answers::grep::Wanted { offset, limit: ROWS, within: LONGEST };
    Ok(Found::History(answers::grep::page(store, &request, &wanted)?))
}

fn history(
    fields: &Fields,
    page: &Page,
    (classes, windows): &(Vec<(String, usize)>, Vec<Newest>),
    offset: usize,
) -> Markup {
    let all = page.matching.commits.len();
    let end = offset + page.commits.len();
    html! {
        @for (found, coverage) in &page.matching.coverage { (covered(*found, coverage)) }
        @if all == 0 { (again(&page.matching.rederive)) }
        @else {
            (facets(fields, page, classes, windows))
            p.dim { "commits " (offset + 1) " to " (end) " of " (all) }
        }
        @for commit in &page.commits { (hits(commit)) }
        p.links {
            @if offset > 0 {
                a rel="prev" href=(fields.with("/grep", "offset", &offset.saturating_sub(ROWS).to_string())) { "newer" } " "
            }
            @if end < all {
                a rel="next" href=(fields.with("/grep", "offset", &end.to_string())) { "older" } " "
            }
            a href=(fields.with("/grep", "format", "json")) { "JSON" }
        }
    }
}

/// What was searched, and where there are gaps, which.
fn covered(found: usize, coverage: &ScopeCoverage) -> Markup {
    let gaps = coverage.commits.gaps();
    html! {
        p.coverage { (say::text(&coverage_line(found, coverage, false))) }
        @if !gaps.is_empty() {
            details { summary { (gaps.len()) " gaps" }
                ul { @for gap in gaps.iter().take(200) { li {
                    (gap.kind) " "
                    @if let Some(sha) = gap.commit { (say::commit(coverage.commits.upstream(), sha)) " " }
                    (say::text(gap.path.as_deref().unwrap_or_default())) ": " (say::text(&gap.detail))
                } } }
            }
        }
    }
}

fn again(rederive: &[String]) -> Markup {
    html! { @for command in rederive { pre { "$ " (say::text(command)) } } }
}

/// How many of a page's commits have each class, where their labels are those of the rules
/// in force: by others no search can be narrowed.
fn classes(room: &Room, store: &Store, page: &Page) -> anyhow::Result<Vec<(String, usize)>> {
    let labelling = room.context.labelling()?;
    let sources = labelling.sources();
    let mut current: HashMap<&str, bool> = HashMap::new();
    let mut classes: BTreeMap<String, usize> = BTreeMap::new();
    for hits in &page.commits {
        let upstream = hits.upstream.as_str();
        if !current.contains_key(upstream) {
            current.insert(upstream, labels::is_current(store, upstream, sources)?);
        }
        if current.get(upstream) != Some(&true) {
            continue;
        }
        let Some(commit) = store.commit(store.upstream(&hits.upstream)?, hits.sha)? else {
            continue;
        };
        let mut of: Vec<String> =
            store.labels(commit.id())?.into_iter().map(|label| label.class).collect();
        of.sort_unstable();
        of.dedup();
        for class in of {
            *classes.entry(class).or_default() += 1;
        }
    }
    let mut classes: Vec<_> = classes.into_iter().collect();
    classes.sort_by_key(|(class, n)| (std::cmp::Reverse(*n), class.clone()));
    Ok(classes)
}

/// A window of an upstream's newest releases, and how many of the commits found lie in it.
struct Newest {
    upstream: String,
    window: String,
    found: usize,
}

/// So many releases back the windows begin that a search can be narrowed to.
const BACK: [usize; 2] = [1, 10];

/// The windows of the newest releases that hold something of what was found.
fn newest(room: &Room, store: &Store, page: &Page) -> anyhow::Result<Vec<Newest>> {
    let mut out = Vec::new();
    for (_, coverage) in page.matching.coverage.iter().filter(|(found, _)| *found > 0) {
        let upstream = room.context.upstreams.get(coverage.commits.upstream())?;
        let id = store.upstream(&upstream.name)?;
        let tags: Vec<String> = store.tags(id)?.into_iter().map(|tag| tag.name).collect();
        let finals = finals(upstream, &tags)?;
        let graph = store.graph(id)?;
        let found: HashSet<Node> =
            page.matching.commits.iter().filter_map(|oid| graph.node(*oid)).collect();
        let node =
            |tag: &str| Ok::<_, StoreError>(store.tag(id, tag)?.and_then(|t| graph.node(t.commit)));
        let Some(head) = finals.last() else { continue };
        let last = finals.len() - 1;
        // Where there are fewer, as far back as there are any.
        let mut begins: Vec<usize> = BACK.map(|back| last.saturating_sub(back)).to_vec();
        begins.dedup();
        for base in begins.into_iter().filter_map(|at| finals.get(at)) {
            let (Some(from), Some(to)) = (node(base)?, node(head)?) else { continue };
            let inside = graph.between(from, to);
            let found = inside.iter().filter(|node| found.contains(node)).count();
            if found > 0 {
                let window = format!("{base}..{head}");
                out.push(Newest { upstream: upstream.name.clone(), window, found });
            }
        }
    }
    Ok(out)
}

/// Links that narrow a search to what it found: by upstream, class, folder and window.
fn facets(fields: &Fields, page: &Page, classes: &[(String, usize)], windows: &[Newest]) -> Markup {
    let mut folders: BTreeMap<&str, usize> = BTreeMap::new();
    for commit in &page.commits {
        let mut of: Vec<&str> = commit
            .lines
            .iter()
            .filter_map(|line| line.path.as_deref()?.rsplit_once('/').map(|(folder, _)| folder))
            .collect();
        of.sort_unstable();
        of.dedup();
        for folder in of {
            *folders.entry(folder).or_default() += 1;
        }
    }
    let mut folders: Vec<_> = folders.into_iter().collect();
    folders.sort_by_key(|(folder, n)| (std::cmp::Reverse(*n), *folder));
    let upstreams = page.matching.coverage.iter().filter(|(found, _)| *found > 0);
    html! {
        p.facets {
            "Only: "
            @for (found, coverage) in upstreams {
                @let name = coverage.commits.upstream();
                a href=(fields.with("/grep", "upstream", name)) { (name) " " (found) } " "
            }
            @for (class, n) in classes.iter().take(6) {
                a href=(fields.with("/grep", "class", class)) { (class) " " (n) } " "
            }
            @for (folder, n) in folders.iter().take(6) {
                a href=(fields.with("/grep", "path", folder)) { (say::text(folder)) " " (n) } " "
            }
            @for one in windows {
                a href=(fields.with_all("/grep", &[("upstream", &one.upstream), ("window", &one.window)])) {
                    (say::text(&one.window)) " " (one.found)
                } " "
            }
        }
    }
}

fn hits(commit: &CommitHits) -> Markup {
    html! {
        article.hit {
            h2 {
                (commit.upstream) " " (say::commit(&commit.upstream, commit.sha)) " " (say::text(&commit.subject))
                small { " " (commit.date.format("%Y-%m-%d")) " " (commit.first_tag.as_deref().map(say::text).unwrap_or_else(|| "untagged".to_owned())) }
            }
            @for line in commit.lines.iter().take(LINES) {
                @let (class, sign) = match line.side { Some(Side::Added) => ("added", "+"), Some(Side::Removed) => ("removed", "-"), _ => ("", " ") };
                div.code {
                    span.path { (say::text(line.path.as_deref().unwrap_or("message"))) ":" (line.line) }
                    code.(class) { (sign) (marked(&line.text, &line.spans)) }
                }
            }
            @if commit.count > LINES.min(commit.lines.len()) as u64 {
                p.dim { (commit.count) " lines match" }
            }
        }
    }
}

/// A line with what matches marked.
fn marked(line: &str, spans: &[[usize; 2]]) -> Markup {
    let safe = |from: usize, to: usize| text::safe(line.get(from..to).unwrap_or_default());
    let begins = std::iter::once(0).chain(spans.iter().map(|[_, end]| *end));
    html! {
        @for (begin, [start, end]) in begins.zip(spans) {
            (safe(begin, *start)) mark { (safe(*start, *end)) }
        }
        (safe(spans.last().map_or(0, |[_, end]| *end), line.len()))
    }
}

fn tree(answer: &TreeAnswer, offset: usize) -> Markup {
    html! {
        p.coverage {
            (answer.upstream) " " (say::text(&answer.revision)) " ("
            a.sha href=(links::commit(&answer.upstream, &answer.sha.to_string())) { (answer.sha.short()) }
            "): " (answer.matches.len()) " lines match in " (answer.counts.len()) " files; read "
            (answer.files) " files, passed over " (answer.binary) " binary ones"
            @if !answer.missing.is_empty() { "; " (answer.missing.len()) " missing" }
        }
        @for hit in answer.matches.iter().skip(offset).take(200) {
            div.code { span.path { (say::text(&hit.path)) ":" (hit.line) } code { (marked(&hit.text, &hit.spans)) } }
        }
        @if answer.matches.len() > offset + 200 { p.dim { (answer.matches.len() - offset - 200) " more" } }
    }
}
