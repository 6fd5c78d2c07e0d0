//! The answer, put together.

use headwater_store::rig::{RigFile, RigReading};
use headwater_store::upstream::Upstreams;
use headwater_store::{Store, StoredReading};

use super::changed;
use super::known::{Known, described};
use super::report::{Expected, Lack, LibraryState, ReadingShown, RigReport, ToolkitShown};
use super::rules::RigRules;
use super::upstream::{self, installed, pins_of};
use crate::QueryError;
use crate::ledger::Extractors;
use crate::window::Resolver;

/// Readings before this one that are looked at.
const MOST: usize = 400;

/// What a rig is compared with.
pub struct RigQuestion<'a> {
    /// What the user knows of it.
    pub rig: &'a RigFile,
    /// The declared upstreams.
    pub upstreams: &'a Upstreams,
    /// The rules that defaults are read by.
    pub extractors: &'a Extractors,
    /// Threads that may work on it.
    pub jobs: usize,
}

/// Compares a reading with the rig file, with the readings before it, and with upstream.
///
/// # Errors
/// Those of the store.
pub fn rig(
    store: &mut Store,
    question: &RigQuestion<'_>,
    stored: &StoredReading,
) -> Result<RigReport, QueryError> {
    let rules = RigRules::shipped()?;
    let (file, reading) = (question.rig, stored.reading());
    let expected = file.expected();
    let mut earlier = store.rig_readings(&file.name, MOST)?;
    earlier.retain(|one| one.id() < stored.id());

    let server = question.upstreams.get(&rules.server)?;
    let tag = installed(store, server, reading, None)?;
    let same_pin = |pin: &str| -> Option<bool> {
        let tag = tag.as_deref()?;
        let engine = question.upstreams.find(&rules.engine)?;
        same_pin(store, question.upstreams, server, engine, tag, pin).ok().flatten()
    };
    let known =
        Known { rig: file, rules: &rules, reading, grade: stored.grade(), same_pin: &same_pin };
    let libraries = known.libraries();
    let mut alerts = known.alerts(&libraries);
    let (scripts, more) = known.scripts(&libraries);
    alerts.extend(more);
    alerts.extend(changed::called(file, &rules, &earlier, stored));
    let toolkit = ToolkitShown {
        nvcc: reading.nvcc.clone(),
        version_json: reading.toolkit.clone(),
        gpus: reading.gpus.clone(),
        differs: known.toolkit(),
    };
    let before = earlier.first();
    let changes = before.map(|one| changed::changes(one.reading(), reading)).unwrap_or_default();
    let seen = upstream::look(
        store,
        question.upstreams,
        question.extractors,
        &rules,
        reading,
        expected,
        question.jobs,
    )?;
    let mut out = RigReport {
        schema: "headwater/rig/1",
        headline: String::new(),
        rig: file.name.clone(),
        reading: shown(stored),
        before: before.map(shown),
        alerts,
        server: reading.server.clone(),
        expected: expected.map(|build| Expected {
            name: build.name.clone(),
            ollama: build.ollama.clone(),
            pin: build.pin.clone(),
            toolkit: build.toolkit.clone(),
        }),
        libraries,
        scripts,
        toolkit,
        models: reading.models.clone(),
        changes,
        upstream: seen.now,
        lacking: lacking(file, reading),
        open: seen.open,
    };
    out.headline = headline(&out, expected.map(described));
    Ok(out)
}

fn shown(stored: &StoredReading) -> ReadingShown {
    ReadingShown {
        id: stored.id(),
        taken: stored.reading().taken,
        platform: stored.reading().platform.clone(),
        grade: stored.grade(),
    }
}

/// Whether a pin means the commit that a release of the server pins.
fn same_pin(
    store: &Store,
    upstreams: &Upstreams,
    server: &headwater_store::upstream::Upstream,
    engine: &headwater_store::upstream::Upstream,
    tag: &str,
    pin: &str,
) -> Result<Option<bool>, QueryError> {
    let pins = pins_of(store, upstreams, server, tag)?.unwrap_or_default();
    let Some(own) = pins.iter().find(|one| one.upstream == engine.name) else { return Ok(None) };
    if own.value == pin {
        return Ok(Some(true));
    }
    let resolver = Resolver::new(store, engine)?;
    let sha = |name: &str| resolver.resolve(name).map(|found| found.commit.commit().oid);
    Ok(Some(sha(&own.value)? == sha(pin)?))
}

/// What was looked for and is not there.
fn lacking(file: &RigFile, reading: &RigReading) -> Vec<Lack> {
    let mut out = Vec::new();
    let mut lack = |what: &str, why: Option<&str>| {
        out.extend(why.map(|why| Lack { what: what.to_owned(), why: why.to_owned() }));
    };
    lack("the local server", reading.server.lacks());
    lack("installed models", reading.models.lacks());
    if reading.folders.is_empty() {
        lack(
            "a folder of backends",
            Some("none of the usual places is there; the rig file names others"),
        );
    }
    for folder in &reading.folders {
        lack(&folder.path, folder.libraries.lacks());
        for unread in &folder.unread {
            lack(&format!("a library in {}", folder.path), Some(unread));
        }
    }
    for script in &reading.scripts {
        lack(&script.script, script.expects.lacks());
    }
    lack("CUDA's compiler", reading.nvcc.lacks());
    lack("a device and its driver", reading.gpus.lacks());
    lack("CUDA's version.json", reading.toolkit.lacks());
    if file.builds.is_empty() {
        lack("known builds", Some("the rig file names none, so no file can be told from another"));
    }
    out
}

/// What matters first.
fn headline(report: &RigReport, expected: Option<String>) -> String {
    if let Some(first) = report.alerts.first() {
        let more = match report.alerts.len() - 1 {
            0 => String::new(),
            1 => " (and 1 more)".to_owned(),
            n => format!(" (and {n} more)"),
        };
        return format!("ALERT: {}{more}", first.says);
    }
    let count = |state| report.libraries.iter().filter(|one| one.state == state).count();
    let files = match (expected, count(LibraryState::Expected), count(LibraryState::Known)) {
        (Some(build), n, _) if n > 0 => {
            let files = if n == 1 { "1 file is" } else { "all its files are" };
            format!("{build} is installed: {files} as known")
        }
        (_, _, n) if n > 0 => format!("{n} files are of known builds"),
        _ if report.libraries.is_empty() => "no library was found".to_owned(),
        _ => format!("{} libraries, of which no build is known", report.libraries.len()),
    };
    let since = match (&report.before, report.changes.len()) {
        (None, _) => "this is the first reading".to_owned(),
        (Some(before), 0) => {
            format!("nothing changed since {} UTC", before.taken.format("%Y-%m-%d %H:%M"))
        }
        (Some(before), n) => format!(
            "{n} {} since {} UTC",
            if n == 1 { "thing changed" } else { "things changed" },
            before.taken.format("%Y-%m-%d %H:%M")
        ),
    };
    format!("{files}; {since}")
}
