//! The main job on the miniature upstreams.

use headwater_demo::ollama::names;
use headwater_demo::{BACKEND, MODEL, llama_cpp};
use serde_json::Value;

use crate::support::Place;

fn report(place: &Place) -> Value {
    place.json(&["why", "ollama", &place.demo.window(), "--model", MODEL, "--backend", BACKEND])
}

fn candidate<'r>(report: &'r Value, sha: &str) -> &'r Value {
    let all = report["candidates"].as_array().unwrap();
    all.iter().find(|c| c["sha"] == sha).unwrap_or_else(|| panic!("{sha} is no candidate"))
}

#[test]
fn the_silent_default_change_ranks_first() {
    let place = Place::crawled();
    let report = report(&place);
    let first = &report["candidates"][0];
    assert_eq!(first["sha"], place.ollama(names::PENALTY).as_str(), "{first}");
    assert_eq!(first["verdict"], "candidate");
    assert_eq!(first["rank"], 1);
    assert_eq!(first["first_final_tag"], "v0.6.1");
    let headline = report["headline"].as_str().unwrap();
    assert!(
        headline.contains("1.1 → 1.0") && headline.contains("repeat_penalty 1.1"),
        "{headline}"
    );
}

#[test]
fn the_window_is_counted_as_git_counts_it() {
    let place = Place::crawled();
    let report = report(&place);
    let window = &report["window"];
    assert_eq!(window["status"], "diverged");
    assert_eq!(window["commits"], headwater_demo::COMMITS);
    assert_eq!(window["behind"], headwater_demo::BEHIND);
    assert_eq!(window["already_shipped"], headwater_demo::ALREADY_SHIPPED);
    let all = report["candidates"].as_array().unwrap();
    assert_eq!(all.len(), headwater_demo::COMMITS + headwater_demo::NESTED_COMMITS);
    let ranks: Vec<u64> = all.iter().map(|c| c["rank"].as_u64().unwrap()).collect();
    assert_eq!(ranks, (1..=all.len() as u64).collect::<Vec<_>>());
}

#[test]
fn the_pin_opens_the_nested_window_and_ranks_after_what_it_brings() {
    let place = Place::crawled();
    let report = report(&place);
    let nested = report["nested"].as_array().unwrap();
    let llama = nested.iter().find(|n| n["pin"] == "llama.cpp").unwrap();
    assert_eq!(llama["pin_base"], headwater_demo::PIN_BASE);
    assert_eq!(llama["pin_head"], headwater_demo::PIN_HEAD);
    assert_eq!(llama["commits"], headwater_demo::NESTED_COMMITS);
    let bump = candidate(&report, &place.ollama(names::PIN_BUMP));
    assert_eq!(llama["moved_by"], bump["sha"]);
    let best_inside = report["candidates"]
        .as_array()
        .unwrap()
        .iter()
        .find(|c| c["upstream"] == "llama.cpp")
        .unwrap();
    assert!(best_inside["rank"].as_u64() < bump["rank"].as_u64());
    let mlx = nested.iter().find(|n| n["pin"] == "mlx").unwrap();
    assert!(mlx["gap"].as_str().unwrap().contains("not tracked"));
}

#[test]
fn every_verdict_has_its_reason() {
    let place = Place::crawled();
    let report = report(&place);
    let cases = [
        (names::NEMOTRON, "excluded", "shipped in v0.6.0 as"),
        (names::GLIMMER, "excluded", "glimmer"),
        (names::QWEN, "excluded", "qwen"),
        (names::MLX_PRESET, "off-path", "mlx"),
        (names::MLX_PIN, "off-path", "mlx"),
        (names::MLX_LAYER, "off-path", "mlx"),
        (names::MLX_GUARD, "off-path", "tensor layers"),
        (names::DOCS, "inert", "nothing"),
        (names::AGENT, "inert", "nothing"),
        (names::LAUNCH, "inert", "nothing"),
    ];
    for (name, verdict, why) in cases {
        let found = candidate(&report, &place.ollama(name));
        assert_eq!(found["verdict"], verdict, "{name}: {found}");
        let reason = found["verdict_reason"].as_str().unwrap();
        assert!(reason.contains(why), "{name}: {reason}");
    }
    // Subjects lie: these also change an endpoint that every model is reached through.
    for name in [names::LAUNCH_AND_OPENAI, names::WEB_SEARCH] {
        assert_eq!(candidate(&report, &place.ollama(name))["verdict"], "candidate", "{name}");
    }
}

#[test]
fn without_a_model_no_family_is_excluded() {
    let place = Place::crawled();
    let report = place.json(&["why", "ollama", &place.demo.window()]);
    assert_ne!(candidate(&report, &place.ollama(names::GLIMMER))["verdict"], "excluded");
}

