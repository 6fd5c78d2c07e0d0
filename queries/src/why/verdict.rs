//! What is to be thought of a commit: a verdict only where every file of it allows one.

use headwater_store::StoredPatch;
use headwater_store::evidence::Evidence;
use headwater_store::model::{FileChange, Label, Side};
use headwater_store::objects::ObjectReader;

use super::defaults::evidence;
use super::effective::Asked;
use super::engines::Engines;
use super::lineage::Lineage;
use super::meets::{Meets, NotMet, listed};
use super::paths::PathRules;
use super::report::Verdict;
use super::spared::spares;
use crate::QueryError;
use crate::ledger::Event;
use crate::rank::PhasePaths;

/// A verdict with its reason.
#[derive(Debug, Clone)]
pub(super) struct Judged {
    pub(super) verdict: Verdict,
    pub(super) why: String,
    pub(super) evidence: Vec<Evidence>,
}

/// What a verdict is given by.
pub(super) struct Judge<'a> {
    pub(super) rules: &'a PathRules,
    pub(super) engines: &'a Engines,
    /// What is known of the code of the model in question, if one was named.
    pub(super) lineage: Option<&'a Lineage>,
    /// What the model and the backend in question meet, line by line.
    pub(super) meets: &'a Meets<'a>,
    /// That model, where it is stored and the upstream serves it.
    pub(super) model: Option<&'a Asked>,
    /// What cannot be met in the phase in question.
    pub(super) phase: Option<&'a PhasePaths>,
}

/// What one file's change is to the model.
enum FileSays {
    /// It may matter.
    Matters,
    /// No running program reads it.
    Quiet,
    /// Another engine's.
    OffPath(super::engines::OffPath),
    /// Another family's: the family and what the code does.
    OtherFamily(String, String),
    /// Not met in the phase in question.
    OtherPhase,
    /// Moves what the model sets itself, in words.
    Spared(String),
    /// Nothing of it is for the model and the backend in question.
    NotMet(NotMet),
    /// Another backend's, which says nothing alone.
    OtherBackend,
}

