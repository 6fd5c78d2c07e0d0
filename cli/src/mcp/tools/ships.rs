//! What releases pin and hold.

use serde_json::Value;

use super::super::asked;
use super::window::part;
use super::{Desk, read};
use crate::answers;

/// Answers `pins`.
pub fn pins(desk: &Desk, asked: Value) -> anyhow::Result<Value> {
    let asked: asked::Pins = read(asked)?;
    let (tag, pin) = (asked.tag.as_deref(), asked.pin.as_deref());
    let mut answer =
        answers::pins::ask(&desk.context, &desk.store()?, &asked.upstream, tag, pin, usize::MAX)?;
    // Whoever reads one page wants the newest.
    answer.pins.reverse();
    part(&serde_json::to_value(&answer)?, None, &["pins"], &asked.page, 30)
}

/// Answers `contains`.
pub fn contains(desk: &Desk, asked: Value) -> anyhow::Result<Value> {
    let asked: asked::Contains = read(asked)?;
    let (release, change) = (&asked.release, &asked.change);
    let answer =
        answers::contains::ask(&desk.context, &desk.store()?, &asked.upstream, release, change)?;
    let page = asked::Page::default();
    part(&serde_json::to_value(&answer)?, None, &["commits"], &page, 50)
}
