//! Runs rules over one commit.

use std::cell::{Cell, OnceCell};

use headwater_store::model::{CommitPatch, Label, Line, LineRef, Side};
use regex::bytes::Regex;

use super::compile::{PatternId, Ready, Rule, Tables};
use super::facts::facts_of;
use super::label::Fact;
use super::neutral::{Neutral, Renames, neutral_hunk};
use super::view::{FileView, HunkView, View};

/// A commit with everything that clauses look up.
pub(super) struct Case<'a, 'p> {
    tables: &'a Tables,
    pub(super) view: &'a View<'p>,
    facts: Vec<Fact>,
    /// For each file the globs that its path matches, and those its old path does.
    globs: Vec<(Bits, Bits)>,
    /// For each file what is known of the patterns in its changed text.
    hits: Vec<OnceCell<Vec<Cell<Hit>>>>,
    /// For each hunk of each file why it is neutral, found out when first asked.
    neutral: Vec<Vec<OnceCell<Option<Neutral>>>>,
    /// The names that the commit replaces throughout, found when first asked.
    renames: OnceCell<Renames<'a>>,
}

/// Whether a pattern occurs in a file's changed text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hit {
    /// Nobody asked yet.
    Unknown,
    No,
    Yes,
}

/// A small set of numbers.
#[derive(Clone)]
struct Bits(Vec<u64>);

impl Bits {
    fn new(size: usize) -> Self {
        Bits(vec![0; size.div_ceil(64)])
    }

    fn with(size: usize, members: impl IntoIterator<Item = usize>) -> Self {
        let mut bits = Self::new(size);
        for member in members {
            if let Some(word) = bits.0.get_mut(member / 64) {
                *word |= 1 << (member % 64);
            }
        }
        bits
    }

    fn has(&self, member: usize) -> bool {
        self.0.get(member / 64).is_some_and(|word| word >> (member % 64) & 1 == 1)
    }

    fn has_any(&self, members: &[usize]) -> bool {
        members.iter().any(|&member| self.has(member))
    }
}

/// What a clause found.
#[derive(Default)]
pub(super) struct Found {
    pub(super) evidence: Vec<LineRef>,
    /// How many lines matched.
    lines: u32,
}

impl Found {
    fn add(&mut self, path: &str, line: &Line<'_>) {
        self.lines = self.lines.saturating_add(1);
        if self.evidence.len() < Label::MOST_LINES {
            self.evidence.push(line_ref(path, line));
        }
    }
}

/// A line of the patch as evidence.
pub(super) fn line_ref(path: &str, line: &Line<'_>) -> LineRef {
    let text = line.text_lossy();
    let text = match text.char_indices().nth(200) {
        Some((at, _)) => text[..at].to_owned(),
        None => text.into_owned(),
    };
    LineRef { path: path.to_owned(), side: line.side, line: line.number(), text }
}

/// The file as a whole as evidence.
pub(super) fn file_ref(file: &FileView<'_>) -> LineRef {
    match file.hunks.first().and_then(|hunk| hunk.changed(true).next()) {
        Some(line) => line_ref(&file.change.path, line),
        None => LineRef {
            path: file.change.path.clone(),
            side: Side::Context,
            line: 0,
            text: String::new(),
        },
    }
}

/// What keeps the covering rules of a class from giving it: a line of each hunk that none
/// of them covers.
pub(super) fn uncovered(
    rules: &[Rule],
    tables: &Tables,
    view: &View<'_>,
    facts: &[Fact],
    upstream: &str,
    class: &str,
) -> Vec<LineRef> {
    let fits = |rule: &&Rule| rule.is_for(upstream) && rule.covers && rule.class == class;
    let rules: Vec<&Rule> = rules.iter().filter(fits).collect();
    let case = Case::new(&rules, tables, view, facts);
    let mut left = Vec::new();
    case.cover(&rules, |line| {
        left.push(line);
        true
    });
    left
}

