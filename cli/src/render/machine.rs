//! What a machine is, for a screen, as Markdown and as HTML.

use std::fmt::Write as _;

use headwater_queries::defaults::EventRow;
use headwater_queries::rig::{Alert, Change, LibraryShown, LibraryState, RigReport, Role};
use headwater_store::rig::ModelRead;

use super::page::Page;
use super::pair::both;

/// The whole report.
pub fn report(page: &mut Page<'_>, report: &RigReport) {
    page.headline(&report.headline);
    alerts(page, &report.alerts);
    page.heading("Installed", "");
    installed(page, report);
    page.heading(
        "CUDA",
        "three counts of one toolkit: release, version.json and nvcc; none follows from another",
    );
    toolkit(page, report);
    if !report.changes.is_empty() {
        page.heading("Changed since the reading before", "");
        report.changes.iter().for_each(|one| change(page, one));
    }
    page.heading("Upstream", "as far as it is stored");
    upstream(page, report);
    if let Some(models) = report.models.get().filter(|models| !models.is_empty()) {
        page.heading("Models", "and the parameters that they set");
        models.iter().for_each(|one| model(page, one));
    }
    if !report.lacking.is_empty() {
        page.heading("Not there", "each is a finding, and no error");
        for lack in &report.lacking {
            page.say(0, &format!("{}: {}", lack.what, lack.why));
        }
    }
    super::why::open_questions(page, &report.open);
    page.heading("Reading", "");
    let reading = &report.reading;
    page.say(
        0,
        &format!(
            "{} {} of {} UTC on {} (grade {})",
            report.rig,
            reading.id,
            reading.taken.format("%Y-%m-%d %H:%M"),
            reading.platform,
            reading.grade
        ),
    );
}

/// What should not be so.
pub fn alerts(page: &mut Page<'_>, all: &[Alert]) {
    if all.is_empty() {
        return;
    }
    page.heading("ALERT", "what is not as it should be");
    for alert in all {
        let says = page.safe(&alert.says);
        let says = page.bold(&says);
        page.item(0, &says);
        if let Some(digest) = &alert.sha256 {
            page.say(1, &format!("is {}", digest.hex()));
        }
        for wants in &alert.wants {
            page.say(1, wants);
        }
        for command in &alert.rederive {
            page.command(1, command);
        }
    }
}

/// The server and the libraries.
pub fn installed(page: &mut Page<'_>, report: &RigReport) {
    let behind = match report.upstream.behind {
        Some(0) => ", the newest that is stored".to_owned(),
        Some(1) => ", 1 release behind".to_owned(),
        Some(n) => format!(", {n} releases behind"),
        None => String::new(),
    };
    match report.server.get() {
        Some(server) => page.say(0, &format!("Ollama {}{behind}", server.version)),
        None => page.say(0, "Ollama: no server answered"),
    }
    if let Some(build) = &report.expected {
        let of = |name: &str, value: &Option<String>| {
            value.as_ref().map_or_else(String::new, |value| format!(", {name} {value}"))
        };
        page.say(
            0,
            &format!(
                "should be {}{}{}",
                build.name,
                of("Ollama", &build.ollama),
                of("pin", &build.pin)
            ),
        );
    }
    let all = page.is_pasted();
    let (shown, rest): (Vec<&LibraryShown>, Vec<&LibraryShown>) =
        report.libraries.iter().partition(|one| {
            let wrong = matches!(one.state, LibraryState::Other | LibraryState::Unknown);
            all || wrong || one.role != Role::Other
        });
    for library in shown {
        let of = match (library.state, library.builds.join(", ")) {
            (LibraryState::Expected, builds) => format!("as expected, {builds}"),
            (LibraryState::Known, builds) => format!("known, {builds}"),
            (LibraryState::Other, builds) => format!("NOT as expected, {builds}"),
            (LibraryState::Unknown, _) => "of NO known build".to_owned(),
            (LibraryState::Unlisted, _) => "no known build names it".to_owned(),
        };
        let link = library.link.as_ref().map_or_else(String::new, |to| format!(" → {to}"));
        page.say(
            0,
            &format!(
                "{}{link}: {} ({}, {})",
                library.place,
                of,
                library.sha256.short(),
                size(library.bytes)
            ),
        );
    }
    if !rest.is_empty() {
        page.say(0, &format!("{} other libraries, in --format md and json", rest.len()));
    }
    for script in &report.scripts {
        let holds = match script.holds {
            Some(true) => "and it is so",
            Some(false) => "and it is NOT so",
            None => "which cannot be told",
        };
        if let Some(digest) = script.expects.get() {
            page.say(
                0,
                &format!(
                    "{} expects {} to be {}, {holds}",
                    script.script,
                    script.file,
                    digest.short()
                ),
            );
        }
    }
}

