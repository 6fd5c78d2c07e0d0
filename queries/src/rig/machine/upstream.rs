//! Upstream, seen from a rig: releases, pins, and the defaults that moved on the way.

use headwater_store::evidence::Basis;
use headwater_store::rig::{KnownBuild, RigReading};
use headwater_store::upstream::{Upstream, Upstreams};
use headwater_store::{Store, StoreError};

use super::report::{PinNow, UpstreamNow};
use super::rules::RigRules;
use crate::QueryError;
use crate::defaults::{self, EventRow};
use crate::ledger::Extractors;
use crate::pins::{PinReader, PinValue};
use crate::why::OpenQuestion;
use crate::window::{Resolver, WindowSpec, finals, newest, tag_names};

/// Scopes that change nothing for somebody who runs a server as it comes.
const TOLD_ELSEWHERE: [&str; 4] = ["docs", "cli-help", "bench", "build"];

/// What looking at upstream found.
pub(super) struct Seen {
    pub(super) now: UpstreamNow,
    pub(super) open: Vec<OpenQuestion>,
}

/// The version of the server that counts: the one that runs, else the expected build's.
fn version<'a>(reading: &'a RigReading, expected: Option<&'a KnownBuild>) -> Option<&'a str> {
    let running = reading.server.get().map(|server| server.version.as_str());
    running.or(expected.and_then(|build| build.ollama.as_deref()))
}

/// The release to which a version belongs, where its tag is stored.
pub(super) fn installed(
    store: &Store,
    server: &Upstream,
    reading: &RigReading,
    expected: Option<&KnownBuild>,
) -> Result<Option<String>, QueryError> {
    let Some(version) = version(reading, expected) else { return Ok(None) };
    let Some(id) = store.find_upstream(&server.name)? else { return Ok(None) };
    let tag = format!("{}{}", server.tag_prefix, version.trim_start_matches('v'));
    Ok(store.tag(id, &tag)?.map(|tag| tag.name))
}

/// Looks at upstream.
pub(super) fn look(
    store: &mut Store,
    upstreams: &Upstreams,
    extractors: &Extractors,
    rules: &RigRules,
    reading: &RigReading,
    expected: Option<&KnownBuild>,
    jobs: usize,
) -> Result<Seen, QueryError> {
    let server = upstreams.get(&rules.server)?;
    let mut seen = Seen {
        now: UpstreamNow {
            upstream: server.name.clone(),
            installed: None,
            newest: None,
            behind: None,
            pins: Vec::new(),
            defaults: Vec::new(),
        },
        open: Vec::new(),
    };
    let mut ask = |question: String, rederive: Vec<String>| {
        seen.open.push(OpenQuestion { question, grade: Basis::Lacking.grade(), rederive });
    };
    let crawl = |base: &str| vec![format!("headwater crawl {} {base}..latest", server.name)];
    if store.find_upstream(&server.name)?.is_none() {
        ask(
            format!("what upstream's newest release is: nothing of {} is stored", server.name),
            crawl("previous"),
        );
        return Ok(seen);
    }
    seen.now.newest = newest(store, server)?.into_iter().next();
    seen.now.installed = installed(store, server, reading, expected)?;
    match (version(reading, expected), &seen.now.installed) {
        (Some(version), None) => ask(
            format!("what moved since Ollama {version}: that version is not stored"),
            crawl(&format!("{}{}", server.tag_prefix, version.trim_start_matches('v'))),
        ),
        (None, _) => ask(
            "which version of Ollama is installed: no server answers, and no build that should be installed names one".to_owned(),
            vec!["ollama --version".to_owned()],
        ),
        _ => {}
    }
    let order = finals(server, &tag_names(store, server)?)?;
    let at = |tag: &Option<String>| order.iter().position(|name| Some(name) == tag.as_ref());
    if let (Some(own), Some(last)) = (at(&seen.now.installed), at(&seen.now.newest)) {
        seen.now.behind = Some(last.saturating_sub(own));
    }
    let Some(head) = seen.now.newest.clone() else { return Ok(seen) };
    seen.now.pins = pins(store, upstreams, server, rules, &seen.now, expected)?;
    let mut windows = Vec::new();
    if let Some(base) = &seen.now.installed {
        windows.push((server, WindowSpec { base: base.clone(), head }));
    }
    for pin in &seen.now.pins {
        let (Some(rig), Some(newest)) = (&pin.rig, &pin.newest) else { continue };
        if let Some(pinned) = upstreams.find(&pin.upstream) {
            windows.push((pinned, WindowSpec { base: rig.clone(), head: newest.clone() }));
        }
    }
    for (upstream, window) in windows.into_iter().filter(|(_, w)| w.base != w.head) {
        match moved(store, upstream, extractors, &window, jobs) {
            Ok(events) => seen.now.defaults.extend(
                events.into_iter().filter(|event| !TOLD_ELSEWHERE.contains(&event.scope.as_str())),
            ),
            Err(why) => seen.open.push(unknown(upstream, &window, why)?),
        }
    }
    Ok(seen)
}

