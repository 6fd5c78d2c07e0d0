//! The answer in a line.

use super::report::{Candidate, DefaultEvent, NestedWindow, Verdict, WindowReport};
use crate::rank::ReasonKind;

/// A first candidate with fewer points than this is there for want of a better one.
pub(super) const WEAK: f64 = 1.5;

/// What may have changed as well, and no history of commits tells.
const UNSEEN: &str = "Drivers, toolkits and re-quantized models are not in this store";

/// What the line is made of.
pub(super) struct Found<'a> {
    pub(super) window: &'a WindowReport,
    pub(super) nested: &'a [NestedWindow],
    pub(super) candidates: &'a [Candidate],
    pub(super) events: &'a [DefaultEvent],
    /// Nothing in the window can have an effect on what was asked.
    pub(super) nothing: bool,
    /// The upstream pins its engine.
    pub(super) pins: bool,
    /// Pins that moved to what is not in the store, and that the model may meet.
    pub(super) unread: Vec<&'a NestedWindow>,
    /// What the measurement of the first candidate says.
    pub(super) measured: Option<String>,
    /// What came after the window was looked at.
    pub(super) hindsight: bool,
}

/// The strongest candidate, how to undo it, and how many others are left; or that
/// nothing here can explain it.
pub(super) fn line(found: &Found<'_>) -> String {
    let open: Vec<&Candidate> = found.candidates.iter().filter(|c| c.verdict.is_open()).collect();
    let first = open.first().filter(|_| !found.nothing);
    let unread: String = found
        .unread
        .iter()
        .map(|pin| {
            let ends = [&pin.pin_base, &pin.pin_head].map(|end| end.as_deref().unwrap_or("none"));
            format!(
                " What {} {} → {} brings is not in the store, and may hold the cause.",
                pin.upstream, ends[0], ends[1]
            )
        })
        .collect();
    let window = format!("{} {}..{}", found.window.upstream, found.window.base, found.window.head);
    if found.window.commits == 0 && found.window.behind == 0 {
        return format!(
            "Nothing changed in {window}: both ends are {}. {UNSEEN}.",
            found.window.head_sha.short()
        );
    }
    let Some(first) = first else {
        let pin = match (found.pins && found.nested.is_empty(), unread.is_empty()) {
            (true, _) => " and the engine's pin did not move",
            (false, true) => "",
            (false, false) => {
                return format!("Nothing that is stored of {window} can explain it.{unread}");
            }
        };
        let none = match found.candidates.len() {
            1 => "its one commit changes nothing that a model on the server meets".to_owned(),
            n => format!("of {n} commits none is left that a model on the server meets"),
        };
        return format!("Nothing in {window} can explain it: {none}{pin}. {UNSEEN}.");
    };
    let event =
        found.events.iter().filter(|event| event.sha == first.sha && event.counts()).max_by_key(
            |event| {
                let beside = ["bench", "cli-help", "docs", "build"].contains(&event.scope.as_str());
                let own = event.restore.iter().any(|way| way.consumer == found.window.upstream);
                (!beside, own, !event.restore.is_empty())
            },
        );
    let what = match event {
        Some(event) => format!(
            "moves the default of {} {} → {}",
            event.knob,
            brief(event.old.as_deref().unwrap_or_default()),
            brief(event.new.as_deref().unwrap_or_default())
        ),
        None => format!("“{}”", first.subject),
    };
    let shipped = first
        .first_final_tag
        .as_deref()
        .or(first.first_tag.as_deref())
        .map_or_else(String::new, |tag| format!(", in {tag}"));
    let undo = match event {
        Some(event) if !event.restore.is_empty() => {
            let own = event.restore.iter().filter(|way| way.consumer == found.window.upstream);
            let mut ways: Vec<String> = own.map(|way| way.text.clone()).collect();
            if ways.is_empty() {
                let others = event.restore.iter();
                ways = others.map(|way| format!("{} for {}", way.text, way.consumer)).collect();
            }
            format!(" Old behaviour: {}.", ways.join(", or "))
        }
        Some(_) => " No way back to the old value is known.".to_owned(),
        None => String::new(),
    };
    let blamed = [ReasonKind::RevertedLater, ReasonKind::BlamedLater];
    let later = first.reasons.iter().find(|reason| blamed.contains(&reason.kind));
    let undone = first.reasons.iter().find(|reason| reason.kind == ReasonKind::Undone);
    let fixed = match (undone.or(later), found.hindsight) {
        (Some(undone), _) if undone.kind == ReasonKind::Undone => {
            format!(" It is {}.", undone.words)
        }
        (Some(later), _) => format!(" Later {}.", later.words),
        (None, true) => " No later commit in the store reverts or blames it.".to_owned(),
        (None, false) => String::new(),
    };
    let others = match open.len() - 1 {
        0 => "Every other change is ruled out.".to_owned(),
        1 => "1 other change is not ruled out.".to_owned(),
        n => format!("{n} other changes are not ruled out."),
    };
    let weak = first.score < WEAK;
    if weak && first.verdict != Verdict::ConfirmedByToggle && found.pins && found.nested.is_empty()
    {
        let left = match open.len() {
            1 => "one commit is not ruled out, which does not speak for itself".to_owned(),
            n => format!("none of the {n} commits that are not ruled out speaks for itself"),
        };
        return format!(
            "Nothing in {window} explains it by what is known: the engine's pin did not move, and {left} (first {} {} {what}{shipped}). {UNSEEN}.",
            first.upstream,
            first.sha.short(),
        );
    }
    let confirmed = first.verdict == Verdict::ConfirmedByToggle;
    let measured = match found.measured.as_ref() {
        Some(words) => format!(" {words}."),
        None => String::new(),
    };
    let (opening, unseen) = match (confirmed, weak) {
        (true, _) => ("Confirmed by a toggle on your machine", String::new()),
        (false, true) => (
            "Nothing here speaks strongly for itself; first of what is left",
            format!(" {UNSEEN}."),
        ),
        (false, false) => ("Strongest candidate", String::new()),
    };
    format!(
        "{opening}: {} {} {what}{shipped}.{measured}{undo}{fixed} {others}{unread}{unseen}",
        first.upstream,
        first.sha.short(),
    )
}

/// A value short enough for a line.
fn brief(value: &str) -> std::borrow::Cow<'_, str> {
    match value.char_indices().nth(80) {
        Some((at, _)) => format!("{}…", value.get(..at).unwrap_or(value)).into(),
        None => value.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::brief;

    #[test]
    fn a_long_value_is_cut_between_characters() {
        assert_eq!(brief("1.1"), "1.1");
        let long = "é".repeat(200);
        assert_eq!(brief(&long).chars().count(), 81);
        assert!(brief(&long).ends_with('…'));
    }
}
