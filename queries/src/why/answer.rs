//! The answer, put together.

use std::collections::HashMap;

use headwater_store::evidence::{Grade, Receipt};
use headwater_store::model::Label;
use headwater_store::upstream::{Upstream, Upstreams};
use headwater_store::{Oid, Store, StoredCommit, StoredPatch};

use super::collect::{Collected, collect};
use super::defaults::{self, Moved};
use super::engines::{ASSUMED_FORMAT, Engines};
use super::paths::PathRules;
use super::prior::Prior;
use super::report::{
    Candidate, ClassEvidence, DefaultEvent, NestedWindow, OpenQuestion, Reason, Verdict, WhyReport,
};
use super::verdict::{self, Judge, Judged};
use super::{AsOf, WhyQuestion, absences, families, headline};
use crate::QueryError;
use crate::classify::RuleTexts;
use crate::derive::labels::{Labeller, Sources};
use crate::ledger::{Extractors, Session, Spellings};
use crate::pins::{PinReader, PinValue};
use crate::rank::{self, Facets, QuestionReader, Weights};
use crate::window::WindowSpec;

/// The rule sets that an answer is made by.
pub struct Rules {
    /// What commits are about.
    pub classes: RuleTexts,
    /// Where defaults stand.
    pub extractors: Extractors,
    /// What files are to a ranking.
    pub facets: Facets,
    /// The points.
    pub weights: Weights,
}

/// One commit with all that is known of it.
struct Known<'a> {
    patch: &'a StoredPatch,
    labels: Vec<Label>,
    events: Vec<DefaultEvent>,
    event_lines: Vec<headwater_store::evidence::Evidence>,
    judged: Option<Judged>,
    /// For a pin bump: the nested window that it opens.
    opens: Option<usize>,
}

/// Answers why a window changed.
///
/// # Errors
/// Unknown or reversed ends, and those of the store.
pub fn why(
    store: &Store,
    upstreams: &Upstreams,
    rules: &Rules,
    question: &WhyQuestion,
) -> Result<WhyReport, QueryError> {
    let upstream = upstreams.get(&question.upstream)?;
    let main = collect(store, upstream, &question.window, question.jobs)?;
    let mut open = Vec::new();
    let (nested, inner) = nested_windows(store, upstreams, &main, question.jobs)?;

    let mut objects = store.objects(&upstream.name)?.reader()?;
    let trees = [main.base.commit.commit().tree, main.head.commit.commit().tree];
    let engines = Engines::read(upstream, ASSUMED_FORMAT, trees, &mut objects)?;
    let family = question.model.as_deref().map(families::of_model);

    let mut spellings = Spellings::default();
    let mut all: Vec<(&Collected<'_>, Vec<Known<'_>>)> = Vec::new();
    let mut absent = Vec::new();
    for window in std::iter::once(&main).chain(&inner) {
        let known =
            know(store, rules, &engines, question, family.as_deref(), window, &mut spellings)?;
        let labels: Vec<Vec<Label>> = known.iter().map(|k| k.labels.clone()).collect();
        let moved =
            known.iter().any(|k| k.events.iter().any(|e| e.old.is_some() && e.new.is_some()));
        absent.extend(absences::of(window, &labels, moved)?);
        all.push((window, known));
    }
    mark_pins(upstream, &engines, &nested, &mut all);

    let prior = Prior::built_in()?;
    let (mut candidates, nothing) = ranked(store, rules, question, &prior, &all)?;
    place_pins(&mut candidates, &nested, &all);
    for (at, candidate) in candidates.iter_mut().enumerate() {
        candidate.rank = at + 1;
    }
    let order: HashMap<Oid, usize> = candidates.iter().map(|c| (c.sha, c.rank)).collect();
    let mut events: Vec<DefaultEvent> =
        all.iter().flat_map(|(_, known)| known).flat_map(|k| k.events.clone()).collect();
    events.sort_by_key(|event| order.get(&event.sha).copied().unwrap_or(usize::MAX));

    open_questions(question, &main, &nested, &events, &engines, &mut open);
    let window = main.report.clone();
    let found = headline::Found {
        window: &window,
        nested: &nested,
        candidates: &candidates,
        events: &events,
        nothing,
        hindsight: question.as_of != AsOf::Head,
    };
    let headline = headline::line(&found);
    let mut verdicts: Vec<(Verdict, usize)> = Vec::new();
    for candidate in &candidates {
        match verdicts.iter_mut().find(|(verdict, _)| *verdict == candidate.verdict) {
            Some((_, count)) => *count += 1,
            None => verdicts.push((candidate.verdict, 1)),
        }
    }
    verdicts.sort();
    Ok(WhyReport {
        schema: "headwater/why/1",
        headline,
        question: asked_again(question, &window.base, &window.head),
        window,
        nested,
        candidates,
        verdicts,
        default_events: events,
        effective: Vec::new(),
        absences: absent,
        open,
    })
}

