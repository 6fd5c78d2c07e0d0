//! Observations of one toggle that disagree: in what their conditions differ, and the
//! cheapest run that would tell.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use super::speed::ms3;
use super::{Conventions, Finding, ObservationShown, Speed, same_setting};
use crate::ledger::spelling;

/// A condition that differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Differing {
    /// The condition.
    pub condition: String,
    /// What the first had; none where it was not recorded.
    pub first: Option<String>,
    /// What the second had.
    pub second: Option<String>,
}

/// The cheapest run that would tell two observations apart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CheapestRun {
    /// What to run, and what its outcomes mean.
    pub what: String,
    /// The command that records it.
    pub command: String,
}

/// Two observations that disagree.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Disagreement {
    /// The one observation.
    pub first: i64,
    /// The other.
    pub second: i64,
    /// `the same toggle`, or `two toggles of one jump`.
    pub of: &'static str,
    /// What the toggle is to the first, in milliseconds a token.
    pub first_ms: f64,
    /// And to the second.
    pub second_ms: f64,
    /// By what they are said to disagree.
    pub by: String,
    /// The conditions in which they differ.
    pub differing: Vec<Differing>,
    /// What to run next.
    pub cheapest: CheapestRun,
}

/// The pairs of speed observations that disagree: of one toggle, by what it is to each; of
/// two, where together they explain more than all of one jump.
pub fn disagreements(
    upstream: &str,
    shown: &[ObservationShown],
    conventions: &Conventions,
) -> Vec<Disagreement> {
    let mut out = Vec::new();
    for (at, first) in shown.iter().enumerate() {
        for second in shown.iter().skip(at + 1) {
            let same = match (&first.toggle, &second.toggle) {
                (Some(a), Some(b)) => {
                    spelling(&a.knob) == spelling(&b.knob) && same_setting(&a.value, &b.value)
                }
                _ => false,
            };
            let (Some(a), Some(b)) = (&first.speed, &second.speed) else { continue };
            let differing = differing(first, second, conventions);
            let (of, by, cheapest) = if same {
                let Some(by) = apart(a, b, conventions) else { continue };
                let cheapest = cheapest(upstream, first, second, &differing, conventions);
                ("the same toggle", by, cheapest)
            } else {
                let Some(by) = too_much(first, second, conventions) else { continue };
                ("two toggles of one jump", by, both(upstream, first, second))
            };
            out.push(Disagreement {
                first: first.id,
                second: second.id,
                of,
                first_ms: a.toggle_ms,
                second_ms: b.toggle_ms,
                by,
                cheapest,
                differing,
            });
        }
    }
    out
}

/// In what way two results are apart, if they are.
fn apart(a: &Speed, b: &Speed, conventions: &Conventions) -> Option<String> {
    if let (Some(a), Some(b)) = (&a.toggle_interval, &b.toggle_interval) {
        return (!a.meets(b)).then(|| {
            format!(
                "their intervals do not meet ({} to {}, {} to {} ms/token)",
                ms3(a.low),
                ms3(a.high),
                ms3(b.low),
                ms3(b.high)
            )
        });
    }
    let larger = a.toggle_ms.abs().max(b.toggle_ms.abs());
    let apart = (a.toggle_ms - b.toggle_ms).abs();
    (apart > conventions.disagree * larger).then(|| {
        format!(
            "they are {} ms/token apart, more than {:.0} % of the larger; without repeated runs of both, noise cannot be told from a difference",
            ms3(apart),
            conventions.disagree * 100.0
        )
    })
}

/// Where two toggles explain more of one jump than there is, so that they are no two parts
/// of it.
fn too_much(
    first: &ObservationShown,
    second: &ObservationShown,
    conventions: &Conventions,
) -> Option<String> {
    let ends = |one: &ObservationShown| {
        one.window.as_ref().map(|window| (window.base_sha, window.head_sha))
    };
    let part = |one: &ObservationShown| {
        let explains = one.set_aside.is_none() && one.finding() == Finding::Explains;
        one.speed.as_ref().filter(|_| explains)?.toggle_percent_of_jump
    };
    let (a, b) = (part(first)?, part(second)?);
    (ends(first) == ends(second) && a + b > 100.0 * (1.0 + conventions.disagree)).then(|| {
        format!(
            "they explain {a:.0} % and {b:.0} % of it, which is more than all: each does alone what only one of them can have done, or both act on the same thing"
        )
    })
}

