//! What lies beside a window, and how to look through what is left of it by building.

use headwater_queries::why::{Side, WhyReport};

use crate::render::page::Page;

/// The strongest candidates of the neighbouring releases.
pub(super) fn outside(page: &mut Page<'_>, report: &WhyReport) {
    if report.outside.is_empty() {
        return;
    }
    page.heading("Just outside", "windows are often reported off by one release");
    for beside in &report.outside {
        let which = match beside.side {
            Side::Before => "before",
            Side::After => "after",
        };
        let commits = match beside.commits {
            1 => "1 commit".to_owned(),
            n => format!("{n} commits"),
        };
        let window = format!("{} {}..{}", beside.upstream, beside.base, beside.head);
        if beside.candidates.is_empty() {
            let line = page.safe(&format!(
                "{which}: {window}: none of {commits} speaks for itself as the window's first do"
            ));
            page.item(0, &line);
            continue;
        }
        let line = page.safe(&format!("{which}: {window} ({commits})"));
        page.item(0, &line);
        for candidate in &beside.candidates {
            let reason = candidate.reasons.first().map_or("", |reason| reason.words.as_str());
            let line = page.safe(&format!(
                "{} {} {}  score {:.1}: {reason}",
                candidate.upstream,
                candidate.sha.short(),
                candidate.subject,
                candidate.score
            ));
            page.item(1, &line);
        }
    }
}

/// The commands that bisect what is left.
pub(super) fn bisect(page: &mut Page<'_>, report: &WhyReport) {
    if report.bisect.is_empty() {
        return;
    }
    page.heading("Bisect", "when reading does not settle it: about so many builds, each tried");
    for one in &report.bisect {
        let line = page.safe(&format!(
            "{}: {} changes are not ruled out; {} commits touch their files, about {} builds",
            one.upstream, one.left, one.tested, one.steps
        ));
        page.item(0, &line);
        page.command(1, &one.command);
        for build in &one.to_try {
            page.say(
                1,
                &format!(
                    "{} can be downloaded ({} files): {} of these changes are in it, {} come after",
                    build.tag, build.files, build.before, build.after
                ),
            );
        }
    }
}
