//! Answering a pattern from a segment.

use std::io;

use regex_syntax::hir::{Hir, HirKind, Look};

use super::class::Class;
use super::pattern::{Pattern, compile};
use super::plan::{Need, Plan};
use super::rows::RowSet;
use super::scan::rows_with;
use super::segment::Segment;
use super::shape::longest_literal;
use super::whole::rows_matching;

/// Rows that are few enough to be read rather than narrowed down further.
const FEW: u32 = 16;
/// Where more than one row in so many may match, searching all lines is quicker than reading
/// them.
const MANY: u32 = 3;
/// Rows that are not worth a slow look at the dictionary.
const SOME: u32 = 512;

/// A pattern made ready to be looked up in segments.
#[derive(Debug)]
pub struct Lookup {
    pattern: Pattern,
    plan: Plan,
    threads: usize,
    few: u32,
    some: u32,
    many: u32,
}

/// The rows of a segment that may match.
#[derive(Debug)]
pub struct Candidates {
    /// The rows, counted from the segment's first.
    pub rows: RowSet,
    /// All of them do match.
    pub exact: bool,
    /// All distinct lines were searched.
    pub scanned: bool,
    /// Conditions that were not looked up, or did not narrow anything down.
    pub given_up: Vec<GivenUp>,
}

/// A condition that was given up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenUp {
    /// The condition.
    pub need: Need,
    /// Why.
    pub why: Why,
}

/// Why a condition was given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// More runs than this match it: it narrows nothing down.
    TooCommon(usize),
    /// So few rows were left that reading them is quicker.
    FewRows(u32),
    /// Its automaton would be too large.
    TooLarge,
}

impl std::fmt::Display for Why {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::TooCommon(most) => write!(f, "more than {most} runs meet it"),
            Self::FewRows(rows) => {
                write!(f, "only {rows} texts were left, which are read sooner than it is looked up")
            }
            Self::TooLarge => f.write_str("its automaton would be too large"),
        }
    }
}

impl Lookup {
    /// Plans a pattern; dictionaries are searched by up to `threads` threads.
    pub fn new(pattern: &Pattern, threads: usize) -> Self {
        let plan = Plan::of(pattern.hir());
        Self { pattern: pattern.clone(), plan, threads, few: FEW, some: SOME, many: MANY }
    }

    /// Looks every condition up, however few rows are left, and searches no lines instead.
    #[cfg(test)]
    pub(super) fn thorough(self) -> Self {
        Self { few: 0, some: 0, many: 1, ..self }
    }

    /// The plan, for explaining.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Whether no run can be required: every line has to be searched.
    pub fn reads_everything(&self) -> bool {
        self.plan.need == Need::Anything
    }

    /// The rows of a segment that may match.
    pub fn candidates(&self, segment: &Segment) -> io::Result<Candidates> {
        let mut given_up = Vec::new();
        let (mut rows, mut exact, mut scanned) =
            (RowSet::all(segment.rows()), self.plan.exact, self.reads_everything());
        if !scanned {
            rows = self.rows(&self.plan.need, segment, exact, &mut given_up)?;
            scanned = !exact && rows.count() > segment.rows() / self.many;
        }
        if scanned {
            rows = rows_matching(segment, &self.pattern, self.threads)?;
            exact = true;
        }
        Ok(Candidates { rows, exact, scanned, given_up })
    }

    fn rows(
        &self,
        need: &Need,
        segment: &Segment,
        exact: bool,
        given_up: &mut Vec<GivenUp>,
    ) -> io::Result<RowSet> {
        match need {
            Need::Anything => Ok(RowSet::all(segment.rows())),
            Need::Never => Ok(RowSet::none(segment.rows())),
            Need::Run(class, hir) => {
                // An expression too large to compile narrows nothing down.
                let most = if exact { usize::MAX } else { most(*class, segment) };
                let (rows, why) = match compile(hir) {
                    Ok(regex) => (
                        rows_with(segment, *class, &regex, self.threads, prefix(hir), most)?,
                        Why::TooCommon(most),
                    ),
                    Err(_) if exact => return Err(io::Error::other("a plan does not compile")),
                    Err(_) => (None, Why::TooLarge),
                };
                Ok(rows.unwrap_or_else(|| {
                    given_up.push(GivenUp { need: need.clone(), why });
                    RowSet::all(segment.rows())
                }))
            }
            Need::Either(parts) => {
                let mut all = RowSet::none(segment.rows());
                for part in parts {
                    all.unite(&self.rows(part, segment, exact, given_up)?);
                }
                Ok(all)
            }
            Need::All(parts) => {
                let mut order: Vec<&Need> = parts.iter().collect();
                order.sort_by_key(|part| cost(part));
                let mut common = RowSet::all(segment.rows());
                for part in order {
                    let left = common.count();
                    if !exact && (left <= self.few || left <= self.some && is_vague(part)) {
                        given_up.push(GivenUp { need: part.clone(), why: Why::FewRows(left) });
                        continue;
                    }
                    common.intersect(&self.rows(part, segment, exact, given_up)?);
                }
                Ok(common)
            }
        }
    }
}

/// Whether looking a condition up takes longer than it is worth once rows are few: it has
/// no text to look for, and is not told by the beginning of a run.
fn is_vague(need: &Need) -> bool {
    match need {
        Need::Run(Class::Word, hir) => prefix(hir).is_empty() && longest_literal(hir) < 2,
        Need::Run(..) | Need::Never => false,
        Need::All(parts) => parts.iter().all(is_vague),
        Need::Either(parts) => parts.iter().any(is_vague),
        Need::Anything => true,
    }
}

/// The text that a run must begin with, where the expression begins where the run does.
fn prefix(hir: &Hir) -> &[u8] {
    let HirKind::Concat(parts) = hir.kind() else { return &[] };
    let mut parts = parts.iter();
    match parts.next().map(Hir::kind) {
        Some(HirKind::Look(Look::StartLF)) => {}
        _ => return &[],
    }
    match parts.next().map(Hir::kind) {
        Some(HirKind::Literal(literal)) => &literal.0,
        _ => &[],
    }
}

/// How many runs a condition may match before it is given up, where rows are read anyway.
fn most(class: Class, segment: &Segment) -> usize {
    match class {
        Class::Word => usize::try_from(segment.runs(class) / 128).unwrap_or(0).max(2048),
        _ => usize::MAX,
    }
}

/// Which conditions to look up first: those with the most literal bytes, words before
/// marks, since long words are rare.
fn cost(need: &Need) -> (bool, std::cmp::Reverse<usize>) {
    match need {
        Need::Run(class, hir) => {
            let length = hir.properties().minimum_len().unwrap_or(0);
            (*class != Class::Word || is_vague(need), std::cmp::Reverse(length))
        }
        Need::All(parts) => parts.iter().map(cost).min().unwrap_or_default(),
        Need::Either(parts) => parts.iter().map(cost).max().unwrap_or_default(),
        Need::Anything | Need::Never => (true, std::cmp::Reverse(0)),
    }
}