/// The run with both of two toggles.
fn both(upstream: &str, first: &ObservationShown, second: &ObservationShown) -> CheapestRun {
    let name = |one: &ObservationShown| {
        let toggle = one.toggle.as_ref();
        toggle.map_or_else(String::new, |toggle| format!("{}={}", toggle.knob, toggle.value))
    };
    let (one, other) = (name(first), name(second));
    CheapestRun {
        what: format!(
            "run HEAD with {one} and {other} both: if that gives what {one} alone gave, both act on the same thing, and neither is a part of its own; if they add up, one of the two runs was disturbed"
        ),
        command: command(
            upstream,
            first,
            None,
            &format!(" --note {}", quoted(&format!("with {other} too"))),
        ),
    }
}

/// The conditions in which two observations differ, cheapest to repeat first. A note is
/// none.
fn differing(
    first: &ObservationShown,
    second: &ObservationShown,
    conventions: &Conventions,
) -> Vec<Differing> {
    let names: BTreeSet<&String> =
        first.conditions.keys().chain(second.conditions.keys()).filter(|n| *n != "note").collect();
    let mut out: Vec<Differing> = names
        .into_iter()
        .map(|name| Differing {
            condition: name.clone(),
            first: first.conditions.get(name).cloned(),
            second: second.conditions.get(name).cloned(),
        })
        .filter(|one| one.first != one.second)
        .collect();
    out.sort_by_key(|one| {
        let cost = conventions.conditions.iter().position(|c| c.name == one.condition);
        (one.first.is_none() || one.second.is_none(), cost.unwrap_or(usize::MAX))
    });
    out
}

fn cheapest(
    upstream: &str,
    first: &ObservationShown,
    second: &ObservationShown,
    differing: &[Differing],
    conventions: &Conventions,
) -> CheapestRun {
    let how = |condition: &str| {
        let known = conventions.conditions.iter().find(|c| c.name == condition);
        known.map_or_else(|| "under that condition".to_owned(), |known| known.run.clone())
    };
    match differing.first() {
        Some(Differing { condition, first: Some(a), second: Some(b) }) => CheapestRun {
            what: format!(
                "repeat observation {}'s two runs at HEAD {} ({condition} {a}), all else as it was: if they then give what observation {} gave, {condition} is the difference; if they give {b}'s result again, it is not",
                second.id,
                how(condition),
                first.id
            ),
            command: command(upstream, second, Some((condition, a)), ""),
        },
        Some(one) => {
            let (lacks, has) = match one.first {
                None => (first, second),
                Some(_) => (second, first),
            };
            CheapestRun {
                what: format!(
                    "observation {} does not say its {}: if it was not observation {}'s, repeat its two runs at HEAD {}",
                    lacks.id,
                    one.condition,
                    has.id,
                    how(&one.condition)
                ),
                command: command(
                    upstream,
                    lacks,
                    has.conditions.get(&one.condition).map(|value| (one.condition.as_str(), value)),
                    "",
                ),
            }
        }
        None => CheapestRun {
            what: format!(
                "their recorded conditions are the same: repeat observation {}'s two runs at HEAD, five times each, so that noise can be told from a difference",
                first.id
            ),
            command: command(upstream, first, None, " --samples FILE"),
        },
    }
}

/// The command that records a run like `like`, with one condition changed.
fn command(
    upstream: &str,
    like: &ObservationShown,
    changed: Option<(&str, &String)>,
    more: &str,
) -> String {
    let mut text = format!("headwater observe {upstream}");
    if let Some(window) = &like.window {
        text.push_str(&format!(" {}..{}", window.base, window.head));
    }
    if let Some(toggle) = &like.toggle {
        text.push_str(&format!(
            " --toggle {}",
            quoted(&format!("{}={}", toggle.knob, toggle.value))
        ));
    }
    if let Some(speed) = &like.speed {
        let old = speed.unit.of_ms(speed.old.ms);
        text.push_str(&format!(
            " --old {old:.2} --with X --without Y --unit {}",
            speed.unit.as_str()
        ));
    }
    let mut conditions = like.conditions.clone();
    conditions.remove("note");
    if let Some((name, value)) = changed {
        conditions.insert(name.to_owned(), value.clone());
    }
    for (name, value) in &conditions {
        text.push_str(&format!(" --{name} {}", quoted(value)));
    }
    text + more
}