#[test]
fn the_second_default_change_comes_to_nothing_on_a_discrete_card() {
    let place = Place::crawled();
    let report = report(&place);
    let load_mode = place.llama_cpp(llama_cpp::names::LOAD_MODE);
    let events = report["default_events"].as_array().unwrap();
    let event = events
        .iter()
        .find(|e| e["sha"] == load_mode.as_str() && e["scope"] == "context")
        .unwrap_or_else(|| panic!("no event of {load_mode}: {events:?}"));
    let device = &event["on_device"];
    assert_eq!(device["unchanged"], true, "{device}");
    assert!(!device["evidence"].as_array().unwrap().is_empty());
    assert!(candidate(&report, &load_mode)["rank"].as_u64() > Some(1));
    assert!(!event["restore"].as_array().unwrap().is_empty());
}

#[test]
fn every_claim_has_evidence_or_a_receipt() {
    let place = Place::crawled();
    let report = report(&place);
    for found in report["candidates"].as_array().unwrap() {
        assert!(!found["receipts"].as_array().unwrap().is_empty(), "{found}");
        assert!(!found["grade"].as_str().unwrap().is_empty());
        for class in found["classes"].as_array().unwrap() {
            assert!(!class["rule"].as_str().unwrap().is_empty());
            assert!(!class["evidence"].as_array().unwrap().is_empty(), "{found}");
        }
    }
    for absence in report["absences"].as_array().unwrap() {
        assert!(!absence["rederive"].as_array().unwrap().is_empty(), "{absence}");
        assert!(absence["coverage"]["commits_stored"].as_u64() > Some(0));
    }
}

#[test]
fn the_demo_prints_the_same_story_without_a_store() {
    let place = Place::new();
    let out = place.ok(&["demo"]);
    assert!(out.contains("moves the default of repeat_penalty 1.1 → 1.0"), "{out}");
    assert!(out.contains("already shipped 1"), "{out}");
    assert!(!place.store().exists(), "the demo keeps nothing");
    let mut kept = place.command(&["demo", "--keep", "kept"]);
    assert!(kept.current_dir(place.dir.path()).output().unwrap().status.success());
    assert!(place.dir.path().join("kept").join("store").exists());
}

#[test]
fn the_screen_and_its_markdown_read_as_before() {
    let place = Place::crawled();
    let window = place.demo.window();
    let question = ["why", "ollama", &window, "--model", MODEL, "--backend", BACKEND];
    insta::assert_snapshot!("why-screen", place.ok(&question));
    insta::assert_snapshot!("why-md", place.ok(&[&question[..], &["--format", "md"]].concat()));
}

#[test]
fn what_is_cut_is_counted_and_one_command_away() {
    let place = Place::crawled();
    let window = place.demo.window();
    let cut = place.ok(&["why", "ollama", &window, "--top", "1"]);
    let (_, rest) = cut.split_once(" more are not ruled out:\n").unwrap();
    let command = rest.lines().next().unwrap().trim().strip_prefix("$ headwater ").unwrap();
    let words: Vec<&str> = command.split(' ').collect();
    assert!(!place.ok(&words).contains("more are not ruled out"), "{command}");
}

#[test]
fn the_commands_under_an_absence_give_what_it_says() {
    let place = Place::crawled();
    let report = report(&place);
    let binary = std::path::Path::new(env!("CARGO_BIN_EXE_headwater"));
    let path = format!(
        "{}:{}",
        binary.parent().unwrap().display(),
        std::env::var("PATH").unwrap_or_default()
    );
    let (mut greps, mut gits, mut rules) = (0, 0, 0);
    for absence in report["absences"].as_array().unwrap() {
        let repository = match absence["coverage"]["upstream"].as_str().unwrap() {
            "ollama" => &place.demo.ollama,
            _ => &place.demo.llama_cpp,
        };
        for command in absence["rederive"].as_array().unwrap() {
            let command = command.as_str().unwrap();
            let output = std::process::Command::new("sh")
                .args(["-c", command])
                .current_dir(repository.path())
                .env("PATH", &path)
                .env("HEADWATER_STORE", place.store())
                .env("HOME", place.dir.path().join("home"))
                .output()
                .unwrap();
            let out = String::from_utf8_lossy(&output.stdout);
            let status = output.status.code();
            if command.starts_with("headwater grep") {
                assert_eq!(status, Some(1), "{command}: {out}");
                greps += 1;
            } else if command.starts_with("git log") {
                assert_eq!((status, out.trim()), (Some(0), ""), "{command}");
                gits += 1;
            } else {
                assert_eq!(status, Some(0), "{command}");
                assert!(out.lines().last().unwrap().starts_with("0 of "), "{command}: {out}");
                rules += 1;
            }
        }
    }
    assert!(greps > 0 && gits > 0 && rules > 0, "{greps} {gits} {rules}");
}

#[test]
fn words_that_no_commit_meets_do_not_bury_a_moved_default() {
    let place = Place::crawled();
    let window = place.demo.window();
    for symptom in ["since then it feels odd", "the answers are different and it is faster"] {
        let question = ["why", "ollama", &window, "--model", MODEL, "--symptom", symptom];
        let report = place.json(&question);
        let first = &report["candidates"][0];
        assert_eq!(first["sha"], place.ollama(names::PENALTY).as_str(), "{symptom}: {first}");
        let open = report["open"].to_string();
        assert!(open.contains("no commit has more than few of the symptom's words"), "{open}");
    }
}

