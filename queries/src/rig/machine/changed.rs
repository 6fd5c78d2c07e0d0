//! A reading beside those before it.

use std::collections::{BTreeMap, BTreeSet};

use headwater_store::rig::{KnownBuild, LibraryRead, RigFile, RigReading};
use headwater_store::{Digest, StoredReading};

use super::known::hash_command;
use super::report::{Alert, AlertKind, Change};
use super::rules::{RigRules, Role, stem};

/// How models are named among what changed.
const MODEL: &str = "model ";

/// What is another since the reading before.
pub(super) fn changes(before: &RigReading, now: &RigReading) -> Vec<Change> {
    let (old, new) = (told(before), told(now));
    let models = [before, now].iter().all(|reading| reading.models.get().is_some());
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    names
        .into_iter()
        .filter_map(|what| {
            let (old, new) = (old.get(what), new.get(what));
            // What could not be looked at has not gone.
            let looked = |side: Option<&Option<String>>| !matches!(side, Some(None));
            let unknown = what.starts_with(MODEL) && !models;
            if old == new || unknown || !looked(old) || !looked(new) {
                return None;
            }
            let value = |side: Option<&Option<String>>| side.cloned().flatten();
            Some(Change { what: what.clone(), old: value(old), new: value(new) })
        })
        .collect()
}

/// Everything that a reading tells, by name; `None` where it could not be looked at.
fn told(reading: &RigReading) -> BTreeMap<String, Option<String>> {
    let mut out = BTreeMap::new();
    let mut one = |what: &str, value: Option<String>| out.insert(what.to_owned(), value);
    one("Ollama", reading.server.get().map(|server| server.version.clone()));
    one("nvcc", reading.nvcc.get().map(|nvcc| nvcc.version.clone()));
    one("version.json", reading.toolkit.get().map(|toolkit| toolkit.version.clone()));
    let driver = reading.gpus.get().and_then(|gpus| gpus.first());
    one("driver", driver.map(|gpu| gpu.driver.clone()));
    for script in &reading.scripts {
        let name = format!("what {} expects of {}", script.script, script.file);
        one(&name, script.expects.get().map(Digest::hex));
    }
    for (folder, library) in reading.libraries() {
        // Two folders may hold the same places.
        let many = reading.folders.len() > 1;
        let name = match many {
            true => format!("{} in {}", library.place, folder.path),
            false => library.place.clone(),
        };
        one(&name, Some(library.sha256.hex()));
    }
    for model in reading.models.get().into_iter().flatten() {
        one(&format!("{MODEL}{}", model.name), Some(model.digest.short()));
    }
    out
}

/// Libraries that are others than when a backend that calls them was first seen as it is:
/// such an alert stands until they are as they were, or a known build has all of them.
/// `earlier` is newest first.
pub(super) fn called(
    rig: &RigFile,
    rules: &RigRules,
    earlier: &[StoredReading],
    now: &StoredReading,
) -> Vec<Alert> {
    let mut out = Vec::new();
    for (folder, backend) in now.reading().libraries() {
        if rules.role(&backend.place) != Role::Backend {
            continue;
        }
        let own = beside(rules, now.reading(), &folder.path, backend);
        if rig.builds.iter().any(|build| has_all(build, backend, &own)) {
            continue;
        }
        let then: Vec<(&StoredReading, Hashes)> = earlier
            .iter()
            .filter(|reading| {
                reading.reading().libraries().any(|(of, one)| {
                    of.path == folder.path
                        && one.place == backend.place
                        && one.sha256 == backend.sha256
                })
            })
            .map(|reading| {
                (reading, hashes(&beside(rules, reading.reading(), &folder.path, backend)))
            })
            .collect();
        let Some((_, first)) = then.last() else { continue };
        let new = hashes(&own);
        let stems: BTreeSet<&String> = first.keys().chain(new.keys()).collect();
        for name in stems {
            let (old, new) = (first.get(name), new.get(name));
            if old == new {
                continue;
            }
            let until = then.iter().find(|(_, hashes)| hashes.get(name) == old);
            let Some((until, _)) = until else { continue };
            let short = |all: Option<&BTreeSet<Digest>>| match all {
                None => "not there".to_owned(),
                Some(all) => all.iter().map(Digest::short).collect::<Vec<_>>().join(", "),
            };
            let says = format!(
                "{name} changed beside an unchanged {}: it was {} in the reading of {} UTC, and is {}",
                backend.place,
                short(old),
                until.reading().taken.format("%Y-%m-%d %H:%M"),
                short(new)
            );
            let file = own.iter().find(|library| stem(&library.place) == *name);
            let command = |one: &&LibraryRead| hash_command(&now.reading().platform, &one.place);
            out.push(Alert {
                kind: AlertKind::CalledChanged,
                says,
                file: file.map(|library| library.place.clone()),
                sha256: file.map(|library| library.sha256),
                wants: old
                    .into_iter()
                    .flatten()
                    .map(|digest| format!("reading {}: {}", until.id(), digest.hex()))
                    .collect(),
                rederive: file.map(command).into_iter().collect(),
                grade: now.grade(),
            });
        }
    }
    out
}

/// The hashes of libraries, by their names without versions.
type Hashes = BTreeMap<String, BTreeSet<Digest>>;

fn hashes(libraries: &[&LibraryRead]) -> Hashes {
    let mut out = Hashes::new();
    for library in libraries {
        out.entry(stem(&library.place)).or_default().insert(library.sha256);
    }
    out
}

/// The libraries of a folder that a backend calls: those that lie with it, or else those
/// that lie with no backend.
fn beside<'a>(
    rules: &RigRules,
    reading: &'a RigReading,
    folder: &str,
    backend: &LibraryRead,
) -> Vec<&'a LibraryRead> {
    let dir = |place: &str| place.rsplit_once('/').map_or("", |(dir, _)| dir).to_owned();
    let all: Vec<&LibraryRead> = reading
        .libraries()
        .filter(|(of, library)| of.path == folder && rules.calls(&backend.place, &library.place))
        .map(|(_, library)| library)
        .collect();
    let own = dir(&backend.place);
    let near: Vec<&LibraryRead> =
        all.iter().copied().filter(|library| dir(&library.place) == own).collect();
    if !near.is_empty() {
        return near;
    }
    let backends: BTreeSet<String> = reading
        .libraries()
        .filter(|(of, library)| of.path == folder && rules.role(&library.place) == Role::Backend)
        .map(|(_, library)| dir(&library.place))
        .collect();
    all.into_iter().filter(|library| !backends.contains(&dir(&library.place))).collect()
}

/// Whether a build has a backend and all that it calls as they are.
fn has_all(build: &KnownBuild, backend: &LibraryRead, called: &[&LibraryRead]) -> bool {
    let has = |library: &LibraryRead| {
        build.file(&library.place).is_some_and(|(_, digest)| digest == library.sha256)
    };
    has(backend) && called.iter().all(|library| has(library))
}
