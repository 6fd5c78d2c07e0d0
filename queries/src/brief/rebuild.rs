//! Whether parts that somebody built himself are to be built anew: by what became of public
//! headers between the rig's pin and another.

use headwater_store::Store;
use headwater_store::evidence::{Basis, Coverage};
use headwater_store::upstream::Upstream;

use super::report::{AbiWindow, Due, Rebuild};
use crate::QueryError;
use crate::abi::{AbiChange, AbiCommit, Kinds};
use crate::defaults::abi_of;
use crate::rig::unknown;
use crate::window::{Span, WindowSpec, span};

/// Commits that are told as reasons.
const REASONS: usize = 3;

/// Looks at the headers of the engine between two pins.
pub(super) fn headers(
    store: &Store,
    engine: &Upstream,
    base: Option<&str>,
    head: Option<&str>,
) -> Result<AbiWindow, QueryError> {
    let mut out = AbiWindow {
        upstream: engine.name.clone(),
        base: base.map(str::to_owned),
        head: head.map(str::to_owned),
        commits: Vec::new(),
        coverage: None,
        rebuild: Rebuild { due: Due::Unknown, why: Vec::new(), grade: Basis::Lacking.grade() },
    };
    let (Some(base), Some(head)) = (base, head) else {
        let which = if base.is_none() { "the rig's pin" } else { "the other pin" };
        out.rebuild.why.push(format!("{which} is not known"));
        return Ok(out);
    };
    let window = WindowSpec { base: base.to_owned(), head: head.to_owned() };
    let span = match span(store, engine, &window) {
        Ok(span) => span,
        Err(why) => {
            out.rebuild.why.push(unknown(engine, &window, why)?.question);
            return Ok(out);
        }
    };
    if span.base_node == span.head_node {
        out.rebuild = Rebuild {
            due: Due::No,
            why: vec![format!("the rig's pin is the one that is upgraded to, {base}")],
            grade: Basis::Objects.grade(),
        };
        return Ok(out);
    }
    let coverage = covered(store, engine, &span)?;
    out.commits = abi_of(store, engine, &window)?;
    out.rebuild = judged(&out.commits, &coverage, &span, engine);
    out.coverage = Some(coverage);
    Ok(out)
}

fn covered(store: &Store, engine: &Upstream, span: &Span) -> Result<Coverage, QueryError> {
    let (reported, missing) = span.counted(store, engine)?;
    Ok(store.coverage(headwater_store::Scope {
        upstream: span.upstream,
        name: span.name(engine),
        commits: &span.ids(),
        reported,
        missing,
    })?)
}

fn judged(commits: &[AbiCommit], coverage: &Coverage, span: &Span, engine: &Upstream) -> Rebuild {
    let breaks: Vec<&AbiCommit> = commits
        .iter()
        .filter(|commit| refuses(commit) || commit.changes.iter().any(is_break))
        .collect();
    if !breaks.is_empty() {
        let mut why: Vec<String> = breaks
            .iter()
            .take(REASONS)
            .map(|commit| format!("{} {}", commit.sha.short(), commit.says))
            .collect();
        if breaks.len() > REASONS {
            why.push(format!("and {} more commits change declarations", breaks.len() - REASONS));
        }
        return Rebuild { due: Due::Yes, why, grade: Basis::Rule.grade() };
    }
    if span.behind > 0 {
        let why = format!(
            "{} commits of the rig's pin are not in the other, so it is no straight line",
            span.behind
        );
        return Rebuild { due: Due::Unknown, why: vec![why], grade: Basis::Lacking.grade() };
    }
    if !coverage.is_complete() {
        let why = format!(
            "no commit that is stored changes a declaration, and of {} commits not all is stored ({} gaps)",
            span.nodes.len(),
            coverage.gaps().len()
        );
        return Rebuild { due: Due::Unknown, why: vec![why], grade: Basis::Lacking.grade() };
    }
    let adds = match commits.len() {
        0 => "no public header changed".to_owned(),
        n => format!("{n} commits only add functions, types, constants or macros"),
    };
    let why = vec![
        format!("of {} commits of {} since the rig's pin, {adds}", span.nodes.len(), engine.name),
        "what they change inside reaches the rig by building anew alone".to_owned(),
    ];
    Rebuild { due: Due::No, why, grade: Basis::NoRule.grade() }
}

/// Whether a loader refuses what was built before.
fn refuses(commit: &AbiCommit) -> bool {
    commit.version.as_ref().is_some_and(|version| version.before != version.after)
}

/// Whether something that was built before may meet another declaration than it was built
/// against.
fn is_break(change: &AbiChange) -> bool {
    match (&change.old, &change.new) {
        // A field more makes its struct another, wherever it stands; a constant that comes
        // in between makes those behind it others.
        (None, Some(_)) => change.kind == Kinds::Field || change.shifts,
        _ => change.kind != Kinds::Macro || change.new.is_none(),
    }
}
