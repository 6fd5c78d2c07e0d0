//! A window, and a week.

use chrono::Utc;
use headwater_queries::why::{AsOf, WhyQuestion};
use headwater_queries::window::WindowSpec;
use serde_json::Value;

use super::super::asked::{self, DIGEST_PARTS, WHY_PARTS};
use super::super::bounds::{Paged, Total, list};
use super::{Desk, one_of, read};
use crate::answers;
use crate::answers::why::Fetch;
use crate::commands::backend;
use crate::commands::why::{KINDS, PHASES, as_of};
use crate::live::{Via, Wish};

/// Answers `why`.
pub fn why(desk: &Desk, asked: Value) -> anyhow::Result<Value> {
    let asked: asked::Why = read(asked)?;
    one_of("phase", asked.phase.as_deref(), &PHASES)?;
    one_of("kind", asked.kind.as_deref(), &KINDS)?;
    one_of("part", asked.part.as_deref(), &WHY_PARTS)?;
    let as_of = match &asked.as_of {
        Some(text) => as_of(text).map_err(anyhow::Error::msg)?,
        None => AsOf::Now,
    };
    let context = &desk.context;
    let mut question = WhyQuestion {
        upstream: context.upstreams.get(&asked.upstream)?.name.clone(),
        window: WindowSpec::parse(&asked.window)?,
        symptom: asked.symptom,
        backend: asked.backend.as_deref().map(backend::read).transpose()?,
        model: asked.model.filter(|name| !name.trim().is_empty()),
        phase: asked.phase,
        kind: asked.kind,
        installed: None,
        as_of,
        jobs: context.question_jobs(),
    };
    let wish = Wish { asked: false, reports: false };
    let mut store = desk.store()?;
    let may_fetch = desk.online && !store.is_read_only();
    let fetch = may_fetch.then_some(Fetch { via: Via::Git, wish });
    let report = answers::why::ask(context, &mut store, desk.rules()?, &mut question, fetch)?;
    let answer = serde_json::to_value(&report)?;
    part(&answer, asked.part.as_deref(), &WHY_PARTS, &asked.page, 5)
}

/// Answers `digest`.
pub fn digest(desk: &Desk, asked: Value) -> anyhow::Result<Value> {
    let asked: asked::Digest = read(asked)?;
    one_of("part", asked.part.as_deref(), &DIGEST_PARTS)?;
    let when =
        answers::digest::When::new(asked.since.as_deref(), asked.week.as_deref(), Utc::now())?;
    let mut store = desk.store()?;
    let digest = answers::digest::ask(&desk.context, &mut store, &asked.upstreams, when, None)?;
    let answer = serde_json::to_value(&digest)?;
    part(&answer, asked.part.as_deref(), &DIGEST_PARTS, &asked.page, 20)
}

/// A page of the part that was asked for, or of the first with all else in short.
pub(super) fn part(
    answer: &Value,
    part: Option<&str>,
    parts: &[&'static str],
    page: &asked::Page,
    usual: usize,
) -> anyhow::Result<Value> {
    let of = parts.iter().find(|one| part.is_none_or(|part| part == **one));
    let of = of.copied().unwrap_or_default();
    let alone = part.is_some() || page.offset > 0;
    let rows = |limit| list(answer, of, page.offset, limit, alone);
    let limit = page.rows(if part.is_some() { 20.max(usual) } else { usual })?;
    Ok(Paged {
        of,
        offset: page.offset,
        limit,
        total: Total::Is(answer[of].as_array().map_or(0, Vec::len)),
        own: &[],
        rows: &rows,
    }
    .finish())
}
