//! What was looked for and not found, each with its grade, its coverage and the command
//! that derives it anew.

use headwater_queries::why::WhyReport;
use headwater_store::evidence::Coverage;

use crate::render::page::Page;

pub(super) fn all(page: &mut Page<'_>, report: &WhyReport) {
    if report.absences.is_empty() {
        return;
    }
    page.heading("Looked for and not found", "");
    for absence in &report.absences {
        let coverage = absence.coverage();
        let line =
            format!("{} (grade {}; {})", absence.claim(), absence.grade(), covered(coverage));
        let line = page.safe(&line);
        page.item(0, &line);
        for gap in coverage.gaps() {
            let gap = page.safe(&format!("gap {}: {}", gap.kind, gap.detail));
            page.item(1, &gap);
        }
        // The first suffices on a screen; all are in JSON.
        for command in absence.rederive().iter().take(if page.is_pasted() { 3 } else { 1 }) {
            page.command(1, command);
        }
    }
}

/// What a claim was checked against, in a few words.
pub(super) fn covered(coverage: &Coverage) -> String {
    let gaps = match coverage.gaps().len() {
        0 => "no gap".to_owned(),
        1 => "1 gap".to_owned(),
        n => format!("{n} gaps"),
    };
    format!(
        "stored {} of {} commits, {gaps}",
        coverage.commits_stored(),
        coverage.commits_reported()
    )
}
