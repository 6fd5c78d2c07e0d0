//! Exact search, from outside.

use headwater_demo::llama_cpp;
use headwater_demo::ollama::names;
use serde_json::Value;

use crate::support::Place;

/// Standard output, standard error, and the status.
fn run(place: &Place, args: &[&str]) -> (String, String, i32) {
    let output = place.run(args);
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (text(&output.stdout), text(&output.stderr), output.status.code().unwrap())
}

#[test]
fn the_status_is_that_of_grep_and_an_absence_is_graded() {
    let place = Place::crawled();
    let (found, _, status) = run(&place, &["grep", r"RepeatPenalty:\s+1\.[01]"]);
    assert_eq!(status, 0);
    assert!(found.contains(&place.ollama(names::PENALTY)[..9]), "{found}");
    assert!(found.contains("api/types.go:") && found.contains("no gaps; as of "), "{found}");
    let (none, _, status) = run(&place, &["grep", "no_such_word_anywhere"]);
    assert_eq!(status, 1);
    assert!(
        none.contains("ollama: no commit matches; searched ") && none.contains("grade grep"),
        "{none}"
    );
    assert!(
        none.contains("again: headwater grep ") && none.contains("-e no_such_word_anywhere"),
        "{none}"
    );
    assert_eq!(run(&place, &["grep", "-q", "RepeatPenalty"]), (String::new(), String::new(), 0));
    assert_eq!(run(&place, &["grep", "-q", "no_such_word"]).2, 1);
    assert!(place.error(&["grep", "foo(bar"]).contains("unclosed group, at column 4"));
    assert!(place.error(&["grep"]).contains("give a pattern"));
    let (notes, _, status) = run(&place, &["grep", "--in", "notes", "x"]);
    assert!(
        status == 1 && notes.contains("absent-partial") && notes.contains("--notes"),
        "{notes}"
    );
    assert!(place.error(&["grep", "--at", "ollama@v0.6.1", "--merges", "x"]).contains("--merges"));
    // A pattern may begin with a hyphen.
    assert_eq!(run(&place, &["grep", "-c", "-e", "-x-no-such"]).2, 1);
    assert_eq!(run(&place, &["grep", "--", "--no-such-flag"]).2, 1);
}

#[test]
fn bare_commits_stand_alone_and_coverage_beside_them() {
    let place = Place::crawled();
    let (out, err, status) =
        run(&place, &["grep", "--commits", "--upstream", "ollama", "RepeatPenalty"]);
    assert_eq!(status, 0);
    assert!(!out.is_empty() && out.lines().all(|line| line.len() == 40), "{out}");
    assert!(out.contains(&place.ollama(names::PENALTY)), "{out}");
    let n = out.lines().count();
    assert!(err.starts_with(&format!("ollama: {n} commits match; searched ")), "{err}");
    let (out, err, status) = run(&place, &["grep", "--commits", "no_such_word"]);
    assert_eq!((out.as_str(), status), ("", 1));
    assert!(err.contains("llama.cpp: no commit matches") && err.contains("grade grep"), "{err}");
}

