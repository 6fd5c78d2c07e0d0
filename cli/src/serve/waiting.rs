//! Whoever waits for a question's answer: how far it is, and when it is given up.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use headwater_store::progress::{Progress, Stage};

/// One question that is being answered.
pub struct Waiting {
    /// It may take so long, counted from its turn.
    limit: Duration,
    begun: OnceLock<Instant>,
    gone: AtomicBool,
    stage: Mutex<Option<Arc<Counted>>>,
}

/// A stage that is under way.
struct Counted {
    name: String,
    total: Option<u64>,
    done: AtomicU64,
}

struct Counting(Arc<Counted>);

impl Stage for Counting {
    fn advance(&self, steps: u64) {
        self.0.done.fetch_add(steps, Ordering::Relaxed);
    }
}

impl Waiting {
    /// Waits for its turn.
    pub fn new(limit: Duration) -> Self {
        Waiting {
            limit,
            begun: OnceLock::new(),
            gone: AtomicBool::new(false),
            stage: Mutex::default(),
        }
    }

    /// Its turn has come.
    pub fn begin(&self) {
        self.begun.get_or_init(Instant::now);
    }

    /// Whether it took longer than it may.
    pub fn is_late(&self) -> bool {
        self.begun.get().is_some_and(|begun| begun.elapsed() >= self.limit)
    }

    /// How far it is, in a line.
    pub fn line(&self) -> String {
        if self.begun.get().is_none() {
            return "Other questions come first.".to_owned();
        }
        let stage = self.stage.lock().ok().and_then(|stage| stage.clone());
        match stage {
            Some(stage) => {
                let done = stage.done.load(Ordering::Relaxed);
                match stage.total {
                    Some(total) => format!("Reading {}: {done} of {total}.", stage.name),
                    None => format!("Reading {}: {done}.", stage.name),
                }
            }
            None => "Reading.".to_owned(),
        }
    }
}

impl Progress for Waiting {
    fn stage(&self, name: &str, total: Option<u64>) -> Box<dyn Stage> {
        let counted = Arc::new(Counted { name: name.to_owned(), total, done: AtomicU64::new(0) });
        if let Ok(mut stage) = self.stage.lock() {
            *stage = Some(Arc::clone(&counted));
        }
        Box::new(Counting(counted))
    }

    fn is_wanted(&self) -> bool {
        !self.gone.load(Ordering::Relaxed) && !self.is_late()
    }
}

/// Held for as long as somebody waits: a browser that leaves drops it.
pub struct Asker(pub Arc<Waiting>);

impl Drop for Asker {
    fn drop(&mut self) {
        self.0.gone.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_counts_ends_and_is_left() {
        let waiting = Arc::new(Waiting::new(Duration::from_secs(3600)));
        assert_eq!(waiting.line(), "Other questions come first.");
        waiting.begin();
        assert_eq!(waiting.line(), "Reading.");
        let stage = waiting.stage("patches", Some(7300));
        stage.advance(1200);
        assert_eq!(waiting.line(), "Reading patches: 1200 of 7300.");
        let asker = Asker(Arc::clone(&waiting));
        assert!(waiting.is_wanted());
        drop(asker);
        assert!(!waiting.is_wanted() && !waiting.is_late());

        let late = Waiting::new(Duration::ZERO);
        assert!(late.is_wanted(), "no time runs before its turn");
        late.begin();
        assert!(!late.is_wanted() && late.is_late());
    }
}
