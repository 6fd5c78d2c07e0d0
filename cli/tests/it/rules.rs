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
    let only = ["classify", "ollama", "--window", &place.demo.window(), "--class", "moe"];
    assert!(place.ok(&only).contains("0 of "));
    let line = place.error(&["classify", "ollama", "--class", "samplr"]);
    assert!(line.contains("no rule gives the class \"samplr\""), "{line}");
    assert!(line.contains("the nearest are sampler, "), "{line}");
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
    let told = place.ok(&["rules", "test"]);
    assert!(told.contains(&format!("{} rules, 1 of them yours, 0 failures", count + 1)), "{told}");
    assert!(told.contains("1 from ") && told.contains("mine.toml"), "{told}");

    // An id that stands twice is no rule set at all; an unknown upstream never fires.
    let again = own_rule(&place, "again.toml", &rule("penalties/any", "x", "a/*.go", true));
    let line = place.error(&["rules", "test"]);
    assert!(line.contains("its id stands twice"), "{line}");
    assert!(
        line.contains("again.toml at line 1") && line.contains("mine.toml at line 1"),
        "{line}"
    );
    let text = rule("again/one", "x", "api/types.go", true);
    let text = text.replacen("class =", "upstreams = [\"olama\"]\nclass =", 1);
    std::fs::write(&again, text).unwrap();
    let output = place.run(&["rules", "test"]);
    assert_eq!(output.status.code(), Some(1));
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(told.contains("again/one: ") && told.contains("olama"), "{told}");
    std::fs::remove_file(&again).unwrap();

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
    assert!(line.contains("line 3, column 1"), "{line}");
}

#[test]
fn explain_names_the_condition_that_fails() {
    let place = Place::crawled();
    let penalty = place.ollama(names::PENALTY);
    let of = |rule: &str| place.json(&["rules", "explain", &penalty, "--rule", rule]);
    let fires = of("default-change/ledger");
    assert_eq!((&fires["fires"], &fires["clauses"][0]["holds"]), (&true.into(), &true.into()));

    let text = rule("mine/one", "mine", "api/types.go", true).replace("'RepeatPenalty'", "'Seed'");
    own_rule(&place, "mine.toml", &text);
    let silent = of("mine/one");
    assert_eq!(silent["fires"], false);
    assert_eq!(silent["clauses"][0]["failed"], "line = 'Seed'");
    own_rule(&place, "mine.toml", &rule("mine/one", "mine", "nowhere/*.go", true));
    assert_eq!(of("mine/one")["clauses"][0]["failed"], "files = [nowhere/*.go]");

    // A covering rule tells how much it covers, and what it leaves.
    let covers = of("inert/documents");
    assert!(covers["covered"][0].as_u64() < covers["covered"][1].as_u64(), "{covers}");
    assert!(!covers["clauses"][0]["lines"].as_array().unwrap().is_empty(), "{covers}");
    let shown = place.ok(&["rules", "explain", &penalty, "--rule", "mine/one"]);
    assert!(shown.contains("when 1 fails at: files = [nowhere/*.go]"), "{shown}");
    let line = place.error(&["rules", "explain", &penalty, "--rule", "mine/two"]);
    assert!(line.contains("no rule is called \"mine/two\""), "{line}");
}

#[test]
fn a_rule_for_another_upstream_labels_nothing_anew() {
    let place = Place::crawled();
    let penalty = place.ollama(names::PENALTY);
    classify(&place, &penalty);
    let text = rule("mine/one", "mine", "api/types.go", true);
    let text = text.replacen("class =", "upstreams = [\"llama.cpp\"]\nclass =", 1);
    own_rule(&place, "mine.toml", &text);
    // Labels that fit the rules as they are answer without being made anew.
    let only = place.ok(&[
        "grep",
        "RepeatPenalty",
        "--upstream",
        "ollama",
        "--class",
        "default-change",
        "--commits",
    ]);
    assert!(only.contains(&penalty), "{only}");
    let line = place.error(&["grep", "x", "--upstream", "llama.cpp", "--class", "default-change"]);
    assert!(line.contains("not labelled by the rules in force"), "{line}");
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
    assert!(line.contains("no stored commit starts with"), "{line}");
}
