//! The defaults that moved, and how to get the old values back.

use std::collections::BTreeSet;

use headwater_queries::ledger::spelling;
use headwater_queries::why::{DefaultEvent, WhyReport};
use maud::{Markup, html};

use super::candidates::evidence_line;
use crate::render::page::Page;
use crate::render::text::{self, one_line};
use crate::render::{html, links};

/// Grouped by commit and knob: a default can stand in several places, and the first of
/// them speaks for the rest.
pub(super) fn all(page: &mut Page<'_>, report: &WhyReport) {
    let moved = report.default_events.iter().filter(|e| e.counts());
    let mut groups: Vec<Vec<&DefaultEvent>> = Vec::new();
    for event in moved {
        // `--load-mode` and `params.load_mode` are one.
        let key =
            |e: &DefaultEvent| (e.sha, spelling(e.knob.rsplit('.').next().unwrap_or(&e.knob)));
        match groups.iter_mut().find(|group| group.first().is_some_and(|e| key(e) == key(event))) {
            Some(group) => group.push(event),
            None => groups.push(vec![event]),
        }
    }
    let (spared, back, came) = (not_met(report), back(report), new_and_gone(report));
    if groups.is_empty() && spared.is_empty() && back.is_empty() && came.is_empty() {
        return;
    }
    page.heading("Defaults that moved", "old → new (where it is decided, by which commit)");
    for group in &mut groups {
        group.sort_by_key(|e| (e.scope == "docs", e.scope == "cli-help", e.scope == "bench"));
    }
    if page.is_served() && !groups.is_empty() {
        page.raw_html(&table(&groups).into_string());
    }
    for group in &groups {
        one_default(page, group, report);
    }
    for (what, lines) in [("new and gone", came), ("not met", spared), ("back again", back)] {
        folded(page, what, &lines);
    }
}

/// A value of several on a line has no more characters.
const WIDTH: usize = 40;
/// So many lines of what did not move are told.
const TOLD: usize = 4;

/// The first of some lines, and how many more there are.
fn folded(page: &mut Page<'_>, what: &str, lines: &[String]) {
    for line in lines.iter().take(TOLD) {
        let line = page.safe(line);
        page.item(0, &format!("{what}: {line}"));
    }
    if lines.len() > TOLD {
        page.item(0, &format!("{what}: {} more (--format json has them)", lines.len() - TOLD));
    }
}

/// Moves that the question's model or backend does not meet, a reason each.
fn not_met(report: &WhyReport) -> Vec<String> {
    let mut reasons: Vec<(&str, Vec<String>)> = Vec::new();
    for event in report.default_events.iter().filter(|e| e.old.is_some() && e.new.is_some()) {
        let Some(why) = event.not_met.as_deref().filter(|_| event.back_by.is_none()) else {
            continue;
        };
        let named = format!("{} {} ({})", event.upstream, event.knob, event.sha.short());
        match reasons.iter_mut().find(|(known, _)| *known == why) {
            Some((_, all)) if all.contains(&named) => {}
            Some((_, all)) => all.push(named),
            None => reasons.push((why, vec![named])),
        }
    }
    reasons.into_iter().map(|(why, all)| format!("{}: {why}", cut(&all))).collect()
}

/// Values that the window's head has as its base had them, those of the same commits together.
fn back(report: &WhyReport) -> Vec<String> {
    let mut knobs: Vec<(&str, &str, BTreeSet<String>)> = Vec::new();
    for event in &report.default_events {
        let Some(head) = event.back_by.as_deref() else { continue };
        let by = event.sha.short().to_string();
        match knobs.iter_mut().find(|(knob, ..)| *knob == event.knob) {
            Some((.., commits)) => {
                commits.insert(by);
            }
            None => knobs.push((&event.knob, head, BTreeSet::from([by]))),
        }
    }
    let mut groups: Vec<(Vec<String>, &str, BTreeSet<String>)> = Vec::new();
    for (knob, head, commits) in knobs {
        match groups.iter_mut().find(|(.., known)| *known == commits) {
            Some((all, ..)) => all.push(knob.to_owned()),
            None => groups.push((vec![knob.to_owned()], head, commits)),
        }
    }
    let line = |(knobs, head, commits): (Vec<String>, &str, BTreeSet<String>)| {
        let commits: Vec<String> = commits.into_iter().collect();
        format!("{} moved, and at {head} as before ({})", cut(&knobs), cut(&commits))
    };
    groups.into_iter().map(line).collect()
}

