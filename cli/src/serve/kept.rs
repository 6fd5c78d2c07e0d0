//! What was answered before, as long as the store is the same.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use super::reply::Text;

/// So many bytes of texts are kept, the newest.
const MOST: usize = 32 << 20;

/// The database and its log as they lie on the disk: whatever is written changes one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoreState([Option<(SystemTime, u64)>; 2]);

/// A file that was written so lately may be written again with no later time: times are no
/// finer than the clock's ticks.
const SETTLED: Duration = Duration::from_millis(100);

impl StoreState {
    /// As it is now; nothing where that cannot be told.
    pub fn of(dir: &Path) -> Option<Self> {
        let of = |name: &str| {
            let facts = std::fs::metadata(dir.join(name)).ok()?;
            Some((facts.modified().ok()?, facts.len()))
        };
        let database = of("headwater.db")?;
        let state = StoreState([Some(database), of("headwater.db-wal")]);
        let last = state.0.iter().flatten().map(|(written, _)| *written).max()?;
        let settled = SystemTime::now().duration_since(last).is_ok_and(|since| since > SETTLED);
        settled.then_some(state)
    }
}

/// Texts by what was asked.
#[derive(Default)]
pub struct Kept(Mutex<VecDeque<(StoreState, String, Text)>>);

impl Kept {
    /// The answer to a question that was asked of the same state.
    pub fn get(&self, state: StoreState, asked: &str) -> Option<Text> {
        let kept = self.0.lock().ok()?;
        let found = kept.iter().find(|(of, question, _)| *of == state && question == asked)?;
        Some(found.2.clone())
    }

    /// Keeps an answer; the oldest give way, and those of another state.
    pub fn keep(&self, state: StoreState, asked: String, text: &Text) {
        let Ok(mut kept) = self.0.lock() else { return };
        kept.retain(|(of, ..)| *of == state);
        kept.push_back((state, asked, text.clone()));
        let mut bytes: usize = kept.iter().map(|(_, _, text)| text.len()).sum();
        while bytes > MOST
            && let Some((_, _, text)) = kept.pop_front()
        {
            bytes -= text.len();
        }
    }
}
