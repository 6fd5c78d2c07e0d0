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

    // A name that no knob ever had.
    let out = headwater(&store, &["defaults", "ollama", "--knob", "repeat_penalti"]).assert();
    let out = out.code(2);
    let line = String::from_utf8_lossy(&out.get_output().stderr).into_owned();
    assert!(
        line.contains("was ever called \"repeat_penalti\"; the nearest are repeat_penalty"),
        "{line}"
    );

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
    // The engine's flag, and its field, which nothing of the server is called by.
    for spelling in ["--repeat-penalty", "penalty_repeat"] {
        let knob = format!("--knob={spelling}");
        let asked = ["defaults", "ollama", "--window", &window, &knob, "--scope", "request-option"];
        assert_eq!(told(&answer(&store, &asked)), ["repeat_penalty 1.1 -> 1.0"], "{spelling}");
    }
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

    // No way back to what no release had, and one to what came back from a release.
    demo.ollama
        .append(|h| {
            for (name, old, new) in
                [("colder", "1.0", "0.5"), ("warm", "0.5", "1.0"), ("hot", "1.0", "1.3")]
            {
                h.commit(name, &format!("api: {name}"), |c| {
                    let line = |value: &str| format!("Temperature:      {value},");
                    c.edit("api/types.go", &line(old), &line(new));
                });
            }
            h.tag("v0.6.10").branch_here();
        })
        .unwrap();
    headwater(&store, &["crawl", "ollama", "--from-git", &from]).assert().success();
    let got = answer(
        &store,
        &["defaults", "ollama", "--knob", "temperature", "--scope", "request-option"],
    );
    let events = got["events"].as_array().unwrap();
    let way_back = |old: &str, new: &str| {
        let moved = events.iter().find(|e| e["old"] == old && e["new"] == new).unwrap();
        !moved["restore"].as_array().unwrap().is_empty()
    };
    assert!(way_back("0.8", "1.0") && way_back("1.0", "0.5"), "{events:?}");
    assert!(!way_back("0.5", "1.0") && way_back("1.0", "1.3"), "{events:?}");

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

#[test]
fn those_who_build_it_themselves_are_told_what_changed() {
    let place = crate::support::Place::crawled();
    let ask = |window: &str| {
        place.json(&["defaults", "ollama", "--scope", "build", "--window", window])["packagers"]
            .clone()
    };
    let told = ask(&place.demo.window());
    let nested = told["nested"].as_array().unwrap();
    let llama = nested.iter().find(|n| n["upstream"] == "llama.cpp").unwrap();
    assert_eq!((&llama["base"], &llama["gap"]), (&headwater_demo::PIN_BASE.into(), &Value::Null));
    let mlx = nested.iter().find(|n| n["upstream"] == "mlx").unwrap();
    assert!(mlx["gap"].as_str().unwrap().contains("not tracked"), "{mlx}");
    // A field joins a public struct in the window that the pin opens: told as exactly that.
    let load = place.llama_cpp(headwater_demo::llama_cpp::names::LOAD_MODE);
    let abi = told["abi"].as_array().unwrap();
    let one = abi.iter().find(|commit| commit["sha"] == load.as_str()).unwrap();
    let says = one["says"].as_str().unwrap();
    assert!(says.contains("adds field mmap_support of struct "), "{says}");
    assert!(says.contains("ggml/include/ggml-backend.h"), "{says}");
    assert!(says.contains("GGML_BACKEND_API_VERSION stays 2"), "{says}");
    let changes = one["changes"].as_array().unwrap();
    assert!(changes.iter().any(|c| c["name"] == "mmap_support" && c["old"].is_null()));
    // A patch that is laid over the pin is new in another window.
    let told = ask("v0.4.2..v0.5.0");
    let carried = told["carried"].as_array().unwrap();
    assert_eq!(carried[0]["path"], "llama/compat/0001-keep-names.patch");
    assert_eq!(carried[0]["change"], "added");
    let screen =
        place.ok(&["defaults", "ollama", "--scope", "build", "--window", "v0.4.2..v0.5.0"]);
    assert!(screen.contains("0001-keep-names.patch is new"), "{screen}");
    // Another scope does not ask for it.
    let other = place.json(&["defaults", "ollama", "--scope", "env", "--window", "v0.4.2..v0.5.0"]);
    assert!(other["packagers"].is_null());
}

#[test]
fn an_extractor_of_the_users_own_is_read_after_ours() {
    let place = crate::support::Place::crawled();
    let own = place.dir.path().join("home/.config/headwater/rules/defaults");
    std::fs::create_dir_all(&own).unwrap();
    let rule = "[[extractor]]\nid = 'mine'\nupstreams = ['ollama']\npaths = ['Makefile.sync']\nscope = 'build'\n\n[[extractor.holds]]\nkind = 'lines'\npattern = '(?m)^(?P<knob>FETCH_HEAD)=(?P<value>\\w+)$'\n";
    std::fs::write(own.join("mine.toml"), rule).unwrap();
    let got = place.json(&["defaults", "ollama", "--knob", "FETCH_HEAD", "--history"]);
    let events = got["events"].as_array().unwrap();
    let mine = |e: &&Value| e["extractor"] == "mine";
    assert!(events.iter().filter(mine).any(|e| !e["old"].is_null() && !e["new"].is_null()));
    assert!(got["covers"].as_array().unwrap().iter().any(|c| c["extractor"] == "mine"));
    // One that takes an id of ours is refused with its file's name.
    std::fs::write(own.join("mine.toml"), rule.replace("'mine'", "'request-options'")).unwrap();
    let error = place.error(&["defaults", "ollama"]);
    assert!(error.contains("mine.toml") && error.contains("request-options"), "{error}");
}
