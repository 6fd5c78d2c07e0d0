//! A brief as Markdown to paste.

use headwater_queries::brief::Brief;
use headwater_queries::public::Scrub;

use super::machine::{self, short};
use super::page::Page;
use super::{digest, why};
use crate::args::Format;

/// Build options of one upstream that are shown; JSON has them all.
const OPTIONS: usize = 25;
/// Commits that change headers, as many.
const COMMITS: usize = 20;
/// What a host takes as one comment, and room for a word.
const LONGEST: usize = 60_000;

/// The whole brief.
pub fn markdown(brief: &Brief, scrub: Option<&Scrub>) -> String {
    let mut page = Page::new(Format::Md, scrub);
    page.headline(&brief.headline);
    machine::alerts(&mut page, &brief.rig.alerts);
    page.heading("Versions", "");
    for line in &brief.versions {
        page.say(0, &format!("{}: {} (by {})", line.what, line.version, line.by));
    }
    page.heading("Installed", "");
    machine::installed(&mut page, &brief.rig);
    for line in &brief.rig.toolkit.differs {
        page.say(0, line);
    }
    if !brief.rig.changes.is_empty() {
        page.heading("Changed since the reading before", "");
        brief.rig.changes.iter().for_each(|one| machine::change(&mut page, one));
    }
    page.heading("Upstream's newest", "as far as it is stored");
    releases(&mut page, brief);
    page.heading("Toolkits that upstream builds with", "by the ledger of build options");
    toolkits(&mut page, brief);
    page.heading("Build options that moved", "");
    options(&mut page, brief);
    let due = brief.abi.rebuild.due;
    page.heading(
        &format!("Rebuild due: {}", due.as_str()),
        "by what became of public headers since the rig's pin",
    );
    rebuild(&mut page, brief);
    page.heading("What the rig's models run with after the upgrade", "");
    effective(&mut page, brief);
    if !brief.advisories.is_empty() || brief.other_advisories > 0 {
        page.heading("Security advisories", "");
        brief.advisories.iter().for_each(|one| why::advisory(&mut page, one));
        if brief.other_advisories > 0 {
            page.say(0, &format!("{} more are about neither version", brief.other_advisories));
        }
    }
    if !brief.rig.lacking.is_empty() {
        page.heading("Not there", "each is a finding, and no error");
        for lack in &brief.rig.lacking {
            page.say(0, &format!("{}: {}", lack.what, lack.why));
        }
    }
    why::open_questions(&mut page, &brief.open);
    page.heading("Digest", "what moved upstream");
    let mut out = page.finish("headwater brief");
    let digest = digest::screen(&brief.digest, Format::Md, scrub);
    // Its parts are parts of this part; no stranger's text begins a line so.
    let digest = digest.replace("\n### ", "\n#### ");
    let ask = {
        let mut page = Page::new(Format::Md, scrub);
        page.heading("Ask again", "add --format json for everything");
        page.command(0, &brief.question);
        page.finish("headwater brief")
    };
    match out.len() + digest.len() + ask.len() > LONGEST {
        true => {
            let mut page = Page::new(Format::Md, scrub);
            page.headline(&brief.digest.headline);
            page.say(0, "it is longer than a comment may be; it stands in:");
            page.command(1, &brief.digest.question);
            out.push_str(&page.finish("headwater brief"));
        }
        false => out.push_str(&digest),
    }
    out.push_str(&ask);
    out
}

fn releases(page: &mut Page<'_>, brief: &Brief) {
    for one in &brief.releases {
        let pins: Vec<String> =
            one.pins.iter().map(|(pin, value)| format!("{pin} {}", short(value))).collect();
        let pins = match pins.is_empty() {
            true => String::new(),
            false => format!("; pins {}", pins.join(", ")),
        };
        page.say(
            0,
            &format!(
                "{} {} ({}, {}){pins}",
                one.upstream,
                one.tag,
                one.date.format("%Y-%m-%d"),
                one.sha.short()
            ),
        );
    }
    if brief.releases.is_empty() {
        page.say(0, "no release is stored");
    }
    for pin in &brief.rig.upstream.pins {
        let value = |side: &Option<String>| side.as_deref().map_or("not known", short).to_owned();
        let by = pin.rig_by.map_or_else(String::new, |by| format!(", by the {by}"));
        page.say(
            0,
            &format!(
                "{}: the rig's {}{by}; the newest's {}",
                pin.pin,
                value(&pin.rig),
                value(&pin.newest)
            ),
        );
    }
}

