//! What commands ask of upstream's hosts: one window with those that its pins open, or
//! all of history.

mod ends;
mod hints;
mod said;

use anyhow::{Context as _, bail};
use headwater_crawler::CrawlError;
use headwater_crawler::git::{self, CrawlSummary, Remote, WholeClone, WindowCrawl, crawl_whole};
use headwater_crawler::github::{self, Api, GitHubError, Rest, Token};
use headwater_crawler::http::{Client, Hosts};
use headwater_crawler::progress::Progress;
use headwater_crawler::registry::server_version;
use headwater_crawler::transport::Transport;
use headwater_queries::reads::TreeReads;
use headwater_queries::window::{Resolved, Resolver, WindowSpec};
use headwater_queries::{QueryError, pins};
use headwater_store::upstream::{Upstream, Version};
use headwater_store::{Comparison, Oid, Store, StoreError};

use crate::commands::crawl::derive_all;
use crate::context::Context;
use crate::render::text::one_line;

pub use ends::{is_relative, relative, release};
pub use hints::without_network;
pub use said::Wish;

/// How windows come from GitHub.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Via {
    /// By git's own protocol
    #[default]
    Git,
    /// By the REST API, with patches and files from the web and raw hosts: where git's
    /// protocol is closed
    Api,
}

/// What a window is whose newer end comes before its older one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Back {
    /// Of a user: the ends were swapped, which is told before anything is fetched.
    IsAMistake,
    /// Of pins: one may go back.
    MayBe,
}

/// The hosts, and what is told of asking them.
pub struct Live<'a> {
    context: &'a Context,
    via: Via,
    hosts: Hosts,
    client: Client,
    token: Option<Token>,
}

/// What asking for windows brought.
#[derive(Debug, Default)]
pub struct Brought {
    /// A line for each window, and for each thing that did not go as wanted.
    pub lines: Vec<String>,
    /// Windows that could not be fetched, and why.
    pub failed: Vec<String>,
    /// Whether any host answered.
    pub answered: bool,
}

/// What became of one window.
struct Came {
    /// The same in a line.
    line: String,
    /// Whether any host answered.
    answered: bool,
}

impl Brought {
    fn take(&mut self, came: Came) {
        self.lines.push(came.line);
        self.answered |= came.answered;
    }
}

impl<'a> Live<'a> {
    /// The configured hosts, with the user's token where there is one.
    pub fn new(context: &'a Context, via: Via) -> anyhow::Result<Self> {
        Ok(Live {
            context,
            via,
            hosts: context.hosts()?,
            client: context.client()?,
            token: github::find(&|name| std::env::var(name).ok()),
        })
    }

