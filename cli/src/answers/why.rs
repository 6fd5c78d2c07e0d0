//! What explains a window: from what is stored and, where that is allowed, from what is
//! fetched for it.

use std::io::Write as _;

use anyhow::{Context as _, bail};
use headwater_crawler::CrawlError;
use headwater_queries::why::{AsOf, Rules, WhyQuestion, WhyReport, why};
use headwater_queries::window::{WindowSpec, tag_names};
use headwater_queries::{QueryError, rank};
use headwater_store::upstream::Upstream;
use headwater_store::{Store, StoreError};

use crate::context::Context;
use crate::live::{Live, Via, Wish, is_relative, relative};
use crate::progress::Shown;
use crate::render::text::one_line;

/// How what the store lacks is fetched.
pub struct Fetch {
    /// From where.
    pub via: Via,
    /// Also what people wrote.
    pub wish: Wish,
}

/// Answers. The question's window is named by its tags afterwards; without `fetch` nothing
/// is asked of any network.
pub fn ask(
    context: &Context,
    store: &mut Store,
    rules: &Rules,
    question: &mut WhyQuestion,
    fetch: Option<Fetch>,
) -> anyhow::Result<WhyReport> {
    let mut report = answered(context, store, rules, question, fetch)?;
    let head = report.window.head_date;
    if let AsOf::Time(time) = question.as_of
        && time < head.timestamp()
    {
        report.window.notes.push(format!(
            "asked as of a time before {} was committed ({}): what was written in between is not counted, though the window holds its commits",
            report.window.head,
            head.format("%Y-%m-%d")
        ));
    }
    Ok(report)
}

fn answered(
    context: &Context,
    store: &mut Store,
    rules: &Rules,
    question: &mut WhyQuestion,
    fetch: Option<Fetch>,
) -> anyhow::Result<WhyReport> {
    let upstream = context.upstreams.get(&question.upstream)?;
    let window = &question.window;
    let mut live = None;
    match &fetch {
        Some(fetch) if is_relative(&window.base) || is_relative(&window.head) => {
            let live = live.insert(Live::new(context, fetch.via)?);
            question.window = live.ends(store, upstream, window)?;
        }
        Some(_) => {}
        None => name_ends(context, store, question)?,
    }
    let answer = why(store, &context.upstreams, rules, question);
    let Some(fetch) = fetch.filter(|fetch| fetch.wish.asked || lacks(context, &answer)) else {
        return Ok(answer?);
    };
    let live = match live {
        Some(live) => live,
        None => Live::new(context, fetch.via)?,
    };
    question.installed = live.running(upstream);
    fetched(context, store, &live, rules, answer, question, fetch.wish)
}

/// Fetches what an answer lacked, and answers again; where it does not come, the first
/// answer stands.
fn fetched(
    context: &Context,
    store: &mut Store,
    live: &Live<'_>,
    rules: &Rules,
    answer: Result<WhyReport, QueryError>,
    question: &WhyQuestion,
    wish: Wish,
) -> anyhow::Result<WhyReport> {
    let upstream = context.upstreams.get(&question.upstream)?;
    let api = live.api()?;
    let brought = match live.windows(&api, store, upstream, &question.window, &Shown::new()) {
        Ok(brought) => brought,
        Err(error) => match answer {
            Ok(report) => {
                let line = one_line(&format!("{error:#}"));
                writeln!(anstream::stderr(), "headwater: {line}; answered from what is stored")?;
                return Ok(report);
            }
            // The host was asked, and knows no such end either.
            Err(_) if matches!(error.downcast_ref(), Some(CrawlError::NoSuchRef { .. })) => {
                return Err(error);
            }
            Err(unanswered) => bail!("{unanswered}; to fetch it now: {error:#}"),
        },
    };
    let report = why(store, &context.upstreams, rules, question)?;
    // As of the window's head nothing counts that was written afterwards.
    let said = match question.as_of {
        AsOf::Head => Vec::new(),
        AsOf::Now | AsOf::Time(_) => live.said(&api, store, &report, wish)?.lines,
    };
    let spent = api.budget().to_string();
    for line in brought.lines.iter().chain(&said).chain([&spent]).chain(&brought.failed) {
        writeln!(anstream::stderr(), "headwater: {line}")?;
    }
    if said.is_empty() {
        return Ok(report);
    }
    Ok(why(store, &context.upstreams, rules, question)?)
}

/// Whether an answer wants what the store lacks and upstream may have.
fn lacks(context: &Context, answer: &Result<WhyReport, QueryError>) -> bool {
    match answer {
        Ok(report) => report.nested.iter().any(|nested| {
            nested.window.is_none()
                && nested.pin_base.is_some()
                && nested.pin_head.is_some()
                && context.upstreams.find(&nested.upstream).is_some()
        }),
        Err(
            QueryError::UnknownRevision { .. }
            | QueryError::NotStored { .. }
            | QueryError::Store(StoreError::NotCrawled(_)),
        ) => true,
        Err(_) => false,
    }
}

/// Names the ends of a question's window that are `latest` or `previous`, by the tags that
/// are stored.
fn name_ends(context: &Context, store: &Store, question: &mut WhyQuestion) -> anyhow::Result<()> {
    let window = &question.window;
    if is_relative(&window.base) || is_relative(&window.head) {
        let upstream = context.upstreams.get(&question.upstream)?;
        question.window = stored_ends(store, upstream, window)?;
    }
    Ok(())
}

fn stored_ends(
    store: &Store,
    upstream: &Upstream,
    window: &WindowSpec,
) -> anyhow::Result<WindowSpec> {
    let tags = tag_names(store, upstream)?;
    relative(upstream, &tags, window, &|| Err(NotAsked.into()))
}

/// `installed` where the local server is not asked. Every door says this; what else one can
/// do there is for each to add.
#[derive(Debug, thiserror::Error)]
#[error(
    "which version is installed is not asked of any server here: name it (`ollama --version` tells it)"
)]
pub struct NotAsked;

/// The rule sets: the built-in ones, then the user's own.
pub fn rules(context: &Context) -> anyhow::Result<Rules> {
    Ok(Rules {
        classes: context.rule_texts()?,
        extractors: context.extractors()?,
        facets: rank::Facets::shipped().context("the built-in ranking rules")?,
        weights: rank::Weights::shipped().context("the built-in weights")?,
    })
}
