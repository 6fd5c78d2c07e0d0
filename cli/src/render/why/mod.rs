//! A window report for a screen, and as Markdown.

mod absences;
mod beside;
mod candidates;
mod defaults;
mod ruled_out;
mod said;

pub use said::advisory;

use headwater_queries::public::Scrub;
use headwater_queries::why::{Candidate, NestedWindow, OpenQuestion, WhyReport, WindowReport};

use crate::args::Format;
use crate::render::links::Pages;
use crate::render::measure;
use crate::render::page::Page;

/// The report, its first `top` candidates in full and the rest counted.
pub fn screen(report: &WhyReport, top: usize, format: Format, scrub: Option<&Scrub>) -> String {
    let mut page = Page::new(format, scrub);
    write(&mut page, report, top);
    page.finish(&report.question)
}

/// The report on a page that is served, with links to the pages beside it.
pub fn served(report: &WhyReport, top: usize, pages: &dyn Pages) -> String {
    let mut page = Page::served(pages);
    write(&mut page, report, top);
    page.part()
}

fn write(page: &mut Page<'_>, report: &WhyReport, top: usize) {
    page.headline(&report.headline);
    if let Some(table) = &report.speeds {
        measure::table(page, table);
    }
    if let Some(mine) = &report.mine {
        page.heading("Your models", "");
        for one in &mine.models {
            page.say(
                0,
                &format!(
                    "{}: parameters that change {}, commits that are not ruled out {}",
                    one.model, one.effective, one.open
                ),
            );
        }
    }
    page.heading("Window", "");
    window(page, &report.window);
    for nested in &report.nested {
        nested_window(page, nested);
    }
    measure::of_window(page, &report.observations, &report.disagreements);
    if report.window.commits == 0 && report.nested.is_empty() {
        // The headline said that it is empty: a window beside it may have been meant.
        beside::outside(page, report);
        return;
    }
    page.heading(
        "Candidates",
        "best explanation first; a reason's points say how much it speaks for the commit",
    );
    let open: Vec<&Candidate> = report.candidates.iter().filter(|c| c.verdict.is_open()).collect();
    for candidate in open.iter().take(top) {
        candidates::one(page, candidate);
    }
    if open.len() > top {
        let rest = format!("{} more are not ruled out:", open.len() - top);
        page.item(0, &rest);
        page.command(1, &format!("{} --top {}", report.question, open.len()));
    }
    beside::outside(page, report);
    defaults::all(page, report);
    effective(page, report);
    said::all(page, report);
    ruled_out::all(page, report);
    absences::all(page, report);
    beside::bisect(page, report);
    open_questions(page, &report.open);
    page.heading("Ask again", "add --format json for everything, md or html to pass it on");
    page.command(0, &report.question);
}

/// What could not be settled, and what would settle it.
pub fn open_questions(page: &mut Page<'_>, all: &[OpenQuestion]) {
    if all.is_empty() {
        return;
    }
    page.heading("Open", "what could not be settled, and what would settle it");
    for question in all {
        page.say(0, &question.question);
        for command in &question.rederive {
            page.command(1, command);
        }
    }
}

fn window(page: &mut Page<'_>, window: &WindowReport) {
    let line = page.safe(&format!(
        "{} {}..{}: commits {}, already shipped {}, new {} ({})",
        window.upstream,
        window.base,
        window.head,
        window.commits,
        window.already_shipped,
        window.new,
        absences::covered(&window.coverage)
    ));
    page.item(0, &line);
    if window.behind > 0 {
        let (count, have) = match window.behind {
            1 => ("1 commit".to_owned(), "is"),
            n => (format!("{n} commits"), "are"),
        };
        let line = page.safe(&format!(
            "diverged: {count} of {} {have} not in {}, so this is no straight line",
            window.base, window.head
        ));
        page.item(1, &line);
    }
    for note in &window.notes {
        let note = page.safe(note);
        page.item(1, &note);
    }
}

fn nested_window(page: &mut Page<'_>, nested: &NestedWindow) {
    let moved = nested.moved_by.map_or_else(String::new, |sha| format!(" by {}", sha.short()));
    let ends = [&nested.pin_base, &nested.pin_head].map(|end| end.as_deref().map_or("none", brief));
    let line = format!("pin {} {} → {}{moved}", nested.pin, ends[0], ends[1]);
    match (&nested.window, &nested.gap) {
        (Some(inner), _) => {
            let line = page.safe(&line);
            page.item(0, &line);
            window(page, inner);
        }
        (None, gap) => {
            let why = gap.as_deref().unwrap_or("not known");
            let line = page.safe(&format!("{line}; what that brings is a gap: {why}"));
            page.item(0, &line);
        }
    }
}

/// A version as it is; a whole commit id by its first digits.
fn brief(value: &str) -> &str {
    let is_id = value.len() == 40 && value.bytes().all(|b| b.is_ascii_hexdigit());
    if is_id { value.get(..9).unwrap_or(value) } else { value }
}

fn effective(page: &mut Page<'_>, report: &WhyReport) {
    if report.effective.is_empty() {
        return;
    }
    page.heading("What a request that sets nothing runs with", "");
    for change in &report.effective {
        let line = page.safe(&format!(
            "{} {}: {} ({}) → {} ({})",
            change.model,
            change.knob,
            change.before.as_deref().unwrap_or("unset"),
            change.source_before,
            change.after.as_deref().unwrap_or("unset"),
            change.source_after
        ));
        page.item(0, &line);
    }
}