/// The windows that moved pins open, and the commits of those that are stored.
fn nested_windows<'a>(
    store: &'a Store,
    upstreams: &'a Upstreams,
    main: &Collected<'a>,
    jobs: usize,
) -> Result<(Vec<NestedWindow>, Vec<Collected<'a>>), QueryError> {
    let mut reader = PinReader::new(store, upstreams, main.upstream)?;
    let before = reader.pins(main.base.commit.commit().tree)?;
    let after = reader.pins(main.head.commit.commit().tree)?;
    let mut nested = Vec::new();
    let mut inner = Vec::new();
    let mut names: Vec<&String> = before.iter().chain(&after).map(|pin| &pin.pin).collect();
    names.dedup();
    let mut seen = std::collections::HashSet::new();
    for name in names.into_iter().filter(|name| seen.insert((*name).clone())) {
        // Two pins at once are two windows, each from its own home where both ends have it.
        let ends: Vec<(Option<&PinValue>, Option<&PinValue>)> = paired(name, &before, &after);
        for (old, new) in ends {
            if old.map(|pin| &pin.value) == new.map(|pin| &pin.value) {
                continue;
            }
            let (window, gap) = one_nested(store, upstreams, &reader, old, new, jobs)?;
            let moved_by = new.and_then(|pin| {
                main.patches
                    .iter()
                    .find(|patch| {
                        let files = &patch.patch().files;
                        files.iter().any(|f| f.path == pin.home && f.new_blob == pin.object)
                    })
                    .map(|patch| patch.stored().commit().oid)
            });
            let any = old.or(new);
            nested.push(NestedWindow {
                pin: name.clone(),
                upstream: any.map_or_else(String::new, |pin| pin.upstream.clone()),
                pin_base: old.map(|pin| pin.value.clone()),
                pin_head: new.map(|pin| pin.value.clone()),
                moved_by,
                window: window.as_ref().map(|window| window.report.clone()),
                gap,
            });
            inner.extend(window);
        }
    }
    Ok((nested, inner))
}

fn paired<'p>(
    name: &str,
    before: &'p [PinValue],
    after: &'p [PinValue],
) -> Vec<(Option<&'p PinValue>, Option<&'p PinValue>)> {
    let of = |pins: &'p [PinValue]| -> Vec<&'p PinValue> {
        pins.iter().filter(|pin| pin.pin == name).collect()
    };
    let (old, new) = (of(before), of(after));
    let mut pairs = Vec::new();
    for pin in &new {
        let same_home = old.iter().find(|o| o.home == pin.home).or(old.last());
        pairs.push((same_home.copied(), Some(*pin)));
    }
    if new.is_empty() {
        pairs.extend(old.into_iter().map(|pin| (Some(pin), None)));
    }
    pairs
}

#[allow(clippy::type_complexity)]
fn one_nested<'a>(
    store: &'a Store,
    upstreams: &'a Upstreams,
    reader: &PinReader<'_>,
    old: Option<&PinValue>,
    new: Option<&PinValue>,
    jobs: usize,
) -> Result<(Option<Collected<'a>>, Option<String>), QueryError> {
    let (Some(old), Some(new)) = (old, new) else {
        return Ok((None, Some("only one end has this pin".to_owned())));
    };
    let (base, head) = match (reader.target(old)?, reader.target(new)?) {
        (Ok(base), Ok(head)) => (base, head),
        (Err(why), _) | (_, Err(why)) => return Ok((None, Some(why))),
    };
    let upstream = upstreams.get(&new.upstream)?;
    let end = |target: &crate::pins::PinTarget| {
        target.build.clone().unwrap_or_else(|| target.commit.commit().oid.to_string())
    };
    let spec = WindowSpec { base: end(&base), head: end(&head) };
    match collect(store, upstream, &spec, jobs) {
        Ok(window) => Ok((Some(window), None)),
        Err(QueryError::Reversed { base, head }) => {
            Ok((None, Some(format!("the pin went back, from {base} to {head}"))))
        }
        Err(error) => Err(error),
    }
}

