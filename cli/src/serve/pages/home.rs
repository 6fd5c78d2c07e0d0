//! What the store holds, and what is new.

use headwater_queries::defaults::{EventRow, Question, Tell};
use headwater_store::Store;
use maud::html;

use super::super::fields::{Fields, Takes};
use super::super::reply::{Made, Reply};
use super::super::room::Room;
use super::say;
use crate::answers;
use crate::render::links;

/// So many of the newest default events are told.
const NEWEST: usize = 12;

/// What it is asked.
pub const TAKES: Takes = Takes { fields: &[], formats: &[] };

pub fn page(room: &Room, store: &mut Store, _: &Fields) -> anyhow::Result<Reply> {
    let context = &room.context;
    // Not the state of the indexes, which a store that holds nothing has not.
    let (upstreams, models) = (answers::status::upstreams(store)?, answers::status::models(store)?);
    let names: Vec<String> = upstreams.iter().map(|one| one.upstream.clone()).collect();
    let mut moved: Vec<EventRow> = Vec::new();
    let mut lags = Vec::new();
    for name in &names {
        let question =
            Question { tell: Tell::Moves, jobs: context.question_jobs(), ..Question::default() };
        let answer = answers::defaults::ask(context, store, name, &question)?;
        let of_users = |event: &EventRow| {
            event.old.is_some()
                && event.new.is_some()
                && !["docs", "bench", "build"].contains(&event.scope.as_str())
        };
        moved.extend(answer.events.into_iter().rev().filter(of_users).take(NEWEST));
        let upstream = context.upstreams.get(name)?;
        if !upstream.pins.is_empty() {
            lags.push(answers::lag::ask(context, store, upstream, 1)?);
        }
    }
    moved.sort_by_key(|event| std::cmp::Reverse(event.date));
    let main = html! {
        h1 { "What moved upstream of you" }
        section {
            h2 { "In the store" }
            div.wide tabindex="0" role="region" aria-label="In the store" { table {
                thead { tr { th { "upstream" } th { "commits" } th { "patch text" } th { "as of" } th { "gaps" } } }
                tbody { @for one in &upstreams { tr {
                    td { (one.upstream) }
                    td.number { (one.commits) }
                    td.number { (format!("{:.1} MB", one.patch_bytes as f64 / 1e6)) }
                    td { @match one.last_crawl.as_ref().map(|crawl| crawl.finished) {
                        Some(Some(time)) => { (time.format("%Y-%m-%d %H:%M UTC")) }
                        Some(None) => { "cut short: crawl again" }
                        None => { "never" }
                    } }
                    td { @for (kind, n) in &one.gaps { (n) " " (kind) " " } @if one.gaps.is_empty() { "none" } }
                } } }
            } }
            @if let Some(as_of) = models.as_of {
                p { a href="/models" { (models.tags) " models" } ", last looked at " (as_of.format("%Y-%m-%d")) }
            }
            @if names.is_empty() { p { "Nothing yet: " code { "headwater clone ollama" } " fills it." } }
        }
        section {
            h2 { "Newest default changes" }
            @if moved.is_empty() { p.dim { "no extractor found a default that moved" } }
            @else { (say::events(moved.iter().take(NEWEST))) }
        }
        @for lag in &lags {
            section {
                h2 { "How far behind what it pins is " (lag.upstream) "?" }
                @for row in &lag.releases {
                    p {
                        (say::text(&row.tag)) " pins " (row.pin) " " (say::text(&row.value)) ": "
                        (format!("{:.1}", row.days)) " days and " (row.commits) " commits behind"
                    }
                }
                @for (pinned, n) in &lag.now {
                    p { (n) " stored commits of " (pinned) " are in no release of " (lag.upstream) " yet; "
                        a href=(links::to("/pins", [("upstream", lag.upstream.as_str())])) { "which of them matter" } }
                }
            }
        }
    };
    Ok(Reply::Page(Made { title: "What moved".to_owned(), main }))
}
