//! `headwater classify` and `headwater rules` over the miniatures.

use std::path::PathBuf;

use headwater_demo::ollama::names;
use serde_json::Value;

use crate::support::Place;

/// Puts a file into the user's own rule directory.
fn own_rule(place: &Place, name: &str, text: &str) -> PathBuf {
    let dir = place.dir.path().join("home/.config/headwater/rules/classes");
    std::fs::create_dir_all(&dir).unwrap();
    let file = dir.join(name);
    std::fs::write(&file, text).unwrap();
    file
}

/// A rule that fires on any change of one file.
fn rule(id: &str, class: &str, glob: &str, examples: bool) -> String {
    let mut text = format!(
        "[[rules]]\nid = \"{id}\"\nclass = \"{class}\"\ndescription = \"Of the miniature.\"\n\
         [[rules.when]]\nfiles = [\"{glob}\"]\nline = 'RepeatPenalty'\n"
    );
    if examples {
        for (kind, line) in [("must_match", "RepeatPenalty: 2"), ("must_not_match", "Seed: 2")] {
            text += &format!(
                "[[rules.{kind}]]\nshows = \"one line\"\npatch = '''\n--- a/api/types.go\n\
                 +++ b/api/types.go\n@@\n+\t{line}\n'''\n"
            );
        }
    }
    text
}

fn classify(place: &Place, sha: &str) -> Value {
    let list = place.dir.path().join("commits");
    std::fs::write(&list, sha).unwrap();
    place.json(&["classify", "ollama", "--commits", &list.display().to_string()])
}

fn given(answer: &Value) -> Vec<(String, String)> {
    let text = |v: &Value| v.as_str().unwrap().to_owned();
    let classes = answer["commits"][0]["classes"].as_array().unwrap();
    classes.iter().map(|label| (text(&label["class"]), text(&label["rule"]))).collect()
}

#[test]
fn labels_name_their_rule_lines_and_rule_set() {
    let place = Place::crawled();
    let penalty = place.ollama(names::PENALTY);
    let answer = classify(&place, &penalty);
    assert_eq!(answer["schema"], "headwater/classify/1");
    let commit = &answer["commits"][0];
    assert_eq!(commit["sha"], penalty.as_str());
    let label = commit["classes"]
        .as_array()
        .unwrap()
        .iter()
        .find(|label| label["rule"] == "default-change/ledger")
        .unwrap();
    assert_eq!(label["class"], "default-change");
    assert_eq!(label["evidence"][0]["path"], "api/types.go");
    assert!(label["evidence"][0]["line"].as_u64().unwrap() > 0);

    // Every answer with labels in it says which rule set made them, and all say the same.
    let hash = answer["rules"].as_str().unwrap();
    assert_eq!(hash.len(), 64);
    assert_eq!(place.json(&["rules", "list"])["hash"], hash);
    assert_eq!(place.json(&["rules", "explain", &penalty])["rules"], hash);

    // All commits of a class, whatever the window.
    let all = place.json(&["classify", "ollama", "--class", "default-change"]);
    let all = all["commits"].as_array().unwrap();
    assert!(all.iter().any(|commit| commit["sha"] == penalty.as_str()));
    assert!(all.iter().all(|commit| {
        commit["classes"].as_array().unwrap().iter().any(|l| l["class"] == "default-change")
    }));

    // A commit without a class is told too, and an unknown one is an error.
    let only = place.ok(&["classify", "ollama", "--window", &place.demo.window(), "--class", "zz"]);
    assert!(only.contains("0 of "), "{only}");
    let list = place.dir.path().join("commits");
    std::fs::write(&list, "ffffffffff").unwrap();
    let line = place.error(&["classify", "ollama", "--commits", &list.display().to_string()]);
    assert!(line.contains("no commit \"ffffffffff\""), "{line}");
}

