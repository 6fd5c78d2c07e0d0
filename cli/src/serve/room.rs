//! Where questions are answered: open handles of the store, the rules, and turns.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use anyhow::bail;
use headwater_queries::why::Rules;
use headwater_store::progress::Progress;
use headwater_store::{Held, Lying, Store};
use tokio::sync::Semaphore;

use super::kept::{Kept, StoreState};
use super::reply::{Text, TooLong};
use super::waiting::Waiting;
use crate::answers;
use crate::context::Context;
use crate::lying::CHANGED;

/// How much a question may read. Each kind has turns of its own, so that none waits for one
/// that reads more than it does; so many are answered at once, and each may use several
/// threads itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lane {
    /// A few records.
    Short,
    /// An index, or one tree.
    Middle,
    /// The patches of a window: each may need hundreds of megabytes.
    Long,
}

impl Lane {
    const ALL: [Lane; 3] = [Lane::Short, Lane::Middle, Lane::Long];

    /// How many of a kind are answered at once.
    const fn at_once(self) -> usize {
        match self {
            Lane::Short | Lane::Middle => 3,
            Lane::Long => 2,
        }
    }
}

/// So many open handles of the store are kept for those who come next.
const IDLE: usize = 4;

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
    /// What was read of the store in this state.
    held: Mutex<Option<(StoreState, Arc<Held>)>>,
    rules: OnceLock<Rules>,
    asking: AtomicUsize,
    turns: [Arc<Semaphore>; Lane::ALL.len()],
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
            held: Mutex::new(None),
            rules: OnceLock::new(),
            asking: AtomicUsize::new(0),
            turns: Lane::ALL.map(|lane| Arc::new(Semaphore::new(lane.at_once()))),
        }
    }

    /// Whether the store can be read, and the rules.
    pub fn probe(&self) -> anyhow::Result<()> {
        let store = self.take()?;
        self.give_back(store);
        self.rules().map(drop)
    }

    /// The state in which the store is, where that can be told.
    pub fn state(&self) -> Option<StoreState> {
        StoreState::of(&self.context.store_dir().ok()?)
    }

    /// What was answered before, of the store as it is now.
    pub fn kept(&self, key: &str) -> Option<Text> {
        self.kept.get(self.state()?, key)
    }

    /// The rules, compiled once.
    pub fn rules(&self) -> anyhow::Result<&Rules> {
        if let Some(rules) = self.rules.get() {
            return Ok(rules);
        }
        let made = answers::why::rules(&self.context)?;
        Ok(self.rules.get_or_init(|| made))
    }

    /// The upstreams of which something is stored.
    pub fn upstream_names(&self) -> anyhow::Result<Vec<String>> {
        let store = self.take()?;
        let names = store.upstream_names()?.into_iter().map(|(_, name)| name).collect();
        self.give_back(store);
        Ok(names)
    }

    /// Whether nobody waits for an answer.
    pub fn is_idle(&self) -> bool {
        self.asking.load(Ordering::Relaxed) == 0
    }

    /// Answers a question where threads may wait, with a store of its own, when its turn
    /// has come.
    pub async fn ask<T: Send + 'static>(
        self: Arc<Self>,
        lane: Lane,
        waiting: Arc<Waiting>,
        question: impl FnOnce(&Room, &mut Store) -> anyhow::Result<T> + Send + 'static,
    ) -> anyhow::Result<T> {
        let _asking = Asking::of(&self);
        let turn = Arc::clone(&self.turns[lane as usize]).acquire_owned().await?;
        waiting.begin();
        let progress: Arc<dyn Progress> = Arc::clone(&waiting) as _;
        let room = Arc::clone(&self);
        let answer = self
            .answer(progress, move |room, store| {
                let answer = question(room, store);
                drop(turn);
                answer
            })
            .await;
        match answer.is_err() && waiting.is_late() {
            true => Err(TooLong(room.limit.as_secs()).into()),
            false => answer,
        }
    }

    /// The same without a turn, for as long as `progress` wants it.
    pub async fn answer<T: Send + 'static>(
        self: Arc<Self>,
        progress: Arc<dyn Progress>,
        question: impl FnOnce(&Room, &mut Store) -> anyhow::Result<T> + Send + 'static,
    ) -> anyhow::Result<T> {
        tokio::task::spawn_blocking(move || {
            let mut store = self.take()?;
            store.watch(&progress)?;
            let answer = question(&self, &mut store);
            if store.lying().is_some_and(|lying| !lying.still()) {
                bail!(CHANGED);
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
        // One that is read as it lies does not see what was written since.
        let mut store = match idle.filter(|store| store.lying().is_none_or(Lying::still)) {
            Some(store) => store,
            None => self.context.open_read_only()?,
        };
        store.hold(self.held());
        Ok(store)
    }

    /// What was read of the store as it is now.
    fn held(&self) -> Arc<Held> {
        let (Some(now), Ok(mut held)) = (self.state(), self.held.lock()) else {
            return Arc::default();
        };
        match &*held {
            Some((of, known)) if *of == now => Arc::clone(known),
            _ => Arc::clone(&held.insert((now, Arc::default())).1),
        }
    }

    fn give_back(&self, store: Store) {
        if let Ok(mut idle) = self.idle.lock()
            && idle.len() < IDLE
        {
            idle.push(store);
        }
    }
}

/// Somebody who waits for an answer.
struct Asking(Arc<Room>);

impl Asking {
    fn of(room: &Arc<Room>) -> Self {
        room.asking.fetch_add(1, Ordering::Relaxed);
        Asking(Arc::clone(room))
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        self.0.asking.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, Sender, channel};

    use clap::Parser as _;

    use super::*;
    use crate::args::Cli;
    use crate::serve::{pages, reply};

    fn room(dir: &std::path::Path) -> Arc<Room> {
        Store::open_or_create(dir).unwrap();
        let args = ["headwater", "--store", dir.to_str().unwrap(), "serve"];
        let context = Context::new(Cli::try_parse_from(args).unwrap().global).unwrap();
        Arc::new(Room::new(context, Duration::from_secs(60), Duration::ZERO))
    }

    /// A question that tells when its turn has come and is answered when it may be.
    fn ask(
        room: &Arc<Room>,
        lane: Lane,
        begun: &Sender<Lane>,
    ) -> (Sender<()>, tokio::task::JoinHandle<anyhow::Result<()>>) {
        let (may, wait): (Sender<()>, Receiver<()>) = channel();
        let begun = begun.clone();
        let waiting = Arc::new(Waiting::new(Duration::from_secs(60)));
        let question = Arc::clone(room).ask(lane, waiting, move |_, _| {
            begun.send(lane)?;
            Ok(wait.recv()?)
        });
        (may, tokio::spawn(question))
    }

    #[test]
    fn what_reads_little_waits_for_nothing_that_reads_much() {
        let dir = tempfile::tempdir().unwrap();
        let room = room(dir.path());
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (begun, begins) = channel();
            assert!(room.is_idle());
            let mut long: Vec<_> = (0..4).map(|_| ask(&room, Lane::Long, &begun)).collect();
            assert_eq!([(); 2].map(|()| begins.recv().unwrap()), [Lane::Long; 2]);
            for lane in [Lane::Short, Lane::Middle] {
                let (may, answer) = ask(&room, lane, &begun);
                // The other two have not begun, nor does this one wait for them.
                assert_eq!(begins.recv().unwrap(), lane);
                may.send(()).unwrap();
                answer.await.unwrap().unwrap();
            }
            assert!(begins.try_recv().is_err() && !room.is_idle());
            for (may, _) in &long {
                may.send(()).unwrap();
            }
            for (_, answer) in long.drain(..) {
                answer.await.unwrap().unwrap();
            }
            assert!(room.is_idle());
        });
    }

    #[test]
    fn what_was_prepared_is_kept_until_the_store_is_written_to() {
        let dir = tempfile::tempdir().unwrap();
        let room = room(dir.path());
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        // Files that were written just now may be written again in the same moment, and one
        // is made by the first who reads.
        room.probe().unwrap();
        while room.state().is_none() {
            std::thread::sleep(Duration::from_millis(10));
        }
        let prepare = |address| {
            let progress = Arc::new(headwater_store::progress::Silent);
            runtime.block_on(pages::prepare(&room, address, progress))
        };
        assert!(room.kept("/").is_none() && prepare("/"));
        let text = room.kept("/").unwrap();
        assert!(matches!(reply::of(Ok(reply::Finished::Text(text))).status().as_u16(), 200));
        assert!(!prepare("/nowhere") && !prepare("/commit"));
        Store::open(dir.path()).unwrap().ensure_upstream("ollama").unwrap();
        assert!(room.kept("/").is_none());
    }
}
