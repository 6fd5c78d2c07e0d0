//! What commands ask GitHub for of what people wrote: as much as the run may ask for, the
//! most telling first.

use std::cell::Cell;

use chrono::Utc;
use headwater_crawler::github::{Api, GitHubError, Got, Statements, releases_feed};
use headwater_queries::said::{Lacking, lacking};
use headwater_queries::why::WhyReport;
use headwater_store::Store;
use headwater_store::upstream::Upstream;

use super::{Live, Via};
use crate::render::text::one_line;

/// Requests to the API that a run may make for a window without a token: what GitHub
/// gives a machine in an hour lasts for ten such windows.
const WITHOUT_TOKEN: u64 = 6;
/// As many where it was asked for what people wrote: half of the hour's.
const WHEN_ASKED: u64 = 30;
/// As many with a token, of 5,000 an hour.
const WITH_TOKEN: u64 = 300;

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wish {
    /// The user asked for it by name, so that it may cost more.
    pub asked: bool,
    /// Also what others report; with a token always.
    pub reports: bool,
}

/// What became of asking.
#[derive(Debug, Default)]
pub struct Told {
    /// A line for each thing that came or did not.
    pub lines: Vec<String>,
    /// Whether anything came, be it that there is nothing.
    pub answered: bool,
}

impl Live<'_> {
    /// Asks what people wrote of a report's windows, as far as the store lacks it.
    pub fn said(
        &self,
        api: &Api<'_>,
        store: &Store,
        report: &WhyReport,
        wish: Wish,
    ) -> anyhow::Result<Told> {
        // What comes through the API alone takes the requests that this would.
        if api.is_limited() || self.via == Via::Api && !wish.asked {
            return Ok(Told::default());
        }
        let left = Cell::new(self.allowance(wish).saturating_sub(api.budget().requests));
        let mut asking = Asking::new(self, api, store, &left);
        let all = lacking(store, &self.context.upstreams, report, Utc::now())?;
        if let Some(main) = all.first() {
            asking.releases(main)?;
        }
        // First what the first rows say, then what warns, then the rest.
        for one in &all {
            asking.pulls_of(one, 0..one.first_commits)?;
        }
        for one in all.iter().filter(|one| one.advisories) {
            let got = asking.statements(&one.upstream)?.advisories();
            asking.tell(&format!("{} advisories", one.upstream), got)?;
        }
        for one in all.iter().skip(1).filter(|one| !one.releases.is_empty()) {
            asking.releases(one)?;
        }
        for one in &all {
            asking.single_releases(one)?;
        }
        if wish.reports || self.token.is_some() {
            for one in &all {
                asking.reports(one)?;
            }
        }
        if wish.asked || self.token.is_some() {
            for one in &all {
                asking.pulls_of(one, one.first_commits..one.commits.len())?;
            }
        }
        if self.token.is_some() {
            for one in &all {
                asking.pull_texts(one)?;
            }
        }
        Ok(Told { lines: asking.lines, answered: asking.answered })
    }

    /// Asks for all releases and advisories of an upstream.
    pub fn all_notes(&self, store: &Store, upstream: &Upstream) -> anyhow::Result<Told> {
        let api = self.api()?;
        let left = Cell::new(self.allowance(Wish { asked: true, reports: false }));
        let mut asking = Asking::new(self, &api, store, &left);
        let name = &upstream.name;
        let got = asking.statements(name)?.advisories();
        asking.tell(&format!("{name} advisories"), got)?;
        let got = asking.statements(name)?.all_releases();
        asking.tell(&format!("{name} releases"), got)?;
        let got = releases_feed(&self.client, &self.hosts.github_web, store, upstream);
        asking.tell(&format!("{name} releases feed"), got)?;
        let mut lines = std::mem::take(&mut asking.lines);
        lines.push(api.budget().to_string());
        Ok(Told { lines, answered: asking.answered })
    }

    fn allowance(&self, wish: Wish) -> u64 {
        match (&self.token, wish.asked) {
            (Some(_), _) => WITH_TOKEN,
            (None, true) => WHEN_ASKED,
            (None, false) => WITHOUT_TOKEN,
        }
    }
}

/// One run's asking.
struct Asking<'a> {
    live: &'a Live<'a>,
    api: &'a Api<'a>,
    store: &'a Store,
    left: &'a Cell<u64>,
    lines: Vec<String>,
    /// Whether anything came, be it that there is nothing.
    answered: bool,
}

impl<'a> Asking<'a> {
    fn new(live: &'a Live<'a>, api: &'a Api<'a>, store: &'a Store, left: &'a Cell<u64>) -> Self {
        Asking { live, api, store, left, lines: Vec::new(), answered: false }
    }

