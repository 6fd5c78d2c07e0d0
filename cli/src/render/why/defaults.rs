//! The defaults that moved, and how to get the old values back.

use headwater_queries::why::{DefaultEvent, WhyReport};

use super::candidates::evidence_line;
use crate::render::page::Page;

/// Grouped by commit and knob: a default can stand in several places, and the first of
/// them speaks for the rest.
pub(super) fn all(page: &mut Page<'_>, report: &WhyReport) {
    let moved = report.default_events.iter().filter(|e| e.old.is_some() && e.new.is_some());
    let mut groups: Vec<Vec<&DefaultEvent>> = Vec::new();
    for event in moved {
        let key = |e: &DefaultEvent| (e.sha, spelling(&e.knob));
        match groups.iter_mut().find(|group| group.first().is_some_and(|e| key(e) == key(event))) {
            Some(group) => group.push(event),
            None => groups.push(vec![event]),
        }
    }
    if groups.is_empty() {
        return;
    }
    page.heading("Defaults that moved", "old → new (where it is decided, by which commit)");
    for mut group in groups {
        group.sort_by_key(|e| (e.scope == "docs", e.scope == "cli-help", e.scope == "bench"));
        one_default(page, &group, report);
    }
}

/// The last part of a knob's name, without signs: `--load-mode` and `params.load_mode`.
fn spelling(knob: &str) -> String {
    let last = knob.rsplit('.').next().unwrap_or(knob);
    last.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

fn one_default(page: &mut Page<'_>, group: &[&DefaultEvent], report: &WhyReport) {
    let Some((event, others)) = group.split_first() else { return };
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
    let ways: Vec<String> = group
        .iter()
        .flat_map(|e| &e.restore)
        .map(|way| format!("{}: {}", way.consumer, way.text))
        .collect();
    if ways.is_empty() && event.scope != "docs" {
        line.push_str("; no setting brings the old value back");
    }
    let line = page.safe(&line);
    page.item(0, &line);
    if !others.is_empty() {
        let places: Vec<String> = others.iter().map(|e| format!("{}:{}", e.path, e.line)).collect();
        let also = page.safe(&format!("also in {}", places.join(", ")));
        page.item(1, &also);
    }
    let mut told: Vec<&String> = Vec::new();
    for way in &ways {
        if !told.contains(&way) {
            told.push(way);
        }
    }
    if !told.is_empty() {
        let ways: Vec<&str> = told.iter().map(|way| way.as_str()).collect();
        let line = page.safe(&format!("old behaviour: {}", ways.join("; ")));
        page.item(1, &line);
    }
    for one in super::said::disputing(report, &event.knob) {
        let line = format!(
            "disputed: {}#{} ({}) {} (grade {})",
            one.upstream, one.number, one.state, one.title, one.grade
        );
        page.say(1, &line);
    }
    if let Some(device) = group.iter().find_map(|e| e.on_device.as_ref()) {
        let same = if device.unchanged { "as before" } else { "a change" };
        let words = page.safe(&format!(
            "on {}: {}, {same}: {} (lines as of {})",
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
