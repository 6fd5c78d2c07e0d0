//! The claims of a report, read out of its JSON: what was kept and what is derived today
//! are read alike.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// One claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Claim {
    /// What it is about: a claim of today with the same key speaks of the same thing.
    pub key: String,
    /// What it says of it.
    pub says: String,
    /// Its grade, where it has one.
    pub grade: Option<String>,
    /// What it was checked against, where that is told: gaps, and commits that are missing.
    pub lacks: u64,
}

/// Every claim of a report.
pub fn claims(report: &Value) -> Vec<Claim> {
    let mut out = Vec::new();
    window(&mut out, &report["window"]);
    for nested in list(&report["nested"]) {
        window(&mut out, nested);
        if let Some(gap) = nested["gap"].as_str() {
            let key = format!("window of {} {}", text(&nested["upstream"]), text(&nested["pin"]));
            out.push(Claim { key, says: format!("a gap: {gap}"), grade: None, lacks: 1 });
        }
    }
    let candidates = list(&report["candidates"]);
    if let Some(first) = candidates.first().filter(|c| is_open(c)) {
        out.push(Claim {
            key: "first candidate".to_owned(),
            says: commit(first),
            grade: grade(first),
            lacks: 0,
        });
    }
    for candidate in candidates {
        let reason = candidate["verdict_reason"].as_str();
        let reason = reason.map_or_else(String::new, |reason| format!(": {reason}"));
        out.push(Claim {
            key: format!("verdict on {}", commit(candidate)),
            says: format!("{}{reason}", text(&candidate["verdict"])),
            grade: grade(candidate),
            lacks: 0,
        });
    }
    for event in list(&report["default_events"]) {
        let value = |name: &str| event[name].as_str().unwrap_or("none").to_owned();
        out.push(Claim {
            key: format!("default of {} in {} by {}", value("knob"), value("path"), commit(event)),
            says: format!("{} → {}", value("old"), value("new")),
            grade: grade(event),
            lacks: 0,
        });
    }
    for row in list(&report["effective"]) {
        let value = |name: &str| row[name].as_str().unwrap_or("unset").to_owned();
        out.push(Claim {
            key: format!("{} runs {} with", value("model"), value("knob")),
            says: format!("{} → {}", value("before"), value("after")),
            grade: None,
            lacks: 0,
        });
    }
    for absence in list(&report["absences"]) {
        out.push(Claim {
            key: text(&absence["claim"]),
            says: "not found".to_owned(),
            grade: grade(absence),
            lacks: lacks(&absence["coverage"]),
        });
    }
    for observation in list(&report["observations"]) {
        let speed = &observation["speed"];
        let says = match speed["toggle_ms"].as_f64() {
            Some(ms) => format!("{} ({ms:.3} ms/token)", text(&speed["finding"])),
            None => text(&observation["output"]["says"]),
        };
        out.push(Claim {
            key: format!("observation {}", observation["id"]),
            says,
            grade: grade(observation),
            lacks: 0,
        });
    }
    out
}

fn window(out: &mut Vec<Claim>, window: &Value) {
    if window["base"].is_null() {
        return;
    }
    out.push(Claim {
        key: format!(
            "window {} {}..{}",
            text(&window["upstream"]),
            text(&window["base"]),
            text(&window["head"])
        ),
        says: format!(
            "{} to {}, {}: commits {}, already shipped {}",
            short(&window["base_sha"]),
            short(&window["head_sha"]),
            text(&window["status"]),
            window["commits"],
            window["already_shipped"]
        ),
        grade: None,
        lacks: lacks(&window["coverage"]),
    });
}

fn lacks(coverage: &Value) -> u64 {
    let number = |name: &str| coverage[name].as_u64().unwrap_or(0);
    let gaps = list(&coverage["gaps"]).len() as u64;
    gaps + number("commits_reported").saturating_sub(number("commits_stored"))
}

fn commit(value: &Value) -> String {
    format!("{} {}", text(&value["upstream"]), short(&value["sha"]))
}

fn short(sha: &Value) -> String {
    text(sha).chars().take(9).collect()
}

fn grade(value: &Value) -> Option<String> {
    value["grade"].as_str().map(str::to_owned)
}

fn is_open(candidate: &Value) -> bool {
    matches!(candidate["verdict"].as_str(), Some("candidate" | "confirmed-by-toggle"))
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}
