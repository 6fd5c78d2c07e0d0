//! How answers are printed. Every renderer takes the structs that the questions return.

pub mod brief;
pub mod digest;
pub mod feed;
pub mod grep;
pub mod html;
pub mod links;
pub mod machine;
pub mod manual;
pub mod measure;
pub mod model;
pub mod packagers;
pub mod page;
pub mod pair;
pub mod plot;
pub mod reports;
pub mod rig;
pub mod rig_file;
pub mod search;
pub mod table;
pub mod text;
pub mod why;

use std::io::Write as _;
use std::path::Path;

use anyhow::Context as _;
use headwater_queries::public::Scrub;
use serde::Serialize;

/// Prints a finished page.
pub fn print(page: &str) -> anyhow::Result<()> {
    Ok(anstream::stdout().write_all(page.as_bytes())?)
}

/// Writes a file whole or not at all, without colours.
pub fn write_whole(path: &Path, text: &str) -> anyhow::Result<()> {
    let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty());
    let mut file = tempfile::NamedTempFile::new_in(dir.unwrap_or_else(|| Path::new(".")))
        .with_context(|| format!("cannot write beside {}", path.display()))?;
    file.write_all(anstream::adapter::strip_str(text).to_string().as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(path).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(())
}

/// Prints one JSON document. JSON keeps upstream's text as it is; control characters are
/// escaped by the format.
pub fn json(value: &impl Serialize) -> anyhow::Result<()> {
    std::io::stdout().lock().write_all(json_text(value)?.as_bytes())?;
    Ok(())
}

/// The same without what is private, where something is left out.
pub fn json_without(value: &impl Serialize, scrub: Option<&Scrub>) -> anyhow::Result<()> {
    std::io::stdout().lock().write_all(text_without(value, scrub)?.as_bytes())?;
    Ok(())
}

/// One JSON document as [`json_without`] prints it.
pub fn text_without(value: &impl Serialize, scrub: Option<&Scrub>) -> anyhow::Result<String> {
    let mut value = serde_json::to_value(value)?;
    if let Some(scrub) = scrub {
        scrub.json(&mut value);
    }
    value_text(&value)
}

/// One JSON document as [`json`] prints it.
pub fn json_text(value: &impl Serialize) -> anyhow::Result<String> {
    // A flattened part may name a field again: as a value each stands once.
    value_text(&serde_json::to_value(value)?)
}

/// The same of what is a value already.
pub fn value_text(value: &serde_json::Value) -> anyhow::Result<String> {
    let mut text = serde_json::to_string_pretty(value)?;
    if text.contains(is_control) {
        text = escape_controls(&text);
    }
    text.push('\n');
    Ok(text)
}

/// What makes a terminal show something other than what is there, and needs no escape in
/// JSON.
fn is_control(c: char) -> bool {
    !c.is_ascii_control() && text::is_hidden(c) || c == '\u{7f}'
}

/// JSON that is safe on a terminal: U+007F, the C1 controls, and what turns or hides text
/// need no escape in JSON, but a terminal obeys them.
pub fn escape_controls(json: &str) -> String {
    json.chars().fold(String::with_capacity(json.len()), |mut text, c| {
        if is_control(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                text.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            text.push(c);
        }
        text
    })
}
