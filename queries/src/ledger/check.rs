//! Holds extractors to their examples.

use super::compare::FileTables;
use super::engine::Session;
use super::entry::Event;
use super::rules::{Compiled, Example, Extractors};
use crate::classify::ExampleFailure;

/// Runs every extractor over its examples, and reports each that is wrong or missing.
pub fn check_examples(extractors: &Extractors) -> Vec<ExampleFailure> {
    let mut session = Session::new(extractors);
    let mut failures = Vec::new();
    for (at, compiled) in extractors.all.iter().enumerate() {
        let rule = &compiled.rule;
        let mut fail = |what: String| {
            let (rule, file) = (rule.id.clone(), compiled.file.clone());
            failures.push(ExampleFailure { rule, file, what });
        };
        if !rule.examples.iter().any(|example| !example.events.is_empty()) {
            fail("it has no [[extractor.examples]] with an event".to_owned());
        }
        for example in &rule.examples {
            let mut got = events(extractors, &mut session, at, compiled, example);
            let mut wanted = example.events.clone();
            got.sort();
            wanted.sort();
            if got != wanted {
                let list = |all: &[String]| match all {
                    [] => "none".to_owned(),
                    all => all.join("; "),
                };
                fail(format!(
                    "on \"{}\" it finds {}; its example says {}",
                    example.shows,
                    list(&got),
                    list(&wanted)
                ));
            }
        }
    }
    failures
}

/// What one extractor makes of an example.
fn events(
    extractors: &Extractors,
    session: &mut Session<'_>,
    at: usize,
    compiled: &Compiled,
    example: &Example,
) -> Vec<String> {
    let upstream = compiled.rule.upstreams.first().map_or("any", String::as_str);
    let path = compiled.rule.paths.first().map(|pattern| sample_path(pattern)).unwrap_or_default();
    let mut table = |text: &str| {
        let mut table = session.table(upstream, &path, text.as_bytes());
        table.retain(|entry| entry.extractor == at);
        table
    };
    let file = FileTables {
        old_path: Some(path.clone()),
        path: Some(path.clone()),
        before: table(&example.before),
        after: table(&example.after),
    };
    extractors.events(&[file]).iter().map(told).collect()
}

/// An event as an example writes it.
pub(super) fn told(event: &Event) -> String {
    let side = |value: &Option<String>| value.clone().unwrap_or_else(|| "none".to_owned());
    format!("{} {} -> {}", event.knob, side(&event.old), side(&event.new))
}

/// A path that an extractor's glob matches: its stars filled in.
pub(super) fn sample_path(pattern: &str) -> String {
    pattern.replace("**/", "").replace("/**", "/x").replace('*', "x")
}
