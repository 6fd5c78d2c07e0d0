//! How answers are printed. Every renderer takes the structs that the questions return.

pub mod table;
pub mod text;

use std::io::Write as _;

use serde::Serialize;

/// Prints one JSON document. JSON keeps upstream's text as it is; control characters are
/// escaped by the format.
pub fn json(value: &impl Serialize) -> anyhow::Result<()> {
    let mut out = serde_json::to_string_pretty(value)?;
    out.push('\n');
    // U+007F and the C1 controls need no escape in JSON, but a terminal obeys them.
    let out: String = out.chars().fold(String::with_capacity(out.len()), |mut text, c| {
        if matches!(c, '\u{7f}'..='\u{9f}') {
            text.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            text.push(c);
        }
        text
    });
    std::io::stdout().lock().write_all(out.as_bytes())?;
    Ok(())
}
