//! Holds rules to their examples.

use headwater_store::model::{LineRef, Side};
use schemars::JsonSchema;
use serde::Serialize;

use super::label::Fact;
use super::patch_text::read_patch;
use super::rules::Rules;
use super::source::{Example, RuleSource};

/// An example that a rule does not live up to, or that it lacks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ExampleFailure {
    /// The rule.
    pub rule: String,
    /// The file it stands in.
    pub file: String,
    /// What is wrong.
    pub what: String,
}

/// Runs every rule over its examples, and reports each that is wrong or missing.
pub fn check_examples(rules: &Rules) -> Vec<ExampleFailure> {
    let mut failures = Vec::new();
    for (file, rule) in rules.sources() {
        let mut fail = |what: String| {
            failures.push(ExampleFailure { rule: rule.id.clone(), file: file.to_owned(), what });
        };
        if rule.must_match.is_empty() {
            fail("it has no [[rules.must_match]]".to_owned());
        }
        if rule.must_not_match.is_empty() {
            fail("it has no [[rules.must_not_match]]".to_owned());
        }
        let wanted = rule.must_match.iter().map(|example| (example, true));
        let unwanted = rule.must_not_match.iter().map(|example| (example, false));
        for (example, must) in wanted.chain(unwanted) {
            match fires(rules, rule, example) {
                Ok(fired) if fired == must => {}
                Ok(true) => fail(format!("it fires on \"{}\", and must not", example.shows)),
                Ok(false) => fail(format!("it does not fire on \"{}\"", example.shows)),
                Err(error) => fail(format!("\"{}\": {error}", example.shows)),
            }
        }
    }
    failures
}

fn fires(rules: &Rules, rule: &RuleSource, example: &Example) -> Result<bool, super::BadPatch> {
    let patch = read_patch(&example.message, &example.patch)?;
    let facts: Vec<Fact> = example
        .facts
        .iter()
        .map(|fact| Fact {
            name: fact.name.clone(),
            detail: fact.detail.clone(),
            at: LineRef {
                path: fact.path.clone(),
                side: Side::Added,
                line: 1,
                text: String::new(),
            },
        })
        .collect();
    let upstream = rule.upstreams.first().map_or("ollama", String::as_str);
    Ok(rules.classify(upstream, &patch, &facts).iter().any(|label| label.rule == rule.id))
}
