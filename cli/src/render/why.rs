//! A window report for a screen, and as Markdown.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use headwater_queries::why::{
    Candidate, DefaultEvent, NestedWindow, Verdict, WhyReport, WindowReport,
};
use headwater_store::evidence::Evidence;

use super::text;
use crate::args::Format;

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const STRONG: Style = AnsiColor::Green.on_default().bold();

/// What is printed where; one walk over the report serves terminal and Markdown.
struct Page {
    md: bool,
    out: String,
}

impl Page {
    fn safe(&self, stranger: &str) -> String {
        if self.md { text::markdown(stranger) } else { text::one_line(stranger) }
    }

    fn heading(&mut self, words: &str) {
        let line = match self.md {
            true => format!("\n### {words}\n"),
            false => format!("\n{BOLD}{words}{BOLD:#}"),
        };
        self.line(&line);
    }

    fn line(&mut self, line: &str) {
        self.out.push_str(line);
        self.out.push('\n');
    }

    fn item(&mut self, depth: usize, line: &str) {
        let indent = "  ".repeat(depth);
        let mark = if self.md { "- " } else { "" };
        self.line(&format!("{indent}{mark}{line}"));
    }

    fn command(&mut self, depth: usize, command: &str) {
        let command = text::one_line(command);
        match self.md {
            true => self.item(depth, &format!("`{}`", command.replace('`', "'"))),
            false => self.item(depth, &format!("{DIM}$ {command}{DIM:#}")),
        }
    }
}

/// The report, its first `top` candidates in full and the rest counted.
pub fn screen(report: &WhyReport, top: usize, format: Format) -> String {
    let mut page = Page { md: format == Format::Md, out: String::new() };
    let headline = page.safe(&report.headline);
    match page.md {
        true => page.line(&format!("**{headline}**")),
        false => page.line(&format!("{STRONG}{headline}{STRONG:#}")),
    }
    page.heading("Window");
    window(&mut page, &report.window);
    for nested in &report.nested {
        nested_window(&mut page, nested);
    }
    page.heading("Candidates");
    let open: Vec<&Candidate> = report
        .candidates
        .iter()
        .filter(|c| matches!(c.verdict, Verdict::Candidate | Verdict::ConfirmedByToggle))
        .collect();
    for candidate in open.iter().take(top) {
        one_candidate(&mut page, candidate);
    }
    if open.len() > top {
        page.item(
            0,
            &format!("{} more that are not ruled out: --top {}", open.len() - top, open.len()),
        );
    }
    ruled_out(&mut page, report);
    defaults(&mut page, &report.default_events);
    effective(&mut page, report);
    absences(&mut page, report);
    if !report.open.is_empty() {
        page.heading("Open");
        for question in &report.open {
            let words = page.safe(&question.question);
            page.item(0, &words);
            for command in &question.rederive {
                page.command(1, command);
            }
        }
    }
    page.heading("Ask again");
    page.command(0, &report.question);
    page.out
}

fn window(page: &mut Page, window: &WindowReport) {
    let name = format!("{} {}..{}", window.upstream, window.base, window.head);
    let diverged = match window.behind {
        0 => String::new(),
        n => format!("; diverged: {n} commits of {} are not in it", window.base),
    };
    let line = format!(
        "{name}: commits {}, already shipped {}, new {}{diverged}",
        window.commits, window.already_shipped, window.new
    );
    let line = page.safe(&line);
    page.item(0, &line);
    for note in &window.notes {
        let note = page.safe(note);
        page.item(1, &note);
    }
    let coverage = &window.coverage;
    let line = format!(
        "stored {} of {} commits, {} patches complete, {} gaps",
        coverage.commits_stored(),
        coverage.commits_reported(),
        coverage.patches_complete(),
        coverage.gaps().len()
    );
    page.item(1, &line);
}

fn nested_window(page: &mut Page, nested: &NestedWindow) {
    let moved = nested.moved_by.map_or_else(String::new, |sha| format!(" by {}", sha.short()));
    let ends = format!(
        "{} → {}",
        nested.pin_base.as_deref().unwrap_or("none"),
        nested.pin_head.as_deref().unwrap_or("none")
    );
    let line = page.safe(&format!("pin {} {ends}{moved}", nested.pin));
    page.item(0, &line);
    match (&nested.window, &nested.gap) {
        (Some(inner), _) => window(page, inner),
        (None, gap) => {
            let why = gap.as_deref().unwrap_or("not known");
            let line = page.safe(&format!("its window is a gap: {why}"));
            page.item(1, &line);
        }
    }
}

