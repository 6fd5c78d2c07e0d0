//! What people wrote of a window: upstream's notes, what others report, advisories.

use headwater_queries::said::{AdvisorySaid, Affected, NoteLine, ReleaseSaid, ReportSaid};
use headwater_queries::why::{Said, Silent, WhyReport};

use crate::render::page::Page;

/// At most so many lines of one release's notes are shown; JSON has them all.
const LINES: usize = 8;
/// At most so many reports.
const REPORTS: usize = 6;

/// Everything that was written, as far as it matters to the window.
pub(super) fn all(page: &mut Page<'_>, report: &WhyReport) {
    let said = &report.said;
    if !said.releases.is_empty() {
        page.heading("What upstream says", "lines of its notes that name a change of the window, or speak of speed, defaults, sampling or hardware");
        for release in &said.releases {
            one_release(page, release);
        }
        if let Some(silent) = &said.silent {
            not_mentioned(page, silent);
        }
    }
    figures(page, said);
    others(page, said);
    let about: Vec<&AdvisorySaid> = said
        .advisories
        .iter()
        .filter(|one| one.versions.iter().any(|v| v.affected != Affected::No))
        .collect();
    if !about.is_empty() {
        page.heading("Security advisories", "");
        for one in about {
            advisory(page, one);
        }
    }
    if !said.unasked.is_empty() {
        page.heading("Not asked for", "nothing is claimed of it");
        let mut told: Vec<&str> = Vec::new();
        for one in &said.unasked {
            if told.contains(&one.command.as_str()) {
                continue;
            }
            told.push(&one.command);
            let same = said.unasked.iter().filter(|other| other.command == one.command);
            let what: Vec<&str> = same.map(|other| other.what.as_str()).collect();
            page.say(0, &what.join("; "));
            page.command(1, &one.command);
        }
    }
}

fn one_release(page: &mut Page<'_>, release: &ReleaseSaid) {
    let published = release.published.map_or_else(
        || "the host tells no date".to_owned(),
        |at| format!("released {}", at.format("%Y-%m-%d %H:%M UTC")),
    );
    let seen = match release.feed_agrees {
        Some(true) => ", the feed says the same",
        Some(false) => ", the feed says otherwise",
        None => "",
    };
    let edited = match release.versions {
        0 | 1 => String::new(),
        n => format!(", edited: {n} versions seen"),
    };
    page.say(
        0,
        &format!(
            "{} {}: {published}, commit of {}; grade {}{seen}{edited}",
            release.upstream,
            release.tag,
            release.tagged.format("%Y-%m-%d %H:%M UTC"),
            release.grade
        ),
    );
    if let Some(differs) = release.range.as_ref().and_then(|range| range.differs.as_ref()) {
        page.say(1, &format!("its notes are not about this window alone: {differs}"));
    }
    let telling: Vec<&NoteLine> = release
        .lines
        .iter()
        .filter(|line| !line.about.is_empty() || !line.names.is_empty())
        .collect();
    for line in telling.iter().take(LINES) {
        let mut facts = line.about.clone();
        facts.extend(
            line.names
                .iter()
                .map(|named| format!("{} {} by {}", named.upstream, named.sha.short(), named.by)),
        );
        let facts = page.safe(&format!("[{}]", facts.join("; ")));
        let facts = page.dim(&facts);
        let text: String = line.text.chars().take(240).collect();
        let text = page.safe(&text);
        page.item(1, &format!("“{text}” {facts}"));
    }
    match (telling.len(), release.lines.len() - telling.len()) {
        (shown, _) if shown > LINES => {
            page.item(1, &format!("{} more such lines", shown - LINES));
        }
        (0, 0) => page.item(1, "no notes"),
        (0, n) => page.item(1, &format!("none of its {n} lines does")),
        _ => {}
    }
}

