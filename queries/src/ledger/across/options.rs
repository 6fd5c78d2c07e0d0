//! Values of a build that wait for options: what a builder gets who sets none.

use std::collections::HashMap;

use super::{At, TreeSide};
use crate::ledger::Scope;
use crate::ledger::compare::condition;
use crate::ledger::entry::{Entry, Event};
use crate::ledger::rules::{Compiled, Extractors, Holder};

/// What the options of a build are where nobody sets them.
type Options = HashMap<String, String>;

impl Extractors {
    /// Whether a build's value only gained or lost what is appended for options that are off;
    /// or a variable that was unset is said to be off.
    pub(super) fn waits_for_options<E>(
        &self,
        compiled: &Compiled,
        event: &Event,
        at: &mut At<'_, E>,
    ) -> Result<bool, E> {
        let cmake = compiled.holds().iter().any(|h| matches!(h, Holder::Cmake { .. }));
        if event.scope != Scope::Build || !cmake {
            return Ok(false);
        }
        let path_before = event.before.as_ref().map_or(event.path.as_str(), |b| b.0.as_str());
        let was = self.got(compiled, event, (TreeSide::Before, path_before), at)?;
        let is = self.got(compiled, event, (TreeSide::After, &event.path), at)?;
        Ok(was.is_some() && was == is)
    }

    /// The parts of the value that matter to a builder who sets nothing beyond what all wait for.
    fn got<E>(
        &self,
        compiled: &Compiled,
        event: &Event,
        (side, path): (TreeSide, &str),
        at: &mut At<'_, E>,
    ) -> Result<Option<Vec<String>>, E> {
        let mut options = Options::new();
        let plain = compiled.rule.paths.iter().filter(|path| !path.contains('*'));
        for path in plain.map(String::as_str).chain([path]) {
            for entry in at(side, path)?.into_iter().filter(|entry| entry.scope == Scope::Build) {
                if condition(&entry.value).is_none() {
                    options.entry(entry.knob).or_insert(entry.value);
                }
            }
        }
        let own = |entry: &Entry| {
            entry.knob == event.knob && self.id_of(entry) == Some(event.extractor.as_str())
        };
        let table = at(side, path)?;
        Ok(table.iter().find(|entry| own(entry)).map(|entry| parts(entry, &options)))
    }
}

/// The parts of a value without what is appended only for options that are off.
fn parts(entry: &Entry, options: &Options) -> Vec<String> {
    let conditions = |piece: &str| -> Vec<String> {
        let asked = condition(piece).map_or("", |(asked, _)| asked);
        let all = asked.split(" && ").filter(|part| !part.is_empty());
        all.map(|part| part.trim_start_matches("elif ").to_owned()).collect()
    };
    let pieces: Vec<&str> = entry.pieces.iter().map(|(piece, _)| piece.as_str()).collect();
    // What every part waits for is what the value is for.
    let shared = |part: &String| pieces.iter().all(|piece| conditions(piece).contains(part));
    let got = |piece: &&&str| {
        let asked = conditions(piece);
        let value = condition(piece).map_or(**piece, |(_, value)| value);
        let off = |part: &String| !shared(part) && holds(part, options) == Some(false);
        let appended = value.starts_with('+') && asked.iter().any(off);
        // A variable that nobody sets is off.
        let unset = value == "OFF" && !asked.is_empty();
        !appended && !unset
    };
    pieces.iter().filter(got).map(|piece| (*piece).to_owned()).collect()
}

/// Whether a condition holds where nobody sets an option; `None` where more decides.
fn holds(part: &str, options: &Options) -> Option<bool> {
    let part = part.trim();
    if let Some(inner) = part.strip_prefix("else(").and_then(|rest| rest.strip_suffix(')')) {
        return holds(inner, options).map(|holds| !holds);
    }
    for (word, whole) in [(" OR ", true), (" AND ", false)] {
        if part.contains(word) {
            if part.contains('(') || (part.contains(" OR ") && part.contains(" AND ")) {
                return None;
            }
            let all: Vec<Option<bool>> = part.split(word).map(|p| holds(p, options)).collect();
            if all.contains(&Some(whole)) {
                return Some(whole);
            }
            return all.iter().all(Option::is_some).then_some(!whole);
        }
    }
    if let Some(inner) = part.strip_prefix("NOT ") {
        return holds(inner, options).map(|holds| !holds);
    }
    if let Some((name, text)) = part.split_once(" STREQUAL ") {
        let name = name.trim().trim_matches('"').trim_start_matches("${").trim_end_matches('}');
        return options.get(name).map(|value| value == text.trim().trim_matches('"'));
    }
    match options.get(part).map(String::as_str) {
        Some("ON") => Some(true),
        Some("OFF" | "") => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::{Extractors, Session};

    /// What a builder gets of `FLAGS`.
    fn got(text: &str) -> Vec<String> {
        let extractors = Extractors::built_in().unwrap();
        let mut session = Session::new(&extractors);
        let text = text.replace("FLAGS", "CUDA_FLAGS");
        let table = session.table("llama.cpp", "CMakeLists.txt", text.as_bytes());
        let options = table.iter().map(|entry| (entry.knob.clone(), entry.value.clone())).collect();
        parts(table.iter().find(|e| e.knob == "CUDA_FLAGS").unwrap(), &options)
    }

    #[test]
    fn what_waits_for_an_option_that_is_off_is_not_got() {
        let text = |more: &str| {
            format!(
                "option(A \"a\" OFF)\noption(B \"b\" OFF)\noption(C \"c\" ON)\nif (A)\nset(FLAGS -x)\n{more}endif()\n"
            )
        };
        let plain = got(&text(""));
        assert_eq!(plain, ["[A] -x"]);
        for same in [
            "if (B)\nlist(APPEND FLAGS -y)\nendif()\n",
            "if (B OR NOT C)\nlist(APPEND FLAGS -y)\nendif()\n",
            "if (NOT C)\nlist(APPEND FLAGS -y)\nendif()\n",
        ] {
            assert_eq!(got(&text(same)), plain, "{same}");
        }
        for other in [
            "if (C)\nlist(APPEND FLAGS -y)\nendif()\n",
            "if (B)\nelse()\nlist(APPEND FLAGS -y)\nendif()\n",
            "if (MSVC)\nlist(APPEND FLAGS -y)\nendif()\n",
        ] {
            assert_ne!(got(&text(other)), plain, "{other}");
        }
    }

    #[test]
    fn tells_what_a_text_is() {
        let options = Options::from([("KIND".to_owned(), "A".to_owned())]);
        assert_eq!(holds("KIND STREQUAL \"A\"", &options), Some(true));
        assert_eq!(holds("else(KIND STREQUAL \"A\")", &options), Some(false));
        assert_eq!(holds("OTHER STREQUAL \"A\"", &options), None);
        assert_eq!(holds("KIND STREQUAL \"A\" AND MSVC", &options), None);
    }
}
