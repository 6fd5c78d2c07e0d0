//! What a request that sets nothing runs with, at both ends of a window.

use std::collections::BTreeSet;

use headwater_store::upstream::Upstreams;
use headwater_store::{ModelName, ModelVersion, Store};

use super::collect::Collected;
use super::report::{DefaultEvent, Effective};
use crate::QueryError;
use crate::ledger::{Extractors, same_value};
use crate::models::{
    EffectiveRow, Options, Own, Passed, Reach, ServerAt, Since, options_of, passed, read, runs,
    server_rows, version_of,
};
use crate::window::Resolved;

/// The model of a question, where it is stored.
pub(super) struct Asked {
    pub(super) name: ModelName,
    pub(super) version: ModelVersion,
}

impl Asked {
    /// Looks the model up; `None` where nothing is stored of it, or it is no name.
    pub(super) fn find(store: &Store, model: Option<&str>) -> Result<Option<Self>, QueryError> {
        let Some(name) = model.and_then(|text| text.parse::<ModelName>().ok()) else {
            return Ok(None);
        };
        let found = version_of(store, &name)?;
        Ok(found.map(|(_, version)| Asked { name, version }))
    }

    /// The format of its weights.
    pub(super) fn format(&self) -> Option<&str> {
        self.version.reading()?.facts.format.as_deref()
    }
}

/// What changed for the model from one end of the window to the other.
pub(super) fn changes(
    store: &Store,
    upstreams: &Upstreams,
    extractors: &Extractors,
    window: &Collected<'_>,
    events: &[DefaultEvent],
    asked: &Asked,
) -> Result<Vec<Effective>, QueryError> {
    let upstream = window.upstream;
    let at = |commit, reach| read(store, upstreams, extractors, upstream, commit, reach);
    let (base, head) =
        (at(&window.base.commit, Reach::Options)?, at(&window.head.commit, Reach::Handed)?);
    let (Some(base), Some(head)) = (base, head) else { return Ok(Vec::new()) };
    let id = store.upstream(&upstream.name)?;
    let rows = |server: &ServerAt, since: Since| {
        let own = Own { name: &asked.name, version: &asked.version, grade: asked.version.grade() };
        let mut rows = server_rows(server, &upstream.name, &since, Some(&own));
        rows.retain(|row| row.scope == "request-option");
        rows
    };
    let (mut before, mut after) = (rows(&base, Since::default()), rows(&head, Since::default()));
    let values = |rows: &[EffectiveRow]| -> Vec<_> {
        rows.iter().map(|row| (row.knob.clone(), row.value.clone())).collect()
    };
    // Which commits set them costs most, and is asked only where something moved.
    if values(&before) != values(&after) {
        let since = |end: &Resolved| Since::read(store, id, end.commit.commit().oid);
        before = rows(&base, since(&window.base)?);
        after = rows(&head, since(&window.head)?);
    }
    let mut out = Vec::new();
    let knobs: BTreeSet<&String> = before.iter().chain(&after).map(|row| &row.knob).collect();
    for knob in knobs {
        let old = before.iter().find(|row| row.knob == *knob);
        let new = after.iter().find(|row| row.knob == *knob);
        let value = |row: Option<&EffectiveRow>| row.and_then(|r| r.value.clone());
        let (a, b) = (value(old), value(new));
        let same = match (&a, &b) {
            (Some(a), Some(b)) => same_value(a, b),
            (a, b) => a == b,
        };
        if same {
            continue;
        }
        let none = || "no such option at this version".to_owned();
        out.push(Effective {
            model: asked.name.to_string(),
            knob: knob.clone(),
            before: a,
            after: b,
            source_before: old.map_or_else(none, |row| row.source.clone()),
            source_after: new.map_or_else(none, |row| row.source.clone()),
        });
    }
    let engine = &head.rule.engine;
    if asked.format().is_none_or(|format| runs(upstream, engine, format)) {
        let options = options_of(&head, &after);
        of_engine(&mut out, [&base, &head], &options, events, asked);
    }
    Ok(out)
}

/// The engine's defaults that moved and reach the model: those that neither a request nor
/// a flag sets, and that come to something else on the device in question.
fn of_engine(
    out: &mut Vec<Effective>,
    [base, head]: [&ServerAt; 2],
    options: &Options,
    events: &[DefaultEvent],
    asked: &Asked,
) {
    let Some(engine) = &head.engine else { return };
    for event in events.iter().filter(|e| e.upstream == engine.upstream && e.is_met()) {
        let (Some(old), Some(new)) = (&event.old, &event.new) else { continue };
        let is_param = engine.params.iter().any(|p| p.entry.knob == event.knob);
        let flag = head.flag(&event.knob).map(|flag| (flag, passed(&flag.entry, options)));
        let by_flag = matches!(flag, Some((_, Passed::Yes(_))));
        let set = head.hands(&event.knob).is_some() || by_flag;
        let unchanged = event.on_device.as_ref().is_some_and(|device| device.unchanged);
        if !is_param || set || unchanged {
            continue;
        }
        let becomes = event.on_device.as_ref().map(|d| d.becomes.clone());
        let note = match flag {
            Some((flag, Passed::Depends)) => {
                format!(", unless {} is passed: {}", flag.entry.knob, flag.entry.value)
            }
            _ => String::new(),
        };
        let source = |pin: &str| format!("engine default of {} {pin}{note}", engine.upstream);
        let pin_before = base.engine.as_ref().map_or("before", |engine| engine.pin.as_str());
        let by = format!("{} {}:{}", event.sha.short(), event.path, event.line);
        out.push(Effective {
            model: asked.name.to_string(),
            knob: event.knob.clone(),
            before: Some(old.clone()),
            after: Some(becomes.map_or_else(|| new.clone(), |to| format!("{new} ({to})"))),
            source_before: source(pin_before),
            source_after: format!("{} (since {by})", source(&engine.pin)),
        });
    }
}