#[test]
fn json_and_its_stream_say_the_same() {
    let place = Place::crawled();
    let args = ["grep", "--upstream", "ollama", "-e", "RepeatPenalty"];
    let whole = place.json(&args);
    assert_eq!(whole["schema"], "headwater/grep/1");
    let matches = whole["matches"].as_array().unwrap();
    assert!(matches.iter().all(|m| m["upstream"] == "ollama" && m["text"].is_string()));
    assert_eq!(whole["coverage"][0]["grade"], "grep");
    assert_eq!(whole["coverage"][0]["gaps"], serde_json::json!([]));
    let stream = place.ok(&[&args[..], &["--format", "ndjson"]].concat());
    let lines: Vec<Value> =
        stream.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |kind: &str| lines.iter().filter(|line| line["type"] == kind).count();
    assert_eq!(of("match"), matches.len());
    assert_eq!((of("begin"), of("end")), (of("begin"), of("begin")));
    assert_eq!(of("begin"), whole["commits"].as_array().unwrap().len());
    assert_eq!(lines.last().unwrap()["type"], "summary");
    assert_eq!(lines.last().unwrap()["schema"], "headwater/grep-ndjson/1");
    // Each line is one of those that the schema names.
    let schema = place.json(&["schema", "grep-ndjson"]);
    let kinds = |shape: &Value| -> Vec<String> {
        let all = shape["oneOf"].as_array().unwrap().iter();
        all.map(|one| one["properties"]["type"]["const"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(kinds(&schema["anyOf"][0]), ["begin", "match", "end", "summary"]);
    assert_eq!(kinds(&schema["anyOf"][1]), ["match", "summary"]);
    let at = ["grep", "--at", &format!("ollama@{}", headwater_demo::HEAD), "RepeatPenalty"];
    let tree = place.ok(&[&at[..], &["--format", "ndjson"]].concat());
    let last: Value = serde_json::from_str(tree.lines().last().unwrap()).unwrap();
    assert_eq!((&last["type"], &last["upstream"]), (&"summary".into(), &"ollama".into()));
    let counted: u64 = lines.iter().filter_map(|line| line["matches"].as_u64()).sum();
    assert_eq!(counted, matches.len() as u64);
    let count = place.json(&[&args[..], &["-c"]].concat());
    let total: u64 =
        count["counts"].as_array().unwrap().iter().map(|c| c["lines"].as_u64().unwrap()).sum();
    assert_eq!(total, matches.len() as u64);
}

#[test]
fn how_it_was_found_is_explained() {
    let place = Place::crawled();
    let explained =
        |pattern: &str| run(&place, &["grep", "--commits", "--explain", "-e", pattern]).1;
    assert!(explained("RepeatPenalty").contains("the index alone tells"));
    assert!(explained(r"^\s+$").contains("so all distinct lines are searched"));
    // So few texts are left that no further condition is worth looking up.
    let given_up = explained("RepeatPenalty: .*1");
    assert!(
        given_up.contains("gave up on ") && given_up.contains(" texts were left"),
        "{given_up}"
    );
    assert!(explained("RepeatPenalty.*1").contains("may match and are read"));
}

#[test]
fn classes_filter_where_commits_are_labelled() {
    let place = Place::crawled();
    let class = |class: &str| {
        run(
            &place,
            &["grep", "--commits", "--upstream", "ollama", "--class", class, "RepeatPenalty"],
        )
        .0
    };
    let all = run(&place, &["grep", "--commits", "--upstream", "ollama", "RepeatPenalty"]).0;
    let labelled = class("default-change");
    assert!(labelled.contains(&place.ollama(names::PENALTY)), "{labelled}");
    assert!(labelled.lines().all(|line| all.contains(line)));
    assert_eq!(class("toolchain"), "");
    let unknown = place.error(&["grep", "--class", "no-such-class", "x"]);
    assert!(unknown.contains("no-such-class") && unknown.contains("default-change"), "{unknown}");
    headwater_store::Store::open(&place.store()).unwrap().forget_derivation("labels").unwrap();
    let unlabelled = place.error(&["grep", "--class", "cuda", "x"]);
    assert!(unlabelled.contains("headwater rebuild labels"), "{unlabelled}");
    place.ok(&["rebuild", "labels"]);
    assert_eq!(class("default-change"), labelled);
}

#[test]
fn merges_are_searched_when_asked_for_and_shown() {
    let place = Place::crawled();
    let merge = place.llama_cpp(llama_cpp::names::MERGE);
    let args = ["grep", "--commits", "--upstream", "llama.cpp", "struct block_q4"];
    let without = place.ok(&args);
    assert!(!without.contains(&merge));
    let with = place.ok(&[&args[..], &["--merges"]].concat());
    assert!(with.contains(&merge), "{with}");
    assert_eq!(with.lines().count(), without.lines().count() + 1);
    // The diff against the first parent: what the other side did not touch is not in it.
    let other = ["grep", "--commits", "--merges", "--upstream", "llama.cpp", "// Talks"];
    assert!(!place.ok(&other).contains(&merge));
    let told = place.json(&["grep", "--merges", "--upstream", "llama.cpp", "struct block_q4"]);
    let line =
        told["matches"].as_array().unwrap().iter().find(|m| m["sha"] == merge.as_str()).unwrap();
    assert_eq!((&line["path"], &line["side"]), (&"ggml.h".into(), &"added".into()));
    let shown = place.json(&["show", "llama.cpp", &merge]);
    let lines = shown["patch"][0]["lines"].as_array().unwrap();
    assert!(lines.iter().any(|line| line["text"].as_str().unwrap().contains("struct block_q4")));
    assert!(shown["added"].as_u64().unwrap() > 0, "{shown}");
    // Of a window only its own merges are told as left out.
    let left_out = |window: &str| {
        let told = place.json(&["grep", "--upstream", "ollama", "RepeatPenalty", window]);
        told["coverage"][0]["merges"].clone()
    };
    assert_eq!((left_out("v0.6.0..v0.6.1"), left_out("v0.6.0..v0.6.2")), (0.into(), 1.into()));
}

#[test]
fn a_tree_is_searched_at_a_revision() {
    let place = Place::crawled();
    let (out, _, status) = run(&place, &["grep", "--at", "ollama@v0.6.1", r"RepeatPenalty:\s"]);
    assert_eq!(status, 0);
    assert!(out.contains("api/types.go:") && out.contains("1.0"), "{out}");
    assert!(
        !run(&place, &["grep", "--at", "ollama@v0.6.0", r"RepeatPenalty:\s+1\.0"])
            .0
            .contains("types.go")
    );
    assert_eq!(run(&place, &["grep", "--at", "ollama@v0.6.1", "no_such_word"]).2, 1);
    let tree = |flags: &[&str]| {
        run(
            &place,
            &[&["grep", "--at", "ollama@v0.6.1", "--path", "api", "RepeatPenalty:"], flags]
                .concat(),
        )
        .0
    };
    assert!(tree(&["-l"]).starts_with("api/types.go\n"), "{}", tree(&["-l"]));
    assert!(tree(&["-c"]).starts_with("api/types.go:1\n"), "{}", tree(&["-c"]));
    assert_eq!(tree(&["-C", "1"]).lines().count(), tree(&[]).lines().count() + 2);
    assert!(place.error(&["grep", "--at", "ollama@v9", "x"]).contains("nearest"));
}

#[test]
fn every_command_that_an_absence_names_gives_the_same_answer() {
    let place = Place::crawled();
    let (out, _, _) = run(
        &place,
        &[
            "grep",
            "--upstream",
            "ollama",
            "--path",
            "api",
            "--in",
            "added",
            "--since",
            "2026-03-01",
            "zz'z",
        ],
    );
    let command = out.lines().find_map(|line| line.strip_prefix("again: headwater ")).unwrap();
    let script = format!("{} {command}", env!("CARGO_BIN_EXE_headwater"));
    let again = std::process::Command::new("sh")
        .args(["-c", &script])
        .env("HEADWATER_STORE", place.store())
        .output()
        .unwrap();
    assert_eq!(again.status.code(), Some(1));
    assert_eq!(String::from_utf8(again.stdout).unwrap(), out);
}

#[test]
fn a_window_is_of_one_upstream_and_says_which() {
    let place = Place::crawled();
    let error = place.error(&["grep", "x", "v0.6.0..v0.6.1"]);
    assert!(
        error.contains("llama.cpp has no \"v0.6.0\"") && error.contains("add `--upstream ollama`"),
        "{error}"
    );
    assert!(place.error(&["grep", "x", "v0..v1"]).contains("nearest"));
    let reversed = place.error(&["grep", "--upstream", "ollama", "x", "v0.6.1..v0.6.0"]);
    assert!(reversed.contains("swap them? v0.6.0..v0.6.1"), "{reversed}");
    let reversed = place.error(&["defaults", "ollama", "--window", "v0.6.1..v0.6.0"]);
    assert!(reversed.contains("swap them? v0.6.0..v0.6.1"), "{reversed}");
}

#[test]
fn coverage_is_that_of_the_paths_asked_for() {
    let place = Place::crawled();
    let coverage = |path: &[&str]| {
        let args = [&["grep", "--upstream", "ollama", "-e", "no_such_word"], path].concat();
        let out = run(&place, &[&args[..], &["--format", "json"]].concat()).0;
        let told = serde_json::from_str::<Value>(&out).unwrap()["coverage"][0].clone();
        (told["patches"].as_u64().unwrap(), told["bytes"].as_u64().unwrap())
    };
    let (all, some, none) =
        (coverage(&[]), coverage(&["--path", "api"]), coverage(&["--path", "no/such/dir"]));
    assert!(some.0 > 0 && some.0 < all.0 && some.1 > 0 && some.1 < all.1, "{some:?} of {all:?}");
    assert_eq!(none, (0, 0));
    assert_eq!(coverage(&["--path", "**"]), all);
}

#[test]
fn what_one_upstream_lacks_does_not_bury_what_another_has() {
    let place = Place::crawled();
    let (found, _, _) = run(&place, &["grep", "RepeatPenalty"]);
    assert!(found.contains("llama.cpp: no commit matches"), "{found}");
    assert!(!found.contains("again: "), "{found}");
}