/// All labels of a commit, in the order of the rules.
pub(super) fn labels(
    rules: &[Rule],
    tables: &Tables,
    view: &View<'_>,
    facts: &[Fact],
    upstream: &str,
) -> Vec<Label> {
    let rules: Vec<&Rule> = rules.iter().filter(|rule| rule.is_for(upstream)).collect();
    let case = Case::new(&rules, tables, view, facts);
    let mut found: Vec<Label> =
        rules.iter().filter(|rule| !rule.covers).filter_map(|rule| case.fires(rule)).collect();
    let covering: Vec<&Rule> = rules.into_iter().filter(|rule| rule.covers).collect();
    let mut classes: Vec<&str> = covering.iter().map(|rule| rule.class.as_str()).collect();
    classes.sort_unstable();
    classes.dedup();
    for class in classes {
        let of_class: Vec<&Rule> =
            covering.iter().copied().filter(|rule| rule.class == class).collect();
        found.extend(case.covered(&of_class).unwrap_or_default());
    }
    found
}

impl<'a, 'p> Case<'a, 'p> {
    pub(super) fn new(
        rules: &[&Rule],
        tables: &'a Tables,
        view: &'a View<'p>,
        known: &[Fact],
    ) -> Self {
        let globs_of = |path: &str| Bits::with(tables.glob_count, tables.globs.matches(path));
        let globs = view
            .files
            .iter()
            .map(|file| {
                let new = globs_of(&file.change.path);
                let old = match &file.change.old_path {
                    Some(path) => globs_of(path),
                    None => new.clone(),
                };
                (new, old)
            })
            .collect();
        let neutral = view
            .files
            .iter()
            .map(|file| file.hunks.iter().map(|_| OnceCell::new()).collect())
            .collect();
        let hits = view.files.iter().map(|_| OnceCell::new()).collect();
        let renames = OnceCell::new();
        let mut case = Case { tables, view, facts: Vec::new(), globs, hits, neutral, renames };
        // Facts are looked for only where a rule would take them up.
        let clauses = rules.iter().flat_map(|rule| rule.when.iter().chain(&rule.unless));
        let asking: Vec<&Ready> = clauses
            .flat_map(|clause| std::iter::once(clause).chain(&clause.also))
            .filter(|clause| clause.fact.is_some())
            .collect();
        let mut facts = facts_of(view, |name| {
            asking.iter().filter(|clause| clause.fact.as_deref() == Some(name)).any(|clause| {
                (0..view.files.len()).any(|file| case.file_holds(clause, file, false))
            })
        });
        facts.extend_from_slice(known);
        case.facts = facts;
        case
    }

    /// Whether a pattern occurs in the changed text of a file.
    fn hit(&self, file: usize, pattern: PatternId) -> bool {
        let patterns = &self.tables.patterns;
        let known = self.hits[file].get_or_init(|| vec![Cell::new(Hit::Unknown); patterns.len()]);
        let Some((cell, regex)) = known.get(pattern).zip(patterns.get(pattern)) else {
            return false;
        };
        if cell.get() == Hit::Unknown {
            let found = regex.is_match(self.view.files[file].text());
            cell.set(if found { Hit::Yes } else { Hit::No });
        }
        cell.get() == Hit::Yes
    }

    pub(super) fn neutral(&self, file: usize, hunk: usize) -> Option<Neutral> {
        let cell = self.neutral.get(file)?.get(hunk)?;
        *cell.get_or_init(|| {
            let file = self.view.files.get(file)?;
            neutral_hunk(self.view, file, file.hunks.get(hunk)?, || {
                self.renames.get_or_init(|| Renames::of(self.view))
            })
        })
    }

    fn patch(&self) -> &CommitPatch {
        self.view.patch
    }

    fn fires(&self, rule: &Rule) -> Option<Label> {
        let found = rule.when.iter().find_map(|clause| self.clause(clause))?;
        if rule.unless.iter().any(|clause| self.clause(clause).is_some()) {
            return None;
        }
        Some(Label { class: rule.class.clone(), rule: rule.id.clone(), evidence: found.evidence })
    }

