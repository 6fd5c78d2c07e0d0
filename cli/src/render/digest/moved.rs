//! The defaults that moved: each with its way back, those of one change together, and
//! what came to nothing at the end.

use headwater_queries::digest::{DefaultMoved, Digest};
use headwater_store::Oid;

use super::corrected;
use crate::render::page::Page;
use crate::render::pair::both;

/// Scopes that a request meets.
const OF_REQUESTS: [&str; 3] = ["request-option", "sampling", "context"];
/// So many defaults of one commit that no request meets are told in one entry.
const TOGETHER: usize = 3;
/// How long a value may be on a line.
const WIDE: usize = 60;
/// How long it may be where there are several.
const NARROW: usize = 24;

pub(super) fn all(page: &mut Page<'_>, digest: &Digest) {
    let mut told: Vec<(Oid, &str)> = Vec::new();
    for one in digest.moved() {
        let of_change = |other: &&DefaultMoved| other.sha == one.sha && other.scope == one.scope;
        let change: Vec<&DefaultMoved> = digest.moved().filter(of_change).collect();
        if change.len() < TOGETHER || OF_REQUESTS.contains(&one.scope.as_str()) {
            single(page, one, digest);
        } else if !told.contains(&(one.sha, &one.scope)) {
            told.push((one.sha, &one.scope));
            together(page, one, &change, digest);
        }
    }
    for one in digest.defaults.iter().filter(|one| one.undone) {
        let (old, new) = both(&one.old, &one.new, NARROW);
        let back = match one.moved_on {
            Some(sha) => format!("moved on by {}", sha.short()),
            None => "back to what it was".to_owned(),
        };
        page.say(
            0,
            &format!(
                "came to nothing: {} {} {old} → {new} ({} of {}, {back})",
                one.upstream,
                one.knob,
                one.sha.short(),
                one.date.format("%Y-%m-%d")
            ),
        );
        corrected(page, &one.id, digest);
    }
}

fn single(page: &mut Page<'_>, one: &DefaultMoved, digest: &Digest) {
    let (old, new) = both(&one.old, &one.new, WIDE);
    let head = page.safe(&format!("{} {}: {old} → {new}", one.upstream, one.knob));
    let head = page.bold(&head);
    let facts = page.safe(&format!(
        "({}, {} of {}, {}:{}, {}, grade {})",
        one.scope,
        one.sha.short(),
        one.date.format("%Y-%m-%d"),
        one.path,
        one.line,
        shipped(one),
        one.grade
    ));
    page.item(0, &format!("{head}  {facts}"));
    // What no release had cannot be what somebody wants back from.
    if !one.restore.is_empty() && one.moved_on.is_none() {
        let ways: Vec<String> = one.restore.iter().map(ToString::to_string).collect();
        page.say(1, &format!("old behaviour: {}", ways.join("; ")));
    }
    let of_requests = OF_REQUESTS.contains(&one.scope.as_str());
    if one.models > 0 && (of_requests || !one.reaches.is_empty()) {
        let reached = match one.reaches.len() {
            0 => format!("none of {} stored models", one.models),
            _ => one.reaches.join(", "),
        };
        let unless = one.unless.iter().map(|words| format!(" ({words})")).collect::<String>();
        page.say(1, &format!("reaches {reached}{unless}"));
    }
    corrected(page, &one.id, digest);
}

/// Many defaults of one change.
fn together(page: &mut Page<'_>, one: &DefaultMoved, all: &[&DefaultMoved], digest: &Digest) {
    let value = |one: &&DefaultMoved| {
        let (old, new) = both(&one.old, &one.new, NARROW);
        format!("{} {old} → {new}", one.knob)
    };
    let values: Vec<String> = all.iter().map(value).collect();
    let head = page.safe(&format!("{} {}: {}", one.upstream, one.scope, values.join("; ")));
    let head = page.bold(&head);
    let facts = page.safe(&format!(
        "({} of {}: {}; {}, grade {})",
        one.sha.short(),
        one.date.format("%Y-%m-%d"),
        one.subject,
        shipped(one),
        one.grade
    ));
    page.item(0, &format!("{head}  {facts}"));
    for one in all {
        corrected(page, &one.id, digest);
    }
}

/// The release that shipped a move first, in words.
pub fn shipped(one: &DefaultMoved) -> String {
    match (&one.first_shipped, one.moved_on) {
        (Some(tag), _) => format!("first in {tag}"),
        (None, Some(sha)) => format!("in no release: moved on by {}", sha.short()),
        (None, None) => "in no release by then".to_owned(),
    }
}
