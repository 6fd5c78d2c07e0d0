//! `headwater crawl models`: what registries and this machine say of models.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use etcetera::BaseStrategy as _;
use headwater_crawler::http::{Client, Hosts};
use headwater_crawler::registry::{
    Library, ModelChange, ModelOutcome, crawl_installed, crawl_models,
};
use headwater_store::{ModelName, ModelPlace, Store};

use crate::context::Context;
use crate::progress::Shown;
use crate::render::text::one_line;

/// Options for models only.
#[derive(Debug, clap::Args)]
pub struct ModelArgs {
    /// models: read what is installed here: the models folder (OLLAMA_MODELS, or
    /// ~/.ollama/models) and the local server
    #[arg(long)]
    pub installed: bool,
    /// models: every tag that the library lists for each NAME
    #[arg(long)]
    pub tags: bool,
}

impl ModelArgs {
    /// An upstream has neither.
    pub fn refuse_for(&self, upstream: &str) -> anyhow::Result<()> {
        if self.installed || self.tags {
            bail!("--installed and --tags go with `crawl models`, not with {upstream}");
        }
        Ok(())
    }
}

/// Asks for the models that are named, stored or listed, and tells what came of each.
pub fn run(context: &Context, names: &[String], args: &ModelArgs) -> anyhow::Result<ExitCode> {
    let hosts = context.hosts()?;
    let client = context.client()?;
    let progress = Shown::new();
    if args.installed {
        if !names.is_empty() || args.tags {
            bail!("--installed reads all that is installed: leave names and --tags out");
        }
        let mut store = context.open_or_create()?;
        let dir = models_dir()?;
        let found = crawl_installed(&mut store, &client, &hosts, &dir, &progress)?;
        let mut stdout = anstream::stdout();
        if found.no_folder.is_some() {
            writeln!(stdout, "no models folder was read (OLLAMA_MODELS names one)")?;
        }
        if let Some(why) = &found.no_server {
            writeln!(stdout, "no local server was asked: {}", one_line(why))?;
        }
        return tell(&found.models);
    }
    let mut store = context.open_or_create()?;
    let names = wanted(&store, &client, &hosts, names, args.tags)?;
    let outcomes = crawl_models(&mut store, &client, &hosts, &names, &progress)?;
    let code = tell(&outcomes)?;
    if outcomes.len() < names.len() {
        let left = names.len() - outcomes.len();
        writeln!(anstream::stderr(), "headwater: {left} models were not asked for")?;
    }
    Ok(code)
}

/// The names to ask for, and in a line how they were chosen.
fn wanted(
    store: &Store,
    client: &Client,
    hosts: &Hosts,
    given: &[String],
    all_tags: bool,
) -> anyhow::Result<Vec<ModelName>> {
    let mut stderr = anstream::stderr();
    let library = Library::new(client, &hosts.library);
    if given.is_empty() {
        if all_tags {
            bail!("--tags needs the names of models");
        }
        let known = store.models()?.into_iter().filter(|m| m.place == ModelPlace::Registry);
        let known: Vec<ModelName> = known.map(|m| m.name).collect();
        if !known.is_empty() {
            writeln!(stderr, "the {} models that are stored:", known.len())?;
            return Ok(known);
        }
        let listed = library.models(store)?;
        writeln!(
            stderr,
            "no model is stored, so one tag of each of the {} that the library lists:",
            listed.len()
        )?;
        let mut out = Vec::new();
        for model in listed {
            let tags = library.tags(store, &model)?;
            let latest = tags.iter().find(|tag| tag.tag() == "latest").or(tags.first());
            out.extend(latest.cloned());
        }
        return Ok(out);
    }
    let mut out = Vec::new();
    let mut seen = BTreeSet::new();
    for text in given {
        let name: ModelName = text.parse()?;
        let tags = if all_tags {
            if !name.is_of_library() || text.contains(':') {
                bail!("--tags lists a model of the library, like gemma4; {text:?} is none");
            }
            library.tags(store, name.model())?
        } else {
            vec![name]
        };
        out.extend(tags.into_iter().filter(|name| seen.insert(name.clone())));
    }
    Ok(out)
}

/// Prints what came of each name; status 2 where one failed.
fn tell(outcomes: &[ModelOutcome]) -> anyhow::Result<ExitCode> {
    let mut stdout = anstream::stdout();
    let mut failed = false;
    for (name, outcome) in outcomes {
        let line = match outcome {
            Ok(ModelChange::New(digest)) => format!("{name}: new, {}", digest.short()),
            Ok(ModelChange::Same(digest)) => format!("{name}: as before, {}", digest.short()),
            Ok(ModelChange::Moved { old, new }) => {
                format!(
                    "{name}: {} → {}; `headwater model {name}` tells what changed",
                    old.short(),
                    new.short()
                )
            }
            Ok(ModelChange::Gone) => format!("{name}: gone"),
            Err(error) => {
                failed = true;
                let line = one_line(&format!("{error:#}"));
                writeln!(anstream::stderr(), "headwater: {line}")?;
                continue;
            }
        };
        writeln!(stdout, "{}", one_line(&line))?;
    }
    Ok(if failed { ExitCode::from(2) } else { ExitCode::SUCCESS })
}

/// Where Ollama keeps its models.
pub fn models_dir() -> anyhow::Result<PathBuf> {
    if let Some(dir) = std::env::var_os("OLLAMA_MODELS").filter(|dir| !dir.is_empty()) {
        return Ok(dir.into());
    }
    let base = etcetera::choose_base_strategy()
        .context("cannot tell where models are kept; set OLLAMA_MODELS")?;
    Ok(base.home_dir().join(".ollama").join("models"))
}
