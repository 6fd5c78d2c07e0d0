//! `headwater defaults` over the miniatures.

use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;

fn headwater(store: &Path, args: &[&str]) -> Command {
    let mut command = Command::cargo_bin("headwater").unwrap();
    command.arg("--store").arg(store).args(args);
    command
}

fn answer(store: &Path, args: &[&str]) -> Value {
    let out = headwater(store, args).args(["--format", "json"]).assert().success();
    serde_json::from_slice(&out.get_output().stdout).unwrap()
}

fn told(answer: &Value) -> Vec<String> {
    let text = |v: &Value| v.as_str().unwrap_or("none").to_owned();
    let events = answer["events"].as_array().unwrap();
    let line =
        |e: &Value| format!("{} {} -> {}", text(&e["knob"]), text(&e["old"]), text(&e["new"]));
    events.iter().map(line).collect()
}

#[test]
fn the_ledger_of_the_miniatures() {
    let dir = tempfile::tempdir().unwrap();
    let mut demo = headwater_demo::build(&dir.path().join("up")).unwrap();
    let store = dir.path().join("store");
    for (name, repository) in [("ollama", &demo.ollama), ("llama.cpp", &demo.llama_cpp)] {
        let from = repository.path().display().to_string();
        headwater(&store, &["crawl", name, "--from-git", &from]).assert().success();
    }

    // The silent change of the window, by another spelling of the knob.
    let window = demo.window();
    let got = answer(
        &store,
        &[
            "defaults",
            "ollama",
            "--window",
            &window,
            "--knob",
            "RepeatPenalty",
            "--scope",
            "request-option",
        ],
    );
    assert_eq!(told(&got), ["repeat_penalty 1.1 -> 1.0"]);
    let event = &got["events"][0];
    let penalty = demo.ollama.sha(headwater_demo::ollama::names::PENALTY).unwrap().to_owned();
    assert_eq!(event["sha"], penalty.as_str());
    assert_eq!(event["path"], "api/types.go");
    assert_eq!(event["grade"], "rule");
    assert_eq!(event["restore"][0]["text"], "PARAMETER repeat_penalty 1.1 (in a Modelfile)");

    // The whole life: there and back, never once as a merge's event.
    let life = answer(
        &store,
        &[
            "defaults",
            "ollama",
            "--knob",
            "repeat_penalty",
            "--history",
            "--scope",
            "request-option",
        ],
    );
    let moves: Vec<_> = told(&life).into_iter().filter(|t| !t.contains("none")).collect();
    assert_eq!(moves.last().unwrap(), "repeat_penalty 1.1 -> 1.0");
    assert!(
        life["events"].as_array().unwrap().iter().any(|e| !e["flips_back"].is_null()),
        "{moves:?}"
    );

    // An enum constant of the pinned upstream, with both ways back.
    let nested = format!("{}..{}", headwater_demo::PIN_BASE, headwater_demo::PIN_HEAD);
    let got =
        answer(&store, &["defaults", "llama.cpp", "--window", &nested, "--knob", "load-mode"]);
    assert!(
        told(&got).contains(
            &"common_params.load_mode LLAMA_LOAD_MODE_MMAP -> LLAMA_LOAD_MODE_AUTO".to_owned()
        ),
        "{:?}",
        told(&got)
    );

    // What is new is derived when it is asked for, and only that.
    demo.ollama
        .append(|h| {
            h.commit("next", "api: warmer", |c| {
                c.edit("api/types.go", "Temperature:      0.8,", "Temperature:      1.0,");
            });
            h.tag("v0.6.9").branch_here();
        })
        .unwrap();
    let from = demo.ollama.path().display().to_string();
    headwater(&store, &["crawl", "ollama", "--from-git", &from]).assert().success();
    let got = answer(
        &store,
        &["defaults", "ollama", "--knob", "temperature", "--scope", "request-option"],
    );
    assert_eq!(told(&got).last().unwrap(), "temperature 0.8 -> 1.0");
    let value =
        got["values"].as_array().unwrap().iter().find(|v| v["knob"] == "temperature").unwrap();
    assert_eq!(
        (value["value"].as_str(), value["since_shipped"].as_str()),
        (Some("1.0"), Some("v0.6.9"))
    );

    // Bad input: one line, exit status 2.
    headwater(&store, &["defaults", "ollama", "--at", "v9.9.9"]).assert().code(2);
    headwater(&store, &["defaults", "ollama", "--scope", "nowhere"]).assert().code(2);

    // Without the clone that it borrows from, what was derived is still answered.
    std::fs::remove_dir_all(demo.ollama.path()).unwrap();
    let got = answer(
        &store,
        &[
            "defaults",
            "ollama",
            "--window",
            &window,
            "--knob",
            "repeat_penalty",
            "--scope",
            "request-option",
        ],
    );
    assert_eq!(told(&got), ["repeat_penalty 1.1 -> 1.0"]);
}
