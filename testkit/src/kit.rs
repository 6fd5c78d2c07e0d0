//! Starting the hosts, and the handle by which tests turn them.

use std::collections::BTreeMap;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use headwater_demo::{Demo, DemoError};
use tokio::runtime::Runtime;

use crate::caps::{Caps, Limits};
use crate::fault::Rule;
use crate::github::{self, Advisory, Issue, Release, Repo};
use crate::host::{Host, serve};
use crate::local::Installed;
use crate::log::Request;
use crate::ollama_models::Model;
use crate::world::World;
use crate::{library, local, raw, registry, seed, web};

/// What can keep the hosts from starting.
#[derive(Debug, thiserror::Error)]
pub enum TestkitError {
    /// The miniatures could not be made.
    #[error(transparent)]
    Demo(#[from] DemoError),
    /// A port or a directory could not be had.
    #[error("cannot start the miniature hosts: {0}")]
    Io(#[from] std::io::Error),
}

/// A bare repository to serve.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Served {
    /// `owner/name`.
    pub full_name: String,
    /// Names that it had before.
    pub former: Vec<String>,
    /// The repository.
    pub path: PathBuf,
    /// Its default branch.
    pub branch: String,
}

/// The running hosts. They stop when this goes.
#[derive(Debug)]
pub struct Testkit {
    world: Arc<World>,
    runtime: Option<Runtime>,
    demo: Option<Mutex<Demo>>,
    dir: Option<tempfile::TempDir>,
}

impl Testkit {
    /// Makes the demo's miniatures and serves them as `ollama/ollama` and
    /// `ggml-org/llama.cpp` (once `ggerganov/llama.cpp`), with releases, issues, an
    /// advisory and a few models.
    ///
    /// # Errors
    /// When git is missing, or no port can be had.
    pub fn start() -> Result<Self, TestkitError> {
        let dir = tempfile::tempdir()?;
        let demo = headwater_demo::build(dir.path())?;
        let mut kit = Self::with(seed::repos(&demo)?)?;
        kit.demo = Some(Mutex::new(demo));
        kit.dir = Some(dir);
        Ok(kit)
    }

    /// Serves other bare repositories, without releases and issues.
    ///
    /// # Errors
    /// When no port can be had.
    pub fn serving(served: &[Served]) -> Result<Self, TestkitError> {
        Self::with(served.iter().enumerate().map(|(n, one)| seed::plain(n, one)).collect())
    }

    fn with(repos: Vec<Repo>) -> Result<Self, TestkitError> {
        let mut listeners = Vec::new();
        let mut urls = BTreeMap::new();
        for host in Host::ALL {
            let listener = TcpListener::bind("127.0.0.1:0")?;
            listener.set_nonblocking(true)?;
            urls.insert(host, format!("http://{}", listener.local_addr()?));
            listeners.push((host, listener));
        }
        let world = Arc::new(World::new(urls, repos));
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("testkit")
            .enable_all()
            .build()?;
        for (host, listener) in listeners {
            let router = match host {
                Host::Api => github::router(world.clone()),
                Host::Web => web::router(world.clone()),
                Host::Raw => raw::router(world.clone()),
                Host::Registry => registry::router(world.clone()),
                Host::Blobs => registry::blobs(world.clone()),
                Host::Tokens => registry::tokens(),
                Host::Library => library::router(world.clone()),
                Host::Ollama => local::router(world.clone()),
            };
            let world = world.clone();
            runtime.spawn(async move {
                if let Ok(listener) = tokio::net::TcpListener::from_std(listener) {
                    serve(listener, host, world, router).await;
                }
            });
        }
        Ok(Testkit { world, runtime: Some(runtime), demo: None, dir: None })
    }

    /// A host's base URL, without a slash at the end.
    pub fn url(&self, host: Host) -> &str {
        self.world.url(host)
    }

    /// The environment that points headwater at the hosts.
    pub fn env(&self) -> Vec<(&'static str, String)> {
        let one = |host: Host| Some((host.variable()?, self.url(host).to_owned()));
        Host::ALL.into_iter().filter_map(one).collect()
    }

    /// The directory that holds the miniatures, where the kit made them.
    pub fn dir(&self) -> Option<&Path> {
        self.dir.as_ref().map(tempfile::TempDir::path)
    }