    /// Whether a clause holds for the commit, and on which lines.
    pub(super) fn clause(&self, clause: &Ready) -> Option<Found> {
        if !self.message_holds(clause) {
            return None;
        }
        let mut found = Found::default();
        if let Some(name) = &clause.fact {
            found.evidence.extend(
                self.facts_of(clause, name).map(|fact| fact.at.clone()).take(Label::MOST_LINES),
            );
            found.lines = u32::try_from(found.evidence.len()).unwrap_or(u32::MAX);
        } else if clause.reads_diff {
            for (index, file) in self.view.files.iter().enumerate() {
                if self.file_holds(clause, index, false) {
                    self.search_file(clause, index, file, &mut found);
                }
            }
        }
        let holds = !clause.reads_diff
            || !found.evidence.is_empty()
                && found.lines >= clause.at_least
                && (clause.share <= 0.0
                    || f64::from(found.lines)
                        >= clause.share * f64::from(self.view.code_lines.max(1)));
        if !holds {
            return None;
        }
        for further in &clause.also {
            let more = self.clause(further)?;
            found.evidence.extend(more.evidence);
        }
        found.evidence.truncate(Label::MOST_LINES);
        Some(found)
    }

    /// Whether the fact that a covering rule's clause asks for is known of the commit.
    pub(super) fn fact_holds(&self, clause: &Ready) -> bool {
        clause.fact.as_ref().is_none_or(|name| self.facts_of(clause, name).next().is_some())
    }

