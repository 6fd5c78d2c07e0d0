//! The ledger of defaults.

use headwater_queries::defaults::{self, DefaultsAnswer, Question};
use headwater_queries::ledger::Scope;
use headwater_store::Store;

use crate::context::Context;

/// Asks it. A window's scope `build` also tells what those must know who build it.
pub fn ask(
    context: &Context,
    store: &mut Store,
    upstream: &str,
    question: &Question,
) -> anyhow::Result<DefaultsAnswer> {
    let upstream = context.upstreams.get(upstream)?;
    let extractors = context.extractors()?;
    let mut answer = defaults::ask(store, upstream, &extractors, question)?;
    if let (Some(window), Some(Scope::Build), None) =
        (&question.window, question.scope, &question.knob)
    {
        let jobs = question.jobs;
        let told =
            defaults::packagers(store, &context.upstreams, &extractors, upstream, window, jobs)?;
        answer.packagers = Some(told);
    }
    Ok(answer)
}