/// Everything that is known of a window's commits.
fn know<'w>(
    store: &Store,
    rules: &Rules,
    engines: &Engines,
    question: &WhyQuestion,
    family: Option<&str>,
    window: &'w Collected<'_>,
    spellings: &mut Spellings,
) -> Result<Vec<Known<'w>>, QueryError> {
    let mut objects = store.objects(&window.upstream.name)?.reader()?;
    let path_rules = PathRules::new(window.upstream)?;
    let own;
    let engines = if window.upstream.name == question_upstream(question, window.upstream) {
        engines
    } else {
        let trees = [window.base.commit.commit().tree, window.head.commit.commit().tree];
        own = Engines::read(window.upstream, ASSUMED_FORMAT, trees, &mut objects)?;
        &own
    };
    let judge = Judge { rules: &path_rules, engines, family };
    let id = store.upstream(&window.upstream.name)?;
    let events_through = store
        .default_events_state(id)?
        .filter(|state| state.rules == rules.extractors.hash().into_bytes())
        .map(|state| state.through);
    if events_through.is_some() {
        for (knob, name) in store.knob_names(id)? {
            spellings.add_names(&knob, &[name]);
        }
    }
    let sources = Sources { rules: &rules.classes, extractors: &rules.extractors };
    let labeller = Labeller::new(store, &window.upstream.name, sources)?;
    let mut session = Session::new(&rules.extractors);
    let mut known = Vec::new();
    for patch in &window.patches {
        let moved = if patch.is_deferred() {
            Moved { events: Vec::new() }
        } else if events_through.is_some_and(|through| patch.stored().id() <= through) {
            Moved::stored(store, patch)?
        } else {
            Moved::read(patch, &mut session, &rules.extractors, &mut objects)?
        };
        for event in &moved.events {
            spellings.add_names(&event.knob, &event.names);
        }
        // A pin is told as a pin.
        let homes = window.upstream.pins.iter().flat_map(|pin| &pin.homes);
        let homes: Vec<&str> = homes.map(|home| home.path.as_str()).collect();
        let shown: Vec<&crate::ledger::Event> =
            moved.events.iter().filter(|event| !homes.contains(&event.path.as_str())).collect();
        let labels = labeller.labels(patch.stored())?;
        let (mut events, mut event_lines) = (Vec::new(), Vec::new());
        for event in shown {
            let device = match &question.backend {
                Some(backend) => {
                    defaults::on_device(patch, event, backend, &rules.extractors, &mut objects)?
                }
                None => None,
            };
            events.push(defaults::shown(patch, event, &rules.extractors, spellings, device));
            event_lines.push(defaults::evidence(patch, event));
        }
        let judged = match window.shipped.get(&patch.stored().commit().oid) {
            Some(twin) => Some(Judged {
                verdict: Verdict::Excluded,
                why: format!("shipped in {} as {}", window.report.base, twin.short()),
                evidence: vec![patch.stored().evidence()],
            }),
            None => judge.judge(patch, &labels, &mut objects)?,
        };
        known.push(Known { patch, labels, events, event_lines, judged, opens: None });
    }
    Ok(known)
}

fn question_upstream<'q>(question: &'q WhyQuestion, upstream: &'q Upstream) -> &'q str {
    let asked = question.upstream == upstream.name
        || question.upstream == upstream.repository
        || upstream.aliases.contains(&question.upstream);
    if asked { &upstream.name } else { &question.upstream }
}

