//! What all hosts share: repositories, models, limits, faults, the log.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chrono::Utc;

use crate::caps::{Caps, Limits};
use crate::fault::{Fault, Rule};
use crate::github::Repo;
use crate::host::Host;
use crate::local::Local;
use crate::log::Request;
use crate::ollama_models::Models;

/// How much of its allowance somebody has used.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Budget {
    pub limit: u64,
    pub used: u64,
    pub reset: i64,
}

/// The state behind one lock.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub repos: Vec<Repo>,
    pub models: Models,
    pub local: Local,
    pub caps: Caps,
    pub limits: Limits,
    pub tokens: Vec<String>,
    pub registry_needs_token: bool,
    pub registry_etags: bool,
    pub budgets: BTreeMap<String, Budget>,
    under_way: BTreeMap<Host, usize>,
    rules: Vec<Rule>,
    log: Vec<Request>,
}

/// The state, and where each host listens.
#[derive(Debug, Default)]
pub(crate) struct World {
    state: Mutex<State>,
    pub urls: BTreeMap<Host, String>,
}

impl World {
    pub fn new(urls: BTreeMap<Host, String>, repos: Vec<Repo>) -> Self {
        World { state: Mutex::new(State { repos, ..State::default() }), urls }
    }

    /// The state; a test that panicked while it held the lock harms no other.
    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A host's base URL, without a slash at the end.
    pub fn url(&self, host: Host) -> &str {
        self.urls.get(&host).map_or("", String::as_str)
    }

    pub fn take_fault(&self, host: Host, target: &str) -> Option<Fault> {
        self.state().rules.iter_mut().find_map(|rule| rule.strike(host, target))
    }

    pub fn record(&self, request: Request) {
        self.state().log.push(request);
    }

    /// Counts a request as under way until what this gives is dropped.
    pub fn under_way(self: &Arc<Self>, host: Host) -> UnderWay {
        let mut state = self.state();
        let now = state.under_way.entry(host).or_default();
        *now += 1;
        UnderWay { world: self.clone(), host, at_once: *now }
    }
}

/// A request that has no answer yet.
pub(crate) struct UnderWay {
    world: Arc<World>,
    host: Host,
    pub at_once: usize,
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        if let Some(now) = self.world.state().under_way.get_mut(&self.host) {
            *now = now.saturating_sub(1);
        }
    }
}

impl State {
    pub fn add_rule(&mut self, rule: Rule) {
        self.rules.push(rule);
    }

    pub fn clear_rules(&mut self) {
        self.rules.clear();
    }

    pub fn log(&self) -> &[Request] {
        &self.log
    }

    pub fn clear_log(&mut self) {
        self.log.clear();
    }

    /// The allowance of a token's owner, or of everybody without one.
    pub fn budget(&mut self, token: Option<&str>) -> &mut Budget {
        let limit = if token.is_some() { self.limits.authorized } else { self.limits.anonymous };
        let now = Utc::now().timestamp();
        let fresh = Budget { limit, used: 0, reset: now + self.limits.window };
        let budget = self.budgets.entry(token.unwrap_or_default().to_owned()).or_insert(fresh);
        if budget.reset <= now {
            *budget = fresh;
        }
        budget.limit = limit;
        budget
    }
}
