//! What the trees of a server and of its engine say at one version.

use headwater_store::upstream::{Upstream, Upstreams};
use headwater_store::{Oid, Store, StoredCommit};

use super::rules::{self, ServerRule};
use crate::QueryError;
use crate::derive::tree_tables::{Placed, placed};
use crate::ledger::{Entry, Extractors, Scope, spelling};
use crate::pins::PinReader;

/// A server at one version.
pub(crate) struct ServerAt {
    pub rule: ServerRule,
    /// The options of a request.
    pub options: Vec<Placed>,
    /// Environment variables, which options may ask.
    pub env: Vec<Placed>,
    /// What the server decides itself.
    pub decisions: Vec<Placed>,
    /// Flags that it hands to the engine.
    pub flags: Vec<Placed>,
    /// What it writes of an option into each request to the engine.
    pub handed: Vec<Handed>,
    /// The engine, where this version has it and it is stored.
    pub engine: Option<EngineAt>,
    /// Why not, where it is not.
    pub no_engine: Option<String>,
}

/// An option that every request to the engine carries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Handed {
    /// The engine's name.
    pub field: String,
    /// The server's name, as its code spells it.
    pub option: String,
    pub path: String,
    pub line: u32,
}

/// An engine at one version.
pub(crate) struct EngineAt {
    pub upstream: String,
    pub commit: StoredCommit,
    /// The pin's value.
    pub pin: String,
    pub params: Vec<Placed>,
    /// The flags that it takes, each with its other names.
    pub help: Vec<Placed>,
    /// Values of its server program.
    pub program: Vec<Placed>,
}

/// What is to be read: the server's own decisions cost most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Options, variables and flags; of the engine only which it is.
    Options,
    /// The engine's parameters too.
    Handed,
    /// The server's decisions too.
    All,
}

/// Reads a server's tree, and that of the engine that it pins.
pub(crate) fn read(
    store: &Store,
    upstreams: &Upstreams,
    extractors: &Extractors,
    upstream: &Upstream,
    commit: &StoredCommit,
    reach: Reach,
) -> Result<Option<ServerAt>, QueryError> {
    let Some(rule) = rules::of(upstream)? else { return Ok(None) };
    let tree = commit.commit().tree;
    let wanted = |_: &str, scope: Scope| match scope {
        Scope::RequestOption | Scope::Env | Scope::RunnerFlag => true,
        Scope::Server => reach == Reach::All,
        _ => false,
    };
    let all = placed(store, extractors, &upstream.name, tree, &wanted)?;
    let of = |scope: Scope| -> Vec<Placed> {
        all.iter().filter(|p| p.entry.scope == scope).cloned().collect()
    };
    let handed = handed(store, &upstream.name, &rule, tree)?;
    let found = engine(store, upstreams, extractors, upstream, &rule, tree, reach)?;
    let (engine, no_engine) = match found {
        Ok(engine) => (Some(engine), None),
        Err(why) => (None, Some(why)),
    };
    Ok(Some(ServerAt {
        options: of(Scope::RequestOption),
        env: of(Scope::Env),
        decisions: of(Scope::Server),
        flags: of(Scope::RunnerFlag),
        handed,
        engine,
        no_engine,
        rule,
    }))
}

fn handed(
    store: &Store,
    upstream: &str,
    rule: &ServerRule,
    tree: Oid,
) -> Result<Vec<Handed>, QueryError> {
    let pattern = rule.field()?;
    let mut reader = store.objects(upstream)?.reader();
    let mut out: Vec<Handed> = Vec::new();
    for path in &rule.files {
        let Some(bytes) = reader.file(tree, path)? else { continue };
        let text = String::from_utf8_lossy(&bytes);
        for (line, number) in text.lines().zip(1_u32..) {
            let Some(found) = pattern.captures(line) else { continue };
            let of = |group: &str| found.name(group).map_or("", |m| m.as_str()).to_owned();
            let one = Handed {
                field: of("field"),
                option: of("option"),
                path: path.clone(),
                line: number,
            };
            if !out.iter().any(|known| known.field == one.field) {
                out.push(one);
            }
        }
    }
    Ok(out)
}

