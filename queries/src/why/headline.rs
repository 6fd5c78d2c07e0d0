//! The answer in a line.

use super::report::{Candidate, DefaultEvent, NestedWindow, Verdict, WindowReport};

/// A first candidate with fewer points than this is there for want of a better one.
const WEAK: f64 = 1.5;

/// What the line is made of.
pub(super) struct Found<'a> {
    pub(super) window: &'a WindowReport,
    pub(super) nested: &'a [NestedWindow],
    pub(super) candidates: &'a [Candidate],
    pub(super) events: &'a [DefaultEvent],
    /// Nothing in the window can have an effect on what was asked.
    pub(super) nothing: bool,
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
    let Some(first) = first else {
        let pin = match (found.nested.is_empty(), unread.is_empty()) {
            (true, _) => " and the engine's pin did not move",
            (false, true) => "",
            (false, false) => {
                return format!(
                    "Nothing that is stored of {} {}..{} can explain it.{unread}",
                    found.window.upstream, found.window.base, found.window.head
                );
            }
        };
        return format!(
            "Nothing in {} {}..{} can explain it: of {} commits none is left that a model on the server meets{pin}. Drivers, toolkits and re-quantized models are not in this store.",
            found.window.upstream,
            found.window.base,
            found.window.head,
            found.candidates.len()
        );
    };
    let event = found
        .events
        .iter()
        .filter(|event| event.sha == first.sha && event.old.is_some() && event.new.is_some())
        .max_by_key(|event| !event.restore.is_empty());
    let what = match event {
        Some(event) => format!(
            "moves the default of {} {} → {}",
            event.knob,
            event.old.as_deref().unwrap_or_default(),
            event.new.as_deref().unwrap_or_default()
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
            let own = event.restore.iter().filter(|way| way.consumer == event.upstream);
            let mut ways: Vec<String> = own.map(|way| way.text.clone()).collect();
            if ways.is_empty() {
                let others = event.restore.iter();
                ways = others.map(|way| format!("{} for {}", way.text, way.consumer)).collect();
            }
            format!(" Old behaviour: {}.", ways.join(", or "))
        }
        Some(_) => " No setting brings the old value back.".to_owned(),
        None => String::new(),
    };
    let later = first.reasons.iter().find(|r| {
        r.words.starts_with("reverted by") || r.words.starts_with("named as the cause by")
    });
    let fixed = match (later, found.hindsight) {
        (Some(later), _) => format!(" Later {}.", later.words),
        (None, true) => " No later commit in the store reverts or blames it.".to_owned(),
        (None, false) => String::new(),
    };
    let others = match open.len() - 1 {
        0 => "Every other change is ruled out.".to_owned(),
        1 => "1 other change is not ruled out.".to_owned(),
        n => format!("{n} other changes are not ruled out."),
    };
    let confirmed = first.verdict == Verdict::ConfirmedByToggle;
    let opening = match (confirmed, first.score < WEAK) {
        (true, _) => "Confirmed by a toggle on your machine",
        (false, true) => "Nothing here speaks strongly for itself; first of what is left",
        (false, false) => "Strongest candidate",
    };
    let measured = match found.measured.as_ref().filter(|_| confirmed) {
        Some(words) => format!(" {words}."),
        None => String::new(),
    };
    format!(
        "{opening}: {} {} {what}{shipped}.{measured}{undo}{fixed} {others}{unread}",
        first.upstream,
        first.sha.short(),
    )
}
