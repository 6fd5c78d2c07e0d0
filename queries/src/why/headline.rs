//! The answer in a line.

use super::report::{Candidate, DefaultEvent, NestedWindow, Verdict, WindowReport};

/// What the line is made of.
pub(super) struct Found<'a> {
    pub(super) window: &'a WindowReport,
    pub(super) nested: &'a [NestedWindow],
    pub(super) candidates: &'a [Candidate],
    pub(super) events: &'a [DefaultEvent],
    /// Nothing in the window can have an effect on what was asked.
    pub(super) nothing: bool,
    /// What came after the window was looked at.
    pub(super) hindsight: bool,
}

/// The strongest candidate, how to undo it, and how many others are left; or that
/// nothing here can explain it.
pub(super) fn line(found: &Found<'_>) -> String {
    let open: Vec<&Candidate> =
        found.candidates.iter().filter(|c| c.verdict == Verdict::Candidate).collect();
    let first = open.first().filter(|_| !found.nothing);
    let Some(first) = first else {
        let pin = match found.nested.iter().any(|nested| nested.window.is_some()) {
            true => "",
            false => " and the engine's pin did not move",
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
    format!(
        "Strongest candidate: {} {} {what}{shipped}.{undo}{fixed} {others}",
        first.upstream,
        first.sha.short(),
    )
}