    fn facts_of<'s>(&'s self, clause: &'s Ready, name: &'s str) -> impl Iterator<Item = &'s Fact> {
        self.facts.iter().filter(move |fact| {
            fact.name == name
                && clause.fact_detail.as_ref().is_none_or(|r| r.is_match(fact.detail.as_bytes()))
                && !clause
                    .not_fact_detail
                    .as_ref()
                    .is_some_and(|r| r.is_match(fact.detail.as_bytes()))
                && self.fact_file_holds(clause, fact)
        })
    }

    pub(super) fn message_holds(&self, clause: &Ready) -> bool {
        let commit = &self.patch().commit;
        clause.subject.as_ref().is_none_or(|r| r.is_match(commit.subject().as_bytes()))
            && clause.message.as_ref().is_none_or(|r| r.is_match(commit.message.as_bytes()))
    }

    /// Whether the file is one that the clause is about. A covering rule needs both
    /// paths of a move: what leaves the sources for the tests is gone from the sources.
    pub(super) fn file_holds(&self, clause: &Ready, index: usize, both: bool) -> bool {
        let (new, old) = &self.globs[index];
        let file = &self.view.files[index];
        let listed = clause.files.as_ref().is_none_or(|files| {
            if both {
                new.has_any(files) && old.has_any(files)
            } else {
                new.has_any(files) || old.has_any(files)
            }
        });
        listed
            && !new.has_any(&clause.not_files)
            && !old.has_any(&clause.not_files)
            && (clause.status.is_empty()
                || clause.status.contains(&char::from(file.change.status.letter())))
    }

    fn fact_file_holds(&self, clause: &Ready, fact: &Fact) -> bool {
        if clause.files.is_none() && clause.not_files.is_empty() {
            return true;
        }
        self.view
            .files
            .iter()
            .position(|file| file.change.path == fact.at.path)
            .is_some_and(|index| self.file_holds(clause, index, false))
    }

    pub(super) fn search_file(
        &self,
        clause: &Ready,
        index: usize,
        file: &FileView<'p>,
        found: &mut Found,
    ) {
        let wanted = [clause.line, clause.added, clause.removed];
        if wanted.iter().flatten().any(|&pattern| !self.hit(index, pattern)) {
            return;
        }
        // What went from one hunk to another of the file is on both sides of it.
        if clause.differs && !self.differs_in(&wanted, file) {
            return;
        }
        if !asks_inside(clause) {
            found.evidence.push(file_ref(file));
            found.evidence.truncate(Label::MOST_LINES);
            found.lines = found.lines.saturating_add(file.code_lines().max(1));
            return;
        }
        for (number, hunk) in file.hunks.iter().enumerate() {
            if !hunk_holds(clause, hunk) {
                continue;
            }
            let lines = self.lines_of(clause, hunk);
            // What does nothing is about nothing.
            let silent = || self.neutral(index, number).is_some_and(Neutral::silences);
            if lines.is_empty() || !clause.comments && silent() {
                continue;
            }
            for line in lines {
                found.add(&file.change.path, line);
            }
        }
    }

    /// Whether what one of the patterns matches stands otherwise on the two sides of a file.
    fn differs_in(&self, patterns: &[Option<PatternId>], file: &FileView<'p>) -> bool {
        let lines: Vec<&Line<'_>> =
            file.hunks.iter().flat_map(|hunk| hunk.changed(false)).collect();
        let patterns = patterns.iter().flatten().filter_map(|&id| self.tables.patterns.get(id));
        patterns.into_iter().any(|pattern| differs(pattern, &lines))
    }

    /// The lines of the hunk that match; none where a wanted pattern finds none.
    pub(super) fn lines_of<'h>(&self, clause: &Ready, hunk: &'h HunkView<'p>) -> Vec<&'h Line<'p>> {
        let mut all = Vec::new();
        let inside = |section: &[u8]| clause.section.as_ref().is_none_or(|r| r.is_match(section));
        if clause.line.or(clause.added).or(clause.removed).is_none() {
            let lines = hunk.changed_inside(clause.comments, clause.existing);
            return lines.filter(|(_, section)| inside(section)).map(|(line, _)| line).collect();
        }
        let asked = [
            (clause.line, None),
            (clause.added, Some(Side::Added)),
            (clause.removed, Some(Side::Removed)),
        ];
        for (pattern, side) in asked {
            let Some(pattern) = pattern.and_then(|id| self.tables.patterns.get(id)) else {
                continue;
            };
            let before = all.len();
            let lines =
                hunk.changed_inside(clause.comments, clause.existing).filter(|(line, section)| {
                    side.is_none_or(|side| line.side == side)
                        && pattern.is_match(line.text)
                        && inside(section)
                });
            all.extend(lines.map(|(line, _)| line));
            if clause.differs && !differs(pattern, &all[before..]) {
                all.truncate(before);
            }
            if all.len() == before {
                return Vec::new();
            }
        }
        all
    }
}

/// Whether a clause looks into hunks at all.
pub(super) fn asks_inside(clause: &Ready) -> bool {
    clause.line.is_some()
        || clause.added.is_some()
        || clause.removed.is_some()
        || clause.section.is_some()
        || clause.near.is_some()
        || clause.every_line.is_some()
        || !clause.only.is_empty()
}

pub(super) fn hunk_holds(clause: &Ready, hunk: &HunkView<'_>) -> bool {
    let section = |pattern: &Regex| {
        let mut lines = hunk.sections.iter().zip(&hunk.hunk.lines);
        lines.any(|(section, line)| line.side != Side::Context && pattern.is_match(section))
    };
    let near = |pattern: &Regex| {
        pattern.is_match(hunk.hunk.section)
            || hunk.hunk.lines.iter().any(|line| pattern.is_match(line.text))
    };
    clause.section.as_ref().is_none_or(section) && clause.near.as_ref().is_none_or(near)
}

/// Whether the texts that a pattern matches are others on the one side than on the other.
fn differs(pattern: &Regex, lines: &[&Line<'_>]) -> bool {
    let of = |side: Side| {
        let lines = lines.iter().filter(|line| line.side == side);
        let mut found: Vec<&[u8]> =
            lines.flat_map(|line| pattern.find_iter(line.text).map(|m| m.as_bytes())).collect();
        found.sort_unstable();
        found.dedup();
        found
    };
    of(Side::Removed) != of(Side::Added)
}
