//! Which stored models a default change reaches: those that do not set the knob.

use chrono::{DateTime, Utc};
use headwater_store::evidence::{Basis, Grade};
use headwater_store::upstream::{Upstream, Upstreams};
use headwater_store::{ModelName, ModelPlace, ModelVersion, Oid, Store, StoredCommit};
use schemars::JsonSchema;
use serde::Serialize;

use super::effective::{
    Options, Passed, Reach, ServerAt, number_or_text, passed, read, rule_of, runs, servers_over,
};
use crate::QueryError;
use crate::defaults::event_of;
use crate::ledger::{Event, Extractors, Scope};
use crate::meant::meant;

/// Which models a changed default reaches.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct EffectsAnswer {
    /// `headwater/effects/1`
    pub schema: &'static str,
    /// The upstream.
    pub upstream: String,
    /// The commit.
    pub sha: Oid,
    /// Its subject: a stranger's text.
    pub subject: String,
    /// When it was committed.
    pub date: DateTime<Utc>,
    /// Each default that it moves, and which models that reaches.
    pub effects: Vec<EffectOf>,
    /// How many models are stored.
    pub models: usize,
}

/// One default that moves.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct EffectOf {
    /// The knob.
    pub knob: String,
    /// Its scope.
    pub scope: String,
    /// The value before.
    pub old: Option<String>,
    /// The value after.
    pub new: Option<String>,
    /// The file.
    pub path: String,
    /// The line.
    pub line: u32,
    /// How well the move is supported.
    pub grade: Grade,
    /// What holds for all models.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Models that run with the new value.
    pub reached: Vec<Reached>,
    /// Models that do not.
    pub spared: Vec<Reached>,
    /// Models of which it cannot be told.
    pub unknown: Vec<Reached>,
}

/// A model, and why it stands where it stands.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Reached {
    /// The model.
    pub model: ModelName,
    /// Where it was seen.
    pub place: ModelPlace,
    /// The first digits of its manifest's digest.
    pub id: String,
    /// Why.
    pub why: String,
    /// How well its parameters are supported.
    pub grade: Grade,
}

/// A stored model as it last was.
struct Known {
    name: ModelName,
    place: ModelPlace,
    version: ModelVersion,
}

/// What one model meets of a change.
enum Meets {
    Yes(String),
    No(String),
    Untold(String),
}

/// Which models the defaults that a commit moves reach.
///
/// # Errors
/// An unknown commit, and those of the store.
pub fn effects(
    store: &Store,
    upstreams: &Upstreams,
    extractors: &Extractors,
    upstream: Option<&str>,
    revision: &str,
) -> Result<Vec<EffectsAnswer>, QueryError> {
    let mut known = Vec::new();
    for seen in store.models()? {
        let Some(digest) = seen.manifest else { continue };
        let Some(version) = store.model_version(digest)? else { continue };
        known.push(Known { name: seen.name, place: seen.place, version });
    }
    let mut out = Vec::new();
    for (upstream, commit) in meant(store, upstreams, upstream, revision)? {
        let mut effects = Vec::new();
        for row in store.default_events_of(&[commit.id()])? {
            let event = event_of(&row);
            if event.is_move() {
                effects
                    .push(effect(store, upstreams, extractors, upstream, &commit, &event, &known)?);
            }
        }
        out.push(EffectsAnswer {
            schema: "headwater/effects/1",
            upstream: upstream.name.clone(),
            sha: commit.commit().oid,
            subject: commit.commit().subject().to_owned(),
            date: commit.commit().committed,
            effects,
            models: known.len(),
        });
    }
    Ok(out)
}

