//! CMake presets: the cache variables that a preset sets, inherited ones included.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Found;
use crate::ledger::entry::How;

/// The cache variables of every preset, its own and those it inherits.
pub(crate) fn presets(text: &str) -> Vec<Found> {
    let mut out = Vec::new();
    let Ok(root) = serde_json::from_str::<Value>(text) else { return out };
    let Some(all) = root.get("configurePresets").and_then(Value::as_array) else { return out };
    let named: BTreeMap<&str, &Value> =
        all.iter().filter_map(|p| Some((p.get("name")?.as_str()?, p))).collect();
    for preset in all {
        let Some(name) = preset.get("name").and_then(Value::as_str) else { continue };
        let mut from: Vec<&str> = vec![name];
        let mut values: BTreeMap<&str, (String, &str)> = BTreeMap::new();
        let mut seen = 0;
        while seen < from.len() && seen < 64 {
            let here = from[seen];
            seen += 1;
            let Some(preset) = named.get(here) else { continue };
            if let Some(variables) = preset.get("cacheVariables").and_then(Value::as_object) {
                for (variable, value) in variables {
                    let value = value.get("value").unwrap_or(value);
                    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                    values.entry(variable).or_insert((text, here));
                }
            }
            match preset.get("inherits") {
                Some(Value::String(base)) => from.push(base),
                Some(Value::Array(bases)) => from.extend(bases.iter().filter_map(Value::as_str)),
                _ => {}
            }
        }
        for (variable, (value, here)) in values {
            if here != name {
                continue; // told once, where it stands
            }
            let at = place(text, name, variable);
            out.push(
                Found::new(format!("preset[{name}].{variable}"), value, at).with(How::Literal),
            );
        }
    }
    out
}

fn place(text: &str, preset: &str, variable: &str) -> usize {
    let start = text.find(&format!("\"name\": \"{preset}\"")).unwrap_or(0);
    text[start..].find(&format!("\"{variable}\"")).map_or(start, |n| start + n)
}
