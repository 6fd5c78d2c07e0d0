//! Gathering what a brief tells.

use headwater_store::evidence::Basis;
use headwater_store::upstream::{Upstream, Upstreams};
use headwater_store::{StatementKind, Store, UpstreamId};

use super::report::{AbiWindow, Brief, NewestRelease, OptionsMoved, VersionLine};
use super::{effective, headline, rebuild, toolkits};
use crate::QueryError;
use crate::digest::{DigestRequest, digest};
use crate::ledger::Extractors;
use crate::pins::PinReader;
use crate::rig::{RigReport, RigRules, moved, pins_of, unknown};
use crate::said::{self, AdvisorySaid, Affected};
use crate::why::OpenQuestion;
use crate::window::{Resolver, WindowSpec, newest};

/// What a brief is asked for.
pub struct BriefQuestion<'a> {
    /// The rig, as it was compared.
    pub rig: RigReport,
    /// The version to upgrade to; the newest where none is named.
    pub to: Option<String>,
    /// The declared upstreams.
    pub upstreams: &'a Upstreams,
    /// The rules that defaults are read by.
    pub extractors: &'a Extractors,
    /// The digest to tell.
    pub digest: DigestRequest<'a>,
    /// The command that asks it again.
    pub question: String,
    /// Threads that may work on it.
    pub jobs: usize,
}

/// Gathers a brief.
///
/// # Errors
/// A version that is not known, and those of the store.
pub fn brief(store: &mut Store, asked: BriefQuestion<'_>) -> Result<Brief, QueryError> {
    let rules = RigRules::shipped()?;
    let (server, engine) =
        (asked.upstreams.get(&rules.server)?, asked.upstreams.get(&rules.engine)?);
    let mut open = asked.rig.open.clone();
    let to = match &asked.to {
        Some(name) => Some(match Resolver::new(store, server)?.resolve(name) {
            // Its tag is known, and what it holds is an open question.
            Err(QueryError::NotStored { what, .. }) => what,
            found => found?.name,
        }),
        None => asked.rig.upstream.newest.clone(),
    };
    let installed = asked.rig.upstream.installed.clone();
    let own = asked.rig.upstream.pins.iter().find(|pin| pin.upstream == engine.name);
    let own = own.and_then(|pin| pin.rig.clone());
    // What is known by its tag alone is told of by its name alone.
    let mut reach = to.clone();
    let other = match &to {
        Some(to) => match pins_of(store, asked.upstreams, server, to)? {
            Some(pins) => {
                pins.into_iter().find(|pin| pin.upstream == engine.name).map(|pin| pin.value)
            }
            None => {
                reach = None;
                let base = installed.clone().unwrap_or_else(|| "previous".to_owned());
                let rederive = vec![format!("headwater crawl {} {base}..{to}", server.name)];
                if !open.iter().any(|known| known.rederive == rederive) {
                    let question = format!("what {to} brings: it is known by its tag alone");
                    open.push(OpenQuestion { question, grade: Basis::Lacking.grade(), rederive });
                }
                None
            }
        },
        None => None,
    };

    let mut built = Vec::new();
    for (upstream, at) in [(server, &reach), (engine, &other)] {
        let Some(at) = at else { continue };
        match toolkits::built(store, upstream, asked.extractors, &rules, at, &asked.rig, asked.jobs)
        {
            Ok(found) => built.extend(found),
            Err(why) => {
                let window = WindowSpec { base: at.clone(), head: at.clone() };
                open.push(unknown(upstream, &window, why)?);
            }
        }
    }

    let mut options = Vec::new();
    for (upstream, base, head) in [(server, &installed, &reach), (engine, &own, &other)] {
        let (Some(base), Some(head)) = (base, head) else { continue };
        if base == head {
            continue;
        }
        let window = WindowSpec { base: base.clone(), head: head.clone() };
        match moved(store, upstream, asked.extractors, &window, asked.jobs) {
            Ok(mut events) => {
                let is_home = |path: &str| {
                    upstream.pins.iter().flat_map(|pin| &pin.homes).any(|home| home.path == path)
                };
                events.retain(|event| event.scope == "build" && !is_home(&event.path));
                options.push(OptionsMoved {
                    upstream: upstream.name.clone(),
                    base: window.base,
                    head: window.head,
                    events,
                });
            }
            Err(why) => open.push(unknown(upstream, &window, why)?),
        }
    }

    let abi: AbiWindow = match store.find_upstream(&engine.name)? {
        Some(_) => rebuild::headers(store, engine, own.as_deref(), other.as_deref())?,
        None => rebuild::headers(store, engine, None, None)?,
    };
    let names: Vec<String> =
        asked.rig.models.get().into_iter().flatten().map(|model| model.name.clone()).collect();
    let found = match (&installed, &reach) {
        (Some(base), Some(head)) if base != head => effective::moves(
            store,
            asked.upstreams,
            asked.extractors,
            server,
            [base, head],
            &names,
        )?,
        _ => effective::Found::default(),
    };
    open.extend(found.open);

    let mut advisories = Vec::new();
    for (upstream, base, head) in [(server, &installed, &to), (engine, &own, &other)] {
        advisories.extend(advised(store, upstream, base, head, &mut open)?);
    }
    let all = advisories.len();
    // What is certain to be about something else is only counted.
    advisories.retain(|one| one.versions.iter().any(|v| v.affected != Affected::No));
    let mut releases = Vec::new();
    for (id, name) in store.upstream_names()? {
        let Some(upstream) = asked.upstreams.find(&name) else { continue };
        for tag in newest(store, upstream)? {
            releases.extend(release(store, asked.upstreams, upstream, id, tag)?);
        }
    }
    let mut out = Brief {
        schema: "headwater/brief/1",
        headline: String::new(),
        question: asked.question,
        to,
        versions: versions(&asked.rig),
        rig: asked.rig,
        releases,
        toolkits: built,
        options,
        abi,
        effective: found.moves,
        models: found.models,
        other_advisories: all - advisories.len(),
        advisories,
        digest: digest(store, asked.upstreams, &asked.digest)?,
        open,
    };
    out.headline = headline::line(&out);
    Ok(out)
}

