//! Whether the model and the backend in question meet a change at all, line by line: code of
//! operations and architectures that the model has not, and conditions that do not hold on
//! the backend. A change is ruled out where nothing is left of it.

mod blocks;
mod conditions;
mod expression;
mod layout;
mod values;

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};

use headwater_store::Oid;
use headwater_store::model::{FileChange, Hunk, Line, Side};
use headwater_store::objects::ObjectReader;
use regex::RegexSet;

use self::blocks::{Blocks, Whose};
use self::conditions::Conditions;
use super::WhyQuestion;
use super::answer::Rules;
use super::lineage::Lineage;
use super::report::Verdict;
use crate::QueryError;
use crate::ledger::Event;
use crate::rank::Facets;

/// A change of more lines than this is not read.
const MOST_LINES: u32 = 3000;
/// Other backends' code that runs beside any.
const BESIDE: [&str; 3] = ["cpu", "rpc", "mlx"];

/// What a question's model and backend meet.
pub(super) struct Meets<'l> {
    lineage: Option<&'l Lineage>,
    blocks: Option<Blocks<'l>>,
    conditions: Option<Conditions>,
    /// The files of the backend in question and of those that run beside any, and those of
    /// the others, of which some are built from the same.
    own: Option<RegexSet>,
    others: Option<RegexSet>,
}

/// Why a file's change is not met.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NotMet {
    pub(super) verdict: Verdict,
    /// Empty where its changed lines say nothing to anybody.
    pub(super) why: String,
    /// The line that shows it.
    pub(super) line: Option<(Side, u32, String)>,
}

impl<'l> Meets<'l> {
    /// Those of a question. Many patterns are compiled: one is for all its windows.
    pub(super) fn asked(
        question: &WhyQuestion,
        lineage: Option<&'l Lineage>,
        rules: &Rules,
    ) -> Result<Self, QueryError> {
        Meets::of(lineage, question.backend.as_deref(), &rules.facets)
    }

    fn of(
        lineage: Option<&'l Lineage>,
        backend: Option<&str>,
        facets: &Facets,
    ) -> Result<Self, QueryError> {
        let paths = |own: bool| -> Result<Option<RegexSet>, QueryError> {
            let Some(wanted) = backend.map(|backend| facets.wanted(backend)) else {
                return Ok(None);
            };
            let is_own = |at: usize, name: &str| wanted & (1 << at) != 0 || BESIDE.contains(&name);
            let all = facets.backends.iter().enumerate();
            let some = all.filter(|(at, one)| is_own(*at, &one.name) == own);
            let paths = some.map(|(_, one)| format!("(?i){}", one.path));
            let set = RegexSet::new(paths).map_err(|e| QueryError::Pattern(e.to_string()))?;
            Ok(Some(set))
        };
        // Of a name that tells nothing no code can be ruled out.
        let told = lineage.filter(|lineage| lineage.is_told());
        Ok(Meets {
            lineage: told,
            blocks: told.map(Blocks::new).transpose()?,
            conditions: backend.map(Conditions::of).transpose()?.flatten(),
            own: paths(true)?,
            others: paths(false)?,
        })
    }

    /// Whether a file is another backend's.
    pub(super) fn is_of_another_backend(&self, path: &str) -> bool {
        let is_in = |set: &Option<RegexSet>| set.as_ref().is_some_and(|set| set.is_match(path));
        is_in(&self.others) && !is_in(&self.own)
    }

    /// Why a default's move is not met, in words.
    pub(super) fn event(&self, event: &Event) -> Option<String> {
        let (old, new) = (event.old.as_deref()?, event.new.as_deref()?);
        if let Some(conditions) = &self.conditions {
            let backend = &conditions.backend;
            if conditions.same_value(&event.path, old, new) {
                return Some(format!("on {backend} it comes to what it was"));
            }
            if conditions.spares_knob(&event.knob) || conditions.spares_file(&event.path) {
                return Some(format!("no build for {backend} reads it"));
            }
        }
        let lineage = self.lineage?;
        let names = values::architectures(old, new)?;
        (!names.iter().any(|name| lineage.may_be(name))).then(|| {
            let names: Vec<String> = names.into_iter().collect();
            format!("the change names {}, not {}", listed(&names), lineage.architecture())
        })
    }

