//! The defaults that the commits of a window move.

use headwater_store::evidence::{Evidence, Grade};
use headwater_store::model::Side;
use headwater_store::objects::ObjectReader;
use headwater_store::{Store, StoreError, StoredPatch};

use super::report::{DefaultEvent, OnDevice};
use crate::QueryError;
use crate::derive::default_events::Tables;
use crate::ledger::{Event, Extractors, OptionTable, Spellings};

/// A commit's default events.
pub(super) struct Moved {
    pub(super) events: Vec<Event>,
}

impl Moved {
    /// The events as they were derived before.
    pub(super) fn stored(store: &Store, patch: &StoredPatch) -> Result<Self, QueryError> {
        let rows = store.default_events_of(&[patch.stored().id()])?;
        Ok(Moved { events: rows.iter().map(crate::defaults::event_of).collect() })
    }

    /// Reads them out of the commit's files, as deriving does. A file whose blob is missing is
    /// left out; its gap is in the coverage.
    pub(super) fn read(patch: &StoredPatch, tables: &mut Tables<'_>) -> Result<Self, QueryError> {
        let Some(work) = tables.work(patch) else {
            return Ok(Moved { events: Vec::new() });
        };
        let found = match tables.of_commit(&work, true) {
            // Of a window that was fetched for itself there may be no trees.
            Err(StoreError::NoObject { .. }) => tables.of_commit(&work, false)?,
            found => found?,
        };
        Ok(Moved { events: found.events })
    }
}

/// An event as the report shows it.
pub(super) fn shown(
    patch: &StoredPatch,
    event: &Event,
    extractors: &Extractors,
    spellings: &Spellings,
    options: Option<&OptionTable>,
    device: Option<OnDevice>,
) -> DefaultEvent {
    DefaultEvent {
        upstream: patch.stored().upstream().to_owned(),
        sha: patch.stored().commit().oid,
        knob: event.knob.clone(),
        scope: event.scope.name().to_owned(),
        old: event.old.clone(),
        new: event.new.clone(),
        path: event.path.clone(),
        line: event.line,
        restore: extractors.restore(event, spellings, options),
        on_device: device,
        not_met: None,
        back_by: None,
        grade: Grade::Rule,
    }
}

/// The line that shows an event.
pub(super) fn evidence(patch: &StoredPatch, event: &Event) -> Evidence {
    let value = event.new.as_deref().or(event.old.as_deref()).unwrap_or_default();
    let side = if event.new.is_some() { Side::Added } else { Side::Removed };
    let in_patch = patch
        .patch()
        .files
        .iter()
        .filter(|file| file.path == event.path)
        .flat_map(|file| file.changed_lines().collect::<Vec<_>>())
        .find(|line| line.side == side && line.number() == event.line);
    match in_patch {
        Some(line) => patch.stored().evidence_line(
            &event.path,
            Some(side),
            event.line,
            line.text_lossy().trim(),
        ),
        // The value moved without its own line: it is derived from another.
        None => patch.stored().evidence_line(
            &event.path,
            None,
            event.line,
            &format!("{} = {value}", event.knob),
        ),
    }
}

/// What a computed new value comes to on the backend, with the lines of the tree that
/// show it; nothing where a line that should show it is not there.
pub(super) fn on_device(
    patch: &StoredPatch,
    event: &Event,
    backend: &str,
    extractors: &Extractors,
    objects: &mut ObjectReader,
) -> Result<Option<OnDevice>, QueryError> {
    let tree = patch.stored().commit().tree;
    for rule in extractors.resolves(patch.stored().upstream(), event) {
        // A card of its own is what most have; the other case is told in the report's
        // open questions.
        let (case, device) = match (rule.on(backend, Some(false)), rule.on(backend, None)) {
            (Some(case), _) if case.integrated == Some(false) => {
                (case, format!("a discrete {backend} card"))
            }
            (_, Some(case)) => (case, backend.to_owned()),
            (Some(case), None) => (case, format!("a discrete {backend} card")),
            (None, None) => continue,
        };
        let mut evidence = Vec::new();
        for proof in &rule.evidence {
            let regex = regex::Regex::new(&proof.pattern)
                .map_err(|e| QueryError::Pattern(e.to_string()))?;
            let mut line = None;
            for path in &proof.paths {
                let Some(bytes) = objects.file(tree, path)? else { continue };
                let text = String::from_utf8_lossy(&bytes);
                line = text.lines().zip(1_u32..).find(|(line, _)| regex.is_match(line)).map(
                    |(text, number)| patch.stored().evidence_line(path, None, number, text.trim()),
                );
                if line.is_some() {
                    break;
                }
            }
            match line {
                Some(line) => evidence.push(line),
                None => break,
            }
        }
        if evidence.len() < rule.evidence.len() {
            continue;
        }
        let old = event.old.as_deref().unwrap_or_default().to_lowercase();
        let old = old.trim_matches(|c: char| !c.is_ascii_alphanumeric());
        let last = old.rsplit(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
        return Ok(Some(OnDevice {
            device,
            becomes: case.becomes.clone(),
            unchanged: last == case.becomes.to_lowercase(),
            why: case.why.clone(),
            evidence,
        }));
    }
    Ok(None)
}
