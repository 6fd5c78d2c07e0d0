//! What every command needs: where the store is, which upstreams there are, how to print.

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::{Context as _, bail};
use etcetera::BaseStrategy as _;
use headwater_crawler::http::{Client, Hosts, Settings};
use headwater_queries::classify::{RuleTexts, Rules};
use headwater_queries::derive::labels::Sources;
use headwater_queries::ledger::Extractors;
use headwater_queries::public::Scrub;
use headwater_store::upstream::Upstreams;
use headwater_store::{Digest, ObservedInput, Store, StoreError};

use crate::args::{Format, Global};
use crate::lying::AsItLies;
use crate::made::Made;
use crate::progress::with_readings;

/// The surroundings of a command.
pub struct Context {
    /// The options that every command takes.
    pub global: Global,
    /// The declared upstreams.
    pub upstreams: Upstreams,
    /// The store that this command made.
    pub made: Made,
    /// The store, where it is read as it lies.
    pub lying: AsItLies,
    /// Read when first asked for: with them goes what they read.
    extractors: OnceLock<Extractors>,
}

impl Context {
    /// Reads the upstream files and settles on colours.
    pub fn new(global: Global) -> anyhow::Result<Self> {
        let choice = match global.color {
            clap::ColorChoice::Auto => anstream::ColorChoice::Auto,
            clap::ColorChoice::Always => anstream::ColorChoice::Always,
            clap::ColorChoice::Never => anstream::ColorChoice::Never,
        };
        choice.write_global();
        let upstreams = match etcetera::choose_base_strategy() {
            Ok(base) => {
                Upstreams::with_dir(&base.config_dir().join("headwater").join("upstreams"))?
            }
            Err(_) => Upstreams::built_in()?,
        };
        let (made, lying, extractors) = (Made::default(), AsItLies::default(), OnceLock::new());
        Ok(Context { global, upstreams, made, lying, extractors })
    }

    /// The rules that give classes: the built-in ones, then the user's own.
    pub fn rule_texts(&self) -> anyhow::Result<RuleTexts> {
        Ok(match etcetera::choose_base_strategy() {
            Ok(base) => {
                let own = base.config_dir().join("headwater").join("rules").join("classes");
                RuleTexts::with_dir(&own)?
            }
            Err(_) => RuleTexts::built_in(),
        })
    }

    /// The same rules, ready to run.
    pub fn rules(&self) -> anyhow::Result<Rules> {
        Ok(self.rule_texts()?.compile()?)
    }

    /// The extractors of defaults: the built-in ones, then the user's own; read once, so
    /// that all questions of a server know what was read with them.
    pub fn extractors(&self) -> anyhow::Result<Extractors> {
        if let Some(extractors) = self.extractors.get() {
            return Ok(extractors.clone());
        }
        let own = etcetera::choose_base_strategy()
            .ok()
            .map(|base| base.config_dir().join("headwater").join("rules").join("defaults"))
            .filter(|dir| dir.is_dir());
        let made = match own {
            Some(dir) => Extractors::with_folder(&dir)?,
            None => Extractors::built_in()?,
        };
        Ok(self.extractors.get_or_init(|| made).clone())
    }

    /// What decides a label.
    pub fn labelling(&self) -> anyhow::Result<Labelling> {
        Ok(Labelling { rules: self.rule_texts()?, extractors: self.extractors()? })
    }

    /// The hosts: the configuration file says where they are, and the environment before
    /// it.
    pub fn hosts(&self) -> anyhow::Result<Hosts> {
        let file = etcetera::choose_base_strategy()
            .ok()
            .map(|base| base.config_dir().join("headwater").join("config.toml"));
        Ok(Hosts::read(file.as_deref(), &|name| std::env::var(name).ok())?)
    }

    /// A client for them. `HEADWATER_TIMEOUT` says for how many seconds a host may say
    /// nothing.
    pub fn client(&self) -> anyhow::Result<Client> {
        let mut settings = Settings::default();
        if let Ok(text) = std::env::var("HEADWATER_TIMEOUT") {
            let seconds: u32 = text.parse().ok().filter(|s| *s > 0).with_context(|| {
                format!("HEADWATER_TIMEOUT is {text:?}; write a number of seconds")
            })?;
            settings.read = std::time::Duration::from_secs(seconds.into());
            settings.whole = settings.read * 4;
        }
        Ok(Client::new(settings)?)
    }

    /// The store's directory: `--store`, `HEADWATER_STORE`, or the platform's place.
    pub fn store_dir(&self) -> anyhow::Result<PathBuf> {
        if let Some(dir) = &self.global.store {
            return Ok(dir.clone());
        }
        let base = etcetera::choose_base_strategy()
            .context("cannot tell where to keep the store; give --store DIR")?;
        Ok(base.data_dir().join("headwater"))
    }