/// Knobs that are new or gone where a request or the server meets them, a commit each.
fn new_and_gone(report: &WhyReport) -> Vec<String> {
    let beside = ["docs", "cli-help", "bench", "build"];
    let open = |event: &&DefaultEvent| {
        let of = report.candidates.iter().find(|c| c.sha == event.sha);
        of.is_none_or(|candidate| candidate.verdict.is_open())
    };
    let mut commits: Vec<(String, Vec<String>)> = Vec::new();
    let events = report.default_events.iter().filter(|e| e.is_met() && !e.counts());
    for event in events.filter(|e| !beside.contains(&e.scope.as_str())).filter(open) {
        let says = match (&event.old, &event.new) {
            (_, Some(new)) => format!("{} is new ({})", event.knob, text::cut(new, WIDTH)),
            (Some(old), None) => format!("{} is gone (was {})", event.knob, text::cut(old, WIDTH)),
            (None, None) => continue,
        };
        let of = format!("{} {}", event.upstream, event.sha.short());
        match commits.iter_mut().find(|(known, _)| *known == of) {
            Some((_, all)) if all.contains(&says) => {}
            Some((_, all)) => all.push(says),
            None => commits.push((of, vec![says])),
        }
    }
    commits.into_iter().map(|(of, all)| format!("{} ({of})", cut(&all))).collect()
}

/// The first of some words, and how many more there are.
fn cut(all: &[String]) -> String {
    const NAMES: usize = 6;
    let first = all.iter().take(NAMES).map(String::as_str).collect::<Vec<_>>().join(", ");
    match all.len().saturating_sub(NAMES) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

/// The same as a table, on a page that is served.
fn table(groups: &[Vec<&DefaultEvent>]) -> Markup {
    let head = ["knob", "old", "new", "back with", "decided in", "commit", "grade"];
    let row = |group: &Vec<&DefaultEvent>| {
        let event = group.first()?;
        let fields = [("upstream", event.upstream.as_str()), ("knob", event.knob.as_str())];
        let ways = ways(group);
        Some(html! {
            td.name { a href=(links::to("/ledger", fields)) { (one_line(&event.knob)) } }
            td.value { (html::value(event.old.as_deref())) }
            td.value { (html::value(event.new.as_deref())) }
            td.back {
                @if ways.is_empty() { span.dim { "nothing known" } }
                @for way in ways { div { (one_line(&way)) } }
            }
            td { (event.scope) " " span.path { (one_line(&event.path)) ":" (event.line) } }
            td { a.sha href=(links::commit(&event.upstream, &event.sha.to_string())) { (event.sha.short()) } }
            td { (event.grade.as_str()) }
        })
    };
    html::table("Defaults that moved", &head, &groups.iter().filter_map(row).collect::<Vec<_>>())
}

/// How the old value comes back, each way once.
fn ways(group: &[&DefaultEvent]) -> Vec<String> {
    let mut told: Vec<String> = Vec::new();
    for way in group.iter().flat_map(|event| &event.restore) {
        let way = way.to_string();
        if !told.contains(&way) {
            told.push(way);
        }
    }
    told
}

fn one_default(page: &mut Page<'_>, group: &[&DefaultEvent], report: &WhyReport) {
    let Some((event, others)) = group.split_first() else { return };
    if !page.is_served() {
        moved(page, group, event, others);
    }
    beside(page, group, event, report);
}

fn moved(
    page: &mut Page<'_>,
    group: &[&DefaultEvent],
    event: &DefaultEvent,
    others: &[&DefaultEvent],
) {
    let mut line = format!(
        "{} {}: {} → {}  ({}, {} {}:{}, grade {})",
        event.upstream,
        event.knob,
        event.old.as_deref().unwrap_or_default(),
        event.new.as_deref().unwrap_or_default(),
        event.scope,
        event.sha.short(),
        event.path,
        event.line,
        event.grade
    );
    let ways = ways(group);
    if ways.is_empty() && event.scope != "docs" {
        line.push_str("; no way back is known");
    }
    let line = page.safe(&line);
    page.item(0, &line);
    if !others.is_empty() {
        let places: Vec<String> = others.iter().map(|e| format!("{}:{}", e.path, e.line)).collect();
        let also = page.safe(&format!("also in {}", places.join(", ")));
        page.item(1, &also);
    }
    if !ways.is_empty() {
        let line = page.safe(&format!("old behaviour: {}", ways.join("; ")));
        page.item(1, &line);
    }
}

/// What is said against it, and what it comes to on the device in question.
fn beside(page: &mut Page<'_>, group: &[&DefaultEvent], event: &DefaultEvent, report: &WhyReport) {
    let named = if page.is_served() { format!("{}: ", event.knob) } else { String::new() };
    for one in super::said::disputing(report, &event.knob) {
        let line = format!(
            "{named}disputed: {}#{} ({}) {} (grade {})",
            one.upstream, one.number, one.state, one.title, one.grade
        );
        page.say(1, &line);
    }
    if let Some(device) = group.iter().find_map(|e| e.on_device.as_ref()) {
        let same = if device.unchanged { "as before" } else { "a change" };
        let words = page.safe(&format!(
            "{named}on {}: {}, {same}: {} (lines as of {})",
            device.device,
            device.becomes,
            device.why,
            event.sha.short()
        ));
        page.item(1, &words);
        for evidence in &device.evidence {
            let shown = evidence_line(page, evidence);
            page.item(2, &shown);
        }
    }
}
