//! History: exact search, search by words, a commit, a file.

use std::time::Duration;

use headwater_queries::grep::{GrepRequest, TreeAnswer, Within};
use headwater_queries::search::SearchRequest;
use headwater_queries::window::WindowSpec;
use headwater_store::exact::PatternOptions;
use serde_json::{Value, json};

use super::super::asked;
use super::super::bounds::{Paged, Total, list};
use super::{Desk, one_of, read};
use crate::answers;
use crate::commands::filter::FilterArgs;

/// A commit whose every line matches would fill the answer: its count tells of the rest.
const LINES_OF_A_COMMIT: usize = 40;
/// Reading the lines of a page takes no longer.
const WITHIN: Duration = Duration::from_secs(20);
/// No more is ranked than this, however far one pages.
const FOUND_BY_WORDS: usize = 200;

impl asked::Filter {
    fn args(&self) -> FilterArgs {
        FilterArgs {
            upstream: self.upstreams.clone(),
            all: self.all,
            path: self.paths.clone(),
            class: self.class.clone(),
            author: self.author.clone(),
            since: self.since.clone(),
            until: self.until.clone(),
        }
    }

    fn window(&self) -> anyhow::Result<Option<WindowSpec>> {
        Ok(self.window.as_deref().map(WindowSpec::parse).transpose()?)
    }
}

/// Answers `grep`.
pub fn grep(desk: &Desk, asked: Value) -> anyhow::Result<Value> {
    let asked: asked::Grep = read(asked)?;
    one_of("in", asked.within.as_deref(), &["added", "removed", "message"])?;
    let patterns = vec![asked.pattern.clone()];
    answers::grep::bounded(&patterns)?;
    if let Some(author) = &asked.filter.author {
        answers::grep::bounded(std::slice::from_ref(author))?;
    }
    let filter = asked.filter.args();
    let context = &desk.context;
    let store = desk.store()?;
    let mut request = GrepRequest {
        options: PatternOptions {
            ignore_case: asked.ignore_case,
            fixed: asked.fixed,
            word: asked.word,
        },
        filter: filter.filter(asked.filter.window()?, false)?,
        within: match asked.within.as_deref() {
            Some("added") => Within::Added,
            Some("removed") => Within::Removed,
            Some("message") => Within::Message,
            _ => Within::Changes,
        },
        most: Some(asked.lines_per_file.unwrap_or(5).max(1)),
        ..answers::grep::plain(patterns, context.question_jobs())
    };
    if let Some(at) = &asked.at {
        let answer = answers::grep::tree(context, &store, &request, at)?;
        return tree(&request, &answer, &asked.page);
    }
    request.upstreams = filter.upstreams(context, &store)?;
    filter.require_class(context, &store, &request.upstreams)?;
    let limit = asked.page.rows(20)?;
    let wanted = answers::grep::Wanted { offset: asked.page.offset, limit, within: WITHIN };
    let mut page = answers::grep::page(&store, &request, &wanted)?;
    for commit in &mut page.commits {
        commit.lines.truncate(LINES_OF_A_COMMIT);
    }
    let all = &page.matching;
    let rows = |limit: usize| {
        let found = page.commits.get(..limit).unwrap_or(&page.commits);
        let document = answers::grep::document(
            &request.patterns,
            found,
            &all.coverage,
            &all.explanation,
            &all.rederive,
            None,
        );
        (serde_json::to_value(document).unwrap_or_default(), found.len())
    };
    Ok(Paged {
        of: "commits",
        offset: asked.page.offset,
        limit,
        total: Total::Is(all.commits.len()),
        own: &["matches", "commits", "counts"],
        rows: &rows,
    }
    .finish())
}

fn tree(
    request: &GrepRequest<'_>,
    answer: &TreeAnswer,
    page: &asked::Page,
) -> anyhow::Result<Value> {
    let rows = |limit: usize| {
        let mut some = TreeAnswer { matches: Vec::new(), ..answer.clone() };
        some.matches = answer.matches.iter().skip(page.offset).take(limit).cloned().collect();
        let document = answers::grep::tree_document(&request.patterns, &some);
        (serde_json::to_value(document).unwrap_or_default(), some.matches.len())
    };
    Ok(Paged {
        of: "tree.matches",
        offset: page.offset,
        limit: page.rows(50)?,
        total: Total::Is(answer.matches.len()),
        own: &[],
        rows: &rows,
    }
    .finish())
}

/// Answers `search`.
pub fn search(desk: &Desk, asked: Value) -> anyhow::Result<Value> {
    let asked: asked::Search = read(asked)?;
    let (filter, context, store) = (asked.filter.args(), &desk.context, desk.store()?);
    let (offset, limit) = (asked.page.offset, asked.page.rows(10)?);
    let request = SearchRequest {
        query: asked.words,
        upstreams: filter.upstreams(context, &store)?,
        filter: filter.filter(asked.filter.window()?, true)?,
        // One more than the page tells whether there is a next one.
        limit: offset.saturating_add(limit + 1).min(FOUND_BY_WORDS),
        jobs: context.jobs(),
    };
    let answer = answers::search::ask(context, &store, &filter, &request)?;
    let found = answer.hits.len();
    let value = serde_json::to_value(&answer)?;
    let rows = |limit| list(&value, "hits", offset, limit, offset > 0);
    Ok(Paged { of: "hits", offset, limit, total: Total::AtLeast(found), own: &[], rows: &rows }
        .finish())
}

/// Answers `show`.
pub fn show(desk: &Desk, asked: Value) -> anyhow::Result<Value> {
    let asked: asked::Show = read(asked)?;
    let upstream = asked.upstream.as_deref();
    let mut shown = answers::show::ask(&desk.context, &desk.store()?, upstream, &asked.commit)?;
    if asked.no_patch {
        shown.patch.clear();
    }
    let offset = asked.page.offset;
    let total: usize = shown.patch.iter().map(|file| file.lines.len()).sum();
    let rows = |limit: usize| {
        let mut some = shown.clone();
        let (mut skip, mut left) = (offset, limit);
        for file in &mut some.patch {
            let passed = skip.min(file.lines.len());
            file.lines.drain(..passed);
            skip -= passed;
            file.lines.truncate(left);
            left -= file.lines.len();
        }
        some.patch.retain(|file| !file.lines.is_empty() || total == 0);
        (serde_json::to_value(&some).unwrap_or_default(), limit - left)
    };
    Ok(Paged {
        of: "patch.lines",
        offset,
        limit: asked.page.rows(200)?,
        total: Total::Is(total),
        own: &["patch", "lines"],
        rows: &rows,
    }
    .finish())
}

/// Answers `file_at`.
pub fn file_at(desk: &Desk, asked: Value) -> anyhow::Result<Value> {
    let asked: asked::FileAt = read(asked)?;
    let name = format!("{}@{}:{}", asked.upstream, asked.revision, asked.path);
    let found = answers::file::ask(&desk.context, &desk.store()?, &name)?;
    let document = found.document();
    let lines: Vec<&str> = document.text.split_inclusive('\n').collect();
    let whole = serde_json::to_value(&document)?;
    let offset = asked.page.offset;
    let rows = |limit: usize| {
        let some: Vec<&str> = lines.iter().skip(offset).take(limit).copied().collect();
        let mut answer = whole.clone();
        answer["text"] = json!(some.concat());
        (answer, some.len())
    };
    Ok(Paged {
        of: "text (lines)",
        offset,
        limit: asked.page.rows(200)?,
        total: Total::Is(lines.len()),
        own: &["text"],
        rows: &rows,
    }
    .finish())
}