impl Judge<'_> {
    /// The verdict on a commit, or `None` where it stays a candidate.
    pub(super) fn judge(
        &self,
        patch: &StoredPatch,
        labels: &[Label],
        events: &[Event],
        objects: &mut ObjectReader,
    ) -> Result<Option<Judged>, QueryError> {
        if let Some(judged) = self.by_files(patch, events, objects)? {
            return Ok(Some(judged));
        }
        let inert: Vec<&Label> = labels.iter().filter(|label| label.class == "inert").collect();
        if inert.is_empty() {
            return Ok(None);
        }
        let mut rules: Vec<&str> = inert.iter().map(|label| label.rule.as_str()).collect();
        rules.dedup();
        Ok(Some(Judged {
            verdict: Verdict::Inert,
            why: format!(
                "changes nothing that a model on the server meets ({})",
                rules.join(" and ")
            ),
            evidence: inert.into_iter().flat_map(|label| lines(patch, label)).collect(),
        }))
    }

    /// The verdict that the changed files alone allow.
    fn by_files(
        &self,
        patch: &StoredPatch,
        events: &[Event],
        objects: &mut ObjectReader,
    ) -> Result<Option<Judged>, QueryError> {
        let files = &patch.patch().files;
        if files.is_empty() {
            return Ok(None);
        }
        let others: Vec<String> = files
            .iter()
            .filter_map(|file| self.rules.family(&file.path))
            .map(|found| found.family)
            .collect();
        // What its change alone tells comes first: files are long.
        let mut order: Vec<usize> = (0..files.len()).collect();
        order.sort_by_cached_key(|at| files.get(*at).is_some_and(|file| self.meets.reads(file)));
        let mut says = Vec::with_capacity(files.len());
        for at in order {
            let Some(file) = files.get(at) else { continue };
            match self.file(patch, file, &others, events, objects)? {
                FileSays::Matters => return Ok(None),
                found => says.push((at, file, found)),
            }
        }
        says.sort_by_key(|(at, ..)| *at);
        let mut off_path = None;
        let mut other: Option<(String, Vec<String>, String)> = None;
        let mut phase = None;
        let mut spared = None;
        let mut not_met: Vec<(&String, NotMet)> = Vec::new();
        let mut others_too = "";
        for (_, file, found) in says {
            match found {
                FileSays::Matters | FileSays::Quiet => {}
                FileSays::OtherBackend => others_too = "; the rest is other backends' code",
                FileSays::OffPath(found) => {
                    off_path.get_or_insert((file.path.clone(), found));
                }
                FileSays::OtherFamily(family, role) => {
                    let (_, all, _) = other.get_or_insert((file.path.clone(), Vec::new(), role));
                    if !all.contains(&family) {
                        all.push(family);
                    }
                }
                FileSays::OtherPhase => {
                    phase.get_or_insert(&file.path);
                }
                FileSays::Spared(why) => {
                    spared.get_or_insert((&file.path, why));
                }
                FileSays::NotMet(found) => {
                    if !not_met.iter().any(|(_, known)| known.why == found.why) {
                        not_met.push((&file.path, found));
                    }
                }
            }
        }
        if let (Some(path), Some(rule)) = (phase, self.phase) {
            return Ok(Some(Judged {
                verdict: Verdict::Excluded,
                why: format!("not met in the phase {}: it {}", rule.name, rule.why),
                evidence: vec![patch.stored().evidence_at(path)],
            }));
        }
        if let Some((path, why)) = spared {
            let line = events.iter().find(|event| event.path == *path);
            return Ok(Some(Judged {
                verdict: Verdict::Excluded,
                why,
                evidence: vec![match line {
                    Some(event) => evidence(patch, event),
                    None => patch.stored().evidence_at(path),
                }],
            }));
        }
        if let (None, Some((path, first))) = (&other, not_met.first()) {
            let stored = patch.stored();
            let whys: Vec<&str> = not_met.iter().map(|(_, found)| found.why.as_str()).collect();
            let excluded = not_met.iter().find(|(_, found)| found.verdict == Verdict::Excluded);
            return Ok(Some(Judged {
                verdict: excluded.map_or(first.verdict, |(_, found)| found.verdict),
                evidence: vec![match &first.line {
                    Some((side, line, text)) => {
                        stored.evidence_line(path, Some(*side), *line, text)
                    }
                    None => stored.evidence_at(path),
                }],
                why: whys.join("; ") + others_too,
            }));
        }
        Ok(match (other, off_path) {
            (Some((path, families, role)), _) => Some(Judged {
                verdict: Verdict::Excluded,
                why: format!(
                    "{role} of {} models only, not of {}{others_too}",
                    listed(&families),
                    self.lineage.map_or("this one", |own| own.label.as_str())
                ),
                evidence: vec![patch.stored().evidence_at(&path)],
            }),
            (None, Some((path, found))) => Some(Judged {
                verdict: Verdict::OffPath,
                evidence: vec![match &found.line {
                    Some((path, line, text)) => {
                        patch.stored().evidence_line(path, None, *line, text)
                    }
                    None => patch.stored().evidence_at(&path),
                }],
                why: found.why + others_too,
            }),
            (None, None) => None,
        })
    }

    fn file(
        &self,
        patch: &StoredPatch,
        file: &FileChange,
        others: &[String],
        events: &[Event],
        objects: &mut ObjectReader,
    ) -> Result<FileSays, QueryError> {
        if self.rules.is_quiet(&file.path) {
            return Ok(FileSays::Quiet);
        }
        if let Some(found) = self.engines.off_path(patch, file, objects)? {
            return Ok(FileSays::OffPath(found));
        }
        if self.phase.is_some_and(|phase| phase.rules_out(&file.path)) {
            return Ok(FileSays::OtherPhase);
        }
        if let Some(why) = self.model.and_then(|model| spares(model, file, events)) {
            return Ok(FileSays::Spared(why));
        }
        if !patch.is_deferred() {
            if let Some(found) = self.meets.file(file, objects)? {
                let says = !found.why.is_empty();
                return Ok(if says { FileSays::NotMet(found) } else { FileSays::Quiet });
            }
            if self.meets.is_of_another_backend(&file.path) {
                return Ok(FileSays::OtherBackend);
            }
        }
        let Some(own) = self.lineage else { return Ok(FileSays::Matters) };
        if let Some(found) = self.rules.family(&file.path) {
            return Ok(if own.may_run(&found.family) {
                FileSays::Matters
            } else {
                FileSays::OtherFamily(found.family, found.role)
            });
        }
        // A registry with a line for each family: only the others' lines changed.
        let mut strangers = others.iter().filter(|other| !own.may_run(other));
        if self.rules.is_shared_among_families(&file.path)
            && let Some(stranger) = strangers.next()
            && !file.hunks.is_empty()
            && only_names(file, others, own)
        {
            return Ok(FileSays::OtherFamily(stranger.clone(), "registers the code".to_owned()));
        }
        Ok(FileSays::Matters)
    }
}

/// Whether each changed line names one of the families (by their leading word), or has no
/// name in it at all, and none names the model's own.
fn only_names(file: &FileChange, others: &[String], own: &Lineage) -> bool {
    let words: Vec<&str> = others
        .iter()
        .map(|family| family.trim_end_matches(|c: char| !c.is_ascii_alphabetic()))
        .collect();
    file.changed_lines().all(|line| {
        let text = line.text_lossy();
        let bare = !text.chars().any(char::is_alphanumeric);
        let named = words.iter().any(|word| super::families::named_in(word, &text));
        !own.is_named_in(&text) && (bare || named)
    })
}

/// The lines that fired a label, as evidence.
pub(crate) fn lines(patch: &StoredPatch, label: &Label) -> Vec<Evidence> {
    label
        .evidence
        .iter()
        .map(|line| match line.line {
            0 => patch.stored().evidence_at(&line.path),
            number => {
                let side = Some(line.side).filter(|side| *side != Side::Context);
                patch.stored().evidence_line(&line.path, side, number, &line.text)
            }
        })
        .collect()
}
