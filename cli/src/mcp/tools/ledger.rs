//! Defaults, and what runs in effect.

use headwater_queries::defaults::{Question, Tell};
use headwater_queries::window::WindowSpec;
use serde_json::Value;

use super::super::asked::{self, DEFAULTS_PARTS};
use super::window::part;
use super::{Desk, one_of, read};
use crate::answers;

/// Answers `defaults`.
pub fn defaults(desk: &Desk, asked: Value) -> anyhow::Result<Value> {
    let asked: asked::Defaults = read(asked)?;
    one_of("part", asked.part.as_deref(), &DEFAULTS_PARTS)?;
    let question = Question {
        window: asked.window.as_deref().map(WindowSpec::parse).transpose()?,
        at: asked.at,
        knob: asked.knob,
        scope: asked.scope.as_deref().map(str::parse).transpose()?,
        all: false,
        tell: Tell::default(),
        jobs: desk.context.jobs(),
    };
    let answer =
        answers::defaults::ask(&desk.context, &mut desk.store()?, &asked.upstream, &question)?;
    let moved = question.window.is_some() || question.knob.is_some();
    let first = if moved { "events" } else { "values" };
    // All moves of all knobs would only bury the values.
    let one = asked.part.as_deref().or((!moved).then_some(first));
    let parts: Vec<&'static str> = std::iter::once(first).chain(DEFAULTS_PARTS).collect();
    part(&serde_json::to_value(&answer)?, one, &parts, &asked.page, 30)
}

/// Answers `effective`.
pub fn effective(desk: &Desk, asked: Value) -> anyhow::Result<Value> {
    let asked: asked::Effective = read(asked)?;
    let at = Some((asked.upstream.as_str(), asked.at.as_str()));
    let answer = answers::model::ask(&desk.context, &desk.store()?, &asked.model, at)?;
    part(&serde_json::to_value(&answer)?, None, &["effective"], &asked.page, 50)
}