#[test]
fn what_a_pin_brings_and_nobody_crawled_is_told_in_the_first_line() {
    let place = Place::new();
    let clone = place.demo.ollama.path().display().to_string();
    place.ok(&["crawl", "ollama", "--from-git", &clone]);
    let report = report(&place);
    let headline = report["headline"].as_str().unwrap();
    assert!(headline.contains("llama.cpp b21 → b34 brings is not in the store"), "{headline}");
    assert!(!headline.contains("mlx"), "{headline}");
    let bump = candidate(&report, &place.ollama(names::PIN_BUMP));
    assert!(bump["score"].as_f64() > Some(2.0), "{bump}");
}

#[test]
fn what_is_ruled_out_ranks_after_what_is_not() {
    let place = Place::crawled();
    let report = report(&place);
    let verdicts: Vec<&str> = report["candidates"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| c["verdict"].as_str().unwrap())
        .collect();
    let open = verdicts.iter().filter(|verdict| **verdict == "candidate").count();
    assert!(verdicts[..open].iter().all(|verdict| *verdict == "candidate"), "{verdicts:?}");
}

#[test]
fn a_name_that_says_mlx_turns_the_engines_round() {
    let place = Place::crawled();
    let window = place.demo.window();
    let report = place.json(&["why", "ollama", &window, "--model", "gemma4:26b-mlx-bf16"]);
    assert_ne!(candidate(&report, &place.ollama(names::MLX_LAYER))["verdict"], "off-path");
    assert_eq!(candidate(&report, &place.ollama(names::PIN_BUMP))["verdict"], "off-path");
}

#[test]
fn the_release_beside_a_window_is_told_where_it_holds_a_better_explanation() {
    let place = Place::crawled();
    let args = ["why", "ollama", "v0.6.1..v0.6.2", "--model", MODEL, "--backend", BACKEND];
    let report = place.json(&args);
    let penalty = place.ollama(names::PENALTY);
    assert!(report["candidates"].as_array().unwrap().iter().all(|c| c["sha"] != penalty.as_str()));
    let outside = report["outside"].as_array().unwrap();
    let before = outside.iter().find(|o| o["side"] == "before").unwrap();
    assert_eq!(before["head"], "v0.6.1");
    let found = before["candidates"].as_array().unwrap();
    assert!(found.iter().any(|c| c["sha"] == penalty.as_str()), "{before}");
    assert!(outside.iter().any(|o| o["side"] == "after"));
    // What came after HEAD is knowledge from after it.
    let report = place.json(&[&args[..], &["--as-of", "head"]].concat());
    let sides: Vec<&Value> =
        report["outside"].as_array().unwrap().iter().map(|o| &o["side"]).collect();
    assert_eq!(sides, ["before"]);
}

#[test]
fn the_bisect_looks_at_every_commit_that_is_left() {
    let place = Place::crawled();
    let report = report(&place);
    let bisects = report["bisect"].as_array().unwrap();
    assert!(!bisects.is_empty());
    for bisect in bisects {
        let repository = match bisect["upstream"].as_str().unwrap() {
            "ollama" => &place.demo.ollama,
            _ => &place.demo.llama_cpp,
        };
        let command = bisect["command"].as_str().unwrap();
        let rest = command.strip_prefix("git bisect start ").unwrap();
        let (ends, paths) = rest.split_once(" -- ").unwrap_or((rest, ""));
        let (bad, good) = ends.split_once(' ').unwrap();
        let log = format!("git log --format=%H --no-merges {good}..{bad} -- {paths}");
        let output = std::process::Command::new("sh")
            .args(["-c", &log])
            .current_dir(repository.path())
            .output()
            .unwrap();
        let listed = String::from_utf8(output.stdout).unwrap();
        assert_eq!(listed.lines().count() as u64, bisect["tested"].as_u64().unwrap(), "{log}");
        let left = report["candidates"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|c| c["upstream"] == bisect["upstream"] && c["verdict"] == "candidate");
        let listed: Vec<&str> = listed.lines().collect();
        let missed: Vec<&Value> =
            left.filter(|c| !listed.contains(&c["sha"].as_str().unwrap())).collect();
        // Merges are no step of their own.
        assert!(
            missed.iter().all(|c| c["subject"].as_str().unwrap().contains("erge")),
            "{missed:?}"
        );
    }
}

#[test]
fn reasons_and_gaps_say_what_kind_they_are() {
    let place = Place::crawled();
    let report = report(&place);
    let first = &report["candidates"][0];
    let kinds: Vec<&str> =
        first["reasons"].as_array().unwrap().iter().map(|r| r["kind"].as_str().unwrap()).collect();
    assert!(kinds.contains(&"default"), "{kinds:?}");
    let nested = report["nested"].as_array().unwrap();
    let mlx = nested.iter().find(|n| n["pin"] == "mlx").unwrap();
    assert_eq!(mlx["gap_kind"], "not-tracked");
    let phase = place.json(&["why", "ollama", &place.demo.window(), "--phase", "prefill"]);
    let words = phase["candidates"].to_string();
    assert!(words.contains("prompt processing ("), "{words}");
}
