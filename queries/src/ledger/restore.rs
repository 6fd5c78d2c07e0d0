//! How a user gets an old value back, and all spellings of a knob.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

use super::entry::{Entry, Event};
use super::options::{OptionTable, Setting};
use super::rules::Extractors;
use super::value;

/// One way back to an old value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RestoreWay {
    /// The program that is told.
    pub consumer: String,
    /// What to write.
    pub text: String,
    /// The engine through which the program hears it, where it hears it through one.
    #[serde(skip)]
    pub through: Option<String>,
}

impl fmt::Display for RestoreWay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.consumer, self.text)
    }
}

/// The spellings of knobs, gathered from entries: a flag, its environment variable,
/// the field it sets, the name in requests.
#[derive(Debug, Clone, Default)]
pub struct Spellings {
    /// For each spelling, the spellings that stood beside it.
    beside: BTreeMap<String, BTreeSet<String>>,
    /// For each spelling of a field, flags and environment variables as written.
    written: BTreeMap<String, BTreeSet<String>>,
}

impl Spellings {
    /// Takes in what stands beside each other in a table.
    pub fn add(&mut self, entry: &Entry) {
        self.add_names(&entry.knob, &entry.names);
    }

    /// Takes in one knob and its other names.
    pub fn add_names(&mut self, knob: &str, names: &[String]) {
        let field = knob.rsplit('.').next().unwrap_or(knob);
        let mut all: Vec<&str> = names.iter().map(String::as_str).filter(|n| n.len() > 2).collect();
        all.push(field);
        let spellings: Vec<String> = all.iter().map(|name| value::spelling(name)).collect();
        for a in &spellings {
            let beside = self.beside.entry(a.clone()).or_default();
            beside.extend(spellings.iter().cloned());
            let written = self.written.entry(a.clone()).or_default();
            written.extend(all.iter().map(|name| (*name).to_owned()));
        }
    }

    /// The spellings as written that stand beside a knob.
    pub fn written(&self, knob: &str) -> impl Iterator<Item = &str> {
        let field = knob.rsplit('.').next().unwrap_or(knob);
        self.written.get(&value::spelling(field)).into_iter().flatten().map(String::as_str)
    }

    /// Whether a knob goes by a spelling that a user typed.
    pub fn matches(&self, knob: &str, names: &[String], asked: &str) -> bool {
        let asked = value::spelling(asked.rsplit('.').next().unwrap_or(asked));
        let field = value::spelling(knob.rsplit('.').next().unwrap_or(knob));
        let base = field.clone();
        field == asked
            || value::spelling(knob) == asked
            || names.iter().any(|n| value::spelling(n) == asked)
            || self.beside.get(&base).is_some_and(|s| s.contains(&asked))
    }
}