    /// Does something with the miniatures: looks shas up, or lets upstream go on. Gives
    /// nothing where the kit serves other repositories.
    pub fn with_demo<T>(&self, act: impl FnOnce(&mut Demo) -> T) -> Option<T> {
        let demo = self.demo.as_ref()?;
        Some(act(&mut demo.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    /// Adds a fault; the first rule that fits a request strikes.
    pub fn fault(&self, rule: Rule) {
        self.world.state().add_rule(rule);
    }

    /// Everything works again.
    pub fn mend(&self) {
        self.world.state().clear_rules();
    }

    /// The requests so far.
    pub fn log(&self) -> Vec<Request> {
        self.world.state().log().to_vec()
    }

    /// How many requests came to a host.
    pub fn count(&self, host: Host) -> usize {
        self.world.state().log().iter().filter(|one| one.host == host).count()
    }

    /// How many of them asked only for what is newer.
    pub fn count_conditional(&self, host: Host) -> usize {
        let state = self.world.state();
        state.log().iter().filter(|one| one.host == host && one.conditional).count()
    }

    /// The most requests that were under way at a host at one time.
    pub fn most_at_once(&self, host: Host) -> usize {
        let state = self.world.state();
        let at_once = state.log().iter().filter(|one| one.host == host).map(|one| one.at_once);
        at_once.max().unwrap_or(0)
    }

    /// Forgets the requests so far.
    pub fn clear_log(&self) {
        self.world.state().clear_log();
    }

    /// Changes the caps.
    pub fn caps(&self, change: impl FnOnce(&mut Caps)) {
        change(&mut self.world.state().caps);
    }

    /// Changes the limits, and forgets what was used.
    pub fn limits(&self, change: impl FnOnce(&mut Limits)) {
        let mut state = self.world.state();
        change(&mut state.limits);
        state.budgets.clear();
    }

    /// From now on the API knows this token; it refuses those it does not know.
    pub fn allow_token(&self, token: &str) {
        self.world.state().tokens.push(token.to_owned());
    }

    /// Gives a repository another name; the old one redirects.
    pub fn rename(&self, from: &str, to: &str) {
        let Some((owner, name)) = to.split_once('/') else { return };
        for repo in &mut self.world.state().repos {
            if repo.full_name() == from {
                repo.former.push(from.to_owned());
                (repo.owner, repo.name) = (owner.to_owned(), name.to_owned());
            }
        }
    }

    /// Changes a repository's releases.
    pub fn releases(&self, repo: &str, change: impl FnOnce(&mut Vec<Release>)) {
        self.repo(repo, |repo| change(&mut repo.releases));
    }

    /// Changes a repository's issues.
    pub fn issues(&self, repo: &str, change: impl FnOnce(&mut Vec<Issue>)) {
        self.repo(repo, |repo| change(&mut repo.issues));
    }

    /// Changes a repository's advisories.
    pub fn advisories(&self, repo: &str, change: impl FnOnce(&mut Vec<Advisory>)) {
        self.repo(repo, |repo| change(&mut repo.advisories));
    }

    /// Says which pull request a commit came with, where its subject does not.
    pub fn pull_of(&self, repo: &str, sha: &str, number: u64) {
        self.repo(repo, |repo| repo.pulls.push((sha.to_owned(), number)));
    }

    /// Changes the registry's models, and so the library's pages.
    pub fn models(&self, change: impl FnOnce(&mut Vec<Model>)) {
        change(&mut self.world.state().models.0);
    }

    /// Whether the registry asks for a token first.
    pub fn registry_needs_token(&self, yes: bool) {
        self.world.state().registry_needs_token = yes;
    }

    /// Whether the registry serves ETags with manifests, and heeds them.
    pub fn registry_etags(&self, yes: bool) {
        self.world.state().registry_etags = yes;
    }

    /// Changes the local server's version and installed models.
    pub fn local(&self, change: impl FnOnce(&mut String, &mut Vec<Installed>)) {
        let mut state = self.world.state();
        let local = &mut state.local;
        change(&mut local.version, &mut local.installed);
    }

    fn repo(&self, full_name: &str, change: impl FnOnce(&mut Repo)) {
        let mut state = self.world.state();
        if let Some(repo) = state.repos.iter_mut().find(|repo| repo.full_name() == full_name) {
            change(repo);
        }
    }
}

impl Drop for Testkit {
    fn drop(&mut self) {
        // In the background, since a test of an async client may drop this within its own
        // runtime, where waiting is not allowed.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