fn effect(
    store: &Store,
    upstreams: &Upstreams,
    extractors: &Extractors,
    upstream: &Upstream,
    commit: &StoredCommit,
    event: &Event,
    known: &[Known],
) -> Result<EffectOf, QueryError> {
    let mut out = EffectOf {
        knob: event.knob.clone(),
        scope: event.scope.name().to_owned(),
        old: event.old.clone(),
        new: event.new.clone(),
        path: event.path.clone(),
        line: event.line,
        grade: Basis::Rule.grade(),
        note: None,
        reached: Vec::new(),
        spared: Vec::new(),
        unknown: Vec::new(),
    };
    let says_nothing = match event.scope {
        Scope::Docs => Some("a page says it: no model runs otherwise by it"),
        Scope::CliHelp => Some("a help text says it: what runs is decided elsewhere"),
        Scope::Bench => Some("only the benchmark program has this default"),
        Scope::Build => Some("decided when the program is built, for all models alike"),
        _ => None,
    };
    if let Some(words) = says_nothing {
        out.note = Some(words.to_owned());
        return Ok(out);
    }
    let mut judge: Box<dyn Fn(&Known) -> Meets> = Box::new(|_| {
        Meets::Untold(
            "no parameter of a model: where it holds depends on the machine and on settings"
                .to_owned(),
        )
    });
    if rule_of(upstream)?.is_some() {
        let server = read(store, upstreams, extractors, upstream, commit, Reach::Handed)?;
        if let Some(options) = server.as_ref().map(|server| options_of(server, event)) {
            if let Some(variable) = options.asked_by.clone() {
                out.note = Some(format!("unless {variable} is set in the server's environment"));
            }
            if !options.names.is_empty() {
                judge = Box::new(move |model| by_params(model, &options.names));
            }
        }
    } else {
        let servers = servers_over(&upstream.name)?;
        let server = match servers.first() {
            Some(name) => newest(store, upstreams, extractors, name)?,
            None => None,
        };
        if let Some((name, server)) = server {
            let declared = upstreams.get(&name)?;
            let (note, words) = match of_other_programs(store, extractors, upstream, commit, event)?
            {
                Some(words) => (None, Engine::Always(words)),
                None => by_engine(&server, &name, event),
            };
            out.note = note;
            let engine = server.rule.engine.clone();
            let declared = declared.clone();
            judge = Box::new(move |model| of_engine(model, &declared, &engine, &words));
        }
    }
    for resolve in extractors.resolves(&upstream.name, event) {
        let cases: Vec<String> = resolve
            .cases
            .iter()
            .map(|case| {
                let device = match case.integrated {
                    Some(true) => " (integrated)",
                    Some(false) => " (discrete)",
                    None => "",
                };
                format!("{}{device}: {}", case.backends.join(", "), case.becomes)
            })
            .collect();
        let words = format!("decided at run time: {}", cases.join("; "));
        out.note = Some(match out.note.take() {
            Some(note) => format!("{note}; {words}"),
            None => words,
        });
    }
    for model in known {
        let meets = judge(model);
        let (list, why) = match meets {
            Meets::Yes(why) => (&mut out.reached, why),
            Meets::No(why) => (&mut out.spared, why),
            Meets::Untold(why) => (&mut out.unknown, why),
        };
        list.push(Reached {
            model: model.name.clone(),
            place: model.place,
            id: model.version.manifest.short(),
            why,
            grade: model.version.grade(),
        });
    }
    Ok(out)
}

/// The options of a request that an event is about.
struct About {
    names: Vec<String>,
    /// The variable through which it reaches them, where it does.
    asked_by: Option<String>,
}

fn options_of(server: &ServerAt, event: &Event) -> About {
    match event.scope {
        Scope::RequestOption => About { names: vec![event.knob.clone()], asked_by: None },
        Scope::Env => {
            let asks = |name: &str| server.options.iter().any(|o| o.entry.knob == name);
            let through: Vec<String> = server
                .options
                .iter()
                .filter(|o| server.asks(&o.entry).is_some_and(|env| env.entry.knob == event.knob))
                .map(|o| o.entry.knob.clone())
                .filter(|name| asks(name))
                .collect();
            About { names: through, asked_by: Some(event.knob.clone()) }
        }
        _ => About { names: Vec::new(), asked_by: None },
    }
}

