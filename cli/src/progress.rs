//! Progress on standard error: a bar on a terminal, a line a stage elsewhere.

use std::io::{IsTerminal as _, Write as _};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use headwater_store::Store;
use headwater_store::progress::{Progress, Stage};
use indicatif::{ProgressBar, ProgressStyle};

/// Shows the stages of long work.
pub struct Shown {
    terminal: bool,
}

impl Shown {
    /// Bars where standard error is a terminal.
    pub fn new() -> Self {
        Shown { terminal: std::io::stderr().is_terminal() }
    }
}

impl Progress for Shown {
    fn stage(&self, name: &str, total: Option<u64>) -> Box<dyn Stage> {
        let bar = self.terminal.then(|| bar(name, total));
        Box::new(ShownStage {
            name: name.to_owned(),
            begun: Instant::now(),
            done: AtomicU64::new(0),
            bar,
        })
    }
}

fn bar(name: &str, total: Option<u64>) -> ProgressBar {
    let (bar, template) = match total {
        Some(total) => (
            ProgressBar::new(total),
            "{msg:20} {bar:30} {human_pos}/{human_len} {per_sec} eta {eta}",
        ),
        None => (ProgressBar::new_spinner(), "{msg:20} {spinner} {elapsed}"),
    };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.set_message(name.to_owned());
    bar.enable_steady_tick(Duration::from_millis(120));
    bar
}

/// A store that shows the readings which a question needs, where they take long and
/// standard error is a terminal.
pub fn with_readings(mut store: Store) -> anyhow::Result<Store> {
    if std::io::stderr().is_terminal() {
        let readings: Arc<dyn Progress> = Arc::new(Readings);
        store.watch(&readings)?;
    }
    Ok(store)
}

struct Readings;

/// A reading is shown after so long.
const SHOWN_AFTER: Duration = Duration::from_millis(700);

impl Progress for Readings {
    fn stage(&self, name: &str, total: Option<u64>) -> Box<dyn Stage> {
        Box::new(Reading {
            name: name.to_owned(),
            total,
            begun: Instant::now(),
            done: AtomicU64::new(0),
            bar: OnceLock::new(),
        })
    }
}

struct Reading {
    name: String,
    total: Option<u64>,
    begun: Instant,
    done: AtomicU64,
    bar: OnceLock<ProgressBar>,
}

impl Stage for Reading {
    fn advance(&self, steps: u64) {
        let done = self.done.fetch_add(steps, Ordering::Relaxed) + steps;
        if self.begun.elapsed() >= SHOWN_AFTER {
            self.bar.get_or_init(|| bar(&self.name, self.total)).set_position(done);
        }
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }
}

struct ShownStage {
    name: String,
    begun: Instant,
    done: AtomicU64,
    bar: Option<ProgressBar>,
}

impl Stage for ShownStage {
    fn advance(&self, steps: u64) {
        self.done.fetch_add(steps, Ordering::Relaxed);
        if let Some(bar) = &self.bar {
            bar.inc(steps);
        }
    }
}

impl Drop for ShownStage {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        let seconds = self.begun.elapsed().as_secs_f64();
        let mut stderr = anstream::stderr();
        let _ = match self.done.load(Ordering::Relaxed) {
            0 => writeln!(stderr, "{}: {seconds:.2} s", self.name),
            done => {
                let rate = done as f64 / seconds.max(0.001);
                writeln!(stderr, "{}: {done} in {seconds:.2} s, {rate:.0} a second", self.name)
            }
        };
    }
}