    /// Why a file's change is not met; `None` where it may be.
    pub(super) fn file(
        &self,
        file: &FileChange,
        objects: &mut ObjectReader,
    ) -> Result<Option<NotMet>, QueryError> {
        if file.gap || file.binary || file.hunks.is_empty() {
            return Ok(None);
        }
        let spared = self.lineage.map_or(&[][..], Lineage::spared);
        if let Some(operation) = spared.iter().find(|one| one.owns(&file.path)) {
            let architecture = self.lineage.map(Lineage::architecture).unwrap_or_default();
            return Ok(Some(NotMet {
                verdict: Verdict::Excluded,
                why: format!(
                    "is code of {} alone, which {} have, not {architecture}",
                    operation.name, operation.of
                ),
                line: None,
            }));
        }
        if let Some(conditions) = self.conditions.as_ref().filter(|c| c.spares_file(&file.path)) {
            return Ok(Some(NotMet {
                verdict: Verdict::OffPath,
                why: format!("no build for {} reads it", conditions.backend),
                line: None,
            }));
        }
        let Some((blocks, conditions)) = self.told_by(file) else { return Ok(None) };
        let mut told = Told::default();
        let Some(after) = version(objects, file.new_blob)? else { return Ok(None) };
        let Some(new) = left(file, Side::Added, &after, blocks, conditions, &mut told) else {
            return Ok(None);
        };
        let Some(before) = version(objects, file.old_blob)? else { return Ok(None) };
        let Some(old) = left(file, Side::Removed, &before, blocks, conditions, &mut told) else {
            return Ok(None);
        };
        Ok((old == new).then(|| self.not_met(file, &told, spared)))
    }

    /// Whether more of a file than its change must be read to tell.
    pub(super) fn reads(&self, file: &FileChange) -> bool {
        self.told_by(file).is_some()
    }

    /// What may tell that nothing is left of a file's change, as far as that can be seen
    /// without the file.
    fn told_by(&self, file: &FileChange) -> Option<(Option<&Blocks<'l>>, Option<&Conditions>)> {
        if file.added.saturating_add(file.deleted) > MOST_LINES {
            return None;
        }
        let conditions = self.conditions.as_ref().filter(|conditions| {
            let shared = file.path.contains("ggml-cuda") || file.path.ends_with(".cuh");
            let mut lines = file.hunks.split(|byte| *byte == b'\n');
            is_preprocessed(&file.path)
                && (shared || lines.any(|line| asks(conditions, &file.path, line)))
        });
        // Where no condition may hide a hunk, each has to speak of something of another's.
        let blocks = self.blocks.as_ref();
        let blocks = blocks.filter(|blocks| conditions.is_some() || blocks.may_tell(file));
        (blocks.is_some() || conditions.is_some()).then_some((blocks, conditions))
    }

    /// Nothing is left of a file's change: why, by what was taken out of it.
    fn not_met(
        &self,
        file: &FileChange,
        told: &Told,
        spared: &[super::lineage::Operation],
    ) -> NotMet {
        let architecture = self.lineage.map(Lineage::architecture).unwrap_or_default();
        let mut whys = Vec::new();
        for operation in told.operations.iter().filter_map(|at| spared.get(*at)) {
            whys.push(format!(
                "is code of {} alone, which {} have, not {architecture}",
                operation.name, operation.of
            ));
        }
        if told.architectures {
            whys.push(format!("is for other architectures, not {architecture}"));
        }
        let verdict = if whys.is_empty() { Verdict::OffPath } else { Verdict::Excluded };
        if let Some(conditions) = self.conditions.as_ref().filter(|_| told.hidden) {
            whys.push(format!(
                "changes only what is not compiled for {}, by its conditions",
                conditions.backend
            ));
        }
        let first = || {
            let line = file.changed_lines().find(|line| !line.text.trim_ascii().is_empty())?;
            Some((line.side, line.number(), line.text_lossy().trim().to_owned()))
        };
        let line = told.line.clone().or_else(first);
        NotMet { verdict, why: whys.join("; "), line }
    }
}

/// What was taken out of a change.
#[derive(Default)]
struct Told {
    /// Conditions left something out.
    hidden: bool,
    operations: BTreeSet<usize>,
    architectures: bool,
    line: Option<(Side, u32, String)>,
}

