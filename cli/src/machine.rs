//! What commands ask of the user's own machine: its rig file, a reading, and what that
//! comes to.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use etcetera::BaseStrategy as _;
use headwater_crawler::http::{Client, Hosts};
use headwater_crawler::rig::{Reader, Surroundings};
use headwater_queries::brief::own_names;
use headwater_queries::public::Scrub;
use headwater_queries::rig::{self, RigQuestion, RigReport};
use headwater_queries::window::WindowSpec;
use headwater_store::rig::{RigFile, RigReading};
use headwater_store::upstream::Upstream;
use headwater_store::{Store, StoredReading};

use crate::commands::crawl_models::models_dir;
use crate::commands::rig::RigFileArg;
use crate::context::Context;
use crate::progress::Shown;

/// The machine, and what the user knows of it.
pub struct Machine<'a> {
    context: &'a Context,
    hosts: Hosts,
    client: Client,
    /// What the user knows of it.
    pub rig: RigFile,
}

impl<'a> Machine<'a> {
    /// The machine by its rig file; without one by what is usual.
    pub fn new(context: &'a Context, file: &RigFileArg) -> anyhow::Result<Self> {
        let path = Self::place(file);
        let rig = match (&file.rig, path) {
            (Some(given), _) => RigFile::read(given)?,
            (None, Ok(path)) if path.exists() => RigFile::read(&path)?,
            (None, _) => RigFile::default(),
        };
        Ok(Machine { rig, ..Self::unknown(context)? })
    }

    /// The machine, of which nothing is known.
    pub fn unknown(context: &'a Context) -> anyhow::Result<Self> {
        Ok(Machine {
            context,
            hosts: context.hosts()?,
            client: context.client()?,
            rig: RigFile::default(),
        })
    }

    /// Where the rig file lies, or would.
    pub fn place(file: &RigFileArg) -> anyhow::Result<PathBuf> {
        match &file.rig {
            Some(path) => Ok(path.clone()),
            None => {
                let base = etcetera::choose_base_strategy()
                    .context("cannot tell where the rig file lies; give --rig FILE")?;
                Ok(base.config_dir().join("headwater").join("rig.toml"))
            }
        }
    }

    /// Takes a reading; installed models are kept as a crawl of them keeps them.
    pub fn take(&self, store: &mut Store) -> anyhow::Result<RigReading> {
        Ok(self.reader()?.read(store, &self.rig, &Shown::new())?)
    }

    fn reader(&self) -> anyhow::Result<Reader<'_>> {
        Ok(Reader {
            client: &self.client,
            hosts: &self.hosts,
            surroundings: Surroundings::own(),
            models: models_dir()?,
        })
    }

    /// Takes a reading and keeps it.
    pub fn read(&self, store: &mut Store) -> anyhow::Result<StoredReading> {
        let reading = self.take(store)?;
        store.add_rig_reading(&self.rig.name, &reading)?;
        self.last(store)?.context("the reading was not kept")
    }

    /// The newest reading that is kept.
    pub fn last(&self, store: &Store) -> anyhow::Result<Option<StoredReading>> {
        Ok(store.rig_readings(&self.rig.name, 1)?.pop())
    }

    /// Compares a reading with everything that is known.
    pub fn compare(&self, store: &mut Store, stored: &StoredReading) -> anyhow::Result<RigReport> {
        let extractors = self.context.extractors()?;
        let question = RigQuestion {
            rig: &self.rig,
            upstreams: &self.context.upstreams,
            extractors: &extractors,
            jobs: self.context.question_jobs(),
        };
        Ok(rig::rig(store, &question, stored)?)
    }

    /// What is left out of a report that is made to be published: besides what is known of
    /// the machine, where its backends, scripts and tools lie, where its server is, and what
    /// models of the user's own are called.
    pub fn scrub(&self, store: &Store, report: &RigReport) -> anyhow::Result<Scrub> {
        let mut dirs: Vec<String> =
            report.libraries.iter().map(|library| library.folder.clone()).collect();
        dirs.extend(self.rig.folders.iter().cloned());
        let tools = &self.rig.tools;
        let files = self.rig.scripts.iter().map(|script| &script.path);
        let files = files
            .chain([&tools.nvcc, &tools.nvidia_smi, &tools.version_json].into_iter().flatten());
        dirs.extend(files.filter_map(|file| parent(file)));
        dirs.sort();
        dirs.dedup();
        let models = report.models.get().into_iter().flatten();
        let own = own_names(store, models.map(|model| model.name.as_str()))?;
        let server = server_host(&self.hosts.ollama).map(|host| (host, "[host]".to_owned()));
        Ok(self.context.scrub(&dirs)?.without(own.into_iter().chain(server).collect()))
    }
}