/// A model that sets one of the options itself is not reached.
fn by_params(model: &Known, options: &[String]) -> Meets {
    let Some(reading) = model.version.reading() else {
        return Meets::Untold("nothing is known of its parameters".to_owned());
    };
    if !model.version.agrees() {
        return Meets::Untold("the transports do not agree on its parameters".to_owned());
    }
    let set = options.iter().find_map(|name| {
        let value = reading.params.as_ref()?.get(name)?;
        Some(format!("it sets {name} {}", number_or_text(value)))
    });
    match set {
        Some(why) => Meets::No(why),
        None => Meets::Yes(format!("it sets no {}", options.join(", "))),
    }
}

/// What a server does with a knob of its engine, for all models alike.
enum Engine {
    Always(String),
    Sometimes(String),
    Never,
    NotKnown(String),
}

/// That no program which serves models takes the option of an event, in words.
fn of_other_programs(
    store: &Store,
    extractors: &Extractors,
    engine: &Upstream,
    commit: &StoredCommit,
    event: &Event,
) -> Result<Option<String>, QueryError> {
    let mut reader = store.objects(&engine.name)?.reader();
    let options = extractors.options(&engine.name, commit.commit().tree, &mut reader)?;
    let programs = options.and_then(|options| options.only_others(&event.knob));
    Ok(programs.map(|all| format!("only {} takes it", all.join(", "))))
}

fn by_engine(server: &ServerAt, name: &str, event: &Event) -> (Option<String>, Engine) {
    if event.scope == Scope::Server {
        let words = "a setting of the engine's server program".to_owned();
        return (None, Engine::NotKnown(words));
    }
    if server.engine.is_none() {
        let why = server.no_engine.clone().unwrap_or_default();
        return (None, Engine::NotKnown(why));
    }
    if let Some(handed) = server.hands(&event.knob) {
        let words = format!("{name} sends {} with each request", handed.field);
        let note = format!("{words} ({}:{})", handed.path, handed.line);
        return (Some(note), Engine::Always(words));
    }
    // No model is in question here, so that no option is known: only what is always so.
    match server.flag(&event.knob) {
        Some(flag) if passed(&flag.entry, &Options::new()) == Passed::Depends => {
            let note = format!("unless {name} passes {}: {}", flag.entry.knob, flag.entry.value);
            (Some(note.clone()), Engine::Sometimes(note))
        }
        Some(flag) => {
            let words = format!("{name} always passes {}", flag.entry.knob);
            (Some(format!("{words} ({}:{})", flag.path, flag.entry.line)), Engine::Always(words))
        }
        None => (None, Engine::Never),
    }
}

fn of_engine(model: &Known, server: &Upstream, engine: &str, how: &Engine) -> Meets {
    let format = model.version.reading().and_then(|r| r.facts.format.clone());
    let Some(format) = format else {
        return Meets::Untold("its format is not known".to_owned());
    };
    if !runs(server, engine, &format) {
        return Meets::No(format!("it is {format}, which {engine} does not run"));
    }
    match how {
        Engine::Always(words) => Meets::No(words.clone()),
        Engine::Sometimes(words) => Meets::Yes(words.clone()),
        Engine::Never => Meets::Yes(format!("{} hands no such setting on", server.name)),
        Engine::NotKnown(words) => Meets::Untold(words.clone()),
    }
}

/// A server as its default branch has it now.
fn newest(
    store: &Store,
    upstreams: &Upstreams,
    extractors: &Extractors,
    name: &str,
) -> Result<Option<(String, ServerAt)>, QueryError> {
    let upstream = upstreams.get(name)?;
    let Some(id) = store.find_upstream(&upstream.name)? else { return Ok(None) };
    let Some((head, _)) = store.branch(id, &upstream.branch)? else { return Ok(None) };
    let Some(commit) = store.commit(id, head)? else { return Ok(None) };
    let server = read(store, upstreams, extractors, upstream, &commit, Reach::Handed)?;
    Ok(server.map(|server| (upstream.name.clone(), server)))
}