/// The engine that a tree pins; in words why it is not known, where it is not.
fn engine(
    store: &Store,
    upstreams: &Upstreams,
    extractors: &Extractors,
    upstream: &Upstream,
    rule: &ServerRule,
    tree: Oid,
    reach: Reach,
) -> Result<Result<EngineAt, String>, QueryError> {
    let mut pins = PinReader::new(store, upstreams, upstream)?;
    let declared = upstream.engines.iter().find(|engine| engine.name == rule.engine);
    for fact in declared.iter().flat_map(|engine| &engine.present) {
        if pins.objects().entry(tree, &fact.path)?.is_none() {
            return Ok(Err(format!(
                "this version does not run models by {} (it has no {}), so no engine's defaults are told",
                rule.engine, fact.path
            )));
        }
    }
    let all = pins.pins(tree)?;
    let Some(pin) = all.into_iter().find(|pin| pin.pin == rule.pin) else {
        return Ok(Err(format!("this version pins no {}", rule.pin)));
    };
    let target = match pins.target(&pin)? {
        Ok(target) => target,
        Err(why) => {
            return Ok(Err(format!("the engine's defaults at {} are not known: {why}", pin.value)));
        }
    };
    let wanted = |id: &str, scope: Scope| id == rule.params || scope == Scope::CliHelp;
    let tree = target.commit.commit().tree;
    let all = match reach {
        Reach::Options => Vec::new(),
        _ => placed(store, extractors, &pin.upstream, tree, &wanted)?,
    };
    let is_param = |p: &&Placed| extractors.id_of(&p.entry) == Some(rule.params.as_str());
    let program = format!("@{}", rule.program);
    let of = |keep: &dyn Fn(&Placed) -> bool| -> Vec<Placed> {
        all.iter().filter(|p| keep(p)).cloned().collect()
    };
    Ok(Ok(EngineAt {
        params: of(&|p| is_param(&p)),
        help: of(&|p| p.entry.scope == Scope::CliHelp),
        program: of(&|p| p.entry.knob.ends_with(&program)),
        upstream: pin.upstream,
        pin: pin.value,
        commit: target.commit,
    }))
}

impl EngineAt {
    /// Every spelling of one of its parameters, by the flags that set it.
    fn spellings(&self, knob: &str) -> Vec<String> {
        let field = knob.rsplit('.').next().unwrap_or(knob);
        let own = spelling(field);
        let mut out = vec![own.clone()];
        for Placed { entry, .. } in &self.help {
            let names = || std::iter::once(&entry.knob).chain(&entry.names);
            if names().any(|name| spelling(name) == own) {
                out.extend(names().map(|name| spelling(name)));
            }
        }
        out
    }

    /// Whether a flag sets one of its parameters: written as it stands, so that `-c` and
    /// `-C` are two.
    pub(super) fn takes(&self, knob: &str, flag: &str) -> bool {
        let field = spelling(knob.rsplit('.').next().unwrap_or(knob));
        self.help.iter().any(|Placed { entry, .. }| {
            let names = || std::iter::once(&entry.knob).chain(&entry.names);
            names().any(|name| name == flag)
                && names().any(|name| !name.starts_with('-') && spelling(name) == field)
        })
    }
}

impl ServerAt {
    /// What is said of an engine's parameter in every request.
    pub(crate) fn hands(&self, knob: &str) -> Option<&Handed> {
        let engine = self.engine.as_ref()?;
        let names = engine.spellings(knob);
        self.handed.iter().find(|handed| names.contains(&spelling(&handed.field)))
    }

    /// The flag that sets an engine's parameter, where the server may pass one.
    pub(crate) fn flag(&self, knob: &str) -> Option<&Placed> {
        let engine = self.engine.as_ref()?;
        self.flags.iter().find(|flag| engine.takes(knob, &flag.entry.knob))
    }

    /// The variable that an option asks, where it asks one.
    pub(crate) fn asks(&self, option: &Entry) -> Option<&Placed> {
        self.env.iter().find(|env| {
            env.entry.names.iter().any(|name| option.value.contains(&format!(".{name}(")))
        })
    }
}
