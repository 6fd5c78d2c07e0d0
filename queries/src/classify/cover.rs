//! Classes that are given when every change of a commit is covered.

use headwater_store::model::{Label, Line, LineRef, Side};

use super::compile::{Ready, Rule};
use super::evaluate::{Case, Found, asks_inside, file_ref, hunk_holds, line_ref};
use super::neutral::Neutral;
use super::view::HunkView;

impl<'p> Case<'_, 'p> {
    /// The labels of a class whose rules cover every change, or none.
    pub(super) fn covered(&self, rules: &[&Rule]) -> Option<Vec<Label>> {
        let mut all = true;
        let labels = self.cover(rules, |_| {
            all = false;
            false
        });
        (all && !self.view.files.is_empty()).then_some(labels)
    }

    /// The labels of covering rules for all that they cover. What they do not is told to
    /// `left`, which says whether to go on.
    pub(super) fn cover(
        &self,
        rules: &[&Rule],
        mut left: impl FnMut(LineRef) -> bool,
    ) -> Vec<Label> {
        let mut labels: Vec<(usize, Label)> = Vec::new();
        'files: for (index, file) in self.view.files.iter().enumerate() {
            // The whole file, by a rule that asks for no lines: the frequent case.
            if let Some(at) = rules.iter().position(|rule| self.covers_file(rule, index)) {
                note(&mut labels, at, rules[at], file_ref(file));
                continue;
            }
            if file.hunks.is_empty() || file.change.gap {
                match self.covers_move(rules, index) {
                    Some(at) => note(&mut labels, at, rules[at], file_ref(file)),
                    None if left(file_ref(file)) => {}
                    None => break,
                }
                continue;
            }
            for (number, hunk) in file.hunks.iter().enumerate() {
                let kind = self.neutral(index, number);
                let changed = || hunk.hunk.lines.iter().find(|line| line.side != Side::Context);
                let line = hunk.changed(false).next().or_else(|| hunk.changed(true).next());
                let line = line.or_else(changed).map(|line| line_ref(&file.change.path, line));
                let at = rules.iter().position(|rule| self.covers_hunk(rule, index, hunk, kind));
                match (at, line) {
                    (Some(at), Some(line)) => note(&mut labels, at, rules[at], line),
                    (Some(_), None) => {}
                    (None, line) => {
                        if !left(line.unwrap_or_else(|| file_ref(file))) {
                            break 'files;
                        }
                    }
                }
            }
        }
        labels.sort_by_key(|(at, _)| *at);
        labels.into_iter().map(|(_, label)| label).collect()
    }

    /// The rule that covers a file which moved as it is.
    fn covers_move(&self, rules: &[&Rule], index: usize) -> Option<usize> {
        let change = self.view.files[index].change;
        if change.old_path.is_none() || change.gap || change.binary {
            return None;
        }
        rules.iter().position(|rule| {
            rule.when.iter().any(|clause| {
                clause.only.contains(&Neutral::Layout) && self.file_holds(clause, index, true)
            })
        })
    }

    /// Whether a rule covers the file whatever its lines.
    fn covers_file(&self, rule: &Rule, index: usize) -> bool {
        rule.when.iter().any(|clause| {
            clause.files.is_some()
                && !asks_inside(clause)
                && self.file_holds(clause, index, true)
                && self.message_holds(clause)
                && self.fact_holds(clause)
                && clause.also.iter().all(|further| self.clause(further).is_some())
        }) && !rule.unless.iter().any(|clause| {
            self.file_holds(clause, index, false)
                && self.message_holds(clause)
                && self.fact_holds(clause)
                && (!asks_inside(clause) || {
                    let mut found = Found::default();
                    self.search_file(clause, index, &self.view.files[index], &mut found);
                    !found.evidence.is_empty()
                })
        })
    }

    fn covers_hunk(
        &self,
        rule: &Rule,
        index: usize,
        hunk: &HunkView<'p>,
        neutral: Option<Neutral>,
    ) -> bool {
        rule.when.iter().any(|clause| {
            self.holds_in(clause, index, hunk, neutral, true)
                && clause.also.iter().all(|further| self.clause(further).is_some())
        }) && !rule.unless.iter().any(|clause| self.holds_in(clause, index, hunk, neutral, false))
    }

    /// Whether a clause of a covering rule holds for a hunk; what it asks beside that left out.
    fn holds_in(
        &self,
        clause: &Ready,
        index: usize,
        hunk: &HunkView<'p>,
        neutral: Option<Neutral>,
        both: bool,
    ) -> bool {
        let every = |(line, section): (&Line<'_>, &[u8])| {
            neutral.is_some_and(Neutral::silences)
                || clause.every_line.as_ref().is_none_or(|r| r.is_match(line.text))
                    && clause.section.as_ref().is_none_or(|r| r.is_match(section))
        };
        self.file_holds(clause, index, both)
            && self.message_holds(clause)
            && self.fact_holds(clause)
            && hunk_holds(clause, hunk)
            && (clause.only.is_empty() || neutral.is_some_and(|kind| clause.only.contains(&kind)))
            && hunk.changed_in(false).all(every)
            && (clause.line.or(clause.added).or(clause.removed).is_none()
                || !self.lines_of(clause, hunk).is_empty())
    }

    /// How many hunks a covering rule covers by itself, of how many, and the first that it
    /// leaves. A file without hunks counts as one.
    pub(super) fn first_left(&self, rule: &Rule) -> (usize, usize, Option<HunkAt>) {
        let (mut covered, mut all, mut left) = (0, 0, None);
        for (index, file) in self.view.files.iter().enumerate() {
            let whole = self.covers_file(rule, index);
            let bare = file.hunks.is_empty() || file.change.gap;
            for number in 0..file.hunks.len().max(1) {
                let holds = whole
                    || match file.hunks.get(number).filter(|_| !bare) {
                        Some(hunk) => {
                            self.covers_hunk(rule, index, hunk, self.neutral(index, number))
                        }
                        None => self.covers_move(&[rule], index).is_some(),
                    };
                all += 1;
                covered += usize::from(holds);
                if !holds && left.is_none() {
                    left = Some(HunkAt { file: index, hunk: (!bare).then_some(number) });
                }
            }
        }
        (covered, all, left)
    }

    /// Whether a clause of a covering rule holds for what was left.
    pub(super) fn holds_for(&self, clause: &Ready, at: &HunkAt) -> bool {
        let hunk = at.hunk.and_then(|number| self.view.files.get(at.file)?.hunks.get(number));
        let held = match (hunk, at.hunk) {
            (Some(hunk), Some(number)) => {
                self.holds_in(clause, at.file, hunk, self.neutral(at.file, number), true)
            }
            _ => {
                !asks_inside(clause)
                    && self.file_holds(clause, at.file, true)
                    && self.message_holds(clause)
                    && self.fact_holds(clause)
            }
        };
        held && clause.also.iter().all(|further| self.clause(further).is_some())
    }

    /// A line of what was left.
    pub(super) fn line_at(&self, at: &HunkAt) -> Option<LineRef> {
        let file = self.view.files.get(at.file)?;
        let hunk = at.hunk.and_then(|number| file.hunks.get(number));
        let line = hunk.and_then(|hunk| hunk.changed(false).next().or(hunk.changed(true).next()));
        Some(line.map_or_else(|| file_ref(file), |line| line_ref(&file.change.path, line)))
    }
}

/// A hunk of a file, or the file as a whole where it has none.
pub(super) struct HunkAt {
    file: usize,
    hunk: Option<usize>,
}

fn note(labels: &mut Vec<(usize, Label)>, at: usize, rule: &Rule, line: LineRef) {
    let position = labels.iter().position(|(rule, _)| *rule == at).unwrap_or_else(|| {
        let (class, rule) = (rule.class.clone(), rule.id.clone());
        labels.push((at, Label { class, rule, evidence: Vec::new() }));
        labels.len() - 1
    });
    if let Some((_, label)) = labels.get_mut(position)
        && label.evidence.len() < Label::MOST_LINES
    {
        label.evidence.push(line);
    }
}
