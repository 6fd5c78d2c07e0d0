//! The ranked candidates, and the lines that show what is said of them.

use std::collections::HashSet;

use headwater_queries::why::{Candidate, PullSource};
use headwater_store::evidence::Evidence;
use headwater_store::model::Side;
use maud::html;

use crate::render::links;
use crate::render::page::Page;

/// Reasons with fewer points than this are not worth a line beside larger ones.
const WORTH_A_LINE: f64 = 0.25;

/// A candidate with its score, its largest reasons, and the lines that show them.
pub(super) fn one(page: &mut Page<'_>, candidate: &Candidate) {
    let mut classes: Vec<&str> = candidate.classes.iter().map(|c| c.class.as_str()).collect();
    classes.dedup();
    let classes = match classes.is_empty() {
        true => String::new(),
        false => format!("  [{}]", classes.join(", ")),
    };
    let tag = candidate.first_final_tag.as_deref().or(candidate.first_tag.as_deref());
    let tag = tag.map_or_else(String::new, |tag| format!(" {tag}"));
    let head = page.safe(&format!(
        "{:>2}. {} {}{tag}",
        candidate.rank,
        candidate.upstream,
        candidate.sha.short()
    ));
    let (head, subject) = (page.bold(&head), page.safe(&candidate.subject));
    let (pull, after) = match (candidate.pull_source, candidate.pr) {
        (PullSource::LookedUp, Some(number)) => (page.safe(&format!(" (#{number})")), ""),
        (PullSource::NotLookedUp, _) => (String::new(), ", pull request not looked up"),
        _ => (String::new(), ""),
    };
    let facts = page.dim(&format!(
        "{}{after}  score {:.1}{classes}",
        candidate.date.format("%Y-%m-%d"),
        candidate.score
    ));
    page.item(0, &format!("{head} {subject}{pull}  {facts}"));
    if !candidate.reaches.is_empty() {
        page.say(2, &format!("may reach {}", candidate.reaches.join(", ")));
    }
    let mut shown = HashSet::new();
    let mut rest = candidate.score;
    for (at, reason) in candidate.reasons.iter().take(6).enumerate() {
        if at > 0 && reason.points.abs() < WORTH_A_LINE {
            continue;
        }
        rest -= reason.points;
        let words = page.safe(&reason.words);
        page.item(2, &format!("{:+.1} {words}", reason.points));
        for evidence in reason.evidence.iter().take(2) {
            shown.insert((evidence.path(), evidence.line()));
            let line = evidence_line(page, evidence);
            page.item(4, &line);
        }
    }
    if rest.abs() >= 0.05 {
        page.item(2, &format!("{rest:+.1} in smaller reasons"));
    }
    // A line that was shown already says nothing new under its class.
    let lines = candidate.classes.iter().filter_map(|class| {
        class
            .evidence
            .iter()
            .find(|line| !shown.contains(&(line.path(), line.line())))
            .map(|line| (class, line))
    });
    for (class, line) in lines.take(2) {
        let line = evidence_line(page, line);
        page.item(2, &format!("{} by rule {}: {line}", class.class, class.rule));
    }
    patch(page, candidate);
}

/// On a page that is served: the patch, with the lines of the reasons marked. A script puts
/// it in place; without one it is a page of its own.
fn patch(page: &mut Page<'_>, candidate: &Candidate) {
    if !page.is_served() {
        return;
    }
    let lines = candidate.reasons.iter().flat_map(|reason| &reason.evidence);
    let marks: Vec<String> =
        lines.filter_map(|one| Some(format!("{}:{}", one.path()?, one.line()?))).take(20).collect();
    let sha = candidate.sha.to_string();
    let mut fields = vec![("upstream", candidate.upstream.as_str()), ("sha", sha.as_str())];
    fields.extend(marks.iter().map(|mark| ("mark", mark.as_str())));
    let href = links::to("/commit", fields);
    let opened = html! {
        details.patch-of data-part=(href) {
            summary { "Patch" }
            a href=(href) { "The commit's page" }
        }
    };
    page.raw_html(&opened.into_string());
}

/// The place and the text of a line that shows something.
pub(super) fn evidence_line(page: &Page<'_>, evidence: &Evidence) -> String {
    let side = match evidence.side() {
        Some(Side::Removed) => "-",
        Some(Side::Added) => "+",
        _ => "",
    };
    let place = match (evidence.path(), evidence.line()) {
        (Some(path), Some(line)) => format!("{path}:{line}"),
        (Some(path), None) => path.to_owned(),
        (None, _) => evidence.sha().short(),
    };
    let text = evidence.text().map_or_else(String::new, |text| {
        let short: String = text.trim().chars().take(100).collect();
        format!(" {side}{}", page.safe(&short))
    });
    page.dim(&format!("{}{text}", page.safe(&place)))
}
