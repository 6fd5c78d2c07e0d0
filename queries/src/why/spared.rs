//! Files that move nothing but defaults of requests which the model sets itself.

use headwater_store::model::{FileChange, Side};

use super::effective::Asked;
use crate::ledger::{Event, Scope};
use crate::models::number_or_text;

/// Why a file's change never reaches the model: all that it changes is the lines of request
/// options that the model's stored parameters set. A blank line counts as none.
pub(super) fn spares(model: &Asked, file: &FileChange, events: &[Event]) -> Option<String> {
    if !model.version.agrees() || file.gap || file.binary {
        return None;
    }
    let params = model.version.reading()?.params.as_ref()?;
    let here: Vec<&Event> = events
        .iter()
        .filter(|event| {
            let before = event.before.as_ref().is_some_and(|(path, _)| path == file.path_before());
            event.path == file.path || before
        })
        .collect();
    let mut set: Vec<String> = Vec::new();
    for event in &here {
        let value = params.get(&event.knob)?;
        if event.scope != Scope::RequestOption || !event.is_move() {
            return None;
        }
        let words = format!("{} {}", event.knob, number_or_text(value));
        if !set.contains(&words) {
            set.push(words);
        }
    }
    let of_an_event = |side: Side, number: u32| {
        here.iter().any(|event| match side {
            Side::Removed => event.before.as_ref().is_some_and(|(_, line)| *line == number),
            _ => event.line == number,
        })
    };
    let only_these = file
        .changed_lines()
        .all(|line| line.text.trim_ascii().is_empty() || of_an_event(line.side, line.number()));
    (only_these && !set.is_empty())
        .then(|| format!("moves only what {} sets itself: {}", model.name, set.join(", ")))
}