fn not_mentioned(page: &mut Page<'_>, silent: &Silent) {
    if silent.commits.is_empty() {
        return;
    }
    let mut line = format!(
        "Silent: {} of {} new commits are named by no line of the notes of {} (grade {})",
        silent.commits.len(),
        silent.commits.len() + silent.named,
        silent.notes_of.join(", "),
        silent.grade
    );
    if !silent.lacking.is_empty() {
        line.push_str(&format!("; the notes of {} are not stored", silent.lacking.join(", ")));
    }
    page.say(0, &line);
    // What moves a default and is not told is news.
    for one in silent.commits.iter().filter(|one| one.moves_default) {
        page.say(1, &format!("moves a default: {} {}", one.sha.short(), one.subject));
    }
    let rest: Vec<String> =
        silent.commits.iter().filter(|one| !one.moves_default).map(|one| one.sha.short()).collect();
    if !rest.is_empty() {
        page.say(1, &rest.join(" "));
    }
    let unknown = silent.commits.iter().filter(|one| one.pull_unknown).count();
    if unknown > 0 {
        page.item(
            1,
            &format!(
                "of {unknown} the pull request is not known: a line may name them by its number"
            ),
        );
    }
}

/// What authors state about their own machines.
fn figures(page: &mut Page<'_>, said: &Said) {
    let with: Vec<_> = said.pulls.iter().filter(|pull| !pull.figures.is_empty()).collect();
    if with.is_empty() {
        return;
    }
    page.heading("What authors measured", "on their machines, not on yours; grade third-party");
    for pull in with {
        let hardware = match pull.hardware.is_empty() {
            true => "hardware not told".to_owned(),
            false => pull.hardware.join(", "),
        };
        page.say(
            0,
            &format!(
                "{}#{} ({}), {hardware}: {}",
                pull.upstream,
                pull.number,
                pull.sha.short(),
                pull.title
            ),
        );
        for line in pull.figures.iter().take(3) {
            let short: String = line.chars().take(200).collect();
            page.say(1, &format!("“{short}”"));
        }
    }
}

fn others(page: &mut Page<'_>, said: &Said) {
    if said.reports.is_empty() {
        return;
    }
    page.heading("What others report", "their words; grade third-party");
    for report in said.reports.iter().take(REPORTS) {
        one_report(page, report);
    }
    if said.reports.len() > REPORTS {
        page.item(0, &format!("{} more (--format json has them)", said.reports.len() - REPORTS));
    }
}

fn one_report(page: &mut Page<'_>, report: &ReportSaid) {
    let opened =
        report.opened.map_or_else(String::new, |at| format!(", {}", at.format("%Y-%m-%d")));
    page.say(
        0,
        &format!(
            "{}#{} ({} {}{opened}) {}  {}",
            report.upstream,
            report.number,
            report.state,
            report.kind.as_str(),
            report.title,
            report.url
        ),
    );
    let mut names: Vec<String> = report.versions.clone();
    names.extend(report.names.iter().map(|n| format!("{} by {}", n.sha.short(), n.by)));
    let sentence: String = report.sentence.chars().take(240).collect();
    page.say(1, &format!("“{sentence}” [{}]", names.join("; ")));
    if let Some(knob) = &report.disputes {
        page.say(1, &format!("disputes the default of {knob}"));
    }
    for checked in &report.checked {
        page.say(1, &format!("that {}: {} (grade {})", checked.claim, checked.told, checked.grade));
    }
}

/// An advisory and what it means for the versions in question.
pub fn advisory(page: &mut Page<'_>, one: &AdvisorySaid) {
    let versions: Vec<String> = one
        .versions
        .iter()
        .map(|v| format!("{} {}: {}", v.role, v.version, v.affected.as_str()))
        .collect();
    page.say(
        0,
        &format!(
            "{} {} ({}) {}: {}; {}  {}",
            one.upstream,
            one.id,
            one.severity.as_deref().unwrap_or("severity not told"),
            one.summary,
            one.ranges.join(" or "),
            versions.join(", "),
            one.url
        ),
    );
}

/// The open reports that dispute a knob's default.
pub(super) fn disputing<'a>(report: &'a WhyReport, knob: &str) -> Vec<&'a ReportSaid> {
    report.said.reports.iter().filter(|one| one.disputes.as_deref() == Some(knob)).collect()
}