    /// GitHub's API.
    pub fn api(&self) -> anyhow::Result<Api<'_>> {
        Ok(Api::new(&self.client, &self.hosts.github_api, self.token.clone())?)
    }

    /// The repository of an upstream for git.
    fn remote(&self, store: &Store, upstream: &Upstream) -> anyhow::Result<Remote> {
        Ok(Remote::on(&self.hosts.github_web, &store.repository(upstream)?))
    }

    /// The repository of an upstream for the API.
    fn rest<'b>(
        &'b self,
        api: &'b Api<'b>,
        store: &Store,
        upstream: &Upstream,
    ) -> anyhow::Result<Rest<'b>> {
        Ok(Rest::new(api, &self.client, &self.hosts, &store.repository(upstream)?))
    }

    /// A window whose ends may be `installed`, `latest` or `previous`, by the tags that the
    /// host shows and the local server's version.
    pub fn ends(
        &self,
        store: &Store,
        upstream: &Upstream,
        window: &WindowSpec,
    ) -> anyhow::Result<WindowSpec> {
        if !is_relative(&window.base) && !is_relative(&window.head) {
            return Ok(window.clone());
        }
        let refs = match self.via {
            Via::Git => self.remote(store, upstream)?.refs(upstream, None),
            Via::Api => self.rest(&self.api()?, store, upstream)?.refs(upstream, None),
        };
        let refs = refs.map_err(|error| self.hinted(upstream, error.into()))?;
        let tags: Vec<String> = refs.tags.into_iter().map(|tag| tag.name).collect();
        relative(upstream, &tags, window, &|| self.installed(upstream))
    }

    /// The version that the local server runs, where one answers.
    pub fn running(&self, upstream: &Upstream) -> Option<String> {
        self.installed(upstream).ok()
    }

    /// The tag of the version that the local server runs.
    pub fn installed(&self, upstream: &Upstream) -> anyhow::Result<String> {
        if upstream.name != "ollama" {
            bail!("which version of {} is installed cannot be told here; name it", upstream.name);
        }
        let version = server_version(&self.client, &self.hosts.ollama)
            .context("the installed version is not known; start the server, or name the version")?;
        Ok(format!("{}{version}", upstream.tag_prefix))
    }

    /// Fetches what the store lacks of a window and of those that its pins open.
    pub fn windows(
        &self,
        api: &Api<'_>,
        store: &mut Store,
        upstream: &Upstream,
        window: &WindowSpec,
        progress: &dyn Progress,
    ) -> anyhow::Result<Brought> {
        let mut brought = Brought::default();
        let line = self.window(api, store, upstream, window, Back::IsAMistake, progress);
        brought.take(line.map_err(|error| self.hinted(upstream, error))?);
        for pin in pins::moves(store, &self.context.upstreams, upstream, window)? {
            let (Some(old), Some(new)) = (pin.old, pin.new) else { continue };
            let Some(pinned) = self.context.upstreams.find(&new.upstream) else { continue };
            let inner = WindowSpec { base: old.value, head: new.value };
            let line = self.window(api, store, pinned, &inner, Back::MayBe, progress);
            match line.map_err(|error| self.hinted(pinned, error)) {
                Ok(came) => brought.take(came),
                Err(error) => brought.failed.push(one_line(&format!(
                    "{} {inner} could not be fetched: {error:#}",
                    pinned.name
                ))),
            }
        }
        Ok(brought)
    }

    fn window(
        &self,
        api: &Api<'_>,
        store: &mut Store,
        upstream: &Upstream,
        window: &WindowSpec,
        back: Back,
        progress: &dyn Progress,
    ) -> anyhow::Result<Came> {
        if let Some([base, head]) = stored(store, upstream, window)? {
            let names = (base.name.as_str(), head.name.as_str());
            let ends = (base.commit.commit().oid, head.commit.commit().oid);
            let name = format!("{} {}..{}", upstream.name, base.name, head.name);
            let asked = github::compare(api, store, upstream, names, ends);
            // A crawl that was cut short may have left this to do.
            derive_all(self.context, store, upstream, progress)?;
            return Ok(match asked {
                Ok(_) => Came { line: format!("{name}: nothing new"), answered: true },
                Err(error) => Came {
                    answered: !error.is_unreachable(),
                    line: format!(
                        "{name}: stored; whether upstream still counts the same is not known: {}",
                        one_line(&error.to_string())
                    ),
                },
            });
        }
        let remote = self.remote(store, upstream)?;
        let rest = self.rest(api, store, upstream)?;
        let transport: &dyn Transport = match self.via {
            Via::Git => &remote,
            Via::Api => &rest,
        };
        let version = |end: &str| Version::of(upstream, end);
        if let (Back::IsAMistake, Some(base), Some(head)) =
            (back, version(&window.base), version(&window.head))
            && base > head
        {
            return Err(reversed(window));
        }
        let whole = self.whole_ids(api, store, upstream, window)?;
        let refs = transport.refs(upstream, Some([&whole.base, &whole.head]))?;
        let base = git::resolve(upstream, &refs, &whole.base)?;
        let head = git::resolve(upstream, &refs, &whole.head)?;
        let name = format!("{} {}..{}", upstream.name, base.0, head.0);
        let said = match self.via {
            Via::Git => self.compared(api, store, upstream, &base, &head)?,
            // The commits come with it, so that nothing can be done without it.
            Via::Api => {
                let said = rest.compare(store, upstream, (&base.0, &head.0), (base.1, head.1));
                Ok(said.map_err(CrawlError::from)?)
            }
        };
        if let (Back::IsAMistake, Ok(said)) = (back, &said)
            && said.status == "behind"
        {
            return Err(reversed(window));
        }
        let extractors = self.context.extractors()?;
        let reads = TreeReads::new(upstream, &extractors)?;
        let summary = WindowCrawl {
            upstream,
            transport,
            refs,
            base,
            head,
            said: said.as_ref().ok(),
            at_ends: &|path| reads.reads(path),
            jobs: self.context.jobs(),
        }
        .run(store, progress)?;
        derive_all(self.context, store, upstream, progress)?;
        let line = format!("{name}: {}{}", counted(&summary), unsaid(&said));
        Ok(Came { line, answered: true })
    }

    /// A window whose ends are no longer cut short, where they were.
    fn whole_ids(
        &self,
        api: &Api<'_>,
        store: &Store,
        upstream: &Upstream,
        window: &WindowSpec,
    ) -> anyhow::Result<WindowSpec> {
        let whole = |end: &str| -> anyhow::Result<String> {
            if !github::is_abbreviated(upstream, end) {
                return Ok(end.to_owned());
            }
            let found = github::full_id(api, &store.repository(upstream)?, end);
            let found = found.map_err(CrawlError::from)?;
            Ok(found.map_or_else(|| end.to_owned(), |oid| oid.to_string()))
        };
        Ok(WindowSpec { base: whole(&window.base)?, head: whole(&window.head)? })
    }

    /// What GitHub counts in the window. Without it the window can be fetched, and its
    /// count is not confirmed.
    fn compared(
        &self,
        api: &Api<'_>,
        store: &Store,
        upstream: &Upstream,
        base: &(String, Oid),
        head: &(String, Oid),
    ) -> anyhow::Result<Result<Comparison, GitHubError>> {
        match github::compare(api, store, upstream, (&base.0, &head.0), (base.1, head.1)) {
            Ok(said) => Ok(Ok(said)),
            Err(GitHubError::Store(error)) => Err(error.into()),
            Err(error @ GitHubError::BadToken { .. }) => Err(error.into()),
            Err(error) => Ok(Err(error)),
        }
    }

    /// Fetches all of an upstream's history, or what is new of it.
    pub fn whole(
        &self,
        store: &mut Store,
        upstream: &Upstream,
        progress: &dyn Progress,
    ) -> anyhow::Result<CrawlSummary> {
        let remote = self.remote(store, upstream)?;
        let clone = WholeClone::new(store, upstream, &remote);
        let summary = crawl_whole(store, upstream, &clone, self.context.jobs(), progress);
        let summary = summary.map_err(|error| match error.is_unreachable() {
            true => anyhow::anyhow!("{error}; {}", without_network(&upstream.name)),
            false => error.into(),
        });
        let summary =
            summary.with_context(|| format!("{} was not fetched whole", upstream.name))?;
        derive_all(self.context, store, upstream, progress)?;
        Ok(summary)
    }
}