#[test]
fn ones_own_rules_label_the_store_anew_without_a_crawl() {
    let place = Place::crawled();
    let penalty = place.ollama(names::PENALTY);
    let before = classify(&place, &penalty);
    assert!(given(&before).iter().all(|(class, _)| class != "penalties"));

    // Nothing can be crawled any more: the clones are gone.
    std::fs::remove_dir_all(place.demo.ollama.path()).unwrap();
    let text = rule("penalties/any", "penalties", "api/types.go", true);
    let file = own_rule(&place, "mine.toml", &text);
    let after = classify(&place, &penalty);
    assert!(given(&after).contains(&("penalties".into(), "penalties/any".into())), "{after}");
    assert_ne!(after["rules"], before["rules"]);
    let listed = place.json(&["rules", "list"]);
    let listed = listed["rules"].as_array().unwrap();
    let mine = listed.iter().find(|rule| rule["id"] == "penalties/any").unwrap();
    assert_eq!(mine["file"], file.display().to_string());
    assert_eq!(listed.last().unwrap()["id"], "penalties/any", "read after the built-in ones");

    // A changed rule takes its labels back, and one with a built-in id takes its place.
    std::fs::write(&file, rule("penalties/any", "penalties", "nowhere/*.go", true)).unwrap();
    own_rule(&place, "other.toml", &rule("default-change/ledger", "other", "api/*.go", true));
    let last = classify(&place, &penalty);
    let rules: Vec<String> = given(&last).into_iter().map(|(_, rule)| rule).collect();
    assert!(!rules.contains(&"penalties/any".into()), "{rules:?}");
    assert!(given(&last).contains(&("other".into(), "default-change/ledger".into())), "{last}");

    // Without them all is as it was.
    std::fs::remove_dir_all(file.parent().unwrap()).unwrap();
    assert_eq!(classify(&place, &penalty), before);
}

#[test]
fn rules_are_held_to_their_examples() {
    let place = Place::new();
    let built_in = place.json(&["rules", "test"]);
    assert_eq!(built_in["failures"].as_array().unwrap().len(), 0);
    let count = built_in["rules"].as_u64().unwrap();

    own_rule(&place, "mine.toml", &rule("penalties/any", "penalties", "api/types.go", true));
    assert!(place.ok(&["rules", "test"]).contains(&format!("{} rules, 0 failures", count + 1)));

    // One that lacks examples, and one whose examples it does not live up to.
    own_rule(&place, "bare.toml", &rule("bare/one", "bare", "api/types.go", false));
    let wrong = rule("wrong/one", "wrong", "server/*.go", true);
    let file = own_rule(&place, "wrong.toml", &wrong);
    let output = place.run(&["rules", "test"]);
    assert_eq!(output.status.code(), Some(1));
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(told.contains("bare/one: it has no [[rules.must_match]]"), "{told}");
    assert!(told.contains("bare/one: it has no [[rules.must_not_match]]"), "{told}");
    assert!(told.contains("wrong/one: it does not fire on \"one line\""), "{told}");
    assert!(told.contains("3 failures"), "{told}");

    // What is no rule at all is one line that names the file.
    std::fs::write(&file, "[[rules]]\nid = 'x/y'\nlines = 1\n").unwrap();
    let line = place.error(&["rules", "list"]);
    assert!(line.contains("wrong.toml"), "{line}");
    assert_eq!(line.matches("unknown field").count(), 1, "told once: {line}");
}

#[test]
fn explain_tells_what_fires_and_what_is_left_over() {
    let place = Place::crawled();
    let penalty = place.ollama(names::PENALTY);
    let explained = place.json(&["rules", "explain", &penalty[..10]]);
    assert_eq!(explained["upstream"], "ollama");
    assert_eq!(explained["sha"], penalty.as_str());
    let left = explained["uncovered"].as_array().unwrap();
    let inert = left.iter().find(|entry| entry["class"] == "inert").unwrap();
    assert!(
        inert["lines"].as_array().unwrap().iter().any(|line| line["path"] == "api/types.go"),
        "{inert}"
    );
    let shown = place.ok(&["rules", "explain", &penalty]);
    assert!(shown.contains("default-change/ledger"), "{shown}");
    assert!(shown.contains("Not inert: "), "{shown}");
    let line = place.error(&["rules", "explain", "ffffffffff"]);
    assert!(line.contains("no upstream in the store has a commit"), "{line}");
}
