//! Any text: lines whose pattern names a value, and perhaps the knob.

use regex::Regex;

use super::Found;
use crate::ledger::entry::How;

/// The values that a pattern's `value` group finds. `knob` is the knob's name, in
/// which each other group's name in braces stands for what it found.
pub(crate) fn lines(
    text: &str,
    pattern: &Regex,
    knob: Option<&str>,
    separator: Option<&str>,
) -> Vec<Found> {
    let mut out: Vec<Found> = Vec::new();
    for found in pattern.captures_iter(text) {
        let Some(value) = found.name("value") else { continue };
        let mut name = knob.unwrap_or("{knob}").to_owned();
        for group in pattern.capture_names().flatten().filter(|g| *g != "value") {
            let text = found.name(group).map_or("", |m| m.as_str());
            name = name.replace(&format!("{{{group}}}"), text);
        }
        if name.is_empty() {
            continue;
        }
        let mut text = value.as_str().trim().to_owned();
        if let Some(separator) = separator {
            text = text
                .split(separator)
                .map(str::trim)
                .filter(|p| !p.is_empty())
                .collect::<Vec<_>>()
                .join(";");
        }
        out.push(Found::new(name, text, value.start()).with(How::Literal));
    }
    out
}