/// Both ends of a window that the store holds whole.
pub fn stored(
    store: &Store,
    upstream: &Upstream,
    window: &WindowSpec,
) -> anyhow::Result<Option<[Resolved; 2]>> {
    let Some(id) = store.find_upstream(&upstream.name)? else { return Ok(None) };
    let resolver = Resolver::new(store, upstream)?;
    let find = |name: &str| match resolver.resolve(name) {
        Ok(found) => Ok(Some(found)),
        Err(
            QueryError::UnknownRevision { .. }
            | QueryError::NotStored { .. }
            | QueryError::Store(StoreError::NotCrawled(_)),
        ) => Ok(None),
        Err(error) => Err(error),
    };
    let (Some(base), Some(head)) = (find(&window.base)?, find(&window.head)?) else {
        return Ok(None);
    };
    let own = format!("{}..{}", base.name, head.name);
    for scope in ["whole", own.as_str()] {
        if store.has_crawled(id, scope)? {
            return Ok(Some([base, head]));
        }
    }
    // Pieces of other windows may make it up: every commit is there, and no end is loose.
    let graph = store.graph(id)?;
    let ends = [&base, &head].map(|end| graph.node(end.commit.commit().oid));
    let [Some(older), Some(newer)] = ends else { return Ok(None) };
    let joined = !graph.between(older, newer).iter().any(|node| graph.is_cut(*node));
    Ok(joined.then_some([base, head]))
}

fn reversed(window: &WindowSpec) -> anyhow::Error {
    QueryError::Reversed { base: window.base.clone(), head: window.head.clone() }.into()
}

fn counted(summary: &CrawlSummary) -> String {
    let mut text = format!("{} commits in scope, {} new", summary.commits, summary.new_commits);
    if summary.missing > 0 {
        text.push_str(&format!(
            "; {} objects did not come, each is a recorded gap",
            summary.missing
        ));
    }
    text
}

fn unsaid(said: &Result<Comparison, GitHubError>) -> String {
    match said {
        Ok(_) => String::new(),
        Err(error) => {
            format!("; how many upstream counts is not known: {}", one_line(&error.to_string()))
        }
    }
}