/// Tells pin bumps which window they open, and rules out those that the model's engine
/// does not use.
fn mark_pins(
    upstream: &Upstream,
    engines: &Engines,
    nested: &[NestedWindow],
    all: &mut [(&Collected<'_>, Vec<Known<'_>>)],
) {
    let Some((_, main)) = all.first_mut() else { return };
    for (at, nested) in nested.iter().enumerate() {
        let bump = main.iter_mut().find(|k| Some(k.patch.stored().commit().oid) == nested.moved_by);
        let Some(bump) = bump else { continue };
        bump.opens = Some(at);
        if engines.pin_is_off_path(&nested.pin) && bump.judged.is_none() {
            let home = upstream.pins.iter().find(|pin| pin.name == nested.pin);
            let path = home.and_then(|pin| pin.homes.first()).map_or("", |home| home.path.as_str());
            bump.judged = Some(Judged {
                verdict: Verdict::OffPath,
                why: format!("only engines that do not run this model use the pin {}", nested.pin),
                evidence: vec![bump.patch.stored().evidence_at(path)],
            });
        }
    }
}

/// Every commit with its score, best first; and whether nothing can have an effect.
fn ranked(
    store: &Store,
    rules: &Rules,
    question: &WhyQuestion,
    prior: &Prior,
    all: &[(&Collected<'_>, Vec<Known<'_>>)],
) -> Result<(Vec<Candidate>, bool), QueryError> {
    let bad_rules =
        |e: rank::RulesError| QueryError::Rules { file: "rank".to_owned(), why: e.to_string() };
    let mut weights = rules.weights.clone();
    if question.symptom.is_none() {
        // The model's name alone is a weak hint at what was seen.
        weights.concept.points *= 0.25;
        // What a later commit blames on it need not be what was seen here.
        weights.hindsight.revert *= 0.5;
        weights.hindsight.cause *= 0.5;
        weights.hindsight.named *= 0.5;
    }
    let query = rank::Query {
        symptom: question.symptom.clone().unwrap_or_default(),
        backend: question.backend.clone(),
        model: question.model.clone(),
    };
    let asked = QuestionReader::new(&rules.facets).map_err(bad_rules)?.read(&query, &weights)?;
    let mut features = Vec::new();
    let mut corpora = Vec::new();
    let mut later = Vec::new();
    for (window, known) in all {
        let id = store.upstream(&window.upstream.name)?;
        let commits: Vec<StoredCommit> = known.iter().map(|k| k.patch.stored().clone()).collect();
        let of_window = rank::stored::features(store, &rules.facets, &commits)?;
        later.push(said_later(store, question, window, &of_window)?);
        features.push(of_window);
        corpora.push(rank::stored::corpus(store, id, &asked)?);
    }
    let knobs: Vec<Vec<Vec<String>>> = all
        .iter()
        .map(|(_, known)| {
            known
                .iter()
                .map(|k| {
                    k.events
                        .iter()
                        .filter(|e| e.old.is_some() && e.new.is_some())
                        .map(|e| e.knob.clone())
                        .collect()
                })
                .collect()
        })
        .collect();
    let mut entries = Vec::new();
    let windows = features.iter().zip(&corpora).zip(&knobs).zip(&later);
    for (at, (((features, corpus), knobs), later)) in windows.enumerate() {
        let nested = at > 0;
        for ((commit, defaults), later) in features.iter().zip(knobs).zip(later) {
            entries.push(rank::Candidate { commit, corpus, later, defaults, nested });
        }
    }
    let ranking = rank::rank(&asked, &entries, &rules.facets, &weights);
    let mut by_oid: HashMap<Oid, rank::Ranked> =
        ranking.commits.into_iter().map(|r| (r.oid, r)).collect();

    let likely = likely_classes(question);
    let mut candidates = Vec::new();
    for (window, known) in all {
        for one in known {
            let ranked = by_oid.remove(&one.patch.stored().commit().oid);
            candidates.push(candidate(store, question, prior, &likely, window, one, ranked)?);
        }
    }
    candidates.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.sha.cmp(&b.sha)));
    let nothing = candidates.iter().all(|c| c.verdict != Verdict::Candidate);
    Ok((candidates, nothing))
}