/// CUDA's tools, each by its own count.
pub fn toolkit(page: &mut Page<'_>, report: &RigReport) {
    let toolkit = &report.toolkit;
    match toolkit.nvcc.get() {
        Some(nvcc) => page
            .say(0, &format!("nvcc counts itself {}, of release {}", nvcc.version, nvcc.release)),
        None => page.say(0, "nvcc: not found"),
    }
    match toolkit.version_json.get() {
        Some(file) => {
            let cublas = file.parts.get("libcublas");
            let cublas = cublas.map_or_else(String::new, |own| format!(", its cuBLAS {own}"));
            page.say(0, &format!("version.json counts the whole {}{cublas}", file.version));
        }
        None => page.say(0, "version.json: not found"),
    }
    if let Some(release) = report.expected.as_ref().and_then(|build| build.toolkit.release.as_ref())
    {
        page.say(0, &format!("the rig file calls the release of its build {release}"));
    }
    match toolkit.gpus.get() {
        Some(gpus) => {
            for gpu in gpus {
                page.say(0, &format!("driver {}: {}", gpu.driver, gpu.name));
            }
        }
        None => page.say(0, "no device was found"),
    }
    for line in &toolkit.differs {
        page.say(0, line);
    }
}

/// Something that is another than before.
pub fn change(page: &mut Page<'_>, change: &Change) {
    // Hashes are told by their first digits, as everywhere.
    let value = |side: &Option<String>| match side.as_deref() {
        None => "not there".to_owned(),
        Some(hash) if hash.len() == 64 => hash.chars().take(12).collect(),
        Some(value) => value.to_owned(),
    };
    page.say(0, &format!("{}: {} → {}", change.what, value(&change.old), value(&change.new)));
}

/// Upstream's newest, pins, and defaults that moved on the way.
pub fn upstream(page: &mut Page<'_>, report: &RigReport) {
    let now = &report.upstream;
    match &now.newest {
        Some(newest) => page.say(0, &format!("{} newest {newest}", now.upstream)),
        None => page.say(0, &format!("no release of {} is stored", now.upstream)),
    }
    for pin in &now.pins {
        let value = |side: &Option<String>| side.as_deref().map_or("not known", short).to_owned();
        let by = pin.rig_by.map_or_else(String::new, |by| format!(" (by the {by})"));
        page.say(0, &format!("pin {} {}{by} → {}", pin.pin, value(&pin.rig), value(&pin.newest)));
    }
    for event in &now.defaults {
        default(page, event);
    }
    if now.defaults.is_empty() && now.installed.is_some() && now.behind != Some(0) {
        page.say(0, "no extractor found a default that moved on the way");
    }
}

/// A default that moved, and how to get the old value back.
pub fn default(page: &mut Page<'_>, event: &EventRow) {
    moved(page, event);
    let ways: Vec<String> = event.restore.iter().map(ToString::to_string).collect();
    if !ways.is_empty() {
        page.say(1, &format!("old behaviour: {}", ways.join("; ")));
    }
}

/// A default that moved.
pub fn moved(page: &mut Page<'_>, event: &EventRow) {
    let [old, new] = [&event.old, &event.new].map(|value| value.as_deref().unwrap_or("none"));
    let (old, new) = both(old, new, 60);
    let mut line = format!(
        "{} {}: {old} → {new} ({}, {}",
        event.upstream,
        event.knob,
        event.scope,
        event.sha.short()
    );
    if let Some(tag) = &event.first_shipped {
        let _ = write!(line, ", first in {tag}");
    }
    let _ = write!(line, ", {}:{}, grade {})", event.path, event.line, event.grade);
    page.say(0, &line);
}

fn model(page: &mut Page<'_>, model: &ModelRead) {
    let params: Vec<String> =
        model.params.iter().map(|(name, value)| format!("{name} {value}")).collect();
    let params = if params.is_empty() { "sets none".to_owned() } else { params.join(", ") };
    page.say(0, &format!("{} ({}): {params}", model.name, model.digest.short()));
}

/// A version as it is; a whole commit id by its first digits.
pub fn short(value: &str) -> &str {
    let is_id = value.len() == 40 && value.bytes().all(|b| b.is_ascii_hexdigit());
    if is_id { value.get(..9).unwrap_or(value) } else { value }
}

/// Bytes for people.
fn size(bytes: u64) -> String {
    match bytes {
        0..1_024 => format!("{bytes} bytes"),
        1_024..1_048_576 => format!("{} KiB", bytes >> 10),
        _ => format!("{} MiB", bytes >> 20),
    }
}
