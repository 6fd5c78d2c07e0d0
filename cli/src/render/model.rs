//! A model for a screen, and as Markdown.

use headwater_queries::models::{
    AtVersion, Decider, EffectiveRow, EffectsAnswer, HistoryEntry, ModelAnswer, ModelSummary,
    Reached,
};

use super::table::Table;
use super::text;
use crate::args::Format;

/// The stored models.
pub fn list(models: &[ModelSummary], format: Format) -> String {
    if models.is_empty() {
        return "no model is stored; `headwater crawl models NAME` gets one\n".to_owned();
    }
    let mut table = Table::new(&["model", "seen", "id", "sets", "last seen"]);
    for one in models {
        table.row(vec![
            one.name.to_string(),
            one.place.as_str().to_owned(),
            one.manifest.map_or_else(|| "gone".to_owned(), |digest| digest.short()),
            format!("{} parameters", one.params),
            one.observed.format("%Y-%m-%d %H:%M UTC").to_string(),
        ]);
    }
    table.print(format)
}

/// One model; with `all`, every default of its engine.
pub fn screen(answer: &ModelAnswer, all: bool, format: Format) -> String {
    if let Some(at) = &answer.at {
        return effective(answer, at, all, format);
    }
    let mut out = Lines { md: format == Format::Md, out: String::new() };
    out.line(&format!(
        "{} ({}), id {}, seen {}; grade {}",
        answer.name,
        answer.place.as_str(),
        answer.id,
        answer.observed.format("%Y-%m-%d %H:%M UTC"),
        answer.grade
    ));
    let facts = &answer.facts;
    let named = [
        ("format", &facts.format),
        ("family", &facts.family),
        ("renderer", &facts.renderer),
        ("parser", &facts.parser),
        ("requires Ollama", &facts.requires),
    ];
    let named: Vec<String> = named
        .iter()
        .filter_map(|(name, value)| Some(format!("{name} {}", value.as_ref()?)))
        .collect();
    if !named.is_empty() {
        out.line(&named.join(", "));
    }
    let layers: Vec<String> = answer
        .layers
        .iter()
        .map(|layer| format!("{} {} ({} bytes)", layer.kind, layer.digest.short(), layer.bytes))
        .collect();
    if !layers.is_empty() {
        out.line(&format!("layers: {}", layers.join(", ")));
    }
    for receipt in &answer.receipts {
        let sha = receipt.sha256().unwrap_or_default();
        out.line(&format!(
            "by {} {} at {}, sha256 {}",
            receipt.transport(),
            receipt.source(),
            receipt.obtained().format("%Y-%m-%dT%H:%M:%SZ"),
            sha.get(..12).unwrap_or(sha)
        ));
    }
    for note in &answer.notes {
        out.line(note);
    }
    if answer.params.is_empty() {
        out.line("it sets no parameter: the server's defaults reach every request");
    } else {
        let mut table = Table::new(&["parameter", "value"]);
        for (name, value) in &answer.params {
            table.row(vec![name.clone(), value.to_string()]);
        }
        out.out.push_str(&table.print(format));
        out.out.push('\n');
    }
    history(&mut out.out, &answer.history, format);
    out.out
}

fn history(out: &mut String, history: &[HistoryEntry], format: Format) {
    let mut table = Table::new(&["seen", "until", "where", "id", "what", "old", "new"]);
    for entry in history {
        let head = [
            entry.first_seen.format("%Y-%m-%d").to_string(),
            entry.last_seen.format("%Y-%m-%d").to_string(),
            entry.place.as_str().to_owned(),
            entry.manifest.map_or_else(|| "gone".to_owned(), |digest| digest.short()),
        ];
        if entry.changes.is_empty() {
            let rest = ["first seen".to_owned(), String::new(), String::new()];
            table.row(head.iter().cloned().chain(rest).collect());
        }
        for change in &entry.changes {
            let none = || "none".to_owned();
            let rest = [
                change.what.clone(),
                change.old.clone().unwrap_or_else(none),
                change.new.clone().unwrap_or_else(none),
            ];
            table.row(head.iter().cloned().chain(rest).collect());
        }
    }
    out.push_str(&table.print(format));
}