/// What commits from after the window say of each of its commits, where that may count.
fn said_later(
    store: &Store,
    question: &WhyQuestion,
    window: &Collected<'_>,
    features: &[rank::CommitFeatures],
) -> Result<Vec<Vec<rank::Later>>, QueryError> {
    if question.as_of == AsOf::Head {
        return Ok(vec![Vec::new(); features.len()]);
    }
    let id = store.upstream(&window.upstream.name)?;
    let graph = &window.graph;
    let ends = [window.base.commit.commit().oid, window.head.commit.commit().oid];
    let until = graph.reachable(ends.into_iter().filter_map(|oid| graph.node(oid)));
    let keep = |by: &StoredCommit| {
        let after = graph.node(by.commit().oid).is_some_and(|node| !until.contains(node));
        let known = match question.as_of {
            AsOf::Time(time) => by.commit().committed.timestamp() <= time,
            AsOf::Now | AsOf::Head => true,
        };
        after && known
    };
    let place = |by: &StoredCommit| {
        let place = store.place(by.id()).ok().flatten();
        place.and_then(|p| p.first_final_tag.or(p.first_tag)).map_or_else(
            || format!("of {}", by.commit().committed.format("%Y-%m-%d")),
            |tag| format!("in {tag}"),
        )
    };
    features.iter().map(|commit| rank::stored::later(store, id, commit, keep, place)).collect()
}

/// Classes that the backend or the model of the question makes likely.
fn likely_classes(question: &WhyQuestion) -> Vec<&'static str> {
    let mut likely = Vec::new();
    if matches!(question.backend.as_deref(), Some("cuda" | "hip" | "musa")) {
        likely.push("cuda");
    }
    let name = question
        .model
        .as_deref()
        .and_then(|model| rank::ModelNames::shipped().ok().map(|names| names.parse(model)));
    if name.is_some_and(|name| name.moe == Some(true)) {
        likely.push("moe");
    }
    match question.phase.as_deref() {
        Some("decode") => likely.extend(["sampler", "spec-decoding"]),
        Some("prefill") => likely.push("attention"),
        _ => {}
    }
    if question.kind.as_deref() == Some("output") {
        likely.extend(["sampler", "template"]);
    }
    likely
}

fn candidate(
    store: &Store,
    question: &WhyQuestion,
    prior: &Prior,
    likely: &[&str],
    window: &Collected<'_>,
    known: &Known<'_>,
    ranked: Option<rank::Ranked>,
) -> Result<Candidate, QueryError> {
    let stored = known.patch.stored();
    let commit = stored.commit();
    let classes: Vec<ClassEvidence> = known
        .labels
        .iter()
        .map(|label| ClassEvidence {
            class: label.class.clone(),
            rule: label.rule.clone(),
            evidence: verdict::lines(known.patch, label),
        })
        .collect();
    let mut reasons: Vec<Reason> = ranked
        .into_iter()
        .flat_map(|ranked| ranked.reasons)
        .map(|reason| Reason { points: reason.points, words: reason.words, evidence: Vec::new() })
        .collect();
    let has_symptom = question.symptom.is_some();
    for part in prior.parts(has_symptom, &known.events, &classes, likely) {
        let is_default = part.words.starts_with("moves the default");
        let evidence = if is_default { known.event_lines.clone() } else { Vec::new() };
        reasons.push(Reason { points: part.points, words: part.words, evidence });
    }
    let mut verdict = Verdict::Candidate;
    if let Some(judged) = &known.judged {
        verdict = judged.verdict;
        let points = match judged.verdict {
            Verdict::Inert => prior.verdicts().inert,
            Verdict::OffPath => prior.verdicts().off_path,
            Verdict::Excluded => prior.verdicts().excluded,
            Verdict::Candidate | Verdict::ConfirmedByToggle => 0.0,
        };
        reasons.push(Reason {
            points,
            words: judged.why.clone(),
            evidence: judged.evidence.clone(),
        });
    }
    reasons.sort_by(|a, b| b.points.abs().total_cmp(&a.points.abs()));
    let score = reasons.iter().map(|reason| reason.points).sum();
    let place = store.place(stored.id())?;
    // Tags from after the window's head are knowledge from after it.
    let place = place.filter(|_| question.as_of != AsOf::Head || known_at_head(window));
    let receipts: Vec<Receipt> = vec![store.receipt(stored.receipt_id())?];
    Ok(Candidate {
        rank: 0,
        upstream: stored.upstream().to_owned(),
        sha: commit.oid,
        subject: commit.subject().to_owned(),
        date: commit.committed,
        pr: commit.pull_request(),
        first_tag: place.as_ref().and_then(|p| p.first_tag.clone()),
        first_final_tag: place.as_ref().and_then(|p| p.first_final_tag.clone()),
        first_shipped: place.as_ref().and_then(|p| p.first_shipped.clone()),
        twins: store.twins(stored)?,
        verdict,
        verdict_reason: known.judged.as_ref().map(|judged| judged.why.clone()),
        score,
        classes,
        reasons,
        grade: Grade::Rule,
        receipts,
    })
}