    /// The store, to answer questions: long readings are shown.
    pub fn open(&self) -> anyhow::Result<Store> {
        with_readings(self.told(Store::open(&self.store_dir()?)?)?)
    }

    /// The store, so that nothing is written to its database.
    pub fn open_read_only(&self) -> anyhow::Result<Store> {
        self.told(Store::open_read_only(&self.store_dir()?)?)
    }

    /// The store, to write to it: one that may only be read is refused before anything is
    /// begun.
    pub fn open_to_write(&self) -> anyhow::Result<Store> {
        let store = Store::open(&self.store_dir()?)?;
        store.writes()?;
        Ok(store)
    }

    /// The store, made where there is none.
    pub fn open_or_create(&self) -> anyhow::Result<Store> {
        let dir = self.store_dir()?;
        self.made.before(&dir)?;
        Ok(Store::open_or_create(&dir)?)
    }

    /// The store for a question that may fetch what it lacks: where nothing can be written,
    /// what is there is read.
    pub fn open_to_fetch(&self) -> anyhow::Result<Store> {
        match self.open_or_create() {
            Err(error)
                if matches!(error.downcast_ref(), Some(StoreError::Unwritable))
                    && Store::exists(&self.store_dir()?) =>
            {
                let told = "the store cannot be written, so that nothing is fetched";
                writeln!(anstream::stderr(), "headwater: {told}")?;
                self.open()
            }
            opened => with_readings(opened?),
        }
    }

    fn told(&self, store: Store) -> anyhow::Result<Store> {
        self.lying.tell(&store)?;
        Ok(store)
    }

    /// The names of the upstreams of which something is stored.
    pub fn stored_names(&self, store: &Store) -> anyhow::Result<Vec<String>> {
        let stored = store.upstream_names()?;
        if stored.is_empty() {
            bail!(
                "the store is empty; `headwater clone ollama` fills it with all of history, `headwater crawl ollama previous..latest` with the newest release"
            );
        }
        Ok(stored.into_iter().map(|(_, name)| name).collect())
    }

    /// What is left out of a report that is made to be published: what is known of this
    /// machine, and whatever is of a private kind.
    pub fn scrub(&self, dirs: &[String]) -> anyhow::Result<Scrub> {
        let home = etcetera::home_dir().ok().map(|home| home.display().to_string());
        let mut dirs = dirs.to_vec();
        dirs.push(self.store_dir()?.display().to_string());
        let host = gethostname::gethostname().to_string_lossy().into_owned();
        let public: Vec<&str> = self.upstreams.iter().map(|u| u.name.as_str()).collect();
        Ok(Scrub::new(home.as_deref(), &dirs, Some(&host), &public))
    }

    /// The same, where `public` says so, or the format is one for passing on.
    pub fn scrub_if(&self, format: Format, public: Option<bool>) -> anyhow::Result<Option<Scrub>> {
        let public = public.unwrap_or(matches!(format, Format::Md | Format::Html));
        Ok(if public { Some(self.scrub(&[])?) } else { None })
    }

    /// How many threads crawls and derivations may use.
    pub fn jobs(&self) -> usize {
        match self.global.jobs {
            Some(jobs) => usize::from(jobs),
            None => cores().div_ceil(2),
        }
    }

    /// How many threads a question may use: what it has to derive first is capped as any
    /// derivation, where somebody said how.
    pub fn question_jobs(&self) -> usize {
        self.global.jobs.map_or_else(|| cores().min(4), usize::from)
    }

    /// The format, if the command can print it.
    pub fn format(&self, known: &[Format]) -> anyhow::Result<Format> {
        let format = self.global.format;
        if known.contains(&format) {
            return Ok(format);
        }
        let names: Vec<String> = known.iter().map(|f| format!("{f:?}").to_lowercase()).collect();
        bail!("this command prints {}; choose one with --format", names.join(", "))
    }
}

/// What decides a label besides the commit.
pub struct Labelling {
    rules: RuleTexts,
    extractors: Extractors,
}

impl Labelling {
    /// As derivations take it.
    pub fn sources(&self) -> Sources<'_> {
        Sources { rules: &self.rules, extractors: &self.extractors }
    }
}

/// A file of the user's measurements, and what is kept of it.
pub fn input_file(path: &Path) -> anyhow::Result<(Vec<u8>, ObservedInput)> {
    const MOST: u64 = 16 << 20;
    let told = || format!("cannot read {}", path.display());
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).with_context(told)?;
    file.take(MOST + 1).read_to_end(&mut bytes).with_context(told)?;
    if bytes.len() as u64 > MOST {
        bail!("{} is larger than 16 MiB; is it a table?", path.display());
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let input = ObservedInput { name, sha256: Digest::of(&bytes), bytes: bytes.len() as u64 };
    Ok((bytes, input))
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
