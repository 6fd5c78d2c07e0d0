//! Measurements, for a screen, as Markdown and as HTML.

use headwater_queries::measure::{Disagreement, ObservationShown, Plan, PlannedToggle, SpeedTable};

use super::page::Page;

/// What was measured of a window, and where measurements disagree.
pub fn of_window(
    page: &mut Page<'_>,
    observations: &[ObservationShown],
    disagreements: &[Disagreement],
) {
    if observations.is_empty() {
        return;
    }
    heading(page);
    for observation in observations {
        head(page, observation);
        match &observation.set_aside {
            Some(why) => page.say(1, &format!("decides nothing here: {why}")),
            None => working(page, observation),
        }
    }
    for disagreement in disagreements {
        disagreeing(page, disagreement);
    }
}

/// An observation that was kept just now, with its working whatever it decides.
pub fn kept(page: &mut Page<'_>, observation: &ObservationShown, disagreements: &[&Disagreement]) {
    heading(page);
    head(page, observation);
    working(page, observation);
    if let Some(why) = &observation.set_aside {
        page.say(1, &format!("decides nothing here: {why}"));
    }
    for disagreement in disagreements {
        disagreeing(page, disagreement);
    }
}

fn heading(page: &mut Page<'_>) {
    page.heading("Measured", "on your machine; in ms/token, since rates do not add up");
}

/// What an observation is of, and under which conditions.
fn head(page: &mut Page<'_>, observation: &ObservationShown) {
    let window = observation.window.as_ref();
    let window = window.map_or_else(String::new, |w| format!(" {}..{}", w.base, w.head));
    let toggle = observation.toggle.as_ref();
    let toggle = toggle.map_or_else(String::new, |t| format!(" with {}={}", t.knob, t.value));
    page.say(
        0,
        &format!(
            "{}: {}{window}{toggle}, recorded {} (grade {})",
            observation.id,
            observation.kind,
            observation.recorded.format("%Y-%m-%d %H:%M:%S UTC"),
            observation.grade
        ),
    );
    if !observation.conditions.is_empty() {
        page.say(1, &format!("conditions: {}", observation.under()));
    }
}

/// How an observation comes to what it says.
fn working(page: &mut Page<'_>, observation: &ObservationShown) {
    if let Some(input) = &observation.input {
        page.say(1, &format!("from {} ({} bytes, {})", input.name, input.bytes, input.sha256));
    }
    if let Some(speed) = &observation.speed {
        for line in &speed.arithmetic {
            page.say(1, line);
        }
        page.say(1, &format!("the rest: {}", speed.bound));
    }
    if let Some(output) = &observation.output {
        page.say(1, &format!("with {}, without {}", output.with, output.without));
        page.say(1, &output.says);
    }
    for commit in &observation.commits {
        page.say(
            1,
            &format!(
                "about {} {}: {} {} → {}",
                commit.upstream,
                commit.sha.short(),
                commit.knob,
                commit.old.as_deref().unwrap_or("none"),
                commit.new.as_deref().unwrap_or("none")
            ),
        );
    }
}

fn disagreeing(page: &mut Page<'_>, one: &Disagreement) {
    page.say(
        0,
        &format!(
            "{} and {} disagree: {:.2} against {:.2} ms/token for {}; {}",
            one.first, one.second, one.first_ms, one.second_ms, one.of, one.by
        ),
    );
    for differing in &one.differing {
        let was = |value: &Option<String>| value.clone().unwrap_or_else(|| "not recorded".into());
        page.say(
            1,
            &format!(
                "{}: {} against {}",
                differing.condition,
                was(&differing.first),
                was(&differing.second)
            ),
        );
    }
    if one.differing.is_empty() {
        page.say(1, "no recorded condition differs");
    }
    page.say(1, &format!("the cheapest run that would tell: {}", one.cheapest.what));
    page.command(1, &one.cheapest.command);
}

/// A table of speeds, and its steps.
pub fn table(page: &mut Page<'_>, table: &SpeedTable) {
    page.heading("Speeds", "a step counts where chance alone makes one as large in under 5 of 100");
    let runs: usize = table.points.iter().map(|point| point.values.len()).sum();
    let noise = match table.steps.noise_ms {
        Some(noise) => format!(
            "noise of a version's mean {noise:.3} ms/token, from {}",
            table.steps.noise_from
        ),
        None => "nothing tells of noise".to_owned(),
    };
    page.say(
        0,
        &format!(
            "{}: {} versions, {runs} runs in {}; {noise}",
            table.input.name,
            table.points.len(),
            table.unit.as_str()
        ),
    );
    if table.sorted {
        page.say(0, "put into the order of history; the file has another");
    }
    let largest = table.largest();
    for (at, step) in table.steps.steps.iter().enumerate() {
        let way = if step.after_ms < step.before_ms { "faster" } else { "slower" };
        let explained = match (largest == Some(at), table.steps.steps.len()) {
            (_, 1) => "",
            (true, _) => "; the largest",
            (false, _) => "",
        };
        page.say(
            0,
            &format!(
                "step {}: {}..{} {:.3} → {:.3} ms/token, {way} (chance {}{explained})",
                at + 1,
                step.base,
                step.head,
                step.before_ms,
                step.after_ms,
                if step.chance < 0.0001 {
                    "under 0.0001".to_owned()
                } else {
                    format!("{:.4}", step.chance)
                }
            ),
        );
    }
    if let Some(none) = &table.steps.none {
        page.say(0, &format!("No step: {none}"));
    }
}

/// The toggles worth measuring.
pub fn plan(page: &mut Page<'_>, plan: &Plan) {
    page.headline(&format!("What to measure for {} {}", plan.upstream, plan.window));
    page.heading("The old version", "three runs; the first also loads the model");
    for command in &plan.old {
        page.command(0, command);
    }
    if plan.toggles.is_empty() {
        page.heading("Toggles", "");
        page.say(0, "no candidate is left to toggle");
    }
    for (at, toggle) in plan.toggles.iter().enumerate() {
        planned(page, at + 1, toggle);
    }
}

/// One toggle: `number` counts those that are shown, since candidates without one of their own
/// (a pin's bump) are passed over.
fn planned(page: &mut Page<'_>, number: usize, toggle: &PlannedToggle) {
    let what = match (&toggle.knob, &toggle.old, &toggle.new) {
        (Some(knob), Some(old), Some(new)) => format!("{knob}: {old} → {new}"),
        _ => "no toggle".to_owned(),
    };
    let rank = match toggle.rank == number {
        true => String::new(),
        false => format!("candidate {} of `headwater why`", toggle.rank),
    };
    page.heading(&format!("{number}. {} {}", toggle.upstream, toggle.sha.short()), &rank);
    page.say(0, &format!("{}  {what}", toggle.subject));
    if toggle.confirmed {
        page.say(
            0,
            "confirmed by a toggle already; a second run under other conditions tells more",
        );
    }
    page.item(0, "with the old behaviour:");
    for command in &toggle.with {
        page.command(1, command);
    }
    page.item(0, "as it comes:");
    for command in &toggle.without {
        page.command(1, command);
    }
    for means in &toggle.means {
        page.say(1, means);
    }
    if let Some(record) = &toggle.record {
        page.item(0, "then:");
        page.command(1, record);
    }
}