/// A window that the store cannot tell of, as a question.
pub(crate) fn unknown(
    upstream: &Upstream,
    window: &WindowSpec,
    why: QueryError,
) -> Result<OpenQuestion, QueryError> {
    let why = match why {
        QueryError::NotStored { what, .. } => {
            return Ok(question(upstream, window, &format!("{what} is not in the store")));
        }
        other => other,
    };
    match why {
        QueryError::UnknownRevision { .. }
        | QueryError::Reversed { .. }
        | QueryError::Ambiguous { .. }
        | QueryError::Store(StoreError::NotCrawled(_) | StoreError::NoObject { .. }) => {
            Ok(question(upstream, window, &why.to_string()))
        }
        other => Err(other),
    }
}

fn question(upstream: &Upstream, window: &WindowSpec, why: &str) -> OpenQuestion {
    OpenQuestion {
        question: format!("what {} {window} brings: {why}", upstream.name),
        grade: Basis::Lacking.grade(),
        rederive: vec![format!("headwater crawl {} {window}", upstream.name)],
    }
}

/// The pins of a version; none where it is known by its tag alone.
pub(crate) fn pins_of(
    store: &Store,
    upstreams: &Upstreams,
    server: &Upstream,
    version: &str,
) -> Result<Option<Vec<PinValue>>, QueryError> {
    match Resolver::new(store, server)?.resolve(version) {
        Ok(found) => {
            let mut reader = PinReader::new(store, upstreams, server)?;
            Ok(Some(reader.pins(found.commit.commit().tree)?))
        }
        Err(QueryError::NotStored { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The defaults that a window moved, oldest first.
pub(crate) fn moved(
    store: &mut Store,
    upstream: &Upstream,
    extractors: &Extractors,
    window: &WindowSpec,
    jobs: usize,
) -> Result<Vec<EventRow>, QueryError> {
    let question =
        defaults::Question { window: Some(window.clone()), jobs, ..defaults::Question::default() };
    let mut events = defaults::ask(store, upstream, extractors, &question)?.events;
    events.retain(|event| event.old.is_some() && event.new.is_some());
    Ok(events)
}

/// The llama.cpp that the version which runs pins, where that is stored.
///
/// # Errors
/// Those of the store.
pub fn installed_pin(
    store: &Store,
    upstreams: &Upstreams,
    reading: &RigReading,
) -> Result<Option<String>, QueryError> {
    let rules = RigRules::shipped()?;
    let server = upstreams.get(&rules.server)?;
    let Some(tag) = installed(store, server, reading, None)? else { return Ok(None) };
    let pins = pins_of(store, upstreams, server, &tag)?.unwrap_or_default();
    let mut own = pins.into_iter().filter(|pin| pin.upstream == rules.engine);
    Ok(own.next().map(|pin| pin.value))
}

/// What the rig's llama.cpp is, and what the newest release pins.
fn pins(
    store: &Store,
    upstreams: &Upstreams,
    server: &Upstream,
    rules: &RigRules,
    now: &UpstreamNow,
    expected: Option<&KnownBuild>,
) -> Result<Vec<PinNow>, QueryError> {
    let of = |tag: &Option<String>| match tag {
        Some(tag) => Ok(pins_of(store, upstreams, server, tag)?.unwrap_or_default()),
        None => Ok::<_, QueryError>(Vec::new()),
    };
    let (own, newest) = (of(&now.installed)?, of(&now.newest)?);
    let mut out: Vec<PinNow> = Vec::new();
    for pin in newest.iter().chain(&own) {
        if out.iter().any(|known| known.pin == pin.pin) {
            continue;
        }
        let value = |pins: &[PinValue]| {
            pins.iter().find(|one| one.pin == pin.pin).map(|one| one.value.clone())
        };
        let built = expected.and_then(|build| build.pin.clone());
        let built = built.filter(|_| pin.upstream == rules.engine);
        let (rig, rig_by) = match (built, value(&own)) {
            (Some(built), _) => (Some(built), Some("rig file")),
            (None, Some(own)) => (Some(own), Some("installed version")),
            (None, None) => (None, None),
        };
        out.push(PinNow {
            pin: pin.pin.clone(),
            upstream: pin.upstream.clone(),
            rig,
            rig_by,
            newest: value(&newest),
        });
    }
    Ok(out)
}
