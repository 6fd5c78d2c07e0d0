//! A digest for a screen, as Markdown and as a page.

mod moved;

use headwater_queries::digest::{Correction, Digest, PinMoved, Work};
use headwater_queries::public::Scrub;
use headwater_queries::said::ReleaseSaid;

pub use moved::shipped;

use crate::args::Format;
use crate::render::links::Pages;
use crate::render::machine::short;
use crate::render::page::Page;
use crate::render::{plot, why};

/// At most so many commits of a kind are shown; JSON has them all.
const ROWS: usize = 12;
/// At most so many characters of what became known later.
const WHAT: usize = 160;
/// At most so many lines of one release's notes.
const LINES: usize = 5;

/// The digest as a text of its own.
pub fn screen(digest: &Digest, format: Format, scrub: Option<&Scrub>) -> String {
    let mut page = Page::new(format, scrub);
    write(&mut page, digest);
    page.finish(&format!("headwater digest {}", digest.period.name))
}

/// The digest on a page that is served.
pub fn served(digest: &Digest, pages: &dyn Pages) -> String {
    let mut page = Page::served(pages);
    write(&mut page, digest);
    page.part()
}

fn write(page: &mut Page<'_>, digest: &Digest) {
    page.headline(&digest.headline);
    if !digest.defaults.is_empty() {
        page.heading("Defaults that moved", "old → new");
        moved::all(page, digest);
    }
    work(page, "Sampler, CUDA and MoE work", &digest.work, digest);
    work(page, "Toolchains, architectures, ABI", &digest.toolchain, digest);
    if !digest.pins.is_empty() {
        page.heading("Pins that moved", "and what they bring");
        for one in &digest.pins {
            pin(page, one);
        }
    }
    if !digest.releases.is_empty() {
        page.heading(
            "Releases",
            "lines of their notes that speak of speed, defaults, sampling or hardware",
        );
        for one in &digest.releases {
            release(page, one);
        }
    }
    if !digest.models.is_empty() {
        page.heading("Models whose published parameters changed", "");
        for one in &digest.models {
            for change in &one.changes {
                let [old, new] =
                    [&change.old, &change.new].map(|v| v.as_deref().unwrap_or("none").to_owned());
                page.say(0, &format!("{} {}: {old} → {new}", one.model, change.what));
            }
        }
    }
    if !digest.advisories.is_empty() {
        page.heading("Security advisories", "");
        for one in &digest.advisories {
            why::advisory(page, one);
        }
    }
    rest(page, digest);
    page.raw_html(&plot::bars("Defaults that moved, by week", &digest.plots.defaults));
    page.raw_html(&plot::lag("Days that releases were behind what they pin", &digest.plots.lag));
}

/// What every digest ends with, also a quiet one: a line each.
fn rest(page: &mut Page<'_>, digest: &Digest) {
    if !digest.is_quiet() {
        page.heading("Besides", "");
    }
    let lag: Vec<String> = digest
        .lag
        .iter()
        .map(|one| {
            format!(
                "{} {} pins {} {}: {:.1} days and {} commits behind",
                one.upstream,
                one.row.tag,
                one.row.pin,
                one.row.value,
                one.row.days,
                one.row.commits
            )
        })
        .collect();
    if !lag.is_empty() {
        page.say(0, &lag.join("; "));
    }
    let tags: Vec<String> =
        digest.tags.iter().map(|(upstream, n)| format!("{upstream} {n}")).collect();
    if !tags.is_empty() {
        page.say(0, &format!("tags without stored notes: {}", tags.join(", ")));
    }
    if !digest.absences.is_empty() && page.is_pasted() {
        page.heading("Looked for and not found", "");
    }
    if page.is_pasted() {
        for one in &digest.absences {
            page.say(0, &format!("{} (grade {})", one.claim(), one.grade()));
            for command in one.rederive() {
                page.command(1, command);
            }
        }
    } else if !digest.absences.is_empty() {
        let mut grades: Vec<&str> =
            digest.absences.iter().map(|one| one.grade().as_str()).collect();
        grades.sort_unstable();
        grades.dedup();
        page.say(
            0,
            &format!(
                "{} absences, each with its search, are in --format md and json (grades {})",
                digest.absences.len(),
                grades.join(", ")
            ),
        );
    }
    let covered: Vec<String> = digest
        .coverage
        .iter()
        .map(|c| {
            let gaps = match c.gaps().len() {
                0 => "no gap".to_owned(),
                n => format!("{n} gaps"),
            };
            format!(
                "{} {} of {} commits, {gaps}",
                c.upstream(),
                c.commits_stored(),
                c.commits_reported()
            )
        })
        .collect();
    page.say(0, &format!("stored: {}", covered.join("; ")));
    page.command(0, &digest.question);
}

fn work(page: &mut Page<'_>, title: &str, all: &[Work], digest: &Digest) {
    if all.is_empty() {
        return;
    }
    page.heading(title, "by rule");
    for one in all.iter().take(ROWS) {
        page.say(
            0,
            &format!(
                "{} {} {}  [{}]",
                one.upstream,
                one.sha.short(),
                one.subject,
                one.classes.join(", ")
            ),
        );
        corrected(page, &one.id, digest);
    }
    if all.len() > ROWS {
        let rest: Vec<String> = all.iter().skip(ROWS).map(|one| one.sha.short()).collect();
        page.say(0, &format!("{} more: {}", rest.len(), rest.join(" ")));
    }
}

/// What became known later of an entry.
fn corrected(page: &mut Page<'_>, id: &str, digest: &Digest) {
    let of = |one: &&Correction| one.of == id;
    for one in digest.corrections.iter().filter(of) {
        let by = one.sha.map_or_else(String::new, |sha| format!(" by {}", sha.short()));
        let mut what: String = one.what.chars().take(WHAT).collect();
        if what.len() < one.what.len() {
            what.push('…');
        }
        page.say(1, &format!("later ({}): {what}{by}", one.date.format("%Y-%m-%d")));
    }
}

fn pin(page: &mut Page<'_>, one: &PinMoved) {
    let [old, new] = [&one.old, &one.new].map(|v| v.as_deref().map_or("none", short).to_owned());
    let brings = match (&one.commits, &one.gap) {
        (Some(n), _) => {
            let told = ["default-change", "sampler", "cuda", "moe", "attention", "spec-decoding"];
            let classes: Vec<String> = told
                .iter()
                .filter_map(|class| Some(format!("{class} {}", one.classes.get(*class)?)))
                .collect();
            format!("{n} commits ({})", classes.join(", "))
        }
        (None, Some(gap)) => format!("what that brings is a gap: {gap}"),
        (None, None) => "what that brings is not known".to_owned(),
    };
    page.say(
        0,
        &format!(
            "{} pins {} {old} → {new} ({} of {}): {brings}",
            one.upstream,
            one.pin,
            one.sha.short(),
            one.date.format("%Y-%m-%d")
        ),
    );
}

fn release(page: &mut Page<'_>, one: &ReleaseSaid) {
    let published =
        one.published.map_or_else(String::new, |at| format!(", {}", at.format("%Y-%m-%d")));
    page.say(0, &format!("{} {}{published}  {}", one.upstream, one.tag, one.url));
    let telling = one.lines.iter().filter(|line| !line.about.is_empty() || !line.names.is_empty());
    for line in telling.take(LINES) {
        let text: String = line.text.chars().take(200).collect();
        page.say(1, &format!("“{text}” [{}]", line.about.join(", ")));
    }
}
