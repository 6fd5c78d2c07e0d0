//! What could not be settled, and the question as it is asked again.

use headwater_store::ModelName;
use headwater_store::evidence::Grade;

use super::WhyQuestion;
use super::collect::Collected;
use super::engines::Engines;
use super::known::OfModel;
use super::report::{DefaultEvent, NestedWindow, OpenQuestion};
use crate::pins::PinGapKind;

/// Below this, the words of a symptom say little (see `Ranking::met`).
const FEW_WORDS: f64 = 0.35;

pub(super) fn open_questions(
    question: &WhyQuestion,
    main: &Collected<'_>,
    nested: &[NestedWindow],
    events: &[DefaultEvent],
    engines: &Engines,
    met: Option<f64>,
    of_model: OfModel<'_>,
) -> Vec<OpenQuestion> {
    let mut open = Vec::new();
    let ask = |question: String, rederive: Vec<String>| OpenQuestion {
        question,
        grade: Grade::AbsentPartial,
        rederive,
    };
    for nested in nested {
        if let Some(gap) = &nested.gap {
            let name = &nested.upstream;
            // Of a pin that is new, or gone, one end is all that git can be asked for.
            let (what, span) = match (&nested.pin_base, &nested.pin_head) {
                (Some(base), Some(head)) => {
                    (format!("{name} {base}..{head} brings"), format!("{base}..{head}"))
                }
                (None, Some(head)) => {
                    (format!("{name} {head}, newly pinned, brings"), head.clone())
                }
                (Some(base), None) => {
                    (format!("went with {name} {base}, pinned no more,"), base.clone())
                }
                (None, None) => continue,
            };
            let how = match nested.gap_kind == Some(PinGapKind::NotTracked) {
                true => "; declare it in a file (docs/upstreams.md) and crawl a clone of it",
                false => "",
            };
            let mut rederive = vec![format!("git -C DIR log --oneline {span}")];
            if nested.gap_kind != Some(PinGapKind::OneEnd) {
                rederive.insert(0, format!("headwater crawl {name} --from-git DIR"));
            }
            open.push(ask(format!("what {what} is not known: {gap}{how}"), rederive));
        }
    }
    // What is stored of a model answers both questions.
    let known = of_model.stored.is_some();
    let format_known = of_model.stored.is_some_and(|stored| stored.format().is_some());
    let crawl = |model: &str, options: &str| match model.parse::<ModelName>() {
        Ok(name) => {
            vec![format!("headwater crawl models {name}"), format!("ollama show {options}{name}")]
        }
        Err(_) => Vec::new(),
    };
    if let Some(model) = &question.model {
        let running = engines.running();
        if !running.is_empty() && !format_known {
            open.push(ask(
                format!(
                    "that {model} is a {} model, run by {}, is assumed from its name",
                    engines.format(),
                    running.join(" or ")
                ),
                crawl(model, ""),
            ));
        }
        let lineage = of_model.lineage;
        if let Some((lineage, families)) = lineage.and_then(|one| Some((one, one.assumed()?))) {
            open.push(ask(
                format!(
                    "that {model} runs the code of {} models{} is assumed from its name, so that code of other families is ruled out",
                    families.join(" or "),
                    lineage.known_as().map_or_else(String::new, |is| format!(", as {is},"))
                ),
                crawl(model, ""),
            ));
        }
        let mut knobs: Vec<&str> = events
            .iter()
            .filter(|e| e.scope == "request-option" && e.counts())
            .map(|e| e.knob.as_str())
            .collect();
        knobs.dedup();
        for knob in knobs.into_iter().filter(|_| !known) {
            open.push(ask(
                format!("whether {model} sets {knob} itself, so that the server's default never reaches it"),
                crawl(model, "--parameters "),
            ));
        }
    }
    let mut told = std::collections::HashSet::new();
    for (event, device) in events.iter().filter_map(|e| Some((e, e.on_device.as_ref()?))) {
        if told.insert((event.sha, &device.device)) {
            open.push(ask(
                format!(
                    "{} is decided at run time; {} was assumed to be the device",
                    event.knob, device.device
                ),
                [
                    event
                        .on_device
                        .as_ref()
                        .filter(|d| d.device.contains("cuda"))
                        .map(|_| "nvidia-smi --query-gpu=name --format=csv".to_owned()),
                    Some(format!("headwater show {} {}", event.upstream, event.sha.short())),
                ]
                .into_iter()
                .flatten()
                .collect(),
            ));
        }
    }
    if met.is_some_and(|met| met < FEW_WORDS) {
        open.push(ask(
            "no commit has more than few of the symptom's words, so the order rests mostly on what is known of the changes; more of what was seen would help: flags, hardware, log lines"
                .to_owned(),
            vec![format!(
                "headwater why {} {}..{} --symptom 'what you saw, in more words'",
                main.upstream.name, main.report.base, main.report.head
            )],
        ));
    }
    if question.model.is_none() && question.symptom.is_none() && main.report.commits > 0 {
        open.push(ask(
            "neither a model nor a symptom was given, so nothing could be excluded for them"
                .to_owned(),
            vec![format!(
                "headwater why {} {}..{} --model NAME --symptom 'what you saw'",
                main.upstream.name, main.report.base, main.report.head
            )],
        ));
    }
    open
}

pub(super) fn asked_again(question: &WhyQuestion, base: &str, head: &str) -> String {
    let mut text = format!("headwater why {} {base}..{head}", question.upstream);
    let options = [
        ("--model", &question.model),
        ("--backend", &question.backend),
        ("--phase", &question.phase),
        ("--kind", &question.kind),
        ("--symptom", &question.symptom),
    ];
    for (name, value) in options {
        if let Some(value) = value {
            let plain = value.chars().all(|c| c.is_ascii_alphanumeric() || ".:_-/".contains(c));
            if plain {
                text.push_str(&format!(" {name} {value}"));
            } else {
                text.push_str(&format!(" {name} '{}'", value.replace('\'', "'\\''")));
            }
        }
    }
    text
}
