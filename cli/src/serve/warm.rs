//! What is likely to be asked is answered while nobody asks: at the start, and whenever the
//! store has changed. Whoever asks meanwhile comes first.

use std::sync::Arc;
use std::time::Duration;

use headwater_store::progress::{Progress, Silent, Stage};

use super::pages;
use super::room::Room;
use crate::render::links::to;

/// Whether there is something to do is looked for so often.
const LOOK: Duration = Duration::from_millis(500);

/// Answers for as long as nobody asks.
struct WhileIdle(Arc<Room>);

impl Progress for WhileIdle {
    fn stage(&self, name: &str, total: Option<u64>) -> Box<dyn Stage> {
        Silent.stage(name, total)
    }

    fn is_wanted(&self) -> bool {
        self.0.is_idle()
    }
}

/// Goes on until the process ends.
pub async fn run(room: Arc<Room>) {
    let mut done = None;
    loop {
        let state = room.state();
        if state.is_some() && state != done {
            for page in likely(&room) {
                answer(&room, &page).await;
            }
            done = state;
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// Answers a page, from the beginning where somebody asked meanwhile. Whatever is wrong with
/// it is told when it is asked for.
async fn answer(room: &Arc<Room>, page: &str) {
    loop {
        let idle: Arc<dyn Progress> = Arc::new(WhileIdle(Arc::clone(room)));
        if pages::prepare(room, page, idle).await || room.is_idle() {
            return;
        }
        while !room.is_idle() {
            tokio::time::sleep(LOOK).await;
        }
    }
}

/// The pages that are linked from each, and the newest windows: what is read for them, other
/// windows need too.
fn likely(room: &Room) -> Vec<String> {
    let linked = ["/", "/why", "/ledger", "/pins", "/models"];
    let mut all: Vec<String> = linked.map(str::to_owned).to_vec();
    let Ok(names) = room.upstream_names() else { return all };
    all.extend(names.iter().map(|name| to("/ledger", [("upstream", name.as_str())])));
    for name in &names {
        let ends = [("upstream", name.as_str()), ("base", "previous"), ("head", "latest")];
        all.push(to("/why", ends));
    }
    all.push(to("/digest", [("week", pages::this_week().as_str())]));
    all
}
