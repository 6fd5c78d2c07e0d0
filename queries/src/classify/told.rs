//! Why a rule does not fire on a commit: its conditions one after the other, until one
//! fails.

use headwater_store::model::LineRef;
use schemars::JsonSchema;
use serde::Serialize;

use super::compile::{Ready, Rule, Tables};
use super::evaluate::Case;
use super::label::Fact;
use super::source::{Clause, RuleSource};
use super::view::View;

/// What a rule makes of a commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RuleTold {
    /// The rule's id.
    pub rule: String,
    /// Whether it is for this upstream at all.
    pub for_upstream: bool,
    /// Whether it fires; for a covering rule, whether it covers all that the commit changes.
    pub fires: bool,
    /// For a covering rule: how many hunks it covers, and of how many.
    pub covered: Option<(usize, usize)>,
    /// Its clauses, in order.
    pub clauses: Vec<ClauseTold>,
}

/// What a clause of a rule makes of a commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ClauseTold {
    /// `when`, or `unless`.
    pub part: &'static str,
    /// Which of them, from 1.
    pub number: usize,
    /// Whether it holds.
    pub holds: bool,
    /// The first of its conditions that does not hold, as written; those before it do.
    pub failed: Option<String>,
    /// The lines on which it holds; for a covering rule, the first hunk that it leaves.
    pub lines: Vec<LineRef>,
}

pub(super) fn of(
    rule: &Rule,
    source: &RuleSource,
    tables: &Tables,
    view: &View<'_>,
    facts: &[Fact],
    upstream: &str,
) -> RuleTold {
    let case = Case::new(&[rule], tables, view, facts);
    let for_upstream = rule.is_for(upstream);
    let parts = [("when", &rule.when, &source.when), ("unless", &rule.unless, &source.unless)];
    let mut told = RuleTold {
        rule: rule.id.clone(),
        for_upstream,
        fires: false,
        covered: None,
        clauses: Vec::new(),
    };
    let left = rule.covers.then(|| case.first_left(rule));
    for (part, ready, written) in parts {
        for (number, (ready, written)) in ready.iter().zip(written).enumerate() {
            let (failed, lines) = match &left {
                None => {
                    let whole = |clause: &Ready| case.clause(clause).map(|found| found.evidence);
                    match first_failure(ready, written, &whole) {
                        Some(failed) => (Some(failed), Vec::new()),
                        None => (None, whole(ready).unwrap_or_default()),
                    }
                }
                // Whatever the clause, when all is covered nothing is left to tell.
                Some((.., None)) => (None, Vec::new()),
                Some((.., Some(hunk))) => {
                    let one = |clause: &Ready| case.holds_for(clause, hunk).then(Vec::new);
                    (first_failure(ready, written, &one), case.line_at(hunk).into_iter().collect())
                }
            };
            let holds = failed.is_none();
            told.clauses.push(ClauseTold { part, number: number + 1, holds, failed, lines });
        }
    }
    match left {
        Some((covered, all, hunk)) => {
            told.covered = Some((covered, all));
            told.fires = for_upstream && all > 0 && hunk.is_none();
        }
        None => {
            let any = |part: &str| told.clauses.iter().any(|c| c.part == part && c.holds);
            told.fires = for_upstream && any("when") && !any("unless");
        }
    }
    told
}

/// Puts the conditions of a clause together one by one, and tells at which it no longer
/// holds.
fn first_failure(
    ready: &Ready,
    written: &Clause,
    holds: &dyn Fn(&Ready) -> Option<Vec<LineRef>>,
) -> Option<String> {
    let mut so_far = Ready { at_least: 1, comments: ready.comments, ..Ready::default() };
    for (told, put) in steps(written) {
        put(&mut so_far, ready);
        if holds(&so_far).is_some() {
            continue;
        }
        // A word that is there, but where it does not count.
        let anywhere = Ready { comments: true, ..so_far.clone() };
        let aside = !so_far.comments && asks_lines(&so_far) && holds(&anywhere).is_some();
        return Some(match aside {
            true => format!("{told} (only comments, logging or lines that do nothing match)"),
            false => told,
        });
    }
    // What holds together by parts holds as a whole; if not, say at least that it does not.
    holds(ready).is_none().then(|| "all of it together".to_owned())
}

fn asks_lines(clause: &Ready) -> bool {
    clause.line.or(clause.added).or(clause.removed).is_some()
}

/// A condition as written, and how it is put into force.
type Step = (String, fn(&mut Ready, &Ready));

/// The conditions that a clause has, from those that ask least.
fn steps(written: &Clause) -> Vec<Step> {
    let mut all: Vec<Step> = Vec::new();
    let text = |key: &str, value: &Option<String>| {
        value.as_ref().map(|value| format!("{key} = '{value}'"))
    };
    let list = |key: &str, value: &[String]| {
        (!value.is_empty()).then(|| format!("{key} = [{}]", value.join(", ")))
    };
    let mut step = |told: Option<String>, put: fn(&mut Ready, &Ready)| {
        all.extend(told.map(|told| (told, put)));
    };
    step(text("subject", &written.subject), |to, from| to.subject = from.subject.clone());
    step(text("message", &written.message), |to, from| to.message = from.message.clone());
    step(text("fact", &written.fact), |to, from| {
        to.fact = from.fact.clone();
        to.reads_diff = true;
    });
    step(text("fact_detail", &written.fact_detail), |to, from| {
        to.fact_detail = from.fact_detail.clone();
    });
    step(text("not_fact_detail", &written.not_fact_detail), |to, from| {
        to.not_fact_detail = from.not_fact_detail.clone();
    });
    step(list("files", &written.files), |to, from| {
        to.files = from.files.clone();
        to.reads_diff = true;
    });
    step(list("not_files", &written.not_files), |to, from| {
        to.not_files = from.not_files.clone();
    });
    let status: Vec<String> = written.status.iter().map(char::to_string).collect();
    step(list("status", &status), |to, from| {
        to.status = from.status.clone();
        to.reads_diff = true;
    });
    step(text("near", &written.near), |to, from| {
        to.near = from.near.clone();
        to.reads_diff = true;
    });
    step(text("section", &written.section), |to, from| {
        to.section = from.section.clone();
        to.reads_diff = true;
    });
    step(list("only", &written.only), |to, from| to.only = from.only.clone());
    step(text("every_line", &written.every_line), |to, from| {
        to.every_line = from.every_line.clone();
    });
    step(text("line", &written.line), |to, from| {
        to.line = from.line;
        to.reads_diff = true;
    });
    step(text("added", &written.added), |to, from| {
        to.added = from.added;
        to.reads_diff = true;
    });
    step(text("removed", &written.removed), |to, from| {
        to.removed = from.removed;
        to.reads_diff = true;
    });
    step(written.differs.then(|| "differs = true".into()), |to, from| to.differs = from.differs);
    step(written.existing.then(|| "existing = true".into()), |to, from| {
        to.existing = from.existing;
    });
    step(written.at_least.map(|n| format!("at_least = {n}")), |to, from| {
        to.at_least = from.at_least;
    });
    step(written.share.map(|share| format!("share = {share}")), |to, from| {
        to.share = from.share;
    });
    step((!written.also.is_empty()).then(|| "also = […]".into()), |to, from| {
        to.also = from.also.clone();
    });
    all
}
