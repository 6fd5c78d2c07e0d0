//! What moved in a week, and what a reader is told since the last time.

use std::collections::HashSet;

use headwater_demo::ollama::names;
use serde_json::Value;

use super::support::Place;

/// The week in which the silent default change was committed.
const WEEK: &str = "2026-W10";

fn list<'a>(value: &'a Value, name: &str) -> &'a Vec<Value> {
    value[name].as_array().unwrap_or_else(|| panic!("{name} in {value}"))
}

#[test]
fn a_week_tells_its_moved_defaults_first_and_the_same_each_time() {
    let place = Place::crawled();
    let sha = place.demo.ollama.sha(names::PENALTY).unwrap().to_owned();
    let text = place.ok(&["digest", "--week", WEEK, "--format", "json"]);
    let digest: Value = serde_json::from_str(&text).unwrap();
    let first = &list(&digest, "defaults")[0];
    assert_eq!((&first["sha"], &first["knob"]), (&sha.as_str().into(), &"repeat_penalty".into()));
    assert_eq!((&first["old"], &first["new"]), (&"1.1".into(), &"1.0".into()));
    assert!(!list(first, "restore").is_empty(), "{first}");
    // A pin is told as a pin, with what it brings.
    assert!(!list(&digest, "defaults").iter().any(|d| d["path"] == "LLAMA_CPP_VERSION"));
    let pins = list(&digest, "pins");
    let told = |pin: &&Value| pin["commits"].as_u64().is_some_and(|n| n > 0);
    assert!(pins.iter().all(|pin| told(&pin) || pin["gap"].is_string()), "{pins:?}");
    assert!(pins.iter().any(|pin| told(&pin)), "{pins:?}");
    for absence in list(&digest, "absences") {
        let commands = list(absence, "rederive");
        assert!(commands[0].as_str().unwrap().contains("--since 2026-03-02 --until 2026-03-08"));
        assert!(absence["grade"] != "record" && absence["coverage"].is_object(), "{absence}");
    }
    let ids: Vec<&Value> = ["defaults", "work", "toolchain", "pins"]
        .iter()
        .flat_map(|part| list(&digest, part))
        .map(|entry| &entry["id"])
        .collect();
    let once: HashSet<String> = ids.iter().map(ToString::to_string).collect();
    assert_eq!(once.len(), ids.len(), "{ids:?}");
    assert_eq!(place.ok(&["digest", "--week", WEEK, "--format", "json"]), text);
    let screen = place.ok(&["digest", "--week", WEEK]);
    let at = |words: &str| screen.find(words).unwrap_or_else(|| panic!("{words} in {screen}"));
    assert!(at("repeat_penalty: 1.1 → 1.0") < at("Pins that moved"), "{screen}");
}

#[test]
fn labels_that_are_being_made_anew_change_no_answer() {
    let place = Place::crawled();
    let week = ["digest", "--week", WEEK, "--format", "json"];
    let lag = ["lag", "ollama", "--format", "json"];
    let (digest, lagging) = (place.ok(&week), place.ok(&lag));
    assert!(!list(&serde_json::from_str(&digest).unwrap(), "work").is_empty(), "{digest}");
    // As a rebuild that was ended leaves it: some labels of other rules, or none.
    let mut store = headwater_store::Store::open(&place.store()).unwrap();
    for (id, _) in store.upstream_names().unwrap() {
        let first = store.commit_ids_after(id, headwater_store::CommitId::NONE).unwrap()[0];
        store.write_labels(id, b"others", true, first, &[]).unwrap();
    }
    assert_eq!((place.ok(&week), place.ok(&lag)), (digest, lagging));
}