/// What is left of one side of a file: without the changed lines that are not for the model,
/// and without what is not compiled for the backend. `None` where a changed line is left that
/// is no condition: the other side has it not.
fn left<'t>(
    file: &FileChange,
    side: Side,
    text: &'t str,
    blocks: Option<&Blocks<'_>>,
    conditions: Option<&Conditions>,
    told: &mut Told,
) -> Option<Vec<Cow<'t, str>>> {
    let lines = match conditions {
        Some(conditions) => conditions.compiled(&file.path, text)?,
        None => (1_u32..).zip(text.lines().map(Cow::from)).collect(),
    };
    let mut seen: HashMap<u32, &str> = HashMap::new();
    let hunks = file.parsed();
    let changed: Vec<(&Hunk<'_>, &Line<'_>)> = hunks
        .iter()
        .flat_map(|hunk| hunk.lines.iter().map(move |line| (hunk, line)))
        .filter(|(_, line)| line.side == side)
        .collect();
    let numbers: HashSet<u32> = changed.iter().map(|(_, line)| line.number()).collect();
    seen.extend(lines.iter().filter(|(n, _)| numbers.contains(n)).map(|(n, l)| (*n, l.as_ref())));
    let mut out: HashSet<u32> = HashSet::new();
    let mut whose = None;
    for (hunk, line) in changed {
        let number = line.number();
        let words = line.text_lossy();
        let Some(compiled) = seen.get(&number) else {
            told.hidden |= !says_nothing(&words);
            continue;
        };
        if says_nothing(&words) {
            out.insert(number);
            continue;
        }
        // Its block is somebody's only where the hunk says so, and the file is long.
        let may_tell = || blocks.is_some_and(|blocks| blocks.may_tell_of(&file.path, hunk));
        if !compiled.starts_with('#') && whose.is_none() && !may_tell() {
            return None;
        }
        let at = usize::try_from(number).ok()?.checked_sub(1)?;
        let whose = whose.get_or_insert_with(|| match blocks {
            Some(blocks) => blocks.read(&file.path, text),
            None => Vec::new(),
        });
        match whose.get(at).copied() {
            Some(Whose::Operation(one)) => {
                told.operations.insert(one);
            }
            Some(Whose::Architecture) => told.architectures = true,
            _ if compiled.starts_with('#') => {
                told.hidden = true;
                continue;
            }
            _ => return None,
        }
        out.insert(number);
        told.line.get_or_insert_with(|| (side, number, words.trim().to_owned()));
    }
    let stays = |(number, line): (u32, Cow<'t, str>)| {
        let says = !line.trim().is_empty() && !out.contains(&number);
        says.then_some(line)
    };
    Some(lines.into_iter().filter_map(stays).collect())
}

/// A line of a comment, of nothing, of what only a compiler asks, or of what is logged. What a
/// comment tells Go's tools is more.
fn says_nothing(line: &str) -> bool {
    let line = line.trim();
    let told =
        ["//go:", "// +build", "// #", "//export "].iter().any(|tell| line.starts_with(tell));
    let logs = ["LLAMA_LOG_", "GGML_LOG_", "LOG_INF(", "LOG_WRN(", "LOG_ERR(", "LOG_DBG(", "slog."];
    let logs = logs.iter().any(|log| line.starts_with(log));
    let asserts = line.starts_with("static_assert(") && line.ends_with(';');
    line.is_empty() || (line.starts_with("//") && !told) || asserts || logs
}

/// Whether a compiler's preprocessor reads a file.
fn is_preprocessed(path: &str) -> bool {
    let ends = [".c", ".h", ".cpp", ".hpp", ".cc", ".cu", ".cuh", ".m", ".mm"];
    ends.iter().any(|end| path.ends_with(end))
}

/// Whether a hunk's line is a condition that is answered in part.
fn asks(conditions: &Conditions, path: &str, line: &[u8]) -> bool {
    let line = line.get(1..).unwrap_or_default().trim_ascii_start();
    line.starts_with(b"#") && conditions.answers(path, &String::from_utf8_lossy(line))
}

fn version(objects: &mut ObjectReader, blob: Oid) -> Result<Option<String>, QueryError> {
    if blob.is_zero() {
        return Ok(Some(String::new()));
    }
    Ok(objects.blob(blob)?.map(|data| String::from_utf8_lossy(&data).into_owned()))
}

/// The first of some names, and how many more there are.
pub(super) fn listed(names: &[String]) -> String {
    const TOLD: usize = 4;
    let first = names.iter().take(TOLD).map(String::as_str).collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(TOLD) {
        0 => first,
        more => format!("{first} and {more} other"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_several_backends_are_built_from_is_none_of_anothers() {
        let facets = Facets::shipped().unwrap();
        let others = |backend: &str, path: &str| {
            Meets::of(None, Some(backend), &facets).unwrap().is_of_another_backend(path)
        };
        let kernel = "ggml/src/ggml-cuda/norm.cu";
        for backend in ["cuda", "hip", "musa"] {
            assert!(!others(backend, kernel), "{backend}");
        }
        assert!(others("vulkan", kernel) && others("metal", kernel));
        assert!(others("cuda", "ggml/src/ggml-metal/ggml-metal.m"));
        assert!(!others("cuda", "ggml/src/ggml-cpu/ops.cpp") && !others("cuda", "src/llama.cpp"));
        let none = Meets::of(None, None, &facets).unwrap();
        assert!(!none.is_of_another_backend(kernel));
    }
}