/// What a request that sets nothing runs with.
fn effective(answer: &ModelAnswer, at: &AtVersion, all: bool, format: Format) -> String {
    let mut out = Lines { md: format == Format::Md, out: String::new() };
    let engine = at.engine.as_ref().map_or_else(String::new, |engine| {
        format!(", {} of {} {} ({})", engine.name, engine.upstream, engine.pin, engine.sha.short())
    });
    out.line(&format!(
        "{} ({}) at {} {} ({}){engine}: what a request that sets nothing runs with",
        answer.name,
        answer.id,
        at.upstream,
        at.version,
        at.sha.short()
    ));
    for note in at.notes.iter().chain(&answer.notes) {
        out.line(note);
    }
    let mut rows: Vec<(Tier, &EffectiveRow)> =
        answer.effective.iter().map(|row| (Tier::of(row), row)).collect();
    // Within a tier as the server's own files have them.
    rows.sort_by_key(|(tier, _)| *tier);
    let mut table = Table::new(&["knob", "value", "from", "grade"]);
    for (_, row) in rows.iter().filter(|(tier, _)| all || tier.is_told()) {
        let note = row.note.as_ref().map_or_else(String::new, |note| format!("; {note}"));
        table.row(vec![
            row.knob.clone(),
            row.value.clone().unwrap_or_else(|| "unset".to_owned()),
            format!("{}{note}", row.source),
            row.grade.to_string(),
        ]);
    }
    out.out.push_str(&table.print(format));
    let left = [
        (Tier::Conditional, "flag that a condition decides", "flags that a condition decides"),
        (Tier::Unset, "option that nothing sets", "options that nothing sets"),
        (Tier::NotPassed, "flag that is not passed", "flags that are not passed"),
        (
            Tier::Sampling,
            "of the engine's defaults of sampling",
            "of the engine's defaults of sampling",
        ),
        (Tier::Engine, "of its other defaults", "of its other defaults"),
    ];
    let left: Vec<String> = left
        .into_iter()
        .filter_map(|(tier, one, many)| match rows.iter().filter(|row| row.0 == tier).count() {
            0 => None,
            1 => Some(format!("1 {one}")),
            n => Some(format!("{n} {many}")),
        })
        .collect();
    if !all && !left.is_empty() {
        out.line("");
        out.line(&format!("left out: {}; all of them:", left.join(", ")));
        out.line(&format!(
            "  headwater model {} --at {} --upstream {} --all",
            answer.name, at.version, at.upstream
        ));
    }
    out.out
}

/// What of a version matters first to who asks what a model runs with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Tier {
    /// The model's own.
    Model,
    /// The server's defaults of a request.
    Server,
    /// What the server always passes.
    Flag,
    /// What it passes under a condition, by which its value begins.
    Conditional,
    /// Options without a value.
    Unset,
    /// Flags that the options keep from being passed.
    NotPassed,
    /// The engine's defaults of sampling, which no request carries.
    Sampling,
    /// All else that the engine starts with.
    Engine,
}

impl Tier {
    fn of(row: &EffectiveRow) -> Self {
        match (row.from, row.value.is_some()) {
            (Decider::Model, _) => Tier::Model,
            (Decider::ServerDefault, true) => Tier::Server,
            (Decider::ServerDefault, false) => Tier::Unset,
            (Decider::Flag, true) => match row.value.as_ref().is_some_and(|v| v.starts_with('[')) {
                true => Tier::Conditional,
                false => Tier::Flag,
            },
            (Decider::Flag, false) => Tier::NotPassed,
            (Decider::EngineDefault, _) if row.scope == "sampling" => Tier::Sampling,
            (Decider::EngineDefault, _) => Tier::Engine,
        }
    }

    /// Whether a screen has it unasked.
    fn is_told(self) -> bool {
        self < Tier::Conditional
    }
}

/// Which models a commit's defaults reach.
pub fn effects(answer: &EffectsAnswer, format: Format) -> String {
    let mut out = Lines { md: format == Format::Md, out: String::new() };
    out.line(&format!(
        "{} {} {}  {}",
        answer.upstream,
        answer.sha.short(),
        answer.date.format("%Y-%m-%d"),
        answer.subject
    ));
    if answer.effects.is_empty() {
        out.line("no extractor found a default that went from one value to another; `headwater defaults` has new and removed ones too");
    }
    if answer.models == 0 {
        out.line("no model is stored: `headwater crawl models NAME` gets one");
    }
    for effect in &answer.effects {
        out.line(&format!(
            "{} ({}): {} → {}  ({}:{}, grade {})",
            effect.knob,
            effect.scope,
            effect.old.as_deref().unwrap_or("none"),
            effect.new.as_deref().unwrap_or("none"),
            effect.path,
            effect.line,
            effect.grade
        ));
        if let Some(note) = &effect.note {
            out.line(&format!("  {note}"));
        }
        let lists = [
            ("reaches", &effect.reached),
            ("does not reach", &effect.spared),
            ("cannot be told", &effect.unknown),
        ];
        for (words, models) in lists {
            for model in models {
                out.line(&reached(words, model));
            }
        }
    }
    out.out
}

fn reached(words: &str, model: &Reached) -> String {
    format!(
        "  {words}: {} ({}, {}): {}; grade {}",
        model.model,
        model.place.as_str(),
        model.id,
        model.why,
        model.grade
    )
}

/// Lines of strangers' text, harmless on a terminal and in Markdown.
struct Lines {
    md: bool,
    out: String,
}

impl Lines {
    fn line(&mut self, line: &str) {
        let indent = line.len() - line.trim_start().len();
        if self.md {
            let mark = if indent > 0 { "- " } else { "" };
            self.out.push_str(mark);
            self.out.push_str(&text::markdown(line));
            self.out.push_str("\n\n");
        } else {
            self.out.push_str(&" ".repeat(indent));
            self.out.push_str(&text::one_line(line));
            self.out.push('\n');
        }
    }
}