#[test]
fn what_came_later_stands_apart() {
    let mut place = Place::crawled();
    let before: Value = place.json(&["digest", "--week", WEEK]);
    place
        .demo
        .ollama
        .append(|h| {
            h.commit("back", "api: restore the penalty", |c| {
                c.edit("api/types.go", "RepeatPenalty:    1.0,", "RepeatPenalty:    1.1,");
            });
            h.branch_here();
        })
        .unwrap();
    place.crawl();
    let after: Value = place.json(&["digest", "--week", WEEK]);
    assert_eq!(before["defaults"], after["defaults"]);
    assert_eq!(before["headline"], after["headline"]);
    let moved = |digest: &Value| {
        let all = list(digest, "corrections").iter();
        all.filter(|one| one["what"] == "moved again: 1.0 → 1.1").count()
    };
    assert_eq!((moved(&before), moved(&after)), (0, 1), "{after}");
    assert!(place.ok(&["digest", "--week", WEEK]).contains("later ("));
}

#[test]
fn a_quiet_week_is_short_and_no_week_is_refused() {
    let place = Place::crawled();
    let quiet = place.ok(&["digest", "--week", "2026-W20"]);
    assert!(quiet.trim().lines().count() <= 5, "{quiet}");
    assert!(quiet.contains("no commit of the time is stored; the newest stored"), "{quiet}");
    for bad in ["2026-W54", "9026-W01", "last"] {
        assert!(place.error(&["digest", "--week", bad]).contains("2026-W33"));
    }
}

#[test]
fn a_feed_has_an_entry_for_each_moved_default_with_a_stable_id() {
    let place = Place::crawled();
    let args = ["digest", "--week", WEEK, "--format", "atom"];
    let text = place.ok(&args);
    let feed = atom_syndication::Feed::read_from(text.as_bytes()).unwrap();
    let digest: Value = place.json(&["digest", "--week", WEEK]);
    assert_eq!(feed.entries().len(), list(&digest, "defaults").len() + 1);
    let ids: HashSet<&str> = feed.entries().iter().map(|entry| entry.id()).collect();
    assert_eq!(ids.len(), feed.entries().len());
    assert!(ids.iter().all(|id| id.starts_with("urn:uuid:") && id.len() == 45), "{ids:?}");
    let titles: Vec<&str> = feed.entries().iter().map(|e| e.title().as_str()).collect();
    assert!(titles.contains(&"ollama repeat_penalty: 1.1 → 1.0"), "{titles:?}");
    assert_eq!(place.ok(&args), text);
    let html = place.ok(&["digest", "--week", WEEK, "--format", "html"]);
    assert!(
        html.contains("<svg")
            && !html.contains("<script")
            && !html.contains("http-equiv=\"refresh")
    );
    let md = place.ok(&["digest", "--week", WEEK, "--format", "md"]);
    assert!(md.contains("repeat") && !md.contains(" @") && !md.contains(" #2"), "{md}");
}

#[test]
fn since_last_tells_each_commit_once_also_after_a_run_that_failed() {
    let mut place = Place::crawled();
    let dir = place.dir.path().to_owned();
    let file = dir.join("monday.json").display().to_string();
    let told = |place: &Place| -> Vec<String> {
        let args = ["digest", "--since-last", "--format", "json", "--output", &file];
        place.ok(&args);
        let digest: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
        let all = list(&digest, "defaults").iter().chain(list(&digest, "work"));
        all.map(|one| one["id"].as_str().unwrap().to_owned()).collect()
    };
    told(&place);
    assert_eq!(told(&place), [""; 0], "nothing came since");
    let headline = std::fs::read_to_string(&file).unwrap();
    assert!(headline.contains("no commit of the time is stored"), "{headline}");
    place
        .demo
        .ollama
        .append(|h| {
            h.commit("warmer", "api: warmer", |c| {
                c.edit("api/types.go", "Temperature:      0.8,", "Temperature:      1.0,");
            });
            h.branch_here();
        })
        .unwrap();
    place.crawl();
    // It cannot be written: nothing counts as told.
    let nowhere = dir.join("none").join("monday.json").display().to_string();
    let args = ["digest", "--since-last", "--format", "json", "--output", &nowhere];
    assert!(place.error(&args).contains("cannot write"));
    let first = told(&place);
    assert!(first.iter().any(|id| id.ends_with(":temperature")), "{first:?}");
    assert_eq!(told(&place), [""; 0]);
}