fn one_candidate(page: &mut Page, candidate: &Candidate) {
    let mut classes: Vec<&str> = candidate.classes.iter().map(|c| c.class.as_str()).collect();
    classes.dedup();
    let classes = match classes.is_empty() {
        true => String::new(),
        false => format!("  [{}]", classes.join(", ")),
    };
    let tag = candidate.first_final_tag.as_deref().or(candidate.first_tag.as_deref());
    let tag = tag.map_or_else(String::new, |tag| format!(" {tag}"));
    let subject = page.safe(&candidate.subject);
    let head = format!(
        "{:>2}. {} {}{tag} {}",
        candidate.rank,
        candidate.upstream,
        candidate.sha.short(),
        candidate.date.format("%Y-%m-%d")
    );
    let line = match page.md {
        true => format!("**{}** {subject}{classes}", page.safe(&head)),
        false => format!("{BOLD}{head}{BOLD:#}  {subject}{DIM}{classes}{DIM:#}"),
    };
    page.item(0, &line);
    for reason in candidate.reasons.iter().filter(|r| r.points.abs() >= 0.05).take(4) {
        let words = page.safe(&reason.words);
        page.item(2, &format!("{:+.1} {words}", reason.points));
        for evidence in reason.evidence.iter().take(2) {
            let shown = shown_evidence(page, evidence);
            page.item(4, &shown);
        }
    }
    let shown = candidate.classes.iter().filter(|c| !c.evidence.is_empty()).take(2);
    for class in shown {
        let lines: Vec<String> =
            class.evidence.iter().take(1).map(|line| shown_evidence(page, line)).collect();
        page.item(2, &format!("{} by rule {}: {}", class.class, class.rule, lines.join("; ")));
    }
}

fn shown_evidence(page: &Page, evidence: &Evidence) -> String {
    let side = match evidence.side() {
        Some(headwater_store::model::Side::Removed) => "-",
        Some(headwater_store::model::Side::Added) => "+",
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
    let line = format!("{}{text}", page.safe(&place));
    if page.md { line } else { format!("{DIM}{line}{DIM:#}") }
}

fn ruled_out(page: &mut Page, report: &WhyReport) {
    let out: Vec<&Candidate> = report
        .candidates
        .iter()
        .filter(|c| !matches!(c.verdict, Verdict::Candidate | Verdict::ConfirmedByToggle))
        .collect();
    if out.is_empty() {
        return;
    }
    let counts: Vec<String> = report
        .verdicts
        .iter()
        .filter(|(verdict, _)| *verdict != Verdict::Candidate)
        .map(|(verdict, count)| format!("{count} {}", verdict.as_str()))
        .collect();
    page.heading(&format!("Ruled out: {}", counts.join(", ")));
    for candidate in out.iter().take(20) {
        let why = candidate.verdict_reason.as_deref().unwrap_or_default();
        let line = page.safe(&format!(
            "{} {} {}: {} ({why})",
            candidate.upstream,
            candidate.sha.short(),
            candidate.verdict.as_str(),
            short(&candidate.subject, 60)
        ));
        page.item(0, &line);
    }
    if out.len() > 20 {
        page.item(0, &format!("{} more, in --format json", out.len() - 20));
    }
}

fn short(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or(text)),
        None => text.to_owned(),
    }
}

/// Grouped by commit and knob: a default can stand in several places, and the first of
/// them speaks for the rest.
fn defaults(page: &mut Page, events: &[DefaultEvent]) {
    let moved = events.iter().filter(|e| e.old.is_some() && e.new.is_some());
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
    page.heading("Defaults that moved");
    for mut group in groups {
        group.sort_by_key(|e| (e.scope == "docs", e.scope == "cli-help", e.scope == "bench"));
        one_default(page, &group);
    }
}

/// The last part of a knob's name, without signs: `--load-mode` and `params.load_mode`.
fn spelling(knob: &str) -> String {
    let last = knob.rsplit('.').next().unwrap_or(knob);
    last.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

fn one_default(page: &mut Page, group: &[&DefaultEvent]) {
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
    let ways: Vec<&String> = group.iter().flat_map(|e| &e.restore).collect();
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
    let mut told: Vec<&str> = Vec::new();
    for way in ways {
        if !told.contains(&way.as_str()) {
            told.push(way);
            let way = page.safe(&format!("old behaviour: {way}"));
            page.item(1, &way);
        }
    }
    if let Some(device) = group.iter().find_map(|e| e.on_device.as_ref()) {
        let same = if device.unchanged { "as before" } else { "a change" };
        let words =
            page.safe(&format!("on {}: {}, {same}: {}", device.device, device.becomes, device.why));
        page.item(1, &words);
        for evidence in &device.evidence {
            let shown = shown_evidence(page, evidence);
            page.item(2, &shown);
        }
    }
}

fn effective(page: &mut Page, report: &WhyReport) {
    if report.effective.is_empty() {
        return;
    }
    page.heading("What a request that sets nothing runs with");
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

fn absences(page: &mut Page, report: &WhyReport) {
    if report.absences.is_empty() {
        return;
    }
    page.heading("Looked for and not found");
    for absence in &report.absences {
        let coverage = absence.coverage();
        let mut line = String::new();
        let _ = write!(
            line,
            "{} (grade {}; {} of {} commits, {} patches complete)",
            absence.claim(),
            absence.grade(),
            coverage.commits_stored(),
            coverage.commits_reported(),
            coverage.patches_complete()
        );
        let line = page.safe(&line);
        page.item(0, &line);
        for gap in coverage.gaps() {
            let gap = page.safe(&format!("gap {}: {}", gap.kind, gap.detail));
            page.item(1, &gap);
        }
        // The first suffices on a screen; all are in JSON.
        for command in absence.rederive().iter().take(if page.md { 3 } else { 1 }) {
            page.command(1, command);
        }
    }
}