fn toolkits(page: &mut Page<'_>, brief: &Brief) {
    for one in &brief.toolkits {
        let has = match one.has_release {
            Some(true) => ", the rig's release among them",
            Some(false) => ", NOT the rig's release",
            None => "",
        };
        let before = match (&one.since, &one.before) {
            (Some(sha), Some(before)) => format!(", since {} ({before} before)", sha.short()),
            (Some(sha), None) => format!(", since {}", sha.short()),
            _ => String::new(),
        };
        page.say(
            0,
            &format!(
                "{} of {} {}: {}{has} ({}, {}:{}{before}, grade {})",
                one.toolkit,
                one.upstream,
                short(&one.at),
                one.value,
                one.knob,
                one.path,
                one.line,
                one.grade
            ),
        );
    }
    match brief.toolkits.is_empty() {
        true => page.say(0, "the store tells none"),
        false => page.say(0, "releases are compared by their first two numbers: updates are counted in different ways"),
    }
}

fn options(page: &mut Page<'_>, brief: &Brief) {
    for one in &brief.options {
        let ends = format!("{} {}..{}", one.upstream, short(&one.base), short(&one.head));
        match one.events.len() {
            0 => page.say(0, &format!("{ends}: no extractor found one")),
            n => page.say(0, &format!("{ends}: {n}")),
        }
        one.events.iter().take(OPTIONS).for_each(|event| machine::moved(page, event));
        if one.events.len() > OPTIONS {
            page.say(0, &format!("{} more, in --format json", one.events.len() - OPTIONS));
        }
    }
    if brief.options.is_empty() {
        page.say(0, "nothing to compare: both ends are the same, or one is not known");
    }
}

fn rebuild(page: &mut Page<'_>, brief: &Brief) {
    let abi = &brief.abi;
    for why in &abi.rebuild.why {
        page.say(0, why);
    }
    if let (Some(base), Some(head)) = (&abi.base, &abi.head) {
        let covered = abi.coverage.as_ref().map_or_else(String::new, |coverage| {
            format!(
                ": {} of {} commits stored, {} gaps",
                coverage.commits_stored(),
                coverage.commits_reported(),
                coverage.gaps().len()
            )
        });
        page.say(
            0,
            &format!(
                "{} {}..{}{covered} (grade {})",
                abi.upstream,
                short(base),
                short(head),
                abi.rebuild.grade
            ),
        );
    }
    // Those that are told as reasons are told.
    let is_told = |sha: &str| abi.rebuild.why.iter().any(|why| why.starts_with(sha));
    let rest: Vec<_> = abi.commits.iter().filter(|one| !is_told(&one.sha.short())).collect();
    if !rest.is_empty() {
        page.say(0, "besides:");
    }
    for commit in rest.iter().take(COMMITS) {
        page.say(
            1,
            &format!("{} {} {}", commit.sha.short(), commit.date.format("%Y-%m-%d"), commit.says),
        );
    }
    if rest.len() > COMMITS {
        page.say(1, &format!("{} more, in --format json", rest.len() - COMMITS));
    }
}

fn effective(page: &mut Page<'_>, brief: &Brief) {
    let installed = brief.rig.upstream.installed.as_deref().unwrap_or("what is installed");
    let to = brief.to.as_deref().unwrap_or("the newest");
    if brief.models == 0 {
        page.say(0, &format!("{installed} → {to}: of no model could it be told"));
        return;
    }
    if brief.effective.is_empty() {
        page.say(0, &format!("{installed} → {to}: nothing changes for {} models", brief.models));
        return;
    }
    page.say(0, &format!("{installed} → {to}, for {} models:", brief.models));
    for one in &brief.effective {
        let of = match one.models.len() == brief.models {
            true => "all of them".to_owned(),
            false => one.models.join(", "),
        };
        let value = |side: &Option<String>| side.as_deref().unwrap_or("unset").to_owned();
        page.say(
            0,
            &format!(
                "{}: {} ({}) → {} ({}): {of}",
                one.knob,
                value(&one.before),
                one.source_before,
                value(&one.after),
                one.source_after
            ),
        );
    }
}