/// A release and its pins, where its commit is stored.
fn release(
    store: &Store,
    upstreams: &Upstreams,
    upstream: &Upstream,
    id: UpstreamId,
    tag: String,
) -> Result<Option<NewestRelease>, QueryError> {
    let Some(seen) = store.tag(id, &tag)? else { return Ok(None) };
    let Some(commit) = store.commit(id, seen.commit)? else { return Ok(None) };
    let pins = match upstream.pins.is_empty() {
        true => Vec::new(),
        false => PinReader::new(store, upstreams, upstream)?.pins(commit.commit().tree)?,
    };
    Ok(Some(NewestRelease {
        upstream: upstream.name.clone(),
        tag,
        sha: commit.commit().oid,
        date: commit.commit().committed,
        pins: pins.into_iter().map(|pin| (pin.pin, pin.value)).collect(),
        grade: Basis::Objects.grade(),
    }))
}

/// An upstream's advisories, with whether each is about the two versions.
fn advised(
    store: &Store,
    upstream: &Upstream,
    base: &Option<String>,
    head: &Option<String>,
    open: &mut Vec<OpenQuestion>,
) -> Result<Vec<AdvisorySaid>, QueryError> {
    let Some(id) = store.find_upstream(&upstream.name)? else { return Ok(Vec::new()) };
    let versions: Vec<(&'static str, String)> = [("installed", base), ("after", head)]
        .into_iter()
        .filter_map(|(role, version)| Some((role, version.clone()?)))
        .collect();
    if store.look(id, StatementKind::Advisory, "all")?.is_none() {
        open.push(OpenQuestion {
            question: format!("which security advisories {} has: nobody asked", upstream.name),
            grade: Basis::Lacking.grade(),
            rederive: vec![format!("headwater crawl {} --notes", upstream.name)],
        });
    }
    said::advisories(store, upstream, id, &versions, None)
}

/// The versions of what is installed, each with who says so.
fn versions(rig: &RigReport) -> Vec<VersionLine> {
    let mut out = Vec::new();
    let mut line = |what: &str, version: Option<&str>, by: &str| {
        out.extend(version.map(|version| VersionLine {
            what: what.to_owned(),
            version: version.to_owned(),
            by: by.to_owned(),
        }));
    };
    line("Ollama", rig.server.get().map(|s| s.version.as_str()), "its server");
    if let Some(build) = &rig.expected {
        line("build that should be installed", Some(&build.name), "the rig file");
        line("its Ollama", build.ollama.as_deref(), "the rig file");
        line("its pin", build.pin.as_deref(), "the rig file");
        let toolkit = &build.toolkit;
        line("its toolkit, by release", toolkit.release.as_deref(), "the rig file");
        line("its toolkit, by version.json", toolkit.version_json.as_deref(), "the rig file");
        line("its toolkit, by nvcc", toolkit.nvcc.as_deref(), "the rig file");
    }
    let nvcc = rig.toolkit.nvcc.get();
    line("nvcc", nvcc.map(|n| n.version.as_str()), "nvcc itself");
    line("nvcc's release", nvcc.map(|n| n.release.as_str()), "nvcc itself");
    let whole = rig.toolkit.version_json.get();
    line("CUDA, by version.json", whole.map(|w| w.version.as_str()), "version.json");
    let cublas = whole.and_then(|w| w.parts.get("libcublas"));
    line("cuBLAS of the toolkit", cublas.map(String::as_str), "version.json");
    let gpu = rig.toolkit.gpus.get().and_then(|gpus| gpus.first());
    line("driver", gpu.map(|g| g.driver.as_str()), "nvidia-smi");
    line("device", gpu.map(|g| g.name.as_str()), "nvidia-smi");
    out
}