/// A commit's first tag is at or before the head that contains it, where the head is a
/// tag; else it may come later.
fn known_at_head(window: &Collected<'_>) -> bool {
    window.head.how == crate::window::How::Tag
}

/// A pin bump is the heading of what it brings: it ranks right after the best of it.
fn place_pins(
    candidates: &mut [Candidate],
    nested: &[NestedWindow],
    all: &[(&Collected<'_>, Vec<Known<'_>>)],
) {
    let Some((_, main)) = all.first() else { return };
    for known in main {
        let Some(opened) = known.opens.and_then(|at| nested.get(at)) else { continue };
        let Some(window) = &opened.window else { continue };
        let best = candidates
            .iter()
            .filter(|c| c.upstream == opened.upstream && c.verdict == Verdict::Candidate)
            .map(|c| c.score)
            .fold(f64::NEG_INFINITY, f64::max);
        let sha = known.patch.stored().commit().oid;
        let Some(bump) = candidates.iter_mut().find(|c| c.sha == sha) else { continue };
        let words = format!(
            "opens {} {}..{} ({} commits), which are ranked themselves",
            opened.upstream, window.base, window.head, window.commits
        );
        let evidence =
            known.patch.patch().files.first().map(|f| known.patch.stored().evidence_at(&f.path));
        let points = if best.is_finite() { best - 0.001 - bump.score } else { 0.0 };
        bump.score += points;
        bump.reasons.insert(0, Reason { points, words, evidence: evidence.into_iter().collect() });
    }
    candidates.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.sha.cmp(&b.sha)));
}

fn open_questions(
    question: &WhyQuestion,
    main: &Collected<'_>,
    nested: &[NestedWindow],
    events: &[DefaultEvent],
    engines: &Engines,
    open: &mut Vec<OpenQuestion>,
) {
    let ask = |question: String, rederive: Vec<String>| OpenQuestion {
        question,
        grade: Grade::AbsentPartial,
        rederive,
    };
    for nested in nested {
        if let Some(gap) = &nested.gap {
            open.push(ask(
                format!(
                    "what {} {}..{} brings is not known: {gap}",
                    nested.upstream,
                    nested.pin_base.as_deref().unwrap_or("none"),
                    nested.pin_head.as_deref().unwrap_or("none")
                ),
                vec![format!("headwater crawl {}", nested.upstream)],
            ));
        }
    }
    if let Some(model) = &question.model {
        let running = engines.running();
        if !running.is_empty() {
            open.push(ask(
                format!(
                    "that {model} is a GGUF model, run by {}, is assumed from its name",
                    running.join(" or ")
                ),
                vec![format!("headwater crawl models {model}"), format!("ollama show {model}")],
            ));
        }
        let mut knobs: Vec<&str> = events
            .iter()
            .filter(|e| e.scope == "request-option" && e.old.is_some() && e.new.is_some())
            .map(|e| e.knob.as_str())
            .collect();
        knobs.dedup();
        for knob in knobs {
            open.push(ask(
                format!("whether {model} sets {knob} itself, so that the server's default never reaches it"),
                vec![format!("headwater crawl models {model}"), format!("ollama show --parameters {model}")],
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
                vec![format!("headwater show {} {}", event.upstream, event.sha.short())],
            ));
        }
    }
    if question.model.is_none() && question.symptom.is_none() {
        open.push(ask(
            "neither a model nor a symptom was given, so nothing could be excluded for them"
                .to_owned(),
            vec![format!(
                "headwater why {} {}..{} --model NAME --symptom 'what you saw'",
                main.upstream.name, main.report.base, main.report.head
            )],
        ));
    }
}

fn asked_again(question: &WhyQuestion, base: &str, head: &str) -> String {
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