/// What is installed here.
pub struct Installed {
    /// The version of the server, by the last reading.
    pub version: Option<String>,
    /// The names of the models.
    pub models: Vec<String>,
}

impl Installed {
    /// Asks the models folder and the local server; where neither is there, or nothing is to
    /// be asked, the last reading tells.
    pub fn find(context: &Context, store: &mut Store, offline: bool) -> anyhow::Result<Self> {
        let given = std::env::var_os("HEADWATER_RIG").map(PathBuf::from);
        let machine = Machine::new(context, &RigFileArg { rig: given })?;
        let last = machine.last(store)?;
        let reading = last.as_ref().map(StoredReading::reading);
        let version =
            reading.and_then(|reading| reading.server.get()).map(|server| server.version.clone());
        let asked = match offline {
            true => None,
            false => machine.reader()?.models(store, &Shown::new())?.get().cloned(),
        };
        let read = reading.and_then(|reading| reading.models.get().cloned());
        let models = asked.or(read).unwrap_or_default();
        if models.is_empty() {
            bail!(
                "no installed model is known: start the local server, or set OLLAMA_MODELS; `headwater rig` keeps what it finds"
            );
        }
        Ok(Installed { version, models: models.into_iter().map(|model| model.name).collect() })
    }

    /// A window whose end `installed` is the version of the last reading.
    pub fn named(&self, upstream: &Upstream, window: WindowSpec) -> WindowSpec {
        let end = |end: String| match (end.as_str(), &self.version) {
            ("installed", Some(version)) => format!("{}{version}", upstream.tag_prefix),
            _ => end,
        };
        WindowSpec { base: end(window.base), head: end(window.head) }
    }
}

/// The host of the local server, where it is not this machine.
fn server_host(url: &str) -> Option<String> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next()?;
    let place = authority.rsplit_once('@').map_or(authority, |(_, place)| place);
    let host = match place.strip_prefix('[') {
        Some(six) => six.split(']').next()?,
        None => place.split(':').next()?,
    };
    let own = ["localhost", "127.0.0.1", "::1", ""].contains(&host);
    (!own).then(|| host.to_owned())
}

/// The directory of a path, whichever way its slashes lean.
fn parent(path: &str) -> Option<String> {
    let (dir, _) = path.rsplit_once(['/', '\\'])?;
    Path::new(dir).components().next()?;
    Some(dir.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_of_a_server_is_found_and_this_machine_is_none() {
        for (url, host) in [
            ("http://rig.example.com:11434", Some("rig.example.com")),
            ("https://me:secret@rig.example.com/x", Some("rig.example.com")),
            ("http://[fd00::1]:11434", Some("fd00::1")),
            ("http://127.0.0.1:11434", None),
            ("http://localhost", None),
            ("", None),
        ] {
            assert_eq!(server_host(url).as_deref(), host, "{url}");
        }
        assert_eq!(parent(r"C:\rig\start.ps1").as_deref(), Some(r"C:\rig"));
        assert_eq!(parent("start.sh"), None);
    }
}