    fn statements(&self, upstream: &str) -> anyhow::Result<Statements<'a>> {
        let upstream = self.live.context.upstreams.get(upstream)?;
        Ok(Statements::new(self.api, self.store, upstream, self.left)?)
    }

    /// The newest releases, and the feed.
    fn releases(&mut self, lacking: &Lacking) -> anyhow::Result<()> {
        let name = &lacking.upstream;
        let upstream = self.live.context.upstreams.get(name)?;
        let statements = self.statements(name)?;
        let got = statements.newest_releases();
        let news = got.as_ref().map_or(true, |got| got.seen > 0);
        self.tell(&format!("{name} releases"), got)?;
        // Where the API has nothing newer, the feed has not either.
        if news {
            let web = &self.live.hosts.github_web;
            let got = releases_feed(&self.live.client, web, self.store, upstream);
            self.tell(&format!("{name} releases feed"), got)?;
        }
        Ok(())
    }

    /// Single releases that are older than the newest page.
    fn single_releases(&mut self, lacking: &Lacking) -> anyhow::Result<()> {
        let name = &lacking.upstream;
        let statements = self.statements(name)?;
        let id = self.store.upstream(name)?;
        for tag in &lacking.releases {
            let kind = headwater_store::StatementKind::Release;
            let seen = self.store.statement(id, kind, tag)?;
            if !seen.iter().any(|one| one.transport != "feed") && self.left.get() > 0 {
                let got = statements.release(tag);
                self.tell(&format!("{name} release {tag}"), got)?;
            }
        }
        Ok(())
    }

    /// The pull requests of some of the commits whose subjects name none.
    fn pulls_of(&mut self, lacking: &Lacking, some: std::ops::Range<usize>) -> anyhow::Result<()> {
        let statements = self.statements(&lacking.upstream)?;
        let mut got = Got::default();
        for oid in lacking.commits.get(some).unwrap_or_default() {
            if self.left.get() == 0 {
                break;
            }
            match statements.pulls_of(*oid) {
                Ok(numbers) => {
                    got.seen += 1;
                    got.new += numbers.len();
                }
                Err(error) => {
                    return self.tell(&format!("{} pull requests", lacking.upstream), Err(error));
                }
            }
        }
        if got.seen > 0 {
            self.lines.push(format!(
                "{}: pull requests of {} commits looked up, {} found",
                lacking.upstream, got.seen, got.new
            ));
        }
        Ok(())
    }

    /// The texts of the window's pull requests.
    fn pull_texts(&mut self, lacking: &Lacking) -> anyhow::Result<()> {
        let statements = self.statements(&lacking.upstream)?;
        let mut got = Got::default();
        for number in &lacking.pulls {
            match statements.pull(*number) {
                Ok(one) => {
                    got.seen += one.seen;
                    got.new += one.new;
                }
                Err(error) => {
                    return self.tell(&format!("{} pull requests", lacking.upstream), Err(error));
                }
            }
        }
        if got.seen > 0 {
            self.tell(&format!("{} texts of pull requests", lacking.upstream), Ok(got))?;
        }
        Ok(())
    }

    /// What others report with the window's words.
    fn reports(&mut self, lacking: &Lacking) -> anyhow::Result<()> {
        let statements = self.statements(&lacking.upstream)?;
        for word in &lacking.words {
            let got = statements.reports_with(word);
            let failed = got.is_err();
            self.tell(&format!("{} reports with {word:?}", lacking.upstream), got)?;
            if failed {
                break;
            }
        }
        Ok(())
    }

    /// Tells what came. What did not come is told too, and is no reason to stop; only the
    /// store and a token that is refused are.
    fn tell(&mut self, what: &str, got: Result<Got, GitHubError>) -> anyhow::Result<()> {
        self.answered |= got.is_ok();
        match got {
            Ok(got) if got.seen == 0 && got.incomplete.is_none() => {}
            Ok(got) => {
                let more = got.incomplete.map_or_else(String::new, |why| format!(" ({why})"));
                let line = format!("{what}: {} seen, {} new{more}", got.seen, got.new);
                self.lines.push(one_line(&line));
            }
            Err(error @ (GitHubError::Store(_) | GitHubError::BadToken { .. })) => {
                return Err(error.into());
            }
            Err(error) => {
                // A host that fails or limits is not asked for the rest of it.
                let is_host = matches!(error, GitHubError::Http(_));
                if is_host || self.api.is_limited() {
                    self.left.set(0);
                }
                // That nothing is left was told by what took the last.
                if !matches!(error, GitHubError::Allowance) {
                    self.lines.push(one_line(&format!("{what}: not had: {error}")));
                }
            }
        }
        Ok(())
    }
}