impl Extractors {
    /// The ways back to an event's old value; none where there is none, or where the
    /// knob was not there before.
    /// Where the parser's own `options` are known, only what it takes is one.
    pub(crate) fn restore(
        &self,
        event: &Event,
        spellings: &Spellings,
        options: Option<&OptionTable>,
    ) -> Vec<RestoreWay> {
        let mut out: Vec<RestoreWay> = Vec::new();
        let (Some(old), Some(new)) = (event.old.as_deref(), event.new.as_deref()) else {
            return out;
        };
        let Some(compiled) = self.all.iter().find(|c| c.rule.id == event.extractor) else {
            return out;
        };
        let field = event.knob.rsplit('.').next().unwrap_or(&event.knob);
        let mut names: Vec<&str> = event.names.iter().map(String::as_str).collect();
        names.extend(spellings.written(&event.knob));
        // Of several flags or variables the one that is spelled most like the field.
        let likeness = |name: &&str| value::likeness(name, field);
        let own_flag = event.knob.starts_with("--").then_some(event.knob.as_str());
        let flag = own_flag.or_else(|| {
            names
                .iter()
                .copied()
                .filter(|n| n.starts_with("--") && !n.starts_with("--no-"))
                .max_by_key(likeness)
        });
        let env = names
            .iter()
            .copied()
            .filter(|n| {
                n.contains('_')
                    && n.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
            })
            .max_by_key(likeness);
        let Some(value) = plain(old, field) else { return out };
        let setting = match options {
            Some(options) => options.setting(&event.knob, &names, &value),
            None => {
                // A switch takes no value after its flag, and llama-server hears no "false".
                let switch = ["true", "false", "enabled", "disabled"].contains(&value.as_str());
                let hears = |env: &&str| !(switch && env.starts_with("LLAMA_ARG_"));
                Setting {
                    flag: flag.filter(|_| !switch).map(|flag| format!("{flag} {value}")),
                    env: env.filter(hears).map(|env| format!("{env}={value}")),
                }
            }
        };
        let moved = format!("{}: {value} -> {new}", event.knob);
        for way in &compiled.rule.restore {
            if way.knobs.as_ref().is_some_and(|p| !p.0.is_match(&event.knob))
                || way.except.as_ref().is_some_and(|p| p.0.is_match(&event.knob))
                || way.old.as_ref().is_some_and(|p| !p.0.is_match(&value))
                || way.not_back.as_ref().is_some_and(|p| p.0.is_match(&moved))
            {
                continue;
            }
            let asks = |what: &str| way.text.contains(what);
            if asks("{flag} {old}") && setting.flag.is_none()
                || asks("{env}={old}") && setting.env.is_none()
                || asks("{flag}") && flag.is_none() && setting.flag.is_none()
                || asks("{env}") && env.is_none() && setting.env.is_none()
            {
                continue;
            }
            let text = way
                .text
                .replace("{flag} {old}", setting.flag.as_deref().unwrap_or_default())
                .replace("{env}={old}", setting.env.as_deref().unwrap_or_default());
            let text = text
                .replace("{knob}", &event.knob)
                .replace("{field}", field)
                .replace("{dashed}", &field.replace('_', "-"))
                .replace("{flag}", flag.unwrap_or_default())
                .replace("{env}", env.unwrap_or_default())
                .replace("{old}", &value);
            let way =
                RestoreWay { consumer: way.consumer.clone(), text, through: way.through.clone() };
            if !out.contains(&way) {
                out.push(way);
            }
        }
        out
    }
}

/// A value as a user writes it: numbers without suffix, constants by what sets them
/// apart from their knob. `None` for what cannot be written down (a rule, nothing).
fn plain(value: &str, field: &str) -> Option<String> {
    let value = value.trim();
    let bare = value
        .trim_matches('"')
        .trim_start_matches("{ ")
        .trim_start_matches('{')
        .trim_end_matches('}')
        .trim();
    if bare.is_empty()
        || bare.contains(['[', '(', '{', ';', '|', ' '])
        || matches!(bare, "inherit" | "uninitialised" | "nil" | "nullptr")
    {
        return None;
    }
    let sign = bare.strip_prefix('-');
    let digits = sign.unwrap_or(bare);
    if digits.starts_with(|c: char| c.is_ascii_digit()) {
        // Keep the decimal point that was written: `1.0` reads as a fraction.
        let number = if digits.starts_with("0x") {
            value::number(digits)
        } else {
            digits.trim_end_matches(['f', 'F']).to_owned()
        };
        let number = number.strip_suffix('.').unwrap_or(&number).to_owned();
        // A version of many parts is no number: its zeros stay.
        let number = if number.contains('.') && number.parse::<f64>().is_ok() {
            let short = number.trim_end_matches('0');
            if short.ends_with('.') { format!("{short}0") } else { short.to_owned() }
        } else {
            number
        };
        return Some(if sign.is_some() { format!("-{number}") } else { number });
    }
    if bare.contains('_')
        && bare.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
    {
        let knob = value::words(field);
        let own = |w: &String| {
            !knob.contains(w)
                && !matches!(w.as_str(), "llama" | "ggml" | "common" | "type" | "mode" | "gpt")
        };
        let rest: Vec<String> = value::words(bare).into_iter().filter(own).collect();
        return (!rest.is_empty()).then(|| rest.join("_"));
    }
    Some(bare.to_owned())
}
