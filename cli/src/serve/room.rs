//! Where questions are answered: open handles of the store, the rules, and turns.

use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use headwater_queries::why::Rules;
use headwater_store::Store;
use headwater_store::progress::Progress;
use tokio::sync::Semaphore;

use super::kept::Kept;
use super::reply::TooLong;
use super::waiting::Waiting;
use crate::answers;
use crate::context::Context;

/// So many questions are answered at once; each may use several threads itself.
const AT_ONCE: usize = 3;

/// What all pages share.
pub struct Room {
    /// The surroundings.
    pub context: Context,
    /// What was answered before.
    pub kept: Kept,
    /// A question may take so long.
    pub limit: Duration,
    /// A page's head waits so long for its answer.
    pub patience: Duration,
    idle: Mutex<Vec<Store>>,
    rules: OnceLock<Rules>,
    turns: Arc<Semaphore>,
}

impl Room {
    /// A room with no store open yet.
    pub fn new(context: Context, limit: Duration, patience: Duration) -> Self {
        Room {
            limit,
            patience,
            kept: Kept::default(),
            context,
            idle: Mutex::new(Vec::new()),
            rules: OnceLock::new(),
            turns: Arc::new(Semaphore::new(AT_ONCE)),
        }
    }

    /// Whether the store can be read, and the rules.
    pub fn probe(&self) -> anyhow::Result<()> {
        let store = self.take()?;
        self.give_back(store);
        self.rules().map(drop)
    }

    /// The rules, compiled once.
    pub fn rules(&self) -> anyhow::Result<&Rules> {
        if let Some(rules) = self.rules.get() {
            return Ok(rules);
        }
        let made = answers::why::rules(&self.context)?;
        Ok(self.rules.get_or_init(|| made))
    }

    /// Answers a question where threads may wait, with a store of its own.
    pub async fn ask<T: Send + 'static>(
        self: Arc<Self>,
        waiting: Arc<Waiting>,
        question: impl FnOnce(&Room, &mut Store) -> anyhow::Result<T> + Send + 'static,
    ) -> anyhow::Result<T> {
        let turn = Arc::clone(&self.turns).acquire_owned().await?;
        tokio::task::spawn_blocking(move || {
            let _turn = turn;
            waiting.begin();
            let mut store = self.take()?;
            let progress: Arc<dyn Progress> = Arc::clone(&waiting) as _;
            store.watch(&progress)?;
            let answer = question(&self, &mut store);
            if answer.is_err() && waiting.is_late() {
                return Err(TooLong(self.limit.as_secs()).into());
            }
            // One that failed may be in the midst of something: it is not asked again.
            if answer.is_ok() {
                self.give_back(store);
            }
            answer
        })
        .await?
    }

    fn take(&self) -> anyhow::Result<Store> {
        let idle = self.idle.lock().ok().and_then(|mut idle| idle.pop());
        match idle {
            Some(store) => Ok(store),
            None => Ok(Store::open_read_only(&self.context.store_dir()?)?),
        }
    }

    fn give_back(&self, store: Store) {
        if let Ok(mut idle) = self.idle.lock()
            && idle.len() < AT_ONCE
        {
            idle.push(store);
        }
    }
}
