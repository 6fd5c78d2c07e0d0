//! Events that only look like ones: what one file lost another has, what waits for an option
//! that comes with the commit, what is asked by another name.

use std::collections::BTreeSet;

use super::compare::condition;
use super::entry::{Event, How, Scope};
use super::rules::Extractors;
use super::{FileTables, lex};

impl Extractors {
    /// Whether a knob that stands in several places has the same values as before, only in
    /// other files: what one file lost another has.
    pub(super) fn only_spread(&self, files: &[FileTables], event: &Event) -> bool {
        let group = self.all.iter().find(|c| c.rule.id == event.extractor);
        let group = group.map(|c| c.rule.group.as_deref().unwrap_or(&c.rule.id));
        let values = |after: bool| {
            let mut homes = 0;
            let mut values = BTreeSet::new();
            for file in files {
                let table = if after { &file.after } else { &file.before };
                let here =
                    table.iter().filter(|e| e.knob == event.knob && Some(self.group(e)) == group);
                for entry in here {
                    homes += 1;
                    values.extend(entry.pieces.iter().map(|(value, _)| value.as_str()));
                }
            }
            (homes, values)
        };
        let ((homes_before, before), (homes_after, after)) = (values(false), values(true));
        // What is built depends on the order of conditions; and one home is no spread.
        let plain = event.scope != Scope::Build
            || before.iter().all(|value| !value.starts_with(['[', '+']));
        homes_before + homes_after > 2 && plain && before == after && event.is_move()
    }

    /// Whether a build's value has only got a part that waits for an option which comes with
    /// the commit, and is off.
    pub(super) fn only_offers(&self, files: &[FileTables], event: &Event) -> bool {
        if event.scope != Scope::Build || !event.is_move() {
            return false;
        }
        let all = |after: bool| {
            files.iter().flat_map(move |file| if after { &file.after } else { &file.before })
        };
        let was = |knob: &str| all(false).any(|entry| entry.knob == knob);
        let options: Vec<&str> = all(true)
            .filter(|entry| entry.value == "OFF" && !was(&entry.knob))
            .map(|entry| entry.knob.as_str())
            .collect();
        let parts = |after: bool| -> Option<Vec<String>> {
            let mut found = all(after).filter(|entry| entry.knob == event.knob);
            let only = found.next().filter(|_| found.next().is_none())?;
            let asks = |piece: &str| {
                let asked = condition(piece).map_or("", |c| c.0).split(" && ");
                asked.into_iter().any(|part| options.contains(&part.trim_start_matches("elif ")))
            };
            let kept = only.pieces.iter().filter(|(piece, _)| !(after && asks(piece)));
            Some(kept.map(|(piece, _)| piece.replace("[elif ", "[")).collect())
        };
        !options.is_empty() && parts(false).is_some() && parts(false) == parts(true)
    }
}

/// Whether a build's conditions only ask an option by a name that comes with the commit,
/// in the place of one other.
pub(super) fn only_renames_option(files: &[FileTables], event: &Event) -> bool {
    let (Some(old), Some(new)) = (&event.old, &event.new) else { return false };
    if event.scope != Scope::Build || condition(old).is_none() {
        return false;
    }
    let words = |text: &str| -> Vec<String> {
        lex::tokens(text, 0).map(|token| token.text.to_owned()).collect()
    };
    let (was, is) = (words(old), words(new));
    let renamed: BTreeSet<(&String, &String)> =
        was.iter().zip(&is).filter(|(was, is)| was != is).collect();
    let mut renamed = renamed.into_iter();
    let (Some((_, name)), None) = (renamed.next(), renamed.next()) else { return false };
    let has = |after: bool| {
        let side =
            |file: &'_ FileTables| if after { file.after.clone() } else { file.before.clone() };
        files.iter().flat_map(side).any(|entry| entry.knob == *name)
    };
    was.len() == is.len() && !was.contains(name) && has(true) && !has(false)
}

/// Whether conditions only ask a rule that comes with the commit, or no longer ask one that
/// goes: what is decided stands, and the rule is a knob of its own.
pub(super) fn only_asks_rule(files: &[FileTables], event: &Event) -> bool {
    let has = |after: bool, word: &str| {
        let tables = files.iter().flat_map(|f| if after { &f.after } else { &f.before });
        tables.into_iter().any(|entry| entry.how == How::Rule && entry.knob == word)
    };
    let (Some(old), Some(new)) = (&event.old, &event.new) else { return false };
    let values = |text: &str| -> BTreeSet<String> {
        let pieces = text.split(" ; ");
        pieces.map(|piece| condition(piece).map_or(piece, |c| c.1).to_owned()).collect()
    };
    let moved = |text: &str, after: bool| {
        lex::tokens(text, 0).any(|word| has(after, word.text) && !has(!after, word.text))
    };
    event.scope != Scope::Build
        && (condition(old).is_some() || condition(new).is_some())
        && values(old) == values(new)
        && (moved(new, true) || moved(old, false))
}