/// An argument for a shell.
pub(super) fn quoted(value: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || ".:_-/=+".contains(c);
    match !value.is_empty() && value.chars().all(plain) {
        true => value.to_owned(),
        false => format!("'{}'", value.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::shown::testing::speed_observation;

    fn shown(
        conditions: &[(&str, &str)],
        values: [f64; 3],
        runs: &[(&str, f64)],
    ) -> ObservationShown {
        let observation = speed_observation("ms/token", values, conditions, runs);
        let conventions = Conventions::shipped().unwrap();
        ObservationShown::of(&observation, &[], &conventions).unwrap()
    }

    fn told(all: &[ObservationShown]) -> Vec<Disagreement> {
        disagreements("ollama", all, &Conventions::shipped().unwrap())
    }

    #[test]
    fn the_condition_that_is_cheapest_to_repeat_is_told_first() {
        let mut first = shown(
            &[("model", "gemma4:26b"), ("prompt-tokens", "24"), ("load", "idle")],
            [7.166, 7.346, 4.776],
            &[],
        );
        let second = shown(
            &[
                ("model", "gemma4:26b"),
                ("prompt-tokens", "8192"),
                ("load", "idle; it's warm"),
                ("note", "x"),
            ],
            [7.2, 6.336, 4.776],
            &[],
        );
        first.id = 7;
        let found = told(&[first, second]);
        let [one] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(format!("{:.2} {:.2}", one.first_ms, one.second_ms), "2.57 1.56");
        let names: Vec<&str> = one.differing.iter().map(|d| d.condition.as_str()).collect();
        assert_eq!(names, ["load", "prompt-tokens"]);
        assert!(one.cheapest.what.contains("load idle"), "{}", one.cheapest.what);
        let command = &one.cheapest.command;
        assert!(command.contains("--load idle") && command.contains("--prompt-tokens 8192"));
        assert!(one.by.contains("noise cannot be told"), "{}", one.by);
    }

    #[test]
    fn observations_that_agree_or_are_of_other_toggles_are_no_disagreement() {
        let a = shown(&[], [7.0, 7.0, 4.5], &[]);
        let mut b = shown(&[], [7.0, 6.9, 4.5], &[]);
        assert!(told(&[a.clone(), b.clone()]).is_empty());
        b.speed.as_mut().unwrap().toggle_ms = 1.0;
        assert_eq!(told(&[a.clone(), b.clone()]).len(), 1);
        b.toggle.as_mut().unwrap().value = "1.2".into();
        let found = told(&[a.clone(), b.clone()]);
        let [one] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(one.of, "two toggles of one jump");
        assert!(one.by.contains("100 % and 96 %"), "{}", one.by);
        assert!(one.cheapest.what.contains("=1.1 and repeat_penalty=1.2 both"), "{one:?}");
        // Two parts of a jump.
        b.speed.as_mut().unwrap().toggle_percent_of_jump = Some(10.0);
        assert!(told(&[a, b]).is_empty());
    }

    #[test]
    fn with_repeated_runs_the_intervals_decide() {
        let runs = [("with", 7.0), ("with", 7.4), ("without", 4.4), ("without", 4.9)];
        let a = shown(&[], [7.0, 7.2, 4.65], &runs);
        let wide = shown(
            &[],
            [7.0, 6.2, 4.65],
            &[("with", 5.5), ("with", 6.9), ("without", 4.4), ("without", 4.9)],
        );
        assert!(told(&[a.clone(), wide]).is_empty());
        let tight = |value: f64| {
            let all: Vec<(&str, f64)> = (0..6)
                .map(|at| 0.01 * f64::from(at))
                .flat_map(|more| [("with", value + more), ("without", 4.6 + more)])
                .collect();
            shown(&[], [7.0, value, 4.6], &all)
        };
        assert_eq!(told(&[tight(7.0), tight(6.8)]).len(), 1);
    }

    #[test]
    fn what_a_shell_would_read_is_quoted() {
        assert_eq!(quoted("gemma4:26b"), "gemma4:26b");
        assert_eq!(quoted("a'b; rm"), "'a'\\''b; rm'");
    }
}
